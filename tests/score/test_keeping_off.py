"""Hands keep off the body, whatever brings them near."""

import numpy as np
import pytest
from figure.capsules import hand_depths

from kinesphere import Effort, Gesture, Keypoint, Keypoints, Shape, perform
from kinesphere.figure import motions

GESTURES = [name for name in motions() if not name.startswith("walk")]
NEAR = ["afraid", "shy", "sad", "nervous", "timidly", "tired", "angry", "sneakily"]
# Fingers, bent by flourishes, may brush a thigh; joints and tips, without their flesh, in a body of capsules.
BRUSHES = 0.042  # metres


def deepest(made):
    return max(float(depth.max()) for side in ("left", "right") for depth in hand_depths(made, side).values())


@pytest.mark.parametrize("name", GESTURES)
def test_words_that_close_a_body_leave_hands_outside(name):
    assert max(deepest(perform(name, words=word)) for word in NEAR) < BRUSHES


@pytest.mark.parametrize("name", GESTURES)
def test_dials_leave_hands_outside(name):
    efforts = [Effort(**{n: v}) for n in ("space", "weight", "flow") for v in (-1, 1)]
    shapes = [Shape(**{n: v}) for n in ("horizontal", "vertical", "sagittal", "reach") for v in (-1, 1)]
    assert max(deepest(perform(name, effort)) for effort in efforts) < BRUSHES
    assert max(deepest(perform(name, shape=shape)) for shape in shapes) < BRUSHES


def test_a_hand_sent_into_the_chest_stays_before_it_and_does_not_jump():
    places = [(0, (-0.35, -0.10, 0.20)), (60, (0.20, -0.20, -0.02)), (120, (-0.35, -0.10, 0.20))]
    keys = tuple(Keypoint(float(frame), place, -0.4) for frame, place in places)
    made = perform(Gesture("through", 2.2, right=Keypoints(keys, 60.0, "rightArm")))
    assert deepest(made) < BRUSHES
    hand = made.positions_world()[:, made.skeleton.index("rightHand")]
    jolts = np.linalg.norm(np.diff(hand, 2, axis=0), axis=1) * 60.0
    assert jolts.max() < 4.0  # a strike's
