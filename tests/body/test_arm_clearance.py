"""Arms on thick bodies: hands, forearms and elbows against the posed skin, which the solver does not use."""

from __future__ import annotations

import numpy as np
import pytest

from arm_motions import NAMES, named_motion
from field_measures.penetration import depths, elbow_speed
from field_measures.round_body import round_character
from kinesphere import load, load_character, retarget
from kinesphere.builtin import figure, mo
from kinesphere.maths import rotations as R

FRAMES = 12
BODIES = {
    "ball": ("ball", 0.27, 0.29, 0.97),
    "large ball": ("ball", 0.32, 0.36, 0.97),
    "barrel": ("barrel", 0.25, 0.25, 0.97),
    "wide hips": ("pear", 0.33, 0.27, 0.97),
    "big chest": ("chest", 0.27, 0.31, 0.97),
    "short arms": ("ball", 0.27, 0.29, 0.7),
    "same bones": ("ball", 0.27, 0.29, 1.0),
}


def joints(motion, *parts):
    """``(T, 2 · parts, 3)``: left, then right of each."""
    p, index = motion.positions_world(), motion.skeleton.roles
    return p[:, [index[side + part] for part in parts for side in ("left", "right")]]


def jolts(motion):
    """The largest change of a velocity from frame to frame, in metres a second."""
    return np.linalg.norm(np.diff(joints(motion, "LowerArm", "Hand"), 2, axis=0), axis=-1).max() * motion.rate


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", BODIES)
def test_arms_stay_out_of_round_bodies(shape, name):
    body, motion = round_character(*BODIES[shape]), named_motion(name)
    made = retarget(motion, body, clear=True)
    assert depths(made, body, FRAMES).max() < 0.003
    assert elbow_speed(made) < max(2.0 * elbow_speed(motion), 13.0)
    assert jolts(made) < 1.1 * jolts(retarget(motion, body, clear=False)) + 0.8
    arms = made.skeleton.bone_lengths
    for side in (0, 1):
        shoulder, wrist = joints(made, "UpperArm", "Hand")[:, [side, 2 + side]].transpose(1, 0, 2)
        reach = sum(arms[made.skeleton.roles[("left", "right")[side] + part]] for part in ("LowerArm", "Hand"))
        assert np.linalg.norm(wrist - shoulder, axis=1).max() <= reach + 1e-9


@pytest.mark.parametrize("shape", [shape for shape in BODIES if shape != "same bones"])
def test_bodies_thicker_than_a_persons_need_not_be_asked(shape):
    body = round_character(*BODIES[shape])
    for name in ("clasped", "crossed"):
        asked, by_default = (retarget(named_motion(name), body, clear=clear) for clear in (True, None))
        assert np.array_equal(asked.rotations, by_default.rotations)
        assert depths(retarget(named_motion(name), body, clear=False), body, FRAMES).min() > 0.01


@pytest.mark.parametrize("build", [0.0, 1.0])
def test_persons_are_cleared_on_request_alone(build):
    person, motion = figure(1.6, build), named_motion("through")
    plain, by_default, asked = (retarget(motion, person, clear=clear) for clear in (False, None, True))
    assert np.array_equal(plain.rotations, by_default.rotations)
    assert depths(plain, person, 20).max() > 0.01
    assert depths(asked, person, 20).max() < 0.003


def test_a_motion_on_its_own_bones_is_itself_unless_asked():
    body, motion = round_character(*BODIES["same bones"]), named_motion("through")
    assert retarget(motion, body).rotations is motion.rotations
    made = retarget(motion, body, clear=True)
    assert np.array_equal(made.translations, motion.translations)
    hands = [motion.skeleton.index(side + "Hand") for side in ("left", "right")]
    # Hands keep their directions, and joints that are no arms' keep everything.
    assert R.angle(R.multiply(R.conjugate(motion.world()[0][:, hands]), made.world()[0][:, hands])).max() < 1e-6
    arms = [
        motion.skeleton.index(side + part) for side in ("left", "right") for part in ("UpperArm", "LowerArm", "Hand")
    ]
    others = np.setdiff1d(np.arange(len(motion.skeleton)), arms)
    assert np.array_equal(made.rotations[:, others], motion.rotations[:, others])


@pytest.mark.parametrize(
    ("shape", "farther"),
    [("ball", 0.03), ("barrel", 0.001), ("wide hips", 0.03), ("large ball", 0.08), ("big chest", 0.15)],
)
def test_clasped_hands_are_clasped_in_front_of_the_belly(shape, farther):
    """Before the middle, not far from the skin, and together where arms are long enough to go around so much."""
    body = round_character(*BODIES[shape])
    plain, made = (joints(retarget(named_motion("clasped"), body, clear=clear), "Hand") for clear in (False, None))
    apart, before = (np.linalg.norm(hands[:, 0] - hands[:, 1], axis=1) for hands in (made, plain))
    assert np.abs(apart - before).max() < farther
    middle = made.mean(axis=1)
    assert np.abs(middle[:, 0]).max() < 0.02
    deep = BODIES[shape][2]
    assert middle[:, 2].min() > 0.8 * deep
    assert middle[:, 2].max() < deep + 0.2


def test_arms_that_hang_beside_wide_hips_hang_outside():
    body = round_character(*BODIES["wide hips"])
    plain, made = (retarget(named_motion("hanging"), body, clear=clear) for clear in (False, None))
    aside, before = (np.abs(joints(motion, "Hand")[..., 0]) for motion in (made, plain))
    assert (aside > before + 0.02).all()
    assert np.abs(joints(made, "Hand")[..., 2] - joints(plain, "Hand")[..., 2]).max() < 0.08  # aside, not ahead


@pytest.mark.parametrize("rate", [24.0, 30.0, 120.0])
def test_other_rates_are_as_clear(rate):
    body, motion = round_character(*BODIES["ball"]), named_motion("through").resampled(rate)
    made = retarget(motion, body)
    assert depths(made, body, 25).max() < 0.003
    assert elbow_speed(made) < max(2.0 * elbow_speed(motion), 13.0)


@pytest.mark.parametrize("name", ["through", "sweep", "clap"])
@pytest.mark.parametrize("twist", [0.0, 0.7, 1.6, 2.6, -1.2, -2.2])
def test_elbows_do_not_flip_whatever_twist_the_upper_arms_have(name, twist):
    """The bones are the same with any twist; so are the elbows on another body."""
    motion = named_motion(name, twist)
    for body in (mo(), figure(1.5, 0.6), round_character(*BODIES["short arms"])):
        made = retarget(motion, body, clear=False)
        assert elbow_speed(made) < 1.3 * elbow_speed(motion) + 0.5
    # On a body of the same proportions, upper arms point where they did.
    made = retarget(motion, figure(1.5, 0.6), clear=False)
    upper, source = (joints(one, "LowerArm") - joints(one, "UpperArm") for one in (made, motion))
    upper, source = (bones / np.linalg.norm(bones, axis=-1, keepdims=True) for bones in (upper, source))
    assert np.linalg.norm(upper - source, axis=-1).max() < 0.02


@pytest.mark.data
@pytest.mark.parametrize("name", ["CesiumMan.glb", "mesh2motion_human_male.glb", "kaykit_manny/manny_med_mod.gltf"])
def test_ordinary_characters_are_cleared_on_request(name, data_dir):
    character = load_character(data_dir / "characters" / name)
    for clip in ("02_01", "79_88"):
        motion = load(data_dir / f"bvh/cmu/{clip}.bvh")[:600]
        made = retarget(motion, character, clear=True)
        assert (depths(made, character, FRAMES) > 0.01).mean() <= 0.1
        assert elbow_speed(made) < max(2.0 * elbow_speed(motion), 15.0)
