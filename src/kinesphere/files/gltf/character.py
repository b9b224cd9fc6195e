"""Read a character from a glTF, GLB or VRM file: its skeleton at rest and its skinned meshes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinesphere.files.gltf.document import Document, read_document
from kinesphere.files.gltf.extensions import unknown_extensions
from kinesphere.files.gltf.joints import (
    Joints,
    axes_rotation,
    facing_evidence,
    find_joints,
    parents_first,
    skeleton_at_rest,
)
from kinesphere.files.gltf.mesh import LARGEST, MeshReader
from kinesphere.files.gltf.nodes import Nodes, read_nodes
from kinesphere.files.gltf.pose import bake_scales, rest_pose, unevenness
from kinesphere.maths.vectors import Floats
from kinesphere.motion.character import Character
from kinesphere.motion.errors import MotionFileWarning
from kinesphere.motion.roles import find_roles
from kinesphere.motion.roles.rolemap import SURE
from kinesphere.motion.source import Source

BONES = "bones"  # name of the mesh of a motion without a character
MOST_NODES = 2_000  # a scene of more is no character
SHEARS = 0.01  # relative difference of a node's scales from which shear below it is visible


@dataclass(frozen=True, eq=False)
class GltfCharacterFile:
    """``Character.document`` of a glTF file: the whole file, and which of its nodes are joints."""

    document: Document
    nodes: Nodes
    joints: Joints
    rotation: Floats | None  # from the file's axes to ours

    @property
    def is_vrm(self) -> bool:
        extensions = self.document.fields.child("extensions")
        return "VRM" in extensions or "VRMC_vrm" in extensions

    @property
    def has_mesh(self) -> bool:
        """Whether any node shows a mesh, even one that cannot be read."""
        return any("mesh" in node for node in self.document.fields.each("nodes"))

    @property
    def has_bone_mesh(self) -> bool:
        """Whether we wrote the file for a motion alone, with bones as its one mesh."""
        fields = self.document.fields
        made = str(fields.child("asset").data.get("generator", "")).startswith("kinesphere")
        return made and [mesh.data.get("name") for mesh in fields.each("meshes")] == [BONES]

    @property
    def is_only_animation(self) -> bool:
        """Whether there are clips but no mesh, as in VRMA files."""
        return not self.is_vrm and not self.has_mesh and self.document.fields.count("animations") > 0


def load_character(path: Path) -> Character:
    """Read the character of a glTF, GLB or VRM file: its skeleton at rest and its surface."""
    notes: list[str] = []
    problems: list[str] = []
    document = read_document(path, warn=problems.append)
    problems += unknown_extensions(document)
    nodes = read_nodes(document)
    joints = _joints(document, nodes, notes.append, problems.append)
    (rest,) = bake_scales(nodes, joints, (rest_pose(nodes, joints),))
    if not all((np.abs(values) < LARGEST).all() for values in rest):
        raise document.fields.error("nodes", "positions too large for numbers", "a scene of moderate size")
    rotation = axes_rotation(document)
    skeleton = skeleton_at_rest(nodes, joints, rest, 1.0, rotation)
    meshes = MeshReader(document, nodes, joints, skeleton, notes.append, problems.append).read()
    file = GltfCharacterFile(document, nodes, joints, rotation)
    if not file.has_mesh:
        problems.append(_bare_skeleton_warning(document))
    elif not meshes:
        notes.append("surface: no triangles that can be read")
    for sentence in problems:
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
        document=file,
        source=Source(path=str(path), format="gltf", evidence=evidence, warnings=tuple(problems)),
    )


def _joints(document: Document, nodes: Nodes, note: Callable[[str], None], warn: Callable[[str], None]) -> Joints:
    """Find the joints; warn of uneven scales above them."""

    def fallback(nodes: Nodes) -> set[int]:
        found = _humanoid_nodes(nodes)
        if found:
            note("joints: no skin and no clip; the nodes that have a humanoid's names and places")
        return found

    joints = find_joints(document, nodes, warn, fallback)
    uneven = [repr(nodes.names[node]) for node in sorted(_nodes_above(nodes, joints)) if _is_uneven(nodes, node)]
    if uneven:
        named = ", ".join(uneven[:3]) + (f" and {len(uneven) - 3} more" if len(uneven) > 3 else "")
        warn(f"{named}: scaled unevenly; joints below are exact, but their surface shears, which skinned leaves out")
    return joints


def _nodes_above(nodes: Nodes, joints: Joints) -> set[int]:
    """All nodes that have a joint below them."""
    found: set[int] = set()
    for node in joints.nodes.tolist():
        above = int(nodes.parents[node])
        while above >= 0 and above not in found:
            found.add(above)
            above = int(nodes.parents[above])
    return found


def _is_uneven(nodes: Nodes, node: int) -> bool:
    return unevenness(np.abs(nodes.scales[node])) > SHEARS


def _bare_skeleton_warning(document: Document) -> str:
    """Warning for a file without a mesh, such as an animation alone."""
    more = "; its motion is opened with load" if document.fields.count("animations") else ""
    return f"no mesh in the file, so the character is a bare skeleton, to retarget onto{more}"


def _name(document: Document) -> str:
    """The character's name in a VRM file, else the file's own name."""
    extensions = document.fields.child("extensions")
    for extension, field in (("VRMC_vrm", "name"), ("VRM", "title")):
        if extension in extensions:
            found = extensions.child(extension).child("meta").data.get(field)
            if isinstance(found, str) and found.strip():
                return found.encode("utf-8", "replace").decode()
    return document.path.stem


def _humanoid_nodes(nodes: Nodes) -> set[int]:
    """Nodes with humanoid roles in a file without skin and clip, such as a body of rigid parts; a chair has none."""
    if len(nodes) > MOST_NODES:
        return set()
    order = parents_first(nodes, set(range(len(nodes))))
    joint_of = {node: joint for joint, node in enumerate(order)}
    parents = np.array([joint_of.get(int(nodes.parents[node]), -1) for node in order], dtype=np.intp)
    joints = Joints(np.array(order, dtype=np.intp), parents, {}, frozenset(), {}, ())
    (rest,) = bake_scales(nodes, joints, (rest_pose(nodes, joints),))
    if not all((np.abs(values) < LARGEST).all() for values in rest):
        return set()
    found = find_roles(skeleton_at_rest(nodes, joints, rest, 1.0, None))
    return {order[joint] for joint in found.roles.values()} if found.is_humanoid and found.overall >= SURE else set()
