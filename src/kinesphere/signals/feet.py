"""Feet that stay planted: an edit's last step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.body.bodies import LEGS
from kinesphere.body.contacts import Stands, find_stands, middle, middles, planted
from kinesphere.body.foot_lock import locked
from kinesphere.body.ground import bell, grown, sole_paths, sole_paths_in, sole_points, spread
from kinesphere.body.part_world import legs_part, world_of
from kinesphere.body.plants import Plant, Plants
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats, lengths, within
from kinesphere.motion.frozen import frozen
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton
from kinesphere.signals.grounding import grounded

SOON = 0.6  # of an edit at which its feet are held as in all of it
ADDED = 0.012  # metres by which an edit makes a foot slide more that has it held in full
APART = 0.2  # seconds between plants of one stand
AROUND = 0.3  # seconds before and after that this counts


def held(before: Motion, after: Motion, joints: Bools, weight: Floats | None = None, *, anyway: bool = False) -> Motion:
    """The edited motion on the ground as it was, its feet standing where the edit brought them when they stood before.

    Parameters
    ----------
    joints : (J,)
        What the edit was for. A body without legs, or an edit that does not reach them, stays as it is.
    weight : (T,)
        How much of the edit held when: where it is 0, nothing changes to the last bit, and a foot that stood there
        already goes on standing there.
    anyway
        Whether feet are held whether or not the edit makes them slide. Otherwise an edit that does next to nothing
        leaves a capture's own sliding alone: a dial that is turned up from zero does not jump.
    """
    skeleton = before.skeleton.with_found_roles()
    if not all(role in skeleton.roles for role in LEGS) or not moves_feet(skeleton, joints):
        return after
    stands, edited = find_stands(_on(before, skeleton)), _on(after, skeleton)
    inside = np.ones(len(before)) if weight is None else soon(weight)
    inside[list(before.calibration_frames)] = 0.0
    made, world = edited, world_of(edited, legs_part(skeleton))
    if not anyway:
        made, world = grounded(made, world, stands)
    some = [bool(inside[first : last + 1].any()) for _, first, last in stands.rows.tolist()]
    stands = stands._replace(rows=stands.rows[np.array(some, dtype=np.bool_)])
    if len(stands.rows):
        paths = sole_paths_in(world, stands.points)
        plants = _brought(stands, paths, inside > 0.0, before.rate)
        share = inside if anyway else inside * _added(stands, plants, paths, before.rate)
        if share.any():
            made = between(made, locked(made, world, plants).motion, share)
    return between(edited, made, inside)


def _brought(stands: Stands, paths: Floats, inside: Bools, rate: float) -> Plants:
    """Plants as the input has them, each stand of a foot taken along over the ground as far as its paths went.

    So heel and ball stay as far apart and as high as they stood, and the foot faces as it did. A stand that is partly
    outside of the stretch stays where it is.
    """
    plants = planted(stands, stands.paths, len(paths), rate)
    moved = (paths - stands.paths)[..., [0, 2]]
    made: list[Plant] = []
    for side in SIDES:
        stand: list[Plant] = []
        for plant in [*sorted((p for p in plants.intervals if p.side == side), key=lambda p: p.first), None]:
            if stand and (plant is None or plant.first > max(p.last for p in stand) + APART * rate):
                steps = [moved[p.first : p.last + 1, plants.points.index(p.name)] for p in stand]
                kept = all(inside[p.first : p.last + 1].all() for p in stand)
                x, z = np.median(np.concatenate(steps), axis=0).tolist() if kept else (0.0, 0.0)
                made += [replace(p, anchor=(p.anchor[0] + x, p.anchor[1], p.anchor[2] + z)) for p in stand]
                stand = []
            if plant is not None:
                stand.append(plant)
    return replace(plants, intervals=tuple(made))


def _added(stands: Stands, plants: Plants, paths: Floats, rate: float) -> Floats:
    """``(T,)`` how much feet slide that did not: 1 from ``ADDED`` metres on."""
    more = np.zeros(len(paths))
    where = middles(stands.paths, stands.rows)
    anchors = {(plants.points.index(p.name), p.first): np.array(p.anchor) for p in plants.intervals}
    for (i, first, last), was in zip(stands.rows.tolist(), where, strict=True):
        rows = slice(first, last + 1)
        slid = (paths[rows, i] - anchors[i, first]) - (stands.paths[rows, i] - was)
        more[rows] = np.maximum(more[rows], lengths(slid).max())
    return _eased(spread(grown(more, AROUND, rate), bell(0.5 * AROUND, rate)) / ADDED)


def soon(weight: Floats) -> Floats:
    """``(T,)`` how far feet are held where so much of an edit holds."""
    return _eased(weight / SOON)


def _eased(x: Floats) -> Floats:
    u = within(x, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))


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


def between(one: Motion, other: Motion, share: Floats) -> Motion:
    """From one motion to another, frame by frame, by shares ``(T,)``; at 0 and 1 to the last bit."""
    if (share == 1.0).all():
        return other
    turned, places = other.rotations.copy(), other.translations.copy()
    fading, before = (share > 0.0) & (share < 1.0), share == 0.0
    turned[fading] = rotations.slerp(one.rotations[fading], turned[fading], share[fading, None])
    places[fading] += (1.0 - share[fading, None, None]) * (one.translations[fading] - places[fading])
    turned[before], places[before] = one.rotations[before], one.translations[before]
    return replace(other, rotations=frozen(turned), translations=frozen(places))


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
