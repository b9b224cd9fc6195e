"""Calibration poses that were inserted into a recording and are not marked: found by leaps, and by what poses they are.

A T-pose, an A-pose or the skeleton's own rest pose stands in one frame or a few, at the start, at the end or between.
The body leaps into it and out of it: from one frame to the next it turns much more than in the frames around. Somebody
who stretches the arms comes there and leaves smoothly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinesphere.body.body import Body, body_of
from kinesphere.body.standing_rest import with_standing_rest
from kinesphere.engine.recorded_poses import recorded_subset
from kinesphere.maths import rotations
from kinesphere.maths.kinematics import forward
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion

LEAP = np.radians(15.0)  # by which some joint turns at least where the body leaps
SUDDEN = 2.5  # times the turns of the frames around it
PASSED = 0.75  # of the turns into a pose and out of it that lie between the frames around one that is passed through
AROUND = 3  # frames
SLOWEST_RATE = 12.0  # frames a second: slower ones leap everywhere
STILL = np.radians(1.0)  # from one frame to the next of a pose that lasts
AT_REST = np.radians(3.0)  # from the rest pose
RESTING = 0.9  # of the joints, in a rest pose
STRAIGHT, UPRIGHT = np.radians(12.0), np.radians(10.0)  # of limbs and the trunk
ARMS, LEGS = np.radians((-12.0, 60.0)), np.radians(25.0)  # below the horizontal; from the vertical, standing astride
ALIKE = np.radians(8.0)  # between both arms, and from the frontal plane


@memoised
def with_inserted_marked(motion: Motion) -> Motion:
    """The motion with inserted poses among its calibration frames; the same object where there are no other ones."""
    found = sorted({*inserted_frames(motion), *motion.calibration_frames})
    if len(found) in (len(motion.calibration_frames), len(motion)):
        return motion
    return replace(motion, calibration_frames=tuple(found))


def describe_frames(frames: Sequence[int]) -> str:
    """Frames in order as a reader would write them: ``0-3, 57``."""
    numbers = np.asarray(frames, dtype=int)
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return ", ".join(f"{own[0]}-{own[-1]}" if len(own) > 1 else str(own[0]) for own in runs if len(own))


def tell_inserted(frames: Sequence[int]) -> str:
    """What is said of frames that were found or marked, one at least."""
    if len(frames) == 1:
        return f"frame {describe_frames(frames)} is taken for an inserted rest pose"
    return f"frames {describe_frames(frames)} are taken for inserted rest poses"


def inserted_frames(motion: Motion) -> list[int]:
    """Frames of inserted calibration poses of a humanoid, in order."""
    count = len(motion)
    if count < AROUND + 2 or motion.rate < SLOWEST_RATE:
        return []
    body = body_of(with_standing_rest(motion))
    joints = recorded_subset(body).joints
    local = motion.rotations[:, joints]
    halves = 1.0 - np.minimum(np.einsum("tjk,tjk->tj", local[1:], local[:-1]) ** 2, 1.0)
    leaps = np.flatnonzero(halves.max(axis=1) > np.sin(0.5 * LEAP) ** 2)
    if not len(leaps):
        return []
    turns = np.sqrt(halves).mean(axis=1)
    edges = [-1, *leaps.tolist(), count - 1]  # before the first frame, and after the last one, there is no movement
    found: list[int] = []
    for before, after in zip(edges[:-1], edges[1:], strict=True):
        rows = range(before + 1, after + 1)
        passes = (
            before >= 0 and after < count - 1 and _passes(local, before, after, float(turns[[before, after]].sum()))
        )
        if not passes and _leaps(turns, before, after) and _is_still(halves[before + 1 : after]):
            poses = (motion.rotations[rows[0]], motion.rotations[rows[-1]])
            if all(_is_calibration(motion, body, pose) for pose in poses):
                found += rows
    return found if len(found) < count else []


def _leaps(turns: Floats, before: int, after: int) -> bool:
    """Whether the steps to the first frame and from the last one are much larger than those around them."""
    sizes = [float(turns[step]) for step in (before, after) if 0 <= step < len(turns)]
    outside = (turns[max(before - AROUND, 0) : max(before, 0)], turns[after + 1 : after + 1 + AROUND])
    calm = np.concatenate(outside)
    return bool(len(calm) >= AROUND and min(sizes) > SUDDEN * float(calm.max()))


def _passes(local: Floats, before: int, after: int, turns: float) -> bool:
    """Whether frames between two steps are on the way from the frame before them to the one after them."""
    halves = 1.0 - np.minimum(np.sum(local[before] * local[after + 1], axis=-1) ** 2, 1.0)
    return float(np.sqrt(halves).mean()) > PASSED * turns


def _is_still(halves: Floats) -> bool:
    return not len(halves) or float(halves.max()) < np.sin(0.5 * STILL) ** 2


def _is_calibration(motion: Motion, body: Body, local: Floats) -> bool:
    """Whether a pose ``(J, 4)`` is the skeleton's rest pose, or a T-pose or an A-pose."""
    resting = rotations.angle_between(local, motion.skeleton.rest_rotations) < AT_REST
    roots = motion.skeleton.parents < 0
    if resting[~roots].mean() >= RESTING:
        return True
    _, p = forward(local[None], body.skeleton.offsets[None], motion.skeleton.parents)
    place = {role: p[0, joint] for role, joint in body.roles.items()}
    up = place["head"] - place["hips"]
    if _between(up, np.array([0.0, 1.0, 0.0])) > UPRIGHT:
        return False
    across = place["leftUpperArm"] - place["rightUpperArm"]
    lowered = []
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        arm, leg = (
            [place[f"{side}{part}"] for part in parts]
            for parts in (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot"))
        )
        bent = max(_between(own[1] - own[0], own[2] - own[1]) for own in (arm, leg))
        if bent > STRAIGHT or _between(leg[2] - leg[0], np.array([0.0, -1.0, 0.0])) > LEGS:
            return False
        way = arm[2] - arm[0]
        side_ways = sign * across
        ahead = np.cross(side_ways, [0.0, 1.0, 0.0])
        length = max(float(norms(way)), 1e-9)
        if abs(np.arcsin(np.clip(way @ ahead / max(float(norms(ahead)), 1e-9) / length, -1.0, 1.0))) > ALIKE:
            return False
        if way @ side_ways < 0.0:
            return False
        lowered.append(float(np.arcsin(np.clip(-way[1] / length, -1.0, 1.0))))
    return bool(abs(lowered[0] - lowered[1]) < ALIKE and ARMS[0] < min(lowered) and max(lowered) < ARMS[1])


def _between(one: Floats, other: Floats) -> float:
    """Radians between two vectors."""
    return float(np.arctan2(norms(np.cross(one, other)), one @ other))
