"""One panel: the figure in one frame, on its ground, with the way its hands and feet came."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from kinesphere.kernels.arrays import Floats
from kinesphere.pictures import colours
from kinesphere.pictures.camera import Camera
from kinesphere.pictures.canvas import FINER, disc, nice_step, stroke
from kinesphere.pictures.colours import Colour, blend
from kinesphere.pictures.figure import Bone, Head, Side
from kinesphere.pictures.scene import Scene

SIDE_COLOURS = {Side.LEFT: colours.LEFT, Side.RIGHT: colours.RIGHT, Side.MIDDLE: colours.MIDDLE}
_LIMB = 0.030  # widths in body heights
_FINGER = 0.010
_SKULL = 0.062  # largest radius of a head
_FLAT = np.array([1.0, 0.0, 1.0])


@dataclass(frozen=True)
class Lens:
    """A camera with its place on the paper."""

    camera: Camera
    scale: float  # pixels a metre
    origin: tuple[float, float]  # where the target falls, in pixels from the panel's left and top

    def paper(self, points: Floats, target: Floats) -> tuple[Floats, Floats]:
        """Pixels ``(…, 2)`` on the finer drawing, and nearness."""
        plane, nearness = self.camera.project(points, target)
        pixels = (plane * [1.0, -1.0] * self.scale + self.origin) * FINER
        return pixels, nearness


def draw_panel(scene: Scene, lens: Lens, frame: int, size: tuple[int, int]) -> Image.Image:
    """The picture of one frame."""
    image = Image.new("RGB", (size[0] * FINER, size[1] * FINER), colours.PAPER)
    draw = ImageDraw.Draw(image)
    target = scene.centre(frame)
    _draw_ground(draw, scene, lens, target, image.size)
    _draw_shadow(image, scene, lens, frame, target)
    _draw_trails(draw, scene, lens, frame, target)
    _draw_body(draw, scene, lens, frame, target)
    return image.reduce(FINER)


def grid_step(height: float) -> float:
    """The distance of the ground's lines: half a metre for a person."""
    return nice_step(0.4 * height)


def skull(scene: Scene, head: Head, row: int) -> tuple[Floats, float]:
    """Centre and radius of the ball that stands for a head."""
    figure, points = scene.figure, scene.points[row]
    place = points[head.joint]
    largest = _SKULL * figure.height
    if head.top is None:
        return place, 0.8 * largest
    way = points[head.top] - place
    length = float(np.linalg.norm(way))
    radius = float(np.clip(0.55 * length, 0.6 * largest, largest))
    return points[head.top] - way / max(length, 1e-9) * radius, radius


def _draw_ground(draw: ImageDraw.ImageDraw, scene: Scene, lens: Lens, target: Floats, size: tuple[int, int]) -> None:
    """Lines fixed in the world, so that they pass under a body that travels; they fade away from it."""
    step = grid_step(scene.figure.height)
    reach = 1.25 * scene.figure.height
    for axis, other in ((0, 2), (2, 0)):
        first, last = np.ceil((target[axis] - reach) / step), np.floor((target[axis] + reach) / step)
        for number in range(int(first), int(last) + 1):
            along = target[other] + np.linspace(-reach, reach, 25)
            line = np.empty((25, 3))
            line[:, axis], line[:, 1], line[:, other] = number * step, scene.floor, along
            pixels, _ = lens.paper(line, target)
            middle = 0.5 * (line[1:] + line[:-1])
            away = np.linalg.norm((middle - target) * _FLAT, axis=1) / reach
            for a, b, far in zip(pixels[:-1], pixels[1:], away, strict=True):
                if far < 1.0:
                    colour = blend(colours.GRID, colours.PAPER, float(far) ** 1.5)
                    draw.line([tuple(a), tuple(b)], fill=colour, width=FINER)
    if lens.camera.back[1] < 0.2:
        # Seen almost level, the ground is a line.
        level = lens.paper(np.array([target[0], scene.floor, target[2]]), target)[0][1]
        sharp = int(level // FINER) * FINER  # on whole pixels of the finished picture
        draw.rectangle((0, sharp, size[0], sharp + FINER - 1), fill=colours.GROUND)


def _draw_shadow(image: Image.Image, scene: Scene, lens: Lens, frame: int, target: Floats) -> None:
    """The bones straight down on the floor, soft and grey."""
    quarter = (image.width // FINER, image.height // FINER)
    mask = Image.new("L", quarter, 0)
    draw = ImageDraw.Draw(mask)
    row = scene.at(frame)
    ground = scene.points[row] * _FLAT + [0.0, scene.floor, 0.0]
    pixels, _ = lens.paper(ground, target)
    pixels = pixels / FINER
    width = 1.3 * _LIMB * scene.figure.height * lens.scale
    for bone in scene.figure.bones:
        wide = width * (0.5 if bone.thin else 1.0)
        stroke(draw, pixels[bone.start], pixels[bone.end], (wide, wide), 120)
    for head in scene.figure.heads:
        centre, radius = skull(scene, head, row)
        place, _ = lens.paper(centre * _FLAT + [0.0, scene.floor, 0.0], target)
        disc(draw, place / FINER, 0.7 * radius * lens.scale, 120)
    mask = mask.filter(ImageFilter.GaussianBlur(max(0.6 * width, 0.5))).resize(image.size, Image.Resampling.BILINEAR)
    image.paste(Image.new("RGB", image.size, colours.SHADOW), mask=mask)


def _draw_trails(draw: ImageDraw.ImageDraw, scene: Scene, lens: Lens, frame: int, target: Floats) -> None:
    """The arcs of hands and feet, stronger towards now, with a dot every 1/24 s that shows their spacing."""
    frames = scene.trail(frame)
    rows = scene.rows(frames)
    ago = (frame - frames) / scene.rate
    width = 0.008 * scene.figure.height * lens.scale * FINER
    dots = {int(np.argmin(np.abs(ago - k / 24.0))) for k in range(1, 13) if k / 24.0 <= ago[0] + 0.5 / scene.rate}
    for joint in (*scene.figure.hands, *scene.figure.feet):
        pixels, _ = lens.paper(scene.points[rows, joint], target)
        colour = SIDE_COLOURS[scene.figure.sides[joint]]
        fresh = np.linspace(0.0, 1.0, len(rows) + 1)[1:]
        for i in range(len(rows) - 1):
            faded = blend(colours.PAPER, colour, 0.12 + 0.38 * float(fresh[i]))
            stroke(draw, pixels[i], pixels[i + 1], (width, width), faded)
        for i in sorted(dots):
            disc(draw, pixels[i], 1.1 * width, blend(colours.PAPER, colour, 0.15 + 0.45 * float(fresh[i])))


def _draw_body(draw: ImageDraw.ImageDraw, scene: Scene, lens: Lens, frame: int, target: Floats) -> None:
    """Bones and heads from the far ones to the near ones. Near is thick and strong, far is thin and pale."""
    figure, row = scene.figure, scene.at(frame)
    pixels, nearness = lens.paper(scene.points[row], target)
    unit = figure.height * lens.scale * FINER
    things: list[tuple[float, Bone | Head]] = []
    for bone in figure.bones:
        things.append((float(nearness[bone.start] + nearness[bone.end]) / 2.0, bone))
    for head in figure.heads:
        things.append((float(nearness[head.joint]), head))
    for near, thing in sorted(things, key=lambda entry: entry[0]):
        if isinstance(thing, Head):
            _draw_head(draw, scene, lens, thing, row, target)
        else:
            _draw_bone(draw, thing, pixels, nearness, unit, near)


def _draw_bone(
    draw: ImageDraw.ImageDraw, bone: Bone, pixels: Floats, nearness: Floats, unit: float, near: float
) -> None:
    wide = unit * (_FINGER if bone.thin else _LIMB)
    ends = (wide * _swell(nearness[bone.start]), wide * _swell(nearness[bone.end]))
    a, b = pixels[bone.start], pixels[bone.end]
    if not bone.thin:
        # A gap in the colour of the paper lets the nearer of two crossing limbs be seen as such.
        gap = 0.012 * unit
        stroke(
            draw,
            a + 0.2 * (b - a),
            b + 0.2 * (a - b),
            (ends[0] + gap, ends[1] + gap),
            colours.PAPER,
            round_ends=False,
        )
    colour = _in_depth(SIDE_COLOURS[bone.side], near)
    stroke(draw, a, b, ends, colour)
    if not bone.thin:
        for end, radius in ((a, ends[0]), (b, ends[1])):
            disc(draw, end, 0.62 * radius, blend(colour, colours.INK, 0.35))
            disc(draw, end, 0.30 * radius, blend(colour, colours.PAPER, 0.75))


def _draw_head(draw: ImageDraw.ImageDraw, scene: Scene, lens: Lens, head: Head, row: int, target: Floats) -> None:
    centre, radius = skull(scene, head, row)
    unit = scene.figure.height * lens.scale * FINER
    (place, near), (neck, _) = lens.paper(centre, target), lens.paper(scene.points[row, head.joint], target)
    colour = _in_depth(colours.MIDDLE, float(near))
    round_ = radius * lens.scale * FINER * float(near)
    line = 0.5 * _LIMB * unit
    stroke(draw, neck, place, (2.0 * line, 1.6 * line), colour)
    nose = None
    if scene.noses is not None and head is scene.figure.heads[0]:
        nose, _ = lens.paper(centre + 1.45 * radius * scene.noses[row], target)
    towards = scene.noses is not None and float(scene.noses[row] @ lens.camera.back) > 0.0
    if nose is not None and not towards:
        stroke(draw, place, nose, (1.5 * line, 0.8 * line), colour)
    disc(draw, place, round_, colour)
    disc(draw, place, round_ - 0.55 * line, blend(colour, colours.PAPER, 0.82))
    if nose is not None and towards:
        start = place + 0.35 * (nose - place)
        stroke(draw, start, nose, (1.5 * line, 0.8 * line), colour)


def _swell(nearness: float) -> float:
    """Widths grow faster with nearness than perspective makes them: depth should be seen at a glance."""
    return float(np.clip(1.0 + 3.0 * (nearness - 1.0), 0.55, 1.7))


def _in_depth(colour: Colour, nearness: float) -> Colour:
    return blend(colour, colours.PAPER, float(np.clip(-4.0 * (nearness - 1.0), 0.0, 0.35)))
