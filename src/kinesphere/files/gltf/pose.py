"""glTF node scales: bake inherited scales into joint translations, and undo it.

A glTF node's scale also moves and shears its children; a joint's does not. So every joint keeps the world position of
its node, and its translation is the vector there from its parent. Rotations are products of the nodes' rotations, which
are defined for any scale, zero and shear included. Static nodes above a root are folded into it.
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

UNIFORM = 1e-6  # relative: scales that differ less between axes are taken for one number
NEARLY_UNIFORM = 1e-4  # an exporter's rounding: used for positions, ignored for surfaces
_POSES_AT_ONCE = 100_000


@dataclass(frozen=True, eq=False)
class NodePose:
    """Local transforms of the joints' nodes, in the file's units and axes. The first axis is T, or 1 where constant."""

    rotations: Floats  # (T, J, 4)
    translations: Floats  # (T, J, 3)
    scales: Floats  # (T, J, 3) or (1, J, 3)
    use_matrix: Bools  # (J,): joints whose node's matrix, which may shear, holds in all frames


@dataclass(frozen=True, eq=False)
class StaticParent:
    """World transform of the static nodes above a root."""

    position: Floats  # (3,)
    rotation: Floats  # (4,)
    linear: Floats  # (3, 3) rotation, scale and shear
    scale: Floats  # (3,) product of the scales
    mirror: Floats  # (3,) signs of that product
    uneven: bool  # whether scales differ between axes, or shear


def rest_pose(nodes: Nodes, joints: Joints) -> NodePose:
    """The nodes at rest."""
    at = joints.nodes
    everything = np.ones(len(at), dtype=bool)
    return NodePose(nodes.rotations[None, at], nodes.translations[None, at], nodes.scales[None, at], everything)


def bake_scales(nodes: Nodes, joints: Joints, poses: tuple[NodePose, ...]) -> tuple[tuple[Floats, Floats, Floats], ...]:
    """Bake scales into translations, for several poses by the same method, so that they can be compared.

    For each pose: local rotations ``(T, J, 4)``, translations ``(T, J, 3)`` and the scale of the surface about each
    joint, ``(T, J, 3)`` or ``(1, J, 3)``.
    """
    statics = find_static_parents(nodes, joints)
    uneven = any(static.uneven for static in statics.values()) or bool(nodes.sheared[joints.nodes].any())
    spread = 1.0 if uneven else max(unevenness(pose.scales) for pose in poses)
    with np.errstate(all="ignore"):  # absurd numbers become infinite; the caller checks for them
        if spread <= UNIFORM:
            return tuple(_bake_uniform_scales(joints, statics, pose) for pose in poses)
        return tuple(_bake_general_scales(nodes, joints, statics, pose, spread <= NEARLY_UNIFORM) for pose in poses)


def unevenness(scales: Floats) -> float:
    """The largest relative difference of scales ``(..., 3)`` between axes."""
    largest = np.abs(scales).max(axis=-1)
    apart = scales.max(axis=-1) - scales.min(axis=-1)
    return float(np.max(apart / np.where(largest > 0.0, largest, 1.0)))


def find_static_parents(nodes: Nodes, joints: Joints) -> dict[int, StaticParent]:
    """World transform of the static nodes above each root. Roots share the nodes above them, which are visited once."""
    known = {-1: StaticParent(np.zeros(3), rotations.identity(), np.eye(3), np.ones(3), np.ones(3), False)}
    found = {}
    with np.errstate(all="ignore"):
        for root in np.flatnonzero(joints.parents < 0).tolist():
            above = int(nodes.parents[joints.nodes[root]])
            ancestors, node = [], above
            while node not in known:
                ancestors.append(node)
                node = int(nodes.parents[node])
            for ancestor in reversed(ancestors):
                known[ancestor] = _append_node(known[int(nodes.parents[ancestor])], nodes, ancestor)
            found[root] = known[above]
    return found


def _append_node(static: StaticParent, nodes: Nodes, node: int) -> StaticParent:
    """The transform with one more static node."""
    return StaticParent(
        position=static.position + static.linear @ nodes.translations[node],
        rotation=rotations.multiply(static.rotation, mirror_rotation(nodes.rotations[node], static.mirror)),
        linear=static.linear @ nodes.linear[node],
        scale=static.scale * nodes.scales[node],
        mirror=static.mirror * signs(nodes.scales[node]),
        uneven=static.uneven or bool(nodes.sheared[node]) or unevenness(nodes.scales[node]) > UNIFORM,
    )


def _bake_uniform_scales(
    joints: Joints, statics: dict[int, StaticParent], pose: NodePose
) -> tuple[Floats, Floats, Floats]:
    """Scales that are one number per node: translations are multiplied by the product of those above."""
    q, t = pose.rotations.copy(), pose.translations.copy()
    total = pose.scales.mean(axis=-1)  # (T or 1, J)
    for joint, parent in enumerate(joints.parents.tolist()):
        if parent >= 0:
            above = total[:, parent]
            total[:, joint] *= above
            if not np.all(above == 1.0):
                t[:, joint] *= above[:, None]
        else:
            static = statics[joint]
            factor = float(static.scale.mean())
            t[:, joint] = static.position + rotations.rotate(static.rotation, factor * t[:, joint])
            q[:, joint] = rotations.multiply(static.rotation, q[:, joint])
            total[:, joint] *= factor
    return q, t, np.repeat(total[..., None], 3, axis=-1)


def _bake_general_scales(
    nodes: Nodes, joints: Joints, statics: dict[int, StaticParent], pose: NodePose, uniform_surface: bool
) -> tuple[Floats, Floats, Floats]:
    """Scales that differ between axes: full matrices, some frames at a time."""
    frames, count = pose.rotations.shape[:2]
    q, t = np.empty((frames, count, 4)), np.empty((frames, count, 3))
    surfaces = np.empty((frames, count, 3))
    size = max(32, _POSES_AT_ONCE // count)
    for first in range(0, frames, size):
        part = slice(first, first + size)
        scales = pose.scales if len(pose.scales) == 1 else pose.scales[part]
        chunk = NodePose(pose.rotations[part], pose.translations[part], scales, pose.use_matrix)
        _bake_chunk(nodes, joints, statics, chunk, (q[part], t[part], surfaces[part]))
    if uniform_surface:
        surfaces = _bake_uniform_scales(joints, statics, pose)[2]
    return q, t, surfaces


def _bake_chunk(
    nodes: Nodes,
    joints: Joints,
    statics: dict[int, StaticParent],
    pose: NodePose,
    out: tuple[Floats, Floats, Floats],
) -> None:
    q, t, surfaces = out
    frames, count = q.shape[:2]
    linear, world = np.empty((count, frames, 3, 3)), np.empty((count, frames, 4))
    mirrors = np.empty((count, frames, 3))
    for joint, parent in enumerate(joints.parents.tolist()):
        own_scale, translation = pose.scales[:, joint], pose.translations[:, joint]
        static = statics[joint] if parent < 0 else None
        above = static.linear if static is not None else linear[parent]
        mirror = static.mirror if static is not None else mirrors[parent]
        q[:, joint] = mirror_rotation(pose.rotations[:, joint], mirror)
        offset = np.einsum("...ij,...j->...i", above, translation)
        if static is not None:
            q[:, joint] = rotations.multiply(static.rotation, q[:, joint])
            t[:, joint] = static.position + offset
            world[joint] = q[:, joint]
        else:
            t[:, joint] = rotations.rotate(rotations.conjugate(world[parent]), offset)
            world[joint] = rotations.multiply(world[parent], q[:, joint])
        node = int(joints.nodes[joint])
        if pose.use_matrix[joint]:
            own = nodes.linear[node]
        else:
            own = rotations.to_matrix(pose.rotations[:, joint]) * own_scale[:, None, :]
        linear[joint] = above @ own
        mirrors[joint] = mirror * signs(own_scale)
        surfaces[:, joint] = np.linalg.norm(linear[joint], axis=-2) * mirrors[joint]


def signs(scales: Floats) -> Floats:
    return np.where(scales < 0.0, -1.0, 1.0)


def mirror_rotation(quaternions: Floats, mirror: Floats) -> Floats:
    """``D R D`` for a mirror ``D`` along the axes: the rotation of a child below a mirrored parent."""
    if np.all(mirror > 0.0):
        return quaternions
    shape = quaternions.shape if mirror.ndim == 1 else (*mirror.shape[:-1], 4)
    mirrored = np.broadcast_to(quaternions, shape).copy()
    mirrored[..., 1:] *= mirror * mirror.prod(axis=-1, keepdims=True)
    return mirrored


# Unbaking

_REACHED = 1e-5  # metres by which a joint may miss its position where a scale of zero leaves it no freedom


def unbake_scales(path: Path, nodes: Nodes, joints: Joints, q: Floats, t: Floats) -> tuple[Floats, Floats]:
    """The inverse of baking: rotations and translations of the nodes that give the joints the pose ``q``, ``t``.

    ``q`` and ``t`` are local rotations ``(T, J, 4)`` and translations ``(T, J, 3)`` in the file's axes. The nodes keep
    their scales at rest.
    """
    statics = find_static_parents(nodes, joints)
    uneven = any(static.uneven for static in statics.values())
    scales = nodes.scales[joints.nodes]
    # With a scale of zero, some positions cannot be reached; the general method finds out which.
    if not uneven and unevenness(scales) <= UNIFORM and _scales_above(joints, statics, scales).all():
        return _unbake_uniform_scales(joints, statics, scales, q, t)
    out = np.empty(q.shape), np.empty(t.shape)
    size = max(32, _POSES_AT_ONCE // len(joints))
    for first in range(0, len(q), size):
        part = slice(first, first + size)
        _unbake_chunk(path, nodes, joints, statics, (q[part], t[part]), (out[0][part], out[1][part]))
    return out


def rest_distances(nodes: Nodes, joints: Joints, t: Floats) -> Floats:
    """Largest distance ``(J,)`` of each joint from its rest position under its node's translations ``(T, J, 3)``.

    In metres: the nodes above may scale by a hundred or a hundredth.
    """
    statics = find_static_parents(nodes, joints)
    largest = np.abs(nodes.scales[joints.nodes]).max(axis=-1)
    above = np.ones(len(joints))
    for joint, parent in enumerate(joints.parents.tolist()):
        above[joint] = above[parent] * largest[parent] if parent >= 0 else np.linalg.norm(statics[joint].linear, 2)
    apart: Floats = np.linalg.norm(t - nodes.translations[joints.nodes], axis=-1).max(axis=0) * above
    return apart


def _scales_above(joints: Joints, statics: dict[int, StaticParent], scales: Floats) -> Floats:
    """Product of the uniform scales above each joint ``(J,)``, by which its translation is multiplied."""
    own = scales.mean(axis=-1)
    above = np.ones(len(joints))
    for joint, parent in enumerate(joints.parents.tolist()):
        above[joint] = above[parent] * own[parent] if parent >= 0 else float(statics[joint].scale.mean())
    return above


def _unbake_uniform_scales(
    joints: Joints, statics: dict[int, StaticParent], scales: Floats, q: Floats, t: Floats
) -> tuple[Floats, Floats]:
    above = _scales_above(joints, statics, scales)
    q, t = q.copy(), t.copy()
    for root, static in statics.items():
        back = rotations.conjugate(static.rotation)
        q[:, root] = rotations.multiply(back, q[:, root])
        t[:, root] = rotations.rotate(back, t[:, root] - static.position)
    return q, t / above[:, None]


def _unbake_chunk(
    path: Path,
    nodes: Nodes,
    joints: Joints,
    statics: dict[int, StaticParent],
    given: tuple[Floats, Floats],
    out: tuple[Floats, Floats],
) -> None:
    """Scales that differ between axes: full matrices, as in ``_bake_chunk``."""
    q, t = given
    frames, count = q.shape[:2]
    linear, world = np.empty((count, frames, 3, 3)), np.empty((count, frames, 4))
    mirrors = np.empty((count, 3))
    for joint, parent in enumerate(joints.parents.tolist()):
        node = int(joints.nodes[joint])
        if parent < 0:
            static = statics[joint]
            above = np.broadcast_to(static.linear, (frames, 3, 3))
            mirror, wanted, world[joint] = static.mirror, t[:, joint] - static.position, q[:, joint]
            own = rotations.multiply(rotations.conjugate(static.rotation), q[:, joint])
        else:
            above, mirror, own = linear[parent], mirrors[parent], q[:, joint]
            wanted = rotations.rotate(world[parent], t[:, joint])
            world[joint] = rotations.multiply(world[parent], own)
        out[0][:, joint] = mirror_rotation(own, mirror)
        out[1][:, joint] = _solve_translations(path, node, above, wanted)
        linear[joint] = above @ (rotations.to_matrix(out[0][:, joint]) * nodes.scales[node])
        mirrors[joint] = mirror * signs(nodes.scales[node])


def _solve_translations(path: Path, node: int, above: Floats, wanted: Floats) -> Floats:
    """The translations ``(T, 3)`` that the matrices ``above`` ``(T, 3, 3)`` take to ``wanted``."""
    size = np.abs(above).max(axis=(1, 2))
    if np.all(np.abs(np.linalg.det(above)) > 1e-12 * size**3):
        return np.asarray(np.linalg.solve(above, wanted[..., None])[..., 0])
    flat: Floats = np.einsum("tij,tj->ti", np.linalg.pinv(above), wanted)
    missed = float(np.abs(np.einsum("tij,tj->ti", above, flat) - wanted).max())
    if missed > _REACHED:
        found = f"a joint below a scale of zero, {missed:.3g} m away from where it should be"
        raise MotionFileError(path, found, "scales other than zero above a joint that moves", where=f"nodes[{node}]")
    return flat
