"""Arc length: exact lengths where they are known, constant speed, cusps, and what happens past the ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.kernels.arc_length import arc_length
from kinesphere.kernels.splines import kochanek_bartels

few = settings(max_examples=30, deadline=None)
seeds = st.integers(0, 2**32 - 1)
parameters = st.floats(-1.0, 1.0)


def some_keys(seed, count=6, shape=(3,)):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, *shape)), np.cumsum(rng.uniform(0.2, 2.0, count))


def test_length_of_a_parabola():
    times = np.array([0.0, 0.3, 1.0, 1.4, 2.0])
    spline = kochanek_bartels(np.stack([times, times**2], axis=-1), times, ends=([1.0, 0.0], [1.0, 4.0]))
    measured = arc_length(spline)
    exact = times / 2.0 * np.sqrt(1.0 + 4.0 * times**2) + np.arcsinh(2.0 * times) / 4.0
    np.testing.assert_allclose(measured.key_lengths, exact, rtol=1e-13)
    middle = np.linspace(0.0, 2.0, 33)
    along = middle / 2.0 * np.sqrt(1.0 + 4.0 * middle**2) + np.arcsinh(2.0 * middle) / 4.0
    np.testing.assert_allclose(
        measured.at_length(along), np.stack([middle, middle**2], axis=-1), rtol=1e-12, atol=1e-13
    )


@few
@given(seed=seeds, tension=parameters, continuity=parameters, bias=parameters)
def test_reversals_on_a_line_are_measured_exactly(seed, tension, continuity, bias):
    # On a line the length is the total variation, which the turning points of the cubics give in closed form.
    heights, times = some_keys(seed, 5, ())
    direction = np.array([2.0, -1.0, 2.0]) / 3.0
    spline = kochanek_bartels(heights[:, None] * direction, times, tension=tension, continuity=continuity, bias=bias)
    exact = 0.0
    for i, duration in enumerate(np.diff(times)):
        rise = heights[i + 1] - heights[i]
        leaving = spline.outgoing[i] @ direction * duration
        arriving = spline.incoming[i + 1] @ direction * duration
        cubic = np.polynomial.Polynomial(
            [0.0, leaving, 3.0 * rise - 2.0 * leaving - arriving, leaving + arriving - 2.0 * rise]
        )
        turns = [root.real for root in cubic.deriv().trim().roots() if 0.0 < root.real < 1.0 and root.imag == 0.0]
        exact += np.abs(np.diff(cubic(np.array([0.0, *sorted(turns), 1.0])))).sum()
    # 1e-9 but for two reversals close together in one segment.
    np.testing.assert_allclose(arc_length(spline).total, exact, rtol=1e-5)


@few
@given(seed=seeds, tension=st.floats(-1.0, 0.9), bias=st.floats(-0.5, 0.5))
def test_distance_is_the_measure_along_the_path(seed, tension, bias):
    keys, times = some_keys(seed, 4)
    spline = kochanek_bartels(keys, times, tension=tension, bias=bias)
    measured = arc_length(spline)
    # Polylines between equal distances are a little shorter than those, and no piece is longer.
    distances = np.linspace(-0.3, measured.total + 0.3, 4000)
    pieces = np.linalg.norm(np.diff(measured.at_length(distances), axis=0), axis=-1)
    step = distances[1] - distances[0]
    assert pieces.max() < step * (1.0 + 1e-8)
    assert pieces.sum() > step * 3999 * (1.0 - 2e-2)
    assert np.median(pieces) > step * (1.0 - 1e-4)


@pytest.mark.parametrize("tension", [-1.0, 0.0, 0.8, 1.0])
def test_speed_is_constant(tension):
    keys, times = some_keys(4, 5)
    measured = arc_length(kochanek_bartels(keys, times, tension=tension))
    distances = np.linspace(0.02, measured.total - 0.02, 50)
    # Away from the corners that tension 1 makes.
    distances = distances[np.abs(distances[:, None] - measured.key_lengths).min(axis=1) > 1e-3]
    step = 1e-5
    speeds = np.linalg.norm(measured.at_length(distances + step) - measured.at_length(distances), axis=-1) / step
    np.testing.assert_allclose(speeds, 1.0, atol=1e-6)


@few
@given(seed=seeds, tension=parameters, continuity=parameters)
def test_keys_lie_at_their_lengths(seed, tension, continuity):
    keys, times = some_keys(seed)
    measured = arc_length(kochanek_bartels(keys, times, tension=tension, continuity=continuity))
    np.testing.assert_allclose(measured.at_length(measured.key_lengths), keys, atol=1e-12)
    assert np.all(np.diff(measured.key_lengths) > 0.0)
    np.testing.assert_array_equal(measured.total, measured.key_lengths[-1])


def test_past_the_ends_it_goes_on_without_a_bend():
    keys, times = some_keys(6)
    spline = kochanek_bartels(keys, times)
    measured = arc_length(spline)
    step = 1e-6
    for distance, velocity in ((0.0, spline.outgoing[0]), (measured.total, spline.incoming[-1])):
        direction = velocity / np.linalg.norm(velocity)
        here = measured.at_length(distance)
        np.testing.assert_allclose((measured.at_length(distance + step) - here) / step, direction, atol=1e-5)
        np.testing.assert_allclose((here - measured.at_length(distance - step)) / step, direction, atol=1e-5)
    end = spline.incoming[-1] / np.linalg.norm(spline.incoming[-1])
    np.testing.assert_allclose(measured.at_length(measured.total + 7.0), keys[-1] + 7.0 * end)


@pytest.mark.parametrize("tension", [0.0, 0.5, 1.0])
def test_where_the_tangent_vanishes_the_direction_of_approach_is_kept(tension):
    keys, times = some_keys(7)
    spline = kochanek_bartels(keys, times, tension=tension, ends="clamped")
    measured = arc_length(spline)
    for key, distance, outwards in ((0, 0.0, -1.0), (-1, measured.total, 1.0)):
        near = measured.at_length(distance - outwards * 1e-7)
        direction = (keys[key] - near) / np.linalg.norm(keys[key] - near)
        beyond = measured.at_length(distance + outwards * 2.0)
        np.testing.assert_allclose(beyond, keys[key] + 2.0 * direction, atol=1e-5)
    if tension == 1.0:
        chord = keys[-1] - keys[-2]
        np.testing.assert_allclose(measured.end_direction, chord / np.linalg.norm(chord), atol=1e-14)


@pytest.mark.parametrize("tension", [0.0, 1.0])
@pytest.mark.parametrize("ends", ["natural", "clamped"])
def test_repeated_keys(tension, ends):
    keys = np.array([[0.0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 0]])
    measured = arc_length(kochanek_bartels(keys, tension=tension, ends=ends))
    distances = np.linspace(-1.0, measured.total + 1.0, 101)
    points = measured.at_length(distances)
    assert np.all(np.isfinite(points))
    np.testing.assert_allclose(measured.at_length(measured.key_lengths), keys, atol=1e-9)
    if tension == 1.0:
        np.testing.assert_allclose(measured.key_lengths, [0, 0, 1, 1, 2, 2], atol=1e-12)
        np.testing.assert_allclose(measured.at_length([-1.0, 0.5, 1.5, 3.0])[:, 0], [-1.0, 0.5, 1.0, 1.0])
        np.testing.assert_allclose(measured.at_length(3.0), [1.0, 2.0, 0.0])


def test_equal_keys_stay_put():
    for count in (1, 2, 5):
        measured = arc_length(kochanek_bartels(np.full((count, 3), 1e3 / 7.0)))
        assert measured.total == 0.0
        np.testing.assert_allclose(measured.at_length([-1.0, 0.0, 2.0]), 1e3 / 7.0, rtol=1e-15)
        assert measured.key_lengths.shape == (count,)


def test_a_lone_key_with_a_velocity_has_a_direction():
    measured = arc_length(kochanek_bartels([[1.0, 1.0]], ends=([2.0, 0.0], [0.0, 3.0])))
    np.testing.assert_allclose(measured.at_length([-1.0, 0.0, 2.0]), [[0, 1], [1, 1], [1, 3]])


def test_a_crowd_is_the_same_as_its_people():
    keys, times = some_keys(11, 5, (4, 3))
    keys[:, 2] = keys[0, 2]  # one of them does not move
    tension = np.array([[-1.0, 0.0, 0.5, 1.0]])
    crowd = arc_length(kochanek_bartels(keys, times, tension=tension))
    shares = np.linspace(-0.2, 1.2, 9)[:, None]
    points = crowd.at_length(shares * crowd.total)
    assert points.shape == (9, 4, 3)
    assert crowd.key_lengths.shape == (5, 4)
    for person in range(4):
        one = arc_length(kochanek_bartels(keys[:, person], times, tension=tension[0, person]))
        np.testing.assert_allclose(crowd.total[person], one.total)
        np.testing.assert_allclose(points[:, person], one.at_length(shares[:, 0] * one.total), atol=1e-12)
    assert crowd.at_length(0.5).shape == (4, 3)


def test_errors_say_what_was_found():
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        arc_length(kochanek_bartels([0.0, 1.0, 2.0]))
    crowd = arc_length(kochanek_bartels(np.zeros((3, 4, 2))))
    with pytest.raises(ValueError, match=r"shape \(5,\).*\(4,\)"):
        crowd.at_length(np.zeros(5))
