"""Strokes: a hand's way from rest to rest, found by its speed against the chest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.analysis.seeing import RATE
from kinesphere.analysis.smoothing import lengths, rate_of_change
from kinesphere.kernels.arrays import Floats

VALLEY = 0.35  # of the lower of two peaks of speed: a deeper valley between them is a stop
CORNER, SHARP, BESIDE = (
    0.8,
    0.7,
    0.04,
)  # so deep is enough where the way turns by 45° or more (its cosine) in twice 40 ms
STILL = 0.05  # of a stroke's fastest moment: slower than this it has not begun, or is over
SLOWEST = 0.02  # heights a second: what never gets faster is breath and sway
SHORTEST = 0.03  # heights: what goes less far is no stroke
SMALL = 0.3  # of its neighbour's way: a small move back belongs to the stroke before or after it
NEAR, LINGER = 0.12, 0.2  # seconds, or share of a stroke's time, between it and what belongs to it
LEAST = 0.12  # of the longest stroke's way: what is shorter is not looked at


@dataclass(frozen=True)
class Stroke:
    """Frames of a stroke: ``start`` to ``end`` with what belongs to it, ``begin`` to ``stop`` its way itself.

    Between ``start`` and ``begin`` the hand draws back (anticipation); between ``stop`` and ``end`` it comes back from
    beyond its goal (overshoot).
    """

    start: int
    begin: int
    stop: int
    end: int


def find_strokes(path: Floats) -> tuple[Stroke, ...]:
    """The strokes of a hand's path ``(T, 3)``, in heights at ``RATE``."""
    velocity = rate_of_change(path, RATE)
    speed = lengths(velocity)
    pieces = [piece for piece in _pieces(velocity, speed) if speed[piece[0] : piece[1] + 1].max() > SLOWEST]
    ways = [path[b] - path[a] for a, b in pieces]
    far = [float(np.linalg.norm(way)) for way in ways]
    shortest = max(SHORTEST, LEAST * max(far, default=0.0))
    strokes = []
    taken = [False] * len(pieces)
    for i in sorted(range(len(pieces)), key=lambda i: -far[i]):
        if taken[i] or far[i] < shortest:
            continue
        taken[i] = True
        begin, stop = pieces[i]
        start, end = begin, stop
        if i > 0 and not taken[i - 1] and _belongs(ways[i - 1], ways[i], begin - pieces[i - 1][1], stop - begin):
            start, taken[i - 1] = pieces[i - 1][0], True
        if (
            i + 1 < len(pieces)
            and not taken[i + 1]
            and _belongs(ways[i + 1], ways[i], pieces[i + 1][0] - stop, stop - begin)
        ):
            end, taken[i + 1] = pieces[i + 1][1], True
        strokes.append(Stroke(start, begin, stop, end))
    return tuple(sorted(strokes, key=lambda stroke: stroke.begin))


def _belongs(small: Floats, way: Floats, gap: int, lasts: int) -> bool:
    """Whether a move is a drawing back before a stroke or a coming back after it."""
    near = gap <= max(NEAR * RATE, LINGER * lasts)
    less = float(np.linalg.norm(small)) <= SMALL * float(np.linalg.norm(way))
    return near and less and float(small @ way) < 0.0


def _pieces(velocity: Floats, speed: Floats) -> list[tuple[int, int]]:
    """Stretches of one rise and fall of speed, their still ends cut off."""
    inner = (speed[1:-1] >= speed[:-2]) & (speed[1:-1] > speed[2:])
    peaks = [int(i) for i in np.flatnonzero(inner) + 1]
    if not peaks:
        peaks = [int(np.argmax(speed))]
    valleys = [a + int(np.argmin(speed[a : b + 1])) for a, b in zip(peaks[:-1], peaks[1:], strict=True)]
    while valleys:  # the shallowest valley first
        depth = [speed[v] / min(speed[peaks[i]], speed[peaks[i + 1]]) for i, v in enumerate(valleys)]
        i = int(
            np.argmax([d / (CORNER if _turns(velocity, v) else VALLEY) for d, v in zip(depth, valleys, strict=True)])
        )
        if depth[i] <= (CORNER if _turns(velocity, valleys[i]) else VALLEY):
            break
        del valleys[i]
        del peaks[i if speed[peaks[i]] < speed[peaks[i + 1]] else i + 1]
    edges = [0, *valleys, len(speed) - 1]
    pieces = []
    for a, b in zip(edges[:-1], edges[1:], strict=True):
        moving = np.flatnonzero(speed[a : b + 1] > STILL * speed[a : b + 1].max())
        if moving.size > 1:
            pieces.append((a + int(moving[0]), a + int(moving[-1])))
    return pieces


def _turns(velocity: Floats, valley: int) -> bool:
    """Whether the way turns back or aside at a valley of speed: a goal, however short the stop."""
    beside = round(BESIDE * RATE)
    before, after = velocity[max(valley - beside, 0)], velocity[min(valley + beside, len(velocity) - 1)]
    return float(before @ after) < SHARP * float(np.linalg.norm(before) * np.linalg.norm(after))
