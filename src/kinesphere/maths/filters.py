"""Filters along time without delay: Gaussian low-pass, running maximum, derivatives.

Differentiating multiplies noise by frequency, so nothing is differentiated before it is smoothed; and a filter that
delays would move a stroke's peak, which is one of the things that are measured. A Gaussian is symmetric, has no ripple,
and is the same filter at any frame rate.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np

from kinesphere.maths.compiled import jit
from kinesphere.maths.vectors import Floats, norms

GaussianEnds: TypeAlias = Literal["hold", "reflect", "point", "wrap"]

CUT = 8.0  # hertz, where half of the power is left: voluntary movement is below, tracking noise above


def gaussian(
    values: Floats, sigma: float, *, ends: GaussianEnds = "hold", radius: int | None = None, integrate: bool = False
) -> Floats:
    """Values ``(T, ...)`` smoothed along time by a Gaussian of ``sigma`` frames.

    Parameters
    ----------
    ends
        How values go on beyond the first and the last frame. "hold" repeats it. "reflect" mirrors time about it.
        "point" mirrors time and value about it, so that straight lines stay straight to their ends. "wrap" is for
        loops, whose last frame is the first again.
    radius
        Frames to each side that count; as a rule ⌈4 σ⌉. Reflections reach no farther than the other end.
    integrate
        Weigh by integrals of the bell over frames instead of by its values there. A frame stands for the time around
        it, so this stays right where sigma is below a frame.
    """
    frames = len(values)
    radius = math.ceil(4.0 * sigma) if radius is None else radius
    if ends in ("reflect", "point"):
        radius = min(radius, frames - 1)
    if radius < 1 or frames < 2:
        return values.copy()
    windows = np.lib.stride_tricks.sliding_window_view(_extend(values, radius, ends), 2 * radius + 1, axis=0)
    return np.asarray(windows @ gaussian_weights(sigma, radius, integrate))


def gaussian_weights(sigma: float, radius: int, integrate: bool = False) -> Floats:
    """Weights ``(2 radius + 1,)``, 1 in sum, of a Gaussian of ``sigma`` frames."""
    if integrate:
        edges = (np.arange(-radius, radius + 2) - 0.5) / (sigma * math.sqrt(2.0))
        weights = np.diff([math.erf(edge) for edge in edges])
    else:
        weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    return np.asarray(weights / weights.sum())


def _extend(values: Floats, radius: int, ends: GaussianEnds) -> Floats:
    """The values ``(T, ...)`` with ``radius`` more at both ends."""
    if ends in ("hold", "wrap"):
        at = np.arange(-radius, len(values) + radius)
        return values[at % (len(values) - 1) if ends == "wrap" else np.clip(at, 0, len(values) - 1)]
    before, after = values[radius:0:-1], values[-2 : -radius - 2 : -1]
    if ends == "point":
        before, after = 2.0 * values[:1] - before, 2.0 * values[-1:] - after
    return np.concatenate([before, values, after])


def running_maximum(values: Floats, radius: int, axis: int = 0) -> Floats:
    """The greatest value within ``radius`` frames along an axis, of those that there are."""
    result = np.moveaxis(np.asarray(values, dtype=np.float64), axis, 0)
    count = len(result)
    if radius < 1 or count < 2:
        return np.array(values, dtype=np.float64)
    result = result[np.clip(np.arange(-radius, count + radius), 0, count - 1)]
    width, window = 1, 2 * radius + 1
    while width < window:  # maxima of 1, 2, 4 … frames; the last two windows overlap
        step = min(width, window - width)
        result = np.maximum(result[:-step], result[step:])
        width += step
    return np.ascontiguousarray(np.moveaxis(result, 0, axis))


def low_pass(values: Floats, rate: float, cut: float = CUT) -> Floats:
    """``(T, ...)`` smoothed along time; beyond the ends it goes on as its point reflection, so lines stay lines.

    ``cut`` is in hertz, where half of the power is left.
    """
    return gaussian(values, math.sqrt(math.log(2.0)) / (2.0 * math.pi * cut) * rate, ends="point")


def derivative(values: Floats, rate: float) -> Floats:
    """``(T, ...)`` a second; central differences."""
    if len(values) < 2:
        return np.zeros_like(values)
    changed: Floats = np.gradient(values, axis=0) * rate
    return changed


def lengths(vectors: Floats) -> Floats:
    """Lengths of the last axis' vectors."""
    return norms(vectors)


# Loops for compiled code to build on


@jit
def gaussian_weights_kernel(reach, rate, sigma):  # type: ignore[no-untyped-def]
    """Weights ``(2 · reach + 1,)`` of a Gaussian of ``sigma`` seconds: its integrals over frames."""
    weights = np.empty(2 * reach + 1)
    scale, total = 1.0 / (rate * sigma * math.sqrt(2.0)), 0.0
    before = math.erf((-reach - 0.5) * scale)
    for i in range(2 * reach + 1):
        after = math.erf((i - reach + 0.5) * scale)
        weights[i] = after - before
        total += after - before
        before = after
    for i in range(2 * reach + 1):
        weights[i] /= total
    return weights


@jit
def gaussian_radius(sigma, rate, frames):  # type: ignore[no-untyped-def]
    """Frames to each side that a Gaussian of ``sigma`` seconds takes in."""
    return min(math.ceil(4.0 * sigma * rate), frames - 1)


@jit
def gaussian_row(values, first, last, weights, t, row):  # type: ignore[no-untyped-def]
    """One frame of ``(T, C)``, smoothed into ``(C,)``; beyond ``first`` and ``last`` its point reflection goes on."""
    reach = weights.size // 2
    columns = values.shape[1]
    for c in range(columns):
        row[c] = 0.0
    for k in range(2 * reach + 1):
        i = t + k - reach
        w = weights[k]
        if i < first:
            for c in range(columns):
                row[c] += w * (2.0 * values[first, c] - values[2 * first - i, c])
        elif i > last:
            for c in range(columns):
                row[c] += w * (2.0 * values[last, c] - values[2 * last - i, c])
        else:
            for c in range(columns):
                row[c] += w * values[i, c]


@jit
def gaussian_kernel(values, rate, sigma, out):  # type: ignore[no-untyped-def]
    """All frames of ``(T, C)``, smoothed."""
    frames = values.shape[0]
    reach = gaussian_radius(sigma, rate, frames)
    if reach < 1:
        out[:] = values
        return
    weights = gaussian_weights_kernel(reach, rate, sigma)
    for t in range(frames):
        gaussian_row(values, 0, frames - 1, weights, t, out[t])


@jit
def velocity_kernel(values, first, last, t, half, rate, row):  # type: ignore[no-untyped-def]
    """The velocity ``(C,)`` of ``(T, C)`` in frame ``t``, over ``half`` frames on both sides in ``first … last``."""
    frames = last - first + 1
    if frames < 2:
        for c in range(row.size):
            row[c] = 0.0
        return
    start, end = max(t - first - half, 0.0), min(t - first + half, frames - 1.0)
    i, j = min(int(start), frames - 2), min(int(end), frames - 2)
    a, b, across = start - i, end - j, (end - start) / rate
    i, j = i + first, j + first
    for c in range(row.size):
        there = values[j, c] + b * (values[j + 1, c] - values[j, c])
        row[c] = (there - (values[i, c] + a * (values[i + 1, c] - values[i, c]))) / across


@jit
def speeds_kernel(paths, half, rate, speed):  # type: ignore[no-untyped-def]
    """Speeds ``(T, P)`` of paths ``(T, P, 3)``, over ``half`` frames to both sides."""
    frames = paths.shape[0]
    row = np.empty(3)
    for t in range(frames):
        for i in range(paths.shape[1]):
            velocity_kernel(paths[:, i], 0, frames - 1, t, half, rate, row)
            speed[t, i] = math.sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2])


@jit
def running_maximum_kernel(values, first, last, span, out):  # type: ignore[no-untyped-def]
    """The greatest of values ``(T,)`` within ``span`` frames, of frames ``first … last``."""
    queue = np.empty(last + 1, dtype=np.int64)  # frames that may still be the greatest, values falling
    head, tail, taken = 0, 0, first
    for t in range(first, last + 1):
        while taken <= min(t + span, last):
            while tail > head and values[queue[tail - 1]] <= values[taken]:
                tail -= 1
            queue[tail] = taken
            tail += 1
            taken += 1
        while queue[head] < t - span:
            head += 1
        out[t] = values[queue[head]]


@jit
def bell_kernel(values, first, last, span, out):  # type: ignore[no-untyped-def]
    """Values ``(T,)`` through a Hann window that ends ``span + 1`` frames away, held beyond ``first`` and ``last``."""
    weights = np.empty(2 * span + 1)
    total = 0.0
    for k in range(2 * span + 1):
        weights[k] = 0.5 - 0.5 * math.cos(math.pi * (k + 1) / (span + 1))
        total += weights[k]
    for t in range(first, last + 1):
        found = 0.0
        if first <= t - span and t + span <= last:
            for k in range(2 * span + 1):
                found += weights[k] * values[t - span + k]
        else:
            for k in range(2 * span + 1):
                found += weights[k] * values[min(max(t + k - span, first), last)]
        out[t] = found / total


@jit
def frame_count(seconds, rate):  # type: ignore[no-untyped-def]
    """Seconds in whole frames, at least one."""
    return max(int(seconds * rate), 1)


@jit
def second_difference_length(values, t):  # type: ignore[no-untyped-def]
    """The length of the second difference of ``(T, 3)`` in a frame."""
    x = values[t - 1, 0] - 2.0 * values[t, 0] + values[t + 1, 0]
    y = values[t - 1, 1] - 2.0 * values[t, 1] + values[t + 1, 1]
    z = values[t - 1, 2] - 2.0 * values[t, 2] + values[t + 1, 2]
    return math.sqrt(x * x + y * y + z * z)
