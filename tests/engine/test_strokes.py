"""Where a hand is on its way in every frame: the timing function, with its corners rounded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter1d

from generated import seeds
from kinesphere.engine.clocks import REACH, SIGMA, StrokeClock, peak_speed, stroke_phases, stroke_progress

inflections, anticipations, overshoots, exponents = (
    st.floats(low, high) for low, high in ((0.1, 0.9), (0.0, 0.1), (0.0, 0.2), (0.6, 3.0))
)


def ticking(frames, inflection=0.5, anticipation=0.0, overshoot=0.0, exponent=1.0):
    """A clock whose goals are at these frames."""
    goals = np.asarray(frames, dtype=float) / 60.0
    timing = (np.asarray(row, dtype=float) for row in (inflection, anticipation, overshoot, exponent))
    rows = (np.broadcast_to(row, len(goals) - 1) for row in timing)
    count = len(goals) - 1
    even = np.zeros(count), np.zeros(count), np.ones(count), np.zeros(count)  # no evenness, no hesitation
    return StrokeClock(goals, goals, *rows, *even, np.full(count, 0.5), 1.0, 1.0)


@given(inflections, anticipations, overshoots, exponents, st.integers(1, 200))
def test_a_stroke_begins_at_0_and_ends_at_1_exactly(inflection, anticipation, overshoot, exponent, lasts):
    timing = (inflection, anticipation, overshoot, exponent)
    made = stroke_phases(ticking([10, 10 + lasts], *timing), lasts + 30)
    assert np.array_equal(made.path_share[:11], np.zeros(11))
    assert made.path_share[10 + lasts :] == pytest.approx(1.0, abs=1e-15)
    assert np.array_equal(made.time_share[:11], np.zeros(11))
    assert np.array_equal(made.time_share[10 + lasts :], np.ones(20))
    assert made.time_share[10 : 11 + lasts] == pytest.approx(np.linspace(0.0, 1.0, lasts + 1), abs=1e-12)


@given(inflections, exponents)
def test_a_long_stroke_follows_the_timing_function(inflection, exponent):
    made = stroke_phases(ticking([0, 180], inflection, exponent=exponent), 181)
    assert (
        np.abs(made.path_share - stroke_progress(np.linspace(0.0, 1.0, 181), inflection, 0.0, 0.0, exponent)).max()
        < 0.02
    )


@pytest.mark.parametrize(
    "timing", [(0.5, 0, 0, 1), (0.1, 0, 0.03, 1), (0.9, 0.1, 0, 0.8), (0.9, 0, 0, 3), (0.5, 0, 0.2, 0.6)]
)
def test_single_elements_follow_it_with_anticipation_and_overshoot(timing):
    asked = stroke_progress(np.linspace(0.0, 1.0, 181), *timing)
    made = stroke_phases(ticking([0, 180], *timing), 181).path_share
    assert np.abs(made - asked).max() < 0.03
    assert made.max() - 1.0 == pytest.approx(asked.max() - 1.0, abs=0.01)  # an overshoot is not smoothed away


@given(inflections, exponents, st.integers(1, 120))
def test_without_anticipation_and_overshoot_a_hand_never_turns_back(inflection, exponent, lasts):
    made = stroke_phases(ticking([0, lasts], inflection, exponent=exponent), lasts + 1)
    assert np.diff(made.path_share).min() > -2e-4
    assert made.path_share.min() > -2e-4
    assert made.path_share.max() < 1.0 + 2e-4


@given(st.integers(1, 150))
def test_a_plain_stroke_is_symmetric_in_time(lasts):
    made = stroke_phases(ticking([0, lasts]), lasts + 1).path_share
    assert made + made[::-1] == pytest.approx(np.ones(lasts + 1), abs=1e-12)


def test_corners_are_rounded():
    sharp = stroke_progress(np.linspace(0.0, 1.0, 61), 0.9, 0.0, 0.0, 3.0)
    made = stroke_phases(ticking([0, 60], 0.9, exponent=3.0), 61).path_share
    assert np.abs(np.diff(made, 2)).max() < 0.8 * np.abs(np.diff(sharp, 2)).max()


@given(seeds)
def test_no_stroke_knows_of_another(seed):
    rng = np.random.default_rng(seed)
    lasts = rng.integers(1, 60, 4)
    frames = np.concatenate([[0], np.cumsum(lasts)])
    timing = rng.uniform([[0.1], [0.0], [0.0], [0.6]], [[0.9], [0.1], [0.2], [3.0]], (4, 4))
    made = stroke_phases(ticking(frames, *timing), int(frames[-1]) + 1)
    for i in range(4):
        alone = stroke_phases(ticking([0, lasts[i]], *timing[:, i]), int(lasts[i]) + 1)
        own = slice(frames[i], frames[i + 1])
        assert (made.stroke[own] == i).all()
        assert made.path_share[own] == pytest.approx(alone.path_share[:-1], abs=1e-12)
        assert made.time_share[own] == pytest.approx(alone.time_share[:-1], abs=1e-12)


@given(inflections, exponents, st.integers(60, 150))
def test_away_from_its_ends_a_stroke_is_smoothed_by_a_gaussian(inflection, exponent, lasts):
    made = stroke_phases(ticking([0, lasts], inflection, exponent=exponent), lasts + 1).path_share
    sharp = stroke_progress(np.linspace(0.0, 1.0, lasts + 1), inflection, 0.0, 0.0, exponent)
    sigma = 60.0 * SIGMA
    inside = slice(8, -8)  # past the four σ in which it is led back to its ends
    wanted = gaussian_filter1d(sharp, sigma, mode="mirror", truncate=60.0 * REACH / sigma)
    assert made[inside] == pytest.approx(wanted[inside], abs=1e-9)


@given(seeds)
def test_peaks_are_the_greatest_speeds_in_mean_speeds(seed):
    timing = np.random.default_rng(seed).uniform([[0.1], [0.0], [0.0], [0.6]], [[0.9], [0.1], [0.2], [3.0]], (4, 6))
    moved = np.diff(stroke_progress(np.linspace(0.0, 1.0, 65), *timing[:, :, None]), axis=1)
    assert peak_speed(*timing, np.zeros(len(timing[0]))) == pytest.approx(64.0 * np.abs(moved).max(axis=1), rel=1e-9)
    assert peak_speed(np.full(1, 0.5), *np.zeros((2, 1)), np.ones(1), np.zeros(1)) == pytest.approx(2.0, abs=0.05)
