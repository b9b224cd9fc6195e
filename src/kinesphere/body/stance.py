"""How far apart feet stand on hips of another width."""

from __future__ import annotations

import numpy as np

from kinesphere.body.calibration import Calibration
from kinesphere.body.contacts import plant_labels
from kinesphere.body.ground import Ground, runs
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

APART = 0.2  # of the hips' width: a foot is not brought nearer than this to the middle


def levelled(c: Calibration, hips: Floats) -> Floats:
    """Hips ``(T, 4)`` that roll less where they are wider: one hip joint rises over the other in leg lengths.

    Otherwise the leg under the higher hip of a wide body would be too short for the ground. A body on its side keeps
    its roll.
    """
    skeleton, posture = c.target.skeleton, c.target.posture
    left, right = (posture.positions[skeleton.roles[f"{side}UpperLeg"]] for side in SIDES)
    turned = rotations.multiply(hips, rotations.conjugate(posture.rotations[skeleton.roles["hips"]]))
    across = rotations.rotate(turned, (left - right) / np.linalg.norm(left - right))
    rise = across[:, 1]
    ratio = c.leg * _hip_width(c.source.skeleton) / _hip_width(skeleton)
    u = np.clip((np.abs(rise) - 0.4) / 0.4, 0.0, 1.0)
    wanted = np.clip(rise * (1.0 + (ratio - 1.0) * (1.0 - u * u * (3.0 - 2.0 * u))), -0.99, 0.99)
    flat = _level(across) * np.sqrt(1.0 - wanted**2)[:, None]
    flat[:, 1] = wanted
    return rotations.multiply(rotations.between(across, flat), hips)


def widened(c: Calibration, motion: Motion, source_p: Floats, ground: Ground) -> tuple[Floats, Floats]:
    """What to add to the left and right ankle ``(T, 3)`` because the target's hips are wider or narrower.

    Sideways, as the hips are turned, so that legs hang as they did; inward only while there is room to the middle, so
    that legs don't cross. While a foot is planted the step stays the same, so that it does not slide when the hips turn
    over it. In the air it follows them again.
    """
    roles = c.source.skeleton.roles
    half = 0.5 * (_hip_width(c.target.skeleton) - c.leg * _hip_width(c.source.skeleton))
    left, right = (source_p[:, roles[f"{side}UpperLeg"]] for side in SIDES)
    across, middle = _level(left - right), 0.5 * (left + right)
    points, labels, _ = plant_labels(motion, ground)
    steps = []
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        planted: Bools = np.asarray(labels[:, [i for i, point in enumerate(points) if point.side == side]].any(axis=1))
        out = c.leg * sign * np.sum((source_p[:, roles[f"{side}Foot"]] - middle) * across, axis=-1)
        step = np.maximum(half, np.minimum(0.0, APART * _hip_width(c.target.skeleton) - out))
        steps.append(_held_while(planted, (sign * step)[:, None] * across))
    return steps[0], steps[1]


def _held_while(planted: Bools, vectors: Floats) -> Floats:
    """Vectors that stay the same within each planted stretch, and pass into the given ones between them."""
    stretches = runs(planted)
    if not stretches:
        return vectors
    # At the middle of the stretch, not the mean over it: over a whole pirouette that would point nowhere.
    middles = np.array([vectors[(a + b) // 2] for a, b in stretches])
    result, count = vectors.copy(), len(vectors)
    for i, (first, last) in enumerate(stretches):
        before = stretches[i - 1][1] if i else -1
        after = stretches[i + 1][0] if i + 1 < len(stretches) else count
        result[first : last + 1] = middles[i]
        # Half of each gap belongs to either side; at its middle the foot is in the air and follows the hips.
        for edge, far in ((first, (before + first) // 2), (last, (last + after + 1) // 2)):
            way = np.arange(min(edge, far), max(edge, far) + 1)
            way = way[(way >= 0) & (way < count)]
            u = np.clip(np.abs(way - edge) / max(abs(far - edge), 1), 0.0, 1.0)[:, None]
            smooth = u * u * (3.0 - 2.0 * u)
            result[way] = middles[i] + smooth * (vectors[way] - middles[i])
    return result


def _hip_width(skeleton: Skeleton) -> float:
    place = skeleton.rest_world()[1]
    return float(np.linalg.norm(place[skeleton.roles["leftUpperLeg"]] - place[skeleton.roles["rightUpperLeg"]]))


def _level(vectors: Floats) -> Floats:
    """Unit vectors over the ground."""
    flat = vectors * [1.0, 0.0, 1.0]
    length = np.linalg.norm(flat, axis=-1, keepdims=True)
    level: Floats = flat / np.maximum(length, 1e-9)
    return level
