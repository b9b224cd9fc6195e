"""Compiled paths. Import this only through ``compiled``."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_terms import compile_exact
from kinesphere.kernels.jit_turns import product


@compile_exact
def lay_paths(  # type: ignore[no-untyped-def]
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
def turns_since(upper, stops, first, last):  # type: ignore[no-untyped-def]
    """Rotation vectors (G, 3) of turns (K, 4) at both ends of segments since their stroke's first key."""
    begun = 0
    for g in range(first.shape[0]):
        if stops[g]:
            begun = g
        _since(upper[g], upper[begun], first[g])
        _since(upper[g + 1], upper[begun], last[g])


@compile_exact
def _since(turn, start, out):  # type: ignore[no-untyped-def]
    w, x, y, z = product(turn[0], turn[1], turn[2], turn[3], start[0], -start[1], -start[2], -start[3])
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    factor = 2.0 * math.atan2(sine, w) / sine if sine > 1e-12 else 2.0
    out[0], out[1], out[2] = factor * x, factor * y, factor * z
