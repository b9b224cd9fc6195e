"""Filters delay nothing, keep lines, take away fast waves, and agree with SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter1d, maximum_filter1d
from scipy.stats import norm

from generated import seeds
from kinesphere import _native
from kinesphere.maths import filters
from kinesphere.maths.filters import CUT, gaussian, gaussian_weights, low_pass, moving_mean, running_maximum


def test_half_of_the_power_is_left_at_the_cut():
    rate = 240.0
    time = np.arange(960) / rate
    for hertz, kept in ((1.0, 0.5 ** (0.5 * (1.0 / CUT) ** 2)), (CUT, np.sqrt(0.5)), (30.0, 0.0)):
        wave = np.sin(2.0 * np.pi * hertz * time)
        inner = slice(240, 720)
        smooth = low_pass(wave, rate)[inner]
        assert np.abs(smooth - kept * wave[inner]).max() < 0.01  # in phase, too


def test_lines_stay_lines_to_their_ends():
    line = np.linspace(0.0, 3.0, 50)[:, None] * [1.0, -2.0, 0.5]
    assert low_pass(line, 60.0) == pytest.approx(line, abs=1e-12)


def test_short_clips_are_left_standing():
    assert low_pass(np.ones((1, 3)), 60.0).shape == (1, 3)
    assert low_pass(np.arange(3.0), 120.0) == pytest.approx(np.arange(3.0))


@given(seeds, st.floats(0.3, 6.0), st.sampled_from([("hold", "nearest"), ("reflect", "mirror")]))
def test_a_gaussian_is_scipys(seed, sigma, ends):
    values = np.random.default_rng(seed).normal(size=(60, 2, 3))
    radius = int(np.ceil(4.0 * sigma))
    expected = gaussian_filter1d(values, sigma, axis=0, mode=ends[1], radius=radius)
    assert gaussian(values, sigma, ends=ends[0]) == pytest.approx(expected, abs=1e-12)


@given(seeds, st.floats(0.3, 6.0))
def test_loops_are_smoothed_as_scipy_wraps_them(seed, sigma):
    loop = np.random.default_rng(seed).normal(size=(50, 3))
    loop[-1] = loop[0]
    radius = int(np.ceil(4.0 * sigma))
    expected = gaussian_filter1d(loop[:-1], sigma, axis=0, mode="wrap", radius=radius)
    made = gaussian(loop, sigma, ends="wrap")
    assert made[:-1] == pytest.approx(expected, abs=1e-12)
    assert np.array_equal(made[-1], made[0])


@given(st.floats(0.1, 5.0), st.integers(1, 20))
def test_integrated_weights_are_those_of_the_normal_distribution(sigma, radius):
    edges = norm.cdf((np.arange(-radius, radius + 2) - 0.5) / sigma)
    expected = np.diff(edges) / (edges[-1] - edges[0])
    assert gaussian_weights(sigma, radius, integrate=True) == pytest.approx(expected, abs=1e-12)


@given(st.floats(0.1, 8.0), st.integers(2, 60), st.booleans())
def test_point_reflection_keeps_lines(sigma, frames, integrate):
    line = np.linspace(-1.0, 2.0, frames)[:, None] * [1.0, -2.0]
    assert gaussian(line, sigma, ends="point", integrate=integrate) == pytest.approx(line, abs=1e-12)


@given(seeds, st.floats(0.02, 0.2), st.integers(2, 50))
def test_the_native_gaussian_is_the_integrated_one(seed, sigma, frames):
    values, made = np.random.default_rng(seed).normal(size=(frames, 4)), np.empty((frames, 4))
    filters.smooth_where(values, sigma, 60.0, np.ones(frames), made)
    assert made == pytest.approx(gaussian(values, 60.0 * sigma, ends="point", integrate=True), abs=1e-12)


@given(seeds, st.integers(0, 20), st.integers(1, 40), st.sampled_from([0, 1, -1]))
def test_a_running_maximum_is_scipys(seed, radius, frames, axis):
    values = np.random.default_rng(seed).normal(size=(frames, frames))
    made = running_maximum(values, radius, axis)
    assert np.array_equal(made, maximum_filter1d(values, 2 * radius + 1, axis=axis, mode="nearest"))
    row = np.empty(frames)
    _native.filters.running_maximum(values[0], radius, row)
    assert np.array_equal(row, running_maximum(values[0], radius))
    flags = running_maximum(values[0] > 1.0, radius)
    assert np.array_equal(flags, maximum_filter1d((values[0] > 1.0).astype(float), 2 * radius + 1, mode="nearest"))


@given(seeds, st.integers(0, 6), st.integers(1, 12), st.integers(1, 40))
def test_what_is_widened_fades_by_a_hann_window(seed, reach, fade, frames):
    values = np.random.default_rng(seed).normal(size=frames)
    window = np.hanning(2 * fade + 3)[1:-1]
    greatest = np.pad(running_maximum(values, reach), fade, mode="edge")
    expected = np.convolve(greatest, window / window.sum(), mode="valid")
    assert filters.widen(values, reach, fade) == pytest.approx(expected, abs=1e-12)


def test_frames_without_weight_are_not_smoothed(rng):
    values, where = rng.normal(size=(40, 2)), (rng.random(40) > 0.5).astype(float)
    made, whole = values.copy(), np.empty((40, 2))
    filters.smooth_where(values, 0.05, 60.0, where, made)
    filters.smooth_where(values, 0.05, 60.0, np.ones(40), whole)
    assert np.array_equal(made, np.where(where[:, None] > 0.0, whole, values))


def test_velocities_of_straight_paths_are_even(rng):
    velocity, made = rng.normal(size=4), np.zeros((30, 4))
    where = rng.random(30) > 0.3
    _native.filters.velocity(np.arange(30.0)[:, None] / 60.0 * velocity, 2.5, 60.0, where, made)
    assert made == pytest.approx(where[:, None] * velocity)


@given(seeds, st.integers(1, 40), st.floats(1.0, 4.0))
def test_speeds_are_lengths_of_velocities(seed, frames, half):
    paths = np.random.default_rng(seed).normal(size=(frames, 6))
    velocities, made = np.empty((frames, 6)), np.empty((frames, 2))
    _native.filters.velocity(paths, half, 60.0, np.ones(frames, dtype=bool), velocities)
    _native.filters.speed(paths, half, 60.0, made)
    assert made == pytest.approx(np.linalg.norm(velocities.reshape(frames, 2, 3), axis=-1))


def test_second_differences_are_those_of_performed_frames(rng):
    values, performed, made = rng.normal(size=(20, 3)), np.ones(20, dtype=bool), np.empty(20)
    performed[7] = False
    _native.filters.second_differences(values, performed, made)
    wanted = np.pad(np.linalg.norm(np.diff(values, 2, axis=0), axis=1), 1)
    wanted[6:9] = 0.0
    assert made == pytest.approx(wanted)


def test_derivatives_of_parabolas_are_exact_within():
    time = np.arange(20) / 60.0
    made = filters.derivative(time**2, 60.0)
    assert made[1:-1] == pytest.approx(2.0 * time[1:-1])
    assert not filters.derivative(np.ones((1, 3)), 60.0).any()


@pytest.mark.parametrize("radius", [1, 4, 50])
def test_a_moving_mean_is_the_mean_of_means_of_what_there_is(radius):
    values = np.random.default_rng(radius).standard_normal((30, 2, 3))
    expected = values
    for _ in range(2):
        expected = np.stack([expected[max(t - radius, 0) : t + radius + 1].mean(axis=0) for t in range(30)])
    assert moving_mean(values, radius) == pytest.approx(expected, abs=1e-12)
