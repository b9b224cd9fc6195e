"""Compiled light: the colour of every sample of a surface. Imported where a surface is drawn.

Colours are linear. See ``jit_raster`` for the camera, and why there is no twin.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.kernels.jit_terms import compile_kernel

__all__ = ["open_sky", "shade_surface"]

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
def open_sky(points, normals, ways, maps, frames, sums, out):  # type: ignore[no-untyped-def]
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
