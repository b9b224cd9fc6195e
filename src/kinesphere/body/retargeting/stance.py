"""Retarget hips and feet to other proportions: roll and height of the hips, width of the stance.

Roll and width are reversible: the same motion retargeted back to the first body stands where it stood.
"""

from __future__ import annotations

import numpy as np

from kinesphere.body.anatomy import Anatomy
from kinesphere.body.ground import SolePoint, performed_runs, smooth_gaussian, sole_paths, speeds
from kinesphere.body.retargeting.calibration import Calibration
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, norms, smoothstep, unit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

STEEPEST = 0.7  # sine of the hips' roll from which on it is kept
WIDEST_PERSON = 0.24  # leg lengths from the middle to a hip joint: no person's are farther apart
TOGETHER = (0.05, 0.15)  # of half the hips' width: feet that come so near to the middle are not brought nearer
BALL = 0.16  # leg lengths from the ankle to the ball
LOW = 0.12  # leg lengths: a lower foot belongs to the ground
SLOW = 0.4  # leg lengths a second: a slower foot hardly leaves its place
STEP = 0.12  # leg lengths that a foot goes until it follows the hips again
HORIZONTAL = np.array([1.0, 0.0, 1.0])


def level_hips(c: Calibration, hips: Floats) -> Floats:
    """World rotations ``(T, 4)`` of hips: wider ones roll less, so that a hip joint rises by as many leg lengths.

    Otherwise the leg under the higher hip of a wide body would be too short for the ground. With the sine r of the
    roll, and k the source's hip width over the target's, both in leg lengths, r becomes s k r / (s + (k - 1) r) up to
    the steepest s: k r for small rolls, s for s, and the inverse is the same with 1 / k. Steeper rolls, of a body on
    its side, are kept.
    """
    skeleton, pose = c.target.skeleton, c.target.pose
    left, right = (pose.positions[skeleton.roles[f"{side}UpperLeg"]] for side in SIDES)
    from_rest = rotations.multiply(hips, rotations.conjugate(pose.rotations[skeleton.roles["hips"]]))
    across = rotations.rotate(from_rest, unit(left - right))
    rise, ratio = np.abs(across[:, 1]), c.leg * hip_width(c.source.skeleton) / hip_width(skeleton)
    scaled = STEEPEST * ratio * rise / (STEEPEST + (ratio - 1.0) * np.minimum(rise, STEEPEST))
    wanted = np.copysign(np.minimum(np.where(rise < STEEPEST, scaled, rise), 0.999), across[:, 1])
    levelled = horizontal_units(across) * np.sqrt(1.0 - wanted**2)[:, None]
    levelled[:, 1] = wanted
    return rotations.multiply(rotations.rotation_between(across, levelled), hips)


def widen_stance(c: Calibration, motion: Motion, source_p: Floats) -> tuple[Floats, Floats]:
    """Offsets ``(T, 3)`` of the left and right ankle because the target's hips are wider or narrower.

    They are sideways as the hips are, so that legs hang as they did. While a foot stays at its place the offset is
    constant, so that it does not slide when the hips rotate over it: the mean of the sideways offsets, which is small
    for a foot on which the body makes a whole turn. As it moves on it follows the hips again.
    """
    roles = c.source.skeleton.roles
    left, right = (source_p[:, roles[f"{side}UpperLeg"]] for side in SIDES)
    across, middle = horizontal_units(left - right), 0.5 * (left + right)
    outward, performed = [], motion.performed_frames
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        foot = source_p[performed, roles[f"{side}Foot"]]
        low = foot[:, 1] < c.source.ankle_height + LOW * c.source.lengths[f"{side}Leg"]
        outward.append(c.leg * sign * np.sum((foot - middle[performed]) * across[performed], axis=-1)[low])
    half = _half_offset(c, np.concatenate(outward))
    if half == 0.0:
        return np.zeros_like(across), np.zeros_like(across)
    points = _common_soles(c.source)
    # Over the ground: how far a foot is pitched depends on its length.
    paths = sole_paths(motion, points) * HORIZONTAL
    offsets = []
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        offset = half * sign * across
        own = paths[:, [point.side == side for point in points]] / c.source.lengths[f"{side}Leg"]
        for run in performed_runs(motion):
            pace = _pace(speeds(smooth_gaussian(own[run], motion.rate), motion.rate))
            offset[run] = smooth_over_distance(offset[run], np.cumsum(pace) / motion.rate)
        offsets.append(offset)
    return offsets[0], offsets[1]


def _pace(speed: Floats) -> Floats:
    """``(T,)`` how fast a foot leaves its place: as its slowest point, of speeds ``(T, P)``, and less if slow."""
    slowest = 1.0 / np.sqrt(np.sum(1.0 / np.clip(speed, 1e-6, 1e3) ** 2, axis=1))
    return np.asarray(slowest**3 / (slowest**2 + SLOW**2))


def smooth_over_distance(values: Floats, distance: Floats, sigma: float = STEP) -> Floats:
    """Values ``(T, K)`` smoothed by a Gaussian over a distance ``(T,)`` that never decreases, not over time.

    Where the distance stands still, so does the result: at the mean of all that is there, whenever it begins or ends.
    No decision is made, so nothing jumps when the values change a little.
    """
    width = sigma / 4.0
    at = (distance - distance[0]) / width
    cell = at.astype(np.intp)
    share = at - cell
    sums = np.zeros((int(cell[-1]) + 2, values.shape[1] + 1))
    counted = np.concatenate([values, np.ones((len(values), 1))], axis=1)
    for nodes, weight in ((cell, 1.0 - share), (cell + 1, share)):
        np.add.at(sums, nodes, weight[:, None] * counted)
    kernel = np.exp(-0.5 * (np.arange(-16, 17) * width / sigma) ** 2)
    sums = np.stack([np.convolve(column, kernel, mode="full")[16:-16] for column in sums.T], axis=1)
    smooth = (1.0 - share)[:, None] * sums[cell] + share[:, None] * sums[cell + 1]
    return np.asarray(smooth[:, :-1] / smooth[:, -1:])


def _common_soles(body: Anatomy) -> tuple[SolePoint, ...]:
    """Ankle and ball of a person's foot on any body, so that all bodies agree whether a foot stays at its place."""
    length = float(np.mean([body.lengths[f"{side}Leg"] for side in SIDES]))
    points = []
    for side in SIDES:
        foot = body.skeleton.roles[f"{side}Foot"]
        for point, ahead in (("ankle", 0.0), ("ball", BALL * length)):
            offset = rotations.rotate(body.frames[f"{side}Foot"], [0.0, 0.0, ahead])
            points.append(SolePoint(side, point, foot, offset, body.ankle_height))
    return tuple(points)


def _half_offset(c: Calibration, outward: Floats) -> float:
    """How much farther out each foot stands, the same for a whole motion.

    Zero among people's widths; beyond them, by how much a hip joint is farther out. ``outward`` are distances of low
    feet from the middle: feet that already come together under wide hips would cross, and are not brought nearer.
    """
    length = float(np.mean([c.target.lengths[f"{side}Leg"] for side in SIDES]))
    source_half = 0.5 * c.leg * hip_width(c.source.skeleton)
    half = max(0.5 * hip_width(c.target.skeleton), WIDEST_PERSON * length) - max(source_half, WIDEST_PERSON * length)
    if half >= 0.0 or not outward.size:
        return max(half, 0.0)
    nearest = float(np.percentile(outward, 20.0)) / source_half
    return half * float(smoothstep((nearest - TOGETHER[0]) / (TOGETHER[1] - TOGETHER[0])))


def hip_width(skeleton: Skeleton) -> float:
    """The distance between the hip joints."""
    p = skeleton.rest_world()[1]
    return float(np.linalg.norm(p[skeleton.roles["leftUpperLeg"]] - p[skeleton.roles["rightUpperLeg"]]))


def horizontal_units(vectors: Floats) -> Floats:
    """Unit vectors of the horizontal parts of vectors ``(T, 3)``."""
    flat = vectors * HORIZONTAL
    return np.asarray(flat / np.maximum(norms(flat), 1e-9)[..., None])
