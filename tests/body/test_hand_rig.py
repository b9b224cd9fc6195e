"""A hand made ready is every joint posed by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.body.hands import (
    ANGLES,
    HAND_SHAPES,
    blend_hand_shapes,
    finger_rotations,
    hand_rig,
    hand_shape,
    palm_frame,
)
from kinesphere.engine.proportions import skeleton
from kinesphere.maths import kinematics, rotations
from kinesphere.motion.skeleton import Skeleton

FOUR, PARTS = ("Index", "Middle", "Ring", "Little"), ("Proximal", "Intermediate", "Distal")
SIDES = ("left", "right")
BODY = skeleton()


def between(shape, other, count):
    """Hands on their way from one shape to another."""
    return hand_shape(shape) + np.linspace(0.0, 1.0, count)[:, None] * (hand_shape(other) - hand_shape(shape))


@pytest.mark.parametrize("side", SIDES)
@given(seed=seeds)
def test_many_hands_at_once_are_each_hand_alone(side, seed):
    rng = np.random.default_rng(seed)
    angles = rng.uniform(-0.3, 1.2, (40, ANGLES))
    angles[:, -1] = rng.choice([0.0, 0.4, 1.0], 40)  # how much the thumb lies on the fingers
    many = hand_rig(BODY, side).rotations(angles.reshape(4, 10, ANGLES))
    assert many.shape == (4, 10, 15, 4)
    for i in range(0, 40, 9):
        alone = hand_rig(BODY, side).rotations(angles[i])
        assert many.reshape(40, 15, 4)[i] == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("side", SIDES)
def test_every_angle_turns_its_own_joint_and_no_other(side):
    rig = hand_rig(BODY, side)
    plain = rig.rotations(np.zeros(ANGLES))
    own = {role: i for i, role in enumerate(f"{side}{f}{p}" for f in FOUR for p in PARTS)}
    for f, finger in enumerate(FOUR):
        for column in range(4):
            angles = np.zeros(ANGLES)
            angles[4 * f + column] = 0.3
            made = rig.rotations(angles)
            turned = rotations.angle_between(made, plain)
            joint = own[f"{side}{finger}{PARTS[column % 3]}"]  # the fourth spreads, at the knuckle
            assert turned[joint] == pytest.approx(0.3, abs=1e-9)
            assert np.delete(turned, joint) == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize("side", SIDES)
@given(seed=seeds)
def test_fingers_look_as_their_angles_say(side, seed):
    """Without spread, on the figure, whose fingers lie nearly in the palm's plane: bones' own angles in the world."""
    rng = np.random.default_rng(seed)
    angles = np.zeros(ANGLES)
    angles[:16] = rng.uniform(0.0, 1.4, 16)
    angles[3:16:4] = 0.0
    local = BODY.rest_rotations.copy()
    for joint, turn in finger_rotations(BODY, side, angles).items():
        local[joint] = turn
    place = kinematics.forward(local, BODY.offsets, BODY.parents)[1]
    frame = palm_frame(BODY, side)
    for f, finger in enumerate(FOUR):
        ends = [place[BODY.roles[f"{side}{finger}{part}"]] for part in PARTS]
        bones = np.diff(ends, axis=0)
        seen = np.arctan2(bones @ frame.out, bones @ frame.along)
        assert seen == pytest.approx(np.cumsum(angles[4 * f : 4 * f + 2]), abs=0.03)


@pytest.mark.parametrize("side", SIDES)
def test_rotations_are_by_joint_and_unit(side):
    rig = hand_rig(BODY, side)
    made = rig.rotations(between("open", "fist", 30))
    assert np.linalg.norm(made, axis=-1) == pytest.approx(1.0, abs=1e-12)
    by_joint = finger_rotations(BODY, side, between("open", "fist", 30))
    assert list(by_joint) == list(rig.joints)
    for i, joint in enumerate(rig.joints):
        assert np.array_equal(by_joint[joint], made[:, i])


@pytest.mark.parametrize("shape", HAND_SHAPES)
def test_on_the_way_from_relaxed_to_any_shape_nothing_jumps(shape):
    made = hand_rig(BODY, "left").rotations(between("relaxed", shape, 101))
    assert rotations.angle_between(made[1:], made[:-1]).max() < np.radians(3.0)


def test_a_rig_is_made_once_a_skeleton_and_side():
    assert hand_rig(BODY, "left") is hand_rig(BODY, "left")
    assert hand_rig(BODY, "left") is not hand_rig(BODY, "right")
    other = Skeleton(BODY.names, BODY.parents, BODY.offsets, BODY.rest_rotations, BODY.roles, BODY.tips)
    assert hand_rig(other, "left") is not hand_rig(BODY, "left")


@given(st.lists(st.sampled_from(list(HAND_SHAPES)), min_size=1, max_size=4, unique=True), seeds)
def test_shapes_mix_by_their_weights_and_relaxed_is_the_rest(names, seed):
    rng = np.random.default_rng(seed)
    weights = {name: rng.uniform(0.0, 0.5, (6, 2)) for name in names}
    expected = (1.0 - sum(weights.values()))[..., None] * hand_shape("relaxed")
    expected = expected + sum(weight[..., None] * hand_shape(name) for name, weight in weights.items())
    assert blend_hand_shapes(weights) == pytest.approx(expected, abs=1e-12)


def test_weights_of_different_shapes_broadcast():
    made = blend_hand_shapes({"fist": np.array([0.0, 1.0]), "open": 0.0})
    assert made == pytest.approx(np.stack([hand_shape("relaxed"), hand_shape("fist")]), abs=1e-12)


def test_what_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="finite"):
        hand_rig(BODY, "left").rotations(np.full(ANGLES, np.nan))
