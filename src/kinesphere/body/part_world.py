"""Some joints of a motion in the world: what feet need of a body is a quarter of it."""

from __future__ import annotations

from typing import NamedTuple

from kinesphere.body.remembered import remembered
from kinesphere.kernels.arrays import Floats, Ints
from kinesphere.kernels.chains import closed, forward_some
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

PARTS = ("UpperLeg", "LowerLeg", "Foot", "Toes")


class Part(NamedTuple):
    """Which joints."""

    joints: Ints  # (K,)
    above: Ints  # (K,) where in them each one's parent is, or -1
    rows: dict[int, int]  # joint to place


class PartWorld(NamedTuple):
    """How they are turned, and where."""

    q: Floats  # (T, K, 4)
    p: Floats  # (T, K, 3)
    part: Part

    def turned(self, joint: int) -> Floats:
        """``(T, 4)`` rotations of one joint."""
        return self.q[:, self.part.rows[joint]]

    def places(self, joint: int) -> Floats:
        """``(T, 3)`` places of one joint."""
        return self.p[:, self.part.rows[joint]]


def part_of(skeleton: Skeleton, joints: list[int]) -> Part:
    """Some joints, and all that they hang on."""
    chosen, above = closed(skeleton.parents, joints)
    return Part(chosen, above, {joint: row for row, joint in enumerate(chosen.tolist())})


@remembered
def legs_part(skeleton: Skeleton) -> Part:
    """Legs, hips and what hangs on them next, the head, and all between."""
    roles = skeleton.roles
    joints = [roles[side + part] for side in SIDES for part in PARTS if side + part in roles]
    joints += [roles[role] for role in ("hips", "head") if role in roles]
    if "hips" in roles:
        joints += skeleton.children[roles["hips"]]
    return part_of(skeleton, joints)


@remembered
def feet_part(skeleton: Skeleton) -> Part:
    """Feet and toes, and what they hang on."""
    return part_of(skeleton, [skeleton.roles[s + p] for s in SIDES for p in PARTS[2:] if s + p in skeleton.roles])


def world_of(motion: Motion, part: Part) -> PartWorld:
    """A part of a motion's body in the world."""
    q, p = forward_some(motion.rotations, motion.translations, part.joints, part.above)
    return PartWorld(q, p, part)
