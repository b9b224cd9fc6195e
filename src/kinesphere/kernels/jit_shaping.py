"""Compiled shaping functions. Import this only through ``compiled``."""

from __future__ import annotations

from kinesphere.kernels.jit_terms import compile_kernel


@compile_kernel
def shape_rows(table, centre, half, shape, amount, made):  # type: ignore[no-untyped-def]
    """Rows (T, C) passed through a piecewise cubic; see ``shaping``."""
    for t in range(table.shape[0]):
        for c in range(table.shape[1]):
            made[t, c] = shape_value(table[t, c], centre[c], half[c], shape, amount)


@compile_kernel
def shape_value(value, centre, width, shape, amount):  # type: ignore[no-untyped-def]
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
def column_ends(table, low, high):  # type: ignore[no-untyped-def]
    """The least (C,) and the greatest (C,) of each column of a table (T, C)."""
    low[:], high[:] = table[0], table[0]
    for t in range(1, table.shape[0]):
        for c in range(table.shape[1]):
            low[c], high[c] = min(low[c], table[t, c]), max(high[c], table[t, c])
