"""Goals in the world that an arm is too short for: the body goes there, and what is missed is told."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere import Gesture, Keypoint, Keypoints
from kinesphere.engine.arm_plan import AROUND, EASY, MOST, arm_plan, goal_warnings, lean_to_reach
from kinesphere.engine.phrases import phrase_of
from kinesphere.engine.pose import Actor
from kinesphere.motion.gesture import Space, Stop

FIGURE = Actor.figure()
LIMB = FIGURE.arms["right"]
TIME = np.arange(301) / 60.0
SHOULDER = np.tile([-0.18, 1.37, 0.0], (301, 1))


def plan(*goals, space=Space.GLOBAL):
    """An arm whose wrist is to be at these moments so far from the shoulder."""
    keys = tuple(Keypoint(60.0 * t, tuple((SHOULDER[0] + way).tolist()), 0.0, Stop.GOAL, space) for t, way in goals)
    return arm_plan(phrase_of(Gesture("reach", 5.0, right=Keypoints(keys, 60.0))), "right", FIGURE)


def far(metres, direction=(0.6, 0.0, 0.8)):
    return (EASY * LIMB.reach + metres) * np.array(direction)


def test_the_body_stays_for_what_the_arm_reaches_and_for_what_goes_with_it():
    near = plan((1.0, far(-0.1)), (3.0, far(-0.001)))
    assert not lean_to_reach(near, SHOULDER, TIME, 1.0).any()
    assert not lean_to_reach(plan((1.0, far(0.1)), (3.0, far(0.1)), space=Space.LOCAL), SHOULDER, TIME, 1.0).any()


def test_the_body_goes_as_far_as_the_arm_is_short_and_no_farther_than_it_can():
    made = lean_to_reach(plan((1.0, far(0.07)), (4.0, far(0.5, (0.0, 0.6, 0.8)))), SHOULDER, TIME, 1.0)
    assert made[60] == pytest.approx(0.07 * np.array([0.6, 0.0, 0.8]), abs=1e-9)
    assert made[240] == pytest.approx(MOST * np.array([0.0, 0.6, 0.8]), abs=1e-9)
    small = lean_to_reach(plan((1.0, far(0.5)), (4.0, far(0.5))), SHOULDER, TIME, 0.5)
    assert np.linalg.norm(small[60]) == pytest.approx(0.5 * MOST)


def test_the_body_comes_and_goes_without_a_jolt():
    made = lean_to_reach(plan((1.0, far(0.1)), (4.0, far(-0.1))), SHOULDER, TIME, 1.0)
    size = np.linalg.norm(made, axis=1)
    assert not size[np.abs(TIME - 1.0) > AROUND + 1e-9].any()
    assert np.argmax(size) == 60
    assert (np.diff(size[27:61]) >= 0.0).all()
    assert (np.diff(size[60:94]) <= 0.0).all()
    assert np.abs(np.diff(size, 2)).max() < 0.002


def test_of_two_goals_near_each_other_each_is_met_at_its_own_moment():
    one, other = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    made = lean_to_reach(plan((1.0, far(0.1, one)), (1.5, far(0.06, other))), SHOULDER, TIME, 1.0)
    assert made[60] == pytest.approx(0.1 * one, abs=2e-3)
    assert made[90] == pytest.approx(0.06 * other, abs=2e-3)
    assert np.abs(np.diff(made, axis=0)).max() < 0.02


def test_what_is_missed_is_told_in_millimetres():
    asked = plan((1.0, far(0.1)), (3.0, far(0.0)))
    hand = np.tile(asked.positions[1], (301, 1))
    hand[60] = asked.positions[0] - [0.0, 0.0, 0.023]
    (said,) = goal_warnings("reach", "right", asked, hand, {})
    assert said.startswith("reach: the right hand stays 23 mm short of its goal in the world at 1 s")
    hand[60] = asked.positions[0] - [0.0, 0.0, 0.004]
    assert not [*goal_warnings("reach", "right", asked, hand, {})]
    assert not [*goal_warnings("reach", "right", plan((1.0, far(0.1)), (3.0, far(0.1)), space=Space.LOCAL), hand, {})]
