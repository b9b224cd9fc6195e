"""Interpolation along time: resampling of vectors and rotations, Catmull–Rom rows, monotone cubics through keys."""

from __future__ import annotations

import math

import numpy as np

from kinesphere import _native
from kinesphere.maths import filters
from kinesphere.maths.vectors import ArrayLike, Floats, Ints, as_floats, smootherstep

# Resampling at fractional frames


def resample_vectors(values: ArrayLike, frames: ArrayLike, *, smooth: bool = True) -> Floats:
    """Vectors ``(T, ..., D)`` at fractional ``frames`` ``(N,)``, held beyond the first and the last.

    ``smooth`` runs a cubic through the frames (Catmull–Rom), so that speed does not jump from frame to frame; otherwise
    the path between two frames is straight. On a frame both give the frame itself. Velocity at a frame is the mean of
    the steps before and after it, at most three times the shorter one: so a movement that starts or stops dead is not
    overshot, and a fist stays where it lands.
    """
    v = as_floats(values)
    i, u = _frames_and_shares(len(v), frames)
    if len(v) == 1:
        return v[i]
    made = np.empty((len(i), *v.shape[1:]))
    size = (math.prod(v.shape[1:-1]), v.shape[-1] if v.ndim > 1 else 1)
    flat = np.ascontiguousarray(v).reshape(len(v), *size)
    _native.interpolation.resample_vectors(flat, i, u, smooth, made.reshape(len(i), *size))
    return made


def resample_rotations(quaternions: ArrayLike, frames: ArrayLike, *, smooth: bool = True) -> Floats:
    """Unit quaternions ``(T, ..., 4)`` at fractional ``frames`` ``(N,)``, held beyond the first and the last.

    ``smooth`` works on the rotation vector from the frame before: a cubic whose angular velocities at both ends are
    those of the neighbouring frames; otherwise it is a slerp.
    """
    q = as_floats(quaternions)
    i, u = _frames_and_shares(len(q), frames)
    if len(q) == 1:
        return q[i]
    made = np.empty((len(i), *q.shape[1:]))
    joints = math.prod(q.shape[1:-1])
    flat = np.ascontiguousarray(q).reshape(len(q), joints, 4)
    steps = rotation_steps(flat)
    _native.interpolation.resample_rotations(flat, steps, i, u, smooth, made.reshape(len(i), joints, 4))
    return made


def rotation_steps(quaternions: Floats) -> Floats:
    """Rotation vectors ``(T − 1, J, 3)`` along the shorter arc from each of ``(T, J, 4)`` to the next."""
    steps = np.empty((len(quaternions) - 1, quaternions.shape[1], 3))
    _native.interpolation.rotation_steps(np.ascontiguousarray(quaternions), steps)
    return steps


def rotation_cubics(steps: Floats) -> Floats:
    """``(T − 1, J, 3, 3)`` of ``rotation_steps``: each one, and how fast it begins and ends.

    They are what ``resample_rotations`` goes by; ``resample_cubics`` has them ready.
    """
    cubics = np.empty((*steps.shape, 3))
    _native.interpolation.rotation_cubics(np.ascontiguousarray(steps), cubics)
    return cubics


def resample_cubics(quaternions: Floats, cubics: Floats, frames: Floats, joints: Ints, into: Ints, out: Floats) -> None:
    """Some joints ``(K,)`` of ``(T, J, 4)`` at fractional frames ``(N,)``, as ``resample_rotations``.

    They are written into columns ``into (K,)`` of ``out (N, C, 4)``.
    """
    i, u = _frames_and_shares(len(quaternions), frames)
    _native.interpolation.resample_cubics(quaternions, cubics, joints, i, u, into, out)


def _frames_and_shares(count: int, frames: ArrayLike) -> tuple[Ints, Floats]:
    """The frame before each fractional frame, and the share of the step after it."""
    at = np.clip(as_floats(frames), 0.0, count - 1.0)
    i = np.minimum(np.floor(at).astype(np.intp), max(count - 2, 0))
    return i, at - i


# Rows of a table between its rows


def cubic_rows_at(table: Floats, places: Floats, loop: bool = False) -> Floats:
    """Rows ``(F, ...)`` of a table ``(N, ...)`` at fractional row numbers ``(F,)``, by Catmull–Rom cubics.

    A whole number gives that row. Beyond the ends the last row is held, or where ``loop`` is true the table repeats,
    its last row being the first again.
    """
    flat = np.ascontiguousarray(table, dtype=np.float64).reshape(len(table), -1)
    out = np.empty((len(places), flat.shape[1]))
    _native.interpolation.cubic_rows(flat, np.ascontiguousarray(places, dtype=np.float64), loop, out)
    return out.reshape(len(places), *table.shape[1:])


# Curves through keys


ROUND = 0.035  # seconds: the σ of a Gaussian that rounds corners


def monotone_slopes(x: Floats, y: Floats, *, flat_ends: bool = False) -> Floats:
    """Slopes ``(N,)`` that keep a cubic through points monotone between them (Fritsch and Butland 1984).

    Within, weighted harmonic means of the slopes on both sides, or zero at a turning point. At the ends zero if
    ``flat_ends``, else one-sided parabolas, held between 0.2 and 3 times the slope of the end segment: so a clock that
    increases never stops.
    """
    h, d = np.diff(x), np.diff(y) / np.diff(x)
    slopes = np.zeros(len(x))
    same = d[:-1] * d[1:] > 0.0
    before, after = np.where(same, d[:-1], 1.0), np.where(same, d[1:], 1.0)
    weight_before, weight_after = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    mean = (weight_before + weight_after) / (weight_before / before + weight_after / after)
    slopes[1:-1] = np.where(same, mean, 0.0)
    if flat_ends or len(x) < 2:
        return slopes
    if len(x) == 2:
        return np.array([d[0], d[0]])
    for end, near, next_ in ((0, 0, 1), (-1, -1, -2)):
        slope = ((2.0 * h[near] + h[next_]) * d[near] - h[near] * d[next_]) / (h[near] + h[next_])
        slopes[end] = np.clip(slope, *sorted((0.2 * d[near], 3.0 * d[near])))
    return slopes


def monotone_cubic(times: ArrayLike, values: ArrayLike, at: Floats, period: float | None = None) -> Floats:
    """A monotone cubic (Fritsch and Butland's slopes) through ``values (N,)``, held outside, or periodic."""
    t, v = as_floats(times), as_floats(values)
    if period is not None:
        at = np.mod(at, period)
        inner = t < period - 1e-9  # a key at the very end would repeat the first
        t, v = t[inner], v[inner]
        t, v = np.concatenate([t - period, t, t + period]), np.tile(v, 3)
    if len(t) == 1:
        return np.full(at.shape, v[0])
    slopes = monotone_slopes(t, v, flat_ends=True)
    inside = np.clip(at, t[0], t[-1])
    i = np.clip(np.searchsorted(t, inside, side="right") - 1, 0, len(t) - 2)
    h = t[i + 1] - t[i]
    u = (inside - t[i]) / h
    w = 1.0 - u
    curve: Floats = (1.0 + 2.0 * u) * w**2 * v[i] + u**2 * (3.0 - 2.0 * u) * v[i + 1]
    return curve + h * u * w * (w * slopes[i] - u * slopes[i + 1])


def gaussian(values: Floats, rate: float, seconds: float = ROUND, loop: bool = False) -> Floats:
    """The values ``(T, ...)`` through a Gaussian of so many seconds. A loop's last frame is its first again."""
    return filters.gaussian(values, seconds * rate, ends="wrap" if loop else "hold")


def ramp(at: Floats, start: float, end: float) -> Floats:
    """From 0 at ``start`` to 1 at ``end``, without a corner or a jolt."""
    return np.asarray(smootherstep((at - start) / (end - start)), dtype=np.float64)
