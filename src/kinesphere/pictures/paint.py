"""Paint of a surface: tints of its vertices and base-colour textures with mip levels (Williams 1983).

Texels are sRGB bytes. They are averaged and interpolated in linear light, so that a fine checker of black and white is
as bright from afar as it is near by.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinesphere import _native
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.character import Mesh
from kinesphere.motion.errors import MotionFileError, MotionFileWarning
from kinesphere.motion.material import Texels, Texture

_WRAPS = {"repeat": 0, "clamp": 1, "mirror": 2}
_TRANSPARENCIES = {"opaque": 0, "mask": 1, "blend": 2}
_DOUBLE_SIDED, _UNLIT, _NEAREST = 1, 2, 4  # flags
_EXPOSURE = 0.78  # of lit colours: our lamps are strong, as suits wood, and textures should keep their tone
_MOST_SIDE, _MOST_SIDE_OF_MANY, _MANY = 2048, 1024, 4  # texels along a side of a few textures, or of many
_MOST_TEXELS = 1 << 26  # of all textures of a character
_VERTEX_SIDE = 256  # texels along a side of the level that colours of vertices are taken from
_CASTS_SHADOW = 0.5  # opacity of a triangle that casts a shadow


class Paint(NamedTuple):
    """Colours of a surface, as loops take them (``paint.hpp``)."""

    coordinates: Floats  # (V, 2) on the texture: right and down, 0 to 1
    tints: Floats  # (V, 4) linear colour and opacity that texels are multiplied by
    numbers: NDArray[np.int32]  # (F,) material of each triangle
    materials: NDArray[np.int32]  # (M, 6) first level, levels, wraps across and down, transparency, flags
    cutoffs: Floats  # (M,)
    levels: Ints  # (L, 3) first texel, rows and columns
    texels: Texels  # (N, 4) sRGB and opacity
    decoded: Floats  # (256,) linear light of an sRGB byte


@dataclass(frozen=True, eq=False)
class PaintedMeshes:
    """The paint of some meshes, and what else is drawn by it."""

    paint: Paint
    colours: Floats  # (V, 3) linear, of vertices: what is drawn pale needs no more
    clear: NDArray[np.bool_]  # (F,) triangles that are too clear to cast a shadow


def decode_srgb(values: Floats) -> Floats:
    """The linear light of sRGB values from 0 to 1 (IEC 61966-2-1)."""
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


@cache
def decoded_bytes() -> Floats:
    """``(256,)`` the linear light of sRGB bytes."""
    return decode_srgb(np.arange(256) / 255.0)


@cache
def encoded_light() -> Texels:
    """sRGB bytes for linear light from 0 to 1 in fine steps."""
    light = np.linspace(0.0, 1.0, 16384)
    value = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1.0 / 2.4) - 0.055)
    return np.round(255.0 * value).astype(np.uint8)


def is_painted(mesh: Mesh) -> bool:
    """Whether a mesh has more to show than one colour."""
    material = mesh.material
    return (
        (material.texture is not None and mesh.texture_coordinates is not None)
        or mesh.vertex_colours is not None
        or material.unlit
        or material.transparency != "opaque"
    )


def paint_meshes(meshes: Sequence[Mesh], plain: tuple[float, float, float]) -> PaintedMeshes:
    """The paint of meshes one after the other. Where a texture cannot be read, a white mesh is ``plain``."""
    book = _TextureBook(meshes)
    materials, cutoffs, tints, coordinates, numbers = [], [], [], [], []
    for number, mesh in enumerate(meshes):
        look, textured = mesh.material, _has_texture(mesh)
        first, count = book.find(mesh) if textured else (0, 0)
        lost = textured and count == 0 and min(mesh.colour[:3]) > 0.99 and mesh.vertex_colours is None
        flags = _DOUBLE_SIDED * look.double_sided + _UNLIT * (look.unlit and not lost)
        flags += _NEAREST * (look.texture is not None and look.texture.nearest)
        across, down = ("repeat", "repeat") if look.texture is None else look.texture.wrap
        wraps = _WRAPS[across], _WRAPS[down]
        materials.append([first, count, *wraps, _TRANSPARENCIES[look.transparency], flags])
        cutoffs.append(look.cutoff)
        tint = np.tile(np.array(mesh.colour), (len(mesh.positions), 1))
        if mesh.vertex_colours is not None:
            tint = tint * mesh.vertex_colours
        if lost:
            tint[:, :3] = plain
        elif not look.unlit:
            tint[:, :3] *= _EXPOSURE
        tints.append(tint)
        own = mesh.texture_coordinates
        coordinates.append(np.zeros((len(tint), 2)) if own is None else own)
        numbers.append(np.full(len(mesh.triangles), number, dtype=np.int32))
    paint = Paint(
        np.concatenate(coordinates),
        np.clip(np.concatenate(tints), 0.0, 1.0),
        np.concatenate(numbers),
        np.array(materials, dtype=np.int32),
        np.array(cutoffs),
        *book.bound(),
        decoded_bytes(),
    )
    return _measure(paint, meshes)


def _measure(paint: Paint, meshes: Sequence[Mesh]) -> PaintedMeshes:
    """Colours of vertices, and which triangles are clear."""
    colours = np.empty((len(paint.tints), 3))
    clear, start = [], 0
    for mesh, material in zip(meshes, paint.materials.tolist(), strict=True):
        rows = slice(start, start + len(mesh.positions))
        shown = paint.tints[rows] * _texels_at(paint, material, paint.coordinates[rows])
        colours[rows] = shown[:, :3]
        if material[4] == _TRANSPARENCIES["opaque"]:
            clear.append(np.zeros(len(mesh.triangles), dtype=bool))
        else:
            middles = paint.coordinates[rows][mesh.triangles].mean(axis=1)
            opacity = paint.tints[rows][mesh.triangles, 3].mean(axis=1) * _texels_at(paint, material, middles)[:, 3]
            clear.append((shown[mesh.triangles, 3].max(axis=1) < _CASTS_SHADOW) & (opacity < _CASTS_SHADOW))
        start = rows.stop
    return PaintedMeshes(paint, np.ascontiguousarray(colours), np.concatenate(clear))


def _texels_at(paint: Paint, material: list[int], coordinates: Floats) -> Floats:
    """``(N, 4)`` linear colour and opacity of the nearest texels of a coarse level; ones without a texture."""
    first, count = material[:2]
    if count == 0:
        return np.ones((len(coordinates), 4))
    level = next(
        (n for n in range(first, first + count) if paint.levels[n, 1:].max() <= _VERTEX_SIDE), first + count - 1
    )
    start, rows, columns = paint.levels[level].tolist()
    finite = np.where(np.abs(coordinates) < 1e6, coordinates, 0.0)
    column = _wrap(np.floor(finite[:, 0] * columns).astype(np.intp), columns, material[2])
    row = _wrap(np.floor(finite[:, 1] * rows).astype(np.intp), rows, material[3])
    texels = paint.texels[start + row * columns + column]
    return np.concatenate([paint.decoded[texels[:, :3]], texels[:, 3:] / 255.0], axis=1)


def _wrap(index: Ints, count: int, how: int) -> Ints:
    if how == _WRAPS["clamp"]:
        return np.clip(index, 0, count - 1)
    period = 2 * count if how == _WRAPS["mirror"] else count
    within = index % period
    wrapped: Ints = np.where(within < count, within, period - 1 - within)
    return wrapped


# Textures


def _has_texture(mesh: Mesh) -> bool:
    return mesh.material.texture is not None and mesh.texture_coordinates is not None


class _TextureBook:
    """The mip levels of all textures of some meshes, each picture decoded once."""

    def __init__(self, meshes: Sequence[Mesh]) -> None:
        pictures = {mesh.material.texture.picture for mesh in meshes if mesh.material.texture is not None}
        self.most = _MOST_SIDE if len(pictures) <= _MANY else _MOST_SIDE_OF_MANY
        self._found: dict[tuple[object, bool], tuple[int, int]] = {}
        self._levels: list[Texels] = []
        self._texels = 0

    def find(self, mesh: Mesh) -> tuple[int, int]:
        """The first level of a mesh's texture and how many there are; (0, 0) if it cannot be read."""
        texture = mesh.material.texture
        assert texture is not None
        weighted = mesh.material.transparency != "opaque"
        key = texture.picture, weighted
        if key not in self._found:
            levels = self._read(texture, weighted)
            self._found[key] = (len(self._levels), len(levels)) if levels else (0, 0)
            self._levels += levels
        return self._found[key]

    def _read(self, texture: Texture, weighted: bool) -> list[Texels]:
        try:
            texels = texture.picture.decode(self.most)
        except (MotionFileError, OSError) as error:
            warnings.warn(f"{error}; the surface is shown without it", MotionFileWarning, stacklevel=7)
            return []
        levels = mip_levels(texels, self.most, weighted)
        self._texels += sum(level[..., 0].size for level in levels)
        if self._texels > _MOST_TEXELS:
            message = f"more than {_MOST_TEXELS} texels in all textures; some surfaces are shown without theirs"
            warnings.warn(message, MotionFileWarning, stacklevel=7)
            return []
        return levels

    def bound(self) -> tuple[Ints, Texels]:
        """Where each level begins with its rows and columns ``(L, 3)``, and all texels ``(N, 4)``."""
        if not self._levels:
            return np.zeros((0, 3), dtype=np.intp), np.zeros((0, 4), dtype=np.uint8)
        sizes = np.array([level.shape[:2] for level in self._levels], dtype=np.intp)
        starts = np.cumsum([0, *(sizes[:, 0] * sizes[:, 1])[:-1]])
        texels = np.concatenate([level.reshape(-1, 4) for level in self._levels])
        return np.ascontiguousarray(np.column_stack([starts, sizes])), texels


def mip_levels(texels: Texels, most: int, weighted: bool = False) -> list[Texels]:
    """A texture ``(H, W, 4)`` and ever smaller ones down to a texel; those larger than ``most`` are left out.

    ``weighted``: texels count as much as they are opaque.
    """
    levels = [np.ascontiguousarray(texels)]
    while max(levels[-1].shape[:2]) > 1:
        rows, columns = levels[-1].shape[:2]
        smaller = np.empty((max(rows // 2, 1), max(columns // 2, 1), 4), dtype=np.uint8)
        _native.paint.halve_texture(levels[-1], weighted, decoded_bytes(), encoded_light(), smaller)
        levels.append(smaller)
    return [level for level in levels if max(level.shape[:2]) <= most]
