"""Joint angles and their limits: waveshape flexion, side and twist of a joint, and stop a hinge softly at its limits.

A joint's rotation from rest, seen from the joint that it is measured against, points its bone somewhere, which is read
as flexion and side, and rotates it about itself, which is its twist. A joint with a cone has one angle from the cone's
axis in place of flexion and side.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kinesphere.maths.compiled import jit
from kinesphere.maths.rotations import (
    axis_angle_quaternion,
    quaternion_between,
    quaternion_product,
    read_only,
    rotate_vector,
)
from kinesphere.maths.splines import Spline
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.maths.waveshaping import shape_table, waveshape_value

TINY = 1e-9  # radians: smaller rotations are left out
_FULL = 2.0 * math.pi
_SAME = 1e-12  # radians: angles that change by no more stay


class Hinge(NamedTuple):
    """A joint, what it is measured against and along, and how far it goes."""

    path: Ints  # joints from below the one that it is measured against down to itself
    before: Floats  # (4,) the rest rotation in the world of the joint that it is measured against
    after: Floats  # (4,) and its own
    axes: Floats  # (4, 3) the bone at rest, where it points at no flexion, where flexion takes it, its side
    ranges: Floats  # (3, 2) flexion, side and twist, in radians
    cone: float  # half the cone's angle, in radians; 0: none


class HingeLimit(NamedTuple):
    """A hinge and how far it bends."""

    path: Ints  # joints from below the one that it is measured against down to itself
    before: Floats  # (4,) the rest rotation in the world of the joint that it is measured against
    after: Floats  # (4,) and its own
    axes: Floats  # (3, 3) the bone at rest, where it points at no flexion, where flexion takes it
    least: float  # flexion, in radians
    greatest: float
    soft: float  # radians before either limit in which it is slowed down


def shape_hinge(local: Floats, table: Floats, about: Floats, hinge: Hinge, curve: Spline, amount: float) -> None:
    """Waveshape a joint's angles over their ranges, in place; see ``waveshaping``.

    Its rotations are in ``local (T, J, 4)``, and ``table (T, 3)`` has their rotation vectors from ``about (4,)``.
    Vectors stay as near as can be to what they were: a joint that has rotated by more than π still has.
    """
    vectors = np.ascontiguousarray(table)
    turned, twist = np.empty((len(local), 4)), np.empty(len(local))
    read_hinge_kernel(local, hinge, turned, twist)
    if np.abs(twist).max(initial=0.0) > math.pi:
        twist -= _FULL * round(np.median(twist) / _FULL)
    shape_hinge_kernel(local, vectors, about, hinge, shape_table(curve), float(amount), turned, twist)
    table[:] = vectors


def hinge_excess(before: Floats, local: Floats, hinge: HingeLimit) -> Floats:
    """``(T,)`` radians by which a hinge of local rotations ``(T, J, 4)`` is to be bent back, ``before`` considered.

    Until ``soft`` before a limit it bends freely; beyond, it approaches the limit. A hinge that was that near before is
    slowed down from where it was, and one that was past a limit goes no further.
    """
    back = np.empty(len(local))
    hinge_excess_kernel(read_only(before, *before.shape), read_only(local, *local.shape), hinge, back)
    return back


def bend_hinge(local: Floats, hinge: HingeLimit, by: Floats) -> None:
    """Bend a hinge of local rotations ``(T, J, 4)`` by so many radians ``(T,)`` more, in place."""
    bend_hinge_kernel(local, hinge, by)


@jit
def chain_rotation(local, t, path, count, first):  # type: ignore[no-untyped-def]
    """The rotation ``first`` and then those of ``count`` joints of a path in frame ``t``, multiplied."""
    w, x, y, z = first[0], first[1], first[2], first[3]
    for k in range(count):
        j = path[k]
        w, x, y, z = quaternion_product(w, x, y, z, local[t, j, 0], local[t, j, 1], local[t, j, 2], local[t, j, 3])
    return w, x, y, z


# Waveshaping of joint angles


@jit
def read_hinge_kernel(local, hinge, turned, twist):  # type: ignore[no-untyped-def]
    """Write one joint's rotations ``(T, 4)`` from rest and its twists ``(T,)``, which don't jump by whole rounds."""
    bone, after = hinge.axes[0], hinge.after
    for t in range(local.shape[0]):
        w, x, y, z = chain_rotation(local, t, hinge.path, hinge.path.size, hinge.before)
        w, x, y, z = quaternion_product(w, x, y, z, after[0], -after[1], -after[2], -after[3])
        turned[t, 0], turned[t, 1], turned[t, 2], turned[t, 3] = w, x, y, z
        angle = 2.0 * math.atan2(x * bone[0] + y * bone[1] + z * bone[2], w)
        if t > 0:
            angle -= _FULL * round((angle - twist[t - 1]) / _FULL)
        twist[t] = angle


@jit
def shape_hinge_kernel(local, table, about, hinge, shape, amount, turned, twist):  # type: ignore[no-untyped-def]
    """Shape one joint, in ``local (T, J, 4)`` and in its vectors ``(T, 3)``; ``shape`` is a ``shape_table``."""
    own = hinge.path[hinge.path.size - 1]
    bone, after = hinge.axes[0], hinge.after
    for t in range(local.shape[0]):
        w, x, y, z, angle = turned[t, 0], turned[t, 1], turned[t, 2], turned[t, 3], twist[t]
        a, b, c = rotate_vector(w, x, y, z, bone[0], bone[1], bone[2])
        a, b, c, change = shape_direction(a, b, c, hinge, shape, amount)
        shaped = shape_within(angle, hinge.ranges[2], shape, amount)
        if change < _SAME and abs(shaped - angle) < _SAME:
            continue
        # The shaped rotation, then what it adds to the joint's own, in the joint's frame.
        u, i, j, k = quaternion_between(bone[0], bone[1], bone[2], a, b, c)
        s = math.sin(0.5 * shaped)
        u, i, j, k = quaternion_product(u, i, j, k, math.cos(0.5 * shaped), s * bone[0], s * bone[1], s * bone[2])
        u, i, j, k = quaternion_product(w, -x, -y, -z, u, i, j, k)
        u, i, j, k = quaternion_product(after[0], -after[1], -after[2], -after[3], u, i, j, k)
        u, i, j, k = quaternion_product(u, i, j, k, after[0], after[1], after[2], after[3])
        if math.sqrt(i * i + j * j + k * k) <= TINY:
            continue
        q = local[t, own]
        w, x, y, z = quaternion_product(q[0], q[1], q[2], q[3], u, i, j, k)
        q[0], q[1], q[2], q[3] = w, x, y, z
        w, x, y, z = quaternion_product(about[0], -about[1], -about[2], -about[3], w, x, y, z)
        write_nearest_vector(w, x, y, z, table, t)


@jit
def shape_direction(a, b, c, hinge, shape, amount):  # type: ignore[no-untyped-def]
    """A bone's direction with flexion and side, or the angle in the cone, shaped; and the greatest change of these."""
    neutral, forward, side = hinge.axes[1], hinge.axes[2], hinge.axes[3]
    if hinge.cone > 0.0:
        u, i, j, k = quaternion_between(neutral[0], neutral[1], neutral[2], a, b, c)
        sine = math.sqrt(i * i + j * j + k * k)
        size = 2.0 * math.atan2(sine, u)
        shaped = waveshape_value(size, 0.0, hinge.cone, shape, amount)
        shaped -= waveshape_value(0.0, 0.0, hinge.cone, shape, amount)
        if sine > 1e-12:
            factor = math.sin(0.5 * shaped) / sine
            u, i, j, k = math.cos(0.5 * shaped), factor * i, factor * j, factor * k
            a, b, c = rotate_vector(u, i, j, k, neutral[0], neutral[1], neutral[2])
        return a, b, c, abs(shaped - size)
    middle = 0.5 * (hinge.ranges[0, 0] + hinge.ranges[0, 1])
    flexion = math.atan2(
        a * forward[0] + b * forward[1] + c * forward[2], a * neutral[0] + b * neutral[1] + c * neutral[2]
    )
    flexion -= _FULL * math.floor((flexion - middle + math.pi) / _FULL)
    aside = math.asin(min(max(a * side[0] + b * side[1] + c * side[2], -1.0), 1.0))
    bent = shape_within(flexion, hinge.ranges[0], shape, amount)
    leaned = shape_within(aside, hinge.ranges[1], shape, amount)
    i, j, k = math.cos(leaned) * math.cos(bent), math.cos(leaned) * math.sin(bent), math.sin(leaned)
    a = i * neutral[0] + j * forward[0] + k * side[0]
    b = i * neutral[1] + j * forward[1] + k * side[1]
    c = i * neutral[2] + j * forward[2] + k * side[2]
    return a, b, c, max(abs(bent - flexion), abs(leaned - aside))


@jit
def shape_within(angle, ends, shape, amount):  # type: ignore[no-untyped-def]
    """An angle shaped between the ends of its range."""
    return waveshape_value(angle, 0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0]), shape, amount)


@jit
def write_nearest_vector(w, x, y, z, table, t):  # type: ignore[no-untyped-def]
    """Replace row ``t`` of rotation vectors by the vector of a quaternion that is nearest to it, whole rounds apart."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    size = 2.0 * math.atan2(sine, w)
    if size > TINY:
        x, y, z = x / sine, y / sine, z / sine
        size += _FULL * round((table[t, 0] * x + table[t, 1] * y + table[t, 2] * z - size) / _FULL)
    table[t, 0], table[t, 1], table[t, 2] = size * x, size * y, size * z


# Limits of hinges


@jit
def hinge_excess_kernel(before, local, hinge, back):  # type: ignore[no-untyped-def]
    """The angles ``(T,)`` that bring a hinge from where it is to where it may be."""
    for t in range(local.shape[0]):
        now = hinge_flexion(local, t, hinge)
        back[t] = limit_flexion(hinge_flexion(before, t, hinge), now, hinge) - now


@jit
def limit_flexion(was, now, hinge):  # type: ignore[no-untyped-def]
    """The flexion of a hinge that had one before and is asked for another."""
    up = now > was
    room = max(hinge.greatest - was if up else was - hinge.least, 0.0)
    soft = max(min(room, hinge.soft), TINY)
    past = abs(now - was) - (room - soft)
    if past <= 0.0 or now == was:
        return now
    bent = (room - soft) + soft * (1.0 - math.exp(-past / soft))
    return was + (bent if up else -bent)


@jit
def hinge_flexion(local, t, hinge):  # type: ignore[no-untyped-def]
    """The flexion of a hinge in a frame, cut opposite to the middle of its range and not at π."""
    after, axes = hinge.after, hinge.axes
    w, x, y, z = chain_rotation(local, t, hinge.path, hinge.path.size, hinge.before)
    w, x, y, z = quaternion_product(w, x, y, z, after[0], -after[1], -after[2], -after[3])
    a, b, c = rotate_vector(w, x, y, z, axes[0, 0], axes[0, 1], axes[0, 2])
    along = a * axes[1, 0] + b * axes[1, 1] + c * axes[1, 2]
    ahead = a * axes[2, 0] + b * axes[2, 1] + c * axes[2, 2]
    angle = math.atan2(ahead, along)
    return angle - _FULL * math.floor((angle - 0.5 * (hinge.least + hinge.greatest) + math.pi) / _FULL)


@jit
def bend_hinge_kernel(local, hinge, by):  # type: ignore[no-untyped-def]
    """Bend a hinge of ``(T, J, 4)`` by angles ``(T,)``, in place."""
    n, f = hinge.axes[1], hinge.axes[2]
    x, y, z = n[1] * f[2] - n[2] * f[1], n[2] * f[0] - n[0] * f[2], n[0] * f[1] - n[1] * f[0]
    last = hinge.path.size - 1
    for t in range(local.shape[0]):
        if abs(by[t]) <= TINY:
            continue
        aw, ax, ay, az = chain_rotation(local, t, hinge.path, last, hinge.before)
        w, i, j, k = axis_angle_quaternion(x, y, z, by[t])
        w, i, j, k = quaternion_product(w, i, j, k, aw, ax, ay, az)
        w, i, j, k = quaternion_product(aw, -ax, -ay, -az, w, i, j, k)
        q = local[t, hinge.path[last]]
        w, i, j, k = quaternion_product(w, i, j, k, q[0], q[1], q[2], q[3])
        q[0], q[1], q[2], q[3] = w, i, j, k
