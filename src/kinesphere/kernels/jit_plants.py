"""Compiled plants: when points stand, where, and how anchors agree. Import this only through ``compiled``.

Their plain twins are ``contacts.label_reference``, ``contacts.middles_reference`` and ``plants.settle_reference``.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_terms import compile_kernel


@compile_kernel
def label_stands(path, floor, speed, rate, rule, held):  # type: ignore[no-untyped-def]
    """When one point with a low-passed path (T, 3) and speeds (T,) stands: written to ``held`` (T,)."""
    frames = path.shape[0]
    lowest = np.empty(frames)
    _lowest(path, rule.around, lowest)
    first, begun, above = -1, False, 0.0
    for t in range(frames + 1):
        going = False
        if t < frames:
            held[t] = False
            above = path[t, 1] - floor - min(lowest[t] - floor, rule.standing)
            going = above < rule.go_height and speed[t] < rule.go_speed
        if going:
            first = t if first < 0 else first
            begun = begun or (above < rule.height and speed[t] < rule.speed)
        elif first >= 0:
            if begun:
                for i in range(first, t):
                    held[i] = True
            first, begun = -1, False
    _close_gaps(path, rate, rule, held)
    _drop_short(rate, rule.shortest, held)


@compile_kernel
def _lowest(path, reach, lowest):  # type: ignore[no-untyped-def]
    """The lowest (T,) of heights within ``reach`` frames: a queue of those that may still be it, rising."""
    frames = path.shape[0]
    queue = np.empty(frames, dtype=np.int64)
    head, tail, taken = 0, 0, 0
    for t in range(frames):
        while taken < min(t + reach + 1, frames):
            while tail > head and path[queue[tail - 1], 1] >= path[taken, 1]:
                tail -= 1
            queue[tail] = taken
            tail += 1
            taken += 1
        while queue[head] < t - reach:
            head += 1
        lowest[t] = path[queue[head], 1]


@compile_kernel
def _close_gaps(path, rate, rule, held):  # type: ignore[no-untyped-def]
    last = -1  # the end of the stand before
    for t in range(path.shape[0]):
        if not held[t]:
            continue
        if 0 <= last < t - 1 and (t - last) / rate < rule.gap + 1e-9:
            way = 0.0
            for i in range(last, t + 1):
                x, y, z = path[i, 0] - path[last, 0], path[i, 1] - path[last, 1], path[i, 2] - path[last, 2]
                way = max(way, math.sqrt(x * x + y * y + z * z))
            if way < rule.gap_way:
                for i in range(last + 1, t):
                    held[i] = True
        last = t


@compile_kernel
def _drop_short(rate, shortest, held):  # type: ignore[no-untyped-def]
    first = -1
    for t in range(held.size + 1):
        if t < held.size and held[t]:
            first = t if first < 0 else first
        elif first >= 0:
            if (t - first) / rate < shortest - 1e-9:
                for i in range(first, t):
                    held[i] = False
            first = -1


@compile_kernel
def find_middles(paths, stands, rounds, enough, middles):  # type: ignore[no-untyped-def]
    """Geometric medians (N, 3) of paths (T, P, 3) during stands (N, 3): point, first and last frame.

    Steps end where they are shorter than ``enough`` of how far the path goes.
    """
    rows = np.empty((3, paths.shape[0]))
    for n in range(stands.shape[0]):
        point, first = stands[n, 0], stands[n, 1]
        count = stands[n, 2] - first + 1
        x = y = z = 0.0
        for i in range(count):
            rows[0, i], rows[1, i], rows[2, i] = (
                paths[first + i, point, 0],
                paths[first + i, point, 1],
                paths[first + i, point, 2],
            )
            x, y, z = x + rows[0, i], y + rows[1, i], z + rows[2, i]
        x, y, z = x / count, y / count, z / count
        far = 0.0
        for i in range(count):
            a, b, c = rows[0, i] - x, rows[1, i] - y, rows[2, i] - z
            far = max(far, a * a + b * b + c * c)
        far = math.sqrt(far)
        least = 1e-3 * far + 1e-300
        for _ in range(rounds):
            u, v, w = _weighed(rows, count, x, y, z, least)
            step = abs(u - x) + abs(v - y) + abs(w - z)
            x, y, z = u, v, w
            if step < enough * far:
                break
        middles[n, 0], middles[n, 1], middles[n, 2] = x, y, z


@compile_kernel
def _weighed(rows, count, x, y, z, least):  # type: ignore[no-untyped-def]
    """The mean of places (3, N), each weighed by one over how far it is from here."""
    u = v = w = total = 0.0
    for i in range(count):
        a, b, c = rows[0, i] - x, rows[1, i] - y, rows[2, i] - z
        weight = 1.0 / max(math.sqrt(a * a + b * b + c * c), least)
        u, v, w, total = u + weight * rows[0, i], v + weight * rows[1, i], w + weight * rows[2, i], total + weight
    return u / total, v / total, w / total


@compile_kernel
def settle(place, share, following, ways, stiff, together, lengths, settled, rounds):  # type: ignore[no-untyped-def]
    """Anchors (N, 3) that agree, in place: see ``Plants.anchors``. Pairs are (F, 2) and (G, 2)."""
    for _ in range(rounds):
        most = 0.0
        before = place.copy()
        for n in range(following.shape[0]):
            i, j = following[n, 0], following[n, 1]
            factor = stiff[n] / (share[i] + share[j])
            for c in range(3):
                push = factor * (ways[n, c] - (place[j, c] - place[i, c]))
                place[i, c] -= share[i] * push
                place[j, c] += share[j] * push
        for n in range(together.shape[0]):
            i, j = together[n, 0], together[n, 1]
            x, y, z = place[j, 0] - place[i, 0], place[j, 1] - place[i, 1], place[j, 2] - place[i, 2]
            apart = max(math.sqrt(x * x + y * y + z * z), 1e-9)
            factor = (lengths[n] / apart - 1.0) / (share[i] + share[j])
            for c in range(3):
                push = factor * (place[j, c] - place[i, c])
                place[i, c] -= share[i] * push
                place[j, c] += share[j] * push
        for n in range(place.shape[0]):
            for c in range(3):
                most = max(most, abs(place[n, c] - before[n, c]))
        if most < settled:
            break
