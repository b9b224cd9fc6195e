"""Noise out of curves, and fast movement left in: a smoothing spline that is as stiff as a moment allows.

Curves are given in units of their own noise. What is under it is taken to be pushed about at random, by accelerations
(second differences) of variance q(t); given those, the likeliest curve x under the values z is the one with the least

    Σ (x − z)² + Σ (x[t−1] − 2 x[t] + x[t+1])² / q(t),

a smoothing spline: it lets waves up to about q^¼ radians a frame through and stops those above. q is what tells a
strike from a rest, and is found by turns with x. Where q is even, x's own accelerations have a mean square of

    0.354 q^(5/4) if all is as supposed,        0.0884 q^(5/4) if there is nothing but noise;

so what they are more than the latter is movement, and says what q should have been. It is averaged over a long while
for each curve, and over a short while for all curves together: limbs start and stop as a whole, which many curves tell
more surely than one. A curve in which neither slow nor fast movement shows is taken to be at rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinesphere.maths import compiled
from kinesphere.maths.compiled import compile_kernel
from kinesphere.maths.vectors import Bools, Floats, Ints, clip

FEWEST = 8  # frames; fewer don't tell movement from noise
WAVES = 0.354  # 1/√8: ∫ 1 / (1 + u⁴) du / 2π
HISS = 0.0884  # 1/√128: ∫ u⁴ / (1 + u⁴)² du / 2π
LEFT = 0.265  # 3/√128: ∫ 1 / (1 + u⁴)² du / 2π, what is left of noise: LEFT · q^¼
START, AXES, SLOW, SLOWEST = 2.5, 5.0, 0.5, 0.05  # Hz: first guess; axes are found in this; drifts; a curve at rest
LONG, SHORT = 0.2, 0.05  # seconds
ROUNDS = 4
LOOSE = 1e9  # the greatest q: nothing is held
EASE = 0.8  # of the found q: a little stiffer than likeliest is nearer the truth
SURGE = 30.0  # times a curve's own mean, at most
CHANCE = 2.5  # standard deviations: what noise may look like over a clip
ONSET = 5.5  # times the noise, for a moment
BATCH = 48  # columns
MORE = 1.5  # times the noise: the most that is taken out over a long while; what is beyond was none, and stays


class DenoiseSettings(NamedTuple):
    """What the compiled kernel goes by; all for curves in units of their noise, by frames."""

    guess: float  # q to start with
    least: float
    most: float
    axes: float  # q in which axes are found
    slow: float  # q in which drifts are found
    long: float  # what averages keep from frame to frame
    short: float
    drift: float  # mean squares from which on something moves
    stir: float
    onset: float
    together: float
    waves: float
    hiss: float
    ease: float
    surge: float
    more: float
    rounds: int


def denoise_settings(frames: int, rate: float) -> DenoiseSettings:
    """The settings for so many frames at a rate."""
    guess, slow, axes = (cutoff_variance(hertz, rate) for hertz in (START, SLOW, AXES))
    stir, drift, together = (chance_limit(hertz * frames / rate) for hertz in (START, SLOW, AXES))
    calm = HISS * guess**1.25
    return DenoiseSettings(
        guess, rest_variance(frames, rate), LOOSE, axes, slow, decay_factor(LONG * rate), decay_factor(SHORT * rate),
        drift * LEFT * slow**0.25, stir * calm, ONSET * calm, together * LEFT * axes**0.25,
        WAVES, HISS, EASE, SURGE, MORE, ROUNDS,
    )  # fmt: skip


def chance_limit(waves: float) -> float:
    """How many times its mean square noise of so many waves may well be, by chance: twice as many numbers tell it."""
    return 1.0 + CHANCE / float(np.sqrt(max(waves, 0.5)))


def estimate_noise(signal: Floats) -> Floats:
    """``(G,)`` the standard deviation of white noise in signals ``(T, G, N)``, N curves together.

    From the median size of third differences, which movement hardly has, and those moments that have it don't move a
    median.
    """
    frames, groups, together = signal.shape
    if frames < FEWEST or not groups:
        return np.zeros(groups)
    kernels = compiled.kernels(4 * signal.size)
    if kernels is None:
        with compiled.plain_work():
            sizes = third_differences_reference(signal)
    else:
        sizes = np.empty((groups, together * (frames - 3)))
        kernels.third_differences(signal, sizes)
    middle = sizes.shape[1] // 2
    sizes.partition(middle, axis=1)
    return np.asarray(sizes[:, middle] / (0.67449 * np.sqrt(20.0)))


def third_differences_reference(signal: Floats) -> Floats:
    """``(G, N (T − 3))`` the sizes of third differences of signals ``(T, G, N)``, in plain NumPy."""
    sizes = np.abs(signal[3:] - signal[:-3] - 3.0 * (signal[2:-1] - signal[1:-2]))
    return np.ascontiguousarray(np.moveaxis(sizes, 0, 2)).reshape(signal.shape[1], -1)


def cutoff_variance(hertz: float, rate: float) -> float:
    """The q of a spline that lets movement up to so many waves a second through."""
    return float((2.0 * np.sin(np.pi * min(hertz / rate, 0.5))) ** 4)


def denoise_limb(table: Floats, rate: float) -> Floats:
    """Curves ``(T, C)`` of one limb, in units of their noise, without it."""
    return denoise(table, [np.arange(table.shape[1])], np.ones(table.shape[1]), 1.0, rate)


def denoise(table: Floats, limbs: Sequence[Ints], units: Floats, amount: float, rate: float) -> Floats:
    """A table ``(T, D)`` with some of the noise out of limbs, each a few columns; ``units (D,)`` is how noisy all are.

    ``amount``: how much of what is found, from 0 to 1.
    """
    made, given = table.copy(), [columns for columns in limbs if len(columns)]
    if len(table) < FEWEST or not given:
        return made
    kernels = compiled.kernels(20 * ROUNDS * sum(map(len, given)) * len(table))
    if kernels is None:
        with compiled.plain_work():
            for columns in given:
                own = table[:, columns] / units[columns]
                made[:, columns] += amount * units[columns] * (denoise_limb_reference(own, rate) - own)
        return made
    values, known = np.ascontiguousarray(table), denoise_settings(len(table), rate)

    def calm(batch: list[Ints]) -> None:
        columns, edges = np.concatenate(batch), np.cumsum([0, *map(len, batch)])
        kernels.calm(values, columns, edges, units[columns], amount, known, made)

    compiled.share_work(calm, _batches(given))
    return made


def _batches(limbs: Sequence[Ints]) -> list[list[Ints]]:
    """Limbs gathered until there are enough columns to be worked at once, and few enough to stay in the cache."""
    made = list[list[Ints]]()
    for columns in sorted(limbs, key=len, reverse=True):
        if not made or sum(map(len, made[-1])) + len(columns) > BATCH:
            made.append([])
        made[-1].append(columns)
    return made


def rest_variance(frames: int, rate: float) -> float:
    """The q of a curve at rest: no less than so many frames can tell, which also keeps the equations sound."""
    return cutoff_variance(max(SLOWEST, 0.1 * rate / frames), rate)


def denoise_limb_reference(table: Floats, rate: float) -> Floats:
    """The same in plain NumPy."""
    centre = table.mean(axis=0)
    axes = movement_axes(table - centre, rate)
    change = denoise_axes(np.ascontiguousarray((table - centre) @ axes), rate) @ axes.T + centre - table
    size = np.sqrt(exponential_average(change * change, LONG * rate))
    return np.asarray(table + change * MORE / np.maximum(size, MORE))


def denoise_axes(table: Floats, rate: float) -> Floats:
    """Curves ``(T, C)`` along the axes of their movement, without noise."""
    lowest, rest = rest_variance(len(table), rate), at_rest(table, rate)
    made = smoothing_spline(table, np.full((len(table) - 2, table.shape[1]), lowest))
    live = table[:, ~rest]
    q = np.full((len(live) - 2, live.shape[1]), cutoff_variance(START, rate))
    for _ in range(ROUNDS):
        energy = np.diff(smoothing_spline(live, q), 2, axis=0) ** 2 - HISS * q * np.sqrt(np.sqrt(q))
        own = np.maximum(exponential_average(energy, LONG * rate), 0.0)
        together = np.maximum(exponential_average(energy.sum(axis=1), SHORT * rate), 0.0)
        surge = np.minimum(together / np.maximum(own.sum(axis=1), 1e-300), SURGE)
        found = own * surge[:, None] / WAVES
        q = clip(EASE * np.sqrt(found * np.sqrt(found)), lowest, LOOSE)
    made[:, ~rest] = smoothing_spline(live, q)
    return made


def at_rest(table: Floats, rate: float) -> Bools:
    """``(C,)`` which curves show no movement, neither slow nor fast nor a moment of it."""
    known = denoise_settings(len(table), rate)
    drift = smoothing_spline(table, np.full((len(table) - 2, table.shape[1]), known.slow)).var(axis=0)
    energy = np.diff(smoothing_spline(table, np.full((len(table) - 2, table.shape[1]), known.guess)), 2, axis=0) ** 2
    calm = (energy.mean(axis=0) < known.stir) & (exponential_average(energy, LONG * rate).max(axis=0) < known.onset)
    return np.asarray(calm & (drift < known.drift))


def smoothing_spline(table: Floats, q: Floats) -> Floats:
    """The smoothing spline ``(T, C)`` through a table, for variances ``(T − 2, C)``: five bands, solved in place."""
    count, columns = table.shape
    stiff = np.zeros((count + 2, columns))
    stiff[2:count] = 1.0 / q
    x, pivot, one, two = (np.zeros((count + 2, columns)) for _ in range(4))  # two rows of nothing before the first
    for t in range(count):
        before, here, after = stiff[t], stiff[t + 1], stiff[t + 2]
        a = 1.0 + before + 4.0 * here + after - one[t + 1] ** 2 * pivot[t + 1] - two[t] ** 2 * pivot[t]
        b = -2.0 * (here + after) - one[t + 1] * pivot[t + 1] * two[t + 1]
        pivot[t + 2], one[t + 2], two[t + 2] = a, b / a, after / a
        x[t + 2] = table[t] - one[t + 1] * x[t + 1] - two[t] * x[t]
    made = np.zeros((count + 2, columns))
    for t in range(count - 1, -1, -1):
        made[t] = x[t + 2] / pivot[t + 2] - one[t + 2] * made[t + 1] - two[t + 2] * made[t + 2]
    return made[:count]


def decay_factor(frames: float) -> float:
    """What an exponential average keeps from frame to frame, for a spread of so many frames (both ways together)."""
    more = 1.0 + 1.0 / max(frames, 1e-6) ** 2
    return float(more - np.sqrt(more * more - 1.0))


def exponential_average(values: Floats, frames: float) -> Floats:
    """Values ``(T, ...)`` averaged over the frames before and after that there are, exponentially."""
    keep, count = decay_factor(frames), len(values)
    forwards, backwards = np.empty_like(values), np.empty_like(values)
    past, future = np.zeros_like(values[0]), np.zeros_like(values[0])
    for t in range(count):
        past = forwards[t] = keep * past + values[t]
        future = backwards[-1 - t] = keep * future + values[-1 - t]
    power = keep ** np.arange(1.0, count + 1.0)
    weight = ((1.0 - power) + (1.0 - power[::-1])) / (1.0 - keep) - 1.0
    return np.asarray((forwards + backwards - values) / weight.reshape(-1, *([1] * (values.ndim - 1))))


def movement_axes(table: Floats, rate: float) -> Floats:
    """``(C, C)`` axes along which curves ``(T, C)`` move, a column each: three by three, then those that move together.

    A finger turns about one axis of three, and all fingers together: along such axes all movement is in few curves,
    and noise is in all.
    """
    columns = table.shape[1]
    smooth = smoothing_spline(table, np.full((len(table) - 2, columns), cutoff_variance(AXES, rate)))
    smooth = smooth - smooth.mean(axis=0)
    shared = smooth.T @ smooth / len(table)
    axes = np.eye(columns)
    joints = np.arange(3 * (columns // 3)).reshape(-1, 3)
    axes[joints[:, :, None], joints[:, None, :]] = np.linalg.eigh(shared[joints[:, :, None], joints[:, None, :]])[1]
    shared = axes.T @ shared @ axes
    moving: Ints = np.flatnonzero(np.diag(shared) > denoise_settings(len(table), rate).together)
    if len(moving) > 1:
        axes[:, moving] = axes[:, moving] @ np.linalg.eigh(shared[np.ix_(moving, moving)])[1]
    return axes


# ---- Compiled smoothing. Import this only through ``compiled``.
#
# All loops run over frames without, over curves within, so that several curves are worked at once.


@compile_kernel
def denoise_kernel(table, columns, edges, units, amount, settings, made):  # type: ignore[no-untyped-def]
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
