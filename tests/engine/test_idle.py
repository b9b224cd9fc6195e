"""Breath, sway and fidgeting as curves: closed at both ends, periodic in loops, and the same at any rate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.engine.idle import EDGE, IDLE_WAVES, breath_at, breath_over, draw_waves, idle_waves

KINDS = tuple(IDLE_WAVES)
kinds, lengths = st.sampled_from(KINDS), st.integers(2, 900)


def individual(seed):
    return None if seed is None else np.random.default_rng(seed)


maybe_seeds = st.none() | seeds


@given(kinds, lengths, st.sampled_from([24.0, 60.0, 144.0]), maybe_seeds)
def test_waves_are_zero_at_both_ends(kind, frames, rate, seed):
    made = idle_waves(kind, frames, rate, False, individual(seed))
    assert made.shape == (frames, len(IDLE_WAVES[kind]))
    assert np.abs(made[[0, -1]]).max() < 1e-12


@given(kinds, lengths, maybe_seeds)
def test_waves_stay_within_their_amplitudes(kind, frames, seed):
    for loop in (False, True):
        made = np.abs(idle_waves(kind, frames, 60.0, loop, individual(seed))).max(axis=0)
        most = [sum(amplitude for amplitude, *_ in waves) for waves in IDLE_WAVES[kind].values()]
        assert (made <= np.array(most) + 1e-12).all()


@given(kinds, st.integers(30, 900), maybe_seeds)
def test_a_loop_has_whole_periods(kind, frames, seed):
    """Its last frame is its first, and it goes on there as it went: sines of the same phase."""
    made = idle_waves(kind, frames, 60.0, True, individual(seed))
    assert made[-1] == pytest.approx(made[0], abs=1e-12)
    spectrum = np.abs(np.fft.rfft(made[:-1], axis=0)) / (frames - 1)
    for column, waves in zip(spectrum.T, IDLE_WAVES[kind].values(), strict=True):
        shown = np.flatnonzero(column > 1e-9)
        assert len(shown) <= len(waves)  # whole numbers of periods leak into no other frequency
        assert 0 not in shown


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loop", [False, True])
def test_an_individual_is_always_the_same_and_no_other(kind, loop):
    first, again, other, usual = (idle_waves(kind, 301, 60.0, loop, individual(seed)) for seed in (3, 3, 4, None))
    assert np.array_equal(first, again)
    assert np.abs(first - other).max() > 1e-3
    assert np.abs(first - usual).max() > 1e-3
    assert np.array_equal(usual, idle_waves(kind, 301, 60.0, loop, None))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("rate", [24.0, 30.0, 120.0, 240.0])
@given(seed=maybe_seeds)
def test_waves_are_the_same_at_any_rate(kind, loop, rate, seed):
    """Over five seconds, at moments that both have."""
    ours, theirs = (idle_waves(kind, round(5.0 * r) + 1, r, loop, individual(seed)) for r in (60.0, rate))
    step = int(np.gcd(60, int(rate)))
    assert theirs[:: int(rate) // step] == pytest.approx(ours[:: 60 // step], abs=1e-12)


def test_waves_come_and_go_within_their_edges():
    made = np.abs(idle_waves("sway", 601, 60.0, False, None))
    free = np.abs(idle_waves("sway", 601, 60.0, True, None))
    assert made[:6].max() < 0.1 * free.max()
    inside = slice(round(60.0 * EDGE), -round(60.0 * EDGE))
    assert made[inside].max() > 0.5 * free.max()


@given(seeds)
def test_individuals_differ_in_phase_and_a_little_in_frequency(seed):
    waves = IDLE_WAVES["sway"]["hips.x"]
    drawn = draw_waves(waves, np.random.default_rng(seed))
    for (amplitude, frequency, _), (own, pace, phase) in zip(waves, drawn, strict=True):
        assert own == amplitude
        assert 0.85 * frequency <= pace <= 1.15 * frequency
        assert 0.0 <= phase <= 2.0 * np.pi
    assert draw_waves(waves, None) == list(waves)


@given(lengths, st.floats(0.0, 1.0))
def test_breaths_are_whole_and_between_empty_and_full(frames, fidget):
    made = breath_over(frames, 60.0, fidget)
    assert made.min() >= -1e-12
    assert made.max() <= 1.0 + 1e-12
    assert made[[0, -1]] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_a_body_breathes_in_more_quickly_than_out_and_rests():
    phase = np.linspace(0.0, 1.0, 1001)
    made = breath_at(phase)
    assert phase[made.argmax()] == pytest.approx(0.40, abs=0.01)
    assert not made[phase >= 0.87].any()
    assert (np.diff(made[phase <= 0.40]) >= 0.0).all()
    assert (np.diff(made[phase >= 0.40]) <= 0.0).all()


@pytest.mark.parametrize("rate", [24.0, 30.0, 120.0, 240.0])
def test_breath_is_the_same_at_any_rate_and_quicker_in_the_restless(rate):
    ours, theirs = (breath_over(round(20.0 * r) + 1, r, 0.5) for r in (60.0, rate))
    step = int(np.gcd(60, int(rate)))
    assert theirs[:: int(rate) // step] == pytest.approx(ours[:: 60 // step], abs=1e-12)
    calm, restless = (breath_over(1201, 60.0, fidget) for fidget in (0.0, 1.0))
    peaks = [int(((own[1:-1] > own[:-2]) & (own[1:-1] >= own[2:])).sum()) for own in (calm, restless)]
    assert peaks == [6, 8]
