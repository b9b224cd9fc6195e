"""Curves through keys, without corners: monotone cubics, rounded by a narrow Gaussian."""

from __future__ import annotations

import numpy as np

from kinesphere.kernels.arrays import ArrayLike, Floats, floats

ROUND = 0.035  # seconds: the Gaussian's σ


def keyed(times: ArrayLike, values: ArrayLike, at: Floats, period: float | None = None) -> Floats:
    """A monotone cubic (Fritsch and Butland's slopes) through ``values (N,)``, held outside, or periodic."""
    t, v = floats(times), floats(values)
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


def rounded(values: Floats, rate: float, seconds: float = ROUND, loop: bool = False) -> Floats:
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


def delayed(values: Floats, rate: float, seconds: float, loop: bool = False) -> Floats:
    """The values ``(T,)`` a little later; before zero, earlier."""
    frames = np.arange(len(values)) - seconds * rate
    if loop:
        frames = np.mod(frames, len(values) - 1)
    later: Floats = np.interp(frames, np.arange(len(values)), values)
    return later


def ramp(at: Floats, start: float, end: float) -> Floats:
    """From 0 to 1 without a corner or a jolt."""
    u = np.clip((at - start) / (end - start), 0.0, 1.0)
    return np.asarray(u**3 * (10.0 - 15.0 * u + 6.0 * u * u), dtype=np.float64)
