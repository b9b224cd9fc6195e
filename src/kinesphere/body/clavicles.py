"""Clavicles: in which orientation they hold the shoulders where shoulders belong.

Rigs begin clavicles at the spine's base, at the chest's middle or at the neck, so that a bone may be steep although the
shoulder is in its place: that is how the rig is built. In other rigs all bones of the arm hang down at rest, or
shoulders are raised to the ears, and every motion brings them back. There the rest pose says nothing about how a
clavicle is held; the frames of a motion do, and without them a clavicle lies level.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, smoothstep, unit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.skeleton import Skeleton

STEEP = np.sin(np.radians(50.0))  # of a bone's rise or fall
NARROW = 0.22  # arm lengths from the middle: nobody's shoulders are nearer
LEVEL = np.radians(3.0)  # how much a clavicle rises where nothing else is known
# Mean swings of a motion from rest, or from level: up to the first they are posture, from the second on it was no rest.
FROM_REST, FROM_LEVEL = (np.radians(25.0), np.radians(40.0)), (np.radians(12.0), np.radians(20.0))
SHORTEST = 0.02  # arm lengths: shorter bones move no shoulder


def has_clavicle(skeleton: Skeleton, side: str) -> bool:
    """Whether a side has a clavicle that can move its shoulder."""
    role, p = f"{side}Shoulder", skeleton.rest_world()[1]
    if role not in skeleton.roles or skeleton.parents[skeleton.roles[role]] < 0:
        return False
    arm, elbow = (p[skeleton.roles[f"{side}{part}"]] for part in ("UpperArm", "LowerArm"))
    return bool(np.linalg.norm(arm - p[skeleton.roles[role]]) > SHORTEST * np.linalg.norm(elbow - arm))


def level_clavicles(skeleton: Skeleton, p: Floats, basis: Floats) -> dict[str, Floats]:
    """World rotations ``(4,)`` from a pose to level, by role, of clavicles that no shoulder is held by like that.

    Those are steep, and so hold the shoulder near the middle. ``p (J, 3)`` are positions in the pose, ``basis (4,)``
    are the body's axes.
    """
    found = {}
    middle = 0.5 * (p[skeleton.roles["leftUpperLeg"]] + p[skeleton.roles["rightUpperLeg"]])
    to_body = rotations.conjugate(basis)
    for side, outward in zip(SIDES, (1.0, -1.0), strict=True):
        if not has_clavicle(skeleton, side):
            continue
        clavicle, arm, elbow, hand = _places(skeleton, p, side)
        length = float(np.linalg.norm(elbow - arm) + np.linalg.norm(hand - elbow))
        bone = unit(arm - clavicle)
        steep = abs(rotations.rotate(to_body, bone)[1]) > STEEP
        if steep and outward * rotations.rotate(to_body, arm - middle)[0] < NARROW * length:
            level = rotations.rotate(basis, [outward * np.cos(LEVEL), np.sin(LEVEL), 0.0])
            found[f"{side}Shoulder"] = rotations.rotation_between(bone, level)
    return found


def held_clavicles(
    skeleton: Skeleton, pose: tuple[Floats, Floats], local: Floats, level: Mapping[str, Floats] | None = None
) -> dict[str, Floats]:
    """World rotations ``(4,)`` from a pose to how a motion holds clavicles in the mean, by role.

    With ``level``, the rotations of ``level_clavicles``, those alone whose mean is far from the pose, or from level.
    ``local (T, J, 4)`` are local rotations of some frames.
    """
    q, p = pose
    found = {}
    for side in SIDES:
        if not has_clavicle(skeleton, side):
            continue
        joint = skeleton.roles[f"{side}Shoulder"]
        parent = int(skeleton.parents[joint])
        rest = rotations.multiply(rotations.conjugate(q[parent]), q[joint])
        start, (least, most) = rotations.identity(), FROM_REST
        if level is not None and f"{side}Shoulder" in level:
            start, (least, most) = level[f"{side}Shoulder"], FROM_LEVEL
        elif level is not None and np.abs(local[:, joint] @ rest).min() > np.cos(0.5 * least):
            continue  # in no frame is it farther from rest
        swung = rotations.multiply(rotations.conjugate(rest), local[:, joint])
        mean = np.mean(np.where(swung @ swung[0] < 0.0, -1.0, 1.0)[:, None] * swung, axis=0)
        if not np.linalg.norm(mean) > 0.5:
            continue
        held = rotations.multiply(
            rotations.multiply(q[joint], rotations.normalise(mean)), rotations.conjugate(q[joint])
        )
        clavicle, arm, *_ = _places(skeleton, p, side)
        bone = unit(arm - clavicle)
        cosine = rotations.rotate(start, bone) @ rotations.rotate(held, bone)
        share = float(smoothstep((np.arccos(np.clip(cosine, -1.0, 1.0)) - least) / (most - least)))
        if level is None or share > 0.0:
            found[f"{side}Shoulder"] = rotations.slerp(start, held, 1.0 if level is None else share)
    return found


def _places(skeleton: Skeleton, p: Floats, side: str) -> tuple[Floats, Floats, Floats, Floats]:
    """Clavicle, shoulder, elbow and wrist ``(3,)``; the clavicle is at the shoulder where there is none."""
    arm, elbow, hand = (p[skeleton.roles[f"{side}{part}"]] for part in ("UpperArm", "LowerArm", "Hand"))
    return p[skeleton.roles.get(f"{side}Shoulder", skeleton.roles[f"{side}UpperArm"])], arm, elbow, hand
