"""glTF meshes: read primitives (positions, normals, colours, indices, JOINTS_n, WEIGHTS_n), bound by their skins.

A vertex is bound by a joint's world matrix at rest times its inverse bind matrix. A mesh without a skin is bound to
the nearest joint above its node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinesphere.files.gltf.document import Accessors, Document, GltfFields, finite_numbers
from kinesphere.files.gltf.extensions import DECOMPRESS, DRACO
from kinesphere.files.gltf.joints import Joints, axes_rotation
from kinesphere.files.gltf.material import Look, MaterialReader
from kinesphere.files.gltf.nodes import Nodes
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.character import Mesh
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.skeleton import Skeleton

TRIANGLES, STRIP, FAN = 4, 5, 6
MOST_SETS = 8  # of four joints each


@dataclass(frozen=True, eq=False)
class Primitive:
    """Triangles of one material."""

    attributes: GltfFields  # for error messages
    positions: Floats  # (V, 3)
    normals: Floats | None  # (V, 3)
    triangles: Ints  # (F, 3)
    joints: Ints | None  # (V, K): indices into the skin's joints
    weights: Floats | None  # (V, K), as the file has them
    look: Look
    texture_coordinates: Floats | None  # (V, 2)
    vertex_colours: Floats | None  # (V, 4)
    morphs: tuple[str, ...]


class PrimitiveReader:
    """Reads the primitives of each mesh once, however many nodes show it."""

    def __init__(self, document: Document, accessors: Accessors, warn: Callable[[str], None]) -> None:
        self.accessors, self.warn = accessors, warn
        self.materials = MaterialReader(document, warn)
        self._known: dict[tuple[str, tuple[float, ...]], tuple[Primitive, ...]] = {}

    def read(self, mesh: GltfFields, node: GltfFields) -> tuple[Primitive, ...]:
        """The triangle primitives of a mesh, with the morph weights of the node or else of the mesh."""
        blend = _blend(node) or _blend(mesh)
        key = mesh.where, blend if any(blend) else ()
        if key not in self._known:
            found = [self._primitive(mesh, primitive, blend) for primitive in mesh.each("primitives")]
            self._known[key] = tuple(primitive for primitive in found if primitive is not None)
        return self._known[key]

    def _primitive(self, mesh: GltfFields, primitive: GltfFields, blend: tuple[float, ...]) -> Primitive | None:
        mode = primitive.integer("mode", high=6, default=TRIANGLES)
        if DRACO in primitive.child("extensions"):
            lost = f"compressed with {DRACO}, which is not read; its surface was left out"
            self.warn(f"{primitive.where}: {lost}. To have it, {DECOMPRESS}")
            return None
        attributes = primitive.child("attributes")
        if mode < TRIANGLES or "POSITION" not in attributes:
            return None  # points and lines are no surface
        positions = self._vertices(attributes, "POSITION", None)
        normals = self._vertices(attributes, "NORMAL", len(positions)) if "NORMAL" in attributes else None
        targets = primitive.count("targets")
        for index, weight in enumerate(blend[:targets]):
            if weight != 0.0 and "POSITION" in (target := primitive.item("targets", index)):
                positions = positions + weight * self._vertices(target, "POSITION", len(positions))
        joints, weights = self._influences(attributes, len(positions))
        look = self.materials.read(primitive)
        return Primitive(
            attributes=attributes,
            positions=positions,
            normals=normals,
            triangles=self._triangles(primitive, mode, len(positions)),
            joints=joints,
            weights=weights,
            look=look,
            texture_coordinates=self._texture_coordinates(attributes, look, len(positions)),
            vertex_colours=self._vertex_colours(attributes, len(positions)),
            morphs=_morph_names(mesh, primitive, targets),
        )

    def _vertices(self, owner: GltfFields, name: str, count: int | None) -> Floats:
        values = self.accessors.read(owner, name, ("VEC3",))
        if count is not None and len(values) != count:
            raise owner.error(name, f"{len(values)} values", f"{count}, one a vertex")
        if not np.isfinite(values).all():
            raise owner.error(name, "a value that is no number", "finite numbers")
        return values

    def _influences(self, attributes: GltfFields, count: int) -> tuple[Ints | None, Floats | None]:
        """All sets of four joints and weights, side by side."""
        joints: list[Floats] = []
        weights: list[Floats] = []
        for number in range(MOST_SETS + 1):
            names = f"JOINTS_{number}", f"WEIGHTS_{number}"
            if not all(name in attributes for name in names):
                break
            if number == MOST_SETS:
                raise attributes.error(names[0], f"more than {4 * MOST_SETS} joints a vertex", "fewer")
            for name, values in zip(names, (joints, weights), strict=True):
                found = self.accessors.read(attributes, name, ("VEC4",))
                if len(found) != count:
                    raise attributes.error(name, f"{len(found)} values", f"{count}, one a vertex")
                if not np.isfinite(found).all() or found.min() < 0.0:
                    raise attributes.error(name, "a value below zero, or no number", "joints and their weights")
                values.append(found)
        if not joints:
            return None, None
        return np.concatenate(joints, axis=1).astype(np.intp), np.concatenate(weights, axis=1)

    def _triangles(self, primitive: GltfFields, mode: int, count: int) -> Ints:
        if "indices" in primitive:
            values = self.accessors.read(primitive, "indices", ("SCALAR",))[:, 0]
            if not (np.isfinite(values).all() and values.min() >= 0.0 and values.max() < count):
                raise primitive.error("indices", "an index out of range", f"vertices, 0 to {count - 1}")
            order: Ints = values.astype(np.intp)
        else:
            order = np.arange(count)
        if mode == TRIANGLES:
            return order[: len(order) // 3 * 3].reshape(-1, 3)
        first = np.arange(max(len(order) - 2, 0))
        if mode == FAN:
            return order[np.stack([first + 1, first + 2, np.zeros_like(first)], axis=1)]
        odd = first % 2
        return order[np.stack([first, first + 1 + odd, first + 2 - odd], axis=1)]

    def _texture_coordinates(self, attributes: GltfFields, look: Look, count: int) -> Floats | None:
        """Texture coordinates of the set that the material uses; what is broken is left out, with a warning."""
        if look.material.texture is None:
            return None
        found = self._colouring(attributes, f"TEXCOORD_{look.coordinate_set}", ("VEC2",), count)
        return None if found is None else look.place_texture(found)

    def _vertex_colours(self, attributes: GltfFields, count: int) -> Floats | None:
        if "COLOR_0" not in attributes:
            return None
        found = self._colouring(attributes, "COLOR_0", ("VEC3", "VEC4"), count)
        if found is None:
            return None
        colours: Floats = np.clip(np.concatenate([found, np.ones((count, 4 - found.shape[1]))], axis=1), 0.0, 1.0)
        return colours

    def _colouring(self, attributes: GltfFields, name: str, kinds: tuple[str, ...], count: int) -> Floats | None:
        """An attribute that a surface is whole without: a body should not be refused for its colours."""
        try:
            values = self.accessors.read(attributes, name, kinds)
            if len(values) != count:
                raise attributes.error(name, f"{len(values)} values", f"{count}, one a vertex")
            if not np.isfinite(values).all():
                raise attributes.error(name, "a value that is no number", "finite numbers")
        except MotionFileError as error:
            self.warn(f"{error.where}: found {error.found}; the surface is shown without it")
            return None
        return values


def _blend(owner: GltfFields) -> tuple[float, ...]:
    """Morph weights at rest."""
    return finite_numbers(owner.data.get("weights"), owner.count("weights")) or ()


def _morph_names(mesh: GltfFields, primitive: GltfFields, count: int) -> tuple[str, ...]:
    """Names of morph targets: by convention in the extras of the mesh, in older VRM files in those of the primitive."""
    for owner in (mesh, primitive):
        extras = owner.data.get("extras")
        names = extras.get("targetNames") if isinstance(extras, dict) else None
        if isinstance(names, list) and len(names) == count and all(isinstance(name, str) for name in names):
            return tuple(names)
    return tuple(f"morph_{index}" for index in range(count))


# Skinned meshes

LARGEST = 1e30  # metres: beyond, squares and float32 overflow
MOST_INFLUENCES = 4_000_000  # vertices × joints of each, over all meshes: a mesh may be used many times


@dataclass(frozen=True, eq=False)
class SkinJoints:
    """The joints of a skin, or the one joint of a mesh without a skin."""

    joints: Ints  # (S,) joints of the skeleton
    matrices: Floats  # (S, 3, 4) from the file's vertices to the world at rest, as each joint moves them
    skinned: bool


class MeshReader:
    """Reads all meshes that nodes show. ``note`` receives what was decided, ``warn`` what was left out."""

    def __init__(
        self,
        document: Document,
        nodes: Nodes,
        joints: Joints,
        skeleton: Skeleton,
        note: Callable[[str], None],
        warn: Callable[[str], None],
    ) -> None:
        self.document, self.fields, self.nodes, self.note = document, document.fields, nodes, note
        self.accessors = Accessors(document)
        self.primitives = PrimitiveReader(document, self.accessors, warn)
        self.rest = skeleton.rest_world()
        self.worlds = node_matrices(nodes, axes_rotation(document))
        self.joint_of = {node: joint for joint, node in enumerate(joints.nodes.tolist())} | joints.surfaces
        self._skins: dict[int, SkinJoints] = {}
        self._influences = 0

    def read(self) -> tuple[Mesh, ...]:
        """One mesh for each primitive of each node that shows one."""
        found = []
        for node, fields in enumerate(self.fields.each("nodes")):
            if "mesh" not in fields:
                continue
            mesh = self.fields.item("meshes", fields.index("mesh", self.fields.count("meshes"), "meshes"))
            name = mesh.text("name", default="") or self.nodes.names[node]
            primitives = self.primitives.read(mesh, fields)
            for index, primitive in enumerate(primitives):
                own = name if len(primitives) == 1 else f"{name} ({index + 1})"
                found.append(self._mesh(own, node, fields, primitive))
        return tuple(found)

    def _mesh(self, name: str, node: int, fields: GltfFields, primitive: Primitive) -> Mesh:
        carriers = self._rigid(node)
        if "skin" in fields and primitive.joints is not None:
            carriers = self._skin(fields.index("skin", self.fields.count("skins"), "skins"))
        elif carriers is None:
            self.note(f"surface: {self.nodes.names[node]!r} hangs on no joint, so joint 0 carries it")
            carriers = SkinJoints(np.zeros(1, dtype=np.intp), self.worlds[[node]], False)
        assert carriers is not None
        slots, weights = _influences(primitive, carriers)
        self._influences += weights.size
        if self._influences > MOST_INFLUENCES:
            found = f"more than {MOST_INFLUENCES} vertices × joints"
            raise self.fields.error("meshes", found, "a character of moderate size")
        matrices = carriers.matrices[slots]  # (V, K, 3, 4)
        joints = carriers.joints[slots]
        with np.errstate(all="ignore"):
            moved = np.einsum("vkij,vj->vki", matrices[..., :3], primitive.positions) + matrices[..., 3]
            anchors = rotations.rotate(rotations.conjugate(self.rest[0][joints]), moved - self.rest[1][joints])
            normals = _normals(primitive, matrices, weights)
            positions = np.einsum("vk,vki->vi", weights, moved)
        if not (np.abs(anchors) < LARGEST).all():
            raise fields.error("mesh", "vertices too large for numbers", "a mesh of moderate size")
        triangles = primitive.triangles
        if not carriers.skinned and np.linalg.det(carriers.matrices[0, :, :3]) < 0.0:
            triangles = triangles[:, ::-1]  # a mirrored node shows its triangles from behind
        return Mesh(
            name,
            positions,
            triangles,
            joints,
            weights,
            anchors,
            normals,
            colour=primitive.look.colour,
            morphs=primitive.morphs,
            material=primitive.look.material,
            texture_coordinates=primitive.texture_coordinates,
            vertex_colours=primitive.vertex_colours,
        )

    def _rigid(self, node: int) -> SkinJoints | None:
        """A mesh without a skin is bound to the nearest joint above its node."""
        above = node
        while above >= 0 and above not in self.joint_of:
            above = int(self.nodes.parents[above])
        if above < 0:
            return None
        return SkinJoints(np.array([self.joint_of[above]], dtype=np.intp), self.worlds[[node]], False)

    def _skin(self, index: int) -> SkinJoints:
        """W B for each joint of a skin: its world matrix at rest times its inverse bind matrix (glTF 3.7.3.2)."""
        if index not in self._skins:
            skin = self.fields.item("skins", index)
            nodes = [int(node) for node in skin.items("joints")]  # checked by find_joints
            binds = np.broadcast_to(np.eye(4), (len(nodes), 4, 4))
            if "inverseBindMatrices" in skin:
                values = self.accessors.read(skin, "inverseBindMatrices", ("MAT4",))
                if len(values) < len(nodes):
                    raise skin.error("inverseBindMatrices", f"{len(values)} matrices", f"one for each of {len(nodes)}")
                binds = values[: len(nodes)].reshape(-1, 4, 4).transpose(0, 2, 1)
            worlds = self.worlds[nodes]
            with np.errstate(all="ignore"):
                matrices = worlds[..., :3] @ binds[:, :3]
                matrices[..., 3] += worlds[..., 3]
            joints = np.array([self.joint_of[node] for node in nodes], dtype=np.intp)
            self._skins[index] = SkinJoints(joints, matrices, True)
        return self._skins[index]


def node_matrices(nodes: Nodes, rotation: Floats | None) -> Floats:
    """World matrices ``(N, 3, 4)`` of all nodes at rest, after the ``rotation`` from the file's axes to ours."""
    matrices = np.empty((len(nodes), 3, 4))
    top = np.eye(3) if rotation is None else rotations.to_matrix(rotation)
    with np.errstate(all="ignore"):
        for depth in range(int(nodes.depths.max()) + 1):
            level = np.flatnonzero(nodes.depths == depth)
            above = matrices[nodes.parents[level]]
            linear, origin = (top, np.zeros(3)) if depth == 0 else (above[..., :3], above[..., 3])
            matrices[level, :, :3] = linear @ nodes.linear[level]
            matrices[level, :, 3] = origin + np.einsum("...ij,...j->...i", linear, nodes.translations[level])
    return matrices


def _influences(primitive: Primitive, carriers: SkinJoints) -> tuple[Ints, Floats]:
    """Indices into the skin's joints ``(V, K)``, and weights that sum to one."""
    count = len(primitive.positions)
    if not carriers.skinned or primitive.joints is None or primitive.weights is None:
        return np.zeros((count, 1), dtype=np.intp), np.ones((count, 1))
    slots, weights = primitive.joints, primitive.weights
    used = weights > 0.0
    if used.any() and slots[used].max() >= len(carriers.joints):
        found = f"joint {slots[used].max()}"
        raise primitive.attributes.error("JOINTS_0", found, f"one of the skin's, 0 to {len(carriers.joints) - 1}")
    # Where all weights are zero, the first joint gets all, as in other programs.
    weights = np.where(used, weights, 0.0)
    weights[~used.any(axis=1), 0] = 1.0
    slots = np.where((weights > 0.0) & (slots < len(carriers.joints)), slots, 0)
    return slots, weights / weights.sum(axis=1, keepdims=True)


def _normals(primitive: Primitive, matrices: Floats, weights: Floats) -> Floats | None:
    """Normals are rotated by the cofactor matrix (inverse transpose times determinant), which exists for any matrix."""
    if primitive.normals is None:
        return None
    x, y, z = (matrices[..., i] for i in range(3))
    cofactors = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)], axis=-1)
    sign = np.where(np.einsum("vki,vki->vk", x, cofactors[..., 0]) < 0.0, -1.0, 1.0)
    blended = np.einsum("vk,vkij,vj->vi", weights * sign, cofactors, primitive.normals)
    length = np.linalg.norm(blended, axis=1, keepdims=True)
    usable = np.isfinite(length) & (length > 0.0)
    normals: Floats = np.where(usable, blended / np.where(usable, length, 1.0), np.array([0.0, 1.0, 0.0]))
    return normals
