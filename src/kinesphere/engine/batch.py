"""Ragged batches: the frames of several performances in one array, with smoothing, delays and differences in time.

A crowd is one long array, and every step of the engine is one call. A performance holds its first frame before its
start and its last frame after its end; a loop is periodic, its last frame being its first again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.maths.vectors import Bools, Floats, Ints

RATE = 60.0  # frames per second


class BatchRows(NamedTuple):
    """Where the P performances of a batch are, for native loops."""

    starts: Ints  # (P,) first frame
    counts: Ints  # (P,) frames
    loops: Bools  # (P,) whether it is periodic

    def select(self, part: slice) -> BatchRows:
        """Some of the performances."""
        return BatchRows(self.starts[part], self.counts[part], self.loops[part])


@dataclass(frozen=True, eq=False)
class Batch:
    """Performances one after the other.

    Attributes
    ----------
    counts
        Frames of each performance.
    loops
        Whether each is periodic.
    rate
        Frames a second.
    """

    counts: tuple[int, ...]
    loops: tuple[bool, ...]
    rate: float = RATE

    @cached_property
    def _length(self) -> int:
        return sum(self.counts)

    def __len__(self) -> int:
        return self._length

    @cached_property
    def rows(self) -> BatchRows:
        """The same as arrays."""
        counts = np.array(self.counts, dtype=np.intp)
        return BatchRows(np.cumsum(counts) - counts, counts, np.array(self.loops, dtype=np.bool_))

    @cached_property
    def performance(self) -> Ints:
        """``(F,)`` the performance that a frame belongs to."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @cached_property
    def first(self) -> Ints:
        """``(F,)`` the first frame of its performance."""
        return np.repeat(self.rows.starts, self.counts)

    @cached_property
    def time(self) -> Floats:
        """``(F,)`` seconds from the start of its performance."""
        return np.asarray((np.arange(len(self)) - self.first) / self.rate)

    @cached_property
    def both_sides(self) -> Batch:
        """All performances twice, for their left arms and then their right ones."""
        return Batch(self.counts * 2, self.loops * 2, self.rate)

    @cached_property
    def slices(self) -> list[slice]:
        """The frames of each performance."""
        ends = accumulate(self.counts)
        return [slice(end - count, end) for end, count in zip(ends, self.counts, strict=True)]

    def smooth(self, values: Floats, seconds: float) -> Floats:
        """Gaussian smoothing in time of values ``(F, ...)``; ``seconds`` is σ."""
        rows = np.ascontiguousarray(values).reshape(len(values), -1)
        made = np.empty(rows.shape)
        _native.batch.smooth(self.rows, rows, _gaussian_weights(seconds, self.rate), made)
        return made.reshape(values.shape)

    def delay(self, values: Floats, seconds: float) -> Floats:
        """Delay values ``(F, ...)`` by ``seconds``, linearly between frames; a negative delay advances them."""
        rows = np.ascontiguousarray(values).reshape(len(values), -1)
        made = np.empty(rows.shape)
        _native.batch.delay(self.rows, rows, seconds * self.rate, made)
        return made.reshape(values.shape)

    def velocity(self, values: Floats) -> Floats:
        """Change per second of values ``(F, ...)``, by central differences."""
        made = np.empty_like(values)
        made[1:-1] = (values[2:] - values[:-2]) * (0.5 * self.rate)
        for frames, loop in zip(self.slices, self.loops, strict=True):
            first, last = frames.start, frames.stop - 1
            if last == first:
                made[first] = 0.0
            elif loop:
                made[[first, last]] = (values[first + 1] - values[last - 1]) * (0.5 * self.rate)
            else:
                made[first] = (values[first + 1] - values[first]) * self.rate
                made[last] = (values[last] - values[last - 1]) * self.rate
        return made

    def running_maximum(self, values: Floats, seconds: float) -> Floats:
        """The greatest of the values ``(F,)`` within ``seconds`` before and after each frame."""
        made = np.empty(len(values))
        _native.batch.running_maximum(self.rows, np.ascontiguousarray(values), round(seconds * self.rate), made)
        return made


@lru_cache(maxsize=64)
def _gaussian_weights(seconds: float, rate: float) -> Floats:
    """``(R + 1,)`` one half of a Gaussian, its middle first; ``seconds`` is σ."""
    reach = math.ceil(3.5 * seconds * rate)
    weights = np.exp(-0.5 * (np.arange(reach + 1) / max(seconds * rate, 1e-9)) ** 2)
    weights /= weights[0] + 2.0 * weights[1:].sum()
    return np.asarray(weights)
