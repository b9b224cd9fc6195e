"""Rotations of single joints, number by number, for compiled kernels to build on. Import only through ``compiled``."""

from __future__ import annotations

import math

from kinesphere.kernels.jit_terms import compile_kernel


@compile_kernel
def product(aw, ax, ay, az, bw, bx, by, bz):  # type: ignore[no-untyped-def]
    """Turned by b, then by a."""
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@compile_kernel
def rotated(aw, ax, ay, az, x, y, z):  # type: ignore[no-untyped-def]
    """A vector turned by a quaternion."""
    u, v, w = 2.0 * (ay * z - az * y), 2.0 * (az * x - ax * z), 2.0 * (ax * y - ay * x)
    return x + aw * u + ay * w - az * v, y + aw * v + az * u - ax * w, z + aw * w + ax * v - ay * u


@compile_kernel
def waves(square):  # type: ignore[no-untyped-def]
    """The cosine of an angle and its sine over it, from its square: by their series up to half a radian.

    Most joints turn no farther, and a series takes a fifth of the time. What it leaves out is below 1e-15.
    """
    if square > 0.25:
        angle = math.sqrt(square)
        return math.cos(angle), math.sin(angle) / angle
    s = square
    c = 1.0 + s * (-1 / 2 + s * (1 / 24 + s * (-1 / 720 + s * (1 / 40320 + s * (-1 / 3628800 + s / 479001600)))))
    d = 1.0 + s * (-1 / 6 + s * (1 / 120 + s * (-1 / 5040 + s * (1 / 362880 + s * (-1 / 39916800 + s / 6227020800)))))
    return c, d


@compile_kernel
def about(x, y, z, angle):  # type: ignore[no-untyped-def]
    """Turned by an angle about a unit axis."""
    half = 0.5 * angle
    c, s = waves(half * half)
    s *= half
    return c, s * x, s * y, s * z


@compile_kernel
def expo(x, y, z):  # type: ignore[no-untyped-def]
    """The quaternion of a rotation vector."""
    c, s = waves(0.25 * (x * x + y * y + z * z))
    return c, 0.5 * s * x, 0.5 * s * y, 0.5 * s * z


@compile_kernel
def smallest(ax, ay, az, bx, by, bz):  # type: ignore[no-untyped-def]
    """The smallest turn from one direction to another; half a turn about some axis across where they are opposite."""
    size = math.sqrt(ax * ax + ay * ay + az * az)
    x, y, z = ax / size, ay / size, az / size
    size = math.sqrt(bx * bx + by * by + bz * bz)
    u, v, w = x + bx / size, y + by / size, z + bz / size
    size = math.sqrt(u * u + v * v + w * w)
    if size < 1e-9:
        # The world's own axis that is farthest from the direction.
        if abs(x) <= abs(y) and abs(x) <= abs(z):
            u, v, w = 0.0, z, -y
        elif abs(y) <= abs(z):
            u, v, w = -z, 0.0, x
        else:
            u, v, w = y, -x, 0.0
        size = math.sqrt(u * u + v * v + w * w)
    u, v, w = u / size, v / size, w / size
    c, p, q, r = x * u + y * v + z * w, y * w - z * v, z * u - x * w, x * v - y * u
    size = math.sqrt(c * c + p * p + q * q + r * r)
    return c / size, p / size, q / size, r / size


@compile_kernel
def put(local, i, j, w, x, y, z):  # type: ignore[no-untyped-def]
    """Write one joint's rotation; assigning a tuple takes seconds to compile."""
    local[i, j, 0], local[i, j, 1], local[i, j, 2], local[i, j, 3] = w, x, y, z
