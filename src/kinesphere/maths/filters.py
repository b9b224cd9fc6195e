"""Filters along time without delay: Gaussian low-pass, running maximum, derivatives.

Differentiating multiplies noise by frequency, so nothing is differentiated before it is smoothed; and a filter that
delays would move a stroke's peak, which is one of the things that are measured. A Gaussian is symmetric, has no ripple,
and is the same filter at any frame rate.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from kinesphere.maths.compiled import jit
from kinesphere.maths.vectors import Bools, Floats, norms

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
        edges = (np.arange(-radius, radius + 2) - 0.5) * (1.0 / (sigma * math.sqrt(2.0)))
        weights = np.diff([math.erf(edge) for edge in edges])
        return np.asarray(weights / sum(weights.tolist()))
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


def smooth_envelope(values: Floats, seconds: float, rate: float) -> Floats:
    """A smooth upper envelope of a signal ``(T,)`` of non-negative values: nowhere below it.

    The running maximum over ``seconds`` to each side, then the mean of that by a Hann window of the same width.
    Every value under the window is the maximum of a neighbourhood that includes the frame, so the mean is not below it.
    The envelope begins and ends up to twice as many seconds away. Used for corrections: complete wherever one is
    needed, and no pops where the need begins.
    """
    if not values.any():
        return values
    span = frame_count(seconds, rate)
    return widen(values, span, span)


def derivative(values: Floats, rate: float) -> Floats:
    """``(T, ...)`` a second; central differences."""
    if len(values) < 2:
        return np.zeros_like(values)
    changed: Floats = np.gradient(values, axis=0) * rate
    return changed


def lengths(vectors: Floats) -> Floats:
    """Lengths of the last axis' vectors."""
    return norms(vectors)


# Compiled filters, of frames that follow each other without a break


def frame_count(seconds: float, rate: float) -> int:
    """Seconds in whole frames, at least one."""
    return max(int(seconds * rate), 1)


def smooth_where(values: Floats, sigma: float, rate: float, where: Floats, out: Floats) -> None:
    """Frames of ``(T, C)`` where a weight ``(T,)`` is above zero, smoothed into ``out``; others stay.

    By a Gaussian of ``sigma`` seconds, as ``gaussian`` with ends "point" and integrated weights.
    """
    radius = min(math.ceil(4.0 * sigma * rate), len(values) - 1)
    weights = _kept_weights(rate * sigma, max(radius, 0))
    gaussian_kernel(values.reshape(-1), values.shape[1], weights, where, out.reshape(-1))


@lru_cache(maxsize=64)
def _kept_weights(sigma: float, radius: int) -> Floats:
    """``gaussian_weights`` that are integrals over frames, kept for the next call: don't change them."""
    return gaussian_weights(sigma, radius, integrate=True)


@jit
def gaussian_kernel(values, columns, weights, where, out):  # type: ignore[no-untyped-def]
    """Frames of ``(T C,)`` where ``(T,)`` is above zero, smoothed; beyond both ends its point reflection goes on.

    Frames in the middle that follow each other are summed weight by weight, over all their columns at once: such a
    loop is vectorised, and every sum keeps its order.
    """
    frames, reach = where.size, weights.size // 2
    t = 0
    while t < frames:
        if not where[t] > 0.0:
            t += 1
            continue
        stop = t + 1
        inside = reach <= t < frames - reach
        while inside and stop < min(frames - reach, t + 64) and where[stop] > 0.0:
            stop += 1
        first, past = t * columns, stop * columns
        for i in range(first, past):
            out[i] = 0.0
        for k in range(2 * reach + 1):
            w, frame = weights[k], t + k - reach
            if inside or 0 <= frame < frames:
                shift = (k - reach) * columns
                for i in range(first, past):
                    out[i] += w * values[i + shift]
            else:
                end = 0 if frame < 0 else frames - 1
                for c in range(columns):
                    mirrored = values[(2 * end - frame) * columns + c]
                    out[first + c] += w * (2.0 * values[end * columns + c] - mirrored)
        t = stop


@jit
def velocity_kernel(values, half, rate, where, out):  # type: ignore[no-untyped-def]
    """Velocities of ``(T, C)`` over ``half`` frames on both sides, in frames where ``(T,)`` is true; others stay."""
    frames = values.shape[0]
    for t in range(frames):
        if not where[t]:
            continue
        start, end = max(t - half, 0.0), min(t + half, frames - 1.0)
        i, j = max(min(int(start), frames - 2), 0), max(min(int(end), frames - 2), 0)
        a, b, across = start - i, end - j, (end - start) / rate
        for c in range(values.shape[1]):
            out[t, c] = 0.0
            if frames > 1:
                there = values[j, c] + b * (values[j + 1, c] - values[j, c])
                out[t, c] = (there - (values[i, c] + a * (values[i + 1, c] - values[i, c]))) / across


def widen(values: Floats | Bools, reach: int, fade: int) -> Floats:
    """The greatest of values ``(T,)`` within ``reach`` frames, then through ``bell_kernel`` of ``fade`` frames."""
    given = np.ascontiguousarray(values, dtype=np.float64)
    wide, smooth = np.empty(given.size), np.empty(given.size)
    running_maximum_kernel(given, reach, wide)
    bell_kernel(wide, fade, smooth)
    return smooth


@jit
def running_maximum_kernel(values, span, out):  # type: ignore[no-untyped-def]
    """The greatest of values ``(T,)`` within ``span`` frames."""
    last = values.size - 1
    queue = np.empty(last + 1, dtype=np.int64)  # frames that may still be the greatest, values falling
    head, tail, taken = 0, 0, 0
    for t in range(last + 1):
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
def bell_kernel(values, span, out):  # type: ignore[no-untyped-def]
    """Values ``(T,)`` through a Hann window that ends ``span + 1`` frames away; both ends' values are held."""
    last = values.size - 1
    weights = np.empty(2 * span + 1)
    total = 0.0
    for k in range(2 * span + 1):
        weights[k] = 0.5 - 0.5 * math.cos(math.pi * (k + 1) / (span + 1))
        total += weights[k]
    for t in range(last + 1):
        found = 0.0
        if span <= t <= last - span:
            for k in range(2 * span + 1):
                found += weights[k] * values[t - span + k]
        else:
            for k in range(2 * span + 1):
                found += weights[k] * values[min(max(t + k - span, 0), last)]
        out[t] = found / total


@jit
def second_differences_kernel(values, performed, out):  # type: ignore[no-untyped-def]
    """Lengths ``(T,)`` of second differences of ``(T, 3)``; 0 at both ends and next to frames not performed."""
    for t in range(out.size):
        square = 0.0
        if 0 < t < out.size - 1 and performed[t - 1] and performed[t] and performed[t + 1]:
            for c in range(3):
                change = values[t - 1, c] - 2.0 * values[t, c] + values[t + 1, c]
                square += change * change
        out[t] = math.sqrt(square)
