"""Forward kinematics and its inverse.

``parents`` is ``(J,)`` with ``-1`` for a root and every parent before its children. Local rotations and
translations are ``(..., J, 4)`` and ``(..., J, 3)``; a joint's translation is its place in its parent's frame.
"""

from __future__ import annotations

import numpy as np

from kinesphere.kernels import compiled, rotations
from kinesphere.kernels.arrays import ArrayLike, Bools, Floats, Ints, floats


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


def completed(world_rotations: Floats, known: Bools, rest_rotations: Floats, parents: Ints) -> None:
    """World rotations ``(T, J, 4)`` of joints that are not ``known`` ``(J,)``, in place: carried by their parents."""
    kernels = compiled.loaded(world_rotations.size)
    if kernels is None:
        completed_reference(world_rotations, known, rest_rotations, parents)
    else:
        kernels.complete(world_rotations, known, rest_rotations, parents)


def completed_reference(world_q: Floats, known: Bools, rest: Floats, parents: Ints) -> None:
    """The same in plain NumPy."""
    for joint in np.flatnonzero(~known).tolist():
        parent = int(parents[joint])
        world_q[:, joint] = rest[joint] if parent < 0 else rotations.multiply(world_q[:, parent], rest[joint])


def placed(world_rotations: Floats, offsets: Floats, parents: Ints) -> Floats:
    """World positions ``(T, J, 3)`` of joints with these world rotations ``(T, J, 4)`` and offsets ``(J, 3)``."""
    kernels = compiled.loaded(world_rotations.size)
    if kernels is None:
        return placed_reference(world_rotations, offsets, parents)
    positions: Floats = np.empty((*world_rotations.shape[:2], 3))
    kernels.place(world_rotations, offsets, parents, positions)
    return positions


def placed_reference(world_q: Floats, offsets: Floats, parents: Ints) -> Floats:
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
    q, t = np.ascontiguousarray(floats(q)), np.ascontiguousarray(floats(t))
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
