"""How thick the soles of a character are, read from its surface."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kinesphere.motion.character import Mesh
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.skeleton import Skeleton

MOST = 0.6  # of the height of the hips over the ankles: what hangs lower is no sole


def sole_depths(skeleton: Skeleton, meshes: Iterable[Mesh]) -> dict[str, float]:
    """How far below each foot's joint its surface ends at rest, by role; only feet that have a surface."""
    place = skeleton.rest_world()[1]
    found = {}
    for side in SIDES:
        roles = [skeleton.roles.get(f"{side}{part}") for part in ("Foot", "UpperLeg")]
        if None in roles:
            continue
        foot, hip = (int(joint) for joint in roles if joint is not None)
        carried = _below(skeleton, foot)
        lowest = [
            mesh.positions[shown, 1].min()
            for mesh in meshes
            if (shown := np.sum(mesh.weights * np.isin(mesh.joints, carried), axis=1) > 0.5).any()
        ]
        if lowest:
            depth = float(place[foot, 1] - min(lowest))
            if 0.0 < depth < MOST * float(place[hip, 1] - place[foot, 1]):
                found[f"{side}Foot"] = depth
    return found


def _below(skeleton: Skeleton, joint: int) -> list[int]:
    """The joint and all that hangs on it."""
    found = [joint]
    for other, parent in enumerate(skeleton.parents.tolist()):
        if parent in found:
            found.append(other)
    return found
