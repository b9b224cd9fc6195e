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

from kinesphere import _native
from kinesphere.maths.vectors import ArrayLike, Bools, Floats, as_floats, norms

GaussianEnds: TypeAlias = Literal["hold", "reflect", "point", "wrap"]
_ENDS: dict[GaussianEnds, int] = {"hold": 0, "reflect": 1, "point": 2, "wrap": 3}

LEAST = 1e-5  # of a correction that is noticed
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
    given = np.ascontiguousarray(values, dtype=np.float64)
    made = np.empty(given.shape)
    rows = given.reshape(frames, -1), _kept_weights(sigma, radius, integrate), _ENDS[ends], made.reshape(frames, -1)
    _native.filters.smooth(*rows)
    return made


def gaussian_weights(sigma: float, radius: int, integrate: bool = False) -> Floats:
    """Weights ``(2 radius + 1,)``, 1 in sum, of a Gaussian of ``sigma`` frames."""
    if integrate:
        edges = (np.arange(-radius, radius + 2) - 0.5) * (1.0 / (sigma * math.sqrt(2.0)))
        weights = np.diff([math.erf(edge) for edge in edges])
        return np.asarray(weights / sum(weights.tolist()))
    else:
        weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    return np.asarray(weights / weights.sum())


def reflected_weights(sigma: float, frames: int) -> Floats:
    """Weights of ``gaussian`` with ends "reflect" for so many frames, for native loops: don't change them."""
    return _kept_weights(sigma, max(min(math.ceil(4.0 * sigma), frames - 1), 0), False)


def moving_mean(values: Floats, radius: int) -> Floats:
    """Values ``(T, ...)`` averaged over ``radius`` frames to either side, of those that there are; twice, so smoothly.

    It takes as long however wide it is.
    """
    given = np.ascontiguousarray(values, dtype=np.float64)
    made = np.empty(given.shape)
    if given.size:
        _native.filters.moving_mean(given.reshape(len(given), -1), radius, made.reshape(len(given), -1))
    return made


def running_maximum(values: ArrayLike, radius: int, axis: int = 0) -> Floats:
    """The greatest value within ``radius`` frames along an axis, of those that there are."""
    given = np.moveaxis(as_floats(values), axis, -1)
    rows = np.ascontiguousarray(given).reshape(-1, given.shape[-1])
    greatest = np.empty(rows.shape)
    for row, result in zip(rows, greatest, strict=True):
        _native.filters.running_maximum(row, radius, result)
    return np.ascontiguousarray(np.moveaxis(greatest.reshape(given.shape), -1, axis))


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


# Native filters, of frames that follow each other without a break


def frame_count(seconds: float, rate: float) -> int:
    """Seconds in whole frames, at least one."""
    return max(int(seconds * rate), 1)


def smooth_where(values: Floats, sigma: float, rate: float, where: Floats, out: Floats) -> None:
    """Frames of ``(T, C)`` where a weight ``(T,)`` is above zero, smoothed into ``out``; others stay.

    By a Gaussian of ``sigma`` seconds, as ``gaussian`` with ends "point" and integrated weights.
    """
    radius = min(math.ceil(4.0 * sigma * rate), len(values) - 1)
    weights = _kept_weights(rate * sigma, max(radius, 0), True)
    _native.filters.gaussian(values, weights, where, out)


def smooth_corrections(values: Floats, sigma: float, rate: float) -> Floats:
    """What limits take from values ``(T, C)``, smoothed where there is any, by a Gaussian of ``sigma`` seconds."""
    columns = np.flatnonzero(np.abs(values).max(axis=0, initial=0.0) > LEAST)
    if len(values) < 3 or not len(columns):
        return values
    taken = np.ascontiguousarray(values[:, columns])
    near = widen(np.abs(taken).max(axis=1) > 0.0, 0, math.ceil(4.0 * sigma * rate))
    smooth, made = taken.copy(), values.copy()
    smooth_where(taken, sigma, rate, near, smooth)
    made[:, columns] = smooth
    return made


@lru_cache(maxsize=64)
def _kept_weights(sigma: float, radius: int, integrate: bool) -> Floats:
    """``gaussian_weights``, kept for the next call: don't change them."""
    return gaussian_weights(sigma, radius, integrate)


def widen(values: Floats | Bools, reach: int, fade: int) -> Floats:
    """The greatest of values ``(T,)`` within ``reach`` frames, then through a Hann window.

    It ends ``fade + 1`` frames away; both ends' values are held.
    """
    given = np.ascontiguousarray(values, dtype=np.float64)
    wide = np.empty(given.size)
    _native.filters.widen(given, reach, fade, wide)
    return wide
