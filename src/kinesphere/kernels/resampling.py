"""Values at new times between frames."""

from __future__ import annotations

import numpy as np

from kinesphere.kernels import compiled, rotations
from kinesphere.kernels.arrays import ArrayLike, Floats, Ints, floats


def resample_vectors(values: ArrayLike, frames: ArrayLike, *, smooth: bool = True) -> Floats:
    """Vectors ``(T, ...)`` at fractional ``frames`` ``(N,)``, held beyond the first and the last.

    ``smooth`` runs a cubic through the frames (Catmull–Rom, limited), so that speed does not jump from frame to
    frame; otherwise the way between two frames is straight. On a frame both give the frame itself.
    """
    v = floats(values)
    i, u = _place(len(v), frames)
    if len(v) == 1:
        return v[i]
    kernels = compiled.loaded(i.size * v[0].size)
    if kernels is None or v.shape[-1] != 3 or v.ndim < 2:
        return _vectors_reference(v, i, u, smooth)
    made = np.empty((len(i), *v.shape[1:]))
    flat = np.ascontiguousarray(v).reshape(len(v), -1, 3)
    kernels.places_between(flat, i, u, smooth, made.reshape(len(i), -1, 3))
    return made


def _vectors_reference(v: Floats, i: Ints, u: Floats, smooth: bool) -> Floats:
    u = u.reshape(-1, *([1] * (v.ndim - 1)))
    a, b = v[i], v[i + 1]
    if not smooth:
        return a + u * (b - a)
    left, right = _tangents(v, i)
    return _hermite(a, b, left, right, u)


def resample_rotations(quaternions: ArrayLike, frames: ArrayLike, *, smooth: bool = True) -> Floats:
    """Unit quaternions ``(T, ..., 4)`` at fractional ``frames`` ``(N,)``, held beyond the first and the last.

    ``smooth`` works on the rotation vector from the frame before: a cubic whose ends turn as fast as the neighbours
    say; otherwise a slerp.
    """
    q = floats(quaternions)
    i, u = _place(len(q), frames)
    if len(q) == 1:
        return q[i]
    kernels = compiled.loaded(i.size * q[0].size)
    if kernels is None:
        return _rotations_reference(q, i, u, smooth)
    flat = np.ascontiguousarray(q).reshape(len(q), -1, 4)
    steps, made = np.empty((len(q) - 1, flat.shape[1], 3)), np.empty((len(i), *q.shape[1:]))
    kernels.turn_steps(flat, steps)
    kernels.turns_between(flat, steps, i, u, smooth, made.reshape(len(i), -1, 4))
    return made


def _rotations_reference(q: Floats, i: Ints, u: Floats, smooth: bool) -> Floats:
    u = u.reshape(-1, *([1] * (q.ndim - 2)))
    step = rotations.to_rotation_vector(rotations.multiply(rotations.conjugate(q[:-1]), q[1:]))
    if not smooth:
        turned = step[i] * u[..., None]
    else:
        # Body-frame turning rates at the frames: the mean of the steps before and after. At the end of a step the
        # rotation vector grows by J⁻¹ ω; ω lies close to the step, where J⁻¹ is the identity to second order.
        rate = np.concatenate([step[:1], _limited(step[:-1], step[1:]), step[-1:]])
        end = _inverse_right_jacobian(step[i], rate[i + 1])
        turned = _hermite(np.zeros_like(step[i]), step[i], rate[i], end, u[..., None])
    return rotations.multiply(q[i], rotations.from_rotation_vector(turned))


def _place(count: int, frames: ArrayLike) -> tuple[Ints, Floats]:
    """The frame before each fractional frame, and how far past it."""
    at = np.clip(floats(frames), 0.0, count - 1.0)
    i = np.minimum(np.floor(at).astype(np.intp), max(count - 2, 0))
    return i, at - i


def _tangents(v: Floats, i: Ints) -> tuple[Floats, Floats]:
    before, after = np.maximum(i - 1, 0), np.minimum(i + 2, len(v) - 1)
    inner_left = (i > 0).reshape(-1, *([1] * (v.ndim - 1)))
    inner_right = (i + 2 < len(v)).reshape(inner_left.shape)
    chord = v[i + 1] - v[i]
    left = np.where(inner_left, _limited(v[i] - v[before], chord), chord)
    right = np.where(inner_right, _limited(chord, v[after] - v[i + 1]), chord)
    return left, right


def _limited(before: Floats, after: Floats) -> Floats:
    """The mean of two steps, at most three times the shorter one.

    So a move that starts or stops dead is not overshot: a fist stays where it lands.
    """
    mean = 0.5 * (before + after)
    shorter = np.minimum(np.linalg.norm(before, axis=-1), np.linalg.norm(after, axis=-1))
    length = np.linalg.norm(mean, axis=-1)
    share = np.minimum(1.0, 3.0 * shorter / np.maximum(length, 1e-300))
    limited: Floats = mean * share[..., None]
    return limited


def _hermite(a: Floats, b: Floats, left: Floats, right: Floats, u: Floats) -> Floats:
    rise = b - a
    cubic: Floats = a + u * (left + u * (3.0 * rise - 2.0 * left - right + u * (left + right - 2.0 * rise)))
    return cubic


def _inverse_right_jacobian(vector: Floats, rate: Floats) -> Floats:
    """How a rotation vector changes while the body turns at ``rate`` in its own frame."""
    angle_squared = np.sum(vector * vector, axis=-1, keepdims=True)
    angle = np.sqrt(angle_squared)
    small = angle < 1e-3
    safe = np.where(small, 1.0, angle)
    factor = np.where(
        small,
        1.0 / 12.0 + angle_squared / 720.0,
        (1.0 - 0.5 * safe / np.tan(0.5 * np.minimum(safe, 3.1))) / (safe * safe),
    )
    across = np.cross(vector, rate)
    result: Floats = rate + 0.5 * across + factor * np.cross(vector, across)
    return result
