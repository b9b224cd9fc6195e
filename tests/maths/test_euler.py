"""Euler angles in all twelve orders: there and back, without leaps, and as SciPy has them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from generated import quaternions, seeds
from kinesphere.maths import rotations as R
from kinesphere.maths.euler import ORDERS, PROPER, from_euler, to_euler

orders = st.sampled_from(ORDERS)


def apart(a, b):
    return float(R.angle_between(a, b).max())


@given(quaternions, orders)
def test_angles_round_trip_in_every_order(q, order):
    assert apart(from_euler(to_euler(q, order), order), q) < 1e-7


@given(seeds, orders)
def test_both_ways_agree_with_scipy(seed, order):
    angles = np.random.default_rng(seed).uniform(-np.pi, np.pi, (20, 3))
    q = from_euler(angles, order)
    theirs = Rotation.from_euler(order, angles)  # capitals: intrinsic there too
    assert apart(q, theirs.as_quat(scalar_first=True)) < 1e-7
    middle = np.abs(np.sin(theirs.as_euler(order)[:, 1] + (0 if order in PROPER else np.pi / 2)))
    clear = middle > 1e-3  # away from gimbal lock, where any split is right
    difference = to_euler(q, order)[clear] - theirs.as_euler(order)[clear]
    assert np.abs(np.sin(difference / 2)).max(initial=0.0) < 1e-7


@given(quaternions, orders)
def test_single_frames_stay_in_the_usual_ranges(q, order):
    a, b, c = to_euler(q, order).T
    assert np.abs([a, c]).max() <= np.pi + 1e-9
    low, high = (0.0, np.pi) if order in PROPER else (-np.pi / 2, np.pi / 2)
    assert b.min() >= low - 1e-9
    assert b.max() <= high + 1e-9


@given(seeds, orders)
def test_smooth_angles_come_back_as_they_were(seed, order):
    """Angles that wander through lock and past full turns are found again, up to whole turns at the start."""
    rng = np.random.default_rng(seed)
    start = np.array([rng.uniform(-3, 3), rng.uniform(0.3, 1.2), rng.uniform(-3, 3)])
    angles = start + np.cumsum(rng.normal(scale=0.02, size=(300, 3)), axis=0)
    q = from_euler(angles, order)
    found = to_euler(q, order, along_time=True)
    assert apart(from_euler(found, order), q) < 1e-7
    assert np.abs(np.diff(found, axis=0)).max() < 1.0


@pytest.mark.parametrize("order", ORDERS)
def test_a_pirouette_is_1080_degrees_about_every_axis(order):
    for position, axis in enumerate(order):
        angles = np.zeros((361, 3))
        angles[:, 1] = np.pi / 2 if order in PROPER and position != 1 else 0.0
        angles[:, position] = np.radians(np.linspace(0, 1080, 361))
        found = to_euler(from_euler(angles, order), order, along_time=True)
        turned = np.degrees(np.abs(found[-1] - found[0]))
        assert turned.max() == pytest.approx(1080.0, abs=1e-6), (order, axis)


@pytest.mark.parametrize("order", ORDERS)
def test_in_gimbal_lock_nothing_jumps(order):
    """Straight through the pole, and resting on it for a while."""
    lock = 0.0 if order in PROPER else np.pi / 2
    angles = np.zeros((200, 3))
    angles[:, 0], angles[:, 2] = 0.7, -0.4
    angles[:, 1] = lock + np.concatenate([np.linspace(-0.5, 0, 80), np.zeros(40), np.linspace(0, 0.5, 80)])
    q = from_euler(angles, order)
    found = to_euler(q, order, along_time=True)
    assert apart(from_euler(found, order), q) < 1e-7
    assert np.abs(np.diff(found, axis=0)).max() < 0.05


def test_all_frames_in_lock_put_everything_in_one_angle():
    q = from_euler(np.tile([0.3, np.pi / 2, 0.2], (5, 1)), "ZYX")
    found = to_euler(q, "ZYX", along_time=True)
    assert apart(from_euler(found, "ZYX"), q) < 1e-7
    assert np.ptp(found, axis=0).max() < 1e-7


def test_leading_axes_and_single_axes():
    angles = np.random.default_rng(0).normal(size=(4, 5, 6, 3))
    q = from_euler(angles, "YXZ")
    assert q.shape == (4, 5, 6, 4)
    assert to_euler(q, "YXZ", along_time=True).shape == angles.shape
    assert apart(from_euler([[0.5]], "Z"), R.from_axis_angle([0, 0, 1.0], 0.5)) < 1e-12


def test_unknown_orders_are_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="XYZ, XZY"):
        to_euler(R.identity(1), "XXY")
    with pytest.raises(ValueError, match="X, Y, Z"):
        from_euler(np.zeros((1, 3)), "XYW")
    with pytest.raises(ValueError, match="2 angles expected"):
        from_euler(np.zeros((1, 3)), "XY")
