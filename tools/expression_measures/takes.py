"""Takes: joint positions of any performance in metres of a person 1.70 m tall, with the strokes of its leading hand.

A take has world positions, smoothed as the observer smooths them, and nothing of an engine. What heads and eyes face is
no position: it is there where a motion has rotations, and missing for files of points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kinesphere import Motion, Skeleton
from kinesphere.analysis.observation import LANDMARKS, RATE, observe_body
from kinesphere.analysis.strokes import Stroke, find_strokes
from kinesphere.body.limits import body_axes
from kinesphere.maths import rotations
from kinesphere.maths.filters import derivative, low_pass
from kinesphere.maths.interpolation import resample_vectors
from kinesphere.maths.vectors import Floats, cross, norms, unit
from kinesphere.motion.humanoid import SIDES

HEIGHT = 1.70  # metres of the person that every body is scaled to
HANGING = np.cos(np.radians(25.0))  # of the angle between an arm and straight down: an arm within it only hangs
ALSO = {"neck": ("neck", "head"), "left clavicle": ("leftShoulder",), "right clavicle": ("rightShoulder",)}
CHEST = ("upperChest", "chest", "spine")
UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class Take:
    """One performance as it is seen.

    Attributes
    ----------
    positions
        ``(T, 3)`` by landmark, metres of a body 1.70 m tall, ``RATE`` frames a second, smoothed. "eyes" is the middle
        between them, where the body has any.
    directions
        ``(T, 3)`` unit vectors: what "head" and "gaze" face, "head up", and the chest's "chest ahead", "chest up",
        "chest left". Of the chest by its shoulders where the motion has no rotations; of the head only where it has.
        A body without eyes gazes where its head faces.
    side
        The hand that leads: the one with the longer strokes.
    strokes
        Those of that hand, as the observer finds them.
    rotated
        Whether the motion has rotations.
    raw_acceleration
        Metres per second squared: the leading hand's greatest in the clip's own frames, without any smoothing.
    """

    name: str
    positions: Mapping[str, Floats]
    directions: Mapping[str, Floats]
    side: str
    strokes: tuple[Stroke, ...]
    rotated: bool
    raw_acceleration: float
    _velocities: dict[str, Floats] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.positions["pelvis"])

    def __getitem__(self, name: str) -> Floats:
        return self.positions[name]

    def arm(self, part: str) -> str:
        """The landmark of the leading arm, or the next one inward that the body has."""
        for name in dict.fromkeys((part, "knuckle", "wrist")):
            if f"{self.side} {name}" in self.positions:
                return f"{self.side} {name}"
        raise KeyError(part)

    def velocity(self, name: str) -> Floats:
        """``(T, 3)`` metres a second."""
        if name not in self._velocities:
            self._velocities[name] = derivative(self.positions[name], RATE)
        return self._velocities[name]

    def hand_from_chest(self) -> Floats:
        """``(T, 3)`` the leading wrist relative to the chest."""
        return self.positions[f"{self.side} wrist"] - self.positions["chest"]

    def goal(self, stroke: Stroke) -> Floats:
        """``(3,)`` where the leading hand is when it arrives."""
        return np.asarray(self.positions[f"{self.side} wrist"][stroke.stop])

    def chord(self, stroke: Stroke) -> Floats:
        """``(3,)`` of the stroke in the world."""
        wrist = self.positions[f"{self.side} wrist"]
        return np.asarray(wrist[stroke.stop] - wrist[stroke.begin])

    def is_aimed(self, stroke: Stroke) -> bool:
        """Whether the stroke goes somewhere: not where an arm ends hanging."""
        arm = self.goal(stroke) - self.positions[f"{self.side} shoulder"][stroke.stop]
        return bool(-unit(arm)[1] < HANGING)

    def peak(self, stroke: Stroke) -> int:
        """The frame at which the hand is fastest in the world."""
        return stroke.begin + int(np.argmax(self.hand_speed()[stroke.begin : stroke.stop + 1]))

    @property
    def main_stroke(self) -> Stroke | None:
        """The aimed stroke in which the hand is fastest: the accent."""
        aimed = [stroke for stroke in self.strokes if self.is_aimed(stroke)]
        return max(aimed, key=lambda stroke: float(self.hand_speed()[self.peak(stroke)]), default=None)

    def hand_speed(self) -> Floats:
        """``(T,)`` of the leading wrist in the world."""
        return norms(self.velocity(f"{self.side} wrist"))


def take_of(motion: Motion, name: str = "") -> Take:
    """The take of a motion, rigged or of points alone; refused where landmarks are missing."""
    observed = observe_body(motion)
    scale = HEIGHT / observed.height
    skeleton = motion.skeleton
    rotated = bool((skeleton.parents >= 0).any())
    frames = motion.performed_frames
    first, last = int(frames[0]), int(frames[-1]) + 1
    q, p = motion.world()
    q, p = q[first:last], p[first:last]
    at = np.arange(len(observed)) * (motion.rate / RATE)
    joints = _landmarks(skeleton)
    placed = scale * low_pass(resample_vectors(p[:, list(joints.values())], at), RATE)
    positions = {landmark: placed[:, i] for i, landmark in enumerate(joints)}
    eyes = [skeleton.roles[f"{side}Eye"] for side in SIDES if f"{side}Eye" in skeleton.roles]
    if eyes:
        positions["eyes"] = scale * low_pass(resample_vectors(p[:, eyes].mean(axis=1), at), RATE)
    directions = _chest_by_shoulders(positions)
    if rotated:
        turned = _facing(skeleton, q)
        rows = low_pass(resample_vectors(np.stack(list(turned.values()), axis=1), at), RATE)
        directions |= {facing: unit(rows[:, i]) for i, facing in enumerate(turned)}
    strokes = {side: find_strokes(observed.from_chest(f"{side} wrist")) for side in SIDES}

    def length(side: str) -> float:
        wrist = positions[f"{side} wrist"]
        return sum(float(np.linalg.norm(wrist[own.stop] - wrist[own.begin])) for own in strokes[side])

    side = max(reversed(SIDES), key=length)
    steps = np.diff(p[:, skeleton.roles[f"{side}Hand"]], 2, axis=0)
    raw = scale * motion.rate**2 * float(norms(steps).max(initial=0.0))
    return Take(name or motion.name, positions, directions, side, strokes[side], rotated, raw)


def _landmarks(skeleton: Skeleton) -> dict[str, int]:
    """Landmark to the joint that shows it."""
    roles = skeleton.roles
    found = {name: next((roles[role] for role in given if role in roles), -1) for name, given in _ALL.items()}
    for side in SIDES:  # one joint of a finger shows where the hand points, but nothing beyond
        if found[f"{side} fingers"] == found[f"{side} knuckle"]:
            del found[f"{side} fingers"]
    return {name: joint for name, joint in found.items() if joint >= 0}


_ALL = LANDMARKS | ALSO


def _chest_by_shoulders(positions: Mapping[str, Floats]) -> dict[str, Floats]:
    """The chest's axes by the line of the shoulders and the direction from the pelvis to them."""
    left, right = (positions[f"{side} shoulder"] for side in SIDES)
    across, up = unit(left - right), 0.5 * (left + right) - positions["pelvis"]
    ahead = unit(cross(across, up))
    return {"chest left": across, "chest up": cross(ahead, across), "chest ahead": ahead}


def _facing(skeleton: Skeleton, q: Floats) -> dict[str, Floats]:
    """``(T, 3)`` where joints with world rotations ``(T, J, 4)`` face, by where they do at rest."""
    up, left, ahead = body_axes(skeleton)
    roles, rest = skeleton.roles, skeleton.rest_world()[0]

    def turn(joint: int, direction: Floats) -> Floats:
        return rotations.rotate(rotations.multiply(q[:, joint], rotations.conjugate(rest[joint])), direction)

    chest = next(roles[role] for role in CHEST if role in roles)
    head = roles["head"]
    eyes = [roles[f"{side}Eye"] for side in SIDES if f"{side}Eye" in roles]
    gaze = np.sum([turn(eye, ahead) for eye in eyes], axis=0) if eyes else turn(head, ahead)
    return {
        "chest left": turn(chest, left),
        "chest up": turn(chest, up),
        "chest ahead": turn(chest, ahead),
        "head": turn(head, ahead),
        "head up": turn(head, up),
        "gaze": gaze,
    }
