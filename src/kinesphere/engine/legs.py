"""Legs: inverse kinematics from the hips to feet that are on the ground, peel off it or take steps.

A foot is given by the ball of its sole, its heading and its pitch about the ball. Knees point between the directions
of pelvis and foot.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.engine.batch import Batch
from kinesphere.engine.channels import ChannelCurves
from kinesphere.engine.pose import (
    ANKLE_OUT,
    FEET_AHEAD,
    SIGN,
    TURNED_OUT,
    BatchPose,
    LimbRest,
    figure_skeleton,
    limb_of,
    rotation_from_components,
)
from kinesphere.engine.proportions import HEIGHT, LEG
from kinesphere.maths import rotations, threads
from kinesphere.maths.interpolation import ramp
from kinesphere.maths.vectors import Floats, Ints, clip
from kinesphere.motion.gesture import Step
from kinesphere.motion.skeleton import Skeleton

LIFT = 0.16  # of a step's length: how high the foot goes
MOST_LIFT = 0.07  # metres
SOFT = np.radians(4.5)  # of flexion that a standing knee keeps
MOST_BENT = np.radians(44.0)  # of an ankle under the body's weight; heels rise where knees go farther ahead
HIPS_EARLY = 0.055  # seconds before a foot lands, that hips are between the feet: the leg that lands is not stretched
FRAME_WORK = 100  # numbers that a leg is worth when frames are shared among threads


def step_paths(batch: Batch, steps: Sequence[Sequence[Step]]) -> Floats | None:
    """``(5, F)`` the paths of feet that take the ``steps`` of each performance, see ``step_path``; None: no steps."""
    if not any(steps):
        return None
    path = np.zeros((5, len(batch)))
    for frames, own in zip(batch.slices, steps, strict=True):
        if own:
            path[:, frames] = step_path(batch.time[frames], own)
    return path


def solve_stance(pose: BatchPose, channels: ChannelCurves, side: str, path: Floats | None) -> None:
    """Legs of one side to feet in their stance, which peel, or take steps along ``path (5, F)``."""
    ankle, sole, ball_at_rest = _stance(pose.skeleton, side, pose.size)
    peel = channels[f"{side}.foot.peel"]
    if path is None:
        ball = np.broadcast_to(ball_at_rest, (len(peel), 3))
        heading = np.full(len(peel), SIGN[side] * TURNED_OUT)
        solve_leg(pose, side, ball, heading, peel, np.maximum(peel, 0.0), most_bent=MOST_BENT)
        return
    x, z, turn, up, pitch = path
    heading, peel, moved = SIGN[side] * TURNED_OUT + turn, peel + pitch, np.stack([x, up, z], axis=-1)
    # The ankle keeps its position in the stance while the foot turns about its ball.
    ball = ankle + pose.size * moved + rotations.rotate(rotation_from_components(y=heading), sole)
    solve_leg(pose, side, ball, heading, peel, np.maximum(peel, 0.0), most_bent=MOST_BENT)


@lru_cache(maxsize=32)
def _stance(skeleton: Skeleton, side: str, size: float) -> tuple[Floats, Floats, Floats]:
    """In the stance: an ankle, the offset from it to the ball of a foot that points ahead, and the ball."""
    position = skeleton.rest_world()[1]
    hip, ankle, ball = (position[skeleton.index(f"{side}{part}")] for part in ("UpperLeg", "Foot", "Toes"))
    figure = figure_skeleton(HEIGHT)
    wider = hip - size * figure.rest_world()[1][figure.index(f"{side}UpperLeg")]  # feet stand below the hip joints
    stance = np.array([SIGN[side] * ANKLE_OUT, 0.0, FEET_AHEAD]) * size + [wider[0], ankle[1], wider[2]]
    sole = ball - ankle
    return stance, sole, stance + rotations.rotate(rotation_from_components(y=SIGN[side] * TURNED_OUT), sole)


def leg_overreach(pose: BatchPose, shift: Floats, soft: float = SOFT) -> Floats:
    """``(F,)`` metres by which the hips, moved by ``shift (F, 3)``, would have to sink for both legs to reach their
    ankles with knees that keep ``soft`` radians.
    """
    skeleton, needed = pose.skeleton, np.zeros(len(pose.batch))
    for side in SIGN:
        lower, foot = (skeleton.index(f"{side}{part}") for part in ("LowerLeg", "Foot"))
        longest = float(np.cos(0.5 * soft) * (skeleton.bone_lengths[lower] + skeleton.bone_lengths[foot]))
        x, y, z = (pose.legs[side][:, 2] - pose.legs[side][:, 0] - shift).T
        needed = np.maximum(needed, -y - np.sqrt(np.maximum(longest * longest - x * x - z * z, 0.0)))
    return needed


class FootTargets(NamedTuple):
    """Feet of one side in every frame."""

    ball: Floats  # (F, 3) of the sole, in the world
    heading: Floats  # (F,) radians about the vertical
    pitch: Floats  # (F,) about the ball, heel up above zero
    toes: Floats  # (F,) bent up above zero


class FigureLeg(NamedTuple):
    """What does not change of one leg."""

    joints: Ints  # (4,) upper leg, lower leg, foot, toes
    hip: Floats  # (3,) offset of the upper leg
    ball: Floats  # (3,) offset of the toes
    limb: LimbRest


@lru_cache(maxsize=32)
def _leg_model(skeleton: Skeleton, side: str) -> FigureLeg:
    joints = np.array([skeleton.index(f"{side}{part}") for part in ("UpperLeg", "LowerLeg", "Foot", "Toes")])
    hip, ball = (np.array(skeleton.offsets[joint]) for joint in joints[[0, 3]])
    return FigureLeg(joints, hip, ball, limb_of(skeleton, side, "Leg").rest)


def solve_leg(
    pose: BatchPose,
    side: str,
    ball: Floats,
    heading: Floats,
    pitch: Floats,
    toes: Floats,
    *,
    most_bent: float = math.inf,
) -> None:
    """Write the rotations of one side's legs to their feet; see ``FootTargets``.

    Heels rise where ankles would bend more than by ``most_bent`` radians, and where a leg is too short for its foot.
    """
    pose.legs[side] = np.empty((len(ball), 3, 3))
    feet = FootTargets(*(np.ascontiguousarray(row) for row in (ball, heading, pitch, toes)))
    leg = _leg_model(pose.skeleton, side)

    def solve(rows: slice) -> None:
        own = FootTargets(*(row[rows] for row in feet))
        moved = pose.translations[rows], pose.local[rows], pose.legs[side][rows]
        _native.engine_legs.solve_leg(own, leg, most_bent, *moved)

    threads.share_frames(len(ball), len(ball) * FRAME_WORK, solve)


def stance_turned(side: str, turn: float) -> tuple[Floats, Floats]:
    """``(2,)`` where an ankle is in the stance, left and ahead in leg lengths, and where that is of a turned body."""
    x, z = SIGN[side] * ANKLE_OUT / LEG, FEET_AHEAD / LEG
    sine, cosine = math.sin(turn), math.cos(turn)
    return np.array([x, z]), np.array([cosine * x + sine * z, cosine * z - sine * x])


def step_path(time: Floats, steps: Sequence[Step]) -> Floats:
    """``(5, T)`` x, z, heading, height and pitch of a foot that takes steps, from its stance, on the figure."""
    x, z, heading, up, pitch = np.zeros((5, len(time)))
    at = np.zeros(3)
    for step in steps:
        to = np.array([LEG * step.x, LEG * step.z, step.turn])
        duration = step.land - step.lift
        going = ramp(time, step.lift + 0.12 * duration, step.land)
        x, z, heading = (now + going * change for now, change in zip((x, z, heading), to - at, strict=True))
        u = clip((time - step.lift) / duration, 0.0, 1.0)
        length = float(np.hypot(*(to - at)[:2])) + 0.1 * abs(float(to[2] - at[2]))
        up = up + min(LIFT * length, MOST_LIFT) * 64.0 * u**3 * (1.0 - u) ** 3
        pitch = pitch + min(2.2 * length, 0.5) * 64.0 * u**3 * (1.0 - u) ** 3
        at = to
    return np.stack([x, z, heading, up, pitch])
