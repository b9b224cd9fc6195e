"""Scripts: when actions are, what they do to tracks, and that a body goes on from wherever it is."""

from __future__ import annotations

import numpy as np
import pytest

import kinesphere
from kinesphere import Score, generate, load_script, render
from kinesphere.body.contacts import find_contact_runs
from kinesphere.body.ground import sole_paths, sole_points
from kinesphere.engine.generation import body_clock
from kinesphere.engine.phrases import figure_body
from kinesphere.engine.shaping.goals import point_of_hand
from kinesphere.maths import rotations as R
from kinesphere.scripts import schedule, script_phrase

APPLE = (-0.38, 1.20, 0.48)
HEAD = f'kind = "script"\n[place]\napple = {list(APPLE)}\n'


@pytest.fixture
def script(tmp_path):
    def write(text, name="script.toml"):
        path = tmp_path / name
        path.write_text(text if "kind" in text else HEAD + text, encoding="utf-8")
        return load_script(path)

    return write


def starts(script):
    return {name: round(at, 9) for name, at in schedule(script, figure_body()).starts.items()}


def fingertips(phrase, motion, side="right", point="fingertips"):
    q, p = motion.world()
    hand = motion.skeleton.roles[f"{side}Hand"]
    offset = np.broadcast_to(point_of_hand(phrase.body, side, point, motion.rotations), (len(q), 3))
    return p[:, hand] + R.rotate(q[:, hand], offset)


# Times


def test_actions_follow_each_other_and_may_start_at_a_time(script):
    made = script(
        '[[action]]\ndo = "shrug"\n[[action]]\ndo = "shrug"\nwait = 0.5\n[[action]]\ndo = "shrug"\nstart = 9.0'
    )
    assert starts(made) == {"shrug": 0.0, "shrug 2": 3.1, "shrug 3": 9.0}


def test_sync_points_are_waited_for_before_and_after(script):
    touch = '[[action]]\ndo = "touch"\ntarget = "apple"\narrives = 1.5\n'
    made = script(
        f'{touch}[[action]]\ndo = "shrug"\nname = "late"\nafter = "touch.arrives"\nwait = 2.0\n'
        '[[action]]\ndo = "walk-off"\nwith = "touch.touch"\nwait = -0.4\n'
    )
    assert starts(made) == {"touch": 0.0, "late": 3.5, "walk-off": 1.1}
    back = script(f'{touch}start = 4.0\n[[action]]\ndo = "walk-off"\nwith = "touch.arrives"\nsync = "lands"\n')
    times = schedule(back, figure_body())
    assert times.moment("walk-off.lands") == pytest.approx(times.moment("touch.arrives"))
    assert times.moment("touch.arrives") == pytest.approx(5.5)


def test_what_comes_with_another_does_not_hold_up_what_follows(script):
    made = script(
        '[[action]]\ndo = "shrug"\n[[action]]\ndo = "walk-off"\nwith = "shrug"\n'
        '[[action]]\ndo = "shrug"\nname = "again"\n'
    )
    assert starts(made)["again"] == pytest.approx(2.6)


def test_repeats_come_one_after_the_other(script):
    made = script('[[action]]\ndo = "shrug"\nrepeat = 3\npause = 0.4\n[[action]]\ndo = "touch"\ntarget = "apple"')
    times = schedule(made, figure_body())
    assert [round(own.start, 6) for own in times.occurrences] == [0.0, 3.0, 6.0, 8.6]
    assert times.moment("shrug.end") == pytest.approx(8.6)
    assert times.moment("shrug.arrives.2") == pytest.approx(3.0 + times.moment("shrug.arrives"))


def test_a_duration_scales_all_times_of_an_action(script):
    made = script('[[action]]\ndo = "touch"\ntarget = "apple"\nduration = 6.2')
    times = schedule(made, figure_body())
    own = times.occurrences[0].content
    assert own.duration == pytest.approx(6.2)
    assert times.moment("touch.arrives") == pytest.approx(2.0 * 1.15)
    assert own.properties == ()


# Tracks


def test_a_place_is_touched_to_a_millimetre_for_as_long_as_asked(script):
    made = script('[[action]]\ndo = "touch"\ntarget = "apple"\nstays = 0.8')
    phrase = script_phrase(made, figure_body())
    motion = generate(phrase)
    clock = body_clock(phrase, motion.rate)
    first, last = (round(float(clock(np.array([at]))[0]) * motion.rate) for at in (1.15, 1.95))
    away = np.linalg.norm(fingertips(phrase, motion) - np.array(APPLE), axis=1)
    assert away[first : last + 1].max() < 1e-3
    assert away[0] > 0.3


def test_the_left_hand_does_the_mirror_image_and_touches_the_same_place(script):
    ahead = [0.0, 1.2, 0.5]
    right, left = (
        script(f'[[action]]\ndo = "touch"\ntarget = {ahead}\nhand = "{hand}"', f"{hand}.toml")
        for hand in ("right", "left")
    )
    made = {hand: script_phrase(own, figure_body()) for hand, own in (("right", right), ("left", left))}
    tips = {hand: fingertips(own, generate(own), hand) for hand, own in made.items()}
    assert np.abs(tips["right"][90] - ahead).max() < 1e-3
    assert np.abs(tips["left"] * [-1.0, 1.0, 1.0] - tips["right"]).max() < 0.01


def test_steps_go_where_they_say_and_no_foot_slides(script):
    made = script('[[action]]\ndo = "walk-off"\nsteps = 7\nstride = 0.5\nturn = 90')
    motion = generate(script_phrase(made, figure_body()))
    hips = motion.positions_world()[:, motion.skeleton.roles["hips"]]
    went = hips[-1] - hips[0]
    assert 2.0 < np.hypot(went[0], went[2]) < 2.9
    assert went[0] > 0.8  # a bend to the left
    turned = motion.world()[0][-1, motion.skeleton.roles["hips"]]
    ahead = R.rotate(turned, np.array([0.0, 0.0, 1.0]))
    assert np.degrees(np.arctan2(ahead[0], ahead[2])) == pytest.approx(90.0, abs=4.0)
    paths, runs = sole_paths(motion, sole_points(motion.skeleton)), find_contact_runs(motion)
    for point, first, last in runs.rows.tolist():
        if runs.points[point].point == "ball":
            own = paths[first : last + 1, point][:, [0, 2]]
            assert np.linalg.norm(own - np.median(own, axis=0), axis=1).max() < 0.005


def test_the_second_walk_begins_where_the_first_ended(script):
    once = script('[[action]]\ndo = "walk-off"\nsteps = 4\nturn = 60', "once.toml")
    twice = script('[[action]]\ndo = "walk-off"\nsteps = 4\nturn = 60\nrepeat = 2', "twice.toml")
    made = [generate(script_phrase(own, figure_body())) for own in (once, twice)]
    hips = [own.positions_world()[:, own.skeleton.roles["hips"]][:, [0, 2]] for own in made]
    one, two = hips[0][-1] - hips[0][0], hips[1][-1] - hips[1][0]
    cosine, sine = np.cos(np.radians(60.0)), np.sin(np.radians(60.0))
    turned = np.array([cosine * one[0] + sine * one[1], cosine * one[1] - sine * one[0]])
    assert np.abs(two - (one + turned)).max() < 0.04


OWN = """
kind = "action"
about = "Raises an arm, and keeps it there"
[[pose]]
at = 0.8
right_arm = { elevation = 90, plane = 60, elbow = 20 }
channels = { torso_turn = 20 }
"""


def test_a_body_goes_on_from_wherever_it_is(script, tmp_path):
    (tmp_path / "raise.toml").write_text(OWN, encoding="utf-8")
    made = script('[[action]]\ndo = "raise.toml"\n[[action]]\ndo = "shrug"\nwait = 1.0\ntrack = ["head", "torso"]')
    motion = generate(script_phrase(made, figure_body()))
    wrist = motion.positions_world()[:, motion.skeleton.roles["rightHand"]]
    assert wrist[-1, 1] - wrist[0, 1] > 0.35  # nobody has lowered it
    on = script('[[action]]\ndo = "raise.toml"\n[[action]]\ndo = "shrug"\nwait = 0.6', "on.toml")
    motion = generate(script_phrase(on, figure_body()))
    places = motion.positions_world()
    wrist = places[:, motion.skeleton.roles["rightHand"]]
    held = wrist[60:108]  # from its arrival to when the shrug's hand sets out
    assert np.linalg.norm(held - held[0], axis=1).max() < 0.06
    assert wrist[-1, 1] - wrist[0, 1] < 0.02
    for role in ("rightHand", "leftHand", "head", "hips"):
        bend = np.linalg.norm(np.diff(places[:, motion.skeleton.roles[role]], 2, axis=0), axis=1).max()
        assert bend < 0.012, role


def test_a_track_restricts_an_action_to_its_parts(script):
    whole = script('[[action]]\ndo = "shrug"', "whole.toml")
    arms = script('[[action]]\ndo = "shrug"\ntrack = "right_arm"', "arms.toml")
    made = [script_phrase(own, figure_body()) for own in (whole, arms)]
    assert made[0].track("head").curves
    assert not made[1].track("head").curves
    assert made[1].arm("left").keys is None
    keys = [own.arm("right").keys for own in made]
    assert np.array_equal(keys[0].times, keys[1].times)


def test_interrupting_takes_over_from_where_the_hand_is(script):
    made = script(
        '[[action]]\ndo = "touch"\ntarget = "apple"\nstays = 3\n[[action]]\ndo = "shrug"\nstart = 2.5\ninterrupt = true'
    )
    phrase = script_phrase(made, figure_body())
    times = phrase.arm("right").keys.times
    assert np.all(np.diff(times) > 0.0)
    motion = generate(phrase)
    places = motion.positions_world()
    bend = np.linalg.norm(np.diff(places[:, motion.skeleton.roles["rightHand"]], 2, axis=0), axis=1)
    assert bend.max() < 0.015


@pytest.mark.parametrize(
    "first", ['do = "touch"\ntarget = "apple"\nstays = 3', 'do = "point-at"\ntarget = [-2, 1.3, 2.5]']
)
def test_an_interrupted_hand_lets_go(script, first):
    made = script(
        f'[[action]]\n{first}\nname = "first"\n[[action]]\ndo = "wave"\nstart = 1.6\ninterrupt = true', "cut.toml"
    )
    alone = script('[[action]]\ndo = "wave"\nstart = 1.6', "alone.toml")
    phrases = [script_phrase(own, figure_body()) for own in (made, alone)]
    motions = [generate(own) for own in phrases]
    hands = [own.positions_world()[:, own.skeleton.roles["rightHand"]] for own in motions]
    later = slice(round(2.6 * 60), round(3.8 * 60))  # while it waves
    assert np.linalg.norm(hands[0][later] - hands[1][later], axis=1).max() < 0.05
    assert max([own.end for own in phrases[0].goals], default=0.0) <= 1.6


def test_oscillations_go_to_and_fro_as_often_as_asked(script, tmp_path):
    own = (
        'kind = "action"\nabout = "Nods an elbow"\n[[oscillation]]\njoint = "right_arm.elbow"\n'
        "start = 1.0\nend = 4.0\nsize = 20\nrate = 1.0\nabout = { elevation = 30, elbow = 80 }\n"
        "[[pose]]\nat = 5.2\nrest = true\n"
    )
    (tmp_path / "nod.toml").write_text(own, encoding="utf-8")
    motion = generate(script_phrase(script('[[action]]\ndo = "nod.toml"'), figure_body()))
    p, roles = motion.positions_world(), motion.skeleton.roles
    upper, lower = (
        p[:, roles[a]] - p[:, roles[b]] for a, b in (("rightLowerArm", "rightUpperArm"), ("rightHand", "rightLowerArm"))
    )
    cosine = np.sum(upper * lower, axis=1) / np.linalg.norm(upper, axis=1) / np.linalg.norm(lower, axis=1)
    bent = np.degrees(np.arccos(cosine))[60:240]
    assert np.ptp(bent) == pytest.approx(40.0, abs=6.0)
    crossings = np.flatnonzero(np.diff(np.sign(bent - 80.0)) != 0)
    assert 5 <= len(crossings) <= 7  # three periods


# Properties, edits, sketches


def test_a_property_of_an_action_holds_in_its_time_alone(script):
    made = script(
        '[[action]]\ndo = "shrug"\n[[action]]\ndo = "shrug"\n'
        '[[action.property]]\nname = "posture"\namount = -1.0\n[[action]]\ndo = "shrug"'
    )
    phrase = script_phrase(made, figure_body())
    claims = [own for own in phrase.claims if own.by == "posture"]
    assert claims
    assert {own.source for own in claims} == {"action"}
    assert {own.origin for own in claims} == {"shrug 2"}
    for own in claims:
        held = phrase.times[own.weight > 0.5]
        assert 2.6 <= held[0] < 2.8
        assert 5.0 < held[-1] <= 5.2


def test_edits_cover_actions_and_actions_cover_sketches(script):
    made = script(
        'kind = "script"\nsketch = "old-man"\n[[action]]\ndo = "shrug"\n'
        '[[action.property]]\nname = "tempo"\nfactor = 1.5\n'
        '[[edit]]\nname = "tempo"\nfactor = 2.0\nstart = "shrug.arrives"\nend = "shrug"'
    )
    phrase = script_phrase(made, figure_body())
    found = {own.source: own for own in phrase.claims if own.by == "tempo"}
    assert set(found) == {"sketch", "action", "edit"}
    assert found["edit"].weight[0] == 0.0
    late = kinesphere.explain(phrase, 0.05, "right_arm")
    assert "action shrug" in str(late)


def test_a_script_is_a_source_of_scores_on_any_body_and_at_any_rate(script, tmp_path):
    script('[[action]]\ndo = "touch"\ntarget = [-0.2, 0.75, 0.3]\n[[action]]\ndo = "shrug"')
    path = tmp_path / "script.toml"
    made = render(Score(path, character="mo", rate=30.0))
    assert made.rate == 30.0
    assert R.unit_error(made.rotations) < 1e-9
    kinesphere.save_score(Score(path), tmp_path / "score.json")
    again = kinesphere.load_score(tmp_path / "score.json")
    assert np.array_equal(render(again).rotations, render(Score(path)).rotations)
    words = kinesphere.perform(path, words="tired")
    assert words.duration > render(Score(path)).duration


def test_scripts_give_the_same_bits_every_time(script, tmp_path):
    text = '[[action]]\ndo = "touch"\ntarget = "apple"\n[[action.property]]\nname = "posture"\namount = 0.5\n'
    text += '[[action]]\ndo = "walk-off"'
    first = generate(script_phrase(script(text, "a.toml"), figure_body()))
    second = generate(script_phrase(script(text, "b.toml"), figure_body()))
    assert np.array_equal(first.rotations, second.rotations)
    assert np.array_equal(first.translations, second.translations)
