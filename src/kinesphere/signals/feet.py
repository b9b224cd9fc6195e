"""Feet that stay planted: an edit's last step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.body.bodies import LEGS
from kinesphere.body.contacts import find_stands, middle, middles, planted
from kinesphere.body.foot_lock import locked
from kinesphere.body.ground import sole_paths, sole_paths_in, sole_points
from kinesphere.body.part_world import legs_part, world_of
from kinesphere.body.plants import Plant, Plants
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats, within
from kinesphere.motion.frozen import frozen
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

SOON = 0.3  # of an edit at which its feet are held as in all of it


def held(before: Motion, after: Motion, joints: Bools, weight: Floats | None = None) -> Motion:
    """The edited motion with its feet standing where the edit brought them, whenever they stood before it.

    ``joints (J,)`` are what the edit was for. A body without legs, or an edit that does not reach them, stays as it is.
    ``weight (T,)`` is how much of the edit held when: where it is 0, nothing changes to the last bit, and a foot that
    stood there already goes on standing there.
    """
    skeleton = before.skeleton.with_found_roles()
    if not all(role in skeleton.roles for role in LEGS) or not moves_feet(skeleton, joints):
        return after
    stands, after = find_stands(_on(before, skeleton)), _on(after, skeleton)
    inside = None if weight is None or weight.min() > 0.0 else weight > 0.0
    if inside is not None:
        some = [bool(inside[first : last + 1].any()) for _, first, last in stands.rows.tolist()]
        stands = stands._replace(rows=stands.rows[np.array(some, dtype=np.bool_)])
    if not len(stands.rows):
        return after
    world = world_of(after, legs_part(skeleton))
    paths = sole_paths_in(world, stands.points)
    plants = planted(stands, paths, len(before), before.rate)
    if weight is None or inside is None:
        return locked(after, world, plants).motion
    stood = locked(after, world, from_outside(plants, paths, inside)).motion
    return between(after, stood, weight)


def from_outside(plants: Plants, paths: Floats, inside: Bools) -> Plants:
    """Plants that are only partly inside of a stretch ``(T,)`` stand where their paths ``(T, P, 3)`` are outside."""
    moved = []
    for plant in plants.intervals:
        outside = np.flatnonzero(~inside[plant.first : plant.last + 1]) + plant.first
        if outside.size:
            x, y, z = middle(paths[outside, plants.points.index(plant.name)]).tolist()
            plant = replace(plant, anchor=(x, y, z))
        moved.append(plant)
    return replace(plants, intervals=tuple(moved))


def between(after: Motion, stood: Motion, weight: Floats) -> Motion:
    """The motion with its feet held as far as a weight ``(T,)`` says, which soon says all."""
    share = within(weight / SOON, 0.0, 1.0)
    share = share * share * (3.0 - 2.0 * share)
    turned, places = stood.rotations.copy(), stood.translations.copy()
    fading, outside = (share > 0.0) & (share < 1.0), share == 0.0
    turned[fading] = rotations.slerp(after.rotations[fading], turned[fading], share[fading, None])
    places[fading] += (1.0 - share[fading, None, None]) * (after.translations[fading] - places[fading])
    turned[outside], places[outside] = after.rotations[outside], after.translations[outside]
    return replace(stood, rotations=frozen(turned), translations=frozen(places))


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
