"""Edits of signals as layers: they stack, in the source's time, and travel in documents."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere import Effort, Express, Layer, MotionFileError, Scope, Score, load_score, render, save, save_score
from kinesphere.body.contacts import find_contacts, foot_report
from kinesphere.builtin import motion
from kinesphere.maths import rotations
from kinesphere.score.document import from_json, to_json
from kinesphere.signals import Blend, Displace, Equalize, Smooth, Timewarp, Waveshape
from kinesphere.signals.pose_edits import Target, Turn
from kinesphere.signals.shaping import Shaping

LARGER = Equalize(preset="exaggerate")


def apart(one, other):
    count = min(len(one), len(other))
    return np.linalg.norm(one[:count].positions_world() - other[:count].positions_world(), axis=-1).max()


@pytest.mark.parametrize(
    "edit",
    [Equalize(), Waveshape(), Smooth(), Displace(), Timewarp(), Timewarp(motion("point"), amount=0.0)],
    ids=lambda edit: type(edit).__name__,
)
def test_neutral_layers_change_nothing(edit):
    given = motion("wave")
    made = render(Score(given, (Layer(edit),)))
    assert np.array_equal(made.rotations, given.rotations)
    assert np.array_equal(render(Score("wave", (Layer(edit),))).rotations, render(Score("wave")).rotations)


def test_a_layer_is_the_edit_itself():
    given = motion("walk")
    for layer in (LARGER.over(), Waveshape("undulation").over(parts="arms"), Layer(Timewarp(bpm=100.0))):
        assert apart(render(Score(given, (layer,))), layer(given)) < 1e-9


def test_layers_come_one_after_the_other():
    given = motion("wave")
    first, second = Equalize(preset="exaggerate", feet=False), Waveshape("quantise", feet=False)
    both = render(Score(given, (Layer(first), Layer(second))))
    assert apart(both, second(first(given))) < 1e-9
    assert apart(both, render(Score(given, (Layer(second), Layer(first))))) > 0.01


def test_strength_is_how_much_of_it():
    given = motion("wave")
    far = [apart(render(Score(given, (LARGER.over(strength=s),))), given) for s in (0.0, 0.3, 0.6, 1.0)]
    assert far[0] == 0.0
    assert (np.diff(far) > 1e-3).all()
    raised = Displace([Target("rightHand", frame=100, by=(0.0, 0.2, 0.0))])
    hand = given.skeleton.index("rightHand")
    for strength in (0.0, 0.5, 1.0):
        made = render(Score(given, (raised.over(strength=strength),)))
        went = (made.positions_world() - given.positions_world())[100, hand, 1]
        assert went == pytest.approx(0.2 * strength, abs=1e-6)


def test_ranges_and_parts_hold():
    given = motion("wave")
    made = render(Score(given, (LARGER.over(start=1.0, end=2.0, parts=("arms",)),)))
    outside = (given.times < 1.0) | (given.times > 2.0)
    assert np.array_equal(made.rotations[outside], given.rotations[outside])
    head = given.skeleton.index("head")
    assert np.array_equal(made.rotations[:, head], given.rotations[:, head])
    assert apart(made, given) > 1e-3


def test_ranges_are_of_the_sources_time_whatever_the_effort():
    slow = Layer(Express(Effort(time=-1.0)))
    plain, edited = (render(Score("knock", layers)) for layers in ((slow,), (slow, LARGER.over(start=1.0, end=2.0))))
    assert len(plain) > 1.2 * len(motion("knock"))
    changed = np.flatnonzero(rotations.angle_between(edited.rotations, plain.rotations).max(axis=1) > 1e-6) / 60.0
    assert changed[0] > 1.05  # later than written, as everything is
    assert changed[-1] > 2.2


def test_ranges_follow_timewarps_below_them():
    given = motion("wave")
    double = Timewarp(marks=[(given.duration, 2.0 * given.duration)])
    made = render(Score(given, (Layer(double), LARGER.over(start=1.0, end=2.0))))
    slow = double(given)
    changed = np.flatnonzero(rotations.angle_between(made.rotations, slow.rotations).max(axis=1) > 1e-9) / 60.0
    assert 2.0 <= changed[0] < 2.2
    assert 3.7 < changed[-1] <= 4.0
    raised = Displace([Target("rightHand", seconds=1.0, by=(0.0, 0.1, 0.0))])
    hand = given.skeleton.index("rightHand")
    later = render(Score(given, (Layer(double), Layer(raised))))
    assert (later.positions_world() - slow.positions_world())[120, hand, 1] == pytest.approx(0.1, abs=1e-6)


def test_feet_stand_after_all_layers():
    given = motion("walk")
    contacts = find_contacts(given)
    stack = (Layer(LARGER), Waveshape("undulation", amount=0.5).over(parts="legs"))
    held, free = (
        render(Score(given, tuple(Layer(replace(layer.edit, feet=feet), layer.scope) for layer in stack)))
        for feet in (True, False)
    )
    assert foot_report(held, contacts).slide_mean < 0.004
    assert foot_report(free, contacts).slide_mean > 2.0 * foot_report(held, contacts).slide_mean


def test_a_layer_is_an_edit_with_its_scope():
    layer = Equalize(preset="soften").over(start=1.0, parts="arms", strength=0.5)
    assert layer == Layer(Equalize(preset="soften"), Scope(1.0, None, ("arms",), 0.5))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: render(Score(motion("wave"), (LARGER.over(start=50.0),))), "the source lasts to 3.4 s"),
        (lambda: render(Score(motion("wave"), (LARGER.over(parts=("tail",)),))), "tail"),
        (lambda: to_json(Score(motion("wave"))), "save it, and give the score its file"),
        (lambda: to_json(Score("wave", (Layer(Timewarp(motion("bow"))),))), "name its file"),
        (lambda: LARGER.over(parts=()), "parts is empty"),
        (lambda: Score("wave", (LARGER.over(start=-1.0),)), "begins at 0"),
    ],
)
def test_what_cannot_be_is_said(make, said):
    with pytest.raises(ValueError, match=said):
        make()
    with pytest.raises(TypeError, match="is no edit"):
        Layer("equalize")


def test_a_motions_file_is_a_source(tmp_path):
    given = motion("wave")
    save(given, tmp_path / "wave.npz")
    save(motion("point"), tmp_path / "point.npz")
    layers = (
        LARGER.over(start=0.5, end=2.5),
        Layer(Blend([0.7, 0.3], others=[tmp_path / "point.npz"])),
        Layer(Timewarp("bow", amount=0.5)),
    )
    score = Score(tmp_path / "wave.npz", layers)
    save_score(score, tmp_path / "score.json")
    again = load_score(tmp_path / "score.json")
    assert apart(render(again), render(score)) < 1e-9
    assert apart(render(score), given) > 0.01


shapings = st.sampled_from([Shaping(((-1.0, -1.0), (0.0, 0.4, 0.5, 0.0, 0.0), (1.0, 1.0)), "clamped", "mine")])
numbers = st.floats(-5.0, 5.0)
gains = st.dictionaries(st.integers(0, 8), numbers, max_size=3)
periods = st.dictionaries(st.floats(0.05, 4.0), numbers, max_size=3)
phrases = st.dictionaries(st.floats(0.0, 3.0), st.floats(0.1, 1.0), min_size=1)
points = st.builds(
    Target, st.sampled_from(["leftHand", "head"]), by=st.tuples(numbers, numbers, numbers), frame=st.integers(0, 200)
) | st.builds(Turn, st.just("head"), st.tuples(numbers, numbers, numbers), seconds=st.floats(0.0, 3.0))
edits = st.one_of(
    st.builds(
        Equalize,
        gains,
        periods,
        st.sampled_from([None, "twitch"]),
        st.dictionaries(st.sampled_from(["arms", "head"]), gains | periods, max_size=2),
        feet=st.booleans(),
    ),
    st.builds(Waveshape, st.sampled_from(["identity", "quantise"]) | shapings, st.floats(0.0, 1.0)),
    st.builds(Smooth, st.floats(0.0, 1.0), gaps=st.sampled_from([None, "find", (3, (5, 9))])),
    st.builds(Displace, st.lists(points, max_size=2).map(tuple), width=st.none() | st.floats(0.1, 1.0)),
    st.builds(Timewarp, st.sampled_from([None, "walk"]), st.floats(0.0, 1.0)),
    st.builds(Timewarp, marks=st.just(((0.5, 0.7), (1.0, 1.5)))),
    st.builds(Timewarp, beats=st.just((0.5, 1.1))),
    st.builds(
        Blend,
        st.none()
        | st.tuples(st.floats(0.1, 2.0), st.dictionaries(st.floats(0.0, 3.0), st.floats(0.1, 1.0), min_size=1)),
        st.dictionaries(st.integers(0, 4) | st.floats(0.1, 2.0), st.tuples(numbers, numbers), max_size=2),
        others=st.just(("walk",)),
    ),
)
layers = st.builds(
    Layer,
    edits,
    st.builds(
        Scope,
        st.none() | st.floats(0.0, 1.0),
        st.none() | st.floats(1.5, 3.0),
        st.none() | st.just(("arms", "spine")),
        st.floats(0.0, 1.0),
        st.floats(0.0, 2.0),
    ),
)


@given(st.lists(layers, max_size=3).map(tuple))
@settings(max_examples=100)
def test_json_there_and_back_is_the_same_score(stack):
    score = Score("wave", stack)
    assert from_json(to_json(score)) == score


def document(**edit):
    row = {"edit": "equalize", "bands": {"2": 1.5}, "start": 0.5} | edit
    return json.dumps({"kind": "kinesphere score", "version": 1, "source": {"name": "wave"}, "layers": [row]})


@pytest.mark.parametrize(
    ("row", "where", "said"),
    [
        ({"bands": {"two": 1}}, "layers[0].bands.two", "a band such as"),
        ({"bands": {"2": "loud"}}, "layers[0].bands.2", "a number"),
        ({"bands": {"2": 1e9}}, "layers[0].bands.2", "−20 to 20"),
        ({"bands": [1]}, "layers[0].bands", "an object"),
        ({"preset": "loud"}, "layers[0]", "exaggerate"),
        ({"periods": {"-0.5": 1}}, "layers[0]", "above zero"),
        ({"groups": {"arms": {"2": True}}}, "layers[0].groups.arms.2", "a number"),
        ({"feet": 1}, "layers[0].feet", "true or false"),
        ({"prest": "soften"}, "layers[0].prest", "did you mean 'preset'"),
        ({"strength": 3}, "layers[0]", "0 to 1"),
        ({"parts": [3]}, "layers[0].parts[0]", "a text"),
        ({"edit": "displace", "bands": 1}, "layers[0].bands", "nobody knows"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(row, where, said):
    with pytest.raises(MotionFileError) as caught:
        from_json(document(**row), "my.json")
    assert where in str(caught.value)
    assert said in str(caught.value)


def other(kind, **edit):
    row = {"edit": kind} | edit
    return json.dumps({"kind": "kinesphere score", "version": 1, "source": {"name": "wave"}, "layers": [row]})


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (other("displace", edits=[{"part": "rightHand", "frame": "x", "by": [0, 0, 0]}]), "edits[0].frame"),
        (other("displace", edits=[{"part": "rightHand", "frame": 3}]), "layers[0]"),
        (other("displace", edits=[{"prt": "rightHand"}]), "edits[0].prt"),
        (other("displace", edits=[3]), "edits[0]"),
        (other("timewarp", marks=[[1, 2, 3]]), "marks[0]"),
        (other("timewarp", marks=[[1, "2"]]), "marks[0]"),
        (other("timewarp", onto=3), "onto"),
        (other("timewarp", amount=[1]), "amount"),
        (other("blend", weights=[{"x": 1}]), "weights[0].x"),
        (other("blend", weights=["much"]), "weights[0]"),
        (other("blend", others=[{}]), "others[0]"),
        (other("waveshape", shape={"points": [[0]]}), "shape"),
        (other("waveshape", shape={"points": [[0, "a"], [1, 1]]}), "points[0]"),
        (other("waveshape", shape=3), "shape"),
        (other("smooth", gaps=[[1, "b"]]), "gaps[0]"),
        (other("smooth", gaps="seek"), "layers[0]"),
    ],
)
def test_hostile_edits_are_refused_with_their_place(text, where):
    with pytest.raises(MotionFileError) as caught:
        from_json(text)
    assert where in str(caught.value)


def test_scores_move_with_their_files(tmp_path, monkeypatch):
    (tmp_path / "clips").mkdir()
    (tmp_path / "scores").mkdir()
    save(motion("wave"), tmp_path / "clips" / "wave.npz")
    save(motion("point"), tmp_path / "clips" / "point.npz")
    monkeypatch.chdir(tmp_path)
    layers = (Layer(Blend(others=["clips/point.npz"])), Layer(Timewarp(Path("clips/point.npz"))), Layer(LARGER))
    score = Score("clips/wave.npz", layers)
    save_score(score, "scores/s.json")
    assert "../clips/wave.npz" in (tmp_path / "scores" / "s.json").read_text()
    expected = render(score)
    (tmp_path / "elsewhere").mkdir()
    for name in ("clips", "scores"):
        (tmp_path / name).rename(tmp_path / "elsewhere" / name)
    monkeypatch.chdir("/")
    assert apart(render(load_score(tmp_path / "elsewhere" / "scores" / "s.json")), expected) < 1e-9


def test_smoothing_as_a_layer_is_smoothing():
    given = motion("walk")
    assert apart(render(Score(given, (Layer(Smooth(1.0)),))), Smooth(1.0)(given)) < 1e-12
