"""Compiled two-bone limbs. Import this only through ``compiled``."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_terms import compile_exact

CONE = 0.2  # as in ``limb_swivels``


@compile_exact
def bend(start, goal, upper, lower, hinge, softness, elbow, wrist, shortfall):  # type: ignore[no-untyped-def]
    """Limbs (N, 3) bent about given hinges; see ``limbs.bent_limb``."""
    for i in range(start.shape[0]):
        whole = upper[i] + lower[i]
        x, y, z = goal[i, 0] - start[i, 0], goal[i, 1] - start[i, 1], goal[i, 2] - start[i, 2]
        far = math.sqrt(x * x + y * y + z * z)
        h, k, m = hinge[i, 0], hinge[i, 1], hinge[i, 2]
        if far <= 1e-9 * whole:
            x, y, z = _square(h, k, m)
        else:
            x, y, z = x / far, y / far, z / far
        p, q, r = y * m - z * k, z * h - x * m, x * k - y * h
        size = math.sqrt(p * p + q * q + r * r)
        if size <= 1e-9 * math.sqrt(h * h + k * k + m * m):
            p, q, r = _square(x, y, z)
        else:
            p, q, r = p / size, q / size, r / size
        flexion = _flexion(far / whole, upper[i] / whole, lower[i] / whole, softness)
        lean = math.atan2(lower[i] * math.sin(flexion), upper[i] + lower[i] * math.cos(flexion))
        along, out = upper[i] * math.cos(lean), upper[i] * math.sin(lean)
        elbow[i, 0] = start[i, 0] + along * x + out * p
        elbow[i, 1] = start[i, 1] + along * y + out * q
        elbow[i, 2] = start[i, 2] + along * z + out * r
        along, out = lower[i] * math.cos(flexion - lean), lower[i] * math.sin(flexion - lean)
        wrist[i, 0] = elbow[i, 0] + along * x - out * p
        wrist[i, 1] = elbow[i, 1] + along * y - out * q
        wrist[i, 2] = elbow[i, 2] + along * z - out * r
        x, y, z = goal[i, 0] - wrist[i, 0], goal[i, 1] - wrist[i, 1], goal[i, 2] - wrist[i, 2]
        shortfall[i] = math.sqrt(x * x + y * y + z * z)


@compile_exact
def turn(target, swivel, towards, home, upper, lower, frame, flexions, turns, bends, elbow):  # type: ignore[no-untyped-def]
    """Limbs (N, 3) from the origin by their swivels; see ``limb_turns.limb_turns``.

    ``towards`` and ``home`` (N or 1, 3) are of any length, and not parallel; ``frame`` (3, 3) has the upper bone, the
    hinge and their normal at rest as rows.
    """
    limits = reaches(upper, lower, flexions)
    for i in range(target.shape[0]):
        k, h = i if towards.shape[0] > 1 else 0, i if home.shape[0] > 1 else 0
        w, x, y, z, bends[i], elbow[i, 0], elbow[i, 1], elbow[i, 2] = solved(
            target[i], swivel[i], towards[k], home[h], upper, lower, frame, limits
        )
        turns[i, 0], turns[i, 1], turns[i, 2], turns[i, 3] = w, x, y, z


@compile_exact
def reaches(upper, lower, flexions):  # type: ignore[no-untyped-def]
    """Least and greatest flexion, and the longest and shortest reach that they allow as shares of the limb's length."""
    uneven = (upper - lower) / (upper + lower)
    longest = math.hypot(math.cos(0.5 * flexions[0]), uneven * math.sin(0.5 * flexions[0]))
    shortest = math.hypot(math.cos(0.5 * flexions[1]), uneven * math.sin(0.5 * flexions[1]))
    return np.array([flexions[0], flexions[1], longest, shortest])


@compile_exact
def solved(target, swivel, towards, home, upper, lower, frame, limits):  # type: ignore[no-untyped-def]
    """One limb: its upper bone's turn, w x y z, its flexion and its elbow. ``limits`` are ``reaches``."""
    whole = upper + lower
    p, q, r, x, y, z, far = swivel_zero(target, towards, home, 1e-9 * whole)
    u, v = upper / whole, lower / whole
    d = max(min(far / whole, limits[2]), limits[3])
    above, below = max((1.0 - d) * (1.0 + d), 0.0), max((d - u + v) * (d + u - v), 0.0)
    flexion = min(max(2.0 * math.atan2(math.sqrt(above), math.sqrt(below)), limits[0]), limits[1])
    if swivel != 0.0:
        c, s = math.cos(swivel), math.sin(swivel)
        p, q, r = c * p + s * (y * r - z * q), c * q + s * (z * p - x * r), c * r + s * (x * q - y * p)
    # The upper bone leans away from the axis as the lower one's bend asks.
    c, s = upper + lower * math.cos(flexion), lower * math.sin(flexion)
    size = math.sqrt(c * c + s * s)
    c, s = (c / size, s / size) if size > 0.0 else (1.0, 0.0)
    bx, by, bz = c * x + s * p, c * y + s * q, c * z + s * r
    # The hinge now is outward × axis; the turn takes the rest frame to bone, hinge and their normal.
    kx, ky, kz = q * z - r * y, r * x - p * z, p * y - q * x
    nx, ny, nz = by * kz - bz * ky, bz * kx - bx * kz, bx * ky - by * kx
    tw, tx, ty, tz = _quaternion(bx, by, bz, kx, ky, kz, nx, ny, nz, frame)
    return tw, tx, ty, tz, flexion, upper * bx, upper * by, upper * bz


@compile_exact
def swivel_zero(target, towards, home, least):  # type: ignore[no-untyped-def]
    """Where the elbow leaves the axis at swivel zero; the axis, and how far the target is: 3 + 3 + 1 numbers."""
    tx, ty, tz = towards[0], towards[1], towards[2]
    size = math.sqrt(tx * tx + ty * ty + tz * tz)
    tx, ty, tz = tx / size, ty / size, tz / size
    hx, hy, hz, size = _across(home[0], home[1], home[2], tx, ty, tz)
    x, y, z = target[0], target[1], target[2]
    far = math.sqrt(x * x + y * y + z * z)
    if far > least:
        x, y, z = x / far, y / far, z / far
    else:
        x, y, z = hx, hy, hz
    # Across the axis, towards the reference, which is tilted where the two are nearly parallel.
    dot = tx * x + ty * y + tz * z
    sine = math.sqrt(max(1.0 - dot * dot, 0.0))
    ahead = -1.0 if dot < 0.0 else 1.0
    tilt = max(1.0 - (sine / CONE) ** 2, 0.0)
    tilt = CONE * tilt * tilt * ahead
    p, q, r = tx - tilt * hx, ty - tilt * hy, tz - tilt * hz
    p, q, r, size = _across(p, q, r, x, y, z)
    if size <= 1e-9:
        p, q, r, size = _across(-ahead * hx, -ahead * hy, -ahead * hz, x, y, z)
    return p, q, r, x, y, z, far


@compile_exact
def _across(p, q, r, x, y, z):  # type: ignore[no-untyped-def]
    """Unit direction and length of what is left of a vector across a unit axis."""
    along = p * x + q * y + r * z
    p, q, r = p - along * x, q - along * y, r - along * z
    size = math.sqrt(p * p + q * q + r * r)
    if size <= 1e-12:
        return 0.0, 0.0, 0.0, 0.0
    p, q, r = p / size, q / size, r / size
    along = p * x + q * y + r * z
    p, q, r = p - along * x, q - along * y, r - along * z
    again = math.sqrt(p * p + q * q + r * r)
    return p / again, q / again, r / again, size


@compile_exact
def _quaternion(ax, ay, az, bx, by, bz, cx, cy, cz, frame):  # type: ignore[no-untyped-def]
    """The turn that takes the rows of ``frame`` to three orthonormal vectors."""
    a, b, c = frame[0], frame[1], frame[2]
    m00, m01, m02 = (
        ax * a[0] + bx * b[0] + cx * c[0],
        ax * a[1] + bx * b[1] + cx * c[1],
        ax * a[2] + bx * b[2] + cx * c[2],
    )
    m10, m11, m12 = (
        ay * a[0] + by * b[0] + cy * c[0],
        ay * a[1] + by * b[1] + cy * c[1],
        ay * a[2] + by * b[2] + cy * c[2],
    )
    m20, m21, m22 = (
        az * a[0] + bz * b[0] + cz * c[0],
        az * a[1] + bz * b[1] + cz * c[1],
        az * a[2] + bz * b[2] + cz * c[2],
    )
    trace = m00 + m11 + m22
    if trace > m00 and trace > m11 and trace > m22:
        w, x, y, z = 1.0 + trace, m21 - m12, m02 - m20, m10 - m01
    elif m00 >= m11 and m00 >= m22:
        w, x, y, z = m21 - m12, 1.0 + m00 - m11 - m22, m01 + m10, m02 + m20
    elif m11 >= m22:
        w, x, y, z = m02 - m20, m01 + m10, 1.0 + m11 - m00 - m22, m12 + m21
    else:
        w, x, y, z = m10 - m01, m02 + m20, m12 + m21, 1.0 + m22 - m00 - m11
    size = math.sqrt(w * w + x * x + y * y + z * z)
    return w / size, x / size, y / size, z / size


@compile_exact
def _flexion(asked, u, v, softness):  # type: ignore[no-untyped-def]
    shortest = abs(u - v)
    zone = min(softness, 1.0 - shortest)
    past = asked - (1.0 - zone)
    d = 1.0 - zone * math.exp(-past / zone) if zone > 1e-9 and past > 0.0 else min(asked, 1.0)
    d = max(d, shortest)
    above, below = max((1.0 - d) * (1.0 + d), 0.0), max((d - u + v) * (d + u - v), 0.0)
    return 2.0 * math.atan2(math.sqrt(above), math.sqrt(below))


@compile_exact
def _square(x, y, z):  # type: ignore[no-untyped-def]
    """One unit vector across another vector."""
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        x, y, z = 0.0, z, -y
    elif abs(y) <= abs(z):
        x, y, z = -z, 0.0, x
    else:
        x, y, z = y, -x, 0.0
    size = math.sqrt(x * x + y * y + z * z)
    return x / size, y / size, z / size
