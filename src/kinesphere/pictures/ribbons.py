"""Lines and dots in the space of a picture, drawn into it when it is developed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinesphere.kernels.arrays import Floats
from kinesphere.pictures.colours import Colour
from kinesphere.pictures.shot import Shot

_Layer: TypeAlias = NDArray[np.float32]

_THINNEST = 1.2  # pixels
_STEP, _SAME_DOT = 3.0, 0.25  # pixels from point to point of a line, and between dots that are drawn as two


@dataclass(frozen=True, eq=False)
class Ribbon:
    """A line through the world, or dots in it, drawn where nothing hides them."""

    points: Floats  # (N, 3)
    widths: Floats  # (N,) metres
    strengths: Floats  # (N,) from 0 to 1
    colour: Colour
    behind: float = 0.0  # the share of its strength that is left where something hides it
    apart: bool = False  # whether its points are dots instead


def draw_ribbons(out: NDArray[np.uint8], ribbons: Sequence[Ribbon], shot: Shot, nearest: _Layer) -> None:
    """Draw over a picture. ``nearest`` ``(H, W)`` is what hides them, as 1 / depth.

    Where a ribbon crosses itself the stronger part stays, so that overlaps don't darken.
    """
    ink, unused = np.zeros(nearest.shape, dtype=np.float32), np.zeros(nearest.shape, dtype=np.int32)
    for ribbon in ribbons:
        rows, columns = _rasterise(ribbon, shot, nearest, ink, unused)
        part = ink[rows, columns]
        y, x = np.nonzero(part)
        much, under = part[y, x, None], out[rows, columns][y, x]
        out[rows, columns][y, x] = np.round(under + much * (np.array(ribbon.colour) - under))
        part[y, x] = 0.0


def _rasterise(
    ribbon: Ribbon, shot: Shot, nearest: _Layer, ink: _Layer, tints: NDArray[np.int32]
) -> tuple[slice, slice]:
    """Ink a ribbon, and say which rows and columns it may have come to."""
    from kinesphere.kernels import jit_raster

    pixels, near = shot.pixels(ribbon.points)
    widths = np.maximum(ribbon.widths * shot.scale * shot.camera.distance * near, _THINNEST)
    kept = _apart(pixels, _SAME_DOT if ribbon.apart else _STEP)
    x, y, near, widths, strengths = (v[kept] for v in (pixels[:, 0], pixels[:, 1], near, widths, ribbon.strengths))
    seen = np.isfinite(x)
    if not seen.any():
        return slice(0), slice(0)
    reach = 0.5 * float(widths[seen].max()) + 2.0
    low = np.maximum([y[seen].min() - reach, x[seen].min() - reach], 0.0).astype(np.intp)
    high = np.maximum([y[seen].max() + reach, x[seen].max() + reach], 0.0).astype(np.intp)
    if ribbon.apart:  # lines of no length, with gaps between
        x, y, near, widths, strengths = (np.repeat(values, 3) for values in (x, y, near, widths, strengths))
        x[2::3] = np.nan
    if ribbon.behind > 0.0:
        ahead = np.full_like(near, 1e30)
        jit_raster.draw_ribbon(x, y, ahead, widths, ribbon.behind * strengths, 0, nearest, ink, tints)
    jit_raster.draw_ribbon(x, y, near, widths, strengths, 0, nearest, ink, tints)
    return slice(low[0], high[0] + 1), slice(low[1], high[1] + 1)


def _apart(places: Floats, step: float) -> NDArray[np.intp]:
    """Of points on a line ``(N, 2)`` those that are worth drawing: the first, and the last of each step along it."""
    if len(places) < 2:
        return np.arange(len(places))
    way = np.linalg.norm(np.diff(places, axis=0), axis=1)
    steps = np.floor(np.cumsum(np.where(np.isfinite(way), way, step)) / step)
    return np.flatnonzero(np.concatenate([[True], np.diff(steps) > 0.0, [True]]))
