"""Accents: when hands and feet arrive."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere import Motion, Skeleton
from kinesphere.analysis.strokes import find_accents
from kinesphere.builtin import motion
from kinesphere.maths import rotations


def swinging(stops, rate=60.0, lasts=0.3):
    """A point that goes a metre and stops at each of these seconds."""
    skeleton = Skeleton(("hips", "end"), np.array([-1, 0]), np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    time = np.arange(round((max(stops) + 1.0) * rate) + 1) / rate
    x = np.zeros(len(time))
    for stop in stops:
        u = np.clip((time - stop + lasts) / lasts, 0.0, 1.0)
        x += u**3 * (10.0 - u * (15.0 - 6.0 * u))
    t = np.broadcast_to(skeleton.offsets, (len(time), 2, 3)).copy()
    t[:, 0, 0] = x
    return Motion(skeleton, rate, rotations.identity(len(time), 2), t)


@pytest.mark.parametrize("rate", [30.0, 60.0, 120.0])
def test_what_stops_has_its_accent_as_it_stops(rate):
    stops = [0.5, 1.3, 2.0]
    found = find_accents(swinging(stops, rate))
    assert len(found) == 3
    for accent, stop in zip(found, stops, strict=True):
        assert stop - 0.12 < accent.seconds < stop + 0.01


def test_quicker_strokes_are_stronger_accents():
    slow, quick = (find_accents(swinging([1.0], lasts=lasts))[0].strength for lasts in (0.6, 0.2))
    assert quick > 2.0 * slow


def test_steps_of_a_walk_are_even():
    found = [accent.seconds for accent in find_accents(motion("walk"), least=0.5)]
    assert len(found) >= 6
    steps = np.diff(found)[:5]
    assert np.ptp(steps) < 0.2


def test_who_stands_still_has_none():
    given = motion("wave")
    still = replace(
        given,
        rotations=np.repeat(given.rotations[:1], 90, axis=0),
        translations=np.repeat(given.translations[:1], 90, axis=0),
        scales=None,
    )
    assert find_accents(still) == ()
    assert find_accents(given[:2]) == ()


def test_knocks_are_stronger_accents_than_what_leads_to_them():
    found = sorted(find_accents(motion("knock")), key=lambda accent: -accent.strength)[:3]
    hand = motion("knock").positions_world()[:, motion("knock").skeleton.index("rightHand")]
    for accent in found:  # the hand is at the door
        assert hand[round(accent.seconds * 60), 2] > hand[:, 2].max() - 0.12
