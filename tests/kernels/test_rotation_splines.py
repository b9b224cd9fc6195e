"""Rotation splines: symmetries, the vector spline they become about one axis, and another implementation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from splines.quaternion import KochanekBartels, UnitQuaternion

from kinesphere.kernels import rotations as ro
from kinesphere.kernels.arc_length import arc_length
from kinesphere.kernels.rotation_splines import rotation_kochanek_bartels, turned_angle
from kinesphere.kernels.splines import kochanek_bartels

few = settings(max_examples=30, deadline=None)
seeds = st.integers(0, 2**32 - 1)
parameters = st.floats(-1.0, 1.0)


def some_keys(seed, count=5, shape=(), most=2.0):
    """Keys whose neighbours are at most ``most`` radians apart, at uneven times."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=(count, *shape, 3))
    steps *= rng.uniform(0.1, most, (count, *shape, 1)) / np.linalg.norm(steps, axis=-1, keepdims=True)
    keys = [ro.from_rotation_vector(steps[0])]
    for step in steps[1:]:
        keys.append(ro.multiply(ro.from_rotation_vector(step), keys[-1]))
    return np.array(keys), np.cumsum(rng.uniform(0.2, 2.0, count))


def apart(a, b):
    """The largest angle between rotations."""
    return float(np.max(ro.angle_between(a, b)))


@few
@given(seed=seeds, count=st.integers(2, 7))
def test_equals_splines(seed, count):
    keys, times = some_keys(seed, count, most=1.5)
    shape = np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3))
    theirs = KochanekBartels(
        [UnitQuaternion.from_unit_xyzw([x, y, z, w]) for w, x, y, z in keys], list(times), tcb=shape[1:-1]
    )
    # For its natural ends that library halves the turn to the fourth control point, the key, where its own
    # text says the third; as a velocity: one and a half times the mean of the segment.
    first = ro.to_rotation_vector(ro.multiply(keys[1], ro.conjugate(keys[0]))) / (times[1] - times[0])
    last = ro.to_rotation_vector(ro.multiply(keys[-1], ro.conjugate(keys[-2]))) / (times[-1] - times[-2])
    ours = rotation_kochanek_bartels(
        keys,
        times,
        tension=shape[:, 0],
        continuity=shape[:, 1],
        bias=shape[:, 2],
        ends="natural" if count == 2 else (1.5 * first, 1.5 * last),
    )
    # Where a control point is more than a full turn from its key, that library goes less far round.
    thirds = np.diff(times)[:, None] / 3.0
    assume(np.linalg.norm(ours.outgoing[:-1] * thirds, axis=-1).max() < 2.0 * np.pi)
    assume(np.linalg.norm(ours.incoming[1:] * thirds, axis=-1).max() < 2.0 * np.pi)
    at = np.linspace(times[0], times[-1], 23)
    expected = np.array([[q.scalar, *q.vector] for q in theirs.evaluate(at)])
    assert apart(ours.value(at), expected) < 1e-9
    np.testing.assert_allclose(ours.velocity(times), theirs.evaluate(times, 1), atol=1e-6)


@few
@given(seed=seeds, tension=parameters, continuity=parameters, bias=parameters)
def test_about_one_axis_it_is_the_spline_of_the_angle(seed, tension, continuity, bias):
    rng = np.random.default_rng(seed)
    angles, times = np.cumsum(rng.uniform(-1.2, 1.2, 5)), np.cumsum(rng.uniform(0.5, 1.5, 5))
    axis = np.array([1.0, 2.0, -2.0]) / 3.0
    shape = {"tension": tension, "continuity": continuity, "bias": bias}
    flat = kochanek_bartels(angles, times, **shape)
    spline = rotation_kochanek_bartels(ro.from_axis_angle(axis, angles), times, **shape)
    at = np.linspace(times[0] - 1.0, times[-1] + 1.0, 41)
    assert apart(spline.value(at), ro.from_axis_angle(axis, flat.value(at))) < 1e-12
    np.testing.assert_allclose(spline.velocity(at), flat.velocity(at)[:, None] * axis, atol=1e-11)


@few
@given(seed=seeds, tension=parameters, continuity=parameters, bias=parameters)
def test_passes_through_its_keys_and_keeps_symmetries(seed, tension, continuity, bias):
    keys, times = some_keys(seed)
    shape = {"tension": tension, "continuity": continuity, "bias": bias}
    spline = rotation_kochanek_bartels(keys, times, **shape)
    assert apart(spline.value(times), keys) < 1e-12
    at = np.linspace(times[0] - 0.5, times[-1] + 0.5, 29)
    values = spline.value(at)
    np.testing.assert_allclose(np.linalg.norm(values, axis=-1), 1.0)

    turn = ro.from_rotation_vector(np.random.default_rng(seed).normal(size=3))
    before = rotation_kochanek_bartels(ro.multiply(keys, turn), times, **shape)
    after = rotation_kochanek_bartels(ro.multiply(turn, keys), times, **shape)
    assert apart(before.value(at), ro.multiply(values, turn)) < 1e-10
    assert apart(after.value(at), ro.multiply(turn, values)) < 1e-10
    np.testing.assert_allclose(before.velocity(at), spline.velocity(at), atol=1e-8)

    signs = np.random.default_rng(seed).choice([-1.0, 1.0], len(keys))[:, None]
    assert apart(rotation_kochanek_bartels(keys * signs, times, **shape).value(at), values) < 1e-10


def test_half_turns_go_the_same_way_whatever_the_signs():
    keys = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])
    at = np.linspace(-0.5, 3.5, 33)
    plain = rotation_kochanek_bartels(keys).value(at)
    assert np.all(np.isfinite(plain))
    for signs in ([1, -1, 1, 1], [-1, 1, -1, 1], [1, 1, -1, -1]):
        flipped = rotation_kochanek_bartels(keys * np.array(signs)[:, None]).value(at)
        assert apart(flipped, plain) < 1e-12


@few
@given(seed=seeds, tension=parameters, bias=parameters)
def test_velocity_is_the_derivative_and_continuous_at_keys(seed, tension, bias):
    keys, times = some_keys(seed, most=1.0)
    spline = rotation_kochanek_bartels(keys, times, tension=tension, bias=0.3 * bias)
    step = 1e-6
    at = np.concatenate([np.linspace(times[0] - 1.0, times[-1] + 1.0, 31), times])
    turn = ro.multiply(spline.value(at + step), ro.conjugate(spline.value(at - step)))
    np.testing.assert_allclose(spline.velocity(at), ro.to_rotation_vector(turn) / (2.0 * step), atol=2e-3)
    np.testing.assert_allclose(spline.velocity(times), spline.incoming, atol=1e-9)


def test_small_turns_are_vectors():
    vectors = np.random.default_rng(2).normal(size=(5, 3)) * 1e-6
    spline = rotation_kochanek_bartels(ro.from_rotation_vector(vectors), tension=0.2, bias=0.3)
    flat = kochanek_bartels(vectors, tension=0.2, bias=0.3)
    at = np.linspace(-0.5, 4.5, 21)
    np.testing.assert_allclose(ro.to_rotation_vector(spline.value(at)), flat.value(at), atol=1e-11)
    np.testing.assert_allclose(spline.velocity(at), flat.velocity(at), atol=1e-11)
    lengths = arc_length(flat).key_lengths
    np.testing.assert_allclose(turned_angle(spline).key_lengths, lengths, rtol=1e-5)


def test_tension_one_turns_about_one_axis_between_keys():
    keys, times = some_keys(4)
    spline = rotation_kochanek_bartels(keys, times, tension=1.0)
    for i in range(len(keys) - 1):
        inner = spline.value(np.linspace(times[i], times[i + 1], 9))
        there, back = ro.angle_between(keys[i], inner), ro.angle_between(inner, keys[i + 1])
        np.testing.assert_allclose(there + back, ro.angle_between(keys[i], keys[i + 1]), atol=1e-7)


def test_past_the_ends_it_goes_on_turning():
    keys, times = some_keys(5)
    spline = rotation_kochanek_bartels(keys, times)
    after = ro.multiply(ro.from_rotation_vector(1.7 * spline.incoming[-1]), keys[-1])
    before = ro.multiply(ro.from_rotation_vector(-0.9 * spline.outgoing[0]), keys[0])
    assert apart(spline.value(times[-1] + 1.7), after) < 1e-12
    assert apart(spline.value(times[0] - 0.9), before) < 1e-12


@pytest.mark.parametrize("tension", [-0.5, 0.0, 0.8, 1.0])
def test_angle_turned_is_even_and_keys_lie_on_it(tension):
    keys, times = some_keys(6)
    measured = turned_angle(rotation_kochanek_bartels(keys, times, tension=tension))
    assert apart(measured.at_length(measured.key_lengths), keys) < 1e-9
    angles = np.linspace(-1.0, measured.total + 1.0, 60)
    angles = angles[np.abs(angles[:, None] - measured.key_lengths).min(axis=1) > 1e-3]
    step = 1e-4
    turned = ro.angle_between(measured.at_length(angles), measured.at_length(angles + step))
    np.testing.assert_allclose(turned, step, rtol=1e-6)
    if tension == 1.0:
        np.testing.assert_allclose(np.diff(measured.key_lengths), ro.angle_between(keys[:-1], keys[1:]))


@pytest.mark.parametrize("tension", [0.0, 1.0])
def test_where_the_velocity_vanishes_the_last_axis_is_kept(tension):
    keys, times = some_keys(7)
    measured = turned_angle(rotation_kochanek_bartels(keys, times, tension=tension, ends="clamped"))
    for key, angle, outwards in ((0, 0.0, -1.0), (-1, measured.total, 1.0)):
        near = measured.at_length(angle - outwards * 1e-6)
        turn = ro.to_rotation_vector(ro.multiply(keys[key], ro.conjugate(near))) / 1e-6
        beyond = ro.multiply(ro.from_rotation_vector(0.8 * turn), keys[key])
        assert apart(measured.at_length(angle + outwards * 0.8), beyond) < 1e-4  # the path bends before it
    if tension == 1.0:
        last = ro.multiply(keys[-1], ro.conjugate(keys[-2]))
        axis = ro.to_rotation_vector(last) / ro.angle(last)
        np.testing.assert_allclose(measured.end_axis, axis, atol=1e-12)


def test_repeated_and_lone_keys():
    turn = ro.from_axis_angle([0.0, 0.0, 1.0], 0.5)
    keys = np.array([ro.identity(), ro.identity(), turn, -turn])
    measured = turned_angle(rotation_kochanek_bartels(keys, tension=1.0))
    np.testing.assert_allclose(measured.key_lengths, [0.0, 0.0, 0.5, 0.5], atol=1e-12)
    expected = ro.from_axis_angle([0.0, 0.0, 1.0], np.array([-1.0, 0.25, 2.0]))
    assert apart(measured.at_length([-1.0, 0.25, 2.0]), expected) < 1e-9
    for count in (1, 2, 4):
        spline = rotation_kochanek_bartels(np.tile(turn, (count, 1)))
        assert apart(spline.value([-1.0, 0.5, 9.0]), turn) < 1e-12
        assert apart(turned_angle(spline).at_length([-1.0, 0.0, 2.0]), turn) < 1e-12


def test_a_crowd_is_the_same_as_its_people():
    keys, times = some_keys(8, 4, (3,))
    tension = np.array([[0.0, 0.5, 1.0]])
    spline = rotation_kochanek_bartels(keys, times, tension=tension)
    crowd = turned_angle(spline)
    shares = np.linspace(-0.2, 1.2, 7)[:, None]
    values = crowd.at_length(shares * crowd.total)
    assert values.shape == (7, 3, 4)
    for person in range(3):
        one = rotation_kochanek_bartels(keys[:, person], times, tension=tension[0, person])
        assert apart(spline.value(times + 0.1)[:, person], one.value(times + 0.1)) < 1e-12
        alone = turned_angle(one)
        assert apart(values[:, person], alone.at_length(shares[:, 0] * alone.total)) < 1e-9


def test_errors_say_what_was_found():
    with pytest.raises(ValueError, match=r"shape \(2, 3\)"):
        rotation_kochanek_bartels(np.ones((2, 3)))
    with pytest.raises(ValueError, match="length zero"):
        rotation_kochanek_bartels(np.zeros((2, 4)))
    with pytest.raises(ValueError, match="time 1 is 0 after 0 at 0"):
        rotation_kochanek_bartels(np.ones((2, 4)), [0.0, 0.0])
