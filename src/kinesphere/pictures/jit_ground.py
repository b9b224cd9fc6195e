"""Compiled floor: its tone, lines and shadows. See ``jit_raster`` for the camera and why there is no twin."""

from __future__ import annotations

import math

from kinesphere.kernels.jit_terms import compile_kernel

__all__ = ["shade_ground", "soften"]


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
def soften(values, scratch, radius, passes):  # type: ignore[no-untyped-def]
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
