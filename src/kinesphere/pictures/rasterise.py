"""Compiled triangles: which surface a sample of the picture sees, and what light reaches the ground.

Import this only where a picture of a surface is drawn: numba is slow to load. There are no plain twins: a loop over
triangles and samples in NumPy would take minutes a picture, and what these kernels do is tested against geometry
instead (exact projections, known shadows). All release the interpreter's lock; each picture is drawn by one thread,
so that it is the same every time.

A camera is ``frame`` ``(4, 3)``, its right, up and back and where it is, and ``optics``: pixels a unit of slope, the
pixels right and down where it looks, and the nearest depth that is drawn.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.maths.compiled import compile_kernel


@compile_kernel
def to_camera(points, frame, out):  # type: ignore[no-untyped-def]
    """Points (V, 3) as right, up and depth in front of the camera."""
    for i in range(points.shape[0]):
        x, y, z = points[i, 0] - frame[3, 0], points[i, 1] - frame[3, 1], points[i, 2] - frame[3, 2]
        out[i, 0] = x * frame[0, 0] + y * frame[0, 1] + z * frame[0, 2]
        out[i, 1] = x * frame[1, 0] + y * frame[1, 1] + z * frame[1, 2]
        out[i, 2] = -(x * frame[2, 0] + y * frame[2, 1] + z * frame[2, 2])


@compile_kernel
def accumulate_normals(points, triangles, groups, sums, normals):  # type: ignore[no-untyped-def]
    """Unit normals (V, 3): the area-weighted mean of the faces that meet in a vertex's group. ``sums`` is scratch."""
    sums[:] = 0.0
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ux, uy, uz = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
        vx, vy, vz = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
        x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        if not math.isfinite(x + y + z):
            continue
        for k in range(3):
            g = groups[triangles[t, k]]
            sums[g, 0] += x
            sums[g, 1] += y
            sums[g, 2] += z
    for i in range(points.shape[0]):
        g = groups[i]
        x, y, z = sums[g, 0], sums[g, 1], sums[g, 2]
        length = math.sqrt(x * x + y * y + z * z)
        if length > 1e-30:
            normals[i, 0], normals[i, 1], normals[i, 2] = x / length, y / length, z / length
        else:
            normals[i, 0], normals[i, 1], normals[i, 2] = 0.0, 1.0, 0.0


@compile_kernel
def fill_surface(placed, triangles, optics, nearness, ids):  # type: ignore[no-untyped-def]
    """Draw triangles in camera space: the nearest one's number into ``ids`` and 1 / depth into ``nearness``.

    What reaches behind the nearest depth is cut off there; triangles with a vertex that is no number are left out.
    """
    focal, right, down, near = optics[0], optics[1], optics[2], optics[3]
    corners = np.empty((4, 3))
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        za, zb, zc = placed[a, 2], placed[b, 2], placed[c, 2]
        if za > near and zb > near and zc > near:
            wa, wb, wc = 1.0 / za, 1.0 / zb, 1.0 / zc
            _fill(
                right + focal * placed[a, 0] * wa, down - focal * placed[a, 1] * wa, wa,
                right + focal * placed[b, 0] * wb, down - focal * placed[b, 1] * wb, wb,
                right + focal * placed[c, 0] * wc, down - focal * placed[c, 1] * wc, wc,
                t, nearness, ids,
            )  # fmt: skip
            continue
        if not (za > near or zb > near or zc > near) or not math.isfinite(za + zb + zc):
            continue
        count = _clip(placed, a, b, c, near, corners)
        for k in range(1, count - 1):
            wa, wb, wc = 1.0 / corners[0, 2], 1.0 / corners[k, 2], 1.0 / corners[k + 1, 2]
            _fill(
                right + focal * corners[0, 0] * wa, down - focal * corners[0, 1] * wa, wa,
                right + focal * corners[k, 0] * wb, down - focal * corners[k, 1] * wb, wb,
                right + focal * corners[k + 1, 0] * wc, down - focal * corners[k + 1, 1] * wc, wc,
                t, nearness, ids,
            )  # fmt: skip


@compile_kernel
def _clip(placed, a, b, c, near, corners):  # type: ignore[no-untyped-def]
    """The part of a triangle that lies beyond the nearest depth: three or four corners."""
    count = 0
    for k in range(3):
        i = a if k == 0 else (b if k == 1 else c)
        j = b if k == 0 else (c if k == 1 else a)
        zi, zj = placed[i, 2], placed[j, 2]
        if zi > near:
            corners[count, 0], corners[count, 1], corners[count, 2] = placed[i, 0], placed[i, 1], zi
            count += 1
        if (zi > near) != (zj > near):
            u = (near - zi) / (zj - zi)
            corners[count, 0] = placed[i, 0] + u * (placed[j, 0] - placed[i, 0])
            corners[count, 1] = placed[i, 1] + u * (placed[j, 1] - placed[i, 1])
            corners[count, 2] = near
            count += 1
    return count


@compile_kernel
def fill_depth(x, y, depth, triangles, nearness, ids):  # type: ignore[no-untyped-def]
    """Draw triangles without perspective, as a lamp far away sees them: x and y in samples, nearer is more."""
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        _fill(x[a], y[a], depth[a], x[b], y[b], depth[b], x[c], y[c], depth[c], t, nearness, ids)


@compile_kernel
def _fill(x0, y0, w0, x1, y1, w1, x2, y2, w2, number, nearness, ids):  # type: ignore[no-untyped-def]
    """One triangle, whichever way it turns. A sample is its middle; what is nearest stays."""
    high, wide = nearness.shape
    left, right = min(x0, x1, x2), max(x0, x1, x2)
    top, bottom = min(y0, y1, y2), max(y0, y1, y2)
    if not (right >= 0.0 and left <= wide and bottom >= 0.0 and top <= high):
        return  # beside the picture, or not a number
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    if not math.isfinite(area) or area == 0.0 or not math.isfinite(w0 + w1 + w2):
        return
    # Rows and columns whose middles lie within.
    first, last = math.ceil(max(left, 0.0) - 0.5), math.floor(min(right, float(wide)) - 0.5)
    upper, lower = math.ceil(max(top, 0.0) - 0.5), math.floor(min(bottom, float(high)) - 0.5)
    last, lower = min(last, wide - 1), min(lower, high - 1)
    if first > last or upper > lower:
        return
    over = 1.0 / area
    # Shares of the second and the third corner, as planes over the picture.
    bx, by = (y2 - y0) * over, (x0 - x2) * over
    cx, cy = (y0 - y1) * over, (x1 - x0) * over
    for row in range(upper, lower + 1):
        dy = row + 0.5 - y0
        b = bx * (first + 0.5 - x0) + by * dy
        c = cx * (first + 0.5 - x0) + cy * dy
        for column in range(first, last + 1):
            a = 1.0 - b - c
            if a >= -1e-9 and b >= -1e-9 and c >= -1e-9:
                w = a * w0 + b * w1 + c * w2
                if w > nearness[row, column]:
                    nearness[row, column] = w
                    ids[row, column] = number
            b += bx
            c += cx


@compile_kernel
def fill_shadow(points, triangles, ways, floor, corner, texel, met):  # type: ignore[no-untyped-def]
    """Mark in ``met`` (N, N), bits of whole numbers, the lamps whose light the triangles keep from a spot of the floor.

    ``ways`` (L, 3) point to at most 63 far lamps. A lamp's shadow is the surface slid down its rays onto the floor, so
    many lamps side by side give the true shadow of a wide one: sharp where things touch, softer the higher they are.
    ``corner`` is where the map starts (x, z), ``texel`` its step.
    """
    over = 1.0 / texel
    lamps = ways.shape[0]
    slide_x, slide_z = np.empty(lamps), np.empty(lamps)
    for lamp in range(lamps):
        slide_x[lamp], slide_z[lamp] = over * ways[lamp, 0] / ways[lamp, 1], over * ways[lamp, 2] / ways[lamp, 1]
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ha, hb, hc = max(points[a, 1] - floor, 0.0), max(points[b, 1] - floor, 0.0), max(points[c, 1] - floor, 0.0)
        xa, za = (points[a, 0] - corner[0]) * over, (points[a, 2] - corner[1]) * over
        xb, zb = (points[b, 0] - corner[0]) * over, (points[b, 2] - corner[1]) * over
        xc, zc = (points[c, 0] - corner[0]) * over, (points[c, 2] - corner[1]) * over
        if not math.isfinite(ha + hb + hc + xa + xb + xc + za + zb + zc):
            continue
        for lamp in range(lamps):
            x, z = slide_x[lamp], slide_z[lamp]
            _stamp(xa - ha * x, za - ha * z, xb - hb * x, zb - hb * z, xc - hc * x, zc - hc * z, 1 << lamp, met)


@compile_kernel
def _stamp(x0, y0, x1, y1, x2, y2, bit, met):  # type: ignore[no-untyped-def]
    """One triangle's spots; most triangles are smaller than a spot and cover the middle of none."""
    side = met.shape[0]
    left, right = min(x0, x1, x2), max(x0, x1, x2)
    first, last = math.ceil(max(left, 0.0) - 0.5), math.floor(min(right, float(side)) - 0.5)
    if first > last:
        return
    top, bottom = min(y0, y1, y2), max(y0, y1, y2)
    upper, lower = math.ceil(max(top, 0.0) - 0.5), math.floor(min(bottom, float(side)) - 0.5)
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    if upper > lower or area == 0.0:
        return
    over = 1.0 / area
    bx, by = (y2 - y0) * over, (x0 - x2) * over
    cx, cy = (y0 - y1) * over, (x1 - x0) * over
    for row in range(upper, lower + 1):
        dy = row + 0.5 - y0
        for column in range(first, last + 1):
            b = bx * (column + 0.5 - x0) + by * dy
            c = cx * (column + 0.5 - x0) + cy * dy
            if b >= -1e-9 and c >= -1e-9 and b + c <= 1.0 + 1e-9:
                met[row, column] |= bit


@compile_kernel
def count_lamps(met, share, shade):  # type: ignore[no-untyped-def]
    """``shade`` (N, N): ``share`` for every lamp that is marked."""
    for row in range(met.shape[0]):
        for column in range(met.shape[1]):
            bits, count = met[row, column], 0
            while bits:
                bits &= bits - 1
                count += 1
            shade[row, column] = share * count


@compile_kernel
def draw_ribbon(x, y, depth, widths, strengths, colour, nearness, ink, tints):  # type: ignore[no-untyped-def]
    """A line through samples (N,), widths in samples, into the layer of ink, behind what is nearer in the picture.

    Where a ribbon crosses itself the stronger part stays, so that overlaps don't darken. ``depth`` is 1 / depth.
    """
    high, wide = nearness.shape
    for i in range(x.shape[0] - 1):
        if not math.isfinite(x[i] + y[i] + x[i + 1] + y[i + 1] + depth[i] + depth[i + 1]):
            continue
        reach = 0.5 * max(widths[i], widths[i + 1]) + 1.0
        first = max(int(max(min(x[i], x[i + 1]) - reach, 0.0)), 0)
        last = min(int(min(max(x[i], x[i + 1]) + reach, float(wide))), wide - 1)
        upper = max(int(max(min(y[i], y[i + 1]) - reach, 0.0)), 0)
        lower = min(int(min(max(y[i], y[i + 1]) + reach, float(high))), high - 1)
        dx, dy = x[i + 1] - x[i], y[i + 1] - y[i]
        squared = max(dx * dx + dy * dy, 1e-12)
        for row in range(upper, lower + 1):
            for column in range(first, last + 1):
                px, py = column + 0.5 - x[i], row + 0.5 - y[i]
                u = min(max((px * dx + py * dy) / squared, 0.0), 1.0)
                away = math.hypot(px - u * dx, py - u * dy)
                half = 0.5 * (widths[i] + u * (widths[i + 1] - widths[i]))
                cover = min(max(half - away + 0.5, 0.0), 1.0)
                if cover <= 0.0 or depth[i] + u * (depth[i + 1] - depth[i]) < nearness[row, column]:
                    continue
                strength = cover * (strengths[i] + u * (strengths[i + 1] - strengths[i]))
                if strength > ink[row, column]:
                    ink[row, column] = strength
                    tints[row, column] = colour
