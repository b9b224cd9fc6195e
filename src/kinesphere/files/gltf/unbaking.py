"""Joints without scales back to nodes with: the way back from ``pose.baked``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kinesphere.files.errors import MotionFileError
from kinesphere.files.gltf.joints import Joints
from kinesphere.files.gltf.nodes import Nodes
from kinesphere.files.gltf.pose import UNIFORM, Ground, find_grounds, mirrored, signs, unevenness
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats

_POSES_AT_ONCE = 100_000
_REACHED = 1e-5  # metres by which a joint may miss its place where scales leave it no freedom


def unbaked(path: Path, nodes: Nodes, joints: Joints, q: Floats, t: Floats) -> tuple[Floats, Floats]:
    """What the joints' nodes must be set to, so that the joints are turned and placed as given.

    ``q`` and ``t`` are local rotations ``(T, J, 4)`` and translations ``(T, J, 3)`` in the file's axes; scales are
    those that the nodes have at rest.
    """
    grounds = find_grounds(nodes, joints)
    uneven = any(ground.uneven for ground in grounds.values())
    scales = nodes.scales[joints.nodes]
    plain = not uneven and unevenness(scales) <= UNIFORM
    if plain and not _total(joints, grounds, scales).all():
        plain = False  # a scale of zero: what can be reached is found out below
    if plain:
        return _with_plain_scales(joints, grounds, scales, q, t)
    out = np.empty(q.shape), np.empty(t.shape)
    size = max(32, _POSES_AT_ONCE // len(joints))
    for first in range(0, len(q), size):
        part = slice(first, first + size)
        _unbake_piece(path, nodes, joints, grounds, (q[part], t[part]), (out[0][part], out[1][part]))
    return out


def departures(nodes: Nodes, joints: Joints, t: Floats) -> Floats:
    """How far, at most, each joint ``(J,)`` is moved from its rest place by translations ``(T, J, 3)`` of its node.

    In metres: the nodes above may scale a hundred times up or down.
    """
    grounds = find_grounds(nodes, joints)
    largest = np.abs(nodes.scales[joints.nodes]).max(axis=-1)
    above = np.ones(len(joints))
    for joint, parent in enumerate(joints.parents.tolist()):
        above[joint] = above[parent] * largest[parent] if parent >= 0 else np.linalg.norm(grounds[joint].linear, 2)
    apart: Floats = np.linalg.norm(t - nodes.translations[joints.nodes], axis=-1).max(axis=0) * above
    return apart


def _total(joints: Joints, grounds: dict[int, Ground], scales: Floats) -> Floats:
    """The factor ``(J,)`` that the nodes above each joint put on its translation."""
    own = scales.mean(axis=-1)
    above = np.ones(len(joints))
    for joint, parent in enumerate(joints.parents.tolist()):
        above[joint] = above[parent] * own[parent] if parent >= 0 else float(grounds[joint].scale.mean())
    return above


def _with_plain_scales(
    joints: Joints, grounds: dict[int, Ground], scales: Floats, q: Floats, t: Floats
) -> tuple[Floats, Floats]:
    above = _total(joints, grounds, scales)
    q, t = q.copy(), t.copy()
    for root, ground in grounds.items():
        back = rotations.conjugate(ground.rotation)
        q[:, root] = rotations.multiply(back, q[:, root])
        t[:, root] = rotations.rotate(back, t[:, root] - ground.position)
    return q, t / above[:, None]


def _unbake_piece(
    path: Path,
    nodes: Nodes,
    joints: Joints,
    grounds: dict[int, Ground],
    given: tuple[Floats, Floats],
    out: tuple[Floats, Floats],
) -> None:
    """Scales that differ between axes: full matrices, as in ``pose``."""
    q, t = given
    frames, count = q.shape[:2]
    linear, world = np.empty((count, frames, 3, 3)), np.empty((count, frames, 4))
    mirrors = np.empty((count, 3))
    for joint, parent in enumerate(joints.parents.tolist()):
        node = int(joints.nodes[joint])
        if parent < 0:
            ground = grounds[joint]
            above = np.broadcast_to(ground.linear, (frames, 3, 3))
            mirror, wanted, world[joint] = ground.mirror, t[:, joint] - ground.position, q[:, joint]
            own = rotations.multiply(rotations.conjugate(ground.rotation), q[:, joint])
        else:
            above, mirror, own = linear[parent], mirrors[parent], q[:, joint]
            wanted = rotations.rotate(world[parent], t[:, joint])
            world[joint] = rotations.multiply(world[parent], own)
        out[0][:, joint] = mirrored(own, mirror)
        out[1][:, joint] = _solved(path, node, above, wanted)
        linear[joint] = above @ (rotations.to_matrix(out[0][:, joint]) * nodes.scales[node])
        mirrors[joint] = mirror * signs(nodes.scales[node])


def _solved(path: Path, node: int, above: Floats, wanted: Floats) -> Floats:
    """The translations ``(T, 3)`` that the matrices above take to the wanted places."""
    size = np.abs(above).max(axis=(1, 2))
    if np.all(np.abs(np.linalg.det(above)) > 1e-12 * size**3):
        return np.asarray(np.linalg.solve(above, wanted[..., None])[..., 0])
    flat: Floats = np.einsum("tij,tj->ti", np.linalg.pinv(above), wanted)
    missed = float(np.abs(np.einsum("tij,tj->ti", above, flat) - wanted).max())
    if missed > _REACHED:
        found = f"a joint below a scale of zero, {missed:.3g} m away from where it should be"
        raise MotionFileError(path, found, "scales other than zero above a joint that moves", where=f"nodes[{node}]")
    return flat
