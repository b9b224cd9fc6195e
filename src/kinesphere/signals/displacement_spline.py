"""The curve through displacements: Kochanek and Bartels' spline that keeps to its points.

Through few points far from each other a cubic swings far past them. So velocities at points are cut until no piece goes
past its ends by more than a share of the step between them, nor sideways by more than a tenth in addition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from kinesphere.kernels.arrays import Floats, Ints, lengths, within
from kinesphere.kernels.splines import Spline, kochanek_bartels, trailing

Dials: TypeAlias = tuple[float, float, float]
SIDEWAYS = 0.4  # of the step, as a velocity: a cubic then leaves the straight way by a tenth at most


def eased(x: Floats) -> Floats:
    """From 0 to 1, at rest at both."""
    u = within(x, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))


@dataclass(frozen=True, eq=False)
class Knots:
    """Where a displacement is given: at points, and nothing at all at the ends.

    Attributes
    ----------
    frames : (N,)
        Increasing; ends may lie outside of the motion.
    which : (N,)
        The point of each knot; -1: none, the displacement is zero there and comes to rest.
    tension, continuity, bias : (N,)
    """

    frames: Floats
    which: Ints
    tension: Floats
    continuity: Floats
    bias: Floats
    overshoot: float | None

    def curve(self, values: Floats, at: Floats) -> Floats:
        """The displacements ``(T, ..., D)`` at frames ``at (T,)``; ``values (P, ..., D)`` are those of the points."""
        if not values.any():
            return np.zeros((len(at), *values.shape[1:]))
        keys = np.where((self.which >= 0).reshape(-1, *[1] * (values.ndim - 1)), values[self.which], 0.0)
        if len(keys) == 1:
            return np.repeat(keys, len(at), axis=0)
        spline = kochanek_bartels(
            keys, self.frames, tension=self.tension, continuity=self.continuity, bias=self.bias, ends="clamped"
        )
        made = _limited(spline, self.overshoot).value(within(at, self.frames[0], self.frames[-1]))
        # Between points that are zero nothing is added, not even what rounding leaves.
        set_ = np.asarray(keys.reshape(len(keys), -1).any(axis=1))
        piece = within(np.searchsorted(self.frames, at, side="right") - 1, 0, len(keys) - 2)
        made[~(set_[piece] | set_[piece + 1])] = 0.0
        return np.asarray(made)

    def gently(self, at: Floats, within_frames: float) -> Floats:
        """``(T,)`` from 0 where the displacement is over to 1 so many frames from there, or at the next point."""
        points, share = self.frames[self.which >= 0], np.ones(len(at))
        for over in self.frames[self.which < 0]:
            share *= eased(np.abs(at - over) / min(within_frames, float(np.abs(points - over).min())))
        return share


@dataclass(frozen=True)
class Range:
    """Where a displacement may be, in frames, and how its curve runs."""

    first: int
    last: int
    width: float | None  # so far from its points it is over, in place of first and last
    bounded: tuple[bool, bool]  # whether, with a width, it is over at first and last as well
    overshoot: float | None

    def knots(self, points: Sequence[tuple[int, int]], dials: Sequence[Dials], zeros: Sequence[int] = ()) -> Knots:
        """Knots at points, ``(frame, number)``, at ``zeros``, and at the ends, where these are not set.

        ``dials`` are tension, continuity and bias of each number.
        """
        given = dict(sorted(points))
        over = set(zeros) | self._ends(list(given))
        listed = sorted([*given.items(), *((zero, -1) for zero in over if zero not in given)])
        own = np.array([dials[i] if i >= 0 else (1.0, 0.0, 0.0) for _, i in listed])
        where = np.array([frame for frame, _ in listed], dtype=np.float64)
        which = np.array([i for _, i in listed], dtype=np.intp)
        return Knots(where, which, own[:, 0], own[:, 1], own[:, 2], self.overshoot)

    def _ends(self, frames: list[int]) -> set[float]:
        """Where displacements are over."""
        if self.width is None:
            return {self.first, self.last}
        width = max(self.width, 1.0)
        low, high = frames[0] - width, frames[-1] + width
        low = max(low, self.first) if self.bounded[0] else low
        high = min(high, self.last) if self.bounded[1] else high
        between = [(a, b) for a, b in zip(frames[:-1], frames[1:], strict=True) if b - a > 2.0 * width]
        return {low, high, *(a + width for a, _ in between), *(b - width for _, b in between)}


def _limited(spline: Spline, overshoot: float | None) -> Spline:
    """The same spline, its velocities cut."""
    if overshoot is None or len(spline.keys) < 3:
        return spline
    steps = np.diff(spline.keys, axis=0)
    spans = trailing(np.diff(spline.times), steps.ndim)
    incoming, outgoing = spline.incoming.copy(), spline.outgoing.copy()
    before, after = (steps[:-1], spans[:-1], overshoot), (steps[1:], spans[1:], overshoot)
    into, out = incoming[1:-1], outgoing[1:-1]
    smooth = np.all(np.abs(into - out) <= 1e-9 * (1.0 + np.abs(into)), axis=-1, keepdims=True)
    both = _cut(_cut(into, *before), *after)
    both = both * np.minimum(_share(both, *before), _share(both, *after))
    incoming[1:-1] = np.where(smooth, both, _cut(into, *before))
    outgoing[1:-1] = np.where(smooth, both, _cut(out, *after))
    return replace(spline, incoming=incoming, outgoing=outgoing)


def _parts(velocity: Floats, step: Floats, span: Floats) -> tuple[Floats, Floats]:
    """How much of a step ``(..., D)`` a velocity makes along it ``(..., 1)``, and its way aside ``(..., D)``."""
    square = np.einsum("...d,...d->...", step, step)[..., None]
    along = np.einsum("...d,...d->...", velocity, step)[..., None] * span / np.maximum(square, 1e-300)
    along = np.where(square > 0.0, along, 0.0)
    return along, velocity * span - along * step


def _cut(velocity: Floats, step: Floats, span: Floats, overshoot: float) -> Floats:
    """Velocities at an end of pieces that stay by their steps; a cubic's own bounds are 0 and 3."""
    along, aside = _parts(velocity, step, span)
    most = (SIDEWAYS + 4.0 * overshoot) * lengths(step)[..., None]
    kept = within(along, -4.0 * overshoot, 3.0 + 4.0 * overshoot) * step
    return np.asarray((kept + aside * np.minimum(1.0, most / np.maximum(lengths(aside)[..., None], 1e-300))) / span)


def _share(velocity: Floats, step: Floats, span: Floats, overshoot: float) -> Floats:
    """``(..., 1)`` how much of a velocity is within the same bounds."""
    along, aside = _parts(velocity, step, span)
    low, high = -4.0 * overshoot, 3.0 + 4.0 * overshoot
    share = np.where(along > high, high / np.maximum(along, 1e-300), 1.0)
    share = np.where(along < low - 1e-9, low / np.minimum(along, -1e-300), share)
    most = (SIDEWAYS + 4.0 * overshoot) * lengths(step)[..., None]
    wide = lengths(aside)[..., None]
    return np.asarray(np.minimum(share, np.where(wide > most, most / np.maximum(wide, 1e-300), 1.0)))
