"""Gestures to test with."""

import numpy as np

from kinesphere import Gesture, Keypoint, Keypoints
from kinesphere.maths import rotations
from kinesphere.motion.gesture import Space, Stop

# Frames at 60 a second, metres from the right shoulder: x left, y up, z ahead.
PLACES = [
    (0, (-0.10, -0.42, 0.20)),
    (60, (-0.22, 0.12, 0.36)),
    (120, (0.10, -0.12, 0.40)),
    (180, (-0.34, -0.18, 0.26)),
    (240, (-0.05, 0.22, 0.34)),
]


def five_goals(places=PLACES, **options):
    keys = tuple(Keypoint(float(frame), place, -0.4) for frame, place in places)
    return Gesture("five goals", places[-1][0] / 60 + 0.5, right=Keypoints(keys, 60.0, "rightArm"), **options)


def with_via(space=Space.LOCAL, via=(-0.30, -0.10, 0.30)):
    keys = (
        Keypoint(12.0, (-0.10, -0.42, 0.20), -0.4),
        Keypoint(42.0, via, -0.4, Stop.VIA, space),
        Keypoint(72.0, (-0.20, 0.15, 0.35), -0.4),
        Keypoint(120.0, (-0.10, -0.42, 0.20), -0.4),
    )
    return Gesture("with a via", 2.5, right=Keypoints(keys, 60.0, "rightArm"))


def with_world_goal(space=Space.GLOBAL):
    keys = (
        Keypoint(12.0, (-0.10, -0.42, 0.20), -0.4),
        Keypoint(72.0, (-0.25, 1.30, 0.42), -0.4, Stop.GOAL, space),
        Keypoint(90.0, (-0.25, 1.30, 0.42), -0.4, Stop.GOAL, space),
        Keypoint(150.0, (-0.10, -0.42, 0.20), -0.4),
    )
    return Gesture("with a goal in the world", 3.0, right=Keypoints(keys, 60.0, "rightArm"))


def wrist_seen(motion, side="right"):
    """The wrist from its shoulder, as the chest sees it ``(T, 3)``."""
    turned, placed = motion.world()
    index = motion.skeleton.index
    away = placed[:, index(f"{side}Hand")] - placed[:, index(f"{side}UpperArm")]
    return rotations.rotate(rotations.conjugate(turned[:, index("upperChest")]), away)


def speed(path, rate):
    return np.linalg.norm(np.gradient(path, axis=0), axis=1) * rate


def passed_by(path, place):
    """How near a path ``(T, 3)`` comes to a place, between its frames as well."""
    first, way = path[:-1], np.diff(path, axis=0)
    share = np.sum((place - first) * way, axis=1) / np.maximum(np.sum(way * way, axis=1), 1e-12)
    return np.linalg.norm(first + np.clip(share, 0.0, 1.0)[:, None] * way - place, axis=1).min()
