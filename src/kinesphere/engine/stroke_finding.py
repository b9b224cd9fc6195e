"""Stroke detection: when a part of the body leaves one place and arrives at the next, from the speed of its path.

A stroke is one rise and fall of speed. Its ends are valleys of the speed that are deep enough for the smaller of the
peaks beside them: deeper where the path goes straight on (there it is a via) than where it turns back or aside (a goal,
however short the stop). The shallowest valleys are dropped first. Movements that hardly travel are no strokes but life
within a hold: small ones count where they are quick, slow ones where they go far. All of it takes time in proportion to
the number of frames.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.body.ground import smooth_gaussian
from kinesphere.maths.filters import derivative
from kinesphere.maths.vectors import Bools, Floats, Ints, norms

SMOOTH = 0.02  # seconds of σ: tracking noise is quicker
STRAIGHT_VALLEY, CORNER_VALLEY = 0.45, 0.85  # of the smaller peak beside it that a valley's speed is at most
CORNER_SPAN, CORNER_COSINE = 0.09, 0.35  # seconds before and after a valley, and the cosine below which it is a corner
STILL = 0.12  # of a stroke's peak speed below which its ends are still
SLOWEST = 0.10  # limb lengths a second below which nothing moves
LEAST_TRAVEL = 0.09  # limb lengths from its start that a stroke goes at least
QUICK = 10.0  # times the slowest speed: a peak below it counts in proportion, so what is slow must go farther
JOINED = 0.12  # seconds: strokes nearer to each other have no hold between them


class FoundStrokes(NamedTuple):
    """S strokes of one path, in frames, in order and without overlap."""

    starts: Ints  # (S,)
    peaks: Ints  # (S,) when it is fastest
    ends: Ints  # (S,)
    travels: Floats  # (S,) how far it goes from its start at most, in the path's unit

    def __len__(self) -> int:
        return len(self.starts)


def find_strokes(
    path: Floats, rate: float, least_travel: float = LEAST_TRAVEL, slowest: float = SLOWEST
) -> FoundStrokes:
    """The strokes of a path ``(T, D)`` in limb lengths."""
    nowhere = np.zeros(0, dtype=np.intp)
    none = FoundStrokes(nowhere, nowhere, nowhere, np.zeros(0))
    if len(path) < 4:
        return none
    smooth = smooth_gaussian(path, rate, SMOOTH)
    velocity = derivative(smooth, rate)
    speed = norms(velocity)
    peaks, valleys = _moves(velocity, speed, rate)
    bounds = np.concatenate([[0], valleys, [len(speed) - 1]])
    rows = []
    for first, last, peak in zip(bounds[:-1].tolist(), bounds[1:].tolist(), peaks.tolist(), strict=True):
        fast = speed[first : last + 1] > max(STILL * speed[peak], slowest)
        if not fast.any():
            continue
        start, end = first + int(np.argmax(fast)), last - int(np.argmax(fast[::-1]))
        travel = float(norms(smooth[start : end + 1] - smooth[start]).max())
        least = least_travel * max(1.0, QUICK * slowest / float(speed[peak]))
        if travel >= least and end > start:
            rows.append((start, peak, end, travel))
    if not rows:
        return none
    starts, middles, ends, travels = (np.array(column) for column in zip(*rows, strict=True))
    return FoundStrokes(*_join(starts, middles, ends, speed, JOINED * rate), travels)


def _moves(velocity: Floats, speed: Floats, rate: float) -> tuple[Ints, Ints]:
    """Frames of P peaks of the speed and of the P − 1 valleys between them that are deep enough."""
    rising = np.diff(speed) > 0.0
    turns = np.flatnonzero(rising[1:] != rising[:-1]) + 1
    peaks, valleys = turns[rising[turns - 1]], turns[~rising[turns - 1]]
    if not len(peaks):
        return np.array([int(np.argmax(speed))]), np.zeros(0, dtype=np.intp)
    valleys = valleys[(valleys > peaks[0]) & (valleys < peaks[-1])]
    limits = np.where(_corners(velocity, valleys, rate), CORNER_VALLEY, STRAIGHT_VALLEY)
    while len(valleys):
        shallow = speed[valleys] / np.maximum(np.minimum(speed[peaks[:-1]], speed[peaks[1:]]), 1e-12) / limits
        beside = np.concatenate([[-np.inf], shallow, [-np.inf]])
        drop = (shallow > 1.0) & (shallow >= beside[:-2]) & (shallow > beside[2:])
        if not drop.any():
            break
        gone = np.flatnonzero(drop)  # no two beside each other: of the peaks around each the lower one goes
        lower = np.where(speed[peaks[gone]] < speed[peaks[gone + 1]], gone, gone + 1)
        peaks = np.delete(peaks, lower)
        valleys, limits = valleys[~drop], limits[~drop]
    return peaks, valleys


def _corners(velocity: Floats, valleys: Ints, rate: float) -> Bools:
    """Whether the path turns back or aside at each valley."""
    span = max(round(CORNER_SPAN * rate), 1)
    before = velocity[np.maximum(valleys - span, 0)]
    after = velocity[np.minimum(valleys + span, len(velocity) - 1)]
    return np.asarray(np.sum(before * after, axis=1) < CORNER_COSINE * norms(before) * norms(after))


def _join(starts: Ints, peaks: Ints, ends: Ints, speed: Floats, gap: float) -> tuple[Ints, Ints, Ints]:
    """Strokes with nothing between those that follow each other at once: they meet where it is slowest."""
    for i in np.flatnonzero(starts[1:] - ends[:-1] <= gap).tolist():
        meet = int(ends[i]) + int(np.argmin(speed[ends[i] : starts[i + 1] + 1]))
        ends[i] = starts[i + 1] = meet
    return starts, peaks, ends
