"""Compiled paths of feet. Import this only through ``compiled``; the twin is ``foot_paths.corrected_reference``."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_filters import (
    bend_size,
    fade,
    gauss_weights,
    reach_of,
    smooth_row,
    span_of,
    velocity,
    widen,
)
from kinesphere.kernels.jit_terms import compile_kernel
from kinesphere.kernels.jit_turns import expo, product, rotated, smallest


@compile_kernel
def correct_foot(paths, anchors, labels, world, performed, rule, shift, turn, toes, planted, asked):  # type: ignore[no-untyped-def]
    """How one foot moves: points (T, P, 3) with anchors, labels (T, P), foot, toes and ankle (T, 4 + 4 + 3)."""
    frames, points = labels.shape
    zero = np.zeros((frames, 3))
    shift[:], turn[:], toes[:] = zero, zero, zero
    away = np.zeros(frames, dtype=np.bool_)
    for t in range(frames):
        planted[t] = False
        for i in range(points):
            if labels[t, i] and performed[t]:
                planted[t] = True
                away[t] |= _apart(paths[t, i], anchors[t, i]) > rule.holds
    if not _sliding(planted, away, rule.ease, asked):
        return
    stands = labels.copy()
    for t in range(frames):
        for i in range(points):
            stands[t, i] = labels[t, i] and performed[t] and asked[t]
    share = _shares(asked, performed, rule.rate, rule.full)
    steadied, steady_toes = np.empty((frames, 4)), np.empty((frames, 4))
    _steady(world[:, :4], share, performed, rule, steadied)
    _steady(world[:, 4:8], share, performed, rule, steady_toes)
    arms = np.empty((frames, 3 * points))
    for t in range(frames):
        w, x, y, z = steadied[t, 0], steadied[t, 1], steadied[t, 2], steadied[t, 3]
        for i in range(points):
            a, b, c = paths[t, i, 0] - world[t, 8], paths[t, i, 1] - world[t, 9], paths[t, i, 2] - world[t, 10]
            a, b, c = rotated(w, x, y, z, a, b, c)
            arms[t, 3 * i], arms[t, 3 * i + 1], arms[t, 3 * i + 2] = a, b, c
    if points == 2:
        _turn_feet(arms, anchors, stands, performed, rule, turn)
    for t in range(frames):
        if turn[t, 0] != 0.0 or turn[t, 1] != 0.0 or turn[t, 2] != 0.0 or share[t] > 0.0:
            w, x, y, z = expo(turn[t, 0], turn[t, 1], turn[t, 2])
            _log_product(w, x, y, z, steadied[t], turn[t])
            _log_product(w, x, y, z, steady_toes[t], toes[t])
        for i in range(points):
            for c in range(3):
                arms[t, 3 * i + c] += world[t, 8 + c]
    _shift_feet(arms, anchors, stands, asked, performed, rule, shift)
    _take_jolts(world[:, 8:], performed, rule, shift)


@compile_kernel
def _apart(a, b):  # type: ignore[no-untyped-def]
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return math.sqrt(x * x + y * y + z * z)


@compile_kernel
def _sliding(planted, away, ease, asked):  # type: ignore[no-untyped-def]
    """Planted frames of the stands that are somewhere away, and whether there are any."""
    frames, some = planted.size, False
    first, last, slides = -1, -1, False
    for t in range(frames + 1):
        if t < frames:
            asked[t] = False
            if not planted[t]:
                continue
        if first >= 0 and (t == frames or t - last >= max(ease, 1.5)):
            if slides:
                some = True
                for i in range(first, last + 1):
                    asked[i] = planted[i]
            first, slides = -1, False
        if t < frames:
            first = t if first < 0 else first
            last = t
            slides = slides or away[t]
    return some


@compile_kernel
def _shares(flags, performed, rate, seconds):  # type: ignore[no-untyped-def]
    """(T,) how much holds near flags, fading; nothing in frames that were not performed."""
    frames, span = flags.size, span_of(seconds, rate)
    values, wide = np.empty(frames), np.empty(frames)
    for t in range(frames):
        values[t] = 1.0 if flags[t] else 0.0
    widen(values, 0, frames - 1, span, wide)
    fade(wide, 0, frames - 1, span, values)
    for t in range(frames):
        if not performed[t]:
            values[t] = 0.0
    return values


@compile_kernel
def _run_end(performed, first):  # type: ignore[no-untyped-def]
    """The last frame of the performed stretch that begins here."""
    last = first
    while last + 1 < performed.size and performed[last + 1]:
        last += 1
    return last


@compile_kernel
def _steady(world, share, performed, rule, turns):  # type: ignore[no-untyped-def]
    """Turns (T, 4) that take a share of the jitter out of rotations (T, 4)."""
    frames = share.size
    even, row = np.empty((frames, 4)), np.empty(4)
    for t in range(frames):
        turns[t, 0], turns[t, 1], turns[t, 2], turns[t, 3] = 1.0, 0.0, 0.0, 0.0
    first = 0
    while first < frames:
        if not performed[first]:
            first += 1
            continue
        last = _run_end(performed, first)
        sign = 1.0
        for t in range(first, last + 1):
            if t > first:
                a, b = world[t], world[t - 1]
                if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0:
                    sign = -sign
            for c in range(4):
                even[t, c] = sign * world[t, c]
        reach = reach_of(rule.steady, rule.rate, last - first + 1)
        if reach >= 1:
            weights = gauss_weights(reach, rule.rate, rule.steady)
            for t in range(first, last + 1):
                if share[t] > 0.0:
                    smooth_row(even, first, last, weights, t, row)
                    _part(row, world[t], share[t], turns[t])
        first = last + 1


@compile_kernel
def _part(to, of, share, turn):  # type: ignore[no-untyped-def]
    """A share of the turn from one rotation to another, which need not have length 1."""
    size = math.sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2] + to[3] * to[3])
    w, x, y, z = product(to[0] / size, to[1] / size, to[2] / size, to[3] / size, of[0], -of[1], -of[2], -of[3])
    row = np.empty(3)
    _log(w, x, y, z, row)
    turn[0], turn[1], turn[2], turn[3] = expo(share * row[0], share * row[1], share * row[2])


@compile_kernel
def _log(w, x, y, z, row):  # type: ignore[no-untyped-def]
    """The rotation vector (3,) of a quaternion, the shorter way round."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    if sine < 0.05:  # the series of the arc sine; what it leaves out is below 1e-17
        s = sine * sine
        factor = 2.0 + s * (1 / 3 + s * (3 / 20 + s * (5 / 56 + s * (35 / 576 + s * (63 / 1408 + s * (231 / 6656))))))
    else:
        factor = 2.0 * math.atan2(sine, w) / sine
    row[0], row[1], row[2] = factor * x, factor * y, factor * z


@compile_kernel
def _log_product(w, x, y, z, turn, row):  # type: ignore[no-untyped-def]
    """The rotation vector (3,) of a turn (4,) and another after it."""
    w, x, y, z = product(w, x, y, z, turn[0], turn[1], turn[2], turn[3])
    _log(w, x, y, z, row)


@compile_kernel
def _turn_feet(arms, anchors, stands, performed, rule, turn):  # type: ignore[no-untyped-def]
    """Feet that stand on both points, turned to lie along their anchors; arms (T, 6) are turned with them."""
    frames = arms.shape[0]
    both, some = np.zeros(frames, dtype=np.bool_), False
    vectors, slopes, values = np.empty((frames, 3)), np.zeros((frames, 3)), np.zeros((frames, 3))
    for t in range(frames):
        for c in range(3):
            vectors[t, c] = arms[t, 3 + c] - arms[t, c]
        x, y, z = vectors[t, 0], vectors[t, 1], vectors[t, 2]
        if not (stands[t, 0] and stands[t, 1] and math.sqrt(x * x + y * y + z * z) > rule.apart):
            continue
        if _apart(anchors[t, 1], anchors[t, 0]) > rule.apart:
            both[t] = some = True
            u, v, w = (
                anchors[t, 1, 0] - anchors[t, 0, 0],
                anchors[t, 1, 1] - anchors[t, 0, 1],
                anchors[t, 1, 2] - anchors[t, 0, 2],
            )
            q, x, y, z = smallest(x, y, z, u, v, w)
            _log(q, x, y, z, values[t])
    if not some:
        return
    row, first = np.empty(3), 0
    while first < frames:
        if not performed[first]:
            first += 1
            continue
        last = _run_end(performed, first)
        for t in range(first, last + 1):
            if _at_edge(both, t):
                velocity(vectors, first, last, t, rule.half, rule.rate, row)
                x, y, z = vectors[t, 0], vectors[t, 1], vectors[t, 2]
                size = max(x * x + y * y + z * z, rule.apart * rule.apart)
                slopes[t, 0] = -(y * row[2] - z * row[1]) / size
                slopes[t, 1] = -(z * row[0] - x * row[2]) / size
                slopes[t, 2] = -(x * row[1] - y * row[0]) / size
        first = last + 1
    _ease(values, slopes, both, performed, rule.ease, rule.rate, turn)
    for t in range(frames):
        if turn[t, 0] != 0.0 or turn[t, 1] != 0.0 or turn[t, 2] != 0.0:
            w, x, y, z = expo(turn[t, 0], turn[t, 1], turn[t, 2])
            for i in range(2):
                a, b, c = rotated(w, x, y, z, arms[t, 3 * i], arms[t, 3 * i + 1], arms[t, 3 * i + 2])
                arms[t, 3 * i], arms[t, 3 * i + 1], arms[t, 3 * i + 2] = a, b, c


@compile_kernel
def _at_edge(known, t):  # type: ignore[no-untyped-def]
    """Whether a known stretch begins or ends here."""
    return known[t] and (t == 0 or not known[t - 1] or t + 1 == known.size or not known[t + 1])


@compile_kernel
def _shift_feet(moved, anchors, stands, asked, performed, rule, shift):  # type: ignore[no-untyped-def]
    """How ankles go so that points (T, 3 P) of standing feet are at their anchors."""
    frames, points = stands.shape
    values, slopes, row = np.zeros((frames, 3)), np.zeros((frames, 3)), np.empty(3 * points)
    first = 0
    while first < frames:
        if not performed[first]:
            first += 1
            continue
        last = _run_end(performed, first)
        for t in range(first, last + 1):
            count = 0
            for i in range(points):
                count += 1 if stands[t, i] else 0
            if count == 0:
                continue
            edge = _at_edge(asked, t)
            if edge:
                velocity(moved, first, last, t, rule.half, rule.rate, row)
            for i in range(points):
                if stands[t, i]:
                    for c in range(3):
                        values[t, c] += (anchors[t, i, c] - moved[t, 3 * i + c]) / count
                        if edge:
                            slopes[t, c] -= row[3 * i + c] / count
        first = last + 1
    _ease(values, slopes, asked, performed, rule.ease, rule.rate, shift)


@compile_kernel
def _ease(values, slopes, known, allowed, far, rate, result):  # type: ignore[no-untyped-def]
    """Values (T, 3) where known, else cubics between; see ``ground.eased``."""
    frames = known.size
    zero = np.zeros(3)
    before = -1  # the end of the known stretch before
    for t in range(frames):
        if not known[t]:
            continue
        for c in range(3):
            result[t, c] = values[t, c]
        if t == 0 or not known[t - 1]:
            if before >= 0 and t - before <= 2.0 * far:
                _cubic(before, values[before], slopes[before], t, values[t], slopes[t], known, allowed, rate, result)
            else:
                _cubic(t - far, zero, zero, t, values[t], slopes[t], known, allowed, rate, result)
                if before >= 0:
                    to = before + far
                    _cubic(before, values[before], slopes[before], to, zero, zero, known, allowed, rate, result)
        before = t
    if before >= 0:
        _cubic(before, values[before], slopes[before], before + far, zero, zero, known, allowed, rate, result)


@compile_kernel
def _cubic(at, a, rise, to, b, fall, known, allowed, rate, result):  # type: ignore[no-untyped-def]
    """The cubic from one value and slope to another, in frames that are not known."""
    at, to = float(at), float(to)
    if to <= at:
        return
    span, seconds = to - at, (to - at) / rate
    for t in range(max(math.ceil(at), 0), min(math.floor(to), known.size - 1) + 1):
        if known[t] or not allowed[t]:
            continue
        u = (t - at) / span
        for c in range(3):
            left, right, chord = rise[c] * seconds, fall[c] * seconds, b[c] - a[c]
            result[t, c] = a[c] + u * (left + u * (3.0 * chord - 2.0 * left - right + u * (left + right - 2.0 * chord)))


@compile_kernel
def _take_jolts(ankle, performed, rule, shift):  # type: ignore[no-untyped-def]
    """Jolts that the ankle (T, 3) had not, out of its shift."""
    frames = performed.size
    was, path, jolts = np.zeros(frames), np.empty((frames, 3)), np.zeros(frames)
    for t in range(frames):
        for c in range(3):
            path[t, c] = ankle[t, c] + shift[t, c]
    around, row, first = np.empty(frames), np.empty(3), 0
    span = span_of(rule.full, rule.rate)
    while first < frames:
        if not performed[first]:
            first += 1
            continue
        last = _run_end(performed, first)
        for t in range(first + 1, last):
            was[t] = bend_size(ankle, t) * rule.rate
        widen(was, first, last, rule.near, around)
        some = False
        for t in range(first + 1, last):
            if bend_size(path, t) * rule.rate > around[t] + rule.jolt:
                jolts[t], some = 1.0, True
        reach = reach_of(rule.steady, rule.rate, last - first + 1)
        if some and reach >= 1:
            widen(jolts, first, last, span, around)
            fade(around, first, last, span, was)
            weights = gauss_weights(reach, rule.rate, rule.steady)
            for t in range(first, last + 1):
                if was[t] > 0.0:
                    smooth_row(path, first, last, weights, t, row)
                    for c in range(3):
                        shift[t, c] += was[t] * (row[c] - path[t, c])
        first = last + 1
