"""Vectors and easing are what NumPy's own would be."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.maths.vectors import as_floats, clip, cross, norms, reject, smootherstep, smoothstep, unit


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


def test_cross_products_and_rejections_broadcast(rng):
    a, b = rng.normal(size=(5, 1, 3)), rng.normal(size=(4, 3))
    assert cross(a, b) == pytest.approx(np.cross(a, b), abs=1e-14)
    axis = unit(b)
    assert norms(axis) == pytest.approx(1.0)
    left = reject(a, axis)
    assert np.sum(left * axis, axis=-1) == pytest.approx(0.0, abs=1e-14)
    assert cross(left, axis) == pytest.approx(cross(a, axis), abs=1e-14)
    assert not unit(np.zeros((2, 3))).any()


@pytest.mark.parametrize("ease", [smoothstep, smootherstep])
def test_easings_rise_from_rest_to_rest(ease):
    u = np.linspace(-0.5, 1.5, 2001)
    made = ease(u)
    assert (np.diff(made) >= 0.0).all()
    assert made[u <= 0.0].max() == 0.0
    assert made[u >= 1.0].min() == 1.0
    assert made + ease(1.0 - u) == pytest.approx(1.0)
    assert ease(1e-4) < 1e-6
