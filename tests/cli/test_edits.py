"""Commands of edits and behaviours, end to end; scores that commands hand on."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from typer.testing import CliRunner

from conftest import ROOT
from kinesphere import (
    Breath,
    Effort,
    Fidget,
    Score,
    Shape,
    Stillness,
    Sway,
    load,
    load_character,
    load_score,
    mo,
    render,
    save,
)
from kinesphere.builtin import motion
from kinesphere.cli.main import app
from kinesphere.score.sources import Reading
from kinesphere.signals import Blend, Equalize, Timewarp

run = CliRunner()


def called(*words):
    return run.invoke(app, [str(word) for word in words])


def same(file, made):
    """Whether a file has this motion."""
    found = load(file)
    assert len(found) == len(made)
    far = np.linalg.norm(found.positions_world() - made.positions_world(), axis=-1).max()
    assert far < 1e-4
    return True


def test_timewarp_says_which_beats_are_not_met(tmp_path):
    said = called("timewarp", "punch", "-o", tmp_path / "a.bvh", "--bpm", "100")
    assert said.exit_code == 0
    assert "warning: punch: nothing arrives on" in said.stderr
    assert "ms away)" in said.stderr


@pytest.mark.parametrize(
    ("words", "edit"),
    [
        (["--preset", "exaggerate"], Equalize(preset="exaggerate")),
        (["--band", "2=1.5,3=0", "--free-feet"], Equalize({2: 1.5, 3: 0.0}, feet=False)),
        (["--period", "0.5=2", "--joints", "arms,head"], Equalize(periods={0.5: 2.0}).over(parts=("arms", "head"))),
        (
            ["--preset", "soften", "--from", "1", "--to", "2", "--fade", "0.1", "--strength", "0.5"],
            Equalize(preset="soften").over(start=1.0, end=2.0, fade=0.1, strength=0.5),
        ),
    ],
)
def test_equalize(tmp_path, words, edit):
    done = called("equalize", "wave", "-o", tmp_path / "o.npz", *words)
    assert done.exit_code == 0, done.output
    assert same(tmp_path / "o.npz", render(Score("wave", (edit,))))


def test_timewarp(tmp_path):
    save(motion("bow"), tmp_path / "bow.npz")
    (tmp_path / "beats.txt").write_text("0.6 1.2,1.8\n2.4")
    cases = {
        "a": (["--onto", tmp_path / "bow.npz"], Timewarp(motion("bow"))),
        "b": (["--onto", "bow", "--amount", "0.5", "--cost", "shape"], Timewarp(motion("bow"), 0.5, cost="shape")),
        "c": (["--mark", "1=1.5", "--mark", "2=2.2"], Timewarp(marks=[(1.0, 1.5), (2.0, 2.2)])),
        "d": (["--beats", tmp_path / "beats.txt"], Timewarp(beats=[0.6, 1.2, 1.8, 2.4])),
        "e": (["--bpm", "100"], Timewarp(bpm=100.0)),
        "f": (
            ["--onto", "bow", "--matched", "--search", "coarse"],
            Timewarp(motion("bow"), frames="matched", search="coarse"),
        ),
    }
    for name, (words, edit) in cases.items():
        done = called("timewarp", "wave", "-o", tmp_path / f"{name}.npz", *words)
        assert done.exit_code == 0, done.output
        assert same(tmp_path / f"{name}.npz", render(Score("wave", (edit,))))


def test_blend(tmp_path):
    save(motion("point"), tmp_path / "point.npz")
    cases = {
        "a": ([], Blend()),
        "b": (["--weights", "0.4,0.6", "--unaligned"], Blend([0.4, 0.6], align=False)),
        "c": (["--weights", "1,1", "--band", "2=1,0", "--band", "0.5s=0,1"], Blend([1, 1], {2: [1, 0], 0.5: [0, 1]})),
        "d": (["--joints", "right_arm", "--cost", "shape"], partial(Blend(cost="shape"), parts="right_arm")),
    }
    for name, (words, edit) in cases.items():
        done = called("blend", "wave", tmp_path / "point.npz", "-o", tmp_path / f"{name}.npz", *words)
        assert done.exit_code == 0, done.output
        assert same(tmp_path / f"{name}.npz", edit(motion("wave"), motion("point")))


def test_scores_are_handed_on(tmp_path):
    first, second = tmp_path / "one.json", tmp_path / "two.json"
    done = called("equalize", "walk", "-o", tmp_path / "a.npz", "--preset", "soften", "--save-score", first)
    assert done.exit_code == 0, done.output
    done = called("timewarp", first, "-o", tmp_path / "b.npz", "--mark", "1=1.5", "--save-score", second)
    assert done.exit_code == 0, done.output
    score = load_score(second)
    assert [type(layer.edit) for layer in score.layers] == [Equalize, Timewarp]
    assert same(tmp_path / "b.npz", render(score))
    done = called("perform", second, "-o", tmp_path / "c.npz")
    assert done.exit_code == 0, done.output
    assert same(tmp_path / "c.npz", render(score))


def test_before_and_after_are_drawn(tmp_path):
    done = called("equalize", "wave", "-o", tmp_path / "o.bvh", "--preset", "twitch", "--preview")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "o_bvh_preview.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["equalize", "wave"], "nothing to do"),
        (["blend", "wave"], "give two at least"),
        (["equalize", "wave", "--preset", "loud"], 'preset is "loud"; one of: exaggerate'),
        (["equalize", "wave", "--band", "two=1"], "--band 'two=1': found 'two=1'; gains such as"),
        (["equalize", "wave", "--band", "2"], "gains such as 2=1.5"),
        (["equalize", "wave", "--band", "0.5=2"], "a band such as"),
        (["equalize", "wave", "--period", "x=1"], "or 0.5=2 are expected"),
        (["equalize", "wave", "--preset", "soften", "--joints", "tail"], "tail"),
        (["equalize", "wave", "--preset", "soften", "--from", "9"], "lasts to 3.4 s"),
        (["equalize", "wave", "--preset", "soften", "--strength", "2"], "0 to 1"),
        (["equalize", "waive", "--preset", "soften"], "did you mean 'wave'"),
        (["timewarp", "wave"], "nothing to do: give --onto or"),
        (["timewarp", "wave", "--onto", "bo"], "did you mean"),
        (["timewarp", "wave", "--beats", "1,0.5"], "must rise"),
        (["timewarp", "wave", "--beats", "nowhere.txt"], "no such file"),
        (["timewarp", "wave", "--mark", "a=1"], "a number of seconds"),
        (["timewarp", "wave", "--mark", "1=1", "--bpm", "90"], "one of them says the pace"),
        (["timewarp", "wave", "--onto", "bow", "--cost", "length"], "one of: shape, pose"),
        (["blend", "wave", "bow", "--weights", "1"], "1 weights for 2 motions"),
        (["blend", "wave", "bow", "--weights", "a,b"], "parted by commas"),
        (["blend", "wave", "bow", "--band", "2"], "write a band"),
        (["blend", "wave", "bow", "--band", "x=1,0"], "a period such as 0.5s"),
    ],
)
def test_slips_are_told(tmp_path, words, said):
    done = called(*words, "-o", tmp_path / "o.npz")
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())
    assert not (tmp_path / "o.npz").exists()
    assert "Traceback" not in done.output


def test_gestures_and_ways_of_reading(tmp_path):
    scene = ROOT / "examples" / "scenes" / "five_goals.toml"
    done = called("blend", scene, scene, "-o", tmp_path / "a.npz", "--unaligned", "--free-feet")
    assert done.exit_code == 0, done.output
    assert same(tmp_path / "a.npz", render(Score(scene)))
    save(motion("wave"), tmp_path / "wave.bvh")
    done = called("smooth", tmp_path / "wave.bvh", "-o", tmp_path / "b.npz", "--rate", "30", "--scale", "0.5")
    assert done.exit_code == 0, done.output
    assert load(tmp_path / "b.npz").rate == 30.0
    done = called(
        "smooth", tmp_path / "wave.bvh", "-o", tmp_path / "c.npz", "--rate", "30", "--save-score", tmp_path / "s.json"
    )
    assert done.exit_code == 0, done.output
    assert load_score(tmp_path / "s.json").reading == Reading(rate=30.0)
    assert same(tmp_path / "c.npz", render(load_score(tmp_path / "s.json")))
    assert load(tmp_path / "c.npz").rate == 30.0


def test_contents_decide_where_a_suffix_lies_and_no_score_names_such_a_file(tmp_path):
    save(motion("wave"), tmp_path / "wave.bvh")
    (tmp_path / "wave.bvh").rename(tmp_path / "wave.dat")
    done = called("smooth", tmp_path / "wave.dat", "-o", tmp_path / "a.npz")
    assert done.exit_code == 0, done.output
    assert len(load(tmp_path / "a.npz")) == len(motion("wave"))
    done = called("smooth", tmp_path / "wave.dat", "-o", tmp_path / "b.npz", "--save-score", tmp_path / "s.json")
    assert done.exit_code == 2
    assert "has no place in a document" in done.output
    assert not (tmp_path / "b.npz").exists()


def test_every_motion_of_a_command_is_read_alike(tmp_path):
    """Two BVH in units of half a metre: both are halved, the other one as well."""
    for name in ("walk", "bow"):
        save(motion(name), tmp_path / f"{name}.bvh")
    words = (tmp_path / "walk.bvh", tmp_path / "bow.bvh", "-o", tmp_path / "o.npz", "--unaligned", "--free-feet")
    done = called("blend", *words, "--scale", "0.5", "--save-score", tmp_path / "s.json")
    assert done.exit_code == 0, done.output
    halved = [load(tmp_path / f"{name}.bvh", scale=0.5) for name in ("walk", "bow")]
    assert same(tmp_path / "o.npz", Blend(align=False, feet=False)(*halved))
    assert same(tmp_path / "o.npz", render(load_score(tmp_path / "s.json")))


def test_positions_of_joints_are_read_as_asked(tmp_path):
    save(motion("wave"), tmp_path / "wave.bvh")
    for how in ("replace", "add"):
        words = (
            "-o",
            tmp_path / f"{how}.npz",
            "--amount",
            "1",
            "--positions",
            how,
            "--save-score",
            tmp_path / "s.json",
        )
        assert called("smooth", tmp_path / "wave.bvh", *words, "--overwrite").exit_code == 0
        assert load_score(tmp_path / "s.json").reading.positions == how
        done = called("convert", tmp_path / "wave.bvh", tmp_path / f"{how}.glb", "--positions", how)
        assert done.exit_code == 0, done.output
    done = called("smooth", tmp_path / "wave.bvh", "-o", tmp_path / "x.npz", "--amount", "1", "--positions", "both")
    assert done.exit_code == 2
    assert "--positions='both'; allowed: auto, replace, add" in done.output


# Phrase edits and behaviours


@pytest.mark.parametrize(
    ("words", "layer"),
    [
        (["effort", "--weight", "1", "--parts", "right_arm"], Effort(weight=1.0).over(parts="right_arm")),
        (["effort", "--set", "wrist_bend=0.3,tension=0.5"], Effort(by_hand={"wrist_bend": 0.3, "tension": 0.5}).over()),
        (["effort", "--time", "-1", "--model", "chi1999"], Effort(time=-1.0, model="chi1999")),
        (["effort", "--time", "-1", "--lock-times"], Effort(time=-1.0, lock_times=True)),
        (["shape", "--vertical", "-1", "--from", "1"], Shape(vertical=-1.0).over(start=1.0)),
        (["stillness", "--amount", "-1"], Stillness(-1.0).over()),
    ],
)
def test_phrase_edits(tmp_path, words, layer):
    done = called(words[0], "wave", "-o", tmp_path / "o.npz", *words[1:], "--save-score", tmp_path / "s.json")
    assert done.exit_code == 0, done.output
    score = Score("wave", (layer,))
    assert load_score(tmp_path / "s.json") == score
    assert same(tmp_path / "o.npz", render(score))


@pytest.mark.parametrize(
    ("words", "behaviour"),
    [(["breath", "--depth", "1.5"], Breath(1.5)), (["sway", "--seed", "3"], Sway(seed=3)), (["fidget"], Fidget())],
)
def test_behaviours(tmp_path, words, behaviour):
    save(motion("walk"), tmp_path / "walk.npz")
    done = called(
        words[0], tmp_path / "walk.npz", "-o", tmp_path / "o.npz", *words[1:], "--save-score", tmp_path / "s.json"
    )
    assert done.exit_code == 0, done.output
    made = render(Score(motion("walk"), behaviours=(behaviour,)))
    assert np.array_equal(load(tmp_path / "o.npz").rotations, made.rotations)
    assert load_score(tmp_path / "s.json").behaviours == (behaviour,)
    assert "--from" not in called(words[0], "--help").output
    more = called("breath", tmp_path / "s.json", "-o", tmp_path / "p.npz", "--save-score", tmp_path / "t.json")
    assert more.exit_code == 0, more.output
    assert load_score(tmp_path / "t.json").behaviours == (behaviour, Breath())


def test_commands_of_edits_and_behaviours_take_a_character(tmp_path):
    for words in (["effort", "wave", "--weight", "1"], ["equalize", "walk", "--preset", "soften"], ["sway", "walk"]):
        out, saved = tmp_path / f"{words[0]}.glb", tmp_path / f"{words[0]}.json"
        done = called(*words, "-o", out, "--character", "mo", "--save-score", saved)
        assert done.exit_code == 0, done.output
        assert load_character(out).meshes
        assert load_score(saved).character == "mo"
        assert render(load_score(saved)).skeleton.names == mo().skeleton.names


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["effort", "wave"], "nothing to do: give --space or"),
        (["effort", "wave", "--weight", "2"], "−1 (light) to 1 (strong)"),
        (["effort", "wave", "--weight", "1", "--parts", "tail"], "no part is called 'tail'"),
        (["effort", "wave", "--set", "wrist_bend"], "name=value is expected"),
        (["breath", "wave", "--depth", "9"], "0 (not at all) to 3 (gasping)"),
        (["sway", "wave", "--character", "moo"], "did you mean mo?"),
        (["perform", "wave", "--behaviour", "breth"], "did you mean 'breath'"),
        (["perform", "wave", "--behaviour", "breath:dept=2"], "did you mean 'depth'"),
        (["perform", "wave", "--behaviour", "breath:depth"], "expected field=value"),
        (["perform", "wave", "--behaviour", "breath:depth=x"], "a number is expected"),
        (["perform", "wave", "--behaviour", "sway:seed=0.5"], "a whole number is expected"),
        (["perform", "wave", "--behaviour", "breath:depth=1,depth=2"], "given twice"),
        (["perform", "wave", "--fps", "0"], "rate is 0; 0.001 to 1e+06 is allowed"),
    ],
)
def test_slips_with_phrase_edits_and_behaviours_are_told(tmp_path, words, said):
    done = called(*words, "-o", tmp_path / "o.npz")
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())
    assert not (tmp_path / "o.npz").exists()


def test_perform_adds_behaviours_and_sets_the_rate(tmp_path):
    words = ("--behaviour", "breath:depth=1.5,pace=20", "--behaviour", "sway", "--fps", "30")
    done = called("perform", "wave", "-o", tmp_path / "o.npz", *words, "--save-score", tmp_path / "s.json")
    assert done.exit_code == 0, done.output
    score = load_score(tmp_path / "s.json")
    assert score.behaviours == (Breath(1.5, 20.0), Sway())
    made = load(tmp_path / "o.npz")
    assert made.rate == 30.0
    assert np.array_equal(made.rotations, render(score, rate=30.0).rotations)
    assert called("express", "wave", "-o", tmp_path / "x.npz").exit_code == 2
