"""Compiled rows between rows. Import this only through ``compiled``."""

from __future__ import annotations

import math

from kinesphere.kernels.jit_terms import compile_exact


@compile_exact
def cubic_rows(table, places, loop, out):  # type: ignore[no-untyped-def]
    """Rows (F, C) of a table (N, C) at places (F,); see ``rows.rows_at``."""
    last = table.shape[0] - 1
    around = max(last, 1)
    for i in range(places.shape[0]):
        whole = math.floor(places[i])
        u = places[i] - whole
        if loop:
            p, q, r, s = (whole - 1) % around, whole % around, (whole + 1) % around, (whole + 2) % around
        else:
            p, q = min(max(whole - 1, 0), last), min(max(whole, 0), last)
            r, s = min(max(whole + 1, 0), last), min(max(whole + 2, 0), last)
        for k in range(table.shape[1]):
            a, b, c, d = table[p, k], table[q, k], table[r, k], table[s, k]
            out[i, k] = b + 0.5 * u * (c - a + u * (2.0 * a - 5.0 * b + 4.0 * c - d + u * (3.0 * (b - c) + d - a)))


@compile_exact
def smooth_rows(table, starts, counts, loops, weights, out):  # type: ignore[no-untyped-def]
    """Rows (F, C) weighted with their neighbours (2 R + 1,), within each stretch; see ``spans.Spans.rounded``."""
    reach = (len(weights) - 1) // 2
    width = table.shape[1]
    for s in range(len(starts)):
        first, count = starts[s], counts[s]
        around = max(count - 1, 1)
        for i in range(count):
            for c in range(width):
                out[first + i, c] = 0.0
            for k in range(len(weights)):
                at = i + k - reach
                at = at % around if loops[s] else min(max(at, 0), count - 1)
                weight = weights[k]
                for c in range(width):
                    out[first + i, c] += weight * table[first + at, c]


@compile_exact
def late_rows(table, starts, counts, loops, whole, share, out):  # type: ignore[no-untyped-def]
    """Rows (F, C) some frames on, between two of them, within each stretch; see ``spans.Spans.delayed``."""
    for s in range(len(starts)):
        first, count = starts[s], counts[s]
        around = max(count - 1, 1)
        for i in range(count):
            a, b = i + whole, i + whole + 1
            if loops[s]:
                a, b = a % around, b % around
            else:
                a, b = min(max(a, 0), count - 1), min(max(b, 0), count - 1)
            for c in range(table.shape[1]):
                out[first + i, c] = (1.0 - share) * table[first + a, c] + share * table[first + b, c]


@compile_exact
def path_rows(stroke, share, first, last, leaving, arriving, reached, start, length, behind, ahead, final, parts, out):  # type: ignore[no-untyped-def]
    """Places (F, D) on paths; see ``paths.Paths.at``."""
    end = len(reached) - 1
    for i in range(len(stroke)):
        s = stroke[i]
        inside = min(max(share[i], 0.0), 1.0)
        beyond = (share[i] - inside) * length[s]
        far = start[s] + inside * length[s]
        low, high = 0, end
        while high - low > 1:
            middle = (low + high) // 2
            if reached[middle] <= far:
                low = middle
            else:
                high = middle
        if far >= reached[end]:
            place = float(end)
        else:
            place = low + max(far - reached[low], 0.0) / (reached[low + 1] - reached[low])
        segment = min(int(place / parts), final[s])  # a goal belongs to the stroke that ends there as well
        u = place / parts - segment
        v = 1.0 - u
        a, b, c, d = (1.0 + 2.0 * u) * v * v, u * u * (3.0 - 2.0 * u), u * v * v, -u * v * u
        for k in range(first.shape[1]):
            at = a * first[segment, k] + b * last[segment, k] + c * leaving[segment, k] + d * arriving[segment, k]
            if beyond < 0.0:
                at += beyond * behind[s, k]
            elif beyond > 0.0:
                at += beyond * ahead[s, k]
            out[i, k] = at
