"""``kinesphere perform`` of recordings: files, clips, folders and reports."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from contracts import tail
from kinesphere import (
    Effort,
    clip_names,
    load,
    load_score,
    mo,
    perform,
    render,
    save,
    save_character,
    save_clips,
    save_mapping,
)
from kinesphere.builtin import motion
from kinesphere.cli.main import app
from kinesphere.motion.humanoid import mirror_role
from recordings import without

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
        ("notes.txt", ""),
    }
    knock = rows["knock.bvh", "knock"]
    assert int(knock["strokes_right"]) > int(knock["strokes_left"])
    assert float(knock["new_seconds"]) > float(knock["seconds"])
    assert float(knock["slide_added_mm"]) < 5.0
    assert (rows["tail.bvh", ""]["outcome"], rows["cut.bvh", ""]["outcome"]) == ("refused", "refused")
    assert len(rows["tail.bvh", ""]["reason"]) > 20
    assert rows["notes.txt", ""]["outcome"] == "passed over"
    assert ".bvh" in rows["notes.txt", ""]["reason"]
    assert all((row["outcome"] == "performed") == bool(row["output"]) for row in rows.values())
    assert all(Path(row["output"]).exists() for row in rows.values() if row["output"])


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


def nameless(source, roles):
    """A motion whose joints have numbers for names, and a mapping file of its roles."""
    skeleton = replace(source.skeleton, names=tuple(f"bone_{i}" for i in range(len(source.skeleton))), roles={})
    save_mapping(roles, skeleton, "map.json")
    return replace(source, skeleton=skeleton)


def test_a_mapping_file_says_which_joint_is_what(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    knock = motion("knock")
    roles = knock.skeleton.roles
    sides = {"left": "right", "right": "left"}
    swapped = {
        next((other + role.removeprefix(side) for side, other in sides.items() if role.startswith(side)), role): joint
        for role, joint in roles.items()
    }
    for given in (roles, swapped):
        source = nameless(knock, given)
        save(source, "bones.bvh")
        words = ["--effort", "weight=1", "--part", "right_arm:weight=-1", "--overwrite", "--save-score", "score.json"]
        said = called("perform", "bones.bvh", "-o", "made.npz", "--mapping", "map.json", *words)
        assert said.exit_code == 0, said.output
        told = replace(load("bones.bvh"), skeleton=replace(load("bones.bvh").skeleton, roles=given))
        expected = perform(told, Effort(weight=1.0), parts={"right_arm": Effort(weight=-1.0)})
        np.testing.assert_array_equal(load("made.npz").rotations, expected.rotations)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    np.testing.assert_array_equal(render(load_score("../score.json")).rotations, expected.rotations)


def test_a_broken_mapping_file_is_named(tmp_path):
    save(motion("knock"), tmp_path / "knock.bvh")
    (tmp_path / "map.json").write_text('{"format": "kinesphere mapping", "version": 1, "roles": {"hips": "Hipz"}}')
    said = called("perform", tmp_path / "knock.bvh", "-o", tmp_path / "a.bvh", "--mapping", tmp_path / "map.json")
    assert said.exit_code == 2
    assert "map.json, roles.hips" in said.stderr
    assert "Hipz" in said.stderr
    (tmp_path / "map.json").write_text("{\n")
    said = called("perform", tmp_path / "knock.bvh", "-o", tmp_path / "a.bvh", "--mapping", tmp_path / "map.json")
    assert "map.json, line 2: found broken JSON" in said.stderr


@pytest.mark.parametrize(("limb", "lost"), [("UpperLeg", "no legs"), ("Shoulder", "no arms")])
@pytest.mark.parametrize("command", ["perform", "phrase"])
def test_half_a_body_is_refused_with_its_file_and_what_is_lost(tmp_path, limb, lost, command):
    """As of who is captured from the waist up: the file, what it lacks, what takes it, and what to do."""
    whole = motion("wave")
    joints = whole.skeleton.roles
    gone = {joint for side in ("left", "right") for joint in whole.skeleton.descendants(joints[side + limb])}
    file = tmp_path / "half.bvh"
    save(without(whole, gone), file)
    out = tmp_path / ("o.png" if command == "phrase" else "o.bvh")
    words = ["--words", "tired"] if command == "perform" else []
    said = " ".join(called(command, file, "-o", out, *words).stderr.split())
    assert f"{file}: " in said
    assert lost in said
    assert "smooth" in said
    assert "--mapping MAP.json" in said
    assert called("smooth", file, "-o", tmp_path / "smooth.bvh").exit_code == 0
    (tmp_path / "in").mkdir()
    file.rename(tmp_path / "in" / "half.bvh")
    failed = called("perform", tmp_path / "in", "-o", tmp_path / "out", "--words", "tired").stderr
    assert failed.count("half.bvh: ") == 1


def test_a_clip_without_a_name_is_reported_by_its_file(tmp_path):
    file = tmp_path / "nameless.glb"
    save(replace(motion("knock"), name=""), file)
    report = tmp_path / "report.json"
    assert called("perform", file, "-o", tmp_path / "o.glb", "--words", "tired", "--report", report).exit_code == 0
    assert [row["clip"] for row in json.loads(report.read_text())] == ["nameless"]


def test_left_handed_files_are_refused_until_left_and_right_are_exchanged(tmp_path):
    """A body in a mirror whose limbs keep their names: its knees would bend the wrong way round."""
    walk = without(motion("walk"), set())  # without the figure's roles: names alone say what is left
    mirror, turn = np.array([-1.0, 1.0, 1.0]), np.array([1.0, 1.0, -1.0, -1.0])
    skeleton = replace(
        walk.skeleton,
        offsets=walk.skeleton.offsets * mirror,
        rest_rotations=walk.skeleton.rest_rotations * turn,
        tips=tuple(replace(tip, offset=(-tip.offset[0], *tip.offset[1:])) for tip in walk.skeleton.tips),
    )
    file, mapping, report = tmp_path / "left.bvh", tmp_path / "map.json", tmp_path / "report.json"
    save(
        replace(walk, skeleton=skeleton, rotations=walk.rotations * turn, translations=walk.translations * mirror), file
    )
    said = called("perform", file, "-o", tmp_path / "o.bvh", "--words", "joyful")
    assert said.exit_code == 2
    assert "exchange them in the mapping file" in " ".join(said.stderr.split())
    called("mapping", file, "-o", mapping)
    document = json.loads(mapping.read_text())
    document["roles"] = {mirror_role(role): joint for role, joint in document["roles"].items()}
    mapping.write_text(json.dumps(document))
    words = ["--words", "joyful", "--mapping", mapping, "--report", report]
    assert called("perform", file, "-o", tmp_path / "o.bvh", *words).exit_code == 0
    (row,) = json.loads(report.read_text())
    assert row["slide_added_mm"] < 5.0
    assert row["beyond_limits_degrees"] < 10.0
    assert row["steps"] >= 6


@pytest.mark.parametrize("command", [("perform", "--words", "tired"), ("convert",)])
def test_a_character_without_a_clip_is_refused_with_the_option_that_takes_it(tmp_path, command):
    file, out = tmp_path / "mo.glb", tmp_path / "out.glb"
    save_character(mo(), file)
    name, *options = command
    said = called(name, file, *(["-o"] if name == "perform" else []), out, *options)
    assert said.exit_code == 2
    assert "no animation" in said.stderr
    assert "--character" in said.stderr
