"""Hand shapes: what they look like, on the figure and on other rigs."""

from __future__ import annotations

import numpy as np
import pytest

import kinesphere
from kinesphere.body.hands import ANGLES, HAND_SHAPES, blend_hand_shapes, finger_rotations, hand_shape, palm_frame
from kinesphere.engine.proportions import skeleton
from kinesphere.maths import kinematics, rotations
from kinesphere.motion.gesture import SHAPES
from kinesphere.motion.skeleton import Skeleton, Tip

FOUR = ("Index", "Middle", "Ring", "Little")
SIDES = ("left", "right")


def posed(body: Skeleton, angles: np.ndarray, side: str) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Places of joints by role, and of fingertips by finger, with one hand in a shape."""
    local = body.rest_rotations.copy()
    for joint, turn in finger_rotations(body, side, angles).items():
        local[joint] = turn
    q, p = kinematics.forward(local, body.offsets, body.parents)
    tips = {}
    for tip in body.tips:
        for finger in ("Thumb", *FOUR):
            if body.roles.get(f"{side}{finger}Distal") == tip.joint:
                tips[finger] = p[tip.joint] + rotations.rotate(q[tip.joint], np.array(tip.offset))
    return {role: p[joint] for role, joint in body.roles.items()}, tips


def twisted(body: Skeleton, rng: np.random.Generator) -> Skeleton:
    """The same body with other axes on every joint, as rigs have them."""
    turned, place = body.rest_world()
    own = rotations.normalise(rng.normal(size=turned.shape))
    local, offsets = kinematics.inverse(own, place, body.parents)
    tips = tuple(
        Tip(tip.joint, tuple(rotations.rotate(rotations.conjugate(own[tip.joint]), np.array(tip.offset)).tolist()))
        for tip in body.tips
    )
    return Skeleton(body.names, body.parents, offsets, local, body.roles, tips)


def test_shapes_are_those_that_gestures_name():
    assert tuple(HAND_SHAPES) == SHAPES
    assert all(shape.shape == (ANGLES,) for shape in HAND_SHAPES.values())


@pytest.mark.parametrize("side", SIDES)
def test_a_fist_brings_fingertips_to_the_palm_and_the_thumb_over_the_fingers(side):
    joints, tips = posed(skeleton(), hand_shape("fist"), side)
    frame = palm_frame(skeleton(), side)
    wrist = joints[f"{side}Hand"]
    for finger in FOUR:
        knuckle = joints[f"{side}{finger}Proximal"]
        assert np.linalg.norm(tips[finger] - 0.5 * (knuckle + wrist)) < 0.045
    across = [(tips["Thumb"] - joints[f"{side}{finger}Intermediate"]) @ frame.across for finger in ("Index", "Ring")]
    assert across[0] < 0.0 < across[1]  # its tip lies between the index and the ring finger
    assert (tips["Thumb"] - joints[f"{side}MiddleDistal"]) @ frame.out > 0.0  # outside of them


@pytest.mark.parametrize("side", SIDES)
def test_pointing_keeps_the_index_straight_and_folds_the_others(side):
    joints, tips = posed(skeleton(), hand_shape("pointing"), side)
    along = palm_frame(skeleton(), side).along
    index = tips["Index"] - joints[f"{side}IndexProximal"]
    assert index @ along / np.linalg.norm(index) > np.cos(np.radians(12.0))
    for finger in FOUR[1:]:
        assert (tips[finger] - joints[f"{side}{finger}Proximal"]) @ along < 0.02


def _spread(name: str) -> float:
    _, tips = posed(skeleton(), hand_shape(name), "left")
    return float(np.linalg.norm(tips["Index"] - tips["Little"]))


def test_open_spreads_and_closed_and_thumb_out_do_not():
    assert _spread("open") > 1.35 * _spread("closed")
    assert _spread("thumb out") < 1.05 * _spread("closed")
    far = {}
    for name in ("open", "closed", "thumb out"):
        joints, tips = posed(skeleton(), hand_shape(name), "left")
        far[name] = float(np.linalg.norm(tips["Thumb"] - joints["leftIndexProximal"]))
    assert far["thumb out"] > 1.3 * far["closed"]
    assert far["open"] > 1.2 * far["closed"]


def test_a_grip_opposes_the_thumb_to_the_fingers():
    joints, tips = posed(skeleton(), hand_shape("grip"), "left")
    frame = palm_frame(skeleton(), "left")
    gap = np.linalg.norm(tips["Thumb"] - tips["Index"])
    assert 0.02 < gap < 0.09  # as wide as a glass
    assert (tips["Thumb"] - joints["leftHand"]) @ frame.out > 0.03


def test_a_claw_bends_the_ends_and_not_the_knuckles():
    joints, tips = posed(skeleton(), hand_shape("claw"), "left")
    frame = palm_frame(skeleton(), "left")
    for finger in FOUR:
        first = joints[f"left{finger}Intermediate"] - joints[f"left{finger}Proximal"]
        assert first @ frame.out < 0.005
        assert (tips[finger] - joints[f"left{finger}Intermediate"]) @ frame.out > 0.015


@pytest.mark.parametrize("name", HAND_SHAPES)
def test_the_right_hand_mirrors_the_left(name):
    joints, tips = posed(skeleton(), hand_shape(name), "left")
    others, other_tips = posed(skeleton(), hand_shape(name), "right")
    mirror = np.array([-1.0, 1.0, 1.0])
    for role, place in joints.items():
        if role.startswith("left"):
            assert others["right" + role[4:]] == pytest.approx(place * mirror, abs=1e-9)
    for finger, place in tips.items():
        assert other_tips[finger] == pytest.approx(place * mirror, abs=1e-9)


@pytest.mark.parametrize("name", ["fist", "pointing", "open"])
def test_joints_own_axes_do_not_matter(name, rng):
    plain, plain_tips = posed(skeleton(), hand_shape(name), "left")
    other, other_tips = posed(twisted(skeleton(), rng), hand_shape(name), "left")
    assert {role: other[role] == pytest.approx(plain[role], abs=1e-9) for role in plain} == dict.fromkeys(plain, True)
    assert all(other_tips[finger] == pytest.approx(plain_tips[finger], abs=1e-9) for finger in plain_tips)


def test_fingers_that_are_curled_at_rest_reach_the_same_shape():
    body = skeleton()
    curled = body.rest_rotations.copy()
    for joint, turn in finger_rotations(body, "left", hand_shape("cupped")).items():
        curled[joint] = turn
    q, p = kinematics.forward(curled, body.offsets, body.parents)
    local, offsets = kinematics.inverse(rotations.identity(len(body)), p, body.parents)
    tips = tuple(
        Tip(tip.joint, tuple(rotations.rotate(q[tip.joint], np.array(tip.offset)).tolist())) for tip in body.tips
    )
    other = Skeleton(body.names, body.parents, offsets, local, body.roles, tips)
    _, straight = posed(body, hand_shape("open"), "left")
    _, again = posed(other, hand_shape("open"), "left")
    for finger in FOUR:
        assert again[finger] == pytest.approx(straight[finger], abs=0.006)


def test_shapes_mix_and_the_rest_is_relaxed():
    assert blend_hand_shapes({}) == pytest.approx(hand_shape("relaxed"))
    assert blend_hand_shapes({"fist": 1.0}) == pytest.approx(hand_shape("fist"))
    half = blend_hand_shapes({"fist": np.array([0.0, 0.5]), "open": np.array([0.0, 0.5])})
    assert half[1] == pytest.approx(0.5 * (hand_shape("fist") + hand_shape("open")))


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match="no hand shape is called 'paw'"):
        hand_shape("paw")
    with pytest.raises(ValueError, match="22"):
        finger_rotations(skeleton(), "left", np.zeros(3))
    with pytest.raises(ValueError, match="side 'both'"):
        palm_frame(skeleton(), "both")
    bare = Skeleton(("hips", "leftHand"), np.array([-1, 0]), np.zeros((2, 3)), roles={"hips": 0, "leftHand": 1})
    with pytest.raises(ValueError, match="leftIndexProximal"):
        palm_frame(bare, "left")


@pytest.mark.data
def test_a_fist_is_one_on_real_characters(data_dir):
    seen = 0
    for path in sorted((data_dir / "characters").glob("*.vrm"))[:4]:
        body = kinesphere.load_character(path).skeleton
        if f"left{FOUR[0]}Distal" not in body.roles:
            continue
        seen += 1
        for side in SIDES:
            joints, _ = posed(body, hand_shape("fist"), side)
            frame = palm_frame(body, side)
            for finger in FOUR:
                length = np.linalg.norm(joints[f"{side}{finger}Proximal"] - joints[f"{side}Hand"])
                folded = joints[f"{side}{finger}Distal"] - joints[f"{side}{finger}Proximal"]
                assert folded @ frame.along < 0.25 * length
                assert folded @ frame.out > 0.1 * length
    if not seen:
        pytest.skip("no character with fingers")
