"""The parts of a mesh, as arrays in the mesh's own space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinesphere.files.gltf.accessors import Accessors
from kinesphere.files.gltf.container import Document
from kinesphere.files.gltf.fields import Fields, finite_numbers
from kinesphere.kernels.arrays import Floats, Ints
from kinesphere.motion.character import WHITE

TRIANGLES, STRIP, FAN = 4, 5, 6
MOST_SETS = 8  # of four joints each
DRACO = "KHR_draco_mesh_compression"


@dataclass(frozen=True, eq=False)
class Primitive:
    """Triangles of one material."""

    where: Fields  # its attributes
    positions: Floats  # (V, 3)
    normals: Floats | None  # (V, 3)
    triangles: Ints  # (F, 3)
    joints: Ints | None  # (V, K): places in the skin
    weights: Floats | None  # (V, K), as the file has them
    colour: tuple[float, float, float, float]
    morphs: tuple[str, ...]


class PrimitiveReader:
    """Reads each mesh once, whatever the number of nodes that show it."""

    def __init__(self, document: Document, accessors: Accessors, warn: Callable[[str], None]) -> None:
        self.fields, self.accessors, self.warn = document.fields, accessors, warn
        self._known: dict[tuple[str, tuple[float, ...]], tuple[Primitive, ...]] = {}

    def read(self, mesh: Fields, node: Fields) -> tuple[Primitive, ...]:
        """The primitives of a mesh that are surfaces, blended as the node or else the mesh says."""
        blend = _blend(node) or _blend(mesh)
        key = mesh.where, blend if any(blend) else ()
        if key not in self._known:
            found = [self._primitive(mesh, primitive, blend) for primitive in mesh.each("primitives")]
            self._known[key] = tuple(primitive for primitive in found if primitive is not None)
        return self._known[key]

    def _primitive(self, mesh: Fields, primitive: Fields, blend: tuple[float, ...]) -> Primitive | None:
        mode = primitive.integer("mode", high=6, default=TRIANGLES)
        if DRACO in primitive.child("extensions"):
            self.warn(f"{primitive.where}: compressed with {DRACO}, which is not read; its surface was left out")
            return None
        attributes = primitive.child("attributes")
        if mode < TRIANGLES or "POSITION" not in attributes:
            return None  # points and lines are no surface
        positions = self._vertices(attributes, "POSITION", None)
        normals = self._vertices(attributes, "NORMAL", len(positions)) if "NORMAL" in attributes else None
        targets = primitive.count("targets")
        for place, weight in enumerate(blend[:targets]):
            if weight != 0.0 and "POSITION" in (target := primitive.item("targets", place)):
                positions = positions + weight * self._vertices(target, "POSITION", len(positions))
        joints, weights = self._influences(attributes, len(positions))
        return Primitive(
            where=attributes,
            positions=positions,
            normals=normals,
            triangles=self._triangles(primitive, mode, len(positions)),
            joints=joints,
            weights=weights,
            colour=self._colour(primitive),
            morphs=_morph_names(mesh, primitive, targets),
        )

    def _vertices(self, owner: Fields, name: str, count: int | None) -> Floats:
        values = self.accessors.read(owner, name, ("VEC3",))
        if count is not None and len(values) != count:
            raise owner.error(name, f"{len(values)} values", f"{count}, one a vertex")
        if not np.isfinite(values).all():
            raise owner.error(name, "a value that is no number", "finite numbers")
        return values

    def _influences(self, attributes: Fields, count: int) -> tuple[Ints | None, Floats | None]:
        """All sets of four joints and weights, side by side."""
        joints: list[Floats] = []
        weights: list[Floats] = []
        for number in range(MOST_SETS + 1):
            names = f"JOINTS_{number}", f"WEIGHTS_{number}"
            if not all(name in attributes for name in names):
                break
            if number == MOST_SETS:
                raise attributes.error(names[0], f"more than {4 * MOST_SETS} joints a vertex", "fewer")
            for name, values in zip(names, (joints, weights), strict=True):
                found = self.accessors.read(attributes, name, ("VEC4",))
                if len(found) != count:
                    raise attributes.error(name, f"{len(found)} values", f"{count}, one a vertex")
                if not np.isfinite(found).all() or found.min() < 0.0:
                    raise attributes.error(name, "a value below zero, or no number", "joints and their weights")
                values.append(found)
        if not joints:
            return None, None
        return np.concatenate(joints, axis=1).astype(np.intp), np.concatenate(weights, axis=1)

    def _triangles(self, primitive: Fields, mode: int, count: int) -> Ints:
        if "indices" in primitive:
            values = self.accessors.read(primitive, "indices", ("SCALAR",))[:, 0]
            if not (np.isfinite(values).all() and values.min() >= 0.0 and values.max() < count):
                raise primitive.error("indices", "an index out of range", f"vertices, 0 to {count - 1}")
            order: Ints = values.astype(np.intp)
        else:
            order = np.arange(count)
        if mode == TRIANGLES:
            return order[: len(order) // 3 * 3].reshape(-1, 3)
        first = np.arange(max(len(order) - 2, 0))
        if mode == FAN:
            return order[np.stack([first + 1, first + 2, np.zeros_like(first)], axis=1)]
        odd = first % 2
        return order[np.stack([first, first + 1 + odd, first + 2 - odd], axis=1)]

    def _colour(self, primitive: Fields) -> tuple[float, float, float, float]:
        if "material" not in primitive:
            return WHITE
        index = primitive.index("material", self.fields.count("materials"), "materials")
        surface = self.fields.item("materials", index).child("pbrMetallicRoughness")
        red, green, blue, opacity = surface.numbers("baseColorFactor", 4) or WHITE
        return (red, green, blue, opacity)


def _blend(owner: Fields) -> tuple[float, ...]:
    """How far the shapes are blended in at rest."""
    return finite_numbers(owner.data.get("weights"), owner.count("weights")) or ()


def _morph_names(mesh: Fields, primitive: Fields, count: int) -> tuple[str, ...]:
    """glTF has no names for shapes; by custom they stand in extras of the mesh, in older VRM files of the primitive."""
    for owner in (mesh, primitive):
        extras = owner.data.get("extras")
        names = extras.get("targetNames") if isinstance(extras, dict) else None
        if isinstance(names, list) and len(names) == count and all(isinstance(name, str) for name in names):
            return tuple(names)
    return tuple(f"morph_{place}" for place in range(count))
