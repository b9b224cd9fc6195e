"""Waveshaping: curves through a shaping function, value by value, as synthesisers do it.

Each column v of a table is brought to n = (v − centre) / half, shaped, mixed with what it was, and brought back:

    v + amount · half · (f(n) − n)

f is a piecewise cubic, which goes on along its limit tangents. A column without width, half = 0, stays as it is.
"""

from __future__ import annotations

import numpy as np

from kinesphere import _native
from kinesphere.maths.splines import Spline
from kinesphere.maths.threads import share_frames
from kinesphere.maths.vectors import ArrayLike, Floats, as_floats


def cubic_coefficients(curve: Spline) -> Floats:
    """Coefficients ``(N − 1, 4)`` of each segment, c₀ + c₁ u + c₂ u² + c₃ u³, with u counted from its first key.

    The curve has numbers as keys, two at least.
    """
    first, last = curve.keys[:-1], curve.keys[1:]
    leaving, arriving = curve.outgoing[:-1], curve.incoming[1:]
    width = np.diff(curve.times)
    slope = (last - first) / width
    return np.stack(
        [
            first,
            leaving,
            (3.0 * slope - 2.0 * leaving - arriving) / width,
            (leaving + arriving - 2.0 * slope) / width**2,
        ],
        axis=1,
    )


def shape_table(curve: Spline) -> Floats:
    """``(N + 1, 5)`` keys and the coefficients of the pieces that begin there; the first and last are the tangents."""
    first = [curve.times[0], curve.keys[0], curve.outgoing[0], 0.0, 0.0]
    last = [curve.times[-1], curve.keys[-1], curve.incoming[-1], 0.0, 0.0]
    return np.concatenate([[first], np.column_stack([curve.times[:-1], cubic_coefficients(curve)]), [last]])


def column_ranges(table: Floats) -> tuple[Floats, Floats]:
    """The middle ``(C,)`` and half the width ``(C,)`` of each column of ``(T, C)``."""
    low, high = table.min(axis=0), table.max(axis=0)
    return np.asarray(0.5 * (low + high)), np.asarray(0.5 * (high - low))


def waveshape(table: Floats, centre: ArrayLike, half: ArrayLike, curve: Spline, amount: float = 1.0) -> Floats:
    """The table ``(T, C)`` with its columns shaped about ``centre (C,)`` over ``half (C,)`` to each side."""
    middle, width = (np.ascontiguousarray(np.broadcast_to(as_floats(a), table.shape[1:])) for a in (centre, half))
    values, made, shape = np.ascontiguousarray(table, dtype=np.float64), np.empty(table.shape), shape_table(curve)

    def some(part: slice) -> None:
        _native.waveshaping.waveshape(values[part], middle, width, shape, float(amount), made[part])

    share_frames(len(values), 4 * values.size, some)
    return made
