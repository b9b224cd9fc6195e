"""Measures: what they must not depend on, and what they must grow with."""

import numpy as np
import pytest

from analysis.bodies import body_with_hand, only_points, points, stroke
from kinesphere import Motion
from kinesphere.analysis import measure_strokes
from kinesphere.builtin.library import motion as default_motion
from kinesphere.maths import rotations
from kinesphere.motion.transform import move_motion

# Measures that are logarithms of third derivatives keep the least through another frame rate.
ROUGH = {"jerk": 0.6, "arrest": 0.25, "acceleration": 0.12, "arrest_over_start": 0.25, "turning": 0.15, "lag": 0.03}


def values(motion):
    return dict(measure_strokes(motion).values)


def gesture():
    return default_motion("emphasise")


def test_neither_place_nor_heading_matters():
    motion = gesture()
    turn = rotations.from_rotation_vector([0.0, 2.1, 0.0])
    assert values(move_motion(motion, turn, [3.0, 0.2, -1.0])) == pytest.approx(values(motion), abs=1e-6)


def test_the_size_of_the_body_does_not_matter():
    motion = gesture()
    assert values(motion.scaled(2.5)) == pytest.approx(values(motion), abs=1e-6)


@pytest.mark.parametrize("rate", [30.0, 120.0])
@pytest.mark.parametrize("name", ["emphasise", "point", "reach"])
def test_frame_rate_hardly_matters(rate, name):
    motion = default_motion(name)
    ours, other = values(motion), values(motion.resampled(rate))
    assert measure_strokes(motion).strokes == measure_strokes(motion.resampled(rate)).strokes
    for measure, value in ours.items():
        assert other[measure] == pytest.approx(value, abs=ROUGH.get(measure, 0.06)), measure


def test_only_places_are_seen():
    motion = gesture()
    assert values(only_points(motion)) == pytest.approx(values(motion), abs=1e-9)


def test_left_and_right_are_the_same_to_it():
    motion = default_motion("point")
    assert values(motion.mirrored()) == pytest.approx(values(motion), abs=1e-3)


def test_a_body_that_travels_does_not_move_its_hands():
    path = stroke()
    still = body_with_hand(path, 120.0)
    walk = np.linspace(0.0, 2.0, len(path))[:, None, None] * [0.0, 0.0, 1.0]
    away = points({role: (still.translations + walk)[:, i] for role, i in still.skeleton.roles.items()}, 120.0)
    ours, theirs = values(still), values(away)
    for measure in ("detour", "bow", "turning", "duration", "speed", "peak_time", "overshoot", "sparc"):
        assert theirs[measure] == pytest.approx(ours[measure], abs=1e-5)


def measures(name, **options):
    return [
        values(body_with_hand(stroke(**{key: value}), 120.0))[name] for key, row in options.items() for value in row
    ]


def increasing(row):
    return all(b > a for a, b in zip(row[:-1], row[1:], strict=True))


def test_peak_time_is_where_the_speed_is_greatest():
    early, even, late = measures("peak_time", skew=(0.7, 1.0, 1.8))
    assert early < 0.45 < even < 0.55 < late
    assert even == pytest.approx(0.5, abs=0.01)


def test_a_late_peak_stops_harder():
    assert increasing(measures("arrest", skew=(0.7, 1.0, 1.8)))
    assert increasing(measures("arrest_over_start", skew=(0.7, 1.0, 1.8)))


@pytest.mark.parametrize("name", ["detour", "bow", "turning", "fingers_detour"])
def test_a_bowed_way_is_longer_and_rounder(name):
    assert increasing(measures(name, bow=(0.0, 0.1, 0.25, 0.4)))


def test_a_straight_way_is_straight():
    found = values(body_with_hand(stroke(), 120.0))
    assert found["detour"] == pytest.approx(0.0, abs=1e-6)
    assert found["bow"] == pytest.approx(0.0, abs=1e-6)
    assert found["turning"] == pytest.approx(0.0, abs=1e-4)


def test_the_bow_is_its_arrow_over_its_chord():
    assert values(body_with_hand(stroke(bow=0.25), 120.0))["bow"] == pytest.approx(0.25, abs=0.01)


def test_longer_is_slower():
    assert increasing(measures("duration", seconds=(0.4, 0.8, 2.0)))
    for name in ("speed", "acceleration", "energy", "arrest"):
        assert increasing(measures(name, seconds=(2.0, 0.8, 0.4)))


def test_twice_as_long_is_half_as_fast():
    slow, quick = (values(body_with_hand(stroke(seconds=s), 120.0)) for s in (1.6, 0.8))
    assert slow["duration"] - quick["duration"] == pytest.approx(np.log(2.0), abs=0.03)
    assert quick["speed"] - slow["speed"] == pytest.approx(np.log(2.0), abs=0.03)
    assert quick["acceleration"] - slow["acceleration"] == pytest.approx(np.log(4.0), abs=0.1)


def with_wrist(angle, swings=False):
    """A stroke with the wrist bent, all the time or only in the middle of it."""
    path = stroke()
    motion = body_with_hand(path, 120.0)
    roles, at = motion.skeleton.roles, motion.translations
    wrist, elbow, knuckle = (at[:, roles[f"right{part}"]] for part in ("Hand", "LowerArm", "MiddleProximal"))
    bent = np.broadcast_to(angle, len(path)).astype(np.float64)
    if swings:
        share = np.clip((np.arange(len(path)) / 120.0 - 0.4) / 0.8, 0.0, 1.0)
        bent = angle * np.sin(np.pi * share) ** 2
    axis = np.cross(wrist - elbow, [1.0, 0.0, 0.0])
    axis = np.cross(wrist - elbow, axis)
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    turned = wrist + rotations.rotate(rotations.from_rotation_vector(bent[:, None] * axis), knuckle - wrist)
    places = {role: at[:, i] for role, i in roles.items()} | {"rightMiddleProximal": turned}
    return values(points(places, 120.0))


def test_a_held_wrist_is_told_from_a_swinging_one():
    held, swinging, straight = with_wrist(0.6), with_wrist(0.6, swings=True), with_wrist(0.0)
    assert held["wrist_held"] == pytest.approx(0.6, abs=0.02)
    assert held["wrist_swing"] == pytest.approx(0.0, abs=0.02)
    assert swinging["wrist_held"] < 0.15
    assert swinging["wrist_swing"] == pytest.approx(0.6, abs=0.05)
    assert straight["wrist_held"] == pytest.approx(0.0, abs=1e-3)


def test_a_motion_without_strokes_has_no_measures():
    still = body_with_hand(np.broadcast_to([-0.24, 0.9, 0.1], (100, 3)), 60.0)
    found = measure_strokes(still)
    assert found.strokes == 0
    assert not found.values


def test_a_body_without_arms_is_refused_by_what_is_missing():
    motion = gesture()
    kept = {role: joint for role, joint in motion.skeleton.roles.items() if "Hand" not in role}
    blind = points({role: motion.positions_world()[:, joint] for role, joint in kept.items()}, 60.0)
    with pytest.raises(ValueError, match="leftHand, rightHand"):
        measure_strokes(blind)


def test_one_frame_is_enough_not_to_fail():
    motion = gesture()
    assert measure_strokes(motion[:1]).strokes == 0
    assert isinstance(motion[:2], Motion)
    measure_strokes(motion[:2])
