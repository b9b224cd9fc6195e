"""How the figure stands when nothing is asked of it: relaxed, not in its rest pose.

Numbers are for a figure 1.70 m tall; ``out`` is away from the middle on either side.
"""

from __future__ import annotations

import numpy as np

from kinesphere.figure.proportions import HEIGHT

WRIST = (0.066, -0.5295, 0.038)  # out, up, ahead of the shoulder: arms hang a little off the body, elbows not locked
SWIVEL = np.radians(38.0)  # elbows point back and somewhat out
ROLL = np.radians(14.0)  # palms face the thighs, and backs of the hands somewhat ahead
CLAVICLE_DOWN, CLAVICLE_AHEAD = np.radians(4.5), np.radians(3.0)  # from the rest pose, whose arms are half raised
ANKLE_OUT, TURNED_OUT = 0.098, np.radians(8.0)  # feet hip-wide, turned out
FEET_AHEAD = -0.048  # ankles behind the hips: the body's weight is over the middle of the feet
SINK = 0.0016  # hips below straight knees: they are soft, not bent


def resting_wrist(side: str, height: float = HEIGHT) -> tuple[float, float, float]:
    """A hanging wrist's place from its shoulder, in metres."""
    out, up, ahead = (height / HEIGHT * value for value in WRIST)
    return (out if side == "left" else -out, up, ahead)


def resting_swivel(side: str) -> float:
    """A hanging arm's swivel, as ``solve_limb`` counts it."""
    return float(SWIVEL if side == "left" else -SWIVEL)
