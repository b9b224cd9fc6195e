"""Render one picture of a surface: floor, shadows, ghosts, the lit body with supersampling, and lines over it.

Light is linear until the last step, which averages the samples of each pixel and encodes them as sRGB bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinesphere import _native
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.pictures import canvas
from kinesphere.pictures.camera import Shot, to_camera
from kinesphere.pictures.canvas import Colour, round_step
from kinesphere.pictures.light import (
    FILM,
    Floor,
    LitMesh,
    Quality,
    Shadows,
    compute_shadows,
    studio_lighting,
)
from kinesphere.pictures.paint import decode_srgb, encoded_light
from kinesphere.pictures.rasterise import Line, ZBuffer, make_zbuffer
from kinesphere.pictures.surface import Surface, drop_bad_triangles

Pixels: TypeAlias = NDArray[np.uint8]
Layer: TypeAlias = NDArray[np.float32]

FLOOR: Colour = (240, 238, 232)
GRID_LINE: Colour = (214, 210, 201)
_KEY_SHARE = (0.44, 0.43, 0.405)  # of the floor's light: shadows are cool where the key is warm
_AMBIENT_SHARE = (0.72, 0.72, 0.71)
_CONTACT_SHARE = (0.50, 0.50, 0.49)
_FLOOR_RADIUS = 2.9  # body heights from the target to where the floor has become paper
_MIN_LINE_WIDTH = 1.2  # pixels
_LINE_STEP, _DOT_STEP = 3.0, 0.25  # pixels between points of a line, and between dots that are drawn as two


@dataclass(frozen=True, eq=False)
class Stage:
    """Settings that stay the same from picture to picture."""

    floor: float
    height: float  # of the body
    supersampling: int = 2  # samples along each side of a pixel
    quality: Quality = FILM


@dataclass(frozen=True, eq=False)
class Ribbon:
    """A line in the world, or dots, drawn where nothing hides them."""

    points: Floats  # (N, 3)
    widths: Floats  # (N,) metres
    opacity: Floats  # (N,) from 0 to 1
    colour: Colour
    hidden_opacity: float = 0.0  # the share of its opacity that is left where something hides it
    dots: bool = False  # whether its points are dots instead of a line


def render(
    surface: Surface,
    shot: Shot,
    stage: Stage,
    *,
    ghosts: Sequence[tuple[Surface, float]] = (),
    ribbons: Sequence[Ribbon] = (),
) -> Pixels:
    """``(H, W, 3)`` bytes of sRGB.

    ``ghosts`` are paler surfaces behind, each with its opacity; later ``ribbons`` are drawn over earlier ones.
    """
    wide, high = shot.size
    surface = drop_bad_triangles(surface)
    shadows = compute_shadows(surface, shot.camera, shot.target, stage.floor, stage.height, stage.quality)
    ground = _draw_floor(shot, stage, shadows)
    bare = ground.copy() if ghosts else ground
    for ghost, opacity in ghosts:
        _draw_ghost(ground, bare, drop_bad_triangles(ghost), shot, stage, opacity)
    visible = _find_visible(surface, shot, stage.supersampling)
    samples = _shade(surface, visible, stage, shadows)
    out = np.empty((high, wide, 3), dtype=np.uint8)
    _native.render.resolve(
        samples, visible.buffer.ids, visible.corner, stage.supersampling, ground, encoded_light(), out
    )
    if ribbons:
        draw_ribbons(out, ribbons, shot, _pixel_depth(visible, shot, stage.supersampling))
    return out


def srgb_to_linear(colour: Colour) -> Floats:
    """The linear light of an sRGB colour."""
    return decode_srgb(np.array(colour) / 255.0)


def _draw_floor(shot: Shot, stage: Stage, shadows: Shadows) -> Layer:
    """``(H, W, 3)`` linear light of the floor with its shadows."""
    floor = Floor(
        height=float(stage.floor),
        target=shot.target,
        radius=_FLOOR_RADIUS * stage.height,
        step=round_step(0.4 * stage.height),
        line_width=max(1.0, shot.size[1] / 700.0),
        paper=srgb_to_linear(canvas.PAPER),
        colour=srgb_to_linear(FLOOR),
        line=srgb_to_linear(GRID_LINE),
        key_share=np.array(_KEY_SHARE),
        ambient_share=np.array(_AMBIENT_SHARE),
        contact_share=np.array(_CONTACT_SHARE),
    )
    ground = np.empty((shot.size[1], shot.size[0], 3), dtype=np.float32)
    _native.light.shade_floor(shot.projection(), floor, shadows.floor, ground)
    return ground


@dataclass(frozen=True, eq=False)
class _Visibility:
    """The triangles that a part of the picture shows, sample by sample."""

    shot: Shot  # of that part
    corner: Ints  # (2,) the pixel where it starts
    camera_points: Floats  # (V, 3) in the camera's frame
    buffer: ZBuffer


def _find_visible(surface: Surface, shot: Shot, supersampling: int) -> _Visibility:
    """Rasterise a surface over the part of the picture that it falls into."""
    window, corner = _crop(shot, surface.points)
    view = window.projection(supersampling)
    points = to_camera(surface.points, view)
    buffer = make_zbuffer(window.size[1] * supersampling, window.size[0] * supersampling)
    if surface.paint is None:
        _native.rasterise.fill_perspective(points, surface.triangles, view, buffer)
    else:
        _native.rasterise.fill_painted(points, surface.triangles, view, surface.paint, supersampling, buffer)
    return _Visibility(window, corner, points, buffer)


def _crop(shot: Shot, points: Floats) -> tuple[Shot, Ints]:
    """The part of the picture that points fall into, as a shot of its own, and the pixel where it starts."""
    pixels = shot.pixels(points)[0]
    low, high = np.zeros(2), np.array(shot.size, dtype=np.float64)
    if np.isfinite(pixels).all():  # else something is clipped by the near plane, and may be anywhere
        x, y = pixels.T
        least, most = np.array([x.min(), y.min()]), np.array([x.max(), y.max()])
        low, high = np.clip(least - 3.0, low, high), np.clip(most + 3.0, low, high)
    corner, end = np.floor(low).astype(np.intp), np.ceil(high).astype(np.intp)
    wide, tall = np.maximum(end - corner, 1).tolist()
    origin = (shot.origin[0] - float(corner[0]), shot.origin[1] - float(corner[1]))
    return replace(shot, origin=origin, size=(wide, tall)), corner


def _shade(surface: Surface, visible: _Visibility, stage: Stage, shadows: Shadows) -> Layer:
    """The linear colour of every sample that shows the surface."""
    samples = np.empty((*visible.buffer.ids.shape, 3), dtype=np.float32)
    mesh = LitMesh(
        surface.points,
        visible.camera_points,
        surface.normals,
        surface.colours,
        shadows.ambient,
        surface.triangles,
    )
    view = visible.shot.projection(stage.supersampling)
    lighting = studio_lighting(shadows, stage.floor, stage.height)
    finer = stage.supersampling
    if surface.paint is None:
        _native.light.shade_surface(visible.buffer, mesh, view, lighting, finer, samples)
    else:
        _native.light.shade_painted(visible.buffer, mesh, surface.paint, view, lighting, finer, samples)
    return samples


def _pixel_depth(visible: _Visibility, shot: Shot, supersampling: int) -> Layer:
    """``(H, W)`` 1 / depth of the surface in the middle of each pixel; 0 where there is none."""
    depth = np.zeros((shot.size[1], shot.size[0]), dtype=np.float32)
    middle = visible.buffer.inverse_depth[supersampling // 2 :: supersampling, supersampling // 2 :: supersampling]
    x, y = visible.corner.tolist()
    inside = depth[y : y + middle.shape[0], x : x + middle.shape[1]]
    inside[:] = middle[: inside.shape[0], : inside.shape[1]]  # a body outside the picture has a window of one pixel
    return depth


# Ghosts: paler bodies of earlier times, behind


class Ghost(NamedTuple):
    """A rasterised surface that is drawn pale."""

    ids: NDArray[np.int32]  # (H', W') triangle of each sample, -1 for none
    corner: Ints  # (2,) the pixel where the samples start
    supersampling: int
    normals: Floats  # (V, 3) in the camera's frame: right, up, back
    triangles: Ints  # (F, 3)
    colours: Floats  # (V, 3) linear
    opacity: float


def _draw_ghost(ground: Layer, bare: Layer, surface: Surface, shot: Shot, stage: Stage, opacity: float) -> None:
    """Draw a pale body into the ground: over the bare floor, hiding the ghosts before it."""
    visible = _find_visible(surface, shot, stage.supersampling)
    normals = surface.normals @ shot.projection().axes.T
    ghost = Ghost(
        visible.buffer.ids,
        visible.corner,
        stage.supersampling,
        normals,
        surface.triangles,
        surface.colours,
        opacity,
    )
    _native.render.blend_ghost(ghost, bare, ground)


# Ribbons: lines and dots


def draw_ribbons(out: Pixels, ribbons: Sequence[Ribbon], shot: Shot, inverse_depth: Layer) -> None:
    """Draw ribbons over a picture. ``inverse_depth`` ``(H, W)`` is that of the surfaces that hide them."""
    coverage = np.zeros(inverse_depth.shape, dtype=np.float32)
    for ribbon in ribbons:
        rows, columns = _cover(ribbon, shot, inverse_depth, coverage)
        part = coverage[rows, columns]
        y, x = np.nonzero(part)
        alpha, under = part[y, x, None], out[rows, columns][y, x]
        out[rows, columns][y, x] = np.round(under + alpha * (np.array(ribbon.colour) - under))
        part[y, x] = 0.0


def _cover(ribbon: Ribbon, shot: Shot, inverse_depth: Layer, coverage: Layer) -> tuple[slice, slice]:
    """Rasterise a ribbon into ``coverage``, and return rows and columns that it may have changed."""
    pixels, depth = shot.pixels(ribbon.points)
    widths = np.maximum(ribbon.widths * shot.scale * shot.camera.distance * depth, _MIN_LINE_WIDTH)
    kept = _thin_out(pixels, _DOT_STEP if ribbon.dots else _LINE_STEP)
    x, y, depth, widths, opacity = (v[kept] for v in (pixels[:, 0], pixels[:, 1], depth, widths, ribbon.opacity))
    visible = np.isfinite(x)
    if not visible.any():
        return slice(0), slice(0)
    reach = 0.5 * float(widths[visible].max()) + 2.0
    low = np.maximum([y[visible].min() - reach, x[visible].min() - reach], 0.0).astype(np.intp)
    high = np.maximum([y[visible].max() + reach, x[visible].max() + reach], 0.0).astype(np.intp)
    if ribbon.dots:  # lines of no length, with gaps between
        x, y, depth, widths, opacity = (np.repeat(values, 3) for values in (x, y, depth, widths, opacity))
        x[2::3] = np.nan
    if ribbon.hidden_opacity > 0.0:
        in_front = np.full_like(depth, 1e30)
        behind = Line(x, y, in_front, widths, ribbon.hidden_opacity * opacity)
        _native.rasterise.draw_line(behind, inverse_depth, coverage)
    _native.rasterise.draw_line(Line(x, y, depth, widths, opacity), inverse_depth, coverage)
    return slice(low[0], high[0] + 1), slice(low[1], high[1] + 1)


def _thin_out(positions: Floats, step: float) -> Ints:
    """Of points on a line ``(N, 2)`` those worth drawing: the first, and the last of each step along it."""
    if len(positions) < 2:
        return np.arange(len(positions))
    lengths = np.linalg.norm(np.diff(positions, axis=0), axis=1)
    steps = np.floor(np.cumsum(np.where(np.isfinite(lengths), lengths, step)) / step)
    return np.flatnonzero(np.concatenate([[True], np.diff(steps) > 0.0, [True]]))
