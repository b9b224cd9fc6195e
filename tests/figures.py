"""Small figures that several tests share."""

from __future__ import annotations

import numpy as np

from kinesphere import Motion, Skeleton
from kinesphere.maths import rotations as R

ONE = Skeleton(("hips",), np.array([-1]), np.array([[0.0, 1.0, 0.0]]))


def t_pose_then_still() -> Motion:
    """An inserted pose, and then nine frames of another."""
    q = R.identity(10, 1)
    q[1:] = R.from_rotation_vector([0.0, 1.5, 0.0])
    return Motion(ONE, 120.0, q, calibration_frames=(0,))


def walking_pair() -> Motion:
    """Two joints under a root that travels and rotates, at an odd rate."""
    rng = np.random.default_rng(5)
    skeleton = Skeleton(
        ("hips", "spine", "head"),
        np.array([-1, 0, 1]),
        np.array([[0.0, 0.9, 0.0], [0.0, 0.4, 0.1], [0.0, 0.3, 0.0]]),
    )
    vectors = np.cumsum(rng.normal(scale=0.05, size=(40, 3, 3)), axis=0)
    positions = np.tile(skeleton.offsets, (40, 1, 1))
    positions[:, 0] += np.cumsum(rng.normal(scale=0.01, size=(40, 3)), axis=0)
    return Motion(skeleton, 119.8753, R.continuous(R.from_rotation_vector(vectors)), positions, name="clip")
