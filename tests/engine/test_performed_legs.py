"""Legs, trunk and loops of performed recordings: within the range of joints, without pops, with gravity in the air."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.test_lifting import jump
from kinesphere import Effort, Express, Skeleton, body_of, generate, lift, limit_excess, load, perform
from kinesphere.engine.performed_recording import performed_clock
from kinesphere.engine.recorded_poses import turned_left
from kinesphere.maths import rotations as R
from kinesphere.maths.filters import running_maximum
from kinesphere.maths.vectors import norms
from recordings import record

LOWER = ("Foot", "Toes", "UpperLeg", "LowerLeg")


def perform_beside(motion, words):
    """A performance, and which frames of the recording it shows."""
    phrase = Express(words=words)(lift(motion))
    made = generate(phrase, motion.rate)
    return made, np.clip(performed_clock(phrase, motion.rate).source * motion.rate, 0, len(motion) - 1)


def added_excess(motion, made, frames, parts) -> float:
    """Degrees by which joints exceed their limits more than the recording does about then."""
    before, now = limit_excess(motion), limit_excess(made)
    worst = 0.0
    for role, excess in now.items():
        if role.endswith(parts):
            around = running_maximum(before[role], max(round(0.05 * motion.rate), 1))
            worst = max(worst, float(np.degrees(excess - np.interp(frames, np.arange(len(motion)), around)).max()))
    return worst


@pytest.mark.parametrize("name", ["wave", "bow", "walk"])
@pytest.mark.parametrize("words", ["angry", "tired", "sneakily", "joyful"])
def test_legs_leave_room_for_the_recording(name, words):
    motion = record(name)
    assert added_excess(motion, *perform_beside(motion, words), LOWER) < 5.0


@pytest.mark.data
@pytest.mark.parametrize("name", ["141_16", "141_22", "79_08", "13_11"])
@pytest.mark.parametrize("words", ["angry", "tired"])
def test_ankles_of_captures_are_spared(data_dir, name, words):
    motion = load(data_dir / "bvh" / "cmu" / f"{name}.bvh")
    motion = motion[len(motion.calibration_frames) :]
    assert added_excess(motion, *perform_beside(motion, words), ("Foot", "Toes", "head", "neck")) < 5.5


def test_a_head_that_is_bowed_all_the_way_is_bowed_no_farther():
    motion = record("wave", life=0.0)
    local = motion.rotations.copy()
    head = motion.skeleton.roles["head"]
    local[:, head] = R.multiply(local[:, head], R.from_rotation_vector(np.array([np.radians(28.0), 0.0, 0.0])))
    bowed = replace(motion, rotations=local)
    made, frames = perform_beside(bowed, "sad")
    assert added_excess(bowed, made, frames, ("head", "neck")) < 4.0
    assert np.abs(made.rotations[:, head] - local[0, head]).max() > 1e-3  # it is sad all the same


def test_knees_bent_the_wrong_way_round_do_not_flip():
    motion = record("wave", life=0.0).resampled(120.0)
    skeleton, local = motion.skeleton, motion.rotations.copy()
    knee, hip = (skeleton.roles[f"left{part}"] for part in ("LowerLeg", "UpperLeg"))
    axis = R.to_rotation_vector(local[0, knee])
    angle = float(np.linalg.norm(axis))
    bend = -(angle + np.radians(15.0)) * np.sin(np.pi * np.arange(len(local)) / (len(local) - 1)) ** 2  # and back
    local[:, knee] = R.multiply(local[:, knee], R.from_rotation_vector(bend[:, None] * axis / angle))
    wrong = replace(motion, rotations=R.continuous(local))
    for edit in (Effort(time=-1.0), Effort(space=1.0), Effort(flow=-1.0)):
        made = perform(wrong, edit)
        for joint in (knee, hip):
            turning = R.multiply(made.rotations[1:, joint], R.conjugate(made.rotations[:-1, joint]))
            assert np.degrees(norms(R.to_rotation_vector(R.continuous(turning)))).max() < 3.0


def test_knees_stay_over_feet_however_the_pelvis_turns():
    motion = record("wave", life=0.0)
    phrase = lift(motion)
    made, frames = perform_beside(motion, "angry")
    roles = phrase.body.roles
    before, after = motion.positions_world()[np.round(frames).astype(int)], made.positions_world()
    for side in ("left", "right"):
        upper, lower, foot, toes = (roles[f"{side}{part}"] for part in ("UpperLeg", "LowerLeg", "Foot", "Toes"))
        angles = []
        for p in (before, after):
            ahead = (p[:, toes] - p[:, foot]) * [1.0, 0.0, 1.0]
            knee = (p[:, lower] - 0.5 * (p[:, upper] + p[:, foot])) * [1.0, 0.0, 1.0]
            angles.append(np.arctan2(np.cross(ahead, knee)[:, 1], np.sum(ahead * knee, axis=1)))
        bent = norms(after[:, lower] - 0.5 * (after[:, upper] + after[:, foot])) > 0.05
        assert bent.any()
        assert np.degrees(np.abs(angles[1])[bent]).max() < np.degrees(np.abs(angles[0])).max() + 15.0


@pytest.mark.parametrize("edit", [Effort(time=1.0), Effort(time=-1.0), Effort(weight=1.0, flow=-1.0)])
def test_looped_jumps_keep_gravity(edit):
    motion, flight = jump()
    turning = motion.rotations.copy()
    arm = motion.skeleton.roles["leftUpperArm"]
    swings = 0.8 * np.sin(2.0 * np.pi * np.arange(len(motion)) / (len(motion) - 1)) ** 2
    turning[:, arm] = R.multiply(turning[:, arm], R.from_rotation_vector(swings[:, None] * np.array([1.0, 0.0, 0.0])))
    phrase = lift(replace(motion, rotations=R.continuous(turning)))
    assert phrase.loop
    edited = Express(edit)(phrase)
    made, clock = generate(edited, motion.rate), performed_clock(edited, motion.rate)
    assert len(made) == clock.frames
    np.testing.assert_array_equal(made.translations[0], made.translations[-1])
    paces = np.diff(clock.source) * motion.rate
    inside = (clock.source[:-1] > 1.25) & (clock.source[1:] < 1.15 + flight)
    assert inside.any()
    assert np.abs(paces[inside] - 1.0).max() < 0.01
    assert np.ptp(paces) > 0.1  # on the ground the Effort's timing shows
    assert abs(paces[0] - paces[-1]) < 1.2 * np.abs(np.diff(paces)).max() + 1e-9  # the seam is smooth


@pytest.mark.parametrize("words", ["angry", "joyful"])
def test_bones_that_stretch_are_never_longer_than_recorded(words):
    motion = record("wave")
    translations = motion.translations.copy()
    joint = motion.skeleton.roles["leftLowerArm"]
    stretch = np.where(np.arange(len(motion)) % 7 < 3, 1.0, 1.1)
    translations[:, joint] *= stretch[:, None]
    given = replace(motion, translations=translations)
    lengths = norms(given.translations[:, joint])
    made = norms(perform(given, words=words).translations[:, joint])
    assert lengths.min() - 1e-9 < made.min()
    assert made.max() < lengths.max() + 1e-9


def on_targets(motion):
    """The motion on a rig whose feet are no children of their shins, but of a root."""
    skeleton = motion.skeleton
    q, p = motion.world()
    names, feet = ("ground", *skeleton.names), [skeleton.roles[f"{side}Foot"] for side in ("left", "right")]
    parents = np.array([-1, *(0 if joint in feet else parent + 1 for joint, parent in enumerate(skeleton.parents))])
    rest_q, rest_p = skeleton.rest_world()
    local = np.concatenate([np.broadcast_to(R.identity(1, 1), (len(motion), 1, 4)), motion.rotations], axis=1)
    places = np.concatenate([np.zeros((len(motion), 1, 3)), motion.translations], axis=1)
    rest = np.concatenate([R.identity(1), skeleton.rest_rotations])
    offsets = np.concatenate([np.zeros((1, 3)), skeleton.offsets])
    for joint in feet:
        local[:, joint + 1], places[:, joint + 1] = q[:, joint], p[:, joint]
        rest[joint + 1], offsets[joint + 1] = rest_q[joint], rest_p[joint]
    roles = {role: joint + 1 for role, joint in skeleton.roles.items()}
    rig = Skeleton(names, parents, offsets, rest, roles)
    return replace(motion, skeleton=rig, rotations=R.continuous(local), translations=places)


@pytest.mark.parametrize("name", ["wave", "walk in place"])
@pytest.mark.parametrize("word", ["tired", "sneakily", "proud"])
def test_feet_that_no_leg_carries_stay_at_their_legs(name, word):
    motion = record(name, life=0.0)
    made, wanted = perform(on_targets(motion), words=word), perform(motion, words=word)
    roles = body_of(motion).roles
    places = made.positions_world()[:, 1:]
    assert len(made) == len(wanted)
    for side in ("left", "right"):
        lower, foot = roles[f"{side}LowerLeg"], roles[f"{side}Foot"]
        shin = norms(places[:, foot] - places[:, lower])
        assert np.ptp(shin) < 2e-3
        assert norms(places[:, foot] - wanted.positions_world()[:, foot]).max() < 0.04


def kicking(bent: float):
    """A recording of a leg that kicks, its ankle bent by so many degrees while it does."""
    motion = record("wave", life=0.0).resampled(120.0)
    local, roles = motion.rotations.copy(), motion.skeleton.roles
    share = np.sin(np.pi * np.clip((motion.times - 0.5) / 0.8, 0.0, 1.0)) ** 2
    for part, degrees in (("UpperLeg", -80.0), ("LowerLeg", 40.0), ("Foot", -bent)):
        joint = roles[f"left{part}"]
        turns = R.from_rotation_vector(np.radians(degrees) * share[:, None] * np.array([1.0, 0.0, 0.0]))
        local[:, joint] = R.multiply(local[:, joint], turns)
    return replace(motion, rotations=R.continuous(local))


def knee_bend(motion):
    """``(T,)`` degrees that the left knee is bent."""
    at, roles = motion.positions_world(), motion.skeleton.roles
    hip, knee, foot = (at[:, roles[f"left{part}"]] for part in ("UpperLeg", "LowerLeg", "Foot"))
    return np.degrees(
        np.arctan2(norms(np.cross(knee - hip, foot - knee)), np.sum((knee - hip) * (foot - knee), axis=1))
    )


@pytest.mark.parametrize("edit", [Effort(weight=1.0), Effort(flow=1.0)])
def test_an_ankle_that_is_spent_in_the_air_bends_no_knee(edit):
    spent, free = (perform(kicking(bent), edit) for bent in (50.0, 0.0))
    recorded, times = knee_bend(kicking(0.0)), kicking(0.0).times
    assert np.ptp(recorded) > 30.0
    high = np.interp(np.linspace(0.0, 1.0, len(free)), times / times[-1], recorded) > recorded.min() + 20.0
    assert np.abs(knee_bend(spent) - knee_bend(free))[high].max() < 6.0


def test_who_lies_down_turns_to_no_side():
    angles = np.radians(np.linspace(0.0, 180.0, 181))  # a chest that comes to look up, and over
    ahead = np.stack([np.full(181, 0.002), np.sin(angles), np.cos(angles)], axis=1)
    assert np.ptp(turned_left(ahead)) < 0.1
    about = np.stack([np.sin(angles), np.zeros(181), np.cos(angles)], axis=1)
    assert np.ptp(turned_left(about)) == pytest.approx(np.pi)
