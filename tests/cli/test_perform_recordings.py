"""``kinesphere perform`` of recordings: files, clips, folders and reports."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from contracts import tail
from kinesphere import clip_names, load, mo, perform, save, save_clips
from kinesphere.builtin import motion
from kinesphere.cli.main import app

run = CliRunner()


def called(*words):
    return run.invoke(app, [str(word) for word in words])


@pytest.fixture
def folder(tmp_path):
    """A recording, a file of two clips in a folder of its own, one that is no humanoid, one cut off, and a text."""
    root = tmp_path / "mocap"
    (root / "deep").mkdir(parents=True)
    save(motion("knock"), root / "knock.bvh")
    save_clips([replace(motion(name), name=name) for name in ("wave", "bow")], root / "deep" / "two.glb")
    save(tail(), root / "tail.bvh")
    (root / "cut.bvh").write_bytes((root / "knock.bvh").read_bytes()[:900])
    (root / "notes.txt").write_text("nothing")
    return root


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".npz"])
def test_a_motion_file_is_performed(tmp_path, suffix):
    given, out = tmp_path / f"knock{suffix}", tmp_path / f"tired{suffix}"
    save(motion("knock"), given)
    said = called("perform", given, "-o", out, "--words", "tired")
    assert said.exit_code == 0, said.output
    made, expected = load(out), perform(load(given), words="tired")
    assert len(made) == len(expected)
    assert np.linalg.norm(made.positions_world() - expected.positions_world(), axis=-1).max() < 1e-3


def test_reading_options_and_clips_are_those_of_other_commands(tmp_path):
    given, out = tmp_path / "two.glb", tmp_path / "out.npz"
    save_clips([replace(motion(name), name=name) for name in ("wave", "bow")], given)
    said = called("perform", given, "-o", out, "--words", "tired")
    assert "this is the first, 'wave'" in said.stderr
    called("perform", given, "-o", out, "--words", "tired", "--clip", "bow", "--overwrite")
    assert load(out).duration == pytest.approx(perform(load(given, clip="bow"), words="tired").duration, abs=0.02)


def test_a_folder_is_performed_with_a_report(tmp_path, folder):
    out, report = tmp_path / "out", tmp_path / "report.csv"
    said = called("perform", folder, "-o", out, "--words", "tired", "--report", report)
    assert said.exit_code == 1  # some failed
    assert sorted(str(file.relative_to(out)) for file in out.rglob("*.*")) == ["deep/two.glb", "knock.bvh"]
    assert list(clip_names(out / "deep" / "two.glb")) == ["wave", "bow"]
    assert "performed 2, failed 2" in said.stdout
    assert "knock: " in said.stdout
    with report.open() as file:
        rows = {(row["file"].rpartition("/")[2], row["clip"]): row for row in csv.DictReader(file)}
    assert set(rows) == {
        ("knock.bvh", "knock"),
        ("two.glb", "wave"),
        ("two.glb", "bow"),
        ("tail.bvh", ""),
        ("cut.bvh", ""),
    }
    knock = rows["knock.bvh", "knock"]
    assert int(knock["strokes_right"]) > int(knock["strokes_left"])
    assert float(knock["new_seconds"]) > float(knock["seconds"])
    assert float(knock["slide_added_mm"]) < 5.0
    assert (rows["tail.bvh", ""]["outcome"], rows["cut.bvh", ""]["outcome"]) == ("refused", "refused")
    assert len(rows["tail.bvh", ""]["reason"]) > 20


def test_a_folder_becomes_another_format_and_its_report_is_the_same_on_two_processes(tmp_path, folder):
    found = []
    for jobs in (1, 2):
        out, report = tmp_path / f"out{jobs}", tmp_path / f"report{jobs}.json"
        said = called(
            "perform", folder, "-o", out, "--effort", "time=1", "--to", "glb", "--jobs", jobs, "--report", report
        )
        assert said.exit_code == 1
        assert sorted(file.name for file in out.rglob("*.*")) == ["knock.glb", "two.glb"]
        rows = json.loads(report.read_text())
        found.append([{name: value for name, value in row.items() if name != "output"} for row in rows])
    assert found[0] == found[1]


def test_a_character_performs_a_folder(tmp_path, folder):
    (folder / "tail.bvh").unlink()
    (folder / "cut.bvh").unlink()
    said = called("perform", folder, "-o", tmp_path / "out", "--words", "shy", "--character", "mo", "--to", "glb")
    assert said.exit_code == 0, said.output
    for name in ("knock.glb", "deep/two.glb"):
        assert load(tmp_path / "out" / name).skeleton.same_tree(mo().skeleton)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--words", "tierd"], "tired"),
        (["--effort", "wieght=1"], "weight"),
        (["--to", "fbx"], "bvh"),
        (["--report", "report.txt"], ".csv or .json is expected"),
        (["--save-score", "s.json"], "a score has one source"),
    ],
)
def test_what_is_wrong_is_said_once_before_anything_is_performed(tmp_path, folder, words, said):
    result = called("perform", folder, "-o", tmp_path / "out", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_report_of_one_file(tmp_path, folder):
    report = tmp_path / "one.json"
    said = called("perform", folder / "knock.bvh", "-o", tmp_path / "a.bvh", "--words", "shy", "--report", report)
    assert said.exit_code == 0
    (row,) = json.loads(report.read_text())
    assert row["outcome"] == "performed"
    assert row["contacts_kept"] == row["contacts"]
    said = called("perform", "wave", "-o", tmp_path / "b.bvh", "--report", tmp_path / "two.json")
    assert "wave is no recording" in said.stderr
    assert not (tmp_path / "b.bvh").exists()
