"""A body that stays on the ground it was on: hips go up or down with what an edit does to the legs.

Legs that swing farther are shorter below the hips, and a body whose hips stay where they were would hover, or wade.
While the input touches the ground, the lowest sole is brought to the height at which the input has it. In the air
hips are left alone, but not below the ground: a higher jump is a higher jump.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.body.contacts import Stands
from kinesphere.body.ground import smoothed, sole_paths_in
from kinesphere.body.part_world import PartWorld
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats, within
from kinesphere.motion.frozen import frozen
from kinesphere.motion.motion import Motion
from kinesphere.signals.curves import carrier_of

TOUCHING, FLYING = 0.04, 0.10  # metres above the ground of the lowest sole, between which touching ends
ROUND = 0.04  # seconds, the width of the bell by which the hips' way is rounded


def grounded(motion: Motion, world: PartWorld, before: Stands) -> tuple[Motion, PartWorld]:
    """The motion with its lowest sole as high as before, and its legs in the world."""
    low, now = before.paths[..., 1].min(axis=1), sole_paths_in(world, before.points)[..., 1].min(axis=1)
    if np.abs(now - low).max() < 1e-9:
        return motion, world
    floor = np.minimum(_floor(before, low), low)
    touching = 1.0 - within((low - floor - TOUCHING) / (FLYING - TOUCHING), 0.0, 1.0)
    away = touching * (now - low) + (1.0 - touching) * np.minimum(now - floor, 0.0)
    drop = smoothed(away, motion.rate, ROUND)
    carrier = carrier_of(motion.skeleton)
    way = np.zeros((len(motion), 3))
    way[:, 1] = -drop
    above = int(motion.skeleton.parents[carrier])
    if above >= 0:
        way = rotations.rotate(rotations.conjugate(world.turned(above)), way)
    places = motion.translations.copy()
    places[:, carrier] += way
    p = world.p.copy()
    below = [row for joint, row in world.part.rows.items() if _hangs_on(motion, joint, carrier)]
    p[:, below, 1] -= drop[:, None]
    return replace(motion, translations=frozen(places)), world._replace(p=p)


def _floor(before: Stands, low: Floats) -> Floats:
    """``(T,)`` the height of the lowest sole when it stands: what a slope or a step makes of it goes along."""
    stood = np.zeros(len(low), dtype=np.bool_)
    for _, first, last in before.rows.tolist():
        stood[first : last + 1] = True
    frames = np.flatnonzero(stood)
    if not frames.size:
        return np.full(len(low), float(low.min()))
    return np.asarray(np.interp(np.arange(len(low)), frames, low[frames]))


def _hangs_on(motion: Motion, joint: int, carrier: int) -> bool:
    while joint >= 0 and joint != carrier:
        joint = int(motion.skeleton.parents[joint])
    return joint == carrier
