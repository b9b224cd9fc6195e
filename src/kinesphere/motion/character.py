"""What a motion is shown on: a skeleton with a surface."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kinesphere.maths import rotations
from kinesphere.maths.vectors import ArrayLike, Floats, Ints, as_floats
from kinesphere.motion.checked_arrays import own_array
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.source import Source

WHITE = (1.0, 1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles that joints carry, in world space at rest.

    A file's rest pose need not be the pose that its surface was bound in, so a vertex may lie elsewhere for each of
    its joints. ``anchors`` keeps these places, and the surface moves exactly as the file says.

    Parameters
    ----------
    name
        What the file calls it.
    positions
        ``(V, 3)`` at rest, metres.
    triangles
        ``(F, 3)`` vertices, counter-clockwise seen from outside.
    joints, weights
        ``(V, K)``: which joints of the skeleton carry each vertex, and their shares, which sum to one.
    anchors
        ``(V, K, 3)``: the vertex in the frame of each of its joints (turned and placed as the joint, not scaled).
    normals
        ``(V, 3)`` at rest, or None where the file has none.
    colour
        Red, green, blue and opacity, from 0 to 1, linear, without any texture.
    morphs
        Names of the shapes that the mesh can be blended to.
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

    def __post_init__(self) -> None:
        positions = own_array(self.positions, "positions", (None, 3))
        count = len(positions)
        weights = own_array(self.weights, "weights", (count, None))
        each = weights.shape[1]
        joints = _indices(self.joints, "joints", (count, each))
        triangles = _indices(self.triangles, "triangles", (None, 3))
        if triangles.size and triangles.max() >= count:
            raise ValueError(f"triangles name vertex {triangles.max()}; allowed: 0 to {count - 1}")
        if weights.size and (weights.min() < 0.0 or np.abs(weights.sum(axis=1) - 1.0).max() > 1e-6):
            raise ValueError("weights: shares of one are expected, none below zero")
        normals = None if self.normals is None else own_array(self.normals, "normals", (count, 3))
        for name, value in (
            ("positions", positions),
            ("triangles", triangles),
            ("joints", joints),
            ("weights", weights),
            ("anchors", own_array(self.anchors, "anchors", (count, each, 3))),
            ("normals", normals),
            ("morphs", tuple(self.morphs)),
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
        """A surface bound to a skeleton as it stands at rest."""
        carriers = np.asarray(joints, dtype=np.intp)
        turned, placed = skeleton.rest_world()
        away = as_floats(positions)[:, None] - placed[carriers]
        anchors = rotations.rotate(rotations.conjugate(turned[carriers]), away)
        faces = np.asarray(triangles, dtype=np.intp)
        return cls(name, as_floats(positions), faces, carriers, as_floats(weights), anchors, colour=colour)

    def __repr__(self) -> str:
        return f"<Mesh {self.name!r}: {len(self.positions)} vertices, {len(self.triangles)} triangles>"

    @cached_property
    def _shares(self) -> tuple[tuple[int, Ints, Floats], ...]:
        """For each joint that carries anything: its vertices, each once, and weight × (anchor, 1) as ``(n, 4)``."""
        vertex, place = np.nonzero(self.weights > 0.0)
        joint, weight = self.joints[vertex, place], self.weights[vertex, place]
        full = weight[:, None] * np.concatenate([self.anchors[vertex, place], np.ones((len(vertex), 1))], axis=1)
        found = []
        for carrier in np.unique(joint).tolist():
            mine = joint == carrier
            vertices, at = np.unique(vertex[mine], return_inverse=True)
            summed = np.zeros((len(vertices), 4))
            np.add.at(summed, at, full[mine])  # a file may name a joint twice for one vertex
            found.append((carrier, vertices, summed))
        return tuple(found)

    def posed(self, rotations_world: ArrayLike, positions_world: ArrayLike, scales: ArrayLike | None = None) -> Floats:
        """Vertices ``(..., V, 3)`` for joints turned ``(..., J, 4)`` and placed ``(..., J, 3)`` in the world.

        Linear blend skinning: Σ wₖ (pₖ + Rₖ Sₖ aₖ), with each joint's position p, rotation R, surface scale S and
        the vertex's anchor a in its frame.
        """
        placed, turned = as_floats(positions_world), rotations.to_matrix(rotations_world)
        if scales is not None:
            turned = turned * as_floats(scales)[..., None, :]
        leading = placed.shape[:-2]
        frames = int(np.prod(leading))
        # Rows R S and p for each frame and coordinate, so that one matrix product moves all vertices of a joint.
        rows = np.concatenate([turned, placed[..., None]], axis=-1).reshape(frames, -1, 3, 4)
        result = np.zeros((len(self.positions), frames * 3))
        for joint, vertices, anchors in self._shares:
            result[vertices] += anchors @ rows[:, joint].reshape(-1, 4).T
        by_frame: Floats = result.reshape(-1, frames, 3).transpose(1, 0, 2)
        return np.ascontiguousarray(by_frame).reshape(*leading, -1, 3)


@dataclass(frozen=True, eq=False)
class Character:
    """A skeleton at rest (metres, Y up, humanoid roles where they are known) and the surface it carries.

    Parameters
    ----------
    name
        What the file calls it, or the file's own name.
    skeleton
        The joints, in the file's order.
    meshes
        The surface, one mesh for each part of one material. None at all for a bare skeleton.
    document
        Whatever the file's writer needs to write everything back; nobody else looks into it.
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

    @property
    def morphs(self) -> tuple[str, ...]:
        """Names of all shapes that the surface can be blended to, each once."""
        return tuple(dict.fromkeys(name for mesh in self.meshes for name in mesh.morphs))

    def posed(
        self, rotations_world: ArrayLike, positions_world: ArrayLike, scales: ArrayLike | None = None
    ) -> list[Floats]:
        """Vertices ``(..., V, 3)`` of each mesh, for joints turned and placed in the world."""
        return [mesh.posed(rotations_world, positions_world, scales) for mesh in self.meshes]

    def skinned(self, motion: Motion) -> list[Floats]:
        """Vertices ``(T, V, 3)`` of each mesh in every frame of a motion on this skeleton."""
        if not self.skeleton.same_tree(motion.skeleton):
            raise ValueError(
                f"the motion is of another skeleton ({motion.skeleton!r}) than the character's ({self.skeleton!r}); "
                "kinesphere.retarget brings it over"
            )
        turned, placed = motion.world()
        return self.posed(turned, placed, motion.scales)


def _indices(values: ArrayLike, name: str, shape: tuple[int | None, int]) -> Ints:
    array = np.array(values, dtype=np.intp)
    if array.ndim != 2 or array.shape[1] != shape[1] or shape[0] not in (None, len(array)):
        raise ValueError(f"{name}: shape {shape} expected, found {array.shape}")
    if array.size and array.min() < 0:
        raise ValueError(f"{name}: {array.min()} is no index")
    array.flags.writeable = False
    return array


# ---- How thick the soles of a character are, read from its surface.


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
