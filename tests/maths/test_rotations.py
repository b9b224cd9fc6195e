"""Quaternions obey their axioms, and agree with SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from generated import quaternions, seeds
from kinesphere.maths import compiled
from kinesphere.maths import rotations as R


def assert_close(a, b, tolerance=1e-12):
    assert np.abs(np.asarray(a) - np.asarray(b)).max() <= tolerance


def scipy_rotation(q):
    return Rotation.from_quat(np.asarray(q).reshape(-1, 4), scalar_first=True)


@given(quaternions, quaternions, quaternions)
def test_products_are_associative_and_have_inverses(a, b, c):
    assert_close(R.multiply(R.multiply(a, b), c), R.multiply(a, R.multiply(b, c)))
    assert_close(R.multiply(a, R.conjugate(a)), R.identity(8))
    assert_close(R.conjugate(R.multiply(a, b)), R.multiply(R.conjugate(b), R.conjugate(a)))
    assert_close(np.linalg.norm(R.multiply(a, b), axis=-1), 1.0)


@given(quaternions, quaternions, seeds)
def test_rotating_is_a_homomorphism_that_keeps_lengths_and_angles(a, b, seed):
    v, w = np.random.default_rng(seed).normal(size=(2, 8, 3))
    assert_close(R.rotate(R.multiply(a, b), v), R.rotate(a, R.rotate(b, v)), 1e-11)
    assert_close(np.sum(R.rotate(a, v) * R.rotate(a, w), axis=-1), np.sum(v * w, axis=-1), 1e-11)
    assert_close(R.rotate(a, np.cross(v, w)), np.cross(R.rotate(a, v), R.rotate(a, w)), 1e-11)


@given(quaternions, quaternions)
def test_products_matrices_and_vectors_agree_with_scipy(a, b):
    assert_close(R.to_matrix(R.multiply(a, b)), (scipy_rotation(a) * scipy_rotation(b)).as_matrix())
    assert_close(R.to_rotation_vector(a), scipy_rotation(a).as_rotvec(), 1e-9)
    assert_close(R.angle(a), scipy_rotation(a).magnitude(), 1e-9)


@given(quaternions)
def test_matrices_round_trip(q):
    assert_close(R.angle_between(R.from_matrix(R.to_matrix(q)), q), 0.0, 1e-7)


def test_matrices_round_trip_at_half_turns():
    axes = np.concatenate([np.eye(3), np.ones((1, 3)) / np.sqrt(3.0)])
    q = R.from_axis_angle(axes, np.full(4, np.pi))
    assert_close(R.angle_between(R.from_matrix(R.to_matrix(q)), q), 0.0, 1e-7)


@given(seeds, st.floats(0.0, np.pi - 1e-6))
def test_rotation_vectors_round_trip_up_to_half_a_turn(seed, length):
    v = np.random.default_rng(seed).normal(size=3)
    v *= length / np.linalg.norm(v)
    assert_close(R.to_rotation_vector(R.from_rotation_vector(v)), v, 1e-9)


def test_tiny_rotation_vectors_keep_their_digits():
    v = np.array([3e-13, -2e-14, 1e-15])
    assert_close(R.to_rotation_vector(R.from_rotation_vector(v)), v, 1e-25)


@given(quaternions, quaternions, st.floats(0.0, 1.0))
def test_slerp_turns_at_constant_speed_the_shorter_way(a, b, share):
    total = R.angle_between(a, b)
    assert_close(R.angle_between(a, R.slerp(a, b, np.full(8, share))), share * total, 1e-7)
    assert_close(R.angle_between(R.slerp(a, -b, np.full(8, share)), R.slerp(a, b, np.full(8, share))), 0.0, 1e-7)


@given(seeds)
def test_between_takes_one_direction_to_the_other_by_the_smallest_turn(seed):
    a, b = np.random.default_rng(seed).normal(size=(2, 8, 3))
    turn = R.rotation_between(a, b)
    reached = R.rotate(turn, a / np.linalg.norm(a, axis=-1, keepdims=True))
    assert_close(reached, b / np.linalg.norm(b, axis=-1, keepdims=True), 1e-9)
    cosine = np.sum(a * b, axis=-1) / np.linalg.norm(a, axis=-1) / np.linalg.norm(b, axis=-1)
    assert_close(R.angle(turn), np.arccos(np.clip(cosine, -1, 1)), 1e-6)


def test_between_opposite_directions_is_half_a_turn():
    a = np.array([[1.0, 0, 0], [0, -2.0, 0], [0.3, 0.4, 0.5]])
    turn = R.rotation_between(a, -a)
    assert_close(R.rotate(turn, a), -a, 1e-9)


@given(quaternions, seeds)
def test_swing_and_twist_make_up_the_rotation(q, seed):
    axis = np.random.default_rng(seed).normal(size=3)
    swing, twist = R.swing_twist(q, axis)
    assert_close(R.multiply(swing, twist), q, 1e-9)
    assert_close(np.cross(twist[..., 1:], axis / np.linalg.norm(axis)), 0.0, 1e-9)
    assert_close(np.sum(swing[..., 1:] * axis, axis=-1), 0.0, 1e-9)


@given(seeds)
def test_continuous_changes_signs_only_and_leaves_no_leap(seed):
    rng = np.random.default_rng(seed)
    steps = R.from_rotation_vector(rng.normal(scale=0.2, size=(50, 3, 3)))
    q = R.normalise(rng.normal(size=(1, 3, 4)))
    path = [q[0]]
    for step in steps:
        path.append(R.multiply(path[-1], step))
    tangled = np.array(path) * rng.choice([-1.0, 1.0], size=(51, 3, 1))
    smooth = R.continuous(tangled)
    assert_close(np.abs(smooth), np.abs(tangled), 0.0)
    assert np.all(np.sum(smooth[1:] * smooth[:-1], axis=-1) > 0.0)


def test_any_leading_axes_broadcast():
    q = R.normalise(np.random.default_rng(1).normal(size=(5, 1, 3, 4)))
    v = np.random.default_rng(2).normal(size=(2, 3, 3))
    assert R.rotate(q, v).shape == (5, 2, 3, 3)
    assert_close(R.rotate(q, v)[4, 1, 2], R.rotate(q[4, 0, 2], v[1, 2]))


def test_a_zero_quaternion_and_a_zero_axis_are_refused():
    with pytest.raises(ValueError, match="length zero"):
        R.normalise(np.zeros(4))
    with pytest.raises(ValueError, match="length zero"):
        R.from_axis_angle(np.zeros(3), 1.0)


@pytest.mark.parametrize(
    ("a", "b"), [((500,), (500,)), ((500, 3), (3,)), ((), (700,)), ((20, 1, 9), (7, 9)), ((400,), ())]
)
def test_compiled_products_equal_their_reference(a, b, rng):
    assert compiled.warm_up() is not None
    p, q, v = R.normalise(rng.normal(size=(*a, 4))), R.normalise(rng.normal(size=(*b, 4))), rng.normal(size=(*b, 3))
    assert_close(R.multiply(p, q), R.multiply_reference(p, q), 1e-14)
    assert_close(R.rotate(p, v), R.rotate_reference(p, v), 1e-13)
    strided = R.normalise(rng.normal(size=(500, 6, 4)))[:, ::2]
    assert_close(R.multiply(strided, strided), R.multiply_reference(strided, strided), 1e-14)


@pytest.mark.parametrize(("a", "b"), [((500,), (500,)), ((500, 3), (3,)), ((), (700,))])
def test_compiled_arcs_and_swings_equal_their_reference(a, b, rng):
    assert compiled.warm_up() is not None
    p, q, share = R.normalise(rng.normal(size=(*a, 4))), R.normalise(rng.normal(size=(*b, 4))), rng.uniform(-1, 2, b)
    assert_close(R.slerp(p, q, share), R.slerp_reference(p, q, share), 1e-12)
    u, v = rng.normal(size=(*a, 3)), rng.normal(size=(*b, 3))
    assert_close(R.rotation_between(u, v), R.rotation_between_reference(u, v), 1e-12)
    assert_close(R.rotate(R.rotation_between(u, v), u / np.linalg.norm(u, axis=-1, keepdims=True)), _unit(v, u), 1e-12)


def _unit(v, like):
    return np.broadcast_to(v / np.linalg.norm(v, axis=-1, keepdims=True), np.broadcast_shapes(v.shape, like.shape))


def test_compiled_arcs_and_swings_at_their_edges():
    assert compiled.warm_up() is not None
    axes = np.repeat(np.concatenate([np.eye(3), -np.eye(3), [[1.0, 2.0, -3.0]]]), 40, axis=0)
    half = R.rotation_between(axes, -axes)
    assert_close(R.rotate(half, axes), -axes, 1e-12)
    assert_close(half, R.rotation_between_reference(axes, -axes), 1e-12)
    same = R.normalise(np.tile([1.0, 2.0, 3.0, 4.0], (200, 1)))
    assert_close(R.slerp(same, same, np.full(200, 0.3)), same, 1e-15)
    assert_close(R.slerp(same, -same, np.full(200, 0.3)), R.slerp_reference(same, -same, np.full(200, 0.3)), 1e-12)
    for count in (1, 400):
        with pytest.raises(ValueError, match="length zero"):
            R.rotation_between(np.zeros((count, 3)), np.ones((count, 3)))
