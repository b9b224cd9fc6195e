"""Rotations as curves without jumps, and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.maths import rotation_curves, rotations

UP = np.array([0.0, 1.0, 0.0])


def wandering(rng, frames=80, joints=4, far=0.6):
    """Rotations that wander about, none of them half a turn from where they began."""
    waves = rng.uniform(0.2, 2.0, (3, 1, joints, 3)) * np.linspace(0.0, 6.0, frames)[:, None, None]
    vectors = far * np.sin(waves + rng.uniform(0.0, 6.0, (3, 1, joints, 3))).sum(axis=0) / 3.0
    start = rotations.normalise(rng.normal(size=(joints, 4)))
    return rotations.multiply(start, rotations.from_rotation_vector(vectors))


@given(seeds)
def test_there_and_back(seed):
    rng = np.random.default_rng(seed)
    turns = wandering(rng) * rng.choice([-1.0, 1.0], (80, 4, 1))  # signs mean nothing
    about = rotation_curves.mean_rotation(turns)
    vectors = rotation_curves.to_rotation_curves(turns, about)
    assert rotations.angle_between(rotation_curves.from_rotation_curves(vectors, about), turns).max() < 1e-7
    assert np.linalg.norm(np.diff(vectors, axis=0), axis=-1).max() < 0.5
    assert np.linalg.norm(vectors, axis=-1).max() < np.pi


@given(seeds)
def test_each_vector_is_the_nearest_of_its_rotation(seed):
    """However far it goes: no other vector of the same rotation, whole rounds away, is nearer to the frame before."""
    rng = np.random.default_rng(seed)
    quaternions, about = wandering(rng, far=5.0), rotations.normalise(rng.normal(size=(4, 4)))
    vectors = rotation_curves.to_rotation_curves(quaternions, about)
    made = rotation_curves.from_rotation_curves(vectors, about)
    assert rotations.angle_between(made, quaternions).max() < 1e-7
    assert (np.sum(made[1:] * made[:-1], axis=-1) >= 0.0).all()
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    step = np.linalg.norm(vectors[1:] - vectors[:-1], axis=-1)
    for rounds in (-1.0, 1.0):
        other = vectors * (1.0 + 2.0 * np.pi * rounds / np.maximum(size, 1e-12))
        assert (step <= np.linalg.norm(other[1:] - vectors[:-1], axis=-1) + 1e-9).all()


def test_curves_are_written_into_a_table(rng):
    quaternions, about = wandering(rng), rotations.normalise(rng.normal(size=(4, 4)))
    vectors = rotation_curves.to_rotation_curves(quaternions, about)
    table = np.zeros((len(quaternions), 15))
    rotation_curves.to_rotation_curves(quaternions, about, table[:, :12].reshape(-1, 4, 3))
    assert np.array_equal(table[:, :12].reshape(-1, 4, 3), vectors)
    assert not table[:, 12:].any()
    again = rotation_curves.from_rotation_curves(table[:, :12].reshape(-1, 4, 3), about)
    assert np.array_equal(again, rotation_curves.from_rotation_curves(vectors, about))


@given(st.floats(-12.0, 12.0), seeds)
def test_whole_turns_are_counted(rounds, seed):
    axis = np.random.default_rng(seed).normal(size=3)
    axis /= np.linalg.norm(axis)
    angles = rounds * 2.0 * np.pi * np.linspace(0.0, 1.0, 400)
    turns = rotations.from_rotation_vector(angles[:, None] * axis)[:, None]
    made = rotation_curves.to_rotation_curves(turns, turns[0])
    assert made[:, 0] == pytest.approx(angles[:, None] * axis, abs=1e-6)


@given(st.floats(-4.0, 4.0), st.floats(-1.2, 1.2))
def test_heading_and_tilt_are_apart(rounds, lean):
    angles = rounds * 2.0 * np.pi * np.linspace(0.0, 1.0, 300)
    leaning = rotations.from_rotation_vector(np.array([lean, 0.0, 0.0]))
    turns = rotations.multiply(rotations.from_rotation_vector(angles[:, None] * UP), leaning)
    angle, left = rotation_curves.heading(turns, UP)
    assert angle - angle[0] == pytest.approx(angles, abs=1e-7)
    assert rotations.angle_between(left, leaning).max() < 1e-6
    assert rotation_curves.tilt(turns, UP) == pytest.approx(abs(lean), abs=1e-6)
    again = rotations.multiply(rotations.from_rotation_vector(angle[:, None] * UP), left)
    assert rotations.angle_between(again, turns).max() < 1e-7


def test_a_reference_lies_in_the_middle_and_opposites_have_none():
    swing = np.linspace(-1.0, 1.0, 41)
    turns = rotations.from_rotation_vector(swing[:, None] * UP)[:, None]
    assert rotation_curves.mean_rotation(turns)[0] == pytest.approx(rotations.identity(), abs=1e-9)
    round_ = rotations.from_rotation_vector(np.linspace(0.0, 4.0 * np.pi, 401)[:, None] * UP)[:, None]
    assert rotation_curves.mean_rotation(round_) == pytest.approx(round_[0], abs=1e-9)


def test_turns_from_a_base_go_on_beyond_half_a_turn():
    angles = np.linspace(0.0, 1.6 * np.pi, 200)
    turns = rotations.from_rotation_vector(angles[:, None] * np.array([0.0, 0.6, 0.8]))
    signs = np.where(np.arange(200)[:, None] % 7 == 0, -1.0, 1.0)
    vectors = rotation_curves.turns_from(rotations.identity(), signs * turns)
    assert np.abs(vectors - angles[:, None] * np.array([0.0, 0.6, 0.8])).max() < 1e-9
