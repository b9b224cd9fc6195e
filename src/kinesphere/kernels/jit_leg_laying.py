"""Compiled legs: as a motion has them, and as they are laid anew. Import this only through ``compiled``.

The twins are in ``body.legs``: ``seen_reference``, ``modelled_reference``, ``moving_reference``, ``bent_reference`` and
``turned_reference``.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_terms import compile_kernel
from kinesphere.kernels.jit_turns import expo, product, rotated, smallest


@compile_kernel
def see_legs(q, p, rows, resting, straight, backward, legs):  # type: ignore[no-untyped-def]
    """Both legs of joints in the world (T, K, 4 and 3); ``rows`` (2, 3) are thighs, shins and feet."""
    for i in range(2):
        _see_leg(
            q, p, rows[i], resting[i], straight, backward, legs.hip[i], legs.knee[i], legs.ankle[i],
            legs.normal[i], legs.axis[i], legs.flexion[i], legs.upper[i], legs.lower[i],
        )  # fmt: skip


@compile_kernel
def _see_leg(  # type: ignore[no-untyped-def]
    q, p, rows, resting, straight, backward, hip, knee, ankle, normal, axis, flexion, upper, lower
):
    frames, thigh = q.shape[0], rows[0]
    sines, usual = np.empty(frames), np.zeros(3)
    above, below = np.empty(3), np.empty(3)
    for t in range(frames):
        for c in range(3):
            hip[t, c], knee[t, c], ankle[t, c] = p[t, thigh, c], p[t, rows[1], c], p[t, rows[2], c]
            above[c], below[c] = knee[t, c] - hip[t, c], ankle[t, c] - knee[t, c]
        upper[t], lower[t] = _unit(above), _unit(below)
        nx, ny, nz = _cross(above, below)
        sine = math.sqrt(nx * nx + ny * ny + nz * nz)
        flexion[t] = math.atan2(sine, above[0] * below[0] + above[1] * below[1] + above[2] * below[2])
        normal[t, 0], normal[t, 1], normal[t, 2] = nx, ny, nz
        nx, ny, nz = rotated(q[t, thigh, 0], -q[t, thigh, 1], -q[t, thigh, 2], -q[t, thigh, 3], nx, ny, nz)
        square = sine * sine
        usual[0], usual[1], usual[2] = usual[0] + square * nx, usual[1] + square * ny, usual[2] + square * nz
        sines[t] = sine
    if math.sqrt(usual[0] ** 2 + usual[1] ** 2 + usual[2] ** 2) < 1e-6 * frames:
        usual[0], usual[1], usual[2] = resting[0], resting[1], resting[2]
    _unit(usual)
    for t in range(frames):
        own, sine = normal[t], sines[t]
        ux, uy, uz = rotated(
            q[t, thigh, 0], q[t, thigh, 1], q[t, thigh, 2], q[t, thigh, 3], usual[0], usual[1], usual[2]
        )
        if own[0] * ux + own[1] * uy + own[2] * uz < 0.0 and sine < backward:
            own[0], own[1], own[2] = -own[0], -own[1], -own[2]
            flexion[t] = -flexion[t]
        _unit(own)
        share = math.exp(-((sine / straight) ** 2))
        axis[t, 0] = (1.0 - share) * own[0] + share * ux
        axis[t, 1] = (1.0 - share) * own[1] + share * uy
        axis[t, 2] = (1.0 - share) * own[2] + share * uz
        _unit(axis[t])


@compile_kernel
def model_legs(legs, p, rows, hanging, keeps, shift, unit, model):  # type: ignore[no-untyped-def]
    """Legs in leg lengths, with ankles to be shifted by (2, T, 3); ``rows`` are hips, trunk and head in ``p``.

    Legs are rigid that have their feet ``hanging`` (2,) on them and bones that change by less than a share ``keeps``.
    """
    frames = p.shape[0]
    for i in range(2):
        model.rigid[i] = hanging[i] and _keeps(legs.upper[i], keeps) and _keeps(legs.lower[i], keeps)
    across, side = np.empty(3), np.empty(3)
    for t in range(frames):
        for c in range(3):
            across[c] = legs.hip[0, t, c] - legs.hip[1, t, c]
            model.hips[t, c] = p[t, rows[0], c] / unit
            model.trunk[t, c] = p[t, rows[1], c] / unit
            model.head[t, c] = p[t, rows[2], c] / unit
        whole = math.sqrt(across[0] ** 2 + across[1] ** 2 + across[2] ** 2)
        across[1] = 0.0
        level = _unit(across)
        angle = 2.0 * unit / max(level, max(0.5 * whole, 1e-12 * unit))
        model.aside[t, 0], model.aside[t, 1], model.aside[t, 2] = across[0], 0.0, across[2]
        # across × up
        model.rolling[t, 0], model.rolling[t, 1], model.rolling[t, 2] = -angle * across[2], 0.0, angle * across[0]
        for i in range(2):
            hip, ankle = legs.hip[i, t], legs.ankle[i, t]
            for c in range(3):
                model.way[i, t, c] = (ankle[c] + shift[i, t, c] - hip[c]) / unit
                model.shift[i, t, c] = shift[i, t, c] / unit
                model.hip[i, t, c] = hip[c] / unit
                model.knee[i, t, c] = legs.knee[i, t, c] / unit
                side[c] = ankle[c] - hip[c]
            forward = model.forward[i, t]
            forward[0], forward[1], forward[2] = _cross(side, legs.axis[i, t])
            _unit(forward)
            model.upper[i, t], model.lower[i, t] = legs.upper[i, t] / unit, legs.lower[i, t] / unit
            model.flexion[i, t] = legs.flexion[i, t]


@compile_kernel
def _keeps(lengths, share):  # type: ignore[no-untyped-def]
    """Whether lengths (T,) differ by less than a share of their mean."""
    least, most, total = lengths[0], lengths[0], 0.0
    for t in range(lengths.size):
        least, most, total = min(least, lengths[t]), max(most, lengths[t]), total + lengths[t]
    return most - least < share * total / lengths.size


@compile_kernel
def find_moving(shift, turn, was, now, raised, rolled, swayed, moving):  # type: ignore[no-untyped-def]
    """Frames (T,) in which anything moves: feet (2, T, 3), knees (2, T) or hips (T,)."""
    for t in range(moving.size):
        some = raised[t] != 0.0 or rolled[t] != 0.0 or swayed[t] != 0.0
        for i in range(2):
            some = some or was[i, t] != now[i, t]
            for c in range(3):
                some = some or shift[i, t, c] != 0.0 or turn[i, t, c] != 0.0
        moving[t] = some


@compile_kernel
def bend_legs(  # type: ignore[no-untyped-def]
    legs, model, raised, rolled, swayed, flexion, unit, hip, way, carry, upper, lower, step, aside
):
    """Hips moved by (T,) each way, and thighs and shins (2, T, 3) bent so much and laid towards the ankles.

    ``carry`` (2, T, 4) is how a leg's plane is turned, ``step`` how far its knee goes and ``aside`` how it goes if
    the leg is turned about its way.
    """
    along, forward, bend = np.empty(3), np.empty(3), np.empty(3)
    for t in range(raised.size):
        roll, trunk, side = model.rolling[t], model.trunk[t], model.aside[t]
        by = rolled[t]
        w, a, b, c = expo(by * roll[0], by * roll[1], by * roll[2])
        for i in range(2):
            at = model.hip[i, t]
            px, py, pz = at[0] - trunk[0], at[1] - trunk[1], at[2] - trunk[2]
            qx, qy, qz = rotated(w, a, b, c, px, py, pz)
            hip[i, t, 0] = unit * (at[0] + qx - px + swayed[t] * side[0])
            hip[i, t, 1] = unit * (at[1] + qy - py + raised[t] + swayed[t] * side[1])
            hip[i, t, 2] = unit * (at[2] + qz - pz + swayed[t] * side[2])
            own, ankle = legs.hip[i, t], legs.ankle[i, t]
            for k in range(3):
                way[i, t, k] = ankle[k] + unit * model.shift[i, t, k] - hip[i, t, k]
                along[k] = way[i, t, k]
            e, f, g, h = smallest(ankle[0] - own[0], ankle[1] - own[1], ankle[2] - own[2], along[0], along[1], along[2])
            carry[i, t, 0], carry[i, t, 1], carry[i, t, 2], carry[i, t, 3] = e, f, g, h
            was, more, square = legs.flexion[i, t], flexion[i, t] - legs.flexion[i, t], 0.0
            for k in range(3):
                bend[k] = was * legs.normal[i, t, k] + more * legs.axis[i, t, k]
                square += bend[k] * bend[k]
            if not square > 1e-18:
                bend[:] = legs.axis[i, t]
            bend[0], bend[1], bend[2] = rotated(e, f, g, h, bend[0], bend[1], bend[2])
            _unit(along)
            forward[0], forward[1], forward[2] = _cross(along, bend)
            _unit(forward)
            size = abs(flexion[i, t])
            above, below = legs.upper[i, t], legs.lower[i, t]
            cosine, sine = math.cos(size), math.sin(size)
            # how far the thigh leans from the way, and the shin beyond it
            c0, s0 = above + below * cosine, below * sine
            reach = math.sqrt(c0 * c0 + s0 * s0)
            c0, s0 = (c0 / reach, s0 / reach) if reach > 0.0 else (1.0, 0.0)
            c1, s1 = cosine * c0 + sine * s0, sine * c0 - cosine * s0
            for k in range(3):
                upper[i, t, k] = above * (c0 * along[k] + s0 * forward[k])
                lower[i, t, k] = below * (c1 * along[k] - s1 * forward[k])
                step[i, t, k] = (hip[i, t, k] + upper[i, t, k] - legs.knee[i, t, k]) / unit
            e, f, g = _cross(along, upper[i, t])
            aside[i, t, 0], aside[i, t, 1], aside[i, t, 2] = e / unit, f / unit, g / unit


@compile_kernel
def turn_legs(legs, bent, angle, active, above, below, missed, ankle):  # type: ignore[no-untyped-def]
    """How thighs and shins turn (2, T, 4), how far ankles are from where they should be (2, T), and where they are."""
    along, axis, bone, thigh, shin = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    way, carry = bent.way, bent.carry
    for i in range(2):
        for t in range(active.size):
            along[:] = way[i, t]
            _unit(along)
            turn = angle[i, t]
            w, x, y, z = expo(turn * along[0], turn * along[1], turn * along[2])
            upper, lower = bent.upper[i, t], bent.lower[i, t]
            thigh[0], thigh[1], thigh[2] = rotated(w, x, y, z, upper[0], upper[1], upper[2])
            shin[0], shin[1], shin[2] = rotated(w, x, y, z, lower[0], lower[1], lower[2])
            for k in range(3):
                ankle[i, t, k] = bent.hip[i, t, k] + thigh[k] + shin[k]
            a, b, c = (
                way[i, t, 0] - thigh[0] - shin[0],
                way[i, t, 1] - thigh[1] - shin[1],
                way[i, t, 2] - thigh[2] - shin[2],
            )
            missed[i, t] = math.sqrt(a * a + b * b + c * c)
            if not active[t]:
                continue
            w, x, y, z = product(w, x, y, z, carry[i, t, 0], carry[i, t, 1], carry[i, t, 2], carry[i, t, 3])
            own = legs.axis[i, t]
            axis[0], axis[1], axis[2] = rotated(w, x, y, z, own[0], own[1], own[2])
            for k in range(3):
                bone[k] = legs.knee[i, t, k] - legs.hip[i, t, k]
            _frame_turn(bone, own, thigh, axis, above[i, t])
            for k in range(3):
                bone[k] = legs.ankle[i, t, k] - legs.knee[i, t, k]
            _frame_turn(bone, own, shin, axis, below[i, t])


@compile_kernel
def _frame_turn(bone, axis, bone_new, axis_new, turn):  # type: ignore[no-untyped-def]
    """The turn (4,) that takes one bone to the other, and the plane about it along."""
    w, x, y, z = _swing(bone[0], bone[1], bone[2], bone_new[0], bone_new[1], bone_new[2])
    size = math.sqrt(bone_new[0] ** 2 + bone_new[1] ** 2 + bone_new[2] ** 2)
    size = size if size > 0.0 else 1.0
    lx, ly, lz = bone_new[0] / size, bone_new[1] / size, bone_new[2] / size
    ax, ay, az = rotated(w, x, y, z, axis[0], axis[1], axis[2])
    bx, by, bz = axis_new[0], axis_new[1], axis_new[2]
    along = ax * lx + ay * ly + az * lz
    ax, ay, az = ax - along * lx, ay - along * ly, az - along * lz
    along = bx * lx + by * ly + bz * lz
    bx, by, bz = bx - along * lx, by - along * ly, bz - along * lz
    sine = lx * (ay * bz - az * by) + ly * (az * bx - ax * bz) + lz * (ax * by - ay * bx)
    e, half = _halved(ax * bx + ay * by + az * bz, sine)
    f, g, h = half * lx, half * ly, half * lz
    turn[0], turn[1], turn[2], turn[3] = product(e, f, g, h, w, x, y, z)


@compile_kernel
def _halved(cosine, sine):  # type: ignore[no-untyped-def]
    """Cosine and sine of half an angle, from multiples of those of the whole; none if both are nothing."""
    size = math.sqrt(cosine * cosine + sine * sine)
    if not size > 0.0:
        return 1.0, 0.0
    if cosine > 0.0:
        c = math.sqrt(0.5 * (1.0 + cosine / size))
        return c, 0.5 * sine / (size * c)
    s = math.sqrt(0.5 * (1.0 - cosine / size))
    s = s if sine >= 0.0 else -s
    return 0.5 * sine / (size * s), s


@compile_kernel
def _swing(ax, ay, az, bx, by, bz):  # type: ignore[no-untyped-def]
    """The smallest turn from one direction to another: as ``smallest``, in a third of the time unless it is large."""
    sizes = math.sqrt((ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz))
    w = sizes + ax * bx + ay * by + az * bz
    if not w > 0.1 * sizes:
        return smallest(ax, ay, az, bx, by, bz)
    x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    scale = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    return scale * w, scale * x, scale * y, scale * z


@compile_kernel
def _cross(a, b):  # type: ignore[no-untyped-def]
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@compile_kernel
def _unit(vector):  # type: ignore[no-untyped-def]
    """Make a vector (3,) one of length 1, zero stays; its length."""
    size = math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])
    if size > 0.0:
        vector[0], vector[1], vector[2] = vector[0] / size, vector[1] / size, vector[2] / size
    return size
