"""Rotations over time as curves: rotation vectors from a centre, without jumps however far they rotate.

Filters, bands and splines need curves that may be added and scaled; rotation vectors from a joint's mean rotation are
such curves. Each vector is the one of its rotation that is nearest to the frame before.
"""

from __future__ import annotations

import numpy as np

from kinesphere import _native
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, norms

FULL = 2.0 * np.pi


def mean_rotation(quaternions: Floats) -> Floats:
    """The mean ``(J, 4)`` of rotations ``(T, J, 4)``, or the first where they are too far apart to have one."""
    near = rotations.continuous(quaternions)
    total = near.sum(axis=0)
    size = norms(total)[..., None]
    return np.asarray(np.where(size > 0.2 * len(quaternions), total / np.maximum(size, 1e-12), near[0]))


def to_rotation_curves(quaternions: Floats, about: Floats, out: Floats | None = None) -> Floats:
    """Rotation vectors ``(T, J, 3)`` of rotations ``(T, J, 4)`` from ``about (J, 4)``, nearest to the frame before.

    A joint that rotates three times round ends at 6 π. ``from_rotation_curves`` is the inverse, exact whichever vector
    is taken.
    """
    made = np.empty((*quaternions.shape[:2], 3))
    _native.rotation_curves.to_rotation_curves(np.ascontiguousarray(quaternions), np.ascontiguousarray(about), made)
    if out is None:
        return made
    out[:] = made
    return out


def turns_from(base: Floats, turns: Floats) -> Floats:
    """Rotation vectors ``(T, 3)`` from a base, ``(4,)`` or ``(T, 4)``, to rotations ``(T, 4)``, without jumps.

    More than half a turn away they go on, so that a share of them does not leap.
    """
    apart = rotations.multiply(rotations.conjugate(base), turns)
    return to_rotation_curves(apart[:, None], rotations.identity()[None])[:, 0]


def from_rotation_curves(vectors: Floats, about: Floats) -> Floats:
    """Rotations ``(T, J, 4)`` of vectors ``(T, J, 3)`` from ``about (J, 4)``, neighbours in one hemisphere."""
    made = np.empty((*vectors.shape[:2], 4))
    _native.rotation_curves.from_rotation_curves(np.ascontiguousarray(vectors), np.ascontiguousarray(about), made)
    return made


def heading(quaternions: Floats, up: Floats) -> tuple[Floats, Floats]:
    """Heading of rotations ``(T, 4)`` about ``up (3,)``, in radians without jumps ``(T,)``, and the rest ``(T, 4)``.

    The rotation is ``about(up, heading) · rest``; the rest tilts. Upside down, heading has no meaning; see ``tilt``.
    """
    twist = np.concatenate([quaternions[:, :1], (quaternions[:, 1:] @ up)[:, None] * up], axis=1)
    angle = np.unwrap(2.0 * np.arctan2(quaternions[:, 1:] @ up, quaternions[:, 0]))
    size = np.linalg.norm(twist, axis=1, keepdims=True)
    twist = np.where(size > 1e-9, twist / np.maximum(size, 1e-12), np.array([1.0, 0.0, 0.0, 0.0]))
    return angle, rotations.multiply(rotations.conjugate(twist), quaternions)


def tilt(quaternions: Floats, up: Floats) -> Floats:
    """Angle ``(T,)`` in radians by which rotations ``(T, 4)`` tilt ``up (3,)``."""
    return np.asarray(np.arccos(np.clip(rotations.rotate(quaternions, up) @ up, -1.0, 1.0)))
