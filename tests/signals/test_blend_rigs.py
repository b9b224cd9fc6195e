"""Blends at their ends and between unlike rigs and motions: nothing is lost, flips or sinks."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from kinesphere.body.retargeting.pipeline import retarget
from kinesphere.builtin import motion
from kinesphere.builtin.characters import mo
from kinesphere.maths import rotations as R
from kinesphere.motion.transform import move_motion
from kinesphere.signals.blend import Blend
from signals.clips import UP, apart, with_calibration
from signals.rigs import RIGS

FEET = ("leftFoot", "rightFoot", "leftToes", "rightToes")


@cache
def on_rig(name, rig):
    return RIGS[rig](motion(name))


def turned(given, degrees, place=(1.0, 0.0, 2.0)):
    return move_motion(given, R.from_rotation_vector(np.radians(degrees) * UP), np.array(place))


def longest_step(given):
    return np.linalg.norm(np.diff(given.positions_world(), axis=0), axis=-1).max()


def lowest(given):
    roles = given.skeleton.roles
    return given.positions_world()[:, [roles[role] for role in FEET if role in roles], 1].min()


def turn_joint(given, name, axis, angles):
    """The motion with one joint's rotation replaced by turns about an axis of the world, as at rest."""
    q = given.rotations.copy()
    q[:, given.skeleton.index(name)] = R.from_rotation_vector(angles[:, None] * np.array(axis, dtype=float))
    return replace(given, rotations=R.continuous(q))


def windmill(given, rounds=2.0, name="rightUpperArm"):
    """One arm goes round in circles."""
    return turn_joint(given, name, [1.0, 0.0, 0.0], -2.0 * np.pi * rounds * np.linspace(0.0, 1.0, len(given)))


def cartwheel(given, rounds=1.0):
    """The whole body goes round about the line it faces along."""
    angle = 2.0 * np.pi * rounds * np.linspace(0.0, 1.0, len(given))
    turn = R.from_rotation_vector(angle[:, None] * np.array([0.0, 0.0, 1.0]))
    middle = np.array([0.0, 1.0, 0.0])
    return move_motion(given, turn, middle - R.rotate(turn, middle))


# The ends


@pytest.mark.parametrize("rig", RIGS)
def test_the_first_alone_is_the_first(rig):
    a, b = on_rig("wave", rig), turned(motion("walk"), 180.0).resampled(30.0)
    assert Blend([1.0, 0.0])(a, b) is a
    assert Blend([2.0, 0.0, 0.0])(a, b, a.mirrored()) is a
    assert Blend([{0.0: 3.0}, {0.0: 0.0}])(a, b) is a
    assert Blend([1.0, 0.0], {2: [1.0, 0.0]})(a, b) is a
    assert Blend([1.0, 0.0], {2: [0.5, 0.5]})(a, b) is not a
    assert Blend([1.0, 0.0])(a, b, parts="arms") is a


def test_the_first_alone_keeps_its_calibration_frames():
    a = with_calibration(motion("wave"))
    assert Blend([1.0, 0.0])(a, motion("bow")) is a


@pytest.mark.parametrize("align", [True, False])
@pytest.mark.parametrize(("name", "other"), [("wave", "walk"), ("walk", "punch"), ("bow", "point")])
def test_a_little_of_another_is_a_little_off(name, other, align):
    a, b = motion(name), motion(other)
    off = []
    for little in (1e-2, 1e-3, 1e-4):
        made = Blend([1.0 - little, little], align=align)(a, b)
        count = min(len(made), len(a))
        assert abs(len(made) - len(a)) <= 2 + little * max(len(a), len(b)) or not align
        off.append(apart(made[:count], a[:count]) / little)
    assert max(off) < 15.0  # metres a unit of weight: as far as the motions are apart, in place and time


@pytest.mark.parametrize(("name", "other"), [("wave", "walk"), ("walk", "punch"), ("bow", "point")])
def test_nearly_all_of_another_is_nearly_the_other(name, other):
    a, b = motion(name), motion(other)
    whole = Blend([0.0, 1.0])(a, b)
    assert len(whole) == len(b)
    for little in (1e-2, 1e-3, 1e-4):
        made = Blend([little, 1.0 - little])(a, b)
        count = min(len(made), len(b))
        assert apart(made[:count], whole[:count]) < 15.0 * little


@pytest.mark.parametrize("rig", ["plain", "odd axes", "along x", "still root, odd axes", "T-pose, no toes"])
@pytest.mark.parametrize("other", ["walk", "bow"])
def test_the_other_alone_is_the_other_on_the_firsts_body(rig, other):
    a = on_rig("wave", rig)
    b = retarget(motion(other), mo())
    expected = retarget(turned(b, 130.0), a)
    made = Blend([0.0, 1.0])(a, turned(b, 130.0))
    assert len(made) == len(expected)
    assert made.rate == a.rate
    # From where the first begins, and as it faces there.
    root = a.skeleton.roles["hips"]
    turn = R.multiply(a.world()[0][0, root], R.conjugate(expected.world()[0][0, root]))
    heading = R.swing_twist(turn, UP)[1]
    there = R.rotate(heading, expected.positions_world() - expected.positions_world()[:1, root, None] * [1, 0, 1])
    here = made.positions_world() - made.positions_world()[:1, root, None] * [1.0, 0.0, 1.0]
    here, there = here[:, root:], there[:, root:]  # what the hips hang from is the first's
    gap = np.linalg.norm(here[..., [0, 2]] - there[..., [0, 2]], axis=-1).max()
    rise = (here - there)[..., 1]
    assert np.ptp(rise) < 1e-6
    assert abs(rise.mean()) < 0.05
    assert gap < 0.05  # heading is not the same by both measures where hips tilt
    own = [np.linalg.norm(one[:, :, None] - one[:, None], axis=-1) for one in (here[::10], there[::10])]
    assert np.abs(own[0] - own[1]).max() < 1e-6


def test_stretches_of_one_motion_are_that_motion():
    a, b = motion("wave"), motion("bow")
    made = Blend([{1.0: 1.0, 1.6: 0.0}, {1.0: 0.0, 1.6: 1.0}], align=False)(a, b)
    assert apart(made[:61], a[:61]) < 1e-9
    assert R.angle_between(made.rotations[97:, 1:], b.rotations[97 : len(made), 1:]).max() < 1e-6
    assert longest_step(made) < 1.3 * max(longest_step(a), longest_step(b))


# Flips


@pytest.mark.parametrize("weight", [0.3, 0.5, 0.7])
@pytest.mark.parametrize("rounds", [1.0, -2.5])
def test_arms_half_a_turn_apart_do_not_flip(weight, rounds):
    a, b = motion("bow"), windmill(motion("bow"), rounds)
    made = Blend([1.0 - weight, weight], align=False)(a, b)
    # An arm goes over to the other side within 0.6 s, at worst by half a turn.
    arm = 0.85
    assert longest_step(made) < longest_step(b) + 1.9 * np.pi * arm / (0.6 * a.rate)
    jolt = np.linalg.norm(np.diff(made.positions_world(), 2, axis=0), axis=-1).max()
    assert jolt < 0.05
    ends = [R.angle_between(made.rotations[[0, -1]], one.rotations[[0, -1]]) for one in (a, b)]
    whole = R.angle_between(a.rotations[[0, -1]], b.rotations[[0, -1]])
    assert (ends[0] + ends[1] < whole + 1e-6).all() or rounds != 1.0  # not the long way round


@pytest.mark.parametrize("rig", RIGS)
@pytest.mark.parametrize("degrees", [180.0, 175.0, -120.0])
def test_bodies_that_face_apart_do_not_spin(rig, degrees):
    a = on_rig("walk", rig)
    for b in (turned(on_rig("wave", rig), degrees), turned(motion("walk"), degrees).resampled(30.0)):
        made = Blend()(a, b)
        assert longest_step(made) < max(longest_step(a), longest_step(b)) + 0.005
        heading = R.angle_between(
            made.world()[0][:, a.skeleton.roles["hips"]], a.world()[0][0, a.skeleton.roles["hips"]]
        )
        assert heading.max() < np.radians(40.0)


@pytest.mark.parametrize("degrees", [0.0, 90.0, 180.0])
def test_bodies_that_go_upside_down_do_not_flip(degrees):
    a, b = cartwheel(motion("bow")), turned(cartwheel(motion("wave")), degrees)
    count = min(len(a), len(b))
    made = Blend(align=False, feet=False)(a[:count], b[:count])
    assert longest_step(made) < max(longest_step(a), longest_step(b)) + 0.01


# Soles


@pytest.mark.parametrize("rig", RIGS)
def test_soles_do_not_sink(rig):
    a = on_rig("walk", rig)
    for b in (a.mirrored(), turned(motion("bow"), 90.0), retarget(motion("walk"), mo()).resampled(24.0)):
        made = Blend()(a, b)
        ground = min(lowest(a), lowest(retarget(b, a)) if len(b.skeleton) != len(a.skeleton) else lowest(a))
        assert lowest(made) > ground - 0.012
        assert longest_step(made) < longest_step(a) + 0.02


@pytest.mark.parametrize("height", [0.4, -0.07, 0.05])
def test_the_ground_is_the_firsts(height):
    a = motion("walk")
    b = move_motion(motion("bow"), R.identity(), [0.0, height, 0.0])
    for weights in ([0.5, 0.5], [0.0, 1.0], [{0.0: 1.0, 3.0: 0.0}, {0.0: 0.0, 3.0: 1.0}]):
        made = Blend(weights)(a, b)
        assert lowest(made) == pytest.approx(lowest(a), abs=0.018)
