"""From a file's axes and units to ours, and which way its characters face."""

from __future__ import annotations

import numpy as np

from kinesphere.files.gltf.container import Document
from kinesphere.files.gltf.joints import Joints
from kinesphere.files.gltf.nodes import Nodes
from kinesphere.files.orientation import turn_to_y_up
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.skeleton import Skeleton, Tip

HALF_TURN = np.array([0.0, 0.0, 1.0, 0.0])  # about Y


def turn_of(document: Document, up: str | None = None) -> Floats | None:
    """The rotation from the file's axes to ours, or None where they are the same."""
    turn = None if up in (None, "y") else turn_to_y_up(up or "y")
    if not faces_backwards(document):
        return turn
    return HALF_TURN if turn is None else rotations.multiply(HALF_TURN, turn)


def faces_backwards(document: Document) -> bool:
    """Whether the file keeps to VRM 0, whose characters look along −Z. VRM 1 turned them round."""
    extensions = document.fields.child("extensions")
    return "VRM" in extensions and "VRMC_vrm" not in extensions


def facing_evidence(document: Document) -> tuple[str, ...]:
    """What is said of a file that was turned."""
    if not faces_backwards(document):
        return ()
    return ("facing: VRM 0 characters face -Z; half a turn about Y makes this one face +Z",)


def in_our_terms(joints: Joints, q: Floats, t: Floats, scale: float, turn: Floats | None) -> tuple[Floats, Floats]:
    """Local rotations ``(T, J, 4)`` and translations in metres, Y up, facing +Z."""
    if scale != 1.0:
        t = t * scale
    if turn is not None:
        q, t = _roots_turned(joints, q, t, turn)
    return np.ascontiguousarray(q), np.ascontiguousarray(t)


def in_file_terms(joints: Joints, q: Floats, t: Floats, turn: Floats | None) -> tuple[Floats, Floats]:
    """The way back, for a file in metres."""
    return (q, t) if turn is None else _roots_turned(joints, q, t, rotations.conjugate(turn))


def _roots_turned(joints: Joints, q: Floats, t: Floats, turn: Floats) -> tuple[Floats, Floats]:
    q, t = q.copy(), t.copy()
    roots = np.flatnonzero(joints.parents < 0)
    q[:, roots] = rotations.multiply(turn, q[:, roots])
    t[:, roots] = rotations.rotate(turn, t[:, roots])
    return q, t


def skeleton_at_rest(
    nodes: Nodes, joints: Joints, rest: tuple[Floats, Floats, Floats], scale: float, turn: Floats | None
) -> Skeleton:
    """The skeleton of a baked rest pose: local rotations, translations and accumulated scales ``(1, J, …)``."""
    q, t = in_our_terms(joints, rest[0], rest[1], scale, turn)
    sizes = np.abs(rest[2][0]) * scale
    tips = []
    for joint, offset in joints.tips:
        x, y, z = (np.array(offset) * sizes[joint]).tolist()
        tips.append(Tip(joint, (x, y, z)))
    names = tuple(nodes.names[node] for node in joints.nodes)
    return Skeleton(names, joints.parents, t[0], q[0], joints.roles, tuple(tips))
