"""Where bodies are in their pictures: in the middle, and as large as they fit. Measured on pixels."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere import pictures
from kinesphere.builtin.library import motion
from kinesphere.pictures import films, surface_sheets
from kinesphere.pictures.bone_sheets import bone_sheet
from kinesphere.pictures.camera import VIEWS, View
from kinesphere.pictures.panel import Overlays, measure_extent
from kinesphere.pictures.performer import make_performer
from pictures.people import waving
from pictures.solids import drawn

SIZE = (900, 560)


def panels_of(name: str, view: View, frames: int = 6) -> list[np.ndarray]:
    """The panels of a sheet of one motion."""
    image = np.asarray(pictures.sheet(motion(name), frames=frames, size=SIZE, view=view))
    one = make_performer(motion(name))
    times = surface_sheets.common_times([one], frames)
    extent = measure_extent([one], view, [one.clock(times).tolist()])
    grid = surface_sheets.make_grid(extent, len(times), 1, SIZE, None)
    corners = [grid.corner(*divmod(i, grid.columns)) for i in range(len(times))]
    return [image[y : y + grid.panel[1], x : x + grid.panel[0]] for x, y in corners]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["bow", "punch", "walk"])
def test_on_a_sheet_every_body_is_in_the_middle_and_large(name: str, view: View) -> None:
    filled = []
    for panel in panels_of(name, view):
        rows, columns = np.nonzero(drawn(panel))
        left, right = int(columns.min()), panel.shape[1] - 1 - int(columns.max())
        assert abs(left - right) <= 4
        assert min(left, right) >= 0.03 * panel.shape[1]
        assert rows.min() >= 0.02 * panel.shape[0]
        assert rows.max() <= 0.98 * panel.shape[0]
        filled.append((np.ptp(columns) / panel.shape[1], np.ptp(rows) / panel.shape[0]))
    assert np.max(filled) > 0.84  # one pose at least fills its panel, one way or the other


@pytest.mark.parametrize("view", VIEWS)
def test_a_still_has_its_body_in_the_middle(view: View) -> None:
    pixels = np.asarray(pictures.still(motion("punch"), 1.2, size=(400, 300), view=view))
    rows, columns = np.nonzero(drawn(pixels))
    assert abs(columns.min() - (399 - columns.max())) <= 4
    assert max(np.ptp(rows) / 300, np.ptp(columns) / 400) > 0.84


def test_ghosts_and_trails_are_in_the_picture_too() -> None:
    pixels = np.asarray(pictures.still(motion("walk"), 2.0, size=(400, 300), ghosts=3)).astype(int)
    plain = np.asarray(pictures.still(motion("walk"), 2.0, size=(400, 300))).astype(int)
    tall = [np.ptp(np.nonzero(drawn(image))[0]) for image in (pixels, plain)]
    assert tall[0] < 0.97 * tall[1]  # it steps back, so that those behind it fit
    edge = np.concatenate([pixels[0], pixels[:, 0], pixels[:, -1]])
    assert (edge[..., 0] - edge[..., 2] > 12).mean() < 0.01


@pytest.mark.parametrize("name", ["punch", "walk", "bow"])
def test_in_a_film_all_of_it_fits_and_is_mostly_in_the_middle(name: str) -> None:
    made = motion(name)
    panels = films.Panels.of([make_performer(made)], (320, 240), "side", Overlays())
    middles, heights = [], []
    for time in np.linspace(0.0, made.duration, 13):
        rows, columns = np.nonzero(drawn(panels.draw(float(time))))
        assert columns.min() > 4
        assert columns.max() < 315
        assert rows.min() > 2
        assert rows.max() < 237
        middles.append(0.5 * (columns.min() + columns.max()))
        heights.append(np.ptp(rows))
    assert np.mean(middles) == pytest.approx(159.5, abs=10)
    assert max(heights) > 0.84 * 240


def test_bodies_of_a_wide_film_are_each_in_the_middle_of_their_panel() -> None:
    both = [motion("wave"), motion("bow")]
    image = np.asarray(pictures.still(both, 1.5, size=(602, 240), view="side"))
    for half in (image[40:, :300], image[40:, 302:]):
        columns = np.nonzero(drawn(half))[1]
        assert abs(columns.min() - (299 - columns.max())) <= 4


@pytest.mark.parametrize("view", ["front", "side", "three-quarter"])
def test_bones_are_in_the_middle_of_their_panels(view: View) -> None:
    """Of a sheet with one row, split where its panels are."""
    image = np.asarray(bone_sheet(waving(), frames=4, columns=4, size=(880, 400), view=view)).astype(int)
    wide = (880 - 40 + 8) // 4
    for number in range(4):
        panel = image[90:340, 20 + number * wide : 20 + number * wide + wide - 8]
        body = (np.ptp(panel, axis=-1) > 60) | (panel.max(axis=-1) < 90)
        columns = np.nonzero(body)[1]
        # Trails count, and are paler than what is measured here.
        assert abs(columns.min() - (panel.shape[1] - 1 - columns.max())) < 0.2 * panel.shape[1]
