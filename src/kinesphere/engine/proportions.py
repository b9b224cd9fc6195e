"""Body proportions: joint positions of a person and of Mo in shares of the height, and skeletons made from them.

``skeleton`` gives metres. Heights of a person's joints follow Drillis and Contini's segment lengths as in Winter (2009,
*Biomechanics and Motor Control of Human Movement*, fig. 4.1): ankle 0.039, knee 0.285, hip 0.530 to the trochanter,
shoulder 0.818, upper arm 0.186, forearm 0.146, hand 0.108. Joint centres lie a little inside of these landmarks. The
arms rest 45° down, elbows and knees a few degrees bent, so that a surface folds as little as can be in any pose, and
hinges have a direction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from kinesphere.maths.vectors import Floats
from kinesphere.motion.skeleton import Skeleton, Tip

HEIGHT = 1.70  # metres
ARM_DOWN = np.radians(45.0)  # how far below level the arms rest
ALONG = np.array([np.cos(ARM_DOWN), -np.sin(ARM_DOWN), 0.0])  # the resting left arm
BACK = np.array([np.sin(ARM_DOWN), np.cos(ARM_DOWN), 0.0])  # out of the back of the left hand
THUMBWARD = np.array([0.0, 0.0, 1.0])  # palms face down, thumbs forward

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class BodyPlan:
    """A body's proportions: the middle and the left side, in heights; x to the left, y up, z forward."""

    height: float  # metres
    joints: Mapping[str, Triple]
    ends: Mapping[str, Triple]  # where the last bones end
    arm: tuple[float, float, float]  # upper arm, forearm, wrist to the middle finger's knuckle
    bend: tuple[float, float]  # how far behind a straight line the elbow rests, and before it the wrist
    # From the wrist, the hand flat: along it, across it towards the thumb, out of its back; the phalanges; how far a
    # finger points aside, and back.
    fingers: Mapping[str, tuple[Triple, Triple, tuple[float, float]]]


PERSON = BodyPlan(
    HEIGHT,
    {
        "hips": (0.0, 0.545, 0.0),
        "spine": (0.0, 0.585, -0.006),
        "spine2": (0.0, 0.625, -0.004),
        "chest": (0.0, 0.668, -0.010),
        "upperChest": (0.0, 0.722, -0.018),
        "neck": (0.0, 0.830, -0.020),
        "head": (0.0, 0.880, -0.004),
        "leftEye": (0.0185, 0.9305, 0.0440),
        "leftShoulder": (0.014, 0.804, 0.004),
        "leftUpperArm": (0.106, 0.804, -0.016),
        "leftUpperLeg": (0.052, 0.518, 0.0),
        "leftLowerLeg": (0.0505, 0.283, 0.004),
        "leftFoot": (0.049, 0.043, -0.010),
        "leftToes": (0.053, 0.012, 0.068),
    },
    {"leftToes": (0.055, 0.010, 0.108), "head": (0.0, 1.0, 0.0)},
    (0.172, 0.148, 0.056),
    (0.006, 0.012),
    {
        "Thumb": ((0.012, 0.016, -0.006), (0.026, 0.0195, 0.0155), (0.60, -0.30)),
        "Index": ((0.0555, 0.0148, 0.0), (0.0262, 0.0148, 0.0120), (0.10, 0.0)),
        "Middle": ((0.0560, 0.0022, 0.001), (0.0290, 0.0172, 0.0125), (0.01, 0.0)),
        "Ring": ((0.0530, -0.0098, 0.0), (0.0268, 0.0160, 0.0122), (-0.09, 0.0)),
        "Little": ((0.0480, -0.0208, -0.002), (0.0205, 0.0122, 0.0108), (-0.22, 0.0)),
    },
)
# A ball on legs. It turns about its middle when the head does, so the head's joint is there; the arms are long enough
# for hands to meet before it, and short enough to hang free of the floor. Ankles are low and balls of the feet near, in
# leg lengths as a person's, however large the shoes: a heel that is lifted as a person's then turns about the ball.
MO = BodyPlan(
    0.93,
    {
        "hips": (0.0, 0.430, 0.0),
        "spine": (0.0, 0.469, 0.0),
        "spine2": (0.0, 0.543, 0.0),
        "chest": (0.0, 0.598, 0.0),
        "upperChest": (0.0, 0.645, 0.0),
        "neck": (0.0, 0.675, 0.0),
        "head": (0.0, 0.704, 0.0),
        "leftEye": (0.099, 0.780, 0.231),
        "leftShoulder": (0.113, 0.720, 0.011),
        "leftUpperArm": (0.290, 0.720, 0.022),
        "leftUpperLeg": (0.120, 0.414, 0.0),
        "leftLowerLeg": (0.120, 0.230, 0.009),
        "leftFoot": (0.120, 0.047, -0.005),
        "leftToes": (0.126, 0.023, 0.054),
    },
    {"leftToes": (0.130, 0.022, 0.125), "head": (0.0, 1.0, 0.0)},
    (0.242, 0.218, 0.070),
    (0.008, 0.016),
    {
        "Thumb": ((0.019, 0.034, -0.004), (0.032, 0.028, 0.025), (0.75, -0.25)),
        "Index": ((0.072, 0.031, 0.0), (0.034, 0.027, 0.023), (0.16, 0.0)),
        "Middle": ((0.076, 0.0, 0.0), (0.038, 0.029, 0.025), (0.0, 0.0)),
        "Little": ((0.070, -0.031, 0.0), (0.032, 0.025, 0.021), (-0.18, 0.0)),
    },
)
_PARENTS = {
    "hips": "",
    "spine": "hips",
    "spine2": "spine",
    "chest": "spine2",
    "upperChest": "chest",
    "neck": "upperChest",
    "head": "neck",
    "leftEye": "head",
    "leftShoulder": "upperChest",
    "leftUpperArm": "leftShoulder",
    "leftLowerArm": "leftUpperArm",
    "leftHand": "leftLowerArm",
    "leftUpperLeg": "hips",
    "leftLowerLeg": "leftUpperLeg",
    "leftFoot": "leftLowerLeg",
    "leftToes": "leftFoot",
}


def _left_positions(plan: BodyPlan) -> tuple[dict[str, Floats], dict[str, str], dict[str, Floats]]:
    """Positions and parents of the middle and left joints, and the last bones' ends, in heights."""
    positions = {name: np.array(position) for name, position in plan.joints.items()}
    parents = dict(_PARENTS)
    upper, lower, _ = plan.arm
    positions["leftLowerArm"] = positions["leftUpperArm"] + upper * ALONG - plan.bend[0] * THUMBWARD
    positions["leftHand"] = positions["leftLowerArm"] + lower * ALONG + plan.bend[1] * THUMBWARD
    ends = {name: np.array(position) for name, position in plan.ends.items()}
    for finger, (root, phalanges, (aside, raised)) in plan.fingers.items():
        direction = np.cos(aside) * np.cos(raised) * ALONG + np.sin(aside) * THUMBWARD + np.sin(raised) * BACK
        direction = direction / np.linalg.norm(direction)
        at = positions["leftHand"] + root[0] * ALONG + root[1] * THUMBWARD + root[2] * BACK
        above = "leftHand"
        for part, length in zip(_phalanges(finger), phalanges, strict=True):
            name = f"left{finger}{part}"
            positions[name], parents[name] = at, above
            at, above = at + length * direction, name
        ends[above] = at
    return positions, parents, ends


def _phalanges(finger: str) -> tuple[str, str, str]:
    return ("Metacarpal", "Proximal", "Distal") if finger == "Thumb" else ("Proximal", "Intermediate", "Distal")


def joint_places(plan: BodyPlan = PERSON) -> tuple[Mapping[str, Floats], Mapping[str, str], Mapping[str, Floats]]:
    """Positions of all joints by name, their parents, and the last bones' ends, in heights. Parents come first."""
    positions, parents, ends = _left_positions(plan)
    both: dict[str, Floats] = {}
    above: dict[str, str] = {}
    for name, position in positions.items():
        both[name], above[name] = position, parents[name]
    for name in [name for name in positions if name.startswith("left")]:
        both[_right(name)] = positions[name] * [-1.0, 1.0, 1.0]
        above[_right(name)] = _right(parents[name])
    ends |= {_right(name): position * [-1.0, 1.0, 1.0] for name, position in ends.items() if name.startswith("left")}
    return MappingProxyType(both), MappingProxyType(above), MappingProxyType(ends)


def _right(name: str) -> str:
    return name.replace("left", "right", 1) if name.startswith("left") else name


def skeleton(height: float | None = None, plan: BodyPlan = PERSON) -> Skeleton:
    """A body's joints: VRM 1.0's names, and one more in the spine; all axes the world's at rest."""
    positions, parents, ends = joint_places(plan)
    height = plan.height if height is None else height
    names = _order_depth_first(parents)
    index = {name: i for i, name in enumerate(names)}
    offsets = np.array(
        [positions[name] - positions[parents[name]] if parents[name] else positions[name] for name in names]
    )
    above = np.array([index.get(parents[name], -1) for name in names])
    tips = tuple(Tip(index[name], as_triple(height * (ends[name] - positions[name]))) for name in names if name in ends)
    roles = {name: i for name, i in index.items() if name != "spine2"}
    soles = {
        foot: height * float(positions[foot][1]) for foot in ("leftFoot", "rightFoot")
    }  # plans stand on the ground
    return Skeleton(tuple(names), above, height * offsets, roles=roles, tips=tips, soles=soles)


def _order_depth_first(parents: Mapping[str, str]) -> list[str]:
    """Depth first, so that limbs stay together."""
    children: dict[str, list[str]] = {}
    for name, above in parents.items():
        children.setdefault(above, []).append(name)
    order: list[str] = []
    waiting = children[""][::-1]
    while waiting:
        name = waiting.pop()
        order.append(name)
        waiting += children.get(name, [])[::-1]
    return order


def as_triple(vector: Floats) -> tuple[float, float, float]:
    return (float(vector[0]), float(vector[1]), float(vector[2]))


def _limb_length(*joints: str) -> float:
    positions = joint_places()[0]
    bones = zip(joints[:-1], joints[1:], strict=True)
    return HEIGHT * sum(float(np.linalg.norm(positions[below] - positions[above])) for above, below in bones)


# Metres of the figure's arms and legs. The engine's distances were measured on it; phrases are in limb lengths.
ARM = _limb_length("leftUpperArm", "leftLowerArm", "leftHand")
LEG = _limb_length("leftUpperLeg", "leftLowerLeg", "leftFoot")
