"""Joint limits by role: how far a motion exceeds the human range, and clamping it to that range.

**What is measured.** Every role is compared with the role above it (upper arms with the top of the trunk), as a
rotation from the rest pose. The direction to which this rotation takes the joint's bone is read as *flexion* and
*side*: clinical angles about axes from the body's up, left and forward at rest, so rest poses and joint axes may be
any. *Twist* is the rotation about the bone, 0 in the rest pose. A shoulder has a cone instead: its flexion and
abduction meet in the hanging arm, where neither angle means anything by itself. A rest pose that exceeds a limit
widens it. Of a motion whose rest pose no body stands in, the rest pose is found in its frames (``standing_rest``).

**Ranges** are normal ranges of motion of adults: American Academy of Orthopaedic Surgeons (1965), *Joint Motion:
Method of Measuring and Recording*, as commonly tabled; where a limit is wider, the reason is beside the number.
Captures exceed them: people are more supple than tables, and solvers bend what they must.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from kinesphere.body.ground import require_joint
from kinesphere.body.require_roles import require_motion_roles
from kinesphere.body.standing_rest import with_standing_rest
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, norms, reject
from kinesphere.motion.humanoid import PARENT_ROLE, SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

TINY = 1e-9  # radians
NEEDED = ("hips", "head", "leftUpperLeg", "rightUpperLeg")  # they show up, left and forward


@dataclass(frozen=True)
class Limit:
    """Ranges in radians, least and greatest."""

    flexion: tuple[float, float]
    side: tuple[float, float]  # abduction, or what else goes sideways
    twist: tuple[float, float]
    cone: float | None = None  # half angle about the neutral direction, in place of flexion and side


def _degrees(*ranges: tuple[float, float], cone: float | None = None) -> Limit:
    flexion, side, twist = ((float(np.radians(a)), float(np.radians(b))) for a, b in ranges)
    return Limit(flexion, side, twist, None if cone is None else float(np.radians(cone)))


# Flexion, side, twist in degrees. Those of the whole trunk and neck are divided evenly among the joints they have.
TRUNK = _degrees((-30, 80), (-35, 35), (-45, 45))  # thoracolumbar
NECK = _degrees((-75, 60), (-45, 45), (-80, 80))  # AAOS has 45, 45, 45 and 60; the young and supple go beyond
LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        # sternoclavicular: elevation 45, depression 10, pro- and retraction 30, axial rotation 50 (textbook values)
        "Shoulder": _degrees((-30, 30), (-15, 45), (-50, 50)),
        # flexion and abduction 180, extension 60, across 135, behind 45: within 115 of 30 forward of sideways;
        # rotation 70 inward and 90 outward, widened because twist depends on the path taken (Codman's paradox)
        "UpperArm": _degrees((0, 0), (0, 0), (-110, 110), cone=115),
        # extension 10, flexion 150; carrying angle to 15, and a straight arm does not show its hinge, which CMU's
        # skeletons have 30 from where forward puts it; pro- and supination 80 each, from either end
        "LowerArm": _degrees((-10, 150), (-35, 35), (-160, 160)),
        # extension 70, flexion 80; ulnar 30, radial 20; rigs that twist the forearm at the wrist
        "Hand": _degrees((-70, 80), (-30, 20), (-90, 90)),
        # extension 30, flexion 120; adduction 30, abduction 45; rotation 45 in both senses
        "UpperLeg": _degrees((-30, 120), (-30, 45), (-45, 45)),
        # extension 10, flexion 135, to 150 with the heel pressed home; the bent shin rotates by 40 and 30
        "LowerLeg": _degrees((-10, 150), (-10, 10), (-40, 40)),
        # plantar flexion 50, dorsiflexion 20, under body weight, as in lunge tests, to about 40;
        # inversion 35, eversion 15, both allowed the larger
        "Foot": _degrees((-50, 40), (-30, 30), (-35, 35)),
        # great toe: flexion 45, extension 70
        "Toes": _degrees((-45, 70), (-15, 15), (-15, 15)),
    }
)


@dataclass(frozen=True, eq=False)
class LimitedJoint:
    """One limited joint: its reference joint, and the directions along which its angles are measured."""

    role: str
    path: tuple[int, ...]  # joints below the reference, down to this one
    before: Floats  # (4,) rest rotation of the reference in the world
    after: Floats  # (4,) rest rotation of the joint in the world
    bone: Floats  # (3,) unit direction at rest, in the world
    neutral: Floats  # (3,) direction of the bone at flexion 0: the axis of a cone
    forward: Floats  # (3,) direction to which flexion rotates the bone
    side: Floats  # (3,) direction to which a positive side angle rotates it
    limit: Limit


def limit_excess(motion: Motion) -> dict[str, Floats]:
    """For every limited role ``(T,)`` radians past its limits: the larger of the bone's and the twist's; 0 within."""
    motion = with_standing_rest(require_motion_roles(motion, NEEDED, "limiting joints"))
    return excess_from_rest(motion.skeleton, motion.rotations)


def excess_from_rest(skeleton: Skeleton, local: Floats) -> dict[str, Floats]:
    """The same of local rotations ``(T, J, 4)``, from the rest pose of a skeleton as it is."""
    return {joint.role: _clamp(joint, _relative_rotation(joint, local))[1] for joint in find_limited_joints(skeleton)}


def clamp_to_limits(motion: Motion) -> Motion:
    """The motion with every limited joint within its limits.

    Frames and joints that are within them, and calibration frames, stay exactly as they are.
    """
    local = motion.rotations.copy()
    standing = with_standing_rest(require_motion_roles(motion, NEEDED, "limiting joints"))
    for joint in find_limited_joints(standing.skeleton):
        given = _relative_rotation(joint, local)
        clamped, excess = _clamp(joint, given)
        excess[list(motion.calibration_frames)] = 0.0
        frames, own = np.flatnonzero(excess > 0.0), joint.path[-1]
        correction = rotations.multiply(rotations.conjugate(given[frames]), clamped[frames])
        correction = rotations.multiply(rotations.multiply(rotations.conjugate(joint.after), correction), joint.after)
        old = local[frames, own]
        new = rotations.multiply(old, correction)
        flip = np.sum(new * old, axis=-1, keepdims=True) < 0.0
        local[frames, own] = np.where(flip, -new, new)
    return replace(motion, rotations=local)


def _relative_rotation(joint: LimitedJoint, local: Floats) -> Floats:
    """``(T, 4)`` rotation from rest relative to the reference, in the rest pose's world axes."""
    rotation = np.broadcast_to(joint.before, (len(local), 4))
    for step in joint.path:
        rotation = rotations.multiply(rotation, local[:, step])
    return rotations.multiply(rotation, rotations.conjugate(joint.after))


def _clamp(joint: LimitedJoint, rotation: Floats) -> tuple[Floats, Floats]:
    """The nearest rotations ``(T, 4)`` within the limits, and by how much ``(T,)`` the given ones exceed them."""
    bone = rotations.rotate(rotation, joint.bone)
    allowed = _clamp_direction(joint, bone)
    swing_excess = np.arctan2(norms(np.cross(bone, allowed)), np.sum(bone * allowed, axis=-1))
    twist = rotations.swing_twist(rotation, joint.bone)[1]
    angle = 2.0 * np.arctan2(np.sum(twist[:, 1:] * joint.bone, axis=-1), twist[:, 0])
    angle = (angle + np.pi) % (2.0 * np.pi) - np.pi
    allowed_angle = np.clip(angle, *joint.limit.twist)
    excess = np.maximum(swing_excess, np.abs(angle - allowed_angle))
    excess = np.where(excess > TINY, excess, 0.0)
    allowed_twist = rotations.from_rotation_vector(allowed_angle[:, None] * joint.bone)
    return rotations.multiply(rotations.rotation_between(joint.bone, allowed), allowed_twist), excess


def _clamp_direction(joint: LimitedJoint, bone: Floats) -> Floats:
    """``(T, 3)`` the directions within the limits nearest to the bone's."""
    limit = joint.limit
    if limit.cone is not None:
        swing = rotations.to_rotation_vector(rotations.rotation_between(joint.neutral, bone))
        swing = swing * np.minimum(1.0, limit.cone / np.maximum(norms(swing), 1e-12))[..., None]
        return rotations.rotate(rotations.from_rotation_vector(swing), joint.neutral)
    flexion, side = _clinical_angles(joint, bone)
    flexion, side = np.clip(flexion, *limit.flexion)[..., None], np.clip(side, *limit.side)[..., None]
    flexed = np.cos(flexion) * joint.neutral + np.sin(flexion) * joint.forward
    allowed: Floats = np.cos(side) * flexed + np.sin(side) * joint.side
    return allowed


def _clinical_angles(joint: LimitedJoint, bone: Floats) -> tuple[Floats, Floats]:
    """Flexion and side angle of a bone's direction ``(..., 3)``."""
    neutral, forward, side = (np.sum(bone * axis, axis=-1) for axis in (joint.neutral, joint.forward, joint.side))
    # Flexion wraps opposite to the middle of its range, not at π: a heel drawn past the thigh is not hyperextended.
    middle = 0.5 * sum(joint.limit.flexion)
    flexion = np.arctan2(forward, neutral)
    flexion = middle + (flexion - middle + np.pi) % (2.0 * np.pi) - np.pi
    return flexion, np.arcsin(np.clip(side, -1.0, 1.0))


def find_limited_joints(skeleton: Skeleton) -> list[LimitedJoint]:
    """All limited joints of a skeleton, parents before children."""
    joints = []
    trunk = [role for role in ("spine", "chest", "upperChest") if role in skeleton.roles]
    neck = [role for role in ("neck", "head") if role in skeleton.roles]
    for roles, whole in ((trunk, TRUNK), (neck, NECK)):
        joints += [_find_limited_joint(skeleton, role, _divide(whole, len(roles))) for role in roles]
    for part, limit in LIMITS.items():
        joints += [_find_limited_joint(skeleton, side + part, limit) for side in SIDES if side + part in skeleton.roles]
    return [joint for joint in joints if joint.path]


def _find_limited_joint(skeleton: Skeleton, role: str, limit: Limit) -> LimitedJoint:
    above = PARENT_ROLE[role]
    if role.endswith("UpperArm"):
        above = "upperChest"
    while above not in skeleton.roles and above:
        above = PARENT_ROLE[above]
    reference, own = require_joint(skeleton, above), skeleton.roles[role]
    path: list[int] = []
    step = own
    while step not in (reference, -1):
        path.insert(0, step)
        step = int(skeleton.parents[step])
    rest = skeleton.rest_world()[0]
    bone, neutral, forward, side = _directions(skeleton, role, reference)
    joint = LimitedJoint(
        role, tuple(path) if step >= 0 else (), rest[reference], rest[own], bone, neutral, forward, side, limit
    )
    return replace(joint, limit=_widen_to_rest(joint))


def _widen_to_rest(joint: LimitedJoint) -> Limit:
    """The limit, widened until it includes the rest pose."""
    limit = joint.limit
    flexion, side = (float(angle) for angle in _clinical_angles(joint, joint.bone))
    cone = limit.cone
    if cone is not None:
        cone = max(cone, float(np.arccos(np.clip(joint.bone @ joint.neutral, -1.0, 1.0))) + TINY)
    return replace(limit, flexion=_include(limit.flexion, flexion), side=_include(limit.side, side), cone=cone)


def _include(ends: tuple[float, float], value: float) -> tuple[float, float]:
    return (min(ends[0], value - TINY), max(ends[1], value + TINY))


def _divide(limit: Limit, count: int) -> Limit:
    parts = (tuple(end / count for end in ends) for ends in (limit.flexion, limit.side, limit.twist))
    flexion, side, twist = ((least, greatest) for least, greatest in parts)
    return Limit(flexion, side, twist)


_ARM_CHILDREN = {"Shoulder": "UpperArm", "UpperArm": "LowerArm", "LowerArm": "Hand", "Hand": "MiddleProximal"}
_LEG_CHILDREN = {"UpperLeg": "LowerLeg", "LowerLeg": "Foot", "Foot": "Toes"}
_CHILD_PART = _ARM_CHILDREN | _LEG_CHILDREN


def _directions(skeleton: Skeleton, role: str, reference: int) -> tuple[Floats, Floats, Floats, Floats]:
    """The bone, its direction at flexion 0, and those of flexion and side, in the rest pose's world."""
    up, left, ahead = body_axes(skeleton)
    if not role.startswith(SIDES):
        return up, up, ahead, left
    side, part = ("left", role[4:]) if role.startswith("left") else ("right", role[5:])
    outward = left if side == "left" else -left
    p, own, child = skeleton.rest_world()[1], skeleton.roles[role], skeleton.roles.get(side + _CHILD_PART.get(part, ""))
    incoming = _unit_or(p[own] - p[reference], outward)
    bone = incoming if child is None else _unit_or(p[child] - p[own], incoming)
    if part == "UpperLeg":
        return bone, -up, ahead, outward
    if part == "UpperArm":
        neutral = np.cos(np.radians(30.0)) * outward + np.sin(np.radians(30.0)) * ahead
        return bone, neutral, up, np.cross(neutral, up)
    if part in ("Foot", "Toes"):  # the sole's direction, whatever the instep's
        flat = _unit_or(reject(bone, up), ahead)
        return flat, flat, up, _unit_or(reject(outward, flat), outward) if part == "Toes" else np.cross(up, flat)
    if part == "Shoulder":
        forward = _unit_or(reject(ahead, bone), _unit_or(reject(up, bone), outward))
        return bone, bone, forward, _unit_or(reject(reject(up, bone), forward), np.cross(forward, bone))
    palm = np.cross(incoming, ahead) * (1.0 if side == "left" else -1.0)
    flexing = {"LowerArm": ahead, "LowerLeg": -ahead, "Hand": palm}[part]
    forward = _unit_or(reject(flexing, incoming), _unit_or(reject(up, incoming), outward))
    if part == "Hand":
        return bone, incoming, forward, _unit_or(reject(reject(ahead, incoming), forward), ahead)
    return bone, incoming, forward, np.cross(incoming, forward)


def body_axes(skeleton: Skeleton) -> tuple[Floats, Floats, Floats]:
    """The body's up, left and forward in the rest pose's world: up is Y unless the trunk is not upright."""
    p, vertical = skeleton.rest_world()[1], np.array([0.0, 1.0, 0.0])
    hips, head, left, right = (p[require_joint(skeleton, role)] for role in NEEDED)
    trunk = _unit_or(head - hips, vertical)
    up = vertical if trunk[1] > 0.7 else trunk
    leftward = _unit_or(reject(left - right, up), np.array([1.0, 0.0, 0.0]))
    return up, leftward, np.cross(leftward, up)


def _unit_or(vector: Floats, otherwise: Floats) -> Floats:
    """The unit vector ``(3,)``, or another direction in place of a vector of no length."""
    length = float(np.linalg.norm(vector))
    return np.asarray(vector / length) if length > 1e-9 else otherwise
