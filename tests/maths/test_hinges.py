"""Joints shaped by what they can do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.maths import hinges, rotation_curves, rotations
from kinesphere.maths.splines import kochanek_bartels


def walked(rng, frames, joints, far):
    """Joints that turn about at random, smoothly, and as far as that."""
    way = np.cumsum(rng.normal(size=(frames, joints, 3)), axis=0) * far / np.sqrt(frames)
    return rotations.from_rotation_vector(way)


def drawn(rng, cone):
    """A hinge at any angle."""
    frame = rotations.normalise(rng.normal(size=(3, 4)))
    axes = rotations.rotate(frame[2], np.eye(3))
    bone = rotations.normalise(axes[0] + 0.2 * rng.normal(size=3))
    middle, half = rng.uniform(-0.5, 0.5, 3), rng.uniform(0.3, 1.5, 3)
    ranges = np.column_stack([middle - half, middle + half])
    return hinges.Hinge(np.array([0, 1]), frame[0], frame[1], np.array([bone, *axes]), ranges, cone)


@given(seeds, st.sampled_from([0.0, 1.2, 2.0]), st.floats(0.0, 1.0), st.floats(0.1, 6.0))
def test_both_twins_give_the_same(seed, cone, amount, far):
    rng = np.random.default_rng(seed)
    local, hinge = walked(rng, 40, 2, far), drawn(rng, cone)
    about = rotation_curves.mean_rotation(local)[1]
    table = rotation_curves.to_rotation_curves(local, rotation_curves.mean_rotation(local))[:, 1].copy()
    curve = kochanek_bartels([-0.8, -0.3, 0.2, 0.7], [-1.0, -0.4, 0.3, 1.0])
    made = []
    for setting in ("0", "1"):
        turns, vectors = local.copy(), table.copy()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("KINESPHERE_COMPILED", setting)
            hinges.shape_hinge(turns, vectors, about, hinge, curve, amount)
        made.append((turns, vectors))
    (plain, vectors), (quick, others) = made
    assert rotations.angle_between(plain, quick).max() < 1e-6
    rebuilt = [rotations.multiply(about, rotations.from_rotation_vector(each)) for each in (vectors, others)]
    assert rotations.angle_between(*rebuilt).max() < 1e-6
    assert rotations.angle_between(rebuilt[1], quick[:, 1]).max() < 1e-6
    np.testing.assert_array_equal(quick[:, 0], local[:, 0])


def test_a_straight_line_changes_nothing(rng):
    local, hinge = walked(rng, 60, 2, 2.0), drawn(rng, 0.0)
    turns, table = local.copy(), np.zeros((60, 3))
    hinges.shape_hinge(turns, table, rotations.identity(), hinge, kochanek_bartels([-1.0, 1.0], [-1.0, 1.0]), 1.0)
    np.testing.assert_array_equal(turns, local)
    np.testing.assert_array_equal(table, 0.0)
