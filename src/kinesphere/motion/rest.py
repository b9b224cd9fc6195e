"""Changing the rest pose without changing the motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.kernels import kinematics, rotations
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton, Tip


def with_plain_rest(motion: Motion) -> Motion:
    """The same movement on a skeleton whose joints all have the world's axes at rest.

    Formats without rest rotations, such as BVH, need this: written as they are, a rig's local rotations would make
    its rest pose a heap of bones. World positions and the rest pose stay; each joint's own axes turn.
    """
    skeleton = motion.skeleton
    if skeleton.rest_is_plain():
        return motion
    rest, _ = skeleton.rest_world()
    world, _ = motion.world()
    local, _ = kinematics.inverse(
        rotations.multiply(world, rotations.conjugate(rest)),
        np.zeros((*world.shape[:2], 3)),
        skeleton.parents,
    )
    parent_rest = np.where(skeleton.parents[:, None] < 0, rotations.identity(), rest[skeleton.parents])
    tips = tuple(Tip(tip.joint, _triple(rotations.rotate(rest[tip.joint], tip.offset))) for tip in skeleton.tips)
    plain = Skeleton(
        skeleton.names,
        skeleton.parents,
        rotations.rotate(parent_rest, skeleton.offsets),
        roles=skeleton.roles,
        tips=tips,
        soles=skeleton.soles,
    )
    return replace(
        motion,
        skeleton=plain,
        rotations=rotations.continuous(local),
        translations=rotations.rotate(parent_rest, motion.translations),
    )


def _triple(vector: Floats) -> tuple[float, float, float]:
    return (float(vector[0]), float(vector[1]), float(vector[2]))
