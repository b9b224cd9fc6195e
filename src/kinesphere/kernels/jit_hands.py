"""Compiled forearms, hands and fingers. Import this only through ``compiled``."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_terms import compile_kernel
from kinesphere.kernels.jit_turns import about, product, put, rotated, smallest, waves


@compile_kernel
def lay_hands(  # type: ignore[no-untyped-def]
    starts, counts, loops, upper, flexion, roll, velocity, loose, bend, aside, angles, breath,
    axes, joints, numbers, fingers, columns, finger_axes, rests, spread_columns, spreads, thumb, dragged, local,
):  # fmt: skip
    """Arms and hands (F, ...) into local rotations (F, J, 4); see ``hand_laying.lay``.

    ``axes`` (7, 3): hinge, forearm, aside, bend, and the palm's along, across and out. ``joints``: clavicle, upper
    arm, forearm, hand. ``thumb`` (6, 3): its three bones, the middle finger's first two, and what lies between them.
    """
    rest, most, drags, late, shared, curl, inhaled, soft, least, highest, inmost, outmost, rolls, lies = numbers[:14]
    lags = numbers[14:17]
    along, across, out = axes[4], axes[5], axes[6]
    turns, apart, bent, before = np.empty((15, 4)), np.empty((12, 4)), np.empty((12, 2)), np.full(22, np.nan)
    raw = np.empty((upper.shape[0], 2))
    for s in range(len(starts)):
        first, count, loop = starts[s], counts[s], loops[s]
        for i in range(first, first + count):
            w, x, y, z = about(axes[0, 0], axes[0, 1], axes[0, 2], flexion[i] - rest)
            w, x, y, z = product(upper[i, 0], upper[i, 1], upper[i, 2], upper[i, 3], w, x, y, z)
            pw, px, py, pz = about(axes[1, 0], axes[1, 1], axes[1, 2], roll[i])
            w, x, y, z = product(w, x, y, z, pw, px, py, pz)
            u, v, t = rotated(w, -x, -y, -z, velocity[i, 0], velocity[i, 1], velocity[i, 2])
            raw[i, 0] = most * math.tanh(drags * (u * out[0] + v * out[1] + t * out[2]) / most)
            raw[i, 1] = most * math.tanh(drags * (u * across[0] + v * across[1] + t * across[2]) / most)
        for i in range(first, first + count):
            for k in range(2):
                dragged[i, k] = loose[i] * _late(raw, i, k, first, count, loop, late)
        for i in range(first, first + count):
            _lay_arm(i, upper, flexion, roll, bend, aside, axes, joints, dragged, local, rest, shared, soft,
                     least, highest, inmost, outmost)  # fmt: skip
            # Hands mostly keep their shape: what is as in the frame before is not worked out again.
            given = angles[i]
            for part in range(3):
                half = 0.5 * (curl * _late(dragged, i, 0, first, count, loop, lags[part]) + inhaled * breath[i])
                c, s_ = waves(half * half)
                s_ *= half
                for k in range(part, 12, 3):
                    angle = given[columns[k]]
                    if angle != before[columns[k]]:
                        before[columns[k]] = angle
                        bent[k, 0], bent[k, 1] = math.cos(0.5 * (angle - rests[k])), math.sin(0.5 * (angle - rests[k]))
                    a = finger_axes[k]
                    w, x = bent[k, 0] * c - bent[k, 1] * s_, bent[k, 1] * c + bent[k, 0] * s_
                    turns[k, 0], turns[k, 1], turns[k, 2], turns[k, 3] = w, x * a[0], x * a[1], x * a[2]
            for k in range(0, 12, 3):
                angle = given[spread_columns[k]]
                if angle != before[spread_columns[k]]:
                    before[spread_columns[k]] = angle
                    w, x, y, z = about(axes[2, 0], axes[2, 1], axes[2, 2], angle - spreads[k])
                    apart[k, 0], apart[k, 1], apart[k, 2], apart[k, 3] = w, x, y, z
                a, q = apart[k], turns[k]
                q[0], q[1], q[2], q[3] = product(a[0], a[1], a[2], a[3], q[0], q[1], q[2], q[3])
            changed = given[21] != 0.0  # a thumb that lies on fingers goes with them
            for n in range(16, 22):
                changed = changed or given[n] != before[n]
                before[n] = given[n]
            if changed:
                for k in (13, 14):
                    a = finger_axes[k]
                    w, x, y, z = about(a[0], a[1], a[2], given[columns[k]] - rests[k])
                    turns[k, 0], turns[k, 1], turns[k, 2], turns[k, 3] = w, x, y, z
                _lay_thumb(given[16:], turns, thumb, along, across, out, axes[2], rolls, lies)
            for k in range(15):
                to, q = local[i, fingers[k]], turns[k]
                to[0], to[1], to[2], to[3] = q[0], q[1], q[2], q[3]


@compile_kernel
def _late(values, i, k, first, count, loop, frames):  # type: ignore[no-untyped-def]
    """A value some frames ago, held at the ends or round the loop."""
    whole = math.floor(-frames)
    share = -frames - whole
    a, b = i - first + int(whole), i - first + int(whole) + 1
    if loop:
        around = max(count - 1, 1)
        a, b = a % around, b % around
    else:
        a, b = min(max(a, 0), count - 1), min(max(b, 0), count - 1)
    return (1.0 - share) * values[first + a, k] + share * values[first + b, k]


@compile_kernel
def _lay_arm(  # type: ignore[no-untyped-def]
    i, upper, flexion, roll, bend, aside, axes, joints, dragged, local, rest, shared, soft,
    least, highest, inmost, outmost,
):  # fmt: skip
    """Shoulder, elbow and wrist of one frame."""
    clavicle = local[i, joints[0]]
    w, x, y, z = product(
        clavicle[0], -clavicle[1], -clavicle[2], -clavicle[3], upper[i, 0], upper[i, 1], upper[i, 2], upper[i, 3]
    )
    put(local, i, joints[1], w, x, y, z)
    w, x, y, z = about(axes[0, 0], axes[0, 1], axes[0, 2], flexion[i] - rest)
    pw, px, py, pz = about(axes[1, 0], axes[1, 1], axes[1, 2], shared * roll[i])
    w, x, y, z = product(w, x, y, z, pw, px, py, pz)
    put(local, i, joints[2], w, x, y, z)
    angle = bend[i] + dragged[i, 0]
    over, under = max(angle - (highest - soft), 0.0), max(least + soft - angle, 0.0)
    angle = angle - over + soft * math.tanh(over / soft) + under - soft * math.tanh(under / soft)
    w, x, y, z = about(axes[3, 0], axes[3, 1], axes[3, 2], angle)
    angle = min(max(aside[i] + dragged[i, 1], inmost), outmost)
    pw, px, py, pz = about(axes[2, 0], axes[2, 1], axes[2, 2], angle)
    w, x, y, z = product(pw, px, py, pz, w, x, y, z)
    pw, px, py, pz = about(axes[1, 0], axes[1, 1], axes[1, 2], (1.0 - shared) * roll[i])
    w, x, y, z = product(pw, px, py, pz, w, x, y, z)
    put(local, i, joints[3], w, x, y, z)


@compile_kernel
def _lay_thumb(angles, turns, bones, along, across, out, handed, rolls, lies):  # type: ignore[no-untyped-def]
    """The thumb's base, joint 12 of the hand's: to its direction, rolled about it, then onto folded fingers."""
    c, s, d, e = math.cos(angles[0]), math.sin(angles[0]), math.cos(angles[1]), math.sin(angles[1])
    u = d * (c * along[0] + s * across[0]) + e * out[0]
    v = d * (c * along[1] + s * across[1]) + e * out[1]
    t = d * (c * along[2] + s * across[2]) + e * out[2]
    w, x, y, z = smallest(bones[0, 0], bones[0, 1], bones[0, 2], u, v, t)
    pw, px, py, pz = about(u, v, t, rolls * angles[2])
    w, x, y, z = product(pw, px, py, pz, w, x, y, z)
    turns[12, 0], turns[12, 1], turns[12, 2], turns[12, 3] = w, x, y, z
    share = angles[5]
    if share == 0.0:
        return
    gx, gy, gz = _reach(turns, 3, 2, bones[3:])
    gx, gy, gz = gx + bones[5, 0], gy + bones[5, 1], gz + bones[5, 2]
    rx, ry, rz = _reach(turns, 12, 3, bones)
    a = rx * across[0] + ry * across[1] + rz * across[2]
    b = rx * along[0] + ry * along[1] + rz * along[2]
    high = rx * out[0] + ry * out[1] + rz * out[2]
    far = math.hypot(a, b)
    angle = math.atan2(
        gx * across[0] + gy * across[1] + gz * across[2], gx * along[0] + gy * along[1] + gz * along[2]
    ) - math.atan2(a, b)
    angle = share * min(max(angle, -lies), lies)
    up = (gx * out[0] + gy * out[1] + gz * out[2]) / math.hypot(high, far)
    up = math.asin(min(max(up, -1.0), 1.0)) - math.atan2(high, far)
    up = share * min(max(up, -lies), lies)
    w, x, y, z = about(handed[0], handed[1], handed[2], angle)
    a, b = a / far, b / far
    u, v, t = b * along[0] + a * across[0], b * along[1] + a * across[1], b * along[2] + a * across[2]
    u, v, t = rotated(w, x, y, z, u, v, t)
    u, v, t = v * out[2] - t * out[1], t * out[0] - u * out[2], u * out[1] - v * out[0]
    size = math.sqrt(u * u + v * v + t * t)
    pw, px, py, pz = about(u / size, v / size, t / size, up)
    w, x, y, z = product(pw, px, py, pz, w, x, y, z)
    w, x, y, z = product(w, x, y, z, turns[12, 0], turns[12, 1], turns[12, 2], turns[12, 3])
    turns[12, 0], turns[12, 1], turns[12, 2], turns[12, 3] = w, x, y, z


@compile_kernel
def _reach(turns, first, count, bones):  # type: ignore[no-untyped-def]
    """From a finger's first joint to the middle of its last bone."""
    w, x, y, z = 1.0, 0.0, 0.0, 0.0
    u, v, t = 0.0, 0.0, 0.0
    for k in range(count):
        turn = turns[first + k]
        w, x, y, z = product(w, x, y, z, turn[0], turn[1], turn[2], turn[3])
        half = 0.5 if k == count - 1 else 1.0
        a, b, c = rotated(w, x, y, z, half * bones[k, 0], half * bones[k, 1], half * bones[k, 2])
        u, v, t = u + a, v + b, t + c
    return u, v, t
