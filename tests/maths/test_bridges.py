"""Bridges over gaps of curves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.maths import bridges


def bridged(curve, first, count, rate=60.0):
    """The missing values of a curve ``(T, 1, 3)``, with all its other stretches to learn from."""
    context = bridges.context_frames(rate)
    length = 2 * context + count
    inside = np.arange(context, context + count)
    starts = [k for k in range(len(curve) - length) if k + length <= first or k >= first + count]
    windows = np.stack([curve[k : k + length] for k in [*starts, first - context]])
    known = np.delete(windows, inside, axis=1)
    return bridges.build_bridge(known[-1], known[:-1], windows[:-1, inside], context, rate)


@given(st.integers(1, 12), st.integers(1, 40), st.integers(1, 12), st.sampled_from([24.0, 60.0, 120.0]))
def test_straight_lines_stay_straight(before, missing, after, rate):
    line, bend = bridges.bridge_weights(before, missing, after, rate)
    at = np.r_[:before, before + missing : before + missing + after].astype(float)
    np.testing.assert_allclose(line @ at, np.arange(before, before + missing), atol=1e-9)
    np.testing.assert_allclose(line.sum(axis=1), 1.0, atol=1e-9)
    np.testing.assert_allclose(bend.sum(axis=-1), 0.0, atol=1e-5)


@pytest.mark.parametrize("missing", [1, 3, 6])
def test_a_smooth_curve_comes_back(missing):
    time = np.arange(300) / 60.0
    curve = np.stack([np.sin(2.0 * np.pi * 0.7 * time), np.cos(2.0 * np.pi * 0.4 * time), 0.3 * time], axis=-1)[:, None]
    made = bridged(curve, 150, missing)
    truth = curve[150 : 150 + missing]
    share = np.linspace(0.0, 1.0, missing + 2)[1:-1, None, None]
    line = curve[149] + share * (curve[150 + missing] - curve[149])
    assert np.abs(made - truth).max() < 0.2 * np.abs(line - truth).max()


@given(seeds, st.integers(1, 30))
def test_what_cannot_be_predicted_is_bridged_by_a_line(seed, missing):
    """White noise: velocities at the edges say nothing."""
    curve = np.random.default_rng(seed).normal(size=(400, 1, 3))
    made = bridged(curve, 180, missing)
    share = np.linspace(0.0, 1.0, missing + 2)[1:-1, None, None]
    line = curve[179] + share * (curve[180 + missing] - curve[179])
    assert np.linalg.norm(made - line, axis=-1).max() < 2.5


@given(seeds, st.integers(1, 30))
def test_no_bend_is_larger_than_those_elsewhere(seed, missing):
    """A jump at the edge of a gap must not throw the bridge."""
    rng, time = np.random.default_rng(seed), np.arange(400) / 60.0
    curve = 0.1 * np.sin(2.0 * np.pi * 0.5 * time)[:, None, None] * rng.normal(size=3)
    curve[178:180] += 50.0
    made = bridged(curve, 180, missing)
    share = np.linspace(0.0, 1.0, missing + 2)[1:-1, None, None]
    line = curve[179] + share * (curve[180 + missing] - curve[179])
    assert np.linalg.norm(made - line, axis=-1).max() < 2.0


def test_with_nothing_to_learn_from_it_still_bends():
    time = np.arange(20) / 60.0
    curve = (time**2)[:, None, None] * np.ones(3)
    known = np.delete(curve, np.arange(8, 12), axis=0)
    made = bridges.build_bridge(known, np.zeros((0, 16, 1, 3)), np.zeros((0, 4, 1, 3)), 8, 60.0)
    share = np.linspace(0.0, 1.0, 6)[1:-1, None, None]
    line = curve[7] + share * (curve[12] - curve[7])
    assert np.abs(made - curve[8:12]).max() < 0.4 * np.abs(line - curve[8:12]).max()
