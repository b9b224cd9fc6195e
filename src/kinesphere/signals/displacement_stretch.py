"""A stretch of motion as it is displaced step by step."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kinesphere.body.ground import smoothed
from kinesphere.body.limb_displacement import Pose
from kinesphere.body.limb_parts import Limb, limb_of
from kinesphere.body.limb_solving import Laid
from kinesphere.body.limb_swivels import steadied
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.motion.motion import Motion
from kinesphere.signals.displacement_points import Target, Turn
from kinesphere.signals.displacement_spline import Dials, Knots, Range, eased

UP = np.array([0.0, 1.0, 0.0])
UPRIGHT = 0.3  # cosine of half the tilt below which a body has no heading
SLOWLY = 0.1  # seconds, sigma of the low-pass on the heading
GENTLY = 0.35  # seconds over which hips and feet leave where they were: a straight knee would start with a jerk
SLIGHT = 0.01  # metres that its end has moved where the side to which a limb bends may be made smooth
CALM = 0.1  # seconds, sigma of the low-pass on how knees come round that were bent the wrong way
STEADY = 0.05  # metres that a hand or foot has moved where its elbow or knee may swivel by itself


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
        self._brought: list[tuple[Sequence[Placed], Floats]] = []

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

    def knots(self, placed: Sequence[Placed]) -> Knots:
        """The knots of a curve through edits."""
        return self.range.knots([(own.frame, i) for i, own in enumerate(placed)], [own.dials for own in placed])

    def curve(self, placed: Sequence[Placed], values: Floats) -> Floats:
        """``(T, ..., D)`` the curve through values ``(P, ..., D)`` at edits."""
        return self.knots(placed).curve(values, self.at)

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
            self.bring_hips(targets, joint, self.places(targets) - self.p[self.rows(targets), joint])

    def bring_hips(self, placed: Sequence[Placed], joint: int, ways: Floats) -> None:
        """Move the hips by ways ``(P, 3)`` at edits, coming and going so gently that straight knees follow."""
        self._brought.append((placed, ways))
        self.shift(joint, self._hips_way(placed, ways))

    def raise_less(self, joint: int, shares: Floats) -> None:
        """Take back shares ``(T,)`` of how far the hips are raised at edits; the curves between them are made anew."""
        change = np.zeros((len(self.at), 3))
        for i, (placed, ways) in enumerate(self._brought):
            less = ways.copy()
            less[:, 1] -= np.maximum(ways[:, 1], 0.0) * shares[self.rows(placed)]
            change += self._hips_way(placed, less) - self._hips_way(placed, ways)
            self._brought[i] = placed, less
        self.shift(joint, change)

    def _hips_way(self, placed: Sequence[Placed], ways: Floats) -> Floats:
        knots = self.knots(placed)
        return knots.curve(ways, self.at) * knots.gently(self.at, GENTLY * self.motion.rate)[:, None]

    def shift(self, joint: int, way: Floats) -> None:
        """Move a joint, and what hangs on it, by ``way (T, 3)`` in the world."""
        moving = np.asarray(way.any(axis=1))
        if moving.any():
            self.pose.move(self.q, joint, way, moving)
            self.posed()

    def calmed(self, moved: Floats, angles: Floats) -> Floats:
        """Angles ``(T,)`` made smooth in time where the end of a limb has ``moved (T,)`` metres."""
        return angles + eased(moved / SLIGHT) * (smoothed(angles, self.motion.rate, CALM) - angles)

    def steadied(self, limb: Limb, laid: Laid, moved: Floats) -> Laid:
        """A limb as it is laid, its middle joint without new jolts where its end has moved ``(T,)`` metres."""
        return steadied(self.motion, limb, self.before[1], self.p, laid, eased(moved / STEADY))

    def faced(self, targets: Sequence[PlacedTarget], laid: Laid, facing: Floats, active: Bools) -> Floats | None:
        """``(T, 4)`` how a hand or foot faces that keeps its orientation at some targets, if its joint allows it."""
        keeps = [float(own.edit.keep_orientation) for own in targets]
        if not any(keeps):
            return None
        share = np.interp(self.at, [own.frame for own in targets], keeps)
        return self.pose.faced(self.motion, targets[0].role, self.q, laid, facing, active, share)

    @cached_property
    def heading(self) -> Floats:
        """``(T, 4)`` how far the body has turned about the vertical; not at all where it does not stay upright."""
        turned = self.before[0][:, self.skeleton.roles.get("hips", self.skeleton.roots[0])]
        turn = rotations.multiply(turned, rotations.conjugate(turned[:1]))
        if np.hypot(turn[:, 0], turn[:, 2]).min() < UPRIGHT:
            return rotations.identity(len(turn))
        angle = smoothed(np.unwrap(2.0 * np.arctan2(turn[:, 2], turn[:, 0])), self.motion.rate, SLOWLY)
        return rotations.from_rotation_vector(angle[:, None] * UP)
