"""The body as hands see it: trunk, head and thighs, as far as flesh and half a hand go.

Shape brings keys near: those inside a volume are moved out of it, softly, and what is clear already is left alone.
Moving keys keeps paths smooth; moving every frame's hand would not, as "out" turns about across the middle. Near the
body hands have less room for their flourishes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.maths.vectors import Floats, clip, norms

# For a figure 1.70 m tall, in metres: half widths aside and ahead, with flesh and half a hand.
TRUNK, HEAD, THIGH = (0.205, 0.158), (0.125, 0.140), (0.122, 0.125)
SOFT = 0.016  # over which the way out begins
SHOULDER, MEET = 0.180, 0.11  # metres from the middle to a shoulder, and between the wrists of hands that meet
ROOMY, APART = 0.13, 0.09  # metres around a hand, and between two, that leave it room for all of its flourishes


class Capsule(NamedTuple):
    """A capsule about a line, each frame's, flattened ahead; as the chest sees it from the shoulder."""

    start: Floats  # (F, 3)
    end: Floats  # (F, 3)
    wide: float
    deep: float


def distance_outside(points: Floats, volumes: list[Capsule]) -> Floats:
    """How far ``(F,)`` points ``(F, 3)`` are outside of the nearest volume, 0 inside."""
    if not volumes:
        return np.full(len(points), np.inf)
    free = [capsule_distance(points, np.stack([v.start, v.end], axis=-2), v.wide, v.deep) for v in volumes]
    return np.asarray(np.maximum(np.min(free, axis=0), 0.0))


def flourish_room(left: Floats, right: Floats, size: float) -> Floats:
    """``(F,)`` how much of their flourishes hands leave each other room for, whose wrists are so from the shoulders."""
    gap = norms(left - right + np.array([2.0 * SHOULDER * size, 0.0, 0.0]))
    free = clip((gap - MEET * size) / (APART * size), 0.0, 1.0)
    return np.asarray(free * free * (3.0 - 2.0 * free))


def capsule_distance(points: Floats, lines: Floats, wide: Floats | float, deep: Floats | float) -> Floats:
    """How far ``(...)`` points ``(..., 3)`` are outside of capsules about ``lines (..., 2, 3)``; below zero inside."""
    return np.asarray(norms(_away(points, lines, wide / deep)) - wide)


def push_out_of_capsule(points: Floats, lines: Floats, wide: Floats, deep: Floats) -> Floats:
    """How far ``(..., 3)`` points ``(..., 3)`` are moved to be out of capsules about ``lines (..., 2, 3)``.

    All broadcast. Lines go upwards.
    """
    stretch = wide / deep
    away = _away(points, lines, stretch)
    far = norms(away)
    depth = wide - far
    push = np.where(depth >= SOFT, depth, np.maximum(depth + SOFT, 0.0) ** 2 / (4.0 * SOFT))
    # The deeper, the more it goes ahead instead of straight out: across the middle "out" would turn about.
    bone = lines[..., 1, :] - lines[..., 0, :]
    size = np.maximum(np.hypot(bone[..., 1], bone[..., 2]), 1e-9)
    deeper = 2.0 * np.maximum(depth, 0.0) / size
    way = away.copy()
    way[..., 1] -= deeper * bone[..., 2]
    way[..., 2] += deeper * bone[..., 1] * stretch
    way = way / np.maximum(norms(way), 1e-9)[..., None]
    along = np.einsum("...i,...i->...", away, way)
    step = np.sqrt(np.maximum(along**2 + (far + push) ** 2 - far**2, 0.0)) - along
    moved = np.where(push > 0.0, step, 0.0)[..., None] * way
    moved[..., 2] /= stretch
    return np.asarray(moved)


def _away(points: Floats, lines: Floats, stretch: Floats | float) -> Floats:
    """From lines to points ``(..., 3)``, in axes stretched ahead by so much that a capsule is round."""
    start, bone = lines[..., 0, :], lines[..., 1, :] - lines[..., 0, :]
    away, bone = np.broadcast_arrays(points - start, bone)
    away, bone = away.copy(), bone.copy()
    away[..., 2] *= stretch
    bone[..., 2] *= stretch
    along = np.einsum("...i,...i->...", away, bone) / np.maximum(np.einsum("...i,...i->...", bone, bone), 1e-9)
    return np.asarray(away - clip(along, 0.0, 1.0)[..., None] * bone)
