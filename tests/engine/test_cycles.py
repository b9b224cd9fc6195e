"""Loops: what is found in them, and how they are performed, does not depend on where they are cut."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.walking import BODIES_THAT_WALK
from kinesphere import Effort, Express, Motion, Phrase, Shape, body_of, generate, lift, load, loop, perform
from kinesphere.body.ground import runs
from kinesphere.builtin import motion as builtin
from kinesphere.builtin.library import movement
from kinesphere.engine.detail import LEGS_LEAD
from kinesphere.engine.embodiment import embody
from kinesphere.engine.performed_recording import performed_clock
from kinesphere.engine.phrases import phrase_of
from kinesphere.maths.vectors import norms

RATES = (24.0, 30.0, 60.0, 120.0)
EDITS = {
    "tired": {"words": "tired"},
    "joyful": {"words": "joyful"},
    "sneakily": {"words": "sneakily"},
    "haphazardly": {"words": "haphazardly"},
    "indirect": {"effort": Effort(space=-1.0)},
    "direct": {"effort": Effort(space=1.0)},
    "light": {"effort": Effort(weight=-1.0)},
    "strong": {"effort": Effort(weight=1.0)},
    "sudden": {"effort": Effort(time=1.0)},
    "free": {"effort": Effort(flow=-1.0)},
    "rising": {"shape": Shape(vertical=-1.0)},
}

PARTS = {"wave": (0.7, 1.9), "knock": (0.5, 1.5), "beckon": (0.5, 1.8)}  # seconds, cut within strokes


def stride(body: str = "figure", rate: float = 60.0) -> tuple[Motion, float]:
    """One stride in place on a body, and the speed of the ground below it, in metres a second."""
    phrase = replace(phrase_of(movement("walk in place"), BODIES_THAT_WALK[body]()), life=0.0)
    frames = round(phrase.duration * rate)
    made = generate(phrase, frames / phrase.duration)
    speed = phrase.gait.stride * embody(phrase.body).actor.size / phrase.duration
    return replace(made, rate=rate), speed * rate * phrase.duration / frames


def travelling(motion: Motion, speed: float) -> Motion:
    translations = motion.translations.copy()
    translations[:, 0, 2] += speed * motion.times
    return replace(motion, translations=translations)


def running(motion: Motion, lasts: float = 0.26) -> Motion:
    """The same in the air while both feet would stand."""
    translations, strikes = motion.translations.copy(), lift(motion).detail.steps.strikes
    for strike in strikes:
        since = np.mod(motion.times - strike + 0.5 * motion.duration, motion.duration) - 0.5 * motion.duration
        own = (since + 0.5 * lasts) * (0.5 * lasts - since)
        translations[:, 0, 1] += 0.5 * 9.81 * np.maximum(own, 0.0)
    return replace(motion, translations=translations)


def rolled(motion: Motion, frames: int) -> Motion:
    """The same loop, cut elsewhere."""
    order = np.append(np.arange(frames, len(motion) - 1), np.arange(frames + 1))
    translations = motion.translations[order].copy()
    translations[len(motion) - 1 - frames :, 0] += motion.translations[-1, 0] - motion.translations[0, 0]
    return replace(motion, rotations=motion.rotations[order], translations=translations)


def around(times: np.ndarray, period: float) -> np.ndarray:
    """Moments of a loop, in order from its start."""
    return np.sort(np.mod(times + 1e-4, period) - 1e-4)


def strokes_of(phrase) -> dict[str, np.ndarray]:
    """When strokes begin and end, feet strike, stand and leave, in a loop."""
    detail, period = phrase.detail, phrase.duration
    rate, strokes = detail.recording.rate, detail.strokes
    edges = strokes.edges[1:-1] if strokes.wraps else strokes.edges[:-1]
    found = {"body": edges, "strikes": detail.steps.strikes}
    for side in ("left", "right"):
        keys = phrase.arm(side).keys
        found[f"{side} goals"] = keys.times[:-1][keys.goals[:-1]]
        stances = detail.steps.stances_of(side)
        found[f"{side} lands"] = np.array([own.first for own in stances]) / rate
        found[f"{side} leaves"] = np.array([own.last for own in stances]) / rate
    return {name: around(times, period) for name, times in found.items()}


# One stride is a walk


@pytest.mark.parametrize("goes", [False, True], ids=["in place", "travelling"])
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("body", BODIES_THAT_WALK)
def test_one_stride_is_locomotion(body, rate, goes):
    motion, speed = stride(body, rate)
    phrase = lift(travelling(motion, speed) if goes else motion)
    steps = phrase.detail.steps
    assert phrase.loop
    assert sorted(steps.strike_sides) == ["left", "right"]
    assert steps.walking.min() == 1.0
    assert steps.stride_seconds == pytest.approx(motion.duration)
    assert set(phrase.detail.strokes.leads) == {LEGS_LEAD}
    expected = 0.0 if goes else speed
    assert norms(phrase.detail.treadmill) == pytest.approx(expected, rel=0.03, abs=1e-9)
    for side in ("left", "right"):
        (stance,) = steps.stances_of(side)
        assert 0.3 < (stance.last - stance.first) / (len(motion) - 1) < 0.75


@pytest.mark.parametrize("rate", RATES)
def test_runs_in_place_have_flights(rate):
    motion, _ = stride("figure", rate)
    steps = lift(running(motion)).detail.steps
    assert sorted(steps.strike_sides) == ["left", "right"]
    assert steps.flying.max() == 1.0
    assert len(runs(np.tile(steps.flying[:-1], 3) > 0.5)) in (6, 7)  # two in each of three cycles
    assert len(steps.stances) == 2


@pytest.mark.parametrize("name", ["wave", "punch", "knock", "beckon", "emphasise", "clap", "idle", "bow", "shrug"])
def test_other_loops_are_no_locomotion(name):
    motion = loop(builtin(name))
    for own in (motion, loop(builtin(name), search=True)):
        detail = lift(own).detail
        assert not detail.steps.walks
        assert not detail.treadmill.any()


def test_a_jump_that_is_repeated_is_no_locomotion():
    motion, _ = stride("figure", 60.0)
    high = np.maximum(np.sin(2.0 * np.pi * np.arange(len(motion)) / (len(motion) - 1)), 0.0)
    still, skeleton = motion.rotations.copy(), motion.skeleton
    legs = [skeleton.roles[f"{side}{part}"] for side in ("left", "right") for part in ("UpperLeg", "LowerLeg", "Foot")]
    still[:, legs] = motion.rotations[:1, legs]
    translations = motion.translations.copy()
    translations[:, 0, 1] += 0.3 * high
    assert not lift(replace(motion, rotations=still, translations=translations)).detail.steps.walks


# Wherever it is cut


@pytest.mark.parametrize("share", [0.1, 0.35, 0.5, 0.8])
@pytest.mark.parametrize("goes", [False, True], ids=["in place", "travelling"])
def test_what_is_found_goes_round(goes, share):
    motion, speed = stride()
    motion = travelling(motion, speed) if goes else motion
    frames = round(share * (len(motion) - 1))
    one, other = lift(motion), lift(rolled(motion, frames))
    was, now = strokes_of(one), strokes_of(other)
    for name, times in was.items():
        expected = around(times - frames / motion.rate, motion.duration)
        np.testing.assert_allclose(now[name], expected, atol=0.5 / motion.rate, err_msg=name)


def beside_rolled(motion: Motion, frames: int, edit: str) -> tuple[np.ndarray, Phrase]:
    """``(T, J)`` metres between a loop's performance and that of the same loop cut elsewhere, from their roots."""
    edited = (Express(**EDITS[edit])(lift(own)) for own in (motion, rolled(motion, frames)))
    one, other = (replace(own, life=1.0, fidget=0.0) for own in edited)  # sway begins with a loop, wherever that is cut
    was, now = generate(one, 60.0), generate(other, 60.0)
    assert len(was) == len(now)
    starts = float(performed_clock(one, 60.0).to_output(np.array([frames / motion.rate]))[0])
    at = np.mod(now.times + starts, was.duration)
    places = [own.positions_world() - own.positions_world()[:, :1] * [1.0, 0.0, 1.0] for own in (was, now)]
    shown = np.stack([np.interp(at, was.times, column) for column in places[0].reshape(len(was), -1).T], axis=1)
    return norms(shown.reshape(places[1].shape) - places[1]), one


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("goes", [False, True], ids=["in place", "travelling"])
def test_a_performed_stride_goes_round(edit, goes):
    motion, speed = stride()
    off, phrase = beside_rolled(travelling(motion, speed) if goes else motion, 23, edit)
    assert np.median(off) < 0.003
    if "words" in EDITS[edit] or edit == "indirect":  # their waves, too, begin with the loop
        roles = phrase.body.roles
        off = off[:, [roles[f"{side}{part}"] for side in ("left", "right") for part in ("LowerLeg", "Foot")]]
    assert off.max() < 0.004


def part(name: str) -> Motion:
    """A loop of a part of a gesture: its strokes go over the seam."""
    return loop(builtin(name), start=PARTS[name][0], end=PARTS[name][1])


@pytest.mark.parametrize("edit", ["direct", "sudden", "rising", "strong"])
@pytest.mark.parametrize("name", PARTS)
def test_performed_strokes_go_round(name, edit):
    motion = part(name)
    phrase = lift(motion)
    assert phrase.detail.strokes.wraps
    was, now = strokes_of(phrase), strokes_of(lift(rolled(motion, len(motion) // 2)))
    for hand in ("left goals", "right goals", "body"):
        expected = around(was[hand] - len(motion) // 2 / motion.rate, motion.duration)
        np.testing.assert_allclose(now[hand], expected, atol=0.5 / motion.rate, err_msg=hand)
    off, _ = beside_rolled(motion, len(motion) // 2, edit)
    assert np.median(off) < 0.003
    assert off.max() < 0.03


# Its seam


def jolts(made: Motion, order: int) -> tuple[float, float]:
    """The greatest difference of places of an order over the seam of a loop, and inside."""
    places = made.positions_world()
    on = (places[-1] - places[0])[0] * [1.0, 0.0, 1.0]
    assert np.abs(places[-1] - places[0] - on).max() < 1e-6
    found = norms(np.diff(np.concatenate([places[:-1], places + on]), order, axis=0)).max(axis=1)
    return found[len(made) - 1 - order : len(made)].max(), found[3 : len(made) - 3 - order].max()


@pytest.mark.parametrize("edit", ["indirect", "direct", "strong", "free", "sudden", "joyful"])
@pytest.mark.parametrize("name", PARTS)
def test_strokes_go_smoothly_over_a_seam(name, edit):
    motion = part(name)
    made, elsewhere = (perform(own, **EDITS[edit]) for own in (motion, rolled(motion, len(motion) // 2)))
    for order in (1, 2, 3):
        assert jolts(made, order)[0] < 1.25 * max(jolts(made, order)[1], jolts(elsewhere, order)[1])


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
@pytest.mark.parametrize("goes", [False, True], ids=["in place", "travelling"])
def test_a_seam_is_as_smooth_as_any_moment(edit, share, goes):
    motion, speed = stride()
    motion = rolled(travelling(motion, speed) if goes else motion, round(share * (len(motion) - 1)))
    made = perform(motion, **EDITS[edit])
    assert lift(made).loop
    assert sorted(lift(made).detail.steps.strike_sides) == ["left", "right"]
    for order, worse in ((1, 1.1), (2, 1.2), (3, 1.5)):
        seam, inside = jolts(made, order)
        assert seam < worse * inside, order


# On a treadmill


@pytest.mark.parametrize("edit", ["tired", "joyful", "sneakily", "strong", "sudden"])
@pytest.mark.parametrize("body", BODIES_THAT_WALK)
def test_feet_go_with_the_treadmill_that_is_asked_for(body, edit):
    motion, _ = stride(body)
    detail = lift(motion).detail
    made = perform(motion, **EDITS[edit])
    speed = norms(lift(made).detail.treadmill)
    roles, leg = body_of(motion).roles, lift(motion).detail.poses.leg_length
    clock = performed_clock(Express(**EDITS[edit])(lift(motion)), made.rate)
    for side in ("left", "right"):
        (stance,) = detail.steps.stances_of(side)
        middle = np.mod(0.5 * (stance.first + stance.last) / motion.rate, motion.duration)
        half = 0.25 * (stance.last - stance.first) / motion.rate
        since = np.mod(clock.source - middle + 0.5 * motion.duration, motion.duration) - 0.5 * motion.duration
        rows = np.abs(since) < half
        ball = made.positions_world()[:, roles.get(f"{side}Toes", roles[f"{side}Foot"])]
        velocity = np.gradient(ball[:, 2]) * made.rate
        inside = rows & np.roll(rows, 1) & np.roll(rows, -1)
        inside[[0, -1]] = False
        assert np.abs(velocity[inside] + speed).max() < 0.06 * leg / 0.84 + 0.04 * speed, side


def test_a_treadmill_changes_with_stride_and_cadence():
    motion, speed = stride()
    for word, goes in (("tired", -1), ("sneakily", -1), ("joyful", 1), ("urgently", 1)):
        now = norms(lift(perform(motion, words=word)).detail.treadmill)
        assert np.sign(now - speed) == goes, word
    kept = perform(motion, words="tired", keep_path=True)
    way = norms(lift(kept).detail.treadmill) * kept.duration
    assert way == pytest.approx(speed * motion.duration, rel=0.03)


def test_what_rounding_leaves_of_a_way_is_none():
    motion, speed = stride()
    gone = travelling(motion, speed)
    translations = gone.translations - np.linspace(0.0, 1.0, len(gone))[:, None, None] * (
        (gone.translations[-1] - gone.translations[0]) * [1.0, 0.0, 1.0]
    )
    translations[-1, 0, 2] += 1e-15
    made = perform(replace(gone, translations=translations), words="tired")
    assert np.abs(made.translations[-1] - made.translations[0]).max() < 1e-9
    assert lift(made).detail.treadmill.any()


def test_neutral_loops_are_the_same_objects():
    motion, speed = stride()
    for own in (motion, travelling(motion, speed), running(motion)):
        assert perform(own) is own
        phrase = lift(own)
        assert generate(phrase, own.rate) is own
        nearly = replace(phrase, fidget=1e-9)
        made = generate(nearly, own.rate)
        np.testing.assert_allclose(made.positions_world(), own.positions_world(), atol=1e-6)


@pytest.mark.parametrize("goes", [False, True])
@pytest.mark.parametrize("rate", [24.0, 60.0])
def test_a_stride_that_lacks_its_last_frame_is_known(rate, goes):
    whole, speed = stride(rate=rate)
    whole = travelling(whole, speed) if goes else whole
    cut = whole[:-1]
    assert lift(cut).detail.open_cycle
    assert not lift(whole).detail.open_cycle
    assert lift(loop(cut)).detail.steps.walks
    assert not lift(cut[: len(cut) - len(cut) // 6]).detail.open_cycle  # which lacks more


@pytest.mark.parametrize("name", ["wave", "knock", "beckon", "bow"])
def test_gestures_lack_no_last_frame(name):
    assert not lift(builtin(name)).detail.open_cycle
    assert not lift(builtin(name)[:-1]).detail.open_cycle


def test_captures_lack_no_last_frame(data_dir):
    assert lift(load(data_dir / "characters" / "CesiumMan.glb")).detail.open_cycle
    for file in sorted((data_dir / "bvh" / "pymo").glob("*.bvh")):
        motion = load(file)
        frames = round(1.2 * motion.rate)
        for first in range(0, len(motion) - frames, max(len(motion) // 6, 1)):
            assert not lift(motion[first : first + frames]).detail.open_cycle
