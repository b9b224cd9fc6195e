"""How large, and where in the picture: the figures as large as they fit, in the middle, with floor below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinesphere.maths.vectors import Floats
from kinesphere.pictures.camera import Camera, View, camera_for
from kinesphere.pictures.panel import Overlays, ghost_times
from kinesphere.pictures.performer import Performer
from kinesphere.pictures.render import Shot
from kinesphere.pictures.trails import trail_points

_ABOVE, _BELOW, _BESIDE = 0.05, 0.06, 0.05  # shares of a panel that stay free
_TRAILING = 0.15  # of its box that trails may add to a body that travels: one from far must not make it small
_LEAST = 0.3  # body heights that are always in the picture


@dataclass(frozen=True, eq=False)
class Extent:
    """What each pose of some performers takes up on the picture plane, in metres from its target.

    ``apart``: every pose has a picture to itself and stands in the middle of that, as on a sheet. Else all poses of a
    performer share one frame, as in a film.
    """

    cameras: tuple[Camera, ...]
    boxes: tuple[Floats, ...]  # for each performer (N, 2, 2): the least and the greatest place of each pose
    apart: bool = False

    @property
    def size(self) -> Floats:
        """Width and height that everybody needs. Floors are level on a sheet, so heights are taken together."""
        together = np.array([boxes[:, 1].max(axis=0) - boxes[:, 0].min(axis=0) for boxes in self.boxes])
        if self.apart:
            together[:, 0] = [np.max(boxes[:, 1, 0] - boxes[:, 0, 0]) for boxes in self.boxes]
        widest: Floats = together.max(axis=0)
        return widest

    def scale(self, panel: tuple[int, int]) -> float:
        """Pixels a metre with which everything fits into a panel."""
        wide, high = panel[0] * (1.0 - 2.0 * _BESIDE), panel[1] * (1.0 - _ABOVE - _BELOW)
        return float(min(wide / self.size[0], high / self.size[1]))

    def shot(self, number: int, panel: tuple[int, int], pose: int = 0) -> Shot:
        """The shot of one performer, in one of its poses where these are ``apart``."""
        scale, boxes = self.scale(panel), self.boxes[number]
        low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
        free = panel[1] * (1.0 - _ABOVE - _BELOW) - scale * float(high[1] - low[1])
        down = panel[1] * (1.0 - _BELOW) - 0.5 * free + scale * float(low[1])
        middles = 0.5 * (boxes[:, 0, 0] + boxes[:, 1, 0])
        if self.apart:
            middle = float(middles[pose])
        else:
            # Where the body mostly is, as far as everything stays in the picture.
            reach = 0.5 * panel[0] * (1.0 - 2.0 * _BESIDE) / scale
            middle = float(np.clip(np.mean(middles), min(high[0] - reach, low[0] + reach), low[0] + reach))
        return Shot(self.cameras[number], np.zeros(3), scale, (0.5 * panel[0] - scale * middle, down), panel)


def extent_of(
    performers: Sequence[Performer],
    view: View,
    moments: Sequence[Sequence[float]] | None = None,
    marks: Overlays | None = None,
    sheet: bool = False,
) -> Extent:
    """Look at what is to be shown: at each performer's ``moments`` on its own clock, with their ghosts and trails, each
    in a picture to itself; without them at its whole performance, in one frame. On a ``sheet``, trails of each moment
    begin at the one before."""
    cameras = tuple(camera_for(view, one.forward, one.height) for one in performers)
    found = []
    for number, (one, camera) in enumerate(zip(performers, cameras, strict=True)):
        if moments is None:
            looks = (*one.looks, *((time, one.points(time)) for time in one.telling))
            rows = [_box(one, camera, one.target(time), [points]) for time, points in looks]
        else:
            times = moments[number]
            before = since_last(times) if sheet else [None] * len(times)
            rows = [_marked_box(one, camera, *at, marks or Overlays()) for at in zip(times, before, strict=True)]
        found.append(np.array(rows))
    return Extent(cameras, tuple(found), moments is not None)


def since_last(times: Sequence[float]) -> list[float]:
    """For each of the moments of a sheet the one before; the first has none but itself."""
    return [*times[:1], *times[:-1]]


def _marked_box(one: Performer, camera: Camera, time: float, since: float | None, marks: Overlays) -> Floats:
    """The box of a pose with its ghosts and trails, or with some of these where they come from far away."""
    target = one.target(time)
    box = _box(one, camera, target, [one.points(past) for past in ghost_times(one, time, marks)])
    if marks.trails is not None:
        points = trail_points(one, time, marks.trails, since)
        plane, _ = camera.project(points[np.isfinite(points).all(axis=1)], target)
        if one.travels:
            beyond = _TRAILING * (box[1] - box[0])
            plane = np.clip(plane, box[0] - beyond, box[1] + beyond)
        around = np.concatenate([box, plane])
        box = np.stack([around.min(axis=0), around.max(axis=0)])
    return box


def _box(one: Performer, camera: Camera, target: Floats, surfaces: Sequence[Floats]) -> Floats:
    """``(2, 2)``: the least and the greatest place of some surfaces on the picture plane."""
    planes = [camera.project(points, target)[0] for points in surfaces]
    low = np.min([np.nanmin(plane, axis=0) for plane in planes], axis=0)
    high = np.max([np.nanmax(plane, axis=0) for plane in planes], axis=0)
    # The height of the floor is always in the picture, also under what flies.
    feet, _ = camera.project(np.array([target[0], one.floor, target[2]]), target)
    low[1] = min(low[1], feet[1]) if camera.back[1] < 0.9 else low[1]
    spread = np.maximum(0.5 * (_LEAST * one.height - (high - low)), 0.0)
    return np.stack([low - spread, high + spread])
