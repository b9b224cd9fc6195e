"""Arms of performed recordings: joint limits, clearance, pointing."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from engine.test_performed_recordings import record
from kinesphere import lift, limit_excess, perform
from kinesphere.engine.recorded_clearance import SOLIDS, clear_hand, solids
from kinesphere.engine.recorded_limbs import place_limb, recorded_rig
from kinesphere.engine.recorded_limits import PARTS, arm_limits
from kinesphere.engine.recorded_referents import aim
from kinesphere.engine.recorded_targets import envelope
from kinesphere.maths import rotations
from kinesphere.maths.kinematics import forward
from kinesphere.maths.vectors import norms, unit
from kinesphere.motion.humanoid import SIDES

BEYOND = 5.0  # degrees


def random_rotations(random, shape, most=np.pi):
    axis = unit(random.normal(size=(*shape, 3)))
    return rotations.from_rotation_vector(random.uniform(0.0, most, size=(*shape, 1)) * axis)


def body_world(body, local, translations):
    """Joints of poses in the world, as the engine's worlds give them."""
    q, p = forward(local, translations, body.skeleton.parents)
    return SimpleNamespace(p=lambda joint: p[:, joint], q=lambda joint: q[:, joint])


@pytest.mark.parametrize("name", ["wave", "drink", "punch", "clap", "walk"])
@pytest.mark.parametrize("word", ["afraid", "joyful", "shy", "proudly"])
def test_arms_keep_their_limits(name, word):
    motion = record(name)
    before, after = limit_excess(motion), limit_excess(perform(motion, words=word))
    for side in SIDES:
        for part in PARTS:
            more = np.degrees(after[f"{side}{part}"].max() - before[f"{side}{part}"].max())
            assert more < BEYOND, (side, part)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("side", SIDES)
def test_what_is_eased_is_within_its_range(side, part):
    motion, random = record("wave"), np.random.default_rng(7)
    body = lift(motion).body
    limits, role = arm_limits(body), f"{side}{part}"
    joint = body.roles[role]
    recorded = np.ascontiguousarray(motion.rotations[:, limits.joints])
    turned = motion.rotations.copy()
    turned[:, joint] = rotations.multiply(turned[:, joint], random_rotations(random, (len(motion),), 2.5))
    local = turned.copy()
    limits.ease(role, recorded, local)
    for made, most in ((local, BEYOND), (turned, 180.0)):
        excess = limit_excess(_with(motion, made))[role] - limit_excess(motion)[role]
        assert np.degrees(excess.max()) < most
    assert np.degrees(limit_excess(_with(motion, turned))[role].max()) > 2.0 * BEYOND  # or it says nothing


def _with(motion, local):
    return replace(motion, rotations=local)


def test_what_is_in_range_stays():
    motion = record("wave")
    body = lift(motion).body
    limits = arm_limits(body)
    recorded = np.ascontiguousarray(motion.rotations[:, limits.joints])
    local = motion.rotations.copy()
    for role in limits.eased:
        limits.ease(role, recorded, local)
    np.testing.assert_array_equal(local, motion.rotations)


def test_a_bone_that_is_twisted_back_leaves_the_bone_below():
    motion = record("wave")
    body = lift(motion).body
    limits, upper, lower = arm_limits(body), body.roles["leftUpperArm"], body.roles["leftLowerArm"]
    recorded = np.ascontiguousarray(motion.rotations[:, limits.joints])
    axis = unit(body.skeleton.offsets[lower])
    twisted = motion.rotations.copy()
    twisted[:, upper] = rotations.multiply(twisted[:, upper], rotations.from_rotation_vector(2.6 * axis))
    local = twisted.copy()
    limits.ease("leftUpperArm", recorded, local, np.zeros(len(local)))
    was, now = (body_world(body, own, motion.translations) for own in (twisted, local))
    back = rotations.multiply(rotations.conjugate(twisted[:, upper]), local[:, upper])
    assert norms(rotations.to_rotation_vector(back)).max() > 0.2
    same = np.abs(np.sum(was.q(lower) * now.q(lower), axis=1))
    np.testing.assert_allclose(same, 1.0, atol=1e-9)
    hand = body.roles["leftHand"]
    np.testing.assert_allclose(was.p(hand), now.p(hand), atol=1e-9)


def test_points_come_out_of_the_body_no_farther_than_they_were():
    motion, random = record("wave"), np.random.default_rng(3)
    body = lift(motion).body
    solid = solids(body, body_world(body, motion.rotations, motion.translations))
    count = len(motion)
    still = np.broadcast_to(rotations.identity(), (count, 4))

    def keep_out(recorded, points):  # of a hand without a palm
        return clear_hand((solid, solid), recorded - [0.0, 1.0, 0.0], recorded, 0.0, still, points)

    for i, name in enumerate(SOLIDS):
        middle = 0.5 * (solid.starts[i] + solid.ends[i])
        outside = middle + rotations.rotate(solid.axes[i], np.array([0.02, 0.0, 0.6]))
        points = middle + rotations.rotate(solid.axes[i], 0.02 * random.normal(size=(count, 3)))
        pushes = keep_out(outside, points)
        assert pushes is not None, name
        made = rotations.rotate(rotations.conjugate(solid.axes[i]), points + pushes - middle)
        assert made[:, 2].min() > 0.0, name  # ahead, where they were
        assert norms(made[:, [0, 2]] / solid.radii[i]).min() > 0.85, name
        assert keep_out(points, points) is None, name  # as deep as recorded
        assert keep_out(outside, outside) is None, name


def test_an_arm_that_points_points_where_it_did():
    """The angle between the forearm and the target, seen from the wrist, is as recorded, wherever the shoulder is."""
    random = np.random.default_rng(11)
    was, wrist = random.normal(size=(2, 40, 3)) * 0.3
    forearm, target = unit(random.normal(size=(40, 3))), np.array([1.0, 0.5, 2.5])
    shoulder = was + 0.1 * random.normal(size=(40, 3))
    place, turn = aim(shoulder, was, wrist, target)
    np.testing.assert_allclose(norms(place - shoulder), norms(wrist - was), atol=1e-9)
    before = np.sum(forearm * unit(target - wrist), axis=1)
    after = np.sum(rotations.rotate(turn, forearm) * unit(target - place), axis=1)
    assert np.degrees(np.abs(np.arccos(np.clip(before, -1, 1)) - np.arccos(np.clip(after, -1, 1)))).max() < 0.5


def test_shares_bring_a_hand_part_of_the_way():
    random, motion = np.random.default_rng(6), record("wave")
    body, local, translations = lift(motion).body, motion.rotations.copy(), motion.translations.copy()
    limb, was = recorded_rig(body).limbs["leftArm"], body_world(body, local, translations)
    way = was.p(limb.end) - was.p(limb.upper)
    target = was.p(limb.upper) + 0.9 * way + 0.02 * random.normal(size=way.shape)
    shares = np.linspace(0.0, 1.0, len(motion))
    place_limb(limb._replace(soft=0.0), local, translations, target, shares=shares)
    now = body_world(body, local, translations).p(limb.end)
    straight = was.p(limb.end) + shares[:, None] * (target - was.p(limb.end))
    np.testing.assert_allclose(now, straight, atol=1e-4)


def test_a_twist_beyond_its_range_may_be_as_far_beyond_on_either_side():
    """An upper arm that was recorded turned by 170° is not turned back from 130° or −130°: that is less."""
    motion = record("wave")
    body = lift(motion).body
    limits, upper = arm_limits(body), body.roles["leftUpperArm"]
    axis = unit(body.skeleton.offsets[body.roles["leftLowerArm"]])

    def twisted(degrees):
        local = np.repeat(motion.rotations[:1], 2, axis=0)
        local[:, upper] = rotations.from_rotation_vector(np.radians(degrees) * axis)
        return local

    recorded = np.ascontiguousarray(twisted(170.0)[:, limits.joints])
    for degrees in (130.0, -130.0, 20.0):
        local = twisted(degrees)
        given = local.copy()
        limits.ease("leftUpperArm", recorded, local, np.zeros(2))
        same = np.abs(np.sum(local[:, upper] * given[:, upper], axis=1))
        np.testing.assert_allclose(same, 1.0, atol=1e-9)


def test_an_elbow_that_bends_beside_its_hinge_does_not_flip():
    """It comes to its hinge's way, bent as far as it is asked to be, without a leap."""
    motion = record("wave")
    body = lift(motion).body
    limits, lower = arm_limits(body), body.roles["leftLowerArm"]
    bone, straight, ahead, aside = limits.eased["leftLowerArm"].axes
    before, after = limits.eased["leftLowerArm"].before, limits.eased["leftLowerArm"].after

    def bent(degrees):
        """By so much to the side and a little back: opposite to its hinge."""
        axis = np.cross(bone, np.cos(np.radians(100.0)) * ahead + np.sin(np.radians(100.0)) * aside)
        local = np.repeat(motion.rotations[:1], len(degrees), axis=0)
        turn = rotations.from_rotation_vector(np.radians(degrees)[:, None] * unit(axis))
        local[:, lower] = rotations.multiply(rotations.multiply(rotations.conjugate(before), turn), after)
        return local

    degrees = np.arange(40.0, 130.0)
    recorded = np.ascontiguousarray(bent(np.full(len(degrees), 40.0))[:, limits.joints])
    local = bent(degrees)

    def direction():
        turned = rotations.multiply(rotations.multiply(before, local[:, lower]), rotations.conjugate(after))
        return rotations.rotate(turned, bone)

    asked = direction()
    limits.ease("leftLowerArm", recorded, local)
    way = direction()
    assert np.degrees(norms(np.diff(way, axis=0)).max()) < 6.0
    np.testing.assert_allclose((way @ straight)[-40:], (asked @ straight)[-40:], atol=0.02)
    assert np.degrees(np.arcsin(way @ aside)[-1]) < 45.0


def test_pushes_that_turn_round_do_not_leap():
    phase = np.linspace(0.0, np.pi, 121)[:, None]
    pushes = 0.05 * (np.cos(phase) * np.array([1.0, 0.0, 0.0]))
    made = envelope(pushes, 60.0)
    assert norms(np.diff(made, axis=0)).max() < 0.01
    assert norms(made[:30]).min() > 0.05 * np.cos(np.pi / 4.0)
