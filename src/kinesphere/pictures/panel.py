"""Framing and drawing of one panel of a film, sheet or still: the camera's extent, trails, ghosts."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from kinesphere.maths.vectors import Floats
from kinesphere.motion.character import Character
from kinesphere.motion.motion import Motion
from kinesphere.pictures.camera import Camera, Shot, View, camera_for
from kinesphere.pictures.light import FILM, Quality
from kinesphere.pictures.performer import Performer, make_performer
from kinesphere.pictures.render import Pixels, Stage, render
from kinesphere.pictures.trails import Trails, trail_points, trail_ribbons

_GHOST_SECONDS = 0.3  # from one ghost to the next
_TOP, _BOTTOM, _SIDES = 0.05, 0.06, 0.05  # margins, as shares of a panel
_TRAIL_MARGIN = 0.15  # of its box that trails may add to a body that travels: a long one must not make it small
_MIN_EXTENT = 0.3  # body heights that are always in the picture
_MAX_THREADS = 8

Item = TypeVar("Item")
Drawn = TypeVar("Drawn")


@dataclass(frozen=True)
class Overlays:
    """What is drawn besides the body."""

    trails: Trails | None = None
    ghosts: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.ghosts <= 24:
            raise ValueError(f"ghosts={self.ghosts}; allowed: 0 to 24")


def make_performers(
    motions: Motion | Sequence[Motion],
    characters: Character | Sequence[Character | None] | None,
    clay: bool = False,
) -> list[Performer]:
    """A performer for each motion: all on one character, or each on its own; with ``clay`` without textures."""
    listed = [motions] if isinstance(motions, Motion) else list(motions)
    if not listed:
        raise ValueError("no motion to draw; at least one is needed")
    if characters is None or isinstance(characters, Character):
        return [make_performer(motion, characters, clay=clay) for motion in listed]
    if len(characters) != len(listed):
        raise ValueError(f"{len(characters)} characters for {len(listed)} motions; one for each, or one for all")
    together = zip(listed, characters, strict=True)
    return [make_performer(motion, character, clay=clay) for motion, character in together]


def render_panel(
    one: Performer,
    shot: Shot,
    time: float,
    overlays: Overlays,
    supersampling: int = 2,
    quality: Quality = FILM,
    since: float | None = None,
) -> Pixels:
    """The performer at a time of its own clock, followed by the camera. ``since``: the time of the picture before."""
    aimed = shot.aim(one.target(time))
    stage = Stage(one.floor, one.height, supersampling, quality)
    ghosts = []
    for number, past in reversed(list(enumerate(ghost_times(one, time, overlays)))[1:]):
        ghosts.append((one.surface(past), 0.58 * (1.0 - number / (overlays.ghosts + 1.0)) + 0.12))
    ribbons = trail_ribbons(one, aimed, time, overlays.trails, since) if overlays.trails else []
    return render(one.surface(time), aimed, stage, ghosts=ghosts, ribbons=ribbons)


def ghost_times(one: Performer, time: float, overlays: Overlays) -> list[float]:
    """Now, and the earlier times of ghosts."""
    times = [time - number * _GHOST_SECONDS for number in range(1, overlays.ghosts + 1)]
    return [time, *(past for past in times if past >= one.start - 1e-9)]


# Framing


@dataclass(frozen=True, eq=False)
class Extent:
    """Bounds of the poses of some performers on the image plane, in metres from the camera's target.

    ``separate``: every pose has a panel to itself and stands in its middle, as on a sheet. Else all poses of a
    performer share one frame, as in a film.
    """

    cameras: tuple[Camera, ...]
    boxes: tuple[Floats, ...]  # for each performer (N, 2, 2): the lower left and the upper right corner of each pose
    separate: bool = False

    @property
    def size(self) -> Floats:
        """Width and height that everybody needs. Floors are level on a sheet, so heights are bounded together."""
        together = np.array([boxes[:, 1].max(axis=0) - boxes[:, 0].min(axis=0) for boxes in self.boxes])
        if self.separate:
            together[:, 0] = [np.max(boxes[:, 1, 0] - boxes[:, 0, 0]) for boxes in self.boxes]
        widest: Floats = together.max(axis=0)
        return widest

    def scale(self, panel: tuple[int, int]) -> float:
        """Pixels per metre with which everything fits into a panel."""
        wide, high = panel[0] * (1.0 - 2.0 * _SIDES), panel[1] * (1.0 - _TOP - _BOTTOM)
        return float(min(wide / self.size[0], high / self.size[1]))

    def shot(self, number: int, panel: tuple[int, int], pose: int = 0) -> Shot:
        """The shot of one performer, in one of its poses where these are ``separate``."""
        scale, boxes = self.scale(panel), self.boxes[number]
        low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
        free = panel[1] * (1.0 - _TOP - _BOTTOM) - scale * float(high[1] - low[1])
        down = panel[1] * (1.0 - _BOTTOM) - 0.5 * free + scale * float(low[1])
        middles = 0.5 * (boxes[:, 0, 0] + boxes[:, 1, 0])
        if self.separate:
            middle = float(middles[pose])
        else:
            # Where the body mostly is, as far as everything stays in the picture.
            reach = 0.5 * panel[0] * (1.0 - 2.0 * _SIDES) / scale
            middle = float(np.clip(np.mean(middles), min(high[0] - reach, low[0] + reach), low[0] + reach))
        return Shot(self.cameras[number], np.zeros(3), scale, (0.5 * panel[0] - scale * middle, down), panel)


def measure_extent(
    performers: Sequence[Performer],
    view: View,
    times: Sequence[Sequence[float]] | None = None,
    overlays: Overlays | None = None,
    sheet: bool = False,
) -> Extent:
    """Bounds of each performer at ``times`` of its own clock, with ghosts and trails, each pose in its own panel.

    Without times: of its whole performance, in one frame. On a ``sheet``, trails of each pose begin at the pose before.
    """
    cameras = tuple(camera_for(view, one.forward, one.height) for one in performers)
    found = []
    for number, (one, camera) in enumerate(zip(performers, cameras, strict=True)):
        if times is None:
            poses = (*one.even_poses, *((time, one.points(time)) for time in one.distinct_times))
            rows = [_box(one, camera, one.target(time), [points]) for time, points in poses]
        else:
            own = times[number]
            before = previous_times(own) if sheet else [None] * len(own)
            rows = [_box_with(one, camera, *at, overlays or Overlays()) for at in zip(own, before, strict=True)]
        found.append(np.array(rows))
    return Extent(cameras, tuple(found), times is not None)


def previous_times(times: Sequence[float]) -> list[float]:
    """For each time of a sheet the one before; for the first itself."""
    return [*times[:1], *times[:-1]]


def _box_with(one: Performer, camera: Camera, time: float, since: float | None, overlays: Overlays) -> Floats:
    """The box of a pose with its ghosts and trails, or with part of these where they come from far away."""
    target = one.target(time)
    box = _box(one, camera, target, [one.points(past) for past in ghost_times(one, time, overlays)])
    if overlays.trails is not None:
        points = trail_points(one, time, overlays.trails, since)
        plane, _ = camera.project(points[np.isfinite(points).all(axis=1)], target)
        if one.travels:
            beyond = _TRAIL_MARGIN * (box[1] - box[0])
            plane = np.clip(plane, box[0] - beyond, box[1] + beyond)
        around = np.concatenate([box, plane])
        box = np.stack([around.min(axis=0), around.max(axis=0)])
    return box


def _box(one: Performer, camera: Camera, target: Floats, surfaces: Sequence[Floats]) -> Floats:
    """``(2, 2)`` the lower left and the upper right corner of some surfaces on the image plane."""
    planes = [camera.project(points, target)[0] for points in surfaces]
    low = np.min([np.nanmin(plane, axis=0) for plane in planes], axis=0)
    high = np.max([np.nanmax(plane, axis=0) for plane in planes], axis=0)
    # The floor is always in the picture, also under what flies.
    feet, _ = camera.project(np.array([target[0], one.floor, target[2]]), target)
    low[1] = min(low[1], feet[1]) if camera.back[1] < 0.9 else low[1]
    missing = np.maximum(0.5 * (_MIN_EXTENT * one.height - (high - low)), 0.0)
    return np.stack([low - missing, high + missing])


# Many panels


def render_in_order(draw: Callable[[Item], Drawn], items: Iterable[Item]) -> Iterator[Drawn]:
    """``draw`` of each item on several threads, in order. Only a few more results are held than there are threads.

    Kernels release the interpreter's lock, so that threads share the work; errors come out in order too.
    """
    workers = min(_MAX_THREADS, os.cpu_count() or 1)
    with ThreadPoolExecutor(workers, thread_name_prefix="kinesphere-picture") as pool:
        waiting: deque[Future[Drawn]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(draw, item))
                if len(waiting) > workers + 1:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def with_progress(items: Iterable[Item], total: int, label: str, show: bool | None = None) -> Iterator[Item]:
    """The same items, with a progress bar on standard error. ``show=None``: only where that is a terminal."""
    if not (sys.stderr.isatty() if show is None else show):
        yield from items
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield from bar.track(items, total=total, description=label)
