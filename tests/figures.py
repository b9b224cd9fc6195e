"""Small figures that several tests share."""

from __future__ import annotations

import numpy as np

from kinesphere import Motion, Skeleton
from kinesphere.kernels import rotations as R

ONE = Skeleton(("hips",), np.array([-1]), np.array([[0.0, 1.0, 0.0]]))


def t_pose_then_still() -> Motion:
    """An inserted pose, and then nine frames of another."""
    q = R.identity(10, 1)
    q[1:] = R.from_rotation_vector([0.0, 1.5, 0.0])
    return Motion(ONE, 120.0, q, calibration_frames=(0,))


