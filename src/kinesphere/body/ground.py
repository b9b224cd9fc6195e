"""Where the soles are, where the ground is, and the filters that contacts are found and kept with.

**Points.** A foot with toes has two points: the *ball*, which is the toe joint, and the *heel*, which is the ankle
moved towards the sole until it is level with the ball. Both are fixed in the foot, so a foot that stands on both
cannot turn. A foot without toes has one point, the *sole*: the ankle moved down by an ankle's height.

**Towards the sole** is down in the rest pose, unless the ankle, the ball and the toes say that the foot leans with
the shin (CMU's rest pose has its legs apart and its feet square to them); then it is along the shin.

**Clearance.** Joints lie inside the body. An ankle is 0.039 of the body's height above the ground and a thigh with
its shin 0.491 (Winter 2009, *Biomechanics and Motor Control of Human Movement*, fig. 4.1), so the sole is taken to
be 0.0794 leg lengths below the ankle, or at the ball if that is lower. A character's surface says it better
(``Skeleton.soles``).

A rest pose that does not stand (all bones along one axis, say) does not tell where soles are: then the points are the
ankle and the toe joint themselves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere.body.joint_subset import SubsetPose, foot_subset, joint_subset, subset_pose
from kinesphere.body.require_roles import LEGS, require_motion_roles
from kinesphere.maths import compiled, rotations
from kinesphere.maths.kinematics import attached_points
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoise_by_skeleton
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

ANKLE_HEIGHT = 0.039 / 0.491  # leg lengths
BALL_HEIGHT = 0.03  # leg lengths, where the rest pose does not tell
SMOOTHING = 0.02  # seconds, sigma of the Gaussian low-pass: −3 dB at 6.6 Hz, near the 6 Hz usual in gait analysis
SPAN = 1.0 / 30.0  # seconds to each side over which a speed is measured, so that 30 and 120 fps agree
SLOW = 0.2  # leg lengths a second: slower points may be standing
HIGHEST = 0.06  # leg lengths above the lowest tenth of where slow feet are
LEANING = 0.002  # cosine: how much better a leaning foot must explain its ball; less is a toe that points aside
ONE_POINT = 0.03  # leg lengths: a toe joint nearer to the heel is no ball
NEAR = 0.05  # leg lengths above the ground that still count as on it


class SolePoint(NamedTuple):
    """A point of a foot that stands on the ground."""

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
    """How points go."""

    points: tuple[SolePoint, ...]
    paths: Floats  # (T, P, 3) metres
    runs: list[slice]  # of performed frames
    smooth: Floats  # (T, P, 3) low-passed over each run; nothing elsewhere
    speed: Floats  # (T, P) metres a second of that; endless elsewhere


@memoise_by_skeleton
def leg_length(skeleton: Skeleton) -> float:
    """Thigh and shin at rest, the mean of both legs: the unit in which thresholds are given."""
    lengths = []
    _, place = skeleton.rest_world()
    for side in SIDES:
        hip, knee, ankle = (
            place[require_joint(skeleton, f"{side}{part}")] for part in ("UpperLeg", "LowerLeg", "Foot")
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


@memoise_by_skeleton
def sole_points(skeleton: Skeleton) -> tuple[SolePoint, ...]:
    """Heel and ball of each foot, or its sole."""
    length = leg_length(skeleton)
    turned, place = skeleton.rest_world()
    points = []
    for side in SIDES:
        foot = require_joint(skeleton, f"{side}Foot")
        down = skeleton.soles.get(f"{side}Foot", ANKLE_HEIGHT * length)
        standing = float(place[require_joint(skeleton, f"{side}UpperLeg")][1] - place[foot][1]) > 0.5 * length
        towards = towards_sole(skeleton, side, place, turned)
        unturn = rotations.conjugate(turned[foot])
        toes = skeleton.roles.get(f"{side}Toes")
        if toes is None or _one_point(place[toes] - place[foot], towards, length):
            under = rotations.rotate(unturn, down * towards) if standing else np.zeros(3)
            points.append(SolePoint(side, "sole", foot, under, 0.0 if standing else down))
            continue
        if not standing:
            points.append(SolePoint(side, "heel", foot, np.zeros(3), down))
            points.append(SolePoint(side, "ball", toes, np.zeros(3), BALL_HEIGHT * length))
            continue
        drop = max(float(np.dot(place[toes] - place[foot], towards)), 0.0)
        clearance = max(down - drop, 0.0)
        points.append(SolePoint(side, "heel", foot, rotations.rotate(unturn, drop * towards), clearance))
        points.append(SolePoint(side, "ball", toes, np.zeros(3), clearance))
    return tuple(point._replace(offset=freeze(point.offset)) for point in points)


def _one_point(bone: Floats, towards: Floats, length: float) -> bool:
    """Whether the toe joint lies at the heel, so that the two tell nothing of the foot."""
    return bool(np.linalg.norm(bone - np.dot(bone, towards) * towards) < ONE_POINT * length)


def sole_paths(motion: Motion, points: tuple[SolePoint, ...]) -> Floats:
    """``(T, P, 3)`` world positions of the points."""
    skeleton, joints = motion.skeleton, [point.joint for point in points]
    part = foot_subset(skeleton)
    if not all(joint in part.rows for joint in joints):
        part = joint_subset(skeleton, joints)
    return sole_paths_of(subset_pose(motion, part), points)


def sole_paths_of(world: SubsetPose, points: tuple[SolePoint, ...]) -> Floats:
    """The same from joints in the world."""
    rows = np.array([world.part.rows[point.joint] for point in points], dtype=np.intp)
    return attached_points(world.q, world.p, rows, np.array([point.offset for point in points]))


def smooth_paths(motion: Motion, points: tuple[SolePoint, ...]) -> SolePaths:
    """The points' paths, and what contacts are found by."""
    paths, stretches = sole_paths(motion, points), performed_runs(motion)
    if len(stretches) == 1 and len(paths) == stretches[0].stop - stretches[0].start:
        smooth = smooth_gaussian(paths, motion.rate)
        return SolePaths(points, paths, stretches, smooth, speeds(smooth, motion.rate))
    smooth, speed = np.zeros_like(paths), np.full(paths.shape[:2], np.inf)
    for run in stretches:
        smooth[run] = smooth_gaussian(paths[run], motion.rate)
        speed[run] = speeds(smooth[run], motion.rate)
    return SolePaths(points, paths, stretches, smooth, speed)


def find_ground(motion: Motion, height: float | None = None) -> Ground:
    """The height of the floor, from where the feet are when they are slow and low.

    In every performed frame the lowest sole point is taken, clearance off. Of the frames in which it moves slower
    than 0.2 leg lengths a second, the ground is the mean of the middle half of the heights: feet stand on it as often a
    little above as below, on floors that slope as captured ones do. Feet that stand longer on something higher don't
    count: it is at most 0.06 leg lengths above the lowest tenth. ``evidence`` says how often a sole was on the ground
    so found.

    A ``height`` given is taken as it is.
    """
    motion = require_motion_roles(motion, LEGS, "finding the ground")
    return ground_of_paths(motion, smooth_paths(motion, sole_points(motion.skeleton)), height)


def ground_of_paths(motion: Motion, soles: SolePaths, height: float | None = None) -> Ground:
    """The same where the paths of all points are known."""
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
        found, how = float(height), "given"
    else:
        speed = soles.speed[soles.runs[0]] if whole else speeds(smooth_gaussian(paths, motion.rate), motion.rate)
        slow = speed[np.arange(len(heights)), lowest] < SLOW * length
        used = low[slow] if slow.any() else low
        found = _middle(used, length) if slow.any() else float(np.percentile(used, 2.0))
        how = (
            f"from {slow.sum()} frames with a slow foot" if slow.any() else "no foot is ever slow: from the lowest 2 %"
        )
    share = float(np.mean(low < found + NEAR * length))
    how += f"; a sole is on it in {share:.0%} of the frames"
    if share < 0.6:
        how += ", so the rest is in the air or stands on something"
    return Ground(found, how, share)


def _middle(heights: Floats, length: float) -> float:
    """The mean of the middle half."""
    count, ordered = len(heights), np.sort(heights)
    middle = float(ordered[count // 4 : count - count // 4].mean())
    at = 0.1 * (count - 1)  # the lowest tenth
    below, above = ordered[int(at)], ordered[min(int(at) + 1, count - 1)]
    return min(middle, float(below + (at - int(at)) * (above - below)) + HIGHEST * length)


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
    flags[list(motion.calibration_frames)] = False
    return flags


def smooth_gaussian(values: Floats, rate: float, sigma: float = SMOOTHING) -> Floats:
    """Low-passed along the first axis by a Gaussian, without a shift in time; straight lines stay as they are."""
    if compiled.loaded(values.size) is None or values.dtype != np.float64:
        return smooth_gaussian_reference(values, rate, sigma)
    from kinesphere.maths import filters

    result: Floats = np.empty(values.shape)
    rows = np.ascontiguousarray(values).reshape(len(values), -1)
    filters.gaussian_kernel(rows, float(rate), float(sigma), result.reshape(len(values), -1))
    return result


def smooth_gaussian_reference(values: Floats, rate: float, sigma: float = SMOOTHING) -> Floats:
    """The same in plain NumPy."""
    reach = min(math.ceil(4.0 * sigma * rate), len(values) - 1)
    if reach < 1:
        return values.copy()
    # A sample stands for the time around it: integrals, not samples, of the bell keep low rates right.
    edges = (np.arange(-reach, reach + 2) - 0.5) / (rate * sigma * math.sqrt(2.0))
    weights = np.diff([math.erf(edge) for edge in edges])
    weights /= weights.sum()
    before = 2.0 * values[:1] - values[reach:0:-1]
    after = 2.0 * values[-1:] - values[-2 : -reach - 2 : -1]
    padded = np.concatenate([before, values, after])
    result: Floats = np.zeros_like(values)
    for shift, weight in enumerate(weights):
        result += weight * padded[shift : shift + len(values)]
    return result


def speeds(paths: Floats, rate: float) -> Floats:
    """``(T, ...)`` speeds of paths ``(T, ..., 3)``, over ``SPAN`` to both sides, or a frame if longer."""
    if compiled.loaded(paths.size) is None or paths.ndim != 3:
        return speeds_reference(paths, rate)
    from kinesphere.maths import filters

    speed = np.empty(paths.shape[:2])
    filters.speeds_kernel(np.ascontiguousarray(paths), max(SPAN * rate, 1.0), float(rate), speed)
    return speed


def speeds_reference(paths: Floats, rate: float) -> Floats:
    """The same in plain NumPy."""
    speed: Floats = np.linalg.norm(velocities(paths, rate), axis=-1)
    return speed


def velocities(paths: Floats, rate: float, span: float = SPAN) -> Floats:
    """The same as vectors."""
    if len(paths) < 2:
        return np.zeros_like(paths)
    half = max(span * rate, 1.0)
    frames = np.arange(len(paths))
    start, end = np.maximum(frames - half, 0.0), np.minimum(frames + half, len(paths) - 1.0)
    across = ((end - start) / rate).reshape(-1, *([1] * (paths.ndim - 1)))
    velocity: Floats = (_between(paths, end) - _between(paths, start)) / across
    return velocity


def _between(paths: Floats, at: Floats) -> Floats:
    i = np.minimum(at.astype(np.intp), len(paths) - 2)
    share = (at - i).reshape(-1, *([1] * (paths.ndim - 1)))
    value: Floats = paths[i] + share * (paths[i + 1] - paths[i])
    return value


def smooth_bell(values: Floats, weights: Floats) -> Floats:
    """``(T,)`` smoothed by a bell of odd length, held beyond the ends."""
    spread: Floats = np.convolve(np.pad(values, len(weights) // 2, mode="edge"), weights, mode="valid")
    return spread


def bell_weights(seconds: float, rate: float) -> Floats:
    """Weights, 1 in sum, that fade to nothing so many seconds to each side."""
    weights: Floats = np.hanning(2 * max(int(seconds * rate), 1) + 3)[1:-1]
    weights /= weights.sum()
    return weights


def running_maximum(values: Floats | Bools, seconds: float, rate: float) -> Floats:
    """``(..., T)`` the greatest value within so many seconds."""
    span = max(int(seconds * rate), 1)
    padded = np.pad(values.astype(np.float64), [(0, 0)] * (values.ndim - 1) + [(span, span)])
    greatest: Floats = np.lib.stride_tricks.sliding_window_view(padded, 2 * span + 1, axis=-1).max(axis=-1)
    return greatest


def fill_with_cubics(values: Floats, slopes: Floats, known: Bools, allowed: Bools, far: float, rate: float) -> Floats:
    """Values ``(T, 3)`` where known; elsewhere cubics that leave each known stretch with its value and slope.

    They reach zero ``far`` frames away, or the next known stretch if that is nearer than twice as far. Slopes are a
    second. Frames that are not allowed stay zero.
    """
    result = np.where(known[:, None], values, 0.0)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(np.int8)))
    starts, ends = edges[::2], edges[1::2] - 1
    knots: list[tuple[float, Floats, Floats]] = []
    zero = np.zeros(values.shape[1])
    for i, (start, end) in enumerate(zip(starts, ends, strict=True)):
        before = start - ends[i - 1] if i else np.inf
        if before > 2.0 * far:
            knots += [(start - far, zero, zero)]
        knots += [(float(start), values[start], slopes[start]), (float(end), values[end], slopes[end])]
        after = starts[i + 1] - end if i + 1 < len(starts) else np.inf
        if after > 2.0 * far:
            knots += [(end + far, zero, zero)]
    for (at, a, rise), (to, b, fall) in zip(knots[:-1], knots[1:], strict=True):
        first, last = max(int(np.ceil(at)), 0), min(int(np.floor(to)), len(values) - 1)
        frames = np.arange(first, last + 1)
        frames = frames[~known[frames] & allowed[frames]]
        if not len(frames) or to <= at:
            continue
        u, seconds = ((frames - at) / (to - at))[:, None], (to - at) / rate
        left, right, chord = rise * seconds, fall * seconds, b - a
        result[frames] = a + u * (left + u * (3.0 * chord - 2.0 * left - right + u * (left + right - 2.0 * chord)))
    return result


def unit_vectors(vectors: Floats) -> Floats:
    """Unit vectors ``(..., 3)``; zero stays zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    unit: Floats = vectors / np.where(length > 0.0, length, 1.0)
    return unit


def runs(flags: Bools) -> list[tuple[int, int]]:
    """First and last frame of every stretch of true flags."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def towards_sole(skeleton: Skeleton, side: str, place: Floats, turned: Floats) -> Floats:
    """From the ankle to the sole, a unit vector, in the rest pose: down, or along the shin (see above)."""
    knee, foot = require_joint(skeleton, f"{side}LowerLeg"), require_joint(skeleton, f"{side}Foot")
    down = np.array([0.0, -1.0, 0.0])
    toes = skeleton.roles.get(f"{side}Toes")
    if toes is None:
        return down
    bone = place[toes] - place[foot]
    tips = [np.array(tip.offset) for tip in skeleton.tips if tip.joint == toes and np.any(tip.offset)]
    forward = rotations.rotate(turned[toes], tips[0]) if tips else bone * [1.0, 0.0, 1.0]
    shown = _across(bone, forward)
    along = [_across(down, forward), _across(place[foot] - place[knee], forward)]
    if np.linalg.norm(shown) <= 0.02 * np.linalg.norm(bone) or not all(np.linalg.norm(a) > 0.0 for a in along):
        return down
    plain, leaning = (float(np.dot(shown, a) / np.linalg.norm(shown) / np.linalg.norm(a)) for a in along)
    towards = place[foot] - place[knee] if leaning > plain + LEANING else down
    unit: Floats = towards / np.linalg.norm(towards)
    return unit


def _across(vector: Floats, axis: Floats) -> Floats:
    length = float(np.dot(axis, axis))
    rest: Floats = vector - (np.dot(vector, axis) / length if length > 0.0 else 0.0) * axis
    return rest
