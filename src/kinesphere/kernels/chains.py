"""Forward kinematics of some joints and what they hang on, and of no others."""

from __future__ import annotations

import numpy as np

from kinesphere.kernels import compiled
from kinesphere.kernels.arrays import Bools, Floats, Ints
from kinesphere.kernels.kinematics import forward_reference
from kinesphere.kernels.rotations import conjugate, multiply, rotate


def closed(parents: Ints, joints: list[int]) -> tuple[Ints, Ints]:
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
    """World rotations ``(T, K, 4)`` and places ``(T, K, 3)`` of joints that are ``closed``."""
    if compiled.loaded(len(q) * len(joints)) is None:
        return forward_some_reference(q, t, joints, above)
    from kinesphere.kernels import jit_chains

    world_q, world_t = np.empty((len(q), len(joints), 4)), np.empty((len(q), len(joints), 3))
    jit_chains.forward_some(q, t, joints, above, world_q, world_t)
    return world_q, world_t


def forward_some_reference(q: Floats, t: Floats, joints: Ints, above: Ints) -> tuple[Floats, Floats]:
    """The same in plain NumPy."""
    return forward_reference(q[:, joints], t[:, joints], above)


def fixed_points(q: Floats, p: Floats, rows: Ints, offsets: Floats) -> Floats:
    """``(T, P, 3)`` paths of points fixed in joints at offsets ``(P, 3)``; ``rows (P,)`` says where in the world's."""
    if compiled.loaded(q.size) is None:
        return fixed_points_reference(q, p, rows, offsets)
    from kinesphere.kernels import jit_chains

    paths = np.empty((len(p), len(rows), 3))
    jit_chains.fixed_points(q, p, rows, offsets, paths)
    return paths


def fixed_points_reference(q: Floats, p: Floats, rows: Ints, offsets: Floats) -> Floats:
    """The same in plain NumPy."""
    return p[:, rows] + rotate(q[:, rows], offsets)


def turn_joint(
    world: Floats, row: int, parent: int, turns: tuple[Floats, Floats], active: Bools, local: Floats, joint: int
) -> None:
    """Local rotations ``(T, J, 4)`` of one joint, in place, in active frames.

    ``world (T, K, 4)`` is how joints are turned before, ``row`` and ``parent`` (or -1) where in it the joint and what
    it hangs on are; ``turns`` ``(T, 4)`` are by how much what it hangs on and itself turn in the world.
    """
    if compiled.loaded(4 * len(world)) is None:
        turn_joint_reference(world, row, parent, turns, active, local, joint)
        return
    from kinesphere.kernels import jit_chains

    jit_chains.turn_joint(world, row, parent, *turns, active, local, joint)


def turn_joint_reference(
    world: Floats, row: int, parent: int, turns: tuple[Floats, Floats], active: Bools, local: Floats, joint: int
) -> None:
    """The same in plain NumPy."""
    above, now = turns
    hung = above if parent < 0 else multiply(above, world[:, parent])
    new = multiply(conjugate(hung), multiply(now, world[:, row]))
    flip = np.sum(new * local[:, joint], axis=-1, keepdims=True) < 0.0
    local[active, joint] = np.where(flip, -new, new)[active]
