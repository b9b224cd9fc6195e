"""Flourishes are the model sheet's formulas, and closed at goals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.engine.overlays import (
    body_stretch,
    breath_squash,
    elbow_factor,
    flourish_strength,
    twist_wave,
    upper_arm_width,
    wrist_flexion,
)

QUARTERS = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
ENDS = np.array([0.0, 1.0])


def test_the_wrist_bends_in_a_wave_or_is_held_bent():
    made = wrist_flexion(QUARTERS, 0.4, 0.0, 0.0, 0.6)
    assert made == pytest.approx([0.0, 0.4, 0.8, 0.4, 0.0], abs=1e-12)
    out = wrist_flexion(QUARTERS, 0.5, -0.3, 0.0, 0.6)  # light: 1 − (−0.3) at the quarters
    assert out == pytest.approx([0.15, 0.65, 1.15, 0.65, 0.15], abs=1e-12)
    assert wrist_flexion(QUARTERS, 0.4, 0.3, 1.0, 0.6) == pytest.approx(0.6)
    half = wrist_flexion(QUARTERS, 0.4, 0.0, 0.5, 0.6)
    assert half == pytest.approx([0.3, 0.5, 0.7, 0.5, 0.3], abs=1e-12)
    assert np.array_equal(wrist_flexion(QUARTERS, 0.0, 0.0, 0.0, 0.6), np.zeros(5))


def test_twists_and_displacement_are_whole_waves():
    assert twist_wave(QUARTERS, 0.4, 2.0) == pytest.approx([0.0, 0.4, 0.0, -0.4, 0.0], abs=1e-12)
    assert twist_wave(QUARTERS, 0.4, 1.0) == pytest.approx(
        [0.0, 0.4 * np.sqrt(0.5), 0.4, 0.4 * np.sqrt(0.5), 0.0], abs=1e-12
    )
    assert elbow_factor(QUARTERS, 0.4) == pytest.approx([1.0, 1.4, 1.0, 0.6, 1.0], abs=1e-12)


def test_squash_is_fullest_behind_the_middle():
    # t'^1.6 at the quarters, to five digits
    late = np.array([0.0, 0.108819, 0.329877, 0.631095, 1.0])
    assert body_stretch(QUARTERS, 0.2) == pytest.approx(1.0 + 0.2 * np.sin(np.pi * late), abs=1e-5)
    fine = np.linspace(0.0, 1.0, 10_001)
    assert fine[np.argmax(body_stretch(fine, 0.2))] == pytest.approx(0.5 ** (1.0 / 1.6), abs=1e-3)
    assert body_stretch(fine, 0.2).max() == pytest.approx(1.2)


def test_breath_is_pressed_out_after_two_fifths():
    # sin²(π (t' − 0.4) / 0.6) / 7: at a half, sin² 30° = 1/4; at three quarters, sin² 105° = 0.9330127
    assert breath_squash(QUARTERS, 1.0) == pytest.approx(
        [1.0, 1.0, 1.0 - 0.25 / 7.0, 1.0 - 0.9330127 / 7.0, 1.0], abs=1e-7
    )
    assert breath_squash(np.linspace(0.0, 0.4, 9), 1.0) == pytest.approx(1.0)
    assert breath_squash(np.array([0.7]), 0.5) == pytest.approx(1.0 - 0.5 / 7.0)


def test_an_upper_arm_swells_with_its_elbows_angle():
    assert upper_arm_width(np.array([0.0, 1.0, 2.0]), 0.25) == pytest.approx([1.0, 1.175, 1.35])


@given(st.floats(-2.0, 2.0))
def test_all_are_closed_at_goals(amount):
    assert twist_wave(ENDS, amount, 2.0) == pytest.approx(0.0, abs=1e-12)
    assert elbow_factor(ENDS, amount) == pytest.approx(1.0, abs=1e-12)
    assert body_stretch(ENDS, amount) == pytest.approx(1.0, abs=1e-12)
    assert breath_squash(ENDS, amount) == pytest.approx(1.0, abs=1e-12)
    assert wrist_flexion(ENDS, amount, 0.0, 0.0, 0.6) == pytest.approx(0.0, abs=1e-12)


def test_strokes_without_way_or_time_have_none_and_long_ones_have_all():
    assert flourish_strength(np.array([0.0, 1.0]), np.array([1.0, 0.0])).tolist() == [0.0, 0.0]
    assert flourish_strength(np.array([0.24, 2.0]), np.array([0.6, 3.0])) == pytest.approx(1.0)
    assert flourish_strength(np.float64(0.12), np.float64(5.0)) == pytest.approx(0.5)
    assert flourish_strength(np.float64(1.0), np.float64(0.16)) == pytest.approx(0.5)
    far = np.linspace(0.0, 0.5, 200)
    assert (np.diff(flourish_strength(far, np.float64(1.0))) >= 0.0).all()
