"""Hand carriage: hands that do nothing are where it says, from their own shoulders; hands that act are not moved."""

from __future__ import annotations

import numpy as np
import pytest

import kinesphere
from captures import RATE, clips
from kinesphere import Motion
from kinesphere.maths import rotations
from kinesphere.motion.scope import Scope
from kinesphere.performance.properties.hand_carriage import HandCarriage

NEAR = 0.06  # arm lengths from where it says
SIGN = {"left": 1.0, "right": -1.0}


def hand_from_shoulder(motion: Motion, side: str, part: str = "Hand") -> np.ndarray:
    """``(T, 3)`` a hand from its shoulder, out, up and ahead in the world, in arm lengths, of who faces ahead."""
    roles = motion.skeleton.roles
    p = motion.positions_world()
    shoulder, elbow, hand = (p[:, roles[f"{side}{own}"]] for own in ("UpperArm", "LowerArm", "Hand"))
    length = np.linalg.norm(elbow - shoulder, axis=1)[0] + np.linalg.norm(hand - elbow, axis=1)[0]
    return (p[:, roles[f"{side}{part}"]] - shoulder) * [SIGN[side], 1.0, 1.0] / length


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(
    ("asked", "place"),
    [
        (HandCarriage(up=0.5, ahead=0.45), (0.10, -0.47, 0.51)),  # forearms level
        (HandCarriage(out=0.5, up=0.3), (0.60, -0.67, 0.06)),  # out from the body
        (HandCarriage(out=-0.2, up=0.34, ahead=0.34), (-0.10, -0.63, 0.40)),  # before the belly
    ],
)
def test_hands_that_hang_are_where_it_says(asked, place, side):
    made = kinesphere.generate(asked.apply(kinesphere.phrase_of("idle")))
    assert np.abs(hand_from_shoulder(made, side)[len(made) // 2] - place).max() < NEAR


def test_hands_that_act_start_from_there_and_go_where_they_went():
    phrase = kinesphere.phrase_of("point")
    plain, made = (kinesphere.generate(own) for own in (phrase, HandCarriage(up=0.5, ahead=0.45).apply(phrase)))
    was, now = (hand_from_shoulder(own, "right") for own in (plain, made))
    assert now[0, 1] > was[0, 1] + 0.35
    assert now[-1, 1] > was[-1, 1] + 0.35
    pointing = np.argmax(was[:, 2])
    assert np.abs(now[pointing] - was[pointing]).max() < 0.02
    joint = made.skeleton.roles["rightHand"]
    steps = np.linalg.norm(np.diff(made.positions_world()[:, joint], 2, axis=0), axis=1) * made.rate**2
    assert steps.max() < 25.0  # m/s²: nothing pops


def test_more_is_farther():
    phrase = kinesphere.phrase_of("idle")
    heights = [
        hand_from_shoulder(kinesphere.generate(HandCarriage(up=up).apply(phrase)), "left")[60, 1]
        for up in (0.0, 0.1, 0.2, 0.4, 0.6)
    ]
    assert (np.diff(heights) > 0.05).all()


def test_elbows_go_out_and_in_while_hands_stay():
    phrase = kinesphere.phrase_of("idle")
    made = {s: kinesphere.generate(HandCarriage(out=0.15, up=0.3, swivel=s).apply(phrase)) for s in (-0.8, 0.0, 1.2)}
    for side in ("left", "right"):
        out = [hand_from_shoulder(own, side, "LowerArm")[60, 0] for own in made.values()]
        assert out[0] < out[1] - 0.05
        assert out[2] > out[1] + 0.15
        hands = [hand_from_shoulder(own, side)[60] for own in made.values()]
        assert np.abs(hands[2] - hands[1]).max() < 0.01


def test_one_hand_alone():
    phrase = kinesphere.phrase_of("idle")
    plain = kinesphere.generate(phrase)
    one = kinesphere.generate(HandCarriage(up=0.4).apply(phrase, Scope(parts=("left_arm",))))
    assert abs(hand_from_shoulder(one, "right")[60, 1] - hand_from_shoulder(plain, "right")[60, 1]) < 0.01
    assert hand_from_shoulder(one, "left")[60, 1] - hand_from_shoulder(plain, "left")[60, 1] > 0.3


@pytest.mark.data
def test_recorded_hands_that_hang_are_carried_too(data_dir):
    """A walker's arms swing about where the hands are carried."""
    recording = clips(data_dir)[0]
    made = kinesphere.generate(HandCarriage(up=0.45, ahead=0.4).apply(kinesphere.lift(recording)), RATE)
    q, roles = made.world()[0], made.skeleton.roles
    for side in ("left", "right"):
        p = made.positions_world()
        shoulder, elbow, hand = (p[60:-20, roles[f"{side}{own}"]] for own in ("UpperArm", "LowerArm", "Hand"))
        length = np.linalg.norm(elbow - shoulder, axis=1)[0] + np.linalg.norm(hand - elbow, axis=1)[0]
        ahead = rotations.rotate(q[60:-20, roles["hips"]], np.array([0.0, 0.0, 1.0]))
        away = (hand - shoulder) / length
        assert away[:, 1].mean() == pytest.approx(-0.52, abs=0.1)
        assert np.sum(away * ahead, axis=1).mean() == pytest.approx(0.46, abs=0.15)
