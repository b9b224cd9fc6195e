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

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinesphere.kernels import compiled
from kinesphere.kernels.arrays import Bools, Floats, Ints, within

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


class Settings(NamedTuple):
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


def settings(frames: int, rate: float) -> Settings:
    """The settings for so many frames at a rate."""
    guess, slow, axes = (variance(hertz, rate) for hertz in (START, SLOW, AXES))
    stir, drift, together = (above(hertz * frames / rate) for hertz in (START, SLOW, AXES))
    calm = HISS * guess**1.25
    return Settings(
        guess, least(frames, rate), LOOSE, axes, slow, memory(LONG * rate), memory(SHORT * rate),
        drift * LEFT * slow**0.25, stir * calm, ONSET * calm, together * LEFT * axes**0.25,
        WAVES, HISS, EASE, SURGE, MORE, ROUNDS,
    )  # fmt: skip


def above(waves: float) -> float:
    """How many times its mean square noise of so many waves may well be, by chance: twice as many numbers tell it."""
    return 1.0 + CHANCE / float(np.sqrt(max(waves, 0.5)))


def noise(signal: Floats) -> Floats:
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


def variance(hertz: float, rate: float) -> float:
    """The q of a spline that lets movement up to so many waves a second through."""
    return float((2.0 * np.sin(np.pi * min(hertz / rate, 0.5))) ** 4)


def calmed(table: Floats, rate: float) -> Floats:
    """Curves ``(T, C)`` of one limb, in units of their noise, without it."""
    return without_noise(table, [np.arange(table.shape[1])], np.ones(table.shape[1]), 1.0, rate)


def without_noise(table: Floats, limbs: Sequence[Ints], units: Floats, amount: float, rate: float) -> Floats:
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
                made[:, columns] += amount * units[columns] * (calmed_reference(own, rate) - own)
        return made
    values, known = np.ascontiguousarray(table), settings(len(table), rate)

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


def least(frames: int, rate: float) -> float:
    """The q of a curve at rest: no less than so many frames can tell, which also keeps the equations sound."""
    return variance(max(SLOWEST, 0.1 * rate / frames), rate)


def calmed_reference(table: Floats, rate: float) -> Floats:
    """The same in plain NumPy."""
    centre = table.mean(axis=0)
    axes = movement_axes(table - centre, rate)
    change = calmed_axes(np.ascontiguousarray((table - centre) @ axes), rate) @ axes.T + centre - table
    size = np.sqrt(averaged(change * change, LONG * rate))
    return np.asarray(table + change * MORE / np.maximum(size, MORE))


def calmed_axes(table: Floats, rate: float) -> Floats:
    """Curves ``(T, C)`` along the axes of their movement, without noise."""
    lowest, rest = least(len(table), rate), at_rest(table, rate)
    made = spline(table, np.full((len(table) - 2, table.shape[1]), lowest))
    live = table[:, ~rest]
    q = np.full((len(live) - 2, live.shape[1]), variance(START, rate))
    for _ in range(ROUNDS):
        energy = np.diff(spline(live, q), 2, axis=0) ** 2 - HISS * q * np.sqrt(np.sqrt(q))
        own = np.maximum(averaged(energy, LONG * rate), 0.0)
        together = np.maximum(averaged(energy.sum(axis=1), SHORT * rate), 0.0)
        surge = np.minimum(together / np.maximum(own.sum(axis=1), 1e-300), SURGE)
        found = own * surge[:, None] / WAVES
        q = within(EASE * np.sqrt(found * np.sqrt(found)), lowest, LOOSE)
    made[:, ~rest] = spline(live, q)
    return made


def at_rest(table: Floats, rate: float) -> Bools:
    """``(C,)`` which curves show no movement, neither slow nor fast nor a moment of it."""
    known = settings(len(table), rate)
    drift = spline(table, np.full((len(table) - 2, table.shape[1]), known.slow)).var(axis=0)
    energy = np.diff(spline(table, np.full((len(table) - 2, table.shape[1]), known.guess)), 2, axis=0) ** 2
    calm = (energy.mean(axis=0) < known.stir) & (averaged(energy, LONG * rate).max(axis=0) < known.onset)
    return np.asarray(calm & (drift < known.drift))


def spline(table: Floats, q: Floats) -> Floats:
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


def memory(frames: float) -> float:
    """What an exponential average keeps from frame to frame, for a spread of so many frames (both ways together)."""
    more = 1.0 + 1.0 / max(frames, 1e-6) ** 2
    return float(more - np.sqrt(more * more - 1.0))


def averaged(values: Floats, frames: float) -> Floats:
    """Values ``(T, ...)`` averaged over the frames before and after that there are, exponentially."""
    keep, count = memory(frames), len(values)
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
    smooth = spline(table, np.full((len(table) - 2, columns), variance(AXES, rate)))
    smooth = smooth - smooth.mean(axis=0)
    shared = smooth.T @ smooth / len(table)
    axes = np.eye(columns)
    joints = np.arange(3 * (columns // 3)).reshape(-1, 3)
    axes[joints[:, :, None], joints[:, None, :]] = np.linalg.eigh(shared[joints[:, :, None], joints[:, None, :]])[1]
    shared = axes.T @ shared @ axes
    moving: Ints = np.flatnonzero(np.diag(shared) > settings(len(table), rate).together)
    if len(moving) > 1:
        axes[:, moving] = axes[:, moving] @ np.linalg.eigh(shared[np.ix_(moving, moving)])[1]
    return axes
