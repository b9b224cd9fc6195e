"""Motion to glTF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import kinesphere
from kinesphere.files.errors import MotionFileError
from kinesphere.files.gltf import hints
from kinesphere.files.gltf.building import INDICES, VERTICES, BufferBuilder
from kinesphere.files.gltf.clip import X_Y_Z_W, ClipWriter, Singles, singles
from kinesphere.files.gltf.container import write_document
from kinesphere.files.gltf.figure import bone_figure
from kinesphere.files.gltf.onto import save_on_character
from kinesphere.files.names import writable_names
from kinesphere.files.options import SaveOptions
from kinesphere.kernels import rotations
from kinesphere.motion.motion import Motion


def save(motion: Motion, path: Path, options: SaveOptions) -> None:
    """Write a motion on a character, or with its skeleton and a simple body, so that any viewer shows it."""
    if options.scale != 1.0 or options.up != "y":
        raise ValueError(f"{path}: scale={options.scale:g}, up={options.up!r}; a glTF file is in metres with Y up")
    if options.character is not None:
        save_on_character(motion, path, options.character)
        return
    if path.suffix.lower() not in (".glb", ".gltf"):
        expected = ".glb, .gltf, or a character to show it on: character=load_character(…) of a VRM file"
        raise MotionFileError(path, f"the suffix {path.suffix!r} for a motion alone", expected)
    content, binary = _content(motion, path, options)
    write_document(path, content, binary)


def _content(motion: Motion, path: Path, options: SaveOptions) -> tuple[dict[str, Any], bytes]:
    """The JSON of the whole file, and its buffer."""
    names = motion.skeleton.names
    if options.plain_names:
        names = writable_names(names, plain=True)
    nodes = _joint_nodes(motion, names)
    surfaces = _add_surfaces(motion, names, nodes)
    top = list(motion.skeleton.roots)
    if len(top) > 1:
        # The joints of a skin must have a node above them all.
        nodes.append({"name": "skeleton", "children": top})
        top = [len(nodes) - 1]
    buffer = BufferBuilder()
    figure = _figure(motion, path, buffer)
    binds = buffer.add(_inverse_binds(motion, path))
    skin: dict[str, Any] = {
        "inverseBindMatrices": binds,
        "joints": [surfaces.get(joint, joint) for joint in range(len(motion.skeleton))],
        "skeleton": top[0],
    }
    nodes.append({"name": "bones", "mesh": 0, "skin": 0})
    content = {
        "asset": {"version": "2.0", "generator": f"kinesphere {kinesphere.__version__}"},
        "scene": 0,
        "scenes": [{"nodes": [*top, len(nodes) - 1]}],
        "nodes": nodes,
        "meshes": [{"name": "bones", "primitives": [figure]}],
        "materials": [
            {
                "name": "bones",
                "pbrMetallicRoughness": {
                    "baseColorFactor": [0.58, 0.36, 0.16, 1.0],
                    "metallicFactor": 0.0,
                    "roughnessFactor": 0.8,
                },
            }
        ],
        "skins": [skin],
        "animations": [_animation(motion, path, buffer, surfaces)],
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
    }
    return content, buffer.binary


def _joint_nodes(motion: Motion, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """The joints at rest, node 0 for joint 0 and so on."""
    skeleton = motion.skeleton
    nodes: list[dict[str, Any]] = []
    for joint, extras in enumerate(hints.joint_extras(motion)):
        node: dict[str, Any] = {}
        if names[joint]:
            node["name"] = names[joint]
        node["translation"] = skeleton.offsets[joint].tolist()
        node["rotation"] = skeleton.rest_rotations[joint][X_Y_Z_W].tolist()
        if skeleton.children[joint]:
            node["children"] = list(skeleton.children[joint])
        node["extras"] = extras
        nodes.append(node)
    return nodes


def _add_surfaces(motion: Motion, names: tuple[str, ...], nodes: list[dict[str, Any]]) -> dict[int, int]:
    """A node below each joint whose surface is stretched: the joint's scale would stretch its children."""
    if motion.scales is None:
        return {}
    surfaces = {}
    for joint in np.flatnonzero((motion.scales != 1.0).any(axis=(0, 2))).tolist():
        surfaces[joint] = len(nodes)
        nodes[joint].setdefault("children", []).append(len(nodes))
        nodes.append({"name": f"{names[joint]}.surface", "extras": hints.surface_extras()})
    return surfaces


def _figure(motion: Motion, path: Path, buffer: BufferBuilder) -> dict[str, Any]:
    """The mesh's one primitive: each vertex is carried by one joint alone."""
    figure = bone_figure(motion.skeleton)
    wide = len(motion.skeleton) > 256
    joints = np.zeros((len(figure.joints), 4), dtype=np.uint16 if wide else np.uint8)
    joints[:, 0] = figure.joints
    weights = np.zeros((len(figure.joints), 4), dtype=np.float32)
    weights[:, 0] = 1.0
    positions = singles(figure.positions, path, "the rest pose")
    return {
        "attributes": {
            "POSITION": buffer.add(positions, target=VERTICES, bounds=True),
            "NORMAL": buffer.add(figure.normals.astype(np.float32), target=VERTICES),
            "JOINTS_0": buffer.add(joints, target=VERTICES),
            "WEIGHTS_0": buffer.add(weights, target=VERTICES),
        },
        "indices": buffer.add(figure.indices, target=INDICES),
        "material": 0,
    }


def _inverse_binds(motion: Motion, path: Path) -> Singles:
    """``(J, 16)``, from the world to each joint at rest, column by column."""
    turned, placed = motion.skeleton.rest_world()
    back = rotations.conjugate(turned)
    matrices = np.zeros((len(turned), 4, 4))
    matrices[:, :3, :3] = rotations.to_matrix(rotations.normalise(back))
    matrices[:, :3, 3] = -rotations.rotate(back, placed)
    matrices[:, 3, 3] = 1.0
    return singles(matrices.transpose(0, 2, 1).reshape(-1, 16), path, "the rest pose")


def _animation(motion: Motion, path: Path, buffer: BufferBuilder, surfaces: dict[int, int]) -> dict[str, Any]:
    """One clip. Roots have a key in every frame."""
    clip = ClipWriter(motion, path, buffer)
    turned = rotations.continuous(motion.rotations)
    moving = (motion.translations != motion.skeleton.offsets).any(axis=(0, 2))
    for joint, parent in enumerate(motion.skeleton.parents.tolist()):
        clip.add(joint, "rotation", turned[:, joint])
        if parent < 0 or moving[joint]:
            clip.add(joint, "translation", motion.translations[:, joint], always=parent < 0)
    if motion.scales is not None:
        for joint, node in surfaces.items():
            clip.add(node, "scale", motion.scales[:, joint])
    return clip.animation()
