"""Stroke paths: Kochanek–Bartels splines through a hand's keys, parametrised by distance.

A stroke's progress runs along its path. Each stroke has a path of its own, so that moving a key changes the two strokes
that meet there and no other: at a goal the hand rests, and may leave in any direction. Through vias the path is a
Kochanek–Bartels spline with the stroke's tension (SIGGRAPH 1984), natural at its ends, with keys spaced by the square
root of their distances. A stroke without vias is bowed away from the origin (the shoulder), and straight at tension 1.
Past either end a path goes on along its end tangent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.maths.vectors import Bools, Floats, Ints

PARTS = 32  # of a segment, along each of which distance is taken to run evenly
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
        _native.paths.sample_paths(np.ascontiguousarray(stroke), np.ascontiguousarray(share), self, PARTS, made)
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
    given = np.ascontiguousarray(stops), np.ascontiguousarray(tension)
    _native.paths.fit_paths(*given, TIGHTEST, BOW, layout, PARTS, paths)
    return paths
