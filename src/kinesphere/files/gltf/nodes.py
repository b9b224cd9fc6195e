"""glTF nodes: the tree, and each node's translation, rotation and scale, or its matrix decomposed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.files.gltf.document import Document, GltfFields, as_integer, describe_value
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, Ints

DEEPEST = 256  # levels, as in the BVH reader: no skeleton is deeper
MOST_NODES = 200_000
UNIT_TOLERANCE = 1e-12  # of squared lengths


@dataclass(frozen=True, eq=False)
class Nodes:
    """All nodes of a file, in its order, in its own units."""

    names: tuple[str, ...]
    parents: Ints  # (N,), -1 for a node without one
    depths: Ints  # (N,)
    translations: Floats  # (N, 3)
    rotations: Floats  # (N, 4), w x y z
    scales: Floats  # (N, 3)
    linear: Floats  # (N, 3, 3): rotation × scale, or the given matrix, which may also shear
    sheared: Bools  # (N,): where rotation × scale is not the given matrix

    def __len__(self) -> int:
        return len(self.names)


def read_nodes(document: Document) -> Nodes:
    """All nodes. The tree is checked: no node has two parents, none is its own ancestor."""
    fields = document.fields
    count = fields.count("nodes")
    if count == 0:
        raise fields.error("nodes", "no nodes", "a skeleton")
    if count > MOST_NODES:
        raise fields.error("nodes", f"{count} nodes", f"at most {MOST_NODES}")
    parents = _parents(fields, count)
    depths = _depths(fields, parents)
    translations, scales = np.zeros((count, 3)), np.ones((count, 3))
    quaternions, linear = rotations.identity(count), np.broadcast_to(np.eye(3), (count, 3, 3)).copy()
    sheared, plain = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    names = []
    for i, node in enumerate(fields.each("nodes")):
        names.append(node.text("name", default="") or f"node_{i}")
        if (matrix := node.numbers("matrix", 16)) is not None:
            given = np.array(matrix).reshape(4, 4).T
            translations[i], linear[i] = given[:3, 3], given[:3, :3]
            quaternions[i], scales[i] = _decompose(node, given[:3, :3])
            together = rotations.to_matrix(quaternions[i]) * scales[i]
            sheared[i] = np.abs(together - linear[i]).max() > 1e-6 * np.abs(linear[i]).max()
            continue
        translations[i] = node.numbers("translation", 3) or (0.0, 0.0, 0.0)
        scales[i] = node.numbers("scale", 3) or (1.0, 1.0, 1.0)
        if "rotation" in node:
            quaternions[i] = _rotation(node)
        plain[i] = True
    linear[plain] = rotations.to_matrix(quaternions[plain]) * scales[plain][:, None, :]
    return Nodes(tuple(names), parents, depths, translations, quaternions, scales, linear, sheared)


def normalise_rotations(quaternions: Floats) -> Floats:
    """Normalise quaternions; unit ones stay the same to the last bit."""
    squares = np.einsum("...i,...i->...", quaternions, quaternions)
    lengths = np.sqrt(squares)[..., None]
    kept = np.abs(squares - 1.0)[..., None] <= UNIT_TOLERANCE
    result: Floats = np.where(kept, quaternions, quaternions / np.where(kept, 1.0, lengths))
    return result


def _rotation(node: GltfFields) -> Floats:
    x, y, z, w = node.numbers("rotation", 4) or (0.0, 0.0, 0.0, 1.0)
    largest = max(abs(v) for v in (w, x, y, z))
    if largest < 1e-9:
        raise node.error("rotation", "a quaternion of length zero", "a unit quaternion")
    q = np.array([w, x, y, z])
    return normalise_rotations(q if largest < 1e9 else q / largest)


def _decompose(node: GltfFields, linear: Floats) -> tuple[Floats, Floats]:
    """The rotation and the scale along its axes that are nearest to a 3×3 matrix."""
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(linear, axis=0)
    if not np.isfinite(lengths).all():
        raise node.error("matrix", "numbers too large", "a matrix of moderate numbers")
    flipped = np.linalg.det(linear / np.maximum(lengths, 1e-300)) < 0.0
    scale = lengths * np.array([-1.0 if flipped else 1.0, 1.0, 1.0])
    directions = np.where(lengths > 1e-300, linear / np.where(lengths > 1e-300, scale, 1.0), 0.0)
    left, _, right = np.linalg.svd(directions)
    # Of the two orthogonal matrices nearest to it, the one that does not mirror.
    left[:, 2] *= np.sign(np.linalg.det(left) * np.linalg.det(right))
    return rotations.from_matrix(left @ right), scale


def _parents(fields: GltfFields, count: int) -> Ints:
    parents = np.full(count, -1, dtype=np.intp)
    for i, node in enumerate(fields.each("nodes")):
        for k, found in enumerate(node.items("children")):
            child = as_integer(found)
            if child is None or not 0 <= child < count:
                raise node.error(f"children[{k}]", describe_value(found), f"one of nodes, 0 to {count - 1}")
            if parents[child] >= 0:
                taken = f"node {child}, which is a child of node {parents[child]} already"
                raise node.error(f"children[{k}]", taken, "a node of its own: each has one parent")
            parents[child] = i
    return parents


def _depths(fields: GltfFields, parents: Ints) -> Ints:
    """Depth of each node. Nodes that no root leads to are on a cycle, which is an error."""
    children: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents.tolist()):
        if parent >= 0:
            children[parent].append(node)
    depths = np.full(len(parents), -1, dtype=np.intp)
    level = np.flatnonzero(parents < 0).tolist()
    depth = 0
    while level:
        if depth > DEEPEST:
            raise fields.item("nodes", level[0]).error("", f"a node more than {DEEPEST} deep", "a skeleton")
        depths[level] = depth
        level = [child for node in level for child in children[node]]
        depth += 1
    if (depths < 0).any():
        cycle = fields.item("nodes", int(np.flatnonzero(depths < 0)[0]))
        raise cycle.error("children", "nodes that are their own ancestors", "a tree")
    return depths
