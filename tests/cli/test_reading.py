"""How every command reads: doubts are said, options reach all inputs, the ground comes to y = 0."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from bvh_dialects import Dialect, bvh_text, walk
from typer.testing import CliRunner

import kinesphere
from kinesphere import find_ground, load, place_on_ground
from kinesphere.body.ground import leg_length
from kinesphere.cli.main import app

run = CliRunner()


def called(*words):
    return run.invoke(app, [str(word) for word in words])


@pytest.fixture
def write(tmp_path):
    def run(name, performance, dialect=None):
        file = tmp_path / name
        file.write_text(bvh_text(performance, dialect or Dialect()), encoding="utf-8")
        return file

    return run


LYING_REST = Dialect(rest="x", above=("Root",))
COMMANDS = {
    "info": ("info", "{in}"),
    "convert": ("convert", "{in}", "{out}.glb"),
    "preview": ("preview", "{in}", "-o", "{out}.png", "--frames", "2"),
    "retarget": ("retarget", "{in}", "--onto", "figure", "-o", "{out}.npz"),
    "mapping": ("mapping", "{in}"),
    "smooth": ("smooth", "{in}", "--amount", "1", "-o", "{out}.npz"),
    "blend": ("blend", "walk", "{in}", "-o", "{out}.npz"),
    "timewarp": ("timewarp", "walk", "--onto", "{in}", "-o", "{out}.npz"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_where_rest_and_motion_disagree(tmp_path, write, name):
    words = {"in": write("lying.bvh", walk(), LYING_REST), "out": tmp_path / "out"}
    done = called(*(word.format(**words) for word in COMMANDS[name]))
    assert done.exit_code == 0, done.output
    said = " ".join((done.output if name == "info" else done.stderr).split())
    assert "at rest along X: Y is taken to be up" in said
    plain = {"in": write("plain.bvh", walk()), "out": tmp_path / "plain"}
    done = called(*(word.format(**plain) for word in COMMANDS[name]))
    assert done.exit_code == 0, done.output
    assert "taken to be up" not in done.output + done.stderr


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "mapping"] + ["mirror"])
@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        ("--up", "q", "allowed: x, y, z, -x, -y, -z"),
        ("--rate", "-1", "a positive number is expected"),
        ("--scale", "0", "a positive number is expected"),
        ("--positions", "sum", "allowed: auto, replace, add"),
    ],
)
def test_a_wrong_option_is_called_by_its_name(tmp_path, write, name, option, value, allowed):
    words = COMMANDS.get(name, (name, "{in}", "-o", "{out}.npz"))
    places = {"in": write("plain.bvh", walk(4)), "out": tmp_path / "out"}
    done = called(*(word.format(**places) for word in words), option, value)
    assert done.exit_code == 2, done.output
    assert f"error: {option}=" in done.stderr
    assert allowed in done.stderr
    assert done.stderr.count("\n") == 1


# Options reach all inputs

ODD = Dialect(unit=3.0, up="z", rest="z")  # three units a metre: no unit makes a person of it


@pytest.mark.parametrize(
    "words",
    [
        ("blend", "{a}", "{b}", "--unaligned", "--free-feet", "-o", "{out}"),
        ("timewarp", "{a}", "--onto", "{b}", "-o", "{out}"),
        ("retarget", "{a}", "--onto", "{b}", "-o", "{out}"),
    ],
    ids=lambda words: words[0],
)
def test_scale_and_up_reach_all_inputs(tmp_path, write, words):
    """With the unit and the axis given nothing is doubtful in any of the files, and all people are of one size."""
    files = {"a": write("a.bvh", walk(), ODD), "b": write("b.bvh", walk(speed=0.9), ODD), "out": tmp_path / "o.npz"}
    done = called(*(word.format(**files) for word in words), "--scale", 1.0 / 3.0, "--up", "z")
    assert done.exit_code == 0, done.output
    assert "warning" not in done.stderr
    made = load(tmp_path / "o.npz")
    assert leg_length(made.skeleton) == pytest.approx(0.83, abs=1e-3)
    assert find_ground(made).height == pytest.approx(0.0, abs=0.06)


def test_positions_reach_all_inputs(tmp_path, write):
    """Given the wrong way, the other file's hips are a leg's length too high as well."""
    dialect = Dialect(hips_offset=(0.0, 0.95, 0.0))
    a, b = write("a.bvh", walk(), dialect), write("b.bvh", walk(), dialect)
    out = tmp_path / "o.npz"
    done = called("blend", a, b, "--unaligned", "--free-feet", "--positions", "add", "-o", out)
    assert done.exit_code == 0, done.output
    hips = load(out).positions_world()[:, 0, 1]
    assert np.median(hips) == pytest.approx(np.median(walk().positions[:, 0, 1]) + 0.95, abs=0.02)


# The ground

RAISED = (0.49, 0.06, -0.04)


def lowest_sole(motion):
    return find_ground(motion).height


@pytest.mark.parametrize("raised", RAISED)
def test_retargeted_motions_stand_on_zero(tmp_path, write, raised):
    file = write("walk.bvh", walk().raised(raised))
    found = lowest_sole(load(file))
    done = called("retarget", file, "--onto", "figure", "-o", tmp_path / "o.npz")
    assert done.exit_code == 0, done.output
    assert f"{'lowered' if found > 0 else 'raised'} by {100 * abs(found):.1f} cm" in done.stderr
    assert lowest_sole(load(tmp_path / "o.npz")) == pytest.approx(0.0, abs=0.012)
    kept = called("retarget", file, "--onto", "figure", "-o", tmp_path / "k.npz", "--keep-height")
    assert kept.exit_code == 0, kept.output
    assert "ground" not in kept.stderr
    assert lowest_sole(load(tmp_path / "k.npz")) == pytest.approx(found, abs=0.012)


@pytest.mark.parametrize("ground", [0.0, 0.3])
def test_a_given_ground_is_the_one_that_comes_to_zero(tmp_path, write, ground):
    """The motion floats half a metre above zero; whoever says that the ground is there keeps it floating."""
    file = write("walk.bvh", walk().raised(0.5))
    words = ("retarget", file, "--onto", "figure", "--ground", ground)
    assert called(*words, "-o", tmp_path / "o.npz").exit_code == 0
    placed = load(tmp_path / "o.npz")
    # Feet that far above the ground keep their height to the hips.
    assert placed.positions_world()[:, placed.skeleton.roles["hips"], 1].mean() > 0.9 + 0.4 - ground
    assert called(*words, "--keep-height", "-o", tmp_path / "k.npz").exit_code == 0
    kept = load(tmp_path / "k.npz")
    assert np.abs(kept.positions_world() - placed.positions_world() - [0.0, ground, 0.0]).max() < 1e-6


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("words", [("convert", "{in}", "{out}"), ("smooth", "{in}", "--amount", "0.5", "-o", "{out}")])
def test_the_ground_comes_to_zero_on_request(tmp_path, write, words, raised):
    file, out = write("walk.bvh", walk().raised(raised)), tmp_path / "o.npz"
    found = lowest_sole(load(file))
    done = called(*(word.format(**{"in": file, "out": out}) for word in words), "--to-ground")
    assert done.exit_code == 0, done.output
    assert f"{'lowered' if found > 0 else 'raised'} by {100 * abs(found):.1f} cm" in done.stderr
    assert lowest_sole(load(out)) == pytest.approx(0.0, abs=0.005)
    done = called(*(word.format(**{"in": file, "out": out}) for word in words), "--overwrite")
    assert done.exit_code == 0, done.output
    assert lowest_sole(load(out)) == pytest.approx(found, abs=0.005)


def test_a_score_keeps_that_the_ground_came_to_zero(tmp_path, write):
    file = write("walk.bvh", walk().raised(0.2))
    score = tmp_path / "s.json"
    words = ("--amount", "0.5", "--to-ground", "-o", tmp_path / "o.npz", "--save-score", score)
    assert called("smooth", file, *words).exit_code == 0
    assert json.loads(score.read_text())["source"]["to_ground"] is True
    assert lowest_sole(kinesphere.render(kinesphere.load_score(score))) == pytest.approx(0.0, abs=0.005)


@pytest.mark.parametrize("raised", [0.2, -0.1])
def test_previews_and_info_say_where_a_person_stands(tmp_path, write, raised):
    file = write("walk.bvh", walk().raised(raised))
    found = lowest_sole(load(file))
    words = ("preview", file, "-o", tmp_path / "p.png", "--frames", "1", "--overwrite")
    side = "above" if raised > 0.0 else "below"
    assert f"stands {100 * abs(found):.1f} cm {side} y = 0" in called(*words).stderr
    assert "stands" not in called(*words, "--to-ground").stderr
    assert json.loads(called("info", file, "--json").stdout)["ground"] == pytest.approx(found)


@pytest.mark.parametrize("height", [None, 0.0, 1.5])
def test_placing_leaves_heading_and_path(height):
    motion = replace(walk(turn=40.0).moved(3.0, -2.0).raised(0.3).motion(), name="walk")
    placed = place_on_ground(motion, height)
    change = placed.positions_world() - motion.positions_world()
    by = find_ground(motion).height if height is None else height
    assert np.abs(change - [0.0, -by, 0.0]).max() < 1e-12
    assert np.array_equal(placed.rotations, motion.rotations)
    assert placed.source.evidence[-1].startswith("ground: ")
