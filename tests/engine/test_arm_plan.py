"""An arm's plan: three spaces that meet at every key, and frames for every key."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere import Gesture, Keypoint, Keypoints
from kinesphere.engine.arm_plan import (
    ELBOW,
    ELBOW_ANGLE,
    IN_WORLD,
    NEAR_VIA,
    NEAR_VIA_SECONDS,
    RELAXED,
    SHOULDER,
    arm_plan,
    passing_frame,
    shoulder_rotations,
)
from kinesphere.engine.clocks import stroke_phases
from kinesphere.engine.embodiment import embody
from kinesphere.engine.paths import PARTS
from kinesphere.engine.phrases import figure_body, phrase_of
from kinesphere.engine.pose import Actor
from kinesphere.engine.proportions import ARM, HEIGHT
from kinesphere.maths import rotations
from kinesphere.maths.vectors import smoothstep
from kinesphere.motion.gesture import Space, Stop, resting_swivel, resting_wrist
from score.gestures import five_goals, with_via, with_world_goal

LIMB = Actor.figure().arms["right"]


def planned(gesture, *, side="right", size=1.0, placed=None, locked=False, **strokes):
    """The plan of one arm of a figure of this size, with these strokes, its keys put elsewhere."""
    phrase = phrase_of(gesture, figure_body(size * HEIGHT))
    track = replace(phrase.arm(side), strokes={n: np.asarray(v) for n, v in strokes.items()}, placed=placed)
    return arm_plan(phrase.with_tracks({f"{side}_arm": track}, locked=locked), side, embody(phrase.body).actor)


def reaching(rng, count=5):
    """A gesture through places that an arm can reach, some of them on the way."""
    keys = []
    for i in range(count):
        way = rng.normal(size=3)
        place = rng.uniform(0.25, 0.52) * way / np.linalg.norm(way)
        stop = Stop.VIA if 0 < i < count - 1 and rng.random() < 0.4 else Stop.GOAL
        keys.append(Keypoint(30.0 * i, tuple(place.tolist()), float(rng.uniform(-1.0, 1.0)), stop))
    return Gesture("reaching", count / 2.0, right=Keypoints(tuple(keys), 60.0))


@given(seeds, st.floats(-1.0, 1.0))
def test_all_three_spaces_meet_at_every_key(seed, tension):
    plan = planned(reaching(np.random.default_rng(seed)), tension=tension)
    upper, flexion, elbow = LIMB.solve(plan.positions, plan.swivels)
    starts, path = plan.paths(plan.positions)
    for stroke, (first, last) in enumerate(zip(plan.edges[:-1], plan.edges[1:], strict=True)):
        assert starts[stroke] == pytest.approx(upper[first], abs=1e-12)
        for key in range(first, last + 1):
            share = (path.reached[PARTS * key] - path.start[stroke]) / path.length[stroke]
            at, share = np.array([stroke]), np.array([share])
            assert plan.wrist_path(plan.positions).at(at, share)[0, :3] == pytest.approx(plan.positions[key], abs=1e-9)
            row = path.at(at, share)[0]
            assert row[:3] == pytest.approx(plan.positions[key], abs=1e-9)
            assert row[3] == pytest.approx(plan.swivels[key], abs=1e-9)
            turn = rotations.multiply(rotations.from_rotation_vector(row[SHOULDER:ELBOW_ANGLE]), starts[stroke])
            assert rotations.angle_between(turn, upper[key]) == pytest.approx(0.0, abs=1e-6)
            assert row[ELBOW_ANGLE] == pytest.approx(flexion[key], abs=1e-9)
            assert row[ELBOW:] == pytest.approx(elbow[key], abs=1e-9)


@given(seeds)
def test_joint_angles_turn_by_the_smallest_turn_at_the_hands_pace(seed):
    rng = np.random.default_rng(seed)
    plan = planned(reaching(rng, 2), tension=1.0)
    starts, path = plan.paths(plan.positions)
    upper, flexion, _ = LIMB.solve(plan.positions, plan.swivels)
    shares = np.linspace(0.0, 1.0, 9)
    rows = path.at(np.zeros(9, dtype=int), shares)
    turned = rotations.multiply(rotations.from_rotation_vector(rows[:, SHOULDER:ELBOW_ANGLE]), starts[0])
    slerped = rotations.slerp(np.tile(upper[0], (9, 1)), np.tile(upper[1], (9, 1)), shares)
    assert rotations.angle_between(turned, slerped) == pytest.approx(np.zeros(9), abs=1e-6)
    assert rows[:, ELBOW_ANGLE] == pytest.approx(flexion[0] + shares * (flexion[1] - flexion[0]), abs=1e-9)


@given(seeds)
def test_shoulders_are_counted_from_their_strokes_first_key(seed):
    upper = rotations.normalise(np.random.default_rng(seed).normal(size=(6, 4)))
    stops = np.array([True, False, True, True, False, True])
    first, last = shoulder_rotations(upper, stops)
    for segment, start in enumerate([0, 0, 2, 3, 3]):
        for vector, key in ((first[segment], segment), (last[segment], segment + 1)):
            again = rotations.multiply(rotations.from_rotation_vector(vector), upper[start])
            assert rotations.angle_between(again, upper[key]) == pytest.approx(0.0, abs=1e-7)
            assert np.linalg.norm(vector) <= np.pi + 1e-9


def test_what_would_miss_a_via_fades_there_however_quickly_it_is_passed():
    for quick, exponent in ((1.0, 1.0), (0.2, 3.0), (6.0, 0.6)):
        plan = planned(with_via(), duration=quick, time_exponent=exponent)
        path = plan.wrist_path(plan.positions)
        phase = stroke_phases(plan.clock, int(plan.frames[-1]) + 30)
        shown = plan.via_fade(path, phase, 60.0)
        passed = passing_frame(phase.path_share[phase.stroke == 0], path.reached[PARTS] / path.length[0])
        passed += int(np.argmax(phase.stroke == 0))
        near = 60.0 * max(NEAR_VIA * np.diff(plan.clock.goals)[0], NEAR_VIA_SECONDS)
        away = np.abs(np.arange(len(shown)) - passed)
        first = phase.stroke == 0
        assert shown[first] == pytest.approx(smoothstep(away[first] / near), abs=1e-12)
        assert (shown[~first] == 1.0).all()
        assert np.abs(np.diff(shown[first])).max() < 1.6 / (60.0 * NEAR_VIA_SECONDS)
    assert planned(five_goals()).via_fade(path, phase, 60.0) == 1.0


def test_a_moment_of_passing_is_found_between_frames():
    shares = np.array([-0.1, 0.0, 0.2, 0.6, 1.1, 1.0])
    assert passing_frame(shares, 0.4) == pytest.approx(2.5)
    assert passing_frame(shares, 0.2) == pytest.approx(2.0)
    assert passing_frame(np.array([0.5, 0.7]), 0.3) == 0.0
    assert passing_frame(np.array([0.0, 0.2]), 0.3) == 1.0


def test_other_positions_have_another_path():
    plan = planned(five_goals())
    moved = plan.positions + np.array([0.05, 0.0, 0.0])
    assert plan.wrist_path(plan.positions) is plan.wrist_path(plan.positions)
    ends = plan.wrist_path(moved).at(np.arange(4), np.ones(4))[:, :3]
    assert ends == pytest.approx(moved[1:], abs=1e-9)


def test_sizes_and_shape_move_the_keys():
    places = np.array([key.position for key in five_goals().right.keys])
    assert planned(five_goals(), size=0.5).positions == pytest.approx(0.5 * places)
    shaped = planned(five_goals(), size=2.0, placed=(places + 0.01) / ARM)
    assert shaped.positions == pytest.approx(2.0 * (places + 0.01))


def test_ways_and_frames_are_the_keys_own():
    plan = planned(with_via(), duration=[2.0, 1.0])
    step = np.linalg.norm(np.diff(plan.positions, axis=0), axis=1)
    assert plan.lengths == pytest.approx([step[0] + step[1], step[2]])
    assert plan.stops.tolist() == [True, False, True, True]
    assert plan.frames.tolist() == [24, 84, 144, 192]
    locked = planned(with_via(), duration=2.0, locked=True)
    assert locked.frames.tolist() == [12, 42, 72, 120]


def test_a_hold_has_no_way_and_no_flourishes():
    plan = planned(with_world_goal())
    assert plan.fixed.tolist() == [False, True, True, False]
    assert plan.lengths[1] == 0.0
    assert plan.flourish_shares[1] == 0.0
    assert plan.flourish_shares[0] == pytest.approx(1.0)
    shares = plan.wrist_path(plan.positions).at(np.array([0, 0, 1, 2]), np.array([0.0, 1.0, 0.5, 1.0]))[:, IN_WORLD]
    assert shares == pytest.approx([0.0, 1.0, 1.0, 0.0], abs=1e-9)


def test_a_tremble_is_a_hold():
    keys = tuple(Keypoint(30.0 * i, (-0.2, 0.1, 0.3 + x)) for i, x in enumerate((0.0, 5e-5, 0.1)))
    plan = planned(Gesture("hold", 2.0, right=Keypoints(keys, 60.0)))
    assert plan.lengths == pytest.approx([0.0, 0.09995])


def test_keys_at_the_resting_place_hang():
    rest = resting_wrist("right")
    keys = (Keypoint(0.0, rest, 0.9), Keypoint(30.0, (-0.2, 0.1, 0.3), 0.1), Keypoint(60.0, rest, -0.9))
    plan = planned(Gesture("up and down", 2.0, right=Keypoints(keys, 60.0)))
    assert plan.relaxed.tolist() == [True, False, True]
    assert plan.swivels == pytest.approx([resting_swivel("right"), 0.1, resting_swivel("right")])
    hanging = plan.wrist_path(plan.positions).at(np.array([0, 0, 1]), np.array([0.0, 1.0, 1.0]))[:, RELAXED]
    assert hanging == pytest.approx([1.0, 0.0, 1.0], abs=1e-9)


def test_one_key_is_held_and_no_keys_are_no_plan():
    lone = Gesture("held", 2.0, right=Keypoints((Keypoint(30.0, (-0.2, 0.1, 0.3), 0.4),), 60.0))
    plan = planned(lone)
    assert plan.times.tolist() == [0.5, 2.0]
    made = plan.wrist_path(plan.positions).at(np.zeros(3, dtype=int), np.array([0.0, 0.4, 1.0]))
    assert made[:, :4] == pytest.approx(np.tile([-0.2, 0.1, 0.3, 0.4], (3, 1)))
    assert planned(lone, side="left") is None


def test_keys_own_space_does_not_change_where_they_are():
    local, world = (planned(with_world_goal(space)) for space in Space)
    assert np.array_equal(local.positions, world.positions)
    assert not local.fixed.any()
