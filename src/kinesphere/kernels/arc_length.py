"""Curves by distance instead of time.

A spline's own parameter is not distance: it slows down towards a tense key. :func:`arc_length` measures a
vector spline once; then :meth:`ArcLength.at_length` finds the point at any distance along it, and past either
end goes on straight in the limit direction. The table beneath, :class:`LengthTable`, needs a speed only, so
that turned angles are measured the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kinesphere.kernels.arrays import ArrayLike, Floats, Ints, floats
from kinesphere.kernels.splines import Spline

# speed(segments, curves, times): how fast the numbered curves go at these times of these segments. The three
# broadcast together; the segment is said because the speed may jump at a key.
Speed: TypeAlias = Callable[[Ints, Ints, Floats], Floats]

_PARTS = 6  # equal parts of a segment
_SHELLS = 3  # and of each half of a part
_ROWS = 2 * _SHELLS * _PARTS  # rows of a table for each segment
_NODES, _WEIGHTS = (values / 2.0 for values in np.polynomial.legendre.leggauss(10))
_NODES = _NODES + 0.5  # Gauss–Legendre on [0, 1]
_NARROWINGS = 10  # each leaves about a quarter of the bracket
_ITERATIONS = 60
_VANISHING = 1e-12  # of the curve's extent


@dataclass(frozen=True, eq=False)
class LengthTable:
    """Lengths of curves that share the times of their keys.

    Attributes
    ----------
    speed
        How fast the curves go.
    times, lengths : (M, curves)
        Length of each curve from its start up to each time of the table.
    """

    speed: Speed
    times: Floats
    lengths: Floats

    def time_at(self, curves: Ints, lengths: Floats) -> Floats:
        """When each of the numbered curves ``(Q,)`` has run this far ``(Q,)``, within its total."""
        if len(self.times) == 1:
            only: Floats = self.times[0, curves]
            return only
        row = self._row(curves, lengths)
        segment = row // _ROWS
        start, low, high = self.times[row, curves], self.times[row, curves], self.times[row + 1, curves]
        target = lengths - self.lengths[row, curves]
        tolerance = 1e-14 * self.lengths[-1, curves]
        time = low + (high - low) * self._first_guess(curves, row, target)
        active = np.arange(len(time))
        # Newton's steps, or halving where those would leave the bracket (the speed may vanish within it).
        for _ in range(_ITERATIONS):
            now, where, who = time[active], segment[active], curves[active]
            error = measure(self.speed, where, who, start[active], now) - target[active]
            over = error > 0.0
            high[active[over]] = now[over]
            low[active[~over]] = now[~over]
            going = np.abs(error) > tolerance[active]
            active, error, now = active[going], error[going], now[going]
            if not active.size:
                break
            speed = self.speed(where[going], who[going], now)
            step = np.divide(error, speed, out=np.full_like(error, np.inf), where=speed > 0.0)
            bottom, top = low[active], high[active]
            newton = now - step
            time[active] = np.where((newton > bottom) & (newton < top), newton, 0.5 * (bottom + top))
        return time

    def _row(self, curves: Ints, lengths: Floats) -> Ints:
        """The last row not beyond each length. A binary search, as every curve has its own column."""
        low = np.zeros(len(lengths), dtype=np.intp)
        high = np.full(len(lengths), len(self.lengths) - 1, dtype=np.intp)
        for _ in range(len(self.lengths).bit_length()):
            middle = (low + high) // 2
            below = self.lengths[middle, curves] <= lengths
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.minimum(low, len(self.lengths) - 2)

    def _first_guess(self, curves: Ints, row: Ints, target: Floats) -> Floats:
        """The share of the row's time after which the target is reached, were the speed linear there."""
        whole = self.lengths[row + 1, curves] - self.lengths[row, curves]
        part = np.divide(target, whole, out=np.zeros_like(target), where=whole > 0.0)
        first = self.speed(row // _ROWS, curves, self.times[row, curves])
        last = self.speed(row // _ROWS, curves, self.times[row + 1, curves])
        root = np.sqrt(first**2 + (last**2 - first**2) * np.clip(part, 0.0, 1.0))
        share = np.divide((first + last) * part, first + root, out=part.copy(), where=first + root > 0.0)
        guess: Floats = np.clip(share, 0.0, 1.0)
        return guess

    @property
    def key_lengths(self) -> Floats:
        """How far along its curve each key lies, ``(N, curves)``."""
        return self.lengths[::_ROWS]


def length_table(speed: Speed, key_times: Floats, curve_count: int) -> LengthTable:
    """Measure curves by a speed that is smooth within segments, but may have corners where it vanishes."""
    if len(key_times) == 1:
        return LengthTable(speed, np.full((1, curve_count), key_times[0]), np.zeros((1, curve_count)))
    times = _row_times(speed, key_times, curve_count)
    segments = np.arange(len(times) - 1)[:, None] // _ROWS
    pieces = measure(speed, segments, np.arange(curve_count), times[:-1], times[1:])
    lengths = np.concatenate([np.zeros((1, curve_count)), np.cumsum(pieces, axis=0)])
    return LengthTable(speed, times, lengths)


def measure(speed: Speed, segments: Ints, curves: Ints, start: Floats, end: Floats) -> Floats:
    """How far the curves go from ``start`` to ``end``, between which the speed should be smooth."""
    duration = end - start
    at = start[..., None] + duration[..., None] * _NODES
    length: Floats = speed(segments[..., None], curves[..., None], at) @ _WEIGHTS * duration
    return length


def _row_times(speed: Speed, key_times: Floats, curve_count: int) -> Floats:
    """Between which times each curve is best measured: ``(rows, curves)``.

    Gauss–Legendre wants a smooth speed. Where a curve turns in a cusp the speed has a corner, as |t| does at
    0, and close to a cusp it is √(t² + ε²), smooth only for steps of about ε. So a part in which the curve
    almost stops is broken where it is slowest, and its halves are broken again, ever closer to that, down to
    ε. Any other part is broken evenly. (Of two cusps within one part the second is measured to about 1e-6.)
    """
    durations = np.diff(key_times)[:, None]
    low = (key_times[:-1, None] + durations * (np.arange(_PARTS) / _PARTS)).reshape(-1, 1, 1)
    width = np.repeat(durations / _PARTS, _PARTS).reshape(-1, 1, 1)
    segments = np.arange(len(low)).reshape(-1, 1, 1) // _PARTS
    speeds = speed(segments, np.arange(curve_count)[:, None], low + width * _NODES)
    least, most = speeds.min(axis=-1), speeds.max(axis=-1)

    even = np.arange(1, _SHELLS) / _SHELLS
    slowest = np.full((*least.shape, 1), 0.5)  # as a share of the part
    shells = np.broadcast_to(even, (*least.shape, len(even))).copy()  # as shares of its halves
    part, curve = np.nonzero(least < 0.25 * most)
    if len(part):
        start, length = low[part, 0], width[part, 0]
        share, bottom = _slowest(speed, segments[part, 0], curve[:, None], start, length)
        slowest[part, curve] = share
        shells[part, curve] = np.clip(bottom / most[part, curve, None], 1e-9, 0.1) ** (1.0 - even)

    before, after = slowest * (1.0 - shells[..., ::-1]), slowest + (1.0 - slowest) * shells
    shares = np.concatenate([np.zeros_like(slowest), before, slowest, after], axis=-1)
    times = np.moveaxis(low + width * shares, -1, 1).reshape(-1, curve_count)
    return np.concatenate([times, np.full((1, curve_count), key_times[-1])])


def _slowest(speed: Speed, segments: Ints, curves: Ints, start: Floats, length: Floats) -> tuple[Floats, Floats]:
    """Where, as a share of its part, each curve is slowest, and how slow. All arrays are ``(Q, 1)``."""
    low, high = np.zeros_like(start), np.ones_like(start)
    grid = np.linspace(0.0, 1.0, 10)
    for _ in range(_NARROWINGS):
        shares = low + (high - low) * grid
        speeds = speed(segments, curves, start + length * shares[:, 1:-1])
        least = np.argmin(speeds, axis=-1)[:, None]
        low, high = np.take_along_axis(shares, least, 1), np.take_along_axis(shares, least + 2, 1)
    return 0.5 * (low + high), np.take_along_axis(speeds, least, 1)


def limit_direction(candidates: Floats, noise: ArrayLike = 0.0) -> Floats:
    """The unit vector of the first of the candidates ``(K, ..., D)`` that is long enough to have a direction.

    Where none is, zero. Of a Bézier curve from p₀ the differences p₁ − p₀, p₂ − p₀, … are such candidates:
    where the first k vanish, the next is a positive multiple of the curve's first derivative that does not.
    """
    sizes = np.linalg.norm(candidates, axis=-1)
    enough = sizes > np.maximum(_VANISHING * sizes.max(axis=0), noise)
    first = np.argmax(enough, axis=0)
    chosen = np.take_along_axis(candidates, first[None, ..., None], axis=0)[0]
    size = np.take_along_axis(np.where(enough, sizes, 0.0), first[None], axis=0)[0][..., None]
    direction: Floats = np.divide(chosen, size, out=np.zeros_like(chosen), where=size > 0.0)
    return direction


def spread(values: ArrayLike, batch: tuple[int, ...]) -> tuple[Floats, Ints, tuple[int, ...]]:
    """Values for curves of shape ``batch``, flattened; the curve of each; and the shape they had."""
    given = floats(values)
    try:
        shape = np.broadcast_shapes(given.shape, batch)
    except ValueError:
        raise ValueError(
            f"lengths have shape {given.shape}, which does not broadcast with the curves' {batch}"
        ) from None
    curves = np.arange(int(np.prod(batch)), dtype=np.intp).reshape(batch)
    return np.broadcast_to(given, shape).reshape(-1), np.broadcast_to(curves, shape).reshape(-1), shape


@dataclass(frozen=True, eq=False)
class ArcLength:
    """A vector spline measured along its path; made by :func:`arc_length`.

    Attributes
    ----------
    spline
        Keys ``(N, ..., D)``: the last axis is the space, the axes between number the curves.
    table
        Lengths along all curves, flattened.
    start_direction, end_direction : (..., D)
        Unit limit directions of travel; zero where the curve is one point.
    """

    spline: Spline
    table: LengthTable
    start_direction: Floats
    end_direction: Floats

    @property
    def total(self) -> Floats:
        """The length of each curve, ``(...)``."""
        lengths: Floats = self.table.lengths[-1].reshape(self.start_direction.shape[:-1])
        return lengths

    @property
    def key_lengths(self) -> Floats:
        """How far along its curve each key lies, ``(N, ...)``."""
        return self.table.key_lengths.reshape(-1, *self.start_direction.shape[:-1])

    def at_length(self, lengths: ArrayLike) -> Floats:
        """Points at distances from the start.

        ``lengths`` broadcasts with the axes that number the curves (none for a single curve: then any shape);
        the result has the broadcast shape and then the space. Below zero and beyond the total the curve goes
        on straight in its limit direction.
        """
        wanted, curves, shape = spread(lengths, self.start_direction.shape[:-1])
        inside = np.clip(wanted, 0.0, self.table.lengths[-1, curves])
        points = self.spline.value_of(curves, self.table.time_at(curves, inside))
        space = points.shape[-1]
        directions = np.where(
            (wanted < 0.0)[:, None],
            self.start_direction.reshape(-1, space)[curves],
            self.end_direction.reshape(-1, space)[curves],
        )
        return (points + directions * (wanted - inside)[:, None]).reshape(*shape, space)


def arc_length(spline: Spline) -> ArcLength:
    """Measure a vector spline whose keys are ``(N, ..., D)``."""
    if spline.keys.ndim < 2:
        raise ValueError(f"keys have shape {spline.keys.shape}; the last of at least two axes is the space")

    table = length_table(_speed_of(spline), spline.times, int(np.prod(spline.keys.shape[1:-1])))
    noise = 8.0 * np.finfo(np.float64).eps * np.abs(spline.keys).max(axis=(0, -1))
    forwards, backwards = _departures(spline)
    return ArcLength(spline, table, limit_direction(forwards, noise), -limit_direction(backwards, noise))


def _speed_of(spline: Spline) -> Speed:
    """The spline's speed, as the root of a quartic in the share of the segment that has passed."""
    count, space = int(np.prod(spline.keys.shape[1:-1])), spline.keys.shape[-1]
    keys = spline.keys.reshape(-1, count, space)
    durations = np.diff(spline.times)
    slope = np.diff(keys, axis=0) / durations[:, None, None]
    # The velocity is leaving + u b + u² c.
    leaving = spline.outgoing.reshape(keys.shape)[:-1]
    arriving = spline.incoming.reshape(keys.shape)[1:]
    b = 6.0 * slope - 4.0 * leaving - 2.0 * arriving
    c = 3.0 * (leaving + arriving) - 6.0 * slope
    products = (leaving * leaving, 2.0 * leaving * b, b * b + 2.0 * leaving * c, 2.0 * b * c, c * c)
    quartic = [np.sum(product, axis=-1) for product in products]

    def speed(segments: Ints, curves: Ints, times: Floats) -> Floats:
        u = (times - spline.times[segments]) / durations[segments]
        square = quartic[4][segments, curves] * u
        for coefficient in quartic[3:0:-1]:
            square += coefficient[segments, curves]
            square *= u
        square += quartic[0][segments, curves]
        root: Floats = np.sqrt(np.maximum(square, 0.0))
        return root

    return speed


def _departures(spline: Spline) -> tuple[Floats, Floats]:
    """From the first key, and backwards from the last: how far away each Bézier control point lies."""
    first, last = spline.outgoing[:1], spline.incoming[-1:]
    if len(spline.keys) == 1:
        return first, -last
    thirds = (np.diff(spline.times) / 3.0).reshape(-1, *[1] * (spline.keys.ndim - 1))
    control = np.stack(
        [
            spline.keys[:-1] + thirds * spline.outgoing[:-1],
            spline.keys[1:] - thirds * spline.incoming[1:],
            spline.keys[1:],
        ],
        axis=1,
    ).reshape(-1, *spline.keys.shape[1:])
    # The nearest control points come from the velocities themselves: a short difference of long vectors
    # would lose the direction.
    forwards = np.concatenate([thirds[:1] * first, control[1:] - spline.keys[0]])
    inner = np.concatenate([spline.keys[:1], control[:-2]])[::-1]
    backwards = np.concatenate([-thirds[-1:] * last, inner - spline.keys[-1]])
    return forwards, backwards
