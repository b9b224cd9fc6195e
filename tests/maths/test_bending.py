"""Hinges that bend no further than they can."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.maths import compiled, hinges, rotations
from kinesphere.maths.hinges import HingeLimit, limit_flexion

AXES = np.array([[0.0, -1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]])  # a shin that bends to behind
ONE = np.array([1.0, 0.0, 0.0, 0.0])
KNEE = HingeLimit(np.array([1, 2]), ONE, ONE, AXES, np.radians(-10.0), np.radians(150.0), np.radians(35.0))
angles = st.lists(st.floats(-1.5, 2.6), min_size=1, max_size=20).map(np.array)


@given(angles)
def test_what_does_not_change_stays(was):
    assert np.array_equal(limit_flexion(was, was, KNEE), was)


@given(st.floats(-1.0, 2.6), angles)
def test_within_limits_or_no_further_than_it_was(was, now):
    made = limit_flexion(np.full(len(now), was), now, KNEE)
    assert (made >= min(KNEE.least, was) - 1e-9).all()
    assert (made <= max(KNEE.greatest, was) + 1e-9).all()
    assert (np.abs(made - was) <= np.abs(now - was) + 1e-9).all()


def test_monotone_and_smooth_in_what_is_asked():
    now = np.linspace(-2.0, 3.0, 2001)
    for was in np.radians([-20.0, -5.0, 3.0, 20.0, 60.0, 140.0]):
        made = limit_flexion(np.full(len(now), was), now, KNEE)
        steps = np.diff(made)
        assert (steps >= -1e-12).all()
        assert np.abs(np.diff(steps)).max() < 0.5 * (now[1] - now[0]) or was < KNEE.least
        free = np.abs(now - was) < 1e-9
        assert made[free] == pytest.approx(now[free])


def legs(rng, frames=60):
    vectors = np.zeros((frames, 4, 3))
    vectors[:, :3] = rng.normal(scale=0.4, size=(frames, 3, 3))
    vectors[:, 2] = [1.0, 0.0, 0.0] * rng.uniform(-0.8, 2.0, (frames, 1))
    return rotations.from_rotation_vector(vectors)


@given(seeds)
def test_compiled_is_plain(seed):
    rng = np.random.default_rng(seed)
    before, local = legs(rng), legs(rng)
    plain, quick = local.copy(), local.copy()
    compiled.warm_up()
    back = hinges.hinge_excess(before, local, KNEE)
    assert back == pytest.approx(hinges.hinge_excess_reference(before, local, KNEE), abs=1e-9)
    hinges.bend_hinge(quick, KNEE, back)
    hinges.bend_hinge_reference(plain, KNEE, back)
    assert quick == pytest.approx(plain, abs=1e-9)
    flexion = hinges._flexion(KNEE, quick)[1]
    expected = limit_flexion(hinges._flexion(KNEE, before)[1], hinges._flexion(KNEE, local)[1], KNEE)
    assert flexion == pytest.approx(expected, abs=1e-6)
    assert np.array_equal(quick[:, [0, 1, 3]], local[:, [0, 1, 3]])
