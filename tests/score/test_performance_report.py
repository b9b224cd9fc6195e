"""A performance of a recording, measured beside the recording."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere import EditKeys, Effort, Express, Score, generate, lift, phrase_of
from kinesphere.builtin import motion
from kinesphere.laban import MoveKey
from kinesphere.maths import rotations
from kinesphere.motion.referent import Kind, Referent
from kinesphere.score import edited_phrase, measure_performance, measure_score


def test_a_recording_as_it_is_has_nothing_changed():
    report = measure_score(Score(motion("walk")))
    assert (report.slide, report.beyond_limits, report.contact_moved) == (0.0, 0.0, 0.0)
    assert report.new_duration == report.duration
    assert report.steps > 4
    assert report.walks > 0.5


def test_it_says_what_is_found():
    recorded = motion("knock")
    report = measure_score(Score(recorded, (Effort(time=1.0).over(),)))
    assert report.strokes["right"] >= 5
    assert report.strokes["left"] < report.strokes["right"]
    assert report.new_duration < report.duration
    assert report.slide < 2.0
    row = report.to_row()
    assert row["strokes_right"] == report.strokes["right"]
    assert f"strokes: left {report.strokes['left']}" in str(report)


def moved(made, joint, frames, by):
    """A motion with one joint turned in some frames."""
    turned = np.array(made.rotations)
    turned[frames, joint] = rotations.multiply(turned[frames, joint], rotations.from_rotation_vector(np.array(by)))
    return replace(made, rotations=turned)


def test_a_foot_that_slides_is_found():
    recorded = motion("wave")
    phrase = lift(recorded)
    frames = np.arange(90, 120)
    shifted = np.array(recorded.translations)
    shifted[frames, phrase.body.roles["hips"], 0] += 0.03
    report = measure_performance(phrase, replace(recorded, translations=shifted))
    assert report.slide == pytest.approx(30.0, abs=1.0)


def test_a_knee_that_bends_the_wrong_way_is_found():
    recorded = motion("wave")
    phrase = lift(recorded)
    knee = phrase.body.roles["leftLowerLeg"]
    most = max(
        (measure_performance(phrase, moved(recorded, knee, [60], by)) for by in ([0.8, 0, 0], [-0.8, 0, 0])),
        key=lambda report: report.beyond_limits,
    )
    assert most.beyond_joint == "leftLowerLeg"
    assert most.beyond_limits > 20.0


@pytest.mark.parametrize("kind", [Kind.TOUCH, Kind.PLACE])
def test_a_hand_that_leaves_what_it_keeps_is_found(kind):
    recorded = motion("wave")
    phrase = lift(recorded)
    keys = phrase.arm("right").keys
    at = float(keys.times[4])
    touch = Referent(kind, "right", at - 0.05, at + 0.05, joint="head" if kind == Kind.TOUCH else None)
    held = replace(phrase, referents=(touch,))
    report = measure_performance(held, generate(held, recorded.rate))
    assert (len(report.contacts), report.kept, report.contact_moved) == (1, 1, 0.0)
    edited = EditKeys(move=[MoveKey("right_arm", at, (0.0, -0.1, 0.0))])(held)
    report = measure_performance(edited, generate(edited, recorded.rate))
    assert report.kept == 0
    assert report.contact_moved == pytest.approx(100.0 * phrase.detail.poses.arm_length, abs=6.0)


def test_contacts_are_kept_under_words():
    phrase = lift(motion("wave"))
    at = float(phrase.arm("right").keys.times[4])
    held = replace(phrase, referents=(Referent(Kind.TOUCH, "right", at - 0.2, at + 0.2, joint="head"),))
    edited = Express(words="angry")(held)
    assert measure_performance(edited, generate(edited, 60.0)).kept == 1


def test_a_gesture_is_no_recording():
    with pytest.raises(ValueError, match="wave is no recording"):
        measure_score(Score("wave"))
    with pytest.raises(ValueError, match="lift"):
        measure_performance(phrase_of("wave"), motion("wave"))


def test_an_edited_phrase_generates_what_a_score_renders():
    score = Score(motion("knock"), (Express(words="tired").over(),))
    from kinesphere import render

    made, rendered = generate(edited_phrase(score), motion("knock").rate), render(score)
    assert np.array_equal(made.rotations, rendered.rotations)


def test_who_walks_in_place_has_a_treadmill_and_feet_that_do_not_slide_on_it():
    report = measure_score(Score(motion("walk in place"), (Express(words="tired").over(),)))
    assert report.steps == 2
    assert report.walks == 1.0
    assert 0.3 < report.new_treadmill < 0.8 * report.treadmill
    assert report.slide < 8.0
    assert f"in place at {report.treadmill:.2f} m/s, now {report.new_treadmill:.2f}" in str(report)
    assert report.to_row()["treadmill_m_s"] == pytest.approx(report.treadmill, abs=1e-3)
    assert measure_score(Score(motion("walk"))).to_row()["treadmill_m_s"] == 0.0
