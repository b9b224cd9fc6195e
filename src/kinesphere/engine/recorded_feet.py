"""Feet of a performed recording: legs that bring them to where they are wanted, heels that rise where ankles are spent.

A leg is moved from how it was recorded in the world: its knee bends or straightens, and the leg turns by the smallest
rotation. So a knee stays over its foot, however the pelvis is turned. An ankle that was recorded bent keeps that; what
is added comes softly to the end of its range, and the foot rolls over its ball by the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.body import Body
from kinesphere.body.joint_subset import SubsetPose
from kinesphere.body.limits import LimitedJoint, find_limited_joints
from kinesphere.engine.recorded_limbs import Limb, recorded_rig
from kinesphere.maths import rotations, threads
from kinesphere.maths.filters import frame_count, reflected_weights
from kinesphere.maths.vectors import Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised

HEEL_SMOOTH = 0.08  # seconds in which a heel comes up and goes down again
KNEE_SMOOTH = 0.03  # seconds of σ, over which what is added to knees is smoothed that are nearly straight
SWIVEL_SMOOTH = 0.05  # seconds of σ, over which swivels of legs are smoothed
LEG_WORK = 750  # numbers that a leg in one frame is worth when legs are shared among threads


class LimitedHinge(NamedTuple):
    """How far a joint is bent in the joint above it, for native loops; see ``body.limits.LimitedJoint``."""

    before: Floats  # (4,) rest rotations in the world: of the joint above, of its own
    after: Floats
    bone: Floats  # (3,) at rest: its direction, that of flexion 0, and the one that it flexes to
    neutral: Floats
    forward: Floats
    least: float  # radians
    greatest: float

    def flexion(self, above: Floats, own: Floats) -> Floats:
        """``(T,)`` radians of joints turned by ``own (T, 4)`` in the world, below ones turned by ``above``."""
        turned = rotations.multiply(
            rotations.conjugate(above), rotations.multiply(own, rotations.conjugate(self.after))
        )
        way = rotations.rotate(rotations.multiply(self.before, turned), self.bone)
        return np.asarray(np.arctan2(way @ self.forward, way @ self.neutral))


_NO_TURN, _DOWN, _AHEAD = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, -1.0, 0.0]), np.array([0.0, 0.0, 1.0])
UNLIMITED = LimitedHinge(_NO_TURN, _NO_TURN, _DOWN, _DOWN, _AHEAD, -np.pi, np.pi)  # of a foot that no leg carries


class LimitedTwist(NamedTuple):
    """How far a joint is turned about its bone in the joint above it, likewise."""

    before: Floats  # (4,)
    after: Floats
    bone: Floats  # (3,)
    least: float  # radians
    greatest: float


class Leg(NamedTuple):
    """A leg with its foot, for native loops."""

    limb: Limb
    toes: int  # -1: none
    frame: Floats  # (4,) from the foot's own axes to its anatomical ones
    hip: LimitedTwist
    ankle: LimitedHinge
    ball: LimitedHinge

    def is_detached(self, body: Body) -> bool:
        """Whether its foot is not carried by it, as in rigs whose feet are targets of its own."""
        joint = self.limb.end
        while joint >= 0 and joint != self.limb.lower:
            joint = int(body.skeleton.parents[joint])
        return joint < 0


class LegRows(NamedTuple):
    """Where a leg's joints are among those in the world, for native loops."""

    hips: int
    upper: int
    lower: int
    foot: int
    toes: int  # of the foot, where it has none


class WorldPose(NamedTuple):
    """Joints in the world, for native loops."""

    q: Floats  # (T, K, 4)
    p: Floats  # (T, K, 3)


class Standing(NamedTuple):
    """Where a foot is wanted."""

    ankles: Floats  # (T, 3)
    turned: Floats  # (T, 4) the foot
    about: Floats  # (T,) radians to the left by which its leg goes with it
    grounded: Floats  # (T,) how far it stands: in the air it rolls about its ankle, and not over its ball


class LegSmoothing(NamedTuple):
    """How smooth in time legs are moved."""

    heels: int  # frames in which a heel comes up, and goes down again
    knees: Floats  # weights of what is added to knees that are nearly straight
    swivels: Floats  # weights of swivels


@memoised
def legs_of(body: Body) -> dict[str, Leg]:
    """A body's legs by side; those without their shins are left out."""
    limited = {joint.role: joint for joint in find_limited_joints(body.skeleton)}
    limbs, made = recorded_rig(body).limbs, {}
    for side in SIDES:
        limb = limbs.get(f"{side}Leg")
        if limb is None:
            continue
        toes = body.roles.get(f"{side}Toes", -1)
        if toes >= 0 and int(body.skeleton.parents[toes]) != limb.end:
            toes = -1
        upper = limited[f"{side}UpperLeg"]
        before, after, bone = (np.ascontiguousarray(row) for row in (upper.before, upper.after, upper.bone))
        hip = LimitedTwist(before, after, bone, *upper.limit.twist)
        ankle = _hinge(limited[f"{side}Foot"]) if f"{side}Foot" in limited else UNLIMITED
        ball = ankle if toes < 0 else _hinge(limited[f"{side}Toes"])
        made[side] = Leg(limb, toes, np.ascontiguousarray(body.anatomy.frames[f"{side}Foot"]), hip, ankle, ball)
    return made


def _hinge(joint: LimitedJoint) -> LimitedHinge:
    before, after = np.ascontiguousarray(joint.before), np.ascontiguousarray(joint.after)
    bone, neutral, forward = (np.ascontiguousarray(row) for row in (joint.bone, joint.neutral, joint.forward))
    return LimitedHinge(before, after, bone, neutral, forward, *joint.limit.flexion)


def roll_axes(leg: Leg, feet: Floats, soles: Floats) -> Floats:
    """``(T, 3)`` axes about which feet, turned by ``feet (T, 4)``, roll over balls ``soles (T, 3)`` away from ankles.

    They are level, and square to the foot: a heel that rises does not slide aside. A foot that stands on its toes, or
    on its side, rolls about its own axis.
    """
    axes = np.empty(soles.shape)
    _native.recorded_legs.roll_axes(leg, np.ascontiguousarray(feet), np.ascontiguousarray(soles), axes)
    return axes


def place_legs(
    legs: Mapping[str, Leg],
    hips: int,
    before: SubsetPose,
    after: SubsetPose,
    standing: Mapping[str, Standing],
    rate: float,
    local: Floats,
    translations: Floats,
) -> None:
    """Bring legs to where their feet are wanted, in poses that are changed in place.

    ``before`` and ``after`` are joints in the world, as recorded and as they are, the hips among them.
    """
    count, rows = len(local), before.part.rows
    was, now = (WorldPose(*(np.ascontiguousarray(row) for row in own[:2])) for own in (before, after))
    knees, swivels = (reflected_weights(sigma * rate, count) for sigma in (KNEE_SMOOTH, SWIVEL_SMOOTH))
    smoothing = LegSmoothing(frame_count(HEEL_SMOOTH, rate), knees, swivels)

    def place(sides: Sequence[str]) -> None:
        for side in sides:
            limb, toes = legs[side].limb, legs[side].toes
            joints = limb.upper, limb.lower, limb.end, toes if toes >= 0 else limb.end
            own = LegRows(rows[hips], *(rows[joint] for joint in joints))
            wanted = Standing(*(np.ascontiguousarray(row) for row in standing[side]))
            _native.recorded_legs.place_leg(legs[side], own, was, now, wanted, smoothing, local, translations)

    names = list(standing)
    threads.share_frames(len(names), len(names) * count * LEG_WORK, lambda part: place(names[part]))
