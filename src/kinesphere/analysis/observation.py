"""Normalised joint positions for motion analysis: smoothed, at one rate, facing ahead, in body heights.

No rotation, no surface, no name of a clip and no parameter of an engine comes in. Positions are smoothed, at one rate,
rotated so that the pelvis faces ahead, and in heights of the body, so that clips compare.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinesphere.body.limits import body_axes
from kinesphere.maths import rotations
from kinesphere.maths.filters import low_pass
from kinesphere.maths.interpolation import resample_vectors
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

RATE = 120.0  # frames per second, whatever the clip's
BEYOND_JOINTS = 0.1  # of the height from foot joints to the head's: the rest of the head, and of the feet
NOSE = 0.2  # of the length from pelvis to head, before the head's joint
# Landmark to the roles that may give it; the first that the body has.
_ARM = {
    "shoulder": ("UpperArm",),
    "elbow": ("LowerArm",),
    "wrist": ("Hand",),
    "knuckle": ("MiddleProximal", "IndexProximal", "RingProximal"),
    "fingers": ("MiddleDistal", "MiddleIntermediate", "MiddleProximal", "IndexProximal"),
}
_LEG = {"hip": ("UpperLeg",), "knee": ("LowerLeg",), "foot": ("Foot",)}
LANDMARKS = {
    "pelvis": ("hips",),
    "chest": ("upperChest", "chest", "neck", "spine"),
    "head": ("head", "neck"),
    **{
        f"{side} {part}": tuple(f"{side}{role}" for role in roles)
        for side in SIDES
        for part, roles in (_ARM | _LEG).items()
    },
}
NEEDED = tuple(name for name in LANDMARKS if not name.endswith(("knuckle", "fingers")))


@dataclass(frozen=True, eq=False)
class ObservedBody:
    """Positions ``(T, 3)`` by landmark in heights of the body, ``RATE`` frames per second.

    ``positions`` are turned about the vertical in every frame so that the pelvis faces +Z. ``world`` are not: speeds in
    the world are theirs, as a body that turns far from the origin hardly moves.
    """

    positions: Mapping[str, Floats]
    world: Mapping[str, Floats]
    height: float  # of the body, in the clip's own unit

    def __len__(self) -> int:
        return len(self.positions["pelvis"])

    def __getitem__(self, name: str) -> Floats:
        return self.positions[name]

    def __contains__(self, name: str) -> bool:
        return name in self.positions

    def from_chest(self, name: str) -> Floats:
        """``(T, 3)`` relative to the chest: a step or a bow carries the hands along, and is no stroke of theirs."""
        return self.positions[name] - self.positions["chest"]


def observe_body(motion: Motion) -> ObservedBody:
    """The observed body of a motion; refused where landmarks are missing."""
    roles = motion.skeleton.roles
    found = {name: next((roles[role] for role in given if role in roles), None) for name, given in LANDMARKS.items()}
    missing = [LANDMARKS[name][0] for name in NEEDED if found[name] is None]
    if missing:
        raise ValueError(f"an observer needs to see {', '.join(missing)}; the skeleton has {', '.join(sorted(roles))}")
    joints = {name: joint for name, joint in found.items() if joint is not None}
    performed = motion.performed_frames
    turned, placed = motion.world()
    shown = slice(performed[0], performed[-1] + 1)
    positions = placed[shown][:, list(joints.values())]
    if (motion.skeleton.parents >= 0).any():  # points alone have no face
        joints["face"] = roles["head"] if "head" in roles else roles["neck"]
        face = _face(motion.skeleton, joints["face"], turned[shown], placed[shown])
        positions = np.concatenate([positions, face[:, None]], axis=1)
    count = int(np.floor((len(positions) - 1) / motion.rate * RATE)) + 1
    smooth = low_pass(resample_vectors(positions, np.arange(count) * (motion.rate / RATE)), RATE)
    by_name = {name: smooth[:, i] for i, name in enumerate(joints)}
    height, facing = _height(by_name), _facing_ahead(by_name)
    turned_ahead = {name: np.einsum("tij,tj->ti", facing, p) / height for name, p in by_name.items()}
    return ObservedBody(turned_ahead, {name: p / height for name, p in by_name.items()}, height)


def _face(skeleton: Skeleton, head: int, q: Floats, p: Floats) -> Floats:
    """``(T, 3)`` a point before the head, as a marker on a nose: by where the head faces at rest."""
    _, _, ahead = body_axes(skeleton)
    turned = rotations.multiply(q[:, head], rotations.conjugate(skeleton.rest_world()[0][head]))
    size = float(np.linalg.norm(skeleton.rest_world()[1][head] - skeleton.rest_world()[1][skeleton.roles["hips"]]))
    return np.asarray(p[:, head] + NOSE * size * rotations.rotate(turned, ahead))


def _height(positions: Mapping[str, Floats]) -> float:
    """The body's height by the lengths of its bones, so that a bow makes nobody smaller."""

    def length(a: str, b: str) -> float:
        return float(np.median(norms(positions[a] - positions[b])))

    total = length("head", "chest") + length("chest", "pelvis")
    for side in SIDES:
        total += 0.5 * (length(f"{side} hip", f"{side} knee") + length(f"{side} knee", f"{side} foot"))
    return max(total * (1.0 + BEYOND_JOINTS), 1e-9)


def _facing_ahead(positions: Mapping[str, Floats]) -> Floats:
    """``(T, 3, 3)`` rotation matrices about the vertical after which the pelvis' left is +X."""
    across = positions["left hip"] - positions["right hip"]
    x, z = across[:, 0], across[:, 2]
    flat = np.maximum(np.hypot(x, z), 1e-12)
    cos, sin = x / flat, z / flat
    matrices = np.zeros((len(across), 3, 3))
    matrices[:, 0, 0], matrices[:, 0, 2], matrices[:, 2, 0], matrices[:, 2, 2] = cos, sin, -sin, cos
    matrices[:, 1, 1] = 1.0
    return matrices
