"""A body of rigid parts: nodes that no skin names and no clip moves, but that have a humanoid's names and places."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinesphere.files.gltf.document import Document, read_document
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

MOST_NODES = 2_000  # a scene of more is no character


def rigid_roles(nodes: Nodes) -> set[int]:
    """The nodes that play a humanoid's roles, where this is sure; a chair has none."""
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


# ---- glTF to Character.


SHEARS = 0.01  # scales of a joint that differ more, as a share, are seen in what hangs on it


@dataclass(frozen=True, eq=False)
class GltfCharacterFile:
    """What ``Character.document`` is for a glTF file: the whole file, and which of its nodes the joints are."""

    document: Document
    nodes: Nodes
    joints: Joints
    turn: Floats | None  # from the file's axes to ours

    @property
    def is_vrm(self) -> bool:
        extensions = self.document.fields.child("extensions")
        return "VRM" in extensions or "VRMC_vrm" in extensions

    @property
    def shows_a_mesh(self) -> bool:
        """Whether any node does, be it one that cannot be read."""
        return any("mesh" in node for node in self.document.fields.each("nodes"))

    @property
    def is_only_animation(self) -> bool:
        """Whether there are clips but nothing to show them on, as in VRMA files."""
        return not self.is_vrm and not self.shows_a_mesh and self.document.fields.count("animations") > 0


def load_character(path: Path) -> Character:
    """Read the character of a glTF, GLB or VRM file: its skeleton at rest and its surface."""
    notes: list[str] = []
    said: list[str] = []
    document = read_document(path, warn=said.append)
    nodes = read_nodes(document)
    joints = _joints(document, nodes, notes.append, said.append)
    (rest,) = bake_scales(nodes, joints, (rest_pose(nodes, joints),))
    if not all((np.abs(values) < LARGEST).all() for values in rest):
        raise document.fields.error("nodes", "positions too large for numbers", "a scene of moderate size")
    turn = axes_rotation(document)
    skeleton = skeleton_at_rest(nodes, joints, rest, 1.0, turn)
    meshes = MeshReader(document, nodes, joints, skeleton, notes.append, said.append).read()
    file = GltfCharacterFile(document, nodes, joints, turn)
    if not file.shows_a_mesh:
        said.append(_bare(document))
    elif not meshes:
        notes.append("surface: no triangles that can be read")
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
        document=file,
        source=Source(path=str(path), format="gltf", evidence=evidence, warnings=tuple(said)),
    )


def _joints(document: Document, nodes: Nodes, note: Callable[[str], None], warn: Callable[[str], None]) -> Joints:
    """The joints, with what is odd about them."""

    def rigid(nodes: Nodes) -> set[int]:
        found = rigid_roles(nodes)
        if found:
            note("joints: no skin and no clip; the nodes that have a humanoid's names and places")
        return found

    joints = find_joints(document, nodes, warn, rigid)
    uneven = [repr(nodes.names[node]) for node in sorted(_carriers(nodes, joints)) if _is_uneven(nodes, node)]
    if uneven:
        named = ", ".join(uneven[:3]) + (f" and {len(uneven) - 3} more" if len(uneven) > 3 else "")
        warn(f"{named}: scaled unevenly; joints below are exact, but their surface shears, which skinned leaves out")
    return joints


def _carriers(nodes: Nodes, joints: Joints) -> set[int]:
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


def _bare(document: Document) -> str:
    """What is said of a file without a surface, such as an animation alone."""
    more = "; its motion is opened with load" if document.fields.count("animations") else ""
    return f"no mesh in the file, so the character is a bare skeleton, to retarget onto{more}"


def _name(document: Document) -> str:
    """What a VRM file calls its character, else the file's own name."""
    extensions = document.fields.child("extensions")
    for extension, field in (("VRMC_vrm", "name"), ("VRM", "title")):
        if extension in extensions:
            found = extensions.child(extension).child("meta").data.get(field)
            if isinstance(found, str) and found.strip():
                return found.encode("utf-8", "replace").decode()
    return document.path.stem
