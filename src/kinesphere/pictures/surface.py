"""A character's surface made ready for drawing: all its triangles together, and normals that follow every pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.character import Character, Mesh

CLAY = (0.60, 0.415, 0.245)  # linear: what a surface without a colour is made of, the warm wood of a lay figure
_COARSE = 0.017  # of the body's size: cells whose vertices are one for soft shadows
_FURTHEST = 1e6  # metres
_SAME_PLACE = 1e-5  # of the surface's size
_SAME_WAY = 0.05  # normals that differ less belong to one smooth patch


@dataclass(frozen=True, eq=False)
class Surface:
    """The triangles of one or several bodies, posed."""

    points: Floats  # (V, 3) in the world
    normals: Floats  # (V, 3)
    triangles: Ints  # (F, 3)
    coarse: Ints  # (G, 3) fewer triangles of about the same shape, which soft shadows are cast by
    colours: Floats  # (V, 3) linear


@dataclass(frozen=True, eq=False)
class Skin:
    """What of a character's surface stays the same in every pose.

    Files cut a surface along the seams of textures; vertices of one place and one normal are then one vertex for
    shading. Cuts with different normals are edges that the artist wanted sharp.
    """

    meshes: tuple[Mesh, ...]
    triangles: Ints  # (F, 3)
    coarse: Ints  # (G, 3)
    groups: Ints  # (V,): vertices with one normal
    colours: Floats  # (V, 3) linear

    def posed(self, rotations_world: Floats, positions_world: Floats, scales: Floats | None = None) -> Surface:
        """The surface for joints turned ``(J, 4)`` and placed ``(J, 3)``."""
        parts = [mesh.posed(rotations_world, positions_world, scales) for mesh in self.meshes]
        points = np.ascontiguousarray(np.concatenate(parts)) if parts else np.empty((0, 3))
        normals = normals_of(points, self.triangles, self.groups)
        return Surface(points, normals, self.triangles, self.coarse, self.colours)


def skin_of(character: Character, plain: tuple[float, float, float] = CLAY) -> Skin:
    """The skin of a character; parts that are just white are of the ``plain`` colour."""
    meshes = tuple(mesh for mesh in character.meshes if len(mesh.triangles))
    if not meshes:
        raise ValueError(f"{character!r} has no surface to draw")
    triangles, coarse, groups, colours = [], [], [], []
    size = max(float(np.ptp(np.concatenate([mesh.positions for mesh in meshes]), axis=0).max()), 1e-9)
    vertices, patches = 0, 0
    for mesh in meshes:
        triangles.append(mesh.triangles + vertices)
        coarse.append(_coarse(mesh, _COARSE * size) + vertices)
        own = _patches(mesh)
        groups.append(own + patches)
        white = min(mesh.colour[:3]) > 0.99
        colours.append(np.tile(plain if white else mesh.colour[:3], (len(mesh.positions), 1)))
        vertices += len(mesh.positions)
        patches += int(own.max()) + 1
    parts = (np.concatenate(part) for part in (triangles, coarse, groups, colours))
    return Skin(meshes, *parts)


def plain_surface(points: Floats, triangles: Ints, colour: tuple[float, float, float] = CLAY) -> Surface:
    """A surface of one colour that is not bound to anything, smooth where its triangles share vertices."""
    vertices = np.ascontiguousarray(points, dtype=np.float64)
    faces = np.ascontiguousarray(triangles, dtype=np.intp)
    normals = normals_of(vertices, faces, np.arange(len(vertices)))
    return Surface(vertices, normals, faces, faces, np.tile(np.array(colour), (len(vertices), 1)))


def merge_surfaces(surfaces: list[Surface]) -> Surface:
    """Several bodies in one scene, so that they hide and shade each other."""
    if len(surfaces) == 1:
        return surfaces[0]
    starts = np.cumsum([0, *(len(surface.points) for surface in surfaces)])
    return Surface(
        np.concatenate([surface.points for surface in surfaces]),
        np.concatenate([surface.normals for surface in surfaces]),
        np.concatenate([s.triangles + start for s, start in zip(surfaces, starts[:-1], strict=True)]),
        np.concatenate([s.coarse + start for s, start in zip(surfaces, starts[:-1], strict=True)]),
        np.concatenate([surface.colours for surface in surfaces]),
    )


def drop_bad_triangles(surface: Surface) -> Surface:
    """Without the triangles that have a vertex which is no number, or is further away than anything can be."""
    good: NDArray[np.bool_] = np.all(np.abs(surface.points) < _FURTHEST, axis=1)
    if good.all():
        return surface
    points = np.where(good[:, None], surface.points, 0.0)
    normals = np.where(np.isfinite(surface.normals), surface.normals, 0.0)
    triangles, coarse = (kept[good[kept].all(axis=1)] for kept in (surface.triangles, surface.coarse))
    # Stray vertices must not stretch what is measured by all of them.
    points[~good] = points[good][0] if good.any() else 0.0
    return Surface(points, normals, triangles, coarse, surface.colours)


def normals_of(points: Floats, triangles: Ints, groups: NDArray[np.intp]) -> Floats:
    """``(V, 3)`` unit normals of a posed surface."""
    from kinesphere.pictures import rasterise

    normals = np.empty(points.shape)
    rasterise.accumulate_normals(points, triangles, groups, np.empty((int(groups.max(initial=-1)) + 1, 3)), normals)
    return normals


def _patches(mesh: Mesh) -> Ints:
    """For each vertex the number of its patch: same place, and same normal where the file has any."""
    size = max(float(np.ptp(mesh.positions, axis=0).max()), 1e-9)
    keys = [np.round(mesh.positions / (_SAME_PLACE * size))]
    if mesh.normals is not None:
        keys.append(np.round(mesh.normals / _SAME_WAY))
    _, patches = np.unique(np.concatenate(keys, axis=1), axis=0, return_inverse=True)
    return patches.reshape(-1).astype(np.intp)


def _coarse(mesh: Mesh, cell: float) -> Ints:
    """The triangles between cells of space: one vertex stands for all that one joint carries in a cell."""
    carrier = mesh.joints[np.arange(len(mesh.joints)), mesh.weights.argmax(axis=1)]
    keys = np.concatenate([np.floor(mesh.positions / cell), carrier[:, None]], axis=1)
    _, chosen, cells = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    triangles: Ints = chosen[cells.reshape(-1)[mesh.triangles]]
    a, b, c = triangles.T
    whole = triangles[(a != b) & (b != c) & (c != a)]
    # Each once, whichever of its corners it starts from.
    turned = np.take_along_axis(whole, (whole.argmin(axis=1)[:, None] + np.arange(3)) % 3, axis=1)
    return np.unique(turned, axis=0) if len(turned) else mesh.triangles
