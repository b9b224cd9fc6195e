"""Dynamic time warping: which frame of one signal corresponds to which of another.

A path runs through the grid of frames (i, j) from (0, 0) to (N − 1, M − 1) by steps (1, 1), (1, 0) and (0, 1); of all
paths the cheapest is found by dynamic programming.

**The cost "shape"** (Bruderlin 1996, after Sederberg and Greenwood 1992) is the work to stretch and bend one signal
into the other. Each degree of freedom d is drawn as a line through the points (τ i, a[i]). A frame τ is ``pace`` times
the usual step of both signals, the root mean square of all a[i] − a[i−1] and b[j] − b[j−1]. Let s[i] be
(a[i] − a[i−1])/τ. The segment that ends at i is l[i] = √(1 + s[i]²) frames long, and at i the line turns by
θ[i] = arctan s[i+1] − arctan s[i], at either end by nothing. A path costs

    Σ over its steps:   stretch/l̄ · Σ_d w[d] |p l_a[i] − q l_b[j]|
    Σ over its nodes:   bend/θ̄ · Σ_d w[d] |½(p + p') θ_a[i] − ½(q + q') θ_b[j]|   (but the first and the last)

where (p, q) is the step that comes to the node (i, j), and (p', q') the one that leaves it. A signal that waits (p = 0)
has a segment of no length there, which points along the mean of its neighbours' directions: half of the angle is where
it begins to wait, half where it ends. l̄ is the mean of Σ_d w l over the segments of both signals, θ̄ that of Σ_d w |θ|,
so that neither kind of work dominates: leaving out a usual frame costs ``stretch + bend``. It does not matter which
signal is first, what constants are added to either, nor in which unit both are.

An angle belongs to three frames. So that the cheapest path is found, each node keeps the best cost for each of the
three steps by which a path may come to it. Differences count as such, not squared: squares would let one frame with a
jump outweigh many, and rounding would leave a rest between equal signals.

**The cost "pose"** sums the distances between the frames of all nodes of a path, and ``penalty`` for each step at which
one signal waits.

**The window** of nodes that are searched follows a path without gaps and takes in all nodes within ``radius`` frames of
it, either way. So the end is reached however narrow it is, and it does not depend on which signal comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinesphere import _native
from kinesphere.maths import bands
from kinesphere.maths.vectors import ArrayLike, Floats, Ints, as_floats

_COARSEST = 32  # frames below which all nodes are searched
_DISTANCES = 1 << 18  # distances that a given function is asked for at a time
_STEADY = 1e-8  # of the largest number: usual steps below it are rounding, not movement
_STRAIGHT = 1e-4  # radians: mean angles below it are rounding, not shape


# Costs


@dataclass(frozen=True, eq=False)
class ShapeCost:
    """The work to stretch and bend one signal into the other.

    Attributes
    ----------
    stretch, bend
        What the two kinds of work count.
    pace
        How long a frame is, in steps of usual size (root mean square) from frame to frame. Most numbers at most moments
        move far less than that; a tenth of it proved best on walks.
    weights : (D,), or None
        What each degree of freedom counts; None is one each.
    """

    stretch: float = 1.0
    bend: float = 0.5
    pace: float = 0.1
    weights: ArrayLike | None = None

    def __post_init__(self) -> None:
        if not (np.isfinite([self.stretch, self.bend]).all() and min(self.stretch, self.bend) >= 0.0):
            raise ValueError(f"stretch is {self.stretch}, bend {self.bend}; expected neither below zero")
        if self.stretch == self.bend == 0.0:
            raise ValueError("stretch and bend are both zero: all paths would cost nothing")
        if not (np.isfinite(self.pace) and self.pace > 0.0):
            raise ValueError(f"the pace is {self.pace}; expected a number above zero")


@dataclass(frozen=True, eq=False)
class PoseCost:
    """The distance between frames that are matched, summed along the path.

    Attributes
    ----------
    penalty
        What each step costs besides at which one signal waits.
    distance
        ``distance(some (n, D), others (m, D))`` gives the distances ``(n, m)``; None is the Euclidean one. It is called
        for some frames at a time.
    """

    penalty: float = 0.0
    distance: Callable[[Floats, Floats], Floats] | None = None

    def __post_init__(self) -> None:
        if not (np.isfinite(self.penalty) and self.penalty >= 0.0):
            raise ValueError(f"the penalty is {self.penalty}; expected zero or more")


def _lengths_and_angles(a: Floats, b: Floats, cost: ShapeCost) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Segment lengths and angles at frames of both signals, ``(N, D)`` and ``(M, D)``, with all weights in them.

    A segment counts with the frame it ends at. There is none at the first frame, and no angle at the first and last.
    """
    weights = _weights(cost, a.shape[1])
    steps = np.diff(a, axis=0), np.diff(b, axis=0)
    count = len(steps[0]) + len(steps[1])
    usual = _usual_step(steps, weights, count)
    largest = max(float(np.abs(a).max()), float(np.abs(b).max()))
    unit = cost.pace * max(usual, _STEADY * largest) or 1.0
    slopes = [step / unit for step in steps]  # a frame is 1 now, in any unit
    lengths = [_after_first(np.sqrt(1.0 + slope * slope) * weights) for slope in slopes]
    angles = [np.zeros(signal.shape) for signal in (a, b)]
    for angle, slope in zip(angles, slopes, strict=True):
        angle[1:-1] = np.diff(np.arctan(slope), axis=0) * weights
    if count:
        length = (lengths[0].sum() + lengths[1].sum()) / count
        mean_angle = (np.abs(angles[0]).sum() + np.abs(angles[1]).sum()) / count
        for values, share in (
            (lengths, cost.stretch / length),
            (angles, cost.bend / max(mean_angle, _STRAIGHT * weights.sum())),
        ):
            values[0] *= share
            values[1] *= share
    return (lengths[0], lengths[1]), (angles[0], angles[1])


def _weights(cost: ShapeCost, numbers: int) -> Floats:
    if cost.weights is None:
        return np.ones(numbers)
    weights = as_floats(cost.weights)
    if weights.shape != (numbers,):
        raise ValueError(f"weights have shape {weights.shape}; the signals have {numbers} numbers a frame")
    if not (np.isfinite(weights).all() and (weights >= 0.0).all() and weights.any()):
        raise ValueError("weights should be finite, none below zero, and not all zero")
    return weights


def _usual_step(steps: tuple[Floats, Floats], weights: Floats, count: int) -> float:
    if count == 0:
        return 0.0
    squares = sum(float(np.einsum("td,td,d->", step, step, weights)) for step in steps)
    return float(np.sqrt(squares / (count * weights.sum())))


def _after_first(segments: Floats) -> Floats:
    return np.concatenate([np.zeros((1, segments.shape[1])), segments])


Cost: TypeAlias = Literal["shape", "pose"] | ShapeCost | PoseCost


# The search


class DtwPath(NamedTuple):
    """Pairs of frames ``(K, 2)`` that correspond, in order of time, and what they cost."""

    path: Ints
    cost: float


def dtw(
    a: ArrayLike,
    b: ArrayLike,
    cost: Cost = "shape",
    *,
    band: int | None = None,
    about: ArrayLike | None = None,
    coarse: int | None = None,
) -> DtwPath:
    """The cheapest path through the frames of two signals ``(N, D)`` and ``(M, D)``, or ``(N,)`` and ``(M,)``.

    Parameters
    ----------
    cost
        "shape", "pose", or either with numbers of its own: ``ShapeCost(bend=1.0)``.
    band
        Search only within so many frames of the straight path, or of ``about``, either way. The path itself is always
        within, so a band is never too narrow to come to the end.
    about : (K, 2)
        The path that the band goes along; gaps are bridged.
    coarse
        Search at half the rate first, and so on down to a few frames; then only within so many frames of what was found
        there. The work grows with the frames instead of their square, and the path may be a little dearer.

    All nodes are searched where neither is given. Memory is one byte for each node searched.
    """
    first, second = _signal("the first signal", a), _signal("the second signal", b)
    if first.shape[1] != second.shape[1]:
        raise ValueError(
            f"the first signal has {first.shape[1]} numbers a frame and the second {second.shape[1]}; expected as many"
        )
    how = _cost(cost)
    if coarse is not None and (band is not None or about is not None):
        raise ValueError("coarse and band were both given; expected one way to search")
    if about is not None and band is None:
        raise ValueError("a path to search about was given without a band; how many frames from it?")
    rows, columns = len(first), len(second)
    if coarse is not None:
        return _coarse_to_fine(first, second, how, _radius("coarse", coarse))
    if band is None:
        return _search(first, second, how, full_window(rows, columns))
    radius = _radius("band", band)
    if about is None:
        path = diagonal_path(rows, columns)
    else:
        path = check_path(about, rows, columns)
    return _search(first, second, how, window_around(path, rows, columns, radius))


def _coarse_to_fine(a: Floats, b: Floats, cost: ShapeCost | PoseCost, radius: int) -> DtwPath:
    rows, columns = len(a), len(b)
    if min(rows, columns) <= max(_COARSEST, 2 * radius):
        return _search(a, b, cost, full_window(rows, columns))
    path = 2 * _coarse_to_fine(bands.low_pass(a)[::2], bands.low_pass(b)[::2], cost, radius).path
    path = np.concatenate([path, [[rows - 1, columns - 1]]])
    return _search(a, b, cost, window_around(path, rows, columns, radius))


def _search(a: Floats, b: Floats, cost: ShapeCost | PoseCost, window: Window) -> DtwPath:
    directions: NDArray[np.uint8] = np.empty(window.nodes, dtype=np.uint8)
    costs = np.full(len(b) + 1, np.inf)  # of the last row searched, column j at j + 1
    costs[0] = 0.0
    if isinstance(cost, ShapeCost):
        (la, lb), (ta, tb) = _lengths_and_angles(a, b, cost)
        given = [np.ascontiguousarray(values) for values in (la, ta, lb.T, tb.T)]
        state = _native.dtw.warp_shape(*given, window, directions, costs)
    elif cost.distance is None:
        frames, others = np.ascontiguousarray(a), np.ascontiguousarray(b.T)
        state = _native.dtw.warp_pose(frames, others, cost.penalty, window, directions, costs)
    else:
        for part, base, distances in _given_distances(a, b, cost, window):
            rows = Window(window.low[part], window.high[part], window.starts[part], window.nodes)
            state = _native.dtw.warp_distances(distances, base, cost.penalty, rows, directions, costs)
    if not np.isfinite(costs[-1]):
        raise ValueError("costs of the alignment are too large for floating point; scale the signals or the cost down")
    path = np.empty((len(a) + len(b) - 1, 2), dtype=np.intp)
    start = _native.dtw.trace_warp(directions, window, state, path)
    return DtwPath(path[start:].copy(), float(costs[-1]))


def _given_distances(a: Floats, b: Floats, cost: PoseCost, window: Window) -> Iterator[tuple[slice, int, Floats]]:
    """Some rows at a time: which, their first column, and the distances ``(rows, columns)`` of a given function."""
    assert cost.distance is not None
    step = max(_DISTANCES // len(b), 1)
    for start in range(0, len(a), step):
        part = slice(start, min(start + step, len(a)))
        base, end = int(window.low[part.start]), int(window.high[part.stop - 1]) + 1
        some, others = a[part], b[base:end]
        distances = np.ascontiguousarray(as_floats(cost.distance(some, others)))
        if distances.shape != (len(some), len(others)) or not np.isfinite(distances).all():
            expected = f"finite distances ({len(some)}, {len(others)})"
            raise ValueError(f"the distance function gave {distances.shape} numbers; expected {expected}")
        yield part, base, distances


def _signal(name: str, values: ArrayLike) -> Floats:
    v = bands.check_signal(name, values)
    if v.ndim > 2:
        raise ValueError(f"{name} has shape {v.shape}; expected frames and their numbers, (T, D)")
    if not v.size:
        raise ValueError(f"{name} has shape {v.shape}: no numbers a frame")
    return v.reshape(len(v), -1)


def _cost(cost: Cost) -> ShapeCost | PoseCost:
    if isinstance(cost, ShapeCost | PoseCost):
        return cost
    if cost == "shape":
        return ShapeCost()
    if cost == "pose":
        return PoseCost()
    raise ValueError(f"the cost is {cost!r}; expected 'shape', 'pose', a ShapeCost or a PoseCost")


def _radius(name: str, frames: int) -> int:
    if isinstance(frames, bool) or not isinstance(frames, int | np.integer) or frames < 0:
        raise ValueError(f"{name} is {frames!r}; expected a whole number of frames, zero or more")
    return int(frames)


# Windows and paths


class Window(NamedTuple):
    """The nodes ``(i, low[i] … high[i])`` of a grid, kept row after row: node (i, j) at ``starts[i] + j``."""

    low: Ints  # (N,)
    high: Ints  # (N,)
    starts: Ints  # (N,)
    nodes: int  # how many there are


def full_window(rows: int, columns: int) -> Window:
    """All nodes of the grid."""
    return _window(np.zeros(rows, dtype=np.intp), np.full(rows, columns - 1, dtype=np.intp))


def window_around(path: Ints, rows: int, columns: int, radius: int) -> Window:
    """The nodes of a grid within ``radius`` rows and columns of a path ``(K, 2)`` from its first to its last node."""
    dense = fill_path(path)
    low, high = np.full(rows, columns, dtype=np.intp), np.zeros(rows, dtype=np.intp)
    np.minimum.at(low, dense[:, 0], dense[:, 1])
    np.maximum.at(high, dense[:, 0], dense[:, 1])
    row = np.arange(rows)
    low = np.maximum(low[np.maximum(row - radius, 0)] - radius, 0)
    high = np.minimum(high[np.minimum(row + radius, rows - 1)] + radius, columns - 1)
    return _window(low, high)


def diagonal_path(rows: int, columns: int) -> Ints:
    """The straight path through a grid, without gaps."""
    return fill_path(np.array([[0, 0], [rows - 1, columns - 1]], dtype=np.intp))


def fill_path(path: Ints) -> Ints:
    """A path ``(K, 2)`` with straight runs of nodes between those that lie apart."""
    steps = np.diff(path, axis=0)
    parts = np.maximum(steps.max(axis=1, initial=0), 1)
    which = np.repeat(np.arange(len(steps)), parts)
    share = (np.arange(len(which)) - np.repeat(np.cumsum(parts) - parts, parts)) / parts[which]
    between: Floats = path[which] + np.rint(share[:, None] * steps[which])
    return np.concatenate([between.astype(np.intp), path[-1:]])


def check_path(path: ArrayLike, rows: int, columns: int) -> Ints:
    """A path ``(K, 2)`` through the grid; refused if it does not run from corner to corner, or goes back."""
    given = np.asarray(path)
    if given.ndim != 2 or given.shape[1] != 2 or not len(given) or given.dtype.kind not in "iu":
        raise ValueError(f"the path is {given.dtype} {given.shape}; expected pairs of whole frames (K, 2)")
    nodes: Ints = given.astype(np.intp)
    ends = (0, 0), (rows - 1, columns - 1)
    found = tuple(map(int, nodes[0])), tuple(map(int, nodes[-1]))
    if found != ends:
        raise ValueError(f"the path runs from {found[0]} to {found[1]}; expected {ends[0]} to {ends[1]}")
    back = np.flatnonzero((np.diff(nodes, axis=0) < 0).any(axis=1))
    if len(back):
        raise ValueError(f"the path goes back in time after its node {back[0]}")
    return nodes


def _window(low: Ints, high: Ints) -> Window:
    widths = high - low + 1
    return Window(low, high, np.cumsum(widths) - widths - low, int(widths.sum()))
