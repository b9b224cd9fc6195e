"""Rows of a table between its rows: by cubics through four of them (Catmull and Rom's), held at the ends or round."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.maths import compiled, rotations
from kinesphere.maths.compiled import compile_exact, compile_kernel
from kinesphere.maths.rotations import exponential_quaternion, quaternion_product
from kinesphere.maths.vectors import ArrayLike, Floats, Ints, as_floats, clip, smootherstep


def cubic_rows_at(table: Floats, places: Floats, loop: bool = False) -> Floats:
    """Rows ``(F, ...)`` of a table ``(N, ...)`` at places ``(F,)`` counted in rows.

    Places between rows are met by a cubic; at a whole place it is that row. Beyond the ends the last row is held, or
    where ``loop`` is true it goes round, the last row being the first again.
    """
    kernels = compiled.loaded(len(places) * max(table[0].size, 1))
    if kernels is None:
        return cubic_rows_at_reference(table, places, loop)
    flat = np.ascontiguousarray(table).reshape(len(table), -1)
    out = np.empty((len(places), flat.shape[1]))
    kernels.cubic_rows(flat, np.ascontiguousarray(places), loop, out)
    return out.reshape(len(places), *table.shape[1:])


def cubic_rows_at_reference(table: Floats, places: Floats, loop: bool) -> Floats:
    """The same in plain NumPy."""
    whole = np.floor(places).astype(np.intp)
    u = (places - whole).reshape((-1,) + (1,) * (table.ndim - 1))
    at = whole[:, None] + np.arange(-1, 3)
    at = np.mod(at, max(len(table) - 1, 1)) if loop else clip(at, 0, len(table) - 1)
    a, b, c, d = (table[at[:, i]] for i in range(4))
    return np.asarray(b + 0.5 * u * (c - a + u * (2.0 * a - 5.0 * b + 4.0 * c - d + u * (3.0 * (b - c) + d - a))))


# ---- Compiled rows between rows. Import this only through ``compiled``.


@compile_exact
def cubic_rows_kernel(table, places, loop, out):  # type: ignore[no-untyped-def]
    """Rows (F, C) of a table (N, C) at places (F,); see ``rows.rows_at``."""
    last = table.shape[0] - 1
    around = max(last, 1)
    for i in range(places.shape[0]):
        whole = math.floor(places[i])
        u = places[i] - whole
        if loop:
            p, q, r, s = (whole - 1) % around, whole % around, (whole + 1) % around, (whole + 2) % around
        else:
            p, q = min(max(whole - 1, 0), last), min(max(whole, 0), last)
            r, s = min(max(whole + 1, 0), last), min(max(whole + 2, 0), last)
        for k in range(table.shape[1]):
            a, b, c, d = table[p, k], table[q, k], table[r, k], table[s, k]
            out[i, k] = b + 0.5 * u * (c - a + u * (2.0 * a - 5.0 * b + 4.0 * c - d + u * (3.0 * (b - c) + d - a)))


@compile_exact
def smooth_rows_kernel(table, starts, counts, loops, weights, out):  # type: ignore[no-untyped-def]
    """Rows (F, C) weighted with their neighbours (2 R + 1,), within each stretch; see ``spans.Spans.rounded``."""
    reach = (len(weights) - 1) // 2
    width = table.shape[1]
    for s in range(len(starts)):
        first, count = starts[s], counts[s]
        around = max(count - 1, 1)
        for i in range(count):
            for c in range(width):
                out[first + i, c] = 0.0
            for k in range(len(weights)):
                at = i + k - reach
                at = at % around if loops[s] else min(max(at, 0), count - 1)
                weight = weights[k]
                for c in range(width):
                    out[first + i, c] += weight * table[first + at, c]


@compile_exact
def delayed_rows_kernel(table, starts, counts, loops, whole, share, out):  # type: ignore[no-untyped-def]
    """Rows (F, C) some frames on, between two of them, within each stretch; see ``spans.Spans.delayed``."""
    for s in range(len(starts)):
        first, count = starts[s], counts[s]
        around = max(count - 1, 1)
        for i in range(count):
            a, b = i + whole, i + whole + 1
            if loops[s]:
                a, b = a % around, b % around
            else:
                a, b = min(max(a, 0), count - 1), min(max(b, 0), count - 1)
            for c in range(table.shape[1]):
                out[first + i, c] = (1.0 - share) * table[first + a, c] + share * table[first + b, c]


@compile_exact
def path_rows_kernel(  # type: ignore[no-untyped-def]
    stroke, share, first, last, leaving, arriving, reached, start, length, behind, ahead, final, parts, out
):
    """Places (F, D) on paths; see ``paths.Paths.at``."""
    end = len(reached) - 1
    for i in range(len(stroke)):
        s = stroke[i]
        inside = min(max(share[i], 0.0), 1.0)
        beyond = (share[i] - inside) * length[s]
        far = start[s] + inside * length[s]
        low, high = 0, end
        while high - low > 1:
            middle = (low + high) // 2
            if reached[middle] <= far:
                low = middle
            else:
                high = middle
        if far >= reached[end]:
            place = float(end)
        else:
            place = low + max(far - reached[low], 0.0) / (reached[low + 1] - reached[low])
        segment = min(int(place / parts), final[s])  # a goal belongs to the stroke that ends there as well
        u = place / parts - segment
        v = 1.0 - u
        a, b, c, d = (1.0 + 2.0 * u) * v * v, u * u * (3.0 - 2.0 * u), u * v * v, -u * v * u
        for k in range(first.shape[1]):
            at = a * first[segment, k] + b * last[segment, k] + c * leaving[segment, k] + d * arriving[segment, k]
            if beyond < 0.0:
                at += beyond * behind[s, k]
            elif beyond > 0.0:
                at += beyond * ahead[s, k]
            out[i, k] = at


# ---- Values at new times between frames.


def resample_vectors(values: ArrayLike, frames: ArrayLike, *, smooth: bool = True) -> Floats:
    """Vectors ``(T, ...)`` at fractional ``frames`` ``(N,)``, held beyond the first and the last.

    ``smooth`` runs a cubic through the frames (Catmull–Rom, limited), so that speed does not jump from frame to
    frame; otherwise the way between two frames is straight. On a frame both give the frame itself.
    """
    v = as_floats(values)
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
    q = as_floats(quaternions)
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
    at = np.clip(as_floats(frames), 0.0, count - 1.0)
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


# ---- Compiled resampling. Import this only through ``compiled``.


@compile_kernel
def rotation_steps_kernel(turns, out):  # type: ignore[no-untyped-def]
    """Rotation vectors (T − 1, J, 3) of the shorter way from each of turns (T, J, 4) to the next."""
    for i in range(turns.shape[0] - 1):
        for j in range(turns.shape[1]):
            a, b = turns[i, j], turns[i + 1, j]
            w, x, y, z = quaternion_product(a[0], -a[1], -a[2], -a[3], b[0], b[1], b[2], b[3])
            if w < 0.0:
                w, x, y, z = -w, -x, -y, -z
            sine = math.sqrt(x * x + y * y + z * z)
            share = 2.0 * math.atan2(sine, w) / sine if sine > 1e-12 else 2.0
            out[i, j, 0], out[i, j, 1], out[i, j, 2] = share * x, share * y, share * z


@compile_kernel
def interpolate_rotations_kernel(turns, steps, at, share, smooth, out):  # type: ignore[no-untyped-def]
    """Turns (N, J, 4) past frames ``at`` by shares (N,); see ``resampling.resample_rotations``."""
    last = steps.shape[0] - 1
    for n in range(at.shape[0]):
        i, u = at[n], share[n]
        for j in range(turns.shape[1]):
            q, s = turns[i, j], steps[i, j]
            x, y, z = u * s[0], u * s[1], u * s[2]
            if smooth and u > 0.0:
                lx, ly, lz = s[0], s[1], s[2]
                rx, ry, rz = s[0], s[1], s[2]
                if i > 0:
                    p = steps[i - 1, j]
                    lx, ly, lz = _limited_kernel(p[0], p[1], p[2], s[0], s[1], s[2])
                if i < last:
                    p = steps[i + 1, j]
                    rx, ry, rz = _limited_kernel(s[0], s[1], s[2], p[0], p[1], p[2])
                rx, ry, rz = _at_the_end(s[0], s[1], s[2], rx, ry, rz)
                x, y, z = _cubic(s[0], lx, rx, u), _cubic(s[1], ly, ry, u), _cubic(s[2], lz, rz, u)
            w, x, y, z = exponential_quaternion(x, y, z)
            w, x, y, z = quaternion_product(q[0], q[1], q[2], q[3], w, x, y, z)
            out[n, j, 0], out[n, j, 1], out[n, j, 2], out[n, j, 3] = w, x, y, z


@compile_kernel
def interpolate_vectors_kernel(places, at, share, smooth, out):  # type: ignore[no-untyped-def]
    """Places (N, M, 3) past frames ``at`` by shares (N,) of places (T, M, 3); see ``resampling.resample_vectors``."""
    last = places.shape[0] - 1
    for n in range(at.shape[0]):
        i, u = at[n], share[n]
        for j in range(places.shape[1]):
            a, b = places[i, j], places[i + 1, j]
            x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
            if smooth and u > 0.0:
                lx, ly, lz = x, y, z
                rx, ry, rz = x, y, z
                if i > 0:
                    p = places[i - 1, j]
                    lx, ly, lz = _limited_kernel(a[0] - p[0], a[1] - p[1], a[2] - p[2], x, y, z)
                if i + 1 < last:
                    p = places[i + 2, j]
                    rx, ry, rz = _limited_kernel(x, y, z, p[0] - b[0], p[1] - b[1], p[2] - b[2])
                x, y, z = _cubic(x, lx, rx, u), _cubic(y, ly, ry, u), _cubic(z, lz, rz, u)
            else:
                x, y, z = u * x, u * y, u * z
            out[n, j, 0], out[n, j, 1], out[n, j, 2] = a[0] + x, a[1] + y, a[2] + z


@compile_kernel
def _limited_kernel(ax, ay, az, bx, by, bz):  # type: ignore[no-untyped-def]
    """The mean of two steps, at most three times the shorter one."""
    x, y, z = 0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * (az + bz)
    shorter = math.sqrt(min(ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz))
    length = math.sqrt(x * x + y * y + z * z)
    share = min(1.0, 3.0 * shorter / max(length, 1e-300))
    return share * x, share * y, share * z


@compile_kernel
def _cubic(rise, left, right, u):  # type: ignore[no-untyped-def]
    return u * (left + u * (3.0 * rise - 2.0 * left - right + u * (left + right - 2.0 * rise)))


@compile_kernel
def _at_the_end(x, y, z, rx, ry, rz):  # type: ignore[no-untyped-def]
    """How a rotation vector changes while the body turns at a rate in its own frame."""
    square = x * x + y * y + z * z
    angle = math.sqrt(square)
    if angle < 1e-3:
        factor = 1.0 / 12.0 + square / 720.0
    else:
        factor = (1.0 - 0.5 * angle / math.tan(0.5 * min(angle, 3.1))) / square
    cx, cy, cz = y * rz - z * ry, z * rx - x * rz, x * ry - y * rx
    dx, dy, dz = y * cz - z * cy, z * cx - x * cz, x * cy - y * cx
    return rx + 0.5 * cx + factor * dx, ry + 0.5 * cy + factor * dy, rz + 0.5 * cz + factor * dz


# ---- Curves through keys, without corners: monotone cubics, rounded by a narrow Gaussian.


ROUND = 0.035  # seconds: the Gaussian's σ


def monotone_cubic(times: ArrayLike, values: ArrayLike, at: Floats, period: float | None = None) -> Floats:
    """A monotone cubic (Fritsch and Butland's slopes) through ``values (N,)``, held outside, or periodic."""
    t, v = as_floats(times), as_floats(values)
    if period is not None:
        at = np.mod(at, period)
        inner = t < period - 1e-9  # a key at the very end would repeat the first
        t, v = t[inner], v[inner]
        count = len(t)
        t = np.concatenate([t - period, t, t + period])
        v = np.tile(v, 3)
        if count == 1:
            return np.full(at.shape, v[0])
    if len(t) == 1:
        return np.full(at.shape, v[0])
    step, slope = np.diff(t), np.diff(v) / np.diff(t)
    tangent = np.zeros(len(t))
    same = slope[:-1] * slope[1:] > 0.0
    weights = (step[1:] + 2.0 * step[:-1]), (2.0 * step[1:] + step[:-1])
    safe = np.where(same, slope[:-1], 1.0), np.where(same, slope[1:], 1.0)
    mean = 3.0 * (step[:-1] + step[1:]) / (weights[1] / safe[0] + weights[0] / safe[1])
    tangent[1:-1] = np.where(same, mean, 0.0)
    inside = np.clip(at, t[0], t[-1])
    i = np.clip(np.searchsorted(t, inside, side="right") - 1, 0, len(t) - 2)
    h = step[i]
    u = (inside - t[i]) / h
    w = 1.0 - u
    curve: Floats = (1.0 + 2.0 * u) * w**2 * v[i] + u**2 * (3.0 - 2.0 * u) * v[i + 1]
    return curve + h * u * w * (w * tangent[i] - u * tangent[i + 1])


def gaussian(values: Floats, rate: float, seconds: float = ROUND, loop: bool = False) -> Floats:
    """The values ``(T, ...)`` through a Gaussian in time. A loop's last frame is its first again."""
    reach = int(np.ceil(4.0 * seconds * rate))
    if reach == 0 or len(values) < 2:
        return values.copy()
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (seconds * rate)) ** 2)
    weights /= weights.sum()
    flat = values.reshape(len(values), -1)
    if loop:
        index = np.arange(-reach, len(values) + reach) % (len(values) - 1)
        padded = flat[index]
    else:
        padded = np.concatenate([np.repeat(flat[:1], reach, axis=0), flat, np.repeat(flat[-1:], reach, axis=0)])
    columns = [np.convolve(column, weights, mode="valid") for column in padded.T]
    return np.stack(columns, axis=1).reshape(values.shape)


def delay(values: Floats, rate: float, seconds: float, loop: bool = False) -> Floats:
    """The values ``(T,)`` a little later; before zero, earlier."""
    frames = np.arange(len(values)) - seconds * rate
    if loop:
        frames = np.mod(frames, len(values) - 1)
    later: Floats = np.interp(frames, np.arange(len(values)), values)
    return later


def ramp(at: Floats, start: float, end: float) -> Floats:
    """From 0 at ``start`` to 1 at ``end``, without a corner or a jolt."""
    return np.asarray(smootherstep((at - start) / (end - start)), dtype=np.float64)
