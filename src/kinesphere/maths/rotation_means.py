"""Weighted means of rotations over time, continuous also where they are half a turn apart.

Two rotations have two ways between them. The shorter one changes sides where they come to be 180° apart, and a mean
along it jumps there. Here a way is followed from frame to frame, also somewhat beyond 180°; where it becomes too long,
the mean goes over to the other side within a stretch of time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, norms, smootherstep

NEAR_HALF = float(np.radians(150.0))  # apart: joints that never come so far have one way only
LONGEST = float(np.radians(235.0))  # a way that becomes longer is left for the other one
FULL = 2.0 * np.pi


def mean_rotations(sources: Sequence[Floats], shares: Floats, change: float) -> Floats:
    """The weighted mean ``(T, J, 4)`` of rotations ``(T, J, 4)`` by ``shares (N, T)``, which sum to one.

    Of two it is their slerp. Of more it is taken along the ways from the one with the greatest share. ``change`` is
    the number of frames in which a way is left for the other one.
    """
    first = int(np.argmax(shares.mean(axis=1))) if len(sources) > 2 else 0
    about, others = sources[first], [k for k in range(len(sources)) if k != first]
    if len(others) == 1 and not _far_joints(about, sources[others[0]]).any():
        share = np.repeat(shares[others[0]][:, None], about.shape[1], axis=1)
        return rotations.slerp(about, sources[others[0]], share)
    total = np.zeros((*about.shape[:2], 3))
    for k in others:
        total += _weighted_ways(about, sources[k], shares[k], change, alone=len(others) == 1)
    return rotations.multiply(about, rotations.from_rotation_vector(total))


def _weighted_ways(a: Floats, b: Floats, share: Floats, change: float, *, alone: bool) -> Floats:
    """Rotation vectors ``(T, J, 3)``, in the axes of ``a``, that go a ``share (T,)`` of the way to ``b``."""
    ways = rotations.to_rotation_vector(rotations.multiply(rotations.conjugate(a), b))
    far = np.flatnonzero((norms(ways) > NEAR_HALF).any(axis=0))
    jumps: list[tuple[int, int, Floats]] = []
    if far.size:
        ways[:, far], jumps = _follow(ways[:, far])
    ways *= share[:, None, None]
    frames = np.arange(len(ways))
    for at, column, jump in jumps:
        # From the end of one way to the same share of the other: back past a, or on past b, whichever is nearer.
        window = (frames - at) / max(change, 1.0) + 0.5
        inside = share[(window >= 0.0) & (window <= 1.0)].mean()
        part = share - 1.0 if alone and inside > 0.5 else share
        ways[:, far[column]] += (part * ((frames >= at) - smootherstep(window)))[:, None] * jump
    return ways


def _far_joints(a: Floats, b: Floats) -> Bools:
    """``(J,)`` whether two rotations ``(T, J, 4)`` of a joint are ever nearly half a turn apart."""
    return np.asarray((np.abs(np.einsum("tjc,tjc->tj", a, b)) < np.cos(0.5 * NEAR_HALF)).any(axis=0))


def _follow(short: Floats) -> tuple[Floats, list[tuple[int, int, Floats]]]:
    """Shortest ways ``(T, J, 3)`` followed in time, and where one was left for the other: frame, joint, difference."""
    long = short * (1.0 - FULL / np.maximum(norms(short), 1e-9))[..., None]
    ways, jumps = short.copy(), list[tuple[int, int, Floats]]()
    for t in range(1, len(ways)):
        other = norms(long[t] - ways[t - 1]) < norms(short[t] - ways[t - 1])
        ways[t] = np.where(other[:, None], long[t], short[t])
        too_long = np.flatnonzero(norms(ways[t]) > LONGEST)
        if too_long.size:
            jumps += [(t, j, long[t, j] - short[t, j]) for j in too_long.tolist()]
            ways[t, too_long] = short[t, too_long]
    return ways, jumps
