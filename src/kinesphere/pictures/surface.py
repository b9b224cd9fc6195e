"""Skinned surfaces for drawing: all triangles of a character together, with vertex normals that follow every pose."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kinesphere import _native
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.character import Character, Mesh
from kinesphere.motion.memo import memoised
from kinesphere.pictures.paint import Paint, is_painted, paint_meshes

WOOD = (0.60, 0.415, 0.245)  # linear: the colour of surfaces that have none
_COARSE_CELL = 0.017  # of the body's size: vertices of a cell become one for soft shadows
_MAX_COORDINATE = 1e6  # metres
_SAME_POSITION = 1e-5  # of the surface's size
_SAME_NORMAL = 0.05  # normals that differ less belong to one smoothing group


@dataclass(frozen=True, eq=False)
class Surface:
    """The triangles of one or several bodies, posed."""

    points: Floats  # (V, 3) in the world
    normals: Floats  # (V, 3)
    triangles: Ints  # (F, 3)
    coarse: Ints  # (G, 3) fewer triangles of about the same shape, for soft shadows
    colours: Floats  # (V, 3) linear
    paint: Paint | None = None  # textures and all else that one colour a vertex cannot say
    clear: NDArray[np.bool_] | None = None  # (F,) triangles that cast no shadow, of a painted surface

    @property
    def casting(self) -> Ints:
        """``(n, 3)`` the triangles that cast a sharp shadow."""
        return self.triangles if self.clear is None else self.triangles[~self.clear]


@dataclass(frozen=True, eq=False)
class Skin:
    """A character's surface without its pose.

    Files cut a surface along the seams of textures. Vertices with the same position and normal are therefore one
    smoothing group; cuts with different normals are edges that the artist wanted sharp.
    """

    meshes: tuple[Mesh, ...]
    triangles: Ints  # (F, 3)
    coarse: Ints  # (G, 3)
    groups: Ints  # (V,) smoothing group: its vertices share one normal
    colours: Floats  # (V, 3) linear
    paint: Paint | None = None
    clear: NDArray[np.bool_] | None = None  # (F,)

    def pose(self, rotations_world: Floats, positions_world: Floats, scales: Floats | None = None) -> Surface:
        """The surface for joints with rotations ``(J, 4)`` and positions ``(J, 3)`` in the world."""
        parts = [mesh.posed(rotations_world, positions_world, scales) for mesh in self.meshes]
        points = np.ascontiguousarray(np.concatenate(parts)) if parts else np.empty((0, 3))
        normals = vertex_normals(points, self.triangles, self.groups)
        return Surface(points, normals, self.triangles, self.coarse, self.colours, self.paint, self.clear)


@memoised
def make_skin(character: Character, plain: tuple[float, float, float] = WOOD, clay: bool = False) -> Skin:
    """The skin of a character, with its textures and colours. Where nothing but one colour a mesh is known, or with
    ``clay``, parts that are just white get the ``plain`` colour.
    """
    meshes = tuple(mesh for mesh in character.meshes if len(mesh.triangles))
    if not meshes:
        raise ValueError(f"{character} has no surface to draw")
    triangles, coarse, groups, colours = [], [], [], []
    size = max(float(np.ptp(np.concatenate([mesh.positions for mesh in meshes]), axis=0).max()), 1e-9)
    vertices, smooth = 0, 0
    painted = None if clay or not any(is_painted(mesh) for mesh in meshes) else paint_meshes(meshes, plain)
    faces = 0
    for mesh in meshes:
        triangles.append(mesh.triangles + vertices)
        solid = mesh if painted is None else _without(mesh, painted.clear[faces : faces + len(mesh.triangles)])
        coarse.append(_coarse_triangles(solid, _COARSE_CELL * size) + vertices)
        faces += len(mesh.triangles)
        own = _smoothing_groups(mesh)
        groups.append(own + smooth)
        white = min(mesh.colour[:3]) > 0.99
        colours.append(np.tile(plain if white else mesh.colour[:3], (len(mesh.positions), 1)))
        vertices += len(mesh.positions)
        smooth += int(own.max()) + 1
    shape = np.concatenate(triangles), np.concatenate(coarse), np.concatenate(groups)
    if painted is None:
        return Skin(meshes, *shape, np.concatenate(colours))
    clear = painted.clear if painted.clear.any() else None
    return Skin(meshes, *shape, painted.colours, painted.paint, clear)


def _without(mesh: Mesh, triangles: NDArray[np.bool_]) -> Mesh:
    """A mesh without some of its triangles."""
    return replace(mesh, triangles=mesh.triangles[~triangles]) if triangles.any() else mesh


def plain_surface(points: Floats, triangles: Ints, colour: tuple[float, float, float] = WOOD) -> Surface:
    """A surface of one colour that is not bound to anything, smooth where its triangles share vertices."""
    vertices = np.ascontiguousarray(points, dtype=np.float64)
    faces = np.ascontiguousarray(triangles, dtype=np.intp)
    normals = vertex_normals(vertices, faces, np.arange(len(vertices)))
    return Surface(vertices, normals, faces, faces, np.tile(np.array(colour), (len(vertices), 1)))


def merge_surfaces(surfaces: list[Surface]) -> Surface:
    """Several bodies in one scene, so that they hide and shade each other; without paint."""
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
    """The surface without triangles that have a vertex which is not finite or absurdly far away."""
    near: NDArray[np.bool_] = np.abs(surface.points) < _MAX_COORDINATE
    if near.all():
        return surface
    good: NDArray[np.bool_] = np.all(near, axis=1)
    points = np.where(good[:, None], surface.points, 0.0)
    normals = np.where(np.isfinite(surface.normals), surface.normals, 0.0)
    whole = good[surface.triangles].all(axis=1)
    coarse = surface.coarse[good[surface.coarse].all(axis=1)]
    paint = surface.paint and surface.paint._replace(numbers=surface.paint.numbers[whole])
    clear = None if surface.clear is None else surface.clear[whole]
    # Unused vertices must not enlarge bounds that are measured over all of them.
    points[~good] = points[good][0] if good.any() else 0.0
    return Surface(points, normals, surface.triangles[whole], coarse, surface.colours, paint, clear)


def vertex_normals(points: Floats, triangles: Ints, groups: Ints) -> Floats:
    """``(V, 3)`` unit normals of a posed surface: one for each smoothing group."""
    normals = np.empty(points.shape)
    _native.surface.vertex_normals(points, triangles, groups, int(groups.max(initial=-1)) + 1, normals)
    return normals


def _smoothing_groups(mesh: Mesh) -> Ints:
    """``(V,)`` the group of each vertex: same position, and same normal where the file has any."""
    size = max(float(np.ptp(mesh.positions, axis=0).max()), 1e-9)
    keys = [np.round(mesh.positions / (_SAME_POSITION * size))]
    if mesh.normals is not None:
        keys.append(np.round(mesh.normals / _SAME_NORMAL))
    _, groups = np.unique(np.concatenate(keys, axis=1), axis=0, return_inverse=True)
    return groups.reshape(-1).astype(np.intp)


def _coarse_triangles(mesh: Mesh, cell: float) -> Ints:
    """Vertex clustering: one vertex stands for all of a cell of space whose main joint is the same."""
    main_joint = mesh.joints[np.arange(len(mesh.joints)), mesh.weights.argmax(axis=1)]
    keys = np.concatenate([np.floor(mesh.positions / cell), main_joint[:, None]], axis=1)
    _, chosen, cells = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    triangles: Ints = chosen[cells.reshape(-1)[mesh.triangles]]
    a, b, c = triangles.T
    whole = triangles[(a != b) & (b != c) & (c != a)]
    # Each once, whichever of its corners it starts from.
    rolled = np.take_along_axis(whole, (whole.argmin(axis=1)[:, None] + np.arange(3)) % 3, axis=1)
    return np.unique(rolled, axis=0) if len(rolled) else mesh.triangles
