"""Before and after on one sheet: as many poses of each, at moments of its own, as they seldom last equally long."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from kinesphere.kernels.arrays import Floats
from kinesphere.motion.character import Character
from kinesphere.motion.motion import Motion
from kinesphere.pictures import colours
from kinesphere.pictures.camera import View
from kinesphere.pictures.canvas import font, write
from kinesphere.pictures.framing import extent_of, since_last
from kinesphere.pictures.light import effort_for
from kinesphere.pictures.moments import candidates, chosen, poses_at
from kinesphere.pictures.performer import Performer
from kinesphere.pictures.pipeline import in_order
from kinesphere.pictures.render import Pixels
from kinesphere.pictures.sheets import Grid
from kinesphere.pictures.take import Marks, cast_all, take
from kinesphere.pictures.trails import Asked, dots_told, trails_of

POSES = 8
SIZE = (1600, 1000)  # pixels
VIEW: View = "three-quarter"
_PANEL = (188, 413)  # pixels, of eight beside each other on such a sheet


def before_and_after(
    before: Motion, after: Motion, character: Character | None = None, trails: Asked = False
) -> Image.Image:
    """Two motions below each other at one scale, each from its beginning to its end."""
    performers = cast_all([before, after], character)
    times = [telling_times(one, POSES) for one in performers]
    shown = [one.clock(own).tolist() for one, own in zip(performers, times, strict=True)]
    marks = Marks(trails_of(trails))
    last = [since_last(own) for own in shown]
    extent = extent_of(performers, VIEW, shown, marks, sheet=True)
    grid = Grid(POSES, _PANEL, captions=True)
    sheet = Image.new("RGB", SIZE, colours.SHEET)
    places = [(row, column) for row, own in enumerate(times) for column in range(len(own))]

    def panel(place: tuple[int, int]) -> Pixels:
        row, column = place
        shot = extent.shot(row, grid.panel, column)
        return take(performers[row], shot, shown[row][column], marks, 3, effort_for(grid.panel), last[row][column])

    draw = ImageDraw.Draw(sheet)
    for (row, column), pixels in zip(places, in_order(panel, places), strict=True):
        x, y = grid.corner(row, column)
        sheet.paste(Image.fromarray(pixels), (x, y))
        write(
            draw, (x + grid.panel[0] / 2, y + grid.panel[1] + 4), f"{times[row][column]:.2f} s", 13, colours.INK, "ma"
        )
    left = grid.corner(0, 0)[0]
    facts = f"each at its own times, same scale · {VIEW} view{dots_told(marks.trails)}"
    _caption(draw, (left, 16), "before and after", facts, 22)
    for row, (name, one) in enumerate(zip(("before", "after"), performers, strict=True)):
        _caption(draw, (left, grid.corner(row, 0)[1] - 24), name, f"{one.duration:.2f} s", 17)
    return sheet


def telling_times(one: Performer, count: int) -> Floats:
    """``(count,)`` seconds since its beginning that are worth showing, the first and the last among them."""
    frames = candidates(one.motion)
    times = frames / one.motion.rate - one.start
    return np.asarray(times[chosen(poses_at(one.motion, one.figure, frames, one.travels), times, count)])


def _caption(draw: ImageDraw.ImageDraw, place: tuple[float, float], name: str, facts: str, size: int) -> None:
    """A name, and quietly beside it what else there is to say."""
    x, y = place
    write(draw, (x, y), name, size, colours.INK)
    write(draw, (x + font(size).getlength(name) + 14, y + 3), facts, round(0.76 * size), colours.QUIET_INK)
