"""The surface of a file that is written from nothing: a bare skeleton's bones, or a character's own meshes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kinesphere.files.gltf.building import INDICES, VERTICES, BufferBuilder
from kinesphere.files.gltf.clip import singles
from kinesphere.files.gltf.figure import bone_figure
from kinesphere.kernels.arrays import Floats, Ints
from kinesphere.motion.character import Character
from kinesphere.motion.skeleton import Skeleton

_WOOD = (0.58, 0.36, 0.16, 1.0)
_MOST = 4  # joints a vertex, in one set of attributes


@dataclass(frozen=True, eq=False)
class Part:
    """What becomes one primitive with its material."""

    name: str
    positions: Floats  # (V, 3) at rest
    normals: Floats  # (V, 3)
    indices: Ints  # (3 F,)
    joints: Ints  # (V, 4)
    weights: Floats  # (V, 4)
    colour: tuple[float, float, float, float]


def bone_parts(skeleton: Skeleton) -> list[Part]:
    """Every vertex is carried by one joint alone."""
    figure = bone_figure(skeleton)
    joints, weights = np.zeros((len(figure.joints), _MOST), dtype=np.intp), np.zeros((len(figure.joints), _MOST))
    joints[:, 0], weights[:, 0] = figure.joints, 1.0
    indices = np.asarray(figure.indices, dtype=np.intp)
    return [Part("bones", figure.positions, figure.normals, indices, joints, weights, _WOOD)]


def character_parts(character: Character) -> list[Part]:
    """A character's meshes, each vertex with its four greatest shares."""
    parts = []
    for mesh in character.meshes:
        count = min(_MOST, mesh.weights.shape[1])
        greatest = np.argsort(-mesh.weights, axis=1, kind="stable")[:, :count]
        joints, weights = np.zeros((len(greatest), _MOST), dtype=np.intp), np.zeros((len(greatest), _MOST))
        weights[:, :count] = np.take_along_axis(mesh.weights, greatest, axis=1)
        joints[:, :count] = np.where(weights[:, :count] > 0.0, np.take_along_axis(mesh.joints, greatest, axis=1), 0)
        weights /= weights.sum(axis=1, keepdims=True)
        normals = _normals(mesh.positions, mesh.triangles) if mesh.normals is None else mesh.normals
        indices = mesh.triangles.reshape(-1)
        parts.append(Part(mesh.name, mesh.positions, normals, indices, joints, weights, mesh.colour))
    return parts


def primitive(part: Part, material: int, skeleton_size: int, path: Path, buffer: BufferBuilder) -> dict[str, Any]:
    """The part's arrays in the buffer, and what describes them."""
    positions = singles(part.positions, path, "the rest pose")
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


def material(part: Part) -> dict[str, Any]:
    """A plain one, of the part's colour."""
    plain = {"baseColorFactor": list(part.colour), "metallicFactor": 0.0, "roughnessFactor": 0.8}
    return {"name": part.name, "pbrMetallicRoughness": plain}


def _normals(positions: Floats, triangles: Ints) -> Floats:
    """Means over the faces about each vertex, by area."""
    a, b, c = (positions[triangles[:, k]] for k in range(3))
    faces = np.cross(b - a, c - a)
    normals = np.zeros_like(positions)
    for k in range(3):
        np.add.at(normals, triangles[:, k], faces)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    unit: Floats = np.where(length > 1e-12, normals / np.maximum(length, 1e-12), [0.0, 1.0, 0.0])
    return unit
