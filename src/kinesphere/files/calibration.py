"""Frames that were never performed: a T-pose put before the take."""

from __future__ import annotations

import numpy as np

from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats, Ints

_AT_REST = np.radians(2.0)  # a joint that has turned no further from its rest counts as at rest
_LEAST_LEAP = np.radians(15.0)
_LONGEST = 4  # frames that an inserted pose is held for
_ENOUGH = 400  # steps that tell how fast a body usually moves


def inserted_frames(local: Floats, rest: Floats) -> tuple[int, ...]:
    """The first or last few frames, where they are a rest pose that the movement does not lead to.

    Two things must hold: in each of them most joints are at rest, and fewer are in the frame that follows; and the
    body as a whole leaps to that frame, much further than it ever moves between frames elsewhere.

    ``local`` are the rotations ``(T, J, 4)``, ``rest`` those of the rest pose ``(J, 4)``.
    """
    count, edge = len(local), _LONGEST + 1
    if count < 2 * edge:
        return ()
    inner = np.unique(np.linspace(_LONGEST, count - edge - 1, _ENOUGH).astype(np.intp))
    usual = float(np.percentile(_steps(local, inner).mean(axis=1), 99.0))
    held = []
    for frames in (np.arange(edge), np.arange(count - 1, count - edge - 1, -1)):
        resting = (rotations.angle_between(local[frames], rest) < _AT_REST).mean(axis=1)
        held.append(_held(_steps(local, np.minimum(frames[:-1], frames[1:])), resting, usual))
    return (*range(held[0]), *range(count - held[1], count))


def _steps(local: Floats, frames: Ints) -> Floats:
    """How far each joint turns from each of some frames to the next ``(F, J)``."""
    return rotations.angle_between(local[frames + 1], local[frames])


def _held(steps: Floats, resting: Floats, usual: float) -> int:
    """How many frames from the edge inwards are an inserted pose."""
    for count in range(_LONGEST, 0, -1):
        leap = steps[count - 1]
        leaps = leap.max() > _LEAST_LEAP and leap.mean() > 2.5 * usual
        if leaps and resting[:count].min() > 0.5 and resting[count] < resting[:count].min() - 0.2:
            return count
    return 0
