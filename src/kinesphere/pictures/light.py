"""Studio lighting: shadow maps, ambient occlusion, soft shadows on the floor, and the shading of samples.

Four lamps, in linear colours: a warm and wide key light from the upper left, cool ambient light from the whole sky,
light bounced back by the floor, and a rim. Shadows on the body are a depth map with percentage-closer filtering
(Reeves et al. 1987). Ambient occlusion is sampled once a vertex, by depth maps from directions all over the sky.
Shadows on the floor are the body projected along many rays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinesphere.maths.compiled import jit
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.pictures.camera import Camera
from kinesphere.pictures.rasterise import FloorMap, ZBuffer, fill_orthographic_kernel, fill_shadow_kernel
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
_BIAS = 0.015  # body heights by which an occluder must be nearer to the light
_SOFTNESS = 0.020  # body heights over which a shadow on the body softens
_FLOOR_DARKENING = 0.16  # body heights above the floor over which it darkens what faces down
_SAME_DEPTH, _SAME_NORMAL = 0.0015, 0.98  # samples of a pixel that share one light: relative depth, cosine of normals


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
    touching = surface.coarse[low[surface.coarse].all(axis=1)]
    key_rays, points, side = _key_rays(tuple(direction.tolist()), quality.key_rays), surface.points, quality.key_side
    key = _floor_shadow(points, surface.coarse, key_rays, fine, side, 2)
    ambient = _floor_shadow(points, surface.coarse, _sky_rays(quality.ambient_rays), coarse, quality.ambient_side, 3)
    contact = _floor_shadow(points, touching, _sky_rays(_CONTACT_RAYS), fine, side, 2)
    on_floor = FloorShadows(key, contact, fine.corner, fine.texel, ambient, coarse.corner, coarse.texel)
    key_map = _depth_maps(surface.points, surface.triangles, direction[None], height, quality.shadow_map_side)
    return Shadows(on_floor, key_map, _ambient_visibility(surface, height, quality))


def _floor_shadow(points: Floats, triangles: Ints, rays: Floats, floor: FloorMap, side: int, passes: int) -> Map:
    """``(side, side)`` the share of the rays that triangles hide from each texel, blurred by as many box filters."""
    mask = np.zeros((side, side), dtype=np.int64)
    fill_shadow_kernel(points, triangles, rays, floor, mask)
    shadow = (np.bitwise_count(mask) * (1.0 / len(rays))).astype(np.float32)
    blur_kernel(shadow, np.empty_like(shadow), 1, passes)
    return shadow


def _ambient_visibility(surface: Surface, height: float, quality: Quality) -> Floats:
    """``(V,)`` ambient occlusion: the share of the sky's light that reaches each vertex."""
    maps = _depth_maps(
        surface.points, surface.coarse, _sky_rays(quality.occlusion_rays), height, quality.occlusion_side
    )
    total, arriving = np.full(len(surface.points), 1e-3), np.full(len(surface.points), 1e-3)
    gather_ambient_kernel(surface.points, surface.normals, maps, total, arriving)
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
    x, y, depth = (axes @ points.T for axes in (x_axes, y_axes, directions))
    ids = np.empty((side, side), dtype=np.int32)
    for i in range(count if len(triangles) else 0):
        low, high = np.array([x[i].min(), y[i].min()]), np.array([x[i].max(), y[i].max()])
        # A larger body gets coarser shadows on itself rather than none; whole texels keep them from swimming.
        texel = max(2.4 * height / side, float((high - low).max()) / (0.98 * side))
        corner = np.floor(0.5 * (low + high) / texel) * texel - 0.5 * side * texel
        maps.origins[i] = corner[0] * x_axes[i] + corner[1] * y_axes[i]
        maps.texels[i], maps.biases[i] = texel, max(_BIAS * height, texel)
        placed = np.stack([(x[i] - corner[0]) / texel, (y[i] - corner[1]) / texel, depth[i]], axis=1)
        fill_orthographic_kernel(placed, triangles, ZBuffer(heights[i], ids))
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


@jit
def blur_kernel(values, scratch, radius, passes):  # type: ignore[no-untyped-def]
    """Blur a square map in place by box filters, which come close to a Gaussian after a few ``passes``."""
    side = values.shape[0]
    width = 2 * radius + 1
    for _ in range(2 * passes):
        for row in range(side):
            total = 0.0
            for column in range(-radius, side):
                if column + radius < side:
                    total += values[row, column + radius]
                if column - radius - 1 >= 0:
                    total -= values[row, column - radius - 1]
                if column >= 0:
                    scratch[column, row] = total / width  # transposed, so that the next pass blurs the other axis
        for row in range(side):  # a slice assignment would add seconds to numba's compilation
            for column in range(side):
                values[row, column] = scratch[row, column]


@jit
def gather_ambient_kernel(points, normals, maps, total, arriving):  # type: ignore[no-untyped-def]
    """Add to ``total`` and ``arriving`` ``(V,)`` the light of each direction without and with occlusion.

    ``maps`` are ``DepthMaps``. Ambient occlusion is soft, so that once a vertex is enough.
    """
    for light in range(maps.directions.shape[0]):
        x_axis, y_axis, axis = maps.x_axes[light], maps.y_axes[light], maps.directions[light]
        origin, texel, bias = maps.origins[light], maps.texels[light], maps.biases[light]
        for i in range(points.shape[0]):
            facing = normals[i, 0] * axis[0] + normals[i, 1] * axis[1] + normals[i, 2] * axis[2]
            if facing <= 0.0:
                continue
            x = points[i, 0] + bias * normals[i, 0] - origin[0]
            y = points[i, 1] + bias * normals[i, 1] - origin[1]
            z = points[i, 2] + bias * normals[i, 2] - origin[2]
            column = (x * x_axis[0] + y * x_axis[1] + z * x_axis[2]) / texel
            row = (x * y_axis[0] + y * y_axis[1] + z * y_axis[2]) / texel
            height = x * axis[0] + y * axis[1] + z * axis[2] + bias
            total[i] += facing
            if math.isfinite(column + row + height):
                arriving[i] += facing * bilinear_depth_test(column - 0.5, row - 0.5, height, maps.heights[light])


@jit
def bilinear_depth_test(column, row, height, heights):  # type: ignore[no-untyped-def]
    """Whether a light reaches a point of that height, weighted over the four texels around it."""
    high, wide = heights.shape
    if not (column >= 0.0 and row >= 0.0 and column < wide - 1 and row < high - 1):
        return 1.0
    i, j = int(row), int(column)
    v, u = row - i, column - j
    lit = 0.0
    if heights[i, j] <= height:
        lit += (1.0 - u) * (1.0 - v)
    if heights[i, j + 1] <= height:
        lit += u * (1.0 - v)
    if heights[i + 1, j] <= height:
        lit += (1.0 - u) * v
    if heights[i + 1, j + 1] <= height:
        lit += u * v
    return lit


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


@jit
def shade_floor_kernel(view, floor, shadows, out):  # type: ignore[no-untyped-def]
    """Draw the floor into ``out`` ``(H, W, 3)``: lines that stay fine, shadows, fading into paper far from the target.

    ``view`` is a ``camera.Projection``, ``floor`` a ``Floor``, ``shadows`` are ``FloorShadows``.
    """
    axes, eye, target = view.axes, view.eye, floor.target
    slope, nearer = 1.0 / view.focal, 1.0 / (floor.radius * floor.radius)
    for row in range(out.shape[0]):
        rise = (view.y - row - 0.5) * slope
        for column in range(out.shape[1]):
            run = (column + 0.5 - view.x) * slope
            dy = run * axes[0, 1] + rise * axes[1, 1] - axes[2, 1]
            over = 1.0 / dy if dy < -1e-6 else 0.0
            along = (floor.height - eye[1]) * over
            dx = run * axes[0, 0] + rise * axes[1, 0] - axes[2, 0]
            dz = run * axes[0, 2] + rise * axes[1, 2] - axes[2, 2]
            x, z = eye[0] + along * dx, eye[2] + along * dz
            far = ((x - target[0]) ** 2 + (z - target[2]) ** 2) * nearer
            if along <= 0.0 or not far < 1.0:
                for k in range(3):
                    out[row, column, k] = floor.paper[k]
                continue
            fade = (1.0 - far) * (1.0 - far)
            # How far the position moves from this pixel to the next one right and the next one down.
            pixel, tilt_x, tilt_z = along * slope, dx * over, dz * over
            right, down = pixel * (axes[0, 0] - tilt_x * axes[0, 1]), pixel * (axes[1, 0] - tilt_x * axes[1, 1])
            line = grid_coverage(x, right, down, floor)
            right, down = pixel * (axes[0, 2] - tilt_z * axes[0, 1]), pixel * (axes[1, 2] - tilt_z * axes[1, 1])
            line = max(line, grid_coverage(z, right, down, floor))
            key = bilinear_sample(shadows.key, x, z, shadows.key_corner, shadows.key_texel)
            ambient = bilinear_sample(shadows.ambient, x, z, shadows.ambient_corner, shadows.ambient_texel)
            contact = bilinear_sample(shadows.contact, x, z, shadows.key_corner, shadows.key_texel)
            deep = min(1.5 * fade, 1.0)
            for k in range(3):
                paper = floor.paper[k]
                tone = paper + fade * (floor.colour[k] - paper + line * (floor.line[k] - paper))
                # One after the other: subtracted together they would leave less than nothing, and of blue last.
                left = (1.0 - deep * floor.key_share[k] * key) * (1.0 - deep * floor.ambient_share[k] * ambient)
                out[row, column, k] = tone * left * (1.0 - deep * floor.contact_share[k] * contact)


@jit
def grid_coverage(position, right, down, floor):  # type: ignore[no-untyped-def]
    """How much of a pixel the nearest grid line across one axis covers; less where lines would run together.

    ``right`` and ``down`` are the distances along the axis to the next pixels.
    """
    offset = position - math.floor(position / floor.step + 0.5) * floor.step
    squared = max(right * right + down * down, 1e-18)
    width = floor.line_width
    reach = 0.5 * width + 0.5
    if offset * offset >= reach * reach * squared:
        return 0.0
    footprint = math.sqrt(squared)
    cover = min(reach - abs(offset) / footprint, min(width, 1.0))
    return cover * min(max(1.5 - 4.0 * footprint * width / floor.step, 0.0), 1.0)


@jit
def bilinear_sample(values, x, z, corner, texel):  # type: ignore[no-untyped-def]
    """A square map at a position; 0 outside of it."""
    side = values.shape[0]
    column, row = (x - corner[0]) / texel - 0.5, (z - corner[1]) / texel - 0.5
    if not (column >= 0.0 and row >= 0.0 and column < side - 1 and row < side - 1):
        return 0.0
    i, j = int(row), int(column)
    v, u = row - i, column - j
    top = (1.0 - u) * values[i, j] + u * values[i, j + 1]
    bottom = (1.0 - u) * values[i + 1, j] + u * values[i + 1, j + 1]
    return (1.0 - v) * top + v * bottom


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


@jit
def shade_surface_kernel(buffer, mesh, view, lighting, supersampling, out):  # type: ignore[no-untyped-def]
    """Shade every sample of a ``ZBuffer`` that shows a triangle of a ``LitMesh``, into ``out`` ``(H, W, 3)``.

    Samples of a pixel share one light where they show one triangle, or two of the same colour, depth and normal:
    small triangles would else cost a light each.
    """
    ids, triangles = buffer.ids, mesh.triangles
    light = np.empty(3)
    for row in range(ids.shape[0]):
        for column in range(ids.shape[1]):
            t = ids[row, column]
            if t < 0:
                continue
            found = False
            left = column - column % supersampling
            for i in range(row - row % supersampling, row + 1):
                for j in range(left, left + supersampling):
                    if i == row and j >= column:
                        break
                    if ids[i, j] >= 0 and shares_light(row, column, i, j, buffer, mesh):
                        found = True
                        for k in range(3):
                            out[row, column, k] = out[i, j, k]
                        break
                if found:
                    break
            if found:
                continue
            dx, dy = (column + 0.5 - view.x) / view.focal, (view.y - row - 0.5) / view.focal
            shade_sample(dx, dy, triangles[t, 0], triangles[t, 1], triangles[t, 2], mesh, view.eye, lighting, light)
            for k in range(3):
                out[row, column, k] = light[k]


@jit
def shares_light(row, column, i, j, buffer, mesh):  # type: ignore[no-untyped-def]
    """Whether two samples look the same: one triangle, or one colour, depth and normal."""
    t, other = buffer.ids[row, column], buffer.ids[i, j]
    if other == t:
        return True
    here, there = mesh.triangles[t, 0], mesh.triangles[other, 0]
    near = buffer.inverse_depth[row, column]
    if not abs(buffer.inverse_depth[i, j] - near) < _SAME_DEPTH * near:
        return False
    cosine = 0.0
    for k in range(3):
        if mesh.colours[here, k] != mesh.colours[there, k]:
            return False
        cosine += mesh.normals[here, k] * mesh.normals[there, k]
    return cosine > _SAME_NORMAL


@jit
def shade_sample(dx, dy, a, b, c, mesh, eye, lighting, out):  # type: ignore[no-untyped-def]
    """The light from where the camera's ray (dx, dy, 1) meets the triangle of vertices a, b and c.

    Lambert's cosine for the key light, wrapped a little round the edge as a wide lamp does; Blinn–Phong highlights; a
    hemisphere of ambient and bounced light; a Fresnel-like rim.
    """
    points, normals, colours, placed = mesh.points, mesh.normals, mesh.colours, mesh.camera_points
    lamps, key = lighting.lamps, lighting.key.directions
    # The ray meets the triangle's plane where these three volumes weigh the corners.
    u, v, w = ray_volume(dx, dy, placed, b, c), ray_volume(dx, dy, placed, c, a), ray_volume(dx, dy, placed, a, b)
    total = u + v + w
    inside = total < 0.0  # seen from inside
    if abs(total) < 1e-300:
        u, v, w, total = 1.0, 1.0, 1.0, 3.0
    u, v, w = max(u / total, 0.0), max(v / total, 0.0), max(w / total, 0.0)
    px = u * points[a, 0] + v * points[b, 0] + w * points[c, 0]
    py = u * points[a, 1] + v * points[b, 1] + w * points[c, 1]
    pz = u * points[a, 2] + v * points[b, 2] + w * points[c, 2]
    nx = u * normals[a, 0] + v * normals[b, 0] + w * normals[c, 0]
    ny = u * normals[a, 1] + v * normals[b, 1] + w * normals[c, 1]
    nz = u * normals[a, 2] + v * normals[b, 2] + w * normals[c, 2]
    length = max(math.sqrt(nx * nx + ny * ny + nz * nz), 1e-12)
    length = -length if inside else length
    nx, ny, nz = nx / length, ny / length, nz / length
    ex, ey, ez = eye[0] - px, eye[1] - py, eye[2] - pz
    length = max(math.sqrt(ex * ex + ey * ey + ez * ez), 1e-12)
    ex, ey, ez = ex / length, ey / length, ez / length
    facing = nx * key[0, 0] + ny * key[0, 1] + nz * key[0, 2]
    lit = 0.0
    if facing > -0.1:
        lit = filter_shadow((px, py, pz), (nx, ny, nz), lighting.key, lighting.softness)
    diffuse = max((facing + 0.1) / 1.1, 0.0) * lit
    hx, hy, hz = ex + key[0, 0], ey + key[0, 1], ez + key[0, 2]
    length = math.sqrt(hx * hx + hy * hy + hz * hz)
    specular = max((nx * hx + ny * hy + nz * hz) / max(length, 1e-12), 0.0) ** 2
    specular = specular * specular * specular
    specular = specular * specular * specular * specular * 0.10 * lit
    grazing = 1.0 - min(max(nx * ex + ny * ey + nz * ez, 0.0), 1.0)
    up = 0.5 + 0.5 * ny
    rim = grazing * grazing * grazing * up
    # What lies low and faces down is lit by little but its own shadow.
    open_share = 1.0 - 0.65 * (1.0 - up) * math.exp(-max(py - lighting.floor, 0.0) / lighting.darkening)
    # Some light always arrives.
    open_share *= 0.25 + 0.75 * (u * mesh.ambient[a] + v * mesh.ambient[b] + w * mesh.ambient[c])
    for k in range(3):
        colour = u * colours[a, k] + v * colours[b, k] + w * colours[c, k]
        around = (lamps[1, k] * up + lamps[2, k] * (1.0 - up)) * open_share
        out[k] = tone_map(colour * (lamps[0, k] * diffuse + around) + lamps[0, k] * specular + lamps[3, k] * rim)


@jit
def ray_volume(dx, dy, points, i, j):  # type: ignore[no-untyped-def]
    """The volume that the ray (dx, dy, 1) and two corners span."""
    return (
        dx * (points[i, 1] * points[j, 2] - points[i, 2] * points[j, 1])
        + dy * (points[i, 2] * points[j, 0] - points[i, 0] * points[j, 2])
        + (points[i, 0] * points[j, 1] - points[i, 1] * points[j, 0])
    )


@jit
def tone_map(light):  # type: ignore[no-untyped-def]
    """Highlights run softly into white, as on film."""
    if light < 0.6:
        return light
    return 0.6 + 0.4 * (1.0 - math.exp(-(light - 0.6) / 0.4))


@jit
def filter_shadow(point, normal, maps, softness):  # type: ignore[no-untyped-def]
    """The share of the key light that arrives: percentage-closer filtering with tent weights.

    The point is first moved out of the surface, and only what is nearer to the light by more than the bias counts, so
    that a surface does not shade itself.
    """
    texel, bias = maps.texels[0], maps.biases[0]
    reach = min(max(softness / texel, 1.5), 5.0)
    x = point[0] + normal[0] * bias - maps.origins[0, 0]
    y = point[1] + normal[1] * bias - maps.origins[0, 1]
    z = point[2] + normal[2] * bias - maps.origins[0, 2]
    x_axes, y_axes, directions = maps.x_axes, maps.y_axes, maps.directions
    column = (x * x_axes[0, 0] + y * x_axes[0, 1] + z * x_axes[0, 2]) / texel - 0.5
    row = (x * y_axes[0, 0] + y * y_axes[0, 1] + z * y_axes[0, 2]) / texel - 0.5
    height = x * directions[0, 0] + y * directions[0, 1] + z * directions[0, 2] + bias
    high, wide = maps.heights.shape[1], maps.heights.shape[2]
    if not (column >= reach and row >= reach and column < wide - 1 - reach and row < high - 1 - reach):
        return 1.0
    lit, total = 0.0, 0.0
    for i in range(math.ceil(row - reach), math.floor(row + reach) + 1):
        down = reach - abs(i - row)
        for j in range(math.ceil(column - reach), math.floor(column + reach) + 1):
            weight = down * (reach - abs(j - column))
            total += weight
            if maps.heights[0, i, j] <= height:
                lit += weight
    return lit / total if total > 0.0 else 1.0
