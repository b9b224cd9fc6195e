"""World goals: a point of the body is at a place in the world for some time, to a millimetre."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.motion.errors import unknown_name

POINTS = ("fingertips", "palm", "grip", "wrist")  # of a hand
ENDS = ("leftHand", "rightHand", "leftFoot", "rightFoot")
FADE = 0.35  # seconds over which a goal comes and goes


@dataclass(frozen=True)
class WorldGoal:
    """A point of a hand, or a foot, at a target.

    It holds fully from ``start`` to ``end``, in seconds of the phrase's own time, and comes and goes over the seconds
    before and after. The target is in metres of the world.
    """

    role: str
    target: tuple[float, float, float]
    start: float
    end: float
    point: str = "fingertips"
    before: float = FADE
    after: float = FADE
    name: str = ""

    def __post_init__(self) -> None:
        if self.role not in ENDS:
            raise ValueError(unknown_name("end of a limb", self.role, ENDS))
        if self.point not in POINTS:
            raise ValueError(unknown_name("point of a hand", self.point, POINTS))
        times = (self.start, self.end, self.before, self.after)
        if not np.isfinite([*times, *self.target]).all():
            raise ValueError(f"goal of {self.role}: a number is not finite")
        if self.end < self.start or min(self.before, self.after) < 0.0:
            raise ValueError(f"goal of {self.role}: from {self.start:g} to {self.end:g} s; times that increase")
