"""Bodies that are nothing but points, for an observer that sees nothing else."""

import numpy as np

from kinesphere import Motion, Skeleton

# Metres, facing +Z, left +X: a body of average proportions with its right arm to be moved.
STANDING = {
    "hips": (0.0, 0.95, 0.0),
    "spine": (0.0, 1.05, 0.0),
    "upperChest": (0.0, 1.32, 0.0),
    "head": (0.0, 1.55, 0.02),
    "leftUpperArm": (0.18, 1.38, 0.0),
    "leftLowerArm": (0.22, 1.10, -0.02),
    "leftHand": (0.24, 0.85, 0.02),
    "leftMiddleProximal": (0.24, 0.76, 0.04),
    "rightUpperArm": (-0.18, 1.38, 0.0),
    "rightLowerArm": (-0.22, 1.10, -0.02),
    "rightHand": (-0.24, 0.85, 0.02),
    "rightMiddleProximal": (-0.24, 0.76, 0.04),
    "leftUpperLeg": (0.09, 0.92, 0.0),
    "leftLowerLeg": (0.10, 0.50, 0.02),
    "leftFoot": (0.10, 0.08, -0.02),
    "rightUpperLeg": (-0.09, 0.92, 0.0),
    "rightLowerLeg": (-0.10, 0.50, 0.02),
    "rightFoot": (-0.10, 0.08, -0.02),
}


def points(places, rate, name=""):
    """A motion of loose points, without a bone or a rotation: role to ``(T, 3)``."""
    roles = list(places)
    at = np.stack([np.asarray(places[role], dtype=np.float64) for role in roles], axis=1)
    skeleton = Skeleton(
        tuple(roles),
        np.full(len(roles), -1),
        np.zeros((len(roles), 3)),
        roles={role: i for i, role in enumerate(roles)},
    )
    turned = np.zeros((*at.shape[:2], 4))
    turned[..., 0] = 1.0
    return Motion(skeleton, rate, turned, at, name=name)


def only_points(motion):
    """A motion with everything but the places of its joints taken away."""
    at = motion.positions_world()
    return points({role: at[:, joint] for role, joint in motion.skeleton.roles.items()}, motion.rate)


def body_with_hand(path, rate):
    """A standing body whose right wrist goes along ``path (T, 3)``; the hand goes with it, the elbow halfway."""
    path = np.asarray(path, dtype=np.float64)
    places = {role: np.broadcast_to(place, path.shape) for role, place in STANDING.items()}
    shoulder = np.array(STANDING["rightUpperArm"])
    places["rightHand"] = path
    places["rightLowerArm"] = shoulder + 0.5 * (path - shoulder) + [-0.05, -0.12, 0.0]
    forearm = path - places["rightLowerArm"]
    along = forearm / np.linalg.norm(forearm, axis=1, keepdims=True)
    places["rightMiddleProximal"] = path + 0.09 * along
    return points(places, rate)


def minimum_jerk(share):
    """From 0 to 1 with the least jerk (Flash and Hogan 1985)."""
    t = np.clip(share, 0.0, 1.0)
    return t**3 * (10.0 - 15.0 * t + 6.0 * t**2)


def stroke(rate=120.0, seconds=0.8, skew=1.0, bow=0.0, length=0.4, still=0.4):
    """One stroke ahead and up: ``skew`` above 1 puts its fastest moment later, ``bow`` is its arrow over its chord."""
    time = np.arange(round((seconds + 2.0 * still) * rate) + 1) / rate
    s = minimum_jerk(np.clip((time - still) / seconds, 0.0, 1.0) ** skew)[:, None]
    start, way, aside = np.array([-0.25, 1.05, 0.2]), np.array([0.0, 0.6, 0.8]) * length, np.array([-1.0, 0.0, 0.0])
    return start + s * way + 4.0 * bow * length * s * (1.0 - s) * aside
