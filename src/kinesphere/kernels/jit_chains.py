"""Compiled forward kinematics of some joints. Import this only through ``compiled``; its twin is in ``chains``."""

from __future__ import annotations

from kinesphere.kernels.jit_terms import compile_kernel
from kinesphere.kernels.jit_turns import product, put, rotated


@compile_kernel
def forward_some(q, t, joints, above, world_q, world_t):  # type: ignore[no-untyped-def]
    """World rotations (T, K, 4) and places (T, K, 3) of some joints of (T, J, 4) and (T, J, 3)."""
    for f in range(t.shape[0]):
        for k in range(joints.size):
            j, p = joints[k], above[k]
            w, x, y, z = q[f, j, 0], q[f, j, 1], q[f, j, 2], q[f, j, 3]
            a, b, c = t[f, j, 0], t[f, j, 1], t[f, j, 2]
            if p >= 0:
                hw, hx, hy, hz = world_q[f, p, 0], world_q[f, p, 1], world_q[f, p, 2], world_q[f, p, 3]
                w, x, y, z = product(hw, hx, hy, hz, w, x, y, z)
                a, b, c = rotated(hw, hx, hy, hz, a, b, c)
                a, b, c = a + world_t[f, p, 0], b + world_t[f, p, 1], c + world_t[f, p, 2]
            put(world_q, f, k, w, x, y, z)
            world_t[f, k, 0], world_t[f, k, 1], world_t[f, k, 2] = a, b, c


@compile_kernel
def fixed_points(q, p, rows, offsets, paths):  # type: ignore[no-untyped-def]
    """Paths (T, P, 3) of points fixed in joints: ``rows`` (P,) of world rotations and places, at offsets (P, 3)."""
    for f in range(p.shape[0]):
        for i in range(rows.size):
            r = rows[i]
            x, y, z = offsets[i, 0], offsets[i, 1], offsets[i, 2]
            x, y, z = rotated(q[f, r, 0], q[f, r, 1], q[f, r, 2], q[f, r, 3], x, y, z)
            paths[f, i, 0], paths[f, i, 1], paths[f, i, 2] = p[f, r, 0] + x, p[f, r, 1] + y, p[f, r, 2] + z


@compile_kernel
def turn_joint(world, row, parent, above, now, active, local, joint):  # type: ignore[no-untyped-def]
    """Local rotations (T, J, 4) of a joint that turns by ``now`` (T, 4) where what it hangs on turns by ``above``.

    ``world`` (T, K, 4) is how joints are turned before; only active frames are written.
    """
    for f in range(active.size):
        if not active[f]:
            continue
        w, x, y, z = above[f, 0], above[f, 1], above[f, 2], above[f, 3]
        if parent >= 0:
            a, b, c, d = world[f, parent, 0], world[f, parent, 1], world[f, parent, 2], world[f, parent, 3]
            w, x, y, z = product(w, x, y, z, a, b, c, d)
        a, b, c, d = world[f, row, 0], world[f, row, 1], world[f, row, 2], world[f, row, 3]
        a, b, c, d = product(now[f, 0], now[f, 1], now[f, 2], now[f, 3], a, b, c, d)
        w, x, y, z = product(w, -x, -y, -z, a, b, c, d)
        same = w * local[f, joint, 0] + x * local[f, joint, 1] + y * local[f, joint, 2] + z * local[f, joint, 3]
        if same < 0.0:
            w, x, y, z = -w, -x, -y, -z
        put(local, f, joint, w, x, y, z)
