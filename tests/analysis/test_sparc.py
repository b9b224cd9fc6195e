"""Spectral arc length against its published definition."""

import numpy as np
import pytest

from analysis.bodies import minimum_jerk
from kinesphere.analysis.strokes import sparc

RATE = 100.0


def minimum_jerk_speed(seconds=1.0, rate=RATE):
    return np.gradient(minimum_jerk(np.arange(round(seconds * rate) + 1) / rate / seconds)) * rate


def test_the_authors_own_number():
    """The example in the documentation of their program (github.com/siva82kb/SPARC)."""
    time = np.arange(-1, 1, 0.01)
    assert sparc(np.exp(-5.0 * time**2), 100.0) == pytest.approx(-1.41403, abs=5e-6)


def test_a_bell_has_the_arc_length_of_its_spectrum():
    """A Gaussian's spectrum is a Gaussian, whose arc length down to one twentieth is an integral."""
    width = 0.12
    time = np.arange(-1.5, 1.5, 1.0 / RATE)
    end = np.sqrt(2.0 * np.log(20.0)) / (2.0 * np.pi * width)  # hertz, where the spectrum is 0.05
    f = np.linspace(0.0, end, 20001)
    m = np.exp(-0.5 * (2.0 * np.pi * width * f) ** 2)
    expected = -np.sum(np.hypot(np.diff(f) / end, np.diff(m)))
    assert sparc(np.exp(-0.5 * (time / width) ** 2), RATE) == pytest.approx(expected, abs=2e-3)


def test_minimum_jerk_is_about_minus_one_point_four():
    assert sparc(minimum_jerk_speed(), RATE) == pytest.approx(-1.41, abs=0.02)


def test_does_not_depend_on_size_and_hardly_on_duration():
    one = sparc(minimum_jerk_speed(), RATE)
    assert sparc(7.0 * minimum_jerk_speed(), RATE) == pytest.approx(one, abs=1e-12)
    assert sparc(minimum_jerk_speed(2.0), RATE) == pytest.approx(one, abs=0.03)


def test_more_submovements_are_less_smooth():
    whole = minimum_jerk_speed(1.0)
    halting = [np.concatenate([minimum_jerk_speed(1.0 / n)] * n) for n in (2, 4)]
    assert sparc(whole, RATE) > sparc(halting[0], RATE) > sparc(halting[1], RATE)


def test_nothing_moves():
    assert sparc(np.zeros(50), RATE) == 0.0
    assert sparc(np.array([1.0]), RATE) == 0.0
