"""A low-pass without delay, and derivatives after it.

Differentiating multiplies noise by frequency, so nothing is differentiated before it is smoothed; and a filter that
delays would move a stroke's peak, which is one of the things that are measured. A Gaussian is symmetric, has no ripple,
and is the same filter at any frame rate.
"""

from __future__ import annotations

import numpy as np

from kinesphere.kernels.arrays import Floats

CUT = 8.0  # hertz, where half of the power is left: voluntary movement is below, tracking noise above


def low_passed(values: Floats, rate: float, cut: float = CUT) -> Floats:
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


def rate_of_change(values: Floats, rate: float) -> Floats:
    """``(T, ...)`` a second; central differences."""
    if len(values) < 2:
        return np.zeros_like(values)
    changed: Floats = np.gradient(values, axis=0) * rate
    return changed


def lengths(vectors: Floats) -> Floats:
    """Lengths of the last axis' vectors."""
    norms: Floats = np.linalg.norm(vectors, axis=-1)
    return norms
