"""Nodes with scales to joints without.

A glTF node's scale also moves and shears its children; a joint's does not. So every joint's world position is
taken from the nodes as it is, and its translation becomes whatever leads there from its parent. Rotations are
products of the nodes' own, which are defined for any scale, zero and shear included.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinesphere.files.gltf.joints import Joints
from kinesphere.files.gltf.nodes import Nodes
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.errors import MotionFileError

UNIFORM = 1e-6  # scales that differ less between axes are taken for one number
NEARLY_UNIFORM = 1e-4  # and these are an exporter's rounding: positions heed them, surfaces don't
_POSES_AT_ONCE = 100_000


@dataclass(frozen=True, eq=False)
class NodePose:
    """What the nodes of all joints do, in the file's own terms. The first axis is T, or 1 for what stays."""

    rotations: Floats  # (T, J, 4)
    translations: Floats  # (T, J, 3)
    scales: Floats  # (T, J, 3) or (1, J, 3)
    exact: Bools  # (J,): joints whose given matrix holds, whatever it is made of


@dataclass(frozen=True, eq=False)
class StaticParent:
    """What stands still above a root: folded into it."""

    position: Floats
    rotation: Floats
    linear: Floats
    scale: Floats
    mirror: Floats
    uneven: bool


def rest_pose(nodes: Nodes, joints: Joints) -> NodePose:
    """The nodes as the file places them."""
    at = joints.nodes
    everything = np.ones(len(at), dtype=bool)
    return NodePose(nodes.rotations[None, at], nodes.translations[None, at], nodes.scales[None, at], everything)


def bake_scales(nodes: Nodes, joints: Joints, poses: tuple[NodePose, ...]) -> tuple[tuple[Floats, Floats, Floats], ...]:
    """For each pose: local rotations ``(T, J, 4)``, translations ``(T, J, 3)`` and the scale of the surface
    about each joint, ``(T, J, 3)`` or ``(1, J, 3)``. All are made alike, so that they can be compared."""
    grounds = find_static_parents(nodes, joints)
    uneven = any(ground.uneven for ground in grounds.values()) or bool(nodes.sheared[joints.nodes].any())
    spread = 1.0 if uneven else max(unevenness(pose.scales) for pose in poses)
    with np.errstate(all="ignore"):  # absurd numbers become infinite; the caller looks for those
        if spread <= UNIFORM:
            return tuple(_with_plain_scales(joints, grounds, pose) for pose in poses)
        return tuple(_with_any_scales(nodes, joints, grounds, pose, spread <= NEARLY_UNIFORM) for pose in poses)


def unevenness(scales: Floats) -> float:
    """How different scales are along different axes, as a share."""
    largest = np.abs(scales).max(axis=-1)
    apart = scales.max(axis=-1) - scales.min(axis=-1)
    return float(np.max(apart / np.where(largest > 0.0, largest, 1.0)))


def find_static_parents(nodes: Nodes, joints: Joints) -> dict[int, StaticParent]:
    """For each root, what stands above it. Many roots may share a long way up, which is gone only once."""
    known = {-1: StaticParent(np.zeros(3), rotations.identity(), np.eye(3), np.ones(3), np.ones(3), False)}
    found = {}
    with np.errstate(all="ignore"):
        for root in np.flatnonzero(joints.parents < 0).tolist():
            above = int(nodes.parents[joints.nodes[root]])
            way, node = [], above
            while node not in known:
                way.append(node)
                node = int(nodes.parents[node])
            for step in reversed(way):
                known[step] = _with_node(known[int(nodes.parents[step])], nodes, step)
            found[root] = known[above]
    return found


def _with_node(ground: StaticParent, nodes: Nodes, node: int) -> StaticParent:
    """One more node that stands still."""
    return StaticParent(
        position=ground.position + ground.linear @ nodes.translations[node],
        rotation=rotations.multiply(ground.rotation, mirror_rotation(nodes.rotations[node], ground.mirror)),
        linear=ground.linear @ nodes.linear[node],
        scale=ground.scale * nodes.scales[node],
        mirror=ground.mirror * signs(nodes.scales[node]),
        uneven=ground.uneven or bool(nodes.sheared[node]) or unevenness(nodes.scales[node]) > UNIFORM,
    )


def _with_plain_scales(
    joints: Joints, grounds: dict[int, StaticParent], pose: NodePose
) -> tuple[Floats, Floats, Floats]:
    """Scales that are one number for each node only make translations longer."""
    q, t = pose.rotations.copy(), pose.translations.copy()
    total = pose.scales.mean(axis=-1)  # (T or 1, J)
    for joint, parent in enumerate(joints.parents.tolist()):
        if parent >= 0:
            above = total[:, parent]
            total[:, joint] *= above
            if not np.all(above == 1.0):
                t[:, joint] *= above[:, None]
        else:
            ground = grounds[joint]
            factor = float(ground.scale.mean())
            t[:, joint] = ground.position + rotations.rotate(ground.rotation, factor * t[:, joint])
            q[:, joint] = rotations.multiply(ground.rotation, q[:, joint])
            total[:, joint] *= factor
    return q, t, np.repeat(total[..., None], 3, axis=-1)


def _with_any_scales(
    nodes: Nodes, joints: Joints, grounds: dict[int, StaticParent], pose: NodePose, plain_surface: bool
) -> tuple[Floats, Floats, Floats]:
    """Scales that differ between axes: full matrices, some frames at a time."""
    frames, count = pose.rotations.shape[:2]
    q, t = np.empty((frames, count, 4)), np.empty((frames, count, 3))
    surfaces = np.empty((frames, count, 3))
    size = max(32, _POSES_AT_ONCE // count)
    for first in range(0, frames, size):
        part = slice(first, first + size)
        scales = pose.scales if len(pose.scales) == 1 else pose.scales[part]
        piece = NodePose(pose.rotations[part], pose.translations[part], scales, pose.exact)
        _bake_piece(nodes, joints, grounds, piece, (q[part], t[part], surfaces[part]))
    if plain_surface:
        surfaces = _with_plain_scales(joints, grounds, pose)[2]
    return q, t, surfaces


def _bake_piece(
    nodes: Nodes,
    joints: Joints,
    grounds: dict[int, StaticParent],
    pose: NodePose,
    out: tuple[Floats, Floats, Floats],
) -> None:
    q, t, surfaces = out
    frames, count = q.shape[:2]
    linear, world = np.empty((count, frames, 3, 3)), np.empty((count, frames, 4))
    mirrors = np.empty((count, frames, 3))
    for joint, parent in enumerate(joints.parents.tolist()):
        own_scale, place = pose.scales[:, joint], pose.translations[:, joint]
        ground = grounds[joint] if parent < 0 else None
        above = ground.linear if ground is not None else linear[parent]
        mirror = ground.mirror if ground is not None else mirrors[parent]
        q[:, joint] = mirror_rotation(pose.rotations[:, joint], mirror)
        moved = np.einsum("...ij,...j->...i", above, place)
        if ground is not None:
            q[:, joint] = rotations.multiply(ground.rotation, q[:, joint])
            t[:, joint] = ground.position + moved
            world[joint] = q[:, joint]
        else:
            t[:, joint] = rotations.rotate(rotations.conjugate(world[parent]), moved)
            world[joint] = rotations.multiply(world[parent], q[:, joint])
        node = int(joints.nodes[joint])
        if pose.exact[joint]:
            own = nodes.linear[node]
        else:
            own = rotations.to_matrix(pose.rotations[:, joint]) * own_scale[:, None, :]
        linear[joint] = above @ own
        mirrors[joint] = mirror * signs(own_scale)
        surfaces[:, joint] = np.linalg.norm(linear[joint], axis=-2) * mirrors[joint]


def signs(scales: Floats) -> Floats:
    return np.where(scales < 0.0, -1.0, 1.0)


def mirror_rotation(quaternions: Floats, mirror: Floats) -> Floats:
    """``D R D`` for a mirror ``D`` along the axes: what a mirrored parent makes of its child's rotation."""
    if np.all(mirror > 0.0):
        return quaternions
    turned = quaternions.copy() if mirror.ndim == 1 else np.broadcast_to(quaternions, (*mirror.shape[:-1], 4)).copy()
    turned[..., 1:] *= mirror * mirror.prod(axis=-1, keepdims=True)
    return turned


# ---- Joints without scales back to nodes with: the way back from ``pose.baked``.


_REACHED = 1e-5  # metres by which a joint may miss its place where scales leave it no freedom


def unbake_scales(path: Path, nodes: Nodes, joints: Joints, q: Floats, t: Floats) -> tuple[Floats, Floats]:
    """What the joints' nodes must be set to, so that the joints are turned and placed as given.

    ``q`` and ``t`` are local rotations ``(T, J, 4)`` and translations ``(T, J, 3)`` in the file's axes; scales are
    those that the nodes have at rest.
    """
    grounds = find_static_parents(nodes, joints)
    uneven = any(ground.uneven for ground in grounds.values())
    scales = nodes.scales[joints.nodes]
    plain = not uneven and unevenness(scales) <= UNIFORM
    if plain and not _total(joints, grounds, scales).all():
        plain = False  # a scale of zero: what can be reached is found out below
    if plain:
        return _with_plain_scales_unbaking(joints, grounds, scales, q, t)
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
    grounds = find_static_parents(nodes, joints)
    largest = np.abs(nodes.scales[joints.nodes]).max(axis=-1)
    above = np.ones(len(joints))
    for joint, parent in enumerate(joints.parents.tolist()):
        above[joint] = above[parent] * largest[parent] if parent >= 0 else np.linalg.norm(grounds[joint].linear, 2)
    apart: Floats = np.linalg.norm(t - nodes.translations[joints.nodes], axis=-1).max(axis=0) * above
    return apart


def _total(joints: Joints, grounds: dict[int, StaticParent], scales: Floats) -> Floats:
    """The factor ``(J,)`` that the nodes above each joint put on its translation."""
    own = scales.mean(axis=-1)
    above = np.ones(len(joints))
    for joint, parent in enumerate(joints.parents.tolist()):
        above[joint] = above[parent] * own[parent] if parent >= 0 else float(grounds[joint].scale.mean())
    return above


def _with_plain_scales_unbaking(
    joints: Joints, grounds: dict[int, StaticParent], scales: Floats, q: Floats, t: Floats
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
    grounds: dict[int, StaticParent],
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
        out[0][:, joint] = mirror_rotation(own, mirror)
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
