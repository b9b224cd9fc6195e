"""Contact sheets of characters: telling poses on one page, one row for each of several motions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from PIL import Image, ImageDraw

from kinesphere.maths.vectors import Floats
from kinesphere.motion.character import Character
from kinesphere.motion.motion import Motion
from kinesphere.pictures import canvas
from kinesphere.pictures.camera import View
from kinesphere.pictures.canvas import font, truncate_text, write_text
from kinesphere.pictures.framing import Extent, extent_of, since_last
from kinesphere.pictures.light import quality_for
from kinesphere.pictures.moments import candidate_frames, pose_features_at, select_moments
from kinesphere.pictures.panel import Overlays, make_performers, shoot
from kinesphere.pictures.performer import Performer
from kinesphere.pictures.render import Pixels, render_in_order, with_progress
from kinesphere.pictures.trails import Asked, describe_dots, parse_trails

_EDGE, _GAP = 20, 8  # pixels around the sheet and between panels
_HEADER, _CAPTION = 34, 26  # the line above everything, and above each row of several
_LABEL = 20  # the line under a panel

Place: TypeAlias = tuple[int, int, tuple[int, int]]  # performer, which of the times, corner of the panel


@dataclass(frozen=True)
class PanelGrid:
    """Where panels go, in pixels."""

    columns: int
    panel: tuple[int, int]
    captions: bool  # a line above each row

    def corner(self, row: int, column: int) -> tuple[int, int]:
        """The upper left corner of a panel."""
        wide, high = self.panel
        step = high + _LABEL + _GAP + (_CAPTION if self.captions else 0)
        down = _EDGE + _HEADER + row * step + (_CAPTION if self.captions else 0)
        return _EDGE + column * (wide + _GAP), down


def sheet(
    motions: Motion | Sequence[Motion],
    *,
    character: Character | Sequence[Character | None] | None = None,
    frames: int | None = None,
    columns: int | None = None,
    size: tuple[int, int] = (1600, 1000),
    view: View = "three-quarter",
    trails: Asked = False,
    ghosts: int = 0,
    progress: bool | None = False,
) -> Image.Image:
    """Draw poses of a motion on a character, each in the middle of its panel, at one scale.

    Moments are spread over the motion so that no two look alike and the ends of strokes are among them (``moments``);
    the first and the last are always shown. Several motions get a row each, with its name and duration above; columns
    are the same times in all of them, and a motion that has ended leaves its place empty.

    Parameters
    ----------
    motions
        What to show. Inserted calibration poses are left out.
    character
        Who shows it: one for all, or one for each. Left out: a manikin made from the motion's own bones.
    frames
        How many poses of each motion; left out: 12 of one, 8 of each of several.
    columns
        Panels in a row, for one motion. Left out: as many as show the figure largest.
    size
        Pixels across and down, of the whole sheet.
    trails, ghosts
        The ways of hands (True) or of joints by name since the pose before, with dots at equal times, see ``Trails``;
        how many earlier poses stand behind, paler.
    """
    if min(size) < 200 or max(size) > 16384:
        raise ValueError(f"size={size}; 200 to 16384 pixels each way are allowed")
    if columns is not None and columns < 1:
        raise ValueError(f"columns={columns}; at least one is needed")
    performers = make_performers(motions, character)
    frames = (12 if len(performers) == 1 else 8) if frames is None else frames
    if frames < 1:
        raise ValueError(f"frames={frames}; at least one is needed")
    times = _times(performers, frames)
    marks = Overlays(parse_trails(trails), ghosts)
    shown = [one.clock(times[: _showing(one, times)]).tolist() for one in performers]
    before = [since_last(own) for own in shown]
    extent = extent_of(performers, view, shown, marks, sheet=True)
    grid = _lay_out(extent, len(times), len(performers), size, columns)
    sheet = Image.new("RGB", size, canvas.SHEET)
    _draw_header(sheet, performers, f"{view} view{describe_dots(marks.trails)}")
    places = _places(performers, times, grid)

    def panel(place: Place) -> Pixels:
        number, pose, _ = place
        shot, effort = extent.shot(number, grid.panel, pose), quality_for(grid.panel)
        return shoot(performers[number], shot, shown[number][pose], marks, 3, effort, before[number][pose])

    drawn = with_progress(render_in_order(panel, places), len(places), "contact sheet", progress)
    _fill(sheet, performers, grid, places, times, drawn)
    return sheet


def _fill(
    sheet: Image.Image,
    performers: Sequence[Performer],
    grid: PanelGrid,
    places: Sequence[Place],
    times: Floats,
    drawn: Iterable[Pixels],
) -> None:
    """Panels with their times below, and captions above rows."""
    draw = ImageDraw.Draw(sheet)
    for (_, pose, corner), pixels in zip(places, drawn, strict=True):
        sheet.paste(Image.fromarray(pixels), corner)
        middle = (corner[0] + grid.panel[0] / 2, corner[1] + grid.panel[1] + 4)
        write_text(draw, middle, f"{times[pose]:.2f} s", 13, canvas.INK, "ma")
    if grid.captions:
        for number, one in enumerate(performers):
            x, y = grid.corner(number, 0)
            _draw_caption(draw, (x, y - _CAPTION + 2), one, sheet.width - _EDGE)


def _times(performers: Sequence[Performer], frames: int) -> Floats:
    """Seconds since the beginning, the same for all; no more of them than the longest motion has frames."""
    longest = max(performers, key=lambda one: one.duration)
    offered = candidate_frames(longest.motion)
    times = offered / longest.motion.rate - longest.start
    poses = []
    for one in performers:
        near = np.clip(np.round(one.clock(times) * one.motion.rate).astype(np.intp), 0, len(one.motion) - 1)
        poses.append(pose_features_at(one.motion, one.figure, near, one.travels))
    return times[select_moments(np.concatenate(poses, axis=1), times, frames)]


def _showing(one: Performer, times: Floats) -> int:
    """How many of the times come before the motion has ended."""
    return int(np.searchsorted(times, one.duration + 0.5 / one.motion.rate, side="right"))


def _places(performers: Sequence[Performer], times: Floats, grid: PanelGrid) -> list[Place]:
    """Performer, time and corner of every panel."""
    if not grid.captions:
        return [(0, i, grid.corner(*divmod(i, grid.columns))) for i in range(len(times))]
    return [
        (number, column, grid.corner(number, column))
        for number, one in enumerate(performers)
        for column in range(_showing(one, times))
    ]


def _lay_out(extent: Extent, count: int, rows: int, size: tuple[int, int], columns: int | None) -> PanelGrid:
    """One row a motion; of a single motion, the number of columns that shows the figure largest."""
    width, height = size[0] - 2 * _EDGE, size[1] - 2 * _EDGE - _HEADER
    several = rows > 1

    def panel(across: int) -> tuple[int, int]:
        down = rows if several else -(-count // across)
        label = _LABEL + (_CAPTION if several else 0)
        return (width + _GAP) // across - _GAP, (height + _GAP) // down - _GAP - label

    def worth(across: int) -> float:
        wide, tall = panel(across)
        if min(wide, tall) < 16:
            return -1.0
        return extent.scale((wide, tall)) * math.sqrt(count / (across * -(-count // across)))

    across = count if several else min(columns, count) if columns else max(range(1, count + 1), key=worth)
    if min(panel(across)) < 16:
        raise ValueError(f"{rows * count} panels do not fit into {size[0]} × {size[1]} pixels; fewer frames, or larger")
    return PanelGrid(across, panel(across), several)


def _draw_header(sheet: Image.Image, performers: Sequence[Performer], said: str) -> None:
    draw = ImageDraw.Draw(sheet)
    if len(performers) == 1:
        _draw_caption(draw, (_EDGE, _EDGE - 4), performers[0], sheet.width - _EDGE, 22, f" · {said}")
        return
    name = f"{len(performers)} motions"
    write_text(draw, (_EDGE, _EDGE - 4), name, 22, canvas.INK)
    beside = _EDGE + font(22).getlength(name) + 16
    facts = f"same times, same scale · {said}"
    write_text(draw, (beside, _EDGE + 3), truncate_text(facts, 15, sheet.width - _EDGE - beside), 15, canvas.QUIET_INK)


def _draw_caption(
    draw: ImageDraw.ImageDraw, place: tuple[float, float], one: Performer, right: float, size: int = 17, more: str = ""
) -> None:
    """Name and duration."""
    x, y = place
    name = truncate_text(one.name, size, 0.6 * (right - x))
    write_text(draw, (x, y), name, size, canvas.INK)
    beside = x + font(size).getlength(name) + 14
    facts = f"{one.duration:.2f} s{more}"
    small = round(0.72 * size) if size > 18 else size - 3
    write_text(
        draw,
        (beside, y + 0.62 * (size - small) + 1),
        truncate_text(facts, small, right - beside),
        small,
        canvas.QUIET_INK,
    )
