"""Vector splines: what is true of the family, and the numbers of two other implementations."""

from __future__ import annotations

import numpy as np
import pytest
import splines
from hypothesis import given, settings
from hypothesis import strategies as st
from vtkmodules.vtkCommonComputationalGeometry import vtkKochanekSpline

from kinesphere.maths.splines import kochanek_bartels

SHAPES = [(0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (0.3, -0.4, 0.6), (-1.0, 1.0, -1.0), (1.0, 0.2, 0.1)]

few = settings(max_examples=50, deadline=None)
seeds = st.integers(0, 2**32 - 1)
parameters = st.floats(-1.0, 1.0)


def some_keys(seed, count=6, uniform=False, shape=(3,)):
    rng = np.random.default_rng(seed)
    times = np.arange(float(count)) if uniform else np.cumsum(rng.uniform(0.2, 2.0, count))
    return rng.normal(size=(count, *shape)), times


def vtk_values(keys, times, at, tension, continuity, bias, constraint, start=(0, 0, 0), end=(0, 0, 0)):
    columns = []
    for axis in range(keys.shape[1]):
        spline = vtkKochanekSpline()
        spline.SetDefaultTension(tension)
        spline.SetDefaultContinuity(continuity)
        spline.SetDefaultBias(bias)
        spline.SetLeftConstraint(constraint)
        spline.SetRightConstraint(constraint)
        spline.SetLeftValue(start[axis])
        spline.SetRightValue(end[axis])
        for time, key in zip(times, keys[:, axis], strict=True):
            spline.AddPoint(time, key)
        columns.append([spline.Evaluate(time) for time in at])
    return np.array(columns).T


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize(("tension", "continuity", "bias"), SHAPES)
@pytest.mark.parametrize("count", [3, 7])
def test_equals_vtk(uniform, tension, continuity, bias, count):
    keys, times = some_keys(count, count, uniform)
    at = np.linspace(times[0], times[-1], 57)
    shape = {"tension": tension, "continuity": continuity, "bias": bias, "spacing": "speed"}
    natural = kochanek_bartels(keys, times, **shape)
    clamped = kochanek_bartels(keys, times, ends="clamped", **shape)
    start, end = np.array([0.3, -0.7, 1.1]), np.array([-2.0, 0.1, 0.9])
    given_ends = kochanek_bartels(keys, times, ends=(start, end), **shape)
    # VTK's constraints: 1 fixes the velocity, per segment instead of per time; 2 the second derivative.
    expected = [
        vtk_values(keys, times, at, tension, continuity, bias, 2),
        vtk_values(keys, times, at, tension, continuity, bias, 1),
        vtk_values(
            keys,
            times,
            at,
            tension,
            continuity,
            bias,
            1,
            start * (times[1] - times[0]),
            end * (times[-1] - times[-2]),
        ),
    ]
    for spline, values in zip((natural, clamped, given_ends), expected, strict=True):
        np.testing.assert_allclose(spline.value(at), values, atol=1e-12)


@few
@given(seed=seeds, count=st.integers(2, 8))
def test_equals_splines(seed, count):
    keys, times = some_keys(seed, count)
    shape = np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 3))
    ours = kochanek_bartels(keys, times, tension=shape[:, 0], continuity=shape[:, 1], bias=shape[:, 2])
    theirs = splines.KochanekBartels(keys, times, tcb=shape[1:-1])
    at = np.linspace(times[0], times[-1], 31)
    np.testing.assert_allclose(ours.value(at), theirs.evaluate(at), atol=1e-11)
    np.testing.assert_allclose(ours.velocity(at), theirs.evaluate(at, 1), atol=1e-10)


@few
@given(seed=seeds, count=st.integers(1, 6), tension=parameters, continuity=parameters, bias=parameters)
def test_passes_through_its_keys(seed, count, tension, continuity, bias):
    keys, times = some_keys(seed, count)
    for spacing in ("parabolic", "speed"):
        spline = kochanek_bartels(keys, times, tension=tension, continuity=continuity, bias=bias, spacing=spacing)
        np.testing.assert_array_equal(spline.value(times), keys)


@few
@given(seed=seeds, tension=parameters, bias=parameters)
def test_velocity_is_the_derivative_and_continuous_at_keys(seed, tension, bias):
    keys, times = some_keys(seed)
    spline = kochanek_bartels(keys, times, tension=tension, bias=bias)
    step = 1e-6
    at = np.concatenate([np.linspace(times[0] - 1.0, times[-1] + 1.0, 41), times])
    difference = (spline.value(at + step) - spline.value(at - step)) / (2.0 * step)
    np.testing.assert_allclose(spline.velocity(at), difference, atol=1e-3)
    np.testing.assert_allclose(spline.velocity(times - 1e-13), spline.velocity(times), atol=1e-9)


def test_continuity_other_than_zero_breaks_the_velocity():
    keys, times = some_keys(3)
    spline = kochanek_bartels(keys, times, continuity=-1.0)
    assert np.all(np.linalg.norm(spline.incoming[1:-1] - spline.outgoing[1:-1], axis=-1) > 0.1)
    np.testing.assert_allclose(spline.velocity(times[2]), spline.outgoing[2])


@pytest.mark.parametrize("spacing", ["parabolic", "speed"])
@pytest.mark.parametrize("ends", ["natural", "clamped", "chord"])
def test_tension_one_makes_straight_segments(spacing, ends):
    keys, times = some_keys(5)
    spline = kochanek_bartels(keys, times, tension=1.0, ends=ends, spacing=spacing)
    for i in range(len(keys) - 1):
        inner = spline.value(np.linspace(times[i], times[i + 1], 9)) - keys[i]
        chord = keys[i + 1] - keys[i]
        along = inner @ chord / (chord @ chord)
        np.testing.assert_allclose(inner, along[:, None] * chord, atol=1e-12)
        assert np.all(np.diff(along) > 0.0)


@few
@given(seed=seeds, tension=parameters, continuity=parameters, bias=parameters)
def test_affine_maps_of_keys_are_affine_maps_of_the_curve(seed, tension, continuity, bias):
    keys, times = some_keys(seed)
    rng = np.random.default_rng(seed + 1)
    matrix, offset = rng.normal(size=(3, 3)), rng.normal(size=3)
    shape = {"tension": tension, "continuity": continuity, "bias": bias}
    at = np.linspace(times[0] - 1.0, times[-1] + 1.0, 23)
    plain = kochanek_bartels(keys, times, **shape).value(at)
    mapped = kochanek_bartels(keys @ matrix + offset, times, **shape).value(at)
    np.testing.assert_allclose(mapped, plain @ matrix + offset, atol=1e-10)
    slower = kochanek_bartels(keys, 3.0 * times - 5.0, **shape).value(3.0 * at - 5.0)
    np.testing.assert_allclose(slower, plain, atol=1e-10)


def test_a_parabola_is_reproduced_whatever_the_spacing_of_times():
    _, times = some_keys(8, 7)
    ends = (2.0 * times[0] - 1.0, 2.0 * times[-1] - 1.0)
    spline = kochanek_bartels(times**2 - times, times, ends=ends)
    at = np.linspace(times[0], times[-1], 50)
    np.testing.assert_allclose(spline.value(at), at**2 - at, atol=1e-12)


def test_past_the_ends_it_goes_on_along_the_limit_tangent():
    keys, times = some_keys(9)
    spline = kochanek_bartels(keys, times)
    late, early = np.array([0.1, 2.0, 30.0]), np.array([-0.1, -2.0, -30.0])
    after = keys[-1] + spline.incoming[-1] * late[:, None]
    before = keys[0] + spline.outgoing[0] * early[:, None]
    np.testing.assert_allclose(spline.value(times[-1] + late), after)
    np.testing.assert_allclose(spline.value(times[0] + early), before)
    np.testing.assert_allclose(spline.velocity(times[-1] + late), np.tile(spline.incoming[-1], (3, 1)))


def test_a_crowd_is_the_same_as_its_people():
    keys, times = some_keys(10, 5, shape=(4, 2, 3))
    tension = np.linspace(-1.0, 1.0, 20).reshape(5, 4)
    crowd = kochanek_bartels(keys, times, tension=tension)
    at = np.linspace(times[0] - 0.5, times[-1] + 0.5, 12).reshape(3, 4)
    assert crowd.value(at).shape == (3, 4, 4, 2, 3)
    for person in range(4):
        one = kochanek_bartels(keys[:, person], times, tension=tension[:, person])
        np.testing.assert_allclose(crowd.value(at)[:, :, person], one.value(at))
    curves, when = np.array([7, 0, 3]), times[[0, 2, 3]] + 0.05
    expected = [crowd.value(t).reshape(8, 3)[curve] for curve, t in zip(curves, when, strict=True)]
    np.testing.assert_allclose(crowd.value_of(curves, when), expected)


def test_one_and_two_keys():
    one = kochanek_bartels([[1.0, 2.0]])
    np.testing.assert_array_equal(one.value([-1.0, 0.0, 5.0]), [[1.0, 2.0]] * 3)
    moving = kochanek_bartels([[1.0, 2.0]], ends=([1.0, 0.0], [0.0, 1.0]))
    np.testing.assert_array_equal(moving.value([-1.0, 0.0, 5.0]), [[0.0, 2.0], [1.0, 2.0], [1.0, 7.0]])
    two = kochanek_bartels([0.0, 3.0], [1.0, 2.0], tension=0.7)
    np.testing.assert_allclose(two.value([0.0, 1.5, 4.0]), [-3.0, 1.5, 9.0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"keys": np.zeros((0, 3))}, r"shape \(0, 3\)"),
        ({"keys": 1.0}, r"shape \(\)"),
        ({"keys": [0.0, np.nan]}, "key 1 is not finite"),
        ({"keys": [0.0, 1.0], "times": [0.0]}, r"shape \(1,\); 2 keys need \(2,\)"),
        ({"keys": [0.0, 1.0, 2.0], "times": [0.0, 2.0, 2.0]}, "time 2 is 2 after 2 at 1"),
        ({"keys": [0.0, 1.0], "times": [0.0, np.inf]}, "time 1 is not finite"),
        ({"keys": [0.0, 1.0, 2.0], "tension": [0.0, 1.0]}, r"tension has shape \(2,\)"),
        ({"keys": [0.0, 1.0, 2.0], "bias": np.zeros((3, 3))}, r"bias has shape \(3, 3\)"),
        ({"keys": [0.0, 1.0, 2.0], "continuity": np.nan}, "continuity must be finite"),
        ({"keys": [0.0, 1.0], "ends": "loose"}, "'loose'; allowed are natural, clamped, chord"),
        ({"keys": [0.0, 1.0], "ends": 3.0}, "a tuple of two"),
        ({"keys": np.zeros((2, 3)), "ends": ("natural", [1.0, 2.0])}, r"at the end has shape \(2,\)"),
        ({"keys": [0.0, 1.0, 2.0], "spacing": "even"}, "'even'; allowed are parabolic, speed"),
    ],
)
def test_errors_say_what_was_found(arguments, message):
    with pytest.raises(ValueError, match=message):
        kochanek_bartels(**arguments)
