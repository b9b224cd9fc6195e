"""Compiled arms: the mixture of three spaces, and the room that hands have. Import this only through ``compiled``."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_limbs import reaches, solved
from kinesphere.kernels.jit_terms import compile_exact
from kinesphere.kernels.jit_turns import about, expo, product, rotated, smallest


@compile_exact
def lay_arms(  # type: ignore[no-untyped-def]
    target, swivel, joint, angles, starts, through, elbows, bend, twist, limb, flexions, towards, home,
    shoulder, chest, lines, shifts, widths, numbers, upper, flexion, wrist, room,
):  # fmt: skip
    """Arms (F, ...) to their targets; see ``arm_laying.laid``.

    ``limb`` (6, 3) has the two bones, the hinge and the rest frame's rows; ``numbers`` are the elbow's angle at rest
    and how far the body's volumes are felt.
    """
    rest, roomy = numbers
    bone, fore, hinge = limb[0], limb[1], limb[2]
    frame = limb[3:]
    a = math.sqrt(bone[0] ** 2 + bone[1] ** 2 + bone[2] ** 2)
    b = math.sqrt(fore[0] ** 2 + fore[1] ** 2 + fore[2] ** 2)
    limits = reaches(a, b, flexions)
    count = lines.shape[1]
    seen = np.empty((count, 6))
    for i in range(target.shape[0]):
        w, x, y, z, bent, ex, ey, ez = solved(target[i], swivel[i], towards, home, a, b, frame, limits)
        j, t = joint[i], through[i]
        if j != 0.0 or t != 0.0:
            total = 1.0 - j - t
            mw, mx, my, mz = total * w, total * x, total * y, total * z
            bent = (1.0 - j) * bent
            if j != 0.0:
                pw, px, py, pz = expo(angles[i, 0], angles[i, 1], angles[i, 2])
                pw, px, py, pz = product(pw, px, py, pz, starts[i, 0], starts[i, 1], starts[i, 2], starts[i, 3])
                share = -j if pw * w + px * x + py * y + pz * z < 0.0 else j
                mw, mx, my, mz = mw + share * pw, mx + share * px, my + share * py, mz + share * pz
                bent += j * angles[i, 3]
            if t != 0.0:
                pw, px, py, pz = smallest(ex, ey, ez, elbows[i, 0], elbows[i, 1], elbows[i, 2])
                pw, px, py, pz = product(pw, px, py, pz, w, x, y, z)
                share = -t if pw * w + px * x + py * y + pz * z < 0.0 else t
                mw, mx, my, mz = mw + share * pw, mx + share * px, my + share * py, mz + share * pz
            size = math.sqrt(mw * mw + mx * mx + my * my + mz * mz)
            w, x, y, z = mw / size, mx / size, my / size, mz / size
        bent = min(max(bent * bend[i], flexions[0]), flexions[1])
        p, q, r = _wrist(w, x, y, z, bent - rest, bone, fore, hinge)
        for v in range(count):
            _see(lines[i, v], shifts[v], shoulder[i], chest[i], seen[v])
        if twist[i] != 0.0:
            size = max(math.sqrt(p * p + q * q + r * r), 1e-12)
            pw, px, py, pz = expo(p / size * twist[i], q / size * twist[i], r / size * twist[i])
            w, x, y, z = product(pw, px, py, pz, w, x, y, z)
        upper[i, 0], upper[i, 1], upper[i, 2], upper[i, 3] = w, x, y, z
        flexion[i] = bent
        wrist[i, 0], wrist[i, 1], wrist[i, 2] = p, q, r
        free = math.inf
        for v in range(count):
            ax, ay, az, _ = _away(p, q, r, seen[v], widths[v])
            free = min(free, math.sqrt(ax * ax + ay * ay + az * az) - widths[v, 0])
        free = min(max(free, 0.0) / roomy, 1.0)
        room[i] = free * free * (3.0 - 2.0 * free)


@compile_exact
def _wrist(w, x, y, z, angle, bone, fore, hinge):  # type: ignore[no-untyped-def]
    pw, px, py, pz = about(hinge[0], hinge[1], hinge[2], angle)
    fx, fy, fz = rotated(pw, px, py, pz, fore[0], fore[1], fore[2])
    return rotated(w, x, y, z, bone[0] + fx, bone[1] + fy, bone[2] + fz)


@compile_exact
def _see(line, shift, shoulder, chest, out):  # type: ignore[no-untyped-def]
    """A line's ends in the world as the chest sees them from the shoulder, moved a little there."""
    for k in range(2):
        x, y, z = line[k, 0] - shoulder[0], line[k, 1] - shoulder[1], line[k, 2] - shoulder[2]
        x, y, z = rotated(chest[0], -chest[1], -chest[2], -chest[3], x, y, z)
        out[3 * k], out[3 * k + 1], out[3 * k + 2] = x + shift[k, 0], y + shift[k, 1], z + shift[k, 2]


@compile_exact
def _away(x, y, z, line, width):  # type: ignore[no-untyped-def]
    """From a volume's line to a point, in axes stretched ahead by so much that it is round; and by how much."""
    deep = width[0] / width[1]
    bx, by, bz = line[3] - line[0], line[4] - line[1], (line[5] - line[2]) * deep
    x, y, z = x - line[0], y - line[1], (z - line[2]) * deep
    along = min(max((x * bx + y * by + z * bz) / max(bx * bx + by * by + bz * bz, 1e-9), 0.0), 1.0)
    return x - along * bx, y - along * by, z - along * bz, deep
