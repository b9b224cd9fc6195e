"""One picture of a surface in the studio."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from kinesphere.kernels.arrays import Floats
from kinesphere.pictures import colours
from kinesphere.pictures.canvas import nice_step
from kinesphere.pictures.colours import Colour
from kinesphere.pictures.light import FILM, LAMPS, Effort, Shades, cast, way_to_key
from kinesphere.pictures.ribbons import Ribbon, draw_ribbons
from kinesphere.pictures.shot import Shot
from kinesphere.pictures.surface import Surface, sound

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
    effort: Effort = FILM


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
    from kinesphere.pictures import jit_develop

    wide, high = shot.size
    surface = sound(surface)
    shades = cast(surface, shot.camera, shot.target, stage.floor, stage.height, stage.effort)
    ground = _ground(shot, stage, shades)
    bare = ground.copy() if ghosts else ground
    for ghost, strength in ghosts or ():
        _behind(ground, bare, sound(ghost), shot, stage, strength)
    window = _window(shot, surface.points)
    view = _seen(surface, window, stage.finer)
    samples = _light(surface, window, stage.finer, shades, view)
    out = np.empty((high, wide, 3), dtype=np.uint8)
    jit_develop.develop(samples, view.ids, view.corner, ground, stage.finer, _srgb(), out)
    if ribbons:
        draw_ribbons(out, ribbons, shot, _nearest(view, shot, stage.finer))
    return out


def linear(colour: Colour) -> Floats:
    """Light of an sRGB colour."""
    value = np.array(colour) / 255.0
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


@cache
def _srgb() -> Pixels:
    """Bytes for light from 0 to 1 in fine steps."""
    light = np.linspace(0.0, 1.0, 16384)
    value = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1.0 / 2.4) - 0.055)
    return np.round(255.0 * value).astype(np.uint8)


def _ground(shot: Shot, stage: Stage, shades: Shades) -> Layer:
    from kinesphere.pictures import jit_ground

    shares = np.array([_KEY_SHARE, _SKY_SHARE, _TOUCH_SHARE])
    tones = np.concatenate([[linear(colours.PAPER), linear(FLOOR), linear(LINE)], shares])
    width = max(1.0, shot.size[1] / 700.0)
    grid = np.array([nice_step(0.4 * stage.height), _REACH * stage.height, width])
    ground = np.empty((shot.size[1], shot.size[0], 3), dtype=np.float32)
    maps = (shades.key, shades.sky, shades.touch)
    jit_ground.shade_ground(
        shot.frame(), shot.optics(), stage.floor, shot.target, tones, grid, maps, shades.corners, shades.texels, ground
    )
    return ground


@dataclass(frozen=True, eq=False)
class _View:
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


def _seen(surface: Surface, window: tuple[Shot, NDArray[np.intp]], finer: int) -> _View:
    from kinesphere.kernels import jit_raster

    shot, corner = window
    shape = (shot.size[1] * finer, shot.size[0] * finer)
    placed = np.empty(surface.points.shape)
    jit_raster.to_camera(surface.points, shot.frame(), placed)
    nearness, ids = np.zeros(shape, dtype=np.float32), np.full(shape, -1, dtype=np.int32)
    jit_raster.fill_surface(placed, surface.triangles, shot.optics(finer), nearness, ids)
    return _View(corner, placed, nearness, ids)


def _light(surface: Surface, window: tuple[Shot, NDArray[np.intp]], finer: int, shades: Shades, view: _View) -> Layer:
    """The colour of every sample that sees the surface."""
    from kinesphere.pictures import jit_light

    shot, _ = window
    samples = np.empty((*view.ids.shape, 3), dtype=np.float32)
    jit_light.shade_surface(
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
        way_to_key(shot.camera),
        shades.lamp,
        shades.lamp_frame,
        finer,
        samples,
    )
    return samples


def _behind(ground: Layer, bare: Layer, ghost: Surface, shot: Shot, stage: Stage, strength: float) -> None:
    """A pale body on the ground, which it is drawn into: over the bare floor, hiding the ghosts before it."""
    from kinesphere.pictures import jit_develop

    view = _seen(ghost, _window(shot, ghost.points), stage.finer)
    ways = ghost.normals @ shot.frame()[:3].T
    triangles, finer = ghost.triangles, stage.finer
    jit_develop.blend_ghost(view.ids, view.corner, ways, triangles, ghost.colours, strength, finer, bare, ground)


def _nearest(view: _View, shot: Shot, finer: int) -> Layer:
    """``(H, W)`` how near the surface is in the middle of each pixel, as 1 / depth; 0 where there is none."""
    nearest = np.zeros((shot.size[1], shot.size[0]), dtype=np.float32)
    middle = view.nearness[finer // 2 :: finer, finer // 2 :: finer]
    x, y = view.corner.tolist()
    inside = nearest[y : y + middle.shape[0], x : x + middle.shape[1]]
    inside[:] = middle[: inside.shape[0], : inside.shape[1]]  # a body outside the picture has a window of one pixel
    return nearest
