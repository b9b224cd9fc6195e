"""Round characters of several shapes: the figure's bones and arms about a trunk that is a body of revolution."""

from __future__ import annotations

from functools import cache

import numpy as np

import kinesphere
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.character import Mesh
from kinesphere.motion.skeleton import Skeleton

RINGS, SECTORS = 24, 32
SPINE = ("hips", "spine", "chest", "upperChest")
LOW, HIGH = 0.80, 1.44  # metres of the figure between which the trunk is
SHAPES = ("ball", "barrel", "pear", "chest")


@cache
def round_character(
    shape: str = "ball", wide: float = 0.27, deep: float = 0.29, arms: float = 1.0
) -> kinesphere.Character:
    """A character of 1.70 m with a trunk of these half-widths in metres, and arms of this length times a person's.

    A ball is widest at the navel, a barrel everywhere, a pear at the hips, and a chest above.
    """
    figure = kinesphere.builtin.figure()
    skeleton = _with_arms(figure.skeleton, arms)
    heights, levels = np.linspace(LOW, HIGH, RINGS), np.linspace(-1.0, 1.0, RINGS)
    middle = {"ball": -0.1, "barrel": 0.0, "pear": -0.5, "chest": 0.4}[shape]
    bulge = 4.0 if shape == "barrel" else 2.0
    off = np.where(levels < middle, (middle - levels) / (1.0 + middle), (levels - middle) / (1.0 - middle))
    size = np.maximum(1.0 - off**bulge, 0.0) ** (1.0 / bulge)
    around = np.linspace(0.0, 2.0 * np.pi, SECTORS, endpoint=False)
    x, z = np.outer(wide * size, np.cos(around)), np.outer(deep * size, np.sin(around))
    # People are round in front: the back is half as deep.
    z = np.where(z < 0.0, 0.5 * z, z)
    lattice = np.stack([x, np.broadcast_to(heights[:, None], x.shape), z], axis=-1).reshape(-1, 3)
    joints = np.array([skeleton.index(name) for name in SPINE])
    at = skeleton.rest_world()[1][joints, 1]
    shares = np.stack([np.interp(lattice[:, 1], at, row) for row in np.eye(len(joints))], axis=1)
    trunk = Mesh.bound(
        skeleton, lattice, _lattice_triangles(), np.tile(joints, (len(lattice), 1)), shares, name="trunk"
    )
    return kinesphere.Character(f"{shape} {wide} {deep} {arms}", skeleton, (trunk, _arm_mesh(figure, skeleton)))


def _with_arms(skeleton: Skeleton, length: float) -> Skeleton:
    offsets = skeleton.offsets.copy()
    for name in ("LowerArm", "Hand"):
        for side in ("left", "right"):
            offsets[skeleton.index(side + name)] *= length
    return Skeleton(skeleton.names, skeleton.parents, offsets, skeleton.rest_rotations, dict(skeleton.roles))


def _lattice_triangles() -> Ints:
    ring, sector = (grid.ravel() for grid in np.meshgrid(np.arange(RINGS - 1), np.arange(SECTORS), indexing="ij"))
    after = (sector + 1) % SECTORS
    a, b = ring * SECTORS + sector, ring * SECTORS + after
    c, d = a + SECTORS, b + SECTORS
    return np.asarray(np.concatenate([np.stack([a, c, b], axis=1), np.stack([b, c, d], axis=1)]))


def _arm_mesh(figure: kinesphere.Character, skeleton: Skeleton) -> Mesh:
    """The figure's skin that its arms carry, on bones of another length."""
    mesh = figure.meshes[0]
    names = np.array(
        [
            any(part in name for part in ("UpperArm", "LowerArm", "Hand", "Thumb", "Index", "Middle", "Ring", "Little"))
            for name in figure.skeleton.names
        ]
    )
    carried: Floats = (mesh.weights * names[mesh.joints]).sum(axis=1)
    kept = np.flatnonzero(carried > 0.5)
    renumbered = np.full(len(carried), -1)
    renumbered[kept] = np.arange(len(kept))
    triangles = renumbered[mesh.triangles]
    triangles = triangles[(triangles >= 0).all(axis=1)]
    placed = Mesh(
        "arms", mesh.positions[kept], triangles, mesh.joints[kept], mesh.weights[kept], mesh.anchors[kept]
    ).posed(*skeleton.rest_world())
    return Mesh("arms", placed, triangles, mesh.joints[kept], mesh.weights[kept], mesh.anchors[kept])
