"""Contact sheets of stick figures (``bone_sheet``): poses side by side with trails, and the root's path from above.

Drawn by Pillow with supersampling. Needs no mesh. (Rendered characters: ``surface_sheets``.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from kinesphere.body.ground import describe_ground
from kinesphere.maths.vectors import Floats
from kinesphere.motion.motion import Motion
from kinesphere.pictures import canvas
from kinesphere.pictures.bones import Bone, Head, Side
from kinesphere.pictures.camera import Camera, View, camera_for
from kinesphere.pictures.canvas import (
    SUPERSAMPLING,
    Colour,
    draw_disc,
    draw_smooth_disc,
    draw_stroke,
    font,
    mix_colours,
    round_step,
    truncate_text,
    write_text,
)
from kinesphere.pictures.scene import TRAIL_SECONDS, SheetPoints, facing_directions, find_scene

_SHEET_MARGIN = 20  # pixels around the sheet
_GAP = 8
_HEADER = 58
_PANEL_LABEL = 20  # the line under a panel
_MARGIN = 0.06  # body heights around the largest pose

_STRIP_MARGIN = 26  # pixels around the path
_STRIP_LABEL = 12
_STRIP_CAPTION = 16  # pixels that the caption takes from the top

SIDE_COLOURS_ON_PAPER = {Side.LEFT: canvas.LEFT, Side.RIGHT: canvas.RIGHT, Side.MIDDLE: canvas.MIDDLE}
_LIMB_WIDTH = 0.030  # body heights
_FINGER_WIDTH = 0.010
_MAX_HEAD_RADIUS = 0.062  # body heights
_HORIZONTAL = np.array([1.0, 0.0, 1.0])  # mask: multiply to drop the height


def path_from_above(scene: SheetPoints) -> Floats:
    """``(K, 2)`` the root's path from above, rotated so that its principal axis is horizontal and its end on the right.

    It is never mirrored: a turn to the left stays a turn to the left.
    """
    from_above = scene.points[:, scene.figure.base][:, [0, 2]] * [1.0, -1.0]
    level: Floats = (from_above - from_above[scene.row_of(int(scene.path_frames[0]))]) @ _level_rotation(scene).T
    return level


def draw_path(scene: SheetPoints, size: tuple[int, int]) -> Image.Image:
    """Draw the root's path from above. Frames that have a panel are marked, with a tick in the facing direction."""
    path = path_from_above(scene)
    walked = path[scene.rows_of(scene.path_frames)]
    low, high = walked.min(axis=0), walked.max(axis=0)
    room = np.array(size) - [2.0 * _STRIP_MARGIN, 2.0 * _STRIP_MARGIN + _STRIP_CAPTION]
    scale = float(np.min(room / np.maximum(high - low, 0.05 * scene.figure.height)))
    middle = 0.5 * (low + high)
    centre = 0.5 * np.array(size) + [0.0, 0.5 * _STRIP_CAPTION]

    def to_pixels(points: Floats) -> Floats:
        pixels: Floats = ((points - middle) * [scale, -scale] + centre) * SUPERSAMPLING
        return pixels

    image = Image.new("RGB", (size[0] * SUPERSAMPLING, size[1] * SUPERSAMPLING), canvas.PAPER)
    draw = ImageDraw.Draw(image)
    step = _draw_grid(draw, to_pixels, (0.5 * np.array(size) + _STRIP_CAPTION) / scale, middle)
    pixels = to_pixels(walked)
    for i in range(len(pixels) - 1):
        colour = mix_colours(canvas.PAPER, canvas.MIDDLE, 0.25 + 0.5 * i / len(pixels))
        draw_stroke(draw, pixels[i], pixels[i + 1], (2.0 * SUPERSAMPLING, 2.0 * SUPERSAMPLING), colour)
    shown = scene.rows_of(scene.panel_frames)
    marks = to_pixels(path[shown])
    # The first sign makes y = −z point up on the map, the second makes it point down, as pixels do.
    ahead = (
        facing_directions(scene.points[shown], scene.figure)[:, [0, 2]]
        * [1.0, -1.0]
        @ _level_rotation(scene).T
        * [1.0, -1.0]
    )
    for mark, direction in zip(marks, ahead, strict=True):
        draw_stroke(
            draw,
            mark,
            mark + 16.0 * SUPERSAMPLING * direction,
            (4.0 * SUPERSAMPLING, 1.0 * SUPERSAMPLING),
            canvas.MIDDLE,
        )
        draw_disc(draw, mark, 4.5 * SUPERSAMPLING, canvas.PAPER)
        draw_disc(draw, mark, 3.5 * SUPERSAMPLING, canvas.MIDDLE)
    image = image.reduce(SUPERSAMPLING)
    draw = ImageDraw.Draw(image)
    caption = f"Path of the root from above, {step:g} m grid; ticks show the facing"
    occupied = [(8.0, 6.0, 8.0 + font(_STRIP_LABEL).getlength(caption), 22.0)]
    write_text(draw, (8, 6), caption, _STRIP_LABEL, canvas.QUIET_INK, halo=True)
    _draw_labels(draw, scene, marks / SUPERSAMPLING, ahead, size, occupied)
    return image


def strip_height(scene: SheetPoints, width: int, least: int, most: int) -> int:
    """Height of the path's strip in pixels, so that the path fills it; between ``least`` and ``most``.

    0, for no strip, where a path would have no room in it.
    """
    bare = 2 * _STRIP_MARGIN + _STRIP_CAPTION
    least = max(least, bare + _STRIP_MARGIN)
    if most < least:
        return 0
    extent = np.ptp(path_from_above(scene)[scene.rows_of(scene.path_frames)], axis=0)
    filled = (width - 2 * _STRIP_MARGIN) * float(extent[1] / max(extent[0], 1e-9)) + bare
    return int(np.clip(filled, least, most))


def _level_rotation(scene: SheetPoints) -> Floats:
    """The rotation ``(2, 2)`` that makes the path's principal axis horizontal, its end to the right of its start."""
    path = scene.points[scene.rows_of(scene.path_frames), scene.figure.base][:, [0, 2]] * [1.0, -1.0]
    centred = path - path.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    x, y = axes[0]
    displacement = path[-1] - path[0]
    if displacement @ axes[0] < 0.0:
        x, y = -x, -y
    return np.array([[x, y], [-y, x]])


def _draw_grid(draw: ImageDraw.ImageDraw, to_pixels: Callable[[Floats], Floats], half: Floats, middle: Floats) -> float:
    """Draw grid lines over the strip, one of them through the start of the path; returns their spacing in metres."""
    step = round_step(float(half[0]) / 8.0)
    for axis in (0, 1):
        low, high = middle[axis] - half[axis], middle[axis] + half[axis]
        for number in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1):
            ends = np.array([middle - half, middle + half])
            ends[:, axis] = number * step
            a, b = to_pixels(ends)
            draw.line([tuple(a), tuple(b)], fill=canvas.GRID, width=SUPERSAMPLING)
    return step


def _draw_labels(
    draw: ImageDraw.ImageDraw,
    scene: SheetPoints,
    marks: Floats,
    ahead: Floats,
    size: tuple[int, int],
    occupied: list[tuple[float, float, float, float]],
) -> None:
    """Frame numbers beside their marks, each at the first position that is free."""
    for mark in marks:
        occupied.append((mark[0] - 6.0, mark[1] - 6.0, mark[0] + 6.0, mark[1] + 6.0))
    for frame, mark, forward in zip(scene.panel_frames.tolist(), marks, ahead, strict=True):
        text = str(frame)
        wide, high = font(_STRIP_LABEL).getlength(text) + 4.0, _STRIP_LABEL + 2.0
        sideways = np.array([-forward[1], forward[0]])
        for direction in (sideways, -sideways, -forward, [0.0, -1.0], [0.0, 1.0]):
            centre = mark + np.asarray(direction) * [10.0 + 0.5 * wide, 8.0 + 0.5 * high]
            box = (centre[0] - wide / 2, centre[1] - high / 2, centre[0] + wide / 2, centre[1] + high / 2)
            inside = box[0] > 2 and box[1] > 2 and box[2] < size[0] - 2 and box[3] < size[1] - 2
            if inside and not any(_overlap(box, other) for other in occupied):
                write_text(draw, (centre[0], centre[1]), text, _STRIP_LABEL, canvas.INK, "mm", halo=True)
                occupied.append(box)
                break


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


# One panel: the figure in one frame, on its ground, with trails of its hands and feet


@dataclass(frozen=True)
class PanelCamera:
    """A camera, its scale, and the pixel of the panel at which its target appears."""

    camera: Camera
    scale: float  # pixels per metre
    origin: tuple[float, float]  # the target's pixel, from the panel's left and top

    def project(self, points: Floats, target: Floats) -> tuple[Floats, Floats]:
        """Pixels ``(…, 2)`` on the supersampled drawing, and magnification ``(…)``."""
        plane, magnification = self.camera.project(points, target)
        pixels = (plane * [1.0, -1.0] * self.scale + self.origin) * SUPERSAMPLING
        return pixels, magnification


def draw_panel(scene: SheetPoints, panel_camera: PanelCamera, frame: int, size: tuple[int, int]) -> Image.Image:
    """The picture of one frame."""
    image = Image.new("RGB", (size[0] * SUPERSAMPLING, size[1] * SUPERSAMPLING), canvas.PAPER)
    draw = ImageDraw.Draw(image)
    target = scene.centre(frame)
    _draw_ground(draw, scene, panel_camera, target, image.size)
    _draw_shadow(image, scene, panel_camera, frame, target)
    _draw_trails(draw, scene, panel_camera, frame, target)
    _draw_body(draw, scene, panel_camera, frame, target)
    return image.reduce(SUPERSAMPLING)


def grid_step(height: float) -> float:
    """The spacing of the ground's lines in metres: half a metre for a person."""
    return round_step(0.4 * height)


def head_ball(scene: SheetPoints, head: Head, row: int) -> tuple[Floats, float]:
    """Centre and radius of the ball that is drawn for a head."""
    figure, points = scene.figure, scene.points[row]
    position = points[head.joint]
    largest = _MAX_HEAD_RADIUS * figure.height
    if head.top is None:
        return position, 0.8 * largest
    axis = points[head.top] - position
    length = float(np.linalg.norm(axis))
    radius = float(np.clip(0.55 * length, 0.6 * largest, largest))
    return points[head.top] - axis / max(length, 1e-9) * radius, radius


def _draw_ground(
    draw: ImageDraw.ImageDraw, scene: SheetPoints, panel_camera: PanelCamera, target: Floats, size: tuple[int, int]
) -> None:
    """Draw a ground grid that is fixed in the world and fades with the distance from the body."""
    step = grid_step(scene.figure.height)
    reach = 1.25 * scene.figure.height
    for axis, other in ((0, 2), (2, 0)):
        first, last = np.ceil((target[axis] - reach) / step), np.floor((target[axis] + reach) / step)
        for number in range(int(first), int(last) + 1):
            along = target[other] + np.linspace(-reach, reach, 25)
            line = np.empty((25, 3))
            line[:, axis], line[:, 1], line[:, other] = number * step, scene.floor, along
            pixels, _ = panel_camera.project(line, target)
            middle = 0.5 * (line[1:] + line[:-1])
            fade = np.linalg.norm((middle - target) * _HORIZONTAL, axis=1) / reach
            for a, b, share in zip(pixels[:-1], pixels[1:], fade, strict=True):
                if share < 1.0:
                    colour = mix_colours(canvas.GRID, canvas.PAPER, float(share) ** 1.5)
                    draw.line([tuple(a), tuple(b)], fill=colour, width=SUPERSAMPLING)
    if panel_camera.camera.back[1] < 0.2:
        # Seen almost edge-on, draw the ground as one line.
        level = panel_camera.project(np.array([target[0], scene.floor, target[2]]), target)[0][1]
        sharp = int(level // SUPERSAMPLING) * SUPERSAMPLING  # on whole pixels of the finished picture
        draw.rectangle((0, sharp, size[0], sharp + SUPERSAMPLING - 1), fill=canvas.GROUND)


def _draw_shadow(image: Image.Image, scene: SheetPoints, panel_camera: PanelCamera, frame: int, target: Floats) -> None:
    """Draw a soft shadow: the bones projected straight down on the floor."""
    size = (image.width // SUPERSAMPLING, image.height // SUPERSAMPLING)
    mask = Image.new("L", size, 0)
    draw = ImageDraw.Draw(mask)
    row = scene.row_of(frame)
    ground = scene.points[row] * _HORIZONTAL + [0.0, scene.floor, 0.0]
    pixels, _ = panel_camera.project(ground, target)
    pixels = pixels / SUPERSAMPLING
    width = 1.3 * _LIMB_WIDTH * scene.figure.height * panel_camera.scale
    for bone in scene.figure.bones:
        wide = width * (0.5 if bone.thin else 1.0)
        draw_stroke(draw, pixels[bone.start], pixels[bone.end], (wide, wide), 120)
    for head in scene.figure.heads:
        centre, radius = head_ball(scene, head, row)
        place, _ = panel_camera.project(centre * _HORIZONTAL + [0.0, scene.floor, 0.0], target)
        draw_disc(draw, place / SUPERSAMPLING, 0.7 * radius * panel_camera.scale, 120)
    mask = mask.filter(ImageFilter.GaussianBlur(max(0.6 * width, 0.5))).resize(image.size, Image.Resampling.BILINEAR)
    image.paste(Image.new("RGB", image.size, canvas.SHADOW), mask=mask)


def _draw_trails(
    draw: ImageDraw.ImageDraw, scene: SheetPoints, panel_camera: PanelCamera, frame: int, target: Floats
) -> None:
    """Draw the paths of hands and feet up to this frame, darker for more recent frames, with a dot every 1/24 s."""
    frames = scene.trail(frame)
    rows = scene.rows_of(frames)
    ago = (frame - frames) / scene.rate
    width = 0.008 * scene.figure.height * panel_camera.scale * SUPERSAMPLING
    dots = {int(np.argmin(np.abs(ago - k / 24.0))) for k in range(1, 13) if k / 24.0 <= ago[0] + 0.5 / scene.rate}
    for joint in (*scene.figure.hands, *scene.figure.feet):
        pixels, _ = panel_camera.project(scene.points[rows, joint], target)
        colour = SIDE_COLOURS_ON_PAPER[scene.figure.sides[joint]]
        recency = np.linspace(0.0, 1.0, len(rows) + 1)[1:]
        for i in range(len(rows) - 1):
            faded = mix_colours(canvas.PAPER, colour, 0.12 + 0.38 * float(recency[i]))
            draw_stroke(draw, pixels[i], pixels[i + 1], (width, width), faded)
        for i in sorted(dots):
            draw_disc(draw, pixels[i], 1.1 * width, mix_colours(canvas.PAPER, colour, 0.15 + 0.45 * float(recency[i])))


def _draw_body(
    draw: ImageDraw.ImageDraw, scene: SheetPoints, panel_camera: PanelCamera, frame: int, target: Floats
) -> None:
    """Draw bones and heads, far ones first. Near ones are thicker and darker, far ones thinner and paler."""
    figure, row = scene.figure, scene.row_of(frame)
    pixels, magnification = panel_camera.project(scene.points[row], target)
    pixels_per_height = figure.height * panel_camera.scale * SUPERSAMPLING
    things: list[tuple[float, Bone | Head]] = []
    for bone in figure.bones:
        things.append((float(magnification[bone.start] + magnification[bone.end]) / 2.0, bone))
    for head in figure.heads:
        things.append((float(magnification[head.joint]), head))
    for mean_magnification, thing in sorted(things, key=lambda entry: entry[0]):
        if isinstance(thing, Head):
            _draw_head(draw, scene, panel_camera, thing, row, target)
        else:
            _draw_bone(draw, thing, pixels, magnification, pixels_per_height, mean_magnification)


def _draw_bone(
    draw: ImageDraw.ImageDraw,
    bone: Bone,
    pixels: Floats,
    magnification: Floats,
    pixels_per_height: float,
    mean_magnification: float,
) -> None:
    wide = pixels_per_height * (_FINGER_WIDTH if bone.thin else _LIMB_WIDTH)
    ends = (wide * _width_factor(magnification[bone.start]), wide * _width_factor(magnification[bone.end]))
    a, b = pixels[bone.start], pixels[bone.end]
    if not bone.thin:
        # An outline in the paper's colour shows which of two crossing limbs is in front.
        gap = 0.012 * pixels_per_height
        draw_stroke(
            draw,
            a + 0.2 * (b - a),
            b + 0.2 * (a - b),
            (ends[0] + gap, ends[1] + gap),
            canvas.PAPER,
            round_ends=False,
        )
    colour = _fade_by_depth(SIDE_COLOURS_ON_PAPER[bone.side], mean_magnification)
    draw_stroke(draw, a, b, ends, colour)
    if not bone.thin:
        for end, width in ((a, ends[0]), (b, ends[1])):
            draw_disc(draw, end, 0.62 * width, mix_colours(colour, canvas.INK, 0.35))
            draw_disc(draw, end, 0.30 * width, mix_colours(colour, canvas.PAPER, 0.75))


def _draw_head(
    draw: ImageDraw.ImageDraw, scene: SheetPoints, panel_camera: PanelCamera, head: Head, row: int, target: Floats
) -> None:
    centre, radius = head_ball(scene, head, row)
    pixels_per_height = scene.figure.height * panel_camera.scale * SUPERSAMPLING
    (place, magnification), (neck, _) = (
        panel_camera.project(centre, target),
        panel_camera.project(scene.points[row, head.joint], target),
    )
    colour = _fade_by_depth(canvas.MIDDLE, float(magnification))
    disc = radius * panel_camera.scale * SUPERSAMPLING * float(magnification)
    half_width = 0.5 * _LIMB_WIDTH * pixels_per_height
    draw_stroke(draw, neck, place, (2.0 * half_width, 1.6 * half_width), colour)
    nose = None
    if scene.head_directions is not None and head is scene.figure.heads[0]:
        nose, _ = panel_camera.project(centre + 1.45 * radius * scene.head_directions[row], target)
    towards = scene.head_directions is not None and float(scene.head_directions[row] @ panel_camera.camera.back) > 0.0
    if nose is not None and not towards:
        draw_stroke(draw, place, nose, (1.5 * half_width, 0.8 * half_width), colour)
    draw_disc(draw, place, disc, colour)
    draw_disc(draw, place, disc - 0.55 * half_width, mix_colours(colour, canvas.PAPER, 0.82))
    if nose is not None and towards:
        start = place + 0.35 * (nose - place)
        draw_stroke(draw, start, nose, (1.5 * half_width, 0.8 * half_width), colour)


def _width_factor(magnification: float) -> float:
    """Factor of a line's width. It grows faster than in perspective, so that depth is visible at a glance."""
    return float(np.clip(1.0 + 3.0 * (magnification - 1.0), 0.55, 1.7))


def _fade_by_depth(colour: Colour, magnification: float) -> Colour:
    """The colour, paler where it is farther away."""
    return mix_colours(colour, canvas.PAPER, float(np.clip(-4.0 * (magnification - 1.0), 0.0, 0.35)))


# The sheet


@dataclass(frozen=True)
class SheetLayout:
    """Where things go on the sheet, in pixels."""

    columns: int
    panel: tuple[int, int]
    cameras: tuple[PanelCamera, ...]  # one per panel: same scale and height; shifted sideways to centre each pose
    strip: int  # height of the path's strip, 0 without


def bone_sheet(
    motion: Motion,
    *,
    frames: int = 12,
    columns: int | None = None,
    size: tuple[int, int] = (1600, 1000),
    view: View = "three-quarter",
) -> Image.Image:
    """Draw performed frames of a motion, side by side at one scale, each in the middle of its panel.

    ``scene`` chooses distinct poses, which tend to include ends of strokes.

    Parameters
    ----------
    motion
        What to draw. Calibration frames are left out, and the header says so.
    frames
        How many panels. A motion with fewer frames gets one panel per frame.
    columns
        Panels in a row. Left out: the number that makes figures largest; empty panels count against it.
    size
        Width and height of the whole picture in pixels.
    view
        Seen from the ``front``, the character's right ``side``, ``three-quarter`` between them, or the
        ``top``, relative to where the body faces on average.
    """
    if min(size) < 200:
        raise ValueError(f"size={size}; at least 200 pixels each way are needed")
    if columns is not None and columns < 1:
        raise ValueError(f"columns={columns}; at least one is needed")
    scene = find_scene(motion, frames)
    camera = camera_for(view, scene.forward, scene.figure.height)
    layout = make_layout(scene, camera, size, columns)
    sheet = Image.new("RGB", size, canvas.SHEET)
    draw = ImageDraw.Draw(sheet)
    _draw_header(sheet, motion, scene, view)
    for number, frame in enumerate(scene.panel_frames.tolist()):
        x, y = panel_corner(layout, number)
        sheet.paste(draw_panel(scene, layout.cameras[number], frame, layout.panel), (x, y))
        text = f"frame {frame} · {frame / motion.rate:.2f} s"
        if font(13).getlength(text) > layout.panel[0]:
            text = str(frame)
        write_text(draw, (x + layout.panel[0] / 2, y + layout.panel[1] + 4), text, 13, canvas.INK, "ma")
    if layout.strip:
        strip = draw_path(scene, (size[0] - 2 * _SHEET_MARGIN, layout.strip))
        sheet.paste(strip, (_SHEET_MARGIN, size[1] - _SHEET_MARGIN - layout.strip))
    return sheet


def panel_corner(layout: SheetLayout, number: int) -> tuple[int, int]:
    """The upper left corner of a panel."""
    row, column = divmod(number, layout.columns)
    wide, high = layout.panel
    return _SHEET_MARGIN + column * (wide + _GAP), _SHEET_MARGIN + _HEADER + row * (high + _PANEL_LABEL + _GAP)


def make_layout(scene: SheetPoints, camera: Camera, size: tuple[int, int], columns: int | None) -> SheetLayout:
    """Lay out the sheet, with the best number of columns unless ``columns`` is given."""
    count = len(scene.panel_frames)
    strip = 0
    width = size[0] - 2 * _SHEET_MARGIN
    if scene.travels:
        strip = strip_height(scene, width, int(0.13 * size[1]), int(0.24 * size[1]))
    height = size[1] - 2 * _SHEET_MARGIN - _HEADER - (strip + _GAP if strip else 0)
    boxes = _bounding_boxes(scene, camera)
    low, high = boxes[:, 0, 1].min(), boxes[:, 1, 1].max()  # one vertical range for all panels, so that floors line up
    extent = np.array([np.max(boxes[:, 1, 0] - boxes[:, 0, 0]), high - low])

    def panel_size(across: int) -> tuple[int, int]:
        rows = -(-count // across)
        return (width + _GAP) // across - _GAP, (height + _GAP) // rows - _GAP - _PANEL_LABEL

    def layout_score(across: int) -> float:
        # The figure's scale. The square root lowers the score of layouts with empty panels in the last row.
        wide, tall = panel_size(across)
        filled = count / (across * -(-count // across))
        return float(min(wide / extent[0], tall / extent[1])) * math.sqrt(filled)

    across = min(columns, count) if columns else max(range(1, count + 1), key=layout_score)
    wide, tall = panel_size(across)
    if min(wide, tall) < 16:
        raise ValueError(f"{count} panels do not fit into {size[0]} × {size[1]} pixels; fewer frames, or larger")
    scale = float(min(wide / extent[0], tall / extent[1]))
    y_offset = 0.5 * (tall + scale * float(low + high))
    middles = 0.5 * (boxes[:, 0, 0] + boxes[:, 1, 0])
    cameras = tuple(PanelCamera(camera, scale, (0.5 * wide - scale * middle, y_offset)) for middle in middles.tolist())
    return SheetLayout(across, (wide, tall), cameras, strip)


def _bounding_boxes(scene: SheetPoints, camera: Camera) -> Floats:
    """``(N, 2, 2)`` lower left and upper right corners on the image plane: each pose with its shadow and trails."""
    figure = scene.figure
    drawn = sorted({end for bone in figure.bones for end in (bone.start, bone.end)} | {figure.base})
    boxes = []
    for frame in scene.panel_frames.tolist():
        row, target = scene.row_of(frame), scene.centre(frame)
        points = [scene.points[row, drawn]]
        for head in figure.heads:
            centre, radius = head_ball(scene, head, row)
            points += [centre[None], centre[None] + radius * camera.up, centre[None] - radius * camera.right]
            points += [centre[None] + radius * camera.right]
        body = np.concatenate(points)
        shadow = body * _HORIZONTAL + [0.0, scene.floor, 0.0]
        plane = camera.project(np.concatenate([body, shadow]), target)[0]
        low, high = plane.min(axis=0), plane.max(axis=0)
        # Trails are clipped: one that comes from far away would make the figures small.
        rows = scene.rows_of(scene.trail(frame))
        trails = camera.project(scene.points[rows][:, [*figure.hands, *figure.feet]], target)[0].reshape(-1, 2)
        beyond = 0.15 * (high - low)
        plane = np.concatenate([plane, np.clip(trails, low - beyond, high + beyond)])
        boxes.append((plane.min(axis=0), plane.max(axis=0)))
    free = _MARGIN * figure.height
    padded: Floats = np.array(boxes) + np.array([[-free], [free]])
    return padded


def _draw_header(sheet: Image.Image, motion: Motion, scene: SheetPoints, view: str) -> None:
    draw, width = ImageDraw.Draw(sheet), sheet.width
    facts = (
        f"{len(motion)} frames · {motion.rate:g} fps · {motion.duration:.2f} s · "
        f"{len(motion.skeleton)} joints · skeleton {scene.figure.height:.2f} m tall"
    )
    room = width - 2 * _SHEET_MARGIN
    name = truncate_text(motion.name or "Motion", 22, 0.5 * room)
    write_text(draw, (_SHEET_MARGIN, _SHEET_MARGIN - 6), name, 22, canvas.INK)
    beside = _SHEET_MARGIN + font(22).getlength(name) + 16
    write_text(
        draw,
        (beside, _SHEET_MARGIN + 1),
        truncate_text(facts, 15, width - _SHEET_MARGIN - beside),
        15,
        canvas.QUIET_INK,
    )
    x = float(_SHEET_MARGIN)
    for colour, label in ((canvas.LEFT, "left"), (canvas.RIGHT, "right")):
        draw_smooth_disc(sheet, (x + 5, _SHEET_MARGIN + 33), 5, colour)
        write_text(draw, (x + 15, _SHEET_MARGIN + 26), label, 13, canvas.QUIET_INK)
        x += 15 + font(13).getlength(label) + 14
    notes = [f"{view} view", f"ground lines every {grid_step(scene.figure.height):g} m"]
    notes.append(f"trails of the last {TRAIL_SECONDS:g} s, a dot every 1/24 s")
    if standing := describe_ground(motion):
        notes.insert(0, standing)
    if scene.travels:
        notes.append("each panel follows the body")
    if motion.calibration_frames and motion.performed_frames.size:
        notes.insert(0, f"left out as not performed: {_list_frames(motion.calibration_frames)}")
    write_text(
        draw,
        (x, _SHEET_MARGIN + 26),
        truncate_text(" · ".join(notes), 13, width - _SHEET_MARGIN - x),
        13,
        canvas.QUIET_INK,
    )


def _list_frames(frames: tuple[int, ...]) -> str:
    if len(frames) == 1:
        return f"frame {frames[0]}"
    shown = ", ".join(str(frame) for frame in frames[:6])
    return f"frames {shown}" + ("..." if len(frames) > 6 else "")
