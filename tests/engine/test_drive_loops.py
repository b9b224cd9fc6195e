"""The loops of whole-body drives, beside the same formulas as passes of NumPy over frames and strokes."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere import _native
from kinesphere.maths.vectors import smootherstep, smoothstep

RATE = 60.0


@pytest.fixture
def strokes():
    rng = np.random.default_rng(4)
    starts = np.cumsum(rng.uniform(0.3, 0.9, 9))
    return starts, starts + rng.uniform(0.1, 0.3, 9), rng.uniform(0.0, 1.0, 9)


@pytest.fixture
def time():
    return np.arange(400) / RATE


def join(pulses):
    return np.sum(pulses**4, axis=1) ** 0.25


def test_weight_lands_and_comes_back(strokes, time):
    starts, arrivals, sizes = strokes
    rise, recover, delay = 0.9 * (arrivals - starts) + 0.16, np.linspace(0.2, 0.5, 9), 0.05
    landed, drawn = np.empty((2, len(time)))
    _native.recruitment.land(time, arrivals, sizes, rise, recover, delay, landed, drawn)
    since = time[:, None] - arrivals
    down = smootherstep((since + rise) / (rise + delay))
    back = smootherstep((since - delay) / recover)
    up = smootherstep((since + 2.0 * rise) / rise) * (1.0 - down)
    assert landed == pytest.approx(join(sizes * down * (1.0 - back)), abs=1e-12)
    assert drawn == pytest.approx(join(sizes * up), abs=1e-12)


def test_strokes_carry_the_body_about_their_middles(strokes, time):
    starts, arrivals, sizes = strokes
    middles, half, made = 0.5 * (starts + arrivals), 0.7 * (arrivals - starts), np.empty(len(time))
    _native.recruitment.carry(time, middles, half, sizes, made)
    assert made == pytest.approx(join(sizes * (1.0 - smootherstep(np.abs(time[:, None] - middles) / half))), abs=1e-12)


@pytest.mark.parametrize("fades", [0.05, 0.4, 3.0])
def test_swings_are_damped_sines_from_their_moments_on(strokes, fades):
    _, arrivals, sizes = strokes
    moments, made = arrivals - 0.5, np.zeros(2000)  # the first begins before the first frame
    _native.recruitment.swing(RATE, moments, sizes - 0.5, 1.3, fades, 0.22, made)
    late = np.maximum(np.arange(2000)[:, None] / RATE - moments, 0.0)
    waves = np.sin(2.0 * np.pi * 1.3 * late) * np.exp(-late / fades) * smoothstep(late / 0.22)
    assert made == pytest.approx(waves @ (sizes - 0.5), abs=1e-12)


def test_a_gaze_is_on_each_goal_from_its_moment_on(time):
    rows, moments = np.random.default_rng(0).normal(size=(4, 4)), np.array([-np.inf, 1.0, 2.5, 2.5])
    made = np.ones((len(time), 4))
    _native.recruitment.look(time, moments, rows, 0.3, made)
    now = np.searchsorted(moments, time, side="right") - 1
    assert np.array_equal(made, 1.0 + 0.3 * rows[now])


@pytest.mark.parametrize(("ahead", "loop"), [(0, False), (7, False), (-3, False), (7, True), (-405, True)])
def test_ways_go_from_goal_to_goal_ahead_of_the_hand(ahead, loop):
    rng = np.random.default_rng(1)
    stroke, share, goals = np.sort(rng.integers(0, 5, 400)), rng.uniform(-0.6, 1.6, 400), rng.normal(size=(6, 3))
    made = np.empty((400, 3))
    _native.recruitment.go_ways(stroke, share, goals, ahead, loop, made)
    later = np.arange(400) + ahead
    later = later % 399 if loop else np.clip(later, 0, 399)
    own, part = stroke[later], np.clip(share[later], -0.35, 1.25)[:, None]
    assert made == pytest.approx(goals[own] + part * (goals[own + 1] - goals[own]), abs=1e-12)
