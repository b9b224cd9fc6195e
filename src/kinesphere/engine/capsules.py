"""Hand-body collision: distance of hands from capsules about trunk, head and thighs, and pushing hands out.

A capsule is flattened ahead: its cross-section is an ellipse. Distances are measured in axes that are stretched ahead
until it is round. Keys inside a capsule are pushed out of it, softly; moving keys keeps paths smooth, while moving
every frame's hand would not, as "out" turns about across the middle. Near the body hands have less room for flourishes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.maths.vectors import Floats, clip, norms, smoothstep

# For a figure 1.70 m tall, in metres: half widths aside and ahead, with flesh and half a hand.
TRUNK, HEAD, THIGH = (0.205, 0.158), (0.125, 0.140), (0.122, 0.125)
SOFT = 0.016  # outside of the surface, where the push begins
SHOULDER, TOUCHING = 0.180, 0.11  # from the middle to a shoulder, and between the wrists of hands that touch
ROOMY, APART = 0.13, 0.09  # around a hand, and between two, that leave room for all flourishes


class Capsule(NamedTuple):
    """A capsule of every frame, in the chest's axes from the shoulder."""

    start: Floats  # (F, 3) ends of its line
    end: Floats  # (F, 3)
    wide: float  # half width aside
    deep: float  # half width ahead


def distance_outside(points: Floats, volumes: list[Capsule]) -> Floats:
    """How far ``(F,)`` points ``(F, 3)`` are outside of the nearest volume, 0 inside."""
    if not volumes:
        return np.full(len(points), np.inf)
    free = [capsule_distance(points, np.stack([v.start, v.end], axis=-2), v.wide, v.deep) for v in volumes]
    return np.asarray(np.maximum(np.min(free, axis=0), 0.0))


def flourish_scale_between_hands(left: Floats, right: Floats, size: float) -> Floats:
    """``(F,)`` factor 0–1 by which flourishes shrink when the wrists ``(F, 3)``, from their shoulders, are close."""
    gap = norms(left - right + np.array([2.0 * SHOULDER * size, 0.0, 0.0]))
    return np.asarray(smoothstep((gap - TOUCHING * size) / (APART * size)))


def capsule_distance(points: Floats, lines: Floats, wide: Floats | float, deep: Floats | float) -> Floats:
    """How far ``(...)`` points ``(..., 3)`` are outside of capsules about ``lines (..., 2, 3)``; below zero inside."""
    return np.asarray(norms(_offset(points, lines, wide / deep)) - wide)


def _offset(points: Floats, lines: Floats, stretch: Floats | float) -> Floats:
    """Vectors ``(..., 3)`` from lines to points, in axes stretched ahead until a capsule is round."""
    start, bone = lines[..., 0, :], lines[..., 1, :] - lines[..., 0, :]
    offset, bone = np.broadcast_arrays(points - start, bone)
    offset, bone = offset.copy(), bone.copy()
    offset[..., 2] *= stretch
    bone[..., 2] *= stretch
    along = np.einsum("...i,...i->...", offset, bone) / np.maximum(np.einsum("...i,...i->...", bone, bone), 1e-9)
    return np.asarray(offset - clip(along, 0.0, 1.0)[..., None] * bone)
