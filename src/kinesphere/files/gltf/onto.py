"""A motion onto a character's own file: everything in it stays, and the motion becomes its one clip."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from kinesphere.files.errors import MotionFileError, MotionFileWarning
from kinesphere.files.gltf import hints
from kinesphere.files.gltf.characters import CharacterFile
from kinesphere.files.gltf.clip import X_Y_Z_W, ClipWriter
from kinesphere.files.gltf.container import write_document
from kinesphere.files.gltf.packing import packed, standing_beside
from kinesphere.files.gltf.references import take_out_animations
from kinesphere.files.gltf.terms import in_file_terms
from kinesphere.files.gltf.unbaking import departures, unbaked
from kinesphere.kernels import rotations
from kinesphere.motion.character import Character
from kinesphere.motion.motion import Motion

SUFFIXES = (".glb", ".gltf", ".vrm")
STANDS_STILL = 1e-6  # metres: a joint that never leaves its rest place by more needs no translation channel
_OTHER_LENGTH = 0.01  # of a bone: more is another character's bone


def save_on_character(motion: Motion, path: Path, character: Any) -> None:
    """Write a character with a motion of its skeleton. Clips that the file had are replaced by this one."""
    file = _checked(motion, path, character)
    said: list[str] = []
    document = file.document
    try:
        content = copy.deepcopy(document.json)
    except RecursionError:
        raise MotionFileError(document.path, "JSON nested too deeply", "a glTF file", where="JSON") from None
    take_out_animations(content)
    result = packed(document, content, inside=path.suffix.lower() != ".gltf", warn=said.append)
    _make_movable(file, content, path)
    surfaces = _surfaces(motion, character, file, content, said.append)
    content["animations"] = [_animation(motion, path, file, ClipWriter(motion, path, result.buffer), surfaces)]
    with standing_beside(path, result.beside):
        write_document(path, content, result.buffer.binary, document.other_chunks)
    for sentence in said:
        warnings.warn(f"{path}: {sentence}", MotionFileWarning, stacklevel=4)


def _checked(motion: Motion, path: Path, character: Any) -> CharacterFile:
    """The character's file, if the motion can be written onto it under that name."""
    if not isinstance(character, Character):
        raise ValueError(f"{path}: character={character!r}; what load_character gives is expected")
    file = character.document
    if not isinstance(file, CharacterFile) or len(file.joints) != len(character.skeleton):
        raise ValueError(f"{path}: the character {character.name!r} came from no glTF file, so none can be written")
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise MotionFileError(path, f"the suffix {path.suffix!r} for a character", ", ".join(SUFFIXES))
    if suffix == ".vrm" and not file.is_vrm:
        found = f"the suffix {path.suffix!r} for {character.name!r}, which came from no VRM file"
        raise MotionFileError(path, found, ".glb or .gltf")
    ours, theirs = motion.skeleton, character.skeleton
    if not ours.same_tree(theirs):
        found = f"a motion of another skeleton ({ours!r})"
        expected = f"one of {theirs!r}; kinesphere.retarget(motion, character) brings it over"
        raise MotionFileError(path, found, expected)
    apart = np.abs(ours.bone_lengths - theirs.bone_lengths) - _OTHER_LENGTH * theirs.bone_lengths
    if apart.max() > 1e-3:
        joint = int(apart.argmax())
        lengths = f"{ours.bone_lengths[joint]:.3g} m, not {theirs.bone_lengths[joint]:.3g} m"
        warnings.warn(
            f"{path}: the motion's bones are not the character's ({theirs.names[joint]!r} is {lengths} away from its "
            "parent), so the surface is stretched; kinesphere.retarget(motion, character) fits them",
            MotionFileWarning,
            stacklevel=5,
        )
    return file


def _make_movable(file: CharacterFile, content: dict[str, Any], path: Path) -> None:
    """A node with a matrix cannot be animated: it is taken apart into what can."""
    nodes = file.nodes
    for node in file.joints.nodes.tolist():
        entry = content["nodes"][node]
        if "matrix" not in entry:
            continue
        if nodes.sheared[node]:
            expected = "a rotation and a scale: a joint that shears cannot be animated"
            raise MotionFileError(path, "a matrix that shears", expected, where=f"nodes[{node}].matrix")
        del entry["matrix"]
        entry["translation"] = nodes.translations[node].tolist()
        entry["rotation"] = nodes.rotations[node][X_Y_Z_W].tolist()
        entry["scale"] = nodes.scales[node].tolist()


def _surfaces(
    motion: Motion, character: Character, file: CharacterFile, content: dict[str, Any], warn: Callable[[str], None]
) -> dict[int, int]:
    """Joint to a node below it that only skins hang on: the joint's own scale would stretch its children."""
    if motion.scales is None:
        return {}
    found = {joint: node for node, joint in file.joints.surfaces.items()}
    skins = [skin.get("joints", []) for skin in content.get("skins", [])]
    bound = {int(node) for joints in skins for node in joints}
    wanted = np.flatnonzero((np.abs(motion.scales - 1.0) > 1e-6).any(axis=(0, 2))).tolist()
    rigid = {int(mesh.joints[0, 0]) for mesh in character.meshes if mesh.joints.shape[1] == 1 and len(mesh.joints)}
    for joint in wanted:
        node, name = int(file.joints.nodes[joint]), motion.skeleton.names[joint]
        if joint in rigid:
            warn(f"{name!r} carries a mesh without a skin; the stretching of that was left out")
        if joint in found or node not in bound:
            continue
        found[joint] = len(content["nodes"])
        content["nodes"][node].setdefault("children", []).append(found[joint])
        content["nodes"].append({"name": f"{name}.surface", "extras": hints.surface_extras()})
        for joints in skins:
            joints[:] = [found[joint] if int(other) == node else other for other in joints]
    return {joint: node for joint, node in found.items() if joint in wanted}


def _animation(
    motion: Motion, path: Path, file: CharacterFile, clip: ClipWriter, surfaces: dict[int, int]
) -> dict[str, Any]:
    """The clip. Roots have a key in every frame; other joints are moved only where they leave their rest places."""
    nodes, joints = file.nodes, file.joints
    local = in_file_terms(joints, motion.rotations, motion.translations, file.turn)
    q, t = unbaked(path, nodes, joints, *local)
    q = rotations.continuous(q)
    moving = departures(nodes, joints, t) > STANDS_STILL
    for joint, parent in enumerate(joints.parents.tolist()):
        node = int(joints.nodes[joint])
        clip.add(node, "rotation", q[:, joint])
        if parent < 0 or moving[joint]:
            clip.add(node, "translation", t[:, joint], always=parent < 0)
    if motion.scales is not None:
        for joint, node in surfaces.items():
            rest = nodes.scales[node] if node < len(nodes) else 1.0
            clip.add(node, "scale", motion.scales[:, joint] * rest)
    return clip.animation()
