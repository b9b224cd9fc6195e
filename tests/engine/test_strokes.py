"""Where a hand is on its way in every frame: the timing function, with its corners rounded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.engine.clocks import StrokeClock, stroke_phases_of, stroke_progress

inflections, anticipations, overshoots, exponents = (
    st.floats(low, high) for low, high in ((0.1, 0.9), (0.0, 0.1), (0.0, 0.2), (0.6, 3.0))
)


def ticking(frames, inflection=0.5, anticipation=0.0, overshoot=0.0, exponent=1.0):
    """A clock whose goals are at these frames."""
    goals = np.asarray(frames, dtype=float) / 60.0
    rows = (np.broadcast_to(row, len(goals) - 1) for row in (inflection, anticipation, overshoot, exponent))
    return StrokeClock(goals, goals, *rows, np.full(len(goals) - 1, 0.5), 1.0, 1.0)


@given(inflections, anticipations, overshoots, exponents, st.integers(1, 200))
def test_a_stroke_begins_at_0_and_ends_at_1_exactly(inflection, anticipation, overshoot, exponent, lasts):
    timing = (inflection, anticipation, overshoot, exponent)
    made = stroke_phases_of(ticking([10, 10 + lasts], *timing), lasts + 30)
    assert np.array_equal(made.way_share[:11], np.zeros(11))
    assert made.way_share[10 + lasts :] == pytest.approx(1.0, abs=1e-15)
    assert np.array_equal(made.time_share[:11], np.zeros(11))
    assert np.array_equal(made.time_share[10 + lasts :], np.ones(20))
    assert made.time_share[10 : 11 + lasts] == pytest.approx(np.linspace(0.0, 1.0, lasts + 1), abs=1e-12)


@given(inflections, exponents)
def test_a_long_stroke_follows_the_timing_function(inflection, exponent):
    made = stroke_phases_of(ticking([0, 180], inflection, exponent=exponent), 181)
    assert (
        np.abs(made.way_share - stroke_progress(np.linspace(0.0, 1.0, 181), inflection, 0.0, 0.0, exponent)).max()
        < 0.02
    )


@pytest.mark.parametrize(
    "timing", [(0.5, 0, 0, 1), (0.1, 0, 0.03, 1), (0.9, 0.1, 0, 0.8), (0.9, 0, 0, 3), (0.5, 0, 0.2, 0.6)]
)
def test_single_elements_follow_it_with_anticipation_and_overshoot(timing):
    asked = stroke_progress(np.linspace(0.0, 1.0, 181), *timing)
    made = stroke_phases_of(ticking([0, 180], *timing), 181).way_share
    assert np.abs(made - asked).max() < 0.03
    assert made.max() - 1.0 == pytest.approx(asked.max() - 1.0, abs=0.01)  # an overshoot is not smoothed away


@given(inflections, exponents, st.integers(1, 120))
def test_without_anticipation_and_overshoot_a_hand_never_turns_back(inflection, exponent, lasts):
    made = stroke_phases_of(ticking([0, lasts], inflection, exponent=exponent), lasts + 1)
    assert np.diff(made.way_share).min() > -2e-4
    assert made.way_share.min() > -2e-4
    assert made.way_share.max() < 1.0 + 2e-4


@given(st.integers(1, 150))
def test_a_plain_stroke_is_symmetric_in_time(lasts):
    made = stroke_phases_of(ticking([0, lasts]), lasts + 1).way_share
    assert made + made[::-1] == pytest.approx(np.ones(lasts + 1), abs=1e-12)


def test_corners_are_rounded():
    sharp = stroke_progress(np.linspace(0.0, 1.0, 61), 0.9, 0.0, 0.0, 3.0)
    made = stroke_phases_of(ticking([0, 60], 0.9, exponent=3.0), 61).way_share
    assert np.abs(np.diff(made, 2)).max() < 0.8 * np.abs(np.diff(sharp, 2)).max()


@given(seeds)
def test_no_stroke_knows_of_another(seed):
    rng = np.random.default_rng(seed)
    lasts = rng.integers(1, 60, 4)
    frames = np.concatenate([[0], np.cumsum(lasts)])
    timing = rng.uniform([[0.1], [0.0], [0.0], [0.6]], [[0.9], [0.1], [0.2], [3.0]], (4, 4))
    made = stroke_phases_of(ticking(frames, *timing), int(frames[-1]) + 1)
    for i in range(4):
        alone = stroke_phases_of(ticking([0, lasts[i]], *timing[:, i]), int(lasts[i]) + 1)
        own = slice(frames[i], frames[i + 1])
        assert (made.stroke[own] == i).all()
        assert made.way_share[own] == pytest.approx(alone.way_share[:-1], abs=1e-12)
        assert made.time_share[own] == pytest.approx(alone.time_share[:-1], abs=1e-12)
