"""Goals in the world that an arm is too short for: the body goes towards them, and says so where that is not enough."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kinesphere.figure.arm_plan import ArmPlan
from kinesphere.figure.spans import RATE
from kinesphere.files.errors import MotionFileWarning
from kinesphere.kernels.arrays import Floats

EASY = 0.985  # of an arm's reach that the body leaves it
MOST = 0.16  # metres that the hips go for it, for a figure 1.70 m tall
AROUND = 0.55  # seconds before and after
MISSED = 0.005  # metres of which is told


class OutOfReach(MotionFileWarning):
    """A goal lies farther away than a hand can go; it is approached."""


def leaning(plan: ArmPlan, shoulder: Floats, time: Floats, size: float) -> Floats:
    """``(T, 3)`` how far the body goes so that an arm reaches its goals in the world from its shoulder as it is."""
    keys = np.flatnonzero(plan.fixed & plan.stops)
    if not keys.size:
        return np.zeros_like(shoulder)
    when = plan.frames[keys] / RATE
    at = np.stack([np.interp(when, time, shoulder[:, i]) for i in range(3)], axis=1)
    way = plan.places[keys] - at
    far = np.linalg.norm(way, axis=1)
    short = np.clip(far - EASY * plan.limb.reach, 0.0, MOST * size)
    if not short.any():
        return np.zeros_like(shoulder)
    asked = way * (short / np.maximum(far, 1e-9))[:, None]
    near = np.clip(1.0 - np.abs(time[:, None] - when) / AROUND, 0.0, 1.0)
    weight = near**2 * (3.0 - 2.0 * near)
    # Between two goals near each other the nearer one counts for more, and at each its own alone.
    sharp = weight**4
    mixed = sharp @ asked / np.maximum(sharp.sum(axis=1), 1e-9)[:, None]
    return np.asarray(mixed * weight.max(axis=1, keepdims=True))


def missed(name: str, side: str, plan: ArmPlan, hand: Floats) -> Iterator[str]:
    """What is to be said of goals in the world that the hand ``(T, 3)`` does not come to."""
    for key in np.flatnonzero(plan.fixed & plan.stops):
        frame = min(int(plan.frames[key]), len(hand) - 1)
        gap = float(np.linalg.norm(hand[frame] - plan.places[key]))
        if gap > MISSED:
            yield (
                f"{name}: the {side} hand stays {1000.0 * gap:.0f} mm short of its goal in the world at "
                f"{plan.times[key]:g} s; the goal is approached as far as body and arm go"
            )
