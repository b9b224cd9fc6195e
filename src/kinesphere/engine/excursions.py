"""Excursions of a hand from its path that leave its keys where they are: detours, and goals passed without a stop.

A **detour** leads the hand aside in a curve of three dimensions, away from the body, and back to the goal. A hand that
**passes** its goal is there at its moment, and has a speed: it comes a little from behind and goes on a little beyond,
along the mean of both strokes' directions, and in a loop where it turns back.
"""

from __future__ import annotations

import numpy as np

from kinesphere import _native
from kinesphere.engine.arm_plan import ArmPlan
from kinesphere.engine.clocks import StrokePhase
from kinesphere.engine.paths import StrokePaths
from kinesphere.maths.vectors import Floats, cross, norms, reject

OUTWARD = (0.50, 0.25, 0.83)  # out, up and ahead of the shoulder: where there is room
SECOND = 0.35  # of a detour's bow: its second wave, across the first
MOST_DETOUR = 0.15  # metres
UNHURRIED = 0.8  # seconds: quicker strokes have less of a detour
HANGING = 0.5  # of a detour that a hand shows on its way to or from where it hangs
PEAK = 1.9  # mean speeds of a stroke at its fastest, about
WIDTH, WIDEST = 0.27, 0.20  # of the shorter of two strokes, and seconds: σ around a goal that is passed
DOWN = (0.0, -1.0, 0.0)  # the way that a hand loops where it turns back
REACHED = 3.5  # σ after which nothing is left of a passed goal


def excursions(plan: ArmPlan, positions: Floats, path: StrokePaths, phase: StrokePhase, rate: float) -> Floats:
    """``(T, 3)`` what is added to a wrist's path through keys at ``positions (K, 3)``, relative to the shoulder."""
    ends = positions[plan.edges]
    made = np.zeros((len(phase.stroke), 3))
    if plan.detour.any():
        _add_detours(made, plan, ends, phase)
    if plan.pass_speed.any():
        _add_passings(made, plan, ends, rate)
    fade = plan.via_fade(path, phase, rate)
    return made if isinstance(fade, float) else np.asarray(made * fade[:, None])


def _add_detours(made: Floats, plan: ArmPlan, ends: Floats, phase: StrokePhase) -> None:
    chords = np.diff(ends, axis=0)
    lengths = norms(chords)
    along = chords / np.maximum(lengths, 1e-9)[:, None]
    sign = 1.0 if plan.limb.rest.upper[0] >= 0.0 else -1.0
    aside = reject(np.array(OUTWARD) * [sign, 1.0, 1.0], along)
    aside /= np.maximum(norms(aside), 1e-6)[:, None]
    across = cross(along, aside) * np.where(np.arange(len(chords)) % 2, -1.0, 1.0)[:, None]
    hangs = plan.relaxed[plan.edges]
    quick = np.minimum(np.diff(plan.clock.goals) / UNHURRIED, 1.0)  # or a detour would need more force than the stroke
    size = plan.detour * quick * lengths * (plan.lengths > 0.0) * np.where(hangs[1:] | hangs[:-1], HANGING, 1.0)
    size = np.sign(size) * MOST_DETOUR * np.tanh(np.abs(size) / MOST_DETOUR)
    at = np.ascontiguousarray(phase.stroke), np.ascontiguousarray(phase.path_share)
    _native.excursions.add_detours(*at, size, aside, across, SECOND, made)


def _add_passings(made: Floats, plan: ArmPlan, ends: Floats, rate: float) -> None:
    goals = np.flatnonzero(plan.pass_speed[:-1] > 0.0) + 1  # among the strokes' ends
    if not goals.size:
        return
    durations = np.diff(plan.clock.goals)
    before, after = ends[goals] - ends[goals - 1], ends[goals + 1] - ends[goals]
    coming = before / np.maximum(norms(before), 1e-9)[:, None]
    going = after / np.maximum(norms(after), 1e-9)[:, None]
    mean = 0.5 * (coming + going)
    loop = reject(np.array(DOWN), coming)
    loop /= np.maximum(norms(loop), 1e-6)[:, None]
    direction = mean + (1.0 - norms(mean))[:, None] * loop
    slower = np.minimum(norms(before) / durations[goals - 1], norms(after) / durations[goals])
    share = 0.5 * (
        plan.pass_speed[goals - 1]
        + np.where(plan.pass_speed[goals] > 0.0, plan.pass_speed[goals], plan.pass_speed[goals - 1])
    )
    velocity = (PEAK * share * slower)[:, None] * direction
    sigma = np.minimum(WIDTH * np.minimum(durations[goals - 1], durations[goals]), WIDEST)
    _native.excursions.add_passings(rate, plan.clock.goals[goals], sigma, velocity, REACHED, made)
