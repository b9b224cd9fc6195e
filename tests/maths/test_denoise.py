"""Noise out of curves, fast movement left in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.maths import denoise


def calmed(table, rate, setting="1"):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KINESPHERE_COMPILED", setting)
        return denoise.denoise_limb(table, rate)


def stroke(frames, rate, seconds=0.15, size=60.0):
    """Rest, one quick way there, and rest: in noise's units."""
    u = np.clip((np.arange(frames) / rate - 0.5 * frames / rate) / seconds + 0.5, 0.0, 1.0)
    return size * u**3 * (10.0 - 15.0 * u + 6.0 * u * u)


@given(seeds, st.integers(8, 60), st.integers(1, 5))
def test_the_spline_is_what_solves_its_equations(seed, frames, columns):
    rng = np.random.default_rng(seed)
    values, q = rng.normal(size=(frames, columns)), 10.0 ** rng.uniform(-5.0, 3.0, (frames - 2, columns))
    made = denoise.smoothing_spline(values, q)
    bends = np.diff(np.eye(frames), 2, axis=0)
    for c in range(columns):
        expected = np.linalg.solve(np.eye(frames) + bends.T @ (bends / q[:, c, None]), values[:, c])
        np.testing.assert_allclose(made[:, c], expected, atol=1e-8)


@given(st.floats(-5.0, 5.0), st.floats(-5.0, 5.0), st.floats(-6.0, 6.0), st.integers(8, 200))
def test_straight_lines_stay(level, slope, power, frames):
    line = (level + slope * np.linspace(0.0, 1.0, frames))[:, None]
    np.testing.assert_allclose(denoise.smoothing_spline(line, np.full((frames - 2, 1), 10.0**power)), line, atol=1e-7)
    np.testing.assert_allclose(calmed(line, 60.0), line, atol=1e-4)  # of the noise


def test_the_numbers_are_those_of_the_integrals():
    """What a spline leaves of noise and of movement, over all frequencies."""
    u = np.linspace(-2000.0, 2000.0, 4_000_001)
    over = 1.0 / (1.0 + u**4)
    for number, values in (
        (denoise.WAVES, over),
        (denoise.HISS, u**4 * over**2),
        (denoise.LEFT, over**2),
    ):
        assert np.trapezoid(values, u) / (2.0 * np.pi) == pytest.approx(number, rel=2e-3)


@given(seeds, st.floats(1e-6, 1e3), st.integers(1, 3))
def test_noise_is_found_under_movement(seed, size, count):
    rng, time = np.random.default_rng(seed), np.arange(900) / 60.0
    clean = 200.0 * size * np.sin(2.0 * np.pi * 0.4 * time + rng.uniform(0.0, 6.0, (4, count, 1))).transpose(2, 0, 1)
    found = denoise.estimate_noise(clean + size * rng.normal(size=clean.shape))
    np.testing.assert_allclose(found, size, rtol=0.2)


def test_what_bends_evenly_has_no_noise():
    time = np.arange(100.0)[:, None, None]
    assert denoise.estimate_noise(3.0 + 2.0 * time - time * time / 50.0).max() < 1e-12
    assert denoise.estimate_noise(np.zeros((5, 2, 3))).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("rate", [30.0, 60.0, 120.0])
def test_noise_alone_goes(rate, rng):
    values = rng.normal(size=(int(10 * rate), 9))
    made = calmed(values, rate)
    assert np.sqrt((made**2).mean()) < 0.15


@pytest.mark.parametrize(("rate", "kept", "left"), [(30.0, 0.85, 0.25), (60.0, 0.93, 0.2), (120.0, 0.95, 0.15)])
def test_a_stroke_stays_sharp(rate, kept, left, rng):
    """Six curves, of which two strike together in 0.15 s."""
    frames = int(6 * rate)
    clean = np.zeros((frames, 6))
    clean[:, 1], clean[:, 4] = stroke(frames, rate), -0.5 * stroke(frames, rate)
    made = calmed(clean + rng.normal(size=clean.shape), rate)
    assert np.sqrt(((made - clean) ** 2).mean()) < left
    assert np.diff(made[:, 1]).max() > kept * np.diff(clean[:, 1]).max()


@given(seeds, st.integers(8, 120), st.integers(1, 10), st.sampled_from([30.0, 60.0, 120.0]))
def test_both_twins_give_the_same(seed, frames, columns, rate):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(frames, columns)) + rng.uniform(0.0, 30.0, columns) * stroke(frames, rate)[:, None] / 60.0
    np.testing.assert_allclose(calmed(values, rate), denoise.denoise_limb_reference(values, rate), atol=2e-5)


@given(seeds, st.integers(20, 90))
def test_backwards_is_the_same_backwards(seed, frames):
    values = np.random.default_rng(seed).normal(size=(frames, 4)) + stroke(frames, 60.0)[:, None]
    np.testing.assert_allclose(calmed(values[::-1].copy(), 60.0)[::-1], calmed(values, 60.0), atol=2e-5)


@given(seeds)
def test_nothing_much_more_than_noise_is_taken_out(seed):
    """A burst of what is no noise stays, for the most part."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(300, 3))
    values[140:160] *= rng.uniform(1.0, 40.0)
    change = calmed(values, 60.0) - values
    assert np.sqrt(denoise.exponential_average(change**2, denoise.LONG * 60.0)).max() < denoise.MORE * 1.2


@given(seeds, st.integers(1, 40), st.floats(0.5, 30.0))
def test_averages_are_averages(seed, frames, spread):
    values = np.random.default_rng(seed).uniform(1.0, 2.0, (frames, 2))
    made = denoise.exponential_average(values, spread)
    assert (made >= values.min(axis=0) - 1e-12).all()
    assert (made <= values.max(axis=0) + 1e-12).all()
    np.testing.assert_allclose(denoise.exponential_average(values[::-1], spread)[::-1], made, atol=1e-12)


@pytest.mark.parametrize("spread", [0.7, 3.0, 24.0])
def test_averages_reach_as_far_as_is_said(spread):
    pulse = np.zeros(2001)
    pulse[1000] = 1.0
    made = denoise.exponential_average(pulse, spread)
    at = np.arange(-1000.0, 1001.0)
    assert made.sum() == pytest.approx(1.0)
    assert np.sqrt((made * at * at).sum()) == pytest.approx(spread, rel=1e-6)


def test_axes_gather_what_moves_together(rng):
    """A hinge at an angle in each of four joints, all with one timing: one curve of twelve moves."""
    way = rng.normal(size=12)
    values = np.outer(stroke(600, 60.0, 1.0), way / np.linalg.norm(way)) + rng.normal(size=(600, 12))
    axes = denoise.movement_axes(values - values.mean(axis=0), 60.0)
    np.testing.assert_allclose(axes.T @ axes, np.eye(12), atol=1e-12)
    spread = np.sort(((values - values.mean(axis=0)) @ axes).std(axis=0))
    assert spread[-1] > 20.0
    assert spread[-2] < 1.5


@pytest.mark.parametrize("frames", range(1, denoise.FEWEST))
def test_few_frames_stay(frames, rng):
    values = rng.normal(size=(frames, 3))
    np.testing.assert_array_equal(calmed(values, 60.0), values)
