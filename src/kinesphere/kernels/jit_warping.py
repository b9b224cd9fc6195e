"""Compiled timewarps. Import this only through ``compiled``.

Of costs one row is kept, column j at j + 1, and infinity before the first column of the window. Sums over degrees of
freedom run along a row of nodes, the second signal lying with its time last: so they fill vectors whatever their number
is, without changing the order of any sum. ``directions`` are those of ``warping_reference``.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_terms import compile_exact


@compile_exact
def warp_shape(lengths, turns, other_lengths, other_turns, low, high, starts, directions):  # type: ignore[no-untyped-def]
    """The least work and the last step, of (N, D) and (D, M); see ``warping_reference.shape_reference``."""
    columns = other_lengths.shape[1]
    other_length, other_turn = np.zeros(columns), np.zeros(columns)
    for d in range(other_lengths.shape[0]):
        for j in range(columns):
            other_length[j] += other_lengths[d, j]
            other_turn[j] += abs(other_turns[d, j])
    leave_match, leave_first = np.full(columns + 1, np.inf), np.full(columns + 1, np.inf)
    leave_match[0] = 0.0
    sums = np.empty((4, columns))
    total, state = np.inf, 0
    for i in range(lengths.shape[0]):
        first, last = low[i], high[i]
        _shape_sums(lengths[i], turns[i], other_lengths, other_turns, first, last, sums)
        length, turn = 0.0, 0.0
        for d in range(lengths.shape[1]):
            length += lengths[i, d]
            turn += abs(turns[i, d])
        left, leave_second = leave_match[first], np.inf
        leave_match[first], leave_first[first] = np.inf, np.inf
        for j in range(first, last + 1):
            same, half_second, half_first = sums[1, j - first], 0.5 * sums[2, j - first], sums[3, j - first]
            match = left + sums[0, j - first]
            delete = leave_first[j + 1] + length
            insert = leave_second + other_length[j]
            left = leave_match[j + 1]
            leave_match[j + 1], a = _least(match + same, delete + half_second, insert + half_first)
            leave_first[j + 1], b = _least(match + half_second, delete + turn, insert + 0.5 * same)
            leave_second, c = _least(match + half_first, delete + 0.5 * same, insert + other_turn[j])
            directions[starts[i] + j] = a | b << 2 | c << 4
            total, state = _least(match, delete, insert)
    return total, state


@compile_exact
def _shape_sums(length, turn, other_lengths, other_turns, first, last, sums):  # type: ignore[no-untyped-def]
    """Of each node of a row: Σ |l − l'|, Σ |θ − θ'|, Σ |2θ − θ'| and Σ |θ/2 − θ'|."""
    width = last - first + 1
    stretch, same, twice, half = sums[0, :width], sums[1, :width], sums[2, :width], sums[3, :width]
    for j in range(width):
        stretch[j], same[j], twice[j], half[j] = 0.0, 0.0, 0.0, 0.0
    for d in range(length.shape[0]):
        here, x = length[d], turn[d]
        x_twice, x_half = 2.0 * x, 0.5 * x
        there, other = other_lengths[d, first : last + 1], other_turns[d, first : last + 1]
        for j in range(width):
            y = other[j]
            stretch[j] += abs(here - there[j])
            same[j] += abs(x - y)
            twice[j] += abs(x_twice - y)
            half[j] += abs(x_half - y)


@compile_exact
def warp_pose(frames, others, penalty, low, high, starts, directions):  # type: ignore[no-untyped-def]
    """The least sum of distances and the last step, of (N, D) and (D, M); see ``warping_reference.pose_reference``."""
    row = np.full(others.shape[1] + 1, np.inf)
    row[0] = 0.0
    sums = np.empty(others.shape[1])
    state = 0
    for i in range(frames.shape[0]):
        first, last = low[i], high[i]
        distances = sums[: last - first + 1]
        for j in range(len(distances)):
            distances[j] = 0.0
        for d in range(frames.shape[1]):
            x, other = frames[i, d], others[d, first : last + 1]
            for j in range(len(distances)):
                distances[j] += (x - other[j]) * (x - other[j])
        for j in range(len(distances)):
            distances[j] = math.sqrt(distances[j])
        state = _pose_row(distances, penalty, first, directions[starts[i] + first :], row)
    return row[-1], state


@compile_exact
def warp_distances(distances, base, penalty, low, high, starts, directions, row):  # type: ignore[no-untyped-def]
    """The same over some rows of given distances (R, C), whose first column is ``base``; ``row`` is carried on."""
    state = 0
    for i in range(distances.shape[0]):
        first, last = low[i], high[i]
        part = distances[i, first - base : last + 1 - base]
        state = _pose_row(part, penalty, first, directions[starts[i] + first :], row)
    return state


@compile_exact
def _pose_row(distances, penalty, first, directions, row):  # type: ignore[no-untyped-def]
    left, before, state = row[first], np.inf, 0
    row[first] = np.inf
    for j in range(len(distances)):
        above = row[first + j + 1]
        least, state = _least(left, above + penalty, before + penalty)
        before = least + distances[j]
        row[first + j + 1] = before
        left = above
        directions[j] = state * 0b010101
    return state


@compile_exact
def _least(a, b, c):  # type: ignore[no-untyped-def]
    """The least of three and which it is; of equals the first."""
    least, which = a, 0
    if b < least:
        least, which = b, 1
    if c < least:
        least, which = c, 2
    return least, which


@compile_exact
def trace_warp(directions, low, high, starts, state):  # type: ignore[no-untyped-def]
    """The path (K, 2) that comes in at the last node by this step; see ``warping_reference.trace_reference``."""
    i, j = low.shape[0] - 1, high[-1]
    path = np.empty((i + j + 1, 2), np.intp)
    at = i + j
    path[at, 0], path[at, 1] = i, j
    while i > 0 or j > 0:
        if state != 2:
            i -= 1
        if state != 1:
            j -= 1
        state = (directions[starts[i] + j] >> (2 * state)) & 3
        at -= 1
        path[at, 0], path[at, 1] = i, j
    return path[at:].copy()
