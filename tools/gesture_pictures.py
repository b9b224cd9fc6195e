"""The pictures of ``docs/gestures.md``: ``python tools/gesture_pictures.py`` writes them into ``docs/pictures``."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import kinesphere
from kinesphere.builtin import figure
from kinesphere.engine import generate_gesture
from kinesphere.files import load_gesture
from kinesphere.maths import rotations
from kinesphere.maths.two_bone import swivel_frame
from kinesphere.maths.vectors import Floats
from kinesphere.pictures import canvas, sheet
from kinesphere.pictures.camera import Shot, View, camera_for
from kinesphere.pictures.canvas import Colour, draw_disc, draw_stroke, font, write_text
from kinesphere.pictures.light import STILL
from kinesphere.pictures.panel import make_performers
from kinesphere.pictures.performer import Performer
from kinesphere.pictures.render import Stage, render

HOME = Path("docs/pictures")
GESTURES = Path("examples/gestures")
FINE = 3  # lines are drawn so many times larger and reduced
HELD = 1.5  # seconds: when the poses of this file are drawn
OUT, UP, AHEAD = (196, 52, 30), (30, 130, 60), (20, 90, 190)  # of the three axes
KEY: Colour = (120, 40, 150)  # of the wrist's key
CIRCLE: Colour = (190, 120, 0)  # of the swivel
GHOST = 0.55
WRIST, SWIVEL = (0.16, -0.08, 0.36), 40.0  # the key that is shown


# Poses


def pose(text: str) -> Performer:
    """The figure in a gesture that a text says, which is held at ``HELD``."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shown.toml"
        file.write_text(f"duration = 3.0\n{text}", encoding="utf-8")
        return make_performers(generate_gesture(load_gesture(file)), figure())[0]


def joint(one: Performer, name: str, time: float = HELD) -> Floats:
    """Position of a joint."""
    return np.asarray(one.trace([one.joints[name]], np.array([time]))[0, 0])


def chest_axes(one: Performer) -> Floats:
    """``(3, 3)`` out on the right side, up and ahead in the chest's frame, as rows in the world."""
    chest = one.motion.rotations_world()[round(HELD * one.motion.rate), one.joints["upperChest"]]
    return rotations.rotate(chest[None], np.array([[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))


# Drawing


@dataclass(frozen=True, eq=False)
class Drawing:
    """A picture of the figure, and lines and words over it at places in the world."""

    shot: Shot
    image: Image.Image  # FINE times as large

    @classmethod
    def of(
        cls,
        one: Performer,
        view: View,
        target: Sequence[float] | Floats,
        metres: float,
        size: tuple[int, int],
        ghost: Performer | None = None,
        round_by: float = 0.0,
    ) -> Drawing:
        """The figure, ``metres`` of the world across the picture, seen from ``round_by`` degrees farther to its right.

        ``ghost`` is another pose behind it.
        """
        angle = np.radians(round_by)
        camera = camera_for(view, np.array([-np.sin(angle), 0.0, np.cos(angle)]), one.height)
        shot = Shot(camera, np.asarray(target, float), size[0] / metres, (size[0] / 2, size[1] / 2), size)
        behind = [] if ghost is None else [(ghost.surface(HELD), GHOST)]
        pixels = render(one.surface(HELD), shot, Stage(0.0, one.height, 3, STILL), ghosts=behind)
        large = Image.fromarray(pixels).resize((FINE * size[0], FINE * size[1]), Image.Resampling.LANCZOS)
        return cls(shot, large)

    def at(self, points: Sequence[float] | Floats) -> Floats:
        """Pixels of the large picture."""
        return FINE * self.shot.pixels(np.atleast_2d(np.asarray(points, float)))[0]

    def line(self, points: Floats, colour: Colour, width: float = 2.5, dashed: bool = False) -> None:
        """A line through places, with a pale edge."""
        draw, places = ImageDraw.Draw(self.image), self.at(points)
        for start, end in list(zip(places[:-1], places[1:], strict=True))[:: 2 if dashed else 1]:
            draw_stroke(draw, start, end, (FINE * width,) * 2, colour)

    def arrow(self, points: Floats, colour: Colour, width: float = 3.0) -> None:
        """A line with a head at its end."""
        places = self.at(points)
        way = places[-1] - places
        far = np.linalg.norm(way, axis=1)
        head = FINE * 4.2 * width
        neck = places[np.flatnonzero(far >= head)[-1]] if (far >= head).any() else places[0]
        along = (places[-1] - neck) / max(float(np.linalg.norm(places[-1] - neck)), 1e-9)
        across = np.array([-along[1], along[0]])
        draw = ImageDraw.Draw(self.image)
        kept = [*places[far >= head], places[-1] - 0.8 * head * along]
        for edge, shade in ((3.0, canvas.PAPER), (0.0, colour)):
            for start, end in zip(kept[:-1], kept[1:], strict=True):
                draw_stroke(draw, start, end, (FINE * (width + edge),) * 2, shade)
            grown = head + 0.9 * FINE * edge
            base = places[-1] - head * along - 0.4 * FINE * edge * along
            tip = places[-1] + 0.6 * FINE * edge * along
            corners = [tip, base + 0.5 * grown * across, base - 0.5 * grown * across]
            draw.polygon([tuple(corner) for corner in corners], fill=shade)

    def dot(self, place: Floats, colour: Colour, radius: float = 5.0) -> None:
        """A disc with a pale edge."""
        draw, (at,) = ImageDraw.Draw(self.image), self.at(place)
        draw_disc(draw, at, FINE * (radius + 1.5), canvas.PAPER)
        draw_disc(draw, at, FINE * radius, colour)

    def write(
        self,
        place: Sequence[float] | Floats,
        text: str,
        colour: Colour = canvas.INK,
        by: tuple[float, float] = (0.0, 0.0),
        anchor: str = "mm",
        size: int = 17,
    ) -> None:
        """Words at a place, moved ``by`` pixels."""
        (at,) = self.at(place)
        draw = ImageDraw.Draw(self.image)
        draw.text(
            (at[0] + FINE * by[0], at[1] + FINE * by[1]),
            text,
            fill=colour,
            font=font(FINE * size),
            anchor=anchor,
            stroke_width=3 * FINE,
            stroke_fill=canvas.PAPER,
        )

    def small(self) -> Image.Image:
        """The picture in its own size."""
        return self.image.reduce(FINE)


def title(made: Drawing, text: str) -> None:
    """A line in the upper left corner."""
    write_text(ImageDraw.Draw(made.image), (FINE * 16.0, FINE * 12.0), text, FINE * 20, canvas.INK)


def straight(start: Floats, end: Floats, count: int = 40) -> Floats:
    """Points on a line."""
    return start + np.linspace(0.0, 1.0, count)[:, None] * (end - start)


# Frames: the shoulder's axes, a key, the swivel, the world


def of_arm(size: tuple[int, int]) -> Image.Image:
    """One arm: axes at the shoulder, a key at the wrist, the elbow's circle, the palm."""
    out, up, ahead = WRIST
    one = pose(
        f"[right]\nkeys = [{{ at = {HELD}, to = [{out}, {up}, {ahead}], swivel = {SWIVEL} }}]\n"
        f'[right.hand]\npalm = [[{HELD}, "down"]]\nshape = [[{HELD}, "closed 0.6"]]\n'
    )
    axes, shoulder = chest_axes(one), joint(one, "rightUpperArm")
    wrist, elbow = joint(one, "rightHand"), joint(one, "rightLowerArm")
    made = Drawing.of(one, "three-quarter", [-0.18, 1.33, 0.15], 1.22, size, round_by=24.0)
    # The elbow's circle.
    along = (wrist - shoulder) / np.linalg.norm(wrist - shoulder)
    middle = shoulder + along * float((elbow - shoulder) @ along)
    radius = float(np.linalg.norm(elbow - middle))
    zero, side = swivel_frame(along, -axes[1], axes[2])

    def on_circle(degrees: Floats | float, wide: float = 1.0) -> Floats:
        angle = np.radians(np.atleast_1d(degrees))[:, None]
        return np.asarray(middle + wide * radius * (np.cos(angle) * zero - np.sin(angle) * side))

    made.line(on_circle(np.linspace(0.0, 360.0, 97)), CIRCLE, 1.6, dashed=True)
    made.line(straight(middle, on_circle(0.0)[0]), CIRCLE, 1.6, dashed=True)
    made.line(straight(middle, elbow), CIRCLE, 2.0)
    made.arrow(on_circle(np.linspace(2.0, SWIVEL - 2.0, 30), 0.72), CIRCLE, 2.6)
    # Axes, and the way to the key along them.
    ends = {}
    for name, axis, colour in zip(("out", "up", "ahead"), axes, (OUT, UP, AHEAD), strict=True):
        ends[name] = shoulder + (0.46 if name == "ahead" else 0.34) * axis
        made.arrow(straight(shoulder, ends[name]), colour, 3.2)
    corners = [shoulder, shoulder + ahead * axes[2], shoulder + ahead * axes[2] + out * axes[0], wrist]
    for start, end in zip(corners[1:-1], corners[2:], strict=True):
        made.line(straight(start, end, 12 if np.linalg.norm(end - start) > 0.1 else 6), KEY, 2.0, dashed=True)
    made.dot(shoulder, canvas.INK)
    made.dot(elbow, CIRCLE)
    made.dot(wrist, KEY, 6.5)
    made.write(ends["out"], "out", OUT, (-6, 12), "ra", 21)
    made.write(ends["up"], "up", UP, (0, -16), "mm", 21)
    made.write(ends["ahead"], "ahead", AHEAD, (10, 0), "lm", 21)
    made.write(shoulder, "shoulder: 0, 0, 0", canvas.INK, (-16, -18), "rm", 15)
    made.write(wrist, f"to = [{out:.2f}, {up:.2f}, {ahead:.2f}]", KEY, (-4, 112), "lm", 18)
    made.write(wrist, "where the wrist goes: metres out, up, ahead", KEY, (-4, 134), "lm", 14)
    made.line(straight(wrist, wrist - 0.155 * axes[1]), KEY, 1.6)
    made.write(on_circle(0.0)[0], "swivel = 0", CIRCLE, (0, 16), "mm", 15)
    made.write(elbow, f"swivel = {SWIVEL:g}", CIRCLE, (-14, 10), "rm", 18)
    made.write(elbow, "the elbow, degrees towards out", CIRCLE, (-14, 32), "rm", 14)
    made.write(on_circle(90.0)[0], "90", CIRCLE, (-12, 0), "rm", 15)
    hand = 0.5 * (wrist + joint(one, "rightMiddleDistal"))
    made.arrow(straight(hand, hand - 0.15 * axes[1]), canvas.INK, 2.6)
    made.write(hand - 0.15 * axes[1], 'palm = "down"', canvas.INK, (10, -8), "lm", 16)
    title(made, "A key of [right]")
    return made.small()


def of_body(size: tuple[int, int]) -> Image.Image:
    """The stance from the front: out on both sides, the world's axes, the resting wrist."""
    one = pose("")
    made = Drawing.of(one, "three-quarter", [0.0, 0.84, 0.0], 1.56, size)
    origin = np.zeros(3)
    for label, end, colour, by, anchor in (
        ("x", [0.62, 0.0, 0.0], OUT, (6, -16), "mm"),
        ("y", [0.0, 0.5, 0.0], UP, (0, -14), "mm"),
        ("z", [0.0, 0.0, 0.55], AHEAD, (8, 4), "lm"),
    ):
        made.arrow(straight(origin, np.array(end)), colour, 3.0)
        made.write(end, label, colour, by, anchor, 20)
    made.dot(origin, canvas.INK)
    made.write(origin, "world: 0, 0, 0", canvas.INK, (-12, 16), "rm", 15)
    for name, sign in (("left", 1.0), ("right", -1.0)):
        shoulder, wrist = joint(one, f"{name}UpperArm"), joint(one, f"{name}Hand")
        ways = np.diag([0.26 * sign, 0.2, 0.24])
        for way, colour in zip(ways, (OUT, UP, AHEAD), strict=True):
            made.arrow(straight(shoulder, shoulder + way), colour, 2.8)
        made.dot(shoulder, canvas.INK, 4.0)
        made.dot(wrist, KEY)
    left, right, out = joint(one, "leftUpperArm"), joint(one, "rightUpperArm"), np.array([0.26, 0.0, 0.0])
    made.write(left + out, "out, [left]", OUT, (-2, -15), "mm", 15)
    made.write(right - out, "out, [right]", OUT, (6, 16), "mm", 15)
    made.write(joint(one, "rightHand"), 'to = "rest"', KEY, (-14, 0), "rm", 15)
    title(made, "The stance, and the world")
    return made.small()


def of_frames() -> None:
    """The frames that positions are written in."""
    arm, body = of_arm((760, 600)), of_body((440, 600))
    picture = Image.new("RGB", (arm.width + body.width + 8, 600), canvas.SHEET)
    picture.paste(arm, (0, 0))
    picture.paste(body, (arm.width + 8, 0))
    picture.quantize(palette=palette(picture), dither=Image.Dither.NONE).save(
        HOME / "gesture_frames.png", optimize=True
    )


def palette(picture: Image.Image) -> Image.Image:
    """Its colours, rare ones such as those of lines as well as those of the floor."""
    pixels = np.asarray(picture).reshape(-1, 3)
    found, counts = np.unique(pixels, axis=0, return_counts=True)
    shades = np.repeat(found, np.ceil(counts**0.6).astype(np.intp), axis=0)
    lines = np.repeat(np.array([OUT, UP, AHEAD, KEY, CIRCLE, canvas.INK], dtype=np.uint8), 4000, axis=0)
    row = np.concatenate([shades, lines])
    return Image.fromarray(row[None]).quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


# Channels: what each does above zero


@dataclass(frozen=True)
class Shown:
    """A tile: a channel at some value, seen from somewhere."""

    table: str
    channel: str
    value: float
    view: View
    target: tuple[float, float, float]
    metres: float  # across the tile
    joint: str  # whose way is drawn
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)  # in that joint's axes
    says: str = ""
    more: str = ""  # of the gesture
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)  # metres by which the way is drawn elsewhere
    grown: float = 1.0  # how many times larger it is drawn


_BUST, _TRUNK, _LEGS = (0.0, 1.52, 0.0), (0.0, 1.18, 0.0), (0.0, 0.45, 0.0)
_UNDER, _BESIDE = (-0.01, -0.026, 0.0), (0.032, -0.008, 0.0)  # the eye
_CROWN, _NOSE = (0.0, 0.2, 0.03), (0.0, 0.06, 0.13)
_HAND = (-0.26, 1.14, 0.26)
_FOREARM = "[right]\nkeys = [{ at = 1.5, to = [0.08, -0.22, 0.24], swivel = 20 }]\n[right.hand]\n"
_PALM = 'palm = [[0, "in"]]\nshape = [[0, "closed 0.5"]]\n'
_DOWN = _PALM.replace('"in"', '"down"')
CHANNELS = (
    Shown("torso", "forward", 30, "side", _TRUNK, 1.1, "head", _CROWN, "bends forward"),
    Shown("torso", "side", 25, "front", _TRUNK, 1.1, "head", _CROWN, "bends to its left"),
    Shown("torso", "turn", 40, "front", _TRUNK, 1.1, "upperChest", (0.0, 0.05, 0.13), "turns to its left"),
    Shown("head", "nod", 25, "side", _BUST, 0.62, "head", _NOSE, "nods down"),
    Shown("head", "tilt", 25, "front", _BUST, 0.62, "head", _CROWN, "tilts to its left"),
    Shown("head", "turn", 40, "front", _BUST, 0.62, "head", _NOSE, "turns to its left"),
    Shown(
        "eyes",
        "turn",
        25,
        "front",
        (0.0, 1.585, 0.0),
        0.2,
        "leftEye",
        (0.0, 0.0, 0.03),
        "look to its left",
        shift=_UNDER,
        grown=3.0,
    ),
    Shown(
        "eyes",
        "lift",
        18,
        "front",
        (0.0, 1.585, 0.0),
        0.2,
        "leftEye",
        (0.0, 0.0, 0.03),
        "look up",
        shift=_BESIDE,
        grown=3.0,
    ),
    Shown("hips", "x", 0.08, "front", (0.0, 0.75, 0.0), 1.3, "hips", (0.0, 0.0, 0.12), "move to its left"),
    Shown("hips", "y", -0.12, "side", (0.0, 0.75, 0.0), 1.3, "hips", (-0.14, 0.0, 0.0), "below zero: sink"),
    Shown("hips", "z", 0.08, "side", (0.0, 0.75, 0.0), 1.3, "hips", (-0.14, 0.0, 0.0), "move ahead"),
    Shown("hips", "turn", 30, "front", (0.0, 0.85, 0.0), 0.9, "hips", (0.0, 0.0, 0.14), "turn to its left"),
    Shown(
        "hips", "tilt", 12, "front", (0.0, 0.85, 0.0), 0.9, "hips", (0.2, 0.02, 0.0), "left side goes down", grown=2.0
    ),
    Shown("hips", "lean", 30, "side", _TRUNK, 1.1, "head", _CROWN, "lean forward"),
    Shown("right.clavicle", "raise", 25, "front", (-0.08, 1.42, 0.0), 0.66, "rightUpperArm", (-0.03, 0.06, 0.0), "up"),
    Shown("right.clavicle", "forward", 25, "side", (0.0, 1.4, 0.0), 0.66, "rightUpperArm", (-0.06, 0.0, 0.0), "ahead"),
    Shown("right.hand", "bend", 45, "side", _HAND, 0.5, "rightMiddleDistal", more=_FOREARM + _DOWN),
    Shown("right.hand", "aside", 18, "side", _HAND, 0.5, "rightMiddleDistal", more=_FOREARM + _PALM),
    Shown("right.hand", "roll", 45, "front", _HAND, 0.5, "rightThumbDistal", more=_FOREARM + _PALM, grown=1.6),
    Shown("right.foot", "peel", 35, "side", (0.0, 0.16, 0.02), 0.6, "rightFoot", (0.0, 0.0, -0.05), "heel goes up"),
)
_SAYS = {"bend": "towards the palm", "aside": "towards the thumb", "roll": "thumb inwards"}
TILE, ACROSS, LABEL = 196, 7, 44


def of_channel(shown: Shown) -> Image.Image:
    """A tile: the channel at its value, its rest behind, and the way of a point of the body."""
    unit = "" if shown.table == "hips" and shown.channel in "xyz" else "°"
    keys = f"{shown.channel} = [[0, 0], [1, {shown.value}]]\n"
    # A hand's table is open already, after the keys of its arm.
    one = pose(f"{shown.more}{keys}loose = [[0, 0]]\n" if shown.more else f"[{shown.table}]\n{keys}")
    rest = pose(shown.more)
    made = Drawing.of(one, shown.view, shown.target, shown.metres, (TILE, TILE), rest)
    rate = one.motion.rate
    frames = slice(0, round(HELD * rate) + 1)
    turned = one.motion.rotations_world()[frames, one.joints[shown.joint]]
    place = one.motion.positions_world()[frames, one.joints[shown.joint]]
    way = place + rotations.rotate(turned, np.array(shown.offset))
    made.arrow(way[0] + np.array(shown.shift) + shown.grown * (way - way[0]), OUT, 2.6)
    tile = Image.new("RGB", (TILE, TILE + LABEL), canvas.SHEET)
    tile.paste(made.small(), (0, 0))
    draw = ImageDraw.Draw(tile)
    name = f"{shown.table.removeprefix('right.')} {shown.channel}"
    write_text(draw, (4, TILE + 4), f"{name} = {shown.value:g}{unit}", 15, canvas.INK)
    write_text(draw, (4, TILE + 22), shown.says or _SAYS[shown.channel], 14, canvas.QUIET_INK)
    return tile


def of_step() -> Image.Image:
    """A tile: a step of the left foot, with the hips over it."""
    text = "[left.foot]\nsteps = [[0.4, 1.0, 0.05, 0.3, 20]]\n[hips]\nz = [[0.4, 0], [1.2, 0.13]]\n"
    one, rest = pose(text), pose("")
    made = Drawing.of(one, "three-quarter", (0.0, 0.42, 0.1), 1.1, (TILE, TILE), rest)
    way = one.positions[: round(HELD * one.motion.rate) + 1, one.joints["leftToes"]]
    made.arrow(np.asarray(way), OUT, 2.6)
    tile = Image.new("RGB", (TILE, TILE + LABEL), canvas.SHEET)
    tile.paste(made.small(), (0, 0))
    draw = ImageDraw.Draw(tile)
    write_text(draw, (4, TILE + 4), "left foot: a step", 15, canvas.INK)
    write_text(draw, (4, TILE + 22), "x 0.05, z 0.3, turn 20°", 14, canvas.QUIET_INK)
    return tile


def of_channels() -> None:
    """Every channel above zero."""
    tiles = [*(of_channel(shown) for shown in CHANNELS), of_step()]
    gap, rows = 6, -(-len(tiles) // ACROSS)
    size = ACROSS * (TILE + gap) - gap, rows * (TILE + LABEL + gap) - gap
    picture = Image.new("RGB", size, canvas.SHEET)
    for i, tile in enumerate(tiles):
        picture.paste(tile, (i % ACROSS * (TILE + gap), i // ACROSS * (TILE + LABEL + gap)))
    picture.save(HOME / "gesture_channels.jpg", quality=82, optimize=True)


# The worked examples


def of_examples() -> None:
    """A sheet of each."""
    rows = []
    for name in ("salute", "shush_or_hush", "step_and_offer"):
        made = kinesphere.perform(load_gesture(GESTURES / f"{name}.toml"))
        rows.append(sheet(made, character=figure(), frames=9, columns=9, size=(1600, 392)))
    picture = Image.new("RGB", (1600, sum(row.height for row in rows)), canvas.SHEET)
    for i, row in enumerate(rows):
        picture.paste(row, (0, i * row.height))
    picture = picture.resize((1300, round(picture.height * 1300 / 1600)), Image.Resampling.LANCZOS)
    picture.save(HOME / "gesture_examples.jpg", quality=76, optimize=True)


def main() -> None:
    of_frames()
    of_channels()
    of_examples()


if __name__ == "__main__":
    main()
