"""Damped least squares inverse kinematics."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from generated import seeds
from kinesphere.maths import rotations
from kinesphere.maths.damped_ik import expected_variance, move_points
from kinesphere.maths.kinematics import forward_some, with_ancestors


def body(rng, joints=8, frames=5):
    """A random tree with random poses."""
    parents = np.array([-1, *(int(rng.integers(0, k)) for k in range(1, joints))])
    q = rotations.normalise(rng.normal(size=(frames, joints, 4)))
    return parents, q, rng.normal(size=(frames, joints, 3))


def positions(parents, q, t, joints):
    chain = with_ancestors(parents, joints)
    rows = np.array([chain[0].tolist().index(joint) for joint in joints])
    return forward_some(q, t, *chain)[1][:, rows], chain, rows


@given(seeds, st.integers(1, 3))
def test_points_reach_targets_nearby(seed, count):
    rng = np.random.default_rng(seed)
    parents, q, t = body(rng)
    joints = rng.choice(np.arange(1, 8), count, replace=False).tolist()
    was, chain, rows = positions(parents, q, t, joints)
    targets = was + 1e-3 * rng.normal(size=was.shape)
    variances = np.ones(len(chain[0])), np.ones(len(chain[0])), np.full(count, 1e-12)
    made = move_points(q, t, chain, rows, targets, variances)
    assert rotations.unit_error(made[0]) < 1e-9
    assert np.abs(positions(parents, *made, joints)[0] - targets).max() < 1e-6


@settings(max_examples=25)
@given(seeds)
def test_it_is_what_dense_linear_algebra_gives(seed):
    """One small step: x = W Jᵀ (J W Jᵀ + L)⁻¹ e, with J by finite differences."""
    rng = np.random.default_rng(seed)
    parents, q, t = body(rng, 6, 1)
    joints = [3, 5]
    was, chain, rows = positions(parents, q, t, joints)
    count = len(chain[0])
    turns, moves, misses = rng.uniform(0.1, 1.0, count), rng.uniform(0.0, 1.0, count), rng.uniform(0.1, 1.0, 2)
    error = 1e-6 * rng.normal(size=(1, 2, 3))
    made = move_points(q, t, chain, rows, was + error, (turns, moves, misses))
    world = forward_some(q, t, *chain)[0]

    def posed(x):
        new_q, new_t = q.copy(), t.copy()
        for row, joint in enumerate(chain[0]):
            above = world[0, chain[1][row]] if chain[1][row] >= 0 else rotations.identity()
            turn, step = (rotations.rotate(rotations.conjugate(above), part) for part in x[row])
            new_q[0, joint] = rotations.multiply(rotations.from_rotation_vector(turn), new_q[0, joint])
            new_t[0, joint] += step
        return positions(parents, new_q, new_t, joints)[0][0].reshape(-1)

    basis = np.eye(count * 6).reshape(-1, count, 2, 3)
    jacobian = np.stack([(posed(1e-6 * x) - posed(-1e-6 * x)) / 2e-6 for x in basis], axis=1)
    w = np.repeat(np.stack([turns, moves], axis=1).reshape(-1), 3)
    system = (jacobian * w) @ jacobian.T + np.diag(np.repeat(misses, 3))
    once = (jacobian * w) @ jacobian.T @ np.linalg.solve(system, error.reshape(-1))
    rest = error.reshape(-1) - once
    twice = once + (jacobian * w) @ jacobian.T @ np.linalg.solve(system, rest)
    found = (positions(parents, *made, joints)[0] - was).reshape(-1)
    np.testing.assert_allclose(found, twice, atol=1e-4 * np.abs(error).max())


def test_frames_on_their_targets_stay_to_the_last_bit(rng):
    parents, q, t = body(rng)
    was, chain, rows = positions(parents, q, t, [7])
    targets = was.copy()
    targets[2] += 0.01
    made = move_points(q, t, chain, rows, targets, (np.ones(len(chain[0])), np.ones(len(chain[0])), np.ones(1)))
    others = [0, 1, 3, 4]
    np.testing.assert_array_equal(made[0][others], q[others])
    np.testing.assert_array_equal(made[1][others], t[others])
    assert np.abs(made[0][2] - q[2]).max() > 1e-6


def test_expected_variance_is_what_independent_noise_gives(rng):
    parents, q, t = body(rng, 6, 1)
    q, t = np.repeat(q, 20000, axis=0), np.repeat(t, 20000, axis=0)
    was, chain, rows = positions(parents, q, t, [5])
    turns, moves = rng.uniform(0.5, 1.0, len(chain[0])) * 1e-6, rng.uniform(0.5, 1.0, len(chain[0])) * 1e-6
    noisy, shifted = q.copy(), t.copy()
    for row, joint in enumerate(chain[0]):
        turn = rotations.from_rotation_vector(np.sqrt(turns[row]) * rng.normal(size=(20000, 3)))
        noisy[:, joint] = rotations.multiply(turn, q[:, joint])
        shifted[:, joint] += np.sqrt(moves[row]) * rng.normal(size=(20000, 3))
    found = ((positions(parents, noisy, shifted, [5])[0] - was) ** 2).mean()
    expected = expected_variance(forward_some(q[:1], t[:1], *chain)[1], chain[1], rows, turns, moves)[0]
    assert abs(found / expected - 1.0) < 0.05
