"""A step that opens or closes the stance for a phrase, and is taken back at its end."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.engine.arm_plan import arm_keys
from kinesphere.engine.phrases import leading_side
from kinesphere.engine.proportions import LEG
from kinesphere.motion.drive import Drive
from kinesphere.motion.gesture import Step
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import WORLD, Phrase, Track

BEGINS, TAKES, ENDS = 0.08, 0.40, 0.25  # seconds: when a step begins, how long it takes, before the end it is over
SHORTEST = 1.3  # seconds of a phrase that has time for a step there and back
LEAST = 0.02  # metres


def step_there_and_back(phrase: Phrase, step: tuple[float, float]) -> tuple[dict[str, Track], Drive | None]:
    """A step out and ahead, in metres of the figure, taken back at the end: the leg's track, and the hips' way.

    The foot across from the acting hand goes ahead, or back. Nothing where feet have steps of their own. Nobody steps
    back from what a hand has to reach.
    """
    out, ahead = step
    if ahead < 0.0 and _reaches_for_something(phrase):
        ahead = 0.0
    busy = phrase.loop or phrase.duration < SHORTEST or any(phrase.track(f"{side}_leg").steps for side in SIDES)
    if busy or math.hypot(out, ahead) < LEAST:
        return {}, None
    side = "right" if leading_side(phrase) == "left" else "left"
    if ahead < 0.0:  # who recoils takes the acting side along
        side = "left" if side == "right" else "right"
    sign = 1.0 if side == "left" else -1.0
    end = phrase.duration - ENDS
    x, z = sign * out / LEG, ahead / LEG
    steps = Step(BEGINS, BEGINS + TAKES, x, z), Step(end - TAKES, end, 0.0, 0.0)
    leg = phrase.track(f"{side}_leg")
    track = Track(curves=leg.curves, strokes=leg.strokes, overlays=leg.overlays, steps=steps)
    return {f"{side}_leg": track}, Drive("hold", np.ones(()), {"hips.x": 0.5 * x, "hips.z": 0.5 * z})


def _reaches_for_something(phrase: Phrase) -> bool:
    """Whether a hand goes to a place in the world."""
    arms = (arm_keys(phrase, side) for side in SIDES)
    return any(WORLD in keys.spaces for keys in arms if keys is not None)
