"""Joint angles: shaped as the shaping function says, and stopped softly at their limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere import _native
from kinesphere.maths import hinges, rotation_curves, rotations
from kinesphere.maths.hinges import Hinge, HingeLimit
from kinesphere.maths.splines import kochanek_bartels

CURVE = kochanek_bartels([-0.8, -0.3, 0.2, 0.7], [-1.0, -0.4, 0.3, 1.0])


def wandering(rng, frames, joints, far):
    """Joints that rotate about at random, smoothly, and as far as that."""
    vectors = np.cumsum(rng.normal(size=(frames, joints, 3)), axis=0) * far / np.sqrt(frames)
    return rotations.from_rotation_vector(vectors)


def random_hinge(rng, cone):
    """A hinge at any angle."""
    frame = rotations.normalise(rng.normal(size=(3, 4)))
    axes = rotations.rotate(frame[2], np.eye(3))
    bone = rotations.normalise(axes[0] + 0.2 * rng.normal(size=3))
    middle, half = rng.uniform(-0.5, 0.5, 3), rng.uniform(0.3, 1.5, 3)
    ranges = np.column_stack([middle - half, middle + half])
    return Hinge(np.array([0, 1]), frame[0], frame[1], np.array([bone, *axes]), ranges, cone)


def measure(local, hinge):
    """Flexion and side, or the angle in the cone, and twist, each ``(T,)``, by the words of the module."""
    rotation = np.broadcast_to(hinge.before, (len(local), 4))
    for joint in hinge.path:
        rotation = rotations.multiply(rotation, local[:, joint])
    rotation = rotations.multiply(rotation, rotations.conjugate(hinge.after))
    bone, neutral, forward = hinge.axes[:3]
    pointing = rotations.rotate(rotation, bone)
    twist = 2.0 * np.arctan2(rotation[:, 1:] @ bone, rotation[:, 0])
    if getattr(hinge, "cone", 0.0) > 0.0:
        return [np.arctan2(np.linalg.norm(np.cross(pointing, neutral), axis=1), pointing @ neutral), twist]
    flexion = np.arctan2(pointing @ forward, pointing @ neutral)
    return [flexion, np.arcsin(pointing @ hinge.axes[3]), twist] if len(hinge.axes) > 3 else [flexion]


def shape(angles, low, high, amount):
    centre, half = 0.5 * (low + high), 0.5 * (high - low)
    near = (angles - centre) / half
    return angles + amount * half * (CURVE.value(near) - near)


@given(seeds, st.sampled_from([0.0, 1.2, 2.0]), st.floats(0.0, 1.0), st.floats(0.1, 6.0))
def test_angles_are_shaped_as_the_function_says(seed, cone, amount, far):
    rng = np.random.default_rng(seed)
    local, hinge = wandering(rng, 40, 2, far), random_hinge(rng, cone)
    centres = rotation_curves.mean_rotation(local)
    table = rotation_curves.to_rotation_curves(local, centres)[:, 1].copy()
    made, vectors = local.copy(), table.copy()
    hinges.shape_hinge(made, vectors, centres[1], hinge, CURVE, amount)
    was, now = measure(local, hinge), measure(made, hinge)
    if cone > 0.0:
        expected = [np.abs(shape(was[0], -cone, cone, amount) - shape(0.0, -cone, cone, amount))]
    else:
        middle = hinge.ranges[0].mean()
        flexion = middle + (was[0] - middle + np.pi) % (2.0 * np.pi) - np.pi
        expected = [shape(flexion, *hinge.ranges[0], amount), shape(was[1], *hinge.ranges[1], amount)]
    twist = np.unwrap(was[-1], period=4.0 * np.pi)
    twist = np.unwrap(twist) - 2.0 * np.pi * np.round(np.median(np.unwrap(twist)) / (2.0 * np.pi))
    expected.append(shape(twist, *hinge.ranges[2], amount))
    # Where a side of π / 2 is passed, or the bone points against its rest, angles have no unique reading.
    clear = np.abs(expected[0]) < (3.0 if cone > 0.0 else np.inf)
    clear &= np.abs(expected[1]) < 1.5 if cone == 0.0 else was[0] > 1e-3
    for angles, wanted in zip(now, expected, strict=True):
        apart = (angles - wanted + np.pi) % (2.0 * np.pi) - np.pi
        assert np.abs(apart[clear]).max(initial=0.0) < 1e-6
    rebuilt = rotations.multiply(centres[1], rotations.from_rotation_vector(vectors))
    assert rotations.angle_between(rebuilt, made[:, 1]).max() < 1e-6
    np.testing.assert_array_equal(made[:, 0], local[:, 0])


def test_vectors_stay_on_their_round():
    """A joint that has gone round twice is shaped, and has gone round twice still."""
    twist = np.linspace(0.0, 4.0 * np.pi, 200)
    local = rotations.from_rotation_vector(twist[:, None, None] * np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    axes = np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    hinge = Hinge(np.array([0, 1]), rotations.identity(), rotations.identity(), axes, np.array([[-1.0, 1.0]] * 3), 0.0)
    table = rotation_curves.to_rotation_curves(local, local[0])[:, 1].copy()
    made, vectors = local.copy(), table.copy()
    hinges.shape_hinge(made, vectors, local[0, 1], hinge, CURVE, 0.2)
    rounds = 2.0 * np.pi  # the median is one round, from which twist is counted
    expected = rounds + shape(twist - rounds, -1.0, 1.0, 0.2) - shape(0.0, -1.0, 1.0, 0.2)
    assert vectors[:, 1] == pytest.approx(expected, abs=0.2)
    assert np.abs(vectors - table).max() > 0.01


def test_a_straight_line_changes_nothing(rng):
    local, hinge = wandering(rng, 60, 2, 2.0), random_hinge(rng, 0.0)
    made, table = local.copy(), np.zeros((60, 3))
    hinges.shape_hinge(made, table, rotations.identity(), hinge, kochanek_bartels([-1.0, 1.0], [-1.0, 1.0]), 1.0)
    np.testing.assert_array_equal(made, local)
    np.testing.assert_array_equal(table, 0.0)


# Limits

AXES = np.array([[0.0, -1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]])  # a shin that bends to behind
ONE = np.array([1.0, 0.0, 0.0, 0.0])
KNEE = HingeLimit(np.array([1, 2]), ONE, ONE, AXES, np.radians(-10.0), np.radians(150.0), np.radians(35.0))
angles = st.lists(st.floats(-1.5, 2.6), min_size=1, max_size=20).map(np.array)


def limit(was, now):
    pairs = zip(*np.broadcast_arrays(was, now), strict=True)
    return np.array([_native.hinges.limit_flexion(float(a), float(b), KNEE) for a, b in pairs])


@given(angles)
def test_a_hinge_that_does_not_change_stays(was):
    assert np.array_equal(limit(was, was), was)


@given(st.floats(-1.0, 2.6), angles)
def test_within_limits_or_no_further_than_it_was(was, now):
    made = limit(was, now)
    assert (made >= min(KNEE.least, was) - 1e-9).all()
    assert (made <= max(KNEE.greatest, was) + 1e-9).all()
    assert (np.abs(made - was) <= np.abs(now - was) + 1e-9).all()


def test_monotone_and_smooth_in_what_is_asked():
    now = np.linspace(-2.0, 3.0, 2001)
    for was in np.radians([-20.0, -5.0, 3.0, 20.0, 60.0, 140.0]):
        made = limit(was, now)
        steps = np.diff(made)
        assert (steps >= -1e-12).all()
        assert np.abs(np.diff(steps)).max() < 0.5 * (now[1] - now[0]) or was < KNEE.least
        free = np.abs(now - was) < 1e-9
        assert made[free] == pytest.approx(now[free])


def legs(rng, frames=60):
    vectors = np.zeros((frames, 4, 3))
    vectors[:, :3] = rng.normal(scale=0.4, size=(frames, 3, 3))
    vectors[:, 2] = [1.0, 0.0, 0.0] * rng.uniform(-0.8, 2.0, (frames, 1))
    return rotations.from_rotation_vector(vectors)


@given(seeds)
def test_bent_by_its_correction_a_hinge_is_within_its_limits(seed):
    rng = np.random.default_rng(seed)
    before, local = legs(rng), legs(rng)
    made = local.copy()
    correction = hinges.hinge_correction(before, local, KNEE)
    hinges.bend_hinge(made, KNEE, correction)
    middle = 0.5 * (KNEE.least + KNEE.greatest)
    was, asked, bent = (
        middle + (measure(each, KNEE)[0] - middle + np.pi) % (2.0 * np.pi) - np.pi for each in (before, local, made)
    )
    shorter = (asked - was + np.pi) % (2.0 * np.pi) - np.pi
    across = (np.abs(shorter) < 0.5) & (np.abs(asked - was) > np.pi)  # a small step across the cut
    asked = np.where(across, was + shorter, asked)
    assert correction == pytest.approx(limit(was, asked) - asked, abs=1e-9)
    assert bent[~across] == pytest.approx(limit(was, asked)[~across], abs=1e-6)
    assert np.array_equal(made[:, [0, 1, 3]], local[:, [0, 1, 3]])
    free = correction == 0.0
    assert np.array_equal(made[free], local[free])


@given(seeds, st.floats(1e-4, 0.02))
def test_an_edit_that_does_little_is_corrected_by_little(seed, size):
    """Wherever the bone points, also opposite to the middle of its range, where angles are cut."""
    rng = np.random.default_rng(seed)
    around = np.concatenate([rng.uniform(-np.pi, np.pi, 200), np.radians(-110.0) + rng.uniform(-size, size, 200)])
    before = rotations.from_rotation_vector(around[:, None, None] * [[0.0] * 3, [0.0] * 3, [1.0, 0.0, 0.0], [0.0] * 3])
    step = rotations.from_rotation_vector(rng.uniform(-size, size, (400, 4, 3)))
    correction = hinges.hinge_correction(before, rotations.multiply(step, before), KNEE)
    assert np.abs(correction).max() < 6.0 * size
