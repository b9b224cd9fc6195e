"""One picture of one performance, for readers who have nothing else: stills, trails and curves (``blind_sheets.py``).

From top to bottom: stills at equal steps of time from two sides, with a line of sight and the heights of head and
pelvis at the start; the right hand from near; then the whole paths of hands, elbows, head and pelvis, with dots at
equal times; and beside them speed, height, attention and lean over time. Nothing in it says what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from PIL import Image, ImageDraw

from kinesphere import Keypoints, Motion
from kinesphere.analysis.observation import RATE, observe_body
from kinesphere.analysis.strokes import find_strokes
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.pictures import canvas
from kinesphere.pictures.camera import Shot, View, camera_for
from kinesphere.pictures.canvas import Colour, draw_disc, mix_colours, write_text
from kinesphere.pictures.light import SMALL
from kinesphere.pictures.panel import make_performers, render_in_order
from kinesphere.pictures.performer import Performer
from kinesphere.pictures.render import Pixels, Ribbon, Stage, render

SIZE = (1600, 1200)
EDGE, TEXT = 16, 16  # pixels
FINE = 2  # lines are drawn so many times larger and reduced
AHEAD = np.array([0.0, 0.0, 1.0])

# Stills
COLUMNS = 13
CELL = ((SIZE[0] - 2 * EDGE) // COLUMNS, 232)
SCALE = 119.0  # pixels a metre
OVERLAP = 40  # pixels by which a still reaches into its neighbours: arms are long, and seldom both there
ROUND, FINER_ROUND = 0.05, 0.02  # seconds: steps are multiples of these
STILLS: tuple[tuple[View, str, float], ...] = (  # and where in its column the figure stands
    ("three-quarter", "seen from its front right", 0.5),
    ("side", "seen from its right", 0.36),
)
SIGHT, SIGHT_WIDTH = 0.38, 0.011  # metres
SIGHT_COLOUR: Colour = (150, 20, 130)
NEAR_HIGH, NEAR_SCALE = 112, 290.0  # pixels, pixels a metre: the right hand from near
LEVEL: Colour = (120, 150, 190)
ARRIVAL: Colour = (70, 105, 160)

# Trails
PATHS = (400, 470)  # pixels
PATH_VIEWS: tuple[View, ...] = ("front", "side")
DOTS = 1.0 / 30.0  # seconds
LARGEST = 430.0  # pixels a metre
PALE = 0.62  # share of paper in the body behind the trails
HEAD: Colour = (150, 112, 0)
PELVIS: Colour = (10, 125, 70)
LIGHTER = 0.5
AXIS = 22  # pixels for the seconds below the charts
TRAILS: Mapping[str, tuple[str, Colour, float]] = {  # role to name, colour and width of the line in pixels
    "leftLowerArm": ("left elbow", mix_colours(canvas.LEFT, canvas.PAPER, LIGHTER), 1.5),
    "rightLowerArm": ("right elbow", mix_colours(canvas.RIGHT_ON_SKIN, canvas.PAPER, LIGHTER), 1.5),
    "eyes": ("eyes", SIGHT_COLOUR, 1.5),
    "hips": ("pelvis", PELVIS, 1.5),
    "leftHand": ("left wrist", canvas.LEFT, 2.0),
    "rightHand": ("right wrist", canvas.RIGHT_ON_SKIN, 2.0),
}


# What is shown


@dataclass(frozen=True, eq=False)
class Performance:
    """A motion of the figure, the goals it was given, if any, and what it is called on its picture."""

    motion: Motion
    title: str
    goals: Mapping[str, Keypoints]  # by side; empty: arrivals are found by the hands' speed

    @cached_property
    def performer(self) -> Performer:
        """The motion on its surface."""
        return make_performers(self.motion, None)[0]

    @cached_property
    def times(self) -> Floats:
        """``(T,)`` seconds."""
        return np.arange(len(self.motion)) / self.motion.rate

    @property
    def duration(self) -> float:
        """Seconds."""
        return float(self.times[-1])

    def path(self, role: str) -> Floats:
        """``(T, 3)`` positions of a joint, or of ``"eyes"``: the point between them."""
        return self._between(self.performer.positions, role)

    def upright(self, role: str) -> Floats:
        """``(3,)`` the same of who stands upright."""
        return self._between(self.motion.skeleton.rest_world()[1], role)

    def _between(self, positions: Floats, role: str) -> Floats:
        roles = ("leftEye", "rightEye") if role == "eyes" else (role,)
        middle: Floats = positions[..., [self.motion.skeleton.roles[own] for own in roles], :].mean(axis=-2)
        return middle

    def ahead(self, *roles: str) -> Floats:
        """``(T, 3)`` where joints face, on their mean."""
        joints = [self.motion.skeleton.roles[role] for role in roles]
        mean: Floats = rotations.rotate(self._rotations[:, joints], AHEAD).mean(axis=1)
        mean /= np.linalg.norm(mean, axis=1, keepdims=True)
        return mean

    @cached_property
    def _rotations(self) -> Floats:
        return self.motion.rotations_world()

    @cached_property
    def arrivals(self) -> dict[str, list[int]]:
        """Frames at which each hand arrives."""
        if self.goals:
            return {side: self._goal_frames(side, keys) for side, keys in self.goals.items()}
        body = observe_body(self.motion)
        frames = {}
        for side in SIDES:
            travels = np.ptp(self.path(f"{side}Hand"), axis=0).max() > FREE_HAND
            strokes = find_strokes(body.from_chest(f"{side} wrist")) if travels else ()
            frames[side] = [min(round(own.stop * self.motion.rate / RATE), len(self.times) - 1) for own in strokes]
        return frames

    def _goal_frames(self, side: str, keys: Keypoints) -> list[int]:
        """The frames at which a hand first is at each of its goals, one after the other."""
        roles, chest = self.motion.skeleton.roles, self._rotations[:, self.motion.skeleton.roles["upperChest"]]
        shoulder, wrist = self.performer.positions[:, roles[f"{side}UpperArm"]], self.path(f"{side}Hand")
        frames, first = [], 0
        for key in keys.keys:
            goal = shoulder + rotations.rotate(chest, np.array(key.position))
            off = np.linalg.norm(wrist - goal, axis=1)[first:]
            near = np.flatnonzero(off < NEAR_GOAL)
            at = int(near[0]) if near.size else int(np.argmin(off))
            while at + 1 < len(off) and off[at + 1] < off[at]:
                at += 1
            first += at
            frames.append(first)
        return frames


FREE_HAND = 0.2  # metres: a hand that goes no farther only moves with the body
NEAR_GOAL = 0.02  # metres: nearer than this, a hand is arriving


def draw_sheet(shown: Performance, step: float, beside: Sequence[Performance] = ()) -> Image.Image:
    """The picture of a performance: a still every ``step`` seconds, and curves over as many steps as a row has.

    Scales are common to it and to what is ``beside``.
    """
    page = Image.new("RGB", SIZE, canvas.SHEET)
    draw = ImageDraw.Draw(page)
    everybody = (shown, *beside)
    title = f"{shown.title} · lasts {shown.duration:.2f} s · a still every {step:g} s"
    write_text(draw, (EDGE, 10), title, 22, canvas.INK)
    every, finer = still_times(shown.duration, step), finer_times(shown.duration, step)
    apart = f" · IN FINER STEPS, every {finer[1].time:g} s" if finer else ""
    top = 42
    for view, name, stands in STILLS:
        cells, steps = (finer, apart) if finer and view == "side" else (every, "")
        _paste_stills(page, top, shown, cells, view, stands)
        note = f"{name}{steps} · dashed: eyes and pelvis of who stands upright"
        write_text(draw, (EDGE + 4, top + 1), note, TEXT, canvas.INK, halo=True)
        top += CELL[1] + 24
    write_text(draw, (EDGE + 4, top), f"the right hand from near, from its front right{apart}", TEXT, canvas.INK)
    _paste_hands(page, top + 20, shown, finer or every)
    top += 20 + NEAR_HIGH + 12
    for number, view in enumerate(PATH_VIEWS):
        _paste_trails(page, (EDGE + number * (PATHS[0] + 8), top), shown, view, everybody)
    _write_legend(draw, (EDGE, top + PATHS[1] + 4))
    left = EDGE + 2 * (PATHS[0] + 8) + 8
    box = (left, top, SIZE[0] - 4, top + PATHS[1] + 24)
    _draw_curves(page, box, shown, everybody, COLUMNS * step)
    return page


# Stills at equal steps


@dataclass(frozen=True)
class Cell:
    """One column of stills: when, and whether it belongs to the second, finer round."""

    column: int
    time: float
    again: bool = False


def still_step(longest: float, least: float) -> float:
    """The step, of at least ``least`` seconds, at which a performance of that many seconds fills its row."""
    return max(least, _fitting_step(longest, COLUMNS, ROUND))


def _fitting_step(duration: float, count: int, multiple: float) -> float:
    """The smallest step, a multiple, with which no more than ``count`` stills fall into a duration."""
    return round(float(np.floor(duration / count / multiple + 1e-6) + 1.0) * multiple, 6)


def still_times(duration: float, step: float) -> list[Cell]:
    """Stills every ``step`` seconds; where half of the row would be empty, the whole once more in finer steps."""
    cells = _cells(duration, step, 0)
    begin = len(cells) + 1
    if _is_short(duration, step):
        cells += _cells(duration, _fitting_step(duration, COLUMNS - begin, FINER_ROUND), begin, again=True)
    return cells


def finer_times(duration: float, step: float) -> list[Cell]:
    """Stills that fill a row, of a performance that would leave half of it empty; else none."""
    return _cells(duration, _fitting_step(duration, COLUMNS, FINER_ROUND), 0) if _is_short(duration, step) else []


def _is_short(duration: float, step: float) -> bool:
    return int(duration / step + 1e-6) + 1 <= COLUMNS // 2


def _cells(duration: float, step: float, begin: int, *, again: bool = False) -> list[Cell]:
    return [Cell(begin + i, step * i, again) for i in range(int(duration / step + 1e-6) + 1)]


def _paste_stills(
    page: Image.Image, top: int, shown: Performance, cells: Sequence[Cell], view: View, stands: float
) -> None:
    one, draw = shown.performer, ImageDraw.Draw(page)
    size = (CELL[0] + 2 * OVERLAP, CELL[1])
    shot = _shot(one, view, size, SCALE, (OVERLAP + stands * CELL[0], 0.965 * CELL[1]))
    stage = Stage(one.floor, one.height, 3, SMALL)

    def still(cell: Cell) -> Pixels:
        return render(one.surface(one.start + cell.time), shot, stage, ribbons=_sight(shown, cell.time))

    wide = EDGE + CELL[0] * (max(cell.column for cell in cells) + 1)
    row = np.full((CELL[1], SIZE[0] + 2 * OVERLAP, 3), canvas.SHEET, dtype=np.uint8)
    for cell, pixels in zip(cells, render_in_order(still, cells), strict=True):
        left = EDGE + cell.column * CELL[0]
        part = row[:, left : left + size[0]]
        np.minimum(part, pixels, out=part)
        write_text(draw, (left + CELL[0] / 2, top + CELL[1] + 3), f"{cell.time:.2f}", TEXT, canvas.INK, "ma")
    page.paste(Image.fromarray(row[:, OVERLAP + EDGE : OVERLAP + wide]), (EDGE, top))
    for role in ("eyes", "hips"):
        height = shown.upright(role)[1]
        y = top + float(shot.pixels(np.array([0.0, height, 0.0]))[0][1])
        for x in range(EDGE, wide, 9):
            draw.line((x, y, x + 4, y), fill=LEVEL)
    _mark_again(draw, top, cells)


def _mark_again(draw: ImageDraw.ImageDraw, top: int, cells: Sequence[Cell]) -> None:
    """A bar and a note where the same is shown once more."""
    again = [cell for cell in cells if cell.again]
    if again:
        x = EDGE + again[0].column * CELL[0] - CELL[0] // 2
        draw.line((x, top, x, top + CELL[1]), fill=canvas.QUIET_INK, width=3)
        step = again[1].time - again[0].time if len(again) > 1 else 0.0
        for i, text in enumerate(("again,", "every", f"{step:g} s")):
            write_text(draw, (x + 6, top + 20 + 20 * i), text, TEXT, canvas.INK)


def _shot(one: Performer, view: View, size: tuple[int, int], scale: float, floor: tuple[float, float]) -> Shot:
    """A shot of the place where the figure stands, which falls on the pixel ``floor``."""
    target = np.array([0.0, 0.5 * one.height, 0.0])
    shot = Shot(camera_for(view, AHEAD, one.height), target, scale, floor, size)
    down = float(shot.pixels(np.array([0.0, one.floor, 0.0]))[0][1]) - floor[1]
    return Shot(shot.camera, target, scale, (floor[0], floor[1] - down), size)


def _sight(shown: Performance, time: float) -> list[Ribbon]:
    """A line from the eyes to where they look."""
    frame = min(round(time * shown.motion.rate), len(shown.times) - 1)
    start, way = shown.path("eyes")[frame], shown.ahead("leftEye", "rightEye")[frame]
    points = start + np.linspace(0.02, SIGHT, 12)[:, None] * way
    return [Ribbon(points, np.full(12, SIGHT_WIDTH), np.full(12, 0.9), SIGHT_COLOUR, 0.25)]


def _paste_hands(page: Image.Image, top: int, shown: Performance, cells: Sequence[Cell]) -> None:
    """The right hand and forearm at the same times, the hand in the middle."""
    one = shown.performer
    size = (CELL[0] - 4, NEAR_HIGH)
    camera = camera_for("three-quarter", AHEAD, one.height)
    stage = Stage(one.floor, one.height, 3, SMALL)
    wrist, knuckle = shown.path("rightHand"), shown.path("rightMiddleProximal")

    def near(cell: Cell) -> Pixels:
        frame = min(round(cell.time * shown.motion.rate), len(shown.times) - 1)
        middle = 0.5 * (wrist[frame] + knuckle[frame])
        shot = Shot(camera, middle, NEAR_SCALE, (size[0] / 2, size[1] / 2), size)
        return render(one.surface(one.start + cell.time), shot, stage)

    for cell, pixels in zip(cells, render_in_order(near, cells), strict=True):
        page.paste(Image.fromarray(pixels), (EDGE + cell.column * CELL[0] + 2, top))


# Trails


def _paste_trails(
    page: Image.Image, corner: tuple[int, int], shown: Performance, view: View, everybody: Iterable[Performance]
) -> None:
    one = shown.performer
    shot = _fit_shot(view, PATHS, [own.path(role) for own in everybody for role in TRAILS], one.height)
    body = render(one.surface(one.start), shot, Stage(one.floor, one.height, 3, SMALL))
    pale = Image.blend(Image.fromarray(body), Image.new("RGB", PATHS, canvas.PAPER), PALE)
    large = pale.resize((FINE * PATHS[0], FINE * PATHS[1]), Image.Resampling.BICUBIC)
    draw = ImageDraw.Draw(large)
    for role, (_, colour, width) in TRAILS.items():
        at = FINE * shot.pixels(shown.path(role))[0]
        draw.line([(x, y) for x, y in at.tolist()], fill=colour, width=round(FINE * width))
        dots = np.arange(0.0, shown.duration + 1e-6, DOTS) * shown.motion.rate
        for x, y in at[np.round(dots).astype(np.intp)].tolist():
            draw_disc(draw, (x, y), FINE * (width + 0.6), colour)
    for side, frames in shown.arrivals.items():
        _draw_rings(draw, FINE * shot.pixels(shown.path(f"{side}Hand")[frames])[0], bool(shown.goals))
    metre = FINE * shot.scale
    x, y = FINE * 10, FINE * (PATHS[1] - 12)
    draw.line((x, y, x + 0.1 * metre, y), fill=canvas.INK, width=2 * FINE)
    write_text(draw, (x + 0.1 * metre + 6 * FINE, y), "10 cm", TEXT * FINE, canvas.INK, "lm", halo=True)
    write_text(
        draw,
        (10 * FINE, 6 * FINE),
        f"paths, from its {'front' if view == 'front' else 'right'}",
        TEXT * FINE,
        canvas.INK,
        halo=True,
    )
    page.paste(large.resize(PATHS, Image.Resampling.LANCZOS), corner)


def _write_legend(draw: ImageDraw.ImageDraw, corner: tuple[float, float]) -> None:
    x, y = corner
    for name, colour, _ in list(TRAILS.values())[::-1]:
        draw_disc(draw, (x + 5, y + 9), 5, colour)
        write_text(draw, (x + 13, y), name, TEXT, canvas.INK)
        x += canvas.font(TEXT).getlength(name) + 27
    write_text(draw, (x, y), "a dot every 1/30 s; rings: arrivals", TEXT, canvas.INK)


def _fit_shot(view: View, size: tuple[int, int], paths: Sequence[Floats], height: float) -> Shot:
    """A shot in which all paths fit."""
    camera, target = camera_for(view, AHEAD, height), np.array([0.0, 0.5 * height, 0.0])
    plane, _ = camera.project(np.concatenate(paths), target)
    low, high = plane.min(axis=0) - np.array([0.06, 0.08]), plane.max(axis=0) + np.array([0.06, 0.16])
    scale = min(LARGEST, size[0] / (high[0] - low[0]), size[1] / (high[1] - low[1]))
    x, y = 0.5 * (low + high)
    return Shot(camera, target, float(scale), (float(size[0] / 2 - scale * x), float(size[1] / 2 + scale * y)), size)


def _draw_rings(draw: ImageDraw.ImageDraw, places: Floats, numbered: bool) -> None:
    radius = 9 * FINE
    for number, (x, y) in enumerate(places.tolist(), 1):
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=canvas.INK, width=2 * FINE)
        if numbered:
            write_text(draw, (x + radius, y - radius), str(number), TEXT * FINE, canvas.INK, "lb", halo=True)


# Curves over time


@dataclass(frozen=True, eq=False)
class Curve:
    """A line of a chart."""

    name: str
    values: Floats  # (T,)
    colour: Colour
    width: float = 2.0
    counts: bool = True  # whether the scale must have room for it


@dataclass(frozen=True, eq=False)
class Chart:
    """Curves with one scale. ``root``: levels are apart as their square roots, so that slow and fast both show."""

    title: str
    curves: tuple[Curve, ...]
    span: tuple[float, float]  # wider where curves that count are
    levels: tuple[float, ...]
    root: bool = False
    share: float = 1.0  # of the height of all charts


def charts(shown: Performance) -> list[Chart]:
    """What is drawn over time."""
    right, left = canvas.RIGHT_ON_SKIN, canvas.LEFT
    speeds = [
        Curve("chest", _speed(shown, "upperChest"), canvas.MIDDLE, 1.5),
        Curve("left wrist", _speed(shown, "leftHand"), left),
        Curve("right wrist", _speed(shown, "rightHand"), right),
    ]
    heights = [
        Curve(name, 100.0 * (shown.path(role)[:, 1] - shown.upright(role)[1]), colour)
        for role, name, colour in (("eyes", "eyes", SIGHT_COLOUR), ("hips", "pelvis", PELVIS))
    ]
    hand = shown.path("rightHand") - shown.path("eyes")
    turns = [
        Curve("right hand, seen from the eyes", _turn(hand), mix_colours(right, canvas.PAPER, LIGHTER), 1.5, False),
        Curve("chest", _turn(shown.ahead("upperChest")), canvas.MIDDLE, 1.5),
        Curve("head", _turn(shown.ahead("head")), HEAD),
        Curve("eyes", _turn(shown.ahead("leftEye", "rightEye")), SIGHT_COLOUR),
    ]
    spine, straight = (where("neck") - where("hips") for where in (shown.path, shown.upright))
    leans = [
        Curve("to its left", _angle(spine, straight, 0), left, 1.5),
        Curve("forward", _angle(spine, straight, 2), canvas.MIDDLE),
    ]
    return [
        Chart(
            "speed, m/s (root scale)", tuple(speeds), (0.0, 4.0), (0.0, 0.25, 1.0, 2.0, 4.0, 8.0), root=True, share=1.5
        ),
        Chart("height against standing upright, cm", tuple(heights), (-10.0, 4.0), tuple(range(-60, 61, 5))),
        Chart("turned, degrees (up: to its left)", tuple(turns), (-75.0, 45.0), tuple(range(-180, 181, 30)), share=1.2),
        Chart("trunk leans, degrees", tuple(leans), (-10.0, 15.0), tuple(range(-90, 91, 10))),
    ]


def _speed(shown: Performance, role: str) -> Floats:
    speed: Floats = np.linalg.norm(np.gradient(shown.path(role), 1.0 / shown.motion.rate, axis=0), axis=1)
    return speed


def _angle(ways: Floats, straight: Floats, axis: int) -> Floats:
    """``(T,)`` degrees by which directions lean towards an axis, against ``straight``."""
    lean: Floats = np.degrees(np.arctan2(ways[:, axis], ways[:, 1]) - np.arctan2(straight[axis], straight[1]))
    return lean


def _turn(ways: Floats) -> Floats:
    turned: Floats = np.degrees(np.arctan2(ways[:, 0], ways[:, 2]))
    return turned


def _draw_curves(
    page: Image.Image,
    box: tuple[int, int, int, int],
    shown: Performance,
    everybody: Sequence[Performance],
    seconds: float,
) -> None:
    """All charts below each other, with one axis of time; each has room for the curves of everybody."""
    left, top, right, bottom = box
    drawn, others = charts(shown), [charts(own) for own in everybody]
    shares = np.array([chart.share for chart in drawn])
    tops = top + np.round((bottom - AXIS - top) * np.concatenate([[0.0], np.cumsum(shares) / shares.sum()])).astype(int)
    for number, (chart, y) in enumerate(zip(drawn, tops.tolist(), strict=False)):
        counting = [curve.values for own in others for curve in own[number].curves if curve.counts]
        values = np.concatenate([np.array(chart.span), *counting])
        size = (right - left, int(tops[number + 1]) - y)
        scale = Scale(size, (0.0, seconds), (float(values.min()), float(values.max())), chart.root)
        page.paste(_draw_chart(chart, scale, shown), (left, y))
    draw, scale = ImageDraw.Draw(page), Scale((right - left, 40), (0.0, seconds), (0.0, 1.0), False)
    step = next(step for step in (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0) if seconds / step <= 11.0 or step == 10.0)
    for time in np.arange(0.0, seconds + 1e-6, step).tolist():
        x = left + float(scale.across(np.array(time))) / FINE
        write_text(draw, (x, bottom - AXIS + 2), f"{time:g} s", TEXT, canvas.INK, "ma")


@dataclass(frozen=True)
class Scale:
    """Where times and values are on a chart that is drawn ``FINE`` times larger."""

    size: tuple[int, int]  # pixels
    seconds: tuple[float, float]
    values: tuple[float, float]
    root: bool

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Left, top, right and bottom."""
        wide, high = self.size
        return FINE * 44, FINE * 21, FINE * (wide - 14), FINE * (high - 5)

    def across(self, times: Floats) -> Floats:
        """Pixels from the left."""
        left, _, right, _ = self.box
        x: Floats = left + (times - self.seconds[0]) / (self.seconds[1] - self.seconds[0]) * (right - left)
        return x

    def down(self, values: Floats) -> Floats:
        """Pixels from the top, not beyond the chart."""
        _, top, _, bottom = self.box
        low, high, at = (
            np.sign(v) * np.sqrt(np.abs(v)) if self.root else v for v in (*map(np.array, self.values), values)
        )
        y: Floats = bottom - np.clip((at - low) / (high - low), 0.0, 1.0) * (bottom - top)
        return y


def _draw_chart(chart: Chart, scale: Scale, shown: Performance) -> Image.Image:
    image = Image.new("RGB", (FINE * scale.size[0], FINE * scale.size[1]), canvas.SHEET)
    draw = ImageDraw.Draw(image)
    left, top, right, bottom = scale.box
    draw.rectangle((left, top, right, bottom), fill=canvas.PAPER)
    for level in chart.levels:
        if scale.values[0] - 1e-9 <= level <= scale.values[1] + 1e-9:
            y = float(scale.down(np.array(level)))
            draw.line((left, y, right, y), fill=canvas.GROUND if level == 0.0 else canvas.GRID, width=FINE)
            write_text(draw, (left - 5 * FINE, y), f"{level:g}", 14 * FINE, canvas.QUIET_INK, "rm")
    for number, frame in enumerate(shown.arrivals["right"] or shown.arrivals["left"], 1):
        x = float(scale.across(shown.times[frame]))
        draw.line((x, top, x, bottom), fill=LEVEL, width=FINE)
        if chart.root and shown.goals:
            write_text(draw, (x + 3 * FINE, top + FINE), str(number), 14 * FINE, ARRIVAL)
    for curve in chart.curves:
        points = np.stack([scale.across(shown.times), scale.down(curve.values)], axis=1).tolist()
        draw.line([(x, y) for x, y in points], fill=curve.colour, width=round(FINE * curve.width), joint="curve")
    x = float(left)
    write_text(draw, (x, FINE), chart.title, TEXT * FINE, canvas.INK)
    x += canvas.font(TEXT * FINE).getlength(chart.title) + 16 * FINE
    for curve in chart.curves[::-1]:
        draw.rectangle((x, 9 * FINE, x + 14 * FINE, 12 * FINE), fill=curve.colour)
        write_text(draw, (x + 18 * FINE, 2 * FINE), curve.name, 15 * FINE, canvas.INK)
        x += canvas.font(15 * FINE).getlength(curve.name) + 30 * FINE
    return image.resize(scale.size, Image.Resampling.LANCZOS)
