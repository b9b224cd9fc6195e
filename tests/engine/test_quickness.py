"""No hand is quicker than hands are: wrists, joint limits and steps over gestures, words and intensities."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from expression_measures import clean
from expression_measures.performing import Spec, perform_each
from kinesphere.builtin.library import gestures
from kinesphere.engine.batch import Batch
from kinesphere.engine.pose import SIGN, Actor, BatchPose, figure_skeleton
from kinesphere.engine.proportions import HEIGHT
from kinesphere.engine.quickness import FASTEST, SHARPEST, limit_accelerations, limit_wrist_speeds
from kinesphere.engine.referents import window
from kinesphere.maths import rotations
from kinesphere.maths.vectors import norms
from kinesphere.motion.referent import Kind, Referent

QUICKEST_WORDS = ("desperate", "wildly", "urgently", "angry", "surprised", "clumsily", "joyful", "excited", "sneakily")


@pytest.mark.parametrize("intensity", [1.0, 2.0])
def test_wrists_limits_and_hands_are_those_of_people_in_every_gesture(intensity):
    specs = (Spec(*own, intensity=intensity, seed=None) for own in product(gestures(), ((),), QUICKEST_WORDS))
    found = clean.inspect_all(specs)
    assert found["wrist_fastest"] < 900.0, found["worst"]["wrist"]
    assert found["limit_most"] < 10.0, found["worst"]["limit"]
    assert found["largest_pop_mm"] < 120.0, found["worst"]["pop"]
    assert found["inside_percent"] < 0.3, found["worst"]["depth"]


@pytest.mark.parametrize("word", ["proudly", "surprised", "contemptuous", "dismissively", "happy", "hesitantly"])
def test_elbows_do_not_jump_to_the_other_side(word):
    """Where an elbow is opposite to where shoulders go freely, either side would do as well."""
    found = clean.inspect_all(Spec(name, (), word, seed=None) for name in gestures())
    assert found["elbow_pop_mm"] < 60.0, found["worst"]["elbow"]
    assert found["limit_most"] < 10.0, found["worst"]["limit"]


def test_what_is_neutral_is_far_from_any_limit():
    for _, motion in perform_each(Spec(name, seed=None) for name in gestures()):
        found = clean.inspect(motion)
        assert found["wrist"] < 0.5 * np.degrees(FASTEST)
        assert found["pop"] < 0.5 * 1000.0 * SHARPEST / motion.rate**2


def posed_wrists(angles):
    """Poses of the figure whose hands are bent by angles ``(F,)`` in radians."""
    skeleton = figure_skeleton(HEIGHT)
    pose = BatchPose.of(Actor(skeleton, 1.0, 1.0, 1.0), Batch((len(angles),), (False,)))
    for side in SIGN:
        pose.set_rotation(f"{side}Hand", rotations.from_rotation_vector(np.outer(angles, [0.6, 0.0, 0.8])))
    return pose


def test_a_wrist_that_flicks_too_fast_begins_earlier_and_ends_later():
    angles = np.where(np.arange(60) < 30, -0.5, 0.5)
    pose = posed_wrists(angles)
    limit_wrist_speeds(pose, np.zeros(2 * 60, dtype=np.bool_))
    hand = pose.local[:, pose.skeleton.index("leftHand")]
    made = rotations.to_rotation_vector(hand) @ [0.6, 0.0, 0.8]
    assert np.degrees(np.abs(np.diff(made)).max()) * 60.0 < 1.01 * np.degrees(FASTEST)
    assert np.allclose(made, -made[::-1], atol=0.01)  # neither early nor late
    assert np.array_equal(made[[0, 20, 40, 59]].round(12), [-0.5, -0.5, 0.5, 0.5])


def test_a_wrist_that_keeps_something_stays_and_others_make_way():
    angles = np.where(np.arange(61) < 30, -0.5, 0.5)
    held = np.arange(61) >= 30
    pose = posed_wrists(angles)
    before = pose.local.copy()
    limit_wrist_speeds(pose, np.concatenate([held, held]))
    hand = pose.skeleton.index("rightHand")
    assert np.array_equal(pose.local[held], before[held])
    speeds = rotations.angle_between(pose.local[1:, hand], pose.local[:-1, hand]) * 60.0
    assert speeds.max() < 1.01 * FASTEST


def test_slow_wrists_stay_exactly_as_they_are():
    pose = posed_wrists(np.sin(np.arange(61) / 8.0))
    before = pose.local.copy()
    limit_wrist_speeds(pose, np.zeros(2 * 61, dtype=np.bool_))
    assert np.array_equal(pose.local, before)


def test_a_hand_that_turns_at_full_speed_cuts_the_corner_and_reaches_its_goals():
    x = 0.1 * np.arange(21.0)
    path = np.column_stack([np.minimum(x, 1.0), np.maximum(x - 1.0, 0.0), np.zeros(21)])
    batch, held, made = Batch((21,), (False,)), np.arange(21) == 4, path.copy()
    limit_accelerations(batch, made, held, 1.0)
    assert 3600.0 * norms(np.diff(made, 2, axis=0)).max() < 1.01 * SHARPEST
    assert np.array_equal(made[[0, 4, 20]], path[[0, 4, 20]])
    assert 0.005 < norms(made - path).max() < 0.05
    slow = 0.1 * path
    limit_accelerations(batch, slow, held, 1.0)
    assert np.array_equal(slow, 0.1 * path)


def test_a_referent_fades_slowly_however_quick_the_stroke_is():
    own = Referent(Kind.TOUCH, "right", 1.0, 2.0, joint="head", before=0.4, after=0.4)
    quick = np.concatenate([np.linspace(0.5, 1.0, 4), np.linspace(1.0, 2.0, 30), np.linspace(2.0, 2.5, 4)])
    quick = np.concatenate([np.full(30, 0.5), quick, np.full(30, 2.5)])
    plain, slow = window(own, quick), window(own, quick, None, 15.0)
    assert np.abs(np.diff(plain)).max() > 0.3
    assert np.abs(np.diff(slow)).max() <= 1.5 / 15.0 + 1e-9
    assert (slow >= plain).all()
    assert (slow[0], slow.max(), slow[-1]) == (0.0, 1.0, 0.0)
    even = np.linspace(0.0, 3.0, 400)
    assert np.allclose(window(own, even), window(own, even, None, 15.0), rtol=0.0, atol=1e-12)
