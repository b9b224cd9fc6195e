"""Rows of a table between its rows: by cubics through four of them (Catmull and Rom's), held at the ends or round."""

from __future__ import annotations

import numpy as np

from kinesphere.kernels import compiled
from kinesphere.kernels.arrays import Floats, within


def rows_at(table: Floats, places: Floats, loop: bool = False) -> Floats:
    """Rows ``(F, ...)`` of a table ``(N, ...)`` at places ``(F,)`` counted in rows.

    Places between rows are met by a cubic; at a whole place it is that row. Beyond the ends the last row is held, or
    where ``loop`` is true it goes round, the last row being the first again.
    """
    kernels = compiled.loaded(len(places) * max(table[0].size, 1))
    if kernels is None:
        return rows_at_reference(table, places, loop)
    flat = np.ascontiguousarray(table).reshape(len(table), -1)
    out = np.empty((len(places), flat.shape[1]))
    kernels.cubic_rows(flat, np.ascontiguousarray(places), loop, out)
    return out.reshape(len(places), *table.shape[1:])


def rows_at_reference(table: Floats, places: Floats, loop: bool) -> Floats:
    """The same in plain NumPy."""
    whole = np.floor(places).astype(np.intp)
    u = (places - whole).reshape((-1,) + (1,) * (table.ndim - 1))
    at = whole[:, None] + np.arange(-1, 3)
    at = np.mod(at, max(len(table) - 1, 1)) if loop else within(at, 0, len(table) - 1)
    a, b, c, d = (table[at[:, i]] for i in range(4))
    return np.asarray(b + 0.5 * u * (c - a + u * (2.0 * a - 5.0 * b + 4.0 * c - d + u * (3.0 * (b - c) + d - a))))
