"""Last limits: no hand is quicker than hands are, whatever strokes, drag, flourishes and referents add up to.

Where a wrist would rotate too fast, its rotation begins earlier and ends later. Where a hand's step would change too
much from one frame to the next, it cuts the corner, or begins to stop earlier. Frames that are held stay as they are,
and so does all that is slower.
"""

from __future__ import annotations

from math import radians

from kinesphere import _native
from kinesphere.engine.batch import Batch
from kinesphere.engine.pose import SIGN, BatchPose
from kinesphere.maths.vectors import Bools, Floats

FASTEST = radians(850.0)  # a second, of a wrist
SHARPEST = 180.0  # metres a second squared, of a hand, for a figure 1.70 m tall: steps that change by 50 mm at 60 Hz


def limit_wrist_speeds(pose: BatchPose, held: Bools) -> None:
    """Limit the speed at which hands rotate against their forearms; in frames ``held (2 F,)`` they stay."""
    for side, own in zip(SIGN, held.reshape(len(SIGN), -1), strict=True):
        joint = pose.skeleton.index(f"{side}Hand")
        _native.quickness.limit_speed(pose.batch.rows, joint, FASTEST / pose.batch.rate, own, pose.local)


def limit_accelerations(batch: Batch, wrist: Floats, held: Bools, size: float) -> None:
    """Limit, in place, how much steps of wrists ``(F, 3)`` change; in frames ``held (F,)`` they stay."""
    _native.quickness.limit_acceleration(batch.rows, SHARPEST * size / batch.rate**2, held, wrist)
