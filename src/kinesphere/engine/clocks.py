"""Stroke timing: EMOTE easing with anticipation and overshoot, and the clock that maps output to gesture time.

**Progress** within a stroke is Chi's double interpolant (EMOTE, SIGGRAPH 2000) in closed form: the speed runs in
straight lines through five knots. With ``t''`` the share of time that has passed, to the power of ``time_exponent``:

    t''    0    0.01            inflection    0.99         1
    speed  0    −anticipation   inflection    −overshoot   0

Progress is the area under the speed over the whole area: quadratic from knot to knot, 0 at the start, 1 at the end,
below 0 while anticipating, above 1 while overshooting. ``stroke_phases`` samples it at frames and rounds its corners by
a Gaussian within the stroke. ``evenness`` blends this with a speed that is the same but for a ramp at either end;
``hesitation`` lets time itself run slowly at some ``pauses``, irregular or as a clock ticks (``regularity``).

**Clocks** say when the moments of a gesture come once Effort has stretched its strokes. Each arm has its own. Within a
stroke a clock runs as the hand does, late and fast or early and slow, so that torso, fingers and steps go with it. It
only ever runs forwards; anticipation and overshoot are the hand's own.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.engine.batch import RATE
from kinesphere.maths.vectors import ArrayLike, Floats, Ints, as_floats, clip, differences
from kinesphere.motion.phrase import Track

SHORTEST = 0.1  # seconds: no stroke is made shorter than this
ACCENTED = 3.4  # mean speeds that a stroke has at its fastest at least, where it is made as short as a hand can go
FASTEST = 8.0  # metres per second that a hand is made to go
FOLLOWS = 0.85  # of how far a stroke's timing is from the plain one that everything else goes along with
SIGMA = 0.028  # seconds of the Gaussian that rounds corners
REACH = 8.0 / 60.0  # seconds of it, to either side
IRREGULAR = 2.4  # radians from stroke to stroke
PAUSE, CLOCKWORK = 0.55, 0.25  # seconds from one hesitation to the next, about; and where they are regular


# Progress


def stroke_progress(
    t: ArrayLike,
    inflection: ArrayLike = 0.5,
    anticipation: ArrayLike = 0.0,
    overshoot: ArrayLike = 0.0,
    time_exponent: ArrayLike = 1.0,
    evenness: ArrayLike = 0.0,
    hesitation: ArrayLike = 0.0,
    pauses: ArrayLike = 1.0,
    irregular: ArrayLike = 0.0,
) -> Floats:
    """The share of its path that a hand has gone after the share ``t`` of a stroke's time.

    All arguments broadcast. ``t`` is clipped to 0 to 1; where it is NaN, so is the result. The rest must be finite.
    What would leave nothing defined is limited: inflection to [0.02, 0.98], exponents below 0.05, and an overshoot
    that would take back the whole stroke.

    Parameters
    ----------
    t
        Share of the stroke's time, 0 to 1.
    inflection
        When the speed is greatest, which is also how great it is before normalising.
    anticipation, overshoot
        How fast the stroke first goes backwards, and at last returns from beyond its end.
    time_exponent
        Above 1 everything happens later, below 1 earlier.
    evenness
        Weight of a flat speed, 0 to 1.
    hesitation, pauses, irregular
        How far the speed goes down, 0 to below 1, and how often: ``pauses`` − 1 times between the ends, and a share of
        it once more.
    """
    timing = {
        "inflection": inflection,
        "anticipation": anticipation,
        "overshoot": overshoot,
        "time_exponent": time_exponent,
        "evenness": evenness,
        "hesitation": hesitation,
        "pauses": pauses,
        "irregular": irregular,
    }
    given = np.broadcast_arrays(as_floats(t), *(_finite(name, values) for name, values in timing.items()))
    made = np.empty(given[0].shape)
    _native.clocks.stroke_progress(*(np.ascontiguousarray(row).reshape(-1) for row in given), made.reshape(-1))
    return made


def _finite(name: str, values: ArrayLike) -> Floats:
    array = as_floats(values)
    bad = array[~np.isfinite(array)]
    if bad.size:
        raise ValueError(f"{name} must be finite; found {bad[0]}")
    return array


def peak_speed(
    inflection: Floats, anticipation: Floats, overshoot: Floats, exponent: Floats, evenness: Floats
) -> Floats:
    """The greatest speed of strokes ``(S,)``, in their mean speeds: 2 of a plain one."""
    made = np.empty(len(inflection))
    rows = (inflection, anticipation, overshoot, exponent, evenness)
    _native.clocks.peak_speed(*(np.ascontiguousarray(row) for row in rows), made)
    return made


# Clocks


@dataclass(frozen=True, eq=False)
class StrokeClock:
    """A gesture's stops in its own time and when they come.

    Attributes
    ----------
    source, goals : (S + 1,)
        When each stroke begins and the last one ends, as written and as performed, on whole frames.
    inflection, anticipation, overshoot, time_exponent, evenness, hesitation, pauses, irregular : (S,)
        Each stroke's timing.
    plain : (S,)
        Its inflection without Effort.
    lead, tail
        What the time before the first goal and after the last is multiplied by.
    rate
        Frames a second.
    """

    source: Floats
    goals: Floats
    inflection: Floats
    anticipation: Floats
    overshoot: Floats
    time_exponent: Floats
    evenness: Floats
    hesitation: Floats
    pauses: Floats
    irregular: Floats
    plain: Floats
    lead: float
    tail: float
    rate: float = RATE

    @property
    def timing_change(self) -> float:
        """How much the timing of its strokes differs from the plain one, from 0 to 1."""
        stretch = differences(self.goals) / np.maximum(differences(self.source), 1e-9)
        away = np.abs(np.log(np.maximum(stretch, 1e-3))) + np.abs(self.time_exponent - 1.0)
        away = away + 2.0 * np.abs(self.inflection - self.plain) + self.evenness + self.hesitation
        return float(clip(2.0 * away.max() - 0.2, 0.0, 1.0))  # a stroke on whole frames is no change

    def is_like(self, other: StrokeClock) -> bool:
        """Whether both give the same times."""
        return self is other or self._bytes == other._bytes

    @cached_property
    def _bytes(self) -> bytes:
        return b"".join(np.asarray(getattr(self, row.name)).tobytes() for row in fields(self))

    def end(self, duration: float) -> float:
        """When a gesture of this duration, in its own time, is over."""
        return float(self.goals[-1] + self.tail * max(duration - self.source[-1], 0.0))

    def to_source(self, time: Floats, follows: float = FOLLOWS, along: bool = False) -> Floats:
        """The gesture's own time at output times ``(F,)``.

        Within a stroke it is where the hand's plain timing would be as far along as the hand is now, a share
        ``follows`` of that. Even strokes pass their time evenly, or with ``along`` their path: so of a recording, which
        has a timing of its own.
        """
        made = np.empty(len(time))
        rows = (self.hesitation, self.pauses, self.irregular, self.inflection, self.time_exponent, self.plain)
        timing = BodyTiming(self.source, self.goals, *(np.ascontiguousarray(row) for row in (*rows, self.evenness)))
        ends = self.lead, self.tail
        _native.clocks.to_source(timing, *ends, follows, along, np.ascontiguousarray(time), made)
        return made

    def to_output(self, source: Floats) -> Floats:
        """Output times of the gesture's own times, with uniform progress within each stroke."""
        inside = np.interp(source, self.source, self.goals)
        early = self.lead * np.minimum(source - self.source[0], 0.0)
        late = self.tail * np.maximum(source - self.source[-1], 0.0)
        return np.asarray(inside + early + late)


class BodyTiming(NamedTuple):
    """How the rest of the body goes along with strokes, for native loops."""

    source: Floats  # (S + 1,) and so on, see ``StrokeClock``
    goals: Floats
    hesitation: Floats  # (S,)
    pauses: Floats
    irregular: Floats
    inflection: Floats
    exponent: Floats
    plain: Floats
    evenness: Floats


def stroke_clock(
    source: Floats,
    lengths: Floats,
    track: Track,
    inflections: Floats | None,
    locked: bool,
    rate: float = RATE,
    pass_speed: Floats | None = None,
) -> StrokeClock:
    """The clock of strokes that begin and end at ``source (S + 1,)`` seconds and are ``lengths (S,)`` metres long.

    ``inflections (S,)`` are the keys' own; ``locked`` keys keep their times. No stroke is made quicker than a hand
    can go: it is shortened less, and where that is not enough, its accent is less sharp. Strokes that are written
    quicker than that stay as they are. A hand that passes its goal at ``pass_speed (S,)`` does not come back to it.
    """
    count = len(source) - 1
    given = track.stroke("inflection", count)
    plain = np.full(count, 0.5) if inflections is None else inflections
    # A gesture's own accents stay where Effort is neutral, and give way to it.
    inflection = shift_inflection(plain, given)
    durations = differences(source)
    slower = np.ones(count) if locked else track.stroke("duration", count)
    exponent = track.stroke("time_exponent", count)
    before, beyond = track.stroke("anticipation", count), track.stroke("overshoot", count)
    if pass_speed is not None:
        beyond = np.where(pass_speed > 0.0, 0.0, beyond)
    evenness, hesitation = track.stroke("evenness", count), track.stroke("hesitation", count)
    fastest = peak_speed(inflection, before, beyond, exponent, evenness)
    # How short a stroke may be does not depend on its accent: what is more sudden is never longer.
    least = np.minimum(durations, np.where(lengths > 0.0, np.maximum(ACCENTED * lengths / FASTEST, SHORTEST), 0.0))
    made = np.maximum(slower * durations, least)
    sharp = clip((FASTEST * made / np.maximum(lengths, 1e-9) - 2.0) / np.maximum(fastest - 2.0, 1e-9), 0.0, 1.0)
    inflection, exponent = plain + sharp * (inflection - plain), 1.0 + sharp * (exponent - 1.0)
    start = source[0] * slower[0]
    goals = np.concatenate([[start], start + np.cumsum(made)])
    regular = track.stroke("regularity", count)
    pauses = np.maximum(np.round(made / (PAUSE + regular * (CLOCKWORK - PAUSE))), 1.0)
    hesitation = np.where(lengths > 0.0, hesitation, 0.0)
    irregular = (1.0 - regular) * (0.5 + 0.2 * np.cos(IRREGULAR * (1.0 + np.arange(count))))  # no two strokes alike
    timing = inflection, before, beyond, exponent, evenness, hesitation, pauses, irregular
    return StrokeClock(source, round_to_frames(goals, rate), *timing, plain, float(slower[0]), float(slower[-1]), rate)


def shift_inflection(plain: Floats, given: Floats) -> Floats:
    """``(S,)`` inflections, earlier or later than plain ones by as much as given ones are than the middle."""
    return np.where(given < 0.5, plain * given / 0.5, plain + (1.0 - plain) * (given - 0.5) / 0.5)


def round_to_frames(times: Floats, rate: float) -> Floats:
    """Whole frames, one at least between them, so that every goal is shown."""
    frames = np.round(times * rate)
    for i in range(1, len(frames)):
        frames[i] = max(frames[i], frames[i - 1] + 1.0)
    return np.asarray(frames / rate)


# Phases of every frame


class StrokePhase(NamedTuple):
    """Where a hand is within its strokes in every frame."""

    stroke: Ints  # (F,)
    time_share: Floats  # (F,) of the stroke's time, 0 to 1
    path_share: Floats  # (F,) of the stroke's path; outside 0 to 1 past its ends

    def subsample(self, every: int) -> StrokePhase:
        """Only every ``every``-th frame."""
        return StrokePhase(self.stroke[::every], self.time_share[::every], self.path_share[::every])


class StrokeTiming(NamedTuple):
    """The strokes of a clock, for native loops."""

    goals: Ints  # (S + 1,) frames at which strokes begin and end
    inflection: Floats  # (S,) and so on
    anticipation: Floats
    overshoot: Floats
    exponent: Floats
    evenness: Floats
    hesitation: Floats
    pauses: Floats
    irregular: Floats


def stroke_phases(clock: StrokeClock, frames: int) -> StrokePhase:
    """The phase of every frame ``(F,)``. Strokes begin and end exactly at their goals, independent of each other."""
    goals = np.round(clock.goals * clock.rate).astype(np.intp)
    accent = (clock.inflection, clock.anticipation, clock.overshoot, clock.time_exponent)
    rows = (*accent, clock.evenness, clock.hesitation, clock.pauses, clock.irregular)
    phase = StrokePhase(np.empty(frames, dtype=np.intp), np.empty(frames), np.empty(frames))
    timing = StrokeTiming(goals, *(np.ascontiguousarray(row) for row in rows))
    _native.clocks.stroke_phases(timing, SIGMA * clock.rate, max(round(REACH * clock.rate), 1), phase)
    return phase
