"""Compiled products of quaternions. Import this only through ``compiled``."""

from __future__ import annotations

import math

from kinesphere.kernels.jit_terms import compile_exact, compile_kernel
from kinesphere.kernels.jit_turns import smallest, waves


@compile_kernel
def multiply(a, b, out):  # type: ignore[no-untyped-def]
    """Products (N, 4) of quaternions; fewer rows of one are gone through again and again."""
    j, k = -1, -1
    for i in range(out.shape[0]):
        j = 0 if j + 1 == a.shape[0] else j + 1
        k = 0 if k + 1 == b.shape[0] else k + 1
        aw, ax, ay, az = a[j, 0], a[j, 1], a[j, 2], a[j, 3]
        bw, bx, by, bz = b[k, 0], b[k, 1], b[k, 2], b[k, 3]
        out[i, 0] = aw * bw - ax * bx - ay * by - az * bz
        out[i, 1] = aw * bx + ax * bw + ay * bz - az * by
        out[i, 2] = aw * by - ax * bz + ay * bw + az * bx
        out[i, 3] = aw * bz + ax * by - ay * bx + az * bw


@compile_kernel
def rotate(q, vectors, out):  # type: ignore[no-untyped-def]
    """Vectors (N, 3) turned by quaternions (N, 4); fewer rows of one are gone through again and again."""
    j, k = -1, -1
    for i in range(out.shape[0]):
        j = 0 if j + 1 == q.shape[0] else j + 1
        k = 0 if k + 1 == vectors.shape[0] else k + 1
        aw, ax, ay, az = q[j, 0], q[j, 1], q[j, 2], q[j, 3]
        x, y, z = vectors[k, 0], vectors[k, 1], vectors[k, 2]
        u, v, w = 2.0 * (ay * z - az * y), 2.0 * (az * x - ax * z), 2.0 * (ax * y - ay * x)
        out[i, 0] = x + aw * u + ay * w - az * v
        out[i, 1] = y + aw * v + az * u - ax * w
        out[i, 2] = z + aw * w + ax * v - ay * u


@compile_kernel
def exponential(vectors, out):  # type: ignore[no-untyped-def]
    """Quaternions (N, 4) of rotation vectors (N, 3)."""
    for i in range(vectors.shape[0]):
        x, y, z = vectors[i, 0], vectors[i, 1], vectors[i, 2]
        cosine, share = waves(0.25 * (x * x + y * y + z * z))
        share *= 0.5
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = cosine, share * x, share * y, share * z


@compile_kernel
def between(a, b, out):  # type: ignore[no-untyped-def]
    """The smallest turns (N, 4) from directions (N, 3) to others."""
    for i in range(a.shape[0]):
        w, x, y, z = smallest(a[i, 0], a[i, 1], a[i, 2], b[i, 0], b[i, 1], b[i, 2])
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = w, x, y, z


@compile_kernel
def slerp(a, b, share, out):  # type: ignore[no-untyped-def]
    """From quaternions (N, 4) to others along the shorter arc, by shares (N,)."""
    for i in range(a.shape[0]):
        aw, ax, ay, az = a[i, 0], a[i, 1], a[i, 2], a[i, 3]
        bw, bx, by, bz = b[i, 0], b[i, 1], b[i, 2], b[i, 3]
        w = aw * bw + ax * bx + ay * by + az * bz
        x = aw * bx - ax * bw - ay * bz + az * by
        y = aw * by + ax * bz - ay * bw - az * bx
        z = aw * bz - ax * by + ay * bx - az * bw
        if w < 0.0:
            w, x, y, z = -w, -x, -y, -z
        sine = math.sqrt(x * x + y * y + z * z)
        half = share[i] * math.atan2(sine, w)
        factor = math.sin(half) / sine if sine > 1e-12 else share[i]
        w, x, y, z = math.cos(half), factor * x, factor * y, factor * z
        out[i, 0] = aw * w - ax * x - ay * y - az * z
        out[i, 1] = aw * x + ax * w + ay * z - az * y
        out[i, 2] = aw * y - ax * z + ay * w + az * x
        out[i, 3] = aw * z + ax * y - ay * x + az * w


@compile_exact
def off_unit(q):  # type: ignore[no-untyped-def]
    """How far the squares of quaternions' (N, 4) lengths are from 1 at most; NaN where one is not a number."""
    most = 0.0
    for i in range(q.shape[0]):
        off = abs(q[i, 0] * q[i, 0] + q[i, 1] * q[i, 1] + q[i, 2] * q[i, 2] + q[i, 3] * q[i, 3] - 1.0)
        if not off <= most:
            most = off
            if math.isnan(off):
                return off
    return most


@compile_exact
def turns_over(q):  # type: ignore[no-untyped-def]
    """Whether any quaternion of (T, J, 4) lies in the other half of its sphere than in the frame before."""
    for f in range(1, q.shape[0]):
        for j in range(q.shape[1]):
            a, b = q[f, j], q[f - 1, j]
            if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0:
                return True
    return False
