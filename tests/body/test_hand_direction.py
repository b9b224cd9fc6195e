"""Hands of other bodies point and face where the source's do, whatever rest pose, joints and tips show them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rigs
from kinesphere import Motion, Tip, figure, load, load_character, retarget, save
from kinesphere.maths import rotations as R
from rigs import (
    SIDES,
    degrees_between,
    forearm_direction,
    gesture,
    in_other_rest,
    make_rig,
    palm_normal,
    shown_direction,
)

FIGURE_OFF = 9.0  # degrees by which the figure's knuckles are off its forearm at rest, which means nothing
BENT_REST = {
    "down": [0.0, 0.0, -90.0],
    "up": [0.0, 0.0, 70.0],
    "down and ahead": [0.0, -25.0, -60.0],
    "down and rolled": [40.0, 0.0, -80.0],
}


def bent_at_rest(motion: Motion, degrees: list[float], joint: str = "Hand") -> Motion:
    """The same motion on a rig that rests with its hands (or other joints) turned, mirrored on the right."""
    vector = np.radians(degrees)
    rests = {}
    for side, mirror in (("left", [1.0, 1.0, 1.0]), ("right", [1.0, -1.0, -1.0])):
        rests[motion.skeleton.roles[f"{side}{joint}"]] = R.from_rotation_vector(vector * mirror)
    return in_other_rest(motion, rests)


def off(a: Motion, b: Motion) -> float:
    """The largest angle between the hands of two motions, in degrees."""
    return max(float(degrees_between(shown_direction(a, side), shown_direction(b, side)).max()) for side in SIDES)


def palms_off(a: Motion, b: Motion) -> float:
    return max(float(degrees_between(palm_normal(a, side), palm_normal(b, side)).max()) for side in SIDES)


@pytest.mark.parametrize("bent", BENT_REST.values(), ids=BENT_REST.keys())
@pytest.mark.parametrize("hand", ["fingers", "tip", "end"])
@pytest.mark.parametrize("arms", [0.0, -45.0], ids=["T-pose", "A-pose"])
def test_hands_that_rest_bent_point_where_they_did(hand, bent, arms):
    """Retargeting sees the same hands, so it gives the same result as from a rig that rests with straight hands."""
    straight = gesture(make_rig(hand, size=1.1, arm=0.9))
    bent_rig = bent_at_rest(bent_at_rest(straight, bent), [0.0, 0.0, arms], "UpperArm")
    assert off(straight, bent_rig) < 1e-4
    onto = retarget(bent_rig, figure())
    assert off(bent_rig, onto) < FIGURE_OFF
    assert off(retarget(onto, bent_rig), bent_rig) < 0.1
    if hand != "tip" or bent[1] == 0.0:
        assert off(retarget(onto, bent_rig.skeleton), bent_rig) < 0.1  # the rest pose alone shows it as well


@pytest.mark.parametrize("bent", BENT_REST.values(), ids=BENT_REST.keys())
def test_targets_that_rest_bent_get_straight_hands(bent):
    source = gesture(make_rig("fingers"))
    target = bent_at_rest(gesture(make_rig("fingers", size=0.8, arm=1.2)), bent).skeleton
    onto = retarget(source, target)
    assert off(source, onto) < 0.1
    assert palms_off(source, onto) < 0.1


@pytest.mark.parametrize("roll", [-90.0, 60.0, 90.0, 150.0])
def test_palms_face_where_they_did(roll):
    """T-poses with palms forward, back or up: knuckles show it."""
    source = bent_at_rest(gesture(make_rig("fingers")), [roll, 0.0, 0.0])
    target = make_rig("fingers", size=1.2, arm=0.8)
    onto = retarget(source, target)
    assert palms_off(source, onto) < 0.5
    assert palms_off(retarget(onto, source.skeleton), source) < 0.5
    assert palms_off(retarget(gesture(target), source.skeleton), gesture(target)) < 0.5


@pytest.mark.parametrize("hand", ["base", "thumb"])
def test_a_thumb_shows_the_palm_where_no_knuckles_do(hand):
    rolled = bent_at_rest(gesture(make_rig(hand)), [90.0, 0.0, 0.0])
    plain = gesture(make_rig(hand))
    target = make_rig("fingers")
    assert palms_off(retarget(rolled, target), retarget(plain, target)) < 1.0


@pytest.mark.parametrize("base", [0.0, 0.004, 0.02, 0.03])
@pytest.mark.parametrize("names", [None, rigs.CMU_NAMES, rigs.POSER_NAMES], ids=["roles", "CMU", "Poser"])
def test_flexion_in_the_finger_base_is_the_hands(base, names):
    """The joint with the role twists, one below it flexes: the hand points where fingers are, there and back."""
    source = gesture(make_rig("base", base=base, names=names), flexed_in="FingerBase")
    flexion = degrees_between(shown_direction(source, "left"), forearm_direction(source, "left"))
    assert flexion.max() > 50.0
    onto = retarget(source, figure())
    assert off(source, onto) < FIGURE_OFF
    shown = degrees_between(shown_direction(onto, "left"), forearm_direction(onto, "left"))
    assert shown.max() > flexion.max() - FIGURE_OFF
    back = retarget(onto, source.skeleton)
    assert off(source, back) < 0.1
    for side in SIDES:
        hand = source.skeleton.roles[f"{side}Hand"]
        swing, _ = R.swing_twist(back.rotations[:, hand], [1.0, 0.0, 0.0])
        assert np.degrees(R.angle(swing)).max() < 0.1  # flexion is back in the finger base
        tips = [thumb_tip(motion, side) for motion in (source, back)]
        assert np.linalg.norm(tips[0] - tips[1], axis=-1).max() < 0.03


def thumb_tip(motion: Motion, side: str) -> np.ndarray:
    q, p = motion.world()
    joint = motion.skeleton.roles[f"{side}ThumbMetacarpal"]
    tip = next(tip for tip in motion.skeleton.tips if tip.joint == joint)
    return p[:, joint] + R.rotate(q[:, joint], tip.offset) - p[:, motion.skeleton.roles[f"{side}Hand"]]


def test_thumbs_go_with_hands_that_bend_below_the_wrist():
    source = gesture(make_rig("base"), flexed_in="FingerBase")
    target = make_rig("fingers")
    onto, plain = retarget(source, target), retarget(gesture(make_rig("fingers")), target)
    for side in SIDES:
        apart = np.linalg.norm(thumb_tip(onto, side) - thumb_tip(plain, side), axis=-1)
        assert apart.max() < 0.01


def test_a_target_with_a_finger_base_bends_there():
    source = gesture(make_rig("fingers"))
    onto = retarget(source, make_rig("base", base=0.02))
    assert off(source, onto) < 0.1
    assert np.isfinite(onto.rotations).all()


BAD_TIPS = {
    "none": None,
    "zero": (0.0, 0.0, 0.0),
    "a millimetre": (0.0, -0.001, 0.0),
    "along the thumb": (0.02, 0.0, 0.09),
    "backward": (-0.1, 0.01, 0.0),
    "metres long": (0.0, -3.0, 0.0),
}


@pytest.mark.parametrize("tip", BAD_TIPS.values(), ids=BAD_TIPS.keys())
def test_bad_tips_bend_no_hands(tip):
    rig = make_rig("none")
    if tip is not None:
        hands = [(rig.roles[f"{side}Hand"], x) for side, x in (("left", 1.0), ("right", -1.0))]
        rig = replace(rig, tips=(*rig.tips, *(Tip(hand, (x * tip[0], tip[1], tip[2])) for hand, x in hands)))
    still = Motion(rig, 30.0, R.identity(40, len(rig)))
    for source, target in ((still, make_rig("fingers")), (gesture(rig), make_rig("fingers"))):
        plain = Motion(make_rig("none"), 30.0, source.rotations)
        assert off(retarget(source, target), retarget(plain, target)) < 0.1
    onto = retarget(gesture(make_rig("none")), rig)
    assert np.abs(onto.rotations - retarget(gesture(make_rig("none")), make_rig("none")).rotations).max() < 1e-6


@pytest.mark.parametrize("hand", ["fingers", "tip", "end", "base"])
@pytest.mark.parametrize("droop", [-10.0, -5.0, 8.0])
def test_hands_that_droop_a_little_at_rest_are_straight(hand, droop):
    """Knuckles a few degrees off the forearm's line are how a rig is built, not how a hand is held."""
    straight = gesture(make_rig(hand))
    rig = bent_at_rest(straight, [0.0, 0.0, droop]).skeleton
    onto = retarget(Motion(rig, 30.0, R.identity(40, len(rig))), make_rig("tip"))
    for side, x in (("left", 1.0), ("right", -1.0)):
        assert degrees_between(shown_direction(onto, side), np.array([x, 0.0, 0.0])).max() < 0.1


def test_a_motion_shows_which_tips_are_no_hands():
    """A tip that stays across the forearm in all frames is not the hand's: nobody holds hands like that."""
    rig = make_rig("none")
    hands = [rig.roles[f"{side}Hand"] for side in SIDES]
    rig = replace(rig, tips=(*rig.tips, *(Tip(hand, (0.0, -0.1, 0.0)) for hand in hands)))
    source = gesture(rig)
    target = make_rig("fingers")
    onto, plain = retarget(source, target), retarget(gesture(make_rig("none")), target)
    assert off(onto, plain) < 0.1
    assert off(retarget(onto, source), source) < 0.1


@pytest.mark.parametrize("hand", ["fingers", "tip", "end", "none"])
def test_rest_poses_of_no_body_are_read_from_the_motion(hand, rng):
    """Every limb joint rests anyhow, as in rigs whose bones all lie along one axis."""
    straight = gesture(make_rig(hand))
    rests = {}
    for part in ("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg"):
        vector = rng.normal(scale=1.5, size=3)
        for side, mirror in (("left", [1.0, 1.0, 1.0]), ("right", [1.0, -1.0, -1.0])):
            rests[straight.skeleton.roles[f"{side}{part}"]] = R.from_rotation_vector(vector * mirror)
    anyhow = in_other_rest(straight, rests)
    onto = retarget(anyhow, make_rig("fingers", size=0.9))
    if hand != "none":
        assert off(onto, anyhow) < 0.1
    else:  # the mean hand is straight; here it is bent by 15°, and then by no more than that is anything off
        assert off(onto, retarget(straight, make_rig("fingers", size=0.9))) < 20.0
    assert off(retarget(onto, anyhow), anyhow) < 0.1


@pytest.mark.parametrize("order", ["ZXY", "XYZ", "YZX"])
def test_bent_rests_come_through_files(tmp_path, order):
    source = bent_at_rest(gesture(make_rig("tip", names=rigs.CMU_NAMES)), BENT_REST["down"])
    save(source, tmp_path / "bent.bvh", order=order)
    read = load(tmp_path / "bent.bvh")
    assert off(read, source) < 0.1
    assert off(retarget(read, figure()), read) < FIGURE_OFF


def test_on_its_own_body_a_motion_keeps_its_hands():
    for source in (
        bent_at_rest(gesture(make_rig("fingers")), BENT_REST["down"]),
        gesture(make_rig("base", base=0.02), flexed_in="FingerBase"),
    ):
        again = retarget(source, make_rig_like(source))
        assert off(source, again) < 0.01


def make_rig_like(motion: Motion):
    """The same body, but for a millimetre, so that every step is done."""
    skeleton = motion.skeleton
    offsets = np.array(skeleton.offsets)
    offsets[skeleton.roles["head"], 1] += 0.001
    return replace(skeleton, offsets=offsets)


@pytest.mark.data
@pytest.mark.parametrize("clip", ["79_20", "141_26", "137_21", "13_26"])
def test_captured_flexion_is_kept(data_dir, clip):
    """CMU flexes hands in the finger base, here by 50 to 80°; it was lost, and hands were 35° off."""
    motion = load(data_dir / f"bvh/cmu/{clip}.bvh")
    character = load_character(data_dir / "characters/mesh2motion_human_male.glb")
    performed = motion.performed_frames
    for body in (figure(), character):
        onto = retarget(motion, body)
        back = retarget(onto, motion.skeleton)
        for side in SIDES:
            shown = shown_direction(motion, side)[performed]
            assert np.percentile(degrees_between(shown, shown_direction(onto, side)[performed]), 95) < FIGURE_OFF
            assert np.percentile(degrees_between(shown, shown_direction(back, side)[performed]), 95) < 1.0


def test_the_result_says_what_was_found():
    bent = bent_at_rest(gesture(make_rig("tip")), BENT_REST["down"])
    said = retarget(bent, make_rig("base")).source.evidence
    assert "the source's left hand is bent or rolled by 90° from the forearm at rest" in said
    assert "the target's right hand bends in rightFingerBase" in said
