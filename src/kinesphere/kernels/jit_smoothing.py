"""Compiled smoothing. Import this only through ``compiled``.

All loops run over frames without, over curves within, so that several curves are worked at once.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_terms import compile_kernel
from kinesphere.kernels.smoothing import DRIFT, EASE, HISS, LEFT, MOVING, ROUNDS, START_OF, STIR, SURGE, WAVES


@compile_kernel
def calm(table, settings, made):  # type: ignore[no-untyped-def]
    """Curves (T, C) of one limb without their noise; see ``smoothing.calmed_reference``."""
    frames, columns = table.shape
    centre = np.zeros(columns)
    for t in range(frames):
        for c in range(columns):
            centre[c] += table[t, c] / frames
    turned, smooth = np.empty((frames, columns)), np.empty((frames, columns))
    for t in range(frames):
        for c in range(columns):
            turned[t, c] = table[t, c] - centre[c]
    work, q = np.zeros((3, frames + 2, columns)), np.full((frames - 2, columns), settings[3])
    _spline(turned, q, work, smooth)
    axes = _movement_axes(smooth, MOVING * LEFT * math.sqrt(math.sqrt(settings[3])))
    _through(turned, axes, smooth)
    _calm_axes(smooth, settings, q, work, turned)
    _through(turned, axes.T.copy(), made)
    for t in range(frames):
        for c in range(columns):
            made[t, c] += centre[c]


@compile_kernel
def _through(table, axes, made):  # type: ignore[no-untyped-def]
    """A table (T, C) times axes (C, C): without BLAS, whose threads wait for others on a busy machine."""
    made[:] = 0.0
    for t in range(table.shape[0]):
        for k in range(table.shape[1]):
            value = table[t, k]
            for c in range(table.shape[1]):
                made[t, c] += value * axes[k, c]


@compile_kernel
def _movement_axes(smooth, floor):  # type: ignore[no-untyped-def]
    """Axes (C, C) along which curves (T, C) move; see ``smoothing.movement_axes``."""
    frames, columns = smooth.shape
    mean, shared = np.zeros(columns), np.zeros((columns, columns))
    for t in range(frames):
        for c in range(columns):
            mean[c] += smooth[t, c] / frames
    row = np.empty(columns)
    for t in range(frames):
        for c in range(columns):
            row[c] = smooth[t, c] - mean[c]
        for k in range(columns):
            for c in range(k + 1):
                shared[k, c] += row[k] * row[c] / frames
    for k in range(columns):
        for c in range(k):
            shared[c, k] = shared[k, c]
    axes = np.eye(columns)
    for joint in range(columns // 3):
        _align(shared, axes, np.arange(3 * joint, 3 * joint + 3))
    _align(shared, axes, np.flatnonzero(np.diag(shared) > floor))
    return axes


@compile_kernel
def _align(shared, axes, members):  # type: ignore[no-untyped-def]
    """Turn the axes of some members until nothing is shared between them (Jacobi's method), in place."""
    for _ in range(30):
        left, all_ = 0.0, 0.0
        for a in members:
            for b in members:
                all_ += shared[a, b] ** 2
                left += shared[a, b] ** 2 if a != b else 0.0
        if left <= 1e-28 * all_:
            return
        for m in range(members.size):
            for n in range(m + 1, members.size):
                a, b = members[m], members[n]
                if shared[a, b] == 0.0:
                    continue
                slope = (shared[b, b] - shared[a, a]) / (2.0 * shared[a, b])
                tangent = math.copysign(1.0, slope) / (abs(slope) + math.sqrt(slope * slope + 1.0))
                cosine = 1.0 / math.sqrt(tangent * tangent + 1.0)
                sine = tangent * cosine
                for c in range(shared.shape[0]):
                    x, y = shared[a, c], shared[b, c]
                    shared[a, c], shared[b, c] = cosine * x - sine * y, sine * x + cosine * y
                for c in range(shared.shape[0]):
                    x, y = shared[c, a], shared[c, b]
                    shared[c, a], shared[c, b] = cosine * x - sine * y, sine * x + cosine * y
                    x, y = axes[c, a], axes[c, b]
                    axes[c, a], axes[c, b] = cosine * x - sine * y, sine * x + cosine * y


@compile_kernel
def _calm_axes(table, settings, q, work, made):  # type: ignore[no-untyped-def]
    """Curves (T, C) along the axes of their movement; see ``smoothing.calmed_axes``."""
    guess, slow, least, long = settings[0], settings[1], settings[2], settings[4]
    frames, columns = table.shape
    q[:] = slow
    _spline(table, q, work, made)
    rest = np.zeros(columns, dtype=np.bool_)
    for c in range(columns):
        mean = made[:, c].mean()
        rest[c] = ((made[:, c] - mean) ** 2).mean() < DRIFT * LEFT * math.sqrt(math.sqrt(slow))
    q[:] = guess
    _spline(table, q, work, made)
    energy = np.empty((frames - 2, columns))
    _bend(made, energy)
    _stirred(energy, HISS * guess * math.sqrt(math.sqrt(guess)), long, rest)
    live = np.flatnonzero(~rest)
    if live.size < columns:
        q[:] = least
        _spline(table, q, work, made)
    if live.size == 0:
        return
    some = np.empty((frames, live.size))
    for t in range(frames):
        for c in range(live.size):
            some[t, c] = table[t, live[c]]
    calm_ones = _find_calm(some, settings)
    for t in range(frames):
        for c in range(live.size):
            made[t, live[c]] = calm_ones[t, c]


@compile_kernel
def _find_calm(table, settings):  # type: ignore[no-untyped-def]
    """Curves (T, C) that move, without noise: their variances and they themselves by turns."""
    guess, least, long, short = settings[0], settings[2], settings[4], settings[5]
    frames, columns = table.shape
    work, made = np.zeros((3, frames + 2, columns)), np.empty((frames, columns))
    q, energy = np.full((frames - 2, columns), guess), np.empty((frames - 2, columns))
    together = np.empty((frames - 2, 1))
    for _ in range(ROUNDS):
        _spline(table, q, work, made)
        _bend(made, energy)
        for t in range(frames - 2):
            total = 0.0
            for c in range(columns):
                energy[t, c] -= HISS * q[t, c] * math.sqrt(math.sqrt(q[t, c]))
                total += energy[t, c]
            together[t, 0] = total
        _average(together, short)
        _average(energy, long)
        for t in range(frames - 2):
            total = 0.0
            for c in range(columns):
                energy[t, c] = max(energy[t, c], 0.0)
                total += energy[t, c]
            surge = min(max(together[t, 0], 0.0) / max(total, 1e-300), SURGE) / WAVES
            for c in range(columns):
                found = energy[t, c] * surge
                q[t, c] = min(max(EASE * math.sqrt(found * math.sqrt(found)), least), 16.0)
    _spline(table, q, work, made)
    return made


@compile_kernel
def _bend(curves, energy):  # type: ignore[no-untyped-def]
    """Squares (T − 2, C) of second differences."""
    for t in range(energy.shape[0]):
        for c in range(energy.shape[1]):
            bend = curves[t, c] - 2.0 * curves[t + 1, c] + curves[t + 2, c]
            energy[t, c] = bend * bend


@compile_kernel
def _stirred(energy, hiss, long, rest):  # type: ignore[no-untyped-def]
    """Curves whose energy (T, C) is more than noise's, in all or at a moment, are not at rest (C,)."""
    averages = energy.copy()
    _average(averages, long)
    for c in range(energy.shape[1]):
        if energy[:, c].mean() >= STIR * hiss or averages[:, c].max() >= START_OF * hiss:
            rest[c] = False


@compile_kernel
def _average(values, keep):  # type: ignore[no-untyped-def]
    """Exponential averages both ways of values (T, C), in place; see ``smoothing.averaged``."""
    frames, columns = values.shape
    forwards = np.empty((frames, columns))
    past, share = values[0].copy(), 1.0 - keep
    for t in range(frames):
        for c in range(columns):
            past[c] = keep * past[c] + share * values[t, c]
            forwards[t, c] = past[c]
    past[:] = values[frames - 1]
    for t in range(frames - 1, -1, -1):
        for c in range(columns):
            here = values[t, c]
            past[c] = keep * past[c] + share * here
            values[t, c] = (forwards[t, c] + past[c] - share * here) / (1.0 + keep)


@compile_kernel
def _spline(table, q, work, made):  # type: ignore[no-untyped-def]
    """The smoothing spline of a table (T, C) for variances (T − 2, C); ``work`` (3, T + 2, C) starts with two zeros."""
    frames, columns = table.shape
    pivot, one, two = work[0], work[1], work[2]
    for t in range(frames):
        first, second, third = t >= 2, 1 <= t < frames - 1, t < frames - 2
        for c in range(columns):
            before = 1.0 / q[t - 2, c] if first else 0.0
            here = 1.0 / q[t - 1, c] if second else 0.0
            after = 1.0 / q[t, c] if third else 0.0
            held = one[t + 1, c] * pivot[t + 1, c]
            a = 1.0 + before + 4.0 * here + after - one[t + 1, c] * held - two[t, c] * two[t, c] * pivot[t, c]
            pivot[t + 2, c] = a
            one[t + 2, c] = (-2.0 * (here + after) - held * two[t + 1, c]) / a
            two[t + 2, c] = after / a
    for t in range(frames):
        for c in range(columns):
            value = table[t, c]
            if t >= 1:
                value -= one[t + 1, c] * made[t - 1, c]
            if t >= 2:
                value -= two[t, c] * made[t - 2, c]
            made[t, c] = value
    for t in range(frames - 1, -1, -1):
        for c in range(columns):
            value = made[t, c] / pivot[t + 2, c]
            if t + 1 < frames:
                value -= one[t + 2, c] * made[t + 1, c]
            if t + 2 < frames:
                value -= two[t + 2, c] * made[t + 2, c]
            made[t, c] = value
