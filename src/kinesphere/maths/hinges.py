"""Joints shaped by what they can do: flexion, side and twist, each from limit to limit.

A joint's turn from rest, as what it is measured against sees it, takes its bone somewhere, which is read as flexion and
side, and turns it about itself, which is its twist. A joint with a cone has one angle from the cone's axis in place of
flexion and side. The angles are shaped over their ranges (see ``shaping``), and the turn is put together again.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kinesphere.maths import compiled, rotations, waveshaping
from kinesphere.maths.compiled import compile_exact, compile_kernel
from kinesphere.maths.rotations import axis_angle_quaternion, quaternion_between, quaternion_product, rotate_vector
from kinesphere.maths.splines import Spline
from kinesphere.maths.vectors import Floats, Ints, clip, norms
from kinesphere.maths.waveshaping import waveshape_value

FULL = 2.0 * np.pi
TINY = 1e-9  # radians: what turns by less stays as it is


class Hinge(NamedTuple):
    """A joint, what it is measured against and along, and how far it goes."""

    path: Ints  # joints from below what it is measured against down to itself
    before: Floats  # (4,) the rest rotation in the world of what it is measured against
    after: Floats  # (4,) and its own
    axes: Floats  # (4, 3) the bone at rest, where it is at no flexion, where flexion takes it, its side
    ranges: Floats  # (3, 2) flexion, side and twist, in radians
    cone: float  # half the cone's angle, in radians; 0: none


def shape_hinge(local: Floats, table: Floats, about: Floats, hinge: Hinge, curve: Spline, amount: float) -> None:
    """Shape a joint, in place: its rotation in ``local (T, J, 4)`` and its vectors from ``about (4,)``, ``(T, 3)``.

    Vectors stay as near as can be to what they were: a joint that has turned by more than half a turn still has.
    """
    kernels = compiled.kernels(40 * len(local))
    if kernels is None:
        with compiled.plain_work():
            shape_hinge_reference(local, table, about, hinge, curve, amount)
        return
    kernels.shape_hinge(local, table, about, *hinge, waveshaping.shape_table(curve), float(amount), TINY)


def shape_hinge_reference(
    local: Floats, table: Floats, about: Floats, hinge: Hinge, curve: Spline, amount: float
) -> None:
    """The same in plain NumPy."""
    turn = np.broadcast_to(hinge.before, (len(local), 4))
    for joint in hinge.path:
        turn = rotations.multiply(turn, local[:, joint])
    turn = rotations.multiply(turn, rotations.conjugate(hinge.after))
    back = rotations.multiply(rotations.conjugate(turn), _shaped(turn, hinge, curve, amount))
    more = rotations.multiply(rotations.multiply(rotations.conjugate(hinge.after), back), hinge.after)
    moved, own = norms(more[:, 1:]) > TINY, hinge.path[-1]
    local[moved, own] = rotations.multiply(local[moved, own], more[moved])
    vectors = rotations.to_rotation_vector(rotations.multiply(rotations.conjugate(about), local[moved, own]))
    size = norms(vectors)[:, None]
    axis = np.where(size > TINY, vectors / np.maximum(size, 1e-12), 0.0)
    rounds = np.round((np.sum(table[moved] * axis, axis=-1, keepdims=True) - size) / FULL)
    table[moved] = axis * (size + FULL * rounds)


def _shaped(turn: Floats, hinge: Hinge, curve: Spline, amount: float) -> Floats:
    """``(T, 4)`` turns from rest with their angles shaped."""

    def within_ends(angles: Floats, ends: Floats) -> Floats:
        low, high = float(ends[0]), float(ends[1])
        return waveshaping.waveshape(angles[:, None], 0.5 * (low + high), 0.5 * (high - low), curve, amount)[:, 0]

    bone, neutral, forward, side = hinge.axes
    pointing = rotations.rotate(turn, bone)
    if hinge.cone > 0.0:
        swing = rotations.to_rotation_vector(rotations.rotation_between(neutral, pointing))
        size, ends = norms(swing), np.array([-hinge.cone, hinge.cone])
        wanted = within_ends(size, ends) - within_ends(np.zeros(1), ends)
        swing = swing * (wanted / np.maximum(size, 1e-12))[:, None]
        towards = rotations.rotate(rotations.from_rotation_vector(swing), neutral)
    else:
        middle = 0.5 * float(hinge.ranges[0].sum())
        bent = middle + (np.arctan2(pointing @ forward, pointing @ neutral) - middle + np.pi) % FULL - np.pi
        flexion = within_ends(bent, hinge.ranges[0])[:, None]
        aside = within_ends(np.arcsin(clip(pointing @ side, -1.0, 1.0)), hinge.ranges[1])[:, None]
        towards = np.cos(aside) * (np.cos(flexion) * neutral + np.sin(flexion) * forward) + np.sin(aside) * side
    angle = np.unwrap(2.0 * np.arctan2(turn[:, 1:] @ bone, turn[:, 0]))
    angle = within_ends(angle - FULL * np.round(np.median(angle) / FULL), hinge.ranges[2])
    about = rotations.from_rotation_vector(angle[:, None] * bone)
    return rotations.multiply(rotations.rotation_between(bone, towards), about)


# ---- Compiled shaping of joints by what they can do. Import this only through ``compiled``.


FULL_KERNEL = 2.0 * math.pi
SAME = 1e-12  # radians: angles that change by no more stay


@compile_exact
def shape_hinge_kernel(local, table, about, path, before, after, axes, ranges, cone, shape, amount, tiny):  # type: ignore[no-untyped-def]
    """One joint's flexion, side and twist shaped, in local (T, J, 4) and in its columns (T, 3); see ``hinges``."""
    frames, own = local.shape[0], path[-1]
    bone, neutral, forward, side = axes[0], axes[1], axes[2], axes[3]
    turns, twist = np.empty((frames, 4)), np.empty(frames)
    for t in range(frames):
        w, x, y, z = before[0], before[1], before[2], before[3]
        for joint in path:
            q = local[t, joint]
            w, x, y, z = quaternion_product(w, x, y, z, q[0], q[1], q[2], q[3])
        w, x, y, z = quaternion_product(w, x, y, z, after[0], -after[1], -after[2], -after[3])
        turns[t, 0], turns[t, 1], turns[t, 2], turns[t, 3] = w, x, y, z
        angle = 2.0 * math.atan2(x * bone[0] + y * bone[1] + z * bone[2], w)
        if t > 0:
            angle -= FULL_KERNEL * round((angle - twist[t - 1]) / FULL_KERNEL)
        twist[t] = angle
    rounds = FULL_KERNEL * round(np.median(twist) / FULL_KERNEL)
    middle = 0.5 * (ranges[0, 0] + ranges[0, 1])
    for t in range(frames):
        w, x, y, z = turns[t, 0], turns[t, 1], turns[t, 2], turns[t, 3]
        a, b, c = rotate_vector(w, x, y, z, bone[0], bone[1], bone[2])
        turn = twist[t] - rounds
        turned = _within(turn, ranges[2], shape, amount)
        if cone > 0.0:
            u, i, j, k = quaternion_between(neutral[0], neutral[1], neutral[2], a, b, c)
            sine = math.sqrt(i * i + j * j + k * k)
            size = 2.0 * math.atan2(sine, u)
            wanted = waveshape_value(size, 0.0, cone, shape, amount) - waveshape_value(0.0, 0.0, cone, shape, amount)
            if abs(wanted - size) < SAME and abs(turned - turn) < SAME:
                continue
            if sine > 1e-12:
                share = math.sin(0.5 * wanted) / sine
                u, i, j, k = math.cos(0.5 * wanted), share * i, share * j, share * k
                a, b, c = rotate_vector(u, i, j, k, neutral[0], neutral[1], neutral[2])
        else:
            along = a * neutral[0] + b * neutral[1] + c * neutral[2]
            ahead = a * forward[0] + b * forward[1] + c * forward[2]
            aside = math.asin(min(max(a * side[0] + b * side[1] + c * side[2], -1.0), 1.0))
            bend = math.atan2(ahead, along) - middle
            bend += middle - FULL_KERNEL * math.floor((bend + math.pi) / FULL_KERNEL)
            bent, gone = _within(bend, ranges[0], shape, amount), _within(aside, ranges[1], shape, amount)
            if abs(bent - bend) < SAME and abs(gone - aside) < SAME and abs(turned - turn) < SAME:
                continue
            i, j, k = math.cos(gone) * math.cos(bent), math.cos(gone) * math.sin(bent), math.sin(gone)
            a = i * neutral[0] + j * forward[0] + k * side[0]
            b = i * neutral[1] + j * forward[1] + k * side[1]
            c = i * neutral[2] + j * forward[2] + k * side[2]
        u, i, j, k = quaternion_between(bone[0], bone[1], bone[2], a, b, c)
        sine = math.sin(0.5 * turned)
        u, i, j, k = quaternion_product(
            u, i, j, k, math.cos(0.5 * turned), sine * bone[0], sine * bone[1], sine * bone[2]
        )
        u, i, j, k = quaternion_product(w, -x, -y, -z, u, i, j, k)
        u, i, j, k = quaternion_product(after[0], -after[1], -after[2], -after[3], u, i, j, k)
        u, i, j, k = quaternion_product(u, i, j, k, after[0], after[1], after[2], after[3])
        if math.sqrt(i * i + j * j + k * k) <= tiny:
            continue
        q = local[t, own]
        w, x, y, z = quaternion_product(q[0], q[1], q[2], q[3], u, i, j, k)
        q[0], q[1], q[2], q[3] = w, x, y, z
        w, x, y, z = quaternion_product(about[0], -about[1], -about[2], -about[3], w, x, y, z)
        if w < 0.0:
            w, x, y, z = -w, -x, -y, -z
        sine = math.sqrt(x * x + y * y + z * z)
        size = 2.0 * math.atan2(sine, w)
        if size > 1e-9:
            x, y, z = x / sine, y / sine, z / sine
            size += FULL_KERNEL * round((table[t, 0] * x + table[t, 1] * y + table[t, 2] * z - size) / FULL_KERNEL)
        table[t, 0], table[t, 1], table[t, 2] = size * x, size * y, size * z


@compile_exact
def _within(angle, ends, shape, amount):  # type: ignore[no-untyped-def]
    """An angle shaped between the ends of its range."""
    return waveshape_value(angle, 0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0]), shape, amount)


# ---- Hinges that bend no further than they can: an edit's way is slowed down before a limit, and ends there.


class HingeLimit(NamedTuple):
    """A hinge and how far it goes."""

    path: Ints  # joints from below what it is measured against down to itself
    before: Floats  # (4,) the rest rotation in the world of what it is measured against
    after: Floats  # (4,) and its own
    axes: Floats  # (3, 3) the bone at rest, where it is at no flexion, where flexion takes it
    least: float  # flexion, in radians
    greatest: float
    soft: float  # radians before either in which it is slowed down


def hinge_excess(before: Floats, local: Floats, hinge: HingeLimit) -> Floats:
    """``(T,)`` radians by which a hinge of local rotations ``(T, J, 4)`` is to be bent back, ``before`` considered.

    Until ``soft`` before a limit it bends as it does; what goes beyond comes ever nearer to the limit. What was within
    that before is slowed down from where it was, and what was past a limit goes no further.
    """
    kernels = compiled.loaded(40 * len(local))
    if kernels is None:
        return hinge_excess_reference(before, local, hinge)
    back = np.empty(len(local))
    kernels.find_excess(before, local, *hinge, TINY, back)
    return back


def hinge_excess_reference(before: Floats, local: Floats, hinge: HingeLimit) -> Floats:
    """The same in plain NumPy."""
    now = _flexion(hinge, local)[1]
    return limit_flexion(_flexion(hinge, before)[1], now, hinge) - now


def bend_hinge(local: Floats, hinge: HingeLimit, by: Floats) -> None:
    """Local rotations ``(T, J, 4)``, in place, with a hinge bent by so many radians ``(T,)`` more."""
    kernels = compiled.loaded(40 * len(local))
    if kernels is None:
        bend_hinge_reference(local, hinge, by)
        return
    kernels.bend_more(local, hinge.path, hinge.before, hinge.axes, by, TINY)


def bend_hinge_reference(local: Floats, hinge: HingeLimit, by: Floats) -> None:
    """The same in plain NumPy."""
    above, own = _flexion(hinge, local)[0], int(hinge.path[-1])
    rows = np.flatnonzero(np.abs(by) > TINY)
    turn = rotations.from_rotation_vector(by[rows, None] * np.cross(hinge.axes[1], hinge.axes[2]))
    seen = rotations.multiply(rotations.multiply(rotations.conjugate(above[rows]), turn), above[rows])
    local[rows, own] = rotations.multiply(seen, local[rows, own])


def limit_flexion(was: Floats, now: Floats, hinge: HingeLimit) -> Floats:
    """``(T,)`` how far a hinge is bent that was bent so and is asked to be."""
    up = now > was
    room = np.maximum(np.where(up, hinge.greatest - was, was - hinge.least), 0.0)
    soft = np.maximum(np.minimum(room, hinge.soft), TINY)
    past = np.abs(now - was) - (room - soft)
    kept = (room - soft) + soft * (1.0 - np.exp(-np.maximum(past, 0.0) / soft))
    return np.asarray(np.where((past > 0.0) & (now != was), was + np.where(up, kept, -kept), now))


def _flexion(hinge: HingeLimit, local: Floats) -> tuple[Floats, Floats]:
    """What the joint hangs on turned ``(T, 4)``, as the limb above it sees it, and its flexion ``(T,)`` in radians."""
    above = np.broadcast_to(hinge.before, (len(local), 4))
    for joint in hinge.path[:-1]:
        above = rotations.multiply(above, local[:, joint])
    turn = rotations.multiply(rotations.multiply(above, local[:, hinge.path[-1]]), rotations.conjugate(hinge.after))
    bone, neutral, forward = hinge.axes
    pointing = rotations.rotate(turn, bone)
    # Cut where nothing bends to, not at half a turn.
    middle = 0.5 * (hinge.least + hinge.greatest)
    angle = np.arctan2(pointing @ forward, pointing @ neutral)
    return above, np.asarray(middle + (angle - middle + np.pi) % (2.0 * np.pi) - np.pi)


# ---- Compiled bending of hinges. Import this only through ``compiled``.


@compile_kernel
def hinge_excess_kernel(before, local, path, first, last, axes, least, greatest, soft, tiny, back):  # type: ignore[no-untyped-def]
    """See ``bending.excess``; ``first`` and ``last`` are the rest rotations of what it hangs on and its own."""
    for i in range(local.shape[0]):
        now = _flexion_kernel(local, i, path, first, last, axes, least, greatest)
        was = _flexion_kernel(before, i, path, first, last, axes, least, greatest)
        up = now > was
        room = max(greatest - was if up else was - least, 0.0)
        gentle = max(min(room, soft), tiny)
        past = abs(now - was) - (room - gentle)
        back[i] = 0.0
        if past > 0.0 and now != was:
            kept = (room - gentle) + gentle * (1.0 - math.exp(-past / gentle))
            back[i] = was + (kept if up else -kept) - now


@compile_kernel
def bend_hinge_kernel(local, path, first, axes, by, tiny):  # type: ignore[no-untyped-def]
    """See ``bending.bend``."""
    n, f = axes[1], axes[2]
    x, y, z = n[1] * f[2] - n[2] * f[1], n[2] * f[0] - n[0] * f[2], n[0] * f[1] - n[1] * f[0]
    for i in range(local.shape[0]):
        if abs(by[i]) <= tiny:
            continue
        aw, ax, ay, az = _above(local, i, path, first)
        w, u, v, t = axis_angle_quaternion(x, y, z, by[i])
        w, u, v, t = quaternion_product(aw, -ax, -ay, -az, *quaternion_product(w, u, v, t, aw, ax, ay, az))
        q = local[i, path[-1]]
        q[0], q[1], q[2], q[3] = quaternion_product(w, u, v, t, q[0], q[1], q[2], q[3])


@compile_kernel
def _above(local, i, path, first):  # type: ignore[no-untyped-def]
    """What the joint hangs on turned, as the limb above it sees it."""
    w, x, y, z = first[0], first[1], first[2], first[3]
    for k in range(path.shape[0] - 1):
        q = local[i, path[k]]
        w, x, y, z = quaternion_product(w, x, y, z, q[0], q[1], q[2], q[3])
    return w, x, y, z


@compile_kernel
def _flexion_kernel(local, i, path, first, last, axes, least, greatest):  # type: ignore[no-untyped-def]
    w, x, y, z = _above(local, i, path, first)
    q = local[i, path[-1]]
    w, x, y, z = quaternion_product(w, x, y, z, q[0], q[1], q[2], q[3])
    w, x, y, z = quaternion_product(w, x, y, z, last[0], -last[1], -last[2], -last[3])
    u, v, t = rotate_vector(w, x, y, z, axes[0, 0], axes[0, 1], axes[0, 2])
    along = u * axes[1, 0] + v * axes[1, 1] + t * axes[1, 2]
    ahead = u * axes[2, 0] + v * axes[2, 1] + t * axes[2, 2]
    middle = 0.5 * (least + greatest)
    turned = math.atan2(ahead, along) - middle + math.pi
    return middle + (turned - 2.0 * math.pi * math.floor(turned / (2.0 * math.pi))) - math.pi
