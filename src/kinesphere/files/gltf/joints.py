"""glTF joints: which nodes form the skeleton, their VRM humanoid roles, and conversion of axes.

Joints are the nodes that a clip moves, a skin names or a VRM humanoid names, and all nodes between them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinesphere.files.gltf.animation import WIDTHS
from kinesphere.files.gltf.document import Document, GltfFields, as_integer, describe_value
from kinesphere.files.gltf.extras import JointHint, joint_hint
from kinesphere.files.gltf.nodes import Nodes
from kinesphere.files.orientation import rotation_to_y_up
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.humanoid import PARENT_ROLE, SIDES
from kinesphere.motion.skeleton import Skeleton, Tip

# VRM 0 named the bones of the thumb as those of the other fingers.
_THUMBS_OF_VRM_0 = {
    f"{side}Thumb{old}": f"{side}Thumb{new}"
    for side in SIDES
    for old, new in (("Proximal", "Metacarpal"), ("Intermediate", "Proximal"))
}


def humanoid_roles(document: Document, nodes: int) -> dict[str, int]:
    """Humanoid role (VRM 1.0 bone name) to node, from the file's VRM extensions."""
    extensions = document.fields.child("extensions")
    found: dict[str, int] = {}
    for name in ("VRMC_vrm_animation", "VRMC_vrm"):
        if name in extensions:
            bones = extensions.child(name).child("humanoid").child("humanBones")
            for bone in bones.data:
                if bone in PARENT_ROLE:
                    found.setdefault(bone, bones.child(bone).index("node", nodes, "nodes"))
    if "VRM" in extensions:
        for entry in extensions.child("VRM").child("humanoid").each("humanBones"):
            bone = entry.text("bone")
            bone = _THUMBS_OF_VRM_0.get(bone, bone)
            if bone in PARENT_ROLE:
                found.setdefault(bone, entry.index("node", nodes, "nodes"))
    return found


def non_joint_nodes(document: Document, nodes: int) -> set[int]:
    """Nodes whose movement is not a body's: VRMA expression weights and the look-at target."""
    extensions = document.fields.child("extensions")
    if "VRMC_vrm_animation" not in extensions:
        return set()
    animation = extensions.child("VRMC_vrm_animation")
    found: set[int] = set()
    if "lookAt" in animation:
        _add_node(animation.child("lookAt"), nodes, found)
    for kind in ("preset", "custom"):
        expressions = animation.child("expressions").child(kind)
        for name in expressions.data:
            _add_node(expressions.child(name), nodes, found)
    return found


def _add_node(owner: GltfFields, nodes: int, found: set[int]) -> None:
    if "node" in owner:
        found.add(owner.index("node", nodes, "nodes"))


# Finding joints

MOST_JOINTS = 20_000


@dataclass(frozen=True, eq=False)
class Joints:
    """The nodes that are joints, parents before children."""

    nodes: Ints  # (J,): the node of each joint
    parents: Ints  # (J,): joints, -1 for a root
    surfaces: dict[int, int]  # node that only scales a joint's surface, to that joint
    others: frozenset[int]  # nodes whose movement is not a body's
    roles: dict[str, int]
    tips: tuple[tuple[int, tuple[float, ...]], ...]  # (joint, offset in the file's units)

    def __len__(self) -> int:
        return len(self.nodes)


def find_joints(
    document: Document, nodes: Nodes, warn: Callable[[str], None], fallback: Callable[[Nodes], set[int]] | None = None
) -> Joints:
    """All nodes that a clip moves, a skin names or a humanoid role names, and the nodes between them.

    Where there are none, those that ``fallback`` finds.
    """
    roles, others = _vrm_nodes(document, len(nodes), warn)
    animated = _find_animated_nodes(document, len(nodes)) - others
    marked = animated | _skin_joints(document, len(nodes), warn) | set(roles.values())
    if not marked and fallback is not None:
        marked = fallback(nodes)
    hints = _hints(document, nodes, marked)
    surfaces = {node for node, hint in hints.items() if hint.surface}
    marked = (marked - surfaces) | {int(nodes.parents[node]) for node in surfaces}
    if not marked:
        expected = "a skeleton: joints of a skin, nodes of a clip, or bones of a VRM humanoid"
        raise document.fields.error("nodes", "no node that moves or carries a skin", expected)
    among = _between(nodes, marked)
    if len(among) > MOST_JOINTS:
        raise document.fields.error("nodes", f"{len(among)} joints", f"at most {MOST_JOINTS}")
    order = _order(nodes, among, hints)
    joint_of = {node: joint for joint, node in enumerate(order)}
    parents = [joint_of.get(int(nodes.parents[node]), -1) for node in order]
    tips = sorted(
        (number, joint_of[node], offset)
        for node, hint in hints.items()
        if node in joint_of
        for number, offset in hint.tips
    )
    for node, hint in hints.items():
        for role in hint.roles:
            roles.setdefault(role, node)
    return Joints(
        nodes=np.array(order, dtype=np.intp),
        parents=np.array(parents, dtype=np.intp),
        surfaces={node: joint_of[int(nodes.parents[node])] for node in surfaces},
        others=frozenset(others),
        roles={role: joint_of[node] for role, node in roles.items() if node in joint_of},
        tips=tuple((joint, offset) for _, joint, offset in tips),
    )


def _vrm_nodes(document: Document, count: int, warn: Callable[[str], None]) -> tuple[dict[str, int], set[int]]:
    try:
        return humanoid_roles(document, count), non_joint_nodes(document, count)
    except MotionFileError as error:
        if not document.salvage:
            raise
        warn(f"{error.where}: found {error.found}; the humanoid roles were left out")
        return {}, set()


def _find_animated_nodes(document: Document, count: int) -> set[int]:
    """Nodes that any clip moves. Broken channels are ignored here; the clip that is loaded is checked by its reader."""
    found = set()
    for animation in document.fields.items("animations"):
        channels = animation.get("channels") if isinstance(animation, dict) else None
        for channel in channels if isinstance(channels, list) else []:
            target = channel.get("target") if isinstance(channel, dict) else None
            if isinstance(target, dict) and isinstance(target.get("path"), str) and target["path"] in WIDTHS:
                node = as_integer(target.get("node"))
                if node is not None and 0 <= node < count:
                    found.add(node)
    return found


def _skin_joints(document: Document, count: int, warn: Callable[[str], None]) -> set[int]:
    found = set()
    for index in range(document.fields.count("skins")):
        try:
            skin = document.fields.item("skins", index)
            for k, value in enumerate(skin.items("joints")):
                node = as_integer(value)
                if node is None or not 0 <= node < count:
                    raise skin.error(f"joints[{k}]", describe_value(value), f"one of nodes, 0 to {count - 1}")
                found.add(node)
        except MotionFileError as error:
            if not document.salvage:
                raise
            warn(f"{error.where}: found {error.found}; the rest of the skin's joints was left out")
    return found


def _hints(document: Document, nodes: Nodes, marked: set[int]) -> dict[int, JointHint]:
    """Hints in the nodes' extras, without those that contradict the file."""
    has_children = set(nodes.parents.tolist())
    found = {}
    for node, fields in enumerate(document.fields.each("nodes")):
        if "extras" not in fields:
            continue
        hint = joint_hint(fields)
        alone = node in marked and node not in has_children and nodes.parents[node] >= 0 and "mesh" not in fields
        found[node] = hint if alone or not hint.surface else JointHint()
    # A surface node is below a joint, never below another surface node: that one would have a child.
    return found


def _between(nodes: Nodes, marked: set[int]) -> set[int]:
    """The marked nodes, and every node that has a marked one above it and one below."""
    top_down = np.argsort(nodes.depths, kind="stable").tolist()
    parents = nodes.parents.tolist()
    below, under = set(marked), set(marked)
    for node in reversed(top_down):
        if node in below and parents[node] >= 0:
            below.add(parents[node])
    for node in top_down:
        if parents[node] in under:
            under.add(node)
    return below & under


def _order(nodes: Nodes, among: set[int], hints: dict[int, JointHint]) -> list[int]:
    """The order in the nodes' hints where it is consistent; else the file's order, but parents before children."""
    named = {hint.joint: node for node, hint in hints.items() if node in among and hint.joint is not None}
    if set(named) == set(range(len(among))):
        order = [named[joint] for joint in range(len(among))]
        position = {node: i for i, node in enumerate(order)}
        if all(position.get(int(nodes.parents[node]), -1) < i for i, node in enumerate(order)):
            return order
    return parents_first(nodes, among)


def parents_first(nodes: Nodes, among: set[int]) -> list[int]:
    """The file's order, but parents before children."""
    order: list[int] = []
    done: set[int] = set()
    for node in sorted(among):
        waiting = []
        while node in among and node not in done:
            waiting.append(node)
            done.add(node)
            node = int(nodes.parents[node])
        order.extend(reversed(waiting))
    return order


# Axes, units and facing

HALF_TURN = np.array([0.0, 0.0, 1.0, 0.0])  # 180° about Y


def axes_rotation(document: Document, up: str | None = None) -> Floats | None:
    """The rotation from the file's axes to ours, or None where they are the same."""
    rotation = None if up in (None, "y") else rotation_to_y_up(up or "y")
    if not faces_backwards(document):
        return rotation
    return HALF_TURN if rotation is None else rotations.multiply(HALF_TURN, rotation)


def faces_backwards(document: Document) -> bool:
    """Whether this is a VRM 0 file, whose characters face -Z; VRM 1 characters face +Z."""
    extensions = document.fields.child("extensions")
    return "VRM" in extensions and "VRMC_vrm" not in extensions


def facing_evidence(document: Document) -> tuple[str, ...]:
    """Evidence sentences for a file that was rotated."""
    if not faces_backwards(document):
        return ()
    return ("facing: VRM 0 characters face -Z; half a turn about Y makes this one face +Z",)


def to_our_axes(joints: Joints, q: Floats, t: Floats, scale: float, rotation: Floats | None) -> tuple[Floats, Floats]:
    """Local rotations ``(T, J, 4)`` and translations in metres, Y up, facing +Z."""
    if scale != 1.0:
        t = t * scale
    if rotation is not None:
        q, t = _rotate_roots(joints, q, t, rotation)
    return np.ascontiguousarray(q), np.ascontiguousarray(t)


def to_file_axes(joints: Joints, q: Floats, t: Floats, rotation: Floats | None) -> tuple[Floats, Floats]:
    """The inverse of ``to_our_axes``, for a file in metres."""
    return (q, t) if rotation is None else _rotate_roots(joints, q, t, rotations.conjugate(rotation))


def _rotate_roots(joints: Joints, q: Floats, t: Floats, rotation: Floats) -> tuple[Floats, Floats]:
    q, t = q.copy(), t.copy()
    roots = np.flatnonzero(joints.parents < 0)
    q[:, roots] = rotations.multiply(rotation, q[:, roots])
    t[:, roots] = rotations.rotate(rotation, t[:, roots])
    return q, t


def skeleton_at_rest(
    nodes: Nodes, joints: Joints, rest: tuple[Floats, Floats, Floats], scale: float, rotation: Floats | None
) -> Skeleton:
    """The skeleton of a baked rest pose: local rotations, translations and accumulated scales ``(1, J, …)``."""
    q, t = to_our_axes(joints, rest[0], rest[1], scale, rotation)
    sizes = np.abs(rest[2][0]) * scale
    tips = []
    for joint, offset in joints.tips:
        x, y, z = (np.array(offset) * sizes[joint]).tolist()
        tips.append(Tip(joint, (x, y, z)))
    names = tuple(nodes.names[node] for node in joints.nodes)
    return Skeleton(names, joints.parents, t[0], q[0], joints.roles, tuple(tips))
