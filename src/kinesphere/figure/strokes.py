"""How far along its stroke a hand is in every frame: the timing function, its corners rounded within the stroke."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.figure.clocks import FOLLOWS, Clock
from kinesphere.figure.spans import RATE
from kinesphere.kernels import compiled
from kinesphere.kernels.arrays import Floats, Ints, within
from kinesphere.kernels.timing import progress

ROUND, ROUND_SHARE = 0.028, 0.10  # seconds, and of a stroke's time at most: the Gaussian's σ
RETURNS = 7.0  # how much wider the Gaussian is at the end, for all overshoot
REACH = 8  # frames
WORTH = 20  # a frame's travel is more work than a number of a product
BUMP = 4.0  # σ over which a stroke is led back to its ends


class Travel(NamedTuple):
    """Where a hand is on its way."""

    stroke: Ints  # (F,)
    time_share: Floats  # (F,) of the stroke's time, 0 to 1
    way_share: Floats  # (F,) of the stroke's way; outside 0 to 1 beyond its ends


def ran(clock: Clock, frames: int) -> tuple[Travel, Floats]:
    """The travel of every frame, and its moment of the gesture's own time ``(F,)``."""
    kernels = compiled.loaded(frames * WORTH)
    if kernels is None:
        return travelled(clock, frames), clock.moment(np.arange(frames) / RATE)
    at = np.round(clock.goals * RATE).astype(np.intp)
    timing = clock.inflection, clock.anticipation, clock.overshoot, clock.time_exponent, clock.plain
    numbers = np.array([ROUND, ROUND_SHARE, RETURNS, BUMP, FOLLOWS])
    stroke, (time_share, way_share, moment) = np.empty(frames, dtype=np.intp), np.empty((3, frames))
    rows = (np.ascontiguousarray(row) for row in (clock.source, *timing))
    ends = np.array([clock.lead, clock.tail])
    kernels.run_clock(at, *rows, ends, RATE, numbers, stroke, time_share, way_share, moment)
    return Travel(stroke, time_share, way_share), moment


def travelled(clock: Clock, frames: int) -> Travel:
    """The travel of every frame. Ends are met exactly, and no stroke knows of another."""
    at = np.round(clock.goals * RATE).astype(np.intp)
    lasts = np.diff(at)
    stroke = np.repeat(np.arange(len(lasts)), lasts + 1)
    first = np.concatenate([[0], np.cumsum(lasts + 1)[:-1]])  # of each stroke in the table of all
    place = np.arange(len(stroke)) - first[stroke]
    length = lasts[stroke]
    share = place / length
    timing = (clock.inflection, clock.anticipation, clock.overshoot, clock.time_exponent)
    way = progress(share, *(values[stroke] for values in timing))
    # A hand that comes back from beyond its goal comes to rest there: its return is rounded the more.
    softer = 1.0 + RETURNS * clock.overshoot[stroke]
    way = _rounded(way, place, length, first[stroke], softer)
    now = np.arange(frames)
    mine = within(np.searchsorted(at, now, side="right") - 1, 0, len(lasts) - 1)
    row = first[mine] + within(now - at[mine], 0, lasts[mine])
    return Travel(mine, share[row], way[row])


def _rounded(way: Floats, place: Ints, length: Ints, first: Ints, softer: Floats) -> Floats:
    """Through a Gaussian that sees each stroke mirrored at its ends, then led back to them."""
    late = within((place / length - 0.5) / 0.5, 0.0, 1.0)
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
