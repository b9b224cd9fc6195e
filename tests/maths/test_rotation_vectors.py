"""The compiled exponential map is the plain one, at tiny angles and at large ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.maths import compiled
from kinesphere.maths import rotations as R


@given(seeds, st.sampled_from([0.0, 1e-300, 1e-160, 1e-12, 1e-8, 1.9e-4, 2.1e-4, 1e-3, 1.0, 3.2, 40.0]))
def test_compiled_turns_are_the_references(seed, size):
    assert compiled.warm_up() is not None
    v = np.random.default_rng(seed).normal(size=(20, 10, 3))
    v *= size / np.linalg.norm(v, axis=-1, keepdims=True)
    made, plain = R.from_rotation_vector(v), R.from_rotation_vector_reference(v)
    assert np.abs(made - plain).max() < 1e-14
    assert np.abs(made[..., 1:] - plain[..., 1:]).max() <= 1e-13 * max(size, 1e-300)  # digits are kept, not only places
    assert np.linalg.norm(made, axis=-1) == pytest.approx(1.0, abs=1e-14)


def test_compiled_turns_of_strided_and_single_vectors():
    assert compiled.warm_up() is not None
    v = np.random.default_rng(3).normal(size=(300, 6))[:, ::2]
    assert R.from_rotation_vector(v) == pytest.approx(R.from_rotation_vector_reference(v), abs=1e-14)
    assert R.from_rotation_vector(np.array([np.pi, 0.0, 0.0])) == pytest.approx([0.0, 1.0, 0.0, 0.0], abs=1e-15)
    quarter = R.from_rotation_vector(np.tile([0.0, 0.0, 0.5 * np.pi], (200, 1)))
    assert R.rotate(quarter, np.tile([1.0, 0.0, 0.0], (200, 1))) == pytest.approx(np.tile([0.0, 1.0, 0.0], (200, 1)))
