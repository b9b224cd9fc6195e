"""Interpolation along time: resampling of vectors and rotations, Catmull–Rom rows, monotone cubics through keys."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.maths import filters, rotations
from kinesphere.maths.compiled import jit, kernel
from kinesphere.maths.rotations import exponential_quaternion, quaternion_product, write_quaternion
from kinesphere.maths.vectors import ArrayLike, Floats, Ints, as_floats, cross, norms, smootherstep

# Resampling at fractional frames


@kernel
def resample_vectors(values: ArrayLike, frames: ArrayLike, *, smooth: bool = True) -> Floats:
    """Vectors ``(T, ..., D)`` at fractional ``frames`` ``(N,)``, held beyond the first and the last.

    ``smooth`` runs a cubic through the frames (Catmull–Rom, limited), so that speed does not jump from frame to
    frame; otherwise the path between two frames is straight. On a frame both give the frame itself.
    """
    v = as_floats(values)
    i, u = _frames_and_shares(len(v), frames)
    if len(v) == 1:
        return v[i]
    share = u.reshape(-1, *([1] * (v.ndim - 1)))
    if not smooth:
        return np.asarray(v[i] + share * (v[i + 1] - v[i]))
    return v[i] + _hermite(v[i + 1] - v[i], *_end_velocities(np.diff(v, axis=0), i), share)


@resample_vectors.compile_with
def _resample_vectors(values: ArrayLike, frames: ArrayLike, *, smooth: bool = True) -> Floats:
    v = as_floats(values)
    if len(v) == 1 or v.ndim < 2 or v.shape[-1] != 3:
        return resample_vectors.numpy(v, frames, smooth=smooth)
    i, u = _frames_and_shares(len(v), frames)
    made = np.empty((len(i), *v.shape[1:]))
    flat = rotations.read_only(v, len(v), -1, 3)
    resample_vectors_kernel(flat, i, u, smooth, made.reshape(len(i), -1, 3))
    return made


@kernel
def resample_rotations(quaternions: ArrayLike, frames: ArrayLike, *, smooth: bool = True) -> Floats:
    """Unit quaternions ``(T, ..., 4)`` at fractional ``frames`` ``(N,)``, held beyond the first and the last.

    ``smooth`` works on the rotation vector from the frame before: a cubic whose angular velocities at both ends are
    those of the neighbouring frames; otherwise it is a slerp.
    """
    q = as_floats(quaternions)
    i, u = _frames_and_shares(len(q), frames)
    if len(q) == 1:
        return q[i]
    share = u.reshape(-1, *([1] * (q.ndim - 1)))
    steps = rotations.to_rotation_vector(rotations.multiply(rotations.conjugate(q[:-1]), q[1:]))
    vector = steps[i]
    if smooth:
        left, right = _end_velocities(steps, i)
        vector = _hermite(vector, left, _inverse_right_jacobian(vector, right), share)
    else:
        vector = share * vector
    return rotations.multiply(q[i], rotations.from_rotation_vector(vector))


@resample_rotations.compile_with
def _resample_rotations(quaternions: ArrayLike, frames: ArrayLike, *, smooth: bool = True) -> Floats:
    q = as_floats(quaternions)
    i, u = _frames_and_shares(len(q), frames)
    if len(q) == 1:
        return q[i]
    flat = rotations.read_only(q, len(q), -1, 4)
    steps, made = np.empty((len(q) - 1, flat.shape[1], 3)), np.empty((len(i), *q.shape[1:]))
    rotation_steps_kernel(flat, steps)
    resample_rotations_kernel(flat, steps, i, u, smooth, made.reshape(len(i), -1, 4))
    return made


def _frames_and_shares(count: int, frames: ArrayLike) -> tuple[Ints, Floats]:
    """The frame before each fractional frame, and the share of the step after it."""
    at = np.clip(as_floats(frames), 0.0, count - 1.0)
    i = np.minimum(np.floor(at).astype(np.intp), max(count - 2, 0))
    return i, at - i


def _end_velocities(steps: Floats, i: Ints) -> tuple[Floats, Floats]:
    """Velocities ``(N, ...)``, a frame, at the start and the end of chosen steps of ``(T − 1, ..., D)``."""
    velocity = np.concatenate([steps[:1], _limited_mean(steps[:-1], steps[1:]), steps[-1:]])
    return velocity[i], velocity[i + 1]


def _limited_mean(before: Floats, after: Floats) -> Floats:
    """The mean of two steps, at most three times the shorter one.

    So a movement that starts or stops dead is not overshot: a fist stays where it lands.
    """
    mean = 0.5 * (before + after)
    if mean.ndim == 1:
        return _limited_mean(before[:, None], after[:, None])[:, 0]
    shorter = np.minimum(norms(before), norms(after))
    share = np.minimum(1.0, 3.0 * shorter / np.maximum(norms(mean), 1e-300))
    return np.asarray(mean * share[..., None])


def _hermite(rise: Floats, left: Floats, right: Floats, u: Floats) -> Floats:
    """A cubic from zero to ``rise`` with the velocities ``left`` and ``right``, at shares ``u``."""
    return np.asarray(u * (left + u * (3.0 * rise - 2.0 * left - right + u * (left + right - 2.0 * rise))))


def _inverse_right_jacobian(vector: Floats, rate: Floats) -> Floats:
    """The derivative of a rotation vector while the body rotates at ``rate`` in its own frame."""
    square = np.einsum("...i,...i->...", vector, vector)[..., None]
    angle = np.sqrt(square)
    small = angle < 1e-3
    safe = np.where(small, 1.0, angle)
    closed = (1.0 - 0.5 * safe / np.tan(0.5 * np.minimum(safe, 3.1))) / (safe * safe)
    factor = np.where(small, 1.0 / 12.0 + square / 720.0, closed)
    across = cross(vector, rate)
    return np.asarray(rate + 0.5 * across + factor * cross(vector, across))


@jit
def rotation_steps_kernel(quaternions, out):  # type: ignore[no-untyped-def]
    """Rotation vectors ``(T − 1, J, 3)`` along the shorter arc from each of ``(T, J, 4)`` to the next."""
    for i in range(quaternions.shape[0] - 1):
        for j in range(quaternions.shape[1]):
            a, b = quaternions[i, j], quaternions[i + 1, j]
            w, x, y, z = quaternion_product(a[0], -a[1], -a[2], -a[3], b[0], b[1], b[2], b[3])
            if w < 0.0:
                w, x, y, z = -w, -x, -y, -z
            sine = math.sqrt(x * x + y * y + z * z)
            factor = 2.0 * math.atan2(sine, w) / sine if sine > 1e-12 else 2.0
            out[i, j, 0], out[i, j, 1], out[i, j, 2] = factor * x, factor * y, factor * z


@jit
def resample_rotations_kernel(quaternions, steps, at, share, smooth, out):  # type: ignore[no-untyped-def]
    """Rotations ``(N, J, 4)`` past frames ``at`` by shares ``(N,)`` of the steps ``(T − 1, J, 3)``."""
    last = steps.shape[0] - 1
    for n in range(at.shape[0]):
        i, u = at[n], share[n]
        for j in range(quaternions.shape[1]):
            q, s = quaternions[i, j], steps[i, j]
            x, y, z = u * s[0], u * s[1], u * s[2]
            if smooth and u > 0.0:
                lx, ly, lz = s[0], s[1], s[2]
                rx, ry, rz = s[0], s[1], s[2]
                if i > 0:
                    p = steps[i - 1, j]
                    lx, ly, lz = limited_mean(p[0], p[1], p[2], s[0], s[1], s[2])
                if i < last:
                    p = steps[i + 1, j]
                    rx, ry, rz = limited_mean(s[0], s[1], s[2], p[0], p[1], p[2])
                rx, ry, rz = inverse_right_jacobian(s[0], s[1], s[2], rx, ry, rz)
                x, y, z = hermite_rise(s[0], lx, rx, u), hermite_rise(s[1], ly, ry, u), hermite_rise(s[2], lz, rz, u)
            w, x, y, z = exponential_quaternion(x, y, z)
            w, x, y, z = quaternion_product(q[0], q[1], q[2], q[3], w, x, y, z)
            write_quaternion(out, n, j, w, x, y, z)


@jit
def resample_vectors_kernel(values, at, share, smooth, out):  # type: ignore[no-untyped-def]
    """Vectors ``(N, M, 3)`` past frames ``at`` by shares ``(N,)`` of the steps of ``(T, M, 3)``."""
    last = values.shape[0] - 1
    for n in range(at.shape[0]):
        i, u = at[n], share[n]
        for j in range(values.shape[1]):
            a, b = values[i, j], values[i + 1, j]
            x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
            if smooth and u > 0.0:
                lx, ly, lz = x, y, z
                rx, ry, rz = x, y, z
                if i > 0:
                    p = values[i - 1, j]
                    lx, ly, lz = limited_mean(a[0] - p[0], a[1] - p[1], a[2] - p[2], x, y, z)
                if i + 1 < last:
                    p = values[i + 2, j]
                    rx, ry, rz = limited_mean(x, y, z, p[0] - b[0], p[1] - b[1], p[2] - b[2])
                x, y, z = hermite_rise(x, lx, rx, u), hermite_rise(y, ly, ry, u), hermite_rise(z, lz, rz, u)
            else:
                x, y, z = u * x, u * y, u * z
            out[n, j, 0], out[n, j, 1], out[n, j, 2] = a[0] + x, a[1] + y, a[2] + z


@jit
def limited_mean(ax, ay, az, bx, by, bz):  # type: ignore[no-untyped-def]
    """The mean of two steps, at most three times the shorter one."""
    x, y, z = 0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * (az + bz)
    shorter = math.sqrt(min(ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz))
    length = math.sqrt(x * x + y * y + z * z)
    share = min(1.0, 3.0 * shorter / max(length, 1e-300))
    return share * x, share * y, share * z


@jit
def hermite_rise(rise, left, right, u):  # type: ignore[no-untyped-def]
    """A cubic from zero to ``rise`` with the velocities ``left`` and ``right``, at share ``u``."""
    return u * (left + u * (3.0 * rise - 2.0 * left - right + u * (left + right - 2.0 * rise)))


@jit
def inverse_right_jacobian(x, y, z, rx, ry, rz):  # type: ignore[no-untyped-def]
    """The derivative of a rotation vector while the body rotates at a rate in its own frame."""
    square = x * x + y * y + z * z
    angle = math.sqrt(square)
    if angle < 1e-3:
        factor = 1.0 / 12.0 + square / 720.0
    else:
        factor = (1.0 - 0.5 * angle / math.tan(0.5 * min(angle, 3.1))) / square
    cx, cy, cz = y * rz - z * ry, z * rx - x * rz, x * ry - y * rx
    dx, dy, dz = y * cz - z * cy, z * cx - x * cz, x * cy - y * cx
    return rx + 0.5 * cx + factor * dx, ry + 0.5 * cy + factor * dy, rz + 0.5 * cz + factor * dz


# Rows of a table between its rows


def cubic_rows_at(table: Floats, places: Floats, loop: bool = False) -> Floats:
    """Rows ``(F, ...)`` of a table ``(N, ...)`` at fractional row numbers ``(F,)``, by Catmull–Rom cubics.

    A whole number gives that row. Beyond the ends the last row is held, or where ``loop`` is true the table repeats,
    its last row being the first again.
    """
    flat = rotations.read_only(table, len(table), -1)
    out = np.empty((len(places), flat.shape[1]))
    cubic_rows_kernel(flat, rotations.read_only(places, -1), loop, out)
    return out.reshape(len(places), *table.shape[1:])


@jit
def cubic_rows_kernel(table, places, loop, out):  # type: ignore[no-untyped-def]
    """Rows ``(F, C)`` of a table ``(N, C)`` at fractional row numbers ``(F,)``."""
    last = table.shape[0] - 1
    period = max(last, 1)
    for i in range(places.shape[0]):
        whole = math.floor(places[i])
        u = places[i] - whole
        if loop:
            p, q, r, s = (whole - 1) % period, whole % period, (whole + 1) % period, (whole + 2) % period
        else:
            p, q = min(max(whole - 1, 0), last), min(max(whole, 0), last)
            r, s = min(max(whole + 1, 0), last), min(max(whole + 2, 0), last)
        for k in range(table.shape[1]):
            a, b, c, d = table[p, k], table[q, k], table[r, k], table[s, k]
            out[i, k] = b + 0.5 * u * (c - a + u * (2.0 * a - 5.0 * b + 4.0 * c - d + u * (3.0 * (b - c) + d - a)))


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
