"""The measures of expression, on movements whose answers are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import measure_expression
from analysis.bodies import STANDING, body_with_hand, minimum_jerk, only_points, points, stroke
from expression_measures import clean, flow, performers, space, summary, whole, words
from expression_measures.catalogue import DIALS, ELEMENTS, SIGNS
from expression_measures.effects import cohens_d, effect_matrix, element_d, element_scores, judge_matrix
from expression_measures.measuring import MEASURES, measure_take
from expression_measures.report import report
from expression_measures.takes import take_of
from kinesphere import perform
from kinesphere.builtin import figure
from kinesphere.builtin.library import gestures
from kinesphere.maths import rotations

RATE = 120.0


def measured(path, **moved):
    """Measures of a standing body whose hand goes along a path, and whose other roles move by ``(T, 3)``."""
    motion = body_with_hand(path, RATE)
    at = {role: motion.positions_world()[:, i] for i, role in enumerate(motion.skeleton.names)}
    take = take_of(points(at | {role: at[role] + by for role, by in moved.items()}, RATE))
    return take, measure_take(take)


@pytest.fixture(scope="module")
def scale():
    """Metres of a person 1.70 m tall in a metre of the standing body."""
    shoulders = "rightUpperArm", "leftUpperArm"
    take = measured(stroke())[0]
    width = np.linalg.norm(take["left shoulder"][0] - take["right shoulder"][0])
    return width / np.linalg.norm(np.subtract(*(STANDING[role] for role in shoulders)))


# Strokes


def test_a_minimum_jerk_stroke_is_as_fast_as_it_must_be(scale):
    """Flash and Hogan: the greatest speed is 15/8 of the mean, in the middle; the way is straight."""
    _, found = measured(stroke(seconds=0.8, length=0.4))
    assert np.exp(found["speed"]) == pytest.approx(scale * 1.875 * 0.4 / 0.8, rel=0.01)
    assert found["peak_time"] == pytest.approx(0.5, abs=0.02)
    assert found["detour"] == pytest.approx(0.0, abs=1e-3)
    assert found["bow"] < 1e-3
    assert found["hesitations"] == 0.0


def test_bows_are_measured_over_the_chord():
    assert measured(stroke(bow=0.2))[1]["bow"] == pytest.approx(0.2, abs=0.01)


def test_twice_as_fast_is_half_as_long_and_four_times_the_acceleration():
    slow, fast = (measured(stroke(seconds=seconds))[1] for seconds in (1.6, 0.8))
    assert slow["duration"] - fast["duration"] == pytest.approx(np.log(2.0), abs=0.02)
    assert fast["speed"] - slow["speed"] == pytest.approx(np.log(2.0), abs=0.02)
    assert fast["acceleration"] - slow["acceleration"] == pytest.approx(np.log(4.0), abs=0.1)
    assert fast["energy"] - slow["energy"] == pytest.approx(np.log(4.0), abs=0.05)
    assert fast["force"] == pytest.approx(slow["force"], abs=0.05), "the pace explains all of it"


@pytest.mark.parametrize("late", [-0.15, 0.1])
def test_a_press_is_found_where_it_is(scale, late):
    """The pelvis sinks by 8 cm and comes up again, lowest some time after the hand has arrived."""
    path = stroke(seconds=0.6, still=0.8)
    time = np.arange(len(path)) / RATE
    dip = np.zeros_like(path)
    dip[:, 1] = -0.08 * np.exp(-0.5 * ((time - 1.4 - late) / 0.15) ** 2)
    _, found = measured(path, hips=dip)
    still_moving = 0.6 * 0.07  # the end of a stroke, below a twentieth of its greatest speed, is no movement any more
    assert found["main_pelvis_drop"] == pytest.approx(scale * 0.08, rel=0.05)
    assert found["main_pelvis_low_time"] == pytest.approx(late + still_moving, abs=0.03)
    expected = scale * np.gradient(dip[:, 1], 1.0 / RATE)[round(1.1 * RATE)]
    assert found["main_pelvis_velocity"] == pytest.approx(expected, abs=0.03)
    assert found["rebound"] > 0.5 * scale * 0.08


def test_a_chest_that_goes_along_is_measured_along_the_stroke(scale):
    path = stroke(seconds=0.8, still=0.4)
    along = np.array([0.0, 0.6, 0.8])
    time = np.arange(len(path)) / RATE
    moved = 0.2 * minimum_jerk((time - 0.4) / 0.8)[:, None] * along
    _, found = measured(path, **dict.fromkeys(STANDING, moved))
    assert found["main_chest_along"] == pytest.approx(scale * 1.875 * 0.2 / 0.8, rel=0.03)


def test_an_arm_that_ends_hanging_is_not_aimed():
    up = stroke()
    hanging = np.array(STANDING["rightHand"])
    start = np.array([-0.25, 1.2, 0.4])
    down = start + minimum_jerk((np.arange(200) - 50) / 90.0)[:, None] * (hanging - start)
    for path, aimed in ((up, True), (down, False)):
        take, found = measured(path)
        assert [take.is_aimed(own) for own in take.strokes] == [aimed]
        assert ("energy" in found) == aimed


# Signals


@pytest.mark.parametrize("halves", [1, 2, 3])
def test_half_waves_are_counted(halves):
    seconds = 1.5
    time = np.arange(round(seconds * RATE) + 1) / RATE
    aside = np.sin(np.pi * halves * time / seconds)[:, None] * np.array([0.3, -0.2, 0.1])
    assert space.wave_frequency(aside) == pytest.approx(halves / (2.0 * seconds))


@pytest.mark.parametrize("frames", [-12, 0, 7, 14])
def test_lags_are_found(frames):
    time = np.arange(100)
    lead, late = (np.exp(-0.5 * ((time - at) / 9.0) ** 2) for at in (50, 50 + frames))
    assert flow.lag(lead, late) == pytest.approx(frames / RATE)


def test_what_does_not_follow_has_no_lag():
    time = np.arange(200.0)
    assert flow.lag(time, time) == 0.0
    assert flow.lag(np.exp(-0.5 * ((time - 40) / 9.0) ** 2), np.exp(-0.5 * ((time - 160) / 9.0) ** 2)) is None


def test_a_hand_hesitates_where_it_slows_down_and_goes_on():
    time = np.linspace(0.0, 1.0, 121)
    dipping = np.sin(np.pi * time) * (1.0 - 0.8 * np.exp(-0.5 * ((time - 0.5) / 0.06) ** 2))
    on = dipping[:, None] * np.array([1.0, 0.0, 0.0])
    back = on * np.sign(0.5 - time)[:, None]
    assert whole.hesitations(on) == pytest.approx([60], abs=2)
    assert len(whole.hesitations(back)) == 0, "who turns has been somewhere"
    assert len(whole.hesitations(np.sin(np.pi * time)[:, None] * np.array([1.0, 0.0, 0.0]))) == 0


def test_glances_go_aside_and_come_back():
    time = np.arange(600) / RATE
    aside = 20.0 * np.exp(-0.5 * ((time - 1.0) / 0.15) ** 2) - 15.0 * np.exp(-0.5 * ((time - 3.0) / 0.15) ** 2)
    assert sorted(whole.glances(aside)) == pytest.approx([15.0, 20.0], abs=0.5)
    assert len(whole.glances(40.0 * minimum_jerk(time / 5.0))) == 0, "turning somewhere is no glance"
    assert len(whole.glances(5.0 * np.sin(2.0 * np.pi * time))) == 0, "nor is sway"


@pytest.mark.parametrize(("least", "stops"), [(0.0, 1.0), (0.3, 0.0)])
def test_goals_are_passed_or_stopped_at(least, stops):
    """Two strokes at a right angle; between them the speed falls to a share of its peak."""
    time = np.linspace(0.0, 2.0, 241)
    speed = np.maximum(np.sin(np.pi * time), 0.0) + np.maximum(-np.sin(np.pi * time), 0.0)
    speed = np.where(np.abs(time - 1.0) < 0.5, np.maximum(speed, least), speed)
    turn = 0.5 * np.pi * minimum_jerk((time - 0.9) / 0.2)
    velocity = 0.5 * speed[:, None] * np.stack([np.sin(turn), np.cos(turn), np.zeros_like(turn)], axis=1)
    path = np.array([-0.4, 0.9, 0.4]) + np.cumsum(velocity, axis=0) / RATE
    path = np.concatenate([np.repeat(path[:1], 40, axis=0), path, np.repeat(path[-1:], 40, axis=0)])
    _, found = measured(path)
    assert found["stops"] == stops
    assert found["goal_speed"] == pytest.approx(least, abs=0.08)


# Takes


def test_takes_do_not_depend_on_heading_place_or_size():
    motion = only_points(perform("knock"))
    plain = measure_take(take_of(motion))
    yaw = rotations.from_rotation_vector([0.0, 2.0, 0.0])
    elsewhere = 3.0 * rotations.rotate(yaw, motion.translations) + np.array([40.0, 0.0, -25.0])
    moved = measure_take(take_of(replace(motion, translations=elsewhere)))
    assert moved.keys() == plain.keys()
    for name in plain:
        assert moved[name] == pytest.approx(plain[name], abs=1e-6), name


def test_points_say_nothing_of_what_a_head_faces():
    motion = perform("point")
    rigged, loose = measure_take(take_of(motion)), measure_take(take_of(only_points(motion)))
    assert rigged.keys() - loose.keys() >= {"gaze_angle", "head_angle", "glances", "block"}
    assert all(loose[name] == pytest.approx(rigged[name], abs=1e-9) for name in ("energy", "duration", "lean", "speed"))


def test_a_head_faces_where_it_is_turned():
    motion = perform("point")
    turned = np.array(motion.rotations)
    head = motion.skeleton.roles["head"]
    turned[:, head] = rotations.multiply(turned[:, head], rotations.from_rotation_vector([0.0, 0.5, 0.0]))
    before, after = (take_of(own).directions for own in (motion, motion.with_pose(turned)))
    for name in ("head", "gaze"):
        angle = np.arccos(np.sum(before[name] * after[name], axis=1))
        assert np.median(angle) == pytest.approx(0.5, abs=0.03), name
    assert np.allclose(before["chest ahead"], after["chest ahead"])


def test_all_that_is_measured_is_in_the_catalogue():
    found = measure_take(take_of(perform("drink")))
    assert found.keys() <= MEASURES.keys()
    assert {name for cues in SIGNS.values() for name in cues} <= MEASURES.keys()
    assert set(SIGNS) == set(DIALS)


# Effects


def test_cohens_d():
    given = np.array([1.0, 2.0, 3.0])
    assert cohens_d(given) == pytest.approx(2.0)
    assert cohens_d(given, 1.0) == pytest.approx(np.sqrt(2.0))
    assert cohens_d(np.full(5, 0.01), 0.1) == pytest.approx(0.1), "what nobody notices has no large effect"


def moved_by(element, size):
    """Pairs in which an element's cues moved by so many noticeable differences."""
    signs = SIGNS[element]
    return [
        ({name: size * sign * MEASURES[name].noticeable for name, sign in signs.items()}, dict.fromkeys(signs, 0.0))
    ] * 4


def test_an_element_moves_its_own_measure():
    assert element_d(moved_by("strong", 2.0), "strong") > 2.0
    assert element_d(moved_by("strong", -2.0), "strong") < -2.0
    assert element_d(moved_by("strong", 2.0), "free") == 0.0
    assert element_d(moved_by("bound", 90.0), "bound") < 3.1 * np.sqrt(len(SIGNS["bound"])), "more than clear is clear"


def test_the_matrix_is_judged_by_row_and_column():
    matrix = effect_matrix({own: moved_by(own, 2.0) for own in ELEMENTS})
    assert all(matrix[own][own] == max(matrix[own].values()) for own in ELEMENTS)
    assert not any(judge_matrix(matrix).values())
    matrix["light"]["strong"] = 9.0
    short = judge_matrix(matrix)
    assert short["light"] == ["moves strong's by 9.0"]
    assert short["strong"] == ["light moves it by 9.0"]
    matrix["free"]["free"] = 1.0
    assert short.keys() == set(ELEMENTS)
    assert judge_matrix(matrix)["free"][0] == "d 1.0 < 1.2"


# Bodies and words


def shifted(motion, side, to):
    """World poses with one hand and its fingers moved so that the wrist is at places ``(T, 3)``."""
    q, p = motion.world()
    wrist = motion.skeleton.roles[f"{side}Hand"]
    hand = motion.skeleton.descendants(wrist)
    p = p.copy()
    p[:, hand] += (to(p) - p[:, wrist])[:, None]
    return q, p


@pytest.mark.parametrize("side", ["left", "right"])
def test_hands_inside_the_body_are_found(side):
    motion = perform("point")[:20]
    roles = motion.skeleton.roles
    assert clean.hand_depths(*motion.world()).max() == 0.0
    own = 0 if side == "left" else 1
    thigh = [roles[f"{side}{part}"] for part in ("UpperLeg", "LowerLeg")]
    places = {
        "chest": (lambda p: p[:, roles["chest"]], 0.05),
        "head": (lambda p: p[:, roles["head"]] + [0.0, 0.05, 0.03], 0.03),
        "thigh": (lambda p: p[:, thigh].mean(axis=1), 0.03),
    }
    for name, (place, deep) in places.items():
        found = clean.hand_depths(*shifted(motion, side, place))
        assert found[:, own].min() > deep, name
        assert found[:, own].max() < 0.25, name
        assert found[:, 1 - own].max() == 0.0
    assert clean.hand_depths(*shifted(motion, side, lambda p: p[:, roles["chest"]] + [0.0, 0.0, 0.8])).max() == 0.0


def test_a_wrist_rotates_as_fast_as_it_is_turned():
    motion = perform("idle")[:60]
    turned = np.array(motion.rotations)
    wrist = motion.skeleton.roles["leftHand"]
    angles = np.radians(300.0) * motion.times[:, None] * np.array([0.0, 0.0, 1.0])
    turned[:, wrist] = rotations.from_rotation_vector(angles)
    speeds = clean.wrist_speeds(motion.with_pose(turned))
    assert speeds[:, 0] == pytest.approx(300.0, abs=1e-3)
    assert figure().skeleton.names == motion.skeleton.names


def test_silhouettes_are_compared_by_place_and_range():
    take = take_of(perform("wave"))
    own = words.silhouette(take)
    assert words.compare_silhouettes(own, own) == 0.0
    lower = own.copy()
    lower[:, 1] -= words.SILHOUETTE
    assert words.compare_silhouettes(own, lower) == pytest.approx(1.0)
    wider = own.copy()
    wider[:, 3] += 2.0 * words.SILHOUETTE
    assert words.compare_silhouettes(own, wider) == pytest.approx(2.0)


def test_words_with_the_same_dials_are_aliases():
    known = words.vocabulary()
    assert words.are_aliases(known["angry"], replace(known["angry"], name="furious"))
    assert not words.are_aliases(known["angry"], known["afraid"])


# The whole report


def test_the_report_has_every_row_and_compares_runs(monkeypatch):
    monkeypatch.setattr(measure_expression, "armed_gestures", lambda: ("point", "knock"))
    monkeypatch.setattr(measure_expression, "gestures", lambda: ("point", "knock", "bow"))
    found, pairs = measure_expression.measure_elements(1)
    found["words"] = words.measure_words(("point", "knock"), ("angry", "shy"))
    rows = summary.table_rows(found, pairs)
    assert rows.keys() == summary.SHOULD.keys()
    found["table"] = {name: {part.name: part._asdict() for part in parts} for name, parts in rows.items()}
    found["clean"] = {"neutral": clean.inspect_all([clean.Spec(name, seed=None) for name in gestures()[:2]])}
    text = report(found)
    assert all(f"| {name} |" in text for name in summary.SHOULD)
    assert "→" not in text
    assert found["effects"]["duration"]["sudden"]["change"] < 0.7, "a ratio"
    later = found | {"matrix": {own: dict.fromkeys(ELEMENTS, 7.0) for own in ELEMENTS}}
    assert "→ 7.0" in report(later, found)


# Reality


@pytest.mark.data
def test_a_performers_actions_are_in_order(data_dir):
    """Punch is strongest, Punch and Dab are sudden, Float and Glide sustained: each beside the mean of the others."""
    if not (data_dir / "laban").is_dir():
        pytest.skip(f"no laban in {data_dir}: the measures are NOT checked on a performer")
    found = {name: measure_take(take) for name, take in performers.laban_takes(data_dir).items()}

    def score(name, element):
        others = [own for other, own in found.items() if other != name]
        shared = set.intersection(*(set(own) for own in found.values()))
        mean = {key: float(np.mean([own[key] for own in others])) for key in shared}
        return float(element_scores([(found[name], mean)], element)[0])

    scores = {element: {name: score(name, element) for name in found} for element in ("strong", "sudden", "sustained")}
    assert max(scores["strong"], key=scores["strong"].get) == "punch"
    for quick in ("punch", "dab"):
        assert scores["sudden"][quick] > 0.0 > scores["sustained"][quick]
    for slow in ("float", "glide"):
        assert scores["sustained"][slow] > 0.0 > scores["sudden"][slow]
