"""What the body stands on, and how far its centre of mass is from the edge of it.

A foot's planted points are taken to be as wide as the foot: 0.11 of the leg's length (9 cm for a person of 1.7 m),
half of it to each side, square to the way from heel to ball as seen from above. A planted ball reaches on to the
tip of the toes, half a heel-to-ball length ahead, and a planted heel to the back of the heel, a third of it behind the
ankle (shares of foot length as in Winter 2009, fig. 4.1: foot 0.152 of the height, its width 0.055).
A foot without toes has a square of its width under its sole point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.body.bodies import motion_with_roles
from kinesphere.body.contacts import find_plants
from kinesphere.body.ground import leg_length, sole_paths, sole_points
from kinesphere.body.mass import NEEDED, centre_of_mass
from kinesphere.body.plants import Plants
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion

WIDTH = 0.11  # leg lengths
TOES, BACK = 0.5, 0.33  # heel-to-ball lengths ahead of the ball and behind the heel


@dataclass(frozen=True, eq=False)
class Support:
    """Where the body is held up."""

    corners: Floats  # (T, C, 2) x and z of every foot's corners
    planted: Bools  # (T, C) which of them hold
    margin: (
        Floats  # (T,) metres from the centre of mass, seen from above, to the edge; negative outside, NaN in the air
    )

    def polygon(self, frame: int) -> Floats:
        """``(N, 2)`` x and z of the support polygon's corners, counter-clockwise; none in the air."""
        return convex_hull(self.corners[frame][self.planted[frame]])


def support(motion: Motion, plants: Plants | None = None) -> Support:
    """Support polygon, and signed margin of the centre of mass, in every frame.

    Plants left out are found. Frames without a plant, calibration frames among them, have no polygon.
    """
    motion = motion_with_roles(motion, NEEDED, "the support polygon")
    plants = find_plants(motion) if plants is None else plants
    corners, planted = _corners(motion, plants)
    return Support(corners, planted, margins(corners, planted, centre_of_mass(motion)[:, [0, 2]]))


def margins(corners: Floats, planted: Bools, points: Floats) -> Floats:
    """``(T,)`` signed distances of points ``(T, 2)`` from the hulls of the planted corners: positive inside.

    A convex shape lies below ``max corner · d`` in every direction d, and the distance from its edge is the least of
    ``max corner · d − point · d`` over all of them, inside and outside. It is reached square to an edge or
    along the way from a corner to the point, so these directions are enough.
    """
    result = np.full(len(points), np.nan)
    first, second = np.triu_indices(corners.shape[1], 1)
    frames = np.flatnonzero(planted.any(axis=1))
    for block in np.array_split(frames, max(len(frames) // 256, 1)):
        if not len(block):
            continue
        at = corners[block]
        edge = at[:, second] - at[:, first]
        normal = np.stack([edge[..., 1], -edge[..., 0]], axis=-1)
        ways = np.concatenate([normal, -normal, points[block, None] - at], axis=1)
        length = np.linalg.norm(ways, axis=-1, keepdims=True)
        ways = np.where(length > 1e-12, ways / np.maximum(length, 1e-12), [1.0, 0.0])
        along = np.einsum("tdi,tci->tdc", ways, at)
        edges = np.where(planted[block][:, None], along, -np.inf).max(axis=-1)
        result[block] = (edges - np.einsum("tdi,ti->td", ways, points[block])).min(axis=-1)
    return result


def convex_hull(points: Floats) -> Floats:
    """Corners of the convex hull of points ``(N, 2)``, counter-clockwise (Andrew's monotone chain)."""
    ordered = np.unique(points, axis=0)
    if len(ordered) < 3:
        return ordered

    def half(rows: list[list[float]]) -> list[list[float]]:
        chain: list[list[float]] = []
        for row in rows:
            while len(chain) > 1 and _left_turn(chain[-2], chain[-1], row) <= 0.0:
                chain.pop()
            chain.append(row)
        return chain[:-1]

    rows = ordered.tolist()
    return np.array(half(rows) + half(rows[::-1]))


def _corners(motion: Motion, plants: Plants) -> tuple[Floats, Bools]:
    """``(T, C, 2)`` corners of both feet's points on the ground, and which of them are planted ``(T, C)``."""
    points = sole_points(motion.skeleton)
    paths = sole_paths(motion, points)[..., [0, 2]]
    labels, half = plants.labels, 0.5 * WIDTH * leg_length(motion.skeleton)
    corners, planted = [], []
    for side in SIDES:
        own = [i for i, point in enumerate(points) if point.side == side]
        if len(own) == 2:
            ahead = paths[:, own[1]] - paths[:, own[0]]
            length = np.linalg.norm(ahead, axis=1, keepdims=True)
        else:
            ahead, length = np.tile([0.0, 1.0], (len(motion), 1)), np.zeros((len(motion), 1))
        along = ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
        across = half * np.stack([along[:, 1], -along[:, 0]], axis=1)
        for i in own:
            name = points[i].point
            reach = {"heel": -BACK * length, "ball": TOES * length, "sole": np.full(length.shape, half)}[name]
            near = -half if name == "sole" else 0.0
            for end in (near, reach):
                for way in (across, -across):
                    corners.append(paths[:, i] + end * along + way)
                    planted.append(labels[points[i].name])
    return np.stack(corners, axis=1), np.stack(planted, axis=1)


def _left_turn(a: list[float], b: list[float], c: list[float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
