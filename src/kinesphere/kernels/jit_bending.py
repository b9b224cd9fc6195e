"""Compiled bending of hinges. Import this only through ``compiled``."""

from __future__ import annotations

import math

from kinesphere.kernels.jit_terms import compile_kernel
from kinesphere.kernels.jit_turns import about, product, rotated


@compile_kernel
def find_excess(before, local, path, first, last, axes, least, greatest, soft, tiny, back):  # type: ignore[no-untyped-def]
    """See ``bending.excess``; ``first`` and ``last`` are the rest rotations of what it hangs on and its own."""
    for i in range(local.shape[0]):
        now = _flexion(local, i, path, first, last, axes, least, greatest)
        was = _flexion(before, i, path, first, last, axes, least, greatest)
        up = now > was
        room = max(greatest - was if up else was - least, 0.0)
        gentle = max(min(room, soft), tiny)
        past = abs(now - was) - (room - gentle)
        back[i] = 0.0
        if past > 0.0 and now != was:
            kept = (room - gentle) + gentle * (1.0 - math.exp(-past / gentle))
            back[i] = was + (kept if up else -kept) - now


@compile_kernel
def bend_more(local, path, first, axes, by, tiny):  # type: ignore[no-untyped-def]
    """See ``bending.bend``."""
    n, f = axes[1], axes[2]
    x, y, z = n[1] * f[2] - n[2] * f[1], n[2] * f[0] - n[0] * f[2], n[0] * f[1] - n[1] * f[0]
    for i in range(local.shape[0]):
        if abs(by[i]) <= tiny:
            continue
        aw, ax, ay, az = _above(local, i, path, first)
        w, u, v, t = about(x, y, z, by[i])
        w, u, v, t = product(aw, -ax, -ay, -az, *product(w, u, v, t, aw, ax, ay, az))
        q = local[i, path[-1]]
        q[0], q[1], q[2], q[3] = product(w, u, v, t, q[0], q[1], q[2], q[3])


@compile_kernel
def _above(local, i, path, first):  # type: ignore[no-untyped-def]
    """What the joint hangs on turned, as the limb above it sees it."""
    w, x, y, z = first[0], first[1], first[2], first[3]
    for k in range(path.shape[0] - 1):
        q = local[i, path[k]]
        w, x, y, z = product(w, x, y, z, q[0], q[1], q[2], q[3])
    return w, x, y, z


@compile_kernel
def _flexion(local, i, path, first, last, axes, least, greatest):  # type: ignore[no-untyped-def]
    w, x, y, z = _above(local, i, path, first)
    q = local[i, path[-1]]
    w, x, y, z = product(w, x, y, z, q[0], q[1], q[2], q[3])
    w, x, y, z = product(w, x, y, z, last[0], -last[1], -last[2], -last[3])
    u, v, t = rotated(w, x, y, z, axes[0, 0], axes[0, 1], axes[0, 2])
    along = u * axes[1, 0] + v * axes[1, 1] + t * axes[1, 2]
    ahead = u * axes[2, 0] + v * axes[2, 1] + t * axes[2, 2]
    middle = 0.5 * (least + greatest)
    turned = math.atan2(ahead, along) - middle + math.pi
    return middle + (turned - 2.0 * math.pi * math.floor(turned / (2.0 * math.pi))) - math.pi
