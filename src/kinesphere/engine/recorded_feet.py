"""Feet of a performed recording: legs that bring them to where they are wanted, heels that rise where ankles are spent.

A leg is moved from how it was recorded in the world: its knee bends or straightens, and the leg turns by the smallest
rotation. So a knee stays over its foot, however the pelvis is turned. An ankle that was recorded bent keeps that; what
is added comes softly to the end of its range, and the foot rolls over its ball by the rest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.body import Body
from kinesphere.body.ground import runs
from kinesphere.body.limits import LimitedJoint, find_limited_joints
from kinesphere.engine.recorded_limbs import FRAME_WORK, Limb, recorded_rig
from kinesphere.maths import rotations, threads
from kinesphere.maths.filters import gaussian, smooth_envelope
from kinesphere.maths.vectors import Bools, Floats, norms, smoothstep
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised

HEEL_SMOOTH = 0.08  # seconds in which a heel comes up and goes down again
KNEE_SMOOTH = 0.03  # seconds of σ, over which what is added to knees is smoothed that are nearly straight
SWIVEL_SMOOTH = 0.05  # seconds of σ, over which swivels of legs are smoothed
ROLLS_LEVEL = (0.75, 0.97)  # cosine to its own axis between which a foot comes to roll about a level one
MISSED = 0.0016  # leg lengths that a foot is off for that, at most
NEARLY_STRAIGHT = np.radians([12.0, 40.0])  # of flexion: a knee is up to the first, and no longer from the second on
LEAST = 1e-9  # radians


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


class LegPaths(NamedTuple):
    """How a leg was recorded in the world, and where its hip and its foot are wanted."""

    uppers: Floats  # (T, 3) from the hip to the knee
    lowers: Floats  # (T, 3) from the knee to the ankle
    soles: Floats  # (T, 3) from the ankle to the ball
    thighs: Floats  # (T, 4)
    shins: Floats
    feet: Floats
    toes: Floats
    axes: Floats  # (T, 3) unit, about which the foot rolls over its ball
    pelvis: Floats  # (T, 4)
    carried: Floats  # (T, 4) the pelvis as it is now
    hips: Floats  # (T, 3) wanted
    ankles: Floats  # (T, 3)
    turned: Floats  # (T, 4) the foot


@memoised
def legs_of(body: Body) -> dict[str, Leg]:
    """A body's legs by side; what is detached is left out."""
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
        ankle = _hinge(limited[f"{side}Foot"])
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
    own = rotations.rotate(rotations.multiply(feet, leg.frame), np.array([1.0, 0.0, 0.0]))
    if leg.toes < 0:
        return own
    level = np.cross(np.array([0.0, 1.0, 0.0]), soles) / np.maximum(norms(soles), 1e-9)[:, None]
    share = smoothstep((np.sum(level * own, axis=1) - ROLLS_LEVEL[0]) / (ROLLS_LEVEL[1] - ROLLS_LEVEL[0]))[:, None]
    axes = (1.0 - share) * own + share * level / np.maximum(norms(level), 1e-9)[:, None]
    return np.asarray(axes / np.maximum(norms(axes), 1e-9)[:, None])


def place_foot(leg: Leg, paths: LegPaths, moved: Bools, rate: float, local: Floats, translations: Floats) -> None:
    """Bring a foot to where it is wanted, in the frames that are ``moved (T,)`` of poses that are changed in place."""
    count = len(local)
    paths = LegPaths(*(np.ascontiguousarray(row) for row in paths))
    heels, knees = np.empty(count), np.empty((count, 2))

    def raise_heels(part: slice) -> None:
        _native.recorded_legs.raise_heels(leg, _rows(paths, part), heels[part])

    def flex_knees(part: slice) -> None:
        _native.recorded_legs.flex_knees(leg, _rows(paths, part), heels[part], knees[part])

    def swivel_knees(part: slice) -> None:
        _native.recorded_legs.swivel_knees(leg, _rows(paths, part), heels[part], flexed[part], swivels[part])

    def place(part: slice) -> None:
        rows = heels[part], flexed[part], swivels[part], wanted[part], local[part], translations[part]
        _native.recorded_legs.place_leg(leg, _rows(paths, part), *rows)

    threads.share_frames(count, count * FRAME_WORK, raise_heels)
    heels = smooth_envelope(heels, HEEL_SMOOTH, rate)
    threads.share_frames(count, count * FRAME_WORK, flex_knees)
    flexed = knees[:, 1] + _calm_knees(knees, rate)
    swivels = np.empty(count)
    threads.share_frames(count, count * FRAME_WORK, swivel_knees)
    swivels = gaussian(swivels, SWIVEL_SMOOTH * rate, ends="reflect")
    wanted = _whole_bends(
        moved | (heels > LEAST) | (np.abs(flexed - knees[:, 1]) > LEAST) | (np.abs(swivels) > LEAST), leg, paths
    )
    threads.share_frames(count, count * FRAME_WORK, place)


def _calm_knees(knees: Floats, rate: float) -> Floats:
    """``(T,)`` radians that knees, flexed by ``knees (T, 2)`` as recorded and now, are flexed more to be calm.

    Near straight a millimetre is degrees of the knee: what was added to it is smoothed, but no foot is off by more than
    ``MISSED`` for that.
    """
    added, cosine = knees[:, 1] - knees[:, 0], np.cos(0.5 * knees[:, 1])
    straight = 1.0 - smoothstep((knees.min(axis=1) - NEARLY_STRAIGHT[0]) / np.ptp(NEARLY_STRAIGHT))
    calm = straight * (gaussian(added, KNEE_SMOOTH * rate, ends="reflect") - added)
    more = 2.0 * np.arccos(np.maximum(cosine - MISSED, -1.0)) - knees[:, 1]
    less = knees[:, 1] - 2.0 * np.arccos(np.minimum(cosine + MISSED, 1.0))
    room = np.maximum(np.where(calm > 0.0, more, less), 1e-12)
    return np.asarray(room * np.tanh(calm / room))


def _rows(paths: LegPaths, part: slice) -> LegPaths:
    return LegPaths(*(row[part] for row in paths))


def _whole_bends(moved: Bools, leg: Leg, paths: LegPaths) -> Bools:
    """Frames that are moved, and those around them in which the knee stays bent the wrong way round.

    It is bent the right way round where it is moved. From one to the other it goes where it is straight.
    """
    own = rotations.rotate(paths.thighs, leg.limb.hinge)
    wrong = np.sum(np.cross(paths.uppers, paths.lowers) * own, axis=1) < 0.0
    if wrong.any():
        for first, last in runs(wrong):
            if moved[first : last + 1].any():
                moved[first : last + 1] = True
    return moved
