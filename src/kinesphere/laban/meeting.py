"""Hands that meet stay met: Shape moves keys at which both hands are together as one."""

from __future__ import annotations

import numpy as np

from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats, lengths, within

SHOULDER = (0.180, 0.0, 0.0)  # metres from the middle of the chest, out: for a figure 1.70 m tall
CLAVICLE = (0.156, 0.0, -0.034)  # metres
TOGETHER, APART = 0.12, 0.20  # metres between wrists that touch, and that have nothing to do with each other
AT_ONCE = 0.04  # seconds


def carried(forward: Floats, up: Floats, side: str) -> Floats:
    """How far ``(K, 3)`` a shoulder goes whose clavicle is turned forward and up by these angles ``(K,)``."""
    sign = 1.0 if side == "left" else -1.0
    turned = rotations.from_rotation_vector(np.stack([np.zeros_like(up), -sign * forward, sign * up], axis=-1))
    bone = np.array([sign * CLAVICLE[0], CLAVICLE[1], CLAVICLE[2]])
    return np.asarray(rotations.rotate(turned, bone) - bone)


def met(
    times: dict[str, Floats], written: dict[str, Floats], shaped: dict[str, Floats], shoulders: dict[str, Floats]
) -> dict[str, Floats]:
    """Keys ``(K, 3)`` of both sides as Shape moves them, those at which hands meet by the mean of both ways.

    ``times`` are seconds, ``written`` and ``shaped`` places from the shoulders; ``shoulders`` is how far Shape moves
    these themselves at the keys, which hands that meet do not follow.
    """
    moved = {side: shaped[side].copy() for side in shaped}
    apart = np.array(SHOULDER) * 2.0
    for i, time in enumerate(times["left"]):
        j = int(np.argmin(np.abs(times["right"] - time)))
        if abs(float(times["right"][j]) - float(time)) > AT_ONCE:
            continue
        gap = lengths(written["left"][i] - written["right"][j] + apart)
        share = float(within((APART - gap) / (APART - TOGETHER), 0.0, 1.0))
        ways = [shaped[side][k] - written[side][k] for side, k in (("left", i), ("right", j))]
        mean = 0.5 * (ways[0] + ways[1])
        for (side, k), way in zip((("left", i), ("right", j)), ways, strict=True):
            moved[side][k] = written[side][k] + way + share * (mean - way - shoulders[side][k])
    return moved
