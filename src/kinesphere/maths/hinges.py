"""Joint angles and their limits: waveshape flexion, side and twist of a joint, and stop a hinge softly at its limits.

A joint's rotation from rest, seen from the joint that it is measured against, points its bone somewhere, which is read
as flexion and side, and rotates it about itself, which is its twist. A joint with a cone has one angle from the cone's
axis in place of flexion and side.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.maths.splines import Spline
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.maths.waveshaping import shape_table

TINY = 1e-9  # radians: smaller rotations are left out
_FULL = 2.0 * math.pi


class Hinge(NamedTuple):
    """A joint, what it is measured against and along, and how far it goes."""

    path: Ints  # joints from below the one that it is measured against down to itself
    before: Floats  # (4,) the rest rotation in the world of the joint that it is measured against
    after: Floats  # (4,) and its own
    axes: Floats  # (4, 3) the bone at rest, where it points at no flexion, where flexion takes it, its side
    ranges: Floats  # (3, 2) flexion, side and twist, in radians
    cone: float  # half the cone's angle, in radians; 0: none


class HingeLimit(NamedTuple):
    """A hinge and how far it bends."""

    path: Ints  # joints from below the one that it is measured against down to itself
    before: Floats  # (4,) the rest rotation in the world of the joint that it is measured against
    after: Floats  # (4,) and its own
    axes: Floats  # (3, 3) the bone at rest, where it points at no flexion, where flexion takes it
    least: float  # flexion, in radians
    greatest: float
    soft: float  # radians before either limit in which it is slowed down


def shape_hinge(local: Floats, table: Floats, about: Floats, hinge: Hinge, curve: Spline, amount: float) -> None:
    """Waveshape a joint's angles over their ranges, in place; see ``waveshaping``.

    Its rotations are in ``local (T, J, 4)``, and ``table (T, 3)`` has their rotation vectors from ``about (4,)``.
    Vectors stay as near as can be to what they were: a joint that has rotated by more than π still has. ``local`` is
    C-ordered.
    """
    vectors = np.ascontiguousarray(table)
    turned, twist = np.empty((len(local), 4)), np.empty(len(local))
    _native.hinges.read_hinge(local, hinge, turned, twist)
    if np.abs(twist).max(initial=0.0) > math.pi:
        twist -= _FULL * round(np.median(twist) / _FULL)
    centre, shape = np.ascontiguousarray(about), shape_table(curve)
    _native.hinges.shape_hinge(local, vectors, centre, hinge, shape, float(amount), TINY, turned, twist)
    table[:] = vectors


def hinge_correction(before: Floats, local: Floats, hinge: HingeLimit) -> Floats:
    """``(T,)`` radians to add to a hinge's flexion in ``local (T, J, 4)`` so that it keeps its limits.

    ``before (T, J, 4)`` are the rotations before an edit, ``local`` those after it. The flexion goes freely from its
    value before until ``soft`` before a limit, and approaches the limit from there. A flexion that was nearer to the
    limit already is slowed down from its value before; one that was past the limit goes no further out.
    """
    corrections = np.empty(len(local))
    _native.hinges.hinge_correction(np.ascontiguousarray(before), np.ascontiguousarray(local), hinge, corrections)
    return corrections


def bend_hinge(local: Floats, hinge: HingeLimit, by: Floats) -> None:
    """Bend a hinge of local rotations ``(T, J, 4)``, C-ordered, by so many radians ``(T,)`` more, in place."""
    _native.hinges.bend_hinge(local, hinge, np.ascontiguousarray(by), TINY)
