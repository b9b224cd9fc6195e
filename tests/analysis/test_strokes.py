"""Strokes are found where a hand goes from rest to rest."""

import numpy as np
import pytest

from analysis.bodies import minimum_jerk, stroke
from kinesphere.analysis.observation import RATE
from kinesphere.analysis.strokes import find_strokes

DIRECTION = np.array([0.0, 0.3, 0.2])


def joined(*values, seconds=1.0):
    """From value to value along one line, each in a minimum-jerk stroke."""
    share = np.arange(round(seconds * RATE)) / (seconds * RATE)
    moves = [a + (b - a) * minimum_jerk(share) for a, b in zip(values[:-1], values[1:], strict=True)]
    return np.concatenate([np.full(40, values[0]), *moves, np.full(40, values[-1])])[:, None] * DIRECTION


def test_one_stroke_with_its_rests_cut_off():
    (found,) = find_strokes(stroke(seconds=0.8, still=0.4))
    assert found.start == found.begin
    assert found.stop == found.end
    assert 0.4 < found.begin / RATE < 0.52
    assert 1.08 < found.stop / RATE < 1.2


def test_there_and_back_are_two():
    assert len(find_strokes(joined(0.0, 1.0, 0.0))) == 2


def test_coming_back_from_beyond_the_goal_belongs_to_the_stroke():
    (found,) = find_strokes(joined(0.0, 1.1, 1.0))
    assert found.start == found.begin
    assert found.end > found.stop


def test_drawing_back_belongs_to_the_stroke():
    (found,) = find_strokes(joined(0.0, -0.15, 1.0))
    assert found.start < found.begin
    assert found.end == found.stop


def test_passing_through_a_via_is_no_stop():
    angle = np.pi * minimum_jerk(np.linspace(0.0, 1.0, 200))
    half_circle = 0.15 * np.stack([np.sin(angle), -np.cos(angle), np.zeros(200)], axis=1)
    assert len(find_strokes(half_circle)) == 1


@pytest.mark.parametrize("path", [np.zeros((1, 3)), np.zeros((2, 3)), np.zeros((300, 3))])
def test_stillness_has_none(path):
    assert find_strokes(path) == ()


def test_breath_and_sway_are_none():
    time = np.arange(1200) / RATE
    sway = 0.004 * np.stack([np.sin(1.7 * time), np.sin(2.3 * time), np.cos(1.1 * time)], axis=1)
    assert find_strokes(sway) == ()
