"""Write motions or a character as glTF: joints, skin, meshes and clips.

A motion without a character gets a simple body, an octahedron for every bone, so that any viewer shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import kinesphere
from kinesphere.files.gltf import extras
from kinesphere.files.gltf.animation import X_Y_Z_W, ClipWriter, Float32s, to_float32
from kinesphere.files.gltf.character import BONES
from kinesphere.files.gltf.document import INDICES, VERTICES, BufferBuilder, write_document
from kinesphere.files.gltf.write_on_character import save_on_character, scaled_joints
from kinesphere.files.registry import SaveOptions, writable_names
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.character import Character
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton


def save(motion: Motion, path: Path, options: SaveOptions) -> None:
    """Write a motion with a character, or with a simple body for its skeleton."""
    save_clips((motion,), path, options)


def save_clips(motions: Sequence[Motion], path: Path, options: SaveOptions) -> None:
    """Write motions of one skeleton as the clips of one file."""
    if options.scale != 1.0 or options.up != "y":
        raise ValueError(f"{path}: scale={options.scale:g}, up={options.up!r}; a glTF file is in metres with Y up")
    character = options.character
    if character is not None and not (isinstance(character, Character) and character.document is None):
        save_on_character(motions, path, character)
        return
    if path.suffix.lower() not in (".glb", ".gltf"):
        expected = ".glb, .gltf, or a character to show it on, of a VRM file: "
        expected += "--character at the command line, character=load_character(…) in Python"
        raise MotionFileError(path, f"the suffix {path.suffix!r} for a motion alone", expected)
    skeleton = motions[0].skeleton
    if character is not None and not character.skeleton.same_tree(skeleton):
        found = f"a motion of another skeleton ({skeleton})"
        raise MotionFileError(path, found, f"one of {character.skeleton}; kinesphere.retarget brings it over")
    content, binary = _build_document(motions, path, plain_names=options.plain_names, character=character)
    write_document(path, content, binary)


def save_character(character: Character, path: Path) -> None:
    """Write a character that came from no file, without any clip."""
    rest = Motion(character.skeleton, 30.0, character.skeleton.rest_rotations[None])
    content, binary = _build_document((rest,), path, plain_names=False, character=character, clips=False)
    write_document(path, content, binary)


def _build_document(
    motions: Sequence[Motion], path: Path, *, plain_names: bool, character: Character | None = None, clips: bool = True
) -> tuple[dict[str, Any], bytes]:
    """The JSON of the whole file, and its buffer."""
    motion = motions[0]
    names = motion.skeleton.names
    if plain_names:
        names = writable_names(names, plain=True)
    nodes = _joint_nodes(motion, names)
    surfaces = _add_surfaces(motions, names, nodes)
    top = list(motion.skeleton.roots)
    if len(top) > 1:
        # The joints of a skin must have a node above them all.
        nodes.append({"name": "skeleton", "children": top})
        top = [len(nodes) - 1]
    buffer = BufferBuilder()
    shown = character is not None and bool(character.meshes)
    parts = character_parts(character) if character is not None and shown else bone_parts(motion.skeleton)
    primitives = [primitive_json(part, i, len(motion.skeleton), path, buffer) for i, part in enumerate(parts)]
    binds = buffer.add(_inverse_bind_matrices(motion, path))
    skin: dict[str, Any] = {
        "inverseBindMatrices": binds,
        "joints": [surfaces.get(joint, joint) for joint in range(len(motion.skeleton))],
        "skeleton": top[0],
    }
    name = character.name if character is not None and shown else BONES
    nodes.append({"name": name, "mesh": 0, "skin": 0})
    content = {
        "asset": {"version": "2.0", "generator": f"kinesphere {kinesphere.__version__}"},
        "scene": 0,
        "scenes": [{"nodes": [*top, len(nodes) - 1]}],
        "nodes": nodes,
        "meshes": [{"name": name, "primitives": primitives}],
        "materials": [material_json(part) for part in parts],
        "skins": [skin],
    }
    if clips:
        content["animations"] = [_animation(own, path, buffer, surfaces) for own in motions]
    return content | {"accessors": buffer.accessors, "bufferViews": buffer.views}, buffer.binary


def _joint_nodes(motion: Motion, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """The joints at rest, node 0 for joint 0 and so on."""
    skeleton = motion.skeleton
    nodes: list[dict[str, Any]] = []
    for joint, hint in enumerate(extras.joint_extras(motion)):
        node: dict[str, Any] = {}
        if names[joint]:
            node["name"] = names[joint]
        node["translation"] = skeleton.offsets[joint].tolist()
        node["rotation"] = skeleton.rest_rotations[joint][X_Y_Z_W].tolist()
        if skeleton.children[joint]:
            node["children"] = list(skeleton.children[joint])
        node["extras"] = hint
        nodes.append(node)
    return nodes


def _add_surfaces(motions: Sequence[Motion], names: tuple[str, ...], nodes: list[dict[str, Any]]) -> dict[int, int]:
    """Add a node for the skin below each joint whose surface is scaled: the joint's scale would scale its children."""
    surfaces = {}
    for joint in scaled_joints(motions):
        surfaces[joint] = len(nodes)
        nodes[joint].setdefault("children", []).append(len(nodes))
        nodes.append({"name": f"{names[joint]}.surface", "extras": extras.surface_extras()})
    return surfaces


def _inverse_bind_matrices(motion: Motion, path: Path) -> Float32s:
    """Inverse bind matrices ``(J, 16)``, column by column: from the world to each joint at rest."""
    rest_rotations, rest_positions = motion.skeleton.rest_world()
    back = rotations.conjugate(rest_rotations)
    matrices = np.zeros((len(back), 4, 4))
    matrices[:, :3, :3] = rotations.to_matrix(rotations.normalise(back))
    matrices[:, :3, 3] = -rotations.rotate(back, rest_positions)
    matrices[:, 3, 3] = 1.0
    return to_float32(matrices.transpose(0, 2, 1).reshape(-1, 16), path, "the rest pose")


def _animation(motion: Motion, path: Path, buffer: BufferBuilder, surfaces: dict[int, int]) -> dict[str, Any]:
    """One clip. Roots have a key in every frame."""
    clip = ClipWriter(motion, path, buffer)
    q = rotations.continuous(motion.rotations)
    moving = (motion.translations != motion.skeleton.offsets).any(axis=(0, 2))
    for joint, parent in enumerate(motion.skeleton.parents.tolist()):
        clip.add(joint, "rotation", q[:, joint])
        if parent < 0 or moving[joint]:
            clip.add(joint, "translation", motion.translations[:, joint], always=parent < 0)
    if motion.scales is not None:
        for joint, node in surfaces.items():
            clip.add(node, "scale", motion.scales[:, joint])
    return clip.animation()


# Mesh parts: a bare skeleton's bones, or a character's own meshes

_WOOD = (0.58, 0.36, 0.16, 1.0)
_MOST_JOINTS = 4  # a vertex, in one set of attributes


@dataclass(frozen=True, eq=False)
class MeshPart:
    """One primitive and its material."""

    name: str
    positions: Floats  # (V, 3) at rest
    normals: Floats  # (V, 3)
    indices: Ints  # (3 F,)
    joints: Ints  # (V, 4)
    weights: Floats  # (V, 4)
    colour: tuple[float, float, float, float]


def bone_parts(skeleton: Skeleton) -> list[MeshPart]:
    """Bones as a mesh part; every vertex is bound to one joint."""
    bones = build_bone_mesh(skeleton)
    joints, weights = (
        np.zeros((len(bones.joints), _MOST_JOINTS), dtype=np.intp),
        np.zeros((len(bones.joints), _MOST_JOINTS)),
    )
    joints[:, 0], weights[:, 0] = bones.joints, 1.0
    indices = np.asarray(bones.indices, dtype=np.intp)
    return [MeshPart(BONES, bones.positions, bones.normals, indices, joints, weights, _WOOD)]


def character_parts(character: Character) -> list[MeshPart]:
    """A character's meshes, each vertex with its four greatest weights."""
    parts = []
    for mesh in character.meshes:
        count = min(_MOST_JOINTS, mesh.weights.shape[1])
        greatest = np.argsort(-mesh.weights, axis=1, kind="stable")[:, :count]
        joints, weights = (
            np.zeros((len(greatest), _MOST_JOINTS), dtype=np.intp),
            np.zeros((len(greatest), _MOST_JOINTS)),
        )
        weights[:, :count] = np.take_along_axis(mesh.weights, greatest, axis=1)
        joints[:, :count] = np.where(weights[:, :count] > 0.0, np.take_along_axis(mesh.joints, greatest, axis=1), 0)
        weights /= weights.sum(axis=1, keepdims=True)
        normals = _normals(mesh.positions, mesh.triangles) if mesh.normals is None else mesh.normals
        indices = mesh.triangles.reshape(-1)
        parts.append(MeshPart(mesh.name, mesh.positions, normals, indices, joints, weights, mesh.colour))
    return parts


def primitive_json(
    part: MeshPart, material: int, skeleton_size: int, path: Path, buffer: BufferBuilder
) -> dict[str, Any]:
    """A primitive's JSON; its arrays are appended to the buffer."""
    positions = to_float32(part.positions, path, "the rest pose")
    narrow = np.uint16 if len(positions) < 65535 else np.uint32
    return {
        "attributes": {
            "POSITION": buffer.add(positions, target=VERTICES, bounds=True),
            "NORMAL": buffer.add(part.normals.astype(np.float32), target=VERTICES),
            "JOINTS_0": buffer.add(part.joints.astype(np.uint16 if skeleton_size > 256 else np.uint8), target=VERTICES),
            "WEIGHTS_0": buffer.add(part.weights.astype(np.float32), target=VERTICES),
        },
        "indices": buffer.add(part.indices.astype(narrow), target=INDICES),
        "material": material,
    }


def material_json(part: MeshPart) -> dict[str, Any]:
    """A plain material of the part's colour."""
    plain = {"baseColorFactor": list(part.colour), "metallicFactor": 0.0, "roughnessFactor": 0.8}
    return {"name": part.name, "pbrMetallicRoughness": plain}


def _normals(positions: Floats, triangles: Ints) -> Floats:
    """Vertex normals: the mean of the adjacent faces' normals, weighted by area."""
    a, b, c = (positions[triangles[:, k]] for k in range(3))
    faces = np.cross(b - a, c - a)
    normals = np.zeros_like(positions)
    for k in range(3):
        np.add.at(normals, triangles[:, k], faces)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    unit: Floats = np.where(length > 1e-12, normals / np.maximum(length, 1e-12), [0.0, 1.0, 0.0])
    return unit


# An octahedron for every bone

RING = 0.2  # where along the bone it is thickest, as a share
# Half thickness: shares of the bone's own length and of the median bone, and at most a share of its own length.
OWN, USUAL, STOUTEST = 0.05, 0.12, 0.25
LEAF = 0.15  # length at a joint without children, as a share of the median bone
ALONE = 0.05  # metres, where the skeleton has no bone
SHORTEST = 1e-6  # metres

# Two ends and four corners around; triangles are counter-clockwise from outside.
_TRIANGLES = np.array(
    [[0, 3, 2], [0, 4, 3], [0, 5, 4], [0, 2, 5], [1, 2, 3], [1, 3, 4], [1, 4, 5], [1, 5, 2]], dtype=np.intp
)


@dataclass(frozen=True, eq=False)
class BoneMesh:
    """Flat-shaded triangles: no vertex is shared."""

    positions: Floats  # (V, 3) at rest
    normals: Floats  # (V, 3)
    joints: Ints  # (V,): the joint of each vertex

    @property
    def indices(self) -> NDArray[np.unsignedinteger]:
        """``(V,)``, in the smallest type that holds them."""
        count = len(self.positions)
        return np.arange(count, dtype=np.uint16 if count < 65535 else np.uint32)


def build_bone_mesh(skeleton: Skeleton) -> BoneMesh:
    """An octahedron from each joint to each child and tip, and a small one at joints without either."""
    rest_rotations, rest_positions = skeleton.rest_world()
    owners, starts, ends = [], [], []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            owners.append(parent)
            starts.append(rest_positions[parent])
            ends.append(rest_positions[joint])
    for tip in skeleton.tips:
        owners.append(tip.joint)
        starts.append(rest_positions[tip.joint])
        ends.append(rest_positions[tip.joint] + rotations.rotate(rest_rotations[tip.joint], tip.offset))
    start, end = np.array(starts).reshape(-1, 3), np.array(ends).reshape(-1, 3)
    length = np.linalg.norm(end - start, axis=1)
    usual = float(np.median(length[length > SHORTEST])) * LEAF if (length > SHORTEST).any() else ALONE
    leading = set(np.array(owners, dtype=np.intp)[length > SHORTEST].tolist())
    leaves = [joint for joint in range(len(skeleton)) if joint not in leading]
    upwards = rotations.rotate(rest_rotations[leaves], [0.0, usual, 0.0])
    start = np.concatenate([start[length > SHORTEST], rest_positions[leaves] - 0.5 * upwards])
    end = np.concatenate([end[length > SHORTEST], rest_positions[leaves] + 0.5 * upwards])
    bound = np.array([*(o for o, long in zip(owners, length > SHORTEST, strict=True) if long), *leaves], dtype=np.intp)
    is_leaf = np.arange(len(bound)) >= len(bound) - len(leaves)
    return _octahedra(start, end, bound, is_leaf)


def _octahedra(start: Floats, end: Floats, bound: Ints, is_leaf: NDArray[np.bool_]) -> BoneMesh:
    along = end - start
    length = np.linalg.norm(along, axis=1, keepdims=True)
    direction = along / length
    one = rotations.perpendicular(direction)
    other = np.cross(direction, one)
    ring = start + along * np.where(is_leaf, 0.5, RING)[:, None]
    bone = np.minimum(OWN * length + USUAL * float(np.median(length)), STOUTEST * length)
    thick = np.where(is_leaf[:, None], 0.5 * length, bone)
    corners = np.stack(
        [start, end, ring + thick * one, ring + thick * other, ring - thick * one, ring - thick * other],
        axis=1,
    )
    faces = corners[:, _TRIANGLES]  # (bones, 8, 3, 3)
    normals = np.cross(faces[:, :, 1] - faces[:, :, 0], faces[:, :, 2] - faces[:, :, 0])
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return BoneMesh(
        positions=faces.reshape(-1, 3),
        normals=np.repeat(normals.reshape(-1, 3), 3, axis=0),
        joints=np.repeat(bound, _TRIANGLES.size),
    )
