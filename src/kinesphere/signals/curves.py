"""Motion curves: a motion as a table of signals that can be filtered, shaped and added to, and back.

A joint's rotation is a rotation vector from the joint's mean, so that no curve depends on a file's Euler angles. The
root is its own case. Its heading is an angle about the vertical without jumps (a pirouette is three whole turns, not
none); its tilt is a rotation vector like any other; its path is its translation. A body that goes upside down has no
heading there: the root's whole rotation is then one rotation vector.
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

UPRIGHT = 0.3  # cosine of half the tilt below which the heading is not split off
CLEARLY = 0.2  # of that cosine by which another pose must be nearer to upright than rest to be taken for it
EVERY = 4  # the mean of several motions is taken from every fourth frame
STILL = 1e-9  # metres: a joint whose translation changes by no more has no curve for it


@dataclass(frozen=True, eq=False)
class Curves:
    """The curves of a motion, as one table.

    Attributes
    ----------
    table : (T, D)
        Three columns per joint for its rotation, one for the heading, three for each joint whose translation moves.
    reference : (J, 4)
        The rotations that rotation vectors are measured from.
    root
        The joint that carries the body.
    up : (3,) or None
        The vertical in the frame of the root's parent; None: the heading is not split off.
    moving : (M,)
        Joints whose translations move.
    """

    motion: Motion
    table: Floats
    reference: Floats
    root: int
    up: Floats | None
    moving: Ints

    @classmethod
    def of(cls, motion: Motion) -> Curves:
        """The curves of a motion without calibration frames."""
        return cls.of_all([motion])[0]

    @classmethod
    def of_all(cls, motions: Sequence[Motion]) -> list[Curves]:
        """The curves of motions of one skeleton, from one reference: their tables may be compared and mixed.

        Each heading counts from the world's; where one of the bodies goes upside down, none is split off.
        """
        root, up, headings, local = split_headings(motions)
        reference = rotation_curves.mean_rotation(
            local[0] if len(local) == 1 else np.concatenate([own[::EVERY] for own in local])
        )
        moving = moving_joints(motions)
        curves = []
        for motion, heading, own in zip(motions, headings, local, strict=True):
            table = np.empty((len(motion), 3 * len(reference) + 1 + 3 * len(moving)))
            vectors = table[:, : 3 * len(reference)].reshape(len(motion), -1, 3)
            rotation_curves.to_rotation_curves(own, reference, vectors)
            table[:, 3 * len(reference)] = heading
            table[:, 3 * len(reference) + 1 :] = motion.translations[:, moving].reshape(len(motion), -1)
            curves.append(cls(motion, table, reference, root, up, moving))
        return curves

    @cached_property
    def owners(self) -> Ints:
        """``(D,)`` the joint that each column belongs to."""
        joints = np.arange(len(self.reference))
        return np.concatenate([np.repeat(joints, 3), [self.root], np.repeat(self.moving, 3)])

    def columns(self, joints: Bools) -> Ints:
        """The columns of some joints ``(J,)``."""
        return np.flatnonzero(joints[self.owners])

    @property
    def heading_column(self) -> int:
        """The column of the heading: rotations come before it, translations after it."""
        return 3 * len(self.reference)

    @property
    def heading(self) -> Floats:
        """``(T,)`` the body's angle about the vertical, in radians, without jumps."""
        return np.asarray(self.table[:, self.heading_column])

    @property
    def path(self) -> Floats:
        """``(T, 3)`` the root's translation."""
        return np.asarray(self.motion.translations[:, self.root])

    def with_table(self, table: Floats) -> Motion:
        """The motion whose curves are these ``(T', D)``, as many frames as there are rows."""
        count, joints = len(table), len(self.reference)
        vectors = table[:, : 3 * joints].reshape(count, joints, 3)
        local = rotation_curves.from_rotation_curves(vectors, self.reference)
        if self.up is not None:
            heading = rotations.from_rotation_vector(table[:, 3 * joints, None] * self.up)
            local[:, self.root] = rotations.continuous(rotations.multiply(heading, local[:, self.root]))
        translations = np.empty((count, joints, 3))
        translations[:] = self.motion.translations[0]
        translations[:, self.moving] = table[:, 3 * joints + 1 :].reshape(count, len(self.moving), 3)
        scales = self.motion.scales if count == len(self.motion) else None
        return replace(self.motion, rotations=local, translations=translations, scales=scales)


class HeadingSplit(NamedTuple):
    """Motions of one skeleton, each root's rotation split into heading and tilt."""

    root: int
    up: Floats | None  # (3,) the vertical in the frame of the root's parent; None: not split
    headings: list[Floats]  # (T,) each, in radians
    rotations: list[Floats]  # (T, J, 4) each, local; the root's without its heading


def split_headings(motions: Sequence[Motion]) -> HeadingSplit:
    """Split the headings off motions of one skeleton; where one of the bodies goes upside down, off none.

    Upright is as at rest, or, where rest is no standing pose, as in the first frame of the first motion.
    """
    root = root_joint(motions[0].skeleton)
    local = [motion.rotations for motion in motions]
    up = parent_vertical(motions[0], root)
    rest, start = motions[0].skeleton.rest_rotations[root], motions[0].rotations[0, root]
    at_rest, at_start = (min(_uprightness(motion, root, own) for motion in motions) for own in (rest, start))
    upright = rest if at_rest > at_start - CLEARLY else start
    if max(at_rest, at_start) <= UPRIGHT or (upright is rest and at_rest <= UPRIGHT):
        return HeadingSplit(root, None, [np.zeros(len(motion)) for motion in motions], local)
    headings = []
    for k, motion in enumerate(motions):
        from_upright = rotations.multiply(motion.rotations[:, root], rotations.conjugate(upright))
        angle, tilt = rotation_curves.heading(from_upright, up)
        headings.append(angle)
        local[k] = motion.rotations.copy()
        local[k][:, root] = rotations.multiply(tilt, upright)
    return HeadingSplit(root, up, headings, local)


def moving_joints(motions: Sequence[Motion]) -> Ints:
    """Joints whose translations change: somewhere they differ from those in the first frame of the first motion."""
    start = motions[0].translations[0]
    ranges = [(m.translations.max(axis=0) - start, start - m.translations.min(axis=0)) for m in motions]
    return np.flatnonzero(np.any([np.maximum(high, low).max(axis=-1) > STILL for high, low in ranges], axis=0))


def root_joint(skeleton: Skeleton) -> int:
    """The joint that carries the body: the hips, or the first root."""
    return skeleton.with_found_roles().roles.get("hips", skeleton.roots[0])


def parent_vertical(motion: Motion, root: int) -> Floats:
    """``(3,)`` the vertical in the frame of the root's parent."""
    parent = _world_rotation(motion, int(motion.skeleton.parents[root]))
    return np.asarray(rotations.rotate(rotations.conjugate(parent), np.array([0.0, 1.0, 0.0])))


def _uprightness(motion: Motion, root: int, upright: Floats) -> float:
    """The cosine of half the farthest tilt of the body from a rotation ``(4,)``."""
    tilted = rotations.multiply(motion.rotations[:, root], rotations.conjugate(upright))
    return float(np.hypot(tilted[:, 0], tilted[:, 1:] @ parent_vertical(motion, root)).min())


def _world_rotation(motion: Motion, joint: int) -> Floats:
    """The world rotation ``(4,)`` of a joint in the first frame; of joint -1 the identity."""
    world = rotations.identity()
    while joint >= 0:
        world = rotations.multiply(motion.rotations[0, joint], world)
        joint = int(motion.skeleton.parents[joint])
    return world
