"""What an observer sees: where joints are, and nothing else.

No rotation, no surface, no name of a clip and no parameter of an engine passes this door. What comes out is smoothed,
at one rate, turned so that the pelvis faces ahead, and measured in heights of the body, so that clips compare.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinesphere.maths.filters import lengths, low_pass
from kinesphere.maths.interpolation import resample_vectors
from kinesphere.maths.vectors import Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion

RATE = 120.0  # frames a second, whatever the clip's
TOP = 0.1  # of what is measured from sole joints to the head's: the rest of the head, and of the feet
# Which role stands for what; the first that the body has.
_ARM = {
    "shoulder": ("UpperArm",),
    "elbow": ("LowerArm",),
    "wrist": ("Hand",),
    "knuckle": ("MiddleProximal", "IndexProximal", "RingProximal"),
    "fingers": ("MiddleDistal", "MiddleIntermediate", "MiddleProximal", "IndexProximal"),
}
_LEG = {"hip": ("UpperLeg",), "knee": ("LowerLeg",), "foot": ("Foot",)}
STANDS_FOR = {
    "pelvis": ("hips",),
    "chest": ("upperChest", "chest", "neck", "spine"),
    "head": ("head", "neck"),
    **{
        f"{side} {part}": tuple(f"{side}{role}" for role in any_of)
        for side in SIDES
        for part, any_of in (_ARM | _LEG).items()
    },
}
NEEDED = tuple(name for name in STANDS_FOR if not name.endswith(("knuckle", "fingers")))


@dataclass(frozen=True, eq=False)
class ObservedBody:
    """A body in view: places ``(T, 3)`` by name in heights of the body, facing +Z, ``RATE`` frames a second."""

    places: Mapping[str, Floats]
    height: float  # of the body, in the clip's own unit

    def __len__(self) -> int:
        return len(self.places["pelvis"])

    def __getitem__(self, name: str) -> Floats:
        return self.places[name]

    def __contains__(self, name: str) -> bool:
        return name in self.places

    def by_chest(self, name: str) -> Floats:
        """``(T, 3)`` as seen from the chest: a step or a bow carries the hands along, and is no stroke of theirs."""
        return self.places[name] - self.places["chest"]


def observe_body(motion: Motion) -> ObservedBody:
    """What is to be seen of a motion."""
    roles = motion.skeleton.roles
    found = {name: next((roles[role] for role in any_of if role in roles), None) for name, any_of in STANDS_FOR.items()}
    missing = [STANDS_FOR[name][0] for name in NEEDED if found[name] is None]
    if missing:
        raise ValueError(f"an observer needs to see {', '.join(missing)}; the skeleton has {', '.join(sorted(roles))}")
    joints = {name: joint for name, joint in found.items() if joint is not None}
    performed = motion.performed_frames
    places = motion.positions_world()[performed[0] : performed[-1] + 1][:, list(joints.values())]
    count = int(np.floor((len(places) - 1) / motion.rate * RATE)) + 1
    at_rate = resample_vectors(places, np.arange(count) * (motion.rate / RATE))
    smooth = low_pass(at_rate, RATE)
    by_name = {name: smooth[:, i] for i, name in enumerate(joints)}
    tall = _height(by_name)
    turned = _facing_ahead(by_name)
    return ObservedBody({name: np.einsum("tij,tj->ti", turned, place) / tall for name, place in by_name.items()}, tall)


def _height(places: Mapping[str, Floats]) -> float:
    """The body's height by its bones, so that a bow makes nobody smaller."""
    ways = [("head", "chest"), ("chest", "pelvis")]
    total = sum(float(np.median(lengths(places[a] - places[b]))) for a, b in ways)
    for side in SIDES:
        for a, b in (("hip", "knee"), ("knee", "foot")):
            total += 0.5 * float(np.median(lengths(places[f"{side} {a}"] - places[f"{side} {b}"])))
    return max(total * (1.0 + TOP), 1e-9)


def _facing_ahead(places: Mapping[str, Floats]) -> Floats:
    """``(T, 3, 3)`` turns about the vertical after which the pelvis' left is +X."""
    across = places["left hip"] - places["right hip"]
    x, z = across[:, 0], across[:, 2]
    flat = np.maximum(np.hypot(x, z), 1e-12)
    cos, sin = x / flat, z / flat
    turn = np.zeros((len(across), 3, 3))
    turn[:, 0, 0], turn[:, 0, 2], turn[:, 2, 0], turn[:, 2, 2], turn[:, 1, 1] = cos, sin, -sin, cos, 1.0
    return turn
