"""Gestures as phrases, and what leads one."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere import Gesture, Keypoint, Keypoints
from kinesphere.engine.phrases import body_rest_times, leading_side, phrase_of
from kinesphere.motion.gesture import Curve, Stop
from kinesphere.motion.phrase import OVERLAYS, STROKES, Track


def moving(*places, part="rightArm"):
    """Keys half a second apart."""
    return Keypoints(tuple(Keypoint(15.0 * i, place) for i, place in enumerate(places)), 30.0, part)


def bobbing(**curves):
    """A phrase of four seconds with these curves' values at equal steps."""
    made = {n.replace("_", "."): Curve(tuple(np.linspace(0.0, 4.0, len(v)).tolist()), v) for n, v in curves.items()}
    return phrase_of(Gesture("bobbing", 4.0, curves=made))


def test_what_is_not_said_changes_nothing():
    plain = phrase_of(Gesture("g", 2.0)).arm("left")
    assert {name: plain.stroke(name, 3).tolist() for name in STROKES} == {n: [v] * 3 for n, v in STROKES.items()}
    assert {name: float(plain.overlay(name)) for name in OVERLAYS} == dict(OVERLAYS)
    assert STROKES["duration"] == STROKES["time_exponent"] == OVERLAYS["end_effector"] == 1.0


def test_one_number_holds_for_every_stroke():
    track = Track(strokes={"tension": np.float64(0.3), "duration": np.array([1.0, 2.0])})
    assert track.stroke("tension", 2).tolist() == [0.3, 0.3]
    assert track.stroke("duration", 2).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="duration has 2 rows for 3 strokes"):
        track.stroke("duration", 3)


def test_the_hand_rests_at_goals_and_at_both_ends():
    keys = tuple(Keypoint(float(i), (0.1, 0.0, 0.1 * i), stop=stop) for i, stop in enumerate(
        (Stop.VIA, Stop.VIA, Stop.GOAL, Stop.VIA, Stop.VIA)))  # fmt: skip
    phrase = phrase_of(Gesture("g", 2.0, right=Keypoints(keys)))
    assert phrase.arm("right").keys.stops.tolist() == [True, False, True, False, True]


def test_the_arm_with_the_longer_way_leads_and_the_right_one_of_equals():
    short, long = moving((0.1, 0.0, 0.0), (0.2, 0.0, 0.0)), moving((0.1, 0.0, 0.0), (0.3, 0.0, 0.0), (0.1, 0.0, 0.0))

    def leads(**arms):
        return leading_side(phrase_of(Gesture("g", 2.0, **arms)))

    assert leads(left=long, right=short) == "left"
    assert leads(left=short, right=long) == "right"
    assert leads(left=short, right=short) == "right"
    assert leads(left=short) == "left"
    assert leads() is None
    assert leads(right=moving((0.1, 0.0, 0.0))) is None  # one key goes nowhere


def test_a_body_without_hands_rests_where_what_moves_most_turns():
    assert body_rest_times(bobbing(torso_forward=(0.0, 0.5, 0.5, 0.0, 0.0))).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert body_rest_times(bobbing(torso_forward=(0.0, 0.2, 0.5, 0.2, 0.0))).tolist() == [0.0, 2.0, 4.0]
    assert body_rest_times(bobbing(torso_forward=(0.0, 0.1, 0.3))).tolist() == [0.0, 4.0]


def test_a_head_leads_less_than_a_torso_and_fingers_not_at_all():
    both = bobbing(torso_forward=(0.0, 0.2, 0.2, 0.2, 0.0), head_turn=(0.0, 0.0, 0.4, 0.0, 0.0))
    assert body_rest_times(both).tolist() == [0.0, 1.0, 3.0, 4.0]
    head = bobbing(torso_forward=(0.0, 0.1, 0.1, 0.1, 0.0), head_turn=(0.0, 0.0, 0.4, 0.0, 0.0))
    assert body_rest_times(head).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert body_rest_times(bobbing(left_hand_fist=(0.0, 1.0, 0.0))).tolist() == [0.0, 4.0]
    assert body_rest_times(bobbing(torso_forward=(0.2, 0.2, 0.2))).tolist() == [0.0, 4.0]
