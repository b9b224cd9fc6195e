"""Paths from goal to goal, by distance: what a stroke's progress runs along.

Each stroke has a path of its own, so that changing a key changes the two strokes that meet there and no other: at a
goal the hand rests, and may leave in any direction. Through vias the path is a Kochanek–Bartels spline with the
stroke's tension, natural at its ends, keys spaced by the root of their distances. A stroke without vias is bowed away
from the origin (the shoulder), straight at tension 1. Past either end a path goes on along its limit tangent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kinesphere.maths import compiled
from kinesphere.maths.compiled import compile_exact
from kinesphere.maths.rotations import quaternion_product
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, norms

WORTH = 30  # a place on a path is more work than a number of a product
PARTS = 32  # of a segment, between which distance is taken to run evenly
LEAST = 1e-9  # metres that a part of a segment is long at least: companions go on where the hand holds
SAME = 1e-6  # keys nearer than this are one place
TIGHTEST = 0.85  # tension at vias: a hand that does not stop cannot turn on the spot
BOW = (0.06, -0.10, 0.04)  # height of a bow as a share of its chord: of tension 0, its slope and its curvature


@dataclass(frozen=True, eq=False)
class StrokePaths:
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
        inside = clip(share, 0.0, 1.0)
        beyond = (share - inside) * self.length[stroke]
        far = self.start[stroke] + inside * self.length[stroke]
        part = np.interp(far, self.reached, np.arange(len(self.reached)))
        segment = np.minimum((part / PARTS).astype(np.intp), self.final[stroke])
        u = (part / PARTS - segment)[:, None]
        places = cubic_hermite(
            self.first[segment], self.last[segment], self.leaving[segment], self.arriving[segment], u
        )
        if beyond.any():
            places = places + np.where(beyond < 0.0, beyond, 0.0)[:, None] * self.behind[stroke]
            places = places + np.where(beyond > 0.0, beyond, 0.0)[:, None] * self.ahead[stroke]
        return places


def cubic_hermite(first: Floats, last: Floats, leaving: Floats, arriving: Floats, u: Floats) -> Floats:
    """Cubic Hermite segments at their parameter ``u`` from 0 to 1; all broadcast."""
    v = 1.0 - u
    return np.asarray(
        (1.0 + 2.0 * u) * v * v * first + u * u * (3.0 - 2.0 * u) * last + u * v * (v * leaving - u * arriving)
    )


def stroke_paths(
    keys: Floats, stops: Bools, tension: Floats, *, counted: int | None = None, bowed: bool = False
) -> StrokePaths:
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
) -> StrokePaths:
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
    return StrokePaths(first, last, *made, stops.nonzero()[0][1:] - 1)


def segment_paths_reference(
    first: Floats,
    last: Floats,
    stops: Bools,
    tension: Floats,
    *,
    counted: int,
    bows: Sequence[tuple[int, int]],
    along: int,
) -> StrokePaths:
    """The same in plain NumPy."""
    stroke = stops[:-1].cumsum() - 1  # of each segment
    step = last - first
    span = np.sqrt(np.maximum(norms(step[:, :counted]), SAME))
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
    size = norms(step)
    along = step / np.maximum(size, SAME)[:, None]
    middle = 0.5 * (first + last)
    away = middle - np.sum(middle * along, axis=1, keepdims=True) * along
    far = norms(away)
    # A chord through the origin has no side to it: the bow fades there.
    share = far / np.hypot(far, 0.05 * np.maximum(size, SAME))
    high = BOW[0] + BOW[1] * tension + BOW[2] * tension**2
    return np.asarray((4.0 * high * size * share / np.maximum(far, SAME))[:, None] * away)


def _measured(
    first: Floats, last: Floats, leaving: Floats, arriving: Floats, stops: Bools, counted: int, along: int
) -> StrokePaths:
    fine = cubic_hermite(*(row[:, None, :counted] for row in (first, last, leaving, arriving)), _FINE)  # type: ignore[call-arg]
    chords = np.maximum(norms(fine[:, 1:] - fine[:, :-1]), LEAST)
    reached = np.empty(chords.size + 1)
    reached[0] = 0.0
    chords.cumsum(out=reached[1:])
    edges = stops.nonzero()[0]
    at_key = reached[::PARTS][edges]
    length = at_key[1:] - at_key[:-1]
    tangents = np.stack([leaving[edges[:-1]], arriving[edges[1:] - 1]])
    pace = norms(tangents[..., :counted])[..., None]
    ways = np.zeros_like(tangents)
    ways[..., :counted] = tangents[..., :counted] / np.maximum(pace, 1e-12)
    ways[..., along:] = tangents[..., along:] / np.maximum(pace, length[:, None])
    behind, ahead = ways
    return StrokePaths(first, last, leaving, arriving, reached, at_key[:-1], length, behind, ahead, edges[1:] - 1)


_FINE = np.linspace(0.0, 1.0, PARTS + 1)[:, None]


# ---- Compiled paths. Import this only through ``compiled``.


@compile_exact
def segment_paths_kernel(  # type: ignore[no-untyped-def]
    first, last, stops, tension, counted, bows, along, parts, limits,
    leaving, arriving, reached, start, length, behind, ahead,
):  # fmt: skip
    """Tangents (G, D), distances and ends of paths through segments; see ``paths.segment_paths``."""
    same, tightest, least = limits[0], limits[1], limits[2]
    segments, columns = first.shape
    span = np.empty(segments)
    for g in range(segments):
        square = 0.0
        for k in range(counted):
            square += (last[g, k] - first[g, k]) ** 2
        span[g] = math.sqrt(max(math.sqrt(square), same))
    stroke, reached[0], begun = -1, 0.0, 0
    for g in range(segments):
        starts, ends = stops[g], stops[g + 1]
        if starts:
            stroke += 1
            begun = g
            start[stroke] = reached[g * parts]
        tight = 1.0 - min(tension[stroke], tightest)
        for k in range(columns):
            step = last[g, k] - first[g, k]
            out, into = step, step
            if not starts:
                before, after = last[g - 1, k] - first[g - 1, k], span[g] / span[g - 1]
                out = tight * (after * before + step / after) / (span[g - 1] + span[g]) * span[g]
            if not ends:
                beyond, after = last[g + 1, k] - first[g + 1, k], span[g + 1] / span[g]
                into = tight * (after * step + beyond / after) / (span[g] + span[g + 1]) * span[g]
            if starts and not ends:
                out = 1.5 * step - 0.5 * into
            if ends and not starts:
                into = 1.5 * step - 0.5 * out
            leaving[g, k], arriving[g, k] = out, into
        if starts and ends:
            for b in range(bows.shape[0]):
                _bow(first[g], last[g], bows[b, 0], bows[b, 1], tension[stroke], limits, leaving[g], arriving[g])
        for part in range(parts):
            u, w = (part + 1) / parts, part / parts
            square = 0.0
            for k in range(counted):
                a = _hermite(first[g, k], last[g, k], leaving[g, k], arriving[g, k], u)
                b = _hermite(first[g, k], last[g, k], leaving[g, k], arriving[g, k], w)
                square += (a - b) ** 2
            reached[g * parts + part + 1] = reached[g * parts + part] + max(math.sqrt(square), least)
        if ends:
            length[stroke] = reached[(g + 1) * parts] - start[stroke]
            _tangents(leaving[begun], counted, along, length[stroke], behind[stroke])
            _tangents(arriving[g], counted, along, length[stroke], ahead[stroke])


@compile_exact
def _hermite(first, last, leaving, arriving, u):  # type: ignore[no-untyped-def]
    v = 1.0 - u
    return (1.0 + 2.0 * u) * v * v * first + u * u * (3.0 - 2.0 * u) * last + u * v * (v * leaving - u * arriving)


@compile_exact
def _tangents(tangent, counted, along, length, out):  # type: ignore[no-untyped-def]
    """A limit tangent per unit of distance; companions before column ``along`` stay."""
    pace = 0.0
    for k in range(counted):
        pace += tangent[k] ** 2
    pace = math.sqrt(pace)
    for k in range(len(tangent)):
        out[k] = 0.0
        if k >= along:
            out[k] = tangent[k] / max(pace, length)
        elif k < counted:
            out[k] = tangent[k] / max(pace, 1e-12)


@compile_exact
def _bow(first, last, low, high, tension, limits, leaving, arriving):  # type: ignore[no-untyped-def]
    """Add a bow to a segment's tangents: four times its height, away from the origin."""
    same = limits[0]
    size, dot = 0.0, 0.0
    for k in range(low, high):
        size += (last[k] - first[k]) ** 2
        dot += 0.5 * (first[k] + last[k]) * (last[k] - first[k])
    size = math.sqrt(size)
    least = max(size, same)
    dot /= least * least
    far = 0.0
    for k in range(low, high):
        far += (0.5 * (first[k] + last[k]) - dot * (last[k] - first[k])) ** 2
    far = math.sqrt(far)
    share = far / math.hypot(far, 0.05 * least)
    tall = limits[3] + limits[4] * tension + limits[5] * tension**2
    scale = 4.0 * tall * size * share / max(far, same)
    for k in range(low, high):
        bow = scale * (0.5 * (first[k] + last[k]) - dot * (last[k] - first[k]))
        leaving[k] += bow
        arriving[k] -= bow


@compile_exact
def rotations_since_kernel(upper, stops, first, last):  # type: ignore[no-untyped-def]
    """Rotation vectors (G, 3) of turns (K, 4) at both ends of segments since their stroke's first key."""
    begun = 0
    for g in range(first.shape[0]):
        if stops[g]:
            begun = g
        _since(upper[g], upper[begun], first[g])
        _since(upper[g + 1], upper[begun], last[g])


@compile_exact
def _since(turn, start, out):  # type: ignore[no-untyped-def]
    w, x, y, z = quaternion_product(turn[0], turn[1], turn[2], turn[3], start[0], -start[1], -start[2], -start[3])
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 * math.atan2(sine, w) / sine if sine > 1e-12 else 2.0
    out[0], out[1], out[2] = factor * x, factor * y, factor * z
