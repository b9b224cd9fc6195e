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

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from kinesphere.maths import rotations
from kinesphere.maths.vectors import ArrayLike, Floats, Ints, as_floats
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


def blend_hand_shapes(weights: Mapping[str, ArrayLike]) -> Floats:
    """Shapes added by weights ``(...)``; what is missing to 1 is the relaxed hand. Angles ``(..., 22)``."""
    relaxed = HAND_SHAPES["relaxed"]
    if not weights:
        return relaxed
    rows = np.stack(np.broadcast_arrays(*(as_floats(weight) for weight in weights.values())), axis=-1)
    return np.asarray(relaxed + rows @ (np.array([hand_shape(name) for name in weights]) - relaxed))


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


def finger_rotations(skeleton: Skeleton, side: str, angles: ArrayLike) -> dict[int, Floats]:
    """Local rotations ``(..., 4)`` of each finger joint, by index, for a hand with angles ``(..., 22)``.

    Fingers, or ends of them, that the skeleton does not have are left out.
    """
    rig = hand_rig(skeleton, side)
    made = rig.rotations(angles)
    return {own: made[..., i, :] for i, own in enumerate(rig.joints)}


@dataclass(frozen=True, eq=False)
class HandRig:
    """One hand's joints made ready, so that many poses of it cost little.

    Attributes
    ----------
    joints
        Which joints are posed: those of the fingers and then the thumb's.
    columns, axes, rests
        Of each joint: which of the angles flexes it, about which axis, and its angle at rest.
    knuckles, spreads
        Of each finger's first joint: its place among the joints, and how far it points aside at rest.
    """

    side: str
    frame: PalmFrame
    own: Floats  # (joints, 4) rest rotations in the world
    above: Floats  # and those of what they hang on
    joints: tuple[int, ...]
    columns: Ints
    axes: Floats
    rests: Floats
    knuckles: Ints
    spreads: Floats
    spread_columns: Ints
    thumb: tuple[tuple[int, Floats], ...]  # joints and bones
    middle: tuple[tuple[int, Floats], ...]
    lies: Floats | None  # from the thumb's base, what is added to lie on the middle finger's middle phalanx

    @cached_property
    def plain(self) -> bool:
        """Whether all axes are the world's at rest."""
        return bool(np.all(np.abs(np.stack([self.own, self.above])[..., 0]) > 1.0 - 1e-15))

    def rotations(self, angles: ArrayLike) -> Floats:
        """Local rotations ``(..., joints, 4)`` at angles ``(..., 22)``."""
        given = as_floats(angles)
        if given.ndim == 0 or given.shape[-1] != ANGLES:
            raise ValueError(f"angles have shape {given.shape}; (..., {ANGLES}) is expected")
        if not np.isfinite(given).all():
            raise ValueError("angles must be finite")
        turns = rotations.from_rotation_vector(self.axes * (given[..., self.columns] - self.rests)[..., None])
        if len(self.knuckles):
            aside = given[..., self.spread_columns] - self.spreads
            handed = np.cross(self.frame.along, self.frame.across)
            spread = rotations.from_rotation_vector(handed * aside[..., None])
            turns[..., self.knuckles, :] = rotations.multiply(spread, turns[..., self.knuckles, :])
        if self.thumb:
            self._lay_thumb(turns, given[..., 4 * len(FOUR) :])
        if self.plain:
            return turns
        return rotations.multiply(rotations.multiply(rotations.conjugate(self.above), turns), self.own)

    def _lay_thumb(self, turns: Floats, angles: Floats) -> None:
        """The thumb's base: to its direction by the smallest turn, then rolled about it, then onto folded fingers."""
        frame = self.frame
        aside, palmar, roll = (angles[..., i, None] for i in range(3))
        level = np.cos(aside) * frame.along + np.sin(aside) * frame.across
        wanted = np.cos(palmar) * level + np.sin(palmar) * frame.out
        way = 1.0 if self.side == "left" else -1.0  # rolled, a thumb shows its pad to the fingertips
        base = self.joints.index(self.thumb[0][0])
        bone = _unit(self.thumb[0][1])
        turns[..., base, :] = rotations.multiply(
            rotations.from_rotation_vector(way * roll * wanted), rotations.rotation_between(bone, wanted)
        )
        if self.lies is None or not np.any(angles[..., 5]):
            return
        goal = self._reach(turns, self.middle[:2]) + self.lies
        laid = _laid(frame, self._reach(turns, self.thumb), goal, angles[..., 5])
        turns[..., base, :] = rotations.multiply(laid, turns[..., base, :])

    def _reach(self, turns: Floats, bones: Sequence[tuple[int, Floats]]) -> Floats:
        """From a finger's first joint to the middle of its last bone, in the rest pose's world ``(..., 3)``."""
        turned = np.zeros(4)
        total = np.zeros(3)
        for i, (own, way) in enumerate(bones):
            turn = turns[..., self.joints.index(own), :]
            turned = turn if i == 0 else rotations.multiply(turned, turn)
            total = total + rotations.rotate(turned, way * (0.5 if i == len(bones) - 1 else 1.0))
        return total


def hand_rig(skeleton: Skeleton, side: str) -> HandRig:
    """A hand made ready to be posed; remembered for as long as its skeleton is."""
    known = _RIGS.get((id(skeleton), side))
    if known is not None and known[0]() is skeleton:
        return known[1]
    rig = _hand_rig(skeleton, side)
    key = (id(skeleton), side)
    _RIGS[key] = (weakref.ref(skeleton, lambda _, rigs=_RIGS: rigs.pop(key, None)), rig)  # type: ignore[misc]
    return rig


_RIGS: dict[tuple[int, str], tuple[weakref.ref[Skeleton], HandRig]] = {}


def _hand_rig(skeleton: Skeleton, side: str) -> HandRig:
    frame = palm_frame(skeleton, side)
    joints: list[int] = []
    columns: list[int] = []
    axes: list[Floats] = []
    rests: list[float] = []
    knuckles: list[int] = []
    spreads: list[float] = []
    spread_columns: list[int] = []
    handed = np.cross(frame.along, frame.across)
    for f, finger in enumerate(FOUR):
        before = frame.along
        for i, (own, way) in enumerate(_bones(skeleton, [f"{side}{finger}{part}" for part in PARTS])):
            bone = _unit(way)
            axis = _unit(np.cross(_flat(bone, frame), frame.out))
            if i == 0:
                knuckles.append(len(joints))
                spreads.append(_about(handed, frame.along, _flat(bone, frame)))
                spread_columns.append(4 * f + 3)
            joints.append(own)
            columns.append(4 * f + i)
            axes.append(axis)
            rests.append(_about(axis, before, bone))
            before = bone
    thumb = tuple(_bones(skeleton, [f"{side}Thumb{part}" for part in THUMB_PARTS]))
    pad = _ACROSS * frame.across + _OUT * frame.out
    before = np.zeros(3)
    for i, (own, way) in enumerate(thumb):
        bone = _unit(way)
        axis = _unit(np.cross(bone, pad))
        joints.append(own)
        columns.append(4 * len(FOUR) + (2 + i if i else 0))
        axes.append(axis)
        rests.append(_about(axis, before, bone) if i else 0.0)
        before = bone
    middle = tuple(_bones(skeleton, [f"{side}Middle{part}" for part in PARTS]))
    turned = skeleton.rest_world()[0]
    return HandRig(
        side,
        frame,
        turned[joints],
        turned[skeleton.parents[joints]],
        tuple(joints),
        np.array(columns, dtype=np.intp),
        np.array(axes).reshape(-1, 3),
        np.array(rests),
        np.array(knuckles, dtype=np.intp),
        np.array(spreads),
        np.array(spread_columns, dtype=np.intp),
        thumb,
        middle,
        _lying(skeleton, side, frame, thumb[0][0], middle[0][0]) if thumb and len(middle) > 1 else None,
    )


def _lying(skeleton: Skeleton, side: str, frame: PalmFrame, thumb: int, middle: int) -> Floats:
    """From the thumb's base, where it lies on a middle phalanx that is at the middle knuckle.

    Flesh is not known here; but fingers are about as thick as their knuckles are apart.
    """
    place, roles = skeleton.rest_world()[1], skeleton.roles
    apart = float(np.linalg.norm(place[roles[f"{side}IndexProximal"]] - place[roles[f"{side}MiddleProximal"]]))
    return np.asarray(place[middle] - place[thumb] + _THICK * apart * frame.out)


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
