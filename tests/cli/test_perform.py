"""``kinesphere perform`` and ``words``."""

import json

import pytest
from typer.testing import CliRunner

from kinesphere import load, load_score, perform
from kinesphere.cli.main import app

KEYS = "part: rightArm\nrate: 30\n0 -0.1 -0.4 0.2 -0.4 goal\n20 -0.3 0.1 0.3 -0.4 goal\n"


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_issue_s_own_line(tmp_path):
    out = tmp_path / "out.npz"
    done = run(
        "perform", "wave", "-o", out, "--effort", "space=-1,time=0.5", "--shape", "vertical=-1", "--words", "gently",
        "--intensity", "1.2", "--part", "right_arm:weight=1", "--from", "1.0", "--to", "3.3",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert abs(load(out).duration - perform("wave").duration) > 0.1


@pytest.mark.parametrize("suffix", [".bvh", ".glb", ".npz"])
def test_any_format(tmp_path, suffix):
    out = tmp_path / f"out{suffix}"
    assert run("perform", "bow", "-o", out, "--effort", "weight=1").exit_code == 0
    assert load(out).duration == pytest.approx(perform("bow").duration, abs=0.05)


def test_key_points_from_a_file_on_mo_with_before_and_after(tmp_path):
    (tmp_path / "reach.txt").write_text(KEYS)
    out = tmp_path / "mo.glb"
    done = run("perform", tmp_path / "reach.txt", "-o", out, "--effort", "flow=-1", "--character", "mo", "--preview")
    assert done.exit_code == 0, done.stderr
    assert out.stat().st_size > 300_000
    assert (tmp_path / "mo_preview.png").stat().st_size > 20_000


def test_a_score_saved_is_performed_again_and_added_to(tmp_path):
    score = tmp_path / "s.json"
    first, again, more = (tmp_path / name for name in ("a.npz", "b.npz", "c.npz"))
    assert run("perform", "shrug", "-o", first, "--words", "sad", "--save-score", score, "--seed", 3).exit_code == 0
    assert json.loads(score.read_text())["kind"] == "kinesphere score"
    assert load_score(score).seed == 3
    assert run("perform", score, "-o", again).exit_code == 0
    assert abs(load(first).rotations - load(again).rotations).max() < 1e-9
    assert run("perform", score, "-o", more, "--effort", "time=-1").exit_code == 0
    assert load(more).duration > load(first).duration + 0.3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["waev"], "did you mean 'wave'"),
        (["wave", "--effort", "spice=1"], "did you mean 'space'"),
        (["wave", "--effort", "space"], "name=number"),
        (["wave", "--effort", "space=much"], "a number is expected"),
        (["wave", "--effort", "space=1,space=0"], "given twice"),
        (["wave", "--effort", "space=3"], "−1 (indirect) to 1 (direct)"),
        (["wave", "--shape", "vertical=nan"], "vertical is nan"),
        (["wave", "--words", "gentley"], "gently"),
        (["wave", "--intensity", "3"], "0 to 2"),
        (["wave", "--stillness", "-2"], "-1 to 1"),
        (["wave", "--part", "tail:weight=1"], "right_arm"),
        (["wave", "--part", "weight=1"], "right_arm:weight=1"),
        (["wave", "--set", "wrist_bent=1"], "wrist_bend"),
        (["wave", "--from", "2", "--to", "1"], "is empty"),
        (["wave", "--from", "9"], "nothing to act on"),
        (["wave", "--model", "laban"], "chi1999"),
        (["nowhere.txt"], "nowhere.txt"),
        (["nowhere.json"], "nowhere.json"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(tmp_path, arguments, said):
    done = run("perform", *arguments, "-o", tmp_path / "out.npz")
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out.npz").exists()


def test_nothing_is_overwritten_unasked(tmp_path):
    out = tmp_path / "out.npz"
    out.write_text("mine")
    assert "--overwrite" in run("perform", "bow", "-o", out).stderr
    assert out.read_text() == "mine"


def test_words_are_listed_with_what_they_turn():
    lines = run("words").stdout.splitlines()
    assert len(lines) >= 56
    assert any(line.startswith("gently") and "weight=-0.7" in line for line in lines)


def test_out_of_reach_is_said(tmp_path):
    (tmp_path / "far.txt").write_text(KEYS.replace("-0.3 0.1 0.3", "-0.6 0.3 0.6"))
    done = run("perform", tmp_path / "far.txt", "-o", tmp_path / "out.npz")
    assert done.exit_code == 0
    assert "reaches 0.545 m" in done.stderr
