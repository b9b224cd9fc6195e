"""Steps that are moved and turned, in gestures and in lifted recordings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from gaits import Plan, gait, short_steps
from kinesphere import EditKeys, Effort, Layer, Score, body_of, generate, lift, load, perform, phrase_of, render, save
from kinesphere.builtin import motion as builtin
from kinesphere.cli.main import app
from kinesphere.laban import MoveStep
from kinesphere.laban.steps import parse_step
from kinesphere.maths import rotations as R
from kinesphere.maths.vectors import norms
from kinesphere.motion.gesture import Step
from kinesphere.score.document import from_json, to_json
from recordings import place

WALKS = {
    "walk": lambda: gait(Plan(), 60.0),
    "run": lambda: gait(Plan(), 60.0, kind="run"),
    "to the side": lambda: short_steps(Plan(), 60.0, way=(0.16, 0.0)),
    "a turn": lambda: short_steps(Plan(), 30.0, turn=0.35),
    "there and back": lambda: short_steps(Plan(), 120.0, way=(0.12, 0.1), back=4),
}


def middle_step(phrase, side="left"):
    rows = phrase.track(f"{side}_leg").steps
    return rows[len(rows) // 2 - (1 if len(rows) > 2 else 0)]


def stance_after(phrase, side, step):
    """Frames of the stance that a step leads to."""
    detail = phrase.detail
    own = next(own for own in detail.steps.stances_of(side) if own.first / detail.recording.rate == step.land)
    return slice(own.first, own.last + 1)


@pytest.mark.parametrize("name", WALKS)
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_moved_step_moves_one_stance_as_a_whole_and_nothing_beyond(name, side):
    motion = WALKS[name]()
    phrase = lift(motion)
    step = middle_step(phrase, side)
    edit = EditKeys(steps=[MoveStep(f"{side}_leg", 0.5 * (step.lift + step.land), (0.06, 0.04))])
    made = generate(edit(phrase), motion.rate)
    rows = stance_after(phrase, side, step)
    poses = phrase.detail.poses
    wanted = poses.leg_length * R.rotate(poses.heading[round(step.lift * motion.rate)], np.array([0.06, 0.0, 0.04]))
    away = place(made, f"{side}Foot") - place(motion, f"{side}Foot")
    np.testing.assert_allclose(away[rows], np.broadcast_to(wanted, away[rows].shape), atol=2e-3)
    stances = phrase.detail.steps.stances_of(side)
    own = next(own for own in stances if own.first == rows.start)
    for other in stances:
        if norms(np.subtract(other.ankle, own.ankle)) > 0.02:  # what steps in place stays where it is now
            assert norms(away[other.first : other.last + 1]).max() < 2e-3
    foot = "right" if side == "left" else "left"
    assert norms(place(made, f"{foot}Foot") - place(motion, f"{foot}Foot")).max() < 2e-3
    hips = norms(place(made, "hips") - place(motion, "hips"))
    assert 0.2 * norms(wanted) < hips.max() < 1.5 * norms(wanted)
    assert norms(np.diff(place(made, "hips") - place(motion, "hips"), 2, axis=0)).max() < 0.01
    assert norms(away[: round(step.lift * motion.rate)]).max() < 2e-3


@pytest.mark.parametrize("name", ["walk", "to the side", "a turn"])
def test_a_turned_step_turns_its_foot_about_where_it_stands(name):
    motion = WALKS[name]()
    phrase = lift(motion)
    step = middle_step(phrase)
    made = generate(EditKeys(steps=[MoveStep("left_leg", step.land, turn=0.4)])(phrase), motion.rate)
    rows = stance_after(phrase, "left", step)
    foot = body_of(motion).roles["leftFoot"]
    before, after = motion.rotations_world()[rows, foot], made.rotations_world()[rows, foot]
    turned = R.to_rotation_vector(R.multiply(after, R.conjugate(before)))
    np.testing.assert_allclose(turned, np.broadcast_to([0.0, 0.4, 0.0], turned.shape), atol=0.01)
    ankle = place(motion, "leftFoot")[rows]
    middle = np.median(ankle, axis=0)
    wanted = middle + R.rotate(R.from_rotation_vector([0.0, 0.4, 0.0]), ankle - middle)
    np.testing.assert_allclose(place(made, "leftFoot")[rows], wanted, atol=2e-3)
    for side in ("left", "right"):
        for own in phrase.detail.steps.stances_of(side):
            if (side, own.first) != ("left", rows.start):
                joint = body_of(motion).roles[f"{side}Foot"]
                now = made.rotations_world()[own.first : own.last + 1, joint]
                was = motion.rotations_world()[own.first : own.last + 1, joint]
                assert R.angle_between(now, was).max() < 0.01


def test_later_stances_go_along_with_a_step_that_says_more():
    """A step says how far a foot goes from where it stood: without the edit's compensation all later ones move."""
    motion = WALKS["to the side"]()
    phrase = lift(motion)
    track = phrase.track("left_leg")
    rows = list(track.steps)
    rows[2] = replace(rows[2], z=rows[2].z + 0.05)
    made = generate(phrase.with_tracks({"left_leg": replace(track, steps=tuple(rows))}), motion.rate)
    away = norms(place(made, "leftFoot") - place(motion, "leftFoot"))
    assert away[-1] == pytest.approx(0.05 * phrase.detail.poses.leg_length, abs=1e-3)


def test_steps_are_edited_under_effort_and_words_as_well():
    motion = WALKS["walk"]()
    phrase = lift(motion)
    step = middle_step(phrase)
    edit = EditKeys(steps=[MoveStep("left_leg", step.land, (0.08, 0.0))])
    one = edit(Effort(weight=1.0)(phrase))
    other = Effort(weight=1.0)(edit(phrase))
    np.testing.assert_array_equal(generate(one, 60.0).rotations, generate(other, 60.0).rotations)
    plain = perform(motion, Effort(weight=1.0))
    away = norms(place(generate(one, 60.0), "leftFoot") - place(plain, "leftFoot")).max()
    assert away == pytest.approx(0.08 * phrase.detail.poses.leg_length, abs=0.02)


def test_what_cannot_be_done_is_refused():
    phrase = lift(WALKS["walk"]())
    track = phrase.track("left_leg")
    for steps, said in (
        (track.steps[:-1], "were recorded; steps of a recording can be moved and turned, not added, deleted"),
        ((*track.steps, Step(3.9, 3.95, 0.1, 0.0)), "not added, deleted"),
        ((replace(track.steps[0], land=track.steps[0].land + 0.1), *track.steps[1:]), "at another time"),
    ):
        with pytest.raises(ValueError, match=said):
            generate(phrase.with_tracks({"left_leg": replace(track, steps=tuple(steps))}), 60.0)
    with pytest.raises(ValueError, match=r"no step of left_leg within 0\.1 s of 9\.9 s; the nearest"):
        EditKeys(steps=[MoveStep("left_leg", 9.9, (0.1, 0.0))])(phrase)
    with pytest.raises(ValueError, match="makes no steps, and none can be added"):
        EditKeys(steps=[MoveStep("left_leg", 1.0, (0.1, 0.0))])(lift(builtin("drink")))
    with pytest.raises(ValueError, match="its legs no steps that could be edited"):
        EditKeys(steps=[MoveStep("left_leg", 1.0, (0.1, 0.0))])(phrase_of("walk"))
    with pytest.raises(ValueError, match='part is "left_arm"; one of: left_leg'):
        EditKeys(steps=[MoveStep("left_arm", 1.0, (0.1, 0.0))])(phrase)
    with pytest.raises(ValueError, match="no part is called 'left_arm'"):
        parse_step("left_arm@1 by 1,2")
    for text in ("left_leg@1", "left_leg@1 by a,b", "left_leg 1 by 1,2", "left_leg@1 by 1"):
        with pytest.raises(ValueError, match="write it as"):
            parse_step(text)
    assert parse_step("left_leg@1.2s by -0.1,0.2 turn 0.3") == MoveStep("left_leg", 1.2, (-0.1, 0.2), 0.3)


def test_steps_that_stay_are_neutral():
    motion = WALKS["walk"]()
    phrase = lift(motion)
    assert EditKeys(steps=[MoveStep("left_leg", 99.0)])(phrase) is phrase
    assert EditKeys().neutral
    step = middle_step(phrase)
    there = EditKeys(steps=[MoveStep("left_leg", step.land, (0.1, 0.0))])
    assert generate(phrase.with_tracks({}), motion.rate) is motion
    assert not there.neutral


def test_steps_in_scores_and_on_the_command_line(tmp_path):
    motion = WALKS["to the side"]()
    file = tmp_path / "side.npz"
    save(motion, file)
    step = middle_step(lift(load(file)))
    edit = EditKeys(steps=[MoveStep("left_leg", round(step.land, 2), (0.0, 0.1))])
    out = tmp_path / "moved.npz"
    said = CliRunner().invoke(
        app, ["keys", str(file), "-o", str(out), "--steps", f"left_leg@{round(step.land, 2)} by 0,0.1"]
    )
    assert said.exit_code == 0, said.output
    score = Score(str(file), (Layer(edit),))
    assert from_json(to_json(score)).layers == score.layers
    assert np.abs(load(out).rotations - render(score).rotations).max() < 1e-6


def test_steps_of_gestures_are_moved_too():
    phrase = phrase_of("punch")
    part, step = next((part, row) for part in ("left_leg", "right_leg") for row in phrase.track(part).steps)
    edited = EditKeys(steps=[MoveStep(part, step.land, (0.05, 0.0))])(phrase)
    plain, made = (generate(own, 60.0) for own in (phrase, edited))
    side = part.removesuffix("_leg")
    away = norms(place(made, f"{side}Foot") - place(plain, f"{side}Foot"))
    assert away.max() == pytest.approx(0.05 * phrase.body.lengths[f"{side}Leg"], abs=0.01)
