"""Phrases generated at any rate on any body; edits that add up; recordings with their detail."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bodies import BODIES, acted_and_made
from kinesphere import Effort, Shape
from kinesphere.body import body_of
from kinesphere.builtin import gesture
from kinesphere.engine.arm_plan import arm_plan
from kinesphere.engine.embodiment import embody
from kinesphere.engine.generation import generate
from kinesphere.engine.phrases import figure_body, phrase_of
from kinesphere.laban.stillness import Stillness
from kinesphere.maths import rotations as R
from kinesphere.motion.edit import PhraseEdit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import WHOLE, Scope
from score.gestures import five_goals

RATES = (24.0, 30.0, 50.0, 60.0, 120.0, 144.0)
NAMES = ("wave", "clap", "drink", "point", "bow", "emphasise", "reach")
ON_FRAMES = ("drink", "point", "bow")  # gestures whose goals come at whole frames of 60 a second
WHO = ("figure", "child", "T-pose, odd axes")
few = settings(max_examples=8)
factors = st.floats(-0.5, 0.5).map(lambda value: round(value, 3))
efforts = st.builds(Effort, factors, factors, factors, factors)
shapes = st.builds(Shape, factors, factors, factors, factors)


def body(who):
    return figure_body() if who == "figure" else body_of(BODIES[who])


@cache
def both(name, who, rate):
    """A gesture's phrase, and its motions on the engine's actor and on the body."""
    phrase = phrase_of(gesture(name), body(who))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a child does not reach so far
        return phrase, *acted_and_made(phrase, rate)


def same(first: Motion, second: Motion, most=1e-9):
    assert len(first) == len(second)
    assert np.abs(first.rotations - second.rotations).max() < most
    assert np.abs(first.translations - second.translations).max() < most


# Rates


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("name", NAMES)
def test_goals_are_met_on_their_frames_at_any_rate(name, rate, who):
    phrase, acted, _ = both(name, who, rate)
    turned, placed = acted.world()
    index, actor = acted.skeleton.index, embody(phrase.body).actor
    chest = R.conjugate(turned[:, index("upperChest")])
    for side in SIDES:
        plan = arm_plan(phrase, side, actor, rate)
        if plan is None:
            continue
        hand, shoulder = (placed[:, index(f"{side}{part}")] for part in ("Hand", "UpperArm"))
        seen = R.rotate(chest, hand - shoulder)
        for key in np.flatnonzero(plan.stops & ~plan.relaxed):
            frame = plan.frames[key]
            assert abs(frame / rate - plan.times[key]) <= 0.5 / rate + 1e-9
            if plan.fixed[key]:
                if who != "child":
                    assert np.linalg.norm(hand[frame] - plan.positions[key]) < 1e-3
            elif np.linalg.norm(plan.positions[key]) < plan.limb.reach - 1e-3:
                assert np.linalg.norm(seen[frame] - plan.positions[key]) < 1e-3


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("name", [*NAMES, "punch", "knock"])
def test_nothing_pops_at_any_rate(name, rate, who):
    """Accelerations are those of 60 frames a second, but for what fewer frames do not show and more show sharper."""
    _, _, made = both(name, who, rate)
    _, _, usual = both(name, who, 60.0)

    def most(motion):
        return np.linalg.norm(np.diff(motion.positions_world(), 2, axis=0), axis=-1).max() * motion.rate**2

    assert most(made) < 1.6 * most(usual) + (10.0 if name == "reach" else 1.0)
    assert most(made) < 120.0
    steps = R.angle_between(made.rotations[1:], made.rotations[:-1])
    assert steps.max() * rate < 30.0  # radians a second


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("name", NAMES)
def test_the_duration_does_not_depend_on_the_rate(name, rate, who):
    phrase, _, made = both(name, who, rate)
    assert made.rate == rate
    assert abs(made.duration - phrase.duration) <= 1.0 / rate + 1e-9


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("name", NAMES)
def test_frames_that_two_rates_share_agree(name, who):
    """Within 1 mm where goals come at whole frames of both; else goals are half a frame apart, and so is the rest."""
    fine, usual = (both(name, who, rate)[2].positions_world() for rate in (120.0, 60.0))
    assert len(fine) == 2 * len(usual) - 1
    off = np.linalg.norm(fine[::2] - usual, axis=-1)
    fastest = np.linalg.norm(np.diff(fine, axis=0), axis=-1).max()
    assert off.max() < (1e-3 if name in (*ON_FRAMES, "reach") else 1.1 * fastest)


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("name", NAMES)
def test_feet_that_stand_are_planted(name, rate, who):
    phrase, _, made = both(name, who, rate)
    turned, placed = made.world()
    for point in phrase.body.soles:
        path = placed[:, point.joint] + R.rotate(turned[:, point.joint], np.tile(point.offset, (len(made), 1)))
        assert np.ptp(path, axis=0).max() < 1e-3


@pytest.mark.parametrize("rate", [0.0, -60.0, 0.5, 1e6, float("nan"), float("inf")])
def test_rates_that_are_none_are_refused(rate):
    with pytest.raises(ValueError, match="10 to 1000 frames a second"):
        generate(phrase_of(gesture("wave")), rate)


def test_several_phrases_on_several_bodies_are_what_they_are_alone():
    phrases = [phrase_of(gesture(name), body(who)) for name in ("wave", "bow") for who in WHO]
    for together, phrase in zip(generate(phrases, 50.0), phrases, strict=True):
        same(together, generate(phrase, 50.0))
        assert together.skeleton is phrase.body.skeleton
    assert generate([]) == []


@pytest.mark.parametrize("height", [0.85, 1.2, 2.1])
@pytest.mark.parametrize("name", ["wave", "bow", "punch"])
def test_a_figure_of_another_height_does_the_same_larger_or_smaller(name, height):
    """All but arms while they hang: shorter pendulums swing more quickly."""
    ours, other = (phrase_of(gesture(name), figure_body(h)) for h in (1.7, height))
    for side in SIDES:
        if ours.arm(side).keys is not None:
            assert np.array_equal(ours.arm(side).keys.positions, other.arm(side).keys.positions)
    plain, made = generate(ours), generate(other)
    off = np.linalg.norm(made.positions_world() * 1.7 / height - plain.positions_world(), axis=-1).max(axis=0)
    far = dict(zip(plain.skeleton.names, off, strict=True))
    assert max(far[f"{side}{part}"] for side in SIDES for part in ("Foot", "Toes")) < 1e-12
    assert max(far[part] for part in ("hips", "head", "leftUpperArm", "rightLowerLeg")) < 1e-3
    assert off.max() < 0.03
    for side in SIDES:
        first, second = (arm_plan(own, side, embody(own.body).actor) for own in (ours, other))
        if first is not None:
            assert second.positions == pytest.approx(height / 1.7 * first.positions, abs=1e-9)


# Edits that add up, and edits that do not


@dataclass(frozen=True)
class Slower(PhraseEdit):
    """Makes strokes of arms last longer, whatever they are."""

    times: float = 1.5

    @property
    def neutral(self) -> bool:
        return self.times == 1.0

    def apply(self, phrase: Phrase, scope: Scope = WHOLE) -> Phrase:
        made = {}
        for part, track in phrase.tracks.items():
            if track.keys is not None:
                before = track.stroke("duration", int(track.keys.stops.sum()) - 1)
                made[part] = replace(track, strokes={**track.strokes, "duration": self.times * before})
        return phrase.with_tracks(made)


@given(efforts, efforts)
@few
def test_efforts_add_up_in_any_order(one, other):
    phrase = phrase_of(five_goals())
    asked = generate(Effort(*(one.factors + other.factors))(phrase))
    same(generate(one(other(phrase))), asked)
    same(generate(other(one(phrase))), asked)


@given(efforts, shapes)
@few
def test_effort_shape_and_stillness_go_in_any_order(effort, shape):
    phrase, still = phrase_of(gesture("wave")), Stillness(0.5)
    first, second = still(shape(effort(phrase))), effort(still(shape(phrase)))
    same(generate(first), generate(second))
    assert first.original is phrase
    assert len(first.applied_edits) == 3


@given(efforts, efforts)
@few
def test_an_edit_of_another_kind_is_kept_by_what_comes_after(one, other):
    phrase = phrase_of(five_goals())
    plain, made = other(one(phrase)), other(Slower()(one(phrase)))
    alone, after = one(phrase).arm("right").strokes["duration"], other(phrase).arm("right").strokes["duration"]
    assert made.arm("right").strokes["duration"] == pytest.approx(np.clip(1.5 * alone * after, 0.05, 20.0))
    assert Slower()(plain).arm("right").strokes["duration"] == pytest.approx(
        1.5 * plain.arm("right").strokes["duration"]
    )
    same(generate(Effort()(Slower()(one(phrase)))), generate(Slower()(one(phrase))))


def test_shape_stillness_and_channels_of_other_edits_are_kept():
    phrase = phrase_of(five_goals())
    shaped = Slower()(Shape(vertical=-0.5)(Stillness(0.4)(phrase)))
    after = Effort(time=0.5)(shaped)
    assert np.array_equal(after.arm("right").placed, shaped.arm("right").placed)
    assert after.added_channels.keys() == shaped.added_channels.keys()
    for name, value in shaped.added_channels.items():
        assert after.added_channels[name] == pytest.approx(value)
    assert after.life == pytest.approx(0.6)
    twice = Shape(vertical=-0.5)(shaped)
    for name, value in shaped.added_channels.items():
        assert twice.added_channels[name] == pytest.approx(2.0 * value)
    statue = Stillness(1.0)(replace(phrase, fidget=0.7))
    assert (statue.life, statue.fidget) == (0.0, 0.0)


def test_edits_change_nothing_in_place():
    phrase = phrase_of(five_goals())
    before = generate(phrase)
    strokes = dict(phrase.arm("right").strokes)
    made = Slower()(Shape(0.5, 0.5)(Effort(1.0, 1.0, 1.0, 1.0)(phrase)))
    generate(made)
    assert phrase.applied is None
    assert dict(phrase.arm("right").strokes) == strokes
    assert phrase.arm("right").placed is None
    same(generate(phrase), before, 1e-15)
