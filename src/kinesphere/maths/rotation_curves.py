"""Rotations over time as curves: rotation vectors from a centre, without jumps however far they rotate.

Filters, bands and splines need curves that may be added and scaled; rotation vectors from a joint's mean rotation are
such curves. Each vector is the one of its rotation that is nearest to the frame before.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.maths import rotations
from kinesphere.maths.compiled import jit, kernel
from kinesphere.maths.rotations import exponential_quaternion, quaternion_product, write_quaternion
from kinesphere.maths.vectors import Floats, norms

FULL = 2.0 * np.pi


def mean_rotation(quaternions: Floats) -> Floats:
    """The mean ``(J, 4)`` of rotations ``(T, J, 4)``, or the first where they are too far apart to have one."""
    near = rotations.continuous(quaternions)
    total = near.sum(axis=0)
    size = norms(total)[..., None]
    return np.asarray(np.where(size > 0.2 * len(quaternions), total / np.maximum(size, 1e-12), near[0]))


@kernel
def to_rotation_curves(quaternions: Floats, about: Floats, out: Floats | None = None) -> Floats:
    """Rotation vectors ``(T, J, 3)`` of rotations ``(T, J, 4)`` from ``about (J, 4)``, nearest to the frame before.

    A joint that rotates three times round ends at 6 π. ``from_rotation_curves`` is the inverse, exact whichever vector
    is taken.
    """
    vectors = rotations.to_rotation_vector(rotations.multiply(rotations.conjugate(about), quaternions))
    made = np.empty_like(vectors) if out is None else out
    made[:1] = vectors[:1]
    for i in range(1, len(vectors)):
        size, before = norms(vectors[i])[:, None], made[i - 1]
        same_axis = before / np.maximum(norms(before), 1e-12)[:, None]
        axis = np.where(size > 1e-9, vectors[i] / np.maximum(size, 1e-12), same_axis)
        rounds = np.round((np.sum(before * axis, axis=-1, keepdims=True) - size) / FULL)
        made[i] = axis * (size + FULL * rounds)
    return made


@to_rotation_curves.compile_with
def _to_rotation_curves(quaternions: Floats, about: Floats, out: Floats | None = None) -> Floats:
    made = np.empty((*quaternions.shape[:2], 3))
    to_rotation_curves_kernel(np.ascontiguousarray(quaternions), np.ascontiguousarray(about), made)
    if out is None:
        return made
    out[:] = made
    return out


@jit
def to_rotation_curves_kernel(quaternions, about, out):  # type: ignore[no-untyped-def]
    """Rotation vectors ``(T, J, 3)`` of rotations ``(T, J, 4)`` from ``(J, 4)``, nearest to the frame before."""
    full = 2.0 * math.pi
    for j in range(quaternions.shape[1]):
        aw, ax, ay, az = about[j, 0], -about[j, 1], -about[j, 2], -about[j, 3]
        u, v, t = 0.0, 0.0, 0.0
        for i in range(quaternions.shape[0]):
            w, x, y, z = quaternions[i, j, 0], quaternions[i, j, 1], quaternions[i, j, 2], quaternions[i, j, 3]
            w, x, y, z = quaternion_product(aw, ax, ay, az, w, x, y, z)
            if w < 0.0:
                w, x, y, z = -w, -x, -y, -z
            sine = math.sqrt(x * x + y * y + z * z)
            size = 2.0 * math.atan2(sine, w)
            if size > 1e-9:
                x, y, z = x / sine, y / sine, z / sine
            else:
                before = max(math.sqrt(u * u + v * v + t * t), 1e-12)
                x, y, z = u / before, v / before, t / before
            if i > 0:
                size += full * round((u * x + v * y + t * z - size) / full)
            u, v, t = size * x, size * y, size * z
            out[i, j, 0], out[i, j, 1], out[i, j, 2] = u, v, t


@kernel
def from_rotation_curves(vectors: Floats, about: Floats) -> Floats:
    """Rotations ``(T, J, 4)`` of vectors ``(T, J, 3)`` from ``about (J, 4)``, neighbours in one hemisphere."""
    return rotations.continuous(rotations.multiply(about, rotations.from_rotation_vector(vectors)))


@from_rotation_curves.compile_with
def _from_rotation_curves(vectors: Floats, about: Floats) -> Floats:
    made = np.empty((*vectors.shape[:2], 4))
    from_rotation_curves_kernel(np.ascontiguousarray(vectors), np.ascontiguousarray(about), made)
    return made


@jit
def from_rotation_curves_kernel(vectors, about, out):  # type: ignore[no-untyped-def]
    """Rotations ``(T, J, 4)`` of vectors ``(T, J, 3)`` from ``(J, 4)``, each in the hemisphere of the frame before."""
    for i in range(vectors.shape[0]):
        for j in range(vectors.shape[1]):
            w, x, y, z = exponential_quaternion(vectors[i, j, 0], vectors[i, j, 1], vectors[i, j, 2])
            w, x, y, z = quaternion_product(about[j, 0], about[j, 1], about[j, 2], about[j, 3], w, x, y, z)
            if i > 0:
                k = i - 1
                if w * out[k, j, 0] + x * out[k, j, 1] + y * out[k, j, 2] + z * out[k, j, 3] < 0.0:
                    w, x, y, z = -w, -x, -y, -z
            write_quaternion(out, i, j, w, x, y, z)


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
