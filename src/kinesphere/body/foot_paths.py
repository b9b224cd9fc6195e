"""How the feet move: the corrections that hold planted points, and how they come and go.

While a point of a foot is planted, the foot is moved so that the point stays at its anchor. While heel and ball
are both planted the foot is also turned, about the axis that takes the way from heel to ball to that between
the anchors; roll about that way stays the input's. Before and after plants both corrections follow cubics
whose value and slope meet the plant's, and which are nothing ``EASE`` seconds away: the foot's speed has no jump.
"""

from __future__ import annotations

import numpy as np

from kinesphere.body.ground import SolePoint, bell, eased, grown, smoothed, spread, velocities
from kinesphere.body.plants import Plants
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats

EASE = 0.2  # seconds before and after a plant in which its correction comes and goes
STEADY, FULL = 0.03, 0.05  # seconds: sigma of the low-pass on a standing foot's rotation; how it comes and goes
SLOPE = 1.0 / 60.0  # seconds to each side for the slope at a plant's edge


def foot_correction(
    points: list[SolePoint], paths: Floats, foot_world: tuple[Floats, Floats], plants: Plants, performed: Bools
) -> tuple[Floats, Floats, Bools]:
    """For one foot: the ankle's shift ``(T, 3)``, the foot's turn ``(T, 3)``, and whether it is planted ``(T,)``."""
    (foot, ankle), rate = foot_world, plants.rate
    labels = np.stack([plants.labels[point.name] for point in points]) & performed
    anchors = plants.anchors([point.name for point in points], paths)
    turn = np.zeros(ankle.shape)
    arms = paths - ankle[:, None]
    held: Bools = np.any(labels, axis=0)
    steadied = _steadied(foot, held, rate, performed)
    arms = rotations.rotate(steadied[:, None], arms)
    if len(points) == 2 and labels.all(axis=0).any():
        both: Bools = np.all(labels, axis=0)
        wanted = anchors[both, 1] - anchors[both, 0]
        found = rotations.between(arms[both, 1] - arms[both, 0], wanted)
        turn[both] = rotations.to_rotation_vector(found)
        vectors = arms[:, 1] - arms[:, 0]
        # On the plant's side of an edge the turn undoes how the foot turns, so its slope is that of the input's.
        turning = np.cross(vectors, velocities(vectors, rate, SLOPE)) / np.sum(vectors**2, axis=1, keepdims=True)
        turn = eased(turn, -turning, both, performed, EASE * rate, rate)
        arms = rotations.rotate(rotations.from_rotation_vector(turn)[:, None], arms)
    turn = rotations.to_rotation_vector(rotations.multiply(rotations.from_rotation_vector(turn), steadied))
    moved = ankle[:, None] + arms
    weight = labels.T / np.maximum(labels.sum(axis=0), 1)[:, None]  # (T, P)
    shift = np.sum(weight[..., None] * (anchors - moved), axis=1)
    slope = -np.sum(weight[..., None] * velocities(moved, rate, SLOPE), axis=1)
    return eased(shift, slope, held, performed, EASE * rate, rate), turn, held


def _steadied(foot: Floats, held: Bools, rate: float, performed: Bools) -> Floats:
    """``(T, 4)`` turns that take the jitter out of how the foot is turned while it stands.

    Held by the heel or the ball, an ankle would shake as much as the foot's direction does.
    """
    frames = np.flatnonzero(performed)
    smooth = foot.copy()
    smooth[frames] = rotations.normalise(smoothed(rotations.continuous(foot[frames]), rate, STEADY))
    share = spread(grown(held, FULL, rate), bell(FULL, rate)) * performed
    return rotations.power(rotations.multiply(smooth, rotations.conjugate(foot)), share)
