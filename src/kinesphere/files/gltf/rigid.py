"""A body of rigid parts: nodes that no skin names and no clip moves, but that have a humanoid's names and places."""

from __future__ import annotations

import numpy as np

from kinesphere.files.gltf.joints import Joints, in_order
from kinesphere.files.gltf.meshes import LARGEST
from kinesphere.files.gltf.nodes import Nodes
from kinesphere.files.gltf.pose import baked, rest_pose
from kinesphere.files.gltf.terms import skeleton_at_rest
from kinesphere.motion.roles import find_roles
from kinesphere.motion.roles.rolemap import SURE

MOST_NODES = 2_000  # a scene of more is no character


def rigid_body(nodes: Nodes) -> set[int]:
    """The nodes that play a humanoid's roles, where this is sure; a chair has none."""
    if len(nodes) > MOST_NODES:
        return set()
    order = in_order(nodes, set(range(len(nodes))))
    joint_of = {node: joint for joint, node in enumerate(order)}
    parents = np.array([joint_of.get(int(nodes.parents[node]), -1) for node in order], dtype=np.intp)
    joints = Joints(np.array(order, dtype=np.intp), parents, {}, frozenset(), {}, ())
    (rest,) = baked(nodes, joints, (rest_pose(nodes, joints),))
    if not all((np.abs(values) < LARGEST).all() for values in rest):
        return set()
    found = find_roles(skeleton_at_rest(nodes, joints, rest, 1.0, None))
    return {order[joint] for joint in found.roles.values()} if found.is_humanoid and found.overall >= SURE else set()
