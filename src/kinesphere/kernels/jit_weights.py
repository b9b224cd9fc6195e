"""Compiled weight and surface of bodies. Import this only through ``compiled``."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_terms import compile_exact
from kinesphere.kernels.jit_turns import about, product, put, rotated


@compile_exact
def turn_arms(upper, flexion, joints, hinge, rest, local):  # type: ignore[no-untyped-def]
    """Write shoulders (F, 4), as their chests see them, and elbows: ``joints`` are clavicle, upper arm and forearm."""
    for i in range(len(flexion)):
        c = local[i, joints[0]]
        w, x, y, z = product(c[0], -c[1], -c[2], -c[3], upper[i, 0], upper[i, 1], upper[i, 2], upper[i, 3])
        put(local, i, joints[1], w, x, y, z)
        w, x, y, z = about(hinge[0], hinge[1], hinge[2], flexion[i] - rest)
        put(local, i, joints[2], w, x, y, z)


@compile_exact
def weigh(local, places, joints, parents, carriers, offsets, masses, out):  # type: ignore[no-untyped-def]
    """Where (F, 2) the mass of segments is, x and z; see ``acting._weight``."""
    q, p = np.empty((len(joints), 4)), np.empty((len(joints), 3))
    for i in range(local.shape[0]):
        for k in range(len(joints)):
            own, at = local[i, joints[k]], places[i, joints[k]]
            w, x, y, z = own[0], own[1], own[2], own[3]
            u, v, t = at[0], at[1], at[2]
            if parents[k] >= 0:
                a, b = q[parents[k]], p[parents[k]]
                w, x, y, z = product(a[0], a[1], a[2], a[3], w, x, y, z)
                u, v, t = rotated(a[0], a[1], a[2], a[3], u, v, t)
                u, v, t = b[0] + u, b[1] + v, b[2] + t
            q[k, 0], q[k, 1], q[k, 2], q[k, 3] = w, x, y, z
            p[k, 0], p[k, 1], p[k, 2] = u, v, t
        out[i, 0], out[i, 1] = 0.0, 0.0
        for s in range(len(carriers)):
            a, b, far = q[carriers[s]], p[carriers[s]], offsets[s]
            u, v, t = rotated(a[0], a[1], a[2], a[3], far[0], far[1], far[2])
            out[i, 0] += masses[s] * (b[0] + u)
            out[i, 1] += masses[s] * (b[2] + t)


@compile_exact
def body_lines(q, p, trunk, head_line, local, places, legs, offsets, out):  # type: ignore[no-untyped-def]
    """The middle lines (F, 4, 2, 3) of trunk, head and thighs; see ``acting.body_lines``.

    ``trunk``: where hips, neck and head are in ``q`` and ``p``; ``legs`` the upper legs' joints, ``offsets`` (2, 2, 3)
    those of upper and lower legs.
    """
    for i in range(out.shape[0]):
        for k in range(3):
            out[i, 0, 0, k], out[i, 0, 1, k] = p[i, trunk[0], k], p[i, trunk[1], k]
        h, at = q[i, trunk[2]], p[i, trunk[2]]
        for end in range(2):
            u, v, t = rotated(h[0], h[1], h[2], h[3], head_line[end, 0], head_line[end, 1], head_line[end, 2])
            out[i, 1, end, 0], out[i, 1, end, 1], out[i, 1, end, 2] = at[0] + u, at[1] + v, at[2] + t
        h = local[i, 0]
        for side in range(2):
            far, leg = offsets[side, 0], local[i, legs[side]]
            u, v, t = rotated(h[0], h[1], h[2], h[3], far[0], far[1], far[2])
            u, v, t = places[i, 0, 0] + u, places[i, 0, 1] + v, places[i, 0, 2] + t
            out[i, 2 + side, 0, 0], out[i, 2 + side, 0, 1], out[i, 2 + side, 0, 2] = u, v, t
            w, x, y, z = product(h[0], h[1], h[2], h[3], leg[0], leg[1], leg[2], leg[3])
            far = offsets[side, 1]
            a, b, c = rotated(w, x, y, z, far[0], far[1], far[2])
            out[i, 2 + side, 1, 0], out[i, 2 + side, 1, 1], out[i, 2 + side, 1, 2] = u + a, v + b, t + c


@compile_exact
def surface_rows(  # type: ignore[no-untyped-def]
    starts, counts, loops, deep, joints, widths, lags, stretch, stretched, shares, scales
):
    """Scales (F, J, 3): those of breath, and of bodies that stretch; see ``surface_scales.scale_surface``.

    ``deep`` (F,) is how full the chest is; ``joints`` swell by ``widths`` (N, 3), each some frames late. ``stretch``
    (3, F) is how tall, how wide and how pressed; ``shares`` are those of joints that are ``stretched``.
    """
    for s in range(len(starts)):
        first, count = starts[s], counts[s]
        around = max(count - 1, 1)
        for i in range(first, first + count):
            for j in range(scales.shape[1]):
                scales[i, j, 0], scales[i, j, 1], scales[i, j, 2] = 1.0, 1.0, 1.0
            for n in range(len(joints)):
                late = deep[i]
                if lags[n] != 0.0:
                    whole = math.floor(-lags[n])
                    share = -lags[n] - whole
                    a, b = i - first + whole, i - first + whole + 1
                    if loops[s]:
                        a, b = a % around, b % around
                    else:
                        a, b = min(max(a, 0), count - 1), min(max(b, 0), count - 1)
                    late = (1.0 - share) * deep[first + a] + share * deep[first + b]
                for k in range(3):
                    scales[i, joints[n], k] += late * widths[n, k]
            tall, wide, pressed = stretch[0, i], stretch[1, i], stretch[2, i]
            if tall != 1.0 or wide != 1.0 or pressed != 1.0:
                tall, wide, pressed = math.log(tall), math.log(wide), math.log(pressed)
                for n in range(len(stretched)):
                    to = scales[i, stretched[n]]
                    to[0] *= math.exp(shares[n] * (wide - 0.5 * tall + pressed))
                    to[1] *= math.exp(shares[n] * (tall - 0.5 * wide))
                    to[2] *= math.exp(shares[n] * (pressed - 0.5 * (tall + wide)))
