"""glTF to Character."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinesphere.files.errors import MotionFileWarning
from kinesphere.files.gltf.container import Document, read_document
from kinesphere.files.gltf.joints import Joints, find_joints
from kinesphere.files.gltf.meshes import LARGEST, MeshReader
from kinesphere.files.gltf.nodes import Nodes, read_nodes
from kinesphere.files.gltf.pose import baked, rest_pose
from kinesphere.files.gltf.terms import facing_evidence, skeleton_at_rest, turn_of
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.character import Character
from kinesphere.motion.source import Source


@dataclass(frozen=True, eq=False)
class CharacterFile:
    """What ``Character.document`` is for a glTF file: the whole file, and which of its nodes the joints are."""

    document: Document
    nodes: Nodes
    joints: Joints
    turn: Floats | None  # from the file's axes to ours

    @property
    def is_vrm(self) -> bool:
        extensions = self.document.fields.child("extensions")
        return "VRM" in extensions or "VRMC_vrm" in extensions


def load_character(path: Path) -> Character:
    """Read the character of a glTF, GLB or VRM file: its skeleton at rest and its surface."""
    notes: list[str] = []
    said: list[str] = []
    document = read_document(path, warn=said.append)
    nodes = read_nodes(document)
    joints = find_joints(document, nodes, said.append)
    (rest,) = baked(nodes, joints, (rest_pose(nodes, joints),))
    if not all((np.abs(values) < LARGEST).all() for values in rest):
        raise document.fields.error("nodes", "positions too large for numbers", "a scene of moderate size")
    turn = turn_of(document)
    skeleton = skeleton_at_rest(nodes, joints, rest, 1.0, turn)
    meshes = MeshReader(document, nodes, joints, skeleton, notes.append, said.append).read()
    if not meshes:
        notes.append("surface: none in the file")
    for sentence in said:
        warnings.warn(f"{path}: {sentence}", MotionFileWarning, stacklevel=3)
    evidence = (
        "unit: metres, as in every glTF file",
        "up: Y, as in every glTF file",
        *facing_evidence(document),
        *dict.fromkeys(notes),
    )
    return Character(
        name=_name(document),
        skeleton=skeleton,
        meshes=meshes,
        document=CharacterFile(document, nodes, joints, turn),
        source=Source(path=str(path), format="gltf", evidence=evidence, warnings=tuple(said)),
    )


def _name(document: Document) -> str:
    """What a VRM file calls its character, else the file's own name."""
    extensions = document.fields.child("extensions")
    for extension, field in (("VRMC_vrm", "name"), ("VRM", "title")):
        if extension in extensions:
            found = extensions.child(extension).child("meta").data.get(field)
            if isinstance(found, str) and found.strip():
                return found.encode("utf-8", "replace").decode()
    return document.path.stem
