"""Compiled resampling. Import this only through ``compiled``."""

from __future__ import annotations

import math

from kinesphere.kernels.jit_terms import compile_kernel
from kinesphere.kernels.jit_turns import expo, product


@compile_kernel
def turn_steps(turns, out):  # type: ignore[no-untyped-def]
    """Rotation vectors (T − 1, J, 3) of the shorter way from each of turns (T, J, 4) to the next."""
    for i in range(turns.shape[0] - 1):
        for j in range(turns.shape[1]):
            a, b = turns[i, j], turns[i + 1, j]
            w, x, y, z = product(a[0], -a[1], -a[2], -a[3], b[0], b[1], b[2], b[3])
            if w < 0.0:
                w, x, y, z = -w, -x, -y, -z
            sine = math.sqrt(x * x + y * y + z * z)
            share = 2.0 * math.atan2(sine, w) / sine if sine > 1e-12 else 2.0
            out[i, j, 0], out[i, j, 1], out[i, j, 2] = share * x, share * y, share * z


@compile_kernel
def turns_between(turns, steps, at, share, smooth, out):  # type: ignore[no-untyped-def]
    """Turns (N, J, 4) past frames ``at`` by shares (N,); see ``resampling.resample_rotations``."""
    last = steps.shape[0] - 1
    for n in range(at.shape[0]):
        i, u = at[n], share[n]
        for j in range(turns.shape[1]):
            q, s = turns[i, j], steps[i, j]
            x, y, z = u * s[0], u * s[1], u * s[2]
            if smooth and u > 0.0:
                lx, ly, lz = s[0], s[1], s[2]
                rx, ry, rz = s[0], s[1], s[2]
                if i > 0:
                    p = steps[i - 1, j]
                    lx, ly, lz = _limited(p[0], p[1], p[2], s[0], s[1], s[2])
                if i < last:
                    p = steps[i + 1, j]
                    rx, ry, rz = _limited(s[0], s[1], s[2], p[0], p[1], p[2])
                rx, ry, rz = _at_the_end(s[0], s[1], s[2], rx, ry, rz)
                x, y, z = _cubic(s[0], lx, rx, u), _cubic(s[1], ly, ry, u), _cubic(s[2], lz, rz, u)
            w, x, y, z = expo(x, y, z)
            w, x, y, z = product(q[0], q[1], q[2], q[3], w, x, y, z)
            out[n, j, 0], out[n, j, 1], out[n, j, 2], out[n, j, 3] = w, x, y, z


@compile_kernel
def places_between(places, at, share, smooth, out):  # type: ignore[no-untyped-def]
    """Places (N, M, 3) past frames ``at`` by shares (N,) of places (T, M, 3); see ``resampling.resample_vectors``."""
    last = places.shape[0] - 1
    for n in range(at.shape[0]):
        i, u = at[n], share[n]
        for j in range(places.shape[1]):
            a, b = places[i, j], places[i + 1, j]
            x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
            if smooth and u > 0.0:
                lx, ly, lz = x, y, z
                rx, ry, rz = x, y, z
                if i > 0:
                    p = places[i - 1, j]
                    lx, ly, lz = _limited(a[0] - p[0], a[1] - p[1], a[2] - p[2], x, y, z)
                if i + 1 < last:
                    p = places[i + 2, j]
                    rx, ry, rz = _limited(x, y, z, p[0] - b[0], p[1] - b[1], p[2] - b[2])
                x, y, z = _cubic(x, lx, rx, u), _cubic(y, ly, ry, u), _cubic(z, lz, rz, u)
            else:
                x, y, z = u * x, u * y, u * z
            out[n, j, 0], out[n, j, 1], out[n, j, 2] = a[0] + x, a[1] + y, a[2] + z


@compile_kernel
def _limited(ax, ay, az, bx, by, bz):  # type: ignore[no-untyped-def]
    """The mean of two steps, at most three times the shorter one."""
    x, y, z = 0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * (az + bz)
    shorter = math.sqrt(min(ax * ax + ay * ay + az * az, bx * bx + by * by + bz * bz))
    length = math.sqrt(x * x + y * y + z * z)
    share = min(1.0, 3.0 * shorter / max(length, 1e-300))
    return share * x, share * y, share * z


@compile_kernel
def _cubic(rise, left, right, u):  # type: ignore[no-untyped-def]
    return u * (left + u * (3.0 * rise - 2.0 * left - right + u * (left + right - 2.0 * rise)))


@compile_kernel
def _at_the_end(x, y, z, rx, ry, rz):  # type: ignore[no-untyped-def]
    """How a rotation vector changes while the body turns at a rate in its own frame."""
    square = x * x + y * y + z * z
    angle = math.sqrt(square)
    if angle < 1e-3:
        factor = 1.0 / 12.0 + square / 720.0
    else:
        factor = (1.0 - 0.5 * angle / math.tan(0.5 * min(angle, 3.1))) / square
    cx, cy, cz = y * rz - z * ry, z * rx - x * rz, x * ry - y * rx
    dx, dy, dz = y * cz - z * cy, z * cx - x * cz, x * cy - y * cx
    return rx + 0.5 * cx + factor * dx, ry + 0.5 * cy + factor * dy, rz + 0.5 * cz + factor * dz
