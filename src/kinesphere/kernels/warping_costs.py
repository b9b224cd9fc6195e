"""What a timewarp costs: two ways of saying how unlike two signals are. ``warping`` has the equations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinesphere.kernels.arrays import ArrayLike, Floats, floats

_STEADY = 1e-8  # of the largest number: usual steps below it are rounding, not movement
_STRAIGHT = 1e-4  # radians: mean turns below it are rounding, not shape


@dataclass(frozen=True, eq=False)
class ShapeCost:
    """The work to stretch and bend one signal into the other.

    Attributes
    ----------
    stretch, bend
        What the two kinds of work count.
    pace
        How long a frame is, in steps of usual size (root mean square) from frame to frame. Most numbers at most moments
        move far less than that; a tenth of it proved best on walks.
    weights : (D,), or None
        What each degree of freedom counts; None is one each.
    """

    stretch: float = 1.0
    bend: float = 0.5
    pace: float = 0.1
    weights: ArrayLike | None = None

    def __post_init__(self) -> None:
        if not (np.isfinite([self.stretch, self.bend]).all() and min(self.stretch, self.bend) >= 0.0):
            raise ValueError(f"stretch is {self.stretch}, bend {self.bend}; expected neither below zero")
        if self.stretch == self.bend == 0.0:
            raise ValueError("stretch and bend are both zero: all paths would cost nothing")
        if not (np.isfinite(self.pace) and self.pace > 0.0):
            raise ValueError(f"the pace is {self.pace}; expected a number above zero")


@dataclass(frozen=True, eq=False)
class PoseCost:
    """The distance between frames that are matched, summed along the path.

    Attributes
    ----------
    penalty
        What each step costs besides at which one signal waits.
    distance
        ``distance(some (n, D), others (m, D))`` gives the distances ``(n, m)``; None is the Euclidean one. It is called
        for some frames at a time.
    """

    penalty: float = 0.0
    distance: Callable[[Floats, Floats], Floats] | None = None

    def __post_init__(self) -> None:
        if not (np.isfinite(self.penalty) and self.penalty >= 0.0):
            raise ValueError(f"the penalty is {self.penalty}; expected zero or more")


def measured(a: Floats, b: Floats, cost: ShapeCost) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Lengths of segments and turns at frames of both signals, ``(N, D)`` and ``(M, D)``, with all weights in them.

    A segment counts with the frame it ends at. There is none at the first frame, and no turn at the first and last.
    """
    weights = _weights(cost, a.shape[1])
    steps = np.diff(a, axis=0), np.diff(b, axis=0)
    count = len(steps[0]) + len(steps[1])
    usual = _usual_step(steps, weights, count)
    largest = max(float(np.abs(a).max()), float(np.abs(b).max()))
    unit = cost.pace * max(usual, _STEADY * largest) or 1.0
    slopes = [step / unit for step in steps]  # a frame is 1 now, in any unit
    lengths = [_after_first(np.sqrt(1.0 + slope * slope) * weights) for slope in slopes]
    turns = [np.zeros(signal.shape) for signal in (a, b)]
    for turn, slope in zip(turns, slopes, strict=True):
        turn[1:-1] = np.diff(np.arctan(slope), axis=0) * weights
    if count:
        length = (lengths[0].sum() + lengths[1].sum()) / count
        turned = (np.abs(turns[0]).sum() + np.abs(turns[1]).sum()) / count
        for values, share in (
            (lengths, cost.stretch / length),
            (turns, cost.bend / max(turned, _STRAIGHT * weights.sum())),
        ):
            values[0] *= share
            values[1] *= share
    return (lengths[0], lengths[1]), (turns[0], turns[1])


def _weights(cost: ShapeCost, numbers: int) -> Floats:
    if cost.weights is None:
        return np.ones(numbers)
    weights = floats(cost.weights)
    if weights.shape != (numbers,):
        raise ValueError(f"weights have shape {weights.shape}; the signals have {numbers} numbers a frame")
    if not (np.isfinite(weights).all() and (weights >= 0.0).all() and weights.any()):
        raise ValueError("weights should be finite, none below zero, and not all zero")
    return weights


def _usual_step(steps: tuple[Floats, Floats], weights: Floats, count: int) -> float:
    if count == 0:
        return 0.0
    squares = sum(float(np.einsum("td,td,d->", step, step, weights)) for step in steps)
    return float(np.sqrt(squares / (count * weights.sum())))


def _after_first(segments: Floats) -> Floats:
    return np.concatenate([np.zeros((1, segments.shape[1])), segments])
