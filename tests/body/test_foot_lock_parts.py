"""The parts of contacts and foot lock, each against what it must give: SciPy, brute force, derivatives, geometry."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import ndimage, signal
from scipy.interpolate import CubicHermiteSpline
from scipy.linalg import solveh_banded

from body.test_contacts import WALK
from body.test_foot_lock import SKATING, squats
from generated import seeds
from kinesphere import _native
from kinesphere.body import contacts, ground
from kinesphere.body.contacts import find_contact_runs, find_contacts, geometric_median, geometric_medians
from kinesphere.body.foot_lock import foot_paths, leg_paths, legs
from kinesphere.body.foot_lock.leg_paths import Residuals, SolvedLegs
from kinesphere.body.foot_lock.lock import lock_feet, solve_foot_lock
from kinesphere.body.joint_subset import leg_subset, subset_pose
from kinesphere.maths import filters
from kinesphere.maths import rotations as R
from kinesphere.maths.vectors import Floats
from kinesphere.signals.constraints import hold_feet, move_contacts

MARKED = replace(SKATING, calibration_frames=(0, 1, 70, 71, 72, 140))
few = settings(max_examples=20, deadline=None)


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


# Paths and filters


@pytest.mark.parametrize("name", MOTIONS)
def test_a_subset_has_the_poses_of_the_whole_body(name):
    motion = MOTIONS[name]
    q, p = motion.world()
    subset = leg_subset(motion.skeleton)
    world = subset_pose(motion, subset)
    assert np.allclose(world.p, p[:, subset.joints], atol=1e-12)
    assert R.angle_between(world.q, q[:, subset.joints]).max() < 1e-7
    points = ground.sole_points(motion.skeleton)
    paths = ground.sole_paths(motion, points)
    for i, point in enumerate(points):
        assert np.allclose(paths[:, i], p[:, point.joint] + R.rotate(q[:, point.joint], point.offset), atol=1e-12)
        assert point.name in find_contacts(motion).points


@pytest.mark.parametrize("frames", [1, 2, 5, 200])
@pytest.mark.parametrize("rate", [24.0, 60.0, 120.0])
@pytest.mark.parametrize("sigma", [0.004, 0.02, 0.05])
def test_the_low_pass_is_a_gaussian_that_keeps_lines(frames, rate, sigma, rng):
    values = np.cumsum(rng.normal(size=(frames, 4, 3)), axis=0)
    reach = min(int(np.ceil(4.0 * sigma * rate)), frames - 1)
    at = np.arange(-reach, reach + 1)[:, None] + np.linspace(-0.5, 0.5, 2001)  # the bell's integral over each frame
    weights = np.trapezoid(np.exp(-0.5 * (at / (sigma * rate)) ** 2), axis=1)
    padded = np.pad(values, ((reach, reach), (0, 0), (0, 0)), mode="reflect", reflect_type="odd")
    wanted = ndimage.correlate1d(padded, weights / weights.sum(), axis=0, mode="nearest")[reach : reach + frames]
    assert np.allclose(ground.smooth_gaussian(values, rate, sigma), wanted, atol=1e-6)
    line = np.arange(frames)[:, None] * [0.3, -0.1] + 7.0
    assert np.allclose(ground.smooth_gaussian(line, rate, sigma), line, atol=1e-10)


@pytest.mark.parametrize("frames", [1, 2, 5, 200])
@pytest.mark.parametrize("rate", [24.0, 119.9])
def test_speeds_are_distance_over_time(frames, rate, rng):
    paths = np.cumsum(rng.normal(size=(frames, 2, 3)), axis=0)
    time, half = np.arange(frames) / rate, max(1.0 / 30.0, 1.0 / rate)
    start, end = np.maximum(time - half, 0.0), np.minimum(time + half, time[-1])
    for i in range(2):
        there, here = (np.stack([np.interp(at, time, axis) for axis in paths[:, i].T], -1) for at in (end, start))
        wanted = np.linalg.norm(there - here, axis=1) / np.maximum(end - start, 1e-12)
        assert np.allclose(ground.speeds(paths, rate)[:, i], wanted, rtol=1e-9)


@given(seed=seeds)
@few
def test_a_running_maximum_and_a_bell(seed):
    rng = np.random.default_rng(seed)
    values, rate, seconds = rng.random((2, int(rng.integers(1, 60)))), 30.0, float(rng.uniform(0.01, 0.5))
    span = max(int(seconds * rate), 1)
    wanted = ndimage.maximum_filter1d(values, 2 * span + 1, mode="constant")
    assert np.array_equal(ground.running_maximum(values, seconds, rate), wanted)
    fade = int(rng.integers(1, 20))
    weights = signal.windows.hann(2 * fade + 3)[1:-1]
    smooth = ndimage.correlate1d(wanted[0], weights / weights.sum(), mode="nearest")
    assert np.allclose(filters.widen(values[0], span, fade), smooth, atol=1e-12)


# Contacts


def brute_force_label(path, floor, speed, rate, rule):
    """The detector's rule, word for word."""
    frames, height = len(path), path[:, 1] - floor
    near = [slice(max(t - rule.floor_window, 0), t + rule.floor_window + 1) for t in range(frames)]
    above = height - [min(height[rows].min(), rule.floor_rise) for rows in near]
    begun, going = (above < rule.height) & (speed < rule.speed), (above < rule.go_height) & (speed < rule.go_speed)
    label = np.zeros(frames, dtype=bool)
    for first, last in ground.runs(going):
        label[first : last + 1] = begun[first : last + 1].any()
    found = ground.runs(label)
    for (_, before), (after, _) in zip(found[:-1], found[1:], strict=True):
        moved = np.linalg.norm(path[before : after + 1] - path[before], axis=1).max()
        if (after - before) / rate < rule.gap + 1e-9 and moved < rule.gap_distance:
            label[before:after] = True
    for first, last in ground.runs(label):
        label[first : last + 1] = (last - first + 1) / rate >= rule.shortest - 1e-9
    return label


@given(seed=seeds)
@few
def test_labels_follow_the_rule(seed):
    """Points that stop and go near the ground, and contacts that are close to each other."""
    rng = np.random.default_rng(seed)
    rate, frames = float(rng.choice([30.0, 60.0, 119.9])), 400
    going = np.repeat(rng.random(frames // 4) < 0.4, 4)
    path = np.cumsum(going[:, None] * rng.normal(scale=0.01, size=(frames, 3)), axis=0)
    speed = going * rng.uniform(0.0, 0.5, frames)
    rule = contacts._contact_rule(replace(WALK, rate=rate), contacts.HEIGHTS, contacts.SPEEDS, contacts.SHORTEST)
    (label,) = contacts.label_paths(path[:, None], speed[:, None], np.array([0.01]), rate, rule).T
    assert np.array_equal(label, brute_force_label(path, 0.01, speed, rate, rule))


@given(seed=seeds)
@few
def test_an_anchor_has_the_least_sum_of_distances(seed):
    rng = np.random.default_rng(seed)
    paths = np.cumsum(rng.normal(scale=0.01, size=(200, 4, 3)), axis=0)
    paths[50:60] = paths[50]  # nothing moves
    rows = np.array([(0, 50, 55), (1, 0, 199), (2, 3, 3), (3, 40, 90), (3, 100, 130)])
    for (i, first, last), median in zip(rows, geometric_medians(paths, rows), strict=True):
        path = paths[first : last + 1, i]
        assert np.allclose(geometric_median(path), median, atol=1e-12)
        least = np.linalg.norm(path - median, axis=1).sum()
        for step in 1e-3 * rng.normal(size=(10, 3)):
            assert np.linalg.norm(path - (median + step), axis=1).sum() > least - 1e-5 * len(path)
    assert np.allclose(geometric_medians(paths, rows)[[0, 2]], [paths[50, 0], paths[3, 2]], atol=1e-12)
    square = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, -2.0, 0.0]])
    assert np.allclose(geometric_median(square), 0.0, atol=1e-9)
    assert geometric_medians(paths, rows[:0]).shape == (0, 3)


@given(seed=seeds)
@few
def test_anchors_settle(seed):
    """Feet get their length, steps come nearer to what they were, and what agrees already stays."""
    rng = np.random.default_rng(seed)
    anchors, mobility = rng.normal(size=(6, 3)), rng.uniform(0.01, 0.1, 6)
    pairs = contacts.ContactPairs(
        np.array([(0, 1), (2, 3)]), rng.normal(size=(2, 3)), np.array([0.5, 1.0]),
        np.array([(0, 2), (4, 5)]), rng.uniform(0.1, 0.3, 2),
    )  # fmt: skip
    before, middle = anchors.copy(), (anchors / mobility[:, None]).sum(axis=0)
    _native.contacts.settle_anchors(pairs, mobility, 1e-12, anchors)
    i, j = pairs.together.T
    assert np.allclose(np.linalg.norm(anchors[j] - anchors[i], axis=1), pairs.distances, atol=1e-9)
    i, j = pairs.following.T
    off = [np.linalg.norm(at[j] - at[i] - pairs.steps) for at in (before, anchors)]
    assert off[1] < off[0]
    assert np.allclose((anchors / mobility[:, None]).sum(axis=0), middle)  # pushes are equal and opposite
    alone = pairs._replace(together=pairs.together[:0], distances=pairs.distances[:0], stiffness=np.ones(2))
    _native.contacts.settle_anchors(alone, mobility, 1e-12, anchors)
    assert np.allclose(anchors[j] - anchors[i], alone.steps, atol=1e-12)
    agreed = anchors.copy()
    _native.contacts.settle_anchors(alone, mobility, 1e-12, anchors)
    assert np.allclose(anchors, agreed, atol=1e-12)


@pytest.mark.parametrize("name", MOTIONS)
def test_contacts_on_their_own_motion_stay_where_they_are(name):
    motion = MOTIONS[name]
    found = find_contacts(motion)
    moved = move_contacts(found, motion)
    assert np.allclose([c.anchor for c in moved.intervals], [c.anchor for c in found.intervals], atol=1e-12)
    assert len(find_contact_runs(motion).rows) == len(found.intervals)


# Foot paths


def corrected(motion, side):
    """A foot's points, ankle, rotations and contacts, and its correction."""
    skeleton, found = motion.skeleton, find_contacts(motion)
    points = [point for point in ground.sole_points(skeleton) if point.side == side]
    q, p = motion.world()
    foot = skeleton.roles[f"{side}Foot"]
    toes = skeleton.roles.get(f"{side}Toes", foot)
    paths = ground.sole_paths(motion, tuple(points))
    world, performed = (q[:, foot], q[:, toes], p[:, foot]), ground.performed_flags(motion)
    length = ground.leg_length(skeleton)
    return (
        points,
        paths,
        p[:, foot],
        found,
        foot_paths.correct_foot_path(points, paths, world, found, performed, length),
    )


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("name", ["skating", "marked", "without toes"])
def test_corrected_points_are_on_their_anchors(name, side):
    motion = MOTIONS[name]
    points, paths, ankle, found, path = corrected(motion, side)
    names = [point.name for point in points]
    labels = np.stack([found.labels[name] for name in names], axis=1) & ground.performed_flags(motion)[:, None]
    assert np.array_equal(path.in_contact, labels.any(axis=1))
    assert path.sliding.any()
    assert not path.sliding[~path.in_contact].any()
    rotation = R.from_rotation_vector(path.rotation)
    moved = (ankle + path.shift)[:, None] + R.rotate(rotation[:, None], paths - ankle[:, None])
    off = np.linalg.norm(moved - found.anchors(names, paths), axis=-1)[labels & path.sliding[:, None]]
    assert np.median(off) < 1e-4
    assert off.max() < 0.004  # where jolts were smoothed
    far = ndimage.binary_dilation(path.sliding, iterations=int(0.3 * motion.rate)) == 0
    assert not path.shift[far].any()
    assert not path.rotation[far].any()
    jumps = np.linalg.norm(np.diff(path.shift, 2, axis=0), axis=1) * motion.rate
    assert name == "marked" or jumps.max() < 0.6  # metres a second


def test_corrections_ease_by_cubics(rng):
    """From each contact with its value and slope to zero 0.2 s away, or to the next contact if that is near.

    One point is in contact: its shift is from where it is to its anchor.
    """
    frames, rate = 100, 30.0
    known, allowed = np.zeros(frames, dtype=bool), np.ones(frames, dtype=bool)
    known[[10, 11, 12, 20, 21, 60]] = True
    allowed[62] = False
    values, slopes, result = rng.normal(size=(frames, 3)), rng.normal(size=(frames, 3)), np.zeros((frames, 3))
    points, labels = np.zeros((frames, 3)), known[:, None].copy()
    _native.foot_paths.ease_shift(values, points, -slopes, labels, known, allowed, rate, result)
    assert np.array_equal(result[known], values[known])
    ends = np.array([4, 10, 12, 20, 21, 27, 54, 60, 66])
    held = known[ends][:, None]
    wanted = CubicHermiteSpline(
        ends / rate, np.where(held, values[ends], 0.0), np.where(held, slopes[ends], 0.0)
    )(np.arange(frames) / rate)  # fmt: skip
    wanted[[11, *range(4), *range(27, 55), *range(66, frames), 62]] = 0.0
    wanted[11] = values[11]
    assert np.allclose(result, wanted, atol=1e-12)


@given(seed=seeds)
@few
def test_a_rotation_in_contact_is_undone_and_eases_on(seed):
    """A foot that rotates at one speed about its own ankle: the correction goes on as it was at the contact's edges."""
    rng = np.random.default_rng(seed)
    frames, rate, first, last = 120, 60.0, 50, 70
    axis, bone = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
    speed = 0.5 * axis
    bones = 0.2 * R.rotate(R.from_rotation_vector((np.arange(frames) - 60.0)[:, None] / rate * speed), bone)
    labels, still = np.zeros((frames, 2), dtype=bool), np.tile(R.identity(), (frames, 1))
    labels[first : last + 1] = True
    anchors = np.zeros((frames, 2, 3))
    anchors[:, 1] = 0.2 * bone
    paths = np.stack([np.zeros_like(bones), bones], axis=1)
    ankle, performed = np.zeros((frames, 3)), np.ones(frames, dtype=bool)
    foot = foot_paths.FootMotion(
        paths, anchors, labels, still, still, ankle, performed, [slice(0, frames)], rate, unit=0.6
    )
    rotation, points = np.zeros((frames, 3)), paths.reshape(frames, 6)
    foot_paths.align_with_anchors(foot, points, rotation)
    offsets = np.empty((frames, 6))
    _native.foot_paths.rotate_points(points, ankle, R.from_rotation_vector(rotation), offsets)
    known = np.arange(first, last + 1)
    assert np.allclose(rotation[known], -(known - 60.0)[:, None] / rate * speed, atol=1e-9)
    assert np.allclose(offsets[known, 3:], 0.2 * bone, atol=1e-9)
    ends = np.array([first - 12, first, last, last + 12]) / rate
    slopes = np.array([0.0, 1.0, 1.0, 0.0])[:, None] * -speed
    wanted = CubicHermiteSpline(ends, [speed * 0.0, rotation[first], rotation[last], speed * 0.0], slopes)
    assert np.allclose(rotation[38:83], wanted(np.arange(38, 83) / rate), atol=1e-5)
    assert not rotation[[first - 13, last + 13]].any()


@given(seed=seeds)
@few
def test_rotation_vectors_and_parts_of_rotations(seed):
    rng = np.random.default_rng(seed)
    scale = rng.choice([1e-9, 0.01, 0.09, 0.11, 1.0])
    vector = scale * rng.normal(size=3)
    a, b = R.from_rotation_vector(vector)[None], R.from_rotation_vector(rng.normal(size=(1, 3)))
    # rotated by a · b after b's inverse, and after the identity
    ankle, points, product = rng.normal(size=(1, 3)), rng.normal(size=(1, 6)), R.multiply(a, b)
    before, toes = points.copy(), np.empty((1, 3))
    found = R.to_rotation_vector(product)
    _native.foot_paths.rotate_foot(ankle, R.conjugate(b), R.identity(1), points, found, toes)
    assert np.allclose(found, R.to_rotation_vector(a), atol=1e-14)
    assert np.allclose(toes, R.to_rotation_vector(product), atol=1e-14)
    wanted = ankle + R.rotate(product, before.reshape(2, 3) - ankle)
    assert np.allclose(points.reshape(2, 3), wanted, atol=1e-14)
    start, end, result = R.normalise(rng.normal(size=(1, 4))), rng.normal(size=(1, 4)), np.empty((1, 4))
    share = rng.random(1)
    _native.foot_paths.partial_rotations(start, end, share, result)
    whole = R.multiply(R.normalise(end), R.conjugate(start))
    assert R.angle_between(result, R.power(whole, share)) < 1e-7


# Legs


def measured(motion):
    """The legs of a motion with those feet shifted that slide."""
    world = subset_pose(motion, leg_subset(motion.skeleton))
    feet = [corrected(motion, side)[-1] for side in ("left", "right")]
    found = legs.measure_legs(motion.skeleton, world)
    shift = np.stack([foot.shift for foot in feet])
    return found, feet, legs.leg_model(motion.skeleton, world, found, shift), shift


def unmoved(model):
    zero = np.zeros(model.upper.shape[1])
    return SolvedLegs(zero, zero, zero, model.flexion, zero)


@pytest.mark.parametrize("name", MOTIONS)
def test_legs_are_measured(name):
    motion = MOTIONS[name]
    found, _, model, shift = measured(motion)
    thigh, shin = found.knee - found.hip, found.ankle - found.knee
    assert np.allclose(found.upper, np.linalg.norm(thigh, axis=-1))
    assert np.allclose(found.lower, np.linalg.norm(shin, axis=-1))
    cosine = np.sum(thigh * shin, axis=-1) / found.upper / found.lower
    assert np.allclose(np.cos(found.flexion), cosine)
    bent = np.abs(found.flexion) > 0.2
    for bone in (thigh, shin):
        assert np.abs(np.sum(found.normal * bone, axis=-1)).max() < 1e-9
        assert np.abs(np.sum(found.axis * bone, axis=-1))[bent].max(initial=0.0) < 0.02
    assert np.allclose(np.linalg.norm(found.axis, axis=-1), 1.0)
    length = ground.leg_length(motion.skeleton)
    assert np.allclose(model.hip + model.hip_to_ankle, (found.ankle + shift) / length)
    # a small roll raises the left hip and lowers the right by as much
    roll = R.from_rotation_vector(1e-6 * model.roll_vector)
    across = found.hip[0] - found.hip[1]
    raised = (R.rotate(roll, across) - across)[:, 1] / length
    assert np.allclose(raised, 2e-6, rtol=1e-3)
    assert np.allclose(np.sum(model.forward * model.hip_to_ankle, axis=-1)[~shift.any(axis=-1)], 0.0, atol=1e-9)


def test_knees_that_lean_sideways_are_not_bent_back_and_forth():
    """Straight knees whose shins lean a micrometre to the side at rest: rounding must not give flexions their signs."""
    skeleton, q, t = SKATING.skeleton, SKATING.rotations.copy(), SKATING.translations.copy()
    orientations, positions = skeleton.rest_world()
    for side in ("left", "right"):
        thigh, shin, foot = (skeleton.roles[side + part] for part in ("UpperLeg", "LowerLeg", "Foot"))
        q[:, shin] = R.identity()
        across = positions[skeleton.roles["leftUpperLeg"]] - positions[skeleton.roles["rightUpperLeg"]]
        across = R.rotate(R.conjugate(orientations[thigh]), across) / np.linalg.norm(across)
        below = t[0, shin] - (t[0, shin] @ across) * across
        t[:, shin], t[:, foot] = below, below + 1e-6 * across
    motion = replace(SKATING, rotations=q, translations=t)
    found = legs.measure_legs(skeleton, subset_pose(motion, leg_subset(skeleton)))
    assert np.all(found.flexion > 0.0)
    assert np.all(found.flexion < 1e-5)


@pytest.mark.parametrize("name", MOTIONS)
def test_legs_that_do_not_move_stay(name):
    motion = MOTIONS[name]
    found, _, model, shift = measured(motion)
    length, none = ground.leg_length(motion.skeleton), np.zeros_like(shift)
    model = model._replace(shift=none, hip_to_ankle=model.hip_to_ankle - model.shift)
    assert not legs.moving_frames(none, none, model, unmoved(model)).any()
    bent = legs.bend_legs(found, model, unmoved(model), length)
    assert np.abs(bent.step).max() < 1e-7
    every = np.ones(len(motion), dtype=bool)
    solved = legs.rotate_legs(found, bent, np.zeros((2, len(motion))), every)
    assert solved.ankle_error.max() < 1e-7
    assert R.angle_between(solved.thigh, R.identity()).max() < 1e-6
    assert R.angle_between(solved.shin, R.identity()).max() < 1e-6


@pytest.mark.parametrize("name", MOTIONS)
def test_legs_bend_and_swivel_as_asked(name, rng):
    """Bones keep their lengths, knees have their flexions, rotations take old bones to new ones."""
    motion = MOTIONS[name]
    found, _, model, _ = measured(motion)
    length, frames = ground.leg_length(motion.skeleton), len(motion)
    rise, roll, sway = 0.02 * rng.normal(size=(3, frames))
    flexion = np.abs(model.flexion + 0.2 * rng.normal(size=(2, frames)))
    bent = legs.bend_legs(found, model, SolvedLegs(rise, roll, sway, flexion, np.ones(frames)), length)
    for bone, size in ((bent.thigh, found.upper), (bent.shin, found.lower)):
        assert np.allclose(np.linalg.norm(bone, axis=-1), size)
    assert np.allclose(np.sum(bent.thigh * bent.shin, axis=-1) / found.upper / found.lower, np.cos(flexion))
    whole = bent.thigh + bent.shin  # towards the ankle's target
    assert np.abs(np.cross(whole, bent.hip_to_ankle)).max() < 1e-9
    assert np.allclose(bent.hip + bent.hip_to_ankle, found.ankle + length * model.shift)
    angle, every = 0.3 * rng.normal(size=(2, frames)), np.ones(frames, dtype=bool)
    solved = legs.rotate_legs(found, bent, angle, every)
    thigh, shin = (
        R.rotate(q, bone)
        for q, bone in ((solved.thigh, found.knee - found.hip), (solved.shin, found.ankle - found.knee))
    )
    assert np.allclose(solved.ankle, bent.hip + thigh + shin, atol=1e-9)
    assert np.allclose(np.cross(solved.ankle - bent.hip, bent.hip_to_ankle), 0.0, atol=1e-9)
    target = bent.hip + bent.hip_to_ankle
    assert np.allclose(solved.ankle_error, np.linalg.norm(solved.ankle - target, axis=-1), atol=1e-9)
    tiny = legs.rotate_legs(found, bent, np.full((2, frames), 1e-6), every)
    knee = R.rotate(tiny.thigh, found.knee - found.hip) - bent.thigh
    assert np.allclose(knee / 1e-6 / length, bent.tangent, atol=1e-3)


def test_legs_without_a_length_are_refused():
    t = SKATING.translations.copy()
    for side in ("left", "right"):
        t[:, SKATING.skeleton.roles[f"{side}LowerLeg"]] = t[:, SKATING.skeleton.roles[f"{side}Foot"]] = 0.0
    with pytest.raises(ValueError, match="length zero"), np.errstate(all="ignore"):
        solve_foot_lock(replace(SKATING, translations=t), find_contacts(SKATING))


# Leg paths


@pytest.mark.parametrize("blocks", [1, 2, 3, 40])
def test_banded_equations_are_solved(blocks, rng):
    size = 5 * blocks
    bands = np.zeros((size + 15, 15))
    for row in range(size):
        reach = min(15 - row % 5, size - row)
        bands[row, :reach] = rng.normal(size=reach)
        bands[row, 0] = 30.0 + rng.random()
    right = np.concatenate([rng.normal(size=size), np.zeros(15)])
    lower = np.zeros((15, size))
    for k in range(min(15, size)):
        lower[k, : size - k] = bands[: size - k, k]
    wanted = solveh_banded(lower[: min(15, size)], right[:size], lower=True)
    _native.leg_paths.solve_bands((bands, right), blocks)
    assert np.allclose(right[:size], wanted, atol=1e-13)


class Linearisation(NamedTuple):
    """Ankle errors as linear functions of the unknowns."""

    rows: Floats  # (T, 2, 5) derivatives by the unknowns
    goal: Floats  # (T, 2) values for which the errors are zero


def linearised(model, x):
    linear = Linearisation(np.empty((len(x), 2, 5)), np.empty((len(x), 2)))
    _native.leg_paths.linearise_ankles(model, 0, len(x) - 1, x, linear)
    return linear


def dense_equations(model, first, last, residuals, rate, x):
    """The normal equations from one row for each square, without a thought for bands."""
    frames, rows, targets, linear = last - first + 1, [], [], linearised(model, x)
    scale = np.array([0.03, 0.004, 0.004, 0.3, 0.3])

    def add(parts, weight, target):
        row = np.zeros((frames, 5))
        for t, values in parts:
            row[t - first] += values
        rows.append(np.sqrt(weight) * row.ravel())
        targets.append(np.sqrt(weight) * target)

    def bend(t, values):
        return [(t - 1, values[0]), (t, -2.0 * values[1]), (t + 1, values[2])]

    arm = np.sum(np.cross(model.roll_vector, model.hips - model.trunk) * model.left, axis=-1)
    for t in range(first, last + 1):
        for k in range(5):
            add([(t, np.eye(5)[k])], (scale[k] * max(residuals.weight[t], 1e-3)) ** -2.0, 0.0)
        for i in range(2):
            add([(t, linear.rows[t, i])], residuals.ankle[t, i], linear.goal[t, i])
            floor = min(model.flexion[i, t], 0.07)
            if model.flexion[i, t] + x[t, 3 + i] < floor - 1e-6:
                add([(t, np.eye(5)[3 + i])], 0.01**-2.0, floor - model.flexion[i, t])
        if first < t < last:
            for k in range(5):
                add(bend(t, [np.eye(5)[k]] * 3), residuals.stiffness[t, k], residuals.target[t, k])
            own = [np.eye(5)[2] + arm[s] * np.eye(5)[1] for s in (t - 1, t, t + 1)]
            add(bend(t, own), residuals.stiffness[t, 5], residuals.target[t, 5])
            for i in range(2):
                goal = linear.goal[t - 1, i] - 2.0 * linear.goal[t, i] + linear.goal[t + 1, i]
                add(bend(t, linear.rows[t - 1 : t + 2, i]), (rate**2 / 10.0) ** 2, goal)
    matrix, right = np.array(rows), np.array(targets)
    return matrix.T @ matrix, matrix.T @ right


@pytest.mark.parametrize(("first", "last"), [(20, 20), (20, 21), (20, 22), (100, 111)])
def test_equations_are_those_of_the_sum_of_squares(first, last, rng):
    model, rate = measured(SKATING)[2], 30.0
    frames = len(SKATING)
    x = 0.01 * rng.normal(size=(frames, 5))
    x[:, 3:] -= model.flexion.T  # some knees too straight
    residuals = Residuals(
        rng.random(frames), rng.random((frames, 2)), rng.random((frames, 6)), rng.normal(size=(frames, 6))
    )
    size = 5 * (last - first + 1)
    bands, known_right = np.full((size + 15, 15), np.nan), np.full(size + 15, np.nan)
    _native.leg_paths.form_equations(model, first, last, residuals, rate, x, (bands, known_right))
    matrix, right = dense_equations(model, first, last, residuals, rate, x)
    for k in range(size):
        wanted = np.diagonal(matrix, k)
        made = bands[: size - k, k] if k < 15 else np.zeros(size - k)
        assert np.allclose(made, wanted, rtol=1e-9, atol=1e-9 * np.abs(matrix).max())
    assert np.allclose(known_right[:size], right, rtol=1e-9, atol=1e-9 * np.abs(right).max())
    assert not bands[size:].any()
    assert not known_right[size:].any()


def test_ankle_errors_are_linearised_by_their_derivatives(rng):
    """Their derivatives by each unknown are those of finite differences, but for knees that are nearly straight."""
    model, frames, step = measured(SKATING)[2], len(SKATING), 1e-6
    x = 0.01 * rng.normal(size=(frames, 5))

    def errors(at):
        linear = linearised(model, at)
        return linear, np.sum(linear.rows * at[:, None], axis=-1) - linear.goal

    linear, error = errors(x)
    for k in range(5):
        moved = x.copy()
        moved[:, k] += step
        slope = (errors(moved)[1] - error) / step
        for i in range(2):
            if k < 3:
                assert np.allclose(slope[:, i], linear.rows[:, i, k], atol=1e-5)
            elif k == 3 + i:
                bent = np.abs(model.flexion[i] + x[:, k]) > 0.06
                assert np.allclose(slope[bent, i], linear.rows[bent, i, k], atol=1e-5)
            else:
                assert not slope[:, i].any()


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_corrections_are_as_stiff_as_the_input_is_smooth(noise, rng):
    """Accelerations that corrections may have, from the input's own, in a body whose knees and trunk jolt or don't."""
    model, rate = measured(SKATING)[2], SKATING.rate
    frames = len(SKATING)
    shaken = {part: getattr(model, part) for part in ("hip", "hips", "trunk", "head", "knee", "flexion")}
    shaken = {part: values + noise * rng.normal(size=values.shape) for part, values in shaken.items()}
    common = noise * rng.normal(size=(frames, 3))
    for part in ("hip", "hips", "trunk", "head"):
        shaken[part] = shaken[part] + common
    model = model._replace(**shaken)
    residuals = Residuals(rng.random(frames), np.empty((frames, 2)), np.empty((frames, 6)), np.zeros((frames, 6)))
    leg_paths.measure_stiffness(model, np.ones(frames, dtype=bool), rate, residuals)

    def bend(values):
        return rate**2 * (values[:-2] - 2.0 * values[1:-1] + values[2:])

    def shared(a, b):
        return np.where(a * b > 0.0, np.sign(a) * np.minimum(np.abs(a), np.abs(b)), 0.0)

    def around(values):
        return ndimage.maximum_filter1d(np.pad(np.abs(values), 1), 3, mode="constant")

    left, right, head = (bend(path[:, 1]) for path in (*model.hip, model.head))
    aside = [np.sum(bend(path) * model.left[1:-1], axis=1) for path in (model.trunk, model.head, model.hips)]
    rise, sway = shared(0.5 * (left + right), head), shared(*aside[:2])
    for k, least, own in ((0, 1.0, rise), (1, 0.5, 0.5 * (left - right)), (2, 0.5, sway), (5, 0.5, aside[2])):
        assert np.allclose(residuals.stiffness[:, k], (rate**2 / (least + 0.5 * around(own))) ** 2)
    for k, own in ((0, rise), (2, sway)):
        excess = own - np.clip(own, -40.0, 40.0)
        assert np.allclose(residuals.target[1:-1, k], -residuals.weight[1:-1] * excess / rate**2)
        assert (noise > 0.0) == bool(excess.any())
    for i in range(2):
        snap = -residuals.target[:, 3 + i] * rate**2
        excess = np.pad(bend(model.flexion[i]), 1)
        excess -= np.clip(excess, -120.0, 120.0)
        assert np.all(np.abs(snap) <= residuals.weight * np.abs(excess) + 1e-9)
        assert np.all(snap * excess >= 0.0)
        assert np.allclose(residuals.stiffness[:, 3 + i], (rate**2 / (15.0 + 0.1 * np.abs(snap))) ** 2)


@pytest.mark.parametrize("name", MOTIONS)
def test_leg_paths_bring_ankles_to_their_targets(name):
    motion = MOTIONS[name]
    found, feet, model, _ = measured(motion)
    in_contact, sliding = (np.stack([getattr(foot, part) for foot in feet]) for part in ("in_contact", "sliding"))
    paths = leg_paths.solve_leg_paths(model, in_contact, sliding, motion)
    still = paths.weight == 0.0
    assert np.array_equal(paths.flexion[:, still], model.flexion[:, still])
    for hips in (paths.rise, paths.roll, paths.sway):
        assert not hips[still].any()
    assert np.all((paths.weight >= 0.0) & (paths.weight < 1.0 + 1e-12))
    assert not paths.weight[list(motion.calibration_frames)].any()
    if not sliding.any():
        assert still.all()
        return
    assert np.allclose(paths.weight[sliding.any(axis=0)], 1.0)
    length = ground.leg_length(motion.skeleton)
    bent = legs.bend_legs(found, model, paths, length)
    error = np.linalg.norm(bent.hip_to_ankle - bent.thigh - bent.shin, axis=-1)
    assert error[sliding].max() < 0.005
    assert np.median(error[sliding]) < 0.001


def test_hips_carry_points_along(rng):
    """By rise and sway alone all points move alike; a roll moves them as a rigid body about the trunk."""
    model = measured(SKATING)[2]
    rise, roll, sway = 0.05 * rng.normal(size=(3, len(SKATING)))
    none = np.zeros_like(rise)
    paths = unmoved(model)._replace(rise=rise, sway=sway)
    step = leg_paths.hip_displacement(model, paths, leg_paths.hip_roll(model, paths), model.hips)
    assert np.allclose(step, rise[:, None] * [0.0, 1.0, 0.0] + sway[:, None] * model.left)
    rolled = paths._replace(rise=none, sway=none, roll=roll)
    points = [model.trunk, model.hips, *model.hip]
    turn = leg_paths.hip_roll(model, rolled)
    moved = np.array([point + leg_paths.hip_displacement(model, rolled, turn, point) for point in points])
    assert np.allclose(moved[0], points[0])
    for a, b in ((0, 1), (1, 2), (2, 3)):
        before, after = (np.linalg.norm(p[a] - p[b], axis=-1) for p in (points, moved))
        assert np.allclose(before, after)


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 7, 60])
def test_swivels_are_those_of_dense_least_squares(frames, rng):
    motion, rate = replace(SKATING[:frames], calibration_frames=(3,) if frames == 7 else ()), SKATING.rate
    knee, step, tangent = 0.05 * rng.normal(size=(3, frames, 3))
    weight = rng.uniform(0.2, 1.0, frames)
    radius = np.linalg.norm(tangent, axis=1)
    rows = [np.sqrt((radius / 0.02) ** 2 + 0.3**-2.0) / weight * np.eye(frames)]
    targets = [np.zeros(frames)]
    tied = [t for t in range(1, frames - 1) if not {t - 1, t, t + 1} & set(motion.calibration_frames)]
    own = np.zeros(frames + 1)
    own[tied] = [np.linalg.norm(knee[t - 1] - 2.0 * knee[t] + knee[t + 1]) for t in tied]
    for t in tied:
        rough = 1.0 + 0.1 * rate**2 * max(own[t - 1 : t + 2])
        even = 20.0 * (1.0 + (radius[t] / 0.03) ** 2 + (rough / 3.0) ** 2)
        difference = np.zeros(frames)
        difference[t - 1 : t + 2] = [1.0, -2.0, 1.0]
        added = (step[t - 1] - 2.0 * step[t] + step[t + 1]) @ tangent[t] / radius[t]
        rows.append(np.stack([difference * radius * rate**2 / rough, difference * rate**2 / even]))
        targets.append(np.array([-added * rate**2 / rough, 0.0]))
    dense = np.linalg.lstsq(np.concatenate(rows), np.concatenate(targets), rcond=None)[0]
    made = leg_paths.knee_swivels(knee, step, tangent, weight[:, None], motion)
    assert np.allclose(made, weight * dense, atol=1e-9)
    assert not leg_paths.knee_swivels(knee, np.zeros_like(step), tangent, weight, motion).any()


# The whole


@pytest.mark.parametrize("parent", [-1, 0])
def test_a_rotated_joint_has_rotated_by_that_in_the_world(parent, rng):
    """In active frames and no other joint, on the side of the quaternion before."""
    local, world = R.normalise(rng.normal(size=(30, 4, 4))), R.normalise(rng.normal(size=(30, 2, 4)))
    above, own = R.normalise(rng.normal(size=(2, 30, 4)))
    active, made = rng.random(30) < 0.5, local.copy()
    _native.lock.rotate_joint(world, 1, parent, above, own, active, made, 2)
    assert np.array_equal(made[~active], local[~active])
    assert np.array_equal(made[:, [0, 1, 3]], local[:, [0, 1, 3]])
    parent_now = above if parent < 0 else R.multiply(above, world[:, parent])
    now = R.multiply(parent_now, made[:, 2])
    assert R.angle_between(now, R.multiply(own, world[:, 1]))[active].max() < 1e-7
    assert (np.sum(made[:, 2] * local[:, 2], axis=1) >= 0.0).all()


@pytest.mark.parametrize("name", MOTIONS)
def test_an_edit_that_did_nothing_is_locked_as_the_motion_is(name):
    motion = MOTIONS[name]
    locked = lock_feet(motion, find_contacts(motion))
    joints = np.ones(len(motion.skeleton), dtype=bool)
    held = hold_feet(motion, motion, joints, always=True)
    assert np.allclose(held.positions_world(), locked.positions_world(), atol=1e-9)


def test_the_thousandth_lock_has_the_bits_of_the_first():
    motion = SKATING[60:120]
    found = find_contacts(motion)
    first = lock_feet(motion, found)
    assert not np.array_equal(first.rotations, motion.rotations)
    for _ in range(999):
        again = lock_feet(motion, found)
    assert np.array_equal(again.rotations, first.rotations)
    assert np.array_equal(again.translations, first.translations)
    assert find_contacts(motion) == found
