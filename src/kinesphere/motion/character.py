"""Characters: a skeleton with skinned meshes (linear blend skinning), and the thickness of its soles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kinesphere.maths import rotations
from kinesphere.maths.vectors import ArrayLike, Floats, Ints, as_floats, unit
from kinesphere.motion.checked_arrays import check_array
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.material import PLAIN, Material
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.source import Source

WHITE = (1.0, 1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Mesh:
    """A skinned triangle mesh, in world space at rest.

    A file's rest pose need not be its bind pose, so each joint of a vertex may put it at another position at rest.
    ``anchors`` keeps these positions, and the surface moves exactly as the file says.

    Parameters
    ----------
    name
        As in the file.
    positions
        ``(V, 3)`` at rest, metres.
    triangles
        ``(F, 3)`` vertices, counter-clockwise from outside.
    joints, weights
        ``(V, K)``: the joints of the skeleton that each vertex is bound to, and their weights, which sum to one.
    anchors
        ``(V, K, 3)``: the vertex in the frame of each of its joints (rotation and position of the joint, no scale).
    normals
        ``(V, 3)`` at rest, or None where the file has none.
    colour
        Red, green, blue and opacity, from 0 to 1, linear, without any texture.
    morphs
        Names of the mesh's morph targets.
    material
        Its texture, and how it is lit and seen through.
    texture_coordinates
        ``(V, 2)``: right and down on the texture, from 0 to 1; or None.
    vertex_colours
        ``(V, 4)``: red, green, blue and opacity, linear, that multiply ``colour``; or None.
    """

    name: str
    positions: Floats
    triangles: Ints
    joints: Ints
    weights: Floats
    anchors: Floats
    normals: Floats | None = None
    colour: tuple[float, float, float, float] = WHITE
    morphs: tuple[str, ...] = ()
    material: Material = PLAIN
    texture_coordinates: Floats | None = None
    vertex_colours: Floats | None = None

    def __post_init__(self) -> None:
        positions = check_array(self.positions, "positions", (None, 3))
        count = len(positions)
        weights = check_array(self.weights, "weights", (count, None))
        each = weights.shape[1]
        joints = _indices(self.joints, "joints", (count, each))
        triangles = _indices(self.triangles, "triangles", (None, 3))
        if triangles.size and triangles.max() >= count:
            raise ValueError(f"triangles name vertex {triangles.max()}; allowed: 0 to {count - 1}")
        if weights.size and (weights.min() < 0.0 or np.abs(weights.sum(axis=1) - 1.0).max() > 1e-6):
            raise ValueError("weights: shares of one are expected, none below zero")
        widths = {"normals": 3, "texture_coordinates": 2, "vertex_colours": 4}
        given = {name: getattr(self, name) for name in widths}
        for name, value in (
            ("positions", positions),
            ("triangles", triangles),
            ("joints", joints),
            ("weights", weights),
            ("anchors", check_array(self.anchors, "anchors", (count, each, 3))),
            ("morphs", tuple(self.morphs)),
            *((name, check_array(v, name, (count, widths[name]))) for name, v in given.items() if v is not None),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def bound(
        cls,
        skeleton: Skeleton,
        positions: ArrayLike,
        triangles: ArrayLike,
        joints: ArrayLike,
        weights: ArrayLike,
        *,
        name: str = "",
        colour: tuple[float, float, float, float] = WHITE,
    ) -> Mesh:
        """A mesh bound to a skeleton in its rest pose."""
        bound = np.asarray(joints, dtype=np.intp)
        rest_rotations, rest_positions = skeleton.rest_world()
        offsets = as_floats(positions)[:, None] - rest_positions[bound]
        anchors = rotations.rotate(rotations.conjugate(rest_rotations[bound]), offsets)
        faces = np.asarray(triangles, dtype=np.intp)
        return cls(name, as_floats(positions), faces, bound, as_floats(weights), anchors, colour=colour)

    def __repr__(self) -> str:
        return f"<Mesh {self.name!r}: {len(self.positions)} vertices, {len(self.triangles)} triangles>"

    @cached_property
    def _anchors_by_joint(self) -> tuple[tuple[int, Ints, Floats], ...]:
        """For each joint with vertices: the vertices, each once, and weight × (anchor, 1) as ``(n, 4)``."""
        vertex, slot = np.nonzero(self.weights > 0.0)
        joint, weight = self.joints[vertex, slot], self.weights[vertex, slot]
        weighted = weight[:, None] * np.concatenate([self.anchors[vertex, slot], np.ones((len(vertex), 1))], axis=1)
        found = []
        for bound in np.unique(joint).tolist():
            own = joint == bound
            vertices, row = np.unique(vertex[own], return_inverse=True)
            total = np.zeros((len(vertices), 4))
            np.add.at(total, row, weighted[own])  # a file may name a joint twice for one vertex
            found.append((bound, vertices, total))
        return tuple(found)

    def posed(self, rotations_world: ArrayLike, positions_world: ArrayLike, scales: ArrayLike | None = None) -> Floats:
        """Vertices ``(..., V, 3)`` for world rotations ``(..., J, 4)`` and positions ``(..., J, 3)`` of the joints.

        Linear blend skinning: Σ wₖ (pₖ + Rₖ Sₖ aₖ), with each joint's position p, rotation R, surface scale S and
        the vertex's anchor a in its frame.
        """
        positions, matrices = as_floats(positions_world), rotations.to_matrix(rotations_world)
        if scales is not None:
            matrices = matrices * as_floats(scales)[..., None, :]
        leading = positions.shape[:-2]
        frames = int(np.prod(leading))
        # Rows R S and p for each frame and coordinate, so that one matrix product moves all vertices of a joint.
        rows = np.concatenate([matrices, positions[..., None]], axis=-1).reshape(frames, -1, 3, 4)
        result = np.zeros((len(self.positions), frames * 3))
        for joint, vertices, anchors in self._anchors_by_joint:
            result[vertices] += anchors @ rows[:, joint].reshape(-1, 4).T
        by_frame: Floats = result.reshape(-1, frames, 3).transpose(1, 0, 2)
        return np.ascontiguousarray(by_frame).reshape(*leading, -1, 3)


@dataclass(frozen=True, eq=False)
class Character:
    """A skeleton at rest (metres, Y up, humanoid roles where they are known) and its skinned meshes.

    Parameters
    ----------
    name
        As in the file, or the file's own name.
    skeleton
        The joints, in the file's order.
    meshes
        The surface, one mesh a material. Empty for a bare skeleton.
    document
        What the file's writer needs to write everything back; private to that writer.
    source
        Where it came from, and what was converted and why.
    """

    name: str
    skeleton: Skeleton
    meshes: tuple[Mesh, ...] = ()
    document: object = field(default=None, repr=False)
    source: Source = field(default_factory=Source)

    def __post_init__(self) -> None:
        meshes = tuple(self.meshes)
        for mesh in meshes:
            if mesh.joints.size and mesh.joints.max() >= len(self.skeleton):
                raise ValueError(f"{mesh} names joint {mesh.joints.max()}; allowed: 0 to {len(self.skeleton) - 1}")
        object.__setattr__(self, "meshes", meshes)

    def __repr__(self) -> str:
        vertices = sum(len(mesh.positions) for mesh in self.meshes)
        return f"<Character {self.name!r}: {len(self.skeleton)} joints, {vertices} vertices>"

    def __str__(self) -> str:
        """In a sentence."""
        return f"the character {self.name!r}" if self.name else f"a character of {len(self.skeleton)} joints"

    @property
    def morphs(self) -> tuple[str, ...]:
        """Names of all morph targets, each once."""
        return tuple(dict.fromkeys(name for mesh in self.meshes for name in mesh.morphs))

    def posed(
        self, rotations_world: ArrayLike, positions_world: ArrayLike, scales: ArrayLike | None = None
    ) -> list[Floats]:
        """Vertices ``(..., V, 3)`` of each mesh, for world rotations and positions of the joints."""
        return [mesh.posed(rotations_world, positions_world, scales) for mesh in self.meshes]

    def skinned(self, motion: Motion) -> list[Floats]:
        """Vertices ``(T, V, 3)`` of each mesh in every frame of a motion on this skeleton."""
        if not self.skeleton.same_tree(motion.skeleton):
            raise ValueError(
                f"the motion is of another skeleton ({motion.skeleton}) than the character's ({self.skeleton}); "
                "kinesphere.retarget brings it over"
            )
        return self.posed(*motion.world(), motion.scales)


def _indices(values: ArrayLike, name: str, shape: tuple[int | None, int]) -> Ints:
    array = np.array(values, dtype=np.intp)
    if array.ndim != 2 or array.shape[1] != shape[1] or shape[0] not in (None, len(array)):
        raise ValueError(f"{name}: shape {shape} expected, found {array.shape}")
    if array.size and array.min() < 0:
        raise ValueError(f"{name}: {array.min()} is no index")
    array.flags.writeable = False
    return array


MOST_DEPTH = 0.6  # of the hips' height over the ankles: what is lower is no sole
SOLE_THICKNESS = 0.06  # of the hips' height over the ankles: what is higher above the sole is no part of it


def sole_depths(skeleton: Skeleton, meshes: Iterable[Mesh]) -> dict[str, float]:
    """How far the surface of each foot reaches from its joint at rest; only feet that have a surface.

    ``leftFoot`` is the depth below the joint, ``leftFootFront`` and ``leftFootBack`` the level distances to both ends
    of the sole.
    """
    rest = skeleton.rest_world()[1]
    found = {}
    shown = list(meshes)
    for side in SIDES:
        roles = [skeleton.roles.get(f"{side}{part}") for part in ("Foot", "UpperLeg")]
        if None in roles:
            continue
        foot, hip = (int(joint) for joint in roles if joint is not None)
        joints = skeleton.descendants(foot)
        surface = np.concatenate(
            [np.empty((0, 3))]
            + [mesh.positions[np.sum(mesh.weights * np.isin(mesh.joints, joints), axis=1) > 0.5] for mesh in shown]
        )
        if not len(surface):
            continue
        leg, depth = float(rest[hip, 1] - rest[foot, 1]), float(rest[foot, 1] - surface[:, 1].min())
        if 0.0 < depth < MOST_DEPTH * leg:
            found[f"{side}Foot"] = depth
            low = surface[surface[:, 1] < surface[:, 1].min() + SOLE_THICKNESS * leg]
            ahead = (low - rest[foot]) @ _foot_heading(skeleton, side, rest)
            found[f"{side}FootFront"] = max(float(ahead.max()), 0.0)
            found[f"{side}FootBack"] = max(float(-ahead.min()), 0.0)
    return found


def _foot_heading(skeleton: Skeleton, side: str, rest: Floats) -> Floats:
    """The level direction ``(3,)`` of a foot at rest: that of its toe joint, else the body's."""
    roles = skeleton.roles
    left, right = (roles.get(f"{name}UpperLeg") for name in SIDES)
    across = rest[left] - rest[right] if left is not None and right is not None else np.array([1.0, 0.0, 0.0])
    forward = unit(np.array([-across[2], 0.0, across[0] + 1e-12]))
    toes = roles.get(f"{side}Toes")
    bone = (rest[toes] - rest[roles[f"{side}Foot"]]) * [1.0, 0.0, 1.0] if toes is not None else np.zeros(3)
    return unit(bone) if float(bone @ forward) > 0.5 * float(np.linalg.norm(bone)) > 0.0 else forward
