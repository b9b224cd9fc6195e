"""Denoising takes noise out of curves and leaves fast movement in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated import seeds
from kinesphere import _native
from kinesphere.maths import denoise


def stroke(frames, rate, seconds=0.15, size=60.0):
    """Rest, one quick way there, and rest: in noise's units."""
    u = np.clip((np.arange(frames) / rate - 0.5 * frames / rate) / seconds + 0.5, 0.0, 1.0)
    return size * u**3 * (10.0 - 15.0 * u + 6.0 * u * u)


def dense_spline(values, q):
    """The smoothing spline by its normal equations, a dense system a column."""
    bends = np.diff(np.eye(len(values)), 2, axis=0)
    systems = [np.eye(len(values)) + bends.T @ (bends / column[:, None]) for column in q.T]
    return np.stack([np.linalg.solve(a, z) for a, z in zip(systems, values.T, strict=True)], axis=1)


@given(seeds, st.integers(8, 60), st.integers(1, 5))
def test_splines_solve_their_normal_equations(seed, frames, columns):
    rng = np.random.default_rng(seed)
    values, q = rng.normal(size=(frames, columns)), 10.0 ** rng.uniform(-5.0, 3.0, (frames - 2, columns))
    stiff, made = np.zeros((frames + 2, columns)), np.empty((frames, columns))
    stiff[2:-2] = 1.0 / q
    _native.denoise.spline(values, stiff, np.zeros((3, frames + 2, columns)), made)
    np.testing.assert_allclose(made, dense_spline(values, q), atol=1e-8)
    _native.denoise.even_spline(values, 1.0 / q[0, 0], made)
    np.testing.assert_allclose(made, dense_spline(values, np.full(q.shape, q[0, 0])), atol=1e-8)


def average(values, keep):
    """Exponential averages by a dense matrix of weights."""
    weights = keep ** np.abs(np.subtract.outer(np.arange(len(values)), np.arange(len(values))))
    return weights @ values / weights.sum(axis=1).reshape(-1, *([1] * (values.ndim - 1)))


ITERATIONS, CAUTION, MAX_SURGE, MAX_VARIANCE = 4, 0.8, 30.0, 1e9  # as the loop has them


def dense_denoise(table, rate):
    """The equations of the module's text, by dense linear algebra."""
    settings, frames = denoise.denoise_settings(len(table), rate), len(table)
    even = lambda values, q: dense_spline(values, np.full((frames - 2, values.shape[1]), q))  # noqa: E731
    centred = table - table.mean(axis=0)
    axes = np.eye(table.shape[1])
    for k in range(0, 3 * (table.shape[1] // 3), 3):
        axes[k : k + 3, k : k + 3] = np.linalg.eigh(np.cov(even(centred, settings.axes)[:, k : k + 3].T, bias=True))[1]
    shared = np.atleast_2d(np.cov((even(centred, settings.axes) @ axes).T, bias=True))
    moving = np.flatnonzero(np.diag(shared) > settings.shared)
    if len(moving):
        axes[:, moving] = axes[:, moving] @ np.linalg.eigh(shared[np.ix_(moving, moving)])[1]
    along = centred @ axes
    energy = np.diff(even(along, settings.start), 2, axis=0) ** 2
    rest = (even(along, settings.slow).var(axis=0) < settings.drift) & (energy.mean(axis=0) < settings.activity)
    rest &= average(energy, settings.long).max(axis=0) < settings.onset
    made, live = even(along, settings.least), along[:, ~rest]
    q = np.full((frames - 2, live.shape[1]), settings.start)
    for _ in range(ITERATIONS if live.size else 0):
        energy = np.diff(dense_spline(live, q), 2, axis=0) ** 2 - denoise.NOISE_POWER * q**1.25
        own = np.maximum(average(energy, settings.long), 0.0)
        together = np.maximum(average(energy.sum(axis=1), settings.short), 0.0)
        surge = np.minimum(together / np.maximum(own.sum(axis=1), 1e-300), MAX_SURGE)
        found = CAUTION * (own * surge[:, None] / denoise.MOVEMENT_POWER) ** 0.75
        q = np.clip(found, settings.least, MAX_VARIANCE)
    if live.size:
        made[:, ~rest] = dense_spline(live, q)
    change = made @ axes.T - centred
    size = np.sqrt(average(change**2, settings.long))
    return table + change * denoise.MAX_CHANGE / np.maximum(size, denoise.MAX_CHANGE)


@settings(max_examples=25)
@given(seeds, st.integers(8, 90), st.integers(1, 10), st.sampled_from([30.0, 60.0, 120.0]))
def test_it_is_what_dense_linear_algebra_gives(seed, frames, columns, rate):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(frames, columns)) + rng.uniform(0.0, 30.0, columns) * stroke(frames, rate)[:, None] / 60.0
    np.testing.assert_allclose(denoise.denoise_limb(values, rate), dense_denoise(values, rate), atol=2e-5)


def test_one_curve_that_moves_among_limbs_at_rest_is_denoised_as_alone(rng):
    values = rng.normal(size=(300, 24))
    values[:, 10] += stroke(300, 60.0)
    limbs = [np.array([column]) for column in range(24)]
    made = denoise.denoise(values, limbs, np.ones(24), 1.0, 60.0)
    for limb in limbs:
        np.testing.assert_allclose(made[:, limb], denoise.denoise_limb(values[:, limb], 60.0), atol=2e-5)


def test_limbs_are_denoised_apart_and_other_columns_stay(rng):
    values = rng.normal(size=(200, 70)) + np.outer(stroke(200, 60.0), rng.normal(size=70))
    units = rng.uniform(0.1, 3.0, 70)
    limbs = [np.arange(0, 30), np.array([65, 31, 40]), np.arange(45, 63)]
    made = denoise.denoise(values * units, limbs, units, 0.5, 60.0)
    for limb in limbs:
        whole = denoise.denoise_limb(values[:, limb], 60.0)
        np.testing.assert_allclose(made[:, limb] / units[limb], 0.5 * (values[:, limb] + whole), atol=2e-5)
    others = np.setdiff1d(np.arange(70), np.concatenate(limbs))
    np.testing.assert_array_equal(made[:, others], (values * units)[:, others])


@given(st.floats(-5.0, 5.0), st.floats(-5.0, 5.0), st.floats(-6.0, 6.0), st.integers(8, 200))
def test_straight_lines_stay(level, slope, power, frames):
    line = (level + slope * np.linspace(0.0, 1.0, frames))[:, None]
    made = np.empty_like(line)
    _native.denoise.even_spline(line, 10.0**-power, made)
    np.testing.assert_allclose(made, line, atol=1e-7)
    np.testing.assert_allclose(denoise.denoise_limb(line, 60.0), line, atol=1e-4)  # of the noise


def test_the_numbers_are_those_of_the_integrals():
    """What a spline leaves of noise and of movement, over all frequencies."""
    u = np.linspace(-2000.0, 2000.0, 4_000_001)
    over = 1.0 / (1.0 + u**4)
    for number, values in (
        (denoise.MOVEMENT_POWER, over),
        (denoise.NOISE_POWER, u**4 * over**2),
        (denoise.NOISE_LEFT, over**2),
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
    made = denoise.denoise_limb(values, rate)
    assert np.sqrt((made**2).mean()) < 0.15


@pytest.mark.parametrize(("rate", "kept", "left"), [(30.0, 0.85, 0.25), (60.0, 0.93, 0.2), (120.0, 0.95, 0.15)])
def test_a_stroke_stays_sharp(rate, kept, left, rng):
    """Six curves, of which two strike together in 0.15 s."""
    frames = int(6 * rate)
    clean = np.zeros((frames, 6))
    clean[:, 1], clean[:, 4] = stroke(frames, rate), -0.5 * stroke(frames, rate)
    made = denoise.denoise_limb(clean + rng.normal(size=clean.shape), rate)
    assert np.sqrt(((made - clean) ** 2).mean()) < left
    assert np.diff(made[:, 1]).max() > kept * np.diff(clean[:, 1]).max()


@given(seeds, st.integers(20, 90))
def test_backwards_is_the_same_backwards(seed, frames):
    values = np.random.default_rng(seed).normal(size=(frames, 4)) + stroke(frames, 60.0)[:, None]
    np.testing.assert_allclose(
        denoise.denoise_limb(values[::-1].copy(), 60.0)[::-1], denoise.denoise_limb(values, 60.0), atol=2e-5
    )


@given(seeds)
def test_nothing_much_more_than_noise_is_taken_out(seed):
    """A burst of what is no noise stays, for the most part."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(300, 3))
    values[140:160] *= rng.uniform(1.0, 40.0)
    change = denoise.denoise_limb(values, 60.0) - values
    assert np.sqrt(average(change**2, denoise.decay_factor(denoise.LONG * 60.0))).max() < denoise.MAX_CHANGE * 1.2


@given(seeds, st.integers(1, 40), st.floats(0.5, 30.0))
def test_averages_are_sums_of_falling_weights(seed, frames, spread):
    values, keep = np.random.default_rng(seed).uniform(1.0, 2.0, (frames, 2)), denoise.decay_factor(spread)
    made = values.copy()
    _native.denoise.average(made, keep, np.empty_like(made))
    np.testing.assert_allclose(made, average(values, keep), atol=1e-12)


@pytest.mark.parametrize("spread", [0.7, 3.0, 24.0])
def test_averages_spread_as_far_as_is_said(spread):
    pulse = np.zeros((2001, 1))
    pulse[1000] = 1.0
    _native.denoise.average(pulse, denoise.decay_factor(spread), np.empty_like(pulse))
    at = np.arange(-1000.0, 1001.0)
    assert pulse.sum() == pytest.approx(1.0)
    assert np.sqrt((pulse[:, 0] * at * at).sum()) == pytest.approx(spread, rel=1e-6)


def test_axes_gather_what_moves_together(rng):
    """A hinge at an angle in each of four joints, all with one timing: one curve of twelve moves."""
    direction = rng.normal(size=12)
    clean = np.outer(stroke(600, 60.0, 1.0), direction / np.linalg.norm(direction))
    settings = denoise.denoise_settings(600, 60.0)
    axes, noisy = np.eye(12), clean + 0.3 * rng.normal(size=(600, 12))
    _native.denoise.movement_axes(noisy, 0, settings.shared, axes)
    np.testing.assert_allclose(axes.T @ axes, np.eye(12), atol=1e-12)
    values = clean + rng.normal(size=(600, 12))
    spread = np.sort((values @ axes.T).std(axis=0))
    assert spread[-1] > 20.0
    assert spread[-2] < 1.5


@given(seeds, st.integers(2, 20))
def test_jacobi_finds_numpys_eigenvalues(seed, size):
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(size, size))
    matrix, axes = factor @ factor.T, np.eye(size)
    made = matrix.copy()
    _native.denoise.diagonalise(made, axes, np.arange(size))
    np.testing.assert_allclose(np.sort(np.diag(made)), np.linalg.eigvalsh(matrix), atol=1e-9 * np.trace(matrix))
    np.testing.assert_allclose(axes.T @ np.diag(np.diag(made)) @ axes, matrix, atol=1e-9 * np.trace(matrix))


@pytest.mark.parametrize("frames", range(1, denoise.MIN_FRAMES))
def test_few_frames_stay(frames, rng):
    values = rng.normal(size=(frames, 3))
    np.testing.assert_array_equal(denoise.denoise_limb(values, 60.0), values)
