"""Capsules about trunk, head and thighs: their sizes, distances of points from them, and room between two hands.

A capsule is flattened ahead: its cross-section is an ellipse. Distances are measured in axes that are stretched ahead
until it is round. Here are the sizes. ``engine.arms`` shrinks flourishes near the body; ``laban.clearance`` moves keys
out of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.maths.vectors import Floats, norms, smoothstep

# For a figure 1.70 m tall, in metres: half widths aside and ahead, with flesh and half a hand.
TRUNK, HEAD, THIGH = (0.205, 0.158), (0.125, 0.140), (0.122, 0.125)
SOFT = 0.016  # outside of the surface, where the push begins
SHOULDER, TOUCHING = 0.180, 0.11  # from the middle to a shoulder, and between the wrists of hands that touch
ROOMY, APART = 0.13, 0.09  # around a hand, and between two, that leave room for all flourishes


class Capsule(NamedTuple):
    """A capsule in chest axes, from the shoulder."""

    start: Floats  # (3,) ends of its axis
    end: Floats  # (3,)
    wide: float  # half width aside
    deep: float  # half width ahead


def signed_distance(points: Floats, capsule: Capsule) -> Floats:
    """Signed distance ``(N,)`` of points ``(N, 3)`` from a capsule, in axes stretched ahead; negative inside."""
    distances = np.empty(len(points))
    _native.capsules.signed_distance(np.ascontiguousarray(points), *capsule, distances)
    return distances


def flourish_scale_between_hands(left: Floats, right: Floats, size: float) -> Floats:
    """``(F,)`` factor 0–1 by which flourishes shrink when the wrists ``(F, 3)``, from their shoulders, are close."""
    gap = norms(left - right + np.array([2.0 * SHOULDER * size, 0.0, 0.0]))
    return np.asarray(smoothstep((gap - TOUCHING * size) / (APART * size)))
