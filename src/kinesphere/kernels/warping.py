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
has a segment of no length there, which points along the mean of its neighbours' directions: half of the turn happens
where it begins to wait, half where it ends. l̄ is the mean of Σ_d w l over the segments of both signals, θ̄ that of
Σ_d w |θ|, so that neither kind of work dominates: leaving out a usual frame costs ``stretch + bend``. It does not
matter which signal is first, what constants are added to either, nor in which unit both are.

A turn belongs to three frames. So that the cheapest path is found, each node keeps the best cost for each of the three
steps by which a path may come to it. Differences count as such, not squared: of squares all sums would be two products
of matrices, but then one frame with a jump outweighs many, and rounding leaves a rest between equal signals.

**The cost "pose"** sums the distances between the frames of all nodes of a path, and ``penalty`` for each step at which
one signal waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from kinesphere.kernels import bands, compiled, warping_windows
from kinesphere.kernels.arrays import ArrayLike, Floats, Ints, floats, lengths
from kinesphere.kernels.warping_costs import PoseCost, ShapeCost, measured
from kinesphere.kernels.warping_reference import Bytes, pose_reference, shape_reference, trace_reference
from kinesphere.kernels.warping_windows import Window

__all__ = ["Cost", "PoseCost", "ShapeCost", "Warp", "warp"]

Cost: TypeAlias = Literal["shape", "pose"] | ShapeCost | PoseCost

_COARSEST = 32  # frames below which all nodes are searched
_AT_ONCE = 1 << 18  # distances that a given function is asked for at a time


class Warp(NamedTuple):
    """Pairs of frames ``(K, 2)`` that correspond, in order of time, and what they cost."""

    path: Ints
    cost: float


def warp(
    a: ArrayLike,
    b: ArrayLike,
    cost: Cost = "shape",
    *,
    band: int | None = None,
    about: ArrayLike | None = None,
    coarse: int | None = None,
) -> Warp:
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
        return _search(first, second, how, warping_windows.whole(rows, columns))
    radius = _radius("band", band)
    if about is None:
        path = warping_windows.diagonal(rows, columns)
    else:
        path = warping_windows.checked_path(about, rows, columns)
    return _search(first, second, how, warping_windows.around(path, rows, columns, radius))


def _coarse_to_fine(a: Floats, b: Floats, cost: ShapeCost | PoseCost, radius: int) -> Warp:
    rows, columns = len(a), len(b)
    if min(rows, columns) <= max(_COARSEST, 2 * radius):
        return _search(a, b, cost, warping_windows.whole(rows, columns))
    path = 2 * _coarse_to_fine(bands.smoothed(a)[::2], bands.smoothed(b)[::2], cost, radius).path
    path = np.concatenate([path, [[rows - 1, columns - 1]]])
    return _search(a, b, cost, warping_windows.around(path, rows, columns, radius))


def _search(a: Floats, b: Floats, cost: ShapeCost | PoseCost, window: Window) -> Warp:
    directions: Bytes = np.empty(window.nodes, dtype=np.uint8)
    kernels = compiled.kernels(window.nodes * a.shape[1])
    if kernels is None:
        with compiled.plain_work():
            total, state = _plain(a, b, cost, window, directions)
            return Warp(trace_reference(directions, window, state), total)
    rows = window.low, window.high, window.starts
    if isinstance(cost, ShapeCost):
        (la, lb), (ta, tb) = measured(a, b, cost)
        lb, tb = np.ascontiguousarray(lb.T), np.ascontiguousarray(tb.T)
        total, state = kernels.warp_shape(la, ta, lb, tb, *rows, directions)
    elif cost.distance is None:
        frames, others = np.ascontiguousarray(a), np.ascontiguousarray(b.T)
        total, state = kernels.warp_pose(frames, others, cost.penalty, *rows, directions)
    else:
        carried = np.full(len(b) + 1, np.inf)
        carried[0] = 0.0
        for part, base, distances in _given_distances(a, b, cost, window):
            some = (of[part] for of in rows)
            state = kernels.warp_distances(distances, base, cost.penalty, *some, directions, carried)
        total = carried[-1]
    return Warp(kernels.trace_warp(directions, *rows, state), float(total))


def _plain(a: Floats, b: Floats, cost: ShapeCost | PoseCost, window: Window, directions: Bytes) -> tuple[float, int]:
    if isinstance(cost, ShapeCost):
        return shape_reference(*measured(a, b, cost), window, directions)
    if cost.distance is None:
        return pose_reference(lambda i, j: lengths(a[i] - b[j]), cost.penalty, window, directions)
    table = np.empty(window.nodes)
    for part, base, distances in _given_distances(a, b, cost, window):
        for i, row in zip(range(part.start, part.stop), distances, strict=True):
            low, high, start = window.low[i], window.high[i], window.starts[i]
            table[start + low : start + high + 1] = row[low - base : high + 1 - base]
    return pose_reference(lambda i, j: table[window.starts[i] + j], cost.penalty, window, directions)


def _given_distances(a: Floats, b: Floats, cost: PoseCost, window: Window) -> Iterator[tuple[slice, int, Floats]]:
    """Some rows at a time: which, their first column, and the distances ``(rows, columns)`` of a given function."""
    assert cost.distance is not None
    step = max(_AT_ONCE // len(b), 1)
    for start in range(0, len(a), step):
        part = slice(start, min(start + step, len(a)))
        base, end = int(window.low[part.start]), int(window.high[part.stop - 1]) + 1
        some, others = a[part], b[base:end]
        distances = np.ascontiguousarray(floats(cost.distance(some, others)))
        if distances.shape != (len(some), len(others)) or not np.isfinite(distances).all():
            expected = f"finite distances ({len(some)}, {len(others)})"
            raise ValueError(f"the distance function gave {distances.shape} numbers; expected {expected}")
        yield part, base, distances


def _signal(name: str, values: ArrayLike) -> Floats:
    v = bands.checked(name, values)
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
