"""The low-pass delays nothing, keeps lines, and takes what is above its cut."""

import numpy as np
import pytest

from kinesphere.maths.filters import CUT, low_pass


def test_half_of_the_power_is_left_at_the_cut():
    rate = 240.0
    time = np.arange(960) / rate
    for hertz, kept in ((1.0, 0.5 ** (0.5 * (1.0 / CUT) ** 2)), (CUT, np.sqrt(0.5)), (30.0, 0.0)):
        wave = np.sin(2.0 * np.pi * hertz * time)
        inner = slice(240, 720)
        smooth = low_pass(wave, rate)[inner]
        assert np.abs(smooth - kept * wave[inner]).max() < 0.01  # in phase, too


def test_lines_stay_lines_to_their_ends():
    line = np.linspace(0.0, 3.0, 50)[:, None] * [1.0, -2.0, 0.5]
    assert low_pass(line, 60.0) == pytest.approx(line, abs=1e-12)


def test_short_clips_are_left_standing():
    assert low_pass(np.ones((1, 3)), 60.0).shape == (1, 3)
    assert low_pass(np.arange(3.0), 120.0) == pytest.approx(np.arange(3.0))
