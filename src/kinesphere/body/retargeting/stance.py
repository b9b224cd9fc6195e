"""How far apart feet stand on hips of another width.

What is done here is undone on the way back: the same motion on the first body again stands where it stood.
"""

from __future__ import annotations

import numpy as np

from kinesphere.body.anatomy import Anatomy
from kinesphere.body.contacts import contact_labels
from kinesphere.body.ground import ANKLE_HEIGHT, Ground, SolePoint, performed_runs, runs
from kinesphere.body.retargeting.calibration import Calibration
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

STEEP = 0.7  # sine of the hips' roll from which on it is kept
PERSON = 0.24  # leg lengths from the middle to a hip joint: no person's are farther apart
TOGETHER = (0.12, 0.2)  # of half the hips' width: feet that come so near to the middle are not brought nearer
BALL = 0.16  # leg lengths from the ankle to the ball
LOW = 0.12  # leg lengths: a foot lower belongs to the ground
HEIGHTS, SPEEDS = (0.03, 0.05), (0.2, 0.3)  # leg lengths, and those a second: to begin, to go on standing
FADE = 0.4  # seconds after which a foot in the air follows the hips again


def level_hips(c: Calibration, hips: Floats) -> Floats:
    """Hips ``(T, 4)`` that roll less where they are wider: one hip joint rises over the other in leg lengths.

    Otherwise the leg under the higher hip of a wide body would be too short for the ground. With the sine r of the
    roll and the ratio k of the widths, r becomes s k r / (s + (k - 1) r) up to the steepest s: k r for small rolls,
    s for s, and the inverse is the same with 1 / k. Steeper ones, of a body on its side, are kept.
    """
    skeleton, posture = c.target.skeleton, c.target.posture
    left, right = (posture.positions[skeleton.roles[f"{side}UpperLeg"]] for side in SIDES)
    turned = rotations.multiply(hips, rotations.conjugate(posture.rotations[skeleton.roles["hips"]]))
    across = rotations.rotate(turned, (left - right) / np.linalg.norm(left - right))
    rise, ratio = np.abs(across[:, 1]), c.leg * hip_width(c.source.skeleton) / hip_width(skeleton)
    eased = np.where(rise < STEEP, STEEP * ratio * rise / (STEEP + (ratio - 1.0) * np.minimum(rise, STEEP)), rise)
    wanted = np.copysign(np.minimum(eased, 0.999), across[:, 1])
    flat = horizontal_units(across) * np.sqrt(1.0 - wanted**2)[:, None]
    flat[:, 1] = wanted
    return rotations.multiply(rotations.rotation_between(across, flat), hips)


def widen_stance(c: Calibration, motion: Motion, source_p: Floats, ground: Ground) -> tuple[Floats, Floats]:
    """What to add to the left and right ankle ``(T, 3)`` because the target's hips are wider or narrower.

    Sideways, as the hips are turned, so that legs hang as they did. While a foot is planted the step stays the same, so
    that it does not slide when the hips turn over it: the mean of what it would be, which is little for a foot that a
    whole turn is made on. In the air it follows them again.
    """
    roles = c.source.skeleton.roles
    left, right = (source_p[:, roles[f"{side}UpperLeg"]] for side in SIDES)
    across, middle = horizontal_units(left - right), 0.5 * (left + right)
    outward, performed = [], motion.performed_frames
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        foot = source_p[performed, roles[f"{side}Foot"]]
        low = foot[:, 1] < c.source.ankle_height + LOW * c.source.lengths[f"{side}Leg"]
        outward.append(c.leg * sign * np.sum((foot - middle[performed]) * across[performed], axis=-1)[low])
    half = _half_step(c, np.concatenate(outward))
    if half == 0.0:
        return np.zeros_like(across), np.zeros_like(across)
    own, held, _ = contact_labels(motion, ground)
    # What may be standing must not follow the hips: looser than a plant.
    common, standing, _ = contact_labels(motion, ground, HEIGHTS, SPEEDS, points=_common_soles(c.source))
    points, labels = (*own, *common), np.concatenate([held, standing], axis=1)
    steps = []
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        step = half * sign * across
        planted = np.asarray(labels[:, [i for i, point in enumerate(points) if point.side == side]].any(axis=1))
        for run in performed_runs(motion):
            step[run] = _held_while(planted[run], step[run], motion.rate)
        steps.append(step)
    return steps[0], steps[1]


def _common_soles(body: Anatomy) -> tuple[SolePoint, ...]:
    """Heel and ball of a person's foot on any body's ankle, so that all bodies agree when a foot is planted."""
    length = float(np.mean([body.lengths[f"{side}Leg"] for side in SIDES]))
    below = ANKLE_HEIGHT * length
    points = []
    for side in SIDES:
        foot = body.skeleton.roles[f"{side}Foot"]
        for point, ahead in (("heel", 0.0), ("ball", BALL * length)):
            offset = rotations.rotate(body.frames[f"{side}Foot"], [0.0, -below, ahead])
            points.append(SolePoint(side, point, foot, offset, body.ankle_height - below))
    return tuple(points)


def _half_step(c: Calibration, outward: Floats) -> float:
    """By how much each foot stands farther out, the same for a whole motion.

    Among people's widths not at all; beyond them by what a hip joint is farther out. ``outward`` is how far low feet
    are from the middle: feet that already come together under wide hips would cross, and are not brought nearer.
    """
    length = float(np.mean([c.target.lengths[f"{side}Leg"] for side in SIDES]))
    wide = 0.5 * c.leg * hip_width(c.source.skeleton)
    half = max(0.5 * hip_width(c.target.skeleton), PERSON * length) - max(wide, PERSON * length)
    if half >= 0.0 or not outward.size:
        return max(half, 0.0)
    together = float(np.percentile(outward, 10.0)) / wide
    u = np.clip((together - TOGETHER[0]) / (TOGETHER[1] - TOGETHER[0]), 0.0, 1.0)
    return half * float(u * u * (3.0 - 2.0 * u))


def _held_while(planted: Bools, vectors: Floats, rate: float) -> Floats:
    """Vectors ``(T, 3)`` that stay at their mean within each planted stretch, and pass into the given ones between."""
    stretches = np.array(runs(planted)).reshape(-1, 2)
    if not len(stretches):
        return vectors
    means = np.array([vectors[first : last + 1].mean(axis=0) for first, last in stretches.tolist()])
    frames = np.arange(len(vectors))
    nearest = np.searchsorted(stretches[:, 0], frames, side="right") - 1
    before, after = np.maximum(nearest, 0), np.minimum(nearest + 1, len(stretches) - 1)
    since = np.where(nearest >= 0, np.maximum(frames - stretches[before, 1], 0), np.inf)
    until = np.where(nearest + 1 < len(stretches), stretches[after, 0] - frames, np.inf)
    span = np.minimum(since + until, FADE * rate)
    result = vectors.copy()
    for away, held in ((since, means[before]), (until, means[after])):
        u = np.clip(1.0 - away / span, 0.0, 1.0)
        result += (u * u * (3.0 - 2.0 * u))[:, None] * (held - vectors)
    return np.where(planted[:, None], means[before], result)


def hip_width(skeleton: Skeleton) -> float:
    """From one hip joint to the other."""
    place = skeleton.rest_world()[1]
    return float(np.linalg.norm(place[skeleton.roles["leftUpperLeg"]] - place[skeleton.roles["rightUpperLeg"]]))


def horizontal_units(vectors: Floats) -> Floats:
    """Unit vectors over the ground."""
    flat = vectors * [1.0, 0.0, 1.0]
    length = np.linalg.norm(flat, axis=-1, keepdims=True)
    unit: Floats = flat / np.maximum(length, 1e-9)
    return unit
