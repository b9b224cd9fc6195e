"""An arm that is not asked for anything: it hangs, and swings a little when its shoulder is moved."""

from __future__ import annotations

import numpy as np

from kinesphere.figure.curves import rounded
from kinesphere.figure.pose import RATE, Pose
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats

HANGS = 0.85  # share of the torso's lean that a hanging arm does not follow
SWING, DAMPED = 0.95, 0.5  # a hanging arm's own cycles a second, and its damping
FOLLOWS = 0.75  # of the shoulder's acceleration that reaches the arm
FARTHEST = 0.22  # metres that it swings


def hung(pose: Pose, rest: Floats, shoulder: Floats, chest: Floats) -> Floats:
    """Where a hanging wrist is: below the shoulder whatever the torso's lean, swinging when the shoulder is moved."""
    ahead = rotations.rotate(chest, [0.0, 0.0, 1.0])
    heading = rotations.from_axis_angle([0.0, 1.0, 0.0], np.arctan2(ahead[:, 0], ahead[:, 2]))
    upright = rotations.slerp(chest, heading, np.full(len(chest), HANGS))
    swing = _pendulum(rounded(shoulder, RATE, 0.03, pose.loop), pose.loop, pose.size)
    return shoulder + rotations.rotate(upright, rest) + swing


def _pendulum(pivot: Floats, loop: bool, size: float) -> Floats:
    """``(T, 3)`` how far a damped pendulum's end is from below its pivot, level; a loop is run until it repeats."""
    again = np.concatenate([pivot[:-1]] * 4 + [pivot[-1:]]) if loop else pivot
    force = np.zeros_like(again)
    force[1:-1] = -np.diff(again, 2, axis=0) * RATE**2
    omega = 2.0 * np.pi * SWING / np.sqrt(size)
    offset, velocity = np.zeros(3), np.zeros(3)
    path = np.zeros_like(again)
    for i in range(1, len(again)):
        velocity += (FOLLOWS * force[i - 1] - 2.0 * DAMPED * omega * velocity - omega**2 * offset) / RATE
        offset = offset + velocity / RATE
        path[i] = offset
    path = path[-len(pivot) :]
    if not loop:  # at rest again when the gesture is over
        left = np.minimum((len(path) - 1 - np.arange(len(path))) / (0.5 * RATE), 1.0)
        path = path * (left * left * (3.0 - 2.0 * left))[:, None]
    reach = FARTHEST * size
    level = np.hypot(path[:, 0], path[:, 2])
    path = path * np.divide(reach * np.tanh(level / reach), level, out=np.ones_like(level), where=level > 1e-9)[:, None]
    path[:, 1] = 0.0
    return path
