"""Timewarps in plain NumPy, an antidiagonal at a time: its nodes don't depend on each other.

Directions are kept as one byte a node. A step is 0 where both signals go on (a match), 1 where only the first does,
2 where only the second does. Two bits for each step that may leave the node say by which step the best path to there
had come in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from kinesphere.kernels.arrays import Floats, Ints
from kinesphere.kernels.warping_windows import Window

Bytes = NDArray[np.uint8]


def shape_reference(
    lengths: tuple[Floats, Floats], turns: tuple[Floats, Floats], window: Window, directions: Bytes
) -> tuple[float, int]:
    """The least work, and by which step its path comes in at the end; see ``warping``.

    ``lengths`` and ``turns`` are ``(N, D)`` and ``(M, D)``; ``directions`` ``(nodes,)`` are filled.
    """
    (la, lb), (ta, tb) = lengths, turns
    la_sum, lb_sum, ta_sum, tb_sum = la.sum(1), lb.sum(1), np.abs(ta).sum(1), np.abs(tb).sum(1)
    rows = len(la)
    # What leaving each row's node of an antidiagonal by each step has cost: of the last one, and of the one before it.
    last, older = np.full((3, rows + 1), np.inf), np.full((3, rows + 1), np.inf)
    older[0, 0] = 0.0  # the first node is matched for nothing
    into = np.empty((3, 0))
    for i, j in antidiagonals(window):
        x, y = ta[i], tb[j]
        same = np.abs(x - y).sum(1)
        half_second, half_first = np.abs(x - 0.5 * y).sum(1), np.abs(0.5 * x - y).sum(1)
        match = older[0, i] + np.abs(la[i] - lb[j]).sum(1)
        into = np.stack([match, last[1, i] + la_sum[i], last[2, i + 1] + lb_sum[j]])
        bends = np.array(
            [
                [same, half_second, half_first],
                [half_second, ta_sum[i], 0.5 * same],
                [half_first, 0.5 * same, tb_sum[j]],
            ]
        )
        leaving = into + bends  # (step out, step in, node)
        best = np.argmin(leaving, axis=1)
        directions[window.starts[i] + j] = best[0] | best[1] << 2 | best[2] << 4
        older, last = last, np.full_like(last, np.inf)
        last[:, i + 1] = leaving.min(axis=1)
    state = int(np.argmin(into[:, -1]))
    return float(into[state, -1]), state


def pose_reference(
    local: Callable[[Ints, Ints], Floats], penalty: float, window: Window, directions: Bytes
) -> tuple[float, int]:
    """The least sum of distances, and by which step its path comes in at the end.

    ``local(i, j)`` gives the distances between frames ``(n,)`` of the first and of the second signal.
    """
    rows = len(window.low)
    last, older = np.full(rows + 1, np.inf), np.full(rows + 1, np.inf)
    older[0] = 0.0
    total, best = np.empty(0), np.empty(0, dtype=np.intp)
    for i, j in antidiagonals(window):
        ways = np.stack([older[i], last[i] + penalty, last[i + 1] + penalty])
        best = np.argmin(ways, axis=0)
        total = ways.min(axis=0) + local(i, j)
        directions[window.starts[i] + j] = best * 0b010101  # however one leaves, one came in by the best step
        older, last = last, np.full_like(last, np.inf)
        last[i + 1] = total
    return float(total[-1]), int(best[-1])


def trace_reference(directions: Bytes, window: Window, state: int) -> Ints:
    """The path ``(K, 2)`` that comes in at the last node by this step."""
    i, j = len(window.low) - 1, int(window.high[-1])
    path = [(i, j)]
    while i or j:
        i, j = i - (state != 2), j - (state != 1)
        state = int(directions[window.starts[i] + j]) >> 2 * state & 3
        path.append((i, j))
    return np.array(path[::-1], dtype=np.intp)


def antidiagonals(window: Window) -> Iterator[tuple[Ints, Ints]]:
    """Nodes (i, j) with i + j = 0, 1, 2, … that lie in the window, ``i`` and ``j`` ``(n,)``; there may be none."""
    row = np.arange(len(window.low))
    first, last = row + window.low, row + window.high  # both strictly increasing: a window never goes back
    for k in range(int(last[-1]) + 1):
        i = np.arange(np.searchsorted(last, k), np.searchsorted(first, k, side="right"))
        yield i, k - i
