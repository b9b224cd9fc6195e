"""Walks under edits, and how far their feet move while they are planted."""

from __future__ import annotations

import numpy as np

from engine.bodies import BODIES
from kinesphere import Body, Effort, Express, Motion, Phrase, Shape, body_of
from kinesphere.builtin import mo
from kinesphere.builtin.library import movement
from kinesphere.engine.gait_clock import GaitClock
from kinesphere.engine.generation import generate
from kinesphere.engine.phrases import figure_body, phrase_of
from kinesphere.laban.effort import FACTORS
from kinesphere.laban.shape import DIMENSIONS

ELEMENTS = {
    end: Express(effort=Effort(**{name: sign}))
    for name, ends in FACTORS.items()
    for end, sign in zip(ends, (-1.0, 1.0), strict=True)
}
ATTITUDES = {
    end: Express(shape=Shape(**{name: sign}))
    for name, ends in DIMENSIONS.items()
    for end, sign in zip(ends, (-1.0, 1.0), strict=True)
}
ROUNDED = 0.032  # seconds of the unedited walk: corners of a foot's path are rounded by so much
BODIES_THAT_WALK = {
    "figure": figure_body,
    "Mo": lambda: body_of(mo()),
    "child": lambda: body_of(BODIES["child"]),
    "odd axes": lambda: body_of(BODIES["T-pose, odd axes"]),
}


def walk(name: str = "walk", body: Body | None = None) -> Phrase:
    """One of our walks on a body."""
    return phrase_of(movement(name), body)


def slides(phrase: Phrase, rate: float = 60.0, motion: Motion | None = None) -> float:
    """Metres that the ball of a foot moves at most from the middle of a plant, over the ground that it walks on."""
    made, clock = generate(phrase, rate) if motion is None else motion, GaitClock.of(phrase, rate)
    assert phrase.gait is not None
    places, roles = made.positions_world(), made.skeleton.roles
    travelled = np.outer(clock.travel(clock.phase) if phrase.gait.in_place else 0.0 * clock.phase, [0.0, 0.0, 1.0])
    edge, worst = ROUNDED / clock.period, 0.0
    for side, later in (("left", 0.0), ("right", 0.5)):
        own = clock.phase + later
        # Longer stances end later, shorter ones earlier; what all stances of the walk have in common is planted.
        more = float(np.min(clock.overlay("gait.stance")))
        share = np.mod(own, 1.0)
        planted = (share > 1.4 * phrase.gait.flat + edge) & (share < phrase.gait.leaves + more - edge)
        ball = places[:, roles[f"{side}Toes"]] + travelled
        for stride in np.unique(np.floor(own)):
            rows = ball[planted & (np.floor(own) == stride)]
            if len(rows) > 1:
                worst = max(worst, float(np.linalg.norm(rows - np.median(rows, axis=0), axis=-1).max()))
    return worst


def knees(motion: Motion) -> np.ndarray:
    """``(T, 2)`` degrees of both knees."""
    places, roles = motion.positions_world(), motion.skeleton.roles
    found = []
    for side in ("left", "right"):
        hip, knee, ankle = (places[:, roles[f"{side}{part}"]] for part in ("UpperLeg", "LowerLeg", "Foot"))
        above, below = knee - hip, ankle - knee
        found.append(
            np.degrees(np.arctan2(np.linalg.norm(np.cross(above, below), axis=-1), np.sum(above * below, axis=-1)))
        )
    return np.stack(found, axis=1)
