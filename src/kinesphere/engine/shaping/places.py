"""Places in the world that properties speak of: where they are in each frame of a performance."""

from __future__ import annotations

import numpy as np

from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.maths.vectors import Floats
from kinesphere.motion.look import Place


def place_in_world(context: PerformanceContext, place: Place, hips: Floats) -> Floats:
    """``(T, 3)`` where a place is, beside hips ``(T, 3)`` in the world.

    In a loop it goes along with who goes round, so that each cycle is like the others.
    """
    made = np.tile(np.array(place), (len(hips), 1))
    cycles = context.detail.cycles
    if context.detail.period is None:
        return made
    way = (hips[-1] - hips[0]) / cycles * np.array([1.0, 0.0, 1.0])
    gone = np.linspace(0.0, cycles, len(hips))
    return np.asarray(made + gone[:, None] * way)
