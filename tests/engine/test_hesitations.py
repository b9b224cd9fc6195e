"""Hesitations within strokes: irregular as people's are, or as regular as clockwork."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere import Express, generate, phrase_of
from kinesphere.direction.body_language import rhythms
from kinesphere.engine.channels import INDEX
from kinesphere.engine.clocks import CLOCKWORK, stroke_clock, stroke_phases
from kinesphere.engine.embodiment import embody
from kinesphere.engine.generation import _prepare
from kinesphere.engine.recruitment import add_drives, moments_of
from kinesphere.maths.vectors import norms
from kinesphere.motion.drive import Drive
from kinesphere.motion.phrase import Track

GOALS = np.array([0.0, 2.0, 4.0])


def speeds(**strokes):
    """The speed of a hand in two long strokes, in mean speeds."""
    track = Track(strokes={name: np.full(2, value) for name, value in strokes.items()})
    clock = stroke_clock(GOALS, np.array([0.4, 0.4]), track, None, False)
    return np.diff(stroke_phases(clock, 241).path_share.reshape(-1)) * 120.0


def lows(speed):
    """Frames at which the speed is least between two greater ones."""
    inner = (speed[1:-1] < speed[:-2]) & (speed[1:-1] <= speed[2:])
    return np.flatnonzero(inner) + 1


def test_regular_hesitations_are_steps_of_one_length_that_nearly_stop():
    speed = speeds(evenness=1.0, hesitation=0.95, regularity=1.0)[:120]
    found = lows(speed)
    assert len(found) == round(2.0 / CLOCKWORK) - 1
    assert np.ptp(np.diff(found)) <= 2  # whole frames
    assert speed[found].max() < 0.4
    assert speed.max() > 1.6


def test_irregular_ones_differ_from_stroke_to_stroke():
    speed = speeds(evenness=1.0, hesitation=0.8)
    first, second = speed[:119], speed[120:239]
    assert np.abs(first - second).max() > 0.2
    clockwork = speeds(evenness=1.0, hesitation=0.8, regularity=1.0)
    assert clockwork[:119] == pytest.approx(clockwork[120:239], abs=1e-6)


def test_regularity_without_hesitation_changes_nothing():
    assert np.array_equal(speeds(regularity=1.0), speeds())


def test_a_mechanical_hand_goes_in_steps_of_one_length():
    motion = generate(Express(words="mechanically")(phrase_of("drink")))
    hand = motion.positions_world()[:, motion.skeleton.roles["rightHand"]]
    speed = norms(np.diff(hand, axis=0)) * motion.rate
    gaps = np.diff(lows(speed)) / motion.rate
    assert len(gaps) > 10
    assert np.median(gaps) == pytest.approx(CLOCKWORK, abs=0.05)


@pytest.mark.parametrize("gesture", ["emphasise", "clap"])
def test_who_is_startled_is_so_once(gesture):
    phrase = phrase_of(gesture)
    own = embody(phrase.body).actor
    part = _prepare(phrase, own, 60.0)
    startle = rhythms()["startle"]
    once = Drive(startle.kind, np.ones(()), startle.channels, startle.timing)
    always = Drive(startle.kind, np.ones(()), startle.channels, {**startle.timing, "first": 0.0})
    peaks = []
    for drive in (once, always):
        table = np.zeros_like(part.table)
        times = part.clocks["body"].to_source(np.arange(len(table)) / 60.0)
        add_drives(table, [drive], moments_of(phrase, own, part.tasks, part.clocks["body"], times, 60.0, table))
        raised = table[:, INDEX["left.clavicle.raise"]]
        assert raised.max() > 0.05
        peaks.append(int(np.flatnonzero(raised > 0.5 * raised.max())[-1]))
    assert peaks[0] < 0.75 * peaks[1]
