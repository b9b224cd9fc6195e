"""``kinesphere perform`` and ``words``."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from kinesphere import Effort, load, load_score, perform
from kinesphere.cli.main import app
from kinesphere.pictures import surface_sheets
from kinesphere.pictures.canvas import write_text

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
    assert load(out).duration == pytest.approx(perform("bow", Effort(weight=1)).duration, abs=0.05)


def test_key_points_from_a_file_on_mo_with_before_and_after(tmp_path):
    (tmp_path / "reach.txt").write_text(KEYS)
    out = tmp_path / "mo.glb"
    done = run("perform", tmp_path / "reach.txt", "-o", out, "--effort", "flow=-1", "--character", "mo", "--preview")
    assert done.exit_code == 0, done.stderr
    assert out.stat().st_size > 300_000
    assert (tmp_path / "mo_glb_preview.png").stat().st_size > 20_000


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
        (["wave", "--effort", ""], "write name=number, such as space=0.5"),
        (["wave", "--shape", ""], "write name=number, such as horizontal=0.5"),
        (["wave", "--words", "gentley"], "gently"),
        (["wave", "--words", ""], "found no word; write one, or several such as `gently and proudly`"),
        (["wave", "--words", "gently and"], "found 'and' with no word after it"),
        (["wave", "--intensity", "3"], "0 (nothing) to 2 (twice)"),
        (["wave", "--stillness", "-2"], "−1 (restless) to 1 (a statue)"),
        (["wave", "--part", "tail:weight=1"], "right_arm"),
        (["wave", "--part", "weight=1"], "right_arm:weight=1"),
        (["wave", "--set", "wrist_bent=1"], "wrist_bend"),
        (["wave", "--from", "2", "--to", "1"], "is empty"),
        (["wave", "--from", "9"], "nothing to act on"),
        (["wave", "--from", "-1"], "a gesture's own time begins at 0"),
        (["wave", "--model", "laban"], "chi1999"),
        (["nowhere.txt"], "nowhere.txt"),
        (["nowhere.json"], "nowhere.json"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(tmp_path, arguments, said):
    out = tmp_path / "out.npz"
    for there in (False, True):  # a file that is in the way hides nothing
        if there:
            out.write_text("mine")
        done = run("perform", *arguments, "-o", out)
        assert done.exit_code == 2
        assert said in done.stderr
        assert done.stderr.count("\n") == 1
        assert out.exists() == there


def test_nothing_is_overwritten_unasked(tmp_path):
    out, score, picture = tmp_path / "out.npz", tmp_path / "s.json", tmp_path / "out_npz_preview.png"
    for file, options in ((out, []), (score, ["--save-score", score]), (picture, ["--preview"])):
        file.write_text("mine")
        done = run("perform", "bow", "-o", out, *options)
        assert done.exit_code == 2
        assert f"{file}: exists already; --overwrite replaces it" in done.stderr
        assert [path.name for path in tmp_path.iterdir()] == [file.name]
        assert file.read_text() == "mine"
        file.unlink()


def test_nothing_is_written_where_not_all_can_be(tmp_path):
    out = tmp_path / "out.npz"
    done = run("perform", "bow", "-o", out, "--save-score", tmp_path / "nowhere" / "s.json")
    assert done.exit_code == 2
    assert f"the folder {tmp_path / 'nowhere'} does not exist" in done.stderr
    done = run("perform", "bow", "-o", out, "--save-score", out)
    assert done.exit_code == 2
    assert "two outputs have this name" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_words_are_listed_with_what_they_turn():
    lines = run("words").stdout.splitlines()
    assert len(lines) >= 56
    assert any(line.startswith("gently") and "weight=-0.8" in line for line in lines)
    assert any(line.split() == ["timidly", "adverb", "=", "shy"] for line in lines)


def test_out_of_reach_is_said(tmp_path):
    (tmp_path / "far.txt").write_text(KEYS.replace("-0.3 0.1 0.3", "-0.6 0.3 0.6"))
    done = run("perform", tmp_path / "far.txt", "-o", tmp_path / "out.npz")
    assert done.exit_code == 0
    assert "reaches 0.545 m" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--part", "left_arm:weight=1"], "what left_arm is asked for does not show"),
        (["--effort", "weight=1", "--to", "9"], "a range ends at 9 s; the gesture lasts from 0 to 3.4 s"),
    ],
)
def test_what_does_not_show_is_said_once(tmp_path, options, said):
    done = run("perform", "wave", "-o", tmp_path / "out.npz", *options)
    assert done.exit_code == 0
    assert done.stderr.startswith("warning: wave: ")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    fine = run("perform", "wave", "-o", tmp_path / "fine.npz", "--effort", "weight=1", "--part", "torso:vertical=1")
    assert (fine.exit_code, fine.stderr) == (0, "")


def test_before_and_after_have_as_many_pictures_each_at_its_own_times(tmp_path, monkeypatch):
    texts, places = [], []

    def noted(draw, place, text, *rest):
        texts.append(text)
        places.append(place)
        write_text(draw, place, text, *rest)

    monkeypatch.setattr(surface_sheets, "write_text", noted)
    before, after = perform("punch"), perform("punch", Effort(time=1))
    assert after.duration < 0.6 * before.duration
    sheet = np.asarray(surface_sheets.compare_sheet(before, after))
    assert sheet.shape == (1000, 1600, 3)
    labels = texts[: 2 * surface_sheets.COMPARED_POSES]
    rows = [[float(text.removesuffix(" s")) for text in part] for part in (labels[:8], labels[8:])]
    for row, motion in zip(rows, (before, after), strict=True):
        assert (row[0], row[-1]) == (0.0, round(motion.duration, 2))
        assert row == sorted(set(row))
    assert texts[16:] == [
        "before and after", "each at its own times, same scale · three-quarter view",
        "before", f"{before.duration:.2f} s", "after", f"{after.duration:.2f} s",
    ]  # fmt: skip
    for x, y in places[:16]:  # a body above every label, in a panel of its own
        above = sheet[int(y) - 400 : int(y) - 10, int(x) - 90 : int(x) + 90].astype(int)
        assert (above[..., 0] - above[..., 2] > 25).sum() > 2000
    assert len(set(places[:16])) == 16
    assert max(y for _, y in places) < 980


def test_a_gesture_drawn_before_and_after_is_warned_of_once(tmp_path):
    (tmp_path / "far.txt").write_text(KEYS.replace("-0.3 0.1 0.3", "-0.6 0.3 0.6"))
    done = run("perform", tmp_path / "far.txt", "-o", tmp_path / "out.npz", "--preview", "--effort", "time=1")
    assert done.exit_code == 0
    assert (tmp_path / "out_npz_preview.png").stat().st_size > 20_000
    assert done.stderr.count("reaches 0.545 m") == 1
