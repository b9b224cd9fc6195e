"""Compiled filters along time, for kernels of feet to build on. Import this only through ``compiled``.

Their plain twins are in ``body.ground``: ``smoothed_reference``, ``velocities``, ``grown``, ``spread`` and ``bell``.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.maths.compiled import compile_kernel
from kinesphere.maths.vectors import Floats


@compile_kernel
def gaussian_weights_kernel(reach, rate, sigma):  # type: ignore[no-untyped-def]
    """Weights (2 · reach + 1,) of the low-pass: integrals of a bell over frames."""
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


@compile_kernel
def gaussian_radius(sigma, rate, frames):  # type: ignore[no-untyped-def]
    """Frames to each side that the low-pass looks at."""
    return min(math.ceil(4.0 * sigma * rate), frames - 1)


@compile_kernel
def gaussian_row(values, first, last, weights, t, row):  # type: ignore[no-untyped-def]
    """One frame of (T, C), low-passed into (C,); beyond ``first`` and ``last`` values go on as they came, turned."""
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


@compile_kernel
def gaussian_kernel(values, rate, sigma, out):  # type: ignore[no-untyped-def]
    """All frames of (T, C), low-passed."""
    frames = values.shape[0]
    reach = gaussian_radius(sigma, rate, frames)
    if reach < 1:
        out[:] = values
        return
    weights = gaussian_weights_kernel(reach, rate, sigma)
    for t in range(frames):
        gaussian_row(values, 0, frames - 1, weights, t, out[t])


@compile_kernel
def velocity_kernel(values, first, last, t, half, rate, row):  # type: ignore[no-untyped-def]
    """The velocity (C,) of (T, C) in frame ``t``, over ``half`` frames to both sides, from frames between two."""
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


@compile_kernel
def speeds_kernel(paths, half, rate, speed):  # type: ignore[no-untyped-def]
    """Speeds (T, P) of paths (T, P, 3)."""
    frames = paths.shape[0]
    row = np.empty(3)
    for t in range(frames):
        for i in range(paths.shape[1]):
            velocity_kernel(paths[:, i], 0, frames - 1, t, half, rate, row)
            speed[t, i] = math.sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2])


@compile_kernel
def running_maximum_kernel(values, first, last, span, out):  # type: ignore[no-untyped-def]
    """The greatest of values (T,), none below zero, within ``span`` frames, between two frames."""
    queue = np.empty(last + 1, dtype=np.int64)  # those that may still be the greatest, falling
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


@compile_kernel
def bell_kernel(values, first, last, span, out):  # type: ignore[no-untyped-def]
    """Values (T,) spread by a bell that ends ``span + 1`` frames away, held beyond the first and last frame."""
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


@compile_kernel
def frame_count(seconds, rate):  # type: ignore[no-untyped-def]
    """So many seconds in frames, at least one."""
    return max(int(seconds * rate), 1)


@compile_kernel
def second_difference_length(values, t):  # type: ignore[no-untyped-def]
    """The length of the second difference of (T, 3) in a frame."""
    x = values[t - 1, 0] - 2.0 * values[t, 0] + values[t + 1, 0]
    y = values[t - 1, 1] - 2.0 * values[t, 1] + values[t + 1, 1]
    z = values[t - 1, 2] - 2.0 * values[t, 2] + values[t + 1, 2]
    return math.sqrt(x * x + y * y + z * z)


# ---- A low-pass without delay, and derivatives after it.
#
# Differentiating multiplies noise by frequency, so nothing is differentiated before it is smoothed; and a filter that
# delays would move a stroke's peak, which is one of the things that are measured. A Gaussian is symmetric, has no
# ripple,
# and is the same filter at any frame rate.


CUT = 8.0  # hertz, where half of the power is left: voluntary movement is below, tracking noise above


def low_pass(values: Floats, rate: float, cut: float = CUT) -> Floats:
    """``(T, ...)`` smoothed along time. Beyond the ends values go on as their point reflection: lines stay lines."""
    width = np.sqrt(np.log(2.0)) / (2.0 * np.pi * cut) * rate  # of the bell, in frames
    reach = min(int(np.ceil(4.0 * width)), len(values) - 1)
    if reach < 1:
        return values
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    bell /= bell.sum()
    before = 2.0 * values[:1] - values[reach:0:-1]
    after = 2.0 * values[-1:] - values[-2 : -reach - 2 : -1]
    padded = np.concatenate([before, values, after])
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis=0)
    smooth: Floats = windows @ bell
    return smooth


def derivative(values: Floats, rate: float) -> Floats:
    """``(T, ...)`` a second; central differences."""
    if len(values) < 2:
        return np.zeros_like(values)
    changed: Floats = np.gradient(values, axis=0) * rate
    return changed


def lengths(vectors: Floats) -> Floats:
    """Lengths of the last axis' vectors."""
    norms: Floats = np.linalg.norm(vectors, axis=-1)
    return norms
