"""Hinges that bend no further than they can: an edit's way is slowed down before a limit, and ends there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.kernels import compiled, rotations
from kinesphere.kernels.arrays import Floats, Ints

TINY = 1e-9  # radians


class Bend(NamedTuple):
    """A hinge and how far it goes."""

    path: Ints  # joints from below what it is measured against down to itself
    before: Floats  # (4,) the rest rotation in the world of what it is measured against
    after: Floats  # (4,) and its own
    axes: Floats  # (3, 3) the bone at rest, where it is at no flexion, where flexion takes it
    least: float  # flexion, in radians
    greatest: float
    soft: float  # radians before either in which it is slowed down


def excess(before: Floats, local: Floats, hinge: Bend) -> Floats:
    """``(T,)`` radians by which a hinge of local rotations ``(T, J, 4)`` is to be bent back, ``before`` considered.

    Until ``soft`` before a limit it bends as it does; what goes beyond comes ever nearer to the limit. What was within
    that before is slowed down from where it was, and what was past a limit goes no further.
    """
    kernels = compiled.loaded(40 * len(local))
    if kernels is None:
        return excess_reference(before, local, hinge)
    back = np.empty(len(local))
    kernels.find_excess(before, local, *hinge, TINY, back)
    return back


def excess_reference(before: Floats, local: Floats, hinge: Bend) -> Floats:
    """The same in plain NumPy."""
    now = _flexion(hinge, local)[1]
    return allowed(_flexion(hinge, before)[1], now, hinge) - now


def bend(local: Floats, hinge: Bend, by: Floats) -> None:
    """Local rotations ``(T, J, 4)``, in place, with a hinge bent by so many radians ``(T,)`` more."""
    kernels = compiled.loaded(40 * len(local))
    if kernels is None:
        bend_reference(local, hinge, by)
        return
    kernels.bend_more(local, hinge.path, hinge.before, hinge.axes, by, TINY)


def bend_reference(local: Floats, hinge: Bend, by: Floats) -> None:
    """The same in plain NumPy."""
    above, own = _flexion(hinge, local)[0], int(hinge.path[-1])
    rows = np.flatnonzero(np.abs(by) > TINY)
    turn = rotations.from_rotation_vector(by[rows, None] * np.cross(hinge.axes[1], hinge.axes[2]))
    seen = rotations.multiply(rotations.multiply(rotations.conjugate(above[rows]), turn), above[rows])
    local[rows, own] = rotations.multiply(seen, local[rows, own])


def allowed(was: Floats, now: Floats, hinge: Bend) -> Floats:
    """``(T,)`` how far a hinge is bent that was bent so and is asked to be."""
    up = now > was
    room = np.maximum(np.where(up, hinge.greatest - was, was - hinge.least), 0.0)
    soft = np.maximum(np.minimum(room, hinge.soft), TINY)
    past = np.abs(now - was) - (room - soft)
    kept = (room - soft) + soft * (1.0 - np.exp(-np.maximum(past, 0.0) / soft))
    return np.asarray(np.where((past > 0.0) & (now != was), was + np.where(up, kept, -kept), now))


def _flexion(hinge: Bend, local: Floats) -> tuple[Floats, Floats]:
    """What the joint hangs on turned ``(T, 4)``, as the limb above it sees it, and its flexion ``(T,)`` in radians."""
    above = np.broadcast_to(hinge.before, (len(local), 4))
    for joint in hinge.path[:-1]:
        above = rotations.multiply(above, local[:, joint])
    turn = rotations.multiply(rotations.multiply(above, local[:, hinge.path[-1]]), rotations.conjugate(hinge.after))
    bone, neutral, forward = hinge.axes
    pointing = rotations.rotate(turn, bone)
    # Cut where nothing bends to, not at half a turn.
    middle = 0.5 * (hinge.least + hinge.greatest)
    angle = np.arctan2(pointing @ forward, pointing @ neutral)
    return above, np.asarray(middle + (angle - middle + np.pi) % (2.0 * np.pi) - np.pi)
