"""Which nodes of a file are joints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinesphere.files.errors import MotionFileError
from kinesphere.files.gltf.channels import WIDTHS
from kinesphere.files.gltf.container import Document
from kinesphere.files.gltf.fields import described, whole
from kinesphere.files.gltf.hints import JointHint, joint_hint
from kinesphere.files.gltf.humanoid import humanoid_roles, nodes_that_are_no_joints
from kinesphere.files.gltf.nodes import Nodes
from kinesphere.kernels.arrays import Ints

MOST_JOINTS = 20_000


@dataclass(frozen=True, eq=False)
class Joints:
    """The nodes that are joints, parents before children."""

    nodes: Ints  # (J,): which node each joint is
    parents: Ints  # (J,): joints, -1 for a root
    surfaces: dict[int, int]  # node that only stretches a joint's surface: that joint
    others: frozenset[int]  # nodes whose movement is not that of a body
    roles: dict[str, int]
    tips: tuple[tuple[int, tuple[float, ...]], ...]  # (joint, offset in the file's units)

    def __len__(self) -> int:
        return len(self.nodes)


def find_joints(
    document: Document, nodes: Nodes, warn: Callable[[str], None], otherwise: Callable[[Nodes], set[int]] | None = None
) -> Joints:
    """All nodes that a clip moves, a skin hangs on or a humanoid role names, and what lies between them.

    Where there are none, those that ``otherwise`` finds.
    """
    roles, others = _vrm(document, len(nodes), warn)
    moved = _moved(document, len(nodes)) - others
    marked = moved | _skin_joints(document, len(nodes), warn) | set(roles.values())
    if not marked and otherwise is not None:
        marked = otherwise(nodes)
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
        (place, joint_of[node], offset)
        for node, hint in hints.items()
        if node in joint_of
        for place, offset in hint.tips
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


def _vrm(document: Document, count: int, warn: Callable[[str], None]) -> tuple[dict[str, int], set[int]]:
    try:
        return humanoid_roles(document, count), nodes_that_are_no_joints(document, count)
    except MotionFileError as error:
        if not document.salvage:
            raise
        warn(f"{error.where}: found {error.found}; the humanoid roles were left out")
        return {}, set()


def _moved(document: Document, count: int) -> set[int]:
    """Nodes that any clip moves. Only the clip that is loaded is checked; broken ones are passed over."""
    found = set()
    for animation in document.fields.items("animations"):
        channels = animation.get("channels") if isinstance(animation, dict) else None
        for channel in channels if isinstance(channels, list) else []:
            target = channel.get("target") if isinstance(channel, dict) else None
            if isinstance(target, dict) and isinstance(target.get("path"), str) and target["path"] in WIDTHS:
                node = whole(target.get("node"))
                if node is not None and 0 <= node < count:
                    found.add(node)
    return found


def _skin_joints(document: Document, count: int, warn: Callable[[str], None]) -> set[int]:
    found = set()
    for index in range(document.fields.count("skins")):
        try:
            skin = document.fields.item("skins", index)
            for k, value in enumerate(skin.items("joints")):
                node = whole(value)
                if node is None or not 0 <= node < count:
                    raise skin.error(f"joints[{k}]", described(value), f"one of nodes, 0 to {count - 1}")
                found.add(node)
        except MotionFileError as error:
            if not document.salvage:
                raise
            warn(f"{error.where}: found {error.found}; the rest of the skin's joints was left out")
    return found


def _hints(document: Document, nodes: Nodes, marked: set[int]) -> dict[int, JointHint]:
    """What nodes say about themselves, without claims that cannot be."""
    has_children = set(nodes.parents.tolist())
    found = {}
    for node, fields in enumerate(document.fields.each("nodes")):
        if "extras" not in fields:
            continue
        hint = joint_hint(fields)
        alone = node in marked and node not in has_children and nodes.parents[node] >= 0 and "mesh" not in fields
        found[node] = hint if alone or not hint.surface else JointHint()
    # A surface hangs on a joint, not on another surface: that one would have a child.
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
    """The file's order, but parents before children; or the order that the nodes themselves name."""
    named = {hint.joint: node for node, hint in hints.items() if node in among and hint.joint is not None}
    if set(named) == set(range(len(among))):
        order = [named[joint] for joint in range(len(among))]
        place = {node: i for i, node in enumerate(order)}
        if all(place.get(int(nodes.parents[node]), -1) < i for i, node in enumerate(order)):
            return order
    return in_order(nodes, among)


def in_order(nodes: Nodes, among: set[int]) -> list[int]:
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
