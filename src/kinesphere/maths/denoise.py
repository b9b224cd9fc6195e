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

from kinesphere import _native
from kinesphere.maths.threads import share_work
from kinesphere.maths.vectors import Floats, Ints

MIN_FRAMES = 8  # fewer don't tell movement from noise
MOVEMENT_POWER = 0.354  # 1/√8: ∫ 1 / (1 + u⁴) du / 2π
NOISE_POWER = 0.0884  # 1/√128: ∫ u⁴ / (1 + u⁴)² du / 2π
NOISE_LEFT = 0.265  # 3/√128: ∫ 1 / (1 + u⁴)² du / 2π; a spline leaves NOISE_LEFT · q^¼ of the noise's variance
START_CUTOFF = 2.5  # Hz: the first guess
AXES_CUTOFF = 5.0  # Hz: movement below it shows the axes of a limb
DRIFT_CUTOFF = 0.5  # Hz: slow movement
REST_CUTOFF = 0.05  # Hz: all that is left of a curve at rest
LONG, SHORT = 0.2, 0.05  # seconds
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
    movement_power: float = MOVEMENT_POWER
    noise_power: float = NOISE_POWER
    max_change: float = MAX_CHANGE


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
        _native.denoise.denoise_limbs(values, columns, edges, units[columns], amount, settings, made)

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
