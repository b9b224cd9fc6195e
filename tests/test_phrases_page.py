"""The code of docs/phrases.md runs: the edit and the behaviour that it writes out are plugins, as it says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from kinesphere import Score, load, render, stream
from kinesphere.builtin import motion
from kinesphere.cli.main import app
from kinesphere.motion.behaviour import BEHAVIOURS
from kinesphere.motion.edit import PHRASE_EDITS
from kinesphere.motion.gesture import CHANNELS
from kinesphere.motion.phrase import OVERLAYS, PARTS, STROKES

PAGE = (Path(__file__).parent.parent / "docs" / "phrases.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture(autouse=True)
def forget():
    yield
    PHRASE_EDITS._classes.pop("bow_head", None)
    BEHAVIOURS._classes.pop("look_about", None)


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output


def test_the_first_lines_run():
    names: dict[str, object] = {}
    exec(BLOCKS[0], names)
    assert names["motion"].rate == 24.0


def test_the_edit_bows_the_head_within_its_range(tmp_path):
    (tmp_path / "bow_head.py").write_text(BLOCKS[1])
    out = tmp_path / "bowed.npz"
    run("--plugin", tmp_path / "bow_head.py", "bow_head", "wave", "-o", out, "--angle", "0.4", "--from", "1.0")
    made, plain = load(out), motion("wave")
    head = made.skeleton.roles["head"]
    moved = np.linalg.norm(made.rotations[:, head] - plain.rotations[:, head], axis=1)
    assert not moved[:58].any()
    assert moved[90:190].min() > 0.05


def test_the_behaviour_looks_about_folded_and_streamed(tmp_path):
    (tmp_path / "look_about.py").write_text(BLOCKS[2])
    out = tmp_path / "looking.npz"
    run("--plugin", tmp_path / "look_about.py", "look_about", "walk", "-o", out, "--amount", "0.4")
    made, plain = load(out), motion("walk")
    head = made.skeleton.roles["head"]
    others = [joint for joint in range(len(made.skeleton)) if joint != head]
    assert np.array_equal(made.rotations[:, others], plain.rotations[:, others])
    assert np.abs(made.rotations[:, head] - plain.rotations[:, head]).max() > 0.1
    score = Score("walk", behaviours=(BEHAVIOURS["look_about"](0.4),))
    assert all(
        np.array_equal(pose.rotations, row) for pose, row in zip(stream(score), render(score).rotations, strict=True)
    )


def test_every_part_stroke_overlay_and_channel_is_listed():
    for name in (*PARTS, *STROKES, *OVERLAYS):
        assert f"`{name}`" in PAGE, name
    for channel in CHANNELS:
        last = channel.rpartition(".")[2]
        assert f"`{channel}`" in PAGE or f"`.{last}`" in PAGE or channel.startswith("right."), channel
