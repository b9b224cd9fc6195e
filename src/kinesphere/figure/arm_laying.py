"""Arms laid to their targets: the mixture of three spaces, the elbow's own twist, and how near the body hands are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.figure.keeping_off import ROOMY, Volume, room
from kinesphere.figure.limbs import AHEAD, DOWN, FLEXIONS, LIMITS, Limb
from kinesphere.kernels import compiled, rotations
from kinesphere.kernels.arrays import Floats, lengths, within

WORTH = 100  # an arm is far more work than three numbers of a product


class Mixture(NamedTuple):
    """What other spaces than the wrist's have in an arm's way, and what it does beside. All are every frame's."""

    joint: Floats  # (F,) share of the joint angles' way
    angles: Floats  # (F, 4) that way: the shoulder's turn since the stroke's start, and the elbow's angle
    starts: Floats  # (F, 4) the stroke's first shoulder
    through: Floats  # (F,) share of the elbows' way
    elbows: Floats  # (F, 3) that way
    bend: Floats  # (F,) what the elbow's angle is multiplied by
    twist: Floats  # (F,) turn about the way to the wrist

    @classmethod
    def plain(cls, frames: int) -> Mixture:
        """Nothing but the wrist's way."""
        none = np.zeros(frames)
        return cls(none, np.zeros((1, 4)), np.zeros((1, 4)), none, np.zeros((1, 3)), np.ones(frames), none)

    def taken(self, rows: slice) -> Mixture:
        """Some of the frames."""
        return Mixture(*(values if len(values) == 1 else values[rows] for values in self))


class Surroundings(NamedTuple):
    """The body that is around hands, in the world, and from where it is seen."""

    shoulder: Floats  # (F, 3)
    chest: Floats  # (F, 4)
    lines: Floats  # (F, V, 2, 3) the middle lines of volumes
    shifts: Floats  # (V, 2, 3) what is added as the chest sees them
    widths: Floats  # (V, 2) half widths aside and ahead

    @classmethod
    def none(cls, frames: int) -> Surroundings:
        """Nothing to keep off."""
        lines, shifts, widths = np.zeros((frames, 0, 2, 3)), np.zeros((0, 2, 3)), np.zeros((0, 2))
        return cls(np.zeros((frames, 3)), np.zeros((frames, 4)), lines, shifts, widths)

    def volumes(self) -> list[Volume]:
        """As the chest sees them from the shoulder."""
        back = rotations.conjugate(self.chest)[:, None, None]
        seen = rotations.rotate(back, self.lines - self.shoulder[:, None, None]) + self.shifts
        return [Volume(seen[:, v, 0], seen[:, v, 1], *map(float, wide)) for v, wide in enumerate(self.widths)]


class Laid(NamedTuple):
    """Arms as their chests see them."""

    upper: Floats  # (F, 4)
    flexion: Floats  # (F,)
    wrist: Floats  # (F, 3)
    room: Floats  # (F,) how much of its flourishes the body leaves a hand room for


def laid(limb: Limb, target: Floats, swivel: Floats, mixture: Mixture, body: Surroundings, size: float) -> Laid:
    """Arms that bring wrists to ``target (F, 3)`` with ``swivel (F,)``, mixed, bent and twisted."""
    kernels = compiled.loaded(target.size * WORTH)
    if kernels is None:
        return laid_reference(limb, target, swivel, mixture, body, size)
    count = len(target)
    made = Laid(np.empty((count, 4)), np.empty(count), np.empty((count, 3)), np.empty(count))
    numbers = (limb.rest_flexion, ROOMY * size)
    rows = [np.ascontiguousarray(row) for row in (target, swivel, *mixture)]
    around = [np.ascontiguousarray(row) for row in body[:3]]
    arm = limb.numbers, LIMITS, DOWN, AHEAD

    def some(part: slice) -> None:
        own, seen, to = ((row[part] for row in group) for group in (rows, around, made))
        kernels.lay_arms(*own, *arm, *seen, body.shifts, body.widths, numbers, *to)

    compiled.share_frames(count, count * WORTH, some)
    return made


def laid_reference(
    limb: Limb, target: Floats, swivel: Floats, mixture: Mixture, body: Surroundings, size: float
) -> Laid:
    """The same in plain NumPy."""
    volumes = body.volumes()
    upper, flexion, elbow = limb.solved(target, swivel)
    upper, flexion = _mixed(mixture, upper, flexion, elbow)
    flexion = within(flexion * mixture.bend, *FLEXIONS)
    wrist = limb.wrist(upper, flexion)
    if mixture.twist.any():
        turn = rotations.from_rotation_vector(_unit(wrist) * mixture.twist[:, None])
        upper = rotations.multiply(turn, upper)
    free = within(room(wrist, volumes) / (ROOMY * size), 0.0, 1.0)
    return Laid(upper, flexion, wrist, free * free * (3.0 - 2.0 * free))


def _mixed(mixture: Mixture, upper: Floats, flexion: Floats, elbow: Floats) -> tuple[Floats, Floats]:
    """Shoulders and elbows with the shares of the two other spaces."""
    joint, through = mixture.joint, mixture.through
    if not (joint.any() or through.any()):
        return upper, flexion
    total, bent = (1.0 - joint - through)[:, None] * upper, (1.0 - joint) * flexion
    if joint.any():
        turn = rotations.multiply(rotations.from_rotation_vector(mixture.angles[:, :3]), mixture.starts)
        total = total + joint[:, None] * _alike(turn, upper)
        bent = bent + joint * mixture.angles[:, 3]
    own = np.flatnonzero(through)
    if own.size:
        turn = rotations.between(_unit(elbow[own]), _unit(mixture.elbows[own]))
        turn = rotations.multiply(turn, upper[own])
        total[own] += through[own, None] * _alike(turn, upper[own])
    return rotations.normalise(total), bent


def _alike(turn: Floats, other: Floats) -> Floats:
    """The same rotations with the signs that lie nearer."""
    return np.where(np.sum(turn * other, axis=-1, keepdims=True) < 0.0, -turn, turn)


def _unit(values: Floats) -> Floats:
    return np.asarray(values / np.maximum(lengths(values)[..., None], 1e-12))
