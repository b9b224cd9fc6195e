"""One arm's keys as a gesture writes them, in arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.figure.manner import stops
from kinesphere.figure.stance import resting_swivel, resting_wrist
from kinesphere.kernels.arrays import Bools, Floats, Ints
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.keypoints import Space
from kinesphere.motion.remembering import remembered

SAME = 1e-4  # metres: a key nearer to rest than this hangs, one nearer to the key before holds
BRIEFLY = 0.1  # seconds that a lone key is held at least


class ArmKeys(NamedTuple):
    """Keys ``(K, ...)`` and the strokes between them. A lone key is held, from its moment on."""

    times: Floats  # seconds
    stops: Bools  # whether the hand rests there
    places: Floats  # (K, 3) metres, for a figure 1.70 m tall
    swivels: Floats
    fixed: Bools  # whether a key is fixed in the world
    rests: Bools  # whether it is the hanging hand's place
    edges: Ints  # (S + 1,) the keys at which strokes begin and end
    eases: Floats  # (S,) when each stroke is fastest, as written
    locked: bool  # whether the keys keep their times
    lone: bool


@remembered
def arm_keys(gesture: Gesture, side: str) -> ArmKeys | None:
    """The arm's keys, or None where the gesture leaves it hanging."""
    keys = gesture.arm(side)
    if keys is None:
        return None
    times = np.array([key.frame for key in keys.keys]) / keys.rate
    rest = stops(keys)
    places = np.array([key.position for key in keys.keys])
    swivels = np.array([key.swivel for key in keys.keys])
    fixed = np.array([key.space == Space.GLOBAL for key in keys.keys])
    rests = np.linalg.norm(places - np.array(resting_wrist(side)), axis=1) < SAME
    swivels = np.where(rests, resting_swivel(side), swivels)
    eases = np.array(gesture.inflections.get(side) or (0.5,) * len(times))
    lone = len(times) == 1
    if lone:
        times = np.array([times[0], max(gesture.duration, times[0] + BRIEFLY)])
        rest, places, swivels, fixed, rests, eases = (
            np.repeat(row, 2, axis=0) for row in (rest, places, swivels, fixed, rests, eases)
        )
    edges = np.flatnonzero(rest)
    return ArmKeys(times, rest, places, swivels, fixed, rests, edges, eases[edges[1:]], keys.locked, lone)
