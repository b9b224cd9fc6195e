"""Feet that stand flat, whatever the rest pose says of them.

A capture's skeleton rests in one pose and stands in another: where its foot should be flat on the ground it may be
tilted, the same in every frame. The motion shows by how much.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from kinesphere.body.anatomy import REST, UPRIGHT, Anatomy, find_anatomy, uprightness
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

RATE = 30.0  # frames a second that are looked at
STILL = 0.15  # leg lengths a second
LOW = 0.04  # leg lengths above the lowest tenth
LEAST = 8  # frames
STEADY = np.radians(8.0)  # half of the frames are nearer than this to their mean
TILTED = np.radians(3.0)  # less is nothing to mend
MOST = {"Foot": np.radians(45.0), "Toes": np.radians(85.0)}  # a foot tilted farther stands on its toes or lies


def flat_foot_rotations(motion: Motion, body: Anatomy) -> dict[str, Floats]:
    """For feet and toes that stand tilted, by role: the rotation ``(4,)`` in their anatomical frames to flat.

    Toes are on the ground also when the heel is not; some captures have them bent by 60° throughout.
    """
    frames = motion.performed_frames[:: max(round(motion.rate / RATE), 1)]
    if len(frames) < LEAST:
        return {}
    q, p = kinematics.forward(motion.rotations[frames], motion.translations[frames], motion.skeleton.parents)
    seconds = np.diff(frames) / motion.rate
    found = {}
    for side in SIDES:
        foot, length = motion.skeleton.roles[f"{side}Foot"], body.lengths[f"{side}Leg"]
        height = p[:, foot, 1] - np.percentile(p[:, foot, 1], 10.0)
        speed = np.linalg.norm(np.diff(p[:, foot], axis=0), axis=-1) / seconds
        still = np.append(speed < STILL * length, False) & (height < LOW * length)
        for part, most in MOST.items():
            joint = motion.skeleton.roles.get(f"{side}{part}")
            if joint is None:
                continue
            anatomical = rotations.multiply(q[still, joint], body.frames[f"{side}{part}"])
            tilt = _steady(rotations.rotate(rotations.conjugate(anatomical), np.array([0.0, 1.0, 0.0])), most)
            if tilt is not None:
                found[f"{side}{part}"] = rotations.rotation_between(np.array([0.0, 1.0, 0.0]), tilt)
    return found


def _steady(up: Floats, most: float) -> Floats | None:
    """The mean of directions ``(N, 3)`` that are nearly the same and lean a little, else None."""
    if len(up) < LEAST:
        return None
    mean = up.mean(axis=0)
    mean /= max(float(np.linalg.norm(mean)), 1e-9)
    apart = np.arccos(np.clip(up @ mean, -1.0, 1.0))
    tilted: Floats = mean
    tilt = np.arccos(np.clip(mean[1], -1.0, 1.0))
    return tilted if np.median(apart) < STEADY and TILTED < tilt < most else None


# ---- How two bodies correspond, as a step of its own that can be looked at before anything is retargeted.


@dataclass(frozen=True, eq=False)
class Calibration:
    """A body to read poses from and one to give them to.

    ``turns`` maps a role that both have to the rotation ``(4,)`` with ``target world = source world · turn``.
    ``leg`` and ``arm`` are the target's lengths over the source's.
    """

    source: Anatomy
    target: Anatomy
    turns: Mapping[str, Floats]
    leg: float
    arm: Mapping[str, float]  # by side
    evidence: tuple[str, ...]


def calibrate(
    source: Skeleton | Motion, target: Skeleton | Motion, *, like: Mapping[str, Floats] | None = None
) -> Calibration:
    """Read two bodies and match them.

    Rest poses may differ (T, A, arms down): limbs are matched by where they point, the trunk by how far it has turned
    from standing. A rest pose that is no body's pose at all is replaced by the most upright frame, if a motion is
    given, and feet that it shows standing tilted are set flat. ``like`` overrides single turns, by role.
    """
    a, b = _read(source), _read(target)
    if is_same_body(a.skeleton, b.skeleton):
        b = replace(a, skeleton=b.skeleton)  # read both alike, or a body would not be itself
    flat, flat_there = _flat(source, a, b), _flat(target, b, a)
    turns = {}
    for role in a.frames:
        if role in b.frames:
            there, back = (_set_flat(body, role, feet) for body, feet in ((a, flat), (b, flat_there)))
            turns[role] = rotations.multiply(there, rotations.conjugate(back))
    turns |= dict(like or {})
    legs = [b.lengths[f"{side}Leg"] / a.lengths[f"{side}Leg"] for side in SIDES]
    arms = {side: b.lengths[f"{side}Arm"] / a.lengths[f"{side}Arm"] for side in SIDES}
    leg = float(np.mean(legs))
    left_out = sorted(set(a.frames) - set(b.frames))
    evidence = [
        f"source read from {a.posture.about}: {rest_pose_name(a)}",
        f"target read from {b.posture.about}: {rest_pose_name(b)}",
        f"legs × {leg:.3f}, arms × {arms['left']:.3f} (left) and {arms['right']:.3f} (right)",
    ]
    for role, level in flat.items():
        tilt = np.degrees(rotations.angle(level))
        evidence.append(f"{role} stands tilted by {tilt:.0f}° in the motion, and is set flat")
    for which, anatomy_of in (("source", a), ("target", b)):
        if (
            anatomy_of.posture.about == REST
            and uprightness(anatomy_of.skeleton, anatomy_of.posture.positions) < UPRIGHT
        ):
            evidence.append(f"the {which}'s rest pose is no body's pose: give a motion of it instead of its skeleton")
    if left_out:
        evidence.append(f"the target has no {', '.join(left_out)}")
    return Calibration(a, b, MappingProxyType(turns), leg, MappingProxyType(arms), tuple(evidence))


def _flat(body: Skeleton | Motion, read: Anatomy, other: Anatomy) -> dict[str, Floats]:
    """How a motion's feet are set flat. Between motions of one and the same body nothing is."""
    return (
        flat_foot_rotations(body, read)
        if isinstance(body, Motion) and not is_same_body(read.skeleton, other.skeleton)
        else {}
    )


def _set_flat(body: Anatomy, role: str, flat: Mapping[str, Floats]) -> Floats:
    """The anatomical frame of a role, of feet and toes as they stand."""
    level = flat.get(role)
    return body.frames[role] if level is None else rotations.multiply(body.frames[role], level)


def rest_pose_name(body: Anatomy) -> str:
    """A word for the posture a body was read in, by how far the arms are from hanging."""
    down = rotations.rotate(body.basis, [0.0, -1.0, 0.0])
    p, roles = body.posture.positions, body.skeleton.roles
    angles = []
    for side in SIDES:
        arm = p[roles[f"{side}LowerArm"]] - p[roles[f"{side}UpperArm"]]
        angles.append(np.degrees(np.arccos(np.clip(arm @ down / np.linalg.norm(arm), -1.0, 1.0))))
    lift = float(np.mean(angles))
    if abs(angles[0] - angles[1]) > 25.0:
        return f"an uneven pose (arms {angles[0]:.0f}° and {angles[1]:.0f}° from hanging)"
    word = "arms down" if lift < 25.0 else "an A-pose" if lift < 70.0 else "a T-pose" if lift < 110.0 else "arms up"
    return f"{word} (arms {lift:.0f}° from hanging)"


def is_same_body(a: Skeleton, b: Skeleton) -> bool:
    """Whether two skeletons are one body at rest: the same tree, places, axes and roles."""
    if a is b:
        return True
    alike = a.same_tree(b) and dict(a.roles) == dict(b.roles)
    return (
        alike
        and np.allclose(a.offsets, b.offsets, atol=1e-6)
        and np.allclose(a.rest_rotations, b.rest_rotations, atol=1e-6)
    )


def _read(body: Skeleton | Motion) -> Anatomy:
    return find_anatomy(body.skeleton, body) if isinstance(body, Motion) else find_anatomy(body)
