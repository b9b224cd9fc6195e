"""A figure's limb: what is solved is where the wrist is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.engine.pose import FLEXIONS, figure_limb
from kinesphere.maths import rotations

LIMBS = [(1.70, "left", "Arm"), (1.70, "right", "Arm"), (0.9, "left", "Arm"), (1.70, "left", "Leg")]


@pytest.mark.parametrize("which", LIMBS)
@given(seed=seeds)
def test_wrists_are_where_they_were_asked_for(which, seed):
    limb, rng = figure_limb(*which), np.random.default_rng(seed)
    way = rng.normal(size=(30, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    a, b = limb.lengths
    nearest = np.sqrt(a * a + b * b + 2.0 * a * b * np.cos(FLEXIONS[1]))
    target = rng.uniform(nearest, limb.reach, (30, 1)) * way
    upper, flexion, elbow = limb.solve(target, rng.uniform(-3.0, 3.0, 30))
    assert limb.wrist(upper, flexion) == pytest.approx(target, abs=1e-9)
    assert rotations.rotate(upper, limb.upper) == pytest.approx(elbow, abs=1e-9)
    assert ((FLEXIONS[0] - 1e-12 <= flexion) & (flexion <= FLEXIONS[1] + 1e-12)).all()


@pytest.mark.parametrize("which", LIMBS)
def test_at_rest_nothing_is_turned(which):
    limb = figure_limb(*which)
    rest = limb.rest_flexion
    assert limb.elbow_rotation(np.array([rest])) == pytest.approx(rotations.identity(1), abs=1e-12)
    assert limb.wrist(rotations.identity(1), np.array([rest]))[0] == pytest.approx(limb.upper + limb.lower, abs=1e-12)
    assert limb.frame @ limb.frame.T == pytest.approx(np.eye(3), abs=1e-12)
    assert limb.hinge @ limb.upper == pytest.approx(0.0, abs=1e-12)


def test_limbs_are_mirrored_and_grow_with_the_body():
    left, right, half = (
        figure_limb(1.70, "left", "Arm"),
        figure_limb(1.70, "right", "Arm"),
        figure_limb(0.85, "left", "Arm"),
    )
    assert right.upper == pytest.approx(left.upper * [-1.0, 1.0, 1.0])
    assert right.lower == pytest.approx(left.lower * [-1.0, 1.0, 1.0])
    assert half.reach == pytest.approx(0.5 * left.reach)


def test_one_target_has_one_answer():
    upper, flexion, elbow = figure_limb(1.70, "left", "Arm").solve(np.array([0.1, -0.2, 0.3]), 0.2)
    assert (upper.shape, flexion.shape, elbow.shape) == ((4,), (), (3,))


@given(st.floats(0.3, 0.6))
def test_targets_come_softly_to_the_longest_reach(exact):
    limb = figure_limb(1.70, "left", "Arm")
    far = np.linspace(0.0, 2.0, 4001)
    way = np.array([0.6, 0.0, 0.8])
    targets = far[:, None] * way
    limb.soften(targets, exact)
    made = targets @ way
    assert made.max() <= limb.reach + 1e-12
    assert (np.diff(made) >= -1e-12).all()
    assert np.diff(made).max() <= np.diff(far).max() + 1e-12
    untouched = far <= min(max(0.988 * limb.reach, exact), limb.reach)
    assert np.array_equal(made[untouched], (far[untouched, None] * way) @ way)
    assert made[-1] == pytest.approx(limb.reach, abs=1e-9)
    assert np.abs(targets - made[:, None] * way).max() < 1e-12
