"""Explanations: which property set a value at a moment, what it covered, as data, as text and as a timeline."""

from __future__ import annotations

import json

import numpy as np
import pytest

import kinesphere
from kinesphere import Effort, Score
from kinesphere.motion.claim import integrate, roles_of
from kinesphere.motion.phrase import SAMPLES
from kinesphere.performance.explanation import explain, property_spans
from kinesphere.performance.properties.envelope import Envelope
from kinesphere.performance.properties.succession import Succession
from kinesphere.performance.properties.tempo import Tempo
from kinesphere.score.explaining import explain as explain_score
from kinesphere.score.explaining import explain_timeline


@pytest.fixture(scope="module")
def score() -> Score:
    return Score(
        "wave",
        (
            Succession(offset=0.05),
            Tempo(factor=0.7).over(start=1.0, end=2.0),
            Envelope(kind="overshoot").over(parts="right_arm"),
            Envelope(kind="linear").over(start=1.5, end=2.5),
        ),
    )


def test_it_says_who_set_a_value_and_what_that_covered():
    phrase = Envelope(kind="linear").ask(
        Envelope(kind="overshoot").ask(kinesphere.phrase_of("wave"), source="sketch", origin="old man")
    )
    (found,) = explain(phrase, 1.0, "right_arm").aspects
    low, high = found.reasons
    assert (found.aspect, found.value, found.parts) == ("envelope", "linear", ("right_arm",))
    assert (low.property, low.source, low.origin, low.asked, low.share) == (
        "envelope", "sketch", "old man", "overshoot", 0.0,
    )  # fmt: skip
    assert "edit" in low.covered_by
    assert (high.source, high.share, high.covered_by) == ("edit", 1.0, "")


def test_the_value_is_the_one_that_is_performed(score):
    """What it says of an aspect is what the integrator gives at that moment of the phrase's own time."""
    phrase = kinesphere.score.rendering.edited_phrase(score)
    whole = integrate(phrase.claims)
    for time in (0.3, 1.2, 1.9, 3.0):
        for found in explain(phrase, time).aspects:
            if isinstance(found.value, float):
                value = whole.value(found.aspect, min(roles_of(found.parts[0])))
                at = float(value) if value.ndim == 0 else np.interp(time * SAMPLES, np.arange(len(value)), value)
                assert found.value == pytest.approx(at, abs=1e-9)


def test_moments_are_of_the_performance(score):
    """A slower stretch comes later in what is performed: there the tempo is explained, not where it was written."""
    late = explain_score(score, 2.2, "right_arm")
    assert late.performed == 2.2
    assert late.time < 2.2
    assert any(own.aspect == "stroke.duration" for own in late.aspects)
    assert not any(own.aspect == "stroke.duration" for own in explain_score(score, 0.5, "right_arm").aspects)


def test_only_the_part_that_is_asked_for_is_explained(score):
    names = {own.aspect for own in explain_score(score, 2.0, "left_leg").aspects}
    assert "delay" not in names
    assert {"delay"} <= {own.aspect for own in explain_score(score, 2.0, "head").aspects}


def test_data_are_json_and_text_names_all(score):
    found = explain_score(score, 1.9, "right_arm")
    plain = json.loads(json.dumps(found.to_plain()))
    assert plain["aspects"][0]["reasons"][0]["property"] == "succession"
    text = str(found)
    assert all(own.aspect in text for own in found.aspects)
    assert "covered by" in text


@pytest.mark.parametrize("time", [-0.1, 99.0, np.nan])
def test_a_moment_outside_is_refused_with_what_is_allowed(score, time):
    with pytest.raises(ValueError, match="lasts from 0 to"):
        explain_score(score, time)


def test_unknown_parts_are_refused_with_the_nearest(score):
    with pytest.raises(ValueError, match="right_arm"):
        explain_score(score, 1.0, "rihgt_arm")


def test_spans_say_when_each_holds_and_what_is_left_of_it(score):
    spans = {(own.property, own.origin): own for own in property_spans(kinesphere.score.rendering.edited_phrase(score))}
    below, above = spans["envelope", "layer 3"], spans["envelope", "layer 4"]
    middle = round(2.0 * SAMPLES)
    assert above.weight[middle] == above.share[middle] == 1.0
    assert (below.weight[middle], below.share[middle]) == (1.0, 0.0)
    assert below.share[0] == 1.0
    assert above.weight[0] == 0.0


def test_the_timeline_shows_every_property(score):
    picture = explain_timeline(score, marks=[(1.0, "here")])
    rows = len({own.property + own.origin for own in property_spans(kinesphere.score.rendering.edited_phrase(score))})
    plain = explain_timeline(Score("wave", (Tempo(factor=0.7),)))
    assert picture.height > plain.height + (rows - 2) * 20
    colours = {colour for _, colour in picture.getcolors(1 << 24)}
    assert len(colours) > 100


def test_effort_shape_and_words_are_told_as_they_add_up():
    both = Score("point", (Effort(weight=0.5).over(), Effort(weight=0.2, time=-0.4).over(start=1.0, parts="right_arm")))
    told = kinesphere.explain(both, 2.5, "right_arm")
    dials = dict(told.expression[0].dials)
    assert dials["effort.weight"] == pytest.approx(0.7, abs=1e-6)
    assert dials["effort.time"] == pytest.approx(-0.4, abs=1e-6)
    assert "effort.weight +0.70" in str(told)
    left = kinesphere.explain(both, 2.5, "left_arm")
    assert dict(left.expression[0].dials) == {"effort.weight": pytest.approx(0.5)}
    assert kinesphere.explain(Score("point"), 1.0).expression == ()
