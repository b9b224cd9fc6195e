"""Two takes of one movement are compared moment by moment, whatever clock, place, size or axes one of them has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere import TimeMap, body_of, perform, retime
from kinesphere.analysis.comparison import Comparison
from kinesphere.analysis.comparison_cues import MEASURES, NOTICEABLE, SATURATION, SIGNS, seen
from kinesphere.analysis.observer import load_recorded_calibration, observe_recorded
from kinesphere.maths import rotations as R
from kinesphere.maths.vectors import norms
from kinesphere.motion.humanoid import SIDES
from recordings import moved, record, with_other_axes

NAMES = ("wave", "drink", "clap", "walk")


def measures(take, recording):
    return Comparison.of(take, recording).measures


def turned(motion, role, angles):
    """A motion with one joint turned by rotation vectors ``(T, 3)`` in its own axes."""
    joint = body_of(motion).roles[role]
    local = motion.rotations.copy()
    local[:, joint] = R.multiply(local[:, joint], R.from_rotation_vector(angles))
    return replace(motion, rotations=R.continuous(local))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_differs_from_itself(name):
    motion = record(name)
    found = Comparison.of(motion, replace(motion))
    np.testing.assert_allclose(found.moments, np.arange(len(found.take)), atol=1e-9)
    assert set(found.measures) == set(MEASURES)
    assert max(map(abs, found.measures.values())) < 1e-9
    assert observe_recorded(motion, replace(motion)).elements == ()


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_clock_is_found(name):
    motion = record(name)
    end = motion.duration
    known = TimeMap(np.array([0.0, 0.3 * end, 0.6 * end, end]), np.array([0.0, 0.5 * end, 0.75 * end, 1.4 * end]))
    take = retime(motion, known)
    found = Comparison.of(take, motion)
    shown = known.inverse()(np.arange(len(found.take)) / 120.0) * 120.0
    moves = np.maximum(*[norms(np.gradient(found.take.from_chest(f"{side} wrist"), axis=0)) for side in SIDES])
    fast = moves > 0.3 * moves.max()  # where nothing moves, no moment can be told
    off = np.abs(found.moments - shown)[fast] / 120.0
    assert np.median(off) < 0.04
    assert found.measures["duration"] == pytest.approx(np.log(1.4), abs=0.02)
    assert abs(found.measures["wander"]) < 0.1
    assert abs(found.measures["pelvis_height"]) < 1e-3


@pytest.mark.parametrize("name", ["wave", "walk"])
def test_place_size_and_axes_do_not_matter(name):
    motion = record(name)
    take = perform(motion, words="angry")
    found = measures(take, motion)
    for change in (lambda m: moved(m, 1.3, (4.0, 0.0, -2.0)), lambda m: m.scaled(1.6), with_other_axes):
        other = measures(change(take), change(motion))
        for cue in MEASURES:
            assert other[cue] == pytest.approx(found[cue], abs=0.02 * NOTICEABLE[cue] + 1e-6), cue


@pytest.mark.parametrize("factor", [0.85, 1.2])
def test_pace_alone_is_time_alone(factor):
    motion = record("drink")
    take = retime(motion, TimeMap(np.array([0.0, motion.duration]), np.array([0.0, factor * motion.duration])))
    found = measures(take, motion)
    assert np.sign(found["duration"]) == np.sign(factor - 1.0)
    assert found["quickness"] == pytest.approx(-np.log(factor), abs=0.03)
    assert np.sign(found["acceleration"]) == -np.sign(factor - 1.0)
    assert abs(found["energy"]) < 2.0 * NOTICEABLE["energy"]  # no more than its pace explains
    assert observe_recorded(take, motion).weight.code == 0


def test_a_lower_body_and_a_roaming_face_are_told_apart():
    motion = record("drink")
    low = replace(motion, translations=motion.translations - [0.0, 0.05, 0.0] * (motion.skeleton.parents < 0)[:, None])
    found = measures(low, motion)
    assert found["pelvis_height"] < -3.0 * NOTICEABLE["pelvis_height"]
    assert abs(found["face_roam"]) < 1e-6
    wave = 0.5 * np.sin(2.0 * np.pi * motion.times)
    roaming = measures(turned(motion, "head", wave[:, None] * [0.0, 1.0, 0.0]), motion)
    assert roaming["face_roam"] > 2.0 * NOTICEABLE["face_roam"]
    assert roaming["face_travel"] > 2.0 * NOTICEABLE["face_travel"]
    assert abs(roaming["pelvis_height"]) < 1e-6


def test_a_face_that_stays_with_its_world_does_not_roam_though_the_body_turns():
    motion = record("drink")
    swing = 0.35 * np.sin(2.0 * np.pi * 0.8 * motion.times)[:, None] * [0.0, 1.0, 0.0]
    turning = turned(motion, "hips", swing)
    still = turned(turning, "head", -swing)
    assert measures(turning, motion)["gaze_roam"] > 3.0 * NOTICEABLE["gaze_roam"]
    assert measures(still, turning)["gaze_roam"] < -3.0 * NOTICEABLE["gaze_roam"]


def test_hands_that_hang_back_drag_and_those_that_lead_do_not():
    motion = record("wave")
    late = 0.06
    roles = body_of(motion).roles
    shown = np.clip(np.arange(len(motion)) - round(late * motion.rate), 0, len(motion) - 1)
    carried, _ = motion.world()
    local = motion.rotations.copy()
    for side in SIDES:
        arm, hand = roles[f"{side}LowerArm"], roles[f"{side}Hand"]
        local[:, hand] = R.multiply(R.conjugate(carried[:, arm]), carried[shown, hand])
    dragging = replace(motion, rotations=R.continuous(local))
    assert measures(dragging, motion)["drag"] > NOTICEABLE["drag"]
    assert measures(motion, dragging)["drag"] < -NOTICEABLE["drag"]


def test_what_is_seen_of_a_measure_is_bounded_and_grows_with_it():
    sizes = np.linspace(-40.0, 40.0, 81)
    told = [seen({name: size * NOTICEABLE[name] for name in MEASURES}) for size in sizes]
    for name in MEASURES:
        values = np.array([own[name] for own in told]) / NOTICEABLE[name]
        assert (np.diff(values) >= 0.0).all()
        assert np.abs(values).max() <= SATURATION
        assert values[41] == pytest.approx(1.0, abs=0.05)  # what is just noticeable is noticed as such


def test_signs_are_never_fitted():
    known = load_recorded_calibration()
    for element, weights in known.weights.items():
        assert weights
        for cue, weight in weights.items():
            assert np.sign(weight) == SIGNS[element][cue], (element, cue)


def test_very_short_takes_are_compared():
    motion = record("wave")
    for frames in (1, 2, 5):
        assert max(map(abs, measures(motion[:frames], motion[:frames]).values())) < 1e-9
