"""Compiled darkroom: samples and ghosts to the bytes of a picture. See ``jit_raster`` for why there is no twin."""

from __future__ import annotations

import math

from kinesphere.kernels.jit_terms import compile_kernel

__all__ = ["blend_ghost", "develop"]


@compile_kernel
def develop(samples, ids, corner, ground, finer, table, out):  # type: ignore[no-untyped-def]
    """The mean of each pixel's samples over the ground, as sRGB bytes. ``table`` is that curve.

    Samples cover only a part of the picture, from the pixel ``corner`` (right, down) on.
    """
    share = 1.0 / (finer * finer)
    for row in range(out.shape[0]):
        top = (row - corner[1]) * finer
        for column in range(out.shape[1]):
            left = (column - corner[0]) * finer
            red, green, blue = ground[row, column, 0], ground[row, column, 1], ground[row, column, 2]
            if 0 <= top < ids.shape[0] and 0 <= left < ids.shape[1]:
                r, g, b = red, green, blue
                red, green, blue = 0.0, 0.0, 0.0
                for i in range(top, top + finer):
                    for j in range(left, left + finer):
                        x, y, z = r, g, b
                        if ids[i, j] >= 0:
                            x, y, z = samples[i, j, 0], samples[i, j, 1], samples[i, j, 2]
                        red, green, blue = red + x, green + y, blue + z
                red, green, blue = red * share, green * share, blue * share
            out[row, column, 0] = _byte(red, table)
            out[row, column, 1] = _byte(green, table)
            out[row, column, 2] = _byte(blue, table)


@compile_kernel
def blend_ghost(ids, corner, ways, triangles, colours, strength, finer, bare, ground):  # type: ignore[no-untyped-def]
    """A body's faint picture into the ground: lit simply, from above and from the left.

    It is seen against the ``bare`` ground, so that ghosts behind it don't show through and make a muddle. ``ways``
    (V, 3) are normals as the camera has them: right, up, back.
    """
    share = 1.0 / (finer * finer)
    for row in range(corner[1], corner[1] + ids.shape[0] // finer):
        for column in range(corner[0], corner[0] + ids.shape[1] // finer):
            cover, red, green, blue = 0.0, 0.0, 0.0, 0.0
            top, left = (row - corner[1]) * finer, (column - corner[0]) * finer
            for i in range(top, top + finer):
                for j in range(left, left + finer):
                    t = ids[i, j]
                    if t < 0:
                        continue
                    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
                    up, right = ways[a, 1] + ways[b, 1] + ways[c, 1], ways[a, 0] + ways[b, 0] + ways[c, 0]
                    light = 0.78 + 0.11 * up - 0.08 * right
                    cover += 1.0
                    red += light * colours[a, 0]
                    green += light * colours[a, 1]
                    blue += light * colours[a, 2]
            if cover > 0.0:
                much = share * cover
                under, tone = bare[row, column], ground[row, column]
                tone[0] += much * (_mixed(under[0], red / cover, strength) - tone[0])
                tone[1] += much * (_mixed(under[1], green / cover, strength) - tone[1])
                tone[2] += much * (_mixed(under[2], blue / cover, strength) - tone[2])


@compile_kernel
def _mixed(under, over, much):  # type: ignore[no-untyped-def]
    """One tone over another as paint is, not as light: pale orange stays orange."""
    tone = math.sqrt(max(under, 0.0))
    tone += much * (math.sqrt(max(over, 0.0)) - tone)
    return tone * tone


@compile_kernel
def _byte(light, table):  # type: ignore[no-untyped-def]
    """What is no number is black: it must not become a place in the table."""
    if not light > 0.0:
        return table[0]
    return table[int(min(light, 1.0) * (table.shape[0] - 1) + 0.5)]
