"""Hands keep off the body, whatever brings them near."""

import numpy as np
import pytest

from builtin.capsules import hand_depths
from kinesphere import Effort, Shape, perform
from kinesphere.builtin import motions
from kinesphere.direction.words import vocabulary
from kinesphere.maths import rotations

GESTURES = [name for name in motions() if not name.startswith("walk")]
NEAR = ["afraid", "shy", "sad", "nervous", "timidly", "tired", "angry", "sneakily"]
# Joints and tips of hands, in a body of capsules, in metres. Shape brings them to it; where Effort leads a hand off its
# way, fingers may go into a chest that is beckoned to, or into a thigh that is lifted for a step; beyond full deeper.
TOUCHES, BRUSHES, BEYOND = 0.015, 0.040, 0.060


def deepest(made):
    return max(float(depth.max()) for side in ("left", "right") for depth in hand_depths(made, side).values())


@pytest.mark.parametrize("name", GESTURES)
def test_words_that_close_a_body_leave_hands_outside(name):
    assert max(deepest(perform(name, words=word)) for word in NEAR) < BRUSHES
    assert max(deepest(perform(name, words=word, intensity=2.0)) for word in NEAR) < BEYOND


@pytest.mark.parametrize("name", GESTURES)
def test_dials_leave_hands_outside(name):
    efforts = [Effort(**{n: v}) for n in ("space", "weight", "flow") for v in (-1, 1)]
    shapes = [Shape(**{n: v}) for n in ("horizontal", "vertical", "sagittal", "reach") for v in (-1, 1)]
    assert max(deepest(perform(name, effort)) for effort in efforts) < BRUSHES
    assert max(deepest(perform(name, shape=shape)) for shape in shapes) < TOUCHES


@pytest.mark.parametrize("word", ["happy", "joyful", "proudly", "shy", "sad", "angry"])
def test_hands_that_meet_stay_met(word):
    """Spreading, rising or shrinking, a clap is a clap: wrists come as near as in the plain one, within 3 cm."""

    def nearest(made):
        place = made.positions_world()
        index = made.skeleton.index
        return float(np.linalg.norm(place[:, index("leftHand")] - place[:, index("rightHand")], axis=1).min())

    assert nearest(perform("clap", words=word)) == pytest.approx(nearest(perform("clap")), abs=0.03)


@pytest.mark.parametrize("shape", [Shape(1, 0, 1, 1), Shape(1, 1, 1, -1), Shape(1, 1, 1, 1), Shape(0.5, 1, 1, 0)])
@pytest.mark.parametrize("name", ["emphasise", "drink", "clap", "punch"])
def test_elbows_do_not_flip_where_shape_brings_hands_near(name, shape):
    made = perform(name, shape={0.5: Shape(), 2.0: shape})
    place = made.positions_world()
    jolts = np.linalg.norm(np.diff(place, 2, axis=0), axis=-1) * 60.0
    index = made.skeleton.index
    assert jolts[:, [index(f"{side}{part}") for side in ("left", "right") for part in ("LowerArm", "Hand")]].max() < 2.1


@pytest.mark.parametrize(
    ("effort", "shape"),
    [
        (Effort(0, 1, 1, 0), Shape(0.71, 0.85, -0.47, 0.59)),
        (Effort(-1, 1, 1, 1), Shape(0.56, 0.95, 0.21, 0.89)),
        (Effort(), Shape(1, 1, -1, 1)),
    ],
)
def test_no_hand_jumps_where_the_body_bends_onto_a_goal_in_the_world(effort, shape):
    made = perform("reach", effort, shape, intensity=2.0)
    fast = np.linalg.norm(np.diff(made.positions_world(), axis=0), axis=-1) * 60.0
    index = made.skeleton.index
    assert fast[:, [index("rightHand"), index("rightLowerArm")]].max() < 9.0


@pytest.mark.parametrize("intensity", [1.0, 2.0])
def test_no_wrist_pops_when_hands_clap(intensity):
    """Where hands meet there is no room to bend a wrist. It does not snap straight and bend again at every clap."""
    for word in vocabulary():
        made = perform("clap", words=word, intensity=intensity)
        hands = [made.skeleton.index(f"{side}Hand") for side in ("left", "right")]
        turns = rotations.angle_between(made.rotations[1:, hands], made.rotations[:-1, hands])
        assert np.degrees(turns.max()) < (22.0 if intensity == 1.0 else 45.0), word


@pytest.mark.parametrize("name", ["clap", "wave", "beckon"])
def test_no_elbow_pops_at_a_via(name):
    """Indirect's displacement gives way to vias over some time: no hand jumps onto one in a single frame."""
    effort = Effort(space=-1.0, weight=-0.3, time=-0.3, flow=-1.0)
    made, plain = (perform(name, e, intensity=2.0) for e in (effort, effort.adjusted(displacement=0.0)))
    jolts = []
    for motion in (made, plain):
        hands = motion.positions_world()[:, [motion.skeleton.index(f"{side}Hand") for side in ("left", "right")]]
        jolts.append(np.linalg.norm(np.diff(hands, 2, axis=0), axis=-1).max() * motion.rate**2)
    assert jolts[0] < 5.0 * jolts[1]
