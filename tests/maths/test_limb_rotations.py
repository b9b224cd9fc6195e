"""Limbs solved straight for joint rotations: as the general solver has them, rigid, reaching all that can be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from generated import seeds
from kinesphere.maths import rotations
from kinesphere.maths.two_bone import limb_rotations_world, reach, solve_limb, solve_limb_rotations

DOWN, AHEAD = np.array([0.0, -1.0, 0.0]), np.array([0.0, 0.0, 1.0])
COUNT = 60
truth = settings(max_examples=60)


def limb(rng):
    """A limb that is somewhat bent at rest: upper and lower bone and the hinge square to both."""
    upper, hinge = rng.normal(size=(2, 3))
    upper /= np.linalg.norm(upper)
    hinge = np.cross(upper, hinge)
    hinge /= np.linalg.norm(hinge)
    lower = rotations.rotate(rotations.from_rotation_vector(rng.uniform(0.05, 2.0) * hinge), upper)
    return rng.uniform(0.1, 0.6) * upper, rng.uniform(0.1, 0.6) * lower, hinge


def directions(rng, count=COUNT):
    """Unit directions away from the two that lean back by 6° from the reference, where swivel zero has no rule."""
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    back = (np.abs(way[:, 1]) > 0.95) & (way[:, 2] < 0.0)
    way[back, 2] *= -1.0
    return way


def ranges(rng):
    """Where limbs may bend, never straight: there the last digit of a length is half the digits of an angle."""
    low, high = np.sort(rng.uniform(0.03, np.pi - 0.03, 2))
    return float(low), float(high)


def both(target, swivel, bones, flexions=(0.05, 3.0), reference=DOWN, home=AHEAD, tolerance=1e-9):
    """The answer, compared with the general solver's and its joint rotations."""
    fast = solve_limb_rotations(target, swivel, *bones, reference=reference, home=home, flexions=flexions)
    sizes, nowhere = [float(np.linalg.norm(bone)) for bone in bones[:2]], np.zeros(3)
    solved = solve_limb(nowhere, target, *sizes, swivel, reference=reference, home=home, flexion_range=flexions)
    slow = limb_rotations_world(nowhere, solved, *bones).upper, solved.flexion, solved.elbow
    for a, b in zip(fast[1:], slow[1:], strict=True):
        assert np.abs(a - b).max() < tolerance
    # A quaternion and its negative are one rotation.
    same = np.minimum(np.abs(fast[0] - slow[0]).max(axis=1), np.abs(fast[0] + slow[0]).max(axis=1))
    assert same.max() < tolerance
    return fast


@truth
@given(seeds)
def test_it_is_the_general_solver_within_reach_and_beyond(seed):
    rng = np.random.default_rng(seed)
    bones = limb(rng)
    far = rng.uniform(0.0, 2.0, (COUNT, 1)) * (np.linalg.norm(bones[0]) + np.linalg.norm(bones[1]))
    both(far * directions(rng), rng.uniform(-4.0, 4.0, COUNT), bones, ranges(rng))


@truth
@given(seeds)
def test_it_is_the_general_solver_straight_and_folded(seed):
    rng = np.random.default_rng(seed)
    bones = limb(rng)
    sizes = [float(np.linalg.norm(bone)) for bone in bones[:2]]
    far = np.repeat([sum(sizes), 1.5 * sum(sizes), abs(sizes[0] - sizes[1]), 0.99 * sum(sizes)], 15)
    both(far[:, None] * directions(rng), 0.7, bones, (0.0, np.pi), tolerance=2e-7)


@truth
@given(seeds)
def test_it_is_the_general_solver_for_any_reference_and_home(seed):
    rng = np.random.default_rng(seed)
    bones = limb(rng)
    towards, home = rng.normal(size=(2, COUNT, 3))
    towards /= np.linalg.norm(towards, axis=1, keepdims=True)
    far = rng.uniform(0.0, 1.2)
    # Neither rule changes hands here: all axes are well away from the reference.
    across = np.cross(towards, home)
    target = far * across / np.linalg.norm(across, axis=1, keepdims=True)
    both(target, rng.uniform(-4.0, 4.0, COUNT), bones, reference=3.0 * towards, home=home)
    both(target[:1].repeat(COUNT, axis=0), rng.uniform(-4.0, 4.0, COUNT), bones, reference=towards[0], home=home[0])


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-9, 1e-7, 1e-4, 0.01, 0.05, 0.19, 0.2, 0.21])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_it_is_the_general_solver_nearly_parallel_to_the_reference(angle, sign, rng):
    bones = limb(rng)
    turn = rng.uniform(-0.5 * np.pi + 0.1, 0.5 * np.pi - 0.1, COUNT)  # towards home and to both sides
    way = np.stack(
        [np.sin(angle) * np.sin(turn), np.full(COUNT, sign * np.cos(angle)), np.sin(angle) * np.cos(turn)], 1
    )
    both(0.3 * way, rng.uniform(-4.0, 4.0, COUNT), bones)


def test_it_is_the_general_solver_at_the_shoulder(rng):
    bones = limb(rng)
    near = np.array([0.0, 1e-300, 1e-15, 1e-11])[:, None, None] * directions(rng, 15)
    turns, bends, elbow = both(near.reshape(-1, 3), 0.3, bones, (0.0, 2.5))
    assert bends == pytest.approx(2.5)
    way = elbow + rotations.rotate(turns, folded(bones, bends))
    assert way / np.linalg.norm(way, axis=1, keepdims=True) == pytest.approx(np.tile(AHEAD, (60, 1)), abs=1e-9)


def folded(bones, bends):
    """The lower bone, bent from the upper one's direction by these angles, before the shoulder's turn."""
    upper, lower, hinge = bones
    along = upper / np.linalg.norm(upper) * np.linalg.norm(lower)
    return rotations.rotate(rotations.from_rotation_vector(hinge * bends[:, None]), along)


@truth
@given(seed=seeds)
def test_bones_keep_their_length_and_reachable_targets_are_met(seed):
    rng = np.random.default_rng(seed)
    bones, flexions = limb(rng), ranges(rng)
    sizes = [float(np.linalg.norm(bone)) for bone in bones[:2]]
    longest, shortest = (float(reach(angle, *sizes)) for angle in flexions)
    far = rng.uniform(0.0, 1.5 * sum(sizes), COUNT)
    target, swivel = far[:, None] * directions(rng), rng.uniform(-4.0, 4.0, COUNT)
    turns, bends, elbow = solve_limb_rotations(target, swivel, *bones, reference=DOWN, home=AHEAD, flexions=flexions)
    assert np.linalg.norm(turns, axis=1) == pytest.approx(1.0, abs=1e-12)
    assert np.linalg.norm(elbow, axis=1) == pytest.approx(sizes[0], rel=1e-12)
    assert rotations.rotate(turns, bones[0]) == pytest.approx(elbow, abs=1e-12)  # the turn lays the upper bone there
    assert ((flexions[0] <= bends) & (bends <= flexions[1])).all()
    wrist = elbow + rotations.rotate(turns, folded(bones, bends))
    held = np.clip(far, shortest, longest)
    assert wrist == pytest.approx(held[:, None] * target / far[:, None], abs=1e-9)
    inside = (shortest <= far) & (far <= longest)
    assert np.abs(wrist - target)[inside].max(initial=0.0) < 1e-9


def test_the_elbow_is_where_the_swivel_says():
    """An arm reaching ahead: elbow down at swivel 0; a positive swivel turns it right-handed about the arm."""
    bones = np.array([0.3, 0.0, 0.0]), np.array([0.3, 0.0, 0.03]), np.array([0.0, -1.0, 0.0])
    target = np.tile([0.0, 0.0, 0.5], (40, 1))
    swivel = np.linspace(-3.0, 3.0, 40)
    _, _, elbow = both(target, swivel, bones)
    # Right-handed about +z, down goes over to +x.
    out = np.hypot(elbow[:, 0], elbow[:, 1])
    assert elbow[:, :2] / out[:, None] == pytest.approx(np.stack([np.sin(swivel), -np.cos(swivel)], axis=1), abs=1e-12)


def test_one_limb_alone_is_the_same_as_among_many(rng):
    bones = limb(rng)
    target, swivel = 0.4 * directions(rng), rng.uniform(-4.0, 4.0, COUNT)
    many = both(target, swivel, bones)
    for i in range(0, COUNT, 7):
        alone = solve_limb_rotations(target[i], swivel[i], *bones, reference=DOWN, home=AHEAD)
        for rows, row in zip(many, alone, strict=True):
            assert row.shape == rows[i].shape
            assert row == pytest.approx(rows[i], abs=1e-9)
        solved = solve_limb(np.zeros(3), target[i], *(np.linalg.norm(b) for b in bones[:2]), swivel[i], home=AHEAD)
        assert alone[2] == pytest.approx(solved.elbow, abs=1e-12)
