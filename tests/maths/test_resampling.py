"""New frames between old ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation, Slerp

from generated import seeds
from kinesphere.maths import rotations as R
from kinesphere.maths.interpolation import resample_rotations, resample_vectors

both = st.booleans()


def wandering(seed, frames=30, step=0.2):
    rng = np.random.default_rng(seed)
    q = [R.normalise(rng.normal(size=(2, 4)))]
    for turn in R.from_rotation_vector(rng.normal(scale=step, size=(frames - 1, 2, 3))):
        q.append(R.multiply(q[-1], turn))
    return R.continuous(np.array(q))


def hermite_by_scipy(values, at):
    """Catmull–Rom with limited velocities, one vector after another, by SciPy's Hermite spline."""
    steps = np.diff(values, axis=0)
    velocities = values.copy()
    velocities[0], velocities[-1] = steps[0], steps[-1]
    for i in range(1, len(values) - 1):
        for j in np.ndindex(values.shape[1:-1]):
            before, after = steps[i - 1][j], steps[i][j]
            mean = 0.5 * (before + after)
            most = 3.0 * min(np.linalg.norm(before), np.linalg.norm(after))
            velocities[i][j] = mean * min(1.0, most / max(np.linalg.norm(mean), 1e-300))
    return CubicHermiteSpline(np.arange(len(values)), values, velocities)(np.clip(at, 0, len(values) - 1))


@given(seeds, st.sampled_from([(3,), (4, 3), (2,), (2, 5)]))
def test_vectors_are_scipys_hermite_spline_with_limited_velocities(seed, shape):
    rng = np.random.default_rng(seed)
    v, at = rng.normal(size=(12, *shape)), rng.uniform(-1.0, 12.0, 60)
    v[rng.integers(0, 11)] = 0.0
    v[5] = v[6]  # a stop
    assert resample_vectors(v, at) == pytest.approx(hermite_by_scipy(v, at), abs=1e-12)
    straight = np.stack([np.interp(at, np.arange(12), column) for column in v.reshape(12, -1).T], axis=1)
    assert resample_vectors(v, at, smooth=False) == pytest.approx(straight.reshape(60, *shape), abs=1e-12)


@given(seeds)
def test_rotations_that_are_not_smoothed_are_scipys_slerp(seed):
    q, at = wandering(seed, step=0.8), np.random.default_rng(seed).uniform(0.0, 29.0, 60)
    made = resample_rotations(q, at, smooth=False)
    for joint in range(2):
        expected = Slerp(np.arange(30), Rotation.from_quat(q[:, joint], scalar_first=True))(at)
        assert np.abs(R.to_matrix(made[:, joint]) - expected.as_matrix()).max() < 1e-9


@given(seeds)
def test_rotations_about_one_axis_are_resampled_as_their_angles(seed):
    rng = np.random.default_rng(seed)
    angles, at = np.cumsum(rng.uniform(-1.0, 1.0, 20)), rng.uniform(0.0, 19.0, 50)
    axis = R.rotate(R.normalise(rng.normal(size=4)), np.array([1.0, 0.0, 0.0]))
    made = resample_rotations(R.from_rotation_vector(angles[:, None] * axis), at)
    expected = resample_vectors(angles[:, None], at)[:, 0]
    assert R.angle_between(made, R.from_rotation_vector(expected[:, None] * axis)).max() < 1e-7


@given(seeds, both)
def test_on_a_frame_the_frame_itself_comes_back(seed, smooth):
    q, v = wandering(seed), np.random.default_rng(seed).normal(size=(30, 2, 3))
    frames = np.arange(30)
    assert R.angle_between(resample_rotations(q, frames, smooth=smooth), q).max() < 1e-7
    assert np.abs(resample_vectors(v, frames, smooth=smooth) - v).max() < 1e-12


@given(both)
def test_steady_motion_stays_steady(smooth):
    at = np.linspace(0, 9, 97)
    v = np.arange(10)[:, None] * [[1.0, -2.0, 0.5]]
    assert np.abs(resample_vectors(v, at, smooth=smooth) - at[:, None] * [1.0, -2.0, 0.5]).max() < 1e-12
    q = R.from_rotation_vector(np.arange(10)[:, None] * [0.3, 0.1, -0.2])
    steady = R.from_rotation_vector(at[:, None] * [0.3, 0.1, -0.2])
    assert R.angle_between(resample_rotations(q, at, smooth=smooth), steady).max() < 1e-7


@given(seeds)
def test_smooth_resampling_has_no_kinks_at_frames(seed):
    """Turning speed just before and just after a frame agree: linear interpolation would jitter there."""
    q = wandering(seed)
    h = 1e-5
    frames = np.arange(2, 28)
    here = resample_rotations(q, frames)
    before = R.to_rotation_vector(R.multiply(R.conjugate(resample_rotations(q, frames - h)), here)) / h
    after = R.to_rotation_vector(R.multiply(R.conjugate(here), resample_rotations(q, frames + h))) / h
    assert np.abs(before - after).max() < 2e-3
    v = np.random.default_rng(seed).normal(size=(30, 3))
    rise = lambda a, b: (resample_vectors(v, b) - resample_vectors(v, a)) / h  # noqa: E731
    assert np.abs(rise(frames - h, frames) - rise(frames, frames + h)).max() < 1e-3


def test_smooth_is_closer_than_straight_on_a_smooth_movement():
    time = np.linspace(0, 2 * np.pi, 41)
    fine = np.linspace(0, 2 * np.pi, 401)
    true = np.stack([np.sin(fine), np.cos(fine)], axis=1)
    coarse, at = np.stack([np.sin(time), np.cos(time)], axis=1), np.linspace(0, 40, 401)
    error = {
        smooth: np.abs(resample_vectors(coarse, at, smooth=smooth) - true)[20:-20].max() for smooth in (True, False)
    }
    assert error[True] < 0.1 * error[False]


def test_beyond_the_ends_poses_are_held_and_one_frame_is_enough():
    v = np.array([[1.0], [2.0]])
    assert resample_vectors(v, [-3.0, 7.0]).ravel().tolist() == [1.0, 2.0]
    one = R.normalise(np.ones((1, 4)))
    assert resample_rotations(one, [0.0, 0.5]).shape == (2, 4)


@pytest.mark.parametrize("smooth", [True, False])
def test_q_and_minus_q_mean_the_same(smooth, rng):
    q = wandering(3)
    flipped = q * rng.choice([-1.0, 1.0], size=(30, 2, 1))
    at = np.linspace(0, 29, 100)
    a, b = resample_rotations(q, at, smooth=smooth), resample_rotations(flipped, at, smooth=smooth)
    assert R.angle_between(a, b).max() < 1e-7
