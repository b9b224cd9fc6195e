"""Which joints an edit is for."""

from __future__ import annotations

import pytest

from kinesphere.builtin import motion
from kinesphere.motion.humanoid import GROUPS, select_joints

SKELETON = motion("wave").skeleton


def names(joints):
    return {SKELETON.names[i] for i in select_joints(SKELETON, joints).nonzero()[0]}


def test_groups_are_what_they_say():
    assert names("left_arm") == {"leftShoulder", "leftUpperArm", "leftLowerArm"}
    assert names("arms") == names(["left_arm", "right_arm"])
    assert names("legs") | {"hips"} == names("lower_body")
    assert names("upper_body") | names("lower_body") == names("body") == names(None) == set(SKELETON.names)
    assert "leftIndexDistal" in names("hands")


def test_joints_by_their_names_and_several_at_once():
    assert names("head") >= {"head", "neck"}
    assert names(["leftHand", "spine"]) == {"leftHand", "spine"}


def test_joints_without_a_role_go_with_what_they_hang_on():
    assert "spine2" in names("torso")


@pytest.mark.parametrize("wrong", ["arm", "left_arms", "leftHnd"])
def test_unknown_names_are_refused_with_the_nearest(wrong):
    with pytest.raises(ValueError, match="did you mean"):
        select_joints(SKELETON, wrong)


def test_every_group_has_joints_in_the_figure():
    for name in GROUPS:
        assert select_joints(SKELETON, name).any()
