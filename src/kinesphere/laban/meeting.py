"""Hands that meet stay met: Shape moves keys at which both hands are together as one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats, Ints, lengths, within

SHOULDER = (0.180, 0.0, 0.0)  # metres from the middle of the chest, out: for a figure 1.70 m tall
CLAVICLE = (0.156, 0.0, -0.034)  # metres
TOGETHER, APART = 0.12, 0.20  # metres between wrists that touch, and that have nothing to do with each other
AT_ONCE = 0.04  # seconds


class Pairs(NamedTuple):
    """Keys at which hands meet."""

    left: Ints  # (P,) rows of the left hand's keys
    right: Ints  # (P,) and of the right one's
    shares: Floats  # (P,) how much they meet


def pairs(times: Floats, written: Floats, fixed: Bools, sides: Mapping[str, slice]) -> Pairs | None:
    """Where hands with keys ``(K, 3)`` from their shoulders meet; None: nowhere, or some keys are the world's."""
    if len(sides) < 2 or fixed.any():
        return None
    left, right = sides["left"], sides["right"]
    rows = np.arange(left.start, left.stop)
    away = np.abs(times[rows, None] - times[right])
    others = right.start + away.argmin(axis=1)
    gap = lengths(written[rows] - written[others] + 2.0 * np.array(SHOULDER))
    shares = within((APART - gap) / (APART - TOGETHER), 0.0, 1.0)
    meet = (away.min(axis=1) <= AT_ONCE) & (shares > 0.0)
    return Pairs(rows[meet], others[meet], shares[meet]) if meet.any() else None


def carried(forward: Floats, up: Floats, side: str) -> Floats:
    """How far ``(K, 3)`` a shoulder goes whose clavicle is turned forward and up by these angles ``(K,)``."""
    sign = 1.0 if side == "left" else -1.0
    turned = rotations.from_rotation_vector(np.stack([np.zeros_like(up), -sign * forward, sign * up], axis=-1))
    bone = np.array([sign * CLAVICLE[0], CLAVICLE[1], CLAVICLE[2]])
    return np.asarray(rotations.rotate(turned, bone) - bone)


def met(pairs: Pairs, written: Floats, moved: Floats, forward: Floats, up: Floats) -> Floats:
    """Keys ``(K, 3)`` from their shoulders as Shape moves them, those at which hands meet by the mean of both ways.

    ``forward`` and ``up (K,)`` are what Shape adds to the clavicles: hands that meet do not follow their shoulders.
    """
    ends = {"left": pairs.left, "right": pairs.right}
    ways = {side: moved[rows] - written[rows] for side, rows in ends.items()}
    mean = 0.5 * (ways["left"] + ways["right"])
    together = moved.copy()
    for side, rows in ends.items():
        own = mean - ways[side] - carried(forward[rows], up[rows], side)
        together[rows] += pairs.shares[:, None] * own
    return together
