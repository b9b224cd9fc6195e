"""``kinesphere info``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import kinesphere
from kinesphere.cli.main import app
from pictures.people import bvh_text, waving

run = CliRunner().invoke


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    path = tmp_path / "walk.bvh"
    path.write_text(bvh_text(waving()))
    return path


def test_json_says_what_the_motion_holds(walk: Path) -> None:
    result = run(app, ["info", str(walk), "--json"])
    assert (result.exit_code, result.stderr) == (0, "")
    facts = json.loads(result.stdout)
    motion = kinesphere.load(walk)
    assert facts["format"] == "bvh"
    assert facts["clips"] == ["walk"]
    assert facts["joints"] == len(motion.skeleton) == 17
    assert facts["joint_names"] == list(motion.skeleton.names)
    assert facts["frames"] == len(motion) == 31
    assert facts["rate"] == motion.rate
    assert facts["duration"] == motion.duration
    assert (facts["scale"], facts["up"]) == (motion.source.scale, motion.source.up) == (0.01, "y")
    assert facts["evidence"] == list(motion.source.evidence)
    assert facts["euler_orders"] == {"ZXY": 17}
    assert facts["height"] == pytest.approx(1.70, abs=1e-6)
    assert facts["calibration_frames"] == list(motion.calibration_frames)
    # 0.4 m/s for a second, straight ahead.
    assert facts["travel"] == pytest.approx(0.4, abs=1e-4)
    assert facts["displacement"] == pytest.approx(0.4, abs=1e-4)
    assert facts["warnings"] == []


def test_several_files_give_a_list_and_a_broken_one_does_not_hide_the_others(walk: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.bvh"
    broken.write_text(walk.read_text()[:400])
    result = run(app, ["info", str(walk), str(broken), "--json"])
    assert result.exit_code == 2
    facts = json.loads(result.stdout)
    assert [entry["path"] for entry in facts] == [str(walk), str(broken)]
    assert facts[0]["frames"] == 31
    assert str(broken) in facts[1]["error"]
    assert result.stderr.startswith("error: ")


def test_options_reach_the_reader(walk: Path) -> None:
    result = run(app, ["info", str(walk), "--json", "--scale", "0.02", "--rate", "60", "--up", "z"])
    facts = json.loads(result.stdout)
    assert (facts["scale"], facts["rate"], facts["up"]) == (0.02, 60.0, "z")
    assert facts["height"] == pytest.approx(3.4, abs=1e-6)


def test_the_table_has_the_facts(walk: Path) -> None:
    result = run(app, ["info", str(walk)])
    assert result.exit_code == 0
    for text in (
        "walk.bvh",
        "17",
        "31 at 30 a second, 1.000 s",
        "0.01 m, Y is up",
        "ZXY (17 joints)",
        "1.70 m",
    ):
        assert text in " ".join(result.stdout.split())


def test_key_points_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "reach.keys"
    path.write_text("rate: 30\n0 0.1 -0.5 0.05 0 goal\n12 0.2 -0.2 0.3 0.3 via global\n")
    facts = json.loads(run(app, ["info", str(path), "--json"]).stdout)
    keypoints = kinesphere.load_keypoints(path)
    assert facts["format"] == "keypoints"
    assert facts["duration"] == keypoints.duration
    for fact, key in zip(facts["keys"], keypoints.keys, strict=True):
        np.testing.assert_array_equal(fact["position"], key.position)
        assert (fact["frame"], fact["swivel"]) == (key.frame, key.swivel)
        assert (fact["stop"], fact["space"]) == (key.stop, key.space)
    shown = run(app, ["info", str(path)]).stdout
    assert "frame 12: (0.200, -0.200, 0.300) m, swivel 0.300, via, global" in " ".join(shown.split())


def test_a_missing_file_is_one_red_line_and_exit_code_2(tmp_path: Path) -> None:
    result = run(app, ["info", str(tmp_path / "nope.bvh"), "--json"], color=True)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("\x1b[31merror: ")
    assert result.stderr.count("\n") == 1
    assert "nope.bvh: found no such file" in result.stderr


def test_a_bad_option_is_one_line(walk: Path) -> None:
    result = run(app, ["info", str(walk), "--up", "w"])
    assert result.exit_code == 2
    assert "allowed: x, y, z" in result.stderr
    assert result.stderr.count("\n") == 1


def test_warnings_go_to_stderr_and_into_the_json(walk: Path) -> None:
    walk.write_text(walk.read_text().replace("Frames: 31", "Frames: 40"))
    result = run(app, ["info", str(walk), "--json"])
    assert result.exit_code == 0
    facts = json.loads(result.stdout)
    assert len(facts["warnings"]) == 1
    assert result.stderr == f"warning: {facts['warnings'][0]}\n"


@pytest.mark.data
def test_a_file_of_many_clips_lists_them_all(data_dir: Path) -> None:
    path = data_dir / "characters" / "RobotExpressive.glb"
    facts = json.loads(run(app, ["info", str(path), "--json", "--clip", "Walking"]).stdout)
    assert facts["clips"] == list(kinesphere.clip_names(path))
    assert len(facts["clips"]) == 14
    assert facts["clip"] == "Walking"
    by_number = json.loads(run(app, ["info", str(path), "--json", "--clip", "10"]).stdout)
    assert by_number["clip"] == facts["clips"][10]


@pytest.mark.data
def test_calibration_frames_of_a_real_capture(data_dir: Path) -> None:
    facts = json.loads(run(app, ["info", str(data_dir / "bvh/cmu/79_88.bvh"), "--json"]).stdout)
    assert facts["calibration_frames"] == [0]
    assert (facts["joints"], facts["frames"], facts["rate"]) == (31, 908, pytest.approx(120.0, rel=1e-4))
