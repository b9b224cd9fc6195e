"""Studio lighting: shadow maps, ambient occlusion, soft shadows on the floor, and the shading of samples.

Four lamps, in linear colours: a warm and wide key light from the upper left, cool ambient light from the whole sky,
light bounced back by the floor, and a rim. Shadows on the body are a depth map with percentage-closer filtering
(Reeves et al. 1987). Ambient occlusion is sampled once a vertex, by depth maps from directions all over the sky.
Shadows on the floor are the body projected along many rays.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinesphere import _native
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.pictures.camera import Camera
from kinesphere.pictures.rasterise import FloorMap
from kinesphere.pictures.surface import Surface

Map = NDArray[np.float32]

KEY, AMBIENT, BOUNCE, RIM = 0, 1, 2, 3
LAMPS = np.array(
    [
        [1.28, 1.14, 0.96],  # key, warm
        [0.36, 0.40, 0.47],  # ambient, cool
        [0.19, 0.165, 0.14],  # bounce: the floor is paper
        [0.10, 0.12, 0.16],  # rim
    ]
)
_KEY_AZIMUTH, _KEY_ELEVATION = np.radians(-50.0), np.radians(47.0)  # from the camera's left, above the horizon
_KEY_RADIUS = np.radians(4.5)  # of the key light as the scene sees it: how soft shadows are
_GOLDEN_ANGLE = 2.399963229728653

_MAP_RADIUS = 1.75  # body heights from the target to the edge of the floor's maps
_CONTACT_HEIGHT, _CONTACT_RAYS = 0.06, 16  # body heights above the floor that count as touching it
_SOFTNESS = 0.020  # body heights over which a shadow on the body softens
_FLOOR_DARKENING = 0.16  # body heights above the floor over which it darkens what faces down


@dataclass(frozen=True)
class Quality:
    """How finely light is sampled: numbers of rays, and texels along the sides of maps."""

    key_rays: int = 30
    ambient_rays: int = 18
    occlusion_rays: int = 10
    key_side: int = 352
    ambient_side: int = 96
    shadow_map_side: int = 288
    occlusion_side: int = 96


FILM = Quality()
STILL = Quality(56, 40, 20, 512, 144, 576, 144)
SMALL = Quality(14, 10, 6, 176, 64, 176, 64)
MEDIUM = Quality(22, 14, 8, 272, 80, 240, 80)
_SMALL_AREA, _MEDIUM_AREA = 100_000, 200_000  # pixels of a panel in which more would not be visible


def quality_for(panel: tuple[int, int]) -> Quality:
    """The quality for a panel of a film or a sheet."""
    area = panel[0] * panel[1]
    return SMALL if area < _SMALL_AREA else MEDIUM if area < _MEDIUM_AREA else FILM


class FloorShadows(NamedTuple):
    """Maps over the floor: the share of each light that does not arrive. Corners are (x, z), texels in metres."""

    key: Map  # (N, N)
    contact: Map  # (N, N) the share of ambient light hidden by what touches the floor
    key_corner: Floats  # (2,) of ``key`` and ``contact``
    key_texel: float
    ambient: Map  # (M, M)
    ambient_corner: Floats  # (2,)
    ambient_texel: float


class DepthMaps(NamedTuple):
    """Shadow maps of distant lights: for each texel the greatest height along the light's direction."""

    directions: Floats  # (L, 3) unit vectors to the lights
    x_axes: Floats  # (L, 3) of the maps, in the world
    y_axes: Floats  # (L, 3)
    origins: Floats  # (L, 3) of the maps, in the world
    texels: Floats  # (L,) metres
    biases: Floats  # (L,) metres
    heights: Map  # (L, N, N)


@dataclass(frozen=True, eq=False)
class Shadows:
    """All shadows of a surface in one picture."""

    floor: FloorShadows
    key: DepthMaps  # of one light
    ambient: Floats  # (V,) the share of ambient light that reaches each vertex


def key_light_direction(camera: Camera) -> Floats:
    """The unit vector to the key light, which stands at a fixed angle to the camera."""
    upright = np.array([0.0, 1.0, 0.0])
    level = np.cross(camera.right, upright)  # from the scene to the camera, over the floor
    horizontal = np.cos(_KEY_AZIMUTH) * level + np.sin(_KEY_AZIMUTH) * camera.right
    direction: Floats = np.cos(_KEY_ELEVATION) * horizontal + np.sin(_KEY_ELEVATION) * upright
    return direction / np.linalg.norm(direction)


def compute_shadows(
    surface: Surface, camera: Camera, target: Floats, floor: float, height: float, quality: Quality = FILM
) -> Shadows:
    """The shadows of a surface on the floor around the target, and on itself. ``height`` is the body's."""
    direction = key_light_direction(camera)
    radius = _MAP_RADIUS * height
    level = direction[[0, 2]]
    # The maps reach further to where the shadow falls. They lie on whole texels, so that they do not swim.
    middle = np.array([target[0], target[2]]) - 0.45 * height * level / np.linalg.norm(level)
    texels = [2.0 * radius / side for side in (quality.key_side, quality.ambient_side)]
    fine, coarse = (FloorMap(float(floor), np.floor((middle - radius) / step) * step, step) for step in texels)
    # Ambient light is sampled coarsely and would let feet float: what is near the floor has a finer map of its own.
    low = surface.points[:, 1] < floor + _CONTACT_HEIGHT * height
    a, b, c = surface.coarse.T
    touching = surface.coarse[low[a] & low[b] & low[c]]
    key_rays, points, side = _key_rays(tuple(direction.tolist()), quality.key_rays), surface.points, quality.key_side
    key = _floor_shadow(points, surface.coarse, key_rays, fine, side, 2)
    ambient = _floor_shadow(points, surface.coarse, _sky_rays(quality.ambient_rays), coarse, quality.ambient_side, 3)
    contact = _floor_shadow(points, touching, _sky_rays(_CONTACT_RAYS), fine, side, 2)
    on_floor = FloorShadows(key, contact, fine.corner, fine.texel, ambient, coarse.corner, coarse.texel)
    key_map = _depth_maps(surface.points, surface.casting, direction[None], height, quality.shadow_map_side)
    return Shadows(on_floor, key_map, _ambient_visibility(surface, height, quality))


def _floor_shadow(points: Floats, triangles: Ints, rays: Floats, floor: FloorMap, side: int, passes: int) -> Map:
    """``(side, side)`` the share of the rays that triangles hide from each texel, blurred by as many box filters."""
    shadow = np.empty((side, side), dtype=np.float32)
    _native.rasterise.fill_shadow(points, triangles, rays, floor, shadow)
    _native.light.blur(shadow, passes)
    return shadow


def _ambient_visibility(surface: Surface, height: float, quality: Quality) -> Floats:
    """``(V,)`` ambient occlusion: the share of the sky's light that reaches each vertex."""
    maps = _depth_maps(
        surface.points, surface.coarse, _sky_rays(quality.occlusion_rays), height, quality.occlusion_side
    )
    total, arriving = np.full(len(surface.points), 1e-3), np.full(len(surface.points), 1e-3)
    _native.light.gather_ambient(surface.points, surface.normals, maps, total, arriving)
    share: Floats = arriving / total
    return share


def _depth_maps(points: Floats, triangles: Ints, directions: Floats, height: float, side: int) -> DepthMaps:
    """Depth maps of a surface from several directions, without perspective."""
    count = len(directions)
    x_axes = np.cross([0.0, 1.0, 0.01], directions)
    x_axes /= np.linalg.norm(x_axes, axis=1, keepdims=True)
    y_axes = np.cross(directions, x_axes)
    heights = np.full((count, side, side), -1e30, dtype=np.float32)
    maps = DepthMaps(directions, x_axes, y_axes, np.zeros((count, 3)), np.ones(count), np.zeros(count), heights)
    _native.light.fill_depth_maps(points, triangles, height, *maps)
    return maps


@cache
def _key_rays(direction: tuple[float, ...], count: int) -> Floats:
    """``(count, 3)`` rays to points spread evenly over the key light's disc (a Fermat spiral)."""
    towards = np.array(direction)
    across = np.cross([0.0, 1.0, 0.0], towards)
    across /= np.linalg.norm(across)
    other = np.cross(towards, across)
    number = np.arange(count)
    radius = np.tan(_KEY_RADIUS) * np.sqrt((number + 0.5) / count)
    angle = number * _GOLDEN_ANGLE
    rays: Floats = towards + (radius * np.cos(angle))[:, None] * across + (radius * np.sin(angle))[:, None] * other
    return rays


@cache
def _sky_rays(count: int) -> Floats:
    """``(count, 3)`` rays over the sky, cosine-weighted as a level floor is lit; not quite from the horizon."""
    number = np.arange(count)
    flat = np.sqrt((number + 0.5) / count) * 0.93
    angle = number * _GOLDEN_ANGLE
    return np.stack([flat * np.cos(angle), np.sqrt(1.0 - flat**2), flat * np.sin(angle)], axis=1)


# The floor


class Floor(NamedTuple):
    """The floor: its colours, linear, its grid, and how much of its light each lamp gives."""

    height: float
    target: Floats  # (3,) around which it is drawn
    radius: float  # metres from the target to where it has faded into paper
    step: float  # metres between the lines of the grid
    line_width: float  # pixels
    paper: Floats  # (3,)
    colour: Floats  # (3,)
    line: Floats  # (3,)
    key_share: Floats  # (3,) of its light
    ambient_share: Floats  # (3,)
    contact_share: Floats  # (3,)


# The surface


class LitMesh(NamedTuple):
    """A posed surface, as the shading loop takes it."""

    points: Floats  # (V, 3) in the world
    camera_points: Floats  # (V, 3) right, up and depth in the camera's frame
    normals: Floats  # (V, 3)
    colours: Floats  # (V, 3) linear
    ambient: Floats  # (V,) the share of ambient light that reaches a vertex
    triangles: Ints  # (F, 3)


class Lighting(NamedTuple):
    """Lamps and what shades them."""

    lamps: Floats  # (4, 3) linear colours: key, ambient, bounce, rim
    key: DepthMaps  # of the key light
    softness: float  # metres over which its shadows soften
    floor: float  # height of the floor, which darkens what is near it and faces down
    darkening: float  # metres above the floor over which it does


def studio_lighting(shadows: Shadows, floor: float, height: float) -> Lighting:
    """The four lamps for a body of that height."""
    return Lighting(LAMPS, shadows.key, _SOFTNESS * height, float(floor), _FLOOR_DARKENING * height)
