"""Channel rows to poses: compiled against plain, and against turns multiplied one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from generated import seeds
from kinesphere.files.bvh.read import pose_from_channels, pose_from_channels_reference
from kinesphere.maths import compiled
from kinesphere.maths import rotations as R


def layout(rng, joints):
    """Random channels: none to three turns and positions a joint."""
    axes, columns = np.full((joints, 3), -1, dtype=np.intp), np.zeros((joints, 3), dtype=np.intp)
    places, column = np.full((joints, 3), -1, dtype=np.intp), 0
    for j in range(joints):
        for n in range(rng.integers(0, 4)):
            axes[j, n], columns[j, n] = rng.integers(0, 3), column
            column += 1
        for n in range(3):
            if rng.random() < 0.4:
                places[j, n] = column
                column += 1
    return axes, columns, places, column


@given(seeds)
@settings(max_examples=30)
def test_poses_are_the_listed_turns_in_their_order(seed):
    rng = np.random.default_rng(seed)
    axes, columns, places, count = layout(rng, 6)
    rows, base = rng.uniform(-200, 200, (9, count)), rng.normal(size=(6, 3))
    assert compiled.warm_up() is not None
    q, t = pose_from_channels(rows, axes, columns, places, base)
    q_plain, t_plain = pose_from_channels_reference(rows, axes, columns, places, base)
    assert np.abs(q - q_plain).max() < 1e-12
    assert np.abs(t - t_plain).max() < 1e-12
    for j in range(6):
        one_by_one = R.identity(9)
        for n in range(3):
            if axes[j, n] >= 0:
                turn = R.from_axis_angle(np.eye(3)[axes[j, n]], np.radians(rows[:, columns[j, n]]))
                one_by_one = R.multiply(one_by_one, turn)
            place = rows[:, places[j, n]] if places[j, n] >= 0 else 0.0
            assert np.abs(t[:, j, n] - base[j, n] - place).max() < 1e-12
        assert R.angle_between(q[:, j], one_by_one).max() < 1e-7
    assert np.sum(q[1:] * q[:-1], axis=-1).min() >= -1e-9
