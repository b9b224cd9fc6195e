"""`kinesphere trim`, `loop`, `mirror`, `in-place`, `resample` and `retarget`: files, folders, clips and previews."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import kinesphere
from kinesphere.builtin.library import motion as builtin
from kinesphere.cli.main import app
from kinesphere.cli.previews import preview_path
from kinesphere.files import save_clips
from kinesphere.pictures import surface_sheets
from pictures.people import bvh_text, waving

COMMANDS: dict[str, list[str]] = {
    "trim": ["--start", "0.1"],
    "loop": [],
    "mirror": [],
    "in-place": [],
    "resample": ["--fps", "15"],
    "retarget": ["--onto", "figure"],
}


def call(*arguments: Any) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def clips() -> list[kinesphere.Motion]:
    """Three clips of one skeleton, unlike in length and rate."""
    return [
        replace(builtin("wave")[:40], name="Wave"),
        replace(builtin("bow").between(1.0, 2.0), name="Bow/deep"),
        replace(builtin("idle").resampled(30.0)[:20], name="Idle"),
    ]


@pytest.fixture
def several(tmp_path: Path) -> Path:
    save_clips(clips(), tmp_path / "several.glb")
    return tmp_path / "several.glb"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A good file in each of two folders, a file of three clips, one cut off, one of another kind."""
    root = tmp_path / "in"
    (root / "deep").mkdir(parents=True)
    kinesphere.save(builtin("wave")[:30], root / "one.bvh")
    kinesphere.save(builtin("bow")[:30], root / "deep" / "two.npz")
    save_clips(clips(), root / "deep" / "several.glb")
    (root / "broken.bvh").write_text(bvh_text(waving(11))[:-300])
    (root / "readme.md").write_text("no motion")
    return root


@pytest.fixture
def small_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before and after as a small grey picture: what is drawn has tests of its own."""
    monkeypatch.setattr(surface_sheets, "compare_sheet", lambda *_, **__: Image.new("RGB", (8, 8)))


def test_several_motions_are_the_clips_of_one_file(several: Path, tmp_path: Path) -> None:
    assert kinesphere.clip_names(several) == ("Wave", "Bow/deep", "Idle")
    for number, given in enumerate(clips()):
        back = kinesphere.load(several, clip=number)
        assert (back.name, back.rate, len(back)) == (given.name, given.rate, len(given))
        np.testing.assert_allclose(back.positions_world(), given.positions_world(), atol=1e-5)
    with pytest.raises(ValueError, match="holds one clip, 3 were given"):
        save_clips(clips(), tmp_path / "x.bvh")
    with pytest.raises(ValueError, match="at least one"):
        save_clips([], tmp_path / "x.glb")
    with pytest.raises(ValueError, match="another skeleton"):
        save_clips([clips()[0], waving()], tmp_path / "x.glb")


# What each command does


def test_trim_cuts_by_seconds_or_frames(tmp_path: Path) -> None:
    wave = builtin("wave")
    for number, (start, end) in enumerate((("0.5", "1.5"), ("30f", "90f"), ("0.5s", "90F"))):
        out = tmp_path / f"{number}.npz"
        done = call("trim", "wave", "-o", out, "--start", start, "--end", end)
        assert (done.exit_code, done.stdout) == (0, f"wrote {out}\n"), done.output
        np.testing.assert_array_equal(kinesphere.load(out).rotations, wave.rotations[30:91])
    assert call("trim", "wave", "-o", tmp_path / "a.npz", "--start", "1").exit_code == 0
    assert len(kinesphere.load(tmp_path / "a.npz")) == len(wave) - 60


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ([], "give --start or --end"),
        (["--start", "soon"], "--start 'soon'; seconds such as 1.5, or a frame such as 45f"),
        (["--end", "-1"], "--end '-1'"),
        (["--start", "nan"], "--start 'nan'"),
        (["--start", "99"], "no frame from 99"),
    ],
)
def test_trim_refuses_what_it_cannot_cut(tmp_path: Path, options: list[str], found: str) -> None:
    done = call("trim", "wave", "-o", tmp_path / "a.npz", *options)
    assert done.exit_code == 2
    assert found in done.stderr
    assert not (tmp_path / "a.npz").exists()


def test_mirror_in_place_and_resample_are_those_of_python(tmp_path: Path) -> None:
    walk = builtin("walk")
    kinesphere.save(walk, tmp_path / "walk.npz")
    expected = {
        "mirror": walk.mirrored(),
        "in-place": walk.in_place(),
        "resample": walk.resampled(24.0),
        "loop": kinesphere.body.loop(walk),
    }
    for command, made in expected.items():
        out = tmp_path / f"{command}.npz"
        done = call(command, tmp_path / "walk.npz", "-o", out, *(["--fps", "24"] if command == "resample" else []))
        assert done.exit_code == 0, done.output
        found = kinesphere.load(out)
        assert found.rate == made.rate
        np.testing.assert_allclose(found.positions_world(), made.positions_world(), atol=1e-9)
    assert call("in-place", tmp_path / "walk.npz", "-o", tmp_path / "h.npz", "--heading").exit_code == 0


def test_loop_says_what_a_cycle_is_and_searches_for_it(tmp_path: Path) -> None:
    done = call("loop", "walk", "-o", tmp_path / "cycle.npz", "--search")
    assert done.exit_code == 0, done.output
    assert "loop: 1.07 s from" in done.stdout
    assert "travels" in done.stdout
    found = kinesphere.load(tmp_path / "cycle.npz")
    assert found.duration == pytest.approx(builtin("walk in place").duration, rel=0.05)
    done = call("loop", "walk", "-o", tmp_path / "two.npz", "--shortest", "1.5", "--blend", "0.1")
    assert done.exit_code == 0, done.output
    assert kinesphere.load(tmp_path / "two.npz").duration > 1.5


def test_a_bad_rate_is_refused(tmp_path: Path) -> None:
    done = call("resample", "wave", "-o", tmp_path / "a.npz", "--fps", "0")
    assert (done.exit_code, "a positive number is expected" in done.stderr) == (2, True)


# Clips, surfaces and ways of reading


@pytest.mark.parametrize("command", COMMANDS)
def test_all_clips_go_into_one_glb_and_into_files_of_their_own_else(
    several: Path, tmp_path: Path, command: str
) -> None:
    done = call(command, several, "-o", tmp_path / "out.glb", *COMMANDS[command])
    assert done.exit_code == 0, done.output
    assert f"wrote {tmp_path / 'out.glb'}, 3 clips" in done.stdout
    assert kinesphere.clip_names(tmp_path / "out.glb") == ("Wave", "Bow/deep", "Idle")
    done = call(command, several, "-o", tmp_path / "out.bvh", *COMMANDS[command])
    assert done.exit_code == 0, done.output
    written = sorted(path.name for path in tmp_path.glob("*.bvh"))
    assert written == ["out_Bow_deep.bvh", "out_Idle.bvh", "out_Wave.bvh"]
    assert len(kinesphere.load(tmp_path / "out_Wave.bvh")) == len(kinesphere.load(tmp_path / "out.glb", clip="Wave"))
    again = call(command, several, "-o", tmp_path / "out.bvh", *COMMANDS[command])
    assert (again.exit_code, "--overwrite replaces it" in again.stderr) == (2, True)


@pytest.mark.parametrize("command", COMMANDS)
def test_one_clip_is_taken_where_it_is_asked_for(several: Path, tmp_path: Path, command: str) -> None:
    done = call(command, several, "-o", tmp_path / "out.bvh", "--clip", "Idle", *COMMANDS[command])
    assert (done.exit_code, "clips" in done.stderr) == (0, False), done.output
    assert [path.name for path in tmp_path.glob("*.bvh")] == ["out.bvh"]


def test_ways_of_reading_are_those_of_other_commands(tmp_path: Path) -> None:
    (tmp_path / "in.bvh").write_text(bvh_text(waving()))
    plain = kinesphere.load(tmp_path / "in.bvh", scale=0.5, up="z", rate=10.0)
    options = ["--scale", "0.5", "--up", "z", "--rate", "10", "--positions", "replace", "--salvage"]
    done = call("mirror", tmp_path / "in.bvh", "-o", tmp_path / "out.npz", *options)
    assert done.exit_code == 0, done.output
    found = kinesphere.load(tmp_path / "out.npz")
    assert found.rate == plain.rate
    np.testing.assert_allclose(found.positions_world(), plain.mirrored().positions_world(), atol=1e-9)


def test_a_file_keeps_its_own_surface(tmp_path: Path) -> None:
    figure = kinesphere.figure()
    kinesphere.save(kinesphere.retarget(builtin("wave")[:20], figure), tmp_path / "in.glb", character=figure)
    done = call("mirror", tmp_path / "in.glb", "-o", tmp_path / "out.glb")
    assert done.exit_code == 0, done.output
    before, after = (kinesphere.load_character(tmp_path / name).meshes for name in ("in.glb", "out.glb"))
    assert [len(mesh.positions) for mesh in after] == [len(mesh.positions) for mesh in before]


# Folders


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_keeps_its_tree_and_its_formats(folder: Path, tmp_path: Path, command: str) -> None:
    out = tmp_path / "out"
    done = call(command, folder, "-o", out, *COMMANDS[command])
    assert done.exit_code == 1
    assert "written" not in done.stdout
    assert done.stdout.rstrip().endswith("3, failed 1, passed over 1")
    assert "broken.bvh" in done.stderr
    made = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert made == {"one.bvh", "deep/two.npz", "deep/several.glb"}
    assert len(kinesphere.clip_names(out / "deep" / "several.glb")) == 3
    again = call(command, folder, "-o", out, *COMMANDS[command])
    assert "left 3 that existed already" in again.stdout


@pytest.mark.usefixtures("small_pictures")
def test_a_folder_in_another_format_has_a_file_for_each_clip(folder: Path, tmp_path: Path) -> None:
    done = call("mirror", folder, "-o", tmp_path / "out", "--to", "bvh", "--preview")
    assert done.exit_code == 1
    made = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    names = ["one", "deep/two", "deep/several_Wave", "deep/several_Bow_deep", "deep/several_Idle"]
    assert made == {f"{name}{end}" for name in names for end in (".bvh", "_bvh_preview.png")}
    done = call("mirror", folder / "one.bvh", "-o", tmp_path / "out", "--to", "xyz")
    assert (done.exit_code, "one of these is needed: bvh" in done.stderr) == (2, True)


@pytest.mark.usefixtures("small_pictures")
def test_files_of_one_name_do_not_claim_one_output(tmp_path: Path) -> None:
    root = tmp_path / "in"
    root.mkdir()
    for suffix in ("bvh", "npz"):
        kinesphere.save(builtin("wave")[:10], root / f"x.{suffix}")
    assert call("mirror", root, "-o", tmp_path / "a", "--preview").exit_code == 0
    names = {path.name for path in (tmp_path / "a").iterdir()}
    assert names == {"x.bvh", "x.npz", "x_bvh_preview.png", "x_npz_preview.png"}
    assert call("mirror", root, "-o", tmp_path / "b", "--to", "glb").exit_code == 0
    assert {path.name for path in (tmp_path / "b").iterdir()} == {"x.glb", "x_npz.glb"}


def test_several_processes_do_the_same(folder: Path, tmp_path: Path) -> None:
    for jobs in (1, 2):
        call("retarget", folder, "--onto", "mo", "-o", tmp_path / str(jobs), "--jobs", jobs)
    one, two = (kinesphere.load(tmp_path / str(jobs) / "one.bvh") for jobs in (1, 2))
    np.testing.assert_array_equal(one.rotations, two.rotations)


# Previews


@pytest.mark.usefixtures("small_pictures")
def test_previews_are_replaced_and_never_those_of_another_file(tmp_path: Path) -> None:
    assert preview_path(Path("a/x.bvh")) == Path("a/x_bvh_preview.png")
    assert preview_path(Path("a/x.GLB"), "Run fast") == Path("a/x_glb_Run_fast_preview.png")
    assert preview_path(Path("wave")) == Path("wave_preview.png")
    for suffix in ("bvh", "glb"):
        out = tmp_path / f"x.{suffix}"
        for command in (["mirror", "wave"], ["smooth", "wave"], ["perform", "wave"]):
            done = call(*command, "-o", out, "--preview")
            assert done.exit_code == 0, done.output
            assert f"wrote {preview_path(out)}" in done.stdout
            out.unlink()  # the motion itself is protected, its picture is derived from it
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x_bvh_preview.png", "x_glb_preview.png"]


@pytest.mark.usefixtures("small_pictures")
def test_what_is_no_picture_of_ours_stays(tmp_path: Path) -> None:
    out = tmp_path / "x.bvh"
    preview_path(out).write_text("mine")
    for command in ("mirror", "smooth"):
        done = call(command, "wave", "-o", out, "--preview")
        assert (done.exit_code, "exists already; --overwrite replaces it" in done.stderr) == (2, True)
    assert preview_path(out).read_text() == "mine"
    assert not out.exists()
    assert call("mirror", "wave", "-o", out, "--preview", "--overwrite").exit_code == 0
    assert preview_path(out).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("command", ["loop", "retarget"])
def test_before_and_after_are_drawn(tmp_path: Path, command: str) -> None:
    done = call(command, "walk in place", "-o", tmp_path / "x.npz", "--preview", *COMMANDS[command])
    assert done.exit_code == 0, done.output
    with Image.open(tmp_path / "x_npz_preview.png") as found:
        assert found.size == (1600, 1000)


# Which clip a command took


@pytest.mark.parametrize("command", [["preview"], ["smooth"], ["breath"], ["convert"]], ids=lambda command: command[0])
def test_a_command_that_takes_one_clip_says_which(several: Path, tmp_path: Path, command: list[str]) -> None:
    out = tmp_path / ("out.png" if command == ["preview"] else "out.npz")
    to = [out] if command == ["convert"] else ["-o", out]
    done = call(*command, several, *to)
    assert done.exit_code == 0, done.output
    assert "has 3 clips and this is the first, 'Wave'; --clip takes another: 'Bow/deep', 'Idle'" in done.stderr
    out.unlink()
    done = call(*command, several, *to, "--clip", "Idle")
    assert (done.exit_code, done.stderr) == (0, ""), done.output


def test_the_list_of_commands_imports_no_numpy() -> None:
    code = (
        "import sys\n"
        "from kinesphere.cli.main import app\n"
        "try:\n"
        "    app(['--help'])\n"
        "finally:\n"
        "    assert 'numpy' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    for command in COMMANDS:
        assert f"\n  {command} " in done.stdout
