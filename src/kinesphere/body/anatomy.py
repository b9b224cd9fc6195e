"""What a skeleton is as a body: which way it faces, how long its limbs are, how each joint's axes lie in the flesh.

Two skeletons in the same posture have the same *anatomical* frames, whatever axes their files gave their joints
and whatever pose they rest in. So a pose passes from one to the other through these frames.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from weakref import WeakKeyDictionary

import numpy as np

from kinesphere.body.ground import sole_points, towards_sole
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.humanoid import REQUIRED, SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

REST = "the rest pose"
UPRIGHT = 0.75  # from here on a pose is a standing body's
_BENT = np.radians(20.0)  # from here on a limb shows its hinge by being bent
_LIMBS = {"Arm": ("UpperArm", "LowerArm", "Hand"), "Leg": ("UpperLeg", "LowerLeg", "Foot")}


@dataclass(frozen=True, eq=False)
class AnatomyPose:
    """World rotations ``(J, 4)`` and positions ``(J, 3)`` of a pose in which the body can be read."""

    rotations: Floats
    positions: Floats
    about: str


@dataclass(frozen=True, eq=False)
class Anatomy:
    """A skeleton read as a body, in one posture.

    ``frames`` maps a role to the rotation ``(4,)`` that takes the joint's own axes to its anatomical ones:
    ``world · frame`` is the anatomical frame in the world.
    """

    skeleton: Skeleton
    posture: AnatomyPose
    basis: Floats  # (4,): the body's left, up, forward as x, y, z
    frames: Mapping[str, Floats]
    hinges: Mapping[str, Floats]  # upper limb role → hinge axis in the world, in the posture
    lengths: Mapping[str, float]  # "leftArm", "leftLeg", …: upper plus lower bone
    ankle_height: float  # ankles above the soles
    spine: tuple[int, ...]  # joints from above the hips to the last one below neck and arms
    neck: tuple[int, ...]  # joints from there to the head, head included

    def role(self, name: str) -> int | None:
        """The joint of a role, if there is one."""
        return self.skeleton.roles.get(name)


_read: WeakKeyDictionary[Skeleton, Anatomy] = WeakKeyDictionary()


def find_anatomy(skeleton: Skeleton, motion: Motion | None = None) -> Anatomy:
    """Read a body from its rest pose or, where that is no body's pose, from the most upright frame of a motion on
    it."""
    if skeleton in _read:
        return _read[skeleton]
    body = _anatomy(skeleton, motion)
    if uprightness(skeleton, skeleton.rest_world()[1]) > UPRIGHT:
        _read[skeleton] = body  # otherwise a motion may show more, and each another thing
    return body


def _anatomy(skeleton: Skeleton, motion: Motion | None) -> Anatomy:
    missing = [role for role in REQUIRED if role not in skeleton.roles]
    if missing:
        raise ValueError(
            f"{skeleton!r} is no whole humanoid: {', '.join(missing)} missing; give them in Skeleton.roles "
            "(`kinesphere mapping` shows and saves what was found)"
        )
    posture = _posture(skeleton, motion)
    basis = _basis(skeleton, posture.positions)
    frames, hinges = _frames(skeleton, posture, basis)
    lengths = {f"{side}{limb}": _length(skeleton, side, parts) for side in SIDES for limb, parts in _LIMBS.items()}
    ankle = _ankle_height(skeleton)
    spine, neck = _trunk(skeleton)
    return Anatomy(
        skeleton,
        posture,
        basis,
        MappingProxyType(frames),
        MappingProxyType(hinges),
        MappingProxyType(lengths),
        ankle,
        spine,
        neck,
    )


def _posture(skeleton: Skeleton, motion: Motion | None) -> AnatomyPose:
    q, p = skeleton.rest_world()
    if uprightness(skeleton, p) > UPRIGHT or motion is None:
        return AnatomyPose(q, p, REST)
    frames = np.unique(np.linspace(0, len(motion) - 1, 240).astype(np.intp))
    world_q, world_p = kinematics.forward(motion.rotations[frames], motion.translations[frames], skeleton.parents)
    best = int(np.argmax(_uprightness(skeleton, world_p)))
    return AnatomyPose(world_q[best], world_p[best], f"frame {frames[best]}, because the rest pose is no body's pose")


def uprightness(skeleton: Skeleton, positions: Floats) -> float:
    """How much a pose ``(J, 3)`` is a standing body's: 1 for straight legs in line with trunk and across the hips."""
    return float(_uprightness(skeleton, positions[None])[0])


def _uprightness(skeleton: Skeleton, positions: Floats) -> Floats:
    """The same of many poses ``(T, J, 3)``."""
    roles = skeleton.roles
    trunk = _units(positions[:, roles["head"]] - positions[:, roles["hips"]])
    across = _units(positions[:, roles["leftUpperLeg"]] - positions[:, roles["rightUpperLeg"]])
    score: Floats = 1.0 - np.abs(np.sum(trunk * across, axis=1))
    for side in SIDES:
        hip, knee, foot = (positions[:, roles[f"{side}{part}"]] for part in ("UpperLeg", "LowerLeg", "Foot"))
        score += np.sum(_units(hip - knee) * _units(knee - foot), axis=1) - 1.0
        score += 0.5 * (np.sum(_units(hip - foot) * trunk, axis=1) - 1.0)
    return score


def _units(vectors: Floats) -> Floats:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    units: Floats = np.where(length > 1e-12, vectors / np.maximum(length, 1e-12), 0.0)
    return units


def _basis(skeleton: Skeleton, positions: Floats) -> Floats:
    """Left from the hip joints (and shoulders), up from hips to head, forward square to both."""
    roles = skeleton.roles
    up = _unit(positions[roles["head"]] - positions[roles["hips"]])
    left = np.zeros(3)
    for part in ("UpperLeg", "UpperArm"):
        left += _unit(positions[roles[f"left{part}"]] - positions[roles[f"right{part}"]])
    forward = _unit(np.cross(left, up))
    # Legs hang along the true vertical of the body, a spine may lean: up is square to left and forward.
    return rotations.from_matrix(np.stack([np.cross(up, forward), up, forward], axis=1))


def _frames(skeleton: Skeleton, posture: AnatomyPose, basis: Floats) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Anatomical frames in the posture, seen from each joint's own axes."""
    world: dict[str, Floats] = dict.fromkeys(skeleton.roles, basis)
    hinges: dict[str, Floats] = {}
    forward = rotations.rotate(basis, [0.0, 0.0, 1.0])
    up = rotations.rotate(basis, [0.0, 1.0, 0.0])
    p, roles = posture.positions, skeleton.roles
    for side in SIDES:
        for limb, parts in _LIMBS.items():
            a, b, c = (p[roles[f"{side}{part}"]] for part in parts)
            upper, lower = _unit(b - a), _unit(c - b)
            towards = forward if limb == "Arm" else -forward  # elbows bend forward, knees back
            bent = np.arccos(np.clip(upper @ lower, -1.0, 1.0)) > _BENT
            hinge = _unit(np.cross(upper, lower)) if bent else _unit(np.cross(_unit(upper + lower), towards))
            hinges[f"{side}{parts[0]}"] = hinge
            world[f"{side}{parts[0]}"] = _bone_frame(upper, hinge)
            world[f"{side}{parts[1]}"] = _bone_frame(lower, hinge)
        world[f"{side}Hand"] = world[f"{side}LowerArm"]
        top = _foot_top(skeleton, posture, side, up)
        toes = _toe_direction(skeleton, posture, side, forward, top)
        foot = rotations.from_matrix(np.stack([np.cross(top, toes), top, toes], axis=1))
        world[f"{side}Foot"] = foot
        for role in roles:
            if role.startswith(side):
                if role.endswith("Toes"):
                    world[role] = foot
                elif any(part in role for part in ("Thumb", "Index", "Middle", "Ring", "Little")):
                    world[role] = world[f"{side}Hand"]
    frames = {
        role: rotations.multiply(rotations.conjugate(posture.rotations[joint]), world[role])
        for role, joint in roles.items()
    }
    return frames, hinges


def _foot_top(skeleton: Skeleton, posture: AnatomyPose, side: str, up: Floats) -> Floats:
    """Out of the back of the foot: up, unless the foot leans with a leg that stands apart."""
    if posture.about != REST:
        return up
    down = towards_sole(skeleton, side, posture.positions, posture.rotations)
    return -down if down[1] > -1.0 else up


def _toe_direction(skeleton: Skeleton, posture: AnatomyPose, side: str, forward: Floats, up: Floats) -> Floats:
    """Where the toes point over the ground: from the toe joint or the foot's tip, else straight ahead."""
    foot = skeleton.roles[f"{side}Foot"]
    toes = skeleton.roles.get(f"{side}Toes")
    if toes is not None:
        way = posture.positions[toes] - posture.positions[foot]
    else:
        tips = [tip.offset for tip in skeleton.tips if tip.joint == foot]
        way = rotations.rotate(posture.rotations[foot], tips[0]) if tips else forward
    level = way - up * (way @ up)
    reach = float(np.linalg.norm(level))
    near = reach > 0.3 * float(np.linalg.norm(way)) and float(level @ forward) > 0.3 * reach
    return _unit(level) if near else _unit(forward - up * (forward @ up))


def _bone_frame(along: Floats, hinge: Floats) -> Floats:
    hinge = _unit(hinge - along * (hinge @ along))
    return rotations.from_matrix(np.stack([along, hinge, np.cross(along, hinge)], axis=1))


def _length(skeleton: Skeleton, side: str, parts: tuple[str, str, str]) -> float:
    """Upper plus lower bone, between the joints that have the roles (helpers between them may be of no length)."""
    p = skeleton.rest_world()[1]
    a, b, c = (p[skeleton.roles[f"{side}{part}"]] for part in parts)
    return float(np.linalg.norm(b - a) + np.linalg.norm(c - b))


def _ankle_height(skeleton: Skeleton) -> float:
    """From the soles to the ankles, by the same soles that plants and grounds are found with."""
    heels = [point for point in sole_points(skeleton) if point.point in ("heel", "sole")]
    return float(np.mean([np.linalg.norm(point.offset) + point.clearance for point in heels]))


def _trunk(skeleton: Skeleton) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The joints from hips to head, parted where the arms leave."""
    parents = skeleton.parents
    way = _up_to(skeleton.roles["head"], skeleton.roles["hips"], parents)
    arms = {j for side in SIDES for j in _up_to(skeleton.roles[f"{side}UpperArm"], skeleton.roles["hips"], parents)}
    spine = tuple(joint for joint in way if joint in arms)
    return spine, tuple(joint for joint in way if joint not in arms)


def _up_to(joint: int, above: int, parents: np.ndarray) -> list[int]:
    """The joints from just below ``above`` down to ``joint``; empty where one does not hang on the other."""
    way = []
    while joint not in (above, -1):
        way.append(joint)
        joint = int(parents[joint])
    return way[::-1] if joint == above else []


def _unit(vector: Floats) -> Floats:
    length = float(np.linalg.norm(vector))
    unit: Floats = vector / length if length > 1e-12 else np.zeros(3)
    return unit
