"""``kinesphere phrase``: charts and JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from engine.test_cycles import stride
from kinesphere import lift, load, save
from kinesphere.builtin import motion
from kinesphere.cli.main import app

run = CliRunner()


def called(*words):
    return run.invoke(app, [str(word) for word in words])


@pytest.fixture
def knock(tmp_path):
    file = tmp_path / "knock.bvh"
    save(motion("knock"), file)
    return file


def test_a_recording_and_a_gesture_have_a_chart(tmp_path, knock):
    for source in (knock, "wave"):
        out = tmp_path / "chart.png"
        said = called("phrase", source, "-o", out, "--overwrite")
        assert said.exit_code == 0, said.output
        with Image.open(out) as picture:
            assert picture.size[0] > 1000


def test_json_has_the_keys_strokes_and_contacts_that_are_lifted(knock):
    said = called("phrase", knock, "--json")
    assert said.exit_code == 0
    found, phrase = json.loads(said.stdout), lift(load(knock))
    keys = phrase.arm("right").keys
    rows = found["keys"]["right_arm"]
    assert [row["time"] for row in rows] == pytest.approx(keys.times, abs=1e-6)
    assert np.array([row["position"] for row in rows]) == pytest.approx(keys.positions, abs=1e-6)
    assert [row["stop"] == "goal" for row in rows] == keys.goals.tolist()
    assert len(found["body_strokes"]) == len(phrase.detail.strokes.leads)
    assert found["body_strokes"][-1]["end"] == pytest.approx(found["duration"], abs=1e-6)
    assert len(found["referents"]) == len(phrase.referents)
    assert all(stroke["start"] <= stroke["peak"] <= stroke["end"] for stroke in found["strokes"]["right_arm"])


def test_json_and_a_chart_at_once_leave_the_output_clean(tmp_path):
    said = called("phrase", "walk", "--json", "-o", tmp_path / "walk.png")
    assert len(json.loads(said.stdout)["strikes"]) > 4
    assert (tmp_path / "walk.png").exists()


def test_a_cycle_of_a_walk_without_its_last_frame_is_said_to_be_one(tmp_path):
    whole, file, looped = stride()[0], tmp_path / "cut.npz", tmp_path / "looped.npz"
    save(whole[:-1], file)
    said = called("phrase", file, "-o", tmp_path / "cut.png")
    assert "kinesphere loop" in said.stdout
    assert json.loads(called("phrase", file, "--json").stdout)["open_cycle"]
    assert called("loop", file, "-o", looped).exit_code == 0
    said = called("phrase", looped, "-o", tmp_path / "looped.png")
    assert "kinesphere loop" not in said.stdout
    assert json.loads(called("phrase", looped, "--json").stdout)["strikes"]


def test_what_cannot_be_done_is_said(tmp_path, knock):
    for words, said in (
        ((), "give -o phrase.png, or --json"),
        (("-o", tmp_path / "a.jpg"), "written as .png"),
        (("-o", tmp_path / "a.png", "--from", "99"), "shows nothing"),
        (("--json", "--up", "q"), "up"),
    ):
        result = called("phrase", knock, *words)
        assert result.exit_code == 2
        assert said in result.stderr
    (tmp_path / "a.png").write_text("mine")
    assert "exists already" in called("phrase", knock, "-o", tmp_path / "a.png").stderr


def test_a_motion_without_a_humanoid_is_refused_with_what_is_missing(tmp_path):
    from contracts import tail

    save(tail(), tmp_path / "tail.bvh")
    said = called("phrase", tmp_path / "tail.bvh", "--json")
    assert said.exit_code == 2
    assert "error: " in said.stderr
