"""A motion's own frames where a path of matched frames puts them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.kernels.arrays import Floats, Ints, within
from kinesphere.motion.motion import Motion
from kinesphere.signals.alignment import performed
from kinesphere.signals.curves import Curves


def matched(motion: Motion, path: Ints, onto: Motion) -> Motion:
    """The motion's frames where a path ``(K, 2)`` of frames of ``onto`` and of the motion puts them.

    One frame for one is itself; several for one are their mean; one for several is spread by a cubic B-spline, from the
    frame before it to the one after.
    """
    curves = Curves.of(performed(motion))
    first = np.array([path[0, 0], motion.performed_frames[0]])
    table = spread(curves.table, path - first)
    return replace(curves.with_table(table), rate=onto.rate)


def spread(values: Floats, path: Ints) -> Floats:
    """Values ``(M, D)`` as a path ``(K, 2)`` from frames 0 to N − 1 to theirs puts them: ``(N, D)``."""
    rows = int(path[-1, 0]) + 1
    starts = np.searchsorted(path[:, 0], np.arange(rows + 1))
    counts = np.diff(starts)
    sums = np.add.reduceat(values[path[:, 1]], starts[:-1], axis=0)
    made = np.asarray(sums / counts[:, None])
    # Runs of rows that have one and the same frame alone.
    frame = path[starts[:-1], 1]
    alone = counts == 1
    i = 0
    while i < rows:
        end = i + 1
        while end < rows and alone[i] and alone[end] and frame[end] == frame[i]:
            end += 1
        if end - i > 1:
            count = end - i
            made[i:end] = b_spline(values, frame[i] - 1.0 + 2.0 * np.arange(1, count + 1) / (count + 1))
        i = end
    return made


def b_spline(values: Floats, at: Floats) -> Floats:
    """A uniform cubic B-spline with control points ``(T, D)`` at places ``(N,)`` counted in them."""
    whole = np.floor(at).astype(np.intp)
    u = (at - whole)[:, None]
    weights = ((1.0 - u) ** 3, 3.0 * u**3 - 6.0 * u**2 + 4.0, -3.0 * u**3 + 3.0 * u**2 + 3.0 * u + 1.0, u**3)
    taken = (values[within(whole + k, 0, len(values) - 1)] for k in (-1, 0, 1, 2))
    return np.asarray(sum(w * v for w, v in zip(weights, taken, strict=True)) / 6.0)
