"""Some joints of a motion in the world: what feet need of a body is a quarter of it."""

from __future__ import annotations

from typing import NamedTuple

from kinesphere.maths.kinematics import forward_some, with_ancestors
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoise_by_skeleton
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

PARTS = ("UpperLeg", "LowerLeg", "Foot", "Toes")


class JointSubset(NamedTuple):
    """Which joints."""

    joints: Ints  # (K,)
    above: Ints  # (K,) where in them each one's parent is, or -1
    rows: dict[int, int]  # joint to place


class SubsetPose(NamedTuple):
    """How they are turned, and where."""

    q: Floats  # (T, K, 4)
    p: Floats  # (T, K, 3)
    part: JointSubset

    def turned(self, joint: int) -> Floats:
        """``(T, 4)`` rotations of one joint."""
        return self.q[:, self.part.rows[joint]]

    def places(self, joint: int) -> Floats:
        """``(T, 3)`` places of one joint."""
        return self.p[:, self.part.rows[joint]]


def joint_subset(skeleton: Skeleton, joints: list[int]) -> JointSubset:
    """Some joints, and all that they hang on."""
    chosen, above = with_ancestors(skeleton.parents, joints)
    return JointSubset(chosen, above, {joint: row for row, joint in enumerate(chosen.tolist())})


@memoise_by_skeleton
def leg_subset(skeleton: Skeleton) -> JointSubset:
    """Legs, hips and what hangs on them next, the head, and all between."""
    roles = skeleton.roles
    joints = [roles[side + part] for side in SIDES for part in PARTS if side + part in roles]
    joints += [roles[role] for role in ("hips", "head") if role in roles]
    if "hips" in roles:
        joints += skeleton.children[roles["hips"]]
    return joint_subset(skeleton, joints)


@memoise_by_skeleton
def foot_subset(skeleton: Skeleton) -> JointSubset:
    """Feet and toes, and what they hang on."""
    return joint_subset(skeleton, [skeleton.roles[s + p] for s in SIDES for p in PARTS[2:] if s + p in skeleton.roles])


def subset_pose(motion: Motion, part: JointSubset) -> SubsetPose:
    """A part of a motion's body in the world."""
    q, p = forward_some(motion.rotations, motion.translations, part.joints, part.above)
    return SubsetPose(q, p, part)
