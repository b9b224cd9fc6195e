"""Limbs that bend about given axes: against the general solver, and by what they should be true to."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.maths.two_bone import bend_limb, solve_limb


@pytest.fixture
def limbs(rng):
    start, goal, hinge = (rng.normal(size=(300, 4, 3)) for _ in range(3))
    return start, start + 0.6 * (goal - start), rng.uniform(0.3, 1.5, 4), rng.uniform(0.3, 1.5, 4), hinge


@pytest.mark.parametrize("softness", [0.0, 0.001, 0.2])
def test_it_is_the_general_solver_with_the_hinge_as_its_plane(limbs, softness):
    start, goal, upper, lower, hinge = limbs
    elbow, wrist, shortfall = bend_limb(*limbs, softness)
    solved = solve_limb(
        start, goal, upper, lower, reference=np.cross(goal - start, hinge), home=hinge, softness=softness
    )
    assert np.abs(elbow - solved.elbow).max() < 1e-9
    assert np.abs(wrist - solved.wrist).max() < 1e-9
    assert np.abs(shortfall - solved.shortfall).max() < 1e-9


def test_bones_keep_their_lengths_and_goals_within_reach_are_met(limbs):
    start, goal, upper, lower, hinge = limbs
    elbow, wrist, shortfall = bend_limb(*limbs)
    assert np.abs(np.linalg.norm(elbow - start, axis=-1) - upper).max() < 1e-12
    assert np.abs(np.linalg.norm(wrist - elbow, axis=-1) - lower).max() < 1e-12
    far = np.linalg.norm(goal - start, axis=-1)
    within = (far < upper + lower) & (far > np.abs(upper - lower))
    assert within.any()
    assert shortfall[within].max() < 1e-9
    # It bends about the hinge: the elbow lies on the side of axis × hinge.
    outward = np.cross(goal - start, hinge)
    assert (np.sum((elbow - start) * outward, axis=-1)[within] > 0.0).all()


@pytest.mark.parametrize("count", [1, 200])
def test_degenerate_limbs_bend_anyhow(count):
    """A hinge along the limb, and a goal at the shoulder."""
    start, along = np.zeros((count, 3)), np.tile([0.0, 0.7, 0.0], (count, 1))
    bones = np.array(0.5), np.array(0.5)
    for goal, hinge in ((along, along), (start, along)):
        elbow, wrist, shortfall = bend_limb(start, goal, *bones, hinge)
        assert np.isfinite(elbow).all()
        assert np.abs(np.linalg.norm(elbow, axis=-1) - 0.5).max() < 1e-12
        assert np.abs(wrist - goal).max() < 1e-9
        assert shortfall.max() < 1e-9
