"""Frames that were never performed: a T-pose put before the take."""

from __future__ import annotations

import numpy as np

from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.motion import Motion

_AT_REST = np.radians(2.0)  # a joint that has turned no further from its rest counts as at rest
_LEAST_LEAP = np.radians(15.0)
_LONGEST = 4  # frames that an inserted pose is held for


def inserted_frames(motion: Motion) -> tuple[int, ...]:
    """The first or last few frames, where they are a rest pose that the movement does not lead to.

    Two things must hold: in each of them most joints are at rest, and fewer are in the frame that follows; and the
    body as a whole leaps to that frame, much further than it ever moves between frames elsewhere.
    """
    if len(motion) < 2 * _LONGEST + 2:
        return ()
    steps = rotations.angle_between(motion.rotations[1:], motion.rotations[:-1])  # (T - 1, J)
    usual = float(np.percentile(steps[_LONGEST:-_LONGEST].mean(axis=1), 99.0))
    rest = motion.skeleton.rest_rotations
    edge = _LONGEST + 1
    resting_first = (rotations.angle_between(motion.rotations[:edge], rest) < _AT_REST).mean(axis=1)
    resting_last = (rotations.angle_between(motion.rotations[-edge:], rest) < _AT_REST).mean(axis=1)
    first = _held(steps[:_LONGEST], resting_first, usual)
    last = _held(steps[::-1][:_LONGEST], resting_last[::-1], usual)
    return (*range(first), *range(len(motion) - last, len(motion)))


def _held(steps: Floats, resting: Floats, usual: float) -> int:
    """How many frames from the edge inwards are an inserted pose."""
    for count in range(_LONGEST, 0, -1):
        leap = steps[count - 1]
        leaps = leap.max() > _LEAST_LEAP and leap.mean() > 2.5 * usual
        if leaps and resting[:count].min() > 0.5 and resting[count] < resting[:count].min() - 0.2:
            return count
    return 0
