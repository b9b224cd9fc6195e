"""The studio's light: a warm, wide key light from the upper left, a cool sky, what the floor throws back, and a rim."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from kinesphere.kernels.arrays import Floats, Ints
from kinesphere.pictures.camera import Camera
from kinesphere.pictures.surface import Surface

Map = NDArray[np.float32]

KEY, SKY, BOUNCE, RIM = 0, 1, 2, 3
LAMPS = np.array(
    [
        [1.28, 1.14, 0.96],  # key, warm
        [0.36, 0.40, 0.47],  # sky, cool
        [0.19, 0.165, 0.14],  # bounce: the floor is paper
        [0.10, 0.12, 0.16],  # rim
    ]
)
_ASIDE, _ABOVE = np.radians(-50.0), np.radians(47.0)  # of the key light: from the camera's left, above the horizon
_RADIUS = np.radians(4.5)  # of the key light as the scene sees it: how soft shadows are
_GOLDEN = 2.399963229728653

_AROUND = 1.75  # body heights from the target to the edge of the floor's maps
_TOUCHING, _TOUCH_RAYS = 0.06, 16  # body heights above the floor that count as touching it
_BIAS = 0.015  # body heights that a shadow's thrower must be nearer to the lamp
_SOFT = 0.020  # body heights over which a shadow on the body softens


@dataclass(frozen=True)
class Effort:
    """How finely light is followed: rays to the lamps, and texels along the sides of the maps."""

    key_rays: int = 30
    sky_rays: int = 18
    open_rays: int = 10
    key_side: int = 352
    sky_side: int = 96
    lamp_side: int = 288
    open_side: int = 96


FILM = Effort()
STILL = Effort(56, 40, 20, 512, 144, 576, 144)
SMALL = Effort(14, 10, 6, 176, 64, 176, 64)
MEDIUM = Effort(22, 14, 8, 272, 80, 240, 80)
_SMALL_AREA, _MEDIUM_AREA = 100_000, 200_000  # pixels of a panel in which nobody sees more


def effort_for(panel: tuple[int, int]) -> Effort:
    """What a panel of a film or a sheet is worth."""
    area = panel[0] * panel[1]
    return SMALL if area < _SMALL_AREA else MEDIUM if area < _MEDIUM_AREA else FILM


@dataclass(frozen=True, eq=False)
class Shades:
    """What is kept of the light, in one picture."""

    key: Map  # square, over the floor: the share of the key light that does not arrive
    sky: Map
    touch: Map  # as fine as the key's: the share of the sky that what touches the floor keeps away
    corners: Floats  # (2, 2) where key and sky start (x, z)
    texels: Floats  # (2,)
    lamp: Map  # what the key light meets first: height along its way
    lamp_frame: Floats  # (5, 3), see jit_light.shade_surface
    sky_seen: Floats  # (V,) the share of the sky that each vertex sees


def way_to_key(camera: Camera) -> Floats:
    """The direction of the key light: it stands still in the studio, placed as the camera looks."""
    upright = np.array([0.0, 1.0, 0.0])
    level = np.cross(camera.right, upright)  # from the scene to the camera, over the floor
    aside = np.cos(_ASIDE) * level + np.sin(_ASIDE) * camera.right
    way: Floats = np.cos(_ABOVE) * aside + np.sin(_ABOVE) * upright
    return way / np.linalg.norm(way)


def cast(
    surface: Surface, camera: Camera, target: Floats, floor: float, height: float, effort: Effort = FILM
) -> Shades:
    """All shadows of a surface: on the floor around the target, and on itself."""
    way = way_to_key(camera)
    around = _AROUND * height
    # The maps are laid to reach further where the shadow falls, on whole texels so that they do not swim.
    middle = np.array([target[0], target[2]]) - 0.45 * height * way[[0, 2]] / np.linalg.norm(way[[0, 2]])
    key_texel, sky_texel = 2.0 * around / effort.key_side, 2.0 * around / effort.sky_side
    corners = np.stack([np.floor((middle - around) / texel) * texel for texel in (key_texel, sky_texel)])
    key = _on_floor(
        surface, _key_rays(tuple(way.tolist()), effort.key_rays), floor, corners[0], key_texel, effort.key_side, (1, 2)
    )
    sky = _on_floor(surface, _sky_rays(effort.sky_rays), floor, corners[1], sky_texel, effort.sky_side, (1, 3))
    touch = _on_floor(
        _low(surface, floor + _TOUCHING * height),
        _sky_rays(_TOUCH_RAYS),
        floor,
        corners[0],
        key_texel,
        effort.key_side,
        (1, 2),
    )
    (lamp,), (lamp_frame,) = _first_met(surface, surface.triangles, way[None], height, effort.lamp_side)
    lamp_frame[4] = [floor, 0.16 * height, 0.0]
    seen = _sky_seen(surface, height, effort)
    return Shades(key, sky, touch, corners, np.array([key_texel, sky_texel]), lamp, lamp_frame, seen)


def _low(surface: Surface, below: float) -> Surface:
    """Only what is near the floor: a sky seen coarsely would let feet float."""
    low = surface.points[:, 1] < below
    return replace(surface, coarse=surface.coarse[low[surface.coarse].all(axis=1)])


def _on_floor(
    surface: Surface, rays: Floats, floor: float, corner: Floats, texel: float, side: int, blur: tuple[int, int]
) -> Map:
    from kinesphere.kernels import jit_raster
    from kinesphere.pictures import jit_ground

    met = np.zeros((side, side), dtype=np.int64)
    jit_raster.fill_shadow(surface.points, surface.coarse, rays, floor, corner, texel, met)
    shade = np.empty((side, side), dtype=np.float32)
    jit_raster.count_lamps(met, 1.0 / len(rays), shade)
    jit_ground.soften(shade, np.empty_like(shade), *blur)
    return shade


def _sky_seen(surface: Surface, height: float, effort: Effort) -> Floats:
    """How much of the sky each vertex sees, past everything that stands in its way."""
    from kinesphere.pictures import jit_light

    ways = _sky_rays(effort.open_rays)
    maps, frames = _first_met(surface, surface.coarse, ways, height, effort.open_side)
    whole, seen = np.full(len(surface.points), 1e-3), np.full(len(surface.points), 1e-3)
    jit_light.open_sky(surface.points, surface.normals, ways, maps, frames, whole, seen)
    share: Floats = seen / whole
    return share


def _first_met(surface: Surface, triangles: Ints, ways: Floats, height: float, side: int) -> tuple[Map, Floats]:
    """Lamps' own pictures ``(L, N, N)`` of the surface, without perspective: how far along its way each meets it.

    With them goes how each picture lies in the world, ``(L, 5, 3)``: see ``jit_light.shade_surface``.
    """
    from kinesphere.kernels import jit_raster

    maps = np.full((len(ways), side, side), -1e30, dtype=np.float32)
    one = np.cross([0.0, 1.0, 0.01], ways)
    one /= np.linalg.norm(one, axis=1, keepdims=True)
    other = np.cross(ways, one)
    frames = np.zeros((len(ways), 5, 3))
    frames[:, 0], frames[:, 1], frames[:, 3] = one, other, [1.0, 0.0, 1.0]
    x, y, depth = (axes @ surface.points.T for axes in (one, other, ways))
    ids = np.empty((side, side), dtype=np.int32)
    for number in range(len(ways) if len(triangles) else 0):
        u, v = x[number], y[number]
        low, high = np.array([u.min(), v.min()]), np.array([u.max(), v.max()])
        # A body larger than that gets coarser shadows on itself rather than none; whole texels keep them from swimming.
        texel = max(2.4 * height / side, float((high - low).max()) / (0.98 * side))
        corner = np.floor(0.5 * (low + high) / texel) * texel - 0.5 * side * texel
        frames[number, 2] = corner[0] * one[number] + corner[1] * other[number]
        frames[number, 3] = texel, max(_BIAS * height, texel), _SOFT * height
        across, down = (u - corner[0]) / texel, (v - corner[1]) / texel
        jit_raster.fill_depth(across, down, depth[number], triangles, maps[number], ids)
    return maps, frames


@cache
def _key_rays(way: tuple[float, ...], count: int) -> Floats:
    """Rays to places spread evenly over the lamp's disc."""
    towards = np.array(way)
    one = np.cross([0.0, 1.0, 0.0], towards)
    one /= np.linalg.norm(one)
    other = np.cross(towards, one)
    number = np.arange(count)
    away = np.tan(_RADIUS) * np.sqrt((number + 0.5) / count)
    angle = number * _GOLDEN
    rays: Floats = towards + (away * np.cos(angle))[:, None] * one + (away * np.sin(angle))[:, None] * other
    return rays


@cache
def _sky_rays(count: int) -> Floats:
    """Rays over the sky, as many from each part as it lights a level floor; not quite from the horizon."""
    number = np.arange(count)
    flat = np.sqrt((number + 0.5) / count) * 0.93
    angle = number * _GOLDEN
    return np.stack([flat * np.cos(angle), np.sqrt(1.0 - flat**2), flat * np.sin(angle)], axis=1)
