"""Contact sheets of rendered characters, one row per motion, or before and after (stick figures: ``bone_sheet``)."""

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
from kinesphere.pictures.light import quality_for
from kinesphere.pictures.panel import (
    Extent,
    Overlays,
    make_performers,
    measure_extent,
    previous_times,
    render_in_order,
    render_panel,
    with_progress,
)
from kinesphere.pictures.performer import Performer
from kinesphere.pictures.render import Pixels
from kinesphere.pictures.scene import candidate_frames, pose_features_at, select_moments
from kinesphere.pictures.trails import TrailsLike, describe_dots, parse_trails

_EDGE, _GAP = 20, 8  # pixels around the sheet and between panels
_HEADER, _CAPTION = 34, 26  # the line above everything, and above each row of several
_LABEL = 20  # the line under a panel

COMPARED_POSES = 8
_COMPARE_SIZE, _COMPARE_PANEL = (1600, 1000), (188, 413)  # pixels
_COMPARE_VIEW: View = "three-quarter"

PanelKey: TypeAlias = tuple[int, int, tuple[int, int]]  # performer, index of the time, corner of the panel


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
    trails: TrailsLike = False,
    ghosts: int = 0,
    clay: bool = False,
    progress: bool | None = False,
) -> Image.Image:
    """Draw poses of a motion on a character, each in the middle of its panel, at one scale.

    Moments are spread over the motion so that no two look alike and the ends of strokes are among them (``scene``);
    the first and the last are always shown. Several motions get a row each, with its name and duration above; columns
    are the same times in all of them, and a motion that has ended leaves its panel empty.

    Parameters
    ----------
    motions
        What to show. Inserted calibration poses are left out.
    character
        Who shows it: one for all, or one for each. Left out: a manikin made from the motion's own bones.
    frames
        How many poses of each motion; left out: 12 of one, 8 of each of several.
    columns
        Panels in a row, for one motion. Left out: the number that makes figures largest; empty panels count against it.
    size
        Pixels across and down, of the whole sheet.
    trails, ghosts
        The paths of hands (True) or of joints by name since the pose before, with dots at equal times, see ``Trails``;
        how many earlier poses stand behind, paler.
    clay
        Whether the character is shown without its textures.
    """
    if min(size) < 200 or max(size) > 16384:
        raise ValueError(f"size={size}; 200 to 16384 pixels each way are allowed")
    if columns is not None and columns < 1:
        raise ValueError(f"columns={columns}; at least one is needed")
    performers = make_performers(motions, character, clay)
    frames = (12 if len(performers) == 1 else 8) if frames is None else frames
    if frames < 1:
        raise ValueError(f"frames={frames}; at least one is needed")
    times = common_times(performers, frames)
    overlays = Overlays(parse_trails(trails), ghosts)
    shown = [one.clock(times[: _count_shown(one, times)]).tolist() for one in performers]
    before = [previous_times(own) for own in shown]
    extent = measure_extent(performers, view, shown, overlays, sheet=True)
    grid = make_grid(extent, len(times), len(performers), size, columns)
    page = Image.new("RGB", size, canvas.SHEET)
    _draw_header(page, performers, f"{view} view{describe_dots(overlays.trails)}")
    panels = _panels(performers, times, grid)

    def draw_panel(panel: PanelKey) -> Pixels:
        number, pose, _ = panel
        shot, quality = extent.shot(number, grid.panel, pose), quality_for(grid.panel)
        return render_panel(performers[number], shot, shown[number][pose], overlays, 3, quality, before[number][pose])

    drawn = with_progress(render_in_order(draw_panel, panels), len(panels), "drawing a contact sheet", progress)
    _paste_panels(page, performers, grid, panels, times, drawn)
    return page


def compare_sheet(
    before: Motion,
    after: Motion,
    character: Character | Sequence[Character | None] | None = None,
    trails: TrailsLike = False,
    clay: bool = False,
    progress: bool | None = False,
) -> Image.Image:
    """Before and after on one page: two motions below each other at one scale, as many poses of each.

    Each has moments of its own from its beginning to its end, as they seldom last equally long.
    """
    performers = make_performers([before, after], character, clay)
    times = [common_times([one], COMPARED_POSES) for one in performers]
    shown = [one.clock(own).tolist() for one, own in zip(performers, times, strict=True)]
    overlays = Overlays(parse_trails(trails))
    previous = [previous_times(own) for own in shown]
    extent = measure_extent(performers, _COMPARE_VIEW, shown, overlays, sheet=True)
    grid = PanelGrid(COMPARED_POSES, _COMPARE_PANEL, captions=True)
    page = Image.new("RGB", _COMPARE_SIZE, canvas.SHEET)
    panels = [(row, column) for row, own in enumerate(times) for column in range(len(own))]

    def draw_panel(panel: tuple[int, int]) -> Pixels:
        row, pose = panel
        shot, quality = extent.shot(row, grid.panel, pose), quality_for(grid.panel)
        return render_panel(performers[row], shot, shown[row][pose], overlays, 3, quality, previous[row][pose])

    draw = ImageDraw.Draw(page)
    drawn = with_progress(render_in_order(draw_panel, panels), len(panels), "drawing before and after", progress)
    for (row, column), pixels in zip(panels, drawn, strict=True):
        corner = grid.corner(row, column)
        page.paste(Image.fromarray(pixels), corner)
        _label_panel(draw, grid, corner, times[row][column])
    left = grid.corner(0, 0)[0]
    facts = f"each at its own times, same scale · {_COMPARE_VIEW} view{describe_dots(overlays.trails)}"
    _write_title(draw, (left, 16), "before and after", facts, 22)
    for row, (name, one) in enumerate(zip(("before", "after"), performers, strict=True)):
        _write_title(draw, (left, grid.corner(row, 0)[1] - 24), name, f"{one.duration:.2f} s", 17)
    return page


def _label_panel(draw: ImageDraw.ImageDraw, grid: PanelGrid, corner: tuple[int, int], time: float) -> None:
    """The time below a panel."""
    middle = (corner[0] + grid.panel[0] / 2, corner[1] + grid.panel[1] + 4)
    write_text(draw, middle, f"{time:.2f} s", 13, canvas.INK, "ma")


def _write_title(draw: ImageDraw.ImageDraw, position: tuple[float, float], name: str, facts: str, size: int) -> None:
    """A name, and smaller beside it some facts."""
    x, y = position
    write_text(draw, (x, y), name, size, canvas.INK)
    write_text(draw, (x + font(size).getlength(name) + 14, y + 3), facts, round(0.76 * size), canvas.QUIET_INK)


def _paste_panels(
    page: Image.Image,
    performers: Sequence[Performer],
    grid: PanelGrid,
    panels: Sequence[PanelKey],
    times: Floats,
    drawn: Iterable[Pixels],
) -> None:
    """Panels with their times below, and captions above rows."""
    draw = ImageDraw.Draw(page)
    for (_, pose, corner), pixels in zip(panels, drawn, strict=True):
        page.paste(Image.fromarray(pixels), corner)
        _label_panel(draw, grid, corner, times[pose])
    if grid.captions:
        for number, one in enumerate(performers):
            x, y = grid.corner(number, 0)
            _draw_caption(draw, (x, y - _CAPTION + 2), one, page.width - _EDGE)


def common_times(performers: Sequence[Performer], frames: int) -> Floats:
    """Seconds since the beginning that are worth showing, the same for all performers, first and last among them.

    There are no more of them than the longest motion has frames.
    """
    longest = max(performers, key=lambda one: one.duration)
    offered = candidate_frames(longest.motion)
    times = offered / longest.motion.rate - longest.start
    poses = []
    for one in performers:
        near = np.clip(np.round(one.clock(times) * one.motion.rate).astype(np.intp), 0, len(one.motion) - 1)
        poses.append(pose_features_at(one.motion, one.figure, near, one.travels))
    return times[select_moments(np.concatenate(poses, axis=1), times, frames)]


def _count_shown(one: Performer, times: Floats) -> int:
    """How many of the times come before the motion has ended."""
    return int(np.searchsorted(times, one.duration + 0.5 / one.motion.rate, side="right"))


def _panels(performers: Sequence[Performer], times: Floats, grid: PanelGrid) -> list[PanelKey]:
    """Performer, time and corner of every panel."""
    if not grid.captions:
        return [(0, i, grid.corner(*divmod(i, grid.columns))) for i in range(len(times))]
    return [
        (number, column, grid.corner(number, column))
        for number, one in enumerate(performers)
        for column in range(_count_shown(one, times))
    ]


def make_grid(extent: Extent, count: int, rows: int, size: tuple[int, int], columns: int | None) -> PanelGrid:
    """One row per motion; of a single motion, ``columns`` or the best number of them."""
    width, height = size[0] - 2 * _EDGE, size[1] - 2 * _EDGE - _HEADER
    several = rows > 1

    def panel_size(across: int) -> tuple[int, int]:
        down = rows if several else -(-count // across)
        label = _LABEL + (_CAPTION if several else 0)
        return (width + _GAP) // across - _GAP, (height + _GAP) // down - _GAP - label

    def layout_score(across: int) -> float:
        wide, tall = panel_size(across)
        if min(wide, tall) < 16:
            return -1.0
        # The figure's scale. The square root lowers the score of layouts with empty panels in the last row.
        return extent.scale((wide, tall)) * math.sqrt(count / (across * -(-count // across)))

    across = count if several else min(columns, count) if columns else max(range(1, count + 1), key=layout_score)
    if min(panel_size(across)) < 16:
        raise ValueError(f"{rows * count} panels do not fit into {size[0]} × {size[1]} pixels; fewer frames, or larger")
    return PanelGrid(across, panel_size(across), several)


def _draw_header(page: Image.Image, performers: Sequence[Performer], facts: str) -> None:
    draw = ImageDraw.Draw(page)
    if len(performers) == 1:
        _draw_caption(draw, (_EDGE, _EDGE - 4), performers[0], page.width - _EDGE, 22, f" · {facts}")
        return
    name = f"{len(performers)} motions"
    write_text(draw, (_EDGE, _EDGE - 4), name, 22, canvas.INK)
    beside = _EDGE + font(22).getlength(name) + 16
    facts = truncate_text(f"same times, same scale · {facts}", 15, page.width - _EDGE - beside)
    write_text(draw, (beside, _EDGE + 3), facts, 15, canvas.QUIET_INK)


def _draw_caption(
    draw: ImageDraw.ImageDraw,
    position: tuple[float, float],
    one: Performer,
    right: float,
    size: int = 17,
    more: str = "",
) -> None:
    """Name and duration."""
    x, y = position
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
