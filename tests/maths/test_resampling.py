"""New frames between old ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.maths import compiled, interpolation
from kinesphere.maths import rotations as R
from kinesphere.maths.interpolation import resample_rotations, resample_vectors

both = st.booleans()


def wandering(seed, frames=30, step=0.2):
    rng = np.random.default_rng(seed)
    q = [R.normalise(rng.normal(size=(2, 4)))]
    for turn in R.from_rotation_vector(rng.normal(scale=step, size=(frames - 1, 2, 3))):
        q.append(R.multiply(q[-1], turn))
    return R.continuous(np.array(q))


@given(seeds, both)
def test_compiled_is_plain(seed, smooth):
    compiled.warm_up()
    rng = np.random.default_rng(seed)
    q, v = np.tile(wandering(seed, step=0.8), (1, 20, 1)), rng.normal(size=(30, 40, 3))
    at = np.concatenate([rng.uniform(-1.0, 30.0, 60), np.arange(30.0)])
    i, u = interpolation._place(30, at)
    assert resample_rotations(q, at, smooth=smooth) == pytest.approx(
        interpolation._rotations_reference(q, i, u, smooth), abs=1e-12
    )
    assert resample_vectors(v, at, smooth=smooth) == pytest.approx(
        interpolation._vectors_reference(v, i, u, smooth), abs=1e-12
    )


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
