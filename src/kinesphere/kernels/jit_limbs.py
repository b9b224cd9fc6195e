"""Compiled two-bone limbs. Import this only through ``compiled``."""

from __future__ import annotations

import math

from kinesphere.kernels.jit_terms import compile_exact


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
