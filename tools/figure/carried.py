"""The figure's bones as its surface knows them: how thick the body is about each."""

from __future__ import annotations

import numpy as np
from field import Floats

from kinesphere.engine.proportions import PERSON, BodyPlan, joint_places
from kinesphere.motion.skeleton import Skeleton

THICK = {
    "hips": 0.13,
    "spine": 0.125,
    "spine2": 0.125,
    "chest": 0.14,
    "upperChest": 0.14,
    "neck": 0.055,
    "head": 0.085,
    "Shoulder": 0.060,
    "UpperArm": 0.050,
    "LowerArm": 0.038,
    "Hand": 0.028,
    "UpperLeg": 0.085,
    "LowerLeg": 0.050,
    "Foot": 0.035,
    "Toes": 0.025,
    "Thumb": 0.012,
    "finger": 0.009,
}
NARROW = {
    "hips": 4.0,
    "spine": 5.0,
    "spine2": 5.0,
    "chest": 4.0,
    "upperChest": 3.0,
    "neck": 5.0,
    "head": 4.0,
    "Shoulder": 1.5,
    "UpperArm": 2.0,
    "LowerArm": 3.5,
    "Hand": 3.0,
    "UpperLeg": 2.0,
    "LowerLeg": 3.5,
    "Foot": 3.0,
    "Toes": 3.0,
}
FINGERS_NARROW = 2.5
MO_THICK = {
    "hips": 0.30,
    "spine": 0.30,
    "spine2": 0.31,
    "chest": 0.32,
    "upperChest": 0.32,
    "neck": 0.30,
    "head": 0.28,
    "Shoulder": 0.030,
    "UpperArm": 0.050,
    "LowerArm": 0.040,
    "Hand": 0.045,
    "UpperLeg": 0.070,
    "LowerLeg": 0.055,
    "Foot": 0.055,
    "Toes": 0.050,
    "Thumb": 0.024,
    "finger": 0.022,
}


def bones(skeleton: Skeleton, plan: BodyPlan = PERSON) -> tuple[list[tuple[int, Floats, Floats, float]], Floats]:
    """Every bone with a surface (eyes have none): joint, two ends, thickness; how sharply each joint's part ends."""
    _, parents, ends = joint_places(plan)
    thick = THICK if plan is PERSON else MO_THICK
    places = skeleton.rest_world()[1]
    found = []
    for joint, name in enumerate(skeleton.names):
        if name.endswith("Eye"):
            continue
        tails = [
            places[skeleton.index(child)] for child, above in parents.items() if above == name and "Eye" not in child
        ]
        if name in ends:
            tails.append(plan.height * ends[name])
        if name == "hips":
            tails = [place for place in tails if place[1] > places[joint][1]] + [
                0.8 * places[skeleton.index(f"{side}UpperLeg")] + 0.2 * places[joint] for side in ("left", "right")
            ]
        if name == "upperChest":  # the arms' roots are the clavicles' own
            tails = [place for place in tails if abs(place[0]) < 1e-6]
        if name.endswith("Foot"):
            tails.append(places[joint] * [1.0, 0.0, 1.0] + [0.0, 0.025, -0.045])
        found += [(joint, places[joint], tail, _thick(thick, name)) for tail in tails]
    narrow = np.array([_narrow(name) for name in skeleton.names])
    if plan is not PERSON:  # a ball about a thin spine: without this, arms would drag half of it along
        narrow *= np.array([4.0 if in_the_middle(name) else 1.0 for name in skeleton.names])
    return found, narrow


def _narrow(name: str) -> float:
    fitting = [part for part in NARROW if name.endswith(part)]
    return NARROW[max(fitting, key=len)] if fitting else FINGERS_NARROW


def in_the_middle(name: str) -> bool:
    """Whether a joint is in the middle of the body."""
    return not name.startswith(("left", "right"))


def _thick(thick: dict[str, float], name: str) -> float:
    if name in thick:
        return thick[name]
    for part, value in thick.items():
        if name.endswith(part) or part in name:
            return value
    return thick["finger"]
