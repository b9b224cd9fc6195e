"""Compiled shaping of joints by what they can do. Import this only through ``compiled``."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_shaping import shape_value
from kinesphere.kernels.jit_terms import compile_exact
from kinesphere.kernels.jit_turns import product, rotated, smallest

FULL = 2.0 * math.pi
SAME = 1e-12  # radians: angles that change by no more stay


@compile_exact
def shape_hinge(local, table, about, path, before, after, axes, ranges, cone, shape, amount, tiny):  # type: ignore[no-untyped-def]
    """One joint's flexion, side and twist shaped, in local (T, J, 4) and in its columns (T, 3); see ``hinges``."""
    frames, own = local.shape[0], path[-1]
    bone, neutral, forward, side = axes[0], axes[1], axes[2], axes[3]
    turns, twist = np.empty((frames, 4)), np.empty(frames)
    for t in range(frames):
        w, x, y, z = before[0], before[1], before[2], before[3]
        for joint in path:
            q = local[t, joint]
            w, x, y, z = product(w, x, y, z, q[0], q[1], q[2], q[3])
        w, x, y, z = product(w, x, y, z, after[0], -after[1], -after[2], -after[3])
        turns[t, 0], turns[t, 1], turns[t, 2], turns[t, 3] = w, x, y, z
        angle = 2.0 * math.atan2(x * bone[0] + y * bone[1] + z * bone[2], w)
        if t > 0:
            angle -= FULL * round((angle - twist[t - 1]) / FULL)
        twist[t] = angle
    rounds = FULL * round(np.median(twist) / FULL)
    middle = 0.5 * (ranges[0, 0] + ranges[0, 1])
    for t in range(frames):
        w, x, y, z = turns[t, 0], turns[t, 1], turns[t, 2], turns[t, 3]
        a, b, c = rotated(w, x, y, z, bone[0], bone[1], bone[2])
        turn = twist[t] - rounds
        turned = _within(turn, ranges[2], shape, amount)
        if cone > 0.0:
            u, i, j, k = smallest(neutral[0], neutral[1], neutral[2], a, b, c)
            sine = math.sqrt(i * i + j * j + k * k)
            size = 2.0 * math.atan2(sine, u)
            wanted = shape_value(size, 0.0, cone, shape, amount) - shape_value(0.0, 0.0, cone, shape, amount)
            if abs(wanted - size) < SAME and abs(turned - turn) < SAME:
                continue
            if sine > 1e-12:
                share = math.sin(0.5 * wanted) / sine
                u, i, j, k = math.cos(0.5 * wanted), share * i, share * j, share * k
                a, b, c = rotated(u, i, j, k, neutral[0], neutral[1], neutral[2])
        else:
            along = a * neutral[0] + b * neutral[1] + c * neutral[2]
            ahead = a * forward[0] + b * forward[1] + c * forward[2]
            aside = math.asin(min(max(a * side[0] + b * side[1] + c * side[2], -1.0), 1.0))
            bend = math.atan2(ahead, along) - middle
            bend += middle - FULL * math.floor((bend + math.pi) / FULL)
            bent, gone = _within(bend, ranges[0], shape, amount), _within(aside, ranges[1], shape, amount)
            if abs(bent - bend) < SAME and abs(gone - aside) < SAME and abs(turned - turn) < SAME:
                continue
            i, j, k = math.cos(gone) * math.cos(bent), math.cos(gone) * math.sin(bent), math.sin(gone)
            a = i * neutral[0] + j * forward[0] + k * side[0]
            b = i * neutral[1] + j * forward[1] + k * side[1]
            c = i * neutral[2] + j * forward[2] + k * side[2]
        u, i, j, k = smallest(bone[0], bone[1], bone[2], a, b, c)
        sine = math.sin(0.5 * turned)
        u, i, j, k = product(u, i, j, k, math.cos(0.5 * turned), sine * bone[0], sine * bone[1], sine * bone[2])
        u, i, j, k = product(w, -x, -y, -z, u, i, j, k)
        u, i, j, k = product(after[0], -after[1], -after[2], -after[3], u, i, j, k)
        u, i, j, k = product(u, i, j, k, after[0], after[1], after[2], after[3])
        if math.sqrt(i * i + j * j + k * k) <= tiny:
            continue
        q = local[t, own]
        w, x, y, z = product(q[0], q[1], q[2], q[3], u, i, j, k)
        q[0], q[1], q[2], q[3] = w, x, y, z
        w, x, y, z = product(about[0], -about[1], -about[2], -about[3], w, x, y, z)
        if w < 0.0:
            w, x, y, z = -w, -x, -y, -z
        sine = math.sqrt(x * x + y * y + z * z)
        size = 2.0 * math.atan2(sine, w)
        if size > 1e-9:
            x, y, z = x / sine, y / sine, z / sine
            size += FULL * round((table[t, 0] * x + table[t, 1] * y + table[t, 2] * z - size) / FULL)
        table[t, 0], table[t, 1], table[t, 2] = size * x, size * y, size * z


@compile_exact
def _within(angle, ends, shape, amount):  # type: ignore[no-untyped-def]
    """An angle shaped between the ends of its range."""
    return shape_value(angle, 0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0]), shape, amount)
