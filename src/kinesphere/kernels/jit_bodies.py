"""Compiled trunks and legs. Import this only through ``compiled``."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_limbs import reaches, solved
from kinesphere.kernels.jit_terms import compile_exact
from kinesphere.kernels.jit_turns import about, expo, product, put, rotated


@compile_exact
def lay_trunk(  # type: ignore[no-untyped-def]
    starts, counts, loops, table, sources, targets, factors, breath, breathes, joining, raises, comes, stance, lags,
    joints, parents, local, places, world_q, world_p,
):  # fmt: skip
    """Joints turned by rotation vectors that come from channels (F, C), and placed; see ``trunk.set_trunk``.

    ``factors`` of channels ``sources`` go to ``targets`` among the vectors' 3 K numbers, each joint's some frames
    late. ``breathes``, ``stance`` (3 K,) and ``joining`` (F, 2, 2) are not late. Local rotations (F, J, 4) are written
    and places (F, J, 3) read; the world's are (F, K, ...). ``parents`` (K,) are places among the joints.
    """
    vectors, more = np.empty((counts.max(), len(stance))), np.empty(len(stance))
    for s in range(len(starts)):
        first, count = starts[s], counts[s]
        around = max(count - 1, 1)
        for i in range(count):
            for n in range(len(stance)):
                vectors[i, n] = 0.0
            for n in range(len(sources)):
                vectors[i, targets[n]] += factors[n] * table[first + i, sources[n]]
        for i in range(first, first + count):
            for n in range(len(stance)):
                more[n] = stance[n] + breathes[n] * breath[i]
            for side in range(2):
                sign = 1.0 - 2.0 * side
                more[raises[side]] += sign * joining[i, side, 0]
                more[comes[side]] -= sign * joining[i, side, 1]
            for k in range(len(joints)):
                j, p, n = joints[k], parents[k], 3 * k
                x, y, z = more[n], more[n + 1], more[n + 2]
                if lags[k] == 0.0:
                    a = i - first
                    x, y, z = x + vectors[a, n], y + vectors[a, n + 1], z + vectors[a, n + 2]
                else:
                    whole = math.floor(-lags[k])
                    share = -lags[k] - whole
                    a, b = i - first + whole, i - first + whole + 1
                    if loops[s]:
                        a, b = a % around, b % around
                    else:
                        a, b = min(max(a, 0), count - 1), min(max(b, 0), count - 1)
                    x += (1.0 - share) * vectors[a, n] + share * vectors[b, n]
                    y += (1.0 - share) * vectors[a, n + 1] + share * vectors[b, n + 1]
                    z += (1.0 - share) * vectors[a, n + 2] + share * vectors[b, n + 2]
                w, x, y, z = expo(x, y, z)
                local[i, j, 0], local[i, j, 1], local[i, j, 2], local[i, j, 3] = w, x, y, z
                u, v, t = places[i, j, 0], places[i, j, 1], places[i, j, 2]
                if p >= 0:
                    q, at = world_q[i, p], world_p[i, p]
                    w, x, y, z = product(q[0], q[1], q[2], q[3], w, x, y, z)
                    u, v, t = rotated(q[0], q[1], q[2], q[3], u, v, t)
                    u, v, t = at[0] + u, at[1] + v, at[2] + t
                world_q[i, k, 0], world_q[i, k, 1], world_q[i, k, 2], world_q[i, k, 3] = w, x, y, z
                world_p[i, k, 0], world_p[i, k, 1], world_p[i, k, 2] = u, v, t


@compile_exact
def lay_legs(ball, heading, pitch, toes, joints, offsets, limb, rest, out, local, places, ankles):  # type: ignore[no-untyped-def]
    """Legs to feet with their balls at (F, 3); see ``legs.lay_leg``.

    ``joints``: upper and lower leg, foot, toes. ``offsets`` (2, 3) are those of upper leg and toes; ``limb`` (6, 3) is
    as for arms. A knee points ``out`` of the way from where the pelvis to where the foot points.
    """
    bone, fore, hinge = limb[0], limb[1], limb[2]
    frame = limb[3:]
    a = math.sqrt(bone[0] ** 2 + bone[1] ** 2 + bone[2] ** 2)
    b = math.sqrt(fore[0] ** 2 + fore[1] ** 2 + fore[2] ** 2)
    limits, down = reaches(a, b, np.array([0.0, math.pi])), np.array([0.0, -1.0, 0.0])
    ahead, way = np.zeros(3), np.empty(3)
    for i in range(ball.shape[0]):
        h = local[i, 0]
        w, x, y, z = about(0.0, 1.0, 0.0, heading[i])
        pw, px, py, pz = about(1.0, 0.0, 0.0, pitch[i])
        w, x, y, z = product(w, x, y, z, pw, px, py, pz)
        u, v, t = rotated(w, x, y, z, offsets[1, 0], offsets[1, 1], offsets[1, 2])
        ankles[i, 0], ankles[i, 1], ankles[i, 2] = ball[i, 0] - u, ball[i, 1] - v, ball[i, 2] - t
        u, v, t = rotated(h[0], h[1], h[2], h[3], offsets[0, 0], offsets[0, 1], offsets[0, 2])
        way[0] = ankles[i, 0] - (places[i, 0, 0] + u)
        way[1] = ankles[i, 1] - (places[i, 0, 1] + v)
        way[2] = ankles[i, 2] - (places[i, 0, 2] + t)
        u, v, t = rotated(h[0], h[1], h[2], h[3], 0.0, 0.0, 1.0)
        facing = math.atan2(u, t)
        facing = facing + out * (heading[i] - facing)
        ahead[0], ahead[2] = math.sin(facing), math.cos(facing)
        uw, ux, uy, uz, flexion, _, _, _ = solved(way, 0.0, ahead, down, a, b, frame, limits)
        bw, bx, by, bz = about(hinge[0], hinge[1], hinge[2], flexion - rest)
        pw, px, py, pz = product(h[0], -h[1], -h[2], -h[3], uw, ux, uy, uz)
        put(local, i, joints[0], pw, px, py, pz)
        put(local, i, joints[1], bw, bx, by, bz)
        uw, ux, uy, uz = product(uw, ux, uy, uz, bw, bx, by, bz)
        w, x, y, z = product(uw, -ux, -uy, -uz, w, x, y, z)
        put(local, i, joints[2], w, x, y, z)
        w, x, y, z = about(1.0, 0.0, 0.0, -toes[i])
        put(local, i, joints[3], w, x, y, z)


@compile_exact
def overreach(local, places, stood, offset, longest, needed):  # type: ignore[no-untyped-def]
    """How far (F,) hips have to sink for a leg to reach where its ankle stood; the most of that and what is there."""
    for i in range(len(needed)):
        h, at, to = local[i, 0], places[i, 0], stood[i]
        u, v, t = rotated(h[0], h[1], h[2], h[3], offset[0], offset[1], offset[2])
        x, y, z = to[0] - at[0] - u, to[1] - at[1] - v, to[2] - at[2] - t
        needed[i] = max(needed[i], -y - math.sqrt(max(longest * longest - x * x - z * z, 0.0)))
