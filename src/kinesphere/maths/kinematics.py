"""Forward kinematics and its inverse, of whole skeletons and of chains of joints.

``parents`` is ``(J,)`` with ``-1`` for a root and every parent before its children. Local rotations and
translations are ``(..., J, 4)`` and ``(..., J, 3)``; a joint's translation is its position in its parent's frame.
"""

from __future__ import annotations

import numpy as np

from kinesphere.maths.compiled import jit, kernel, share_frames
from kinesphere.maths.rotations import (
    conjugate,
    multiply,
    quaternion_product,
    read_only,
    rotate,
    rotate_vector,
    write_quaternion,
)
from kinesphere.maths.vectors import ArrayLike, Bools, Floats, Ints, as_floats


@kernel
def forward(local_rotations: ArrayLike, translations: ArrayLike, parents: ArrayLike) -> tuple[Floats, Floats]:
    """World rotations ``(..., J, 4)`` and world positions ``(..., J, 3)`` of all joints."""
    q, t, p = _checked(local_rotations, translations, parents)
    world_q, world_t = q.copy(), t.copy()
    for generation in generations(p)[1:]:
        above = p[generation]
        world_q[..., generation, :] = multiply(world_q[..., above, :], q[..., generation, :])
        world_t[..., generation, :] = world_t[..., above, :] + rotate(world_q[..., above, :], t[..., generation, :])
    return world_q, world_t


@forward.compile_with
def _forward(local_rotations: ArrayLike, translations: ArrayLike, parents: ArrayLike) -> tuple[Floats, Floats]:
    q, t, p = _checked(local_rotations, translations, parents)
    world_q, world_t = np.empty(q.shape), np.empty(t.shape)
    flat_q, flat_t, out_q, out_t = _given(q), _given(t), _frames_first(world_q), _frames_first(world_t)
    joints = read_only(np.arange(len(p)), -1)

    def some(part: slice) -> None:
        forward_kernel(flat_q[part], flat_t[part], joints, p, out_q[part], out_t[part])

    share_frames(len(flat_q), t.size, some)
    return world_q, world_t


@kernel
def forward_positions(local_rotations: ArrayLike, translations: ArrayLike, parents: ArrayLike) -> Floats:
    """World positions ``(..., J, 3)`` only: less memory to write, so faster where the rotations are not needed."""
    return forward(local_rotations, translations, parents)[1]


@forward_positions.compile_with
def _forward_positions(local_rotations: ArrayLike, translations: ArrayLike, parents: ArrayLike) -> Floats:
    q, t, p = _checked(local_rotations, translations, parents)
    world_t: Floats = np.empty(t.shape)
    flat_q, flat_t, out_t = _given(q), _given(t), _frames_first(world_t)

    def some(part: slice) -> None:
        forward_positions_kernel(flat_q[part], flat_t[part], p, out_t[part])

    share_frames(len(flat_q), t.size, some)
    return world_t


@kernel
def inverse(world_rotations: ArrayLike, positions: ArrayLike, parents: ArrayLike) -> tuple[Floats, Floats]:
    """Local rotations and translations that ``forward`` takes to the given world ones."""
    world_q, world_t, p = _checked(world_rotations, positions, parents)
    local_q, local_t = world_q.copy(), world_t.copy()
    children = np.flatnonzero(p >= 0)
    above = p[children]
    undo = conjugate(world_q[..., above, :])
    local_q[..., children, :] = multiply(undo, world_q[..., children, :])
    local_t[..., children, :] = rotate(undo, world_t[..., children, :] - world_t[..., above, :])
    return local_q, local_t


@inverse.compile_with
def _inverse(world_rotations: ArrayLike, positions: ArrayLike, parents: ArrayLike) -> tuple[Floats, Floats]:
    world_q, world_t, p = _checked(world_rotations, positions, parents)
    local_q, local_t = np.empty(world_q.shape), np.empty(world_t.shape)
    q, t, out_q, out_t = _given(world_q), _given(world_t), _frames_first(local_q), _frames_first(local_t)

    def some(part: slice) -> None:
        inverse_kernel(q[part], t[part], p, out_q[part], out_t[part])

    share_frames(len(q), t.size, some)
    return local_q, local_t


def complete_rotations(world_rotations: Floats, known: Bools, rest_rotations: Floats, parents: Ints) -> None:
    """World rotations ``(T, J, 4)`` of joints that are not ``known`` ``(J,)``, in place: at rest on their parents."""
    complete_rotations_kernel(world_rotations, known, rest_rotations, parents)


def place_joints(world_rotations: Floats, offsets: Floats, parents: Ints) -> Floats:
    """World positions ``(T, J, 3)`` of joints with these world rotations ``(T, J, 4)`` and offsets ``(J, 3)``."""
    positions: Floats = np.empty((*world_rotations.shape[:2], 3))
    place_joints_kernel(world_rotations, offsets, parents, positions)
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


def _given(array: Floats) -> Floats:
    """The same, not for writing."""
    return read_only(array, -1, *array.shape[-2:])


def _checked(q: ArrayLike, t: ArrayLike, parents: ArrayLike) -> tuple[Floats, Floats, Ints]:
    p = read_only(np.asarray(parents, dtype=np.intp), -1)
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


# Chains: some joints and their ancestors, and no others


def with_ancestors(parents: Ints, joints: list[int]) -> tuple[Ints, Ints]:
    """The joints and all their ancestors ``(K,)``, in order, and each one's parent as an index of those, or -1."""
    needed: set[int] = set()
    for joint in joints:
        while joint >= 0 and joint not in needed:
            needed.add(joint)
            joint = int(parents[joint])
    chosen = sorted(needed)
    place = {joint: k for k, joint in enumerate(chosen)} | {-1: -1}
    return np.array(chosen, dtype=np.intp), np.array([place[int(parents[joint])] for joint in chosen], dtype=np.intp)


def forward_some(q: Floats, t: Floats, joints: Ints, above: Ints) -> tuple[Floats, Floats]:
    """World rotations ``(T, K, 4)`` and positions ``(T, K, 3)`` of joints that are ``with_ancestors``."""
    world_q, world_t = np.empty((len(q), len(joints), 4)), np.empty((len(q), len(joints), 3))
    forward_kernel(_given(q), _given(t), read_only(joints, -1), read_only(above, -1), world_q, world_t)
    return world_q, world_t


def attached_points(q: Floats, p: Floats, rows: Ints, offsets: Floats) -> Floats:
    """Paths ``(T, P, 3)`` of points fixed at offsets ``(P, 3)`` in joints with world rotations and positions.

    ``rows (P,)`` are the joints, as indices of the second axis of ``q (T, K, 4)`` and ``p (T, K, 3)``.
    """
    return np.asarray(p[:, rows] + rotate(q[:, rows], offsets))


def rotate_joint(
    world: Floats, row: int, parent: int, changes: tuple[Floats, Floats], active: Bools, local: Floats, joint: int
) -> None:
    """Write the local rotations of one joint into ``local (T, J, 4)``, in active frames ``(T,)``.

    ``world (T, K, 4)`` has the world rotations before, ``row`` and ``parent`` (or -1) are the joint and its parent in
    it; ``changes`` ``(T, 4)`` are the world rotations that the parent and the joint itself make from there.
    """
    parent_change, own_change = changes
    above = parent_change if parent < 0 else multiply(parent_change, world[:, parent])
    new = multiply(conjugate(above), multiply(own_change, world[:, row]))
    flip = np.einsum("ti,ti->t", new, local[:, joint])[:, None] < 0.0
    np.copyto(local[:, joint], np.where(flip, -new, new), where=active[:, None])


# Compiled loops


@jit
def forward_kernel(q, t, joints, parents, world_q, world_t):  # type: ignore[no-untyped-def]
    """World rotations ``(T, K, 4)`` and positions ``(T, K, 3)`` of joints ``(K,)`` of ``(T, J, 4)`` and ``(T, J, 3)``.

    ``parents (K,)`` are indices of ``joints``.
    """
    for f in range(t.shape[0]):
        for k in range(joints.size):
            j, p = joints[k], parents[k]
            w, x, y, z = q[f, j, 0], q[f, j, 1], q[f, j, 2], q[f, j, 3]
            a, b, c = t[f, j, 0], t[f, j, 1], t[f, j, 2]
            if p >= 0:
                pw, px, py, pz = world_q[f, p, 0], world_q[f, p, 1], world_q[f, p, 2], world_q[f, p, 3]
                w, x, y, z = quaternion_product(pw, px, py, pz, w, x, y, z)
                a, b, c = rotate_vector(pw, px, py, pz, a, b, c)
                a, b, c = a + world_t[f, p, 0], b + world_t[f, p, 1], c + world_t[f, p, 2]
            write_quaternion(world_q, f, k, w, x, y, z)
            world_t[f, k, 0], world_t[f, k, 1], world_t[f, k, 2] = a, b, c


@jit
def forward_positions_kernel(q, t, parents, world_t):  # type: ignore[no-untyped-def]
    """As ``forward_kernel`` of all joints, but world rotations stay in a scratch array of one frame."""
    scratch = np.empty((t.shape[1], 4))
    for f in range(t.shape[0]):
        for j in range(t.shape[1]):
            p = parents[j]
            w, x, y, z = q[f, j, 0], q[f, j, 1], q[f, j, 2], q[f, j, 3]
            a, b, c = t[f, j, 0], t[f, j, 1], t[f, j, 2]
            if p >= 0:
                pw, px, py, pz = scratch[p, 0], scratch[p, 1], scratch[p, 2], scratch[p, 3]
                w, x, y, z = quaternion_product(pw, px, py, pz, w, x, y, z)
                a, b, c = rotate_vector(pw, px, py, pz, a, b, c)
                a, b, c = a + world_t[f, p, 0], b + world_t[f, p, 1], c + world_t[f, p, 2]
            scratch[j, 0], scratch[j, 1], scratch[j, 2], scratch[j, 3] = w, x, y, z
            world_t[f, j, 0], world_t[f, j, 1], world_t[f, j, 2] = a, b, c


@jit
def inverse_kernel(world_q, world_t, parents, q, t):  # type: ignore[no-untyped-def]
    """Local rotations and translations of ``(T, J, 4)`` and ``(T, J, 3)`` world ones."""
    for f in range(world_t.shape[0]):
        for j in range(world_t.shape[1]):
            p = parents[j]
            w, x, y, z = world_q[f, j, 0], world_q[f, j, 1], world_q[f, j, 2], world_q[f, j, 3]
            a, b, c = world_t[f, j, 0], world_t[f, j, 1], world_t[f, j, 2]
            if p >= 0:
                pw, px, py, pz = world_q[f, p, 0], -world_q[f, p, 1], -world_q[f, p, 2], -world_q[f, p, 3]
                w, x, y, z = quaternion_product(pw, px, py, pz, w, x, y, z)
                a, b, c = a - world_t[f, p, 0], b - world_t[f, p, 1], c - world_t[f, p, 2]
                a, b, c = rotate_vector(pw, px, py, pz, a, b, c)
            write_quaternion(q, f, j, w, x, y, z)
            t[f, j, 0], t[f, j, 1], t[f, j, 2] = a, b, c


@jit
def complete_rotations_kernel(world_q, known, rest, parents):  # type: ignore[no-untyped-def]
    """World rotations ``(T, J, 4)`` of joints that are not known: rest rotations on their parents, in place."""
    for f in range(world_q.shape[0]):
        for j in range(world_q.shape[1]):
            if known[j]:
                continue
            p = parents[j]
            w, x, y, z = rest[j, 0], rest[j, 1], rest[j, 2], rest[j, 3]
            if p >= 0:
                pw, px, py, pz = world_q[f, p, 0], world_q[f, p, 1], world_q[f, p, 2], world_q[f, p, 3]
                w, x, y, z = quaternion_product(pw, px, py, pz, w, x, y, z)
            write_quaternion(world_q, f, j, w, x, y, z)


@jit
def place_joints_kernel(world_q, offsets, parents, world_t):  # type: ignore[no-untyped-def]
    """World positions ``(T, J, 3)`` of joints with these world rotations ``(T, J, 4)`` and offsets ``(J, 3)``."""
    for f in range(world_q.shape[0]):
        for j in range(world_q.shape[1]):
            p = parents[j]
            a, b, c = offsets[j, 0], offsets[j, 1], offsets[j, 2]
            if p >= 0:
                pw, px, py, pz = world_q[f, p, 0], world_q[f, p, 1], world_q[f, p, 2], world_q[f, p, 3]
                a, b, c = rotate_vector(pw, px, py, pz, a, b, c)
                a, b, c = a + world_t[f, p, 0], b + world_t[f, p, 1], c + world_t[f, p, 2]
            world_t[f, j, 0], world_t[f, j, 1], world_t[f, j, 2] = a, b, c
