"""Steps of a walk over the ground, and how hips and arms go along: plants first, so that no foot can slide.

A body stands on one foot while the other swings to its next place; the hips are between both feet. Feet turn about
their own ankles. Lengths are in metres of the figure.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from kinesphere.engine.pose import ANKLE_OUT, FEET_AHEAD, SIGN
from kinesphere.motion.gesture import Step
from kinesphere.scripts.action_file import WalkTable

SETTLES = 0.45  # seconds after the last step
SWINGS = 0.97  # of a step's time that its foot is in the air
LIFTS_EARLY = 0.14  # seconds
BOBS = 0.033  # of a stride's length, by which hips are lower while both feet stand
ASIDE = 0.022  # metres that hips go over the standing foot
FIRST_ASIDE, SHIFTS_FOR = 0.034, 0.4  # metres that they go there before the first step, and seconds
PELVIS = 0.11  # radians that the pelvis turns with a stride of 0.6 m
SHOULDERS = 1.7  # times as far, that the torso turns back
ARMS = 0.30  # of a stride, that hanging hands swing ahead; back 0.8 of that
USUAL = 0.6  # metres of a stride
PEELS, PEELS_FIRST = 0.75, 0.16  # radians that a heel has risen when its foot lifts, and at the first step
PEELS_FOR, SINKS_FOR = 0.42, 0.45  # of a step's time, before it lifts and after


WALKS = (
    *("hips.x", "hips.y", "hips.turn", "torso.turn"),
    *(f"{side}.{name}" for side in SIGN for name in ("arm.ahead", "foot.peel")),
)


class Walked(NamedTuple):
    """What a walk asks of a body."""

    steps: dict[str, list[Step]]  # of each foot, from its stance, in metres
    curves: dict[str, list[tuple[float, float]]]  # of channels
    duration: float


class _Place(NamedTuple):
    """Where a body stands, between its feet: metres to the left and ahead, radians to the left."""

    x: float
    z: float
    turn: float

    def ahead(self, along: float, aside: float, turn: float) -> _Place:
        """The place that is so far ahead and to the left, and turned."""
        sine, cosine = math.sin(self.turn), math.cos(self.turn)
        return _Place(self.x + cosine * aside + sine * along, self.z - sine * aside + cosine * along, self.turn + turn)

    def step(self, side: str) -> tuple[float, float, float]:
        """From its first stance to here: how far a foot is away, and turned."""
        x, z = SIGN[side] * ANKLE_OUT, FEET_AHEAD
        sine, cosine = math.sin(self.turn), math.cos(self.turn)
        return self.x + cosine * x + sine * z - x, self.z - sine * x + cosine * z - z, self.turn


def walk_steps(asked: WalkTable) -> Walked:
    """Both feet's steps, and the curves of hips, torso and hanging arms."""
    steps: dict[str, list[Step]] = {"left": [], "right": []}
    start, foot = asked.at, asked.leads
    size = abs(asked.stride) / USUAL
    curves: dict[str, list[tuple[float, float]]] = {name: [(start, 0.0)] for name in WALKS}
    shifts = max(start - LIFTS_EARLY, 0.0)  # the weight is on one foot before the other one lifts
    curves["hips.x"] = [(max(shifts - SHIFTS_FOR, 0.0), 0.0)]
    if shifts > 0.0:
        curves["hips.x"].append((shifts + 0.1, -SIGN[foot] * FIRST_ASIDE))
    closing = asked.together and asked.steps > 1
    place, each = _Place(0.0, 0.0, 0.0), asked.turn / (asked.steps - 1 if closing else asked.steps)
    for i in range(asked.steps):
        last, time = i == asked.steps - 1, start + i * asked.seconds
        closes = last and closing  # beside the other foot, turned as that is
        along = 0.0 if closes else asked.stride * (0.5 if i == 0 else 1.0)
        leads = SIGN[foot] * asked.aside > 0.0  # the foot on the side where it goes; the other one follows it
        aside = asked.aside if leads and not closes else 0.0
        place = place.ahead(along, aside, 0.0 if closes else math.radians(each))
        lift, land = time - LIFTS_EARLY, time + SWINGS * asked.seconds
        steps[foot].append(Step(max(lift, 0.0), land, *place.step(foot)))
        other = "left" if foot == "right" else "right"
        _go_along(curves, time, land, foot, other, 0.0 if last else size, i == 0, asked)
        foot = other
    end = start + asked.steps * asked.seconds
    for name in curves:
        curves[name].append((end + 0.5 * SETTLES, 0.0))
    return Walked(steps, curves, end + SETTLES)


def _go_along(
    curves: dict[str, list[tuple[float, float]]],
    time: float,
    land: float,
    foot: str,
    other: str,
    size: float,
    first: bool,
    asked: WalkTable,
) -> None:
    """Add what hips, torso and arms do in one step."""
    sign, forward = SIGN[foot], math.copysign(1.0, asked.stride)
    curves["hips.x"].append((time + 0.42 * asked.seconds, -sign * ASIDE))
    curves["hips.y"] += [(time + 0.42 * asked.seconds, 0.0), (land, -BOBS * size * USUAL)]
    turn = -sign * forward * PELVIS * size
    curves["hips.turn"].append((land, turn))
    curves["torso.turn"].append((land, -SHOULDERS * turn))
    swing = forward * ARMS * asked.swing * size * USUAL
    lift = time - LIFTS_EARLY
    peel = (PEELS_FIRST if first else PEELS) * (min(size, 1.4) if size else 0.6)
    curves[f"{foot}.foot.peel"] += [
        (max(lift - PEELS_FOR * asked.seconds, 0.0), 0.0),
        (lift, peel),
        (lift + SINKS_FOR * asked.seconds, 0.0),
    ]
    curves[f"{other}.arm.ahead"].append((land, swing))
    curves[f"{foot}.arm.ahead"].append((land, -0.8 * swing))
