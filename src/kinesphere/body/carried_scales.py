"""Scales of the surface on another body: the same stretch in the same direction, in the other body's axes.

A stretch along a joint's axes is a symmetric matrix; seen from axes turned against these it has other numbers on its
diagonal, and what is off it cannot be said by three scales. Bodies' axes are mostly the same up to their order, where
nothing is lost.
"""

from __future__ import annotations

import numpy as np

from kinesphere.body.calibration import Calibration
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion

# Joints of the trunk that one body has and another has not: who shows their stretch instead.
_INSTEAD = {"upperChest": "chest", "chest": "upperChest"}


def carried_scales(motion: Motion, c: Calibration) -> Floats | None:
    """The motion's scales ``(T, J, 3)`` on the target's joints, role by role; None where there are none."""
    if motion.scales is None:
        return None
    source, target = c.source.skeleton, c.target.skeleton
    scales = np.ones((len(motion), len(target), 3))
    for role, joint in source.roles.items():
        given = motion.scales[:, joint]
        other = role if role in target.roles else _INSTEAD.get(role, "")
        if other not in target.roles or (other != role and other in source.roles) or np.all(given == 1.0):
            continue
        onto = target.roles[other]
        if role in c.turns:
            turn = c.turns[role]
        else:
            turn = rotations.multiply(
                rotations.conjugate(c.source.posture.rotations[joint]), c.target.posture.rotations[onto]
            )
        scales[:, onto] = given @ rotations.to_matrix(turn) ** 2
    if _headless(c):
        for role, instead in (("head", ("chest", "upperChest", "spine")), ("hips", ("spine",))):
            shown = next((target.roles[name] for name in instead if name in target.roles), None)
            if shown is not None and role in target.roles and np.all(scales[:, target.roles[role]] == 1.0):
                scales[:, target.roles[role]] = scales[:, shown]
    return None if np.all(scales == 1.0) else scales


def _headless(c: Calibration) -> bool:
    """Whether the target's head is no higher than its shoulders: then head and trunk are one, and stretch as one."""
    place, roles = c.target.posture.positions, c.target.skeleton.roles
    if "head" not in roles:
        return False
    return bool(place[roles["head"], 1] <= max(place[roles[f"{side}UpperArm"], 1] for side in SIDES))
