"""``kinesphere convert``."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import kinesphere
from kinesphere.cli.main import app
from kinesphere.cli.shared import safe_stem, unique_stem
from pictures.people import bvh_text, waving

run = CliRunner().invoke


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    path = tmp_path / "walk.bvh"
    path.write_text(bvh_text(waving()))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three good files in a tree, one cut off, one of another kind."""
    root = tmp_path / "in"
    (root / "a" / "deep").mkdir(parents=True)
    text = bvh_text(waving(11))
    (root / "one.bvh").write_text(text)
    (root / "a" / "two.bvh").write_text(text)
    (root / "a" / "deep" / "three.BVH").write_text(text)
    (root / "a" / "broken.bvh").write_text(text[:-300])
    (root / "readme.md").write_text("no motion")
    return root


def tree(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("suffix", ["npz", "bvh", "glb"])
def test_positions_survive(walk: Path, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"out.{suffix}"
    result = run(app, ["convert", str(walk), str(out)])
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"wrote {out}\n"
    there, back = kinesphere.load(walk), kinesphere.load(out)
    assert back.skeleton.names == there.skeleton.names
    assert back.rate == pytest.approx(there.rate, rel=1e-9)
    np.testing.assert_allclose(back.positions_world(), there.positions_world(), atol=1e-5)


def test_fps_gives_the_rate_and_keeps_the_duration(walk: Path, tmp_path: Path) -> None:
    out = tmp_path / "slow.npz"
    assert run(app, ["convert", str(walk), str(out), "--fps", "10"]).exit_code == 0
    slow, fast = kinesphere.load(out), kinesphere.load(walk)
    assert slow.rate == 10.0
    assert len(slow) == 11
    assert slow.duration == pytest.approx(1.0)
    # The rate 1/0.03333333 is not exactly 30, so frames fall a hair beside each other.
    np.testing.assert_allclose(slow.positions_world(), fast.positions_world()[::3], atol=1e-4)


@pytest.mark.parametrize("fps", ["0", "-3", "nan"])
def test_a_bad_rate_is_refused(walk: Path, tmp_path: Path, fps: str) -> None:
    result = run(app, ["convert", str(walk), str(tmp_path / "x.npz"), "--fps", fps])
    assert result.exit_code == 2
    assert "a positive number is expected" in result.stderr
    assert not (tmp_path / "x.npz").exists()


def test_an_existing_output_stays_unless_told(walk: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    out.write_bytes(b"precious")
    result = run(app, ["convert", str(walk), str(out)])
    assert result.exit_code == 2
    assert "--overwrite" in result.stderr
    assert out.read_bytes() == b"precious"
    assert run(app, ["convert", str(walk), str(out), "--overwrite"]).exit_code == 0
    assert len(kinesphere.load(out)) == 31


def offsets(path: Path) -> dict[str, np.ndarray]:
    """Joint names and OFFSETs as they stand in the text."""
    found = re.findall(r"(?:ROOT|JOINT) (\S+)\s*\{\s*OFFSET (\S+) (\S+) (\S+)", path.read_text())
    return {name: np.array([float(x), float(y), float(z)]) for name, x, y, z in found}


@pytest.mark.parametrize(
    ("program", "thigh"),
    [("blender", (0.0, -0.42, 0.0)), ("unity", (0.0, -0.42, 0.0)), ("unreal", (0.0, 0.0, -42.0))],
)
def test_presets_are_in_the_written_text(
    walk: Path, tmp_path: Path, program: str, thigh: tuple[float, float, float]
) -> None:
    walk.write_text(walk.read_text().replace("LeftLeg", "left:leg"))
    out = tmp_path / f"{program}.bvh"
    assert run(app, ["convert", str(walk), str(out), "--for", program]).exit_code == 0
    written = offsets(out)
    name = "left:leg" if program == "blender" else "left_leg"
    np.testing.assert_allclose(written[name], thigh, atol=1e-5)
    # The root's height is in the first row, on the axis that is up.
    first = np.array(out.read_text().split("Frame Time:")[1].split("\n")[1].split()[:3], dtype=float)
    height = {"blender": first[1], "unity": first[1], "unreal": first[2] / 100.0}[program]
    assert height == pytest.approx(0.9, abs=1e-5)
    back = kinesphere.load(out)
    np.testing.assert_allclose(back.positions_world(), kinesphere.load(walk).positions_world(), atol=1e-5)


def test_presets_are_explained_in_the_help() -> None:
    text = " ".join(run(app, ["convert", "--help"]).stdout.split())
    for sentence in ("blender: metres, Y up", "unity: metres, Y up", "unreal: centimetres and Z up in BVH"):
        assert sentence in text


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_folder_with_a_broken_file(folder: Path, tmp_path: Path, jobs: str) -> None:
    out = tmp_path / "out"
    result = run(app, ["convert", str(folder), str(out), "--to", "npz", "--jobs", jobs])
    assert result.exit_code == 1
    assert result.stdout == "converted 3, failed 1, passed over 1\n"
    assert result.stderr.startswith("failed: ")
    assert "broken.bvh" in result.stderr
    assert tree(out) == {"one.npz", "a/two.npz", "a/deep/three.npz"}
    original = kinesphere.load(folder / "one.bvh")
    back = kinesphere.load(out / "a" / "deep" / "three.npz")
    np.testing.assert_array_equal(back.rotations, original.rotations)
    np.testing.assert_array_equal(back.translations, original.translations)


def test_a_second_run_leaves_what_is_there(folder: Path, tmp_path: Path) -> None:
    (folder / "a" / "broken.bvh").unlink()
    out = tmp_path / "out"
    run(app, ["convert", str(folder / "a"), str(out), "--to", "npz"])
    (out / "two.npz").write_bytes(b"precious")
    result = run(app, ["convert", str(folder / "a"), str(out), "--to", "npz"])
    assert result.exit_code == 0
    assert result.stdout == "converted 0, failed 0, left 2 that existed already (--overwrite replaces them)\n"
    assert (out / "two.npz").read_bytes() == b"precious"
    result = run(app, ["convert", str(folder / "a"), str(out), "--to", "npz", "--overwrite"])
    assert result.stdout == "converted 2, failed 0\n"
    assert len(kinesphere.load(out / "two.npz")) == 11


def test_an_output_folder_inside_the_input_is_not_read(folder: Path) -> None:
    (folder / "a" / "broken.bvh").unlink()
    for _ in range(2):
        result = run(app, ["convert", str(folder), str(folder / "out"), "--to", "bvh", "--overwrite"])
        assert result.stdout == "converted 3, failed 0, passed over 1\n"


def test_names_that_meet_are_kept_apart(walk: Path, tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "walk.bvh").write_text(walk.read_text())
    kinesphere.save(kinesphere.load(walk), source / "walk.npz")
    out = tmp_path / "out"
    assert run(app, ["convert", str(source), str(out), "--to", "bvh"]).exit_code == 0
    assert tree(out) == {"walk.bvh", "walk_npz.bvh"}


def test_a_failure_leaves_no_folder_behind(folder: Path, tmp_path: Path) -> None:
    (folder / "bad").mkdir()
    (folder / "a" / "broken.bvh").rename(folder / "bad" / "broken.bvh")
    run(app, ["convert", str(folder), str(tmp_path / "out"), "--to", "npz"])
    assert not (tmp_path / "out" / "bad").exists()


def test_a_folder_needs_a_format(folder: Path, tmp_path: Path) -> None:
    for extra in ([], ["--to", "fbx"]):
        result = run(app, ["convert", str(folder), str(tmp_path / "out"), *extra])
        assert result.exit_code == 2
        assert "bvh" in result.stderr
        assert not (tmp_path / "out").exists()


def test_files_of_other_formats_are_named_with_what_is_read(folder: Path, tmp_path: Path) -> None:
    other = folder / "deep" / "clip.fbx"
    other.parent.mkdir(exist_ok=True)
    other.write_bytes(b"Kaydara FBX Binary")
    (folder / ".hidden").write_text("none of anybody's business")
    result = run(app, ["convert", str(folder), str(tmp_path / "out"), "--to", "npz"])
    assert result.stdout.endswith(", passed over 2\n")
    (said,) = [line for line in result.stderr.splitlines() if "passed over" in line]
    assert str(Path("deep") / "clip.fbx") in said
    assert ".bvh, .glb" in said
    assert ".hidden" not in said


def test_an_empty_folder_is_said_to_be_empty(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    result = run(app, ["convert", str(tmp_path / "in"), str(tmp_path / "out"), "--to", "npz"])
    assert result.stdout == f"no motion files in {tmp_path / 'in'}\n"


def test_an_unknown_output_is_refused_before_reading(walk: Path, tmp_path: Path) -> None:
    result = run(app, ["convert", str(walk), str(tmp_path / "out.xyz")])
    assert result.exit_code == 2
    assert ".bvh" in result.stderr


@pytest.mark.parametrize(
    ("clip", "stem"),
    [
        ("Rig|Walk Fast", "Rig_Walk_Fast"),
        ("../../etc", "etc"),
        ("", "clip"),
        ("con", "con_"),
        ("läuft", "läuft"),
    ],
)
def test_clip_names_become_file_names(clip: str, stem: str) -> None:
    assert safe_stem(clip) == stem


def test_equal_names_are_numbered() -> None:
    taken: set[str] = set()
    assert [unique_stem(name, taken) for name in ("Walk", "walk", "walk", "run")] == [
        "Walk",
        "walk_2",
        "walk_3",
        "run",
    ]


@pytest.mark.data
def test_every_clip_of_a_file_gets_its_own_file(data_dir: Path, tmp_path: Path) -> None:
    source = data_dir / "characters" / "RobotExpressive.glb"
    result = run(app, ["convert", str(source), str(tmp_path / "out"), "--to", "npz"])
    assert result.exit_code == 0, result.stderr
    assert tree(tmp_path / "out") == {f"RobotExpressive_{clip}.npz" for clip in kinesphere.clip_names(source)}
    jump = kinesphere.load(tmp_path / "out" / "RobotExpressive_Jump.npz")
    assert len(jump) == len(kinesphere.load(source, clip="Jump"))


@pytest.mark.data
def test_broken_files_of_the_collection_are_failure_lines(data_dir: Path, tmp_path: Path) -> None:
    source = data_dir / "bvh_odd" / "mutated"
    result = run(app, ["convert", str(source), str(tmp_path / "out"), "--to", "npz"])
    assert result.exit_code == 1
    count = len(list(source.glob("*.bvh")))
    written = len(tree(tmp_path / "out"))
    assert f"converted {written}, failed {count - written}\n" in result.stdout
    assert result.stderr.count("failed: ") == count - written
