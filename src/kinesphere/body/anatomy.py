"""Anatomical frames of a skeleton: which direction it faces, how long its limbs are, how bones lie in joint axes.

Two skeletons in the same posture have the same *anatomical* frames, whatever axes their files give their joints and
whatever pose they rest in. A pose is transferred from one skeleton to another through these frames.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from weakref import WeakKeyDictionary

import numpy as np

from kinesphere.body.clavicles import held_clavicles, level_clavicles
from kinesphere.body.ground import sole_points, towards_sole
from kinesphere.body.hand_frames import hand_frame, posed_hand_frame
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats, Ints, reject, unit
from kinesphere.motion.humanoid import FINGERS, REQUIRED, SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

REST = "the rest pose"
UPRIGHT = 0.75  # uprightness from which on a pose is a standing body's
_SAMPLES = 240  # frames of a motion that are searched for an upright one
_CLEARLY_FLEXED = np.radians(20.0)  # from here on a limb shows its hinge axis
_STANDS = np.cos(np.radians(30.0))  # height of the trunk's unit vector from which on a rest pose stands on its feet
_LEVEL_TOES = 0.3  # shares: toes that point less along the ground, or less forward, don't show the foot's direction
_LIMBS = {"Arm": ("UpperArm", "LowerArm", "Hand"), "Leg": ("UpperLeg", "LowerLeg", "Foot")}


@dataclass(frozen=True, eq=False)
class AnatomyPose:
    """World rotations ``(J, 4)`` and positions ``(J, 3)`` of the pose from which a body is measured."""

    rotations: Floats
    positions: Floats
    source: str  # where the pose comes from, in words


@dataclass(frozen=True, eq=False)
class Anatomy:
    """A skeleton measured as a body, in one pose.

    ``frames`` maps a role to the rotation ``(4,)`` from the joint's own axes to its anatomical ones:
    ``world · frame`` is the anatomical frame in the world.
    """

    skeleton: Skeleton
    pose: AnatomyPose
    basis: Floats  # (4,): the body's left, up, forward as x, y, z
    frames: Mapping[str, Floats]
    hinges: Mapping[str, Floats]  # upper limb role → hinge axis in the world, in the pose
    lengths: Mapping[str, float]  # "leftArm", "leftLeg", …: upper plus lower bone
    ankle_height: float  # of the ankles above the soles
    spine: tuple[int, ...]  # joints from above the hips to the last one below neck and arms
    neck: tuple[int, ...]  # joints from there to the head, head included


_known: WeakKeyDictionary[Skeleton, Anatomy] = WeakKeyDictionary()


def find_anatomy(skeleton: Skeleton, motion: Motion | None = None) -> Anatomy:
    """Measure a body in its rest pose or, where nobody stands like that, in the most upright frame of a motion."""
    if skeleton in _known:
        return _known[skeleton]
    body = _measure_body(skeleton, motion)
    if uprightness(skeleton, skeleton.rest_world()[1]) > UPRIGHT:
        _known[skeleton] = body  # otherwise the result depends on the motion
    return body


def _measure_body(skeleton: Skeleton, motion: Motion | None) -> Anatomy:
    missing = [role for role in REQUIRED if role not in skeleton.roles]
    if missing:
        raise ValueError(
            f"{skeleton} is no whole humanoid: {', '.join(missing)} missing; give them in Skeleton.roles "
            "(`kinesphere mapping` shows and saves what was found)"
        )
    pose = _upright_pose(skeleton, motion)
    basis = _body_basis(skeleton, pose.positions)
    hinges = _hinge_axes(skeleton, pose, basis)
    world = _frames_world(skeleton, pose, basis, hinges)
    frames = {
        role: rotations.multiply(rotations.conjugate(pose.rotations[joint]), world[role])
        for role, joint in skeleton.roles.items()
    }
    if pose.source == REST or motion is None:
        frames |= clavicle_frames(skeleton, pose, basis, level_clavicles(skeleton, pose.positions, basis))
    else:
        frames_shown, posed, _ = sample_world(motion)
        held = held_clavicles(skeleton, (pose.rotations, pose.positions), motion.rotations[frames_shown])
        frames |= clavicle_frames(skeleton, pose, basis, held)
        frames |= _posed_hand_frames(skeleton, pose, posed, frames)
    lengths = {f"{side}{limb}": _limb_length(skeleton, side, limb) for side in SIDES for limb in _LIMBS}
    spine, neck = _spine_and_neck(skeleton)
    return Anatomy(
        skeleton,
        pose,
        basis,
        MappingProxyType(frames),
        MappingProxyType(hinges),
        MappingProxyType(lengths),
        _ankle_height(skeleton),
        spine,
        neck,
    )


# The pose that is measured


def _upright_pose(skeleton: Skeleton, motion: Motion | None) -> AnatomyPose:
    q, p = skeleton.rest_world()
    if motion is None or uprightness(skeleton, p) > UPRIGHT:
        return AnatomyPose(q, p, REST)
    frames, world_q, world_p = sample_world(motion)
    best = int(np.argmax(uprightness_over_time(skeleton, world_p)))
    return AnatomyPose(world_q[best], world_p[best], f"frame {frames[best]}, because the rest pose is no body's pose")


def sample_frames(motion: Motion) -> Ints:
    """Some frames of a motion, spread evenly."""
    return np.unique(np.linspace(0, len(motion) - 1, _SAMPLES).astype(np.intp))


def sample_world(motion: Motion) -> tuple[Ints, Floats, Floats]:
    """Some frames of a motion, with world rotations ``(T, J, 4)`` and positions ``(T, J, 3)``."""
    frames = sample_frames(motion)
    q, p = kinematics.forward(motion.rotations[frames], motion.translations[frames], motion.skeleton.parents)
    return frames, q, p


def uprightness(skeleton: Skeleton, positions: Floats) -> float:
    """How well a pose ``(J, 3)`` is a standing body's: 1 for straight legs, in line with the trunk, across the hips."""
    return float(uprightness_over_time(skeleton, positions[None])[0])


def uprightness_over_time(skeleton: Skeleton, positions: Floats) -> Floats:
    """``uprightness`` ``(T,)`` of poses ``(T, J, 3)``."""
    roles = skeleton.roles
    trunk = unit(positions[:, roles["head"]] - positions[:, roles["hips"]])
    across = unit(positions[:, roles["leftUpperLeg"]] - positions[:, roles["rightUpperLeg"]])
    score: Floats = 1.0 - np.abs(np.sum(trunk * across, axis=1))
    for side in SIDES:
        hip, knee, foot = (positions[:, roles[f"{side}{part}"]] for part in _LIMBS["Leg"])
        score += np.sum(unit(hip - knee) * unit(knee - foot), axis=1) - 1.0
        score += 0.5 * (np.sum(unit(hip - foot) * trunk, axis=1) - 1.0)
    return score


# Axes


def _body_basis(skeleton: Skeleton, positions: Floats) -> Floats:
    """Left from hip joints and shoulders, up from hips to head, forward perpendicular to both."""
    roles = skeleton.roles
    up = unit(positions[roles["head"]] - positions[roles["hips"]])
    left = np.zeros(3)
    for part in ("UpperLeg", "UpperArm"):
        left += unit(positions[roles[f"left{part}"]] - positions[roles[f"right{part}"]])
    forward = unit(np.cross(left, up))
    return rotations.from_matrix(np.stack([np.cross(up, forward), up, forward], axis=1))


def _hinge_axes(skeleton: Skeleton, pose: AnatomyPose, basis: Floats) -> dict[str, Floats]:
    """World axes ``(3,)`` of elbows and knees by the role of the upper bone.

    A flexed limb shows its axis. Of a straight one it is known that elbows flex forward and knees backward.
    """
    hinges = {}
    forward = rotations.rotate(basis, [0.0, 0.0, 1.0])
    for side in SIDES:
        for limb, parts in _LIMBS.items():
            upper, lower = _bone_directions(skeleton, pose, side, limb)
            towards = forward if limb == "Arm" else -forward
            flexed = np.arccos(np.clip(upper @ lower, -1.0, 1.0)) > _CLEARLY_FLEXED
            hinges[f"{side}{parts[0]}"] = unit(np.cross(upper, lower) if flexed else np.cross(upper + lower, towards))
    return hinges


def _frames_world(
    skeleton: Skeleton, pose: AnatomyPose, basis: Floats, hinges: Mapping[str, Floats]
) -> dict[str, Floats]:
    """Anatomical frames ``(4,)`` of all roles in the world.

    Limb bones: along the bone, hinge axis, their cross product. Feet: left, up, toes. Everything else has the body's
    own axes; hands those of ``hand_frames``, and fingers those of the hand.
    """
    frames: dict[str, Floats] = dict.fromkeys(skeleton.roles, basis)
    for side in SIDES:
        for limb, parts in _LIMBS.items():
            hinge = hinges[f"{side}{parts[0]}"]
            for part, bone in zip(parts[:2], _bone_directions(skeleton, pose, side, limb), strict=True):
                frames[f"{side}{part}"] = _bone_frame(bone, hinge)
        hand = hand_frame(skeleton, pose.rotations, pose.positions, side, frames[f"{side}LowerArm"])
        foot = _foot_frame(skeleton, pose, side, basis)
        frames |= dict.fromkeys(hand_roles(skeleton, side), hand)
        frames |= {role: foot for role in (f"{side}Foot", f"{side}Toes") if role in skeleton.roles}
    return frames


def hand_roles(skeleton: Skeleton, side: str) -> list[str]:
    """The roles of a hand and its fingers, which share one frame."""
    parts = ("Hand", *FINGERS)
    return [role for role in skeleton.roles if role.startswith(side) and any(part in role for part in parts)]


def _posed_hand_frames(
    skeleton: Skeleton, pose: AnatomyPose, q: Floats, frames: Mapping[str, Floats]
) -> dict[str, Floats]:
    """Frames of hands by role, where the pose is a frame of a motion: nobody says that hands are straight in it.

    ``q (T, J, 4)`` are world rotations of some frames.
    """
    found: dict[str, Floats] = {}
    for side in SIDES:
        world = posed_hand_frame(skeleton, (pose.rotations, pose.positions), q, side, frames[f"{side}LowerArm"])
        if world is not None:
            found |= hand_frames_of(skeleton, pose, side, world)
    return found


def hand_frames_of(skeleton: Skeleton, pose: AnatomyPose, side: str, world: Floats) -> dict[str, Floats]:
    """The frames of a hand and its fingers in their joints' axes, by role, from the hand's in the world ``(4,)``."""
    to_joints = {role: rotations.conjugate(pose.rotations[skeleton.roles[role]]) for role in hand_roles(skeleton, side)}
    return {role: rotations.multiply(to_joint, world) for role, to_joint in to_joints.items()}


def clavicle_frames(
    skeleton: Skeleton, pose: AnatomyPose, basis: Floats, held: Mapping[str, Floats]
) -> dict[str, Floats]:
    """The frames of clavicles in their joints' axes, by role, from the rotations to where they are held."""
    found = {}
    for role, rotation in held.items():
        world = rotations.multiply(rotation, pose.rotations[skeleton.roles[role]])
        found[role] = rotations.multiply(rotations.conjugate(world), basis)
    return found


def shoulder_position(body: Anatomy, side: str) -> Floats:
    """Where a shoulder joint is ``(3,)`` in the pose, with its clavicle as it is held."""
    p, roles = body.pose.positions, body.skeleton.roles
    arm, role = p[roles[f"{side}UpperArm"]], f"{side}Shoulder"
    if role not in roles:
        return np.asarray(arm)
    to_joint = rotations.conjugate(body.pose.rotations[roles[role]])
    bone = rotations.rotate(to_joint, arm - p[roles[role]])
    held = rotations.multiply(body.basis, rotations.conjugate(body.frames[role]))
    return np.asarray(p[roles[role]] + rotations.rotate(held, bone))


def _bone_directions(skeleton: Skeleton, pose: AnatomyPose, side: str, limb: str) -> tuple[Floats, Floats]:
    """Unit directions ``(3,)`` of a limb's upper and lower bone."""
    a, b, c = (pose.positions[skeleton.roles[f"{side}{part}"]] for part in _LIMBS[limb])
    return unit(b - a), unit(c - b)


def _bone_frame(bone: Floats, hinge: Floats) -> Floats:
    across = unit(reject(hinge, bone))
    return rotations.from_matrix(np.stack([bone, across, np.cross(bone, across)], axis=1))


def _foot_frame(skeleton: Skeleton, pose: AnatomyPose, side: str, basis: Floats) -> Floats:
    up, forward = rotations.rotate(basis, np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    top = _instep_direction(skeleton, pose, side, up)
    toes = _toe_direction(skeleton, pose, side, forward, top)
    return rotations.from_matrix(np.stack([np.cross(top, toes), top, toes], axis=1))


def _instep_direction(skeleton: Skeleton, pose: AnatomyPose, side: str, up: Floats) -> Floats:
    """Out of the top of the foot: up, unless the foot leans with a leg that is spread.

    Feet of a body that stands at rest are flat on the ground, however its trunk leans.
    """
    if pose.source != REST:
        return up
    down = towards_sole(skeleton, side, pose.positions, pose.rotations)
    return -down if down[1] > -1.0 or up[1] > _STANDS else up


def _toe_direction(skeleton: Skeleton, pose: AnatomyPose, side: str, forward: Floats, up: Floats) -> Floats:
    """Where the toes point over the ground: from the toe joint or the foot's tip, else straight ahead."""
    foot = skeleton.roles[f"{side}Foot"]
    toes = skeleton.roles.get(f"{side}Toes")
    if toes is not None:
        bone = pose.positions[toes] - pose.positions[foot]
    else:
        tips = [tip.offset for tip in skeleton.tips if tip.joint == foot]
        bone = rotations.rotate(pose.rotations[foot], tips[0]) if tips else forward
    level = reject(bone, up)
    length = float(np.linalg.norm(level))
    shown = length > _LEVEL_TOES * float(np.linalg.norm(bone)) and float(level @ forward) > _LEVEL_TOES * length
    return unit(level if shown else reject(forward, up))


# Lengths and chains


def _limb_length(skeleton: Skeleton, side: str, limb: str) -> float:
    """Upper plus lower bone, between the joints that have the roles (helpers between them may be of no length)."""
    p = skeleton.rest_world()[1]
    a, b, c = (p[skeleton.roles[f"{side}{part}"]] for part in _LIMBS[limb])
    return float(np.linalg.norm(b - a) + np.linalg.norm(c - b))


def _ankle_height(skeleton: Skeleton) -> float:
    """From the soles to the ankles, by the same soles with which contacts and ground are found."""
    heels = [point for point in sole_points(skeleton) if point.point in ("heel", "sole")]
    return float(np.mean([np.linalg.norm(point.offset) + point.clearance for point in heels]))


def _spine_and_neck(skeleton: Skeleton) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The joints from hips to head, divided where the arms branch off."""
    roles, parents = skeleton.roles, skeleton.parents
    trunk = _chain(roles["head"], roles["hips"], parents)
    arms = {joint for side in SIDES for joint in _chain(roles[f"{side}UpperArm"], roles["hips"], parents)}
    return tuple(j for j in trunk if j in arms), tuple(j for j in trunk if j not in arms)


def _chain(joint: int, ancestor: int, parents: Ints) -> list[int]:
    """The joints from just below ``ancestor`` down to ``joint``; empty where it is no ancestor."""
    chain = []
    while joint not in (ancestor, -1):
        chain.append(joint)
        joint = int(parents[joint])
    return chain[::-1] if joint == ancestor else []
