"""The pendulum is the recurrence that it says it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.engine.arms import swing_pendulum


def plainly(pivot, rate, omega, damping, follows):
    """Semi-implicit steps: the speed from the forces, then the place from the new speed."""
    h = 1.0 / rate
    place, speed = np.zeros_like(pivot), np.zeros(pivot.shape[1])
    for i in range(1, len(pivot)):
        felt = np.zeros(pivot.shape[1])
        if i >= 2:
            felt = follows * (pivot[i] - 2.0 * pivot[i - 1] + pivot[i - 2]) / h**2
        speed = speed + h * (-felt - omega**2 * place[i - 1] - 2.0 * damping * omega * speed)
        place[i] = place[i - 1] + h * speed
    return place


@given(seeds, st.integers(1, 400), st.floats(1.0, 12.0), st.floats(0.05, 0.7), st.sampled_from([30.0, 60.0, 120.0]))
def test_is_the_plain_loop_of_semi_implicit_steps(seed, frames, omega, damping, rate):
    pivot = np.cumsum(np.random.default_rng(seed).normal(scale=0.01, size=(frames, 3)), axis=0)
    made = swing_pendulum(pivot, rate, omega, damping, 0.75)
    assert made.shape == pivot.shape
    assert np.abs(made - plainly(pivot, rate, omega, damping, 0.75)).max() < 1e-10


def test_below_a_pivot_at_rest_or_of_even_speed_it_stays_at_rest():
    steps = np.linspace(0.0, 3.0, 200)[:, None]
    assert np.array_equal(swing_pendulum(np.full((50, 2), 1.3), 60.0, 6.0, 0.5, 0.75), np.zeros((50, 2)))
    assert np.abs(swing_pendulum(steps * [1.0, -2.0], 60.0, 6.0, 0.5, 0.75)).max() < 1e-12


def test_it_lags_behind_a_push_swings_back_and_comes_to_rest():
    pivot = np.where(np.arange(900) < 20, 0.0, 0.1)[:, None]
    made = swing_pendulum(pivot, 60.0, 6.0, 0.3, 1.0)[:, 0]
    assert np.abs(made[:20]).max() < 1e-12
    assert made.min() < -0.05
    assert int(np.argmin(made)) < int(np.argmax(made))
    peaks = np.abs(made[21:]).reshape(-1, 879 // 3).max(axis=1)
    assert peaks[0] > 10.0 * peaks[1] > 100.0 * peaks[2]
    assert np.abs(made[-60:]).max() < 1e-9


def test_its_frequency_is_its_own():
    pivot = np.where(np.arange(1200) < 3, 0.0, 0.1)[:, None]
    made = swing_pendulum(pivot, 240.0, 2.0 * np.pi, 0.02, 1.0)[:, 0]
    crossings = np.flatnonzero(np.diff(np.sign(made[10:])) > 0)
    assert np.diff(crossings).mean() / 240.0 == pytest.approx(1.0, rel=0.02)  # one cycle a second


def test_it_answers_in_proportion_and_each_direction_by_itself():
    pivot = np.cumsum(np.random.default_rng(4).normal(size=(120, 3)), axis=0)
    made = swing_pendulum(pivot, 60.0, 6.0, 0.5, 0.75)
    assert swing_pendulum(-2.0 * pivot, 60.0, 6.0, 0.5, 0.75) == pytest.approx(-2.0 * made, abs=1e-9)
    assert swing_pendulum(pivot, 60.0, 6.0, 0.5, 1.5) == pytest.approx(2.0 * made, abs=1e-9)
    assert swing_pendulum(pivot[:, :1], 60.0, 6.0, 0.5, 0.75) == pytest.approx(made[:, :1], abs=1e-9)
