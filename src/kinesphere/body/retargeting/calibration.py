"""Retargeting calibration: match the joints of two skeletons by role, level tilted feet, and say why.

Joints correspond by role, through their anatomical frames (``body.anatomy``). A capture's skeleton rests in one pose
and stands in another: a foot that should be flat on the ground may be tilted, the same in every frame. The motion shows
by how much, and such feet are levelled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from kinesphere.body.anatomy import (
    REST,
    UPRIGHT,
    Anatomy,
    clavicle_frames,
    find_anatomy,
    hand_frames_of,
    sample_frames,
    sample_world,
    uprightness,
)
from kinesphere.body.clavicles import held_clavicles, level_clavicles
from kinesphere.body.hand_frames import find_hand, hand_frame, is_tip_off, tip_is_hands
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats, norms, smoothstep, unit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

RATE = 30.0  # frames per second that are sampled for feet that stand
STILL = 0.15  # leg lengths per second
LOW = 0.04  # leg lengths above the lowest tenth
LEAST_FRAMES = 8
STEADY = np.radians([8.0, 12.0])  # half of the frames are nearer than this to their mean, for sure and at most
LEAST_TILT = np.radians([2.0, 3.0])  # from which a foot is levelled, at first and fully
MOST_TILT = {"Foot": np.radians([42.0, 48.0]), "Toes": np.radians([82.0, 88.0])}  # farther: on its toes, or lying
NOTED = 5.0  # degrees: what is more off is said
UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class Calibration:
    """How poses of a source body are put on a target body.

    ``rotation_offsets`` maps a role that both have to the rotation ``(4,)`` with
    ``target world = source world · offset``. ``leg`` and ``arm`` are the target's lengths over the source's.
    """

    source: Anatomy
    target: Anatomy
    rotation_offsets: Mapping[str, Floats]
    leg: float
    arm: Mapping[str, float]  # by side
    evidence: tuple[str, ...]


def calibrate(
    source: Skeleton | Motion, target: Skeleton | Motion, *, overrides: Mapping[str, Floats] | None = None
) -> Calibration:
    """Measure two bodies and match them.

    Rest poses may differ (T, A, arms down): limbs are matched by where they point, the trunk by how far it is rotated
    from standing. A rest pose in which nobody stands is replaced by the most upright frame, if a motion is given, and
    feet that stand tilted in it are levelled. ``overrides`` replaces single rotation offsets, by role.
    """
    a, b = _anatomy(source), _anatomy(target)
    same = is_same_body(a.skeleton, b.skeleton)
    if same:
        b = replace(a, skeleton=b.skeleton)  # measure both alike, or a body would not be itself
    levelled, target_levelled = (
        flat_foot_rotations(given, body) if isinstance(given, Motion) and not same else {}
        for given, body in ((source, a), (target, b))
    )
    offsets = {}
    for role in a.frames:
        if role in b.frames:
            frame, target_frame = _frame_of_role(a, role, levelled), _frame_of_role(b, role, target_levelled)
            offsets[role] = rotations.multiply(frame, rotations.conjugate(target_frame))
    offsets |= dict(overrides or {})
    leg = float(np.mean([b.lengths[f"{side}Leg"] / a.lengths[f"{side}Leg"] for side in SIDES]))
    arm = {side: b.lengths[f"{side}Arm"] / a.lengths[f"{side}Arm"] for side in SIDES}
    evidence = (
        f"source read from {a.pose.source}: {rest_pose_name(a)}",
        f"target read from {b.pose.source}: {rest_pose_name(b)}",
        f"legs × {leg:.3f}, arms × {arm['left']:.3f} (left) and {arm['right']:.3f} (right)",
        *_remarks(a, b, levelled),
    )
    return Calibration(a, b, MappingProxyType(offsets), leg, MappingProxyType(arm), evidence)


def _anatomy(body: Skeleton | Motion) -> Anatomy:
    """The body's anatomy, with what a motion shows of hands and clavicles where its rest pose leaves them open."""
    if not isinstance(body, Motion):
        return find_anatomy(body)
    found = find_anatomy(body.skeleton, body)
    if found.pose.source != REST:
        return found
    rest = found.pose.rotations, found.pose.positions
    held = held_clavicles(found.skeleton, rest, body.rotations[sample_frames(body)[::4]], _level_clavicles(found))
    shown = clavicle_frames(found.skeleton, found.pose, found.basis, held)
    shown |= _judged_hands(found, body)
    return replace(found, frames=MappingProxyType({**found.frames, **shown})) if shown else found


@memoised
def _level_clavicles(body: Anatomy) -> dict[str, Floats]:
    return level_clavicles(body.skeleton, body.pose.positions, body.basis)


def _judged_hands(body: Anatomy, motion: Motion) -> dict[str, Floats]:
    """Frames of hands whose bone tips are off the forearm at rest, as a motion shows what they are, by role."""
    skeleton, rest = body.skeleton, (body.pose.rotations, body.pose.positions)
    found: dict[str, Floats] = {}
    for side in SIDES:
        if not is_tip_off(skeleton, *rest, side):
            continue
        _, q, p = sample_world(motion)
        trusted = tip_is_hands(skeleton, rest, q, p, side)
        if trusted is None:
            continue
        lower = skeleton.roles[f"{side}LowerArm"]
        forearm = rotations.multiply(rest[0][lower], body.frames[f"{side}LowerArm"])
        world = hand_frame(skeleton, *rest, side, forearm, trusted=trusted)
        found |= hand_frames_of(skeleton, body.pose, side, world)
    return found


def _frame_of_role(body: Anatomy, role: str, levelled: Mapping[str, Floats]) -> Floats:
    """The anatomical frame of a role, levelled for feet and toes that stand tilted."""
    tilt = levelled.get(role)
    return body.frames[role] if tilt is None else rotations.multiply(body.frames[role], tilt)


def _remarks(a: Anatomy, b: Anatomy, levelled: Mapping[str, Floats]) -> list[str]:
    """Sentences about feet that were levelled, rest poses that are none, and roles that are left out."""
    found = []
    for role, tilt in levelled.items():
        found.append(f"{role} stands tilted by {np.degrees(rotations.angle(tilt)):.0f}° in the motion, and is set flat")
    for which, body in (("source", a), ("target", b)):
        if body.pose.source == REST and uprightness(body.skeleton, body.pose.positions) < UPRIGHT:
            found.append(f"the {which}'s rest pose is no body's pose: give a motion of it instead of its skeleton")
        found += [f"the {which}'s {remark}" for remark in _arm_remarks(body)]
    left_out = sorted(set(a.frames) - set(b.frames))
    if left_out:
        found.append(f"the target has no {', '.join(left_out)}")
    return found


@memoised
def _arm_remarks(body: Anatomy) -> list[str]:
    """Sentences about hands that are bent at rest or bend elsewhere, and clavicles that are not held as they rest."""
    skeleton, q, found = body.skeleton, body.pose.rotations, []
    for side in SIDES:
        hand, lower = (skeleton.roles[f"{side}{part}"] for part in ("Hand", "LowerArm"))
        frames = (
            rotations.multiply(q[j], body.frames[f"{side}{part}"]) for j, part in ((hand, "Hand"), (lower, "LowerArm"))
        )
        off = float(np.degrees(rotations.angle_between(*frames)))
        if body.pose.source == REST and off > NOTED:
            found.append(f"{side} hand is bent or rolled by {off:.0f}° from the forearm at rest")
        palm = find_hand(skeleton, side).palm
        if palm != hand:
            found.append(f"{side} hand bends in {skeleton.names[palm]}")
        role = f"{side}Shoulder"
        if body.pose.source == REST and role in skeleton.roles:
            held = rotations.multiply(body.basis, rotations.conjugate(body.frames[role]))
            off = float(np.degrees(rotations.angle_between(held, q[skeleton.roles[role]])))
            if off > NOTED:
                found.append(f"{side} clavicle is held {off:.0f}° from where it rests")
    return found


def rest_pose_name(body: Anatomy) -> str:
    """A word for the pose a body was measured in, by the angle of the arms from hanging."""
    down = rotations.rotate(body.basis, [0.0, -1.0, 0.0])
    p, roles = body.pose.positions, body.skeleton.roles
    angles = []
    for side in SIDES:
        arm = p[roles[f"{side}LowerArm"]] - p[roles[f"{side}UpperArm"]]
        angles.append(np.degrees(np.arccos(np.clip(arm @ down / np.linalg.norm(arm), -1.0, 1.0))))
    if abs(angles[0] - angles[1]) > 25.0:
        return f"an uneven pose (arms {angles[0]:.0f}° and {angles[1]:.0f}° from hanging)"
    mean = float(np.mean(angles))
    word = "arms down" if mean < 25.0 else "an A-pose" if mean < 70.0 else "a T-pose" if mean < 110.0 else "arms up"
    return f"{word} (arms {mean:.0f}° from hanging)"


def is_same_body(a: Skeleton, b: Skeleton) -> bool:
    """Whether two skeletons are one body at rest: the same tree, positions, axes and roles."""
    if a is b:
        return True
    return (
        a.same_tree(b)
        and dict(a.roles) == dict(b.roles)
        and np.allclose(a.offsets, b.offsets, atol=1e-6)
        and np.allclose(a.rest_rotations, b.rest_rotations, atol=1e-6)
    )


def flat_foot_rotations(motion: Motion, body: Anatomy) -> dict[str, Floats]:
    """For feet and toes that stand tilted, by role: the rotation ``(4,)`` in their anatomical frames to flat.

    Toes are on the ground also when the heel is not; some captures have them flexed by 60° throughout.
    """
    frames = motion.performed_frames[:: max(round(motion.rate / RATE), 1)]
    if len(frames) < LEAST_FRAMES:
        return {}
    q, p = kinematics.forward(motion.rotations[frames], motion.translations[frames], motion.skeleton.parents)
    seconds = np.diff(frames) / motion.rate
    found = {}
    for side in SIDES:
        foot, length = p[:, motion.skeleton.roles[f"{side}Foot"]], body.lengths[f"{side}Leg"]
        height = foot[:, 1] - np.percentile(foot[:, 1], 10.0)
        slow = np.append(norms(np.diff(foot, axis=0)) / seconds < STILL * length, False)
        standing = slow & (height < LOW * length)
        for part, most in MOST_TILT.items():
            joint = motion.skeleton.roles.get(f"{side}{part}")
            if joint is None:
                continue
            frame = rotations.multiply(q[standing, joint], body.frames[f"{side}{part}"])
            tilted, share = _steady_tilt(rotations.rotate(rotations.conjugate(frame), UP), most)
            if share > 0.0:
                vector = share * rotations.to_rotation_vector(rotations.rotation_between(UP, tilted))
                found[f"{side}{part}"] = rotations.from_rotation_vector(vector)
    return found


def _steady_tilt(up: Floats, most: Floats) -> tuple[Floats, float]:
    """The mean of directions ``(N, 3)``, and 1 if they are nearly the same and lean a little, else 0.

    The share in between keeps a tilt near a limit from being levelled or not by rounding.
    """
    if len(up) < LEAST_FRAMES:
        return UP, 0.0
    mean = unit(up.mean(axis=0))
    apart = float(np.median(np.arccos(np.clip(up @ mean, -1.0, 1.0))))
    tilt = float(np.arccos(np.clip(mean[1], -1.0, 1.0)))
    steady, little = _passed(apart, STEADY), _passed(tilt, most)
    return mean, float((1.0 - steady) * _passed(tilt, LEAST_TILT) * (1.0 - little))


def _passed(value: float, limits: Floats) -> float:
    """How far a value has passed between two limits: 0 below the first, 1 above the second."""
    return float(smoothstep((value - limits[0]) / (limits[1] - limits[0])))
