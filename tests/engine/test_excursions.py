"""Excursions from a hand's path: zero at goals, velocities where goals are passed, detours aside and back."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere import _native
from kinesphere.engine.excursions import StrokeGoals

ENDS = np.array([[0.0, -0.5, 0.0], [0.1, 0.0, 0.4], [0.3, 0.1, 0.3], [0.0, -0.5, 0.0]])
MOMENTS = np.array([0.0, 1.0, 2.0, 3.0])
RATE = 100.0


def goals(detour=(0.0, 0.0, 0.0), pass_speed=(0.0, 0.0, 0.0), lengths=(0.6, 0.3, 0.7)):
    hangs = np.array([True, False, False, True])
    rows = (np.array(row, dtype=np.float64) for row in (lengths, detour, pass_speed))
    return StrokeGoals(ENDS, MOMENTS, hangs, *rows)


def test_detours_are_over_at_goals_and_square_to_the_chord():
    stroke, share = np.repeat([0, 1, 2], 101), np.tile(np.linspace(0.0, 1.0, 101), 3)
    made = np.zeros((303, 3))
    _native.excursions.add_detours(stroke, share, goals(detour=(0.3, 0.3, 0.0)), 1.0, made)
    assert np.abs(made[[0, 100, 101, 201]]).max() < 1e-15
    assert not made[202:].any()
    for own in range(2):
        rows, chord = made[101 * own : 101 * (own + 1)], ENDS[own + 1] - ENDS[own]
        assert np.abs(rows @ chord).max() < 1e-15
        assert np.linalg.norm(rows[50]) == pytest.approx(
            0.15 * np.tanh((1.0 if own else 0.5) * 0.3 * np.linalg.norm(chord) / 0.15)  # half, as it begins hanging
        )
    held = np.zeros((303, 3))
    _native.excursions.add_detours(stroke, share, goals((0.3, 0.3, 0.0), lengths=(0.0, 0.0, 0.7)), 1.0, held)
    assert not held.any()


def test_a_passed_goal_is_met_at_its_moment_with_a_speed():
    made = np.zeros((301, 3))
    _native.excursions.add_passings(RATE, goals(pass_speed=(0.5, 0.0, 0.0)), made)
    assert np.abs(made[100]).max() < 1e-15
    assert not made[0].any()
    assert not made[200:].any()
    before, after = ENDS[1] - ENDS[0], ENDS[2] - ENDS[1]
    slower = min(np.linalg.norm(before), np.linalg.norm(after))
    speed = np.linalg.norm(made[101] - made[99]) * 0.5 * RATE
    assert 0.6 * 1.9 * 0.5 * slower < speed < 1.1 * 1.9 * 0.5 * slower
    assert (made[101] - made[99]) @ (before + after) > 0.0
