"""Rasterisation: fill triangles into a z-buffer, shadow masks on the floor, anti-aliased lines.

These are compiled loops over triangles and samples, tested against geometry (exact silhouettes, known shadows). Each
picture is drawn by one thread, so that it is the same every time; all loops release the interpreter's lock, so that
several pictures can be drawn at once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinesphere.maths.compiled import jit
from kinesphere.maths.vectors import Floats


class ZBuffer(NamedTuple):
    """The nearest triangle at every sample of a picture."""

    inverse_depth: NDArray[np.float32]  # (H, W) 1 / depth: more is nearer, 0 is empty
    ids: NDArray[np.int32]  # (H, W) number of the triangle, -1 for none


def make_zbuffer(height: int, width: int, background: float = 0.0) -> ZBuffer:
    """An empty z-buffer; only what is nearer than ``background`` is drawn."""
    shape = (height, width)
    return ZBuffer(np.full(shape, background, dtype=np.float32), np.full(shape, -1, dtype=np.int32))


class Line(NamedTuple):
    """A polyline on the picture. A NaN position is a gap."""

    x: Floats  # (N,) samples from the left
    y: Floats  # (N,) samples from the top
    inverse_depth: Floats  # (N,)
    width: Floats  # (N,) samples
    opacity: Floats  # (N,) 0 to 1


@jit
def fill_perspective_kernel(points, triangles, view, buffer):  # type: ignore[no-untyped-def]
    """Draw triangles ``(F, 3)`` of points ``(V, 3)`` in the camera's frame (right, up, depth) into a z-buffer.

    Triangles are clipped at the near plane; those with a vertex that is not finite are left out. ``view`` is a
    ``camera.Projection``.
    """
    near = view.near
    corners = np.empty((4, 3))
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        za, zb, zc = points[a, 2], points[b, 2], points[c, 2]
        if za > near and zb > near and zc > near:
            first = project_sample(points[a, 0], points[a, 1], za, view)
            second = project_sample(points[b, 0], points[b, 1], zb, view)
            third = project_sample(points[c, 0], points[c, 1], zc, view)
            fill_triangle(first, second, third, t, buffer)
            continue
        if not (za > near or zb > near or zc > near) or not math.isfinite(za + zb + zc):
            continue
        count = clip_to_near_plane(points, a, b, c, near, corners)
        first = project_sample(corners[0, 0], corners[0, 1], corners[0, 2], view)
        for k in range(1, count - 1):
            second = project_sample(corners[k, 0], corners[k, 1], corners[k, 2], view)
            third = project_sample(corners[k + 1, 0], corners[k + 1, 1], corners[k + 1, 2], view)
            fill_triangle(first, second, third, t, buffer)


@jit
def project_sample(x, y, depth, view):  # type: ignore[no-untyped-def]
    """Sample position and 1 / depth of a point in the camera's frame."""
    inverse = 1.0 / depth
    return view.x + view.focal * x * inverse, view.y - view.focal * y * inverse, inverse


@jit
def clip_to_near_plane(points, a, b, c, near, corners):  # type: ignore[no-untyped-def]
    """Sutherland–Hodgman: the part of a triangle beyond the near plane, three or four ``corners``."""
    count = 0
    for k in range(3):
        i = a if k == 0 else (b if k == 1 else c)
        j = b if k == 0 else (c if k == 1 else a)
        zi, zj = points[i, 2], points[j, 2]
        if zi > near:
            corners[count, 0], corners[count, 1], corners[count, 2] = points[i, 0], points[i, 1], zi
            count += 1
        if (zi > near) != (zj > near):
            u = (near - zi) / (zj - zi)
            corners[count, 0] = points[i, 0] + u * (points[j, 0] - points[i, 0])
            corners[count, 1] = points[i, 1] + u * (points[j, 1] - points[i, 1])
            corners[count, 2] = near
            count += 1
    return count


@jit
def fill_orthographic_kernel(points, triangles, buffer):  # type: ignore[no-untyped-def]
    """Draw triangles without perspective, for the shadow map of a distant light.

    ``points`` ``(V, 3)`` are x and y in samples, and height towards the light, which takes the place of 1 / depth.
    """
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        fill_triangle(
            (points[a, 0], points[a, 1], points[a, 2]),
            (points[b, 0], points[b, 1], points[b, 2]),
            (points[c, 0], points[c, 1], points[c, 2]),
            t,
            buffer,
        )


@jit
def fill_triangle(first, second, third, number, buffer):  # type: ignore[no-untyped-def]
    """Fill one triangle of either orientation. Corners are (x, y, 1 / depth); a sample is tested at its centre."""
    x0, y0, w0 = first
    x1, y1, w1 = second
    x2, y2, w2 = third
    high, wide = buffer.ids.shape
    left, right = min(x0, x1, x2), max(x0, x1, x2)
    top, bottom = min(y0, y1, y2), max(y0, y1, y2)
    if not (right >= 0.0 and left <= wide and bottom >= 0.0 and top <= high):
        return  # outside the picture, or NaN
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    if not math.isfinite(area) or area == 0.0 or not math.isfinite(w0 + w1 + w2):
        return
    # Rows and columns whose centres lie within the bounds.
    first_column, last_column = math.ceil(max(left, 0.0) - 0.5), math.floor(min(right, float(wide)) - 0.5)
    first_row, last_row = math.ceil(max(top, 0.0) - 0.5), math.floor(min(bottom, float(high)) - 0.5)
    last_column, last_row = min(last_column, wide - 1), min(last_row, high - 1)
    if first_column > last_column or first_row > last_row:
        return
    inverse_area = 1.0 / area
    # Barycentric coordinates of the second and the third corner are linear over the picture.
    bx, by = (y2 - y0) * inverse_area, (x0 - x2) * inverse_area
    cx, cy = (y0 - y1) * inverse_area, (x1 - x0) * inverse_area
    for row in range(first_row, last_row + 1):
        dy = row + 0.5 - y0
        b = bx * (first_column + 0.5 - x0) + by * dy
        c = cx * (first_column + 0.5 - x0) + cy * dy
        for column in range(first_column, last_column + 1):
            a = 1.0 - b - c
            if a >= -1e-9 and b >= -1e-9 and c >= -1e-9:
                w = a * w0 + b * w1 + c * w2
                if w > buffer.inverse_depth[row, column]:
                    buffer.inverse_depth[row, column] = w
                    buffer.ids[row, column] = number
            b += bx
            c += cx


class FloorMap(NamedTuple):
    """A square grid of texels on the floor."""

    height: float  # of the floor, metres
    corner: Floats  # (2,) where the grid starts, x and z
    texel: float  # metres


@jit
def fill_shadow_kernel(points, triangles, directions, floor, mask):  # type: ignore[no-untyped-def]
    """Planar shadows: set in ``mask`` ``(N, N)``, int64, the bit of each light that triangles hide from a texel.

    ``directions`` ``(L, 3)`` point to at most 63 distant lights. A light's shadow is the surface projected along its
    rays onto the floor. Many lights side by side give the soft shadow of an area light: sharp where things touch the
    floor, softer the higher they are. ``floor`` is a ``FloorMap``.
    """
    over = 1.0 / floor.texel
    lights = directions.shape[0]
    slope_x, slope_z = np.empty(lights), np.empty(lights)
    for light in range(lights):
        slope_x[light] = over * directions[light, 0] / directions[light, 1]
        slope_z[light] = over * directions[light, 2] / directions[light, 1]
    x0, z0 = floor.corner[0], floor.corner[1]
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ha = max(points[a, 1] - floor.height, 0.0)
        hb = max(points[b, 1] - floor.height, 0.0)
        hc = max(points[c, 1] - floor.height, 0.0)
        xa, za = (points[a, 0] - x0) * over, (points[a, 2] - z0) * over
        xb, zb = (points[b, 0] - x0) * over, (points[b, 2] - z0) * over
        xc, zc = (points[c, 0] - x0) * over, (points[c, 2] - z0) * over
        if not math.isfinite(ha + hb + hc + xa + xb + xc + za + zb + zc):
            continue
        for light in range(lights):
            x, z = slope_x[light], slope_z[light]
            fill_mask(
                (xa - ha * x, za - ha * z), (xb - hb * x, zb - hb * z), (xc - hc * x, zc - hc * z), 1 << light, mask
            )


@jit
def fill_mask(first, second, third, bit, mask):  # type: ignore[no-untyped-def]
    """Set a bit in the texels of one triangle. Most triangles are smaller than a texel and cover no centre."""
    x0, y0 = first
    x1, y1 = second
    x2, y2 = third
    side = mask.shape[0]
    left, right = min(x0, x1, x2), max(x0, x1, x2)
    first_column, last_column = math.ceil(max(left, 0.0) - 0.5), math.floor(min(right, float(side)) - 0.5)
    if first_column > last_column:
        return
    top, bottom = min(y0, y1, y2), max(y0, y1, y2)
    first_row, last_row = math.ceil(max(top, 0.0) - 0.5), math.floor(min(bottom, float(side)) - 0.5)
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    if first_row > last_row or area == 0.0:
        return
    inverse_area = 1.0 / area
    bx, by = (y2 - y0) * inverse_area, (x0 - x2) * inverse_area
    cx, cy = (y0 - y1) * inverse_area, (x1 - x0) * inverse_area
    for row in range(first_row, last_row + 1):
        dy = row + 0.5 - y0
        for column in range(first_column, last_column + 1):
            b = bx * (column + 0.5 - x0) + by * dy
            c = cx * (column + 0.5 - x0) + cy * dy
            if b >= -1e-9 and c >= -1e-9 and b + c <= 1.0 + 1e-9:
                mask[row, column] |= bit


@jit
def draw_line_kernel(line, inverse_depth, coverage):  # type: ignore[no-untyped-def]
    """Draw an anti-aliased ``Line`` into ``coverage`` ``(H, W)`` where no surface of ``inverse_depth`` is nearer.

    Where a line crosses itself the greater coverage stays, so that overlaps don't darken.
    """
    x, y, depth, widths, opacity = line.x, line.y, line.inverse_depth, line.width, line.opacity
    high, wide = inverse_depth.shape
    for i in range(x.shape[0] - 1):
        if not math.isfinite(x[i] + y[i] + x[i + 1] + y[i + 1] + depth[i] + depth[i + 1]):
            continue
        reach = 0.5 * max(widths[i], widths[i + 1]) + 1.0
        first_column = max(int(max(min(x[i], x[i + 1]) - reach, 0.0)), 0)
        last_column = min(int(min(max(x[i], x[i + 1]) + reach, float(wide))), wide - 1)
        first_row = max(int(max(min(y[i], y[i + 1]) - reach, 0.0)), 0)
        last_row = min(int(min(max(y[i], y[i + 1]) + reach, float(high))), high - 1)
        dx, dy = x[i + 1] - x[i], y[i + 1] - y[i]
        squared = max(dx * dx + dy * dy, 1e-12)
        for row in range(first_row, last_row + 1):
            for column in range(first_column, last_column + 1):
                px, py = column + 0.5 - x[i], row + 0.5 - y[i]
                u = min(max((px * dx + py * dy) / squared, 0.0), 1.0)
                distance = math.hypot(px - u * dx, py - u * dy)
                half = 0.5 * (widths[i] + u * (widths[i + 1] - widths[i]))
                cover = min(max(half - distance + 0.5, 0.0), 1.0)
                if cover <= 0.0 or depth[i] + u * (depth[i + 1] - depth[i]) < inverse_depth[row, column]:
                    continue
                strength = cover * (opacity[i] + u * (opacity[i + 1] - opacity[i]))
                if strength > coverage[row, column]:
                    coverage[row, column] = strength
