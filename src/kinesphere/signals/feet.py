"""Feet that stay planted: an edit's last step."""

from __future__ import annotations

from dataclasses import replace

from kinesphere.body.bodies import LEGS
from kinesphere.body.contacts import find_plants, middle
from kinesphere.body.foot_lock import lock_feet
from kinesphere.body.ground import sole_paths, sole_points
from kinesphere.body.plants import Plants
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
    plants = find_plants(replace(before, skeleton=skeleton))
    return lock_feet(replace(after, skeleton=skeleton), carried(plants, replace(after, skeleton=skeleton)))


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
    paths, names = sole_paths(motion, points), [point.name for point in points]
    moved = []
    for plant in plants.intervals:
        x, y, z = middle(paths[plant.first : plant.last + 1, names.index(plant.name)])
        moved.append(replace(plant, anchor=(float(x), float(y), float(z))))
    return replace(plants, intervals=tuple(moved))
