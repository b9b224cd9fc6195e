"""``kinesphere keys``: keys of hands, by texts."""

from __future__ import annotations

import numpy as np
from typer.testing import CliRunner

from kinesphere import EditKeys, Score, lift, load, render, save
from kinesphere.builtin import motion
from kinesphere.cli.main import app
from kinesphere.laban import DeleteKey, MoveKey

run = CliRunner()


def called(*words):
    return run.invoke(app, [str(word) for word in words])


def test_a_gesture_and_a_recording_have_their_keys_moved(tmp_path):
    recorded = tmp_path / "knock.npz"
    save(motion("knock"), recorded)
    at = float(lift(load(recorded)).arm("right").keys.times[3])
    edit = EditKeys(move=[MoveKey("right_arm", at, (0.0, 0.1, 0.0))])
    for source, given, when in (("wave", "wave", 1.1), (recorded, recorded, at)):
        out = tmp_path / f"{given if given == 'wave' else 'moved'}.npz"
        said = called("keys", source, "-o", out, "--move", f"right_arm@{when} by 0,0.1,0")
        assert said.exit_code == 0, said.output
        own = edit if given != "wave" else EditKeys(move=[MoveKey("right_arm", 1.1, (0.0, 0.1, 0.0))])
        assert np.abs(load(out).rotations - render(Score(given, (own.over(),))).rotations).max() < 1e-6


def test_several_texts_are_one_edit_of_a_score(tmp_path):
    score = tmp_path / "wave.json"
    words = ["--delete", "right_arm@2.58", "--delete", "right_arm@0.48", "--save-score", score]
    assert called("keys", "wave", "-o", tmp_path / "a.bvh", *words).exit_code == 0
    from kinesphere import load_score

    (layer,) = load_score(score).layers
    assert layer.edit == EditKeys(delete=[DeleteKey("right_arm", 2.58), DeleteKey("right_arm", 0.48)])


def test_a_time_without_a_key_is_refused_with_the_nearest_ones(tmp_path):
    said = called("keys", "wave", "-o", tmp_path / "a.bvh", "--delete", "right_arm@0.6")
    assert said.exit_code == 2
    assert "no key of right_arm within 0.1 s of 0.6 s; the nearest of its 15 keys are at 0.48 and 0.84 s" in said.stderr
    assert not (tmp_path / "a.bvh").exists()
    said = called("keys", "wave", "-o", tmp_path / "a.bvh", "--move", "right_arm@0.84 up")
    assert said.exit_code == 2
    assert "write it as" in said.stderr
