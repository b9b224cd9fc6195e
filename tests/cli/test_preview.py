"""``kinesphere preview``: sheets, stills and films from the command line."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import kinesphere
from kinesphere.cli.main import app
from kinesphere.pictures.surface_sheets import compare_sheet
from pictures.painted import four, png, square
from pictures.people import bvh_text, standing, waving

run = CliRunner().invoke


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("walk.bvh").write_text(bvh_text(waving(13)))
    Path("other.bvh").write_text(bvh_text(standing(7)))
    return tmp_path


def wooden(pixels: np.ndarray) -> int:
    return int((pixels[..., 0].astype(int) - pixels[..., 2] > 25).sum())


def test_a_film_and_a_gif_of_the_asked_size(here: Path) -> None:
    for name in ("clip.gif", "clip.mp4"):
        done = run(app, ["preview", "walk.bvh", "-o", name, "--size", "120x90", "--fps", "10"])
        assert (done.exit_code, done.stderr, done.stdout) == (0, "", f"wrote {name}\n")
    with Image.open("clip.gif") as found:
        assert (found.n_frames, found.size) == (5, (120, 90))
    import imageio_ffmpeg

    assert imageio_ffmpeg.count_frames_and_secs("clip.mp4")[0] == 5


def test_one_pose_and_a_sheet_against_others(here: Path) -> None:
    done = run(app, ["preview", "walk.bvh", "-o", "still.png", "--at", "0.2", "--size", "200x150", "--ghosts", "1"])
    assert done.exit_code == 0, done.output
    with Image.open("still.png") as found:
        assert found.size == (200, 150)
        assert wooden(np.asarray(found)) > 500
    others = ["--against", "other.bvh", "--against", "walk.bvh", "--trails", "--frames", "3"]
    done = run(app, ["preview", "walk.bvh", *others, "-o", "rows.png", "--width", "400", "--height", "500"])
    assert done.exit_code == 0, done.output
    with Image.open("rows.png") as found:
        pixels = np.asarray(found)
    rows = [wooden(pixels[a:b]) > 100 for a, b in ((60, 195), (210, 345), (360, 495))]
    assert rows == [True, True, True]


def test_trails_of_hands_or_of_joints_by_name(here: Path) -> None:
    """Blue is the left hand, which moves; what is asked for by name is drawn instead, and added to both hands."""
    drawn = {}
    for name, asked in {
        "plain": [],
        "hands": ["--trails"],
        "left": ["--trail", "leftHand"],
        "none": ["--trail", "rightHand"],
        "little": ["--trail", "LeftHand", "--trail-seconds", "0.05"],
        "more": ["--trails", "--trail", "head,leftHand"],
    }.items():
        options = ["--character", "figure", "--at", "0.4", "--size", "240x180", *asked]
        done = run(app, ["preview", "walk.bvh", "-o", f"{name}.png", *options])
        assert (done.exit_code, done.stderr) == (0, ""), done.output
        with Image.open(f"{name}.png") as found:
            pixels = np.asarray(found).astype(int)
        drawn[name] = int((pixels[..., 2] - pixels[..., 0] > 40).sum())
    assert drawn["plain"] == drawn["none"] == 0
    assert drawn["hands"] == pytest.approx(drawn["left"], rel=0.1)
    assert 0 < drawn["little"] < 0.6 * drawn["left"]
    assert drawn["more"] > 0.8 * drawn["left"]


def test_before_and_after_have_trails() -> None:
    motion = waving()
    plain, trailed = (np.asarray(compare_sheet(motion, motion, trails=asked)).astype(int) for asked in (False, True))
    blue = [int((pixels[..., 2] - pixels[..., 0] > 60).sum()) for pixels in (plain, trailed)]
    assert blue[0] == 0
    assert blue[1] > 100


def test_a_character_shows_the_motion(here: Path) -> None:
    kinesphere.save(kinesphere.load("walk.bvh"), "bare.glb")
    done = run(app, ["preview", "walk.bvh", "--character", "bare.glb", "-o", "sheet.png", "--size", "400x300"])
    assert done.exit_code == 0, done.output
    with Image.open("sheet.png") as found:
        assert wooden(np.asarray(found)) > 500


def greenish(name: str) -> int:
    with Image.open(name) as found:
        pixels = np.asarray(found).astype(int)
    return int((pixels[..., 1] - np.maximum(pixels[..., 0], pixels[..., 2]) > 60).sum())


def test_a_file_with_a_surface_is_shown_with_it_and_its_colours(here: Path) -> None:
    character = kinesphere.load_character(square(png(four())).write(here / "square.glb"))
    motion = kinesphere.Motion(character.skeleton, 30.0, np.tile([1.0, 0.0, 0.0, 0.0], (4, 1, 1)))
    kinesphere.save(motion, "x.glb", character=character)
    size = ["--size", "300x300", "--frames", "2"]
    for options, name, green in (
        ([], "x_glb_preview.png", True),
        (["--bones"], "bones.png", False),
        (["--clay"], "clay.png", False),
        (["--at", "0"], "still.png", True),
        (["--at", "0", "--clay"], "clay_still.png", False),
    ):
        out = [] if name.startswith("x") else ["-o", name]
        done = run(app, ["preview", "x.glb", *size, *options, *out])
        assert (done.exit_code, done.stdout, done.stderr) == (0, f"wrote {name}\n", "")
        assert (greenish(name) > 300) is green, name
    done = run(app, ["preview", "x.glb", "--bones", "--at", "0", "-o", "no.png"])
    assert (done.exit_code, "--bones draws a contact sheet" in done.stderr) == (2, True)


def test_a_motion_alone_in_a_glb_is_shown_as_bones(here: Path) -> None:
    """Its only mesh are bones that we drew for viewers."""
    kinesphere.save(kinesphere.load("walk.bvh"), "walk.glb")
    sheets = []
    for file in ("walk.bvh", "walk.glb"):
        done = run(app, ["preview", file, "--size", "300x200", "--frames", "2"])
        assert done.exit_code == 0, done.output
        with Image.open(f"walk_{file[-3:]}_preview.png") as found:
            sheets.append(np.asarray(found)[40:].astype(int))
    assert np.abs(sheets[0] - sheets[1]).mean() < 0.5


def test_a_second_preview_replaces_the_first(here: Path) -> None:
    for _ in range(2):
        assert run(app, ["preview", "walk.bvh", "--size", "200x200", "--frames", "1"]).exit_code == 0
    Path("walk_bvh_preview.png").write_text("mine")
    done = run(app, ["preview", "walk.bvh"])
    assert (done.exit_code, "--overwrite replaces it" in done.stderr) == (2, True)
    assert Path("walk_bvh_preview.png").read_text() == "mine"


def test_nothing_is_replaced_unasked(here: Path) -> None:
    Path("out.png").write_text("mine")
    done = run(app, ["preview", "walk.bvh", "-o", "out.png"])
    assert done.exit_code == 2
    assert "--overwrite" in done.stderr
    assert Path("out.png").read_text() == "mine"
    assert run(app, ["preview", "walk.bvh", "-o", "out.png", "--overwrite"]).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "clip.avi"], ".png, .gif or .mp4"),
        (["-o", "clip.gif", "--at", "1"], "--at draws one picture"),
        (["-o", "clip.gif", "--size", "big"], "640x480"),
        (["-o", "clip.gif", "--size", "3x3"], "64 to 8192"),
        (["-o", "still.png", "--at", "9"], "runs from 0 to 0.40 s"),
        (["-o", "clip.gif", "--against", "missing.bvh"], "no such file"),
        (["-o", "clip.gif", "--start", "7"], "runs from 0 to 0.40 s"),
        (["-o", "clip.gif", "--character", "walk.bvh"], "character"),
        (["-o", "no/clip.gif"], "does not exist"),
        (["-o", "still.png", "--trail", "lefthnd"], "did you mean leftHand"),
        (["-o", "clip.gif", "--trail", "hands,heat"], "did you mean head or chest?"),
        (["-o", "still.png", "--trail", "leftHand,"], "names of joints are expected"),
        (["-o", "still.png", "--trail-seconds", "0"], "more than 0"),
    ],
)
def test_trouble_is_one_line(here: Path, arguments: list[str], message: str) -> None:
    done = run(app, ["preview", "walk.bvh", *arguments])
    assert done.exit_code == 2
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(path.name for path in here.iterdir()) == ["other.bvh", "walk.bvh"]


def test_without_ffmpeg_it_says_what_to_install(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    done = run(app, ["preview", "walk.bvh", "-o", "clip.mp4"])
    assert done.exit_code == 2
    assert "install kinesphere[video], or write a .gif" in done.stderr
