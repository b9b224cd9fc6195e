"""Weighted means of rotations that come half a turn apart."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.maths import rotations as R
from kinesphere.maths.rotation_means import mean_rotations

FRAMES, CHANGE = 240, 36


def shares(*weights):
    return np.tile(np.array(weights, dtype=float)[:, None], (1, FRAMES))


def spinning(rounds, rng, axis=(1.0, 0.0, 0.0)):
    angle = 2.0 * np.pi * rounds * np.linspace(0.0, 1.0, FRAMES)
    noise = 0.003 * rng.normal(size=(FRAMES, 1, 3))
    return R.from_rotation_vector(angle[:, None, None] * np.array(axis) + noise)


def largest_step(q):
    return R.angle_between(q[1:], q[:-1]).max()


@pytest.mark.parametrize("rounds", [0.55, 1.0, 2.0, -3.0])
@pytest.mark.parametrize("weight", [0.05, 0.3, 0.5, 0.7, 0.95])
def test_nothing_jumps(weight, rounds, rng):
    still, spin = R.identity(FRAMES, 1), spinning(rounds, rng)
    made = mean_rotations([still, spin], shares(1.0 - weight, weight), CHANGE)
    least = min(weight, 1.0 - weight)
    assert largest_step(made) < largest_step(spin) + 2.0 * 2.0 * np.pi * least / CHANGE


@pytest.mark.parametrize("rounds", [0.3, 1.7, 3.0])
def test_all_the_weight_is_that_rotation(rounds, rng):
    sources = [R.identity(FRAMES, 1), spinning(rounds, rng), spinning(-rounds, rng, (0.0, 0.6, 0.8))]
    for pair in (sources[:2], sources[1:]):
        for k in range(2):
            made = mean_rotations(pair, shares(*(float(i == k) for i in range(2))), CHANGE)
            assert R.angle_between(made, pair[k]).max() < 1e-7
    for k in range(3):
        made = mean_rotations(sources, shares(*(float(i == k) for i in range(3))), CHANGE)
        assert R.angle_between(made, sources[k]).max() < 1e-7


def test_of_near_rotations_it_is_their_slerp(rng):
    a, b = (R.from_rotation_vector(rng.normal(size=(FRAMES, 5, 3)) * 0.4) for _ in range(2))
    made = mean_rotations([a, b], shares(0.3, 0.7), CHANGE)
    assert R.angle_between(made, R.slerp(a, b, np.full((FRAMES, 5), 0.7))).max() < 1e-7


def test_after_a_whole_turn_it_is_the_short_way_again(rng):
    still, spin = R.identity(FRAMES, 1), spinning(1.0, rng)
    made = mean_rotations([still, spin], shares(0.5, 0.5), CHANGE)
    assert R.angle_between(made[-5:], still[-5:]).max() < 0.1


def test_three_do_not_depend_on_their_order(rng):
    a, b, c = (R.from_rotation_vector(rng.normal(size=(FRAMES, 2, 3)) * 0.3) for _ in range(3))
    one = mean_rotations([a, b, c], shares(0.2, 0.5, 0.3), CHANGE)
    assert R.angle_between(one, mean_rotations([c, a, b], shares(0.3, 0.2, 0.5), CHANGE)).max() < 1e-9
