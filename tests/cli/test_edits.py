"""`kinesphere equalize`, `timewarp` and `blend`, end to end; scores that commands hand on."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from typer.testing import CliRunner

from conftest import ROOT
from kinesphere import Score, load, load_score, render, save
from kinesphere.builtin import motion
from kinesphere.cli.main import app
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
    assert same(tmp_path / "o.npz", edit(motion("wave")))


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
        assert same(tmp_path / f"{name}.npz", edit(motion("wave")))


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
    assert (tmp_path / "o_preview.png").stat().st_size > 10_000


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
        (["equalize", "waive", "--preset", "soften"], "did you mean wave"),
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
    assert done.exit_code == 2
    assert "convert it first" in " ".join(done.output.split())
