"""Banded least squares are dense least squares."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.maths.banded import Chain, second_differences


@pytest.mark.parametrize(("frames", "n"), [(1, 3), (2, 3), (3, 1), (8, 5), (29, 2)])
def test_a_chain_is_solved_as_dense_least_squares_are(frames, n, rng):
    m = n + 1
    rows, bent = rng.normal(size=(2, frames, m, n))
    weights, stiff = rng.random((2, frames, m)) + 0.1
    targets, bends = rng.normal(size=(2, frames, m))
    chain = Chain(frames, n)
    chain.add(rows, weights, targets)
    more = chain.copy()
    more.add_bends(bent, stiff, bends)
    matrix, right = np.zeros((2 * frames, m, frames, n)), np.zeros((2 * frames, m))
    for t in range(frames):
        matrix[t, :, t], right[t] = np.sqrt(weights[t])[:, None] * rows[t], np.sqrt(weights[t]) * targets[t]
    alone = np.linalg.lstsq(matrix.reshape(-1, frames * n), right.ravel(), rcond=None)[0]
    assert chain.solve().ravel() == pytest.approx(alone, abs=1e-9)
    for t in range(1, frames - 1):
        for k, factor in ((-1, 1.0), (0, -2.0), (1, 1.0)):
            matrix[frames + t, :, t + k] = factor * np.sqrt(stiff[t])[:, None] * bent[t + k]
        right[frames + t] = np.sqrt(stiff[t]) * bends[t]
    together = np.linalg.lstsq(matrix.reshape(-1, frames * n), right.ravel(), rcond=None)[0]
    assert more.solve().ravel() == pytest.approx(together, abs=1e-9)


def test_second_differences_are_none_at_the_ends(rng):
    values = rng.normal(size=(9, 2))
    made = second_differences(values)
    assert np.array_equal(made[[0, -1]], np.zeros((2, 2)))
    assert made[1:-1] == pytest.approx(np.diff(values, 2, axis=0))
