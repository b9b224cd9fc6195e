"""Walks: on any body, at any rate, under any edit, without sliding feet and without knees that lock."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bodies import BODIES, acted_and_made
from engine.walking import ATTITUDES, BODIES_THAT_WALK, ELEMENTS, knees, slides, walk
from kinesphere import Effort, Express, Phrase, Shape, Stillness, Words, body_of
from kinesphere.builtin import motion
from kinesphere.builtin.library import movement
from kinesphere.direction.words import vocabulary
from kinesphere.engine.gait_clock import GaitClock
from kinesphere.engine.generation import body_clock, generate
from kinesphere.engine.phrases import phrase_of
from kinesphere.maths import rotations
from kinesphere.motion.gait import GAIT_OVERLAYS
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Track

EDITS = ELEMENTS | ATTITUDES
LARGEST_SLIDE = 0.001  # metres
# The walk as it was before a phrase could have a gait: hips, left hand, right foot and head at some frames, in metres.
AS_IT_WAS = {
    37: (
        (-0.020333, 0.917757, 0.796469),
        (0.239796, 0.838683, 0.876608),
        (-0.045241, 0.073191, 0.722513),
        (-0.023424, 1.485626, 0.830907),
    ),
    200: (
        (0.019592, 0.914395, 4.329463),
        (0.251519, 0.830938, 4.454448),
        (-0.045877, 0.125279, 4.357519),
        (0.023623, 1.482394, 4.363396),
    ),
}


def same(one: Motion, other: Motion) -> bool:
    return np.array_equal(one.rotations, other.rotations) and np.array_equal(one.translations, other.translations)


# Without edits


def test_an_unedited_walk_is_as_it_was():
    made = motion("walk")
    joints = [made.skeleton.index(name) for name in ("hips", "leftHand", "rightFoot", "head")]
    for frame, places in AS_IT_WAS.items():
        assert made.positions_world()[frame, joints] == pytest.approx(np.array(places), abs=1e-6)


@pytest.mark.parametrize("name", ["walk", "walk in place"])
@pytest.mark.parametrize("edit", [Effort(), Shape(), Express(), Express(effort=Effort(weight=1.0), intensity=0.0)])
def test_neutral_edits_change_no_bit(name, edit):
    assert same(generate(edit(walk(name))), motion(name))


@pytest.mark.parametrize("body", BODIES_THAT_WALK)
def test_a_little_of_an_edit_is_nearly_nothing(body):
    plain = walk(body=BODIES_THAT_WALK[body]())
    for edit in EDITS.values():
        little = generate(replace(edit, intensity=1e-6)(plain))
        assert np.abs(little.positions_world() - generate(plain).positions_world()).max() < 2e-4


# Feet


@pytest.mark.parametrize("intensity", [1.0, 2.0])
@pytest.mark.parametrize("name", EDITS)
def test_planted_feet_stay(name, intensity):
    assert slides(replace(EDITS[name], intensity=intensity)(walk())) < LARGEST_SLIDE
    assert slides(replace(EDITS[name], intensity=intensity)(walk("walk in place"))) < LARGEST_SLIDE


@pytest.mark.parametrize("intensity", [1.0, 2.0])
def test_planted_feet_stay_in_every_word(intensity):
    phrases = [Words({word: 1.0}, intensity)(walk()) for word in vocabulary()]
    for phrase, made in zip(phrases, generate(phrases), strict=True):
        assert slides(phrase, motion=made) < LARGEST_SLIDE, phrase.applied_edits


@pytest.mark.parametrize("rate", [24.0, 60.0, 120.0])
@pytest.mark.parametrize("body", BODIES_THAT_WALK)
def test_planted_feet_stay_on_any_body_at_any_rate(body, rate):
    plain = walk(body=BODIES_THAT_WALK[body]())
    assert slides(plain, rate) < LARGEST_SLIDE
    for edit in EDITS.values():
        assert slides(replace(edit, intensity=2.0)(plain), rate) < 1.5 * LARGEST_SLIDE


moments = st.dictionaries(
    st.integers(0, 80).map(lambda n: n / 20.0), st.builds(Effort, *[st.floats(-1.0, 1.0)] * 4), min_size=2, max_size=4
)


@given(moments)
@settings(max_examples=25)
def test_planted_feet_stay_where_dials_change(effort):
    phrase = Express(effort=effort)(walk())
    assert slides(phrase) < LARGEST_SLIDE
    assert knees(generate(phrase)).min() > 1.0


@pytest.mark.parametrize("name", EDITS)
def test_feet_reach_where_they_are_planted_with_soft_knees(name):
    """A leg that is too short would end above or behind its foot: the ball would not be on the ground."""
    phrase = replace(EDITS[name], intensity=2.0)(walk())
    made = generate(phrase)
    assert knees(made).min() > 3.0
    clock, ball = GaitClock.of(phrase, 60.0), made.skeleton.index("leftToes")
    share = np.mod(clock.phase, 1.0)
    standing = made.positions_world()[(share > 0.2) & (share < 0.4), ball, 1]
    assert np.ptp(standing) < 5e-4


@pytest.mark.parametrize("intensity", [1.0, 2.0])
@pytest.mark.parametrize("name", EDITS)
def test_knees_do_not_pop(name, intensity):
    phrase = replace(EDITS[name], intensity=intensity)(walk())
    made, plain = generate(phrase), motion("walk")
    quicker = (plain.duration / made.duration) ** 2  # the same movement in less time has so many times the acceleration
    jerks = [np.abs(np.diff(knees(own), 2, axis=0)).max() for own in (made, plain)]
    assert jerks[0] < 2.6 * max(quicker, 1.0) * jerks[1]


# Loops


@pytest.mark.parametrize("name", EDITS)
def test_a_walk_on_the_spot_stays_a_loop(name):
    made = generate(replace(EDITS[name], intensity=2.0)(walk("walk in place")))
    places = made.positions_world()
    assert np.abs(places[0] - places[-1]).max() < 1e-6
    assert rotations.angle_between(made.rotations[0], made.rotations[-1]).max() < 1e-6
    twice = np.concatenate([places[:-1], places])
    steps = np.linalg.norm(np.diff(twice, axis=0), axis=-1)
    changes = np.linalg.norm(np.diff(twice, 2, axis=0), axis=-1)
    seam = len(places) - 2
    assert steps[seam - 1 : seam + 2].max() <= 1.05 * steps[: seam - 2].max()
    assert changes[seam - 1 : seam + 2].max() <= 1.05 * changes[: seam - 2].max()


@pytest.mark.parametrize("name", ["strong", "free", "sinking"])
def test_every_stride_of_a_steady_walk_is_the_same(name):
    phrase = EDITS[name](phrase_of(replace(movement("walk"), strides=3)))
    clock, places = GaitClock.of(phrase, 60.0), generate(phrase).positions_world()
    if clock.frames % 3 == 0:
        stride = clock.frames // 3
        travel = places[stride, 0] - places[0, 0]
        assert places[stride:] == pytest.approx(places[:-stride] + travel, abs=1e-6)


# Bodies, rates, batches


@pytest.mark.parametrize("name", BODIES)
def test_any_body_walks_as_the_engine_does(name):
    acted, made = acted_and_made(walk(body=body_of(BODIES[name])))
    for role in ("leftFoot", "rightFoot", "leftHand", "rightHand", "head"):
        place, wanted = (own.positions_world()[:, own.skeleton.roles[role]] for own in (made, acted))
        assert place == pytest.approx(wanted, abs=1e-6), role


def test_longer_legs_take_longer_strides_and_longer_for_them():
    small, tall = (generate(walk(body=body_of(BODIES[name]))) for name in ("child", "no neck"))
    assert small.duration < tall.duration
    hips = [made.positions_world()[:, made.skeleton.roles["hips"], 2] for made in (small, tall)]
    assert hips[0][-1] - hips[0][0] < hips[1][-1] - hips[1][0]


@pytest.mark.parametrize("name", ["neutral", "sudden", "indirect", "light"])
def test_rates_sample_one_walk(name):
    phrase = walk() if name == "neutral" else EDITS[name](walk())
    base = generate(phrase, 120.0)
    for rate in (24.0, 30.0, 60.0):
        made = generate(phrase, rate)
        assert abs(made.duration - base.duration) <= 0.5 / rate + 1e-9
        frames = np.linspace(0.0, 1.0, 9)
        picked, wanted = (own.positions_world()[np.round(frames * (len(own) - 1)).astype(int)] for own in (made, base))
        # A frame that is nearest to a moment is half a frame away from it, at up to 6 m/s.
        assert np.abs(picked - wanted).max() < 6.0 * (0.5 / rate + 0.5 / 120.0)


def test_a_batch_has_the_bits_of_each_alone():
    phrases: list[Phrase] = [walk(), *(edit(walk()) for edit in EDITS.values())]
    phrases += [Effort(weight=1.0)(walk(), start=1.0), walk("walk in place")]
    for phrase, made in zip(phrases, generate(phrases), strict=True):
        assert same(made, generate(phrase))


# Parts, locked times, individuals, edits of others


def test_one_arm_has_its_own_dials():
    made, plain = generate(Effort(flow=1.0)(walk(), parts="right_arm")), motion("walk")
    changed = rotations.angle_between(made.rotations, plain.rotations).max(axis=0)
    names = {made.skeleton.names[joint] for joint in np.flatnonzero(changed > 1e-6)}
    assert "rightUpperArm" in names
    assert all(name.startswith("right") and "Leg" not in name and "Foot" not in name for name in names)


def test_locked_times_keep_the_steps_times():
    free, locked = (generate(Effort(time=1.0, lock_times=own)(walk())) for own in (False, True))
    assert len(locked) == len(motion("walk")) > len(free)
    assert not same(locked, motion("walk"))


def test_individuals_walk_differently_and_each_always_alike():
    plain = movement("walk")
    made = [generate(Express()(phrase_of(plain, seed=seed))) for seed in (1, 1, 2)]
    assert same(made[0], made[1])
    assert len(made[0]) != len(made[2]) or not same(made[0], made[2])


def test_restless_bodies_fidget_as_they_walk_and_statues_do_not_nod():
    head = motion("walk").skeleton.index("head")

    def turning(amount: float) -> float:
        turned = generate(Stillness(amount)(walk())).rotations_world()[:, head]
        return float(rotations.angle_between(turned, turned[:1]).max())

    assert turning(-1.0) > 1.5 * turning(0.0) > 1.5 * turning(1.0)


def test_ranges_hold_where_they_say():
    made, plain = generate(Effort(flow=1.0)(walk(), start=3.0)), motion("walk")
    before = round(2.0 * 60.0)
    assert made.positions_world()[:before] == pytest.approx(plain.positions_world()[:before], abs=0.02)
    last = len(made) - 30
    swing = made.positions_world()[last:, made.skeleton.index("leftHand"), 2]
    hips = made.positions_world()[last:, 0, 2]
    assert np.ptp(swing - hips) < 0.15


@pytest.mark.parametrize("edit", [Effort(time=1.0), Effort(time=-1.0)])
def test_the_clock_says_when_a_step_comes(edit):
    phrase = edit(walk(), start=1.0, end=3.0)
    made, clock = generate(phrase), body_clock(phrase)
    assert float(clock(np.array(phrase.duration))) == pytest.approx(made.duration, abs=1e-6)
    assert float(clock(np.array(0.5))) == pytest.approx(0.5, abs=0.05)


def test_edits_of_others_stay_beneath_effort():
    hips = Track(overlays={"gait.stride": np.asarray(0.5)})
    short = walk().with_tracks({"hips": hips})
    both = Effort(flow=1.0)(short)
    assert float(both.track("hips").overlays["gait.stride"]) == pytest.approx(
        0.5 * float(Effort(flow=1.0)(walk()).track("hips").overlays["gait.stride"])
    )
    assert both.original.track("hips") is hips


@pytest.mark.parametrize(
    ("tracks", "said"),
    [
        ({"hips": {"gait.strid": 1.0}}, "did you mean 'gait.stride'"),
        ({"head": {"gait.stride": 1.0}}, "overlay"),
        ({"hips": {"gait.stride": 9.0}}, "0.1 to 2 is allowed"),
        ({"hips": {"gait.width": float("nan")}}, "gait.width is nan"),
    ],
)
def test_overlays_that_no_walk_has_are_refused(tracks, said):
    with pytest.raises(ValueError, match=said):
        walk().with_tracks({part: Track(overlays=own) for part, own in tracks.items()})


def test_gestures_have_no_overlays_of_walks():
    from kinesphere.builtin import gesture

    for name, row in GAIT_OVERLAYS.items():
        part = "left_arm" if row.part == "arm" else row.part
        with pytest.raises(ValueError, match="overlay"):
            phrase_of(gesture("wave")).with_tracks({part: Track(overlays={name: np.asarray(row.neutral)})})


def test_a_walk_has_no_keys():
    from kinesphere.builtin import gesture

    arm = phrase_of(gesture("wave")).track("right_arm")
    with pytest.raises(ValueError, match="right_arm: found keys in a walk"):
        walk().with_tracks({"right_arm": Track(arm.keys)})
