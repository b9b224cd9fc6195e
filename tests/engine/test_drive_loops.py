"""The loops of whole-body drives, beside the same formulas as passes of NumPy over frames and strokes."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere import _native
from kinesphere.engine.recruitment import Pulses
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


@pytest.fixture
def pulses(strokes):
    starts, arrivals, sizes = strokes
    return Pulses(arrivals + 0.05, 0.9 * (arrivals - starts) + 0.1, sizes, np.linspace(0.2, 0.5, 9))


def landed_and_drawn(pulses, time):
    since = time[:, None] - pulses.low
    down = smootherstep(1.0 + 0.5 * since / pulses.half)
    back = smootherstep(since / pulses.recover)
    up = smootherstep((since + 3.6 * pulses.half) / (1.6 * pulses.half)) * (1.0 - down)
    return pulses.sizes * down * (1.0 - back), pulses.sizes * up


def test_weight_lands_and_comes_back(pulses, time):
    made = np.empty((2, len(time)))
    _native.recruitment.land(time, pulses, *made)
    for own, wanted in zip(made, landed_and_drawn(pulses, time), strict=True):
        joined = join(wanted)
        assert own == pytest.approx(joined / (1.0 + joined**4) ** 0.25, abs=1e-12)
        assert 0.1 < own.max() < 1.0


def test_trunks_go_along_the_ways_of_accents(pulses, time):
    ways = np.random.default_rng(2).normal(size=(9, 3))
    made = np.empty((len(time), 3))
    _native.recruitment.kick(time, pulses, 0.4, ways, made)
    landed, drawn = landed_and_drawn(pulses, time)
    assert made == pytest.approx((landed - 0.4 * drawn) @ ways, abs=1e-12)


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


def test_a_gaze_is_on_each_goal_from_its_moment_on_where_the_chest_will_bring_it(time):
    rng = np.random.default_rng(0)
    goals, moments = rng.uniform(0.2, 1.0, (4, 6)), np.array([-np.inf, 1.0, 2.5, 2.5])
    goals[:, 4:] = goals[:, 2:3] * np.array([[0.0, 0.5], [1.6, 2.0], [2.6, 2.7], [3.1, 9.0]])  # there, and gone
    facing = rng.normal(size=(2, len(time)))
    made = np.ones((len(time), 3))
    _native.recruitment.look(time, RATE, moments, goals, facing, 0.3, made)
    rows = goals[np.searchsorted(moments, time, side="right") - 1]
    there, gone = (rows[:, 4:] / rows[:, 2:3] * RATE).T
    frames = np.clip(np.round(np.clip(np.arange(len(time)), there, gone)), 0, len(time) - 1).astype(int)
    left = rows[:, 0] + rows[:, 3] * facing[0, frames]
    down = rows[:, 1] + rows[:, 3] * facing[1, frames] * np.cos(left)
    assert made == pytest.approx(1.0 + 0.3 * np.stack([left, down, rows[:, 2]], axis=1), abs=1e-12)


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
