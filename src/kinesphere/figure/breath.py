"""Breath: its course, and ribs and belly that swell with it as scales of the surface."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from kinesphere.figure.curves import ramp
from kinesphere.figure.pose import Pose
from kinesphere.kernels.arrays import Floats

PERIOD = 3.6  # seconds, about
FULL, EMPTY = 0.40, 0.86  # shares of a breath: in until the first, out until the second, then a pause
# How much wider, taller and deeper each joint's surface is when the lungs are full, and how much later, in seconds:
# the belly first, the ribs after it.
SWELLS = MappingProxyType(
    {
        "spine": ((0.016, 0.0, 0.040), 0.0),
        "spine2": ((0.020, 0.0, 0.050), 0.06),
        "chest": ((0.022, 0.004, 0.055), 0.12),
        "upperChest": ((0.016, 0.004, 0.042), 0.18),
    }
)


def breathed(time: Floats, breaths: int, duration: float) -> Floats:
    """``(T,)`` how full the lungs are, from 0 to 1: whole breaths, quicker in than out, a rest between."""
    phase = np.mod(breaths * time / duration, 1.0)
    return ramp(phase, 0.0, FULL) - ramp(phase, FULL, EMPTY)


def swell(pose: Pose, depth: Floats, breath: Floats) -> None:
    """Let ribs and belly swell; ``depth (T,)`` is 1 for a body at ease and 0 for a surface that keeps still."""
    if not depth.any():
        return
    scales, deep = pose.scaled(), depth * breath
    for name, (widths, lag) in SWELLS.items():
        late = pose.spans.delayed(deep, lag) if lag else deep
        scales[:, pose.skeleton.index(name)] += late[:, None] * np.array(widths)
