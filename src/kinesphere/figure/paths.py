"""Paths from goal to goal, by distance: what a stroke's progress runs along.

Each stroke has a path of its own, so that changing a key changes the two strokes that meet there and no other: at a
goal the hand rests, and may leave in any direction. Through vias the path is a Kochanek–Bartels spline with the
stroke's tension, natural at its ends, keys spaced by the root of their distances. A stroke without vias is bowed away
from the origin (the shoulder), straight at tension 1. Past either end a path goes on along its limit tangent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kinesphere.kernels import compiled
from kinesphere.kernels.arrays import Bools, Floats, Ints, lengths, within

WORTH = 30  # a place on a path is more work than a number of a product
PARTS = 32  # of a segment, between which distance is taken to run evenly
LEAST = 1e-9  # metres that a part of a segment is long at least: companions go on where the hand holds
SAME = 1e-6  # keys nearer than this are one place
TIGHTEST = 0.85  # tension at vias: a hand that does not stop cannot turn on the spot
BOW = (0.06, -0.10, 0.04)  # height of a bow as a share of its chord: of tension 0, its slope and its curvature


@dataclass(frozen=True, eq=False)
class Paths:
    """Curves through keys in strokes.

    Attributes
    ----------
    first, last, leaving, arriving : (G, D + E)
        The cubic Hermite segments: ends, and tangents per segment. Of the last E columns, companions such as the
        swivel, distance takes no notice.
    reached : (G * PARTS + 1,)
        Distance from the very first key at every part of every segment.
    start, length : (S,)
        Where each stroke begins on that scale, and how long it is.
    behind, ahead : (S, D + E)
        Unit limit tangents at a stroke's start and end; companions stay.
    """

    first: Floats
    last: Floats
    leaving: Floats
    arriving: Floats
    reached: Floats
    start: Floats
    length: Floats
    behind: Floats
    ahead: Floats

    def at(self, stroke: Ints, share: Floats) -> Floats:
        """Places and companions ``(F, D + E)`` at shares of strokes' lengths; below 0 and above 1 beyond the ends."""
        kernels = compiled.loaded(WORTH * len(share))
        if kernels is None or stroke.dtype != np.intp:
            return self.at_reference(stroke, share)
        places = np.empty((len(share), self.first.shape[1]))
        rows = (np.ascontiguousarray(row) for row in (stroke, share))
        kernels.path_rows(*rows, *self._rows, PARTS, places)
        return places

    @cached_property
    def _rows(self) -> tuple[Floats, ...]:
        rows = (self.first, self.last, self.leaving, self.arriving, self.reached)
        return tuple(np.ascontiguousarray(row) for row in (*rows, self.start, self.length, self.behind, self.ahead))

    def at_reference(self, stroke: Ints, share: Floats) -> Floats:
        """The same in plain NumPy."""
        inside = within(share, 0.0, 1.0)
        beyond = (share - inside) * self.length[stroke]
        far = self.start[stroke] + inside * self.length[stroke]
        part = np.interp(far, self.reached, np.arange(len(self.reached)))
        segment = np.minimum(part / PARTS, len(self.first) - 1e-9).astype(np.intp)
        u = (part / PARTS - segment)[:, None]
        places = hermite(self.first[segment], self.last[segment], self.leaving[segment], self.arriving[segment], u)
        if beyond.any():
            places = places + np.where(beyond < 0.0, beyond, 0.0)[:, None] * self.behind[stroke]
            places = places + np.where(beyond > 0.0, beyond, 0.0)[:, None] * self.ahead[stroke]
        return places


def hermite(first: Floats, last: Floats, leaving: Floats, arriving: Floats, u: Floats) -> Floats:
    """Cubic Hermite segments at their parameter ``u`` from 0 to 1; all broadcast."""
    v = 1.0 - u
    return np.asarray(
        (1.0 + 2.0 * u) * v * v * first + u * u * (3.0 - 2.0 * u) * last + u * v * (v * leaving - u * arriving)
    )


def stroke_paths(
    keys: Floats, stops: Bools, tension: Floats, *, counted: int | None = None, bowed: bool = False
) -> Paths:
    """Paths through ``keys (K, D + E)``, at ``stops (K,)`` of which the hand rests: first and last are among them.

    ``tension (S,)`` is each stroke's. ``counted`` is D, all columns unless given; bows lead away from the origin.
    """
    counted = keys.shape[1] if counted is None else counted
    stroke = stops[:-1].cumsum() - 1  # of each segment
    step = keys[1:] - keys[:-1]
    size = lengths(step[:, :counted])
    span = np.sqrt(np.maximum(size, SAME))
    # Velocities at vias, per unit of span, and then at goals from what is on the segment's other side.
    velocity = np.zeros_like(keys)
    inner = (~stops).nonzero()[0]
    if inner.size:
        before, after = span[inner - 1, None], span[inner, None]
        ratio = after / before
        tight = np.minimum(tension[stroke[inner]], TIGHTEST)
        velocity[inner] = (1.0 - tight)[:, None] * (ratio * step[inner - 1] + step[inner] / ratio)
        velocity[inner] /= before + after
    leaving, arriving = velocity[:-1] * span[:, None], velocity[1:] * span[:, None]
    starts, ends = stops[:-1, None], stops[1:, None]
    natural = 1.5 * step - 0.5 * arriving, 1.5 * step - 0.5 * leaving
    leaving = np.where(starts, natural[0], leaving)
    arriving = np.where(ends, natural[1], arriving)
    lone = starts & ends
    leaving, arriving = np.where(lone, step, leaving), np.where(lone, step, arriving)
    if bowed:
        bow = np.where(lone, _bows(keys[:, :counted], step[:, :counted], size, tension[stroke]), 0.0)
        leaving[:, :counted] += bow
        arriving[:, :counted] -= bow
    return _measured(keys, leaving, arriving, stops, counted)


def _bows(keys: Floats, step: Floats, size: Floats, tension: Floats) -> Floats:
    """What bows add to the tangents ``(G, D)``: four times their height, away from the origin."""
    along = step / np.maximum(size, SAME)[:, None]
    middle = 0.5 * (keys[:-1] + keys[1:])
    away = middle - np.sum(middle * along, axis=1, keepdims=True) * along
    far = lengths(away)
    # A chord through the origin has no side to it: the bow fades there.
    share = far / np.hypot(far, 0.05 * np.maximum(size, SAME))
    high = BOW[0] + BOW[1] * tension + BOW[2] * tension**2
    return np.asarray((4.0 * high * size * share / np.maximum(far, SAME))[:, None] * away)


def _measured(keys: Floats, leaving: Floats, arriving: Floats, stops: Bools, counted: int) -> Paths:
    first, last = keys[:-1], keys[1:]
    fine = hermite(*(row[:, None, :counted] for row in (first, last, leaving, arriving)), _FINE)  # type: ignore[call-arg]
    chords = np.maximum(lengths(fine[:, 1:] - fine[:, :-1]), LEAST)
    reached = np.empty(chords.size + 1)
    reached[0] = 0.0
    chords.cumsum(out=reached[1:])
    edges = stops.nonzero()[0]
    at_key = reached[::PARTS][edges]
    behind, ahead = _unit(np.stack([leaving[edges[:-1]], arriving[edges[1:] - 1]]), counted)
    return Paths(first, last, leaving, arriving, reached, at_key[:-1], at_key[1:] - at_key[:-1], behind, ahead)


_FINE = np.linspace(0.0, 1.0, PARTS + 1)[:, None]


def _unit(tangents: Floats, counted: int) -> Floats:
    ways = np.zeros_like(tangents)
    own = tangents[..., :counted]
    ways[..., :counted] = own / np.maximum(lengths(own)[..., None], 1e-12)
    return ways
