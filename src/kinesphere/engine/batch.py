"""Frames of several performances in a row, and what needs to know where one ends: smoothing, delays, differences.

A crowd is then one long array. Before its first frame a performance stands as in the first, after its last as in the
last; a loop goes round, its last frame being its first again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

import numpy as np

from kinesphere.maths import compiled
from kinesphere.maths.vectors import Bools, Floats, Ints, clip

RATE = 60.0  # frames a second


@dataclass(frozen=True, eq=False)
class Batch:
    """Where each performance begins and ends.

    Attributes
    ----------
    counts
        Frames of each performance.
    loops
        Whether each goes round.
    rate
        Frames a second.
    """

    counts: tuple[int, ...]
    loops: tuple[bool, ...]
    rate: float = RATE
    _known: dict[int, Ints] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, counts: tuple[int, ...], loops: tuple[bool, ...], rate: float = RATE) -> Batch:
        """Spans of so many frames each."""
        return cls(counts, loops, rate)

    @cached_property
    def _length(self) -> int:
        return sum(self.counts)

    def __len__(self) -> int:
        return self._length

    @cached_property
    def who(self) -> Ints:
        """``(F,)`` the performance that a frame belongs to."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @cached_property
    def first(self) -> Ints:
        """``(F,)`` the first frame of its performance."""
        return np.repeat(self.limits[0], self.counts)

    @cached_property
    def time(self) -> Floats:
        """``(F,)`` seconds from the start of its performance."""
        return np.asarray((np.arange(len(self)) - self.first) / self.rate)

    @cached_property
    def limits(self) -> tuple[Ints, Ints, Bools]:
        """Of each performance: its first frame, how many it has, and whether it goes round."""
        counts = np.array(self.counts, dtype=np.intp)
        return np.cumsum(counts) - counts, counts, np.array(self.loops, dtype=np.bool_)

    @cached_property
    def twice(self) -> Batch:
        """All performances, and then all of them again: their left sides and their right ones."""
        return Batch.of(self.counts * 2, self.loops * 2, self.rate)

    def slices(self) -> list[slice]:
        """The frames of each performance."""
        return self._slices

    @cached_property
    def _slices(self) -> list[slice]:
        ends = accumulate(self.counts)
        return [slice(end - count, end) for end, count in zip(ends, self.counts, strict=True)]

    def at(self, offsets: int | Ints) -> Ints:
        """The frames ``(F,) + offsets.shape`` that lie so many frames later, held at the ends or round the loop."""
        if isinstance(offsets, int):
            if offsets not in self._known:
                self._known[offsets] = self._at(np.array(offsets, dtype=np.intp))
            return self._known[offsets]
        return self._at(offsets)

    def _at(self, shift: Ints) -> Ints:
        count = np.array(self.counts)[self.who].reshape((-1,) + (1,) * shift.ndim)
        place = (np.arange(len(self)) - self.first).reshape(count.shape) + shift
        held = clip(place, 0, count - 1)
        if any(self.loops):
            round_ = np.mod(place, np.maximum(count - 1, 1))
            held = np.where(np.array(self.loops)[self.who].reshape(count.shape), round_, held)
        return np.asarray(held + self.first.reshape(count.shape), dtype=np.intp)

    def rounded(self, values: Floats, seconds: float) -> Floats:
        """The values ``(F, ...)`` through a Gaussian in time."""
        reach = int(np.ceil(3.5 * seconds * self.rate))
        if reach == 0:
            return values.copy()
        weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (seconds * self.rate)) ** 2)
        weights /= weights.sum()
        flat = values.reshape(len(values), -1)
        kernels = compiled.loaded(flat.size * len(weights))
        if kernels is not None:
            smooth: Floats = np.empty(flat.shape)
            kernels.smooth_rows(np.ascontiguousarray(flat), *self.limits, weights, smooth)
            return smooth.reshape(values.shape)
        return self._rounded(flat, weights, reach).reshape(values.shape)

    def _rounded(self, flat: Floats, weights: Floats, reach: int) -> Floats:
        """The same in plain NumPy, of rows ``(F, C)``."""
        if len(self.counts) == 1:
            return self._filtered(flat, weights, reach)
        taken = flat[self.at(np.arange(-reach, reach + 1))]
        return np.asarray(np.einsum("k,fkc->fc", weights, taken))

    def _filtered(self, flat: Floats, weights: Floats, reach: int) -> Floats:
        """One performance: a plain convolution of each column."""
        ends = np.arange(-reach, len(flat) + reach)
        held = np.mod(ends, max(len(flat) - 1, 1)) if self.loops[0] else clip(ends, 0, len(flat) - 1)
        padded = flat[held]
        windows = np.lib.stride_tricks.sliding_window_view(padded, len(weights), axis=0)
        return np.asarray(windows @ weights)

    def delayed(self, values: Floats, seconds: float) -> Floats:
        """The values ``(F, ...)`` a little later; before zero, earlier."""
        back = -seconds * self.rate
        whole = int(np.floor(back))
        share = back - whole
        kernels = compiled.loaded(values.size)
        if kernels is not None:
            flat = np.ascontiguousarray(values).reshape(len(values), -1)
            made: Floats = np.empty(flat.shape)
            kernels.late_rows(flat, *self.limits, whole, share, made)
            return made.reshape(values.shape)
        return np.asarray((1.0 - share) * values[self.at(whole)] + share * values[self.at(whole + 1)])

    def velocity(self, values: Floats) -> Floats:
        """Change a second of ``(F, ...)``, by central differences."""
        made = np.empty_like(values)
        made[1:-1] = (values[2:] - values[:-2]) * (0.5 * self.rate)
        for frames, loop in zip(self.slices(), self.loops, strict=True):
            first, last = frames.start, frames.stop - 1
            if last == first:
                made[first] = 0.0
            elif loop:
                made[[first, last]] = (values[first + 1] - values[last - 1]) * (0.5 * self.rate)
            else:
                made[first] = (values[first + 1] - values[first]) * self.rate
                made[last] = (values[last] - values[last - 1]) * self.rate
        return made

    def widest(self, values: Floats, seconds: float) -> Floats:
        """The greatest of ``(F,)`` values within so many seconds."""
        reach = round(seconds * self.rate)
        return np.asarray(values[self.at(np.arange(-reach, reach + 1))].max(axis=1))
