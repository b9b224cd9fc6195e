"""Hand shapes: how far every finger is bent and spread, put on any skeleton that has fingers.

A shape is a row of angles, so that shapes mix by adding rows. Of each finger: flexion at the knuckle, the middle
and the end joint, and how far it points towards the thumb's side. Of the thumb, at its base: how far it points aside
from the hand's length, how far out of the palm's plane, and how far it is rolled to show its pad to the fingers
(opposition is all three); then flexion at its two other joints. Angles are what the hand looks like, not turns from a
rig's rest pose.

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
ANGLES = 4 * len(FOUR) + 5  # four of each finger, then five of the thumb
_ACROSS, _OUT = -0.80, 0.60  # a flexing thumb that is not rolled goes across the palm and somewhat out of it


def _shape(index: Row, middle: Row, ring: Row, little: Row, thumb: tuple[float, ...]) -> Floats:
    row = np.radians([*index, *middle, *ring, *little, *thumb])
    row.flags.writeable = False
    return row


Row = tuple[float, float, float, float]
# Degrees. Fingers: knuckle, middle, end, towards the thumb; thumb: aside, out of the palm, roll, middle, end.
HAND_SHAPES: Mapping[str, Floats] = MappingProxyType(
    {
        "relaxed": _shape((17, 24, 10, 3), (22, 30, 14, 1), (25, 33, 16, -2), (26, 33, 16, -7), (27, 24, 20, 12, 14)),
        "open": _shape((0, 3, 2, 11), (-2, 4, 2, 1), (0, 5, 3, -9), (0, 4, 3, -21), (48, 14, 5, 2, 0)),
        "fist": _shape((86, 110, 76, -2), (90, 112, 78, 0), (90, 110, 76, 1), (88, 106, 74, 3), (22, 52, 42, 48, 52)),
        "pointing": _shape((2, 5, 3, 1), (88, 112, 78, 0), (89, 110, 76, 1), (88, 106, 74, 3), (20, 52, 44, 50, 54)),
        "closed": _shape((4, 5, 3, -4), (3, 6, 3, 0), (4, 6, 3, 3), (6, 7, 4, 7), (14, 10, 15, 6, 6)),
        "thumb out": _shape((3, 4, 3, -4), (2, 5, 3, 0), (3, 5, 3, 3), (4, 6, 4, 7), (58, 8, 0, 0, -6)),
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
    """The angles ``(21,)`` of a named shape, in radians."""
    if name not in HAND_SHAPES:
        raise ValueError(f"no hand shape is called {name!r}; there are: {', '.join(HAND_SHAPES)}")
    return HAND_SHAPES[name]


def mixed_shape(weights: Mapping[str, ArrayLike]) -> Floats:
    """Shapes added by weights ``(...)``; what is missing to 1 is the relaxed hand. Angles ``(..., 21)``."""
    total = HAND_SHAPES["relaxed"]
    for name, weight in weights.items():
        total = total + floats(weight)[..., None] * (hand_shape(name) - HAND_SHAPES["relaxed"])
    return total


def palm_frame(skeleton: Skeleton, side: str) -> PalmFrame:
    """Along, across and out of a hand, from its knuckles at rest."""
    if side not in SIDES:
        raise ValueError(f"side {side!r}; allowed: {', '.join(SIDES)}")
    needed = [f"{side}Hand", f"{side}IndexProximal", f"{side}MiddleProximal", f"{side}LittleProximal"]
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
    """Local rotations ``(..., 4)`` of each finger joint, by index, for a hand with angles ``(..., 21)``.

    Fingers, or ends of them, that the skeleton does not have are left out.
    """
    given = floats(angles)
    if given.ndim == 0 or given.shape[-1] != ANGLES:
        raise ValueError(f"angles have shape {given.shape}; (..., {ANGLES}) is expected")
    if not np.isfinite(given).all():
        raise ValueError("angles must be finite")
    frame = palm_frame(skeleton, side)
    result: dict[int, Floats] = {}
    for i, finger in enumerate(FOUR):
        result |= _finger(skeleton, side, finger, frame, given[..., 4 * i : 4 * i + 4])
    return result | _thumb(skeleton, side, frame, given[..., 4 * len(FOUR) :])


def _finger(skeleton: Skeleton, side: str, finger: str, frame: PalmFrame, angles: Floats) -> dict[int, Floats]:
    """Knuckle: spread about the palm's normal, then flexion; the others: flexion."""
    bones = _bones(skeleton, [f"{side}{finger}{part}" for part in PARTS])
    result = {}
    before = frame.along
    for i, (own, bone) in enumerate(bones):
        axis = _unit(np.cross(_flat(bone, frame), frame.out))
        turn = rotations.from_axis_angle(axis, angles[..., i] - _about(axis, before, bone))
        if i == 0:
            handed = np.cross(frame.along, frame.across)
            aside = angles[..., 3] - _about(handed, frame.along, _flat(bone, frame))
            turn = rotations.multiply(rotations.from_axis_angle(handed, aside), turn)
        result[own] = _local(skeleton, own, turn)
        before = bone
    return result


def _thumb(skeleton: Skeleton, side: str, frame: PalmFrame, angles: Floats) -> dict[int, Floats]:
    """Base: to its direction by the smallest turn, then rolled about it; the others: flexion."""
    bones = _bones(skeleton, [f"{side}Thumb{part}" for part in THUMB_PARTS])
    result = {}
    aside, palmar, roll = (angles[..., i, None] for i in range(3))
    level = np.cos(aside) * frame.along + np.sin(aside) * frame.across
    wanted = np.cos(palmar) * level + np.sin(palmar) * frame.out
    way = 1.0 if side == "left" else -1.0  # rolled, a thumb shows its pad to the fingertips
    before = np.zeros(3)
    for i, (own, bone) in enumerate(bones):
        if i == 0:
            turn = rotations.multiply(
                rotations.from_axis_angle(wanted, way * roll[..., 0]), rotations.between(bone, wanted)
            )
        else:
            pad = _ACROSS * frame.across + _OUT * frame.out
            axis = _unit(np.cross(bone, pad))
            turn = rotations.from_axis_angle(axis, angles[..., 2 + i] - _about(axis, before, bone))
        result[own] = _local(skeleton, own, turn)
        before = bone
    return result


def _bones(skeleton: Skeleton, roles: list[str]) -> list[tuple[int, Floats]]:
    """Joints of a finger that there are, with their bones' unit directions at rest."""
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
        bones.append((own, _unit(way)))
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
