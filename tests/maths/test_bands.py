"""Bands: a sum that is the signal, against SciPy's correlation and the equations of the filter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import correlate1d

from generated import seeds
from kinesphere.maths import bands

KERNEL = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16.0


@st.composite
def signals(draw, most_frames: int = 70):
    frames = draw(st.integers(1, most_frames))
    shape = draw(st.sampled_from([(), (1,), (3,), (4, 3), (0,), (150,)]))
    rng = np.random.default_rng(draw(seeds))
    return rng.normal(size=(frames, *shape)) * 10.0 ** rng.uniform(-3.0, 3.0, shape) + rng.normal(size=shape)


def by_scipy(signal):
    """Each level by one dense correlation, as the equation says."""
    level, out = signal, []
    for k in range(bands.band_count(len(signal))):
        weights = np.zeros(4 * 2**k + 1)
        weights[:: 2**k] = KERNEL
        smoother = correlate1d(level, weights, axis=0, mode="nearest")
        out.append(level - smoother)
        level = smoother
    return out, level


@given(signals())
def test_bands_and_rest_sum_to_the_signal(signal):
    parts, rest = bands.split(signal)
    assert parts.shape == (int(np.floor(np.log2(len(signal)))), *signal.shape)
    np.testing.assert_allclose(
        rest + parts.sum(axis=0), signal, rtol=0.0, atol=1e-14 * (1.0 + np.abs(signal).max(initial=0))
    )


@given(signals())
def test_bands_are_what_scipys_correlation_gives(signal):
    if not signal.size:
        return
    parts, rest = bands.split(signal)
    expected, level = by_scipy(signal)
    scale = 1e-13 * (1.0 + np.abs(signal).max())
    np.testing.assert_allclose(rest, level, rtol=0.0, atol=scale)
    for band, other in zip(parts, expected, strict=True):
        np.testing.assert_allclose(band, other, rtol=0.0, atol=scale)


def test_each_frame_by_hand(rng):
    """The sheet's sum, written out frame by frame with held ends."""
    signal = rng.normal(size=(11, 2))
    level, last = signal.copy(), len(signal) - 1
    parts, rest = bands.split(signal)
    for k, band in enumerate(parts):
        smoother = np.zeros_like(level)
        for i in range(len(signal)):
            for j in range(-2, 3):
                smoother[i] += KERNEL[j + 2] * level[min(max(i + 2**k * j, 0), last)]
        np.testing.assert_allclose(band, level - smoother, rtol=0.0, atol=1e-15)
        level = smoother
    np.testing.assert_allclose(rest, level, rtol=0.0, atol=1e-15)


@given(signals(), st.integers(0, 6))
def test_mixtures_and_low_passes_are_sums_of_scipys_bands(signal, levels):
    if not signal.size:
        return
    parts, level = by_scipy(signal)
    gains, rounding = np.linspace(-1.0, 2.0, len(parts)), 1e-13 * np.abs(signal).max()
    mixture = sum((gain * part for gain, part in zip(gains, parts, strict=True)), level)
    np.testing.assert_allclose(bands.mix(signal, gains), mixture, rtol=0.0, atol=rounding)
    smooth = sum(parts[levels:], level)
    np.testing.assert_allclose(bands.low_pass(signal, min(levels, len(parts))), smooth, rtol=0.0, atol=rounding)


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
def test_few_frames(frames):
    signal = np.arange(2.0 * frames).reshape(frames, 2) ** 2
    parts, rest = bands.split(signal)
    assert len(parts) == (0, 1, 1, 2)[frames - 1]
    np.testing.assert_allclose(rest + parts.sum(axis=0), signal, rtol=0.0, atol=1e-14)
    if frames == 1:
        np.testing.assert_array_equal(rest, signal)
    if frames == 2:  # [x, y] with held ends: x keeps 11/16 of itself, the rest is y
        x, y = signal
        np.testing.assert_allclose(rest, [(11 * x + 5 * y) / 16, (5 * x + 11 * y) / 16], rtol=1e-14)


@given(st.floats(-1e6, 1e6), st.integers(1, 300))
def test_what_does_not_move_has_no_bands(value, frames):
    parts, rest = bands.split(np.full((frames, 2), value))
    assert not parts.any()
    np.testing.assert_array_equal(rest, np.full((frames, 2), value))
    gains = np.linspace(-3.0, 3.0, len(parts))
    np.testing.assert_array_equal(bands.mix(np.full((frames, 2), value), gains), rest)


@given(signals())
def test_gains_of_one_give_the_input_back_bit_for_bit(signal):
    before = signal.copy()
    mixture = bands.mix(signal, np.ones(bands.band_count(len(signal))))
    np.testing.assert_array_equal(mixture, signal)
    assert mixture is not signal
    assert not np.shares_memory(mixture, signal)
    np.testing.assert_array_equal(signal, before)


@given(signals(), seeds)
def test_mixed_is_the_sum_with_gains(signal, seed):
    parts, rest = bands.split(signal)
    gains = np.random.default_rng(seed).uniform(-2.0, 3.0, len(parts))
    expected = rest + np.tensordot(gains, parts, axes=1) if len(parts) else rest
    np.testing.assert_allclose(
        bands.mix(signal, gains), expected, rtol=0.0, atol=1e-12 * (1.0 + np.abs(signal).max(initial=0.0))
    )


def test_gains_for_each_joint_broadcast(rng):
    signal = rng.normal(size=(40, 4, 3))
    gains = rng.uniform(-1.0, 2.0, (5, 4, 1))
    mixture = bands.mix(signal, gains)
    for joint in range(4):
        np.testing.assert_allclose(
            mixture[:, joint], bands.mix(signal[:, joint], gains[:, joint, 0]), rtol=0.0, atol=1e-14
        )
    np.testing.assert_allclose(
        bands.mix(signal, np.broadcast_to(gains[:, :1, 0], (5, 3))), bands.mix(signal, gains[:, 0, 0]), atol=1e-14
    )


def test_gains_of_some_joints_leave_the_others_as_they_are(rng):
    signal = rng.normal(size=(64, 3))
    gains = np.ones((6, 3))
    gains[2:5, 1] = 2.0
    mixture = bands.mix(signal, gains)
    np.testing.assert_array_equal(mixture[:, [0, 2]], signal[:, [0, 2]])
    assert (mixture[:, 1] != signal[:, 1]).any()


@given(signals(), seeds)
def test_splitting_is_linear(signal, seed):
    other = np.random.default_rng(seed).normal(size=signal.shape)
    both, _ = bands.split(2.0 * signal - other)
    scale = 1e-13 * (1.0 + np.abs(signal).max(initial=0.0))
    np.testing.assert_allclose(both, 2.0 * bands.split(signal)[0] - bands.split(other)[0], rtol=0.0, atol=scale)


@given(signals())
def test_a_signal_run_backwards_has_its_bands_backwards(signal):
    parts, _ = bands.split(signal)
    backwards, _ = bands.split(signal[::-1])
    scale = 1e-13 * (1.0 + np.abs(signal).max(initial=0.0))
    np.testing.assert_allclose(backwards[:, ::-1], parts, rtol=0.0, atol=scale)


def test_smoothed_is_what_the_bands_leave(rng):
    signal = rng.normal(size=(50, 3))
    parts, rest = bands.split(signal)
    np.testing.assert_allclose(bands.low_pass(signal, 2), signal - parts[:2].sum(axis=0), atol=1e-14)
    np.testing.assert_allclose(bands.low_pass(signal, len(parts)), rest, atol=1e-14)


def response(k: int, frames: np.ndarray) -> np.ndarray:
    """How much of a wave of so many frames is in band k."""
    half = np.pi / frames
    through = np.prod([np.cos(2.0**m * half) ** 4 for m in range(k)], axis=0) if k else 1.0
    return through * (1.0 - np.cos(2.0**k * half) ** 4)


@pytest.mark.parametrize("k", range(10))
def test_periods_are_where_the_bands_peak(k):
    period = bands.band_periods(k + 1, 1.0)[k]
    frames = np.geomspace(2.0, 6.0 * 2.0**k, 400_001)
    assert abs(frames[np.argmax(response(k, frames))] / period - 1.0) < 1e-3
    assert response(k, np.array([period]))[0] == pytest.approx(1.0 if k == 0 else 0.52, abs=0.04 if k else 1e-12)


@pytest.mark.parametrize("k", range(5))
def test_a_wave_is_in_its_band_as_far_as_the_response_says(k):
    frames, period = 4096, bands.band_periods(k + 1, 1.0)[k] if k else 2.0
    wave = np.cos(2.0 * np.pi * np.arange(frames) / period)
    parts, _ = bands.split(wave)
    inner = slice(1500, 2500)
    for m in range(5):
        gain = np.sqrt((parts[m][inner] ** 2).mean() / (wave[inner] ** 2).mean())
        assert gain == pytest.approx(response(m, np.array([period]))[0], abs=0.005)


def test_periods_in_seconds():
    np.testing.assert_allclose(bands.band_periods(8, 120.0) * 4.0, bands.band_periods(8, 30.0))
    assert (np.diff(bands.band_periods(12, 60.0)) > 0.0).all()
    assert bands.band_periods(0, 30.0).shape == (0,)


@pytest.mark.parametrize("period", [0.4, 0.7, 1.0, 1.6])
def test_gains_by_period_mean_the_same_at_any_rate(period):
    """A wave in seconds comes out as loud at 30, 60 and 120 frames a second."""
    loudness = []
    for rate in (30.0, 60.0, 120.0):
        wave = np.sin(2.0 * np.pi * np.arange(int(40 * rate)) / rate / period)
        gains = bands.gains_by_period([0.2, 0.8, 3.0], [1.0, 2.0, 0.5], bands.band_count(len(wave)), rate)
        inner = slice(int(15 * rate), int(25 * rate))
        loudness.append(np.sqrt((bands.mix(wave, gains)[inner] ** 2).mean() / (wave[inner] ** 2).mean()))
    assert max(loudness) / min(loudness) < 1.06


def test_gains_by_period_are_met_between_and_held_beyond():
    seconds = bands.band_periods(6, 60.0)
    wanted = np.array([0.5, 3.0, -1.0, 1.0, 2.0, 0.0])
    np.testing.assert_allclose(bands.gains_by_period(seconds[::-1], wanted[::-1], 6, 60.0), wanted, atol=1e-12)
    np.testing.assert_array_equal(bands.gains_by_period([0.7], [1.5], 6, 60.0), np.full(6, 1.5))
    gains = bands.gains_by_period(seconds[[2, 3]], [[1.0, 0.0], [2.0, 4.0]], 6, 60.0)
    np.testing.assert_allclose(gains, [[1, 0], [1, 0], [1, 0], [2, 4], [2, 4], [2, 4]], atol=1e-12)
    middle = np.sqrt(seconds[2] * seconds[3])
    assert bands.gains_by_period([middle / 2.0, middle * 2.0], [0.0, 1.0], 6, 60.0)[2] == pytest.approx(
        0.5 + 0.5 * np.log(seconds[2] / middle) / np.log(2.0)
    )


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_refused_with_its_place(bad):
    signal = np.zeros((6, 2, 3))
    signal[4, 1, 2] = bad
    for call in (lambda: bands.split(signal), lambda: bands.mix(signal, np.ones(2)), lambda: bands.low_pass(signal)):
        with pytest.raises(ValueError, match=r"holds (nan|inf|-inf) at frame 4, number 1, 2"):
            call()


def test_no_frames_are_refused():
    for signal in (np.empty((0, 3)), 1.0):
        with pytest.raises(ValueError, match="at least one frame"):
            bands.split(signal)


def test_gains_that_do_not_fit_are_refused():
    signal = np.zeros((16, 2, 3))
    with pytest.raises(ValueError, match="16 frames has 4 bands"):
        bands.mix(signal, np.ones(5))
    with pytest.raises(ValueError, match="16 frames has 4 bands"):
        bands.mix(signal, 2.0)
    with pytest.raises(ValueError, match="broadcast"):
        bands.mix(signal, np.ones((4, 5)))
    with pytest.raises(ValueError, match="broadcast"):
        bands.mix(signal, np.ones((4, 7, 2, 3)))
    with pytest.raises(ValueError, match="gain of band 2"):
        bands.mix(signal, [1.0, 1.0, np.nan, 1.0])


def test_periods_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="rate is 0"):
        bands.band_periods(4, 0.0)
    with pytest.raises(ValueError, match=r"a period is -1\.0 s"):
        bands.gains_by_period([0.5, -1.0], [1.0, 2.0], 4, 30.0)
    with pytest.raises(ValueError, match="two gains for a period"):
        bands.gains_by_period([0.5, 0.5], [1.0, 2.0], 4, 30.0)
    with pytest.raises(ValueError, match="one period"):
        bands.gains_by_period([0.5], [1.0, 2.0], 4, 30.0)
