"""Before and after on one sheet: as many poses of each, at moments of its own, as they seldom last equally long."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from kinesphere.maths.vectors import Floats
from kinesphere.motion.character import Character
from kinesphere.motion.motion import Motion
from kinesphere.pictures import canvas
from kinesphere.pictures.camera import View
from kinesphere.pictures.canvas import font, write_text
from kinesphere.pictures.framing import extent_of, since_last
from kinesphere.pictures.light import quality_for
from kinesphere.pictures.moments import candidate_frames, pose_features_at, select_moments
from kinesphere.pictures.panel import Overlays, make_performers, shoot
from kinesphere.pictures.performer import Performer
from kinesphere.pictures.render import Pixels, render_in_order
from kinesphere.pictures.sheets import PanelGrid
from kinesphere.pictures.trails import Asked, describe_dots, parse_trails

POSES = 8
SIZE = (1600, 1000)  # pixels
VIEW: View = "three-quarter"
_PANEL = (188, 413)  # pixels, of eight beside each other on such a sheet


def compare_sheet(
    before: Motion, after: Motion, character: Character | None = None, trails: Asked = False
) -> Image.Image:
    """Two motions below each other at one scale, each from its beginning to its end."""
    performers = make_performers([before, after], character)
    times = [distinct_times(one, POSES) for one in performers]
    shown = [one.clock(own).tolist() for one, own in zip(performers, times, strict=True)]
    marks = Overlays(parse_trails(trails))
    last = [since_last(own) for own in shown]
    extent = extent_of(performers, VIEW, shown, marks, sheet=True)
    grid = PanelGrid(POSES, _PANEL, captions=True)
    sheet = Image.new("RGB", SIZE, canvas.SHEET)
    places = [(row, column) for row, own in enumerate(times) for column in range(len(own))]

    def panel(place: tuple[int, int]) -> Pixels:
        row, column = place
        shot = extent.shot(row, grid.panel, column)
        return shoot(performers[row], shot, shown[row][column], marks, 3, quality_for(grid.panel), last[row][column])

    draw = ImageDraw.Draw(sheet)
    for (row, column), pixels in zip(places, render_in_order(panel, places), strict=True):
        x, y = grid.corner(row, column)
        sheet.paste(Image.fromarray(pixels), (x, y))
        write_text(
            draw, (x + grid.panel[0] / 2, y + grid.panel[1] + 4), f"{times[row][column]:.2f} s", 13, canvas.INK, "ma"
        )
    left = grid.corner(0, 0)[0]
    facts = f"each at its own times, same scale · {VIEW} view{describe_dots(marks.trails)}"
    _caption(draw, (left, 16), "before and after", facts, 22)
    for row, (name, one) in enumerate(zip(("before", "after"), performers, strict=True)):
        _caption(draw, (left, grid.corner(row, 0)[1] - 24), name, f"{one.duration:.2f} s", 17)
    return sheet


def distinct_times(one: Performer, count: int) -> Floats:
    """``(count,)`` seconds since its beginning that are worth showing, the first and the last among them."""
    frames = candidate_frames(one.motion)
    times = frames / one.motion.rate - one.start
    return np.asarray(
        times[select_moments(pose_features_at(one.motion, one.figure, frames, one.travels), times, count)]
    )


def _caption(draw: ImageDraw.ImageDraw, place: tuple[float, float], name: str, facts: str, size: int) -> None:
    """A name, and quietly beside it what else there is to say."""
    x, y = place
    write_text(draw, (x, y), name, size, canvas.INK)
    write_text(draw, (x + font(size).getlength(name) + 14, y + 3), facts, round(0.76 * size), canvas.QUIET_INK)
