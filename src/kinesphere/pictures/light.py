"""Compiled floor: its tone, lines and shadows. See ``jit_raster`` for the camera and why there is no twin."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from kinesphere.maths.compiled import compile_kernel
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.pictures.camera import Camera
from kinesphere.pictures.surface import Surface


@compile_kernel
def shade_ground(  # type: ignore[no-untyped-def]
    frame, optics, floor, target, tones, grid, shades, corners, texels, out
):
    """The floor as every pixel sees it: quiet, with lines that stay fine, fading into the paper far from the target.

    ``tones`` are colours: paper, floor, line, and the shares of light that key, sky, and the sky close to what touches
    the floor give. ``grid`` is (step, reach, width in pixels). ``shades`` are three square maps of what is kept away of
    these, with the ``corners`` (2, 2) where they start and their ``texels``; the third lies on the first.
    """
    high, wide = out.shape[0], out.shape[1]
    step, width = grid[0], grid[2]
    slope, nearer = 1.0 / optics[0], 1.0 / (grid[1] * grid[1])
    for row in range(high):
        rise = (optics[2] - row - 0.5) * slope
        for column in range(wide):
            run = (column + 0.5 - optics[1]) * slope
            dy = run * frame[0, 1] + rise * frame[1, 1] - frame[2, 1]
            over = 1.0 / dy if dy < -1e-6 else 0.0
            along = (floor - frame[3, 1]) * over
            dx = run * frame[0, 0] + rise * frame[1, 0] - frame[2, 0]
            dz = run * frame[0, 2] + rise * frame[1, 2] - frame[2, 2]
            x, z = frame[3, 0] + along * dx, frame[3, 2] + along * dz
            far = ((x - target[0]) ** 2 + (z - target[2]) ** 2) * nearer
            if along <= 0.0 or not far < 1.0:
                out[row, column, 0], out[row, column, 1], out[row, column, 2] = tones[0, 0], tones[0, 1], tones[0, 2]
                continue
            fade = (1.0 - far) * (1.0 - far)
            line = _line(x, along * slope, dx * over, frame, 0, step, width)
            line = max(line, _line(z, along * slope, dz * over, frame, 2, step, width))
            key = _looked_up(shades[0], x, z, corners[0], texels[0])
            sky = _looked_up(shades[1], x, z, corners[1], texels[1])
            touch = _looked_up(shades[2], x, z, corners[0], texels[0])
            deep = min(1.5 * fade, 1.0)
            for k in range(3):
                tone = tones[0, k] + fade * (tones[1, k] - tones[0, k] + line * (tones[2, k] - tones[0, k]))
                # One after the other: taken away together they would leave less than nothing, and of blue last.
                left = (1.0 - deep * tones[3, k] * key) * (1.0 - deep * tones[4, k] * sky)
                out[row, column, k] = tone * left * (1.0 - deep * tones[5, k] * touch)


@compile_kernel
def _line(place, along, tilt, frame, axis, step, width):  # type: ignore[no-untyped-def]
    """How much of a pixel the nearest line of the floor covers; less where lines would run together."""
    away = place - math.floor(place / step + 0.5) * step
    # How far the place moves from this pixel to the next one right and the next one down.
    right = along * (frame[0, axis] - tilt * frame[0, 1])
    down = along * (frame[1, axis] - tilt * frame[1, 1])
    squared = max(right * right + down * down, 1e-18)
    reach = 0.5 * width + 0.5
    if away * away >= reach * reach * squared:
        return 0.0
    pixel = math.sqrt(squared)
    cover = min(reach - abs(away) / pixel, min(width, 1.0))
    return cover * min(max(1.5 - 4.0 * pixel * width / step, 0.0), 1.0)


@compile_kernel
def _looked_up(shade, x, z, corner, texel):  # type: ignore[no-untyped-def]
    side = shade.shape[0]
    column, row = (x - corner[0]) / texel - 0.5, (z - corner[1]) / texel - 0.5
    if not (column >= 0.0 and row >= 0.0 and column < side - 1 and row < side - 1):
        return 0.0
    i, j = int(row), int(column)
    v, u = row - i, column - j
    top = (1.0 - u) * shade[i, j] + u * shade[i, j + 1]
    bottom = (1.0 - u) * shade[i + 1, j] + u * shade[i + 1, j + 1]
    return (1.0 - v) * top + v * bottom


@compile_kernel
def blur_map(values, scratch, radius, passes):  # type: ignore[no-untyped-def]
    """Blur a square map in place: a few passes of a running mean, which come close to a Gaussian."""
    side = values.shape[0]
    wide = 2 * radius + 1
    for _ in range(2 * passes):
        for row in range(side):
            total = 0.0
            for column in range(-radius, side):
                if column + radius < side:
                    total += values[row, column + radius]
                if column - radius - 1 >= 0:
                    total -= values[row, column - radius - 1]
                if column >= 0:
                    scratch[column, row] = total / wide
        values[:] = scratch


# ---- Compiled light: the colour of every sample of a surface. Imported where a surface is drawn.
#
# Colours are linear. See ``jit_raster`` for the camera, and why there is no twin.


_ONE_DEPTH, _ONE_WAY = 0.0015, 0.98  # within a pixel: of the depth, and the cosine between normals, that are as one


@compile_kernel
def shade_surface(  # type: ignore[no-untyped-def]
    ids, nearness, placed, points, normals, sky, triangles, colours, frame, optics, lamps, way, lamp_map, lamp_frame,
    finer, out
):  # fmt: skip
    """Light every sample that sees a triangle, once for all samples of a pixel that see the same thing: one triangle,
    or two of one colour, depth and direction, as where triangles are smaller than pixels.

    ``sky`` (V,) is the share of the sky that each vertex sees, ``lamps`` are colours: key, sky, bounce, rim.
    ``lamp_map`` holds the height along ``way`` of what the key light meets first, ``lamp_frame`` (5, 3) its two axes,
    its corner, (texel, bias, reach of the filter), and (height of the floor, how far up it darkens).
    """
    high, wide = ids.shape
    light = np.empty(3)
    for row in range(high):
        for column in range(wide):
            t = ids[row, column]
            if t < 0:
                continue
            found = False
            for i in range(row - row % finer, row + 1):
                for j in range(column - column % finer, column - column % finer + finer):
                    if i == row and j >= column:
                        break
                    other = ids[i, j]
                    if other < 0:
                        continue
                    here, there, near = triangles[t, 0], triangles[other, 0], nearness[row, column]
                    alike, turned = abs(nearness[i, j] - near) < _ONE_DEPTH * near, 0.0
                    for k in range(3):
                        alike = alike and colours[here, k] == colours[there, k]
                        turned += normals[here, k] * normals[there, k]
                    if other == t or (alike and turned > _ONE_WAY):
                        found = True
                        for k in range(3):
                            out[row, column, k] = out[i, j, k]
                        break
                if found:
                    break
            if found:
                continue
            dx, dy = (column + 0.5 - optics[1]) / optics[0], (optics[2] - row - 0.5) / optics[0]
            _light(
                dx, dy, triangles[t, 0], triangles[t, 1], triangles[t, 2], placed, points, normals, sky, colours,
                frame, lamps, way, lamp_map, lamp_frame, light,
            )  # fmt: skip
            for k in range(3):
                out[row, column, k] = light[k]


@compile_kernel
def _light(  # type: ignore[no-untyped-def]
    dx, dy, a, b, c, placed, points, normals, sky, colours, frame, lamps, way, lamp_map, lamp_frame, out
):
    """The light that comes from where the ray (dx, dy, 1) of the camera meets a triangle."""
    # It meets the triangle's plane where these three volumes weigh the corners.
    u, v, w = _volume(dx, dy, placed, b, c), _volume(dx, dy, placed, c, a), _volume(dx, dy, placed, a, b)
    total = u + v + w
    behind = total < 0.0  # seen from inside
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
    length = -length if behind else length
    nx, ny, nz = nx / length, ny / length, nz / length
    ex, ey, ez = frame[3, 0] - px, frame[3, 1] - py, frame[3, 2] - pz
    length = max(math.sqrt(ex * ex + ey * ey + ez * ez), 1e-12)
    ex, ey, ez = ex / length, ey / length, ez / length
    facing = nx * way[0] + ny * way[1] + nz * way[2]
    lit = 0.0
    if facing > -0.1:
        lit = _unshadowed(px, py, pz, nx, ny, nz, way, lamp_map, lamp_frame)
    key = max((facing + 0.1) / 1.1, 0.0) * lit  # a wide lamp reaches a little round the edge
    hx, hy, hz = ex + way[0], ey + way[1], ez + way[2]
    length = math.sqrt(hx * hx + hy * hy + hz * hz)
    shine = max((nx * hx + ny * hy + nz * hz) / max(length, 1e-12), 0.0) ** 2
    shine = shine * shine * shine
    shine = shine * shine * shine * shine * 0.10 * lit
    grazing = 1.0 - min(max(nx * ex + ny * ey + nz * ez, 0.0), 1.0)
    up = 0.5 + 0.5 * ny
    rim = grazing * grazing * grazing * up
    # What lies low and looks down sees little but its own shadow.
    near = 1.0 - 0.65 * (1.0 - up) * math.exp(-max(py - lamp_frame[4, 0], 0.0) / lamp_frame[4, 1])
    near *= 0.25 + 0.75 * (u * sky[a] + v * sky[b] + w * sky[c])  # some light always finds its way
    for k in range(3):
        colour = u * colours[a, k] + v * colours[b, k] + w * colours[c, k]
        around = (lamps[1, k] * up + lamps[2, k] * (1.0 - up)) * near
        out[k] = _shoulder(colour * (lamps[0, k] * key + around) + lamps[0, k] * shine + lamps[3, k] * rim)


@compile_kernel
def _volume(dx, dy, placed, i, j):  # type: ignore[no-untyped-def]
    """The volume that the ray (dx, dy, 1) and two corners span."""
    return (
        dx * (placed[i, 1] * placed[j, 2] - placed[i, 2] * placed[j, 1])
        + dy * (placed[i, 2] * placed[j, 0] - placed[i, 0] * placed[j, 2])
        + (placed[i, 0] * placed[j, 1] - placed[i, 1] * placed[j, 0])
    )


@compile_kernel
def _shoulder(light):  # type: ignore[no-untyped-def]
    """Highlights run softly into white, as on film."""
    if light < 0.6:
        return light
    return 0.6 + 0.4 * (1.0 - math.exp(-(light - 0.6) / 0.4))


@compile_kernel
def _unshadowed(px, py, pz, nx, ny, nz, way, lamp_map, lamp_frame):  # type: ignore[no-untyped-def]
    """The share of the key light that arrives: percentage-closer filtering, with weights that fall off like a tent.

    The place is first moved out of the surface, and only what is nearer to the lamp by more than the bias counts, so
    a surface does not shade itself.
    """
    texel, bias = lamp_frame[3, 0], lamp_frame[3, 1]
    reach = min(max(lamp_frame[3, 2] / texel, 1.5), 5.0)
    px, py, pz = px + nx * bias, py + ny * bias, pz + nz * bias
    x, y = px - lamp_frame[2, 0], py - lamp_frame[2, 1]
    z = pz - lamp_frame[2, 2]
    column = (x * lamp_frame[0, 0] + y * lamp_frame[0, 1] + z * lamp_frame[0, 2]) / texel - 0.5
    row = (x * lamp_frame[1, 0] + y * lamp_frame[1, 1] + z * lamp_frame[1, 2]) / texel - 0.5
    height = x * way[0] + y * way[1] + z * way[2] + bias
    high, wide = lamp_map.shape
    if not (column >= reach and row >= reach and column < wide - 1 - reach and row < high - 1 - reach):
        return 1.0
    lit, total = 0.0, 0.0
    for i in range(math.ceil(row - reach), math.floor(row + reach) + 1):
        down = reach - abs(i - row)
        for j in range(math.ceil(column - reach), math.floor(column + reach) + 1):
            weight = down * (reach - abs(j - column))
            total += weight
            if lamp_map[i, j] <= height:
                lit += weight
    return lit / total if total > 0.0 else 1.0


@compile_kernel
def _seen(column, row, height, lamp_map):  # type: ignore[no-untyped-def]
    """Whether the lamp sees a place of that height, weighed over the four texels around it."""
    high, wide = lamp_map.shape
    if not (column >= 0.0 and row >= 0.0 and column < wide - 1 and row < high - 1):
        return 1.0
    i, j = int(row), int(column)
    v, u = row - i, column - j
    seen = 0.0
    if lamp_map[i, j] <= height:
        seen += (1.0 - u) * (1.0 - v)
    if lamp_map[i, j + 1] <= height:
        seen += u * (1.0 - v)
    if lamp_map[i + 1, j] <= height:
        seen += (1.0 - u) * v
    if lamp_map[i + 1, j + 1] <= height:
        seen += u * v
    return seen


@compile_kernel
def sky_visibility(points, normals, ways, maps, frames, sums, out):  # type: ignore[no-untyped-def]
    """Add to ``out`` and ``sums`` (V,) what a vertex gets of each lamp, and what it would get if nothing stood between.

    Occlusion is soft, so once a vertex is enough. ``maps`` and ``frames`` are as for the key light, one a way.
    """
    for lamp in range(ways.shape[0]):
        frame = frames[lamp]
        texel, bias = frame[3, 0], frame[3, 1]
        for i in range(points.shape[0]):
            facing = normals[i, 0] * ways[lamp, 0] + normals[i, 1] * ways[lamp, 1] + normals[i, 2] * ways[lamp, 2]
            if facing <= 0.0:
                continue
            x = points[i, 0] + bias * normals[i, 0] - frame[2, 0]
            y = points[i, 1] + bias * normals[i, 1] - frame[2, 1]
            z = points[i, 2] + bias * normals[i, 2] - frame[2, 2]
            column = (x * frame[0, 0] + y * frame[0, 1] + z * frame[0, 2]) / texel
            row = (x * frame[1, 0] + y * frame[1, 1] + z * frame[1, 2]) / texel
            height = x * ways[lamp, 0] + y * ways[lamp, 1] + z * ways[lamp, 2] + bias
            sums[i] += facing
            if math.isfinite(column + row + height):
                out[i] += facing * _seen(column - 0.5, row - 0.5, height, maps[lamp])


# ---- The studio's light: a warm, wide key light from the upper left, a cool sky, what the floor throws back, and a
# rim.


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
class Quality:
    """How finely light is followed: rays to the lamps, and texels along the sides of the maps."""

    key_rays: int = 30
    sky_rays: int = 18
    open_rays: int = 10
    key_side: int = 352
    sky_side: int = 96
    lamp_side: int = 288
    open_side: int = 96


FILM = Quality()
STILL = Quality(56, 40, 20, 512, 144, 576, 144)
SMALL = Quality(14, 10, 6, 176, 64, 176, 64)
MEDIUM = Quality(22, 14, 8, 272, 80, 240, 80)
_SMALL_AREA, _MEDIUM_AREA = 100_000, 200_000  # pixels of a panel in which nobody sees more


def quality_for(panel: tuple[int, int]) -> Quality:
    """What a panel of a film or a sheet is worth."""
    area = panel[0] * panel[1]
    return SMALL if area < _SMALL_AREA else MEDIUM if area < _MEDIUM_AREA else FILM


@dataclass(frozen=True, eq=False)
class ShadowMaps:
    """What is kept of the light, in one picture."""

    key: Map  # square, over the floor: the share of the key light that does not arrive
    sky: Map
    touch: Map  # as fine as the key's: the share of the sky that what touches the floor keeps away
    corners: Floats  # (2, 2) where key and sky start (x, z)
    texels: Floats  # (2,)
    lamp: Map  # what the key light meets first: height along its way
    lamp_frame: Floats  # (5, 3), see jit_light.shade_surface
    sky_seen: Floats  # (V,) the share of the sky that each vertex sees


def key_light_direction(camera: Camera) -> Floats:
    """The direction of the key light: it stands still in the studio, placed as the camera looks."""
    upright = np.array([0.0, 1.0, 0.0])
    level = np.cross(camera.right, upright)  # from the scene to the camera, over the floor
    aside = np.cos(_ASIDE) * level + np.sin(_ASIDE) * camera.right
    way: Floats = np.cos(_ABOVE) * aside + np.sin(_ABOVE) * upright
    return way / np.linalg.norm(way)


def cast_shadows(
    surface: Surface, camera: Camera, target: Floats, floor: float, height: float, effort: Quality = FILM
) -> ShadowMaps:
    """All shadows of a surface: on the floor around the target, and on itself."""
    way = key_light_direction(camera)
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
    return ShadowMaps(key, sky, touch, corners, np.array([key_texel, sky_texel]), lamp, lamp_frame, seen)


def _low(surface: Surface, below: float) -> Surface:
    """Only what is near the floor: a sky seen coarsely would let feet float."""
    low = surface.points[:, 1] < below
    return replace(surface, coarse=surface.coarse[low[surface.coarse].all(axis=1)])


def _on_floor(
    surface: Surface, rays: Floats, floor: float, corner: Floats, texel: float, side: int, blur: tuple[int, int]
) -> Map:
    from kinesphere.pictures import rasterise

    met = np.zeros((side, side), dtype=np.int64)
    rasterise.fill_shadow(surface.points, surface.coarse, rays, floor, corner, texel, met)
    shade = np.empty((side, side), dtype=np.float32)
    rasterise.count_lamps(met, 1.0 / len(rays), shade)
    blur_map(shade, np.empty_like(shade), *blur)
    return shade


def _sky_seen(surface: Surface, height: float, effort: Quality) -> Floats:
    """How much of the sky each vertex sees, past everything that stands in its way."""

    ways = _sky_rays(effort.open_rays)
    maps, frames = _first_met(surface, surface.coarse, ways, height, effort.open_side)
    whole, seen = np.full(len(surface.points), 1e-3), np.full(len(surface.points), 1e-3)
    sky_visibility(surface.points, surface.normals, ways, maps, frames, whole, seen)
    share: Floats = seen / whole
    return share


def _first_met(surface: Surface, triangles: Ints, ways: Floats, height: float, side: int) -> tuple[Map, Floats]:
    """Lamps' own pictures ``(L, N, N)`` of the surface, without perspective: how far along its way each meets it.

    With them goes how each picture lies in the world, ``(L, 5, 3)``: see ``jit_light.shade_surface``.
    """
    from kinesphere.pictures import rasterise

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
        rasterise.fill_depth(across, down, depth[number], triangles, maps[number], ids)
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
