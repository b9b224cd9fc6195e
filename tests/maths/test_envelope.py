"""Envelopes are smooth and nowhere below what they envelop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.maths.filters import smooth_envelope


@given(seed=seeds, seconds=st.floats(0.02, 0.4))
def test_an_envelope_is_nowhere_below_and_smooth(seed: int, seconds: float) -> None:
    rng, rate = np.random.default_rng(seed), 60.0
    values = np.where(rng.random(200) < 0.03, rng.uniform(0.0, 2.0, 200), 0.0)
    made = smooth_envelope(values, seconds, rate)
    assert (made >= values - 1e-12).all()
    assert made.max() <= values.max() + 1e-12
    span = max(int(seconds * rate), 1)
    # A Hann window of 2 span + 1 frames has no weight above 1 / (span + 1): no step is larger than that.
    assert np.abs(np.diff(made)).max(initial=0.0) <= values.max() / (span + 1) + 1e-12
    needed = np.flatnonzero(values)
    if len(needed):
        far = np.abs(np.arange(200)[:, None] - needed).min(axis=1) > 2 * span
        assert not made[far].any()


def test_nothing_needed_is_nothing() -> None:
    none = np.zeros(30)
    assert smooth_envelope(none, 0.2, 60.0) is none
    constant = np.full(30, 0.7)
    assert smooth_envelope(constant, 0.2, 60.0) == pytest.approx(constant, abs=1e-12)
