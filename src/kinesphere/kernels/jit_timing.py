"""Compiled timing of strokes. Import this only through ``compiled``."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_terms import compile_exact


@compile_exact
def progress_of(t, ti, v0, v1, exponent):  # type: ignore[no-untyped-def]
    """One value of ``timing.progress``, of finite arguments."""
    edge, least = 0.01, 0.02
    ti = min(max(ti, 0.02), 0.98)
    exponent = max(exponent, 0.05)
    v0 = min(v0, (1.0 - 2.0 * least) * (1.0 - 2.0 * edge))
    v1 = min(v1, ((1.0 - 2.0 * edge) * ti * (1.0 - least) - v0 * ti) / (1.0 - ti))
    t = min(max(t, 0.0), 1.0)
    now = t if exponent == 1.0 else t**exponent
    one, whole = _stretch(now, 0.0, edge, 0.0, -v0)
    area, total = one, whole
    one, whole = _stretch(now, edge, ti, -v0, ti)
    area, total = area + one, total + whole
    one, whole = _stretch(now, ti, 1.0 - edge, ti, -v1)
    area, total = area + one, total + whole
    one, whole = _stretch(now, 1.0 - edge, 1.0, -v1, 0.0)
    return (area + one) / (total + whole)


@compile_exact
def _stretch(now, start, end, first, last):  # type: ignore[no-untyped-def]
    """The area under a line until now, and all of it."""
    length = end - start
    passed = min(max(now - start, 0.0), length)
    return passed * (first + 0.5 * (last - first) * passed / length), 0.5 * length * (first + last)


@compile_exact
def stroke_peaks(inflection, anticipation, overshoot, exponent, parts, out):  # type: ignore[no-untyped-def]
    """The greatest speeds (S,) of strokes in their mean speeds; see ``clocks.peak``."""
    for s in range(len(inflection)):
        before, most = 0.0, 0.0
        for i in range(parts + 1):
            now = progress_of(i / parts, inflection[s], anticipation[s], overshoot[s], exponent[s])
            if i > 0:
                most = max(most, abs(now - before))
            before = now
        out[s] = most * parts


@compile_exact
def run_clock(  # type: ignore[no-untyped-def]
    at, source, inflection, anticipation, overshoot, exponent, plain, ends, rate, numbers,
    stroke, time_share, way_share, moment,
):  # fmt: skip
    """Strokes, shares of their time and way, and moments of a gesture's own time; see ``strokes.ran``.

    ``at`` (S + 1,) are the frames of goals, ``source`` the seconds as written; ``ends`` what the time before the first
    and after the last is multiplied by.
    """
    wide, share_most, returns, bump, follows = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    frames, count = len(stroke), len(inflection)
    longest = 0
    for s in range(count):
        longest = max(longest, at[s + 1] - at[s])
    way, smooth, weights = np.empty(longest + 1), np.empty(longest + 1), np.empty(9)
    for s in range(count):
        length = at[s + 1] - at[s]
        for i in range(length + 1):
            way[i] = progress_of(i / length, inflection[s], anticipation[s], overshoot[s], exponent[s])
        softer = returns * overshoot[s]
        least = min(wide * rate, share_most * length)
        for i in range(length + 1):
            late = min(max((i / length - 0.5) / 0.5, 0.0), 1.0)
            sigma = max(least * (1.0 + softer * late * late), 1e-3)
            if i == 0 or softer > 0.0:
                for k in range(9):
                    weights[k] = math.exp(-0.5 * (k / sigma) ** 2)
            total, area = weights[0], weights[0] * way[i]
            for k in range(1, 9):
                total += 2.0 * weights[k]
                area += weights[k] * (way[_mirrored(i - k, length)] + way[_mirrored(i + k, length)])
            smooth[i] = area / total
        start, end = smooth[0], smooth[length] - 1.0
        first = 0 if s == 0 else max(at[s], 0)
        last = frames if s == count - 1 else min(at[s + 1], frames)
        lasts = source[s + 1] - source[s]
        for f in range(first, last):
            i = min(max(f - at[s], 0), length)
            late = min(max((i / length - 0.5) / 0.5, 0.0), 1.0)
            sigma = least * (1.0 + softer * late * late)
            reach = min(bump * sigma, 0.5 * length) + 1e-9
            share = i / length
            stroke[f], time_share[f] = s, share
            way_share[f] = smooth[i] - start * _bump(i / reach) - end * _bump((length - i) / reach)
            now = share if exponent[s] == 1.0 else share ** exponent[s]
            if now <= inflection[s]:
                done = now * now / inflection[s]
            else:
                done = 1.0 - (1.0 - now) ** 2 / (1.0 - inflection[s])
            if done <= plain[s]:
                back = math.sqrt(plain[s] * done)
            else:
                back = 1.0 - math.sqrt(max((1.0 - plain[s]) * (1.0 - done), 0.0))
            early, after = min(f - at[0], 0) / rate / ends[0], max(f - at[count], 0) / rate / ends[1]
            moment[f] = source[s] + (share + follows * (back - share)) * lasts + early + after


@compile_exact
def _mirrored(i, length):  # type: ignore[no-untyped-def]
    """A place within a stroke, which is seen mirrored at its ends."""
    i = abs(i) % (2 * length)
    return length - abs(length - i)


@compile_exact
def _bump(x):  # type: ignore[no-untyped-def]
    left = max(1.0 - x, 0.0)
    return left**3 * (1.0 + 3.0 * x)
