"""Forward kinematics and its inverse.

``parents`` is ``(J,)`` with ``-1`` for a root and every parent before its children. Local rotations and
translations are ``(..., J, 4)`` and ``(..., J, 3)``; a joint's translation is its place in its parent's frame.
"""

from __future__ import annotations

import numpy as np

from kinesphere.maths import compiled, rotations
from kinesphere.maths.compiled import compile_kernel
from kinesphere.maths.rotations import conjugate, multiply, quaternion_product, rotate, rotate_vector, write_quaternion
from kinesphere.maths.vectors import ArrayLike, Bools, Floats, Ints, as_floats


def forward(local_rotations: ArrayLike, translations: ArrayLike, parents: ArrayLike) -> tuple[Floats, Floats]:
    """World rotations ``(..., J, 4)`` and world positions ``(..., J, 3)`` of all joints."""
    q, t, p = _checked(local_rotations, translations, parents)
    kernels = compiled.kernels(work=t.size)
    if kernels is None:
        with compiled.plain_work():
            return forward_reference(q, t, p)
    world_q, world_t = np.empty(q.shape), np.empty(t.shape)
    flat_q, flat_t, out_q, out_t = (_frames_first(array) for array in (q, t, world_q, world_t))
    compiled.share_frames(
        len(flat_q),
        t.size,
        lambda part: kernels.forward(flat_q[part], flat_t[part], p, out_q[part], out_t[part]),
    )
    return world_q, world_t


def forward_positions(local_rotations: ArrayLike, translations: ArrayLike, parents: ArrayLike) -> Floats:
    """World positions only: less memory to write, so faster where the rotations are not needed."""
    q, t, p = _checked(local_rotations, translations, parents)
    kernels = compiled.kernels(work=t.size)
    if kernels is None:
        with compiled.plain_work():
            return forward_reference(q, t, p)[1]
    world_t: Floats = np.empty(t.shape)
    flat_q, flat_t, out_t = (_frames_first(array) for array in (q, t, world_t))
    compiled.share_frames(
        len(flat_q),
        t.size,
        lambda part: kernels.forward_positions(flat_q[part], flat_t[part], p, out_t[part]),
    )
    return world_t


def forward_reference(q: Floats, t: Floats, parents: Ints) -> tuple[Floats, Floats]:
    """The same in plain NumPy, one generation of joints after the other."""
    world_q, world_t = q.copy(), t.copy()
    for generation in generations(parents)[1:]:
        above = parents[generation]
        world_q[..., generation, :] = rotations.multiply(world_q[..., above, :], q[..., generation, :])
        world_t[..., generation, :] = world_t[..., above, :] + rotations.rotate(
            world_q[..., above, :], t[..., generation, :]
        )
    return world_q, world_t


def inverse(world_rotations: ArrayLike, positions: ArrayLike, parents: ArrayLike) -> tuple[Floats, Floats]:
    """Local rotations and translations that ``forward`` takes to the given world ones."""
    world_q, world_t, p = _checked(world_rotations, positions, parents)
    kernels = compiled.kernels(work=world_t.size)
    if kernels is None:
        with compiled.plain_work():
            return inverse_reference(world_q, world_t, p)
    local_q, local_t = np.empty(world_q.shape), np.empty(world_t.shape)
    q, t, out_q, out_t = (_frames_first(array) for array in (world_q, world_t, local_q, local_t))
    compiled.share_frames(len(q), t.size, lambda part: kernels.inverse(q[part], t[part], p, out_q[part], out_t[part]))
    return local_q, local_t


def inverse_reference(world_q: Floats, world_t: Floats, p: Ints) -> tuple[Floats, Floats]:
    """The same in plain NumPy."""
    local_q, local_t = world_q.copy(), world_t.copy()
    children = np.flatnonzero(p >= 0)
    above = p[children]
    unturn = rotations.conjugate(world_q[..., above, :])
    local_q[..., children, :] = rotations.multiply(unturn, world_q[..., children, :])
    local_t[..., children, :] = rotations.rotate(unturn, world_t[..., children, :] - world_t[..., above, :])
    return local_q, local_t


def complete_rotations(world_rotations: Floats, known: Bools, rest_rotations: Floats, parents: Ints) -> None:
    """World rotations ``(T, J, 4)`` of joints that are not ``known`` ``(J,)``, in place: carried by their parents."""
    kernels = compiled.loaded(world_rotations.size)
    if kernels is None:
        complete_rotations_reference(world_rotations, known, rest_rotations, parents)
    else:
        kernels.complete(world_rotations, known, rest_rotations, parents)


def complete_rotations_reference(world_q: Floats, known: Bools, rest: Floats, parents: Ints) -> None:
    """The same in plain NumPy."""
    for joint in np.flatnonzero(~known).tolist():
        parent = int(parents[joint])
        world_q[:, joint] = rest[joint] if parent < 0 else rotations.multiply(world_q[:, parent], rest[joint])


def place_joints(world_rotations: Floats, offsets: Floats, parents: Ints) -> Floats:
    """World positions ``(T, J, 3)`` of joints with these world rotations ``(T, J, 4)`` and offsets ``(J, 3)``."""
    kernels = compiled.loaded(world_rotations.size)
    if kernels is None:
        return place_joints_reference(world_rotations, offsets, parents)
    positions: Floats = np.empty((*world_rotations.shape[:2], 3))
    kernels.place(world_rotations, offsets, parents, positions)
    return positions


def place_joints_reference(world_q: Floats, offsets: Floats, parents: Ints) -> Floats:
    """The same in plain NumPy."""
    positions: Floats = np.empty((*world_q.shape[:2], 3))
    for joint, parent in enumerate(parents.tolist()):
        if parent < 0:
            positions[:, joint] = offsets[joint]
        else:
            positions[:, joint] = positions[:, parent] + rotations.rotate(world_q[:, parent], offsets[joint])
    return positions


def generations(parents: Ints) -> list[Ints]:
    """Joints by their depth: the roots, their children, and so on."""
    depth = np.zeros(len(parents), dtype=np.intp)
    for joint, parent in enumerate(parents):
        if parent >= 0:
            depth[joint] = depth[parent] + 1
    return [np.flatnonzero(depth == level) for level in range(int(depth.max(initial=0)) + 1)]


def _frames_first(array: Floats) -> Floats:
    """All leading axes as one."""
    return array.reshape(-1, *array.shape[-2:])


def _checked(q: ArrayLike, t: ArrayLike, parents: ArrayLike) -> tuple[Floats, Floats, Ints]:
    p = np.ascontiguousarray(parents, dtype=np.intp)
    q, t = np.ascontiguousarray(as_floats(q)), np.ascontiguousarray(as_floats(t))
    if q.shape[-2:] != (len(p), 4) or t.shape[-2:] != (len(p), 3):
        raise ValueError(
            f"for {len(p)} joints, rotations (..., {len(p)}, 4) and translations (..., {len(p)}, 3) are "
            f"expected; found {q.shape} and {t.shape}"
        )
    if np.any(p >= np.arange(len(p))) or np.any(p < -1):
        joint = int(np.flatnonzero((p >= np.arange(len(p))) | (p < -1))[0])
        raise ValueError(f"joint {joint} has parent {p[joint]}; a parent must come before its children")
    if q.shape[:-2] != t.shape[:-2]:
        leading = np.broadcast_shapes(q.shape[:-2], t.shape[:-2])
        q = np.ascontiguousarray(np.broadcast_to(q, leading + q.shape[-2:]))
        t = np.ascontiguousarray(np.broadcast_to(t, leading + t.shape[-2:]))
    return q, t, p


# ---- Forward kinematics of some joints and what they hang on, and of no others.


def with_ancestors(parents: Ints, joints: list[int]) -> tuple[Ints, Ints]:
    """The joints and all that they hang on, ``(K,)``, in order, and where in those each one's parent is, or -1."""
    needed: set[int] = set()
    for joint in joints:
        while joint >= 0 and joint not in needed:
            needed.add(joint)
            joint = int(parents[joint])
    chosen = sorted(needed)
    place = {joint: k for k, joint in enumerate(chosen)} | {-1: -1}
    return np.array(chosen, dtype=np.intp), np.array([place[int(parents[joint])] for joint in chosen], dtype=np.intp)


def forward_some(q: Floats, t: Floats, joints: Ints, above: Ints) -> tuple[Floats, Floats]:
    """World rotations ``(T, K, 4)`` and places ``(T, K, 3)`` of joints that are ``with_ancestors``."""
    if compiled.loaded(len(q) * len(joints)) is None:
        return forward_some_reference(q, t, joints, above)

    world_q, world_t = np.empty((len(q), len(joints), 4)), np.empty((len(q), len(joints), 3))
    forward_some_kernel(q, t, joints, above, world_q, world_t)
    return world_q, world_t


def forward_some_reference(q: Floats, t: Floats, joints: Ints, above: Ints) -> tuple[Floats, Floats]:
    """The same in plain NumPy."""
    return forward_reference(q[:, joints], t[:, joints], above)


def attached_points(q: Floats, p: Floats, rows: Ints, offsets: Floats) -> Floats:
    """``(T, P, 3)`` paths of points fixed in joints at offsets ``(P, 3)``; ``rows (P,)`` says where in the world's."""
    if compiled.loaded(q.size) is None:
        return attached_points_reference(q, p, rows, offsets)

    paths = np.empty((len(p), len(rows), 3))
    attached_points_kernel(q, p, rows, offsets, paths)
    return paths


def attached_points_reference(q: Floats, p: Floats, rows: Ints, offsets: Floats) -> Floats:
    """The same in plain NumPy."""
    return p[:, rows] + rotate(q[:, rows], offsets)


def rotate_joint(
    world: Floats, row: int, parent: int, turns: tuple[Floats, Floats], active: Bools, local: Floats, joint: int
) -> None:
    """Local rotations ``(T, J, 4)`` of one joint, in place, in active frames.

    ``world (T, K, 4)`` is how joints are turned before, ``row`` and ``parent`` (or -1) where in it the joint and what
    it hangs on are; ``turns`` ``(T, 4)`` are by how much what it hangs on and itself turn in the world.
    """
    if compiled.loaded(4 * len(world)) is None:
        rotate_joint_reference(world, row, parent, turns, active, local, joint)
        return

    rotate_joint_kernel(world, row, parent, *turns, active, local, joint)


def rotate_joint_reference(
    world: Floats, row: int, parent: int, turns: tuple[Floats, Floats], active: Bools, local: Floats, joint: int
) -> None:
    """The same in plain NumPy."""
    above, now = turns
    hung = above if parent < 0 else multiply(above, world[:, parent])
    new = multiply(conjugate(hung), multiply(now, world[:, row]))
    flip = np.sum(new * local[:, joint], axis=-1, keepdims=True) < 0.0
    local[active, joint] = np.where(flip, -new, new)[active]


# ---- Compiled forward kinematics of some joints. Import this only through ``compiled``; its twin is in ``chains``.


@compile_kernel
def forward_some_kernel(q, t, joints, above, world_q, world_t):  # type: ignore[no-untyped-def]
    """World rotations (T, K, 4) and places (T, K, 3) of some joints of (T, J, 4) and (T, J, 3)."""
    for f in range(t.shape[0]):
        for k in range(joints.size):
            j, p = joints[k], above[k]
            w, x, y, z = q[f, j, 0], q[f, j, 1], q[f, j, 2], q[f, j, 3]
            a, b, c = t[f, j, 0], t[f, j, 1], t[f, j, 2]
            if p >= 0:
                hw, hx, hy, hz = world_q[f, p, 0], world_q[f, p, 1], world_q[f, p, 2], world_q[f, p, 3]
                w, x, y, z = quaternion_product(hw, hx, hy, hz, w, x, y, z)
                a, b, c = rotate_vector(hw, hx, hy, hz, a, b, c)
                a, b, c = a + world_t[f, p, 0], b + world_t[f, p, 1], c + world_t[f, p, 2]
            write_quaternion(world_q, f, k, w, x, y, z)
            world_t[f, k, 0], world_t[f, k, 1], world_t[f, k, 2] = a, b, c


@compile_kernel
def attached_points_kernel(q, p, rows, offsets, paths):  # type: ignore[no-untyped-def]
    """Paths (T, P, 3) of points fixed in joints: ``rows`` (P,) of world rotations and places, at offsets (P, 3)."""
    for f in range(p.shape[0]):
        for i in range(rows.size):
            r = rows[i]
            x, y, z = offsets[i, 0], offsets[i, 1], offsets[i, 2]
            x, y, z = rotate_vector(q[f, r, 0], q[f, r, 1], q[f, r, 2], q[f, r, 3], x, y, z)
            paths[f, i, 0], paths[f, i, 1], paths[f, i, 2] = p[f, r, 0] + x, p[f, r, 1] + y, p[f, r, 2] + z


@compile_kernel
def rotate_joint_kernel(world, row, parent, above, now, active, local, joint):  # type: ignore[no-untyped-def]
    """Local rotations (T, J, 4) of a joint that turns by ``now`` (T, 4) where what it hangs on turns by ``above``.

    ``world`` (T, K, 4) is how joints are turned before; only active frames are written.
    """
    for f in range(active.size):
        if not active[f]:
            continue
        w, x, y, z = above[f, 0], above[f, 1], above[f, 2], above[f, 3]
        if parent >= 0:
            a, b, c, d = world[f, parent, 0], world[f, parent, 1], world[f, parent, 2], world[f, parent, 3]
            w, x, y, z = quaternion_product(w, x, y, z, a, b, c, d)
        a, b, c, d = world[f, row, 0], world[f, row, 1], world[f, row, 2], world[f, row, 3]
        a, b, c, d = quaternion_product(now[f, 0], now[f, 1], now[f, 2], now[f, 3], a, b, c, d)
        w, x, y, z = quaternion_product(w, -x, -y, -z, a, b, c, d)
        same = w * local[f, joint, 0] + x * local[f, joint, 1] + y * local[f, joint, 2] + z * local[f, joint, 3]
        if same < 0.0:
            w, x, y, z = -w, -x, -y, -z
        write_quaternion(local, f, joint, w, x, y, z)


@compile_kernel
def forward_kernel(q, t, parents, world_q, world_t):  # type: ignore[no-untyped-def]
    """Forward kinematics of (T, J, 4) and (T, J, 3) into arrays of the same shapes."""
    for f in range(t.shape[0]):
        _forward_frame(q[f], t[f], parents, world_q[f], world_t[f])


@compile_kernel
def forward_positions_kernel(q, t, parents, world_t):  # type: ignore[no-untyped-def]
    """As ``forward``, but the world rotations of one frame at a time stay in a small scratch array."""
    scratch = np.empty((t.shape[1], 4))
    for f in range(t.shape[0]):
        _forward_frame(q[f], t[f], parents, scratch, world_t[f])


@compile_kernel
def _forward_frame(q, t, parents, world_q, world_t):  # type: ignore[no-untyped-def]
    for j in range(t.shape[0]):
        p = parents[j]
        if p < 0:
            world_q[j, 0], world_q[j, 1], world_q[j, 2], world_q[j, 3] = q[j, 0], q[j, 1], q[j, 2], q[j, 3]
            world_t[j, 0], world_t[j, 1], world_t[j, 2] = t[j, 0], t[j, 1], t[j, 2]
            continue
        aw, ax, ay, az = world_q[p, 0], world_q[p, 1], world_q[p, 2], world_q[p, 3]
        bw, bx, by, bz = q[j, 0], q[j, 1], q[j, 2], q[j, 3]
        x, y, z = t[j, 0], t[j, 1], t[j, 2]
        world_q[j, 0] = aw * bw - ax * bx - ay * by - az * bz
        world_q[j, 1] = aw * bx + ax * bw + ay * bz - az * by
        world_q[j, 2] = aw * by - ax * bz + ay * bw + az * bx
        world_q[j, 3] = aw * bz + ax * by - ay * bx + az * bw
        u, v, w = 2.0 * (ay * z - az * y), 2.0 * (az * x - ax * z), 2.0 * (ax * y - ay * x)
        world_t[j, 0] = world_t[p, 0] + x + aw * u + ay * w - az * v
        world_t[j, 1] = world_t[p, 1] + y + aw * v + az * u - ax * w
        world_t[j, 2] = world_t[p, 2] + z + aw * w + ax * v - ay * u


@compile_kernel
def inverse_kernel(world_q, world_t, parents, q, t):  # type: ignore[no-untyped-def]
    """Local rotations and translations of (T, J, 4) and (T, J, 3) world ones."""
    for f in range(world_t.shape[0]):
        for j in range(world_t.shape[1]):
            p = parents[j]
            bw, bx, by, bz = world_q[f, j, 0], world_q[f, j, 1], world_q[f, j, 2], world_q[f, j, 3]
            x, y, z = world_t[f, j, 0], world_t[f, j, 1], world_t[f, j, 2]
            if p < 0:
                q[f, j, 0], q[f, j, 1], q[f, j, 2], q[f, j, 3] = bw, bx, by, bz
                t[f, j, 0], t[f, j, 1], t[f, j, 2] = x, y, z
                continue
            aw, ax, ay, az = world_q[f, p, 0], -world_q[f, p, 1], -world_q[f, p, 2], -world_q[f, p, 3]
            q[f, j, 0] = aw * bw - ax * bx - ay * by - az * bz
            q[f, j, 1] = aw * bx + ax * bw + ay * bz - az * by
            q[f, j, 2] = aw * by - ax * bz + ay * bw + az * bx
            q[f, j, 3] = aw * bz + ax * by - ay * bx + az * bw
            x, y, z = x - world_t[f, p, 0], y - world_t[f, p, 1], z - world_t[f, p, 2]
            u, v, w = 2.0 * (ay * z - az * y), 2.0 * (az * x - ax * z), 2.0 * (ax * y - ay * x)
            t[f, j, 0] = x + aw * u + ay * w - az * v
            t[f, j, 1] = y + aw * v + az * u - ax * w
            t[f, j, 2] = z + aw * w + ax * v - ay * u


@compile_kernel
def complete_rotations_kernel(world_q, known, rest, parents):  # type: ignore[no-untyped-def]
    """World rotations (T, J, 4) of joints that are not known: rest rotations carried by their parents, in place."""
    for f in range(world_q.shape[0]):
        for j in range(world_q.shape[1]):
            if known[j]:
                continue
            p = parents[j]
            bw, bx, by, bz = rest[j, 0], rest[j, 1], rest[j, 2], rest[j, 3]
            if p < 0:
                world_q[f, j, 0], world_q[f, j, 1], world_q[f, j, 2], world_q[f, j, 3] = bw, bx, by, bz
                continue
            aw, ax, ay, az = world_q[f, p, 0], world_q[f, p, 1], world_q[f, p, 2], world_q[f, p, 3]
            world_q[f, j, 0] = aw * bw - ax * bx - ay * by - az * bz
            world_q[f, j, 1] = aw * bx + ax * bw + ay * bz - az * by
            world_q[f, j, 2] = aw * by - ax * bz + ay * bw + az * bx
            world_q[f, j, 3] = aw * bz + ax * by - ay * bx + az * bw


@compile_kernel
def place_joints_kernel(world_q, offsets, parents, world_t):  # type: ignore[no-untyped-def]
    """World positions (T, J, 3) of joints with these world rotations (T, J, 4) and offsets (J, 3)."""
    for f in range(world_q.shape[0]):
        for j in range(world_q.shape[1]):
            p = parents[j]
            x, y, z = offsets[j, 0], offsets[j, 1], offsets[j, 2]
            if p < 0:
                world_t[f, j, 0], world_t[f, j, 1], world_t[f, j, 2] = x, y, z
                continue
            aw, ax, ay, az = world_q[f, p, 0], world_q[f, p, 1], world_q[f, p, 2], world_q[f, p, 3]
            u, v, w = 2.0 * (ay * z - az * y), 2.0 * (az * x - ax * z), 2.0 * (ax * y - ay * x)
            world_t[f, j, 0] = world_t[f, p, 0] + x + aw * u + ay * w - az * v
            world_t[f, j, 1] = world_t[f, p, 1] + y + aw * v + az * u - ax * w
            world_t[f, j, 2] = world_t[f, p, 2] + z + aw * w + ax * v - ay * u
