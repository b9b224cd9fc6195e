"""Performed recordings: what edits do to them, what they leave alone, and that no rig, place or rate matters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bodies import BODIES
from engine.test_generation import Slower
from engine.test_lifting import jump
from kinesphere import (
    Effort,
    Express,
    Score,
    Shape,
    body_of,
    find_contacts,
    generate,
    lift,
    load,
    loop,
    perform,
    stream,
)
from kinesphere.body.contacts import geometric_medians
from kinesphere.body.ground import sole_paths, sole_points
from kinesphere.builtin.library import motion as builtin
from kinesphere.engine.performed_recording import performed_clock
from kinesphere.maths import rotations as R
from kinesphere.maths.vectors import norms, smoothstep
from kinesphere.motion.referent import Kind
from recordings import moved, place, record, with_other_axes

ELEMENTS = {
    "indirect": Effort(space=-1.0),
    "direct": Effort(space=1.0),
    "light": Effort(weight=-1.0),
    "strong": Effort(weight=1.0),
    "sustained": Effort(time=-1.0),
    "sudden": Effort(time=1.0),
    "free": Effort(flow=-1.0),
    "bound": Effort(flow=1.0),
}
WORDS = ("angry", "sad", "joyful", "afraid", "tired")
MIXED = Effort(-0.6, 0.7, 0.5, -0.4)
NAMES = ("wave", "drink", "clap", "walk", "bow")


def same_places(one, other, tolerance):
    assert len(one) == len(other)
    assert np.abs(one.positions_world() - other.positions_world()).max() < tolerance


# What holds of every performance


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("element", ELEMENTS)
def test_bones_stay_rigid_and_numbers_finite(name, element):
    motion = record(name)
    made = perform(motion, ELEMENTS[element])
    assert np.isfinite(made.rotations).all()
    assert np.isfinite(made.translations).all()
    np.testing.assert_allclose(norms(made.rotations), 1.0, atol=1e-9)
    hips = body_of(motion).roles["hips"]
    others = [joint for joint in range(len(motion.skeleton)) if joint != hips]
    np.testing.assert_array_equal(
        made.translations[:, others], np.repeat(motion.translations[:1, others], len(made), 0)
    )
    assert made is not motion


@pytest.mark.parametrize("name", ["wave", "drink", "walk", "bow"])
@pytest.mark.parametrize("word", WORDS)
def test_planted_feet_stay_planted(name, word):
    motion = record(name)
    phrase = Express(words=word)(lift(motion))
    made = generate(phrase, motion.rate)
    assert worst_slide(motion, made, performed_clock(phrase, motion.rate)) < 0.005


def worst_slide(motion, made, clock) -> float:
    """Metres that a sole point moves in a contact more than it did in the recording."""
    points = sole_points(body_of(motion).skeleton)
    contacts = find_contacts(motion)
    before = sole_paths(replace(motion, skeleton=body_of(motion).skeleton), points)
    after = sole_paths(replace(made, skeleton=body_of(motion).skeleton), points)
    worst = 0.0
    for contact in contacts.intervals:
        i = contacts.points.index(contact.name)
        first, last = np.round(clock.to_output(np.array([contact.first, contact.last]) / motion.rate) * made.rate)
        rows = slice(max(int(first), 0), min(int(last), len(made) - 1) + 1)
        source = clock.source[rows] * motion.rate
        was = np.stack([np.interp(source, np.arange(len(motion)), before[:, i, k]) for k in range(3)], axis=1)
        gone = after[rows, i] - was
        gone = gone - geometric_medians(gone[:, None], np.array([[0, 0, len(gone) - 1]]))[0]
        if contact.point == "heel":  # heels may be raised, rolling over their balls: aside they do not go
            ball = contacts.points.index(contact.name.replace("Heel", "Ball"))
            foot = (before[:, ball] - before[:, i])[np.round(source).astype(int)] * [1.0, 0.0, 1.0]
            foot /= np.maximum(norms(foot), 1e-9)[:, None]
            level = gone * [1.0, 0.0, 1.0]
            gone = level - np.sum(level * foot, axis=1)[:, None] * foot
        worst = max(worst, float(norms(gone).max(initial=0.0)))
    return worst


@pytest.mark.parametrize("name", NAMES)
def test_the_same_bits_every_time(name):
    motion = record(name)
    one, other = (perform(replace(motion), MIXED, words="proud", seed=4) for _ in range(2))
    np.testing.assert_array_equal(one.rotations, other.rotations)
    np.testing.assert_array_equal(one.translations, other.translations)


@pytest.mark.parametrize("name", ["wave", "drink", "walk"])
def test_heading_and_place_do_not_matter(name):
    motion = record(name)
    turn, shift = 2.2, (3.0, 0.0, -4.0)
    made = perform(motion, MIXED, words="angry")
    same_places(perform(moved(motion, turn, shift), MIXED, words="angry"), moved(made, turn, shift), 1e-6)


@pytest.mark.parametrize("name", ["wave", "drink", "walk"])
def test_axes_of_joints_do_not_matter(name):
    motion = record(name)
    same_places(perform(with_other_axes(motion), MIXED), perform(motion, MIXED), 1e-6)


@pytest.mark.parametrize("size", [0.012, 0.5, 12.0])
@pytest.mark.parametrize("name", ["wave", "walk", "punch", "point"])
def test_size_does_not_matter(name, size):
    """An ant and a giant take the same time and look the same way as a person does."""
    motion = record(name)
    for effort, words in ((Effort(weight=1.0, space=-0.5), "sad"), (Effort(time=1.0, flow=-0.5), "afraid")):
        made = perform(motion, effort, words=words)
        same_places(perform(motion.scaled(size), effort, words=words), made.scaled(size), 3e-3 * size)


@pytest.mark.parametrize("who", BODIES)
def test_any_body_performs(who):
    motion = record("drink", body_of(BODIES[who]))
    made = perform(motion, MIXED, words="joyful")
    assert np.isfinite(made.positions_world()).all()
    bones = norms(made.positions_world()[:, 1:] - made.positions_world()[:, made.skeleton.parents[1:]])
    assert np.ptp(bones[:, made.skeleton.parents[1:] > 0], axis=0).max() < 1e-6
    phrase = Express(MIXED, words="joyful")(lift(motion))
    clock = performed_clock(phrase, motion.rate)
    assert worst_slide(motion, generate(phrase, motion.rate), clock) < 0.008


@pytest.mark.parametrize("rate", [24.0, 30.0, 60.0, 120.0])
def test_rates_show_the_same_performance(rate):
    motion = record("wave", rate=120.0)
    fine = perform(motion, Effort(weight=1.0, time=0.5))
    made = perform(motion, Effort(weight=1.0, time=0.5), rate=rate)
    assert made.rate == rate
    assert made.duration == pytest.approx(fine.duration, abs=1.0 / rate)
    hand = place(fine.resampled(rate), "rightHand")[: len(made)]
    assert norms(place(made, "rightHand")[: len(hand)] - hand).max() < 0.06


@given(
    st.tuples(*[st.floats(-1.0, 1.0)] * 4),
    st.tuples(*[st.floats(-1.0, 1.0)] * 4),
    st.floats(0.0, 2.0),
    st.floats(-1.0, 1.0),
    st.sampled_from(NAMES),
)
@settings(max_examples=30)
def test_any_dials_make_a_motion(effort, shape, intensity, stillness, name):
    motion = record(name)
    made = perform(motion, Effort(*effort), Shape(*shape), intensity=intensity, stillness=stillness)
    assert np.isfinite(made.rotations).all()
    assert np.abs(made.positions_world() - made.positions_world()[:, :1]).max() < 3.0
    assert 0.15 * motion.duration < made.duration < 6.0 * motion.duration


# What edits do


def levels(measure, dial, name="wave"):
    motion = record(name)
    return [measure(motion, perform(motion, Effort(**{dial: level}))) for level in (-1.0, -0.5, 0.0, 0.5, 1.0)]


def increases(values, least=0.0):
    return all(b > a + least for a, b in zip(values[:-1], values[1:], strict=True))


@pytest.mark.parametrize("name", ["wave", "drink", "clap", "point", "knock", "walk"])
def test_sudden_is_shorter(name):
    assert increases([-value for value in levels(lambda _, made: made.duration, "time", name)])


@pytest.mark.parametrize("name", ["punch", "knock", "emphasise"])
def test_strong_is_lower(name):
    def lowest(motion, made):
        return -place(made, "hips")[:, 1].min()

    assert increases(levels(lowest, "weight", name)[2:], 0.002)


@pytest.mark.parametrize("name", ["wave", "drink", "emphasise"])
def test_direct_is_straighter(name):
    def straightness(motion, made):
        path = lift(made).detail.poses.wrist("right")
        return -float(norms(np.diff(path, axis=0)).sum())  # the same goals by a shorter way

    values = levels(straightness, "space", name)
    assert values[0] < values[2] < values[4]


@pytest.mark.parametrize("name", ["drink", "reach"])
def test_less_swings_on_of_what_creeps(name):
    """Free lets the free arm swing on after strokes of the other one, as far as they are quick."""
    quick = builtin(name)
    creeping = replace(quick, rate=0.2 * quick.rate).resampled(quick.rate)
    swings = []
    for motion in (quick, creeping):
        made = perform(motion, Effort(flow=-1.0))
        idle = body_of(motion).roles["leftHand"]
        ways = [own.positions_world()[:, idle] - own.positions_world()[:1, idle] for own in (made, motion)]
        swings.append(norms(ways[0]).max() - norms(ways[1]).max())
    assert swings[0] > 0.02
    assert swings[1] < 0.6 * swings[0]


def test_shape_rises_and_sinks():
    motion = record("wave")
    heights = [place(perform(motion, shape=Shape(vertical=v)), "rightHand")[:, 1].max() for v in (-1, -0.5, 0, 0.5, 1)]
    assert increases([-height for height in heights], 0.005)


def test_words_differ_from_each_other():
    motion = record("wave")
    made = {word: perform(motion, words=word) for word in WORDS}
    for one in WORDS:
        for other in WORDS:
            if one < other:
                rows = np.linspace(0.0, 1.0, 20)
                heads = [
                    place(own, "head")[np.round(rows * (len(own) - 1)).astype(int)] for own in (made[one], made[other])
                ]
                assert norms(heads[0] - heads[1]).max() > 0.015


def test_intensity_is_how_much():
    motion = record("wave")
    away = [
        np.abs(place(perform(motion, words="sad", intensity=i), "head")[0] - place(motion, "head")[0]).max()
        for i in (0.0, 0.25, 0.5, 1.0)
    ]
    assert away[0] == 0.0
    assert increases(away, 1e-3)


def test_stillness_takes_the_life_out_of_rests():
    motion = record("idle", life=0.01)
    moves = [
        norms(np.diff(place(perform(motion, stillness=still) if still else motion, "head"), axis=0)).mean()
        for still in (0.0, 0.5, 1.0)
    ]
    assert moves[0] > moves[1] > moves[2]
    assert moves[2] < 0.55 * moves[0]
    fidgets = perform(motion, stillness=-1.0)
    assert norms(np.diff(place(fidgets, "head"), axis=0)).mean() > norms(np.diff(place(motion, "head"), axis=0)).mean()


def test_who_rolls_over_does_not_rest():
    """Hands and trunk make no strokes then; stillness takes nothing from where the body goes."""
    motion = record("idle", life=0.01)[:360]
    rolled = 2.0 * np.pi * smoothstep(np.linspace(-1.0, 2.0, len(motion)))
    (root,) = np.flatnonzero(motion.skeleton.parents < 0)
    turn = R.multiply(R.from_axis_angle([0.0, 0.0, 1.0], rolled), R.from_axis_angle([1.0, 0.0, 0.0], -0.5 * np.pi))
    local, translations = motion.rotations.copy(), motion.translations.copy()
    local[:, root] = R.multiply(turn, local[:, root])
    translations[:, root] = np.stack([-0.14 * rolled, np.full(len(motion), 0.14), np.zeros(len(motion))], axis=1)
    lying = replace(motion, rotations=R.continuous(local), translations=translations)
    made = perform(lying, stillness=1.0)
    assert len(made) == len(lying)
    rolls = slice(140, 220)
    hips = motion.skeleton.roles["hips"]
    assert norms(place(made, "hips") - place(lying, "hips"))[rolls].max() < 0.005
    turned = R.angle_between(made.rotations_world()[rolls, hips], lying.rotations_world()[rolls, hips])
    assert turned.max() < np.radians(2.0)
    assert norms(place(made, "head") - place(lying, "head"))[:60].max() > 1e-4  # before, it rests


def test_an_edit_of_any_kind_shows():
    motion = record("wave")
    made = generate(Slower()(lift(motion)), motion.rate)
    assert made.duration > 1.15 * motion.duration


# What they leave alone


def test_a_stretch_leaves_the_rest_alone():
    motion = record("emphasise")
    start = 0.55 * motion.duration
    made = perform(motion, Effort(weight=1.0), start=start, lock_times=True)
    assert len(made) == len(motion)
    early = int((start - 0.9) * motion.rate)
    assert np.abs(made.positions_world()[:early] - motion.positions_world()[:early]).max() < 0.004
    assert np.abs(made.positions_world()[early:] - motion.positions_world()[early:]).max() > 0.02


def test_one_arm_leaves_the_other_alone():
    motion = record("wave")
    made = perform(motion, parts={"right_arm": Effort(space=-1.0, flow=-1.0)}, lock_times=True)
    right = set(motion.skeleton.descendants(motion.skeleton.roles["rightUpperArm"]))
    others = [joint for joint in range(len(motion.skeleton)) if joint not in right]
    assert R.angle_between(made.rotations[:, others], motion.rotations[:, others]).max() < 1e-6
    assert R.angle_between(made.rotations[:, list(right)], motion.rotations[:, list(right)]).max() > 0.1


def test_locked_times_stay():
    motion = record("wave")
    assert len(perform(motion, Effort(time=1.0), lock_times=True)) == len(motion)


def test_arms_have_timing_of_their_own_within_one_clock():
    motion = record("clap")
    both = perform(motion, parts={"left_arm": Effort(time=1.0), "right_arm": Effort(time=-1.0)}, lock_times=True)
    assert len(both) == len(motion)
    left, right = (norms(np.diff(place(both, f"{side}Hand"), axis=0)) for side in ("left", "right"))
    assert np.abs(left - right).max() > 0.002  # they were alike


def test_a_walk_keeps_its_path_if_asked():
    motion = record("walk")
    free, kept = (perform(motion, words="sneakily", keep_path=keep) for keep in (False, True))
    way = norms(place(motion, "hips")[-1] - place(motion, "hips")[0])
    assert norms(place(free, "hips")[-1] - place(free, "hips")[0]) < 0.9 * way
    assert norms(place(kept, "hips")[-1] - place(motion, "hips")[-1]) < 0.06
    clock = performed_clock(Express(words="sneakily", keep_path=True)(lift(motion)), motion.rate)
    assert worst_slide(motion, kept, clock) < 0.005


def test_gravity_stays():
    motion, flight = jump()
    for edit in (Effort(time=-1.0), Effort(time=1.0), Effort(flow=1.0)):
        made = perform(motion, edit)
        height = place(made, "hips")[:, 1]
        top = int(np.argmax(height))
        around = slice(top - int(0.3 * flight * made.rate), top + int(0.3 * flight * made.rate) + 1)
        falls = np.polyfit(np.arange(len(height))[around] / made.rate, height[around], 2)[0] * 2.0
        assert falls == pytest.approx(-9.81, rel=0.03)


@pytest.mark.parametrize("element", ELEMENTS)
def test_a_loop_stays_a_loop(element):
    motion = builtin("walk in place")
    made = perform(motion, ELEMENTS[element])
    assert lift(made).loop
    np.testing.assert_array_equal(made.rotations[0], made.rotations[-1])
    twice = np.concatenate([made.positions_world()[:-1]] * 2)
    jolts = norms(np.diff(twice, 2, axis=0)).max(axis=1)
    seam = jolts[len(made) - 4 : len(made) + 1].max()
    assert seam < 1.3 * jolts[3 : len(made) - 5].max()


@pytest.mark.parametrize("word", ["tired", "joyful", "urgently"])
def test_a_cycle_that_travels_stays_a_cycle(word):
    motion = loop(record("walk"), search=True)
    made = perform(motion, words=word)
    assert lift(made).loop
    np.testing.assert_array_equal(made.rotations[0], made.rotations[-1])
    on = made.translations[-1] - made.translations[0]
    assert abs(on[0, 1]) < 1e-9
    assert norms(on[0]) > 0.3 * norms(motion.translations[-1, 0] - motion.translations[0, 0])
    next_one = replace(made, translations=made.translations + on)
    twice = np.concatenate([made.positions_world()[:-1], next_one.positions_world()])
    jolts = norms(np.diff(twice, 2, axis=0)).max(axis=1)
    recorded = norms(np.diff(motion.positions_world(), 2, axis=0)).max()
    assert jolts[len(made) - 4 : len(made) + 1].max() < max(1.5 * jolts[3 : len(made) - 5].max(), recorded)


@pytest.mark.parametrize("word", [*WORDS, "shy", "proud"])
@pytest.mark.parametrize("start", [None, 0.4])
def test_a_hand_at_the_mouth_stays_there(word, start):
    motion = builtin("drink")
    phrase = Express(words={word: 1.0})(lift(motion), start=start)
    made, shown = generate(phrase, motion.rate), performed_clock(phrase, motion.rate).source
    (touch,) = (own for own in phrase.referents if own.kind == Kind.TOUCH)
    rows = (shown > touch.start) & (shown < touch.end)
    now = in_frame(made, "rightHand", "head")[rows]
    was = np.stack([np.interp(shown[rows], motion.times, c) for c in in_frame(motion, "rightHand", "head").T], axis=1)
    assert norms(now - was).max() < 0.012


def in_frame(motion, hand, joint):
    q, p = motion.world()
    roles = body_of(motion).roles
    away = p[:, roles[hand]] - p[:, roles[joint]]
    return R.rotate(R.conjugate(q[:, roles[joint]]), away)


@pytest.mark.parametrize("word", WORDS)
def test_palms_that_meet_meet(word):
    motion = builtin("clap")
    phrase = Express(words=word)(lift(motion))
    made, clock = generate(phrase, motion.rate), performed_clock(phrase, motion.rate)
    shown = clock.source
    apart = norms(place(made, "leftHand") - place(made, "rightHand"))
    was = np.interp(shown, motion.times, norms(place(motion, "leftHand") - place(motion, "rightHand")))
    for own in phrase.referents:
        if own.kind == Kind.MEET:
            rows = (shown > own.start) & (shown < own.end)
            assert np.abs(apart - was)[rows].max() < 0.005


def test_calibration_frames_are_kept_and_not_performed():
    motion = record("wave")
    t_pose = replace(
        motion,
        rotations=np.concatenate([np.repeat(R.identity(1, len(motion.skeleton)), 2, 0), motion.rotations]),
        translations=np.concatenate([motion.translations[:2], motion.translations]),
        calibration_frames=(0, 1),
    )
    made = perform(t_pose, Effort(weight=1.0))
    assert made.calibration_frames == (0, 1)
    np.testing.assert_array_equal(made.rotations[:2], t_pose.rotations[:2])
    plain = perform(motion, Effort(weight=1.0))
    assert abs(len(made) - 2 - len(plain)) <= 2
    inserted = replace(
        motion,
        rotations=np.concatenate([motion.rotations[:90], R.identity(1, len(motion.skeleton)), motion.rotations[90:]]),
        translations=np.concatenate([motion.translations[:90], motion.translations[:1], motion.translations[90:]]),
        calibration_frames=(90,),
    )
    middle = perform(inserted, Effort(weight=1.0))
    jolts = norms(np.diff(place(middle, "rightHand"), 2, axis=0))
    assert jolts.max() < 2.0 * norms(np.diff(place(plain, "rightHand"), 2, axis=0)).max()


# Lying, sitting, noise


def lying(motion):
    about = R.from_axis_angle([1.0, 0.0, 0.0], -0.5 * np.pi)
    local, translations = motion.rotations.copy(), motion.translations.copy()
    local[:, 0] = R.multiply(about, local[:, 0])
    translations[:, 0] = R.rotate(about, translations[:, 0]) + np.array([0.0, 0.2, 0.0])
    return replace(motion, rotations=R.continuous(local), translations=translations)


def test_who_lies_does_not_sink():
    motion = lying(record("wave"))
    made = perform(motion, Effort(weight=1.0), words="angry")
    hips = place(made, "hips")
    assert norms(hips - hips[0]).max() < norms(place(motion, "hips") - place(motion, "hips")[0]).max() + 0.02
    assert np.isfinite(made.rotations).all()


def test_arms_along_a_body_that_lies_point_at_nothing():
    """They are level and straight, as those of who stands and points are."""
    assert not [own for own in lift(lying(record("idle"))).referents if own.kind == Kind.AIM]
    (aim,) = (own for own in lift(record("point", life=0.0)).referents if own.kind == Kind.AIM)
    assert aim.arm == "right"


def test_who_sits_stays_seated():
    motion = record("wave")
    local, translations = motion.rotations.copy(), motion.translations.copy()
    for side in ("left", "right"):
        for part, angle in (("UpperLeg", -0.5 * np.pi), ("LowerLeg", 0.5 * np.pi)):
            joint = motion.skeleton.roles[f"{side}{part}"]
            local[:, joint] = R.multiply(R.from_axis_angle([1.0, 0.0, 0.0], angle), local[:, joint])
    thigh = norms(motion.skeleton.offsets[motion.skeleton.roles["leftLowerLeg"]])
    translations[:, 0, 1] -= thigh
    seated = replace(motion, rotations=R.continuous(local), translations=translations)
    phrase = Express(Effort(weight=1.0), words="angry")(lift(seated))
    made, frames = generate(phrase, seated.rate), performed_clock(phrase, seated.rate).source * seated.rate
    for role in ("hips", "leftFoot", "rightFoot"):
        was = np.stack([np.interp(frames, np.arange(len(seated)), c) for c in place(seated, role).T], axis=1)
        assert norms(place(made, role) - was).max() < 0.02


def test_noise_stays_noise():
    motion = record("wave")
    rng = np.random.default_rng(1)
    shaken = R.multiply(
        motion.rotations, R.from_rotation_vector(0.01 * rng.normal(size=(*motion.rotations.shape[:2], 3)))
    )
    noisy = replace(motion, rotations=R.continuous(shaken))
    made, plain = (perform(own, Effort(weight=1.0)) for own in (noisy, motion))
    assert made.duration == pytest.approx(plain.duration, rel=0.15)
    jolts = [np.median(norms(np.diff(place(own, "rightHand"), 2, axis=0))) for own in (noisy, made)]
    assert jolts[1] < 2.0 * jolts[0]


def test_frozen_stretches_are_performed():
    motion = record("wave")
    held = motion.rotations.copy()
    held[60:80] = held[60]
    made = perform(replace(motion, rotations=held), Effort(weight=1.0))
    assert np.isfinite(made.rotations).all()


def test_minutes_are_performed_as_seconds_are():
    motion = record("wave")
    long = replace(
        motion,
        rotations=np.concatenate([motion.rotations] * 30),
        translations=np.concatenate([motion.translations] * 30),
    )
    made = perform(long, Effort(weight=1.0), lock_times=True)
    assert len(made) == len(long)
    # What is far away changes nothing: one wave is performed as the next.
    one, other = (made.positions_world()[k * len(motion) : (k + 1) * len(motion)] for k in (10, 11))
    assert np.abs(one - other).max() < 1e-3


# Scores


def test_a_stream_is_what_is_rendered():
    motion = record("wave")
    score = Score(motion, (Effort(weight=1.0).over(start=0.5), Express(words="sad")))
    from kinesphere import render

    made = render(score)
    poses = list(stream(score))
    assert len(poses) == len(made)
    np.testing.assert_array_equal(np.stack([pose.rotations for pose in poses]), made.rotations)


@pytest.mark.data
@pytest.mark.parametrize("name", ["cmu/07_01", "cmu/79_08", "cmu/13_11", "pymo/AV_8Walk_Meredith_HVHA_Rep1"])
@pytest.mark.parametrize("word", ["angry", "tired", "sneakily"])
def test_captures_keep_their_plants(data_dir, name, word):
    motion = load(data_dir / "bvh" / f"{name}.bvh")
    motion = motion[len(motion.calibration_frames) :]
    phrase = Express(words=word)(lift(motion))
    made = generate(phrase, motion.rate)
    assert worst_slide(motion, made, performed_clock(phrase, motion.rate)) < 0.005
