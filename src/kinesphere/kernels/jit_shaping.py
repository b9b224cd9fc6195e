"""Compiled shaping functions. Import this only through ``compiled``."""

from __future__ import annotations

from kinesphere.kernels.jit_terms import compile_kernel


@compile_kernel
def shape_rows(table, centre, half, keys, numbers, leaving, arriving, last, amount, made):  # type: ignore[no-untyped-def]
    """Rows (T, C) passed through a piecewise cubic; see ``shaping``."""
    count = keys.shape[0]
    for t in range(table.shape[0]):
        for c in range(table.shape[1]):
            value, width = table[t, c], half[c]
            if not width > 0.0:
                made[t, c] = value
                continue
            near = (value - centre[c]) / width
            if near <= keys[0]:
                shape = numbers[0, 0] + (near - keys[0]) * leaving
            elif near >= keys[count - 1]:
                shape = last + (near - keys[count - 1]) * arriving
            else:
                k = 0
                while near >= keys[k + 1]:
                    k += 1
                u = near - keys[k]
                shape = numbers[k, 0] + u * (numbers[k, 1] + u * (numbers[k, 2] + u * numbers[k, 3]))
            made[t, c] = value + amount * width * (shape - near)
