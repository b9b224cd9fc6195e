"""Stroke paths: Kochanek–Bartels splines through a hand's keys, parametrised by distance.

A stroke's progress runs along its path. Each stroke has a path of its own, so that moving a key changes the two strokes
that meet there and no other: at a goal the hand rests, and may leave in any direction. Through vias the path is a
Kochanek–Bartels spline with the stroke's tension (SIGGRAPH 1984), natural at its ends, with keys spaced by the square
root of their distances. A stroke without vias is bowed away from the origin (the shoulder), and straight at tension 1.
Past either end a path goes on along its end tangent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinesphere.maths.compiled import jit
from kinesphere.maths.vectors import Bools, Floats, Ints

PARTS = 32  # of a segment, along each of which distance is taken to run evenly
LEAST = 1e-9  # metres that a part of a segment is long at least: companions go on where the hand holds
SAME = 1e-6  # metres: keys nearer than this are one position
TIGHTEST = 0.85  # tension at vias: a hand that does not stop cannot turn on the spot
BOW = (0.06, -0.10, 0.04)  # height of a bow as a share of its chord: polynomial in the tension


class StrokePaths(NamedTuple):
    """G cubic Hermite segments in S strokes. Of the D + E columns the last E, companions such as the swivel, don't
    count for distance.
    """

    first: Floats  # (G, D + E) ends of each segment
    last: Floats
    leaving: Floats  # (G, D + E) tangents at these ends, per segment
    arriving: Floats
    reached: Floats  # (G * PARTS + 1,) distance from the very first key, at every part of every segment
    start: Floats  # (S,) distance at which each stroke begins
    length: Floats  # (S,) length of each stroke
    behind: Floats  # (S, D + E) tangents at a stroke's start and end, per unit of distance; most companions stay
    ahead: Floats
    final: Ints  # (S,) each stroke's last segment

    def at(self, stroke: Ints, share: Floats) -> Floats:
        """Positions and companions ``(F, D + E)`` at shares of strokes' lengths; below 0 and above 1 past the ends."""
        made = np.empty((len(share), self.first.shape[1]))
        sample_paths_kernel(np.ascontiguousarray(stroke), np.ascontiguousarray(share), self, made)
        return made


class PathColumns(NamedTuple):
    """What the columns of a path are."""

    counted: int  # columns that count for distance
    bows: Ints  # (B, 2) stretches of columns that are bowed away from the origin
    along: int  # companions from this column on go on past a stroke's ends; the others stay


def cubic_hermite(first: Floats, last: Floats, leaving: Floats, arriving: Floats, u: Floats) -> Floats:
    """Cubic Hermite segments at their parameter ``u`` from 0 to 1: numbers, or arrays that broadcast."""
    v = 1.0 - u
    return (1.0 + 2.0 * u) * v * v * first + u * u * (3.0 - 2.0 * u) * last + u * v * (v * leaving - u * arriving)


def stroke_paths(
    keys: Floats, stops: Bools, tension: Floats, *, counted: int | None = None, bowed: bool = False
) -> StrokePaths:
    """Paths through ``keys (K, D + E)``. The hand rests at ``stops (K,)``, the first and the last among them.

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
    """Paths by their segments' ends ``(G, D + E)``: after a goal the next stroke may begin with other companions.

    See ``PathColumns`` for the rest.
    """
    (segments, columns), strokes = first.shape, len(tension)
    leaving, arriving = np.empty((2, segments, columns))
    start, length = np.empty((2, strokes))
    behind, ahead = np.empty((2, strokes, columns))
    paths = StrokePaths(
        np.ascontiguousarray(first),
        np.ascontiguousarray(last),
        leaving,
        arriving,
        np.empty(segments * PARTS + 1),
        start,
        length,
        behind,
        ahead,
        stops.nonzero()[0][1:] - 1,
    )
    layout = PathColumns(counted, np.array(bows, dtype=np.intp).reshape(-1, 2), columns if along is None else along)
    fit_paths_kernel(np.ascontiguousarray(stops), np.ascontiguousarray(tension), layout, paths)
    return paths


@jit
def sample_paths_kernel(stroke, share, paths, out):  # type: ignore[no-untyped-def]
    """Write ``(F, D + E)`` positions on ``StrokePaths`` at shares ``(F,)`` of strokes' lengths."""
    reached, end = paths.reached, len(paths.reached) - 1
    for i in range(len(stroke)):
        s = stroke[i]
        inside = min(max(share[i], 0.0), 1.0)
        beyond = (share[i] - inside) * paths.length[s]
        distance = paths.start[s] + inside * paths.length[s]
        low, high = 0, end
        while high - low > 1:
            middle = (low + high) // 2
            if reached[middle] <= distance:
                low = middle
            else:
                high = middle
        if distance >= reached[end]:
            part = float(end)
        else:
            part = low + max(distance - reached[low], 0.0) / (reached[low + 1] - reached[low])
        segment = min(int(part / PARTS), paths.final[s])  # a goal belongs to the stroke that ends there as well
        u = part / PARTS - segment
        v = 1.0 - u
        a, b, c, d = (1.0 + 2.0 * u) * v * v, u * u * (3.0 - 2.0 * u), u * v * v, -u * v * u
        for k in range(out.shape[1]):
            at = a * paths.first[segment, k] + b * paths.last[segment, k]
            at += c * paths.leaving[segment, k] + d * paths.arriving[segment, k]
            if beyond < 0.0:
                at += beyond * paths.behind[s, k]
            elif beyond > 0.0:
                at += beyond * paths.ahead[s, k]
            out[i, k] = at


@jit
def fit_paths_kernel(stops, tension, layout, paths):  # type: ignore[no-untyped-def]
    """Write tangents, distances and end tangents of ``StrokePaths`` whose segments' ends are given."""
    first, last, leaving, arriving, reached = paths.first, paths.last, paths.leaving, paths.arriving, paths.reached
    segments, columns = first.shape
    span = np.empty(segments)
    for g in range(segments):
        square = 0.0
        for k in range(layout.counted):
            square += (last[g, k] - first[g, k]) ** 2
        span[g] = math.sqrt(max(math.sqrt(square), SAME))
    stroke, reached[0], begun = -1, 0.0, 0
    for g in range(segments):
        starts, ends = stops[g], stops[g + 1]
        if starts:
            stroke += 1
            begun = g
            paths.start[stroke] = reached[g * PARTS]
        slack = 1.0 - min(tension[stroke], TIGHTEST)
        for k in range(columns):
            step = last[g, k] - first[g, k]
            out, into = step, step
            if not starts:
                before, ratio = last[g - 1, k] - first[g - 1, k], span[g] / span[g - 1]
                out = slack * (ratio * before + step / ratio) / (span[g - 1] + span[g]) * span[g]
            if not ends:
                after, ratio = last[g + 1, k] - first[g + 1, k], span[g + 1] / span[g]
                into = slack * (ratio * step + after / ratio) / (span[g] + span[g + 1]) * span[g]
            if starts and not ends:
                out = 1.5 * step - 0.5 * into
            if ends and not starts:
                into = 1.5 * step - 0.5 * out
            leaving[g, k], arriving[g, k] = out, into
        if starts and ends:
            for b in range(layout.bows.shape[0]):
                add_bow(paths, g, layout.bows[b, 0], layout.bows[b, 1], tension[stroke])
        for part in range(PARTS):
            u, w = (part + 1) / PARTS, part / PARTS
            square = 0.0
            for k in range(layout.counted):
                a = hermite(first[g, k], last[g, k], leaving[g, k], arriving[g, k], u)
                b = hermite(first[g, k], last[g, k], leaving[g, k], arriving[g, k], w)
                square += (a - b) ** 2
            reached[g * PARTS + part + 1] = reached[g * PARTS + part] + max(math.sqrt(square), LEAST)
        if ends:
            length = reached[(g + 1) * PARTS] - paths.start[stroke]
            paths.length[stroke] = length
            write_end_tangent(leaving[begun], layout, length, paths.behind[stroke])
            write_end_tangent(arriving[g], layout, length, paths.ahead[stroke])


hermite = jit(cubic_hermite)


@jit
def write_end_tangent(tangent, layout, length, out):  # type: ignore[no-untyped-def]
    """A tangent per unit of distance; companions before column ``along`` stay."""
    pace = 0.0
    for k in range(layout.counted):
        pace += tangent[k] ** 2
    pace = math.sqrt(pace)
    for k in range(len(tangent)):
        out[k] = 0.0
        if k >= layout.along:
            out[k] = tangent[k] / max(pace, length)
        elif k < layout.counted:
            out[k] = tangent[k] / max(pace, 1e-12)


@jit
def add_bow(paths, g, low, high, tension):  # type: ignore[no-untyped-def]
    """Add a bow to a segment's tangents: four times its height, away from the origin."""
    first, last = paths.first[g], paths.last[g]
    size, dot = 0.0, 0.0
    for k in range(low, high):
        size += (last[k] - first[k]) ** 2
        dot += 0.5 * (first[k] + last[k]) * (last[k] - first[k])
    size = math.sqrt(size)
    least = max(size, SAME)
    dot /= least * least
    far = 0.0
    for k in range(low, high):
        far += (0.5 * (first[k] + last[k]) - dot * (last[k] - first[k])) ** 2
    far = math.sqrt(far)
    share = far / math.hypot(far, 0.05 * least)  # a chord through the origin has no side to it: the bow fades there
    height = BOW[0] + BOW[1] * tension + BOW[2] * tension**2
    scale = 4.0 * height * size * share / max(far, SAME)
    for k in range(low, high):
        bow = scale * (0.5 * (first[k] + last[k]) - dot * (last[k] - first[k]))
        paths.leaving[g, k] += bow
        paths.arriving[g, k] -= bow
