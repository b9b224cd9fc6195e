"""BVH channels: rows of Euler angles to poses, against rotations multiplied one by one and against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.spatial.transform import Rotation

from generated import seeds
from kinesphere.files.bvh.read import ChannelLayout, pose_from_channels
from kinesphere.maths import rotations as R


def random_layout(rng, joints):
    """Random channels: none to three rotations and positions a joint. Also how many columns a row has."""
    axes, columns = np.full((joints, 3), -1, dtype=np.intp), np.zeros((joints, 3), dtype=np.intp)
    positions, column = np.full((joints, 3), -1, dtype=np.intp), 0
    for j in range(joints):
        for n in range(rng.integers(0, 4)):
            axes[j, n], columns[j, n] = rng.integers(0, 3), column
            column += 1
        for n in range(3):
            if rng.random() < 0.4:
                positions[j, n] = column
                column += 1
    return ChannelLayout(axes, columns, positions), column


@given(seeds)
@settings(max_examples=30)
def test_poses_are_the_listed_rotations_in_their_order(seed):
    rng = np.random.default_rng(seed)
    layout, count = random_layout(rng, 6)
    rows, base = rng.uniform(-200, 200, (9, count)), rng.normal(size=(6, 3))
    q, t = pose_from_channels(rows, layout, base)
    for j in range(6):
        one_by_one = R.identity(9)
        for n in range(3):
            if layout.axes[j, n] >= 0:
                angles = np.radians(rows[:, layout.rotation_columns[j, n]])
                one_by_one = R.multiply(one_by_one, R.from_axis_angle(np.eye(3)[layout.axes[j, n]], angles))
            column = layout.position_columns[j, n]
            position = rows[:, column] if column >= 0 else 0.0
            assert np.abs(t[:, j, n] - base[j, n] - position).max() < 1e-12
        sides = np.sign(np.sum(q[:, j] * one_by_one, axis=1, keepdims=True))
        assert np.abs(sides * q[:, j] - one_by_one).max() < 1e-12
    assert np.sum(q[1:] * q[:-1], axis=-1).min() >= -1e-9


@pytest.mark.parametrize("order", ["XYZ", "ZXY", "YZX", "ZYX"])
def test_rotations_are_scipys_intrinsic_euler_angles(order):
    rows = np.random.default_rng(3).uniform(-180, 180, (20, 3))
    layout = ChannelLayout(np.array([["XYZ".index(a) for a in order]]), np.array([[0, 1, 2]]), np.full((1, 3), -1))
    q, _ = pose_from_channels(rows, layout, np.zeros((1, 3)))
    wanted = Rotation.from_euler(order, rows, degrees=True).as_quat(scalar_first=True)
    assert np.abs(np.abs(np.sum(q[:, 0] * wanted, axis=1)) - 1.0).max() < 1e-12
