"""One window for every kind of edit."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere.builtin import gesture, motion
from kinesphere.engine.phrases import phrase_of
from kinesphere.laban.expression import strength_over
from kinesphere.motion.scope import FADE, Scope, time_window

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
    """Of phrase edits over the phrase's own time, and of motion edits over the same motion's."""
    wave, scope = motion("wave"), Scope(start=start, end=end)
    strength = strength_over(phrase_of(gesture("wave")), scope)
    assert np.array_equal(np.ones(len(wave)) if strength is None else strength, scope.window(wave.times))


def test_a_scopes_strength_scales_its_window():
    phrase = phrase_of(gesture("wave"))
    half, full = (strength_over(phrase, Scope(start=0.5, end=2.0, strength=s)) for s in (0.5, 1.0))
    assert half == pytest.approx(0.5 * full)
    assert strength_over(phrase, Scope(strength=0.5)) == pytest.approx(np.full(len(phrase.times), 0.5))
