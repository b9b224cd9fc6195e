"""Errors speak of what was asked for, in plain words: no other kind of file, no Python."""

from __future__ import annotations

import re

import pytest
from bvh_dialects import Dialect, bvh_text, walk
from typer.testing import CliRunner

from kinesphere.cli.main import app

run = CliRunner()
REPR = re.compile(r"<[A-Z]\w+[ :>]|Path\(|array\(|dataclass|\bNone\b|object at 0x")


def failed(*words):
    done = run.invoke(app, [str(word) for word in words])
    assert done.exit_code == 2, done.output
    said = " ".join(done.stderr.split())
    assert not REPR.search(said), said
    return said


CHARACTERS = (
    ("preview", "walk", "--character", "{gone}.glb", "-o", "{out}.png"),
    ("perform", "wave", "--character", "{gone}.vrm", "-o", "{out}.glb"),
    ("smooth", "walk", "--amount", "1", "--character", "{gone}.glb", "-o", "{out}.glb"),
    ("retarget", "walk", "--onto", "{gone}.glb", "-o", "{out}.glb"),
)


@pytest.mark.parametrize("words", CHARACTERS, ids=lambda words: words[0])
def test_a_character_that_is_not_there(tmp_path, words):
    said = failed(*(word.format(gone=tmp_path / "gone", out=tmp_path / "out") for word in words))
    assert "no such file" in said
    assert "expected a character" in said


@pytest.mark.parametrize(
    "words",
    [
        ("convert", "{gone}.bvh", "{out}.glb"),
        ("smooth", "{gone}.bvh", "--amount", "1", "-o", "{out}.glb"),
        ("smooth", "{gone}.c3d", "--amount", "1", "-o", "{out}.glb"),
        ("blend", "walk", "{gone}.bvh", "-o", "{out}.glb"),
        ("info", "{gone}.bvh"),
    ],
)
def test_a_motion_that_is_not_there(tmp_path, words):
    said = failed(*(word.format(gone=tmp_path / "gone", out=tmp_path / "out") for word in words))
    assert "no such file; expected a motion" in said


OTHER_TEXTS = {
    "JSON": '{\n"Loop": "wrap",\n"Frames": [[0.0333, 0.0, 0.85, 0.0, 1.0], [0.0333, 0.1, 0.85, 0.0, 1.0]]\n}\n',
    "table": "frame\tx\ty\tz\n" + "\n".join(f"{i}\t0.1\t0.2\t0.3" for i in range(20)),
    "numbers": "\n".join(" ".join(["0.5"] * 6) for _ in range(9)),
    "prose": "Take 3, the actor waves twice.\nThe second time is better.\n",
}


@pytest.mark.parametrize("text", OTHER_TEXTS)
@pytest.mark.parametrize(
    "words",
    [
        ("info", "{in}"),
        ("convert", "{in}", "{out}.glb"),
        ("preview", "{in}", "-o", "{out}.png"),
        ("smooth", "{in}", "--amount", "1", "-o", "{out}.glb"),
        ("retarget", "{in}", "--onto", "figure", "-o", "{out}.glb"),
        ("perform", "{in}", "-o", "{out}.glb"),
    ],
    ids=lambda words: words[0],
)
def test_a_text_of_another_program_is_no_broken_line_of_key_points(tmp_path, words, text):
    file = tmp_path / "take.txt"
    file.write_text(OTHER_TEXTS[text])
    said = failed(*(word.format(**{"in": file, "out": tmp_path / "out"}) for word in words))
    assert "contents of another program" in said
    assert "a motion" in said or ".bvh" in said
    assert "line 1:" not in said


def test_key_points_in_a_txt_are_read_and_their_errors_have_lines(tmp_path):
    file = tmp_path / "reach.txt"
    file.write_text(
        "part: rightArm\nrate: 30\n0 0.1 -0.5 0.05 0 goal\n12 0.2 -0.2 0.3 0.3 via\n24 0.1 0.1 0.5 0.5 goal\n"
    )
    done = run.invoke(app, ["perform", str(file), "-o", str(tmp_path / "o.glb")])
    assert done.exit_code == 0, done.output
    assert run.invoke(app, ["info", str(file)]).exit_code == 0
    file.write_text("part: rightArm\n0 0.1 oops 0.05 0 goal\n")
    assert "line 2" in failed("perform", file, "-o", tmp_path / "p.glb")


def test_a_body_of_another_kind_is_named_in_words(tmp_path):
    (tmp_path / "lamp.bvh").write_text(
        "HIERARCHY\nROOT lamp\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
        "End Site\n{\nOFFSET 0 1 0\n}\n}\n"
        "MOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n0 0 1\n"
    )
    (tmp_path / "walk.bvh").write_text(bvh_text(walk(), Dialect()))
    said = failed("retarget", tmp_path / "lamp.bvh", "--onto", "figure", "-o", tmp_path / "o.glb")
    assert "the skeleton of 1 joints from 'lamp' is no humanoid" in said
    assert "finding the ground" not in said
    failed("retarget", tmp_path / "walk.bvh", "--onto", tmp_path / "lamp.bvh", "-o", tmp_path / "o.glb")
    failed("blend", tmp_path / "walk.bvh", tmp_path / "lamp.bvh", "-o", tmp_path / "o.glb")
    failed("convert", tmp_path / "lamp.bvh", tmp_path / "o.glb", "--to-ground")
    failed("equalize", tmp_path / "lamp.bvh", "--preset", "soften", "--joints", "left_arm", "-o", tmp_path / "o.glb")
