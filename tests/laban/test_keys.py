"""Keys of hands that are moved, added and deleted, in gestures and in lifted recordings."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere import (
    EditKeys,
    Effort,
    Layer,
    Score,
    body_of,
    figure,
    generate,
    lift,
    phrase_of,
    render,
)
from kinesphere.builtin import motion
from kinesphere.laban import AddKey, DeleteKey, MoveKey
from kinesphere.laban.keys import parse_add, parse_delete, parse_move
from kinesphere.motion.referent import Kind, Referent
from kinesphere.score.document import from_json, to_json

FIGURE = body_of(figure())
ARM = 0.5 * (FIGURE.lengths["leftArm"] + FIGURE.lengths["rightArm"])
RECORDED = {name: motion(name) for name in ("wave", "knock", "point")}


def wrist(made, side="right"):
    """``(T, 3)`` a wrist from its shoulder in the chest's axes, in metres."""
    return lift(made).detail.poses.wrist(side) * ARM


def stays_beyond(made, given, start, end):
    """Before and after a stretch the hand is where it was, and but for moments beside it every joint is.

    Where an edit begins, an elbow comes to bend as its hinge does, and an arm within reach before it is out of it.
    """
    outside = (given.times <= start) | (given.times >= end)
    assert np.linalg.norm(wrist(made) - wrist(given), axis=1)[outside].max() < 0.004
    outside = (given.times <= start - 0.25) | (given.times >= end + 0.25)
    assert np.abs(made.rotations[outside] - given.rotations[outside]).max() < 1e-9


def middle_goal(keys):
    """The goal nearest to the middle of a phrase, with room on both sides."""
    goals = np.flatnonzero(keys.goals)[1:-1]
    return int(goals[np.argmin(np.abs(keys.times[goals] - keys.times.mean()))])


@pytest.mark.parametrize("name", RECORDED)
def test_a_moved_goal_of_a_recording_takes_the_hand_along_and_nothing_beyond_its_neighbours(name):
    given = RECORDED[name]
    phrase = lift(given)
    keys = phrase.arm("right").keys
    key = middle_goal(keys)
    by = np.array([-0.05, 0.02, 0.0]) - 0.12 * keys.positions[key]  # stays within reach
    edit = EditKeys(move=[MoveKey("right_arm", keys.times[key], by)])
    made = generate(edit(phrase), given.rate)
    assert len(made) == len(given)
    frame = round(keys.times[key] * given.rate)
    assert wrist(made)[frame] - wrist(given)[frame] == pytest.approx(by * ARM, abs=0.01)
    stays_beyond(made, given, keys.times[key - 1], keys.times[key + 1])
    assert np.abs(made.translations - given.translations).max() < 1e-9
    assert np.abs(wrist(made, "left") - wrist(given, "left")).max() < 1e-9


@given(st.sampled_from([*RECORDED]), st.floats(0.05, 0.95), st.booleans(), st.sampled_from(["left_arm", "right_arm"]))
def test_a_key_that_is_added_where_the_hand_is_changes_nothing_of_a_recording(name, share, goal, part):
    recording = RECORDED[name]
    phrase = lift(recording)
    edit = EditKeys(add=[AddKey(part, share * phrase.duration, goal=goal)])
    edited = edit(phrase)
    assert len(edited.track(part).keys) == len(phrase.track(part).keys) + 1
    made = generate(edited, recording.rate)
    assert np.abs(made.positions_world() - recording.positions_world()).max() < 1e-6


def off_the_way(place, start, end):
    """Metres from a place to the straight way between two others."""
    way = end - start
    along = np.clip((place - start) @ way / max(way @ way, 1e-9), 0.0, 1.0)
    return float(np.linalg.norm(place - start - along * way))


def test_a_deleted_goal_of_a_recording_is_no_longer_visited():
    recording = RECORDED["knock"]
    phrase = lift(recording)
    keys = phrase.arm("right").keys
    places = ARM * keys.positions
    far = [off_the_way(places[i], places[i - 1], places[i + 1]) for i in range(1, len(keys) - 1)]
    key = 1 + int(np.argmax(far))
    assert max(far) > 0.02
    edited = EditKeys(delete=[DeleteKey("right_arm", keys.times[key])])(phrase)
    assert len(edited.arm("right").keys) == len(keys) - 1
    made = generate(edited, recording.rate)
    now = wrist(made)[round(keys.times[key] * recording.rate)]
    assert off_the_way(now, places[key - 1], places[key + 1]) < 0.5 * max(far)
    stays_beyond(made, recording, keys.times[key - 1], keys.times[key + 1])


def test_a_key_that_comes_earlier_brings_the_hand_there_earlier():
    recording = RECORDED["point"]
    phrase = lift(recording)
    keys = phrase.arm("right").keys
    far = int(np.argmax(np.linalg.norm(keys.positions - keys.positions[0], axis=1)))
    early = keys.times[far] - 0.3 * (keys.times[far] - keys.times[far - 1])
    made = generate(EditKeys(move=[MoveKey("right_arm", keys.times[far], to_time=early)])(phrase), recording.rate)
    goal = keys.positions[far] * ARM
    at = early * recording.rate
    before, after = (np.linalg.norm(wrist(own)[round(at)] - goal) for own in (recording, made))
    assert after < 0.2 * before
    assert before > 0.02


def test_a_gesture_reaches_a_moved_goal_by_as_much():
    plain = phrase_of("wave", FIGURE)
    keys, by = plain.arm("right").keys, np.array([-0.05, 0.05, -0.05])
    edited = EditKeys(move=[MoveKey("right_arm", 1.1, by)])(plain)
    index = int(np.argmin(np.abs(keys.times - 1.1)))
    before, after = (wrist(generate(own, 60.0)) for own in (plain, edited))
    frame = round(keys.times[index] * 60.0)
    assert after[frame] - before[frame] == pytest.approx(by * ARM, abs=0.01)
    assert (
        np.abs(after[: round(keys.times[index - 2] * 60.0)] - before[: round(keys.times[index - 2] * 60.0)]).max()
        < 1e-3
    )


def test_a_via_that_is_added_on_a_gesture_s_path_hardly_changes_it():
    plain = phrase_of("point", FIGURE)
    times = plain.arm("right").keys.times
    at = 0.5 * (times[0] + times[1])
    edited = EditKeys(add=[AddKey("right_arm", at, goal=False)])(plain)
    before, after = (wrist(generate(own, 60.0)) for own in (plain, edited))
    assert np.linalg.norm(after - before, axis=1).max() < 0.03


def test_keys_and_effort_are_the_same_in_either_order():
    recording = RECORDED["knock"]
    for phrase in (lift(recording), phrase_of("knock", FIGURE)):
        keys = phrase.arm("right").keys
        edit = EditKeys(
            delete=[DeleteKey("right_arm", keys.times[2])], add=[AddKey("right_arm", 0.5 * sum(keys.times[:2]))]
        )
        one, other = Effort(time=1.0)(edit(phrase)), edit(Effort(time=1.0)(phrase))
        first, second = generate(one), generate(other)
        assert len(first) == len(second)
        assert np.abs(first.rotations - second.rotations).max() < 1e-9


@pytest.mark.parametrize("kind", [Kind.TOUCH, Kind.PLACE])
def test_what_a_hand_keeps_at_a_moved_key_is_moved_by_as_much(kind):
    phrase = lift(RECORDED["wave"])
    key, by = middle_goal(phrase.arm("right").keys), np.array([-0.06, 0.1, -0.08])
    at = float(phrase.arm("right").keys.times[key])
    touches = Referent(kind, "right", at - 0.1, at + 0.1, joint="head" if kind == Kind.TOUCH else None)
    edit = EditKeys(move=[MoveKey("right_arm", at, by)])
    made = generate(edit(replace(phrase, referents=(touches,))), 60.0)
    moved = wrist(made)[round(at * 60.0)] - wrist(RECORDED["wave"])[round(at * 60.0)]
    assert moved == pytest.approx(by * ARM, abs=0.01)


def test_a_neutral_edit_gives_the_recording_itself():
    recording = RECORDED["wave"]
    phrase = lift(recording)
    for edit in (EditKeys(), EditKeys(move=[MoveKey("left_arm", 0.0)])):
        assert edit.neutral
        assert edit(phrase) is phrase
        assert generate(edit(phrase), recording.rate) is recording
        assert render(Score(recording, (Layer(edit),))) is recording


def test_the_ends_of_a_loop_move_together():
    made = motion("walk in place")
    phrase = lift(made)
    assert phrase.loop
    keys = phrase.arm("left").keys
    edited = EditKeys(move=[MoveKey("left_arm", 0.0, (0.1, 0.0, 0.0))])(phrase).arm("left").keys
    moved = np.flatnonzero(np.abs(edited.positions - keys.positions).max(axis=1) > 1e-9)
    assert moved.tolist() == [0, len(keys) - 1]


def test_a_score_has_it_in_json():
    edit = EditKeys(
        move=[MoveKey("right_arm", 1.1, (0.0, 0.1, 0.0), 1.15)],
        add=[AddKey("left_arm", 1.0, (0.2, -0.3, 0.4), goal=False), AddKey("right_arm", 2.8)],
        delete=[DeleteKey("right_arm", 2.58)],
    )
    score = Score("wave", (edit.over(strength=0.9),))
    text = to_json(score)
    assert from_json(text) == score
    row = json.loads(text)["layers"][0]
    assert row["edit"] == "keys"
    assert row["move"] == [{"part": "right_arm", "at": 1.1, "by": [0.0, 0.1, 0.0], "to_time": 1.15}]
    assert row["add"][1] == {"part": "right_arm", "at": 2.8}
    assert np.array_equal(render(from_json(text)).rotations, render(score).rotations)


def test_texts_of_the_command_line_say_the_same():
    assert parse_move("right_arm@1.2 by 0,0.1,0 to 1.4") == MoveKey("right_arm", 1.2, (0.0, 0.1, 0.0), 1.4)
    assert parse_move("left_arm@0.5s to 0.6s") == MoveKey("left_arm", 0.5, to_time=0.6)
    assert parse_add("right_arm@1.2 at -0.3,0.1,0.5 via") == AddKey("right_arm", 1.2, (-0.3, 0.1, 0.5), goal=False)
    assert parse_add("right_arm@1.2") == AddKey("right_arm", 1.2)
    assert parse_add("right_arm@1.2 via") == AddKey("right_arm", 1.2, goal=False)
    assert parse_delete("left_arm@3") == DeleteKey("left_arm", 3.0)


@pytest.mark.parametrize(
    ("parse", "text", "said"),
    [
        (parse_move, "right_arm@1.2", "neither by how far nor to when"),
        (parse_move, "right_arm 1.2 by 0,0,1", "write it as 'right_arm@1.2 by"),
        (parse_move, "rigth_arm@1.2 by 0,0,1", "did you mean 'right_arm'"),
        (parse_delete, "right_arm@soon", "write it as"),
        (parse_add, "right_arm@1 at 1,2,3 slowly", "write it as"),
    ],
)
def test_texts_that_say_something_else_are_refused(parse, text, said):
    with pytest.raises(ValueError, match=said):
        parse(text)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (
            EditKeys(move=[MoveKey("right_arm", 0.6, (0, 0, 1))]),
            r"move\[0\]: no key of right_arm within 0.1 s of 0.6 s; .*0.48 and 0.84 s",
        ),
        (EditKeys(delete=[DeleteKey("left_arm", 0.6)]), r"delete\[0\]: left_arm of wave has no keys"),
        (EditKeys(add=[AddKey("right_arm", 99.0)]), r"add\[0\]: found 99 s; wave lasts from 0 to"),
        (EditKeys(move=[MoveKey("right_arm", 0.84, to_time=0.97)]), "two keys of right_arm come at 0.97 s"),
    ],
)
def test_wrong_times_are_refused_with_what_is_there(edit, said):
    with pytest.raises(ValueError, match=said):
        edit(phrase_of("wave", FIGURE))


def test_deleting_every_key_is_refused():
    phrase = phrase_of("wave", FIGURE)
    every = [DeleteKey("right_arm", time) for time in phrase.arm("right").keys.times]
    with pytest.raises(ValueError, match="all keys of right_arm are deleted"):
        EditKeys(delete=every)(phrase)


def test_a_part_that_has_no_keys_is_refused():
    with pytest.raises(ValueError, match="left_arm"):
        MoveKey("torso", 1.0)


def test_a_walk_is_refused():
    with pytest.raises(ValueError, match="walk"):
        EditKeys(delete=[DeleteKey("right_arm", 0.5)])(phrase_of("walk", FIGURE))
