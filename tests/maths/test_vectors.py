"""The two shortcuts are what NumPy's own would be."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.maths.vectors import as_floats, clip, norms


@pytest.mark.parametrize("shape", [(3,), (50, 3), (4, 5, 2), (7, 1), (0, 3)])
def test_lengths_are_norms(shape, rng):
    vectors = rng.normal(size=shape)
    assert norms(vectors) == pytest.approx(np.linalg.norm(vectors, axis=-1), rel=1e-14)
    assert norms(vectors).shape == shape[:-1]


def test_within_is_clip(rng):
    values = rng.normal(size=(40, 3))
    assert np.array_equal(clip(values, -0.5, 0.7), np.clip(values, -0.5, 0.7))
    assert np.array_equal(clip(values, values.min(axis=0), 0.0), np.clip(values, values.min(axis=0), 0.0))
    assert clip(np.arange(9), 2, 5).tolist() == [2, 2, 2, 3, 4, 5, 5, 5, 5]
    assert clip(3.0, 0.0, 1.0) == 1.0
    assert np.isnan(clip(np.nan, 0.0, 1.0))


def test_floats_copy_only_what_they_must():
    values = np.ones(3)
    assert as_floats(values) is values
    assert as_floats([1, 2]).dtype == np.float64
