"""Sole points and the ground: where the soles of a body are, how they move, and how high the floor is.

**Points.** A foot with toes has two points: the *ball*, which is the toe joint, and the *heel*, which is the ankle
moved towards the sole until it is level with the ball. Both are fixed in the foot, so a foot in contact at both cannot
rotate. A foot without toes has one point, the *sole*: the ankle moved down by an ankle's height.

**Towards the sole** is down in the rest pose, unless the ankle, the ball and the toes show that the foot leans with
the shin (CMU's rest pose has its legs apart and its feet square to them); then it is along the shin.

**Clearance.** Joints lie inside the body. An ankle is 0.039 of the body's height above the ground and a thigh with
its shin 0.491 (Winter 2009, *Biomechanics and Motor Control of Human Movement*, fig. 4.1), so the sole is taken to
be 0.0794 leg lengths below the ankle, or at the ball if that is lower. A character's surface gives it more exactly
(``Skeleton.soles``).

A rest pose that does not stand upright (all bones along one axis, for example) does not show where the soles are: then
the points are the ankle and the toe joint themselves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.joint_subset import SubsetPose, foot_subset, joint_subset, subset_pose
from kinesphere.body.require_roles import LEGS, require_motion_roles
from kinesphere.maths import filters, rotations
from kinesphere.maths.filters import frame_count, smooth_where
from kinesphere.maths.kinematics import attached_points
from kinesphere.maths.vectors import Bools, Floats, reject, unit
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

ANKLE_HEIGHT = 0.039 / 0.491  # leg lengths
BALL_HEIGHT = 0.03  # leg lengths, where the rest pose does not show it
SMOOTHING = 0.02  # seconds, sigma of the Gaussian low-pass: −3 dB at 6.6 Hz, near the 6 Hz usual in gait analysis
SPEED_WINDOW = 1.0 / 30.0  # seconds to each side over which a speed is measured, so that 30 and 120 fps agree
SLOW = 0.2  # leg lengths a second: a slower point may be in contact
MAX_RISE = 0.06  # leg lengths: the ground is no higher than this above the lowest tenth of the slow feet
LEAN_MARGIN = 0.002  # cosine by which a leaning foot must explain its ball better; less is a toe that points sideways
MIN_FOOT_LENGTH = 0.03  # leg lengths: a toe joint nearer to the heel is no ball
ON_GROUND = 0.05  # leg lengths above the ground that still count as on it
SEEN = 0.01  # metres: a body that stands further from y = 0 is seen to float or sink
DOWN = (0.0, -1.0, 0.0)


class SolePoint(NamedTuple):
    """A point of a foot that can be in contact with the ground."""

    side: str  # "left" or "right"
    point: str  # "heel", "ball" or "sole"
    joint: int
    offset: Floats  # (3,) in the joint's frame
    clearance: float  # metres from the sole to the point

    @property
    def name(self) -> str:
        """Such as ``leftHeel``."""
        return self.side + self.point.capitalize()


@dataclass(frozen=True)
class Ground:
    """A level floor."""

    height: float  # metres
    evidence: str  # how it was found, in words
    share: float = 1.0  # of the performed frames in which a sole is on it


class SolePaths(NamedTuple):
    """Paths of sole points, and their speeds."""

    points: tuple[SolePoint, ...]
    paths: Floats  # (T, P, 3) metres
    runs: list[slice]  # of performed frames
    smooth: Floats  # (T, P, 3) low-passed over each run; zero elsewhere
    speed: Floats  # (T, P) metres a second of the smooth paths; infinite elsewhere


@memoised
def leg_length(skeleton: Skeleton) -> float:
    """Thigh and shin at rest, the mean of both legs: the unit in which thresholds are given."""
    lengths = []
    _, positions = skeleton.rest_world()
    for side in SIDES:
        hip, knee, ankle = (
            positions[require_joint(skeleton, f"{side}{part}")] for part in ("UpperLeg", "LowerLeg", "Foot")
        )
        lengths.append(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))
    return float(np.mean(lengths))


def require_joint(skeleton: Skeleton, role: str) -> int:
    """The joint with a role, or a ``ValueError`` that says which role is missing."""
    try:
        return skeleton.roles[role]
    except KeyError:
        known = ", ".join(skeleton.roles) or "none"
        raise ValueError(f"the skeleton has no joint with the role {role!r}; its roles are: {known}") from None


# Sole points


@memoised
def sole_points(skeleton: Skeleton) -> tuple[SolePoint, ...]:
    """Heel and ball of each foot, or its sole."""
    length = leg_length(skeleton)
    orientations, positions = skeleton.rest_world()
    points = []
    for side in SIDES:
        foot = require_joint(skeleton, f"{side}Foot")
        ankle, hip = positions[foot], positions[require_joint(skeleton, f"{side}UpperLeg")]
        height = skeleton.soles.get(f"{side}Foot", ANKLE_HEIGHT * length)
        upright = float(hip[1] - ankle[1]) > 0.5 * length
        towards = towards_sole(skeleton, side, positions, orientations)
        to_local = rotations.conjugate(orientations[foot])
        toes = skeleton.roles.get(f"{side}Toes")
        if toes is None or np.linalg.norm(reject(positions[toes] - ankle, towards)) < MIN_FOOT_LENGTH * length:
            offset = rotations.rotate(to_local, height * towards) if upright else np.zeros(3)
            points.append(SolePoint(side, "sole", foot, offset, 0.0 if upright else height))
            continue
        if not upright:
            points.append(SolePoint(side, "heel", foot, np.zeros(3), height))
            points.append(SolePoint(side, "ball", toes, np.zeros(3), BALL_HEIGHT * length))
            continue
        drop = max(float(np.dot(positions[toes] - ankle, towards)), 0.0)
        clearance = max(height - drop, 0.0)
        points.append(SolePoint(side, "heel", foot, rotations.rotate(to_local, drop * towards), clearance))
        points.append(SolePoint(side, "ball", toes, np.zeros(3), clearance))
    return tuple(point._replace(offset=freeze(point.offset)) for point in points)


def towards_sole(skeleton: Skeleton, side: str, positions: Floats, orientations: Floats) -> Floats:
    """Unit vector ``(3,)`` from the ankle to the sole in the rest pose: down, or along the shin if the foot leans."""
    knee, foot = require_joint(skeleton, f"{side}LowerLeg"), require_joint(skeleton, f"{side}Foot")
    down, shin = np.array(DOWN), positions[foot] - positions[knee]
    toes = skeleton.roles.get(f"{side}Toes")
    if toes is None:
        return down
    bone = positions[toes] - positions[foot]
    tips = [np.array(tip.offset) for tip in skeleton.tips if tip.joint == toes and np.any(tip.offset)]
    forward = unit(rotations.rotate(orientations[toes], tips[0]) if tips else bone * [1.0, 0.0, 1.0])
    drop, candidates = reject(bone, forward), [reject(down, forward), reject(shin, forward)]
    if np.linalg.norm(drop) <= 0.02 * np.linalg.norm(bone) or not all(np.linalg.norm(c) > 0.0 for c in candidates):
        return down
    level, leaning = (float(np.dot(unit(drop), unit(c))) for c in candidates)
    return unit(shin) if leaning > level + LEAN_MARGIN else down


def sole_paths(motion: Motion, points: tuple[SolePoint, ...]) -> Floats:
    """``(T, P, 3)`` world positions of the points."""
    skeleton, joints = motion.skeleton, [point.joint for point in points]
    subset = foot_subset(skeleton)
    if not all(joint in subset.rows for joint in joints):
        subset = joint_subset(skeleton, joints)
    return sole_paths_of(subset_pose(motion, subset), points)


def sole_paths_of(world: SubsetPose, points: tuple[SolePoint, ...]) -> Floats:
    """``sole_paths`` from joints whose world poses are known."""
    rows = np.array([world.part.rows[point.joint] for point in points], dtype=np.intp)
    return attached_points(world.q, world.p, rows, np.array([point.offset for point in points]))


def smooth_paths(motion: Motion, points: tuple[SolePoint, ...]) -> SolePaths:
    """The points' paths, low-passed, with their speeds."""
    paths, stretches = sole_paths(motion, points), performed_runs(motion)
    if len(stretches) == 1 and len(paths) == stretches[0].stop - stretches[0].start:
        smooth = smooth_gaussian(paths, motion.rate)
        return SolePaths(points, paths, stretches, smooth, speeds(smooth, motion.rate))
    smooth, speed = np.zeros_like(paths), np.full(paths.shape[:2], np.inf)
    for run in stretches:
        smooth[run] = smooth_gaussian(paths[run], motion.rate)
        speed[run] = speeds(smooth[run], motion.rate)
    return SolePaths(points, paths, stretches, smooth, speed)


# The ground


def find_ground(motion: Motion, height: float | None = None) -> Ground:
    """The height of the floor, from where the feet are when they are slow and low.

    In every performed frame the lowest sole point is taken, less its clearance. Of the frames in which it moves slower
    than 0.2 leg lengths a second, the ground is the mean of the middle half of the heights: feet in contact are as
    often a little above it as below, on floors that slope as captured ones do. Feet that stand longer on something
    higher don't count: the ground is at most 0.06 leg lengths above the lowest tenth. ``evidence`` says how often a
    sole was on it.

    A ``height`` given is taken as it is.
    """
    from kinesphere.body.standing_rest import with_standing_rest  # which needs anatomy, which needs soles

    motion = with_standing_rest(require_motion_roles(motion, LEGS, "finding the ground"))
    return ground_of_paths(motion, smooth_paths(motion, sole_points(motion.skeleton)), height)


def ground_of_paths(motion: Motion, soles: SolePaths, height: float | None = None) -> Ground:
    """``find_ground`` from the paths of all sole points."""
    if height is not None and not math.isfinite(height):
        expected = "a finite height in metres is expected; leave it out to have the floor found"
        raise ValueError(f"ground={height!r}: {expected}")
    points, length, whole = soles.points, leg_length(motion.skeleton), len(soles.runs) == 1
    paths = soles.paths[soles.runs[0]] if whole else soles.paths[motion.performed_frames]
    if not len(paths):
        return Ground(0.0 if height is None else height, "no performed frames", 0.0)
    heights = paths[..., 1] - [point.clearance for point in points]
    lowest = np.argmin(heights, axis=1)
    low = heights[np.arange(len(heights)), lowest]
    if height is not None:
        found, evidence = float(height), "given"
    else:
        speed = soles.speed[soles.runs[0]] if whole else speeds(smooth_gaussian(paths, motion.rate), motion.rate)
        slow = speed[np.arange(len(heights)), lowest] < SLOW * length
        if slow.any():
            found, evidence = _middle_height(low[slow], length), f"from {slow.sum()} frames with a slow foot"
        else:
            found, evidence = float(np.percentile(low, 2.0)), "no foot is ever slow: from the lowest 2 %"
    share = float(np.mean(low < found + ON_GROUND * length))
    evidence += f"; a sole is on it in {share:.0%} of the frames"
    if share < 0.6:
        evidence += ", so the rest is in the air or stands on something"
    return Ground(found, evidence, share)


def place_on_ground(motion: Motion, height: float | None = None) -> Motion:
    """The motion raised or lowered so that its ground is at y = 0, where engines and other programs have it.

    The ground is the one that ``find_ground`` finds, or at ``height`` where that is given. Heading and path stay as
    they are. ``source.evidence`` says by how much the motion was moved, and why.

    Examples
    --------
    >>> import kinesphere
    >>> walk = kinesphere.motion("walk")
    >>> abs(kinesphere.find_ground(kinesphere.place_on_ground(walk)).height) < 1e-9
    True
    """
    ground = find_ground(motion, height)
    translations = motion.translations.copy()
    translations[:, np.flatnonzero(motion.skeleton.parents < 0), 1] -= ground.height
    said = f"ground: {describe_move(-ground.height)}; it was at {ground.height:+.3f} m ({ground.evidence})"
    source = replace(motion.source, evidence=(*motion.source.evidence, said))
    return replace(motion, translations=freeze(translations), source=source)


def describe_ground(motion: Motion) -> str:
    """How far a person's ground is from y = 0, in words; empty within a centimetre, and of what has no feet."""
    try:
        height = find_ground(motion).height
    except ValueError:
        return ""
    if abs(height) <= SEEN:
        return ""
    return f"stands {100.0 * abs(height):.1f} cm {'above' if height > 0.0 else 'below'} y = 0"


def describe_move(metres: float) -> str:
    """How far a motion was moved up or down, in words."""
    if abs(metres) < 0.0005:
        return "left where it is"
    return f"{'raised' if metres > 0.0 else 'lowered'} by {100.0 * abs(metres):.1f} cm, to stand on y = 0"


def _middle_height(heights: Floats, length: float) -> float:
    """The mean of the middle half, at most ``MAX_RISE`` above the lowest tenth."""
    count, ordered = len(heights), np.sort(heights)
    middle = float(ordered[count // 4 : count - count // 4].mean())
    at = 0.1 * (count - 1)
    below, above = ordered[int(at)], ordered[min(int(at) + 1, count - 1)]
    return min(middle, float(below + (at - int(at)) * (above - below)) + MAX_RISE * length)


# Performed frames


def performed_runs(motion: Motion) -> list[slice]:
    """Stretches of performed frames without a calibration frame between them."""
    if not motion.calibration_frames:
        return [slice(0, len(motion))]
    frames = motion.performed_frames
    if not len(frames):
        return []
    cuts = np.flatnonzero(np.diff(frames) > 1) + 1
    return [slice(int(run[0]), int(run[-1]) + 1) for run in np.split(frames, cuts)]


def performed_flags(motion: Motion) -> Bools:
    """``(T,)`` whether a frame was performed."""
    flags = np.ones(len(motion), dtype=bool)
    if motion.calibration_frames:
        flags[list(motion.calibration_frames)] = False
    return flags


# Filters along time


def smooth_gaussian(values: Floats, rate: float, sigma: float = SMOOTHING) -> Floats:
    """Gaussian low-pass of ``(T, ...)`` along the first axis, without delay; straight lines stay as they are.

    ``sigma`` is in seconds. The weights are integrals of the Gaussian over each frame, not samples of it: that keeps
    low rates right. Beyond both ends values go on as their point reflection.
    """
    rows = np.ascontiguousarray(values, dtype=np.float64).reshape(len(values), math.prod(values.shape[1:]))
    smooth = np.empty(rows.shape)
    smooth_where(rows, sigma, rate, np.ones(len(rows)), smooth)
    return smooth.reshape(values.shape)


def speeds(paths: Floats, rate: float) -> Floats:
    """``(T, P)`` speeds of paths ``(T, P, 3)``, over ``SPEED_WINDOW`` to both sides, or a frame if that is longer."""
    rows, found = np.ascontiguousarray(paths).reshape(len(paths), math.prod(paths.shape[1:])), np.empty(paths.shape[:2])
    _native.filters.speed(rows, max(SPEED_WINDOW * rate, 1.0), rate, found)
    return found


def running_maximum(values: Floats | Bools, seconds: float, rate: float) -> Floats:
    """``(..., T)`` the greatest of values within so many seconds to each side."""
    return filters.running_maximum(values, frame_count(seconds, rate), axis=-1)


def runs(flags: Bools) -> list[tuple[int, int]]:
    """First and last frame of every stretch of true flags."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]
