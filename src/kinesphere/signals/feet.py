"""Feet that stay planted: an edit's last step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.body.bodies import LEGS
from kinesphere.body.contacts import find_stands, middles, planted
from kinesphere.body.foot_lock import locked
from kinesphere.body.ground import sole_paths, sole_paths_in, sole_points
from kinesphere.body.part_world import legs_part, world_of
from kinesphere.body.plants import Plant, Plants
from kinesphere.kernels.arrays import Bools
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton


def held(before: Motion, after: Motion, joints: Bools) -> Motion:
    """The edited motion with its feet standing where the edit brought them, whenever they stood before it.

    ``joints (J,)`` are what the edit was for. A body without legs, or an edit that does not reach them, stays as it is.
    """
    skeleton = before.skeleton.with_found_roles()
    if not all(role in skeleton.roles for role in LEGS) or not moves_feet(skeleton, joints):
        return after
    stands, after = find_stands(_on(before, skeleton)), _on(after, skeleton)
    if not len(stands.rows):
        return after
    world = world_of(after, legs_part(skeleton))
    plants = planted(stands, sole_paths_in(world, stands.points), len(before), before.rate)
    return locked(after, world, plants).motion


def _on(motion: Motion, skeleton: Skeleton) -> Motion:
    return motion if motion.skeleton is skeleton else replace(motion, skeleton=skeleton)


def moves_feet(skeleton: Skeleton, joints: Bools) -> bool:
    """Whether any of the joints ``(J,)`` carries a foot."""
    for side in SIDES:
        joint = skeleton.roles.get(f"{side}Toes", skeleton.roles[f"{side}Foot"])
        while joint >= 0:
            if joints[joint]:
                return True
            joint = int(skeleton.parents[joint])
    return False


def carried(plants: Plants, motion: Motion) -> Plants:
    """The same stands, where this motion has them."""
    points = sole_points(motion.skeleton)
    names = [point.name for point in points]
    rows = [(names.index(plant.name), plant.first, plant.last) for plant in plants.intervals]
    places = middles(sole_paths(motion, points), np.array(rows, dtype=np.intp).reshape(-1, 3)).tolist()
    moved = tuple(
        Plant(plant.side, plant.point, plant.first, plant.last, (x, y, z))
        for plant, (x, y, z) in zip(plants.intervals, places, strict=True)
    )
    return replace(plants, intervals=moved)
