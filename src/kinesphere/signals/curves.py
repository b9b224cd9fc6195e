"""A motion as curves that can be filtered, shaped and added to, and back.

A joint's rotation is a rotation vector from the joint's mean, so that no curve depends on a file's Euler angles. The
joint that carries the body is its own case: how far it has turned about the vertical, without jumps (a pirouette is
three whole turns, not none), how it tilts beside that, and its path. A body that goes upside down has no heading
there: its carrier's rotation is then one vector as any other's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kinesphere.maths import rotation_curves, rotations
from kinesphere.maths.vectors import Bools, Floats, Ints
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

UPRIGHT = 0.3  # cosine of half the tilt below which heading is not taken apart
SOME = 4  # frames
STILL = 1e-9  # metres: a joint whose translation changes by no more has no curve for it


@dataclass(frozen=True, eq=False)
class Curves:
    """What a motion's joints do over time, as one table.

    Attributes
    ----------
    table : (T, D)
        Three columns a joint for its rotation, one for the heading, three for each joint whose translation moves.
    about : (J, 4)
        What rotation vectors are measured from.
    carrier
        The joint that carries the body.
    up : (3,) or None
        The vertical as the carrier's parent sees it; None: heading is not taken apart.
    moving : (M,)
        Joints whose translations move.
    """

    motion: Motion
    table: Floats
    about: Floats
    carrier: int
    up: Floats | None
    moving: Ints

    @classmethod
    def of(cls, motion: Motion) -> Curves:
        """The curves of a motion without calibration frames."""
        return cls.together([motion])[0]

    @classmethod
    def together(cls, motions: Sequence[Motion]) -> list[Curves]:
        """The curves of motions of one skeleton, measured from one reference: their tables may be compared and mixed.

        Each heading counts from the world's; where one of the bodies goes upside down, none is taken apart.
        """
        carrier, up, angles, turns = split_headings(motions)
        # Of several, some frames tell as much as all.
        about = rotation_curves.mean_rotation(
            turns[0] if len(turns) == 1 else np.concatenate([own[::SOME] for own in turns])
        )
        moving = moving_joints(motions)
        made = []
        for motion, angle, own in zip(motions, angles, turns, strict=True):
            table = np.empty((len(motion), 3 * len(about) + 1 + 3 * len(moving)))
            rotation_curves.to_rotation_curves(own, about, table[:, : 3 * len(about)].reshape(len(motion), -1, 3))
            table[:, 3 * len(about)] = angle
            table[:, 3 * len(about) + 1 :] = motion.translations[:, moving].reshape(len(motion), -1)
            made.append(cls(motion, table, about, carrier, up, moving))
        return made

    @cached_property
    def owners(self) -> Ints:
        """``(D,)`` the joint that each column belongs to."""
        joints = np.arange(len(self.about))
        return np.concatenate([np.repeat(joints, 3), [self.carrier], np.repeat(self.moving, 3)])

    def columns(self, joints: Bools) -> Ints:
        """The columns of some joints ``(J,)``."""
        return np.flatnonzero(joints[self.owners])

    @property
    def heading(self) -> Floats:
        """``(T,)`` how far the body has turned about the vertical, in radians."""
        return np.asarray(self.table[:, 3 * len(self.about)])

    @property
    def path(self) -> Floats:
        """``(T, 3)`` where the carrier is."""
        return np.asarray(self.motion.translations[:, self.carrier])

    def with_table(self, table: Floats) -> Motion:
        """The motion whose curves are these ``(T', D)``, as many frames as there are rows."""
        count, joints = len(table), len(self.about)
        turns = rotation_curves.from_rotation_curves(table[:, : 3 * joints].reshape(count, joints, 3), self.about)
        if self.up is not None:
            round_ = rotations.from_rotation_vector(table[:, 3 * joints, None] * self.up)
            turns[:, self.carrier] = rotations.continuous(rotations.multiply(round_, turns[:, self.carrier]))
        places = np.empty((count, joints, 3))
        places[:] = self.motion.translations[0]
        places[:, self.moving] = table[:, 3 * joints + 1 :].reshape(count, len(self.moving), 3)
        scales = self.motion.scales if count == len(self.motion) else None
        return replace(self.motion, rotations=turns, translations=places, scales=scales)


class HeadingSplit(NamedTuple):
    """Motions of one skeleton with their headings apart; ``up`` None where none is.

    ``headings`` are ``(T,)`` each, ``turns (T, J, 4)`` the local rotations, the carrier's without its heading.
    """

    carrier: int
    up: Floats | None
    headings: list[Floats]
    turns: list[Floats]


def split_headings(motions: Sequence[Motion]) -> HeadingSplit:
    """Motions of one skeleton with their headings apart; where one of the bodies goes upside down, none is."""
    carrier = root_joint(motions[0].skeleton)
    uprights = [_vertical(motion, carrier) for motion in motions]
    turns = [motion.rotations for motion in motions]
    if any(own is None for own in uprights):
        return HeadingSplit(carrier, None, [np.zeros(len(motion)) for motion in motions], turns)
    up, rest = uprights[0], motions[0].skeleton.rest_rotations[carrier]
    assert up is not None
    angles = []
    for k, motion in enumerate(motions):
        angle, left = rotation_curves.heading(
            rotations.multiply(motion.rotations[:, carrier], rotations.conjugate(rest)), up
        )
        angles.append(angle)
        turns[k] = motion.rotations.copy()
        turns[k][:, carrier] = rotations.multiply(left, rest)
    return HeadingSplit(carrier, up, angles, turns)


def moving_joints(motions: Sequence[Motion]) -> Ints:
    """Joints whose translations are ever elsewhere than in the first frame of the first motion."""
    start = motions[0].translations[0]
    return np.flatnonzero(np.any([_moves(motion.translations, start) for motion in motions], axis=0))


def _moves(places: Floats, start: Floats) -> Bools:
    """``(J,)`` which joints' translations ``(T, J, 3)`` are ever elsewhere than at the start ``(J, 3)``."""
    high, low = places.max(axis=0) - start, start - places.min(axis=0)
    return np.asarray(np.maximum(high, low).max(axis=-1) > STILL)


def root_joint(skeleton: Skeleton) -> int:
    """The joint that carries the body: the hips, or the first root."""
    return skeleton.with_found_roles().roles.get("hips", skeleton.roots[0])


def _vertical(motion: Motion, carrier: int) -> Floats | None:
    """The vertical as the carrier's parent sees it, where the body stays upright enough to have a heading."""
    above = _above(motion, int(motion.skeleton.parents[carrier]))
    up = rotations.rotate(rotations.conjugate(above), np.array([0.0, 1.0, 0.0]))
    rest = motion.skeleton.rest_rotations[carrier]
    turned = rotations.multiply(motion.rotations[:, carrier], rotations.conjugate(rest))
    upright = np.hypot(turned[:, 0], turned[:, 1:] @ up)
    return np.asarray(up) if upright.min() > UPRIGHT else None


def _above(motion: Motion, joint: int) -> Floats:
    """The world rotation ``(4,)`` of a joint in the first frame; -1: none."""
    turn = rotations.identity()
    while joint >= 0:
        turn = rotations.multiply(motion.rotations[0, joint], turn)
        joint = int(motion.skeleton.parents[joint])
    return turn
