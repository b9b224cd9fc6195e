"""A figure-sized body of capsules, to see whether hands go through it."""

from __future__ import annotations

import numpy as np

from kinesphere.maths import rotations
from kinesphere.motion.motion import Motion

SIDES = ("left", "right")
# From joint to joint, moved by an offset in the first one's frame, and the radius: for a figure 1.70 m tall.
TRUNK = [
    ("hips", "chest", (0.0, 0.0, 0.01), 0.105),
    ("hips", "chest", (0.06, 0.0, 0.01), 0.09),
    ("hips", "chest", (-0.06, 0.0, 0.01), 0.09),
    ("chest", "neck", (0.0, 0.0, 0.02), 0.100),
    ("chest", "upperChest", (0.07, 0.02, 0.02), 0.09),
    ("chest", "upperChest", (-0.07, 0.02, 0.02), 0.09),
    ("neck", "head", (0.0, 0.0, 0.0), 0.05),
]
LEG = [("UpperLeg", "LowerLeg", 0.07), ("LowerLeg", "Foot", 0.045)]
ARM = [("UpperArm", "LowerArm", 0.042), ("LowerArm", "Hand", 0.032)]
HEAD = ((0.0, 0.055, 0.025), (0.0, 0.105, 0.02), 0.082)


def hand_points(motion: Motion, side: str) -> np.ndarray:
    """Wrist, knuckles, middle joints and fingertips ``(T, P, 3)``."""
    skeleton = motion.skeleton
    names = [f"{side}Hand"]
    for finger in ("Index", "Middle", "Ring", "Little"):
        names += [f"{side}{finger}{part}" for part in ("Proximal", "Intermediate", "Distal")]
    places = motion.positions_world()[:, [skeleton.index(name) for name in names]]
    tips = motion.tips_world()
    ends = [
        i
        for i, tip in enumerate(skeleton.tips)
        if skeleton.names[tip.joint].startswith(side) and skeleton.names[tip.joint].endswith("Distal")
    ]
    return np.concatenate([places, tips[:, ends]], axis=1)


def depth(points: np.ndarray, start: np.ndarray, end: np.ndarray, radius: float) -> np.ndarray:
    """``(T,)`` how far the deepest of points ``(T, P, 3)`` is inside capsules ``(T, 3)``; negative outside."""
    bone = (end - start)[:, None]
    along = np.sum((points - start[:, None]) * bone, axis=-1) / np.maximum(np.sum(bone * bone, axis=-1), 1e-9)
    nearest = start[:, None] + np.clip(along, 0.0, 1.0)[..., None] * bone
    return (radius - np.linalg.norm(points - nearest, axis=-1)).max(axis=1)


def hand_depths(motion: Motion, side: str) -> dict[str, np.ndarray]:
    """Part of the body to how far this side's hand is inside it ``(T,)``."""
    q, p = motion.world()
    index, points = motion.skeleton.index, hand_points(motion, side)
    found = {}
    for i, (first, last, offset, radius) in enumerate(TRUNK):
        moved = rotations.rotate(q[:, index(first)], np.array(offset))
        found[f"trunk {i} {first}"] = depth(points, p[:, index(first)] + moved, p[:, index(last)] + moved, radius)
    start, end = (p[:, index("head")] + rotations.rotate(q[:, index("head")], np.array(at)) for at in HEAD[:2])
    found["head"] = depth(points, start, end, HEAD[2])
    for other in SIDES:
        for first, last, radius in LEG:
            found[other + first] = depth(points, p[:, index(other + first)], p[:, index(other + last)], radius)
        for first, last, radius in ARM if other != side else ():
            found[other + first] = depth(points, p[:, index(other + first)], p[:, index(other + last)], radius)
    return found
