"""Which of two like limbs is the left one: from where the body's front is. Never guessed.

The front is where toes point and knees bend. With up ``u`` from the hips to the chest and ``d`` from limb B to
limb A, ``d × u`` is forward if A is the left one (left is +X, up is +Y, forward is +Z), and backward if it is not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.motion.roles.body import Body
from kinesphere.motion.roles.limbs import Limb
from kinesphere.motion.skeleton import Skeleton

ENOUGH = 0.12  # a front weaker than this, of 1, decides nothing


@dataclass(frozen=True)
class Posture:
    """What poses say about a body."""

    legs_first_is_left: float  # -1 to 1: whether the first leg is the left one; about 0 is undecided
    arms_first_is_left: float
    on_all_fours: bool
    standing: bool  # whether legs point away from the trunk in these poses


def rest_ends(skeleton: Skeleton, rest: tuple[Floats, Floats]) -> dict[int, Floats]:
    """For joints with tips: where the tip is at rest, in the world."""
    return {tip.joint: rest[1][tip.joint] + rotations.rotate(rest[0][tip.joint], tip.offset) for tip in skeleton.tips}


def posture(body: Body, poses: Floats, ends: dict[int, Floats]) -> Posture:
    """Read poses ``(T, J, 3)``; ``ends`` are tips, in the one pose that is the rest pose."""
    legs, arms = body.legs, body.arms
    hip = 0.5 * (poses[:, legs[0].upper] + poses[:, legs[1].upper])  # (T, 3)
    chest = poses[:, body.torso[-1]]
    if body.head >= 0:
        chest = 0.5 * (chest + poses[:, body.head])
    up = _unit(chest - hip)
    down = _unit(_foot(poses, legs[0]) + _foot(poses, legs[1]) - 2.0 * hip)
    along = np.sum(up * down, axis=-1)
    standing = along < -0.4
    apart = poses[:, legs[0].upper] - poses[:, legs[1].upper]
    legs_score = _score(body, poses, ends, apart, up, standing)
    shoulders = poses[:, arms[0].upper] - poses[:, arms[1].upper]
    # The arms' sides follow the legs', as far as the two lines across the body agree.
    agree = np.sum(_unit(shoulders) * _unit(apart - up * np.sum(up * apart, axis=-1, keepdims=True)), axis=-1)
    agree = np.where(np.abs(agree) > 0.5, np.sign(agree), 0.0)
    return Posture(
        legs_first_is_left=float(np.mean(legs_score)),
        arms_first_is_left=float(np.mean(legs_score * agree)),
        on_all_fours=_on_all_fours(body, poses, down, along),
        standing=bool(np.mean(standing) > 0.5),
    )


def _score(body: Body, poses: Floats, ends: dict[int, Floats], apart: Floats, up: Floats, standing: Bools) -> Floats:
    """``(T,)``: how clearly the front says that the first leg is the left one."""
    forward = np.cross(apart, up)
    usable = standing & (np.linalg.norm(forward, axis=-1) > 0.02 * body.legs[0].length)
    forward = _unit(forward)
    total = np.zeros(len(poses))
    for leg in body.legs:
        foot, length = _foot(poses, leg), leg.length
        hip, knee = poses[:, leg.upper], poses[:, leg.lower]
        toe = _toe(leg, poses, ends)
        if toe is not None:
            ahead = np.sum((toe - foot) * forward, axis=-1)
            level = np.abs(ahead) > 0.3 * np.linalg.norm(toe - foot, axis=-1)  # what points down is no foot
            total += 0.5 * np.where(level, np.clip(ahead / (0.1 * length), -1.0, 1.0), 0.0)
        if leg.end >= 0:
            total += 0.3 * np.clip(np.sum(_bend(hip, knee, foot) * forward, axis=-1) / (0.03 * length), -1.0, 1.0)
    for arm in body.arms:
        bend = _bend(poses[:, arm.upper], poses[:, arm.lower], poses[:, arm.end])
        total -= 0.1 * np.clip(np.sum(bend * forward, axis=-1) / (0.03 * arm.length), -1.0, 1.0)
    return np.where(usable, np.clip(total, -1.0, 1.0), 0.0)


def _toe(leg: Limb, poses: Floats, ends: dict[int, Floats]) -> Floats | None:
    """Where a foot points to: its tip, or the toes where there is none."""
    for joint in (leg.after, leg.end):
        if joint in ends:
            return ends[joint][None]
    return poses[:, leg.after] if leg.after >= 0 else None


def _foot(poses: Floats, leg: Limb) -> Floats:
    place: Floats = poses[:, leg.end if leg.end >= 0 else leg.lower]
    return place


def _on_all_fours(body: Body, poses: Floats, down: Floats, along: Floats) -> bool:
    """Arms beside the legs and as far down, with the trunk across; hands with fingers are no paws."""
    if body.hands_have_fingers:
        return False
    first, second = body.arms
    hands = poses[:, first.end] - poses[:, first.upper] + poses[:, second.end] - poses[:, second.upper]
    beside = np.sum(_unit(hands) * down, axis=-1) > 0.7
    tops = 0.5 * (poses[:, body.legs[0].upper] + poses[:, body.legs[1].upper])
    foot_level = np.mean([np.sum((_foot(poses, leg) - tops) * down, axis=-1) for leg in body.legs], axis=0)
    hand_level = np.mean([np.sum((poses[:, arm.end] - tops) * down, axis=-1) for arm in body.arms], axis=0)
    return bool(np.mean(beside & (along > -0.6) & (hand_level > 0.7 * foot_level)) > 0.5)


def _bend(start: Floats, middle: Floats, end: Floats) -> Floats:
    """How far the middle is off the straight line."""
    line = end - start
    square = np.maximum(np.sum(line * line, axis=-1, keepdims=True), 1e-18)
    share = np.sum((middle - start) * line, axis=-1, keepdims=True) / square
    bend: Floats = middle - start - share * line
    return bend


def _unit(vectors: Floats) -> Floats:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    units: Floats = vectors / np.maximum(length, 1e-12)
    return units
