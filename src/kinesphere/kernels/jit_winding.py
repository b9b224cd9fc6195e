"""Compiled winding of rotations. Import this only through ``compiled``."""

from __future__ import annotations

import math

from kinesphere.kernels.jit_terms import compile_exact
from kinesphere.kernels.jit_turns import product


@compile_exact
def unwind(turns, about, out):  # type: ignore[no-untyped-def]
    """Rotation vectors (T, J, 3) of turns (T, J, 4) from (J, 4), nearest to the frame before; see ``winding``."""
    full = 2.0 * math.pi
    for j in range(turns.shape[1]):
        a = about[j]
        u, v, t = 0.0, 0.0, 0.0
        for i in range(turns.shape[0]):
            q = turns[i, j]
            w, x, y, z = product(a[0], -a[1], -a[2], -a[3], q[0], q[1], q[2], q[3])
            if w < 0.0:
                w, x, y, z = -w, -x, -y, -z
            sine = math.sqrt(x * x + y * y + z * z)
            size = 2.0 * math.atan2(sine, w)
            if size > 1e-9:
                x, y, z = x / sine, y / sine, z / sine
            else:
                far = max(math.sqrt(u * u + v * v + t * t), 1e-12)
                x, y, z = u / far, v / far, t / far
            if i > 0:
                size += full * round((u * x + v * y + t * z - size) / full)
            u, v, t = size * x, size * y, size * z
            out[i, j, 0], out[i, j, 1], out[i, j, 2] = u, v, t


@compile_exact
def wind(vectors, about, out):  # type: ignore[no-untyped-def]
    """Rotations (T, J, 4) of vectors (T, J, 3) from (J, 4), each in the half sphere of the frame before."""
    for i in range(vectors.shape[0]):
        for j in range(vectors.shape[1]):
            x, y, z = vectors[i, j, 0], vectors[i, j, 1], vectors[i, j, 2]
            angle = math.sqrt(x * x + y * y + z * z)
            share = math.sin(0.5 * angle) / angle if angle > 1e-8 else 0.5
            a = about[j]
            w, x, y, z = product(a[0], a[1], a[2], a[3], math.cos(0.5 * angle), share * x, share * y, share * z)
            if i > 0:
                q = out[i - 1, j]
                if w * q[0] + x * q[1] + y * q[2] + z * q[3] < 0.0:
                    w, x, y, z = -w, -x, -y, -z
            out[i, j, 0], out[i, j, 1], out[i, j, 2], out[i, j, 3] = w, x, y, z
