"""Feet of a blend that stand while those of most of its motions stand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.body.bodies import LEGS
from kinesphere.body.contacts import find_plants
from kinesphere.body.foot_lock import lock_feet
from kinesphere.body.ground import runs, sole_paths, sole_points
from kinesphere.body.plants import Plant, Plants
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.motion.motion import Motion
from kinesphere.signals.blend_clock import Taken
from kinesphere.signals.feet import between, carried, from_outside, moves_feet, soon

SHORTEST = 0.08  # seconds that a foot stands at least


def planted(made: Motion, taken: list[Taken], shares: Floats, joints: Bools, weight: Floats | None = None) -> Motion:
    """The blend of some joints ``(J,)`` with its feet held. Where none of these carries a foot, it stays as it is.

    ``weight (T,)`` is how much of it is a blend when; None: all.
    """
    skeleton = made.skeleton.with_found_roles()
    if not all(role in skeleton.roles for role in LEGS) or not moves_feet(skeleton, joints):
        return made
    given = replace(made, skeleton=skeleton)
    found = [find_plants(replace(one.source, skeleton=skeleton)) for one in taken]
    intervals: list[Plant] = []
    for name in found[0].points:
        standing = np.zeros(len(made))
        for share, one, plants in zip(shares, taken, found, strict=True):
            standing += share * _standing(plants, name, one.frames)
        any_of = next((plant for plants in found for plant in plants.of(name)), None)
        for first, last in runs(standing > 0.5):
            if any_of is not None and (last - first + 1) / made.rate >= SHORTEST:
                intervals.append(replace(any_of, first=first, last=last))
    if weight is not None:
        intervals = [plant for plant in intervals if weight[plant.first : plant.last + 1].any()]
    plants = carried(Plants(len(made), made.rate, found[0].ground, found[0].points, tuple(intervals)), given)
    if weight is None:
        return replace(lock_feet(given, plants), skeleton=made.skeleton)
    plants = from_outside(plants, sole_paths(given, sole_points(skeleton)), weight > 0.0)
    return replace(between(given, lock_feet(given, plants), soon(weight)), skeleton=made.skeleton)


def _standing(plants: Plants, name: str, frames: Floats) -> Bools:
    """``(T,)`` whether a point stands at frames ``(T,)``, also between whole ones."""
    labels = plants.labels[name]
    return np.asarray(labels[np.clip(np.round(frames).astype(np.intp), 0, len(labels) - 1)])
