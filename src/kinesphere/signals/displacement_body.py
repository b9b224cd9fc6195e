"""A stretch of motion displaced: turns first, then hips, feet, what helps, and last the limbs that reach.

Turned joints and helping ones follow curves of rotation vectors as their parents see them, so that an elbow stays a
hinge. Hips, feet and hands follow curves in the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinesphere.kernels import kinematics
from kinesphere.kernels.arrays import Bools, Floats, lengths
from kinesphere.motion.motion import Motion
from kinesphere.signals.displacement_feet import Standing, lay_feet, plan_feet
from kinesphere.signals.displacement_hands import reach_out
from kinesphere.signals.displacement_points import Target
from kinesphere.signals.displacement_spline import Range
from kinesphere.signals.displacement_stretch import Placed, PlacedTarget, PlacedTurn, Stretch
from kinesphere.signals.displacement_trunk import HANDS, go_along, help_along


class Missed(NamedTuple):
    """How far a target is missed."""

    target: Target
    by: float  # metres


def displaced_stretch(
    motion: Motion, placed: Sequence[Placed], curve: Range, allowed: Bools, standing: Standing | None
) -> tuple[Floats, Floats, list[Missed]]:
    """Local rotations and translations of the displaced stretch, and how far each target is missed.

    ``placed`` are in the order of their frames. ``standing`` finds when feet stand; None: they go along with the body.
    """
    turns = [own for own in placed if isinstance(own, PlacedTurn)]
    targets: dict[str, list[PlacedTarget]] = {}
    for own in placed:
        if isinstance(own, PlacedTarget):
            targets.setdefault(own.role, []).append(own)
    stretch = Stretch(motion, curve, allowed)
    stretch.turn(turns)
    stretch.move_hips(targets.get("hips", []))
    go_along(stretch, targets)
    goals = plan_feet(stretch, turns, targets, standing)
    facing = stretch.q
    leaned = help_along(stretch, targets)
    lay_feet(stretch, goals)
    for role in HANDS:
        if role in targets:
            reach_out(stretch, targets[role], facing, leaned)
    return stretch.pose.local, stretch.pose.places, _missed(stretch, [own for role in targets.values() for own in role])


def _missed(stretch: Stretch, targets: Sequence[PlacedTarget]) -> list[Missed]:
    rows = stretch.rows(targets)
    _, p = kinematics.forward(stretch.pose.local[rows], stretch.pose.places[rows], stretch.skeleton.parents)
    gaps = lengths(p[np.arange(len(rows)), [own.joint for own in targets]] - stretch.places(targets))
    return [Missed(own.edit, float(gap)) for own, gap in zip(targets, gaps, strict=True)]
