"""Compiled smoothing. Import this only through ``compiled``.

All loops run over frames without, over curves within, so that several curves are worked at once.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_terms import compile_kernel


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
    work, stiff = np.zeros((3, frames + 2, columns)), np.zeros((frames + 2, columns))
    stiff[2:-2] = 1.0 / settings.axes
    _spline(turned, stiff, work, smooth)
    axes = _movement_axes(smooth, settings.together)
    _through(turned, axes, smooth)
    _calm_axes(smooth, settings, stiff, work, turned)
    _through(turned, axes.T.copy(), made)
    for t in range(frames):
        for c in range(columns):
            smooth[t, c] = made[t, c] + centre[c] - table[t, c]
            turned[t, c] = smooth[t, c] * smooth[t, c]
    _average(turned, settings.long)
    for t in range(frames):
        for c in range(columns):
            made[t, c] = table[t, c] + smooth[t, c] * settings.more / max(math.sqrt(turned[t, c]), settings.more)


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
            value, sums = row[k], shared[k]
            for c in range(columns):
                sums[c] += value * row[c]
    shared /= frames
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
def _calm_axes(table, settings, stiff, work, made):  # type: ignore[no-untyped-def]
    """Curves (T, C) along the axes of their movement; see ``smoothing.calmed_axes``."""
    frames, columns = table.shape
    stiff[2:-2] = 1.0 / settings.slow
    _spline(table, stiff, work, made)
    rest = np.zeros(columns, dtype=np.bool_)
    for c in range(columns):
        mean = made[:, c].mean()
        rest[c] = ((made[:, c] - mean) ** 2).mean() < settings.drift
    stiff[2:-2] = 1.0 / settings.guess
    _spline(table, stiff, work, made)
    energy = np.empty((frames - 2, columns))
    _bend(made, energy)
    _stirred(energy, settings, rest)
    live = np.flatnonzero(~rest)
    if live.size < columns:
        stiff[2:-2] = 1.0 / settings.least
        _spline(table, stiff, work, made)
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
    frames, columns = table.shape
    work, made = np.zeros((3, frames + 2, columns)), np.empty((frames, columns))
    stiff, energy = np.zeros((frames + 2, columns)), np.empty((frames - 2, columns))
    stiff[2:-2] = 1.0 / settings.guess
    together = np.empty((frames - 2, 1))
    for _ in range(settings.rounds):
        _spline(table, stiff, work, made)
        _bend(made, energy)
        for t in range(frames - 2):
            total = 0.0
            for c in range(columns):
                hard = stiff[t + 2, c]
                energy[t, c] -= settings.hiss / (hard * math.sqrt(math.sqrt(hard)))
                total += energy[t, c]
            together[t, 0] = total
        _average(together, settings.short)
        _average(energy, settings.long)
        for t in range(frames - 2):
            total = 0.0
            for c in range(columns):
                energy[t, c] = max(energy[t, c], 0.0)
                total += energy[t, c]
            surge = min(max(together[t, 0], 0.0) / max(total, 1e-300), settings.surge) / settings.waves
            for c in range(columns):
                found = energy[t, c] * surge
                q = settings.ease * math.sqrt(found * math.sqrt(found))
                stiff[t + 2, c] = 1.0 / min(max(q, settings.least), settings.most)
    _spline(table, stiff, work, made)
    return made


@compile_kernel
def _bend(curves, energy):  # type: ignore[no-untyped-def]
    """Squares (T − 2, C) of second differences."""
    for t in range(energy.shape[0]):
        for c in range(energy.shape[1]):
            bend = curves[t, c] - 2.0 * curves[t + 1, c] + curves[t + 2, c]
            energy[t, c] = bend * bend


@compile_kernel
def _stirred(energy, settings, rest):  # type: ignore[no-untyped-def]
    """Curves whose energy (T, C) is more than noise's, in all or at a moment, are not at rest (C,)."""
    averages = energy.copy()
    _average(averages, settings.long)
    for c in range(energy.shape[1]):
        if energy[:, c].mean() >= settings.stir or averages[:, c].max() >= settings.onset:
            rest[c] = False


@compile_kernel
def _average(values, keep):  # type: ignore[no-untyped-def]
    """Exponential averages both ways of values (T, C), in place; see ``smoothing.averaged``."""
    frames, columns = values.shape
    forwards, past = np.empty((frames, columns)), np.zeros(columns)
    for t in range(frames):
        for c in range(columns):
            past[c] = keep * past[c] + values[t, c]
            forwards[t, c] = past[c]
    past[:] = 0.0
    for t in range(frames - 1, -1, -1):
        weight = (2.0 - keep ** (t + 1) - keep ** (frames - t)) / (1.0 - keep) - 1.0
        for c in range(columns):
            here = values[t, c]
            past[c] = keep * past[c] + here
            values[t, c] = (forwards[t, c] + past[c] - here) / weight


@compile_kernel
def _spline(table, stiff, work, made):  # type: ignore[no-untyped-def]
    """The smoothing spline of a table (T, C) for stiffnesses 1/q, (T + 2, C) with two zeros at both ends."""
    frames, columns = table.shape
    inverse, one, two = work[0], work[1], work[2]  # (T + 2, C), two zeros first
    last = np.zeros(columns)
    for t in range(frames):
        for c in range(columns):
            before, here, after = stiff[t, c], stiff[t + 1, c], stiff[t + 2, c]
            pivot = 1.0 + before + 4.0 * here + after - one[t + 1, c] * last[c] - two[t, c] * before
            last[c] = -2.0 * (here + after) - last[c] * two[t + 1, c]
            over = 1.0 / pivot
            inverse[t + 2, c], one[t + 2, c], two[t + 2, c] = over, last[c] * over, after * over
    for c in range(columns):
        made[0, c], made[1, c] = table[0, c], table[1, c] - one[2, c] * table[0, c]
    for t in range(2, frames):
        for c in range(columns):
            made[t, c] = table[t, c] - one[t + 1, c] * made[t - 1, c] - two[t, c] * made[t - 2, c]
    end = frames - 1
    for c in range(columns):
        made[end, c] *= inverse[end + 2, c]
        made[end - 1, c] = made[end - 1, c] * inverse[end + 1, c] - one[end + 1, c] * made[end, c]
    for t in range(frames - 3, -1, -1):
        for c in range(columns):
            rest = one[t + 2, c] * made[t + 1, c] + two[t + 2, c] * made[t + 2, c]
            made[t, c] = made[t, c] * inverse[t + 2, c] - rest
