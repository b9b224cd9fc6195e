"""Properties of timing: rhythm, speed and duration, measured where strokes begin and end."""

from __future__ import annotations

import numpy as np
import pytest

import kinesphere
from kinesphere import Phrase
from kinesphere.engine.generation import body_clock
from kinesphere.motion.scope import Scope
from kinesphere.performance.properties.duration import Duration
from kinesphere.performance.properties.rhythm import Rhythm
from kinesphere.performance.properties.speed import Speed
from kinesphere.performance.properties.tempo import Tempo
from kinesphere.performance.strokes import body_strokes

FRAME = 1.0 / 60.0
SOURCES = ("point", "wave", "drink", "knock", "bow", "walk", "recorded wave", "recorded walk")


def phrase(name: str) -> Phrase:
    own = name.removeprefix("recorded ")
    return kinesphere.phrase_of(own) if own == name else kinesphere.lift(kinesphere.builtin.motion(own))


def durations(own: Phrase, plain: Phrase) -> np.ndarray:
    """``(S,)`` seconds that the strokes of a plain phrase take where it is edited."""
    return np.diff(body_clock(own)(body_strokes(plain).edges))


def seconds(own: Phrase) -> float:
    return kinesphere.generate(own).duration


@pytest.mark.parametrize("name", SOURCES)
def test_strokes_follow_the_pattern_and_take_as_long_in_all(name):
    plain = phrase(name)
    strokes = body_strokes(plain)
    rows = strokes.moves & strokes.whole
    made = Rhythm(pattern=(2, 1, 1)).apply(plain)
    own, pattern = durations(made, plain), np.resize([2.0, 1.0, 1.0], rows.sum())
    unit = own[rows].sum() / pattern.sum()
    allowed = np.maximum(0.05 * unit * pattern, 1.01 * FRAME)  # goals are on whole frames
    assert (np.abs(own[rows] - unit * pattern) < allowed).all()
    assert np.abs(own[~strokes.moves] - strokes.lasts[~strokes.moves]).max(initial=0.0) < 1.01 * FRAME
    assert seconds(made) == pytest.approx(seconds(plain), abs=1.01 * FRAME)


def test_hands_are_at_their_goals_when_the_rhythm_says():
    plain = phrase("wave")
    made = Rhythm(pattern=(2, 1, 1)).apply(plain)
    edges, hand = body_strokes(plain).edges, plain.body.roles["rightHand"]
    was, now = (kinesphere.generate(own).positions_world()[:, hand] for own in (plain, made))
    for edge, at in zip(edges, body_clock(made)(edges), strict=True):
        assert np.linalg.norm(now[round(at * 60)] - was[round(edge * 60)]) < 0.015


def test_a_rhythm_is_taken_as_far_as_asked():
    plain = phrase("wave")
    uneven = [np.ptp(np.log(durations(Rhythm((3, 1), amount).apply(plain), plain)[1:6])) for amount in (0, 0.5, 1)]
    assert uneven[0] < uneven[1] < uneven[2]
    assert Rhythm((3, 1), 0.0).apply(plain) is plain


def test_a_rhythm_of_a_scope_keeps_to_it():
    plain = phrase("wave")
    strokes = body_strokes(plain)
    made = Rhythm(pattern=(1, 2)).apply(plain, Scope(start=1.0, end=1.75))
    own = durations(made, plain)
    inside = (strokes.edges[1:] > 1.0) & (strokes.edges[:-1] < 1.75)
    assert np.abs(own - strokes.lasts)[~inside].max() < 2.0 * FRAME
    assert own[inside].sum() == pytest.approx(strokes.lasts[inside].sum(), abs=2.0 * FRAME)
    assert np.ptp(own[inside]) > 0.1


def test_strokes_that_cannot_be_quicker_stay_and_the_rest_makes_up():
    plain = phrase("point")
    made = Rhythm(pattern=(1, 10)).apply(plain)
    own = durations(made, plain)
    assert own[0] >= body_strokes(plain).least[0] - FRAME
    assert seconds(made) == pytest.approx(seconds(plain), abs=1.01 * FRAME)


@pytest.mark.parametrize("name", ["point", "drink", "knock", "recorded wave"])
@pytest.mark.parametrize("factor", [0.6, 1.4])
def test_speed_changes_strokes_and_leaves_rests(name, factor):
    plain = phrase(name)
    strokes = body_strokes(plain)
    own = durations(Speed(factor).apply(plain), plain)
    rests, wanted = ~strokes.moves, np.maximum(strokes.lasts / factor, strokes.least)
    assert rests.any()
    assert np.abs(own - strokes.lasts)[rests].max() < 1.01 * FRAME
    assert np.abs(own - wanted)[strokes.moves].max() < 1.01 * FRAME


def test_speed_is_the_peak_speed_of_strokes():
    plain = phrase("point")
    hand = plain.body.roles["rightHand"]
    peaks = [
        np.linalg.norm(np.diff(kinesphere.generate(own).positions_world()[:, hand], axis=0), axis=1).max()
        for own in (plain, Speed(0.7).apply(plain), Speed(1.4).apply(plain))
    ]
    assert peaks[1] / peaks[0] == pytest.approx(0.7, rel=0.08)
    assert peaks[2] / peaks[0] == pytest.approx(1.4, rel=0.08)


@pytest.mark.parametrize("name", ["wave", "bow", "walk", "recorded wave", "recorded walk"])
def test_a_duration_is_met_in_times_and_in_seconds(name):
    plain = phrase(name)
    before = seconds(plain)
    assert seconds(Duration(times=1.7).apply(plain)) == pytest.approx(1.7 * before, abs=2.0 * FRAME)
    assert seconds(Duration(seconds=before + 1.3).apply(plain)) == pytest.approx(before + 1.3, abs=2.0 * FRAME)


@pytest.mark.parametrize("others", [(Tempo(1.3),), (Speed(0.8), Tempo(0.9)), (Rhythm((1, 2)),)])
@pytest.mark.parametrize("name", ["wave", "walk", "recorded wave"])
def test_seconds_are_met_whatever_tempo_and_rhythm_ask_before_or_after(name, others):
    plain = phrase(name)
    asked = Duration(seconds=5.0)
    first, last = asked.apply(plain), plain
    for own in others:
        first, last = own.apply(first), own.apply(last)
    for made in (first, asked.apply(last)):
        assert seconds(made) == pytest.approx(5.0, abs=2.0 * FRAME)


def test_times_multiply_with_tempo_and_the_last_seconds_hold():
    plain = phrase("wave")
    both = Duration(times=1.3).apply(Tempo(1.3).apply(plain))
    assert seconds(both) == pytest.approx(seconds(plain), abs=3.0 * FRAME)
    assert seconds(Duration(seconds=5.0).apply(Duration(seconds=4.0).apply(plain))) == pytest.approx(5.0, abs=FRAME)
    asked = Duration(seconds=4.0).ask(Duration(seconds=5.0).ask(plain, source="edit"), source="sketch")
    assert seconds(asked) == pytest.approx(5.0, abs=FRAME)


def test_a_stretch_takes_so_many_seconds_and_the_rest_as_long_as_it_did():
    plain = phrase("drink")
    strokes = body_strokes(plain)
    own = durations(Duration(seconds=2.5).apply(plain, Scope(start=1.3, end=2.3)), plain)
    middles = 0.5 * (strokes.edges[1:] + strokes.edges[:-1])
    inside = (middles > 1.3) & (middles < 2.3)
    assert inside.any()
    assert own[inside].sum() == pytest.approx(2.5, abs=4.0 * FRAME)  # it ends between samples of curves
    assert np.abs(own - strokes.lasts)[~inside].max() < 2.0 * FRAME


@pytest.mark.parametrize("own", [Rhythm(), Rhythm(pattern=(2, 1), amount=0.0), Speed(), Duration()])
def test_neutral_asks_for_nothing(own):
    plain = phrase("wave")
    assert own.neutral
    assert own.apply(plain) is plain


def test_a_walk_that_goes_round_keeps_the_rhythm_of_its_gait():
    plain = phrase("walk in place")
    assert plain.loop
    assert seconds(Rhythm((2, 1)).apply(plain)) == seconds(plain)
