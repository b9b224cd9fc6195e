"""How far along a stroke is at each moment: the double interpolant, in closed form.

Within a stroke from one goal to the next the speed runs in straight lines through five knots. With ``t''`` the share
of time that has passed, to the power of ``time_exponent``:

    t''    0    0.01            inflection    0.99         1
    speed  0    −anticipation   inflection    −overshoot   0

Progress is the area under the speed over the whole area: quadratic from knot to knot, 0 at the start, 1 at the end,
below 0 while anticipating, above 1 while overshooting.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kinesphere.engine.batch import RATE
from kinesphere.engine.manner import SHORTEST, ArmManner
from kinesphere.maths import compiled
from kinesphere.maths.compiled import compile_exact
from kinesphere.maths.vectors import ArrayLike, Floats, Ints, as_floats, clip

EDGE = 0.01  # the first and the last stretch, in which the speed leaves zero and returns
INFLECTIONS = (0.02, 0.98)
LEAST_EXPONENT = 0.05
LEAST_AREA = 0.02  # of the area without anticipation and overshoot


def stroke_progress(
    t: ArrayLike,
    inflection: ArrayLike = 0.5,
    anticipation: ArrayLike = 0.0,
    overshoot: ArrayLike = 0.0,
    time_exponent: ArrayLike = 1.0,
) -> Floats:
    """The share of the way that is done after the share ``t`` of a stroke's time.

    All arguments broadcast. ``t`` is held within 0 and 1; where it is NaN, so is the result. The rest must be finite.
    What would leave nothing defined is held off: inflection to [0.02, 0.98], exponents below 0.05, and an overshoot
    that would take back all of the way.

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
    """
    share = as_floats(t)
    ti = np.clip(_finite("inflection", inflection), *INFLECTIONS)
    v0 = _finite("anticipation", anticipation)
    v1 = _finite("overshoot", overshoot)
    exponent = np.maximum(_finite("time_exponent", time_exponent), LEAST_EXPONENT)
    whole = (1.0 - 2.0 * EDGE) * ti  # twice the area of the triangle that neutral timing has
    v0 = np.minimum(v0, (1.0 - 2.0 * LEAST_AREA) * (1.0 - 2.0 * EDGE))
    v1 = np.minimum(v1, (whole * (1.0 - LEAST_AREA) - v0 * ti) / (1.0 - ti))
    now, ti, v0, v1 = np.broadcast_arrays(np.clip(share, 0.0, 1.0) ** exponent, ti, v0, v1)
    nothing = np.zeros_like(ti)
    knots = (nothing, nothing + EDGE, ti, nothing + (1.0 - EDGE), nothing + 1.0)
    speeds = (nothing, -v0, ti, -v1, nothing)
    area = np.zeros_like(now)
    total = np.zeros_like(now)
    for start, end, first, last in zip(knots[:-1], knots[1:], speeds[:-1], speeds[1:], strict=True):
        length = end - start
        passed = np.clip(now - start, 0.0, length)
        area = area + passed * (first + 0.5 * (last - first) * passed / length)
        total = total + 0.5 * length * (first + last)
    done: Floats = area / total
    return done


def _finite(name: str, values: ArrayLike) -> Floats:
    array = as_floats(values)
    bad = array[~np.isfinite(array)]
    if bad.size:
        raise ValueError(f"{name} must be finite; found {bad[0]}")
    return array


# ---- Compiled timing of strokes. Import this only through ``compiled``.


@compile_exact
def stroke_progress_kernel(t, ti, v0, v1, exponent):  # type: ignore[no-untyped-def]
    """One value of ``timing.progress``, of finite arguments."""
    edge, least = 0.01, 0.02
    ti = min(max(ti, 0.02), 0.98)
    exponent = max(exponent, 0.05)
    v0 = min(v0, (1.0 - 2.0 * least) * (1.0 - 2.0 * edge))
    v1 = min(v1, ((1.0 - 2.0 * edge) * ti * (1.0 - least) - v0 * ti) / (1.0 - ti))
    t = min(max(t, 0.0), 1.0)
    now = t if exponent == 1.0 else t**exponent
    one, whole = _stretch(now, 0.0, edge, 0.0, -v0)
    area, total = one, whole
    one, whole = _stretch(now, edge, ti, -v0, ti)
    area, total = area + one, total + whole
    one, whole = _stretch(now, ti, 1.0 - edge, ti, -v1)
    area, total = area + one, total + whole
    one, whole = _stretch(now, 1.0 - edge, 1.0, -v1, 0.0)
    return (area + one) / (total + whole)


@compile_exact
def _stretch(now, start, end, first, last):  # type: ignore[no-untyped-def]
    """The area under a line until now, and all of it."""
    length = end - start
    passed = min(max(now - start, 0.0), length)
    return passed * (first + 0.5 * (last - first) * passed / length), 0.5 * length * (first + last)


@compile_exact
def peak_speed_kernel(inflection, anticipation, overshoot, exponent, parts, out):  # type: ignore[no-untyped-def]
    """The greatest speeds (S,) of strokes in their mean speeds; see ``clocks.peak``."""
    for s in range(len(inflection)):
        before, most = 0.0, 0.0
        for i in range(parts + 1):
            now = stroke_progress_kernel(i / parts, inflection[s], anticipation[s], overshoot[s], exponent[s])
            if i > 0:
                most = max(most, abs(now - before))
            before = now
        out[s] = most * parts


@compile_exact
def stroke_phases_kernel(  # type: ignore[no-untyped-def]
    at, source, inflection, anticipation, overshoot, exponent, plain, ends, rate, numbers,
    stroke, time_share, way_share, moment,
):  # fmt: skip
    """Strokes, shares of their time and way, and moments of a gesture's own time; see ``strokes.ran``.

    ``at`` (S + 1,) are the frames of goals, ``source`` the seconds as written; ``ends`` what the time before the first
    and after the last is multiplied by.
    """
    wide, share_most, returns, bump, follows = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    frames, count = len(stroke), len(inflection)
    longest = 0
    for s in range(count):
        longest = max(longest, at[s + 1] - at[s])
    way, smooth, weights = np.empty(longest + 1), np.empty(longest + 1), np.empty(9)
    for s in range(count):
        length = at[s + 1] - at[s]
        for i in range(length + 1):
            way[i] = stroke_progress_kernel(i / length, inflection[s], anticipation[s], overshoot[s], exponent[s])
        softer = returns * overshoot[s]
        least = min(wide * rate, share_most * length)
        for i in range(length + 1):
            late = min(max((i / length - 0.5) / 0.5, 0.0), 1.0)
            sigma = max(least * (1.0 + softer * late * late), 1e-3)
            if i == 0 or softer > 0.0:
                for k in range(9):
                    weights[k] = math.exp(-0.5 * (k / sigma) ** 2)
            total, area = weights[0], weights[0] * way[i]
            for k in range(1, 9):
                total += 2.0 * weights[k]
                area += weights[k] * (way[_mirrored(i - k, length)] + way[_mirrored(i + k, length)])
            smooth[i] = area / total
        start, end = smooth[0], smooth[length] - 1.0
        first = 0 if s == 0 else max(at[s], 0)
        last = frames if s == count - 1 else min(at[s + 1], frames)
        lasts = source[s + 1] - source[s]
        for f in range(first, last):
            i = min(max(f - at[s], 0), length)
            late = min(max((i / length - 0.5) / 0.5, 0.0), 1.0)
            sigma = least * (1.0 + softer * late * late)
            reach = min(bump * sigma, 0.5 * length) + 1e-9
            share = i / length
            stroke[f], time_share[f] = s, share
            way_share[f] = smooth[i] - start * _bump_kernel(i / reach) - end * _bump_kernel((length - i) / reach)
            now = share if exponent[s] == 1.0 else share ** exponent[s]
            if now <= inflection[s]:
                done = now * now / inflection[s]
            else:
                done = 1.0 - (1.0 - now) ** 2 / (1.0 - inflection[s])
            if done <= plain[s]:
                back = math.sqrt(plain[s] * done)
            else:
                back = 1.0 - math.sqrt(max((1.0 - plain[s]) * (1.0 - done), 0.0))
            early, after = min(f - at[0], 0) / rate / ends[0], max(f - at[count], 0) / rate / ends[1]
            moment[f] = source[s] + (share + follows * (back - share)) * lasts + early + after


@compile_exact
def _mirrored(i, length):  # type: ignore[no-untyped-def]
    """A place within a stroke, which is seen mirrored at its ends."""
    i = abs(i) % (2 * length)
    return length - abs(length - i)


@compile_exact
def _bump_kernel(x):  # type: ignore[no-untyped-def]
    left = max(1.0 - x, 0.0)
    return left**3 * (1.0 + 3.0 * x)


# ---- Clocks: when a gesture's moments come once Effort has stretched its strokes, and which of its moments is now.
#
# Each arm has its own. Within a stroke a clock runs as the hand does: late and fast, or early and slow, so that
# torso,
# fingers and steps go with the stroke. It only ever runs forwards; anticipation and overshoot are the hand's own.


ACCENTED = 3.4  # mean speeds that a stroke has at its fastest at least, where it is made as short as a hand can go
FASTEST = 8.0  # metres a second that a hand is made to go
_SHARES = np.linspace(0.0, 1.0, 65)
WORTH = 1000  # a stroke's peak is far more work than a number of a product
FOLLOWS = 0.85  # of how far a stroke's timing is from the plain one that everything else goes along with


@dataclass(frozen=True, eq=False)
class StrokeClock:
    """A gesture's stops in its own time and when they come.

    Attributes
    ----------
    source, goals : (S + 1,)
        When each stroke begins and the last one ends, as written and as performed, on whole frames.
    inflection, anticipation, overshoot, time_exponent : (S,)
        Each stroke's timing.
    plain : (S,)
        What its inflection would be without Effort.
    lead, tail
        What the time before the first goal and after the last is multiplied by.
    """

    source: Floats
    goals: Floats
    inflection: Floats
    anticipation: Floats
    overshoot: Floats
    time_exponent: Floats
    plain: Floats
    lead: float
    tail: float

    @property
    def change(self) -> float:
        """How far its strokes are from the plain ones, from 0 to 1."""
        lasts = np.diff(self.goals) / np.maximum(np.diff(self.source), 1e-9)
        away = np.abs(np.log(np.maximum(lasts, 1e-3))) + np.abs(self.time_exponent - 1.0)
        away = away + 2.0 * np.abs(self.inflection - self.plain)
        return float(clip(2.0 * away.max() - 0.2, 0.0, 1.0))  # a stroke on whole frames is no change

    def like(self, other: StrokeClock) -> bool:
        """Whether both run alike."""
        return self is other or self._bytes == other._bytes

    @cached_property
    def _bytes(self) -> bytes:
        return b"".join(np.asarray(getattr(self, row.name)).tobytes() for row in fields(self))

    def end(self, duration: float) -> float:
        """When the gesture is over, whose own duration is this."""
        return float(self.goals[-1] + self.tail * max(duration - self.source[-1], 0.0))

    def stroke_at(self, time: Floats) -> tuple[Ints, Floats]:
        """Each moment's stroke and the share of its time that has passed; 0 before the first, 1 after the last."""
        stroke = clip(np.searchsorted(self.goals, time + 1e-9, side="right") - 1, 0, len(self.goals) - 2)
        share = (time - self.goals[stroke]) / (self.goals[stroke + 1] - self.goals[stroke])
        return stroke, clip(share, 0.0, 1.0)

    def moment(self, time: Floats) -> Floats:
        """Which moment of the gesture's own time it is."""
        stroke, share = self.stroke_at(time)
        shaped = body_share(share, self.inflection[stroke], self.time_exponent[stroke], self.plain[stroke])
        length = self.source[stroke + 1] - self.source[stroke]
        early = np.minimum(time - self.goals[0], 0.0) / self.lead
        late = np.maximum(time - self.goals[-1], 0.0) / self.tail
        return np.asarray(self.source[stroke] + shaped * length + early + late)

    def when(self, moment: Floats) -> Floats:
        """When a moment of the gesture's own time comes, strokes taken as even."""
        inside = np.interp(moment, self.source, self.goals)
        early = self.lead * np.minimum(moment - self.source[0], 0.0)
        late = self.tail * np.maximum(moment - self.source[-1], 0.0)
        return np.asarray(inside + early + late)


def stroke_clock(source: Floats, ways: Floats, manner: ArmManner, eases: Floats | None, locked: bool) -> StrokeClock:
    """The clock of strokes that begin and end at ``source (S + 1,)`` seconds and go ``ways (S,)`` metres far.

    No stroke is made quicker than a hand can go: it is shortened less, and where that is not enough, its accent is
    less sharp. Strokes that are written quicker than that stay as they are.
    """
    count = len(source) - 1
    given = manner.stroke("inflection", count)
    plain = np.full(count, 0.5) if eases is None else eases
    # A gesture's own accents stay where Effort is neutral, and give way to it.
    inflection = np.where(given < 0.5, plain * given / 0.5, plain + (1.0 - plain) * (given - 0.5) / 0.5)
    lasts = np.diff(source)
    slower = np.ones(count) if locked else manner.stroke("duration", count)
    exponent = manner.stroke("time_exponent", count)
    before, beyond = manner.stroke("anticipation", count), manner.stroke("overshoot", count)
    fastest = peak_speed(inflection, before, beyond, exponent)
    # How short a stroke may be does not depend on its accent: what is more sudden is never longer.
    least = np.minimum(lasts, np.where(ways > 0.0, np.maximum(ACCENTED * ways / FASTEST, SHORTEST), 0.0))
    made = np.maximum(slower * lasts, least)
    sharp = clip((FASTEST * made / np.maximum(ways, 1e-9) - 2.0) / np.maximum(fastest - 2.0, 1e-9), 0.0, 1.0)
    inflection, exponent = plain + sharp * (inflection - plain), 1.0 + sharp * (exponent - 1.0)
    start = source[0] * slower[0]
    goals = np.concatenate([[start], start + np.cumsum(made)])
    ends = float(slower[0]), float(slower[-1])
    return StrokeClock(source, _on_frames(goals), inflection, before, beyond, exponent, plain, *ends)


def peak_speed(inflection: Floats, anticipation: Floats, overshoot: Floats, exponent: Floats) -> Floats:
    """The greatest speed of strokes ``(S,)``, in their mean speeds: 2 of a plain one."""
    kernels = compiled.loaded(inflection.size * WORTH)
    if kernels is not None:
        made = np.empty(len(inflection))
        rows = (np.ascontiguousarray(row) for row in (inflection, anticipation, overshoot, exponent))
        kernels.stroke_peaks(*rows, len(_SHARES) - 1, made)
        return made
    return peak_speed_reference(inflection, anticipation, overshoot, exponent)


def peak_speed_reference(inflection: Floats, anticipation: Floats, overshoot: Floats, exponent: Floats) -> Floats:
    """The same in plain NumPy."""
    timing = (row[:, None] for row in (inflection, anticipation, overshoot, exponent))
    return np.asarray(np.abs(np.diff(stroke_progress(_SHARES, *timing), axis=1)).max(axis=1) * (len(_SHARES) - 1))


def _on_frames(times: Floats) -> Floats:
    """Whole frames, one at least between them, so that every goal is seen."""
    frames = np.round(times * RATE)
    for i in range(1, len(frames)):
        frames[i] = max(frames[i], frames[i - 1] + 1.0)
    return np.asarray(frames / RATE)


def body_share(share: Floats, inflection: Floats, exponent: Floats, plain: Floats) -> Floats:
    """The share of a stroke's own time that everything else has reached: as far along as the hand's plain way."""
    now = share**exponent
    done = np.where(now <= inflection, now**2 / inflection, 1.0 - (1.0 - now) ** 2 / (1.0 - inflection))
    back = np.where(done <= plain, np.sqrt(plain * done), 1.0 - np.sqrt(np.maximum((1.0 - plain) * (1.0 - done), 0.0)))
    return np.asarray(share + FOLLOWS * (back - share))


# ---- How far along its stroke a hand is in every frame: the timing function, its corners rounded within the stroke.


ROUND, ROUND_SHARE = 0.028, 0.10  # seconds, and of a stroke's time at most: the Gaussian's σ
RETURNS = 7.0  # how much wider the Gaussian is at the end, for all overshoot
REACH = 8  # frames
WORTH_STROKES = 20  # a frame's travel is more work than a number of a product
BUMP = 4.0  # σ over which a stroke is led back to its ends


class StrokePhase(NamedTuple):
    """Where a hand is on its way."""

    stroke: Ints  # (F,)
    time_share: Floats  # (F,) of the stroke's time, 0 to 1
    way_share: Floats  # (F,) of the stroke's way; outside 0 to 1 beyond its ends


def stroke_phases(clock: StrokeClock, frames: int) -> tuple[StrokePhase, Floats]:
    """The travel of every frame, and its moment of the gesture's own time ``(F,)``."""
    kernels = compiled.loaded(frames * WORTH_STROKES)
    if kernels is None:
        return stroke_phases_of(clock, frames), clock.moment(np.arange(frames) / RATE)
    at = np.round(clock.goals * RATE).astype(np.intp)
    timing = clock.inflection, clock.anticipation, clock.overshoot, clock.time_exponent, clock.plain
    numbers = np.array([ROUND, ROUND_SHARE, RETURNS, BUMP, FOLLOWS])
    stroke, (time_share, way_share, moment) = np.empty(frames, dtype=np.intp), np.empty((3, frames))
    rows = (np.ascontiguousarray(row) for row in (clock.source, *timing))
    ends = np.array([clock.lead, clock.tail])
    kernels.run_clock(at, *rows, ends, RATE, numbers, stroke, time_share, way_share, moment)
    return StrokePhase(stroke, time_share, way_share), moment


def stroke_phases_of(clock: StrokeClock, frames: int) -> StrokePhase:
    """The travel of every frame. Ends are met exactly, and no stroke knows of another."""
    at = np.round(clock.goals * RATE).astype(np.intp)
    lasts = np.diff(at)
    stroke = np.repeat(np.arange(len(lasts)), lasts + 1)
    first = np.concatenate([[0], np.cumsum(lasts + 1)[:-1]])  # of each stroke in the table of all
    place = np.arange(len(stroke)) - first[stroke]
    length = lasts[stroke]
    share = place / length
    timing = (clock.inflection, clock.anticipation, clock.overshoot, clock.time_exponent)
    way = stroke_progress(share, *(values[stroke] for values in timing))
    # A hand that comes back from beyond its goal comes to rest there: its return is rounded the more.
    softer = 1.0 + RETURNS * clock.overshoot[stroke]
    way = _rounded(way, place, length, first[stroke], softer)
    now = np.arange(frames)
    mine = clip(np.searchsorted(at, now, side="right") - 1, 0, len(lasts) - 1)
    row = first[mine] + clip(now - at[mine], 0, lasts[mine])
    return StrokePhase(mine, share[row], way[row])


def _rounded(way: Floats, place: Ints, length: Ints, first: Ints, softer: Floats) -> Floats:
    """Through a Gaussian that sees each stroke mirrored at its ends, then led back to them."""
    late = clip((place / length - 0.5) / 0.5, 0.0, 1.0)
    sigma = (np.minimum(ROUND * RATE, ROUND_SHARE * length) * (1.0 + (softer - 1.0) * late * late))[:, None]
    reach = np.arange(-REACH, REACH + 1)
    weights = np.exp(-0.5 * (reach / np.maximum(sigma, 1e-3)) ** 2)
    taken = np.abs(place[:, None] + reach)
    taken = length[:, None] - np.abs(length[:, None] - taken % (2 * length[:, None]))
    smooth = np.sum(weights * way[first[:, None] + taken], axis=1) / weights.sum(axis=1)
    wide = np.minimum(BUMP * sigma[:, 0], 0.5 * length) + 1e-9
    start, end = smooth[first], smooth[first + length] - 1.0
    return np.asarray(smooth - start * _bump(place / wide) - end * _bump((length - place) / wide))


def _bump(x: Floats) -> Floats:
    left = np.maximum(1.0 - x, 0.0)
    return np.asarray(left**3 * (1.0 + 3.0 * x))
