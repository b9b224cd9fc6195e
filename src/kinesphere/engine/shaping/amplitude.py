"""Amplitude: how far joints depart from their mean pose, joint by joint; what is added stays within a joint's range."""

from __future__ import annotations

import numpy as np

from kinesphere.engine.recorded_limits import PARTS, arm_limits
from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.engine.shaping.asked import AskedShaping, joints_by_role
from kinesphere.engine.shaping.moments import FIXED
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian
from kinesphere.maths.rotation_curves import turns_from
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.humanoid import SIDES

ROOM = {"arm": 1.0, "else": 0.45}  # radians that are added to an excursion at most, approached softly
MEAN_ROUNDS = 3  # of finding a mean rotation
CALM = 0.045  # seconds of σ: what is quicker is a capture's tremor, which is not made more of
STILL = 1e-9  # of a factor


def scale_excursions(context: PerformanceContext, asked: AskedShaping, local: Floats) -> None:
    """Scale how far joints are from their means, in poses ``(T, J, 4)`` that are changed in place."""
    factors = {role: own for role, own in asked.by_role("amplitude").items() if role not in FIXED}
    if not factors:
        return
    limits, owned = arm_limits(context.body), joints_by_role(context.body)
    recorded = np.ascontiguousarray(local[:, limits.joints])
    for role, factor in factors.items():
        more = factor - 1.0
        if np.abs(more).max() < STILL:
            continue
        room = ROOM["arm" if role.startswith(SIDES) else "else"]
        for joint in owned[role]:
            _scale(local, joint, more, room, CALM * context.rate)
    for side in SIDES:
        for part in PARTS:
            if f"{side}{part}" in factors:
                limits.ease(f"{side}{part}", recorded, local)


def _scale(local: Floats, joint: int, more: Floats, room: float, sigma: float) -> None:
    """Add ``more (T,)`` times its excursion to one joint's rotations."""
    turns = rotations.continuous(local[:, joint])
    mean = mean_rotation(turns, np.abs(more))
    away = turns_from(mean, turns)
    calm = np.where(more[:, None] > 0.0, gaussian(away, sigma, ends="reflect"), away)
    added = more[:, None] * calm
    size = np.maximum(norms(added), 1e-12)
    added = np.where((more > 0.0)[:, None], (room * np.tanh(size / room) / size)[:, None] * added, added)
    local[:, joint] = rotations.multiply(mean, rotations.from_rotation_vector(away + added))


def mean_rotation(turns: Floats, weights: Floats) -> Floats:
    """``(4,)`` the mean of continuous rotations ``(T, 4)``, by weights ``(T,)``."""
    mean = rotations.normalise(np.average(turns, axis=0, weights=weights))
    for _ in range(MEAN_ROUNDS):
        away = rotations.to_rotation_vector(rotations.multiply(rotations.conjugate(mean), turns))
        mean = rotations.multiply(mean, rotations.from_rotation_vector(np.average(away, axis=0, weights=weights)))
    return np.asarray(mean)
