"""One window for every kind of edit."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere import Effort
from kinesphere.builtin import motion
from kinesphere.motion.scope import FADE, Scope, time_window
from kinesphere.score import Express
from kinesphere.score.rendering import _strength_over
from kinesphere.signals.edit import edit_window

TIME = np.arange(241) / 60.0


def test_windows_hold_inside_and_fade_within_their_ends():
    made = time_window(TIME, 1.0, 3.0, FADE)
    assert not made[(TIME <= 1.0) | (TIME >= 3.0)].any()
    assert made[(TIME >= 1.0 + FADE) & (TIME <= 3.0 - FADE)] == pytest.approx(1.0)
    assert time_window(np.array([1.0 + 0.5 * FADE, 3.0 - 0.5 * FADE]), 1.0, 3.0, FADE) == pytest.approx(0.5)
    assert (np.diff(made[TIME <= 2.0]) >= 0.0).all()
    assert (np.diff(made[TIME >= 2.0]) <= 0.0).all()


def test_windows_may_be_open_and_short():
    assert (time_window(TIME, None, None, FADE) == 1.0).all()
    assert np.array_equal(time_window(TIME, None, 2.0, FADE)[TIME <= 1.75], np.ones((TIME <= 1.75).sum()))
    assert not time_window(TIME, None, 2.0, FADE)[TIME >= 2.0].any()
    assert np.array_equal(time_window(TIME, 2.0, None, FADE)[TIME >= 2.25], np.ones((TIME >= 2.25).sum()))
    short = time_window(np.array([1.0, 1.025, 1.05, 1.075, 1.1]), 1.0, 1.1, FADE)
    assert short == pytest.approx([0.0, 0.5, 1.0, 0.5, 0.0], abs=1e-9)  # it fades over half of itself


@pytest.mark.parametrize(("start", "end"), [(None, None), (1.2, None), (None, 2.0), (0.5, 0.8), (1.0, 3.0)])
def test_layers_with_one_range_have_one_window(start, end):
    """Of Effort over the gesture's own time, and of an edit of curves over the same motion's."""
    wave = motion("wave")
    express = _strength_over(Express(Effort(weight=-1.0)).over(start=start, end=end), wave.times)
    curves = edit_window(wave, Scope(start, end))
    assert np.array_equal(np.ones(len(wave)) if express is None else express, curves)
