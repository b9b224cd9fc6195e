"""Paths from goal to goal, by distance: what a stroke's progress runs along.

Each stroke has a path of its own, so that changing a key changes the two strokes that meet there and no other: at a
goal the hand rests, and may leave in any direction. Through vias the path is a Kochanek–Bartels spline with the
stroke's tension, natural at its ends, keys spaced by the root of their distances. A stroke without vias is bowed away
from the origin (the shoulder), straight at tension 1. Past either end a path goes on along its limit tangent.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    final : (S,)
        Each stroke's last segment.
    behind, ahead : (S, D + E)
        Limit tangents at a stroke's start and end, per unit of distance; most companions stay.
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
    final: Ints

    def at(self, stroke: Ints, share: Floats) -> Floats:
        """Places and companions ``(F, D + E)`` at shares of strokes' lengths; below 0 and above 1 beyond the ends."""
        kernels = compiled.loaded(WORTH * len(share))
        if kernels is None or stroke.dtype != np.intp:
            return self.at_reference(stroke, share)
        places = np.empty((len(share), self.first.shape[1]))
        rows = (np.ascontiguousarray(row) for row in (stroke, share))
        kernels.path_rows(*rows, *self._rows, self.final, PARTS, places)
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
        segment = np.minimum((part / PARTS).astype(np.intp), self.final[stroke])
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
    bows = ((0, counted),) if bowed else ()
    return segment_paths(keys[:-1], keys[1:], stops, tension, counted=counted, bows=bows)


def segment_paths(
    first: Floats,
    last: Floats,
    stops: Bools,
    tension: Floats,
    *,
    counted: int,
    bows: Sequence[tuple[int, int]] = (),
    along: int | None = None,
) -> Paths:
    """Paths by their segments' ends ``(G, D + E)``: at a goal the next stroke may begin with other companions.

    ``bows`` are stretches of columns that are led away from the origin. Companions from column ``along`` on go on
    beyond a stroke's ends, as the way itself does; the others stay.
    """
    along = first.shape[1] if along is None else along
    kernels = compiled.loaded(WORTH * first.size)
    if kernels is None:
        return segment_paths_reference(first, last, stops, tension, counted=counted, bows=bows, along=along)
    columns, strokes = first.shape[1], len(tension)
    leaving, arriving = np.empty((2, len(first), columns))
    reached = np.empty(len(first) * PARTS + 1)
    start, length = np.empty((2, strokes))
    behind, ahead = np.empty((2, strokes, columns))
    stretches = np.array(bows, dtype=np.intp).reshape(-1, 2)
    first, last, tight = (np.ascontiguousarray(row) for row in (first, last, tension))
    limits = np.array([SAME, TIGHTEST, LEAST, *BOW])
    made = leaving, arriving, reached, start, length, behind, ahead
    kernels.lay_paths(first, last, stops, tight, counted, stretches, along, PARTS, limits, *made)
    return Paths(first, last, *made, stops.nonzero()[0][1:] - 1)


def segment_paths_reference(
    first: Floats,
    last: Floats,
    stops: Bools,
    tension: Floats,
    *,
    counted: int,
    bows: Sequence[tuple[int, int]],
    along: int,
) -> Paths:
    """The same in plain NumPy."""
    stroke = stops[:-1].cumsum() - 1  # of each segment
    step = last - first
    span = np.sqrt(np.maximum(lengths(step[:, :counted]), SAME))
    # Velocities at vias, per unit of span, and then at goals from what is on the segment's other side.
    velocity = np.zeros((len(stops), first.shape[1]))
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
    for low, high in bows:
        bow = np.where(lone, _bows(first[:, low:high], last[:, low:high], tension[stroke]), 0.0)
        leaving[:, low:high] += bow
        arriving[:, low:high] -= bow
    return _measured(first, last, leaving, arriving, stops, counted, along)


def _bows(first: Floats, last: Floats, tension: Floats) -> Floats:
    """What bows add to the tangents ``(G, D)``: four times their height, away from the origin."""
    step = last - first
    size = lengths(step)
    along = step / np.maximum(size, SAME)[:, None]
    middle = 0.5 * (first + last)
    away = middle - np.sum(middle * along, axis=1, keepdims=True) * along
    far = lengths(away)
    # A chord through the origin has no side to it: the bow fades there.
    share = far / np.hypot(far, 0.05 * np.maximum(size, SAME))
    high = BOW[0] + BOW[1] * tension + BOW[2] * tension**2
    return np.asarray((4.0 * high * size * share / np.maximum(far, SAME))[:, None] * away)


def _measured(
    first: Floats, last: Floats, leaving: Floats, arriving: Floats, stops: Bools, counted: int, along: int
) -> Paths:
    fine = hermite(*(row[:, None, :counted] for row in (first, last, leaving, arriving)), _FINE)  # type: ignore[call-arg]
    chords = np.maximum(lengths(fine[:, 1:] - fine[:, :-1]), LEAST)
    reached = np.empty(chords.size + 1)
    reached[0] = 0.0
    chords.cumsum(out=reached[1:])
    edges = stops.nonzero()[0]
    at_key = reached[::PARTS][edges]
    length = at_key[1:] - at_key[:-1]
    tangents = np.stack([leaving[edges[:-1]], arriving[edges[1:] - 1]])
    pace = lengths(tangents[..., :counted])[..., None]
    ways = np.zeros_like(tangents)
    ways[..., :counted] = tangents[..., :counted] / np.maximum(pace, 1e-12)
    ways[..., along:] = tangents[..., along:] / np.maximum(pace, length[:, None])
    behind, ahead = ways
    return Paths(first, last, leaving, arriving, reached, at_key[:-1], length, behind, ahead, edges[1:] - 1)


_FINE = np.linspace(0.0, 1.0, PARTS + 1)[:, None]
