"""Motion to glTF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import kinesphere
from kinesphere.files.errors import MotionFileError
from kinesphere.files.gltf import hints
from kinesphere.files.gltf.building import BufferBuilder
from kinesphere.files.gltf.clip import X_Y_Z_W, ClipWriter, Singles, singles
from kinesphere.files.gltf.container import write_document
from kinesphere.files.gltf.onto import save_on_character
from kinesphere.files.gltf.parts import bone_parts, character_parts, material, primitive
from kinesphere.files.names import writable_names
from kinesphere.files.options import SaveOptions
from kinesphere.kernels import rotations
from kinesphere.motion.character import Character
from kinesphere.motion.motion import Motion


def save(motion: Motion, path: Path, options: SaveOptions) -> None:
    """Write a motion on a character, or with its skeleton and a simple body, so that any viewer shows it."""
    if options.scale != 1.0 or options.up != "y":
        raise ValueError(f"{path}: scale={options.scale:g}, up={options.up!r}; a glTF file is in metres with Y up")
    character = options.character
    if character is not None and not (isinstance(character, Character) and character.document is None):
        save_on_character(motion, path, character)
        return
    if path.suffix.lower() not in (".glb", ".gltf"):
        expected = ".glb, .gltf, or a character to show it on: character=load_character(…) of a VRM file"
        raise MotionFileError(path, f"the suffix {path.suffix!r} for a motion alone", expected)
    if character is not None and not character.skeleton.same_tree(motion.skeleton):
        found = f"a motion of another skeleton ({motion.skeleton!r})"
        raise MotionFileError(path, found, f"one of {character.skeleton!r}; kinesphere.retarget brings it over")
    content, binary = _content(motion, path, plain_names=options.plain_names, character=character)
    write_document(path, content, binary)


def save_character(character: Character, path: Path) -> None:
    """Write a character of our own, without any clip."""
    rest = Motion(character.skeleton, 30.0, character.skeleton.rest_rotations[None])
    content, binary = _content(rest, path, plain_names=False, character=character, clip=False)
    write_document(path, content, binary)


def _content(
    motion: Motion, path: Path, *, plain_names: bool, character: Character | None = None, clip: bool = True
) -> tuple[dict[str, Any], bytes]:
    """The JSON of the whole file, and its buffer."""
    names = motion.skeleton.names
    if plain_names:
        names = writable_names(names, plain=True)
    nodes = _joint_nodes(motion, names)
    surfaces = _add_surfaces(motion, names, nodes)
    top = list(motion.skeleton.roots)
    if len(top) > 1:
        # The joints of a skin must have a node above them all.
        nodes.append({"name": "skeleton", "children": top})
        top = [len(nodes) - 1]
    buffer = BufferBuilder()
    shown = character is not None and bool(character.meshes)
    parts = character_parts(character) if character is not None and shown else bone_parts(motion.skeleton)
    primitives = [primitive(part, i, len(motion.skeleton), path, buffer) for i, part in enumerate(parts)]
    binds = buffer.add(_inverse_binds(motion, path))
    skin: dict[str, Any] = {
        "inverseBindMatrices": binds,
        "joints": [surfaces.get(joint, joint) for joint in range(len(motion.skeleton))],
        "skeleton": top[0],
    }
    name = character.name if character is not None and shown else "bones"
    nodes.append({"name": name, "mesh": 0, "skin": 0})
    content = {
        "asset": {"version": "2.0", "generator": f"kinesphere {kinesphere.__version__}"},
        "scene": 0,
        "scenes": [{"nodes": [*top, len(nodes) - 1]}],
        "nodes": nodes,
        "meshes": [{"name": name, "primitives": primitives}],
        "materials": [material(part) for part in parts],
        "skins": [skin],
    }
    if clip:
        content["animations"] = [_animation(motion, path, buffer, surfaces)]
    return content | {"accessors": buffer.accessors, "bufferViews": buffer.views}, buffer.binary


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
