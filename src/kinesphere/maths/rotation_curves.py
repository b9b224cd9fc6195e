"""Rotations over time as curves: rotation vectors from a reference, without jumps however far they turn."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.maths import compiled, rotations
from kinesphere.maths.compiled import compile_exact
from kinesphere.maths.rotations import quaternion_product
from kinesphere.maths.vectors import Floats

FULL = 2.0 * np.pi


def mean_rotation(turns: Floats) -> Floats:
    """``(J, 4)`` about which rotations ``(T, J, 4)`` lie: their mean, or the first where there is none."""
    near = rotations.continuous(turns)
    total = near.sum(axis=0)
    size = np.linalg.norm(total, axis=-1, keepdims=True)
    return np.asarray(np.where(size > 0.2 * len(turns), total / np.maximum(size, 1e-12), near[0]))


def to_rotation_curves(turns: Floats, about: Floats, out: Floats | None = None) -> Floats:
    """``(T, J, 3)`` rotation vectors of ``turns (T, J, 4)`` from ``about (J, 4)``, each nearest to the frame before.

    A joint that turns round three times ends at six π. ``from_rotation_curves`` is the way back, exact whichever vector is taken.
    """
    kernels = compiled.loaded(turns.size)
    made = np.empty((*turns.shape[:2], 3)) if out is None else out
    if kernels is None:
        made[:] = to_rotation_curves_reference(turns, about)
        return made
    kernels.unwind(np.ascontiguousarray(turns), np.ascontiguousarray(about), made)
    return made


def to_rotation_curves_reference(turns: Floats, about: Floats) -> Floats:
    """The same in plain NumPy."""
    vectors = rotations.to_rotation_vector(rotations.multiply(rotations.conjugate(about), turns))
    made = np.empty_like(vectors)
    made[:1] = vectors[:1]
    for i in range(1, len(vectors)):
        size = np.linalg.norm(vectors[i], axis=-1, keepdims=True)
        axis = np.where(size > 1e-9, vectors[i] / np.maximum(size, 1e-12), _way(made[i - 1]))
        rounds = np.round((np.sum(made[i - 1] * axis, axis=-1, keepdims=True) - size) / FULL)
        made[i] = axis * (size + FULL * rounds)
    return made


def _way(vectors: Floats) -> Floats:
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(size, 1e-12))


def from_rotation_curves(vectors: Floats, about: Floats) -> Floats:
    """``(T, J, 4)`` the rotations of vectors ``(T, J, 3)`` from ``about (J, 4)``, neighbours in one half sphere."""
    kernels = compiled.loaded(vectors.size)
    if kernels is None:
        return from_rotation_curves_reference(vectors, about)
    made = np.empty((*vectors.shape[:2], 4))
    kernels.wind(vectors, np.ascontiguousarray(about), made)
    return made


def from_rotation_curves_reference(vectors: Floats, about: Floats) -> Floats:
    """The same in plain NumPy."""
    return rotations.continuous(rotations.multiply(about, rotations.from_rotation_vector(vectors)))


def heading(turns: Floats, up: Floats) -> tuple[Floats, Floats]:
    """How far ``turns (T, 4)`` go round ``up (3,)``, in radians without jumps ``(T,)``, and what is left ``(T, 4)``.

    ``turns = about(up, heading) · left``: the part that tilts. Upside down, heading has no meaning; see ``tilt``.
    """
    twist = np.concatenate([turns[:, :1], (turns[:, 1:] @ up)[:, None] * up], axis=1)
    angle = np.unwrap(2.0 * np.arctan2(turns[:, 1:] @ up, turns[:, 0]))
    size = np.linalg.norm(twist, axis=1, keepdims=True)
    twist = np.where(size > 1e-9, twist / np.maximum(size, 1e-12), np.array([1.0, 0.0, 0.0, 0.0]))
    return angle, rotations.multiply(rotations.conjugate(twist), turns)


def tilt(turns: Floats, up: Floats) -> Floats:
    """``(T,)`` radians by which ``turns (T, 4)`` tilt ``up (3,)``."""
    return np.asarray(np.arccos(np.clip(rotations.rotate(turns, up) @ up, -1.0, 1.0)))


# ---- Compiled winding of rotations. Import this only through ``compiled``.


@compile_exact
def to_rotation_curves_kernel(turns, about, out):  # type: ignore[no-untyped-def]
    """Rotation vectors (T, J, 3) of turns (T, J, 4) from (J, 4), nearest to the frame before; see ``winding``."""
    full = 2.0 * math.pi
    for j in range(turns.shape[1]):
        a = about[j]
        u, v, t = 0.0, 0.0, 0.0
        for i in range(turns.shape[0]):
            q = turns[i, j]
            w, x, y, z = quaternion_product(a[0], -a[1], -a[2], -a[3], q[0], q[1], q[2], q[3])
            if w < 0.0:
                w, x, y, z = -w, -x, -y, -z
            sine = math.sqrt(x * x + y * y + z * z)
            size = 2.0 * math.atan2(sine, w)
            if size > 1e-9:
                x, y, z = x / sine, y / sine, z / sine
            else:
                far = max(math.sqrt(u * u + v * v + t * t), 1e-12)
                x, y, z = u / far, v / far, t / far
            if i > 0:
                size += full * round((u * x + v * y + t * z - size) / full)
            u, v, t = size * x, size * y, size * z
            out[i, j, 0], out[i, j, 1], out[i, j, 2] = u, v, t


@compile_exact
def from_rotation_curves_kernel(vectors, about, out):  # type: ignore[no-untyped-def]
    """Rotations (T, J, 4) of vectors (T, J, 3) from (J, 4), each in the half sphere of the frame before."""
    for i in range(vectors.shape[0]):
        for j in range(vectors.shape[1]):
            x, y, z = vectors[i, j, 0], vectors[i, j, 1], vectors[i, j, 2]
            angle = math.sqrt(x * x + y * y + z * z)
            share = math.sin(0.5 * angle) / angle if angle > 1e-8 else 0.5
            a = about[j]
            w, x, y, z = quaternion_product(
                a[0], a[1], a[2], a[3], math.cos(0.5 * angle), share * x, share * y, share * z
            )
            if i > 0:
                q = out[i - 1, j]
                if w * q[0] + x * q[1] + y * q[2] + z * q[3] < 0.0:
                    w, x, y, z = -w, -x, -y, -z
            out[i, j, 0], out[i, j, 1], out[i, j, 2], out[i, j, 3] = w, x, y, z
