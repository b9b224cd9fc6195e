"""Excursions of a hand from its path that leave its keys where they are: detours, and goals passed without a stop.

A **detour** leads the hand aside in a curve of three dimensions, away from the body, and back to the goal. A hand that
**passes** its goal is there at its moment, and has a speed: it comes a little from behind and goes on a little beyond,
along the mean of both strokes' directions, and in a loop where it turns back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.engine.arm_plan import ArmPlan
from kinesphere.engine.clocks import StrokePhase
from kinesphere.engine.paths import StrokePaths
from kinesphere.maths.vectors import Bools, Floats


class StrokeGoals(NamedTuple):
    """Strokes from goal to goal, for native loops."""

    ends: Floats  # (S + 1, 3) where strokes begin and end, from the shoulder
    moments: Floats  # (S + 1,) when, in seconds
    hangs: Bools  # (S + 1,) whether the hand hangs there
    lengths: Floats  # (S,) metres, 0 of a hold
    detour: Floats  # (S,) how far a stroke's path leads aside, as a share of its chord
    pass_speed: Floats  # (S,) speed at its goal as a share of its peak
    cycle: int = 0  # how many strokes a cycle of a loop has, the same in each; 0 of what is no loop


def excursions(plan: ArmPlan, positions: Floats, path: StrokePaths, phase: StrokePhase, rate: float) -> Floats:
    """``(T, 3)`` what is added to a wrist's path through keys at ``positions (K, 3)``, relative to the shoulder."""
    made = np.zeros((len(phase.stroke), 3))
    rows = plan.lengths, plan.detour, plan.pass_speed
    goals = StrokeGoals(positions[plan.edges], plan.clock.goals, plan.relaxed[plan.edges], *rows)
    if plan.detour.any():
        at = np.ascontiguousarray(phase.stroke), np.ascontiguousarray(phase.path_share)
        outward = 1.0 if plan.limb.rest.upper[0] >= 0.0 else -1.0
        _native.excursions.add_detours(*at, goals, outward, made)
    if plan.pass_speed.any():
        _native.excursions.add_passings(rate, goals, made)
    fade = plan.via_fade(path, phase, rate)
    return made if isinstance(fade, float) else np.asarray(made * fade[:, None])
