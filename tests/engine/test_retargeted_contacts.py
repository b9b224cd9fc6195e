"""Contacts of hands on another body: what touched and met on the body of a recording does so on the other one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.bodies import BODIES
from kinesphere import Express, body_of, generate, lift, load, perform, retarget
from kinesphere.engine.hand_contacts import touched_place
from kinesphere.engine.performed_recording import performed_clock
from kinesphere.engine.recorded_poses import RecordedPoses, performed_motion
from kinesphere.engine.recorded_referents import windows
from kinesphere.engine.retargeted_contacts import keep_contacts
from kinesphere.maths import rotations as R
from kinesphere.maths.vectors import norms
from kinesphere.motion.referent import Kind
from recordings import record

WORDS = (None, "sad", "joyful")


def performed(name, word):
    """A recording of the figure's, its phrase, the performance, and the moments that it shows."""
    motion = record(name)
    phrase = lift(motion)
    if word is not None:
        phrase = Express(words=word)(phrase)
    made = generate(phrase, motion.rate)
    return phrase, made, motion.times if word is None else performed_clock(phrase, motion.rate).source


def misses(phrase, one, other, shown):
    """Metres by which hands are elsewhere at what they fully touch, and palms farther from each other."""
    source, target = (RecordedPoses.of(performed_motion(own)) for own in (one, other))
    found = []
    for side in ("left", "right"):
        for referent, weight in windows(phrase, side, shown, (Kind.TOUCH,)):
            own, there = (
                R.rotate(R.conjugate(frame), poses.palm(side) - place) / poses.arm_length
                for poses in (source, target)
                for place, frame in [touched_place(poses, side, referent.joint)]
            )
            found.append(target.arm_length * norms(own - there)[weight > 0.99].max(initial=0.0))
    for _, weight in windows(phrase, "left", shown, (Kind.MEET,)):
        own, there = (norms(poses.palm("left") - poses.palm("right")) / poses.arm_length for poses in (source, target))
        found.append(target.arm_length * np.abs(own - there)[weight > 0.99].max(initial=0.0))
    return max(found)


@pytest.mark.parametrize("name", ["drink", "clap"])
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("who", BODIES)
def test_hands_are_where_they_were_at_what_they_touch(name, word, who):
    phrase, motion, shown = performed(name, word)
    plain = retarget(motion, BODIES[who])
    made = keep_contacts(phrase, motion, plain, shown)
    before, after = (misses(phrase, motion, own, shown) for own in (plain, made))
    assert after < max(0.02, 0.6 * before)
    assert after <= before + 1e-3
    np.testing.assert_array_equal(made.translations, plain.translations)
    arms = {
        joint
        for side in ("left", "right")
        for joint in made.skeleton.descendants(body_of(plain).roles[f"{side}UpperArm"])
    }
    others = [joint for joint in range(len(made.skeleton)) if joint not in arms]
    assert R.angle_between(made.rotations[:, others], plain.rotations[:, others]).max() < 1e-6
    roles = body_of(plain).roles
    for side in ("left", "right"):  # hands are turned as they were
        now, was = (own.rotations_world()[:, roles[f"{side}Hand"]] for own in (made, plain))
        assert R.angle_between(now, was).max() < 1e-5


def test_what_touches_nothing_is_left():
    phrase, motion, shown = performed("bow", None)
    plain = retarget(motion, BODIES["child"])
    nothing = replace(phrase, referents=tuple(own for own in phrase.referents if own.kind == Kind.AIM))
    assert keep_contacts(nothing, motion, plain, shown) is plain
    drink, made, times = performed("drink", None)
    onto = retarget(made, BODIES["child"])
    assert keep_contacts(replace(drink, referents=()), made, onto, times) is onto


def test_outside_of_its_window_nothing_moves():
    phrase, motion, shown = performed("drink", None)
    plain = retarget(motion, BODIES["child"])
    made = keep_contacts(phrase, motion, plain, shown)
    held = np.zeros(len(shown))
    for side in ("left", "right"):
        for _, weight in windows(phrase, side, shown, (Kind.TOUCH, Kind.MEET)):
            held = np.maximum(held, weight)
    away = norms(made.positions_world() - plain.positions_world()).max(axis=1)
    assert away[held == 0.0].max() < 1e-6
    assert away[held > 0.99].max() > 0.01


def test_mo_performs_a_recording_the_same_way_every_time():
    motion = record("drink")
    one, other = (perform(replace(motion), words="sad", character="mo") for _ in range(2))
    np.testing.assert_array_equal(one.rotations, other.rotations)


@pytest.mark.data
@pytest.mark.parametrize("name", ["79_38", "79_36", "13_09"])
def test_captured_hands_at_mouths(data_dir, name):
    motion = load(data_dir / f"bvh/cmu/{name}.bvh")
    phrase = lift(motion)
    character = data_dir / "characters/mesh2motion_human_male.glb"
    plain, made = retarget(motion, _character(character)), perform(motion, character=character)
    before, after = (misses(phrase, motion, own, motion.times) for own in (plain, made))
    assert before > 0.06
    assert after < 0.02


def _character(path):
    from kinesphere import load_character

    return load_character(path)
