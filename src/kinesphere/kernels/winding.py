"""Rotations over time as curves: rotation vectors from a reference, without jumps however far they turn."""

from __future__ import annotations

import numpy as np

from kinesphere.kernels import compiled, rotations
from kinesphere.kernels.arrays import Floats

FULL = 2.0 * np.pi


def reference(turns: Floats) -> Floats:
    """``(J, 4)`` about which rotations ``(T, J, 4)`` lie: their mean, or the first where there is none."""
    near = rotations.continuous(turns)
    total = near.sum(axis=0)
    size = np.linalg.norm(total, axis=-1, keepdims=True)
    return np.asarray(np.where(size > 0.2 * len(turns), total / np.maximum(size, 1e-12), near[0]))


def unwound(turns: Floats, about: Floats, out: Floats | None = None) -> Floats:
    """``(T, J, 3)`` rotation vectors of ``turns (T, J, 4)`` from ``about (J, 4)``, each nearest to the frame before.

    A joint that turns round three times ends at six π. ``wound`` is the way back, exact whichever vector is taken.
    """
    kernels = compiled.loaded(turns.size)
    made = np.empty((*turns.shape[:2], 3)) if out is None else out
    if kernels is None:
        made[:] = unwound_reference(turns, about)
        return made
    kernels.unwind(np.ascontiguousarray(turns), np.ascontiguousarray(about), made)
    return made


def unwound_reference(turns: Floats, about: Floats) -> Floats:
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


def wound(vectors: Floats, about: Floats) -> Floats:
    """``(T, J, 4)`` the rotations of vectors ``(T, J, 3)`` from ``about (J, 4)``, neighbours in one half sphere."""
    kernels = compiled.loaded(vectors.size)
    if kernels is None:
        return wound_reference(vectors, about)
    made = np.empty((*vectors.shape[:2], 4))
    kernels.wind(vectors, np.ascontiguousarray(about), made)
    return made


def wound_reference(vectors: Floats, about: Floats) -> Floats:
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
