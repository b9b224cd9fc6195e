"""Hand shapes: finger poses as rows of angles, for any skeleton that has fingers.

A shape is a row of 22 angles, so shapes are blended by adding rows. Each finger has flexion at the knuckle, the middle
and the end joint, and an angle towards the thumb's side. The thumb has, at its base, an angle aside from the hand's
length, an angle out of the palm's plane, and a roll that shows its pad to the fingers (opposition is all three); then
flexion at its two other joints. The last number is no angle but a weight from 0 to 1: how much the thumb rests on the
folded middle finger, which no angles give on all hands. Angles describe how the hand looks, not rotations from a rig's
rest pose.

Axes come from the rest pose: along the hand to the middle knuckle, across the knuckles to the thumb's side, and out of
the palm. So joint axes, and fingers that are flexed at rest, may be any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kinesphere.maths import rotations
from kinesphere.maths.vectors import ArrayLike, Floats, Ints, as_floats, norms, reject, unit
from kinesphere.motion.humanoid import FINGERS, SIDES
from kinesphere.motion.skeleton import Skeleton

FOUR = FINGERS[1:]
PARTS = ("Proximal", "Intermediate", "Distal")
THUMB_PARTS = ("Metacarpal", "Proximal", "Distal")
ANGLES = 4 * len(FOUR) + 6  # four of each finger, then six of the thumb
_ACROSS, _OUT = -0.80, 0.60  # a flexing thumb that is not rolled moves across the palm and somewhat out of it
_THICKNESS = 0.79  # of the knuckles' distance: from the centre line of a finger to that of the thumb resting on it
_LAID = np.radians(40.0)  # the largest rotation of a thumb's base by which it comes to rest on the fingers


def _shape(index: Row, middle: Row, ring: Row, little: Row, thumb: tuple[float, ...], resting: float = 0.0) -> Floats:
    row = np.append(np.radians([*index, *middle, *ring, *little, *thumb]), resting)
    row.flags.writeable = False
    return row


Row = tuple[float, float, float, float]
# Degrees. Fingers: knuckle, middle, end, towards the thumb. Thumb: aside, out of the palm, roll, middle, end; resting.
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


def blend_hand_shapes(weights: Mapping[str, ArrayLike]) -> Floats:
    """Angles ``(..., 22)`` of shapes blended by weights ``(...)``; the remainder to 1 is the relaxed hand."""
    relaxed = HAND_SHAPES["relaxed"]
    if not weights:
        return relaxed
    rows = np.stack(np.broadcast_arrays(*(as_floats(weight) for weight in weights.values())), axis=-1)
    return np.asarray(relaxed + rows @ (np.array([hand_shape(name) for name in weights]) - relaxed))


def palm_frame(skeleton: Skeleton, side: str) -> PalmFrame:
    """The directions along, across and out of a hand, from its knuckles at rest."""
    if side not in SIDES:
        raise ValueError(f"side {side!r}; allowed: {', '.join(SIDES)}")
    last = next((finger for finger in ("Little", "Ring") if f"{side}{finger}Proximal" in skeleton.roles), "Little")
    needed = [f"{side}Hand", f"{side}IndexProximal", f"{side}MiddleProximal", f"{side}{last}Proximal"]
    missing = [role for role in needed if role not in skeleton.roles]
    if missing:
        raise ValueError(f"a hand's shape needs its fingers: {', '.join(missing)} missing in {skeleton}")
    p = skeleton.rest_world()[1]
    wrist, index, middle, little = (p[skeleton.roles[role]] for role in needed)
    along = unit(middle - wrist)
    across = unit(reject(index - little, along))
    out = np.cross(along, across) * (1.0 if side == "left" else -1.0)
    return PalmFrame(along, across, out)


def finger_rotations(skeleton: Skeleton, side: str, angles: ArrayLike) -> dict[int, Floats]:
    """Local rotations ``(..., 4)`` of each finger joint, by index, for a hand with angles ``(..., 22)``.

    Fingers, or ends of them, that the skeleton does not have are left out.
    """
    rig = hand_rig(skeleton, side)
    local = rig.rotations(angles)
    return {joint: local[..., i, :] for i, joint in enumerate(rig.joints)}


@dataclass(frozen=True, eq=False)
class HandRig:
    """One hand's joints with everything that poses need, so that many poses cost little.

    Attributes
    ----------
    joints
        Which joints are posed: those of the fingers, then the thumb's.
    columns, axes, rests
        For each joint: which of the angles flexes it, about which axis, and its angle at rest.
    knuckles, spreads, spread_columns
        For each finger's first joint: its index among the joints, its angle towards the thumb at rest, and which of
        the angles spreads it.
    """

    side: str
    frame: PalmFrame
    own: Floats  # (joints, 4) rest rotations in the world
    above: Floats  # (joints, 4) those of their parents
    joints: tuple[int, ...]
    columns: Ints
    axes: Floats
    rests: Floats
    knuckles: Ints
    spreads: Floats
    spread_columns: Ints
    thumb: tuple[tuple[int, Floats], ...]  # joints and their bones (3,)
    middle: tuple[tuple[int, Floats], ...]  # the same of the middle finger
    thumb_rest_offset: (
        Floats | None
    )  # (3,) from the thumb's base to where it rests, for a middle phalanx at the middle knuckle

    @cached_property
    def plain(self) -> bool:
        """Whether all joint axes are the world's at rest."""
        return bool(np.all(np.abs(np.stack([self.own, self.above])[..., 0]) > 1.0 - 1e-15))

    def rotations(self, angles: ArrayLike) -> Floats:
        """Local rotations ``(..., joints, 4)`` at angles ``(..., 22)``."""
        given = as_floats(angles)
        if given.ndim == 0 or given.shape[-1] != ANGLES:
            raise ValueError(f"angles have shape {given.shape}; (..., {ANGLES}) is expected")
        if not np.isfinite(given).all():
            raise ValueError("angles must be finite")
        q = rotations.from_rotation_vector(self.axes * (given[..., self.columns] - self.rests)[..., None])
        if len(self.knuckles):
            aside = given[..., self.spread_columns] - self.spreads
            axis = np.cross(self.frame.along, self.frame.across)
            spread = rotations.from_rotation_vector(axis * aside[..., None])
            q[..., self.knuckles, :] = rotations.multiply(spread, q[..., self.knuckles, :])
        if self.thumb:
            self._pose_thumb_base(q, given[..., 4 * len(FOUR) :])
        if self.plain:
            return q
        return rotations.multiply(rotations.multiply(rotations.conjugate(self.above), q), self.own)

    def _pose_thumb_base(self, q: Floats, angles: Floats) -> None:
        """Rotate the thumb's base: to its direction by the smallest rotation, roll it, rest it on folded fingers.

        ``q (..., joints, 4)`` are changed in place; ``angles (..., 6)`` are the thumb's.
        """
        frame = self.frame
        aside, palmar, roll = (angles[..., i, None] for i in range(3))
        level = np.cos(aside) * frame.along + np.sin(aside) * frame.across
        direction = np.cos(palmar) * level + np.sin(palmar) * frame.out
        sign = 1.0 if self.side == "left" else -1.0  # rolled, a thumb shows its pad to the fingertips
        base = self.joints.index(self.thumb[0][0])
        q[..., base, :] = rotations.multiply(
            rotations.from_rotation_vector(sign * roll * direction),
            rotations.rotation_between(unit(self.thumb[0][1]), direction),
        )
        if self.thumb_rest_offset is None or not np.any(angles[..., 5]):
            return
        goal = self._last_bone_centre(q, self.middle[:2]) + self.thumb_rest_offset
        resting = _rest_thumb(frame, self._last_bone_centre(q, self.thumb), goal, angles[..., 5])
        q[..., base, :] = rotations.multiply(resting, q[..., base, :])

    def _last_bone_centre(self, q: Floats, bones: Sequence[tuple[int, Floats]]) -> Floats:
        """From a finger's first joint to the middle of its last bone, in the rest pose's world ``(..., 3)``."""
        centre = np.zeros(3)
        rotation = rotations.identity()
        for i, (joint, bone) in enumerate(bones):
            own = q[..., self.joints.index(joint), :]
            rotation = own if i == 0 else rotations.multiply(rotation, own)
            centre = centre + rotations.rotate(rotation, bone * (0.5 if i == len(bones) - 1 else 1.0))
        return centre


def hand_rig(skeleton: Skeleton, side: str) -> HandRig:
    """The rig of one hand; kept for as long as its skeleton is."""
    known = _rigs.setdefault(skeleton, {})
    if side not in known:
        known[side] = _make_rig(skeleton, side)
    return known[side]


_rigs: WeakKeyDictionary[Skeleton, dict[str, HandRig]] = WeakKeyDictionary()


class _FlexedJoint(NamedTuple):
    """One joint of a rig: which angle flexes it, about which axis, and that angle at rest."""

    joint: int
    column: int
    axis: Floats
    rest: float


def _make_rig(skeleton: Skeleton, side: str) -> HandRig:
    frame = palm_frame(skeleton, side)
    fingers = [_bones(skeleton, [f"{side}{finger}{part}" for part in PARTS]) for finger in FOUR]
    thumb, middle = tuple(_bones(skeleton, [f"{side}Thumb{part}" for part in THUMB_PARTS])), tuple(fingers[1])
    flexed: list[_FlexedJoint] = []
    knuckles: list[tuple[int, float, int]] = []  # index among the joints, angle aside at rest, column
    for f, bones in enumerate(fingers):
        if bones:
            aside = _angle_about(np.cross(frame.along, frame.across), frame.along, _in_palm_plane(bones[0][1], frame))
            knuckles.append((len(flexed), aside, 4 * f + 3))
        flexed += _finger_joints(bones, frame, 4 * f)
    flexed += _thumb_joints(thumb, frame)
    joints = [one.joint for one in flexed]
    rest = skeleton.rest_world()[0]
    return HandRig(
        side,
        frame,
        own=rest[joints],
        above=rest[skeleton.parents[joints]],
        joints=tuple(joints),
        columns=np.array([one.column for one in flexed], dtype=np.intp),
        axes=np.array([one.axis for one in flexed]).reshape(-1, 3),
        rests=np.array([one.rest for one in flexed]),
        knuckles=np.array([index for index, _, _ in knuckles], dtype=np.intp),
        spreads=np.array([aside for _, aside, _ in knuckles]),
        spread_columns=np.array([column for _, _, column in knuckles], dtype=np.intp),
        thumb=thumb,
        middle=middle,
        thumb_rest_offset=_resting_offset(skeleton, side, frame, thumb[0][0], middle[0][0])
        if thumb and len(middle) > 1
        else None,
    )


def _finger_joints(bones: Sequence[tuple[int, Floats]], frame: PalmFrame, first: int) -> list[_FlexedJoint]:
    """A finger's joints, flexed towards the palm; ``first`` is the column of its knuckle."""
    found, before = [], frame.along
    for i, (joint, bone) in enumerate(bones):
        axis, direction = unit(np.cross(_in_palm_plane(bone, frame), frame.out)), unit(bone)
        found.append(_FlexedJoint(joint, first + i, axis, _angle_about(axis, before, direction)))
        before = direction
    return found


def _thumb_joints(bones: Sequence[tuple[int, Floats]], frame: PalmFrame) -> list[_FlexedJoint]:
    """The thumb's joints; its base is rotated by other rules, and has a column only to have one."""
    found, before = [], np.zeros(3)
    for i, (joint, bone) in enumerate(bones):
        direction = unit(bone)
        axis = unit(np.cross(direction, _ACROSS * frame.across + _OUT * frame.out))
        rest = _angle_about(axis, before, direction) if i else 0.0
        found.append(_FlexedJoint(joint, 4 * len(FOUR) + (2 + i if i else 0), axis, rest))
        before = direction
    return found


def _bones(skeleton: Skeleton, roles: Sequence[str]) -> list[tuple[int, Floats]]:
    """Those joints of a finger that the skeleton has, with their bones at rest in the world."""
    q, p = skeleton.rest_world()
    joints = [skeleton.roles[role] for role in roles if role in skeleton.roles]
    bones: list[tuple[int, Floats]] = []
    for i, joint in enumerate(joints):
        tips = [tip.offset for tip in skeleton.tips if tip.joint == joint]
        if i + 1 < len(joints):
            bone = p[joints[i + 1]] - p[joint]
        elif tips:
            bone = rotations.rotate(q[joint], tips[0])
        else:
            bone = bones[-1][1] if bones else p[joint] - p[skeleton.parents[joint]]
        bones.append((joint, bone))
    return bones


def _resting_offset(skeleton: Skeleton, side: str, frame: PalmFrame, thumb: int, middle: int) -> Floats:
    """From the thumb's base to where the thumb rests on a middle phalanx that is at the middle knuckle.

    The skin is not known here, but fingers are about as thick as their knuckles are apart.
    """
    p, roles = skeleton.rest_world()[1], skeleton.roles
    apart = float(np.linalg.norm(p[roles[f"{side}IndexProximal"]] - p[roles[f"{side}MiddleProximal"]]))
    return np.asarray(p[middle] - p[thumb] + _THICKNESS * apart * frame.out)


def _rest_thumb(frame: PalmFrame, tip: Floats, goal: Floats, weight: Floats) -> Floats:
    """The rotation ``(..., 4)`` of a thumb's base that brings its tip in the goal's direction, and as high.

    ``tip`` and ``goal`` ``(..., 3)`` are relative to the base. First aside, then out of the palm, each up to a limit.
    """
    across, along, height = (np.sum(tip * axis, axis=-1) for axis in (frame.across, frame.along, frame.out))
    level_distance = np.hypot(across, along)
    aside = np.arctan2(goal @ frame.across, goal @ frame.along) - np.arctan2(across, along)
    aside = weight * np.clip(aside, -_LAID, _LAID)
    up = np.arcsin(np.clip(goal @ frame.out / np.hypot(height, level_distance), -1.0, 1.0))
    up = weight * np.clip(up - np.arctan2(height, level_distance), -_LAID, _LAID)
    rotation = rotations.from_axis_angle(np.cross(frame.along, frame.across), aside)
    level = (along[..., None] * frame.along + across[..., None] * frame.across) / level_distance[..., None]
    axis = np.cross(rotations.rotate(rotation, level), frame.out)
    return rotations.multiply(rotations.from_axis_angle(axis, up), rotation)


def _angle_about(axis: Floats, start: Floats, end: Floats) -> float:
    """The angle about an axis from one direction to another."""
    a, b = reject(start, axis), reject(end, axis)
    return float(np.arctan2(axis @ np.cross(a, b), a @ b))


def _in_palm_plane(bone: Floats, frame: PalmFrame) -> Floats:
    """A bone's direction projected into the palm's plane; along the hand where it is perpendicular to that."""
    level = reject(unit(bone), frame.out)
    return level if float(norms(level)) > 1e-3 else frame.along
