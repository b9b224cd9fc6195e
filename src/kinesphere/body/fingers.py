"""Hand shapes: how far every finger is bent and spread, put on any skeleton that has fingers.

A shape is a row of angles, so that shapes mix by adding rows. Of each finger: flexion at the knuckle, the middle
and the end joint, and how far it points towards the thumb's side. Of the thumb, at its base: how far it points aside
from the hand's length, how far out of the palm's plane, and how far it is rolled to show its pad to the fingers
(opposition is all three); then flexion at its two other joints; last, no angle, how much it lies on the folded middle
finger, from 0 to 1: hands differ too much for angles to say that. Angles are what the hand looks like, not turns from
a rig's rest pose.

Axes come from the rest pose: along the hand to the middle knuckle, across the knuckles to the thumb's side, and out of
the palm. So joints' own axes, and fingers that are curled at rest, may be any.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import ArrayLike, Floats, floats
from kinesphere.motion.humanoid import FINGERS, SIDES
from kinesphere.motion.skeleton import Skeleton

FOUR = FINGERS[1:]
PARTS = ("Proximal", "Intermediate", "Distal")
THUMB_PARTS = ("Metacarpal", "Proximal", "Distal")
ANGLES = 4 * len(FOUR) + 6  # four of each finger, then six of the thumb
_ACROSS, _OUT = -0.80, 0.60  # a flexing thumb that is not rolled goes across the palm and somewhat out of it
_THICK = 0.79  # of knuckles' distance: from the middle of a finger to that of the thumb which lies on it
_LAID = np.radians(40.0)  # how far a thumb is turned at most so that it lies there


def _shape(index: Row, middle: Row, ring: Row, little: Row, thumb: tuple[float, ...], laid_on: float = 0.0) -> Floats:
    row = np.append(np.radians([*index, *middle, *ring, *little, *thumb]), laid_on)
    row.flags.writeable = False
    return row


Row = tuple[float, float, float, float]
# Degrees. Fingers: knuckle, middle, end, towards the thumb; thumb: aside, out of the palm, roll, middle, end, laid on.
HAND_SHAPES: Mapping[str, Floats] = MappingProxyType(
    {
        "relaxed": _shape((17, 24, 10, 3), (22, 30, 14, 1), (25, 33, 16, -2), (26, 33, 16, -7), (27, 24, 20, 12, 14)),
        "open": _shape((0, 3, 2, 11), (-2, 4, 2, 1), (0, 5, 3, -9), (0, 4, 3, -21), (48, 14, 5, 2, 0)),
        "fist": _shape((86, 116, 72, 0), (84, 115, 74, 0), (83, 112, 74, 1), (81, 107, 75, 3), (14, 52, 40, 37, 42), 1),
        "pointing": _shape((2, 5, 3, 1), (84, 115, 74, 0), (83, 112, 74, 1), (81, 107, 75, 3), (14, 52, 40, 37, 42), 1),
        "closed": _shape((4, 5, 3, -1), (3, 6, 3, 0), (4, 6, 3, 0.5), (6, 7, 4, 0.5), (14, 10, 15, 6, 6)),
        "thumb out": _shape((3, 4, 3, -1), (2, 5, 3, 0), (3, 5, 3, 0.5), (4, 6, 4, 0.5), (58, 8, 0, 0, -6)),
        "cupped": _shape((34, 24, 14, 1), (34, 27, 16, 0), (36, 28, 16, -2), (40, 28, 16, -4), (16, 30, 30, 12, 14)),
        "claw": _shape((-6, 66, 42, 12), (-6, 70, 44, 1), (-4, 70, 44, -10), (-2, 66, 42, -22), (44, 36, 25, 14, 48)),
        "grip": _shape((38, 46, 26, 3), (42, 48, 28, 1), (44, 46, 28, -2), (46, 44, 26, -5), (22, 56, 50, 8, 16)),
    }
)


class PalmFrame(NamedTuple):
    """A hand's unit directions in the rest pose's world."""

    along: Floats  # (3,) from the wrist to the middle knuckle
    across: Floats  # (3,) towards the thumb's side
    out: Floats  # (3,) out of the palm


def hand_shape(name: str) -> Floats:
    """The angles ``(22,)`` of a named shape, in radians."""
    if name not in HAND_SHAPES:
        raise ValueError(f"no hand shape is called {name!r}; there are: {', '.join(HAND_SHAPES)}")
    return HAND_SHAPES[name]


def mixed_shape(weights: Mapping[str, ArrayLike]) -> Floats:
    """Shapes added by weights ``(...)``; what is missing to 1 is the relaxed hand. Angles ``(..., 22)``."""
    total = HAND_SHAPES["relaxed"]
    for name, weight in weights.items():
        total = total + floats(weight)[..., None] * (hand_shape(name) - HAND_SHAPES["relaxed"])
    return total


def palm_frame(skeleton: Skeleton, side: str) -> PalmFrame:
    """Along, across and out of a hand, from its knuckles at rest."""
    if side not in SIDES:
        raise ValueError(f"side {side!r}; allowed: {', '.join(SIDES)}")
    last = next((finger for finger in ("Little", "Ring") if f"{side}{finger}Proximal" in skeleton.roles), "Little")
    needed = [f"{side}Hand", f"{side}IndexProximal", f"{side}MiddleProximal", f"{side}{last}Proximal"]
    missing = [role for role in needed if role not in skeleton.roles]
    if missing:
        raise ValueError(f"a hand's shape needs its fingers: {', '.join(missing)} missing in {skeleton!r}")
    place = skeleton.rest_world()[1]
    wrist, index, middle, little = (place[skeleton.roles[role]] for role in needed)
    along = _unit(middle - wrist)
    across = index - little
    across = _unit(across - (across @ along) * along)
    out = np.cross(along, across) * (1.0 if side == "left" else -1.0)
    return PalmFrame(along, across, out)


def hand_rotations(skeleton: Skeleton, side: str, angles: ArrayLike) -> dict[int, Floats]:
    """Local rotations ``(..., 4)`` of each finger joint, by index, for a hand with angles ``(..., 22)``.

    Fingers, or ends of them, that the skeleton does not have are left out.
    """
    given = floats(angles)
    if given.ndim == 0 or given.shape[-1] != ANGLES:
        raise ValueError(f"angles have shape {given.shape}; (..., {ANGLES}) is expected")
    if not np.isfinite(given).all():
        raise ValueError("angles must be finite")
    frame = palm_frame(skeleton, side)
    turns: dict[int, Floats] = {}
    for i, finger in enumerate(FOUR):
        turns |= _finger(skeleton, side, finger, frame, given[..., 4 * i : 4 * i + 4])
    turns |= _thumb(skeleton, side, frame, given[..., 4 * len(FOUR) :], _rest_for_thumb(skeleton, side, frame, turns))
    return {own: _local(skeleton, own, turn) for own, turn in turns.items()}


def _finger(skeleton: Skeleton, side: str, finger: str, frame: PalmFrame, angles: Floats) -> dict[int, Floats]:
    """Knuckle: spread about the palm's normal, then flexion; the others: flexion."""
    turns = {}
    before = frame.along
    for i, (own, way) in enumerate(_bones(skeleton, [f"{side}{finger}{part}" for part in PARTS])):
        bone = _unit(way)
        axis = _unit(np.cross(_flat(bone, frame), frame.out))
        turn = rotations.from_axis_angle(axis, angles[..., i] - _about(axis, before, bone))
        if i == 0:
            handed = np.cross(frame.along, frame.across)
            aside = angles[..., 3] - _about(handed, frame.along, _flat(bone, frame))
            turn = rotations.multiply(rotations.from_axis_angle(handed, aside), turn)
        turns[own] = turn
        before = bone
    return turns


def _thumb(skeleton: Skeleton, side: str, frame: PalmFrame, angles: Floats, rest: Floats | None) -> dict[int, Floats]:
    """Base: to its direction by the smallest turn, then rolled about it; the others: flexion.

    ``rest (..., 3)`` is where the middle of a thumb's end is that lies on folded fingers.
    """
    bones = _bones(skeleton, [f"{side}Thumb{part}" for part in THUMB_PARTS])
    turns = {}
    aside, palmar, roll = (angles[..., i, None] for i in range(3))
    level = np.cos(aside) * frame.along + np.sin(aside) * frame.across
    wanted = np.cos(palmar) * level + np.sin(palmar) * frame.out
    way = 1.0 if side == "left" else -1.0  # rolled, a thumb shows its pad to the fingertips
    before = np.zeros(3)
    for i, (own, length) in enumerate(bones):
        bone = _unit(length)
        if i == 0:
            turn = rotations.multiply(
                rotations.from_axis_angle(wanted, way * roll[..., 0]), rotations.between(bone, wanted)
            )
        else:
            pad = _ACROSS * frame.across + _OUT * frame.out
            axis = _unit(np.cross(bone, pad))
            turn = rotations.from_axis_angle(axis, angles[..., 2 + i] - _about(axis, before, bone))
        turns[own] = turn
        before = bone
    if rest is None or not bones:
        return turns
    base = bones[0][0]
    goal = rest - skeleton.rest_world()[1][base]
    laid = _laid(frame, _reach(turns, bones, 0.5), goal, angles[..., 5])
    return turns | {base: rotations.multiply(laid, turns[base])}


def _laid(frame: PalmFrame, reach: Floats, goal: Floats, share: Floats) -> Floats:
    """The turn of a thumb's base by which what it reaches lies in the goal's direction, and as high: first aside,
    then out of the palm, each as far as a thumb goes."""
    across, along, height = (np.sum(reach * way, axis=-1) for way in (frame.across, frame.along, frame.out))
    far = np.hypot(across, along)
    aside = np.arctan2(goal @ frame.across, goal @ frame.along) - np.arctan2(across, along)
    aside = share * np.clip(aside, -_LAID, _LAID)
    up = np.arcsin(np.clip(goal @ frame.out / np.hypot(height, far), -1.0, 1.0)) - np.arctan2(height, far)
    up = share * np.clip(up, -_LAID, _LAID)
    turn = rotations.from_axis_angle(np.cross(frame.along, frame.across), aside)
    level = rotations.rotate(turn, (along[..., None] * frame.along + across[..., None] * frame.across) / far[..., None])
    return rotations.multiply(rotations.from_axis_angle(np.cross(level, frame.out), up), turn)


def _rest_for_thumb(skeleton: Skeleton, side: str, frame: PalmFrame, turns: dict[int, Floats]) -> Floats | None:
    """Where a thumb lies that lies on the middle finger's middle phalanx; None where there is none.

    Flesh is not known here; but fingers are about as thick as their knuckles are apart.
    """
    bones = _bones(skeleton, [f"{side}Middle{part}" for part in PARTS])
    if len(bones) < 2:
        return None
    place, roles = skeleton.rest_world()[1], skeleton.roles
    apart = float(np.linalg.norm(place[roles[f"{side}IndexProximal"]] - place[roles[f"{side}MiddleProximal"]]))
    phalanx = place[bones[0][0]] + _reach(turns, bones[:2], 0.5)
    resting: Floats = phalanx + _THICK * apart * frame.out
    return resting


def _reach(turns: dict[int, Floats], bones: list[tuple[int, Floats]], share: float) -> Floats:
    """From a finger's first joint to a share of its last bone, in the rest pose's world ``(..., 3)``."""
    turned = turns[bones[0][0]]
    total = np.zeros(3)
    for i, (own, way) in enumerate(bones):
        turned = turned if i == 0 else rotations.multiply(turned, turns[own])
        total = total + rotations.rotate(turned, way * (share if i == len(bones) - 1 else 1.0))
    return total


def _bones(skeleton: Skeleton, roles: list[str]) -> list[tuple[int, Floats]]:
    """Joints of a finger that there are, with their bones at rest in the world."""
    place = skeleton.rest_world()[1]
    turned = skeleton.rest_world()[0]
    joints = [skeleton.roles[role] for role in roles if role in skeleton.roles]
    bones: list[tuple[int, Floats]] = []
    for i, own in enumerate(joints):
        tips = [tip.offset for tip in skeleton.tips if tip.joint == own]
        if i + 1 < len(joints):
            way = place[joints[i + 1]] - place[own]
        elif tips:
            way = rotations.rotate(turned[own], tips[0])
        else:
            way = bones[-1][1] if bones else place[own] - place[skeleton.parents[own]]
        bones.append((own, way))
    return bones


def _local(skeleton: Skeleton, own: int, turn: Floats) -> Floats:
    """The local rotation of a joint that is turned, as the rest pose's world sees it, while its parent rests."""
    turned = skeleton.rest_world()[0]
    above = turned[skeleton.parents[own]]
    return rotations.multiply(rotations.multiply(rotations.conjugate(above), turn), turned[own])


def _about(axis: Floats, start: Floats, end: Floats) -> float:
    """The angle about an axis from one direction to another."""
    a, b = start - (start @ axis) * axis, end - (end @ axis) * axis
    return float(np.arctan2(axis @ np.cross(a, b), a @ b))


def _flat(bone: Floats, frame: PalmFrame) -> Floats:
    level: Floats = bone - (bone @ frame.out) * frame.out
    return level if float(np.linalg.norm(level)) > 1e-3 else frame.along


def _unit(vector: Floats) -> Floats:
    unit: Floats = vector / max(float(np.linalg.norm(vector)), 1e-12)
    return unit
