"""Clavicles raise and advance shoulders as they did, however steep their bones are, and however they rest."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere import Motion, body_of, retarget
from kinesphere.maths import rotations as R
from rigs import SIDES, gesture, in_other_rest, make_rig

SHRUG = np.radians(25.0)
PIVOTS = {
    "level": (0.02, 0.16, 0.0),
    "spine's base": (0.0, -0.20, 0.0),
    "chest's middle": (0.03, 0.02, 0.05),
    "neck": (0.02, 0.32, -0.02),
    "outside": (0.05, 0.16, 0.02),
}
# Degrees about the forward axis of clavicle and upper arm at rest, from a T-pose.
RESTS = {
    "all hangs": (-80.0, -10.0),
    "clavicles hang": (-75.0, 75.0),
    "to the ears": (65.0, -65.0),
    "arms up": (70.0, 20.0),
}


def at_rest(motion: Motion, clavicle: float, arm: float) -> Motion:
    rests = {}
    for side, x in (("left", 1.0), ("right", -1.0)):
        for part, angle in (("Shoulder", clavicle), ("UpperArm", arm)):
            rests[motion.skeleton.roles[f"{side}{part}"]] = R.from_rotation_vector([0.0, 0.0, x * np.radians(angle)])
    return in_other_rest(motion, rests)


def shoulders(motion: Motion) -> np.ndarray:
    """``(T, 2, 3)`` from the upper chest to both shoulders, in the chest's axes, x outward."""
    q, p = motion.world()
    roles = motion.skeleton.roles
    chest = roles["upperChest"]
    found = []
    for side, x in (("left", 1.0), ("right", -1.0)):
        place = R.rotate(R.conjugate(q[:, chest]), p[:, roles[f"{side}UpperArm"]] - p[:, chest])
        found.append(place * [x, 1.0, 1.0])
    return np.stack(found, axis=1)


def moved(motion: Motion) -> np.ndarray:
    """``(T, 2, 2)`` how far shoulders are raised and advanced from the first frame, in half shoulder widths."""
    places = shoulders(motion)
    return (places - places[0])[..., 1:] / places[0, :, :1].mean()


@pytest.mark.parametrize("rest", RESTS.values(), ids=RESTS.keys())
def test_clavicles_that_rest_steeply_are_not_pulled_to_the_ears(rest):
    """All that is seen is the same; only the rest pose differs."""
    plain = gesture(make_rig(), shrug=SHRUG)
    steep = at_rest(plain, *rest)
    assert np.abs(shoulders(steep) - shoulders(plain)).max() < 1e-9
    target = make_rig(size=0.9, pivot=(0.04, 0.15, 0.02))
    expected, onto = retarget(plain, target), retarget(steep, target)
    # A steep rest does not say how much of the mean is posture: half of the shrug, here 5 cm.
    assert np.abs(shoulders(onto) - shoulders(expected)).max() < 0.06
    raised = [np.ptp(shoulders(motion)[:, 0, 1]) for motion in (onto, expected)]
    assert raised[0] == pytest.approx(raised[1], rel=0.15)
    back = retarget(onto, steep)
    assert np.abs(shoulders(back) - shoulders(steep)).max() < 0.001


@pytest.mark.parametrize("rest", RESTS.values(), ids=RESTS.keys())
def test_targets_whose_clavicles_rest_steeply_hold_them_level(rest):
    plain = gesture(make_rig(), shrug=SHRUG)
    steep = at_rest(gesture(make_rig(size=1.1)), *rest).skeleton
    onto = retarget(plain, steep)
    places = shoulders(onto) / 1.1
    assert np.abs(places - shoulders(plain)).max() < 0.04
    assert np.abs(shoulders(retarget(onto, plain.skeleton)) - shoulders(plain)).max() < 0.001


@pytest.mark.parametrize("source", PIVOTS.values(), ids=PIVOTS.keys())
@pytest.mark.parametrize("target", PIVOTS.values(), ids=PIVOTS.keys())
def test_shoulders_move_as_far_wherever_clavicles_begin(source, target):
    """In shoulder widths, up and forward; bones may be steep by construction."""
    motion = gesture(make_rig(pivot=source), shrug=np.radians(9.0))
    joints = [motion.skeleton.roles[f"{side}Shoulder"] for side in SIDES]
    q = np.array(motion.rotations)
    t = np.linspace(0.0, 2.0 * np.pi, len(motion))
    for joint, x in zip(joints, (1.0, -1.0), strict=True):
        forward = R.from_rotation_vector(np.outer(np.radians(8.0) * np.sin(t), [0.0, -x, 0.0]))
        q[:, joint] = R.multiply(forward, q[:, joint])
    motion = Motion(motion.skeleton, motion.rate, q)
    onto = retarget(motion, make_rig(size=1.3, pivot=target))
    asked, done = moved(motion), moved(onto)
    assert np.abs(done - asked).max() < 0.3 * np.abs(asked).max()  # exact for small swings
    assert np.abs(shoulders(retarget(onto, motion.skeleton)) - shoulders(motion)).max() < 0.001


@pytest.mark.parametrize("clavicles", [("left",), ("right",), ()])
def test_a_clavicle_may_be_missing(clavicles):
    motion = gesture(make_rig(), shrug=SHRUG)
    other = make_rig(clavicles=clavicles, size=0.9)
    onto = retarget(motion, other)
    for k, side in enumerate(SIDES):
        rise = np.abs(moved(onto)[:, k, 0]).max()
        assert rise > 0.3 if side in clavicles else rise < 1e-9
    back = retarget(gesture(other, shrug=SHRUG), motion.skeleton)
    assert np.isfinite(back.rotations).all()
    for k, side in enumerate(SIDES):
        assert (np.abs(moved(back)[:, k, 0]).max() > 0.3) == (side in clavicles)


def test_on_its_own_body_a_motion_keeps_its_shoulders():
    motion = gesture(make_rig(pivot=PIVOTS["chest's middle"]), shrug=SHRUG)
    rig = make_rig(pivot=PIVOTS["chest's middle"], arm=1.01)
    assert np.abs(shoulders(retarget(motion, rig)) - shoulders(motion)).max() < 1e-6


@pytest.mark.parametrize("rest", ["all hangs", "clavicles hang"])
def test_the_engine_acts_with_shoulders_where_they_belong(rest):
    from kinesphere.body.anatomy import find_anatomy, shoulder_position

    body = body_of(at_rest(gesture(make_rig()), *RESTS[rest]).skeleton)
    width = shoulder_position(body.anatomy, "left") - shoulder_position(body.anatomy, "right")
    plain = find_anatomy(make_rig()).pose.positions
    roles = make_rig().roles
    expected = plain[roles["leftUpperArm"]] - plain[roles["rightUpperArm"]]
    assert np.abs(width - expected).max() < 0.02
