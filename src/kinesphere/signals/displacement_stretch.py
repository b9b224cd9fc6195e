"""A stretch of motion as it is displaced step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinesphere.body.ground import smoothed
from kinesphere.body.limb_displacement import Pose
from kinesphere.body.limb_parts import Limb, limb_of
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats, within
from kinesphere.motion.motion import Motion
from kinesphere.signals.displacement_points import Target, Turn
from kinesphere.signals.displacement_spline import Dials, Range

UP = np.array([0.0, 1.0, 0.0])
UPRIGHT = 0.3  # cosine of half the tilt below which a body has no heading
STEADY = 0.1  # seconds, sigma of the low-pass on the heading


def eased(x: Floats) -> Floats:
    """From 0 to 1, at rest at both."""
    u = within(x, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))


class PlacedTurn(NamedTuple):
    """A turn with its frame and its joint."""

    frame: int
    joint: int
    edit: Turn
    dials: Dials


class PlacedTarget(NamedTuple):
    """A target with its frame and its joint, which has a role."""

    frame: int
    joint: int
    edit: Target
    dials: Dials
    role: str


Placed = PlacedTurn | PlacedTarget


class Stretch:
    """Poses of a stretch of motion: before, and as they are by now.

    ``q (T, J, 4)`` and ``p (T, J, 3)`` are the world of ``pose``, ``before`` that of the input. Frames of edits are
    the motion's own: ``rows`` are those of the stretch.
    """

    def __init__(self, motion: Motion, curve: Range, allowed: Bools) -> None:
        self.motion, self.skeleton, self.range, self.allowed = motion, motion.skeleton, curve, allowed
        self.at: Floats = np.arange(len(motion), dtype=np.float64) + curve.first
        self.pose = Pose(motion.skeleton, motion.rotations.copy(), motion.translations.copy())
        self.before = motion.world()
        self.q, self.p = self.before
        self._limbs: dict[str, Limb] = {}

    def posed(self) -> None:
        """Find the world of the pose anew."""
        self.q, self.p = self.pose.world()

    def limb(self, role: str) -> Limb:
        """An arm or a leg, by the role of its end."""
        if role not in self._limbs:
            self._limbs[role] = limb_of(self.skeleton, role, *self.before)
        return self._limbs[role]

    def rows(self, placed: Sequence[Placed]) -> list[int]:
        """Where the frames of edits are in arrays of the stretch."""
        return [own.frame - self.range.first for own in placed]

    def curve(self, placed: Sequence[Placed], values: Floats) -> Floats:
        """``(T, ..., D)`` the curve through values ``(P, ..., D)`` at edits."""
        numbered = [(own.frame, i) for i, own in enumerate(placed)]
        return self.range.knots(numbered, [own.dials for own in placed]).curve(values, self.at)

    def places(self, targets: Sequence[PlacedTarget]) -> Floats:
        """``(P, 3)`` where targets want their joints."""
        was = self.before[1][self.rows(targets), [own.joint for own in targets]]
        return np.array([own.edit.place(place) for own, place in zip(targets, was, strict=True)]).reshape(-1, 3)

    def turn(self, turns: Sequence[PlacedTurn]) -> None:
        """Turn joints by their own curves."""
        if not turns:
            return
        made: dict[int, Floats] = {}
        for joint in sorted({own.joint for own in turns}):
            own_turns = [own for own in turns if own.joint == joint]
            made[joint] = self.curve(own_turns, np.array([self._vector(own) for own in own_turns]))
        self.pose.lean(made)
        self.posed()

    def _vector(self, placed: PlacedTurn) -> Floats:
        """A turn ``(3,)`` as the joint's parent sees it."""
        row, vector, axes = placed.frame - self.range.first, placed.edit.vector, placed.edit.axes
        if axes == "joint":
            return rotations.rotate(self.motion.rotations[row, placed.joint], vector)
        parent = int(self.skeleton.parents[placed.joint])
        if axes == "world" and parent >= 0:
            return rotations.rotate(rotations.conjugate(self.before[0][row, parent]), vector)
        return vector

    def move_hips(self, targets: Sequence[PlacedTarget]) -> None:
        """Bring the hips where they should be."""
        if targets:
            joint = targets[0].joint
            self.shift(joint, self.curve(targets, self.places(targets) - self.p[self.rows(targets), joint]))

    def shift(self, joint: int, way: Floats) -> None:
        """Move a joint, and what hangs on it, by ``way (T, 3)`` in the world."""
        moving = np.asarray(way.any(axis=1))
        if moving.any():
            self.pose.move(self.q, joint, way, moving)
            self.posed()

    def heading(self) -> Floats:
        """``(T, 4)`` how far the body has turned about the vertical; not at all where it does not stay upright."""
        turned = self.before[0][:, self.skeleton.roles.get("hips", self.skeleton.roots[0])]
        turn = rotations.multiply(turned, rotations.conjugate(turned[:1]))
        if np.hypot(turn[:, 0], turn[:, 2]).min() < UPRIGHT:
            return rotations.identity(len(turn))
        angle = smoothed(np.unwrap(2.0 * np.arctan2(turn[:, 2], turn[:, 0])), self.motion.rate, STEADY)
        return rotations.from_rotation_vector(angle[:, None] * UP)
