"""Keys that go with a joint: a hand on the head stays on the head, wherever that turns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere import Effort, generate, phrase_of
from kinesphere.engine.arm_plan import OutOfReach
from kinesphere.engine.phrases import figure_body
from kinesphere.engine.proportions import ARM
from kinesphere.maths import rotations
from kinesphere.motion.gesture import Curve
from kinesphere.motion.phrase import Keys, Phrase, Track

REST, TOUCH = (-0.12, -0.97, 0.07), (-0.35, 0.10, 0.45)  # from the shoulder; from the head's joint
TURNING = {
    "head": Track(curves={"head.turn": Curve((0.0, 1.2, 1.8, 2.4, 3.0), (0.0, 0.0, 0.6, -0.5, 0.0))}),
    "torso": Track(curves={"torso.side": Curve((0.0, 1.2, 1.9, 2.5, 3.2), (0.0, 0.0, 0.2, -0.1, 0.0))}),
}


def touching(spaces=("chest", "head", "head", "chest"), height=1.70, **tracks):
    """A hand that is at the head from 1 to 2.5 s."""
    keys = Keys(
        np.array([0.0, 1.0, 2.5, 3.2]),
        np.array([REST, TOUCH, TOUCH, REST]),
        np.full(4, -0.5),
        np.ones(4, dtype=bool),
        spaces,
        np.full(4, 0.5),
    )
    return Phrase("touch", figure_body(height), 3.4, {"right_arm": Track(keys), **TURNING, **tracks})


def from_head(motion, role="head"):
    """The right wrist as that joint sees it ``(T, 3)``."""
    (q, p), roles = motion.world(), motion.skeleton.roles
    offset = p[:, roles["rightHand"]] - p[:, roles[role]]
    return rotations.rotate(rotations.conjugate(q[:, roles[role]]), offset)


@pytest.mark.parametrize("role", ["head", "neck", "upperChest", "hips"])
def test_a_held_hand_goes_with_its_joint(role):
    spaces, away = ("chest", role, role, "chest"), {"head": 0.0, "neck": 0.1, "upperChest": 0.3, "hips": 0.8}[role]
    phrase = touching(spaces)
    keys = phrase.arm("right").keys
    lifted = keys.positions + np.array([[0.0], [away], [away], [0.0]]) * [0.0, 1.0, 0.0]
    phrase = phrase.with_tracks({"right_arm": Track(replace(keys, positions=lifted))})
    seen = from_head(generate(phrase), role)[60:151]
    assert seen == pytest.approx(np.tile(ARM * lifted[1], (91, 1)), abs=1e-9)


@pytest.mark.parametrize("rate", [30.0, 60.0, 120.0])
@pytest.mark.parametrize("height", [1.2, 1.9])
def test_it_does_so_at_any_rate_and_size_in_arm_lengths(rate, height):
    motion = generate(touching(height=height), rate)
    seen = from_head(motion)[round(rate) : round(2.5 * rate) + 1]
    assert seen == pytest.approx(np.tile(height / 1.70 * ARM * np.array(TOUCH), (len(seen), 1)), abs=1e-9)


@pytest.mark.parametrize("effort", [Effort(-1, -1, -1, -1), Effort(1, 1, 1, 0.5), Effort(flow=-1)])
def test_what_a_hand_holds_survives_every_dial(effort):
    phrase = effort(touching())
    motion = generate(phrase)
    away = np.linalg.norm(from_head(motion) - ARM * np.array(TOUCH), axis=1)
    assert away.min() < 1e-9
    assert (away < 1e-3).sum() >= 8  # the head that a hand holds is itself held, softly


@pytest.mark.parametrize("effort", [Effort(), Effort(flow=-1), Effort(space=-1, weight=1), Effort(time=1, flow=-1)])
def test_a_via_at_a_joint_is_passed_where_the_joint_is(effort):
    phrase = touching()
    positions = np.array([REST, TOUCH, (-0.4, -0.1, 0.8), REST])
    goals, spaces = np.array([True, False, True, True]), ("chest", "head", "chest", "chest")
    keys = replace(phrase.arm("right").keys, positions=positions, goals=goals, spaces=spaces)
    motion = generate(effort(phrase.with_tracks({"right_arm": Track(keys)})))
    assert np.linalg.norm(from_head(motion) - ARM * np.array(TOUCH), axis=1).min() < 1e-6


def test_there_is_no_pop_where_it_comes_and_goes():
    hand = generate(touching()).positions_world()[:, figure_body().roles["rightHand"]]
    acceleration = np.linalg.norm(np.diff(hand, 2, axis=0), axis=1) * 60.0**2
    still = generate(touching(head=Track(), torso=Track())).positions_world()[:, figure_body().roles["rightHand"]]
    assert acceleration.max() < 1.5 * (np.linalg.norm(np.diff(still, 2, axis=0), axis=1) * 60.0**2).max() + 2.0


def test_other_spaces_are_refused_with_those_that_there_are():
    with pytest.raises(ValueError, match="no space is called 'hat'; did you mean 'head'"):
        touching(("chest", "hat", "hat", "chest"))
    with pytest.raises(ValueError, match="no space is called 'leftFoot'"):
        touching(("chest", "leftFoot", "leftFoot", "chest"))
    assert phrase_of("wave").arm("right").keys.spaces[0] == "chest"


def test_a_goal_at_a_joint_that_is_out_of_reach_is_told():
    keys = replace(touching().arm("right").keys, positions=np.array([REST, (-1.5, 0.0, 1.0), (-1.5, 0.0, 1.0), REST]))
    with pytest.warns(OutOfReach, match=r"touch: the right hand stays \d+ mm short of its goal at the head at"):
        generate(touching().with_tracks({"right_arm": Track(keys)}))
