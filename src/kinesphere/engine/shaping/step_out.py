"""Steps out: a foot steps below a centre of mass that would leave its support, and back when that is over.

A foot is down again before it is needed. The body's weight goes over the other foot before it lifts. Where there is no
time for a step from the beginning on, it has been taken before; where there is none to step back, it stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinesphere.body.shape_solver.balance import Departure, PlannedStep, find_departures, plan_step
from kinesphere.engine.channels import INDEX
from kinesphere.engine.legs import step_path
from kinesphere.engine.proportions import LEG
from kinesphere.engine.recorded_legs import grounded
from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.maths.interpolation import ramp
from kinesphere.maths.vectors import Bools, Floats, smoothstep
from kinesphere.motion.gesture import Step
from kinesphere.motion.humanoid import SIDES

SWING = 0.45  # seconds
SOONER = 0.06  # seconds that a foot is down before it is needed
PREPARES, UNLOADS = 0.35, 0.10  # seconds before a foot lifts in which weight goes to the other, and after it, is there
RELEASES = 0.30  # seconds after the centre of mass is back in which the foot lifts to step back
TOGETHER = 1.6  # seconds between departures that one step does for
OVER = 0.45  # of the way to the middle of the standing foot that the weight goes before the other lifts
STANDS = 0.9  # of a foot on the ground: it can be lifted
TRIES, EARLIER = 12, 0.1  # times that an earlier moment is tried, and seconds
BEFORE = (-2.0, -1.0)  # seconds: steps that were taken before the beginning


@dataclass(frozen=True, eq=False)
class StepsOut:
    """By how much feet that stood are elsewhere in every frame of a performance."""

    ways: Mapping[str, Floats]  # (T, 3) metres of each side
    peels: Mapping[str, Floats]  # (T,) radians that heels are raised more
    lifted: Mapping[str, Floats]  # (T,) how far in the air
    loads: Floats  # (T, 3) metres by which weight goes over the foot that stands while the other steps

    @property
    def swinging(self) -> Bools:
        """``(T,)`` where one is in the air."""
        return np.asarray(np.max([*self.lifted.values()], axis=0) > 0.0)

    def peeled(self, table: Floats) -> Floats:
        """Channels ``(T, C)`` with heels raised as in these steps."""
        made = table.copy()
        for side, peel in self.peels.items():
            made[:, INDEX[f"{side}.foot.peel"]] += peel
        return made


def steps_out(
    context: PerformanceContext, corners: Floats, left: Floats, centre: Floats, free: Floats
) -> StepsOut | None:
    """The steps for a centre of mass ``(T, 2)`` to stay above its support; None: there are none, or they can't be.

    ``corners (T, C, 2)`` are those of the left sole, then of the right one, ``left (T, 3)`` is to the body's left, and
    ``free (T,)`` whether steps are allowed.
    """
    size, rate = context.detail.poses.leg_length, context.rate
    stands = (context.walking < 0.5) & (context.stands > 0.5) & (context.flying < 0.5) & (free > 0.5)
    departures = find_departures(corners, centre, stands, size, round(TOGETHER * rate))
    soles = dict(zip(SIDES, np.split(corners, 2, axis=1), strict=True))
    steps: dict[str, list[Step]] = {side: [] for side in SIDES}
    taken: list[tuple[float, float]] = []
    for departure in departures:
        planned = plan_step(soles, left[departure.first][[0, 2]], departure, centre, size)
        out, back = _times(context, departure, planned, taken)
        if out is None:
            continue
        x, z = (planned.way / size).tolist()
        own = steps[planned.side]
        if own and own[-1].lift >= out[0]:  # it has not stepped back yet
            own.pop()
        own.append(Step(*out, x, z))
        taken.append(out)
        if back is not None:
            own.append(Step(*back, 0.0, 0.0))
            taken.append(back)
    if not any(steps.values()):
        return None
    return _performed(context, soles, centre, steps)


def _times(
    context: PerformanceContext, departure: Departure, planned: PlannedStep, taken: list[tuple[float, float]]
) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """When a foot steps out and back, in performed seconds; None: it cannot, or stays."""
    time, rate = context.clock.time, context.rate
    on_ground = np.min([grounded(context, side) for side in SIDES], axis=0) > STANDS

    def can(lift: float) -> bool:
        first, last = max(round((lift - UNLOADS) * rate), 0), round((lift + SWING + UNLOADS) * rate)
        clashes = any(lift < land + UNLOADS and start < lift + SWING + UNLOADS for start, land in taken)
        return bool(on_ground[first : last + 1].all()) and not clashes

    lift = float(time[departure.first]) - SOONER - SWING
    out: tuple[float, float] | None = BEFORE
    if lift > PREPARES:
        tries = (lift - EARLIER * i for i in range(TRIES))
        found = next((own for own in tries if own > PREPARES and can(own)), None)
        out = None if found is None else (found, found + SWING)
    lift = float(time[departure.last]) + RELEASES
    tries = (lift + EARLIER * i for i in range(TRIES))
    found = next((own for own in tries if own + SWING + PREPARES < time[-1] and can(own)), None)
    return out, None if found is None else (found, found + SWING)


def _performed(
    context: PerformanceContext, soles: Mapping[str, Floats], centre: Floats, steps: Mapping[str, list[Step]]
) -> StepsOut:
    """Feet on their ways, and the weight over the other foot in time."""
    time, size = context.clock.time, context.detail.poses.leg_length / LEG
    ways, peels, lifted, loads = {}, {}, {}, np.zeros((len(time), 3))
    for side, other in zip(SIDES, SIDES[::-1], strict=True):
        if not steps[side]:
            continue
        x, z, _, up, pitch = step_path(time, steps[side])
        ways[side] = size * np.stack([x, up, z], axis=1)
        peels[side] = pitch
        air = np.zeros(len(time))
        for step in steps[side]:
            if step.land <= 0.0:
                continue
            air = np.maximum(air, ((time > step.lift) & (time < step.land)).astype(np.float64))
            loaded = ramp(time, step.lift - PREPARES, step.lift + UNLOADS) * (
                1.0 - ramp(time, step.lift + UNLOADS, step.land + SOONER)
            )
            away = soles[other].mean(axis=1) - centre
            loads[:, [0, 2]] += OVER * loaded[:, None] * away
        lifted[side] = air * smoothstep(up / max(float(up.max()), 1e-9) * 4.0)
    return StepsOut(ways, peels, lifted, loads)
