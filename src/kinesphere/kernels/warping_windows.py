"""Where a timewarp may go: for each frame of one signal, a run of frames of the other.

A window follows a path without gaps and takes in whatever lies within ``radius`` frames of it, either way. So the end
is reached however narrow it is, and what it takes in does not depend on which signal comes first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.kernels.arrays import ArrayLike, Floats, Ints


@dataclass(frozen=True, eq=False)
class Window:
    """The nodes ``(i, low[i] … high[i])`` of a grid, kept row after row: node (i, j) at ``starts[i] + j``.

    Attributes
    ----------
    low, high, starts : (N,)
    nodes
        How many nodes there are.
    """

    low: Ints
    high: Ints
    starts: Ints
    nodes: int


def whole(rows: int, columns: int) -> Window:
    """All nodes of the grid."""
    return _window(np.zeros(rows, dtype=np.intp), np.full(rows, columns - 1, dtype=np.intp))


def around(path: Ints, rows: int, columns: int, radius: int) -> Window:
    """The nodes of a grid within ``radius`` rows and columns of a path ``(K, 2)`` from its first to its last node."""
    dense = without_gaps(path)
    low, high = np.full(rows, columns, dtype=np.intp), np.zeros(rows, dtype=np.intp)
    np.minimum.at(low, dense[:, 0], dense[:, 1])
    np.maximum.at(high, dense[:, 0], dense[:, 1])
    row = np.arange(rows)
    low = np.maximum(low[np.maximum(row - radius, 0)] - radius, 0)
    high = np.minimum(high[np.minimum(row + radius, rows - 1)] + radius, columns - 1)
    return _window(low, high)


def diagonal(rows: int, columns: int) -> Ints:
    """The straight path through a grid, without gaps."""
    return without_gaps(np.array([[0, 0], [rows - 1, columns - 1]], dtype=np.intp))


def without_gaps(path: Ints) -> Ints:
    """A path ``(K, 2)`` with straight runs of nodes between those that lie apart."""
    steps = np.diff(path, axis=0)
    parts = np.maximum(steps.max(axis=1, initial=0), 1)
    which = np.repeat(np.arange(len(steps)), parts)
    share = (np.arange(len(which)) - np.repeat(np.cumsum(parts) - parts, parts)) / parts[which]
    between: Floats = path[which] + np.rint(share[:, None] * steps[which])
    return np.concatenate([between.astype(np.intp), path[-1:]])


def checked_path(path: ArrayLike, rows: int, columns: int) -> Ints:
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
