"""Gestures on any body: hands and feet where the engine puts them, whatever axes, rest pose and joints a body has."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from engine.bodies import BODIES, OURS, acted_and_made
from kinesphere.body import body_of, find_contacts
from kinesphere.builtin import figure, gesture, mo, motion, motions
from kinesphere.engine.embodiment import embody
from kinesphere.engine.generation import generate, generate_gesture
from kinesphere.engine.phrases import phrase_of
from kinesphere.files.loading import load, load_character
from kinesphere.maths import rotations as R
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.skeleton import Skeleton

GESTURES = [name for name in motions() if not name.startswith("walk")]
ENDS = ("leftHand", "rightHand", "leftFoot", "rightFoot", "head", "hips")


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("which", ["wave", "clap", "drink", "shrug"])
def test_hands_feet_and_head_are_where_the_engine_puts_them(name, which):
    own = embody(body_of(BODIES[name]))
    acted, made = acted_and_made(phrase_of(gesture(which), own.body))
    there, here = acted.positions_world(), made.positions_world()
    for role in ENDS:
        far = np.linalg.norm(here[:, own.body.roles[role]] - there[:, own.actor.skeleton.roles[role]], axis=-1)
        assert far.max() < 1e-6, role


@pytest.mark.parametrize("name", BODIES)
def test_goals_are_met_in_arm_lengths(name):
    """A stroke's goal from the shoulder, in the chest's axes, scaled as ``scale_keys`` says."""
    from kinesphere.engine.arm_plan import scale_keys

    own = embody(body_of(BODIES[name]))
    acted, made = acted_and_made(phrase_of(gesture("point"), own.body))
    chest = acted.rotations_world()[:, acted.skeleton.index("upperChest")]
    position = made.positions_world()
    keys = gesture("point").right
    checked = 0
    for key in keys.keys:
        frame = round(key.frame / keys.rate * 60.0)
        wanted = scale_keys(np.array([key.position]), "right", own.actor)[0]
        if key.stop != "goal" or np.linalg.norm(wanted) > own.actor.arms["right"].reach - 1e-3:
            continue
        if np.linalg.norm(np.array(key.position) - [-0.066, -0.5295, 0.038]) < 0.05:
            continue  # a relaxed arm hangs by gravity
        arm = position[frame, own.body.roles["rightHand"]] - position[frame, own.body.roles["rightUpperArm"]]
        assert np.linalg.norm(R.rotate(R.conjugate(chest[frame]), arm) - wanted) < 1e-3
        checked += 1
    assert checked


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("which", ["bow", "clap"])
def test_feet_stay_planted_and_bones_rigid(name, which):
    body = body_of(BODIES[name])
    made = generate_gesture(gesture(which), body=body)
    position = made.positions_world()
    for side in SIDES:
        foot = position[:, body.roles[f"{side}Foot"]]
        assert np.ptp(foot, axis=0).max() < 0.004
        assert abs(foot[:, 1].min() - body.anatomy.ankle_height) < 0.004
    below = np.flatnonzero(made.skeleton.parents >= 0)
    bones = np.linalg.norm(position[:, below] - position[:, made.skeleton.parents[below]], axis=-1)
    rigid = np.setdiff1d(np.arange(len(below)), np.flatnonzero(below == body.roles["hips"]))
    assert np.ptp(bones[:, rigid], axis=0).max() < 1e-9
    # No pops: no joint rotates farther in a frame than a hand can.
    steps = R.angle_between(made.rotations[1:], made.rotations[:-1])
    assert np.degrees(steps.max()) < 30.0


@pytest.mark.parametrize("name", BODIES)
def test_bodies_stand_and_bow_with_the_figures_knees(name):
    """Feet below the hip joints, and hips that swing about the middle between these: no knee locks or sags."""
    body = body_of(BODIES[name])
    made = generate_gesture(gesture("bow"), body=body)

    def knees(motion, roles):
        position = motion.positions_world()
        hip, knee, ankle = (position[:, roles[f"left{part}"]] for part in ("UpperLeg", "LowerLeg", "Foot"))
        upper, lower = knee - hip, ankle - knee
        cosine = np.sum(upper * lower, axis=-1) / np.linalg.norm(upper, axis=-1) / np.linalg.norm(lower, axis=-1)
        return np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))

    ours, theirs = knees(motion("bow"), motion("bow").skeleton.roles), knees(made, body.roles)
    assert theirs[0] == pytest.approx(ours[0], abs=1.0)
    assert theirs.max() == pytest.approx(ours.max(), abs=6.0)


@pytest.mark.parametrize("name", ["wide shoulders", "long arms", "child"])
def test_clapping_hands_meet_as_the_figures_do(name):
    """Between the wrists: as far as between the figure's, in arm lengths."""
    own = embody(body_of(BODIES[name]))
    made, plain = generate_gesture(gesture("clap"), body=own.body), motion("clap")
    gap = np.linalg.norm(np.subtract(*(made.positions_world()[:, own.body.roles[f"{s}Hand"]] for s in SIDES)), axis=-1)
    ours = np.linalg.norm(
        np.subtract(*(plain.positions_world()[:, plain.skeleton.roles[f"{s}Hand"]] for s in SIDES)), axis=-1
    )
    assert gap.min() == pytest.approx(own.actor.arm_size * ours.min(), rel=0.2)


@pytest.mark.parametrize("name", GESTURES)
def test_the_figure_as_any_body_does_what_the_figure_does(name):
    """By the same steps as other bodies. Its surface's file has single precision."""
    plain = motion(name)
    for skeleton in (plain.skeleton, figure().skeleton):
        made = generate_gesture(gesture(name), body=body_of(skeleton))
        order = [made.skeleton.names.index(joint) for joint in plain.skeleton.names]
        far = np.abs(made.positions_world()[:, order] - plain.positions_world()).max(axis=(0, 2))
        assert far.max() < 2e-6


def test_a_body_says_what_it_lacks_and_is_found_once():
    body = body_of(BODIES["no toes, no eyes, no fingers"])
    assert body.lacks == ("toes", "eyes", "fingers")
    assert body_of(BODIES["no clavicles"]).lacks == ("clavicles",)
    assert body_of(OURS).lacks == ()
    assert body_of(figure()) is body_of(figure())
    assert body_of(figure()).volumes is not None  # a surface has volumes, a skeleton by itself has none
    assert body_of(OURS) is body_of(OURS)
    assert body_of(OURS).volumes is None
    assert sum(part.mass for part in body.mass) == pytest.approx(1.0)
    assert {point.side for point in body.soles} == set(SIDES)
    assert body.lengths["leftLeg"] == pytest.approx(body.lengths["rightLeg"])
    assert {limit.role for limit in body.limits} >= {"leftLowerArm", "rightLowerLeg"}


def test_no_humanoid_is_refused():
    bare = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]))
    with pytest.raises(ValueError, match="no humanoid"):
        body_of(bare)


CAPTURES = (
    "cmu/02_01",
    "mova/MS2_8Walk_M",
    "pymo/AV_8Walk_Meredith_HVHA_Rep1",
    "animated_drawings/dab",
    "three_js/pirouette",
)


def others(data_dir):
    """Characters and captured skeletons, by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path in sorted((data_dir / "characters").rglob("*.*")):
            if path.suffix in (".glb", ".gltf", ".vrm") and "odd" not in path.parts:
                yield path.name, load_character(path)
        for name in CAPTURES:
            yield name, load(data_dir / "bvh" / f"{name}.bvh")


@pytest.mark.data
def test_characters_and_captured_skeletons_do_gestures_without_retargeting(data_dir):
    seen = 0
    for path, source in others(data_dir):
        own = embody(body_of(source))
        for name in ("wave", "clap", "bow"):
            there, here = (each.positions_world() for each in acted_and_made(phrase_of(gesture(name), own.body)))
            for role in ENDS:
                far = np.linalg.norm(here[:, own.body.roles[role]] - there[:, own.actor.skeleton.roles[role]], axis=-1)
                assert far.max() < 1e-9, (path, role)
        seen += 1
    assert seen >= 12


def test_mo_claps_in_front_of_its_body():
    body = body_of(mo())
    made = generate_gesture(gesture("clap"), body=body)
    hands = [made.positions_world()[:, body.roles[f"{side}Hand"]] for side in SIDES]
    assert np.linalg.norm(hands[0] - hands[1], axis=-1).min() < 0.2
    assert find_contacts(made).intervals


def test_what_a_body_lacks_is_said_with_the_motion():
    made = generate(phrase_of(gesture("wave"), body_of(BODIES["no clavicles"])))
    assert made.source.evidence == ("the body lacks clavicles: what a gesture says of them is left out",)
    assert generate(phrase_of(gesture("wave"))).source.evidence == ()


@pytest.mark.parametrize("name", BODIES)
def test_goals_in_the_world_are_as_far_from_the_shoulder_as_the_figures_are_and_are_met(name):
    """Short legs and long arms put no goal out of reach."""
    body = body_of(BODIES[name])
    phrase = phrase_of(gesture("reach"), body)
    hand = generate(phrase).positions_world()[:, body.roles["rightHand"]]
    keys = phrase.arm("right").keys
    goals = [i for i, space in enumerate(keys.spaces) if space == "world" and keys.goals[i]]
    missed = [np.linalg.norm(hand[round(60.0 * keys.times[i])] - keys.positions[i]) for i in goals]
    assert goals
    assert max(missed) < 1e-9
