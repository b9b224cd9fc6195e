"""Compiled smoothing. Import this only through ``compiled``.

All loops run over frames without, over curves within, so that several curves are worked at once.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_terms import compile_kernel


@compile_kernel
def calm(table, columns, edges, units, amount, settings, made):  # type: ignore[no-untyped-def]
    """Some columns of a table (T, D) without their noise, written beside it; see ``smoothing.calmed_reference``.

    ``columns (C,)`` are those of several limbs, which end at ``edges``; ``units (C,)`` is how noisy they are.
    """
    frames, count = table.shape[0], columns.size
    centre = np.zeros(count)
    values, smooth = np.empty((frames, count)), np.empty((frames, count))
    for t in range(frames):
        for c in range(count):
            values[t, c] = table[t, columns[c]] / units[c]
            centre[c] += values[t, c] / frames
    for t in range(frames):
        for c in range(count):
            values[t, c] -= centre[c]
    factors = np.zeros((3, frames + 2))
    _even_spline(values, 1.0 / settings.axes, factors, smooth)
    axes = np.zeros((count, count))
    for limb in range(edges.size - 1):
        own = slice(edges[limb], edges[limb + 1])
        axes[own, own] = _movement_axes(smooth[:, own], settings.together)
    _through(values, axes, edges, smooth)
    weights = np.empty((2, frames))
    _weigh(settings.long, weights[0])
    _calm_axes(smooth, edges, settings, factors, weights, values)
    _through(values, axes.T.copy(), edges, smooth)
    for t in range(frames):
        for c in range(count):
            change = smooth[t, c] + centre[c] - table[t, columns[c]] / units[c]
            smooth[t, c], values[t, c] = change, change * change
    _average(values, settings.long, weights[0])
    for t in range(frames):
        for c in range(count):
            change = smooth[t, c] * settings.more / max(math.sqrt(values[t, c]), settings.more)
            made[t, columns[c]] = table[t, columns[c]] + amount * units[c] * change


@compile_kernel
def third_differences(signal, made):  # type: ignore[no-untyped-def]
    """Sizes (G, N (T − 3)) of the third differences of signals (T, G, N)."""
    frames = signal.shape[0] - 3
    for g in range(signal.shape[1]):
        for n in range(signal.shape[2]):
            for t in range(frames):
                size = signal[t + 3, g, n] - signal[t, g, n] - 3.0 * (signal[t + 2, g, n] - signal[t + 1, g, n])
                made[g, n * frames + t] = abs(size)


@compile_kernel
def _through(table, axes, edges, made):  # type: ignore[no-untyped-def]
    """A table (T, C) times the axes of its limbs: without BLAS, whose threads wait for others on a busy machine."""
    for limb in range(edges.size - 1):
        first, last = edges[limb], edges[limb + 1]
        own = axes[first:last, first:last].copy()
        row = np.empty(last - first)
        for t in range(table.shape[0]):
            row[:] = 0.0
            for k in range(row.size):
                value, axis = table[t, first + k], own[k]
                for c in range(row.size):
                    row[c] += value * axis[c]
            for c in range(row.size):
                made[t, first + c] = row[c]


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
def _calm_axes(table, edges, settings, factors, weights, made):  # type: ignore[no-untyped-def]
    """Curves (T, C) along the axes of their movement; see ``smoothing.calmed_axes``."""
    frames, columns = table.shape
    _even_spline(table, 1.0 / settings.slow, factors, made)
    mean, square = np.zeros(columns), np.zeros(columns)
    for t in range(frames):
        for c in range(columns):
            mean[c] += made[t, c] / frames
    for t in range(frames):
        for c in range(columns):
            square[c] += (made[t, c] - mean[c]) ** 2 / frames
    rest = square < settings.drift
    _even_spline(table, 1.0 / settings.guess, factors, made)
    energy = np.empty((frames - 2, columns))
    _bend(made, energy)
    _weigh(settings.long, weights[0, 2:])
    _weigh(settings.short, weights[1, 2:])
    _stirred(energy, settings, weights[0, 2:], rest)
    live, ends = np.flatnonzero(~rest), np.zeros(edges.size, dtype=np.int64)
    for limb in range(1, edges.size):
        ends[limb] = np.searchsorted(live, edges[limb])
    if live.size < columns:
        _even_spline(table, 1.0 / settings.least, factors, made)
    if live.size > 0:
        some = np.empty((frames, live.size))
        for t in range(frames):
            for c in range(live.size):
                some[t, c] = table[t, live[c]]
        calm_ones = _find_calm(some, ends, settings, weights[:, 2:])
        for t in range(frames):
            for c in range(live.size):
                made[t, live[c]] = calm_ones[t, c]
    _weigh(settings.long, weights[0])


@compile_kernel
def _find_calm(table, edges, settings, weights):  # type: ignore[no-untyped-def]
    """Curves (T, C) that move, without noise: their variances and they themselves by turns."""
    frames, columns = table.shape
    limbs = edges.size - 1
    work, made = np.zeros((3, frames + 2, columns)), np.empty((frames, columns))
    stiff, energy = np.zeros((frames + 2, columns)), np.empty((frames - 2, columns))
    stiff[2:-2] = 1.0 / settings.guess
    together, surge = np.empty((frames - 2, limbs)), np.empty(columns)
    for _ in range(settings.rounds):
        _spline(table, stiff, work, made)
        _bend(made, energy)
        for t in range(frames - 2):
            for c in range(columns):
                hard = stiff[t + 2, c]
                energy[t, c] -= settings.hiss / (hard * math.sqrt(math.sqrt(hard)))
            for limb in range(limbs):
                total = 0.0
                for c in range(edges[limb], edges[limb + 1]):
                    total += energy[t, c]
                together[t, limb] = total
        _average(together, settings.short, weights[1])
        _average(energy, settings.long, weights[0])
        for t in range(frames - 2):
            for limb in range(limbs):
                total = 0.0
                for c in range(edges[limb], edges[limb + 1]):
                    total += max(energy[t, c], 0.0)
                gain = min(max(together[t, limb], 0.0) / max(total, 1e-300), settings.surge) / settings.waves
                for c in range(edges[limb], edges[limb + 1]):
                    surge[c] = gain
            for c in range(columns):
                found = max(energy[t, c], 0.0) * surge[c]
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
def _stirred(energy, settings, weights, rest):  # type: ignore[no-untyped-def]
    """Curves whose energy (T, C) is more than noise's, in all or at a moment, are not at rest (C,)."""
    frames, columns = energy.shape
    total, most = np.zeros(columns), np.zeros(columns)
    for t in range(frames):
        for c in range(columns):
            total[c] += energy[t, c] / frames
    _average(energy, settings.long, weights)
    for t in range(frames):
        for c in range(columns):
            most[c] = max(most[c], energy[t, c])
    for c in range(columns):
        if total[c] >= settings.stir or most[c] >= settings.onset:
            rest[c] = False


@compile_kernel
def _weigh(keep, weights):  # type: ignore[no-untyped-def]
    """How much exponential averages both ways have gathered in all, frame by frame (T,)."""
    frames = weights.size
    left = 1.0
    weights[:] = 2.0
    for t in range(frames):
        left *= keep
        weights[t] -= left
        weights[frames - 1 - t] -= left
    for t in range(frames):
        weights[t] = weights[t] / (1.0 - keep) - 1.0


@compile_kernel
def _average(values, keep, weights):  # type: ignore[no-untyped-def]
    """Exponential averages both ways of values (T, C), in place; see ``smoothing.averaged``."""
    frames, columns = values.shape
    forwards, past = np.empty((frames, columns)), np.zeros(columns)
    for t in range(frames):
        for c in range(columns):
            past[c] = keep * past[c] + values[t, c]
            forwards[t, c] = past[c]
    past[:] = 0.0
    for t in range(frames - 1, -1, -1):
        over = 1.0 / weights[t]
        for c in range(columns):
            here = values[t, c]
            past[c] = keep * past[c] + here
            values[t, c] = (forwards[t, c] + past[c] - here) * over


@compile_kernel
def _even_spline(table, hard, factors, made):  # type: ignore[no-untyped-def]
    """The smoothing spline of a table (T, C) for one stiffness 1/q in all frames, so that all curves share factors."""
    frames, columns = table.shape
    inverse, one, two = factors[0], factors[1], factors[2]  # (T + 2,), two zeros first
    last = 0.0
    for t in range(frames):
        before = hard if t >= 2 else 0.0
        here = hard if 1 <= t < frames - 1 else 0.0
        after = hard if t < frames - 2 else 0.0
        pivot = 1.0 + before + 4.0 * here + after - one[t + 1] * last - two[t] * before
        last = -2.0 * (here + after) - last * two[t + 1]
        inverse[t + 2], one[t + 2], two[t + 2] = 1.0 / pivot, last / pivot, after / pivot
    for c in range(columns):
        made[0, c], made[1, c] = table[0, c], table[1, c] - one[2] * table[0, c]
    for t in range(2, frames):
        a, b = one[t + 1], two[t]
        for c in range(columns):
            made[t, c] = table[t, c] - a * made[t - 1, c] - b * made[t - 2, c]
    end = frames - 1
    for c in range(columns):
        made[end, c] *= inverse[end + 2]
        made[end - 1, c] = made[end - 1, c] * inverse[end + 1] - one[end + 1] * made[end, c]
    for t in range(frames - 3, -1, -1):
        scale, a, b = inverse[t + 2], one[t + 2], two[t + 2]
        for c in range(columns):
            made[t, c] = made[t, c] * scale - (a * made[t + 1, c] + b * made[t + 2, c])


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
