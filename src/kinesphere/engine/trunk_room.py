"""Room that trunk and head have left beside the recorded pose: what is added comes softly to the end of a range.

What a head cannot take over goes to the neck, what an upper chest cannot goes down the spine. Ranges are those of
``body.limits``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.body.body import Body
from kinesphere.body.limits import body_axes, find_limited_joints
from kinesphere.maths.vectors import Floats, Ints

CHAINS = (("head", "neck"), ("upperChest", "chest", "spine"))  # from the one that is farther out


class TrunkRoom(NamedTuple):
    """R joints with a range, those that are farther out first; for native loops."""

    starts: Ints  # (R + 1,)
    paths: Ints  # (P,) joints from below the one above to this one
    turned_starts: Ints  # (R + 1,)
    turned: Ints  # (N,) rows of the joints that are turned among these
    passes_on: Ints  # (R,) the one that takes over what is too much; -1: none
    before: Floats  # (R, 4) rest rotations in the world: of the joint above, of its own
    after: Floats
    ends: Floats  # (R, 3, 2) radians of flexion, side and twist
    axes: Floats  # (3, 3) the body's left, up and ahead at rest


def trunk_room(body: Body, joints: Ints) -> TrunkRoom | None:
    """The room of a body whose ``joints`` channels turn; None: no joint has a range."""
    limited = {joint.role: joint for joint in find_limited_joints(body.skeleton)}
    rows = {joint: row for row, joint in enumerate(joints.tolist())}
    chains = [
        [role for role in chain if role in limited and any(j in rows for j in limited[role].path)] for chain in CHAINS
    ]
    roles = [role for chain in chains for role in chain]
    if not roles:
        return None
    follows = {role: chain[i + 1] for chain in chains for i, role in enumerate(chain[:-1])}
    paths = [list(limited[role].path) for role in roles]
    turned = [[rows[joint] for joint in path if joint in rows] for path in paths]
    up, left, ahead = body_axes(body.skeleton)
    return TrunkRoom(
        np.cumsum([0, *map(len, paths)]),
        np.array([joint for path in paths for joint in path]),
        np.cumsum([0, *map(len, turned)]),
        np.array([row for own in turned for row in own]),
        np.array([roles.index(follows[role]) if role in follows else -1 for role in roles]),
        np.array([limited[role].before for role in roles]),
        np.array([limited[role].after for role in roles]),
        np.array([(own.flexion, own.side, own.twist) for own in (limited[role].limit for role in roles)]),
        np.array([left, up, ahead]),
    )
