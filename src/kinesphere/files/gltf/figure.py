"""A simple body for a skeleton that has none: an octahedron for every bone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats, Ints
from kinesphere.motion.skeleton import Skeleton

RING = 0.2  # where along the bone it is thickest
# Half as thick as this share of its own length and of the usual bone's: long bones are slim, short ones no needles.
OWN, USUAL, STOUTEST = 0.05, 0.12, 0.25
LEAF = 0.15  # a joint that nothing follows, as a share of the usual bone
ALONE = 0.05  # metres, where there is no bone at all
SHORTEST = 1e-6  # metres

# Two ends and four corners around; triangles turn counter-clockwise seen from outside.
_TRIANGLES = np.array(
    [[0, 3, 2], [0, 4, 3], [0, 5, 4], [0, 2, 5], [1, 2, 3], [1, 3, 4], [1, 4, 5], [1, 5, 2]], dtype=np.intp
)


@dataclass(frozen=True, eq=False)
class Figure:
    """Triangles of three vertices each, none of them shared, so that every face is flat."""

    positions: Floats  # (V, 3), where they are at rest
    normals: Floats  # (V, 3)
    joints: Ints  # (V,): the joint that carries each vertex

    @property
    def indices(self) -> NDArray[np.unsignedinteger]:
        """``(V,)``, in the smallest type that holds them."""
        count = len(self.positions)
        return np.arange(count, dtype=np.uint16 if count < 65535 else np.uint32)


def bone_figure(skeleton: Skeleton) -> Figure:
    """An octahedron from each joint to each child and tip, and a small one at joints that lead nowhere."""
    turned, placed = skeleton.rest_world()
    owners, starts, ends = [], [], []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            owners.append(parent)
            starts.append(placed[parent])
            ends.append(placed[joint])
    for tip in skeleton.tips:
        owners.append(tip.joint)
        starts.append(placed[tip.joint])
        ends.append(placed[tip.joint] + rotations.rotate(turned[tip.joint], tip.offset))
    start, end = np.array(starts).reshape(-1, 3), np.array(ends).reshape(-1, 3)
    length = np.linalg.norm(end - start, axis=1)
    usual = float(np.median(length[length > SHORTEST])) * LEAF if (length > SHORTEST).any() else ALONE
    leading = set(np.array(owners, dtype=np.intp)[length > SHORTEST].tolist())
    leaves = [joint for joint in range(len(skeleton)) if joint not in leading]
    upwards = rotations.rotate(turned[leaves], [0.0, usual, 0.0])
    start = np.concatenate([start[length > SHORTEST], placed[leaves] - 0.5 * upwards])
    end = np.concatenate([end[length > SHORTEST], placed[leaves] + 0.5 * upwards])
    carried = np.array(
        [*(o for o, long in zip(owners, length > SHORTEST, strict=True) if long), *leaves], dtype=np.intp
    )
    is_leaf = np.arange(len(carried)) >= len(carried) - len(leaves)
    return _octahedra(start, end, carried, is_leaf)


def _octahedra(start: Floats, end: Floats, carried: Ints, is_leaf: NDArray[np.bool_]) -> Figure:
    along = end - start
    length = np.linalg.norm(along, axis=1, keepdims=True)
    direction = along / length
    one = rotations.perpendicular(direction)
    other = np.cross(direction, one)
    ring = start + along * np.where(is_leaf, 0.5, RING)[:, None]
    bone = np.minimum(OWN * length + USUAL * float(np.median(length)), STOUTEST * length)
    thick = np.where(is_leaf[:, None], 0.5 * length, bone)
    corners = np.stack(
        [start, end, ring + thick * one, ring + thick * other, ring - thick * one, ring - thick * other],
        axis=1,
    )
    faces = corners[:, _TRIANGLES]  # (bones, 8, 3, 3)
    normals = np.cross(faces[:, :, 1] - faces[:, :, 0], faces[:, :, 2] - faces[:, :, 0])
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return Figure(
        positions=faces.reshape(-1, 3),
        normals=np.repeat(normals.reshape(-1, 3), 3, axis=0),
        joints=np.repeat(carried, _TRIANGLES.size),
    )
