"""Mapping files, and the command that shows and writes them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import kinesphere
from kinesphere import Motion, MotionFileError
from kinesphere.cli.main import app
from kinesphere.files.mapping import load_mapping, save_mapping
from kinesphere.files.registry import formats
from kinesphere.maths import rotations as R
from kinesphere.motion.roles import find_roles
from kinesphere.motion.skeleton import Skeleton
from motion.roles.namings import NAMINGS
from motion.roles.people import person

run = CliRunner().invoke
SKELETON = person(NAMINGS["LAFAN"])


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    path = tmp_path / "walk.npz"
    kinesphere.save(Motion(SKELETON, 30.0, R.identity(3, len(SKELETON))), path)
    return path


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    found = find_roles(SKELETON)
    save_mapping(found, SKELETON, tmp_path / "map.json")
    assert load_mapping(tmp_path / "map.json", SKELETON) == dict(found.roles)
    save_mapping({"hips": 0}, SKELETON, tmp_path / "map.json")
    assert load_mapping(tmp_path / "map.json", SKELETON) == {"hips": 0}
    assert not list(tmp_path.glob(".map*"))


def test_joints_of_one_name_are_told_apart(tmp_path: Path) -> None:
    twins = Skeleton(("a", "b", "b"), np.array([-1, 0, 0]), np.ones((3, 3)))
    save_mapping({"leftHand": 2, "rightHand": 1}, twins, tmp_path / "map.json")
    said = json.loads((tmp_path / "map.json").read_text())
    assert said["roles"] == {"leftHand": ["b", 2], "rightHand": ["b", 1]}
    assert load_mapping(tmp_path / "map.json", twins) == {"leftHand": 2, "rightHand": 1}


@pytest.mark.parametrize(
    ("text", "where", "part"),
    [
        ("", "", "expected JSON"),
        ("[]", "", "an object"),
        ("{", "", "line 1"),
        ("[" * 100_000, "", "mapping file"),
        ("\xff\xfe", "", "format"),
        ("{}", "format", "kinesphere mapping"),
        ('{"format": "kinesphere mapping"}', "version", "version 1"),
        ('{"format": "kinesphere mapping", "version": 2, "roles": {}}', "version", "newer"),
        ('{"format": "kinesphere mapping", "version": 1}', "roles", "an object of roles"),
        ('{"format": "kinesphere mapping", "version": 1, "roles": {"leftHnd": "Hips"}}', "roles", "leftHand"),
        ('{"format": "kinesphere mapping", "version": 1, "roles": {"hips": "Hps"}}', "roles.hips", "near it: Hips"),
        ('{"format": "kinesphere mapping", "version": 1, "roles": {"hips": 3}}', "roles.hips", "name of a joint"),
        ('{"format": "kinesphere mapping", "version": 1, "roles": {"hips": ["Hips", 4]}}', "roles.hips", "one of [0]"),
        ('{"format": "kinesphere mapping", "version": 1, "roles": {"hips": ["Hips", true]}}', "roles.hips", "[name"),
        (
            '{"format": "kinesphere mapping", "version": 1, "roles": {"hips": "Hips", "spine": "Hips"}}',
            "roles.spine",
            "one role a joint",
        ),
        ('{"format": "kinesphere mapping", "format": "x"}', "", "twice"),
    ],
)
def test_broken_files_are_told(tmp_path: Path, text: str, where: str, part: str) -> None:
    path = tmp_path / "map.json"
    path.write_text(text, encoding="utf-8")
    if text.startswith("\xff"):
        path.write_bytes(b"\xff\xfe\x00")
        part = "mapping file"
    with pytest.raises(MotionFileError) as caught:
        load_mapping(path, SKELETON)
    assert caught.value.where == where
    assert part in str(caught.value)
    assert str(path) in str(caught.value)


def test_no_file_and_wrong_roles_are_told(tmp_path: Path) -> None:
    with pytest.raises(MotionFileError, match="no such file"):
        load_mapping(tmp_path / "none.json", SKELETON)
    with pytest.raises(MotionFileError, match="near it: leftHand"):
        save_mapping({"leftHnd": 1}, SKELETON, tmp_path / "map.json")
    with pytest.raises(MotionFileError, match="0 to"):
        save_mapping({"leftHand": 100}, SKELETON, tmp_path / "map.json")
    assert not (tmp_path / "map.json").exists()


def test_a_mapping_is_no_motion_format() -> None:
    assert "mapping" not in {known.name for known in formats()}


def test_the_command_shows_a_table(walk: Path) -> None:
    result = run(app, ["mapping", str(walk)])
    assert (result.exit_code, result.stderr) == (0, "")
    for word in ("leftUpperArm", "LeftArm", "confidence", "runner-up", "a humanoid"):
        assert word in result.stdout


def test_json_and_files_go_round(walk: Path, tmp_path: Path) -> None:
    out = tmp_path / "map.json"
    result = run(app, ["mapping", str(walk), "--json", "-o", str(out)])
    facts = json.loads(result.stdout)
    assert facts["humanoid"] is True
    assert facts["missing"] == []
    assert facts["roles"]["leftHand"]["joint"] == "LeftHand"
    assert facts["roles"]["leftHand"]["confidence"] > 0.8
    said = json.loads(out.read_text())
    said["roles"]["neck"] = said["roles"].pop("upperChest")
    out.write_text(json.dumps(said))
    again = json.loads(run(app, ["mapping", str(walk), "--json", "--with", str(out)]).stdout)
    assert again["roles"]["neck"] == {"joint": "Spine2", "index": SKELETON.index("Spine2"), "confidence": 1.0}


def test_no_humanoid_is_said_kindly(tmp_path: Path) -> None:
    path = tmp_path / "rope.npz"
    rope = Skeleton(tuple("abcd"), np.arange(4) - 1, np.ones((4, 3)))
    kinesphere.save(Motion(rope, 30.0, R.identity(2, 4)), path)
    result = run(app, ["mapping", str(path)])
    assert result.exit_code == 2
    assert "no humanoid" in result.stderr
    assert "overrides" in result.stderr
    assert "Traceback" not in result.stderr
    assert run(app, ["mapping", str(tmp_path / "none.bvh")]).exit_code == 2


@pytest.mark.data
@pytest.mark.parametrize(
    "file", ["characters/minimal_vrm0.vrm", "characters/RobotExpressive.glb", "bvh/three_js/pirouette.bvh"]
)
def test_characters_and_motions_alike(data_dir: Path, file: str) -> None:
    result = run(app, ["mapping", str(data_dir / file), "--json"])
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["humanoid"] is True
