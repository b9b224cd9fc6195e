"""The compiled kernels of feet and legs do what their plain twins do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from body.test_contacts import WALK
from body.test_foot_lock import SKATING, squats
from generated import seeds
from kinesphere.body import ground
from kinesphere.body.contacts import (
    ContactPairs,
    find_contact_runs,
    find_contacts,
    geometric_medians,
    label_contacts,
    settle_anchors,
)
from kinesphere.body.foot_lock import foot_paths, leg_paths, legs
from kinesphere.body.foot_lock.lock import solve_foot_lock
from kinesphere.body.joint_subset import leg_subset, subset_pose
from kinesphere.maths import compiled, kinematics, rotations
from kinesphere.signals.constraints import hold_feet, move_contacts

MARKED = replace(SKATING, calibration_frames=(0, 1, 70, 71, 72, 140))
few = settings(max_examples=20, deadline=None)


@pytest.fixture(autouse=True)
def _compiled():
    assert compiled.warm_up() is not None


def by_numpy(function):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KINESPHERE_COMPILED", "0")
        return function()


def near(made, wanted, most=1e-10):
    made, wanted = np.asarray(made), np.asarray(wanted)
    assert made.shape == wanted.shape
    if made.dtype == bool:
        assert np.array_equal(made, wanted)
    else:
        assert np.abs(made - wanted).max(initial=0.0) < most


def same(function, most=1e-10):
    """Compiled or not, it makes the same, field by field."""
    made, wanted = function(), by_numpy(function)
    for one, other in zip(made, wanted, strict=True):
        near(one, other, most)
    return made


def seen(motion):
    """What the legs' kernels are given: the world, legs, feet that were corrected, and legs in leg lengths."""
    skeleton, world, plants = motion.skeleton, subset_pose(motion, leg_subset(motion.skeleton)), find_contacts(motion)
    points, both = ground.sole_points(skeleton), []
    paths, performed = ground.sole_paths_of(world, points), ground.performed_flags(motion)
    for side in ("left", "right"):
        own = [k for k, point in enumerate(points) if point.side == side]
        foot, toes = (skeleton.roles.get(side + part, skeleton.roles[f"{side}Foot"]) for part in ("Foot", "Toes"))
        turned = (world.turned(foot), world.turned(toes), world.places(foot))
        chosen = [points[k] for k in own]
        both.append((chosen, paths[:, own], turned, plants, performed, ground.leg_length(skeleton)))
    feet = [foot_paths.correct_foot_path(*given) for given in both]
    found = legs.measure_legs(skeleton, world)
    shift = np.stack([foot.shift for foot in feet])
    return world, both, feet, found, legs.leg_model(skeleton, world, found, shift)


def without_toes(motion):
    roles = {role: joint for role, joint in motion.skeleton.roles.items() if not role.endswith("Toes")}
    return replace(motion, skeleton=replace(motion.skeleton, roles=roles))


MOTIONS = {
    "skating": SKATING,
    "marked": MARKED,
    "without toes": without_toes(SKATING),
    "no hips' children": squats(0.2),
    "short": SKATING[40:48],
}


@given(seed=seeds)
@few
def test_some_joints(seed):
    rng = np.random.default_rng(seed)
    parents = np.array([-1, *(rng.integers(0, i) for i in range(1, 12))])
    joints, above = kinematics.with_ancestors(parents, rng.integers(0, 12, 3).tolist())
    q, t = rotations.normalise(rng.normal(size=(40, 12, 4))), rng.normal(size=(40, 12, 3))
    world = same(lambda: kinematics.forward_some(q, t, joints, above), 1e-12)
    rows, offsets = rng.integers(0, len(joints), 3), rng.normal(size=(3, 3))
    near(*(run(lambda: kinematics.attached_points(*world, rows, offsets)) for run in (lambda f: f(), by_numpy)))
    turns = rotations.normalise(rng.normal(size=(2, 40, 4)))
    active, row = rng.random(40) < 0.7, int(rng.integers(len(joints)))
    made, wanted = q.copy(), q.copy()
    for run, local in ((lambda f: f(), made), (by_numpy, wanted)):
        given_ = (world[0], row, int(above[row]), tuple(turns), active, local, int(joints[row]))
        run(lambda given_=given_: kinematics.rotate_joint(*given_))
    near(made, wanted)
    assert not np.array_equal(made, q) or not active.any()


@pytest.mark.parametrize("frames", [1, 2, 5, 200])
@pytest.mark.parametrize("rate", [24.0, 60.0, 120.0])
def test_filters(frames, rate, rng):
    values = np.cumsum(rng.normal(size=(frames, 70, 3)), axis=0)
    for sigma in (0.004, 0.02, 0.05):
        near(ground.smooth_gaussian(values, rate, sigma), ground.smooth_gaussian_reference(values, rate, sigma), 1e-12)
    near(ground.speeds(values, rate), ground.speeds_reference(values, rate), 1e-9)


@given(seed=seeds)
@few
def test_labels(seed):
    """Points that stop and go near the ground, and stands that are close to each other."""
    rng = np.random.default_rng(seed)
    rate, frames = float(rng.choice([30.0, 60.0, 119.9])), 400
    going = np.repeat(rng.random(frames // 4) < 0.4, 4)
    path = np.cumsum(going[:, None] * rng.normal(scale=0.01, size=(frames, 3)), axis=0)
    speed = going * rng.uniform(0.0, 0.5, frames)
    rule = find_rule(rate)
    made, wanted = np.empty((2, frames), dtype=bool)
    label_contacts(path, 0.01, speed, rate, rule, made)
    by_numpy(lambda: label_contacts(path, 0.01, speed, rate, rule, wanted))
    assert np.array_equal(made, wanted)


def find_rule(rate):
    from kinesphere.body import contacts

    return contacts._rule(replace(WALK, rate=rate), contacts.HEIGHTS, contacts.SPEEDS, contacts.SHORTEST)


@given(seed=seeds)
@few
def test_anchors(seed):
    rng = np.random.default_rng(seed)
    paths = np.cumsum(rng.normal(scale=0.01, size=(200, 4, 3)), axis=0)
    paths[50:60] = paths[50]  # nothing moves
    stands = np.array([(0, 50, 55), (1, 0, 199), (2, 3, 3), (3, 40, 90), (3, 100, 130)])
    near(geometric_medians(paths, stands), by_numpy(lambda: geometric_medians(paths, stands)))
    assert geometric_medians(paths, stands[:0]).shape == (0, 3)
    pairs = ContactPairs(
        np.array([(0, 1), (2, 3)]), rng.normal(size=(2, 3)), rng.uniform(0.0, 1.0, 2),
        np.array([(0, 2), (1, 3), (4, 5)]), rng.uniform(0.1, 0.3, 3),
    )  # fmt: skip
    place, share = rng.normal(size=(6, 3)), rng.uniform(0.01, 0.1, 6)
    made, wanted = place.copy(), place.copy()
    settle_anchors(made, share, pairs, 1e-10)
    by_numpy(lambda: settle_anchors(wanted, share, pairs, 1e-10))
    near(made, wanted)
    assert not np.allclose(made, place)


@pytest.mark.parametrize("name", MOTIONS)
def test_plants(name):
    motion = MOTIONS[name]
    made, wanted = find_contacts(motion), by_numpy(lambda: find_contacts(motion))
    assert [replace(plant, anchor=(0, 0, 0)) for plant in made.intervals] == [
        replace(plant, anchor=(0, 0, 0)) for plant in wanted.intervals
    ]
    near([plant.anchor for plant in made.intervals], [plant.anchor for plant in wanted.intervals])
    near([plant.anchor for plant in move_contacts(made, motion).intervals], [plant.anchor for plant in made.intervals])
    assert len(find_contact_runs(motion).rows) == len(made.intervals)


@pytest.mark.parametrize("name", MOTIONS)
def test_legs(name):
    """Every step of locking, each from the same input."""
    motion = MOTIONS[name]
    skeleton, unit = motion.skeleton, ground.leg_length(motion.skeleton)
    world, both, feet, found, model = seen(motion)
    for given_ in both:
        same(lambda given_=given_: foot_paths.correct_foot_path(*given_))
    same(lambda: legs.measure_legs(skeleton, world), 1e-8)  # the plane of a leg that is nearly straight
    same(lambda: legs.leg_model(skeleton, world, found, model.shift * unit))
    planted, asked = (np.stack([getattr(foot, part) for foot in feet]) for part in ("planted", "asked"))
    moved = same(lambda: leg_paths.solve_leg_paths(model, planted, asked, motion))
    shift, turn = (np.stack([getattr(foot, part) for foot in feet]) for part in ("shift", "turn"))
    active = legs.moving_frames(shift, turn, model, moved)
    near(active, legs.moving_frames_reference(shift, turn, model, moved))
    bent = same(lambda: legs.bend_legs(found, model, moved, unit))
    angle = np.stack(
        [leg_paths.knee_swivels(model.knee[i], bent.step[i], bent.aside[i], moved.share, motion) for i in (0, 1)]
    )
    for i in (0, 1):
        parts = model.knee[i], bent.step[i], bent.aside[i], moved.share, motion
        near(angle[i], leg_paths.knee_swivels_reference(*parts))
    made, wanted = legs.rotate_legs(found, bent, angle, active), legs.rotate_legs_reference(found, bent, angle)
    near(made.missed, wanted.missed)
    near(made.ankle, wanted.ankle)
    for one, other in ((made.above, wanted.above), (made.below, wanted.below)):
        near(rotations.angle_between(one[:, active], other[:, active]), np.zeros((2, active.sum())), 1e-7)


@pytest.mark.parametrize("name", MOTIONS)
def test_locking(name):
    motion = MOTIONS[name]
    plants = find_contacts(motion)
    made, wanted = solve_foot_lock(motion, plants), by_numpy(lambda: solve_foot_lock(motion, plants))
    near(made.motion.positions_world(), wanted.motion.positions_world(), 1e-9)
    near(made.hips_lowered, wanted.hips_lowered)
    near(made.missed, wanted.missed)
    joints = np.ones(len(motion.skeleton), dtype=bool)
    near(hold_feet(motion, motion, joints, anyway=True).positions_world(), made.motion.positions_world(), 1e-9)


def test_legs_without_a_length_are_refused_either_way():
    t = SKATING.translations.copy()
    for side in ("left", "right"):
        t[:, SKATING.skeleton.roles[f"{side}LowerLeg"]] = t[:, SKATING.skeleton.roles[f"{side}Foot"]] = 0.0
    nowhere = replace(SKATING, translations=t)
    plants = find_contacts(SKATING)
    for run in (lambda f: f(), by_numpy):
        with pytest.raises(ValueError, match="length zero"), np.errstate(all="ignore"):
            run(lambda: solve_foot_lock(nowhere, plants))
