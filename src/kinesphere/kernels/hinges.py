"""Joints shaped by what they can do: flexion, side and twist, each from limit to limit.

A joint's turn from rest, as what it is measured against sees it, takes its bone somewhere, which is read as flexion and
side, and turns it about itself, which is its twist. A joint with a cone has one angle from the cone's axis in place of
flexion and side. The angles are shaped over their ranges (see ``shaping``), and the turn is put together again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.kernels import compiled, rotations, shaping
from kinesphere.kernels.arrays import Floats, Ints, lengths, within
from kinesphere.kernels.splines import Spline

FULL = 2.0 * np.pi
TINY = 1e-9  # radians: what turns by less stays as it is


class Hinge(NamedTuple):
    """A joint, what it is measured against and along, and how far it goes."""

    path: Ints  # joints from below what it is measured against down to itself
    before: Floats  # (4,) the rest rotation in the world of what it is measured against
    after: Floats  # (4,) and its own
    axes: Floats  # (4, 3) the bone at rest, where it is at no flexion, where flexion takes it, its side
    ranges: Floats  # (3, 2) flexion, side and twist, in radians
    cone: float  # half the cone's angle, in radians; 0: none


def shape_hinge(local: Floats, table: Floats, about: Floats, hinge: Hinge, curve: Spline, amount: float) -> None:
    """Shape a joint, in place: its rotation in ``local (T, J, 4)`` and its vectors from ``about (4,)``, ``(T, 3)``.

    Vectors stay as near as can be to what they were: a joint that has turned by more than half a turn still has.
    """
    kernels = compiled.kernels(40 * len(local))
    if kernels is None:
        with compiled.plain_work():
            shape_hinge_reference(local, table, about, hinge, curve, amount)
        return
    kernels.shape_hinge(local, table, about, *hinge, shaping.numbers(curve), float(amount), TINY)


def shape_hinge_reference(
    local: Floats, table: Floats, about: Floats, hinge: Hinge, curve: Spline, amount: float
) -> None:
    """The same in plain NumPy."""
    turn = np.broadcast_to(hinge.before, (len(local), 4))
    for joint in hinge.path:
        turn = rotations.multiply(turn, local[:, joint])
    turn = rotations.multiply(turn, rotations.conjugate(hinge.after))
    back = rotations.multiply(rotations.conjugate(turn), _shaped(turn, hinge, curve, amount))
    more = rotations.multiply(rotations.multiply(rotations.conjugate(hinge.after), back), hinge.after)
    moved, own = lengths(more[:, 1:]) > TINY, hinge.path[-1]
    local[moved, own] = rotations.multiply(local[moved, own], more[moved])
    vectors = rotations.to_rotation_vector(rotations.multiply(rotations.conjugate(about), local[moved, own]))
    size = lengths(vectors)[:, None]
    axis = np.where(size > TINY, vectors / np.maximum(size, 1e-12), 0.0)
    rounds = np.round((np.sum(table[moved] * axis, axis=-1, keepdims=True) - size) / FULL)
    table[moved] = axis * (size + FULL * rounds)


def _shaped(turn: Floats, hinge: Hinge, curve: Spline, amount: float) -> Floats:
    """``(T, 4)`` turns from rest with their angles shaped."""

    def within_ends(angles: Floats, ends: Floats) -> Floats:
        low, high = float(ends[0]), float(ends[1])
        return shaping.shaped(angles[:, None], 0.5 * (low + high), 0.5 * (high - low), curve, amount)[:, 0]

    bone, neutral, forward, side = hinge.axes
    pointing = rotations.rotate(turn, bone)
    if hinge.cone > 0.0:
        swing = rotations.to_rotation_vector(rotations.between(neutral, pointing))
        size, ends = lengths(swing), np.array([-hinge.cone, hinge.cone])
        wanted = within_ends(size, ends) - within_ends(np.zeros(1), ends)
        swing = swing * (wanted / np.maximum(size, 1e-12))[:, None]
        towards = rotations.rotate(rotations.from_rotation_vector(swing), neutral)
    else:
        middle = 0.5 * float(hinge.ranges[0].sum())
        bent = middle + (np.arctan2(pointing @ forward, pointing @ neutral) - middle + np.pi) % FULL - np.pi
        flexion = within_ends(bent, hinge.ranges[0])[:, None]
        aside = within_ends(np.arcsin(within(pointing @ side, -1.0, 1.0)), hinge.ranges[1])[:, None]
        towards = np.cos(aside) * (np.cos(flexion) * neutral + np.sin(flexion) * forward) + np.sin(aside) * side
    angle = np.unwrap(2.0 * np.arctan2(turn[:, 1:] @ bone, turn[:, 0]))
    angle = within_ends(angle - FULL * np.round(np.median(angle) / FULL), hinge.ranges[2])
    about = rotations.from_rotation_vector(angle[:, None] * bone)
    return rotations.multiply(rotations.between(bone, towards), about)
