"""Quaternions obey their axioms, and agree with SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from generated import quaternions, seeds
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


SHAPES = [
    ((500,), (500,)),
    ((500, 3), (3,)),
    ((), (700,)),
    ((20, 1, 9), (7, 9)),
    ((400,), ()),
    ((), ()),
    ((0, 2), (2,)),
]


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_products_and_rotated_vectors_are_scipys_at_any_shape(a, b, rng):
    p, q, v = R.normalise(rng.normal(size=(*a, 4))), R.normalise(rng.normal(size=(*b, 4))), rng.normal(size=(*b, 3))
    leading = np.broadcast_shapes(a, b)
    product, rotated = R.multiply(p, q), R.rotate(p, v)
    assert product.shape == (*leading, 4)
    assert rotated.shape == (*leading, 3)
    if product.size:
        first, second = (scipy_rotation(np.broadcast_to(x, (*leading, 4))) for x in (p, q))
        assert_close(R.to_matrix(product).reshape(-1, 3, 3), (first * second).as_matrix(), 1e-13)
        every = np.array(np.broadcast_to(v, (*leading, 3))).reshape(-1, 3)
        assert_close(rotated.reshape(-1, 3), first.apply(every), 1e-13)


def test_strided_and_read_only_arrays_are_multiplied_alike(rng):
    wide = R.normalise(rng.normal(size=(50, 6, 4)))
    strided = wide[:, ::2]
    expected = R.multiply(strided.copy(), strided.copy())
    wide.flags.writeable = False
    assert np.array_equal(R.multiply(strided, strided), expected)
    assert np.array_equal(R.rotate(strided, np.ones(3)), R.rotate(strided.copy(), np.ones(3)))


@pytest.mark.parametrize(("a", "b"), [((500,), (500,)), ((500, 3), (3,)), ((), (700,)), ((), ())])
def test_slerp_and_smallest_rotations_at_any_shape(a, b, rng):
    p, q, share = R.normalise(rng.normal(size=(*a, 4))), R.normalise(rng.normal(size=(*b, 4))), rng.uniform(-1, 2, b)
    made = R.slerp(p, q, share)
    whole = R.angle_between(p, q)
    assert_close(R.angle_between(p, made), np.abs((share * whole + np.pi) % (2.0 * np.pi) - np.pi), 1e-7)
    assert_close(R.to_matrix(R.slerp(p, q, np.ones(b))), R.to_matrix(np.broadcast_to(q, made.shape)), 1e-12)
    u, v = rng.normal(size=(*a, 3)), rng.normal(size=(*b, 3))
    between, unit = R.rotation_between(u, v), u / np.linalg.norm(u, axis=-1, keepdims=True)
    other = np.broadcast_to(v / np.linalg.norm(v, axis=-1, keepdims=True), np.broadcast_shapes(u.shape, v.shape))
    assert_close(R.rotate(between, unit), other, 1e-12)
    assert_close(R.angle(between), np.arccos(np.clip(np.sum(unit * other, axis=-1), -1.0, 1.0)), 1e-7)


def test_slerp_and_smallest_rotations_at_their_edges():
    axes = np.repeat(np.concatenate([np.eye(3), -np.eye(3), [[1.0, 2.0, -3.0]]]), 40, axis=0)
    half = R.rotation_between(axes, -axes)
    assert_close(R.rotate(half, axes), -axes, 1e-12)
    assert_close(R.rotation_between(axes, axes), R.identity(len(axes)), 1e-12)
    same = R.normalise(np.tile([1.0, 2.0, 3.0, 4.0], (200, 1)))
    assert_close(R.slerp(same, same, np.full(200, 0.3)), same, 1e-15)
    assert_close(R.slerp(same, -same, np.full(200, 0.3)), same, 1e-12)
    for count in (1, 400):
        with pytest.raises(ValueError, match="length zero"):
            R.rotation_between(np.zeros((count, 3)), np.ones((count, 3)))


@given(seeds, st.sampled_from([0.0, 1e-300, 1e-160, 1e-12, 1e-8, 1.9e-4, 2.1e-4, 1e-3, 0.99, 1.01, 3.2, 40.0]))
def test_the_exponential_map_keeps_its_digits_at_any_angle(seed, size):
    v = np.random.default_rng(seed).normal(size=(20, 10, 3))
    axis = v / np.linalg.norm(v, axis=-1, keepdims=True)
    made = R.from_rotation_vector(size * axis)
    assert_close(made[..., 0], np.cos(0.5 * size), 1e-14)
    assert np.abs(made[..., 1:] - np.sin(0.5 * size) * axis).max() <= 1e-13 * max(min(size, 10.0), 1e-300)
    assert np.linalg.norm(made, axis=-1) == pytest.approx(1.0, abs=1e-14)
    if size > 1e-6:
        expected = scipy_rotation(made).as_matrix()
        assert_close(Rotation.from_rotvec((size * axis).reshape(-1, 3)).as_matrix(), expected, 1e-12)


def test_the_exponential_map_of_strided_and_single_vectors(rng):
    v = rng.normal(size=(300, 6))[:, ::2]
    assert np.array_equal(R.from_rotation_vector(v), R.from_rotation_vector(v.copy()))
    assert_close(R.from_rotation_vector(np.array([np.pi, 0.0, 0.0])), [0.0, 1.0, 0.0, 0.0], 1e-15)


def test_sign_flips_and_unit_errors_are_found(rng):
    q = R.continuous(R.normalise(np.cumsum(rng.normal(size=(40, 3, 4)), axis=0) + 9.0))
    assert not R.has_sign_flips(q)
    assert not R.has_sign_flips(q[:1])
    assert not R.has_sign_flips(q[:0])
    assert R.unit_error(q) < 1e-14
    q[17, 2] *= -1.0
    assert R.has_sign_flips(q)
    assert R.has_sign_flips(q[:, 2])
    q[5, 1] *= 1.1
    assert R.unit_error(q) == pytest.approx(0.21)
    assert R.unit_error(q[:, ::2]) < 1e-14
    assert R.unit_error(q[:0]) == 0.0
    q[6, 0, 3] = np.nan
    assert np.isnan(R.unit_error(q))
