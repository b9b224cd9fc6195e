"""``kinesphere act``, ``check``, ``actions``; ``explain`` of scripts; sketches and composites as commands list them."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from conftest import ROOT
from kinesphere import Score, Sketch, load, render
from kinesphere.cli.main import app
from kinesphere.performance.composite import COMPOSITES
from kinesphere.performance.sketch_file import SKETCHES
from kinesphere.scripts.action_file import ACTIONS

SCRIPTS = ROOT / "examples" / "scripts"


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_script_is_performed_in_character(tmp_path):
    out, score = tmp_path / "apple.npz", tmp_path / "apple.json"
    done = run(
        "act", SCRIPTS / "apple-plain.toml", "--sketch", "queen:0.5", "-o", out, "--save-score", score, "--fps", "30"
    )
    assert done.exit_code == 0, done.output
    expected = render(Score(SCRIPTS / "apple-plain.toml", Sketch("queen", 0.5).over(), rate=30.0))
    assert np.array_equal(load(out).rotations, expected.rotations)
    assert json.loads(score.read_text())["layers"] == [{"edit": "sketch", "name": "queen", "amount": 0.5}]


def test_one_action_has_parameters_and_a_hand(tmp_path):
    out = tmp_path / "touch.glb"
    done = run("act", "touch", "--set", "target=0.3,1.2,0.5", "--set", "stays=1.5", "--hand", "left", "-o", out)
    assert done.exit_code == 0, done.output
    assert "hand" not in done.output
    assert load(out).duration > 3.5
    wrong = run("act", "touch", "--set", "target=0.3,1.2,0.5", "--set", "stay=1.5", "-o", tmp_path / "no.glb")
    assert wrong.exit_code == 2
    assert "stays" in wrong.output
    assert not (tmp_path / "no.glb").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[action]]\ndo = "shrg"', "line 3, action[0].do"),
        ('[[action]]\ndo = "touch"\ntarget = [0, 1.2, 3.0]', "misses by"),
        (
            '[[action]]\ndo = "shrug"\n[[action.property]]\nname = "balance_shift"\naside = 1.6\nstep = false',
            "beyond the feet, and no step",
        ),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_written(tmp_path, text, words):
    script, out = tmp_path / "wrong.toml", tmp_path / "out.glb"
    script.write_text(f'kind = "script"\n{text}\n')
    for done in (run("check", script), run("act", script, "-o", out)):
        assert done.exit_code == 2
        assert words in done.output
    assert not out.exists()


def test_check_tells_times_of_what_is_right_and_all_that_is_wrong(tmp_path):
    done = run("check", *sorted(SCRIPTS.glob("*.toml")))
    assert done.exit_code == 0, done.output
    assert "apple-reach" in done.output
    script = tmp_path / "wrong.toml"
    script.write_text('kind = "script"\n[[action]]\ndo = "shrg"\n[[action]]\ndo = "wve"\n[[edit]]\nname = "tmpo"\n')
    done = run("check", script)
    assert done.exit_code == 2
    assert done.output.count("error: ") == 3
    assert "3 errors" in done.output


def test_lists_name_everything_that_there_is():
    for command, names in (("actions", ACTIONS.names), ("sketches", SKETCHES.names), ("composites", COMPOSITES.names)):
        brief, full = run(command, "--brief"), run(command)
        assert (brief.exit_code, full.exit_code) == (0, 0)
        assert len(brief.output.splitlines()) == len(names)
        for name in names:
            assert f"\n{name}: " in f"\n{brief.output}"
        assert len(full.output) > len(brief.output)


def test_an_action_and_a_sketch_of_ones_own_have_names(tmp_path):
    action, sketch = tmp_path / "salute-twice.toml", tmp_path / "guard.toml"
    action.write_text('kind = "action"\nabout = "x"\n[[pose]]\nat = 1.0\nright_arm = { elevation = 90 }\n')
    sketch.write_text('kind = "sketch"\nabout = "x"\n[[property]]\nname = "posture"\namount = 1.0\n')
    try:
        done = run(
            *("--plugin", action, "--plugin", sketch, "act", "salute-twice", "--sketch", "guard"),
            *("-o", tmp_path / "out.npz"),
        )
        assert done.exit_code == 0, done.output
        assert load(tmp_path / "out.npz").duration > 1.0
    finally:
        ACTIONS.added.clear()
        SKETCHES.added.clear()


def test_explain_names_action_and_sketch_and_draws_a_timeline(tmp_path):
    picture = tmp_path / "timeline.png"
    script = SCRIPTS / "apple-nervous.toml"
    done = run("explain", script, "--time", "1.0", "--part", "right_arm", "--sketch", "queen", "--json")
    assert done.exit_code == 0, done.output
    told = json.dumps(json.loads(done.output))
    assert "apple-reach" in told
    assert "queen" in told
    assert run("explain", script, "-o", picture).exit_code == 0
    assert picture.stat().st_size > 5000
