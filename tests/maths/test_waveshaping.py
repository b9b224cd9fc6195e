"""Waveshaping is the spline applied to every value."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.maths import waveshaping
from kinesphere.maths.splines import kochanek_bartels


@st.composite
def functions(draw):
    """Splines with any tension, continuity and bias, over −1 … 1 and somewhat beyond."""
    rng = np.random.default_rng(draw(seeds))
    count = draw(st.integers(2, 9))
    x = np.cumsum(rng.uniform(0.05, 0.6, count))
    tuned = {name: rng.uniform(-1.0, 1.0, count) for name in ("tension", "continuity", "bias")}
    ends = draw(st.sampled_from(["natural", "clamped", "chord"]))
    return kochanek_bartels(rng.uniform(-1.5, 1.5, count), x - x.mean(), ends=ends, **tuned)


def table(seed, frames=37, columns=5):
    return np.random.default_rng(seed).normal(size=(frames, columns))


@given(functions())
def test_pieces_are_the_spline(curve):
    numbers = waveshaping.cubic_coefficients(curve)
    x = np.linspace(curve.times[0], curve.times[-1], 101)[:-1]
    k = np.searchsorted(curve.times, x, side="right") - 1
    u = x - curve.times[k]
    made = numbers[k, 0] + u * (numbers[k, 1] + u * (numbers[k, 2] + u * numbers[k, 3]))
    np.testing.assert_allclose(made, curve.value(x), atol=1e-11)


@given(functions(), seeds, st.floats(0.0, 1.0))
def test_every_value_is_the_splines(curve, seed, amount):
    values = table(seed)
    centre, half = waveshaping.column_ranges(values)
    half[1] = 0.0
    near = (values - centre) / np.where(half > 0.0, half, 1.0)
    made = waveshaping.waveshape(values, centre, half, curve, amount)
    np.testing.assert_allclose(made, values + amount * half * (curve.value(near) - near), atol=1e-10)
    np.testing.assert_array_equal(made[:, 1], values[:, 1])


@given(seeds, st.floats(0.0, 1.0))
def test_a_straight_line_changes_nothing(seed, amount):
    values = table(seed)
    line = kochanek_bartels([-1.0, 1.0], [-1.0, 1.0])
    np.testing.assert_allclose(
        waveshaping.waveshape(values, *waveshaping.column_ranges(values), line, amount), values, atol=1e-14
    )


@given(functions(), seeds)
def test_it_is_a_point_process(curve, seed):
    """What becomes of a frame does not depend on the others."""
    values = table(seed)
    centre, half = waveshaping.column_ranges(values)
    order = np.random.default_rng(seed).permutation(len(values))
    made = waveshaping.waveshape(values, centre, half, curve)
    np.testing.assert_array_equal(waveshaping.waveshape(values[order], centre, half, curve), made[order])


@given(functions(), seeds, st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_more_of_it_changes_more(curve, seed, some, more):
    values = table(seed)
    spans = waveshaping.column_ranges(values)
    low, high = sorted((some, more))
    less = np.abs(waveshaping.waveshape(values, *spans, curve, low) - values)
    assert (less <= np.abs(waveshaping.waveshape(values, *spans, curve, high) - values) + 1e-12).all()


def test_spans_take_in_all_that_a_curve_does(rng):
    values = rng.normal(size=(50, 4))
    centre, half = waveshaping.column_ranges(values)
    np.testing.assert_allclose(centre - half, values.min(axis=0))
    np.testing.assert_allclose(centre + half, values.max(axis=0))
