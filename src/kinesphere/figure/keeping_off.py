"""The body as hands see it: trunk, head and thighs, as far as flesh and half a hand go.

Shape brings keys near: those inside a volume are moved out of it, softly, and what is clear already is left alone.
Moving keys keeps paths smooth; moving every frame's hand would not, as "out" turns about across the middle. Near the
body hands have less room for their flourishes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.kernels.arrays import Floats, lengths, within

# For a figure 1.70 m tall, in metres: half widths aside and ahead, with flesh and half a hand.
TRUNK, HEAD, THIGH = (0.205, 0.158), (0.125, 0.140), (0.122, 0.125)
SOFT = 0.016  # over which the way out begins
SHOULDER, MEET = 0.180, 0.11  # metres from the middle to a shoulder, and between the wrists of hands that meet
ROOMY = 0.09  # metres around a hand in which it has room for all of its flourishes


class Volume(NamedTuple):
    """A capsule about a line, each frame's, flattened ahead; as the chest sees it from the shoulder."""

    start: Floats  # (F, 3)
    end: Floats  # (F, 3)
    wide: float
    deep: float


def pushed_out(points: Floats, volumes: list[Volume]) -> Floats:
    """How far points ``(F, 3)`` are moved ``(F, 3)`` to be out of all volumes."""
    total = np.zeros_like(points)
    for volume in volumes:
        total = total + _out_of(points + total, volume)
    return total


def room(points: Floats, volumes: list[Volume]) -> Floats:
    """How far ``(F,)`` points ``(F, 3)`` are outside of the nearest volume, 0 inside."""
    if not volumes:
        return np.full(len(points), np.inf)
    return np.asarray(np.maximum(np.min([lengths(_away(points, v)[0]) - v.wide for v in volumes], axis=0), 0.0))


def room_between(left: Floats, right: Floats, size: float) -> Floats:
    """``(F,)`` how much of their flourishes hands leave each other room for, whose wrists are so from the shoulders."""
    gap = lengths(left - right + np.array([2.0 * SHOULDER * size, 0.0, 0.0]))
    free = within((gap - MEET * size) / (ROOMY * size), 0.0, 1.0)
    return np.asarray(free * free * (3.0 - 2.0 * free))


def _away(points: Floats, volume: Volume) -> tuple[Floats, Floats]:
    """From the volume's line to the points ``(F, 3)``, in axes stretched ahead by so much ``(3,)`` that it is round."""
    round_ = np.array([1.0, 1.0, volume.wide / volume.deep])
    start, bone, at = volume.start * round_, (volume.end - volume.start) * round_, points * round_
    along = np.einsum("fi,fi->f", at - start, bone) / np.maximum(np.einsum("fi,fi->f", bone, bone), 1e-9)
    return at - start - within(along, 0.0, 1.0)[:, None] * bone, round_


def _out_of(points: Floats, volume: Volume) -> Floats:
    away, round_ = _away(points, volume)
    far = lengths(away)
    depth = volume.wide - far
    if not (depth > -SOFT).any():
        return np.zeros_like(points)
    push = np.where(depth >= SOFT, depth, np.maximum(depth + SOFT, 0.0) ** 2 / (4.0 * SOFT))
    # The deeper, the more it goes ahead instead of straight out: across the middle "out" would turn about.
    way = away + 2.0 * np.maximum(depth, 0.0)[:, None] * np.array([0.0, 0.0, 1.0])
    way = way / np.maximum(lengths(way), 1e-9)[:, None]
    along = np.einsum("fi,fi->f", away, way)
    step = np.sqrt(np.maximum(along**2 + (far + push) ** 2 - far**2, 0.0)) - along
    return np.asarray(np.where(push > 0.0, step, 0.0)[:, None] * way / round_)
