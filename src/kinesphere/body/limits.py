"""Joint limits by role: how far past them a motion goes, and the motion held within.

**What is measured.** Every role is compared with the role above it (upper arms with the top of the trunk), as a turn
from the rest pose. Where that takes the joint's bone is read as *flexion* and *side*, clinical angles about axes
from the body's up, left and forward at rest, so rest poses and joint axes may be any; *twist* is the turn about
the bone, the rest pose's being 0. A shoulder's bone has a cone instead: its flexion and abduction
meet in the hanging arm, where neither angle means anything by itself. A rest pose that is past a limit extends it.

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
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.humanoid import PARENT_ROLE, SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

TINY = 1e-9  # radians
NEEDED = ("hips", "head", "leftUpperLeg", "rightUpperLeg")  # these tell up, left and forward


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


# Flexion, side, twist in degrees. Of the whole trunk and the whole neck: shared evenly among the joints they have.
TRUNK = _degrees((-30, 80), (-35, 35), (-45, 45))  # thoracolumbar
NECK = _degrees((-75, 60), (-45, 45), (-80, 80))  # AAOS has 45, 45, 45 and 60; the young and supple go beyond
LIMITS: Mapping[str, Limit] = MappingProxyType(
    {
        # sternoclavicular: elevation 45, depression 10, pro- and retraction 30, axial rotation 50 (textbook values)
        "Shoulder": _degrees((-30, 30), (-15, 45), (-50, 50)),
        # flexion and abduction 180, extension 60, across 135, behind 45: within 115 of 30 forward of sideways;
        # rotation 70 inward and 90 outward, widened by what depends on the way taken (Codman's paradox)
        "UpperArm": _degrees((0, 0), (0, 0), (-110, 110), cone=115),
        # extension 10, flexion 150; carrying angle to 15, and a straight arm does not show its hinge, which CMU's
        # skeletons have 30 from where forward puts it; pro- and supination 80 each, from either end
        "LowerArm": _degrees((-10, 150), (-35, 35), (-160, 160)),
        # extension 70, flexion 80; ulnar 30, radial 20; rigs that turn the forearm at the wrist
        "Hand": _degrees((-70, 80), (-30, 20), (-90, 90)),
        # extension 30, flexion 120; adduction 30, abduction 45; rotation 45 each way
        "UpperLeg": _degrees((-30, 120), (-30, 45), (-45, 45)),
        # extension 10, flexion 135, to 150 with the heel pressed home; the bent shin turns by 40 and 30
        "LowerLeg": _degrees((-10, 150), (-10, 10), (-40, 40)),
        # plantar flexion 50, dorsiflexion 20, under body weight, as in lunge tests, to about 40;
        # inversion 35, eversion 15, both ways allowed the larger
        "Foot": _degrees((-50, 40), (-30, 30), (-35, 35)),
        # great toe: flexion 45, extension 70
        "Toes": _degrees((-45, 70), (-15, 15), (-15, 15)),
    }
)


@dataclass(frozen=True, eq=False)
class LimitedJoint:
    """One limited joint: what it is measured against and along."""

    role: str
    path: tuple[int, ...]  # joints below the reference, down to this one
    before: Floats  # (4,) rest rotation of the reference in the world
    after: Floats  # (4,) and of the joint
    bone: Floats  # (3,) at rest, in the world
    neutral: Floats  # (3,) the bone's direction at no flexion, where a cone has its axis
    forward: Floats  # (3,) where flexion takes it
    side: Floats  # (3,)
    limit: Limit


def limit_excess(motion: Motion) -> dict[str, Floats]:
    """For every limited role ``(T,)`` radians past its limits: the larger of the bone's and the twist's; 0 within."""
    motion = require_motion_roles(motion, NEEDED, "limiting joints")
    return {hinge.role: _held(hinge, _turn(hinge, motion.rotations))[1] for hinge in limited_joints(motion.skeleton)}


def clamp_to_limits(motion: Motion) -> Motion:
    """The motion with every limited joint within its limits; frames and joints that are stay exactly as they are.

    Calibration frames are left alone.
    """
    local = motion.rotations.copy()
    for hinge in limited_joints(require_motion_roles(motion, NEEDED, "limiting joints").skeleton):
        turn = _turn(hinge, local)
        held, past = _held(hinge, turn)
        past[list(motion.calibration_frames)] = 0.0
        frames = np.flatnonzero(past > 0.0)
        back = rotations.multiply(rotations.conjugate(turn[frames]), held[frames])
        own = rotations.multiply(rotations.multiply(rotations.conjugate(hinge.after), back), hinge.after)
        old = local[frames, hinge.path[-1]]
        new = rotations.multiply(old, own)
        flip = np.sum(new * old, axis=-1, keepdims=True) < 0.0
        local[frames, hinge.path[-1]] = np.where(flip, -new, new)
    return replace(motion, rotations=local)


def _turn(hinge: LimitedJoint, local: Floats) -> Floats:
    """``(T, 4)`` the joint's turn from rest as its reference sees it, in the rest pose's world."""
    turn = np.broadcast_to(hinge.before, (len(local), 4))
    for step in hinge.path:
        turn = rotations.multiply(turn, local[:, step])
    return rotations.multiply(turn, rotations.conjugate(hinge.after))


def _held(hinge: LimitedJoint, turn: Floats) -> tuple[Floats, Floats]:
    """The nearest turns within the limits, and how far past the given ones are."""
    limit = hinge.limit
    bone = rotations.rotate(turn, hinge.bone)
    allowed = _allowed(hinge, bone)
    outside = np.arctan2(np.linalg.norm(np.cross(bone, allowed), axis=-1), np.sum(bone * allowed, axis=-1))
    twist = rotations.swing_twist(turn, hinge.bone)[1]
    angle = 2.0 * np.arctan2(np.sum(twist[:, 1:] * hinge.bone, axis=-1), twist[:, 0])
    angle = (angle + np.pi) % (2.0 * np.pi) - np.pi
    kept = np.clip(angle, *limit.twist)
    past = np.maximum(outside, np.abs(angle - kept))
    past = np.where(past > TINY, past, 0.0)
    about = rotations.from_rotation_vector(kept[:, None] * hinge.bone)
    return rotations.multiply(rotations.rotation_between(hinge.bone, allowed), about), past


def _allowed(hinge: LimitedJoint, bone: Floats) -> Floats:
    """``(T, 3)`` the directions within the limits nearest to the bone's."""
    limit = hinge.limit
    if limit.cone is not None:
        swing = rotations.to_rotation_vector(rotations.rotation_between(hinge.neutral, bone))
        angle = np.linalg.norm(swing, axis=-1, keepdims=True)
        swing = swing * np.minimum(1.0, limit.cone / np.maximum(angle, 1e-12))
        return rotations.rotate(rotations.from_rotation_vector(swing), hinge.neutral)
    flexion, side = _angles(hinge, bone)
    flexion, side = np.clip(flexion, *limit.flexion)[..., None], np.clip(side, *limit.side)[..., None]
    ahead = np.cos(flexion) * hinge.neutral + np.sin(flexion) * hinge.forward
    allowed: Floats = np.cos(side) * ahead + np.sin(side) * hinge.side
    return allowed


def _angles(hinge: LimitedJoint, bone: Floats) -> tuple[Floats, Floats]:
    along = [np.sum(bone * axis, axis=-1) for axis in (hinge.neutral, hinge.forward, hinge.side)]
    # Flexion is cut where nothing bends to, not at half a turn: a heel drawn past the thigh is not hyperextended.
    middle = 0.5 * sum(hinge.limit.flexion)
    flexion = np.arctan2(along[1], along[0])
    flexion = middle + (flexion - middle + np.pi) % (2.0 * np.pi) - np.pi
    return flexion, np.arcsin(np.clip(along[2], -1.0, 1.0))


def limited_joints(skeleton: Skeleton) -> list[LimitedJoint]:
    """All limited joints, those above first."""
    hinges = []
    trunk = [role for role in ("spine", "chest", "upperChest") if role in skeleton.roles]
    neck = [role for role in ("neck", "head") if role in skeleton.roles]
    for roles, whole in ((trunk, TRUNK), (neck, NECK)):
        for role in roles:
            hinges.append(_hinge(skeleton, role, _shared(whole, len(roles))))
    for part, limit in LIMITS.items():
        hinges += [_hinge(skeleton, side + part, limit) for side in SIDES if side + part in skeleton.roles]
    return [hinge for hinge in hinges if hinge.path]


def _hinge(skeleton: Skeleton, role: str, limit: Limit) -> LimitedJoint:
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
    turned, place = skeleton.rest_world()
    bone, neutral, forward, side = _directions(skeleton, role, reference, place)
    hinge = LimitedJoint(
        role, tuple(path) if step >= 0 else (), turned[reference], turned[own], bone, neutral, forward, side, limit
    )
    flexion, aside = (float(angle) for angle in _angles(hinge, bone))
    cone = limit.cone
    if cone is not None:
        cone = max(cone, float(np.arccos(np.clip(np.dot(bone, neutral), -1.0, 1.0))) + TINY)
    wider = replace(limit, flexion=_including(limit.flexion, flexion), side=_including(limit.side, aside), cone=cone)
    return replace(hinge, limit=wider)


def _directions(skeleton: Skeleton, role: str, reference: int, place: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The bone, where it is at no flexion, where flexion takes it, and its side, in the rest pose's world."""
    up, left, ahead = body_axes(skeleton)
    if not role.startswith(SIDES):
        return up, up, ahead, left
    name, part = ("left", role[4:]) if role.startswith("left") else ("right", role[5:])
    outward = left if name == "left" else -left
    own = skeleton.roles[role]
    below = {"Shoulder": "UpperArm", "UpperArm": "LowerArm", "LowerArm": "Hand", "Hand": "MiddleProximal"}
    below |= {"UpperLeg": "LowerLeg", "LowerLeg": "Foot", "Foot": "Toes"}
    child = skeleton.roles.get(name + below.get(part, ""))
    came = _unit(place[own] - place[reference], outward)
    bone = came if child is None else _unit(place[child] - place[own], came)
    if part == "UpperLeg":
        return bone, -up, ahead, outward
    if part == "UpperArm":
        neutral = np.cos(np.radians(30.0)) * outward + np.sin(np.radians(30.0)) * ahead
        return bone, neutral, up, np.cross(neutral, up)
    if part in ("Foot", "Toes"):  # the sole's direction, whatever the instep's
        flat = _unit(_across(bone, up), ahead)
        return flat, flat, up, _unit(_across(outward, flat), outward) if part == "Toes" else np.cross(up, flat)
    if part == "Shoulder":
        forward = _unit(_across(ahead, bone), up)
        return bone, bone, forward, _unit(_across(_across(up, bone), forward), up)
    palm = np.cross(came, ahead) * (1.0 if name == "left" else -1.0)
    towards = {"LowerArm": ahead, "LowerLeg": -ahead, "Hand": palm}[part]
    forward = _unit(_across(towards, came), up)
    side = np.cross(came, forward) if part != "Hand" else _unit(_across(_across(ahead, came), forward), ahead)
    return bone, came, forward, side


def body_axes(skeleton: Skeleton) -> tuple[Floats, Floats, Floats]:
    """The body's up, left and forward in the rest pose's world: up is Y unless the trunk lies."""
    _, place = skeleton.rest_world()
    hips, head = place[require_joint(skeleton, "hips")], place[require_joint(skeleton, "head")]
    trunk = _unit(head - hips, np.array([0.0, 1.0, 0.0]))
    up = np.array([0.0, 1.0, 0.0]) if trunk[1] > 0.7 else trunk
    across = place[require_joint(skeleton, "leftUpperLeg")] - place[require_joint(skeleton, "rightUpperLeg")]
    left = _unit(_across(across, up), np.array([1.0, 0.0, 0.0]))
    return up, left, np.cross(left, up)


def _shared(limit: Limit, count: int) -> Limit:
    parts = (tuple(end / count for end in ends) for ends in (limit.flexion, limit.side, limit.twist))
    flexion, side, twist = ((least, greatest) for least, greatest in parts)
    return Limit(flexion, side, twist)


def _including(ends: tuple[float, float], value: float) -> tuple[float, float]:
    return (min(ends[0], value - TINY), max(ends[1], value + TINY))


def _across(vector: Floats, axis: Floats) -> Floats:
    rest: Floats = vector - np.dot(vector, axis) / np.dot(axis, axis) * axis
    return rest


def _unit(vector: Floats, otherwise: Floats) -> Floats:
    length = float(np.linalg.norm(vector))
    unit: Floats = vector / length if length > 1e-9 else otherwise
    return unit
