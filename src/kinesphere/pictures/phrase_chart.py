"""Chart of a recording's phrase: speed of both hands, strokes, goals and vias, the body's clock, steps and contacts.

Time goes to the right in all rows. Left is blue, right is orange, as in all our pictures. The thin dark line is the
neutral re-generation, a path through the keys with plain timing: what lies between it and the recorded speed is detail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from kinesphere.body.ground import runs, smooth_gaussian
from kinesphere.engine.detail import LEGS_LEAD, REST_LEADS, Detail
from kinesphere.engine.lifting import hand_strokes_in, hangs_at
from kinesphere.engine.loops import describe_treadmill
from kinesphere.engine.paths import stroke_paths
from kinesphere.engine.recorded_hands import hand_strokes
from kinesphere.engine.recording_clock import recording_clock
from kinesphere.engine.stroke_finding import SMOOTH, FoundStrokes
from kinesphere.maths.filters import derivative
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import Keys, Phrase
from kinesphere.motion.referent import Kind, Referent
from kinesphere.pictures.canvas import (
    GRID,
    INK,
    LEFT,
    MIDDLE,
    PAPER,
    QUIET_INK,
    RIGHT,
    SHEET,
    SUPERSAMPLING,
    Colour,
    font,
    mix_colours,
    round_step,
    truncate_text,
    write_text,
)

# Pixels
PER_SECOND, NARROWEST, WIDEST = 150.0, 1240, 2600
LEFT_MARGIN, RIGHT_MARGIN, TOP, BOTTOM = 132, 28, 92, 54
CHART, MARKS, GAP = 168, 40, 16  # a hand's chart, the row of its keys' marks above, and between rows
STRIP, THIN_STRIP, STRIP_GAP = 24, 16, 7
TITLE_SIZE, LABEL_SIZE, SMALL_SIZE = 22, 14, 12
TICK_SPACE, VALUE_TICKS = 90, 4  # pixels between ticks of time, and ticks of speed
SMALLEST_TOP = 0.5  # metres a second that a chart always shows
ARM_COLOURS = {"left": LEFT, "right": RIGHT, "both": MIDDLE}
TORSO: Colour = (122, 78, 160)
LEGS: Colour = (64, 132, 92)
REST: Colour = (224, 222, 215)
AIR: Colour = (104, 150, 190)
LEADS: dict[str, tuple[str, Colour]] = {
    "left_arm": ("left arm", LEFT),
    "right_arm": ("right arm", RIGHT),
    "torso": ("torso", TORSO),
    LEGS_LEAD: ("legs", LEGS),
    REST_LEADS: ("rest", REST),
}
TURNING = {"torso": "torso.forward", "head": "head.nod", "hips": "hips.lean"}  # of each part one of its curves
CONTACTS = {Kind.TOUCH: "at the", Kind.PLACE: "stays in place", Kind.AIM: "points", Kind.LEVEL: "holds level"}
JOINTS = {"upperChest": "chest", "hips": "hip"}


def phrase_chart(phrase: Phrase, start: float | None = None, end: float | None = None, title: str = "") -> Image.Image:
    """Draw the phrase that ``lift`` has found in a recording, from ``start`` to ``end`` in seconds.

    Without ``title`` it is the phrase's name.
    """
    if phrase.detail is None:
        raise ValueError(f"{phrase.name} was not lifted from a recording; lift(generate(phrase)) is a phrase that was")
    first, last = 0.0 if start is None else start, phrase.duration if end is None else end
    if not 0.0 <= first < last or first >= phrase.duration:
        raise ValueError(
            f"a chart from {first:g} to {last:g} s shows nothing: {phrase.name} lasts from 0 to {phrase.duration:g} s"
        )
    return _Chart(phrase, phrase.detail, (first, min(last, phrase.duration)), title or phrase.name).draw()


# What is drawn of a hand


class HandSpeed(NamedTuple):
    """A hand over time."""

    keys: Keys
    strokes: FoundStrokes
    recorded: Floats  # (T,) metres a second from the chest
    neutral: Floats | None  # (T,) of the neutral re-generation; None: it has too few keys


def hand_speed(phrase: Phrase, side: str) -> HandSpeed | None:
    """The speed of a hand relative to the chest, recorded and re-generated from its keys; None: it has no keys."""
    detail, keys = phrase.detail, phrase.arm(side).keys
    if detail is None or keys is None:
        return None
    poses, rate = detail.poses, detail.recording.rate
    path = poses.wrist(side)
    speed = poses.arm_length * norms(derivative(smooth_gaussian(path, rate, SMOOTH), rate))
    return HandSpeed(keys, hand_strokes_in(detail, side), speed, _neutral_speed(phrase, detail, side, keys))


def _neutral_speed(phrase: Phrase, detail: Detail, side: str, keys: Keys) -> Floats | None:
    rate = detail.recording.rate
    plain = phrase.original
    hand = hand_strokes(plain, side, recording_clock(plain, rate))
    if hand is None or len(detail.recording) < 4:
        return None
    strokes = int(keys.stops.sum()) - 1
    made = stroke_paths(keys.positions, keys.stops, np.zeros(strokes)).at(hand.phase.stroke, hand.phase.path_share)
    speed = detail.poses.arm_length * norms(derivative(made, rate))
    return np.asarray(np.interp(detail.times, np.arange(len(speed)) / rate, speed))


# The picture


@dataclass
class _Chart:
    """A chart while it is drawn: shapes on a large picture that is reduced, texts on the small one."""

    phrase: Phrase
    detail: Detail
    range: tuple[float, float]
    title: str
    texts: list[Callable[[ImageDraw.ImageDraw], None]] = field(default_factory=list)
    y: float = 0.0

    @cached_property
    def width(self) -> int:
        room = PER_SECOND * (self.range[1] - self.range[0]) + LEFT_MARGIN + RIGHT_MARGIN
        return int(min(max(room, NARROWEST), WIDEST))

    @cached_property
    def hands(self) -> dict[str, HandSpeed]:
        found = {side: hand_speed(self.phrase, side) for side in SIDES}
        return {side: own for side, own in found.items() if own is not None}

    @cached_property
    def lanes(self) -> list[list[Referent]]:
        """Contacts in as few rows as they need, so that none lies on another or on its label."""
        lanes: list[list[Referent]] = []
        ends: list[float] = []
        for own in sorted(self.phrase.referents, key=lambda own: own.start):
            if own.kind == Kind.NOTHING or not self._shown(own.start, own.end):
                continue
            start, end = self._x(own.start), self._x(own.end)
            end = max(end, start + font(SMALL_SIZE).getlength(contact_label(own)) + 12)
            for i, taken in enumerate(ends):
                if start > taken + 4:
                    lanes[i].append(own)
                    ends[i] = end
                    break
            else:
                lanes.append([own])
                ends.append(end)
        return lanes

    @property
    def flies(self) -> bool:
        return bool((self.detail.steps.flying > 0.5).any())

    @cached_property
    def height(self) -> int:
        rows = len(self.hands) * (MARKS + CHART + GAP) + STRIP + STRIP_GAP
        rows += (len(TURNING) + 2) * (THIN_STRIP + STRIP_GAP) + (THIN_STRIP + STRIP_GAP if self.flies else 0)
        rows += max(len(self.lanes), 1) * (THIN_STRIP + 4 + STRIP_GAP)
        return TOP + rows + BOTTOM

    def draw(self) -> Image.Image:
        """All of it."""
        size = self.width * SUPERSAMPLING, self.height * SUPERSAMPLING
        large = Image.new("RGB", size, SHEET)
        self.pen = ImageDraw.Draw(large)
        self._header()
        self.y = float(TOP)
        self._background()
        for side in self.hands:
            self._hand(side)
        self._clock()
        self._turning_points()
        self._feet()
        self._contacts()
        self._axis()
        image = large.reduce(SUPERSAMPLING)
        draw = ImageDraw.Draw(image)
        for write in self.texts:
            write(draw)
        return image

    # Helpers

    def _around(self, start: float, end: float) -> list[tuple[float, float]]:
        """The stretches of a loop's own time in which something is that goes over its seam."""
        seconds = self.phrase.duration
        if not self.phrase.loop or (start >= 0.0 and end <= seconds):
            return [(start, end)]
        if start < 0.0:
            return [(0.0, end), (start + seconds, seconds)]
        return [(start, seconds), (0.0, end - seconds)]

    def _shown(self, start: float, end: float) -> bool:
        return end >= self.range[0] and start <= self.range[1]

    def _x(self, time: float) -> float:
        first, last = self.range
        inside = min(max(time, first), last)
        return LEFT_MARGIN + (inside - first) / (last - first) * (self.width - LEFT_MARGIN - RIGHT_MARGIN)

    def _box(self, x0: float, y0: float, x1: float, y1: float, colour: Colour) -> None:
        s = SUPERSAMPLING
        self.pen.rectangle((x0 * s, y0 * s, max(x1 * s - 1, x0 * s), max(y1 * s - 1, y0 * s)), fill=colour)

    def _line(self, points: Sequence[tuple[float, float]], width: float, colour: Colour) -> None:
        s = SUPERSAMPLING
        self.pen.line([(x * s, y * s) for x, y in points], fill=colour, width=round(width * s), joint="curve")

    def _disc(self, x: float, y: float, radius: float, colour: Colour, inside: Colour | None = None) -> None:
        s = SUPERSAMPLING
        for size, own in ((radius, colour), (radius - 1.6, inside)):
            if own is not None:
                self.pen.ellipse([(x - size) * s, (y - size) * s, (x + size) * s, (y + size) * s], fill=own)

    def _peak(self, x: float, y: float, colour: Colour) -> None:
        s = SUPERSAMPLING
        self.pen.polygon([(x * s, (y + 1) * s), ((x - 4) * s, (y - 6) * s), ((x + 4) * s, (y - 6) * s)], fill=colour)

    def _text(
        self, x: float, y: float, text: str, colour: Colour = INK, anchor: str = "la", size: int = SMALL_SIZE
    ) -> None:
        self.texts.append(lambda draw: write_text(draw, (x, y), text, size, colour, anchor))

    def _label(self, middle: float, text: str, colour: Colour = INK) -> None:
        """The name of a row, before it."""
        self._text(LEFT_MARGIN - 12, middle, text, colour, "rm", LABEL_SIZE)

    # Rows

    def _header(self) -> None:
        first, last = self.range
        recording = self.detail.recording
        about = f"{self.phrase.duration:.2f} s, {recording.rate:g} frames a second"
        if (first, last) != (0.0, self.phrase.duration):
            about += f"; shown: {first:.2f} to {last:.2f} s"
        strokes = ", ".join(f"{side} hand {_counted(len(own.strokes), 'stroke')}" for side, own in self.hands.items())
        strikes = len(self.detail.steps.strikes)
        body = sum(lead != REST_LEADS for lead in self.detail.strokes.whole_leads)
        found = f"{strokes}, whole body {body}; {_counted(strikes, 'foot strike')} of locomotion"
        if self.phrase.loop:
            found += f" in a loop{describe_treadmill(self.detail.treadmill)}"
        room = self.width - LEFT_MARGIN - RIGHT_MARGIN
        self._text(24, 16, truncate_text(self.title, TITLE_SIZE, 0.5 * room), INK, "la", TITLE_SIZE)
        at = 24 + font(TITLE_SIZE).getlength(truncate_text(self.title, TITLE_SIZE, 0.5 * room)) + 18
        self._text(at, 24, f"{about}; {found}", QUIET_INK, "la", LABEL_SIZE)
        self._legend(24.0, 64.0)

    def _legend(self, x: float, y: float) -> None:
        def entry(draw: Callable[[float], float], text: str) -> None:
            nonlocal x
            wide = draw(x)
            self._text(x + wide + 7, y, text, INK, "lm")
            x += wide + 7 + font(SMALL_SIZE).getlength(text) + 18

        def shape(wide: float, draw: Callable[[float], None]) -> Callable[[float], float]:
            def drawn(at: float) -> float:
                draw(at)
                return wide

            return drawn

        entry(shape(26, lambda at: self._line([(at, y), (at + 26, y)], 2.2, MIDDLE)), "recorded speed")
        entry(shape(26, lambda at: self._line([(at, y), (at + 26, y)], 1.0, MIDDLE)), "re-generated from the keys")
        entry(shape(22, lambda at: self._box(at, y - 7, at + 22, y + 7, _shade(MIDDLE))), "stroke")
        entry(shape(22, lambda at: self._box(at, y - 2, at + 22, y + 2, mix_colours(MIDDLE, PAPER, 0.45))), "hold")
        entry(shape(22, lambda at: self._box(at, y - 2, at + 22, y + 2, GRID)), "hangs")
        entry(shape(10, lambda at: self._disc(at + 5, y, 5, MIDDLE)), "goal")
        entry(shape(10, lambda at: self._disc(at + 5, y, 5, MIDDLE, PAPER)), "via")
        entry(shape(8, lambda at: self._peak(at + 4, y + 2, MIDDLE)), "peak")
        for name, colour in LEADS.values():
            entry(shape(14, lambda at, own=colour: self._box(at, y - 7, at + 14, y + 7, own)), name)  # type: ignore[misc]

    def _background(self) -> None:
        bottom = self.height - BOTTOM + 4
        self._box(LEFT_MARGIN, self.y, self.width - RIGHT_MARGIN, bottom, PAPER)
        for time in self._ticks():
            self._line([(self._x(time), self.y), (self._x(time), bottom)], 1.0, mix_colours(GRID, PAPER, 0.45))

    def _ticks(self) -> Floats:
        first, last = self.range
        room = self.width - LEFT_MARGIN - RIGHT_MARGIN
        step = round_step(1.6 * TICK_SPACE * (last - first) / room)
        return np.asarray(
            np.arange(np.ceil(max(first / step - 1e-9, 0.0)), np.floor(last / step + 1e-9) + 1) * step + 0.0
        )

    def _axis(self) -> None:
        bottom = self.height - BOTTOM + 4
        ticks = self._ticks()
        digits = max(0, -int(np.floor(np.log10(ticks[1] - ticks[0] + 1e-12)))) if len(ticks) > 1 else 2
        for time in ticks:
            self._line([(self._x(time), bottom), (self._x(time), bottom + 5)], 1.0, QUIET_INK)
            self._text(self._x(time), bottom + 8, f"{time:.{digits}f}", QUIET_INK, "ma")
        self._line([(LEFT_MARGIN, bottom), (self.width - RIGHT_MARGIN, bottom)], 1.0, QUIET_INK)
        self._text(0.5 * (LEFT_MARGIN + self.width - RIGHT_MARGIN), bottom + 26, "seconds", INK, "ma", LABEL_SIZE)

    def _hand(self, side: str) -> None:
        own, colour = self.hands[side], ARM_COLOURS[side]
        top, bottom = self.y + MARKS, self.y + MARKS + CHART
        times, rate = self.detail.times, self.detail.recording.rate
        inside = np.flatnonzero((times >= self.range[0] - 1.0 / rate) & (times <= self.range[1] + 1.0 / rate))
        curves = [own.recorded[inside], *([] if own.neutral is None else [own.neutral[inside]])]
        most = 1.14 * max(SMALLEST_TOP, *(float(curve.max(initial=0.0)) for curve in curves))

        def height(speed: float) -> float:
            return bottom - min(speed / most, 1.0) * CHART

        self._strokes(own, side, top, bottom)
        step = round_step(1.6 * most / VALUE_TICKS)
        for value in np.arange(0.0, most, step):
            self._line([(LEFT_MARGIN, height(value)), (self.width - RIGHT_MARGIN, height(value))], 1.0, GRID)
            self._text(LEFT_MARGIN - 8, height(value), f"{value:g}", QUIET_INK, "rm")
        self._text(LEFT_MARGIN - 24, self.y + 12, f"{side} hand", colour, "rm", LABEL_SIZE)
        self._text(LEFT_MARGIN - 24, self.y + 30, "m/s from chest", QUIET_INK, "rm")
        for curve, width, ink in zip(
            reversed(curves), (1.0, 2.2)[-len(curves) :], (INK, colour)[-len(curves) :], strict=True
        ):
            drawn = _thinned(np.array([self._x(time) for time in times[inside]]), curve)
            self._line([(x, height(value)) for x, value in drawn], width, ink)
        for peak in own.strokes.peaks.tolist():
            if self._shown(times[peak], times[peak]):
                self._peak(self._x(times[peak]), height(own.recorded[peak]) - 3, colour)
        self._marks(own.keys, colour)
        self.y = bottom + GAP

    def _strokes(self, own: HandSpeed, side: str, top: float, bottom: float) -> None:
        """Strokes shaded, with a line at each end; holds as bars below the chart."""
        colour, times = ARM_COLOURS[side], self.detail.times
        edge = mix_colours(colour, PAPER, 0.6)
        rests = np.ones(len(times), dtype=np.bool_)
        rate = self.detail.recording.rate
        every = zip((own.strokes.starts / rate).tolist(), (own.strokes.ends / rate).tolist(), strict=True)
        for start, end in (part for ends in every for part in self._around(*ends)):
            rests[round(start * rate) + 1 : round(end * rate)] = False
            if self._shown(start, end):
                self._box(self._x(start), top, self._x(end), bottom, _shade(colour))
                for time in (start, end):
                    self._line([(self._x(time), top), (self._x(time), bottom)], 1.0, edge)
        hangs = hangs_at(self.detail.poses.wrist(side))
        for first, last in runs(rests):
            if last > first and self._shown(times[first], times[last]):
                ink = GRID if hangs[first : last + 1].mean() > 0.5 else mix_colours(colour, PAPER, 0.45)
                self._box(self._x(times[first]) + 1, bottom + 1, self._x(times[last]) - 1, bottom + 5, ink)

    def _marks(self, keys: Keys, colour: Colour) -> None:
        """Goals and vias above the chart, with times as far as there is room."""
        y, free = self.y + MARKS - 9, -np.inf
        for time, goal in zip(keys.times.tolist(), keys.goals.tolist(), strict=True):
            if not self._shown(time, time):
                continue
            x = self._x(time)
            self._disc(x, y, 4.5 if goal else 4.0, colour, None if goal else PAPER)
            wide = font(SMALL_SIZE).getlength(f"{time:.2f}")
            if x - 0.5 * wide > free:
                self._text(x, y - 9, f"{time:.2f}", INK if goal else QUIET_INK, "md")
                free = x + 0.5 * wide + 5

    def _clock(self) -> None:
        strokes, y = self.detail.strokes, self.y
        self._label(y + 0.5 * STRIP, "body's clock")
        for lead, start, end in zip(strokes.leads, strokes.edges[:-1], strokes.edges[1:], strict=True):
            if not self._shown(start, end):
                continue
            name, colour = LEADS.get(lead, (lead, MIDDLE))
            x0, x1 = self._x(start), self._x(end)
            self._box(x0 + 0.7, y, x1 - 0.7, y + STRIP, colour)
            if font(SMALL_SIZE).getlength(name) < x1 - x0 - 8:
                ink = QUIET_INK if lead == REST_LEADS else PAPER
                self._text(0.5 * (x0 + x1), y + 0.5 * STRIP, name, ink, "mm")
        self.y += STRIP + STRIP_GAP

    def _turning_points(self) -> None:
        for part, name in TURNING.items():
            y = self.y + 0.5 * THIN_STRIP
            self._label(y, f"{part} turns")
            self._line([(LEFT_MARGIN, y), (self.width - RIGHT_MARGIN, y)], 1.0, GRID)
            curve = self.phrase.track(part).curves.get(name)
            for time in curve.times if curve is not None else ():
                if self._shown(time, time):
                    self._box(self._x(time) - 1.2, self.y + 1, self._x(time) + 1.2, self.y + THIN_STRIP - 1, TORSO)
            self.y += THIN_STRIP + STRIP_GAP

    def _feet(self) -> None:
        steps, rate = self.detail.steps, self.detail.recording.rate
        for side in SIDES:
            colour, y = ARM_COLOURS[side], self.y
            self._label(y + 0.5 * THIN_STRIP, f"{side} foot", colour)
            for own in steps.stances_of(side):
                for start, end in self._around(own.first / rate, own.last / rate):
                    if self._shown(start, end):
                        ink = mix_colours(colour, PAPER, 0.55)
                        self._box(self._x(start), y + 3, max(self._x(end), self._x(start) + 1), y + THIN_STRIP - 3, ink)
            for strike, whose in zip(steps.strikes.tolist(), steps.strike_sides, strict=True):
                if whose == side and self._shown(strike, strike):
                    self._box(self._x(strike) - 1.3, y - 1, self._x(strike) + 1.3, y + THIN_STRIP + 1, colour)
            self.y += THIN_STRIP + STRIP_GAP
        if self.flies:
            self._label(self.y + 0.5 * THIN_STRIP, "in the air")
            for first, last in runs(steps.flying > 0.5):
                if self._shown(first / rate, last / rate):
                    bar = self._x(first / rate), self.y + 2, self._x(last / rate), self.y + THIN_STRIP - 2
                    self._box(*bar, AIR)
            self.y += THIN_STRIP + STRIP_GAP

    def _contacts(self) -> None:
        high = THIN_STRIP + 4
        self._label(self.y + 0.5 * high, "contacts")
        if not self.lanes:
            self._text(LEFT_MARGIN + 6, self.y + 0.5 * high, "none found", QUIET_INK, "lm")
        for lane in self.lanes:
            for own in lane:
                colour, x = ARM_COLOURS[own.arm], self._x(own.start)
                end = max(self._x(own.end), x + 3)
                self._box(x, self.y, end, self.y + high, mix_colours(colour, PAPER, 0.72))
                if own.start >= self.range[0]:
                    self._box(x, self.y, x + 3, self.y + high, colour)
                at = min(x + 8, self.width - RIGHT_MARGIN - font(SMALL_SIZE).getlength(contact_label(own)) - 2)
                self._text(at, self.y + 0.5 * high, contact_label(own), INK, "lm")
            self.y += high + STRIP_GAP


def contact_label(referent: Referent) -> str:
    """A contact in a few words."""
    if referent.kind == Kind.MEET:
        return "hands meet"
    what = CONTACTS.get(referent.kind, str(referent.kind))
    joint = "" if referent.joint is None else f" {JOINTS.get(referent.joint, referent.joint)}"
    return f"{referent.arm} hand {what}{joint}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _shade(colour: Colour) -> Colour:
    return mix_colours(colour, PAPER, 0.86)


def _thinned(x: Floats, values: Floats) -> Iterator[tuple[float, float]]:
    """Points of a curve, the least and the greatest of each pixel: longer ones than a picture has pixels."""
    if len(x) < 4 or len(x) < 2.0 * (x[-1] - x[0]):
        yield from zip(x.tolist(), values.tolist(), strict=True)
        return
    for group in np.split(np.arange(len(x)), np.flatnonzero(np.diff(np.floor(x))) + 1):
        for i in sorted({int(group[np.argmin(values[group])]), int(group[np.argmax(values[group])])}):
            yield float(x[i]), float(values[i])
