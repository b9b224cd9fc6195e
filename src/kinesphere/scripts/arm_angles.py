"""Joint angles of an arm, and the wrist and swivel that they make: forward kinematics of keys of hands.

Upper arm: ``elevation`` from hanging down, in the plane that ``plane`` says (0 aside, 90 ahead; ISB's plane of
elevation), ``rotation`` about itself, inwards above zero. ``elbow`` is its flexion. All in degrees.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from kinesphere.engine.pose import AHEAD, DOWN, SIGN, figure_limb
from kinesphere.engine.proportions import ARM, HEIGHT
from kinesphere.maths import rotations
from kinesphere.maths.two_bone import swivel_of
from kinesphere.maths.vectors import Floats
from kinesphere.motion.document import document, number

UP = -DOWN


@document(frozen=True)
class ArmJointAngles:
    """Angles of one arm, in degrees; the rest of them are as an arm hangs."""

    elevation: Annotated[float, number(-60.0, 180.0, "How far the upper arm is raised from hanging.")] = 0.0
    plane: Annotated[
        float, number(-90.0, 180.0, "In which plane it is raised: 0 aside, 90 ahead, beyond 90 across the chest.")
    ] = 90.0
    rotation: Annotated[
        float, number(-120.0, 120.0, "How far the upper arm is turned about itself, inwards above zero.")
    ] = 0.0
    elbow: Annotated[float, number(0.0, 150.0, "How far the elbow is bent.")] = 8.0


def arm_key(angles: ArmJointAngles, side: str) -> tuple[tuple[float, float, float], float]:
    """The wrist from its shoulder in arm lengths, left, up and ahead, and the elbow's swivel in radians."""
    upper, lower = figure_limb(HEIGHT, side, "Arm").lengths
    elevation, plane, turn, bend = np.radians([angles.elevation, angles.plane, angles.rotation, angles.elbow])
    out = np.array([SIGN[side], 0.0, 0.0])
    level = np.cos(plane) * out + np.sin(plane) * AHEAD
    along = np.cos(elevation) * DOWN + np.sin(elevation) * level
    bends = _square(np.cos(elevation) * AHEAD + np.sin(elevation) * UP, along)
    inwards = rotations.from_rotation_vector(SIGN[side] * turn * along)
    bends = rotations.rotate(inwards, bends)
    elbow = upper * along
    wrist = elbow + lower * (np.cos(bend) * along + np.sin(bend) * bends)
    swivel = float(swivel_of(np.zeros(3), elbow, wrist, DOWN, AHEAD))
    x, y, z = (wrist / ARM).tolist()
    return (x, y, z), swivel


def _square(direction: Floats, axis: Floats) -> Floats:
    """A unit direction made square to a unit axis; where it is along that, the one that points ahead."""
    for own in (direction, AHEAD, UP):
        square = own - (own @ axis) * axis
        length = float(np.linalg.norm(square))
        if length > 1e-6:
            return np.asarray(square / length)
    raise AssertionError("two directions that are square to each other are never both along one axis")
