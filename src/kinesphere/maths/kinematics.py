"""Forward kinematics and its inverse, of whole skeletons and of chains of joints.

``parents`` is ``(J,)`` with ``-1`` for a root and every parent before its children. Local rotations and
translations are ``(..., J, 4)`` and ``(..., J, 3)``; a joint's translation is its position in its parent's frame.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere import _native
from kinesphere.maths.rotations import rotate
from kinesphere.maths.threads import share_frames
from kinesphere.maths.vectors import ArrayLike, Bools, Floats, Ints, as_floats


def forward(local_rotations: ArrayLike, translations: ArrayLike, parents: ArrayLike) -> tuple[Floats, Floats]:
    """World rotations ``(..., J, 4)`` and world positions ``(..., J, 3)`` of all joints."""
    q, t, p = _checked(local_rotations, translations, parents)
    world_q, world_t = np.empty(q.shape), np.empty(t.shape)
    flat_q, flat_t, out_q, out_t = (_frames_first(array) for array in (q, t, world_q, world_t))
    joints = np.arange(len(p))

    def some(part: slice) -> None:
        _native.kinematics.forward(flat_q[part], flat_t[part], joints, p, out_q[part], out_t[part])

    share_frames(len(flat_q), t.size, some)
    return world_q, world_t


def forward_positions(local_rotations: ArrayLike, translations: ArrayLike, parents: ArrayLike) -> Floats:
    """World positions ``(..., J, 3)`` only: less memory to write, so faster where the rotations are not needed."""
    q, t, p = _checked(local_rotations, translations, parents)
    world_t: Floats = np.empty(t.shape)
    flat_q, flat_t, out_t = (_frames_first(array) for array in (q, t, world_t))

    def some(part: slice) -> None:
        _native.kinematics.forward_positions(flat_q[part], flat_t[part], p, out_t[part])

    share_frames(len(flat_q), t.size, some)
    return world_t


def inverse(world_rotations: ArrayLike, positions: ArrayLike, parents: ArrayLike) -> tuple[Floats, Floats]:
    """Local rotations and translations that ``forward`` takes to the given world ones."""
    world_q, world_t, p = _checked(world_rotations, positions, parents)
    local_q, local_t = np.empty(world_q.shape), np.empty(world_t.shape)
    q, t, out_q, out_t = (_frames_first(array) for array in (world_q, world_t, local_q, local_t))

    def some(part: slice) -> None:
        _native.kinematics.inverse(q[part], t[part], p, out_q[part], out_t[part])

    share_frames(len(q), t.size, some)
    return local_q, local_t


def complete_rotations(world_rotations: Floats, known: Bools, rest_rotations: Floats, parents: Ints) -> None:
    """World rotations ``(T, J, 4)`` of joints that are not ``known`` ``(J,)``, in place: at rest on their parents."""
    _native.kinematics.complete_rotations(world_rotations, known, rest_rotations, parents)


def place_joints(world_rotations: Floats, offsets: Floats, parents: Ints) -> Floats:
    """World positions ``(T, J, 3)`` of joints with these world rotations ``(T, J, 4)`` and offsets ``(J, 3)``."""
    positions: Floats = np.empty((*world_rotations.shape[:2], 3))
    _native.kinematics.place_joints(np.ascontiguousarray(world_rotations), offsets, parents, positions)
    return positions


def _frames_first(array: Floats) -> Floats:
    """All leading axes as one."""
    return array.reshape(math.prod(array.shape[:-2]), *array.shape[-2:])


def _checked(q: ArrayLike, t: ArrayLike, parents: ArrayLike) -> tuple[Floats, Floats, Ints]:
    p = np.ascontiguousarray(parents, dtype=np.intp).reshape(-1)
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
    _native.kinematics.forward(np.ascontiguousarray(q), np.ascontiguousarray(t), joints, above, world_q, world_t)
    return world_q, world_t


def attached_points(q: Floats, p: Floats, rows: Ints, offsets: Floats) -> Floats:
    """Paths ``(T, P, 3)`` of points fixed at offsets ``(P, 3)`` in joints with world rotations and positions.

    ``rows (P,)`` are the joints, as indices of the second axis of ``q (T, K, 4)`` and ``p (T, K, 3)``.
    """
    return np.asarray(p[:, rows] + rotate(q[:, rows], offsets))
