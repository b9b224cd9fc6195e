"""Curves passed through a shaping function: a point process (waveshaping, as synthesisers do it).

Each column v of a table is brought to n = (v − centre) / half, shaped, mixed with what it was, and brought back:

    v + amount · half · (f(n) − n)

f is a piecewise cubic, which goes on along its limit tangents. What has no width, half = 0, stays as it is.
"""

from __future__ import annotations

import numpy as np

from kinesphere.maths import compiled
from kinesphere.maths.compiled import compile_kernel
from kinesphere.maths.splines import Spline
from kinesphere.maths.vectors import ArrayLike, Floats, as_floats


def cubic_coefficients(curve: Spline) -> Floats:
    """``(N − 1, 4)`` of each segment the numbers c₀ … c₃ of c₀ + c₁ u + c₂ u² + c₃ u³, u counted from its first key.

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
    """``(N + 1, 5)`` keys, and the numbers of the pieces that begin there: the first and the last are the tangents."""
    first = [curve.times[0], curve.keys[0], curve.outgoing[0], 0.0, 0.0]
    last = [curve.times[-1], curve.keys[-1], curve.incoming[-1], 0.0, 0.0]
    return np.concatenate([[first], np.column_stack([curve.times[:-1], cubic_coefficients(curve)]), [last]])


def column_ranges(table: Floats) -> tuple[Floats, Floats]:
    """The middle ``(C,)`` and half the width ``(C,)`` of what each column of ``(T, C)`` does."""
    kernels = compiled.kernels(table.size)
    if kernels is None:
        low, high = table.min(axis=0), table.max(axis=0)
    else:
        low, high = np.empty(table.shape[1]), np.empty(table.shape[1])
        kernels.column_ends(np.ascontiguousarray(table), low, high)
    return np.asarray(0.5 * (low + high)), np.asarray(0.5 * (high - low))


def waveshape(table: Floats, centre: ArrayLike, half: ArrayLike, curve: Spline, amount: float = 1.0) -> Floats:
    """The table ``(T, C)`` with its columns shaped about ``centre (C,)`` over ``half (C,)`` to each side."""
    middle, width = (np.ascontiguousarray(np.broadcast_to(as_floats(a), table.shape[1:])) for a in (centre, half))
    kernels = compiled.kernels(4 * table.size)
    if kernels is None:
        with compiled.plain_work():
            return waveshape_reference(table, middle, width, curve, amount)
    values, made, shape = np.ascontiguousarray(table), np.empty(table.shape), shape_table(curve)

    def some(part: slice) -> None:
        kernels.shape_rows(values[part], middle, width, shape, amount, made[part])

    compiled.share_frames(len(values), 4 * values.size, some)
    return made


def waveshape_reference(table: Floats, centre: Floats, half: Floats, curve: Spline, amount: float) -> Floats:
    """The same in plain NumPy."""
    near = (table - centre) / np.where(half > 0.0, half, 1.0)
    return np.asarray(table + amount * half * (curve.value(near) - near))


# ---- Compiled shaping functions. Import this only through ``compiled``.


@compile_kernel
def waveshape_kernel(table, centre, half, shape, amount, made):  # type: ignore[no-untyped-def]
    """Rows (T, C) passed through a piecewise cubic; see ``shaping``."""
    for t in range(table.shape[0]):
        for c in range(table.shape[1]):
            made[t, c] = waveshape_value(table[t, c], centre[c], half[c], shape, amount)


@compile_kernel
def waveshape_value(value, centre, width, shape, amount):  # type: ignore[no-untyped-def]
    """One value passed through it; ``shape (N + 1, 5)`` are the pieces' numbers after their keys."""
    if not width > 0.0:
        return value
    near = (value - centre) / width
    last = shape.shape[0] - 1
    k = 0
    while k < last and near >= shape[k + 1, 0]:
        k += 1
    u = near - shape[k, 0]
    return value + amount * width * (shape[k, 1] + u * (shape[k, 2] + u * (shape[k, 3] + u * shape[k, 4])) - near)


@compile_kernel
def column_ranges_kernel(table, low, high):  # type: ignore[no-untyped-def]
    """The least (C,) and the greatest (C,) of each column of a table (T, C)."""
    low[:], high[:] = table[0], table[0]
    for t in range(1, table.shape[0]):
        for c in range(table.shape[1]):
            low[c], high[c] = min(low[c], table[t, c]), max(high[c], table[t, c])
