"""Shape on keys as ``place_keys`` puts it, without a body to keep off."""

from __future__ import annotations

import numpy as np

from kinesphere.laban.shape import limit_reach, rotate_keys


def shape_keys(positions, factors, side):
    """Keys ``(K, 3)`` relative to the shoulder with Shape ``(K, 4)`` or ``(4,)`` on them, within reach."""
    mirror = np.array([1.0 if side == "left" else -1.0, 1.0, 1.0])
    written = positions * mirror
    moved = rotate_keys(written, np.array(np.broadcast_to(factors, (len(written), 4))))
    limit_reach(moved, written)
    return moved * mirror
