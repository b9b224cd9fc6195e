"""How far apart feet stand on hips of another width."""

from __future__ import annotations

import numpy as np

from kinesphere.body.calibration import Calibration
from kinesphere.body.contacts import find_plants
from kinesphere.body.ground import Ground, runs
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton


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

    Sideways, as the hips are turned; but while a foot is planted always the same, so that it does not slide when the
    hips turn over it. Between plants one passes smoothly into the next.
    """
    half = 0.5 * (_hip_width(c.target.skeleton) - c.leg * _hip_width(c.source.skeleton))
    left, right = (source_p[:, c.source.skeleton.roles[f"{side}UpperLeg"]] for side in SIDES)
    across = _level(left - right)
    plants = find_plants(motion, ground=ground)
    labels = plants.labels
    steps = []
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        planted = np.any([held for name, held in labels.items() if name.startswith(side)], axis=0)
        steps.append(sign * half * _held_while(planted, across))
    return steps[0], steps[1]


def _held_while(planted: Bools, directions: Floats) -> Floats:
    """Directions that stay the same within each planted stretch, and turn from one to the next between them."""
    stretches = runs(planted)
    if not stretches:
        return directions
    # At the middle of the stretch, not the mean over it: over a whole pirouette that would point nowhere.
    middles = np.array([directions[(a + b) // 2] for a, b in stretches])
    result = np.empty_like(directions)
    result[: stretches[0][0]], result[stretches[-1][1] :] = middles[0], middles[-1]
    for i, (first, last) in enumerate(stretches):
        result[first : last + 1] = middles[i]
        if i + 1 < len(stretches):
            after = stretches[i + 1][0]
            u = np.linspace(0.0, 1.0, after - last + 1)[:, None]
            smooth = u * u * (3.0 - 2.0 * u)
            result[last : after + 1] = _level(middles[i] + smooth * (middles[i + 1] - middles[i]))
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
