"""Denoising: take noise out of curves and leave fast movement in, by a smoothing spline of varying stiffness.

Curves are given in units of their own noise. The movement under it is taken to have random accelerations (second
differences) of variance q(t); given those, the likeliest curve x under the values z is the one with the least

    Σ (x − z)² + Σ (x[t−1] − 2 x[t] + x[t+1])² / q(t),

a smoothing spline: it passes waves up to about q^¼ radians a frame and stops those above. q tells a strike from a rest;
q and x are found in alternation. Where q is even, x's own accelerations have a mean square of

    0.354 q^(5/4) if all is as supposed,        0.0884 q^(5/4) if there is nothing but noise;

so the excess over the latter is movement, and says what q should have been. It is averaged over a long window for each
curve, and over a short window for all curves of a limb together: limbs start and stop as a whole, and many curves show
that more surely than one. A curve with neither slow nor fast movement is taken to be at rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinesphere.maths.compiled import jit, share_work
from kinesphere.maths.vectors import Bools, Floats, Ints

MIN_FRAMES = 8  # fewer don't tell movement from noise
MOVEMENT_POWER = 0.354  # 1/√8: ∫ 1 / (1 + u⁴) du / 2π
NOISE_POWER = 0.0884  # 1/√128: ∫ u⁴ / (1 + u⁴)² du / 2π
NOISE_LEFT = 0.265  # 3/√128: ∫ 1 / (1 + u⁴)² du / 2π; a spline leaves NOISE_LEFT · q^¼ of the noise's variance
START_CUTOFF = 2.5  # Hz: the first guess
AXES_CUTOFF = 5.0  # Hz: movement below it shows the axes of a limb
DRIFT_CUTOFF = 0.5  # Hz: slow movement
REST_CUTOFF = 0.05  # Hz: all that is left of a curve at rest
LONG, SHORT = 0.2, 0.05  # seconds
ITERATIONS = 4
MAX_VARIANCE = 1e9  # the greatest q: nothing is smoothed
CAUTION = 0.8  # of the found q: a little stiffer than likeliest is nearer the truth
MAX_SURGE = 30.0  # times a curve's own mean, at most
CHANCE = 2.5  # standard deviations: how far noise may be from its mean over a clip
ONSET = 5.5  # times the noise, for a moment
BATCH = 48  # columns
MAX_CHANGE = 1.5  # times the noise: the most that is taken out over a long window; anything beyond is movement


class DenoiseSettings(NamedTuple):
    """Thresholds and factors for curves in units of their noise, with time in frames."""

    start: float  # q to start with
    least: float  # q of a curve at rest
    axes: float  # q for finding axes
    slow: float  # q for finding drifts
    long: float  # share that averages keep from frame to frame
    short: float
    drift: float  # variance of slow movement from which on a curve moves
    activity: float  # mean square acceleration from which on it does
    onset: float  # the same over a long window
    shared: float  # variance from which on a curve may share an axis with others


def denoise_settings(frames: int, rate: float) -> DenoiseSettings:
    """The settings for so many frames at a rate."""
    start, slow, axes = (cutoff_variance(hertz, rate) for hertz in (START_CUTOFF, DRIFT_CUTOFF, AXES_CUTOFF))
    activity, drift, shared = (_chance_limit(h * frames / rate) for h in (START_CUTOFF, DRIFT_CUTOFF, AXES_CUTOFF))
    noise = NOISE_POWER * start**1.25
    return DenoiseSettings(
        start=start,
        # No less than so many frames can show, which also keeps the equations well conditioned.
        least=cutoff_variance(max(REST_CUTOFF, 0.1 * rate / frames), rate),
        axes=axes,
        slow=slow,
        long=decay_factor(LONG * rate),
        short=decay_factor(SHORT * rate),
        drift=drift * NOISE_LEFT * slow**0.25,
        activity=activity * noise,
        onset=ONSET * noise,
        shared=shared * NOISE_LEFT * axes**0.25,
    )


def _chance_limit(waves: float) -> float:
    """How many times its mean the mean square of noise may be by chance, over so many waves."""
    return 1.0 + CHANCE / math.sqrt(max(waves, 0.5))


def cutoff_variance(hertz: float, rate: float) -> float:
    """The q of a spline that passes movement up to so many waves a second."""
    return (2.0 * math.sin(math.pi * min(hertz / rate, 0.5))) ** 4


def decay_factor(frames: float) -> float:
    """The share that an exponential average keeps from frame to frame, for a standard deviation of so many frames."""
    more = 1.0 + 1.0 / max(frames, 1e-6) ** 2
    return more - math.sqrt(more * more - 1.0)


def estimate_noise(signal: Floats) -> Floats:
    """``(G,)`` the standard deviation of white noise in signals ``(T, G, N)``, N curves together.

    From the median size of third differences: movement has hardly any, and where it does, moments don't shift a median.
    """
    frames, groups, _ = signal.shape
    if frames < MIN_FRAMES or not groups:
        return np.zeros(groups)
    by_group = np.ascontiguousarray(signal.transpose(1, 2, 0))
    sizes = np.abs(by_group[..., 3:] - by_group[..., :-3] - 3.0 * (by_group[..., 2:-1] - by_group[..., 1:-2]))
    sizes = sizes.reshape(groups, -1)
    middle = sizes.shape[1] // 2
    sizes.partition(middle, axis=1)
    return np.asarray(sizes[:, middle] / (0.67449 * np.sqrt(20.0)))


def denoise(table: Floats, limbs: Sequence[Ints], units: Floats, amount: float, rate: float) -> Floats:
    """A table ``(T, D)`` with noise taken out of limbs, each a few columns; ``units (D,)`` is every column's noise.

    ``amount``: the share of the found noise that is taken out, from 0 to 1.
    """
    made, given = np.array(table, order="C"), [columns for columns in limbs if len(columns)]
    if len(table) < MIN_FRAMES or not given:
        return made
    values, settings = np.ascontiguousarray(table), denoise_settings(len(table), rate)

    def denoise_batch(batch: list[Ints]) -> None:
        columns, edges = np.concatenate(batch), np.cumsum([0, *map(len, batch)])
        curves = values.take(columns, axis=1, mode="clip")
        curves /= units[columns]
        change, power = _found_noise(curves, edges, settings)
        add_change_kernel(change, power, columns, amount * units[columns], made)

    share_work(denoise_batch, _batches(given))
    return made


def denoise_limb(table: Floats, rate: float) -> Floats:
    """Curves ``(T, C)`` of one limb, in units of their noise, without it."""
    return denoise(table, [np.arange(table.shape[1])], np.ones(table.shape[1]), 1.0, rate)


def _batches(limbs: Sequence[Ints]) -> list[list[Ints]]:
    """Limbs gathered until there are enough columns to be worked at once, and few enough to stay in the cache."""
    made = list[list[Ints]]()
    for columns in sorted(limbs, key=len, reverse=True):
        if not made or sum(map(len, made[-1])) + len(columns) > BATCH:
            made.append([])
        made[-1].append(columns)
    return made


def _found_noise(curves: Floats, edges: Ints, settings: DenoiseSettings) -> tuple[Floats, Floats]:
    """What is to be added to curves ``(T, C)`` in units of their noise to take it out, and its mean square around.

    Limbs end at ``edges``. The curves' means are taken off them.
    """
    along = curves / len(curves)
    curves -= np.add.reduce(along)
    smooth = _even_spline(curves, settings.axes)
    starts, axes = edges[:-1].tolist(), [np.eye(size) for size in np.diff(edges).tolist()]
    for first, own in zip(starts, axes, strict=True):
        movement_axes_kernel(smooth, first, settings.shared, np.zeros(own.shape), own)
        project_kernel(curves, own, first, along)
    moved = _denoise_axes(along, edges, settings)
    for first, own in zip(starts, axes, strict=True):
        project_kernel(moved, np.ascontiguousarray(own.T), first, smooth)
    smooth -= curves
    power = np.multiply(smooth, smooth, out=along)
    average_kernel(power, settings.long, moved)
    return smooth, power


def _denoise_axes(table: Floats, edges: Ints, settings: DenoiseSettings) -> Floats:
    """Curves ``(T, C)`` along the axes of their movement, without noise."""
    moving = np.flatnonzero(~_find_rest(table, settings))
    made = _even_spline(table, settings.least) if len(moving) < table.shape[1] else np.empty_like(table)
    if len(moving):
        some = table.take(moving, axis=1, mode="clip")
        frames, columns = some.shape
        stiff, factors = np.zeros((frames + 2, columns)), np.zeros((3, frames + 2, columns))
        stiff[2:frames] = 1.0 / settings.start
        energy, together = np.empty((frames - 2, columns)), np.empty((frames - 2, len(edges) - 1))
        ends, smooth, scratch = np.searchsorted(moving, edges), np.empty_like(some), np.empty_like(some)
        given = settings.long, settings.short, settings.least
        adaptive_spline_kernel(some, ends, *given, stiff, factors, energy, together, scratch, smooth)
        made[:, moving] = smooth
    return made


def _find_rest(table: Floats, settings: DenoiseSettings) -> Bools:
    """``(C,)`` which curves ``(T, C)`` show no movement, neither slow nor fast nor for a moment."""
    slow = _even_spline(table, settings.slow)
    slow -= np.add.reduce(slow) / len(slow)
    slow *= slow
    variance = np.add.reduce(slow) / len(slow)
    fast = _even_spline(table, settings.start)
    energy = np.multiply(fast[1:-1], -2.0, out=slow[:-2])
    energy += fast[:-2]
    energy += fast[2:]
    energy *= energy
    total = np.add.reduce(energy) / len(energy)
    average_kernel(energy, settings.long, fast)
    most = np.maximum.reduce(energy)
    return np.asarray((variance < settings.drift) & (total < settings.activity) & (most < settings.onset))


def _even_spline(table: Floats, variance: float) -> Floats:
    """The smoothing spline of a table ``(T, C)`` for one q."""
    made, factors = np.empty_like(table), np.zeros((3, len(table) + 2))
    even_spline_kernel(table, 1.0 / variance, factors, made)
    return made


# Compiled loops: over frames outside, over curves inside, so that several curves are worked at once. Arrays are made
# outside of them, which numba takes long to compile.


@jit
def add_change_kernel(change, power, columns, scale, made):  # type: ignore[no-untyped-def]
    """Add changes ``(T, C)`` times ``scale (C,)`` to columns of ``made (T, D)``, limited by their mean squares."""
    for t in range(change.shape[0]):
        for c in range(columns.size):
            limited = change[t, c] * MAX_CHANGE / max(math.sqrt(power[t, c]), MAX_CHANGE)
            made[t, columns[c]] += scale[c] * limited


@jit
def movement_axes_kernel(smooth, first, shared, covariance, axes):  # type: ignore[no-untyped-def]
    """Axes ``(C, C)`` along which a limb's smooth curves move, a column each: of each joint, then of the limb.

    A finger rotates about one axis of three, and all fingers together: along such axes all movement is in few curves,
    and noise is in all. Curves with a variance above ``shared`` may share an axis. The limb's are those from ``first``
    on of ``smooth (T, D)``; ``covariance (C, C)`` is zero and ``axes`` are the identity.
    """
    frames, size = smooth.shape[0], axes.shape[0]
    mean, row, members = np.zeros(size), np.zeros(size), np.zeros(size, dtype=np.int64)
    for t in range(frames):
        for c in range(size):
            mean[c] += smooth[t, first + c] / frames
    for t in range(frames):
        for c in range(size):
            row[c] = smooth[t, first + c] - mean[c]
        for k in range(size):
            value, sums = row[k], covariance[k]
            for c in range(size):
                sums[c] += value * row[c]
    for k in range(size):
        for c in range(size):
            covariance[k, c] /= frames
    for joint in range(size // 3):
        for m in range(3):
            members[m] = 3 * joint + m
        diagonalise_kernel(covariance, axes, members[:3])
    count = 0
    for c in range(size):
        if covariance[c, c] > shared:
            members[count] = c
            count += 1
    diagonalise_kernel(covariance, axes, members[:count])


@jit
def diagonalise_kernel(matrix, axes, members):  # type: ignore[no-untyped-def]
    """Rotate the axes of some members until a symmetric matrix is diagonal among them (Jacobi's method), in place."""
    for _ in range(30):
        beside, total = 0.0, 0.0
        for m in range(members.size):
            for n in range(members.size):
                a, b = members[m], members[n]
                total += matrix[a, b] ** 2
                beside += matrix[a, b] ** 2 if a != b else 0.0
        if beside <= 1e-28 * total:
            return
        for m in range(members.size):
            for n in range(m + 1, members.size):
                a, b = members[m], members[n]
                if matrix[a, b] == 0.0:
                    continue
                slope = (matrix[b, b] - matrix[a, a]) / (2.0 * matrix[a, b])
                tangent = math.copysign(1.0, slope) / (abs(slope) + math.sqrt(slope * slope + 1.0))
                cosine = 1.0 / math.sqrt(tangent * tangent + 1.0)
                sine = tangent * cosine
                for c in range(matrix.shape[0]):
                    x, y = matrix[a, c], matrix[b, c]
                    matrix[a, c], matrix[b, c] = cosine * x - sine * y, sine * x + cosine * y
                for c in range(matrix.shape[0]):
                    x, y = matrix[c, a], matrix[c, b]
                    matrix[c, a], matrix[c, b] = cosine * x - sine * y, sine * x + cosine * y
                    x, y = axes[c, a], axes[c, b]
                    axes[c, a], axes[c, b] = cosine * x - sine * y, sine * x + cosine * y


@jit
def project_kernel(table, axes, first, made):  # type: ignore[no-untyped-def]
    """A limb's columns of a table ``(T, D)``, from ``first`` on, times its axes ``(C, C)``.

    Without BLAS, whose threads wait for others on a busy machine.
    """
    row = np.zeros(axes.shape[0])
    for t in range(table.shape[0]):
        for c in range(row.size):
            row[c] = 0.0
        for k in range(row.size):
            value, axis = table[t, first + k], axes[k]
            for c in range(row.size):
                row[c] += value * axis[c]
        for c in range(row.size):
            made[t, first + c] = row[c]


@jit
def adaptive_spline_kernel(  # type: ignore[no-untyped-def]
    table, edges, long, short, least, stiff, factors, energy, together, scratch, made
):
    """Smoothing splines of curves ``(T, C)``, their variances and they themselves found in alternation.

    ``edges`` are the limbs' ends; ``long``, ``short`` and ``least`` are those of ``DenoiseSettings``. ``stiff`` is
    to start with; the arrays after it are room to work in, as ``spline_kernel`` and ``average_kernel`` need it.
    """
    frames, columns = table.shape
    limbs, surge = edges.size - 1, np.zeros(columns)
    for _ in range(ITERATIONS):
        spline_kernel(table, stiff, factors, made)
        for t in range(frames - 2):
            for c in range(columns):
                bend = made[t, c] - 2.0 * made[t + 1, c] + made[t + 2, c]
                hard = stiff[t + 2, c]
                energy[t, c] = bend * bend - NOISE_POWER / (hard * math.sqrt(math.sqrt(hard)))
            for limb in range(limbs):
                total = 0.0
                for c in range(edges[limb], edges[limb + 1]):
                    total += energy[t, c]
                together[t, limb] = total
        average_kernel(together, short, scratch)
        average_kernel(energy, long, scratch)
        for t in range(frames - 2):
            for limb in range(limbs):
                total = 0.0
                for c in range(edges[limb], edges[limb + 1]):
                    total += max(energy[t, c], 0.0)
                gain = min(max(together[t, limb], 0.0) / max(total, 1e-300), MAX_SURGE) / MOVEMENT_POWER
                for c in range(edges[limb], edges[limb + 1]):
                    surge[c] = gain
            for c in range(columns):
                found = max(energy[t, c], 0.0) * surge[c]
                q = CAUTION * math.sqrt(found * math.sqrt(found))
                stiff[t + 2, c] = 1.0 / min(max(q, least), MAX_VARIANCE)
    spline_kernel(table, stiff, factors, made)


@jit
def average_kernel(values, keep, forwards):  # type: ignore[no-untyped-def]
    """Exponential averages of values ``(T, C)`` both ways, in place, over the weight of the frames there are.

    ``forwards`` is room for at least as many numbers.
    """
    frames, columns = values.shape
    past = np.zeros(columns)
    for t in range(frames):
        for c in range(columns):
            past[c] = keep * past[c] + values[t, c]
            forwards[t, c] = past[c]
    for c in range(columns):
        past[c] = 0.0
    for t in range(frames - 1, -1, -1):
        outside = keep ** (t + 1) + keep ** (frames - t)
        over = 1.0 / ((2.0 - outside) / (1.0 - keep) - 1.0)
        for c in range(columns):
            here = values[t, c]
            past[c] = keep * past[c] + here
            values[t, c] = (forwards[t, c] + past[c] - here) * over


@jit
def even_spline_kernel(table, hard, factors, made):  # type: ignore[no-untyped-def]
    """The smoothing spline of a table ``(T, C)`` for one stiffness 1/q, so that all curves share Cholesky's factors.

    These go to ``factors (3, T + 2)``, whose first two columns are zero.
    """
    frames, columns = table.shape
    inverse, one, two = factors[0], factors[1], factors[2]
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


@jit
def spline_kernel(table, stiff, factors, made):  # type: ignore[no-untyped-def]
    """The smoothing spline of a table ``(T, C)`` for stiffnesses 1/q, ``(T + 2, C)`` with two zeros at both ends.

    ``factors (3, T + 2, C)`` have zeros in the first two rows.
    """
    frames, columns = table.shape
    inverse, one, two = factors[0], factors[1], factors[2]
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
