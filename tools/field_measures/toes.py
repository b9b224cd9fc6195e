"""Toes: how deep the surface of feet is under the floor on other bodies, more than the capture's own soles."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import kinesphere
from kinesphere import Character, Motion, find_ground
from kinesphere.body.ground import sole_paths, sole_points
from kinesphere.maths import rotations
from kinesphere.motion.skeleton import Skeleton

ORDER = 10
Floats = npt.NDArray[np.float64]
FRAMES = 150  # of a clip
DEEP = 0.03  # metres
SIDES = ("left", "right")


def measure(motion: Motion, characters: dict[str, Character]) -> dict[str, float]:
    """Greatest depth in centimetres and share of frames deeper than 3 cm, of each body."""
    ground, frames = find_ground(motion).height, motion.performed_frames
    frames = frames[:: max(len(frames) // FRAMES, 1)]
    points = sole_points(motion.skeleton)
    clearance = np.array([point.clearance for point in points])
    own = np.minimum((sole_paths(motion, points)[frames, :, 1] - clearance).min(axis=1) - ground, 0.0)
    numbers = {}
    for name, body in (*characters.items(), ("figure", kinesphere.figure()), ("mo", kinesphere.mo())):
        onto = kinesphere.retarget(motion, body)
        depth = (
            own * _leg_length(body.skeleton) / _leg_length(motion.skeleton) - lowest_foot(onto, body, frames) + ground
        )
        numbers[f"{name}: depth"] = 100.0 * float(depth.max(initial=0.0))
        numbers[f"{name}: share"] = float(np.mean(depth > DEEP))
    return numbers


def summarise(rows: dict[str, dict[str, float]]) -> str:
    """The deepest foot of all clips, and how often feet are deep, by body."""
    names = sorted({key.rsplit(":", 1)[0] for numbers in rows.values() for key in numbers})
    parts = []
    for name in names:
        depths = {clip: numbers[f"{name}: depth"] for clip, numbers in rows.items() if f"{name}: depth" in numbers}
        share = np.mean([numbers[f"{name}: share"] for numbers in rows.values() if f"{name}: share" in numbers])
        worst = max(depths, key=lambda clip: depths[clip])
        median = np.median(list(depths.values()))
        parts.append(f"{name} {median:.1f} cm, at worst {depths[worst]:.1f} ({worst}), {share:.1%} of frames")
    return "feet under the floor, median of clips: " + "; ".join(parts)


def lowest_foot(motion: Motion, body: Character, frames: Any) -> Floats:
    """Height ``(T,)`` of the lowest vertex of both feet, each vertex moved by its heaviest joint alone."""
    q, p = (values[frames] for values in motion.world())
    lowest = np.full(len(q), np.inf)
    roles = motion.skeleton.roles
    feet = {joint for side in SIDES for joint in motion.skeleton.descendants(roles[f"{side}Foot"])}
    for mesh in body.meshes:
        slot = np.argmax(mesh.weights, axis=1)
        vertices = np.arange(len(slot))
        joint, anchor = mesh.joints[vertices, slot], mesh.anchors[vertices, slot]
        for bound in feet.intersection(joint.tolist()):
            own = _outermost(anchor[joint == bound])
            up = rotations.rotate(rotations.conjugate(q[:, bound]), np.array([0.0, 1.0, 0.0]))
            lowest = np.minimum(lowest, p[:, bound, 1] + (up @ own.T).min(axis=1))
    return lowest


def _outermost(points: Floats) -> Floats:
    """Those of points ``(N, 3)`` that are farthest in one of some hundred directions."""
    directions = np.random.default_rng(0).normal(size=(200, 3))
    return np.asarray(points[np.unique(np.argmax(points @ directions.T, axis=0))])


def _leg_length(skeleton: Skeleton) -> float:
    roles: Any = skeleton.roles or kinesphere.find_roles(skeleton).roles
    places = skeleton.rest_world()[1]
    hip, knee, ankle = (places[roles[f"left{part}"]] for part in ("UpperLeg", "LowerLeg", "Foot"))
    return float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))
