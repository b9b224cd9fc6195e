"""Forward kinematics of some joints only: legs and feet are a quarter of the body, and take a quarter of the time."""

from __future__ import annotations

from typing import NamedTuple

from kinesphere.maths.kinematics import forward_some, with_ancestors
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

PARTS = ("UpperLeg", "LowerLeg", "Foot", "Toes")


class JointSubset(NamedTuple):
    """Some joints of a skeleton with all their ancestors; a joint's place among them is its *row*."""

    joints: Ints  # (K,)
    parents: Ints  # (K,) the row of each one's parent, or -1
    rows: dict[int, int]  # joint to row


class SubsetPose(NamedTuple):
    """World rotations and positions of those joints."""

    q: Floats  # (T, K, 4)
    p: Floats  # (T, K, 3)
    part: JointSubset

    def rotations_of(self, joint: int) -> Floats:
        """``(T, 4)`` world rotations of one joint."""
        return self.q[:, self.part.rows[joint]]

    def positions_of(self, joint: int) -> Floats:
        """``(T, 3)`` world positions of one joint."""
        return self.p[:, self.part.rows[joint]]


def joint_subset(skeleton: Skeleton, joints: list[int]) -> JointSubset:
    """Some joints and all their ancestors."""
    chosen, parents = with_ancestors(skeleton.parents, joints)
    return JointSubset(chosen, parents, {joint: row for row, joint in enumerate(chosen.tolist())})


@memoised
def leg_subset(skeleton: Skeleton) -> JointSubset:
    """Legs, hips and the hips' children, the head, and all joints between."""
    roles = skeleton.roles
    joints = [roles[side + part] for side in SIDES for part in PARTS if side + part in roles]
    joints += [roles[role] for role in ("hips", "head") if role in roles]
    if "hips" in roles:
        joints += skeleton.children[roles["hips"]]
    return joint_subset(skeleton, joints)


@memoised
def foot_subset(skeleton: Skeleton) -> JointSubset:
    """Feet and toes, and their ancestors."""
    return joint_subset(skeleton, [skeleton.roles[s + p] for s in SIDES for p in PARTS[2:] if s + p in skeleton.roles])


def subset_pose(motion: Motion, subset: JointSubset) -> SubsetPose:
    """World poses of a subset of a motion's joints."""
    q, p = forward_some(motion.rotations, motion.translations, subset.joints, subset.parents)
    return SubsetPose(q, p, subset)
