"""Lifting: the strokes, steps, contacts and loops that are found in recordings, and those that are none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bodies import BODIES
from gaits import Plan, gait, short_steps
from kinesphere import Effort, Motion, Shape, Skeleton, body_of, generate, lift, load, loop, perform
from kinesphere.builtin.library import motion as builtin
from kinesphere.engine.detail import LEGS_LEAD, REST_LEADS
from kinesphere.engine.lifting import hand_strokes_in
from kinesphere.engine.stroke_finding import find_strokes
from kinesphere.maths import rotations as R
from kinesphere.motion.referent import Kind
from recordings import moved, record, with_other_axes

MOTIONS = ("wave", "drink", "clap", "walk", "bow", "point", "walk in place")


# Identity


@pytest.mark.parametrize("name", MOTIONS)
def test_what_is_lifted_generates_the_recording_itself(name):
    motion = builtin(name)
    phrase = lift(motion)
    assert generate(phrase, motion.rate) is motion
    for neutral in (Effort(), Shape()):
        assert generate(neutral(phrase), motion.rate) is motion
    assert generate(Shape()(Effort()(phrase)), motion.rate) is motion
    assert perform(motion) is motion
    assert perform(motion, Effort(weight=1.0), intensity=0.0) is motion
    assert perform(motion, words={"sad": 0.0, "proud": 0.0}) is motion


@pytest.mark.parametrize("who", BODIES)
def test_any_body_is_lifted(who):
    motion = record("wave", body_of(BODIES[who]))
    phrase = lift(motion)
    assert generate(phrase, motion.rate) is motion
    assert phrase.body.skeleton.names == motion.skeleton.names
    strokes = [lead for lead in phrase.detail.strokes.leads if lead == "right_arm"]
    assert len(strokes) >= 3  # it goes up, to and fro, and down


def test_another_rate_is_resampling():
    motion = record("wave")
    made = generate(lift(motion), 24.0)
    assert made.rate == 24.0
    np.testing.assert_array_equal(made.rotations, motion.resampled(24.0).rotations)


@pytest.mark.data
def test_captures_are_themselves(data_dir):
    for name in ("cmu/141_16", "cmu/07_01", "mova/MS2_8Walk_M", "animated_drawings/jesse_dance", "three_js/pirouette"):
        motion = load(data_dir / "bvh" / f"{name}.bvh")
        phrase = lift(motion)
        assert generate(phrase, motion.rate) is motion
        assert generate(Effort()(phrase), motion.rate) is motion


# Strokes


def strokes_path(times, places, rate, noise=0.0, seed=1):
    """A path of minimum-jerk strokes between places, resting in between."""
    count = int(times[-1][1] * rate) + round(0.5 * rate)
    t = np.arange(count) / rate
    path = np.repeat([np.array(places[0], dtype=float)], count, axis=0)
    for (start, end), before, after in zip(times, places[:-1], places[1:], strict=True):
        u = np.clip((t - start) / (end - start), 0.0, 1.0)
        path += (u**3 * (10 - 15 * u + 6 * u**2))[:, None] * (np.array(after) - np.array(before))
    return path + noise * np.random.default_rng(seed).normal(size=path.shape)


TIMES = [(0.5, 1.0), (1.6, 2.0), (2.0, 2.5), (3.2, 4.4)]
PLACES = [(0, -1, 0), (0.3, 0.2, 0.6), (-0.3, 0.2, 0.6), (0.3, 0.3, 0.5), (0, -1, 0)]


@pytest.mark.parametrize("rate", [24.0, 30.0, 60.0, 119.88, 240.0])
@pytest.mark.parametrize("noise", [0.0, 0.001])
def test_strokes_are_found_where_they_are(rate, noise):
    found = find_strokes(strokes_path(TIMES, PLACES, rate, noise), rate)
    assert len(found) == len(TIMES)
    for start, peak, end, (begins, arrives) in zip(found.starts, found.peaks, found.ends, TIMES, strict=True):
        still = 0.1 * (arrives - begins) + 1.5 / rate  # a tenth of the time has a tenth of the speed
        assert start / rate == pytest.approx(begins, abs=still)
        assert end / rate == pytest.approx(arrives, abs=still)
        assert peak / rate == pytest.approx(0.5 * (begins + arrives), abs=still)


@given(st.integers(0, 1000), st.sampled_from([24.0, 60.0, 120.0]))
@settings(max_examples=25)
def test_strokes_are_in_order_and_within_the_clip(seed, rate):
    rng = np.random.default_rng(seed)
    path = np.cumsum(rng.normal(size=(200, 3)), axis=0) * rng.uniform(0.0, 0.05)
    found = find_strokes(path, rate)
    assert (found.starts < found.ends).all()
    assert (found.ends[:-1] <= found.starts[1:]).all()
    assert ((found.starts <= found.peaks) & (found.peaks <= found.ends)).all()
    assert not len(found) or (found.starts[0] >= 0 and found.ends[-1] < len(path))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 50])
def test_what_rests_has_no_strokes(count):
    assert len(find_strokes(np.full((count, 3), 0.4), 60.0)) == 0


def test_tremor_is_no_stroke():
    t = np.arange(600) / 120.0
    path = 0.004 * np.stack([np.sin(2 * np.pi * 7 * t), np.cos(2 * np.pi * 6 * t), 0 * t], axis=1)
    assert len(find_strokes(path, 120.0)) == 0


@pytest.mark.parametrize(("far", "seconds", "strokes"), [(0.15, 1.2, 0), (0.15, 0.25, 1), (0.9, 5.0, 1)])
@pytest.mark.parametrize("rate", [30.0, 120.0])
def test_what_is_slow_must_go_farther(far, seconds, strokes, rate):
    path = strokes_path([(0.5, 0.5 + seconds)], [(0, -1, 0), (far, -1, 0)], rate, 0.0005)
    assert len(find_strokes(path, rate)) == strokes


@pytest.mark.parametrize("seconds", [0.12, 0.2, 0.4, 0.8])
@pytest.mark.parametrize("back", [(0.0, 0.0, 0.0), (0.1, 0.1, 0.1)])
@pytest.mark.parametrize("rate", [60.0, 120.0])
def test_jabs_that_run_into_each_other_are_strokes(seconds, back, rate):
    """Each begins before the one before has ended: a tenth of the time they overlap, so that no speed is zero."""
    times = [(0.5 + 0.9 * i * seconds, 0.5 + (0.9 * i + 1.0) * seconds) for i in range(6)]
    places = [(0, 0, 0) if i == 0 else (0.2, 0.1, 0.6) if i % 2 else back for i in range(7)]
    found = find_strokes(strokes_path(times, places, rate), rate)
    assert len(found) == 6
    turns = [0.5 * (end + start) for (_, end), (start, _) in zip(times[:-1], times[1:], strict=True)]
    np.testing.assert_allclose(found.ends[:-1] / rate, turns, atol=0.03 + 1.0 / rate)


@pytest.mark.parametrize("name", ["wave", "drink", "walk"])
def test_keys_are_where_the_hand_was(name):
    motion = record(name)
    phrase = lift(motion)
    for side in ("left", "right"):
        keys = phrase.arm(side).keys
        frames = np.round(keys.times * motion.rate).astype(int)
        np.testing.assert_allclose(keys.positions, phrase.detail.poses.wrist(side)[frames], atol=1e-12)
        assert (keys.times[0], keys.times[-1]) == (0.0, pytest.approx(phrase.duration))


@pytest.mark.parametrize("name", MOTIONS)
def test_strokes_of_the_body_follow_each_other(name):
    phrase = lift(record(name))
    strokes = phrase.detail.strokes
    assert strokes.edges[0] == 0.0
    assert strokes.edges[-1] == phrase.duration
    assert (np.diff(strokes.edges) > 0.0).all()
    assert len(strokes.leads) == len(strokes.lengths) == len(strokes.edges) - 1
    assert ((strokes.lengths > 0.0) == [lead not in (REST_LEADS, LEGS_LEAD) for lead in strokes.leads]).all()


def test_what_is_found_does_not_depend_on_place_heading_or_axes():
    motion = record("drink")
    phrase = lift(motion)
    for other in (moved(motion, 2.0, (3.0, 0.0, -5.0)), with_other_axes(motion)):
        same = lift(other)
        np.testing.assert_allclose(same.detail.strokes.edges, phrase.detail.strokes.edges, atol=1e-9)
        for side in ("left", "right"):
            np.testing.assert_allclose(same.arm(side).keys.times, phrase.arm(side).keys.times, atol=1e-9)
            np.testing.assert_allclose(same.arm(side).keys.positions, phrase.arm(side).keys.positions, atol=1e-6)
        assert [own.kind for own in same.referents] == [own.kind for own in phrase.referents]


# Steps, contacts, loops


def test_a_walk_has_strikes_in_turn():
    motion = builtin("walk")
    steps = lift(motion).detail.steps
    assert len(steps.strikes) >= 4
    assert all(a != b for a, b in zip(steps.strike_sides[:-1], steps.strike_sides[1:], strict=True))
    gaps = np.diff(steps.strikes)
    assert gaps.std() < 0.1 * gaps.mean()  # it is an even walk
    assert steps.walking.max() == 1.0


def test_a_gesture_does_not_walk():
    for name in ("wave", "clap", "bow", "drink"):
        steps = lift(record(name)).detail.steps
        assert not steps.walks
        assert not steps.walking.any()
        assert not steps.flying.any()


SHUFFLES = {
    "a shuffle": {"way": (0.0, 0.09), "step": 0.4},
    "a slow shuffle": {"way": (0.0, 0.09), "step": 0.9},
    "to the side": {"way": (0.16, 0.0)},
    "backwards": {"way": (0.0, -0.1)},
    "aslant": {"way": (0.08, 0.07)},
    "a turn on the spot": {"turn": 0.35},
    "an arc": {"way": (0.0, 0.07), "turn": 0.1},
}
IN_PLACE = {
    "standing": {},
    "from foot to foot": {"step": 0.6},
    "a step there and back": {"way": (0.12, 0.0), "back": 2},
    "shifts": {"way": (0.03, 0.0), "back": 1},
}


@pytest.mark.parametrize("name", SHUFFLES)
@pytest.mark.parametrize("rate", [30.0, 60.0, 120.0])
def test_short_steps_in_turn_are_locomotion(name, rate):
    made = short_steps(Plan(), rate, **SHUFFLES[name])
    steps = lift(made).detail.steps
    assert len(steps.strikes) >= 10  # of twelve
    assert all(a != b for a, b in zip(steps.strike_sides[:-1], steps.strike_sides[1:], strict=True))
    step = SHUFFLES[name].get("step", 0.5)
    np.testing.assert_allclose(np.diff(steps.strikes), step, atol=0.1 * step + 1.0 / rate)
    middle = round((1.0 + 6 * step) * rate)
    assert steps.walking[middle] == 1.0
    assert not steps.walking[: round(0.5 * rate)].any()
    perform(made, Effort(weight=1.0))


@pytest.mark.parametrize("name", IN_PLACE)
def test_feet_that_bring_nobody_anywhere_do_not_walk(name):
    steps = lift(short_steps(Plan(), 60.0, **IN_PLACE[name])).detail.steps
    assert not steps.walks


def test_weight_that_shifts_is_no_walk():
    assert not lift(gait(Plan(), 60.0, kind="shift")).detail.steps.walks


def test_hands_lead_where_they_do_more_than_short_steps():
    made = short_steps(Plan(), 60.0, **SHUFFLES["to the side"])
    local, t = made.rotations.copy(), made.times
    arm = made.skeleton.roles["rightUpperArm"]
    local[:, arm] = R.from_rotation_vector(np.outer(1.2 * np.sin(2.0 * np.pi * t), [0.0, 0.0, 1.0]))
    assert not lift(replace(made, rotations=R.continuous(local))).detail.steps.walks


@pytest.mark.data
def test_captured_shuffles(data_dir):
    steps = lift(load(data_dir / "bvh/cmu/137_33.bvh")).detail.steps
    assert len(steps.strikes) > 45  # an old man's, over 22 seconds
    assert steps.walking.mean() > 0.8
    for name in ("13_26", "13_10", "144_28", "79_36"):  # who directs traffic steps about, too
        assert not lift(load(data_dir / f"bvh/cmu/{name}.bvh")).detail.steps.walking[:600].any()


def jump(height=0.5, rate=120.0):
    """Standing, a flight of the whole body under gravity, and standing again."""
    idle = builtin("idle").resampled(rate)
    flight = np.sqrt(8.0 * height / 9.81)
    t = np.arange(round(3.0 * rate)) / rate
    u = np.clip(t - 1.2, 0.0, flight)
    rise = 0.5 * 9.81 * u * (flight - u)
    still = np.repeat(idle.rotations[:1], len(t), axis=0)
    translations = np.repeat(idle.translations[:1], len(t), axis=0)
    translations[:, 0, 1] += rise
    return Motion(idle.skeleton, rate, still, translations, name="jump"), flight


def test_a_jump_is_a_flight():
    motion, flight = jump()
    flying = lift(motion).detail.steps.flying
    assert flying.sum() / motion.rate == pytest.approx(flight, abs=0.15)
    middle = (1.2 + 0.5 * flight) * motion.rate
    assert flying[int(middle)] == 1.0
    assert not flying[: int(1.0 * motion.rate)].any()


def test_hands_that_touch_meet_and_point_are_found():
    kinds = {name: {own.kind for own in lift(builtin(name)).referents} for name in ("drink", "clap", "point", "bow")}
    assert Kind.TOUCH in kinds["drink"]
    assert Kind.MEET in kinds["clap"]
    assert Kind.AIM in kinds["point"]
    assert not kinds["bow"] - {Kind.PLACE}
    (mouth,) = (own for own in lift(builtin("drink")).referents if own.kind == Kind.TOUCH)
    assert (mouth.joint, mouth.arm) == ("head", "right")


def test_a_hand_that_stays_while_the_body_moves_holds_on_to_something():
    motion = builtin("idle")
    body = body_of(motion)
    t = motion.times
    translations = motion.translations.copy()
    translations[:, 0, 0] += 0.08 * np.sin(2 * np.pi * 0.5 * t)
    swaying = replace(motion, translations=translations)
    from kinesphere import Displace

    held = Displace(
        [
            {
                "part": "rightHand",
                "seconds": float(s),
                "to": tuple(motion.positions_world()[0, body.roles["rightHand"]] + [0, 0.3, 0.25]),
            }
            for s in np.arange(0.2, motion.duration, 0.1)
        ]
    )(swaying)
    found = [own for own in lift(held).referents if own.arm == "right"]
    assert any(own.kind == Kind.PLACE for own in found)


def test_loops_are_known():
    assert lift(builtin("walk in place")).loop
    assert lift(loop(builtin("walk"), search=True)).loop  # it travels
    assert not lift(builtin("wave")).loop
    still = builtin("idle")
    assert not lift(replace(still, rotations=np.repeat(still.rotations[:1], len(still), axis=0))).loop


# What cannot be lifted, and what has little to lift


def test_what_is_no_humanoid_is_refused_with_what_is_missing():
    skeleton = Skeleton(("root", "tail"), np.array([-1, 0]), np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.3]]))
    motion = Motion(skeleton, 30.0, R.identity(5, 2))
    with pytest.raises(ValueError, match="leftUpperArm"):
        lift(motion)
    with pytest.raises(TypeError, match="is no motion"):
        lift("walk.bvh")


@pytest.mark.parametrize("part", ["Arm", "Leg"])
def test_bodies_without_arms_or_legs_are_refused_with_their_names(part):
    motion = builtin("wave")
    names = [name for name in motion.skeleton.names if part not in name and not name.endswith(("Hand", "Foot", "Toes"))]
    names = [name for name in names if not any(f in name for f in ("Thumb", "Index", "Middle", "Ring", "Little"))]
    keep = [motion.skeleton.index(name) for name in names]
    place = {joint: i for i, joint in enumerate(keep)} | {-1: -1}
    parents = np.array([place[int(motion.skeleton.parents[joint])] for joint in keep])
    roles = {role: place[joint] for role, joint in motion.skeleton.roles.items() if joint in place}
    skeleton = Skeleton(tuple(names), parents, motion.skeleton.offsets[keep], roles=roles)
    with pytest.raises(ValueError, match=f"Upper{part}"):
        perform(Motion(skeleton, 60.0, motion.rotations[:, keep]), Effort(weight=1.0))


@pytest.mark.parametrize("frames", [1, 2, 3, 5, 9])
def test_a_few_frames_are_performed(frames):
    motion = record("wave")[60 : 60 + frames]
    assert generate(lift(motion), motion.rate) is motion
    for edit in (Effort(weight=1.0), Effort(-1.0, -1.0, -1.0, -1.0), Shape(1.0, 1.0, 1.0)):
        made = perform(motion, edit) if isinstance(edit, Effort) else perform(motion, shape=edit)
        assert np.isfinite(made.rotations).all()
        assert np.isfinite(made.translations).all()
        assert 1 <= len(made) <= 4 * frames + 1


def test_a_body_that_does_nothing_does_nothing_else():
    motion = builtin("idle")
    still = replace(motion, rotations=np.repeat(motion.rotations[:1], len(motion), axis=0))
    phrase = lift(still)
    assert phrase.detail.strokes.leads == (REST_LEADS,)
    made = perform(still, Effort(time=1.0))
    assert np.abs(np.diff(made.positions_world(), axis=0)).max() < 0.02


@pytest.mark.parametrize("size", [0.012, 0.5, 12.0])
def test_a_jump_is_one_at_any_size(size):
    motion, _ = jump()
    found = lift(motion).detail.steps.flying
    np.testing.assert_allclose(lift(motion.scaled(size)).detail.steps.flying, found)
    assert found.any()


@pytest.mark.parametrize("times_quicker", [1, 3, 4])
def test_quick_waves_are_strokes_of_the_body(times_quicker):
    """Not rests, however short they are: what nobody else does, the body's clock has."""
    wave = builtin("wave")
    quick = replace(wave, rate=times_quicker * wave.rate).resampled(120.0)
    detail = lift(quick).detail
    strokes = detail.strokes
    for peak in hand_strokes_in(detail, "right").peaks / quick.rate:
        assert strokes.leads[int(np.searchsorted(strokes.edges, peak)) - 1] == "right_arm"
