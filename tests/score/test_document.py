"""Scores as documents: nothing lost, nothing swallowed."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from kinesphere import (
    Breath,
    Effort,
    Express,
    Layer,
    MotionFileError,
    Part,
    Scope,
    Score,
    Shape,
    Sway,
    load_score,
    mo,
    render,
    save_score,
)
from kinesphere.builtin import gesture
from kinesphere.direction.words import vocabulary
from kinesphere.laban.effort_parameters import effort_model
from kinesphere.motion.behaviour import BEHAVIOURS
from kinesphere.motion.edit import MOTION_EDITS, PHRASE_EDITS
from kinesphere.score.document import from_json, score_schema, to_json
from kinesphere.score.sources import Reading
from score.gestures import five_goals, with_world_goal

SCHEMA = Draft202012Validator(score_schema())
factor = st.floats(-1.0, 1.0)
efforts = st.builds(
    Effort,
    factor,
    factor,
    factor,
    factor,
    st.dictionaries(st.sampled_from(["tension", "wrist_bend"]), factor),
    st.sampled_from(["default", "chi1999"]),
    st.booleans(),
)
shapes = st.builds(Shape, factor, factor, factor, factor)
moments = st.floats(0.0, 3.0)
dials = efforts | st.dictionaries(moments, efforts, min_size=1, max_size=3)
parts = st.dictionaries(
    st.sampled_from(["left_arm", "right_arm", "torso"]), st.builds(Part, st.none() | efforts, st.none() | shapes)
)
edits = st.builds(
    Express,
    dials,
    shapes | st.dictionaries(moments, shapes, min_size=1, max_size=3),
    st.dictionaries(st.sampled_from(sorted(vocabulary())), st.floats(0.0, 1.0), max_size=2),
    st.floats(0.0, 2.0),
    factor,
    st.booleans(),
    parts,
)
layers = st.builds(
    Layer,
    edits,
    st.builds(
        Scope,
        st.none() | st.floats(0.0, 1.0),
        st.none() | st.floats(1.5, 3.0),
        st.none() | st.lists(st.sampled_from(["left_arm", "torso"]), min_size=1, max_size=2, unique=True).map(tuple),
        st.floats(0.0, 1.0),
        st.floats(0.0, 2.0),
    ),
)
scores = st.builds(
    Score,
    st.sampled_from(["wave", "bow"]),
    st.lists(layers, max_size=3).map(tuple),
    seed=st.none() | st.integers(0, 2**40),
)


@given(scores)
@settings(max_examples=60)
def test_json_there_and_back_is_the_same_score(score):
    assert from_json(to_json(score)) == score
    assert not list(SCHEMA.iter_errors(json.loads(to_json(score))))


MOTION_EXAMPLES = [edit for cls in MOTION_EDITS.classes().values() for edit in cls.examples()]
PHRASE_EXAMPLES = [edit for cls in PHRASE_EDITS.classes().values() for edit in cls.examples()]
BEHAVIOUR_EXAMPLES = [own for cls in BEHAVIOURS.classes().values() for own in (cls(), *cls.examples())]
scopes = st.builds(
    Scope,
    st.none() | st.floats(0.0, 1.0),
    st.none() | st.floats(1.5, 3.0),
    st.none() | st.lists(st.sampled_from(["left_arm", "torso"]), min_size=1, max_size=2, unique=True),
    st.floats(0.0, 1.0),
    st.floats(0.0, 2.0),
)
readings = st.builds(
    Reading,
    st.none() | st.text() | st.integers(0, 99),
    st.none() | st.floats(1e-6, 1e6),
    st.none() | st.sampled_from(["x", "-x", "y", "-y", "z", "-z"]),
    st.none() | st.floats(1.0, 1000.0),
    st.booleans(),
    st.sampled_from(["auto", "replace", "add"]),
)
files = st.text("abc", min_size=1).map(lambda name: Path("takes") / name)


def whole_scores(sources, edits):
    return st.builds(
        Score,
        sources,
        st.lists(st.builds(Layer, st.sampled_from(edits), scopes), max_size=4).map(tuple),
        st.none() | st.sampled_from(["figure", "mo", "who.vrm"]) | files,
        st.lists(st.sampled_from(BEHAVIOUR_EXAMPLES), max_size=3).map(tuple),
        seed=st.none() | st.integers(0, 2**63 - 1),
        reading=readings,
    )


@given(
    whole_scores(
        st.sampled_from(["wave", "bow", five_goals(), five_goals().right]) | files, [*MOTION_EXAMPLES, *PHRASE_EXAMPLES]
    )
    | whole_scores(st.sampled_from(["walk"]) | files.map(lambda file: file.with_suffix(".bvh")), MOTION_EXAMPLES)
)
@settings(max_examples=120)
def test_nothing_is_lost_of_any_edit_behaviour_character_or_way_of_reading(score):
    text = to_json(score)
    again = from_json(text)
    assert again == score
    assert to_json(again) == text
    assert not list(SCHEMA.iter_errors(json.loads(text)))


def test_what_is_kept_is_rendered(tmp_path):
    score = Score("wave", (Effort(weight=1),), "mo", (Breath(2.0), Sway(seed=3)), seed=7, reading=Reading(rate=30.0))
    save_score(score, tmp_path / "s.json")
    made, again = render(score), render(load_score(tmp_path / "s.json"))
    assert (made.rate, made.skeleton.names) == (30.0, mo().skeleton.names)
    assert np.array_equal(made.rotations, again.rotations)
    for other in (replace(score, seed=8), replace(score, behaviours=()), replace(score, layers=())):
        changed = render(other)
        assert len(changed) != len(made) or not np.array_equal(changed.rotations, made.rotations)


@pytest.mark.parametrize("source", [five_goals(), with_world_goal(), gesture("punch"), five_goals().right])
def test_a_gesture_travels_in_its_score(source, tmp_path):
    score = Score(source, (Layer(Express(Effort(weight=-0.7), Shape(vertical=-0.5))),), seed=3)
    save_score(score, tmp_path / "s.json")
    again = load_score(tmp_path / "s.json")
    assert np.abs(render(again).rotations - render(score).rotations).max() < 1e-9


def test_a_model_of_ones_own_travels_in_its_score():
    model = effort_model().with_coefficients(wrist_bend__light=0.9)
    score = Score("wave", (Express(Effort(weight=-1, model=model)),))
    again = from_json(to_json(score))
    assert again == score
    assert again.layers[0].edit.effort.model.coefficients == model.coefficients
    assert np.array_equal(render(again).rotations, render(score).rotations)
    plain = Score("wave", (Express(Effort(weight=-1)),))
    assert not np.array_equal(render(again).rotations, render(plain).rotations)


def test_coefficients_that_a_score_leaves_out_are_the_default_model_s():
    row = {"edit": "effort", "weight": -1, "model": {"name": "mine", "coefficients": {"wrist_bend.light": 0.9}}}
    score = from_json(
        json.dumps({"kind": "kinesphere score", "version": 2, "source": {"name": "wave"}, "layers": [row]})
    )
    expected = effort_model().with_coefficients(wrist_bend__light=0.9)
    assert score.layers[0].edit.model.coefficients == expected.coefficients


def written():
    return json.loads(
        to_json(Score("wave", (Express(Effort(weight=0.5), Shape(vertical=1)).over(start=0.5, end=2.0),)))
    )


def changed(change):
    document = written()
    change(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "where", "said"),
    [
        (lambda d: d.pop("kind"), "kind", "kinesphere score"),
        (lambda d: d.update(version=99), "version", "newer"),
        (lambda d: d.pop("source"), "source", "name"),
        (lambda d: d.update(source={"name": "wave", "file": "x"}), "source", "one of"),
        (lambda d: d.update(sauce=1), "sauce", "did you mean 'source'"),
        (lambda d: d["layers"][0].update(edit="equalise"), "layers[0].edit", "did you mean 'equalize'"),
        (lambda d: d["layers"][0].update(edit="equalize"), "layers[0].effort", "nobody knows"),
        (lambda d: d["layers"][0]["effort"].update(wieght=1), "layers[0].effort.wieght", "did you mean 'weight'"),
        (lambda d: d["layers"][0]["effort"].update(weight="1"), "layers[0].effort.weight", "a number"),
        (lambda d: d["layers"][0]["effort"].update(weight=2), "layers[0].effort", "−1 (light) to 1 (strong)"),
        (lambda d: d["layers"][0].update(words={"gentley": 1}), "layers[0]", "gently"),
        (lambda d: d["layers"][0].update(parts=["tail"]), "layers[0]", "left_arm"),
        (lambda d: d["layers"][0].update(end=0.1), "layers[0]", "is empty"),
        (lambda d: d["layers"][0].update(start=-1), "layers[0]", "begins at 0"),
        (lambda d: d["layers"][0].update(effort=[{"at": -1}]), "layers[0].effort[0].at", "begins at 0"),
        (lambda d: d["layers"][0].update(effort=[{"at": 1}, {}]), "layers[0].effort[1].at", "a moment"),
        (lambda d: d["layers"][0].update(effort=[{"at": 1}, 3]), "layers[0].effort[1]", "a moment"),
        (lambda d: d["layers"][0].update(effort=[{"at": "1"}]), "layers[0].effort[0].at", "a number"),
        (
            lambda d: d["layers"][0].update(effort=[{"at": 0.25}, {"at": 0.5, "wieght": 1}]),
            "layers[0].effort[1].wieght",
            "did you mean 'weight'",
        ),
        (lambda d: d["layers"][0].update(shape=[{"at": 0.5, "reach": 2}]), "layers[0].shape[0].reach", "1 (far)"),
        (lambda d: d["layers"][0].update(vocabulary={}), "layers[0].vocabulary", "nobody knows"),
        (lambda d: d["layers"][0].update(intensity=3), "layers[0].intensity", "0 (nothing) to 2 (twice)"),
        (lambda d: d["layers"][0].update(effort=[]), "layers[0].effort", "one moment"),
        (lambda d: d["layers"][0].update(effort=[{"at": 1}, {"at": 1}]), "layers[0].effort[1].at", "its own moment"),
        (lambda d: d.update(layers=3), "layers", "a list"),
        (lambda d: d.update(seed=-1), "seed", "a whole number from 0"),
        (
            lambda d: d["layers"][0]["effort"].update(model={"name": "x", "coefficients": {"tension.dirct": 1}}),
            "layers[0].effort.model.coefficients",
            "did you mean 'tension.direct'",
        ),
        (
            lambda d: d.update(version=1, model={"coefficients": {"tension.dirct": 1}}),
            "model.coefficients",
            "did you mean 'tension.direct'",
        ),
        (lambda d: d.update(version=1, model="chi1998"), "the document", "chi1999"),
        (lambda d: d.update(version=3), "version", "a newer Kinesphere wrote this"),
        (lambda d: d.update(source={"keypoints": {"keys": []}}), "source.keypoints", "one key"),
        (lambda d: d.update(source={"keypoints": {"keys": [[0, 0, 0]]}}), "source.keypoints.keys[0]", "swivel"),
        (lambda d: d.update(source={"gesture": {"name": "x", "duration": -1}}), "source.gesture.duration", "than 0"),
        (lambda d: d.update(source={"gesture": {"duration": 1}}), "source.gesture.name", "a text"),
        (lambda d: d.update(source={"gesture": {"nmae": "x", "duration": 1}}), "source.gesture.nmae", "'name'"),
        (
            lambda d: d.update(source={"gesture": {"duration": 1, "right": {"keys": [], "kyes": 1}}}),
            "source.gesture.name",
            "a text",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(change, where, said):
    with pytest.raises(MotionFileError) as caught:
        from_json(changed(change), "my.json")
    assert where in str(caught.value)
    assert said in str(caught.value)
    assert "my.json" in str(caught.value)


@pytest.mark.parametrize("text", ["", "[", "[]", "null", "NaN", '{"kind": Infinity}', "[" * 100_000])
def test_what_is_no_score_is_refused(text):
    with pytest.raises(MotionFileError):
        from_json(text)


fields = st.sampled_from(["kind", "version", "source", "layers", "name", "keys", "effort", "edit"])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(fields, inner),
    max_leaves=12,
)


@given(anything)
@settings(max_examples=150)
def test_hostile_documents_are_refused_and_nothing_else(data):
    document = {"kind": "kinesphere score", "version": 1, "source": {"name": "wave"}, "layers": data}
    for text in (json.dumps(data), json.dumps(document)):
        try:
            made = from_json(text)
        except MotionFileError:
            made = None
        assert made is None or from_json(to_json(made)) == made


SAVED = """
{"kind": "kinesphere score", "version": 1, "source": {"name": "wave"}, "model": "chi1999", "lock_times": true,
 "seed": 5, "about": "saved by version 1",
 "layers": [
  {"edit": "express", "effort": {"space": 0.5, "weight": -1.0, "by_hand": {"wrist_bend": 0.3}},
   "shape": [{"at": 0.0}, {"at": 1.0, "horizontal": 1.0, "reach": 0.5}], "words": {"gently": 0.5}, "intensity": 1.5,
   "stillness": -0.2, "affinities": true, "of_parts": {"torso": {"shape": {"vertical": 1.0}}},
   "start": 0.5, "end": 2.0, "parts": ["torso"], "strength": 0.7},
  {"edit": "equalize", "bands": {"2": 1.5}, "fade": 0.1, "feet": false, "parts": ["arms"]},
  {"edit": "displace", "edits": [{"part": "rightHand", "seconds": 1.0, "by": [0.0, 0.2, 0.0]}]},
  {"edit": "timewarp", "marks": [[1.0, 1.4]]},
  {"edit": "blend", "bands": {"2": [1.0, 0.0]}, "others": ["walk"], "align": false}]}
"""


def test_a_saved_score_stays_what_it_was():
    """The format is a promise: field by field, not only there and back with today's writer."""
    score = from_json(SAVED)
    express, equalize, displace, timewarp, blend = (layer.edit for layer in score.layers)
    assert (score.source, score.seed) == ("wave", 5)
    assert express.effort == Effort(0.5, -1.0, by_hand={"wrist_bend": 0.3}, model="chi1999", lock_times=True)
    assert express.shape == {0.0: Shape(), 1.0: Shape(1.0, reach=0.5)}
    assert (dict(express.words), express.intensity, express.stillness, express.affinities) == (
        {"gently": 0.5}, 1.5, -0.2, True,
    )  # fmt: skip
    assert dict(express.of_parts) == {"torso": Part(shape=Shape(vertical=1.0))}
    first = score.layers[0].scope
    assert (first.start, first.end, first.parts, first.strength) == (0.5, 2.0, ("torso",), 0.7)
    assert (dict(equalize.bands), score.layers[1].scope.fade, equalize.feet, score.layers[1].scope.parts) == (
        {2: 1.5}, 0.1, False, ("arms",),
    )  # fmt: skip
    assert (displace.edits[0].part, displace.edits[0].seconds) == ("rightHand", 1.0)
    assert [tuple(mark) for mark in timewarp.marks] == [(1.0, 1.4)]
    assert (list(blend.others), blend.align) == (["walk"], False)
    document = json.loads(SAVED)
    del document["about"]
    effort = {name: document.pop(name) for name in ("model", "lock_times")}
    document["version"] = 2
    document["layers"][0]["effort"] |= effort
    document["layers"][2]["width"] = "all"  # which it was where nothing was said
    assert json.loads(to_json(score)) == document


def test_numbers_too_large_for_a_float_are_refused_with_their_place():
    document = json.loads(SAVED)
    document["layers"][0]["start"] = 10**400
    with pytest.raises(MotionFileError, match=r"layers\[0\].start"):
        from_json(json.dumps(document))
