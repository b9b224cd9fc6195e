"""Compiled rows between rows. Import this only through ``compiled``."""

from __future__ import annotations

import math

from kinesphere.kernels.jit_terms import compile_exact


@compile_exact
def cubic_rows(table, places, loop, out):  # type: ignore[no-untyped-def]
    """Rows (F, C) of a table (N, C) at places (F,); see ``rows.rows_at``."""
    last = table.shape[0] - 1
    around = max(last, 1)
    for i in range(places.shape[0]):
        whole = math.floor(places[i])
        u = places[i] - whole
        if loop:
            p, q, r, s = (whole - 1) % around, whole % around, (whole + 1) % around, (whole + 2) % around
        else:
            p, q = min(max(whole - 1, 0), last), min(max(whole, 0), last)
            r, s = min(max(whole + 1, 0), last), min(max(whole + 2, 0), last)
        for k in range(table.shape[1]):
            a, b, c, d = table[p, k], table[q, k], table[r, k], table[s, k]
            out[i, k] = b + 0.5 * u * (c - a + u * (2.0 * a - 5.0 * b + 4.0 * c - d + u * (3.0 * (b - c) + d - a)))
