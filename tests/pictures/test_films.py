"""Films, stills and sheets of characters: the right number of pictures, of the right moment, the right way round."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from kinesphere import pictures
from kinesphere.builtin.library import motion as wave
from kinesphere.maths import rotations
from kinesphere.pictures import canvas, films, surface_sheets
from kinesphere.pictures.films import gif_rate
from kinesphere.pictures.panel import Overlays, measure_extent, render_in_order, render_panel, with_progress
from kinesphere.pictures.performer import make_performer
from kinesphere.pictures.trails import parse_trails
from pictures.people import standing, waving
from pictures.solids import drawn

SMALL = (160, 120)


def mp4(path: Path) -> tuple[str, list[np.ndarray]]:
    """What ffmpeg says of a film, and its frames."""
    import imageio_ffmpeg

    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    done = subprocess.run(command, capture_output=True, check=True)
    facts = done.stderr.decode()
    wide, high = (int(number) for number in re.findall(r"Video:.*? ([1-9]\d+)x(\d+)", facts)[0])
    return facts, list(np.frombuffer(done.stdout, dtype=np.uint8).reshape(-1, high, wide, 3))


def test_a_film_has_as_many_frames_as_its_time_and_rate(tmp_path: Path) -> None:
    """1 s at 120 fps becomes 25 + 1 pictures, evenly spaced in time; nothing else is left in the folder."""
    motion = waving(121, 120.0)
    count = pictures.film(motion, tmp_path / "a.mp4", size=SMALL, fps=25.0)
    facts, frames = mp4(tmp_path / "a.mp4")
    assert count == len(frames) == 26
    assert frames[0].shape == (120, 160, 3)
    for word in ("25 fps", "Video: h264", "yuv420p", "bt709", "Duration: 00:00:01.04"):
        assert word in facts
    assert [path.name for path in tmp_path.iterdir()] == ["a.mp4"]
    # The last picture is that of the last frame, as a still draws it.
    panels = films.Panels.of([make_performer(motion)], SMALL, "three-quarter", Overlays(), even=True)
    assert np.abs(frames[-1].astype(int) - panels.draw(1.0)).mean() < 4.0
    assert np.abs(frames[-1].astype(int) - frames[0]).mean() > 1.0


def test_odd_sizes_are_made_even_for_an_mp4_and_part_of_a_motion_can_be_shown(tmp_path: Path) -> None:
    count = pictures.film(waving(61, 30.0), tmp_path / "a.mp4", size=(101, 81), start=0.5, seconds=0.5)
    _, frames = mp4(tmp_path / "a.mp4")
    assert frames[0].shape == (82, 102, 3)
    assert count == len(frames) == 15


def test_a_gif_has_its_frames_and_lasts_as_long(tmp_path: Path) -> None:
    count = pictures.film(waving(61, 60.0), tmp_path / "a.gif", size=SMALL, fps=60.0)
    with Image.open(tmp_path / "a.gif") as found:
        assert (found.format, found.size) == ("GIF", SMALL)
        assert found.n_frames == count == 26
        lasts = []
        for frame in range(found.n_frames):
            found.seek(frame)
            lasts.append(found.info["duration"])
        assert set(lasts) == {40}
        assert found.info["loop"] == 0
        assert found.convert("RGB").getpixel((1, 1)) == pytest.approx(canvas.PAPER, abs=4)


def gif_parts(data: bytes) -> list[tuple[int, int, bool, int]]:
    """Of each frame: its pixels, its delay, whether it has colours of its own, and how the next follows it."""
    assert data[:6] == b"GIF89a"
    assert data[10] & 0x80  # one palette for all
    at, parts, control = 13 + 3 * 2 ** ((data[10] & 7) + 1), [], (0, 0)
    while data[at] != 0x3B:
        if data[at] == 0x21:
            if data[at + 1] == 0xF9:
                control = (int.from_bytes(data[at + 4 : at + 6], "little"), data[at + 3] >> 2 & 7)
            at += 2
        else:
            wide, high = (int.from_bytes(data[at + k : at + k + 2], "little") for k in (5, 7))
            parts.append((wide * high, control[0], bool(data[at + 9] & 0x80), control[1]))
            at += 11
        while data[at]:
            at += 1 + data[at]
        at += 1
    return parts


def test_a_gif_holds_only_what_changes_and_shows_all_of_it(tmp_path: Path) -> None:
    """One palette, no colours of a frame's own, parts of the picture; and yet every frame looks as it was drawn."""
    motion, size = wave("wave"), (320, 240)
    count = pictures.film(motion, tmp_path / "a.gif", size=size, seconds=1.2)
    data = (tmp_path / "a.gif").read_bytes()
    parts = gif_parts(data)
    assert len(parts) == count == 20
    assert {delay for _, delay, _, _ in parts} == {6}  # hundredths: 16.7 frames a second
    assert not any(own for _, _, own, _ in parts)
    assert {follows for _, _, _, follows in parts} == {1}  # drawn over what is there
    assert np.median([pixels for pixels, _, _, _ in parts[1:]]) < 0.8 * size[0] * size[1]
    panels = films.Panels.of([make_performer(motion)], size, "three-quarter", Overlays())
    drawn_frames = [panels.draw(number / (100.0 / 6.0)) for number in range(count)]
    with Image.open(tmp_path / "a.gif") as found:
        assert found.n_frames == count
        for number in (0, 7, 19):
            found.seek(number)
            off = np.abs(np.asarray(found.convert("RGB")).astype(int) - drawn_frames[number]).max(axis=-1)
            assert off.mean() < 3.0
            assert (off > 24).mean() < 0.003
    whole = [Image.fromarray(frame).quantize(256) for frame in drawn_frames]
    whole[0].save(tmp_path / "b.gif", save_all=True, append_images=whole[1:], duration=60)
    assert len(data) < 0.35 * (tmp_path / "b.gif").stat().st_size


def test_a_gif_of_nothing_that_moves_is_hardly_larger_than_one_picture(tmp_path: Path) -> None:
    count = pictures.film(standing(31), tmp_path / "a.gif", size=SMALL)
    parts = gif_parts((tmp_path / "a.gif").read_bytes())
    assert len(parts) == count == 17
    assert [pixels for pixels, _, _, _ in parts] == [SMALL[0] * SMALL[1], *([1] * 16)]


def test_many_motions_stand_in_rows_and_begin_again(tmp_path: Path) -> None:
    short, long = replace(waving(16), name="short"), replace(waving(46), name="long")
    performers = [make_performer(one) for one in (short, long, long, short, long)]
    panels = films.Panels.of(performers, (302, 200), "front", Overlays(), columns=3, repeat=True)
    image = panels.draw(0.75)  # a quarter of a second into the short one's second time
    assert image.shape == (200, 302, 3)
    cells = [image[y : y + 99, x : x + 99] for y in (0, 101) for x in (0, 101, 202)]
    assert [bool(drawn(cell).sum() > 100) for cell in cells] == [True] * 5 + [False]
    first = films.Panels.of(performers, (302, 200), "front", Overlays(), columns=3).draw(0.25)
    assert np.array_equal(image[15:99, :99], first[15:99, :99])
    assert not np.array_equal(image[15:99, 101:200], first[15:99, 101:200])
    with pytest.raises(ValueError, match="columns=0"):
        pictures.film([short, long], tmp_path / "a.gif", columns=0)
    with pytest.raises(ValueError, match=r"5 motions, 5 in a row, do not fit"):
        films.Panels.of(performers, (200, 200), "front", Overlays())


@pytest.mark.parametrize(("fps", "rate"), [(60.0, 25.0), (25.0, 25.0), (24.0, 25.0), (20.0, 20.0), (15.0, 100 / 7)])
def test_gif_rates_are_whole_hundredths(fps: float, rate: float) -> None:
    assert gif_rate(fps) == pytest.approx(rate)


def test_without_ffmpeg_the_error_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ValueError, match=r"install kinesphere\[video\], or write a \.gif"):
        pictures.film(waving(), tmp_path / "a.mp4")


def test_bad_requests_say_what_is_allowed(tmp_path: Path) -> None:
    motion = waving()
    with pytest.raises(ValueError, match=r"\.mp4 or \.gif"):
        pictures.film(motion, tmp_path / "a.avi")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        pictures.film(motion, tmp_path / "no" / "a.gif")
    with pytest.raises(ValueError, match="no motion"):
        pictures.film([], tmp_path / "a.gif")
    with pytest.raises(ValueError, match="fps"):
        pictures.film(motion, tmp_path / "a.gif", fps=0.0)
    with pytest.raises(ValueError, match=r"runs from 0 to 1\.00 s"):
        pictures.film(motion, tmp_path / "a.gif", start=3.0)
    with pytest.raises(ValueError, match="more than 0"):
        pictures.film(motion, tmp_path / "a.gif", seconds=0.0)
    with pytest.raises(ValueError, match=r"runs from 0 to 1\.00 s"):
        pictures.still(motion, 5.0)
    with pytest.raises(ValueError, match="at least one"):
        pictures.sheet(motion, frames=0)
    with pytest.raises(ValueError, match="do not fit"):
        pictures.sheet(motion, frames=31, columns=31, size=(300, 200))
    with pytest.raises(ValueError, match="64 to 8192"):
        pictures.still(motion, 0.0, size=(20, 20))
    with pytest.raises(ValueError, match="2 characters for 1 motions"):
        pictures.still(motion, 0.0, character=[None, None])
    with pytest.raises(ValueError, match="ghosts"):
        pictures.still(motion, 0.0, ghosts=99)
    assert list(tmp_path.iterdir()) == []


def test_a_film_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(self: films.Panels, seconds: float) -> np.ndarray:
        if seconds > 0.5:
            raise ValueError("out of paint")
        return np.zeros((SMALL[1], SMALL[0], 3), dtype=np.uint8)

    monkeypatch.setattr(films.Panels, "draw", breaks)
    for name in ("a.mp4", "a.gif"):
        (tmp_path / name).write_text("before")
        with pytest.raises(ValueError, match="out of paint"):
            pictures.film(waving(), tmp_path / name, size=SMALL)
        assert (tmp_path / name).read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.gif", "a.mp4"]


def test_a_still_is_the_same_every_time_and_shows_the_asked_moment() -> None:
    motion = waving()
    first, again, later = (np.asarray(pictures.still(motion, at, size=(300, 300))) for at in (0.0, 0.0, 1.0))
    assert np.array_equal(first, again)
    # The left arm has gone up: the body's picture starts higher above the shoulders' line and is less wide.
    extent = [np.nonzero(drawn(pixels)) for pixels in (first, later)]
    wide = [np.ptp(columns) / np.ptp(rows) for rows, columns in extent]
    assert wide[1] < 0.9 * wide[0]


@pytest.mark.parametrize("turn", [0.0, 2.0])
def test_in_front_view_a_raised_left_arm_is_on_the_right(turn: float) -> None:
    motion = standing(2, turn=turn)
    q = motion.rotations.copy()
    q[:, 5] = rotations.from_rotation_vector([0.0, 0.0, 1.3])
    q[:, 8] = rotations.from_rotation_vector([0.0, 0.0, 1.3])
    pixels = np.asarray(pictures.still(motion.with_pose(q), 0.0, size=(400, 400), view="front"))
    rows, columns = np.nonzero(drawn(pixels))
    top = columns[rows < rows.min() + 12].mean()
    assert top > columns[rows > rows.max() - 30].mean() + 20
    behind = np.asarray(pictures.still(motion.with_pose(q), 0.0, size=(400, 400), view="back"))
    rows, columns = np.nonzero(drawn(behind))
    assert columns[rows < rows.min() + 12].mean() < columns[rows > rows.max() - 30].mean() - 20


def test_the_body_fills_the_picture_and_stays_in_it() -> None:
    """Over the whole clip, also of a body that travels: large, and never cut off."""
    motion = waving(61, 30.0)
    one = make_performer(standing(61, speed=3.0))
    assert one.travels
    for chosen in (make_performer(motion), one):
        extent = measure_extent([chosen], "three-quarter")
        shot = extent.shot(0, (320, 240))
        highest = 0
        for time in np.linspace(chosen.start, chosen.end, 5):
            rows, columns = np.nonzero(drawn(render_panel(chosen, shot, float(time), Overlays())))
            assert rows.min() > 2
            assert rows.max() < 237
            assert columns.min() > 2
            assert columns.max() < 317
            highest = max(highest, int(np.ptp(rows)))
        assert highest > 0.6 * 240


def test_trails_are_drawn_where_the_wrists_were() -> None:
    motion = waving(31, 30.0)
    one = make_performer(motion)
    extent = measure_extent([one], "front")
    shot = extent.shot(0, (400, 400))
    plain, trailed = (
        render_panel(one, shot, 1.0, Overlays(parse_trails(trails))).astype(int) for trails in (False, True)
    )
    changed = np.abs(plain - trailed).max(axis=-1) > 12
    assert changed.sum() > 60
    followed = shot.aim(one.target(1.0))
    wrist = motion.positions_world()[15:, motion.skeleton.index("LeftHand")]
    pixels, _ = followed.pixels(wrist[:-4])
    hits = [changed[int(y) - 1 : int(y) + 2, int(x) - 1 : int(x) + 2].any() for x, y in pixels]
    assert np.mean(hits) > 0.8
    blue = trailed[..., 2] - trailed[..., 0] > 30
    assert (blue & changed).sum() > 40


def test_motions_side_by_side_have_captions_and_one_scale(tmp_path: Path) -> None:
    short, long = replace(waving(16), name="short"), replace(waving(31), name="long")
    image = np.asarray(pictures.still([short, long], 1.0, size=(402, 200))).astype(int)
    ink = np.abs(image - np.array(canvas.INK)).max(axis=-1) < 60
    assert ink[:24, :80].sum() > 20
    assert ink[:24, 202:290].sum() > 20
    bodies = [drawn(image[30:, half]) for half in (slice(0, 200), slice(202, 402))]
    tall = [np.ptp(np.nonzero(body)[0]) for body in bodies]
    assert tall[0] == pytest.approx(tall[1], rel=0.05)
    count = pictures.film([short, long], tmp_path / "a.gif", size=(200, 100), fps=10.0)
    assert count == 11  # as long as the longest


def test_a_sheet_has_a_row_for_each_motion_and_leaves_out_what_has_ended() -> None:
    short, long = replace(waving(16), name="short"), replace(waving(31), name="long")
    image = np.asarray(pictures.sheet([short, long], frames=5, size=(800, 500))).astype(int)
    one = [make_performer(short), make_performer(long)]
    grid = surface_sheets.make_grid(measure_extent(one, "three-quarter"), 5, 2, (800, 500), None)
    shown = []
    for row in range(2):
        for column in range(5):
            x, y = grid.corner(row, column)
            shown.append(drawn(image[y : y + grid.panel[1], x : x + grid.panel[0]]).sum() > 200)
    assert shown == [True, True, True, False, False, *([True] * 5)]
    for row in range(2):
        x, y = grid.corner(row, 0)
        caption = image[y - 26 : y - 2, x : x + 120]
        assert (np.abs(caption - np.array(canvas.INK)).max(axis=-1) < 60).sum() > 20


def test_a_sheet_of_one_motion_has_the_asked_panels() -> None:
    image = pictures.sheet(waving(3), frames=12, size=(600, 400))  # no more panels than frames
    assert image.size == (600, 400)
    columns = drawn(np.asarray(image)).any(axis=0).astype(int)
    assert (np.diff(columns) == 1).sum() == 3


def test_pictures_come_in_order_and_few_at_a_time() -> None:
    running: list[int] = []
    most: list[int] = []

    def draw(number: int) -> int:
        running.append(number)
        most.append(len(running))
        return number * 10

    given = []
    for picture in render_in_order(draw, range(40)):
        given.append(picture)
        running.remove(picture // 10)
    assert given == [number * 10 for number in range(40)]
    assert max(most) <= 12  # never the whole film


def test_the_bar_is_seen_only_where_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(with_progress(iter(range(3)), 3, "film", None)) == [0, 1, 2]
    assert capsys.readouterr().err == ""
    assert list(with_progress(iter(range(3)), 3, "film", True)) == [0, 1, 2]
    assert capsys.readouterr().out == ""


def test_the_first_picture_of_a_process_compiles_nothing_and_says_what_it_does() -> None:
    """Loops are built with the package: nothing is compiled on the user's machine while a bar stands at 0."""
    code = (
        "import sys\n"
        "from kinesphere import pictures\n"
        "from kinesphere.builtin.library import motion\n"
        "pictures.sheet(motion('wave')[:4], frames=2, size=(240, 240), progress=True)\n"
        "assert not {'numba', 'llvmlite', 'cffi'} & set(sys.modules)\n"
    )
    terminal = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": "100"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=terminal)
    assert (done.returncode, done.stdout) == (0, "")
    assert "drawing a contact sheet" in done.stderr
    assert "2/2" in done.stderr
