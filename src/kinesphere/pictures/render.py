"""A camera with its place in the picture, for surfaces."""

from __future__ import annotations

import math
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kinesphere.maths.compiled import compile_kernel
from kinesphere.maths.vectors import Floats
from kinesphere.pictures import canvas
from kinesphere.pictures.camera import Camera
from kinesphere.pictures.canvas import Colour, round_step
from kinesphere.pictures.light import FILM, LAMPS, Quality, ShadowMaps, cast_shadows, key_light_direction
from kinesphere.pictures.surface import Surface, drop_bad_triangles

_NEAREST = 0.02  # of the camera's distance: what comes closer is cut off


@dataclass(frozen=True, eq=False)
class Shot:
    """One picture to take: the camera, what it looks at, and how large that is."""

    camera: Camera
    target: Floats  # (3,)
    scale: float  # pixels a metre, at the target
    origin: tuple[float, float]  # where the target falls, in pixels from the left and the top
    size: tuple[int, int]  # pixels

    def towards(self, target: Floats) -> Shot:
        """The same shot of another place."""
        return replace(self, target=target)

    def frame(self) -> Floats:
        """``(4, 3)``: right, up, back, and where the camera is."""
        eye = self.target + self.camera.distance * self.camera.back
        return np.stack([self.camera.right, self.camera.up, self.camera.back, eye])

    def optics(self, finer: int = 1) -> Floats:
        """Pixels a unit of slope, the pixel looked at, and the nearest depth, with so many samples a pixel's side."""
        focal = self.scale * self.camera.distance
        return np.array([*(finer * v for v in (focal, *self.origin)), _NEAREST * self.camera.distance])

    def pixels(self, points: Floats, finer: int = 1) -> tuple[Floats, Floats]:
        """Where points fall ``(…, 2)``, and 1 / depth. Points behind the camera are not numbers."""
        right, up, back, eye = self.frame()
        focal, x0, y0, near = self.optics(finer)
        relative = points - eye
        depth = -(relative @ back)
        nearness = np.where(depth > near, 1.0, np.nan) / np.where(depth > near, depth, 1.0)
        x = x0 + focal * (relative @ right) * nearness
        y = y0 - focal * (relative @ up) * nearness
        return np.stack([x, y], axis=-1), nearness


# ---- Lines and dots in the space of a picture, drawn into it when it is developed.


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
    from kinesphere.pictures import rasterise

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
        rasterise.draw_ribbon(x, y, ahead, widths, ribbon.behind * strengths, 0, nearest, ink, tints)
    rasterise.draw_ribbon(x, y, near, widths, strengths, 0, nearest, ink, tints)
    return slice(low[0], high[0] + 1), slice(low[1], high[1] + 1)


def _apart(places: Floats, step: float) -> NDArray[np.intp]:
    """Of points on a line ``(N, 2)`` those that are worth drawing: the first, and the last of each step along it."""
    if len(places) < 2:
        return np.arange(len(places))
    way = np.linalg.norm(np.diff(places, axis=0), axis=1)
    steps = np.floor(np.cumsum(np.where(np.isfinite(way), way, step)) / step)
    return np.flatnonzero(np.concatenate([[True], np.diff(steps) > 0.0, [True]]))


# ---- Compiled darkroom: samples and ghosts to the bytes of a picture. See ``jit_raster`` for why there is no twin.


@compile_kernel
def resolve_samples(samples, ids, corner, ground, finer, table, out):  # type: ignore[no-untyped-def]
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


# ---- One picture of a surface in the studio.


Pixels = NDArray[np.uint8]
Layer = NDArray[np.float32]

FLOOR: Colour = (240, 238, 232)
LINE: Colour = (214, 210, 201)
_KEY_SHARE = (0.44, 0.43, 0.405)  # of the floor's light comes from the key: shadows are cool where the key is warm
_SKY_SHARE = (0.72, 0.72, 0.71)
_TOUCH_SHARE = (0.50, 0.50, 0.49)
_REACH = 2.9  # body heights from the target to where the floor has become paper


@dataclass(frozen=True, eq=False)
class Stage:
    """What stays the same from picture to picture: the floor and the size of the body on it."""

    floor: float
    height: float
    finer: int = 2  # samples along each side of a pixel
    effort: Quality = FILM


def render(
    surface: Surface,
    shot: Shot,
    stage: Stage,
    *,
    ghosts: list[tuple[Surface, float]] | None = None,
    ribbons: list[Ribbon] | None = None,
) -> Pixels:
    """``(H, W, 3)`` bytes of sRGB.

    ``ghosts`` are paler surfaces behind, each with how much of it is seen; later ``ribbons`` are over earlier ones.
    """

    wide, high = shot.size
    surface = drop_bad_triangles(surface)
    shades = cast_shadows(surface, shot.camera, shot.target, stage.floor, stage.height, stage.effort)
    ground = _ground(shot, stage, shades)
    bare = ground.copy() if ghosts else ground
    for ghost, strength in ghosts or ():
        _behind(ground, bare, drop_bad_triangles(ghost), shot, stage, strength)
    window = _window(shot, surface.points)
    view = _seen(surface, window, stage.finer)
    samples = _light(surface, window, stage.finer, shades, view)
    out = np.empty((high, wide, 3), dtype=np.uint8)
    resolve_samples(samples, view.ids, view.corner, ground, stage.finer, _srgb(), out)
    if ribbons:
        draw_ribbons(out, ribbons, shot, _nearest(view, shot, stage.finer))
    return out


def srgb_to_linear(colour: Colour) -> Floats:
    """Light of an sRGB colour."""
    value = np.array(colour) / 255.0
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


@cache
def _srgb() -> Pixels:
    """Bytes for light from 0 to 1 in fine steps."""
    light = np.linspace(0.0, 1.0, 16384)
    value = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1.0 / 2.4) - 0.055)
    return np.round(255.0 * value).astype(np.uint8)


def _ground(shot: Shot, stage: Stage, shades: ShadowMaps) -> Layer:
    from kinesphere.pictures import light as light_

    shares = np.array([_KEY_SHARE, _SKY_SHARE, _TOUCH_SHARE])
    tones = np.concatenate([[srgb_to_linear(canvas.PAPER), srgb_to_linear(FLOOR), srgb_to_linear(LINE)], shares])
    width = max(1.0, shot.size[1] / 700.0)
    grid = np.array([round_step(0.4 * stage.height), _REACH * stage.height, width])
    ground = np.empty((shot.size[1], shot.size[0], 3), dtype=np.float32)
    maps = (shades.key, shades.sky, shades.touch)
    light_.shade_ground(
        shot.frame(), shot.optics(), stage.floor, shot.target, tones, grid, maps, shades.corners, shades.texels, ground
    )
    return ground


@dataclass(frozen=True, eq=False)
class _Visibility:
    """Which triangle each sample of a part of the picture sees."""

    corner: NDArray[np.intp]  # (2,): the pixel where it starts
    placed: Floats  # (V, 3) in the camera's frame
    nearness: Layer  # 1 / depth
    ids: NDArray[np.int32]  # -1 for none


def _window(shot: Shot, points: Floats) -> tuple[Shot, NDArray[np.intp]]:
    """The part of the picture that points fall into, as a shot of its own, and the pixel where it starts."""
    pixels = shot.pixels(points)[0]
    seen = pixels[np.isfinite(pixels).all(axis=1)]
    low, high = np.zeros(2), np.array(shot.size, dtype=np.float64)
    if len(seen) == len(pixels):  # else something is cut off by the nearest depth, and may be anywhere
        low, high = np.clip(seen.min(axis=0) - 3.0, low, high), np.clip(seen.max(axis=0) + 3.0, low, high)
    corner, end = np.floor(low).astype(np.intp), np.ceil(high).astype(np.intp)
    wide, tall = np.maximum(end - corner, 1).tolist()
    origin = (shot.origin[0] - float(corner[0]), shot.origin[1] - float(corner[1]))
    return replace(shot, origin=origin, size=(wide, tall)), corner


def _seen(surface: Surface, window: tuple[Shot, NDArray[np.intp]], finer: int) -> _Visibility:
    from kinesphere.pictures import rasterise

    shot, corner = window
    shape = (shot.size[1] * finer, shot.size[0] * finer)
    placed = np.empty(surface.points.shape)
    rasterise.to_camera(surface.points, shot.frame(), placed)
    nearness, ids = np.zeros(shape, dtype=np.float32), np.full(shape, -1, dtype=np.int32)
    rasterise.fill_surface(placed, surface.triangles, shot.optics(finer), nearness, ids)
    return _Visibility(corner, placed, nearness, ids)


def _light(
    surface: Surface, window: tuple[Shot, NDArray[np.intp]], finer: int, shades: ShadowMaps, view: _Visibility
) -> Layer:
    """The colour of every sample that sees the surface."""
    from kinesphere.pictures import light as light_

    shot, _ = window
    samples = np.empty((*view.ids.shape, 3), dtype=np.float32)
    light_.shade_surface(
        view.ids,
        view.nearness,
        view.placed,
        surface.points,
        surface.normals,
        shades.sky_seen,
        surface.triangles,
        surface.colours,
        shot.frame(),
        shot.optics(finer),
        LAMPS,
        key_light_direction(shot.camera),
        shades.lamp,
        shades.lamp_frame,
        finer,
        samples,
    )
    return samples


def _behind(ground: Layer, bare: Layer, ghost: Surface, shot: Shot, stage: Stage, strength: float) -> None:
    """A pale body on the ground, which it is drawn into: over the bare floor, hiding the ghosts before it."""

    view = _seen(ghost, _window(shot, ghost.points), stage.finer)
    ways = ghost.normals @ shot.frame()[:3].T
    triangles, finer = ghost.triangles, stage.finer
    blend_ghost(view.ids, view.corner, ways, triangles, ghost.colours, strength, finer, bare, ground)


def _nearest(view: _Visibility, shot: Shot, finer: int) -> Layer:
    """``(H, W)`` how near the surface is in the middle of each pixel, as 1 / depth; 0 where there is none."""
    nearest = np.zeros((shot.size[1], shot.size[0]), dtype=np.float32)
    middle = view.nearness[finer // 2 :: finer, finer // 2 :: finer]
    x, y = view.corner.tolist()
    inside = nearest[y : y + middle.shape[0], x : x + middle.shape[1]]
    inside[:] = middle[: inside.shape[0], : inside.shape[1]]  # a body outside the picture has a window of one pixel
    return nearest


# ---- Pictures drawn on several threads, given out in order, never many more of them in memory than threads.


Given = TypeVar("Given")
Drawn = TypeVar("Drawn")

_MOST = 8  # threads


def render_in_order(draw: Callable[[Given], Drawn], things: Iterable[Given]) -> Iterator[Drawn]:
    """``draw`` of each thing. Kernels release the lock, so threads share the work; errors come out in order too."""
    workers = min(_MOST, os.cpu_count() or 1)
    with ThreadPoolExecutor(workers, thread_name_prefix="kinesphere-picture") as pool:
        waiting: deque[Future[Drawn]] = deque()
        try:
            for thing in things:
                waiting.append(pool.submit(draw, thing))
                if len(waiting) > workers + 1:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def with_progress(things: Iterable[Given], total: int, label: str, show: bool | None = None) -> Iterator[Given]:
    """The same things, with a bar on standard error. ``show=None``: only where somebody sees it."""
    if not (sys.stderr.isatty() if show is None else show):
        yield from things
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield from bar.track(things, total=total, description=label)
