"""Warped motions: accelerations stay in bounds, and what was not met is said."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from kinesphere.analysis.strokes import Accent
from kinesphere.builtin import motion
from kinesphere.motion.errors import MotionFileWarning
from kinesphere.motion.scope import WHOLE as _WHOLE
from kinesphere.signals.alignment import align
from kinesphere.signals.pace import HARDEST, accelerations, bounded_map, end_paths, hardest_allowed
from kinesphere.signals.timewarp import ON_BEAT, Timewarp, UnmetBeats, UnmetPace, fill_beats
from signals.clips import apart
from signals.test_align import bent


def paused(given, seconds, share=0.5):
    """The motion with a pause in it, dead still."""
    at, count = int(share * len(given)), round(seconds * given.rate)
    frames = np.concatenate([np.arange(at), np.full(count, at), np.arange(at, len(given))])
    return replace(given, rotations=given.rotations[frames], translations=given.translations[frames], scales=None)


def peak(given):
    return accelerations(end_paths(given), given.rate).max()


def without_words(edit, given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionFileWarning)
        return edit(given)


PAIRS = {
    "walk onto punch": (motion("walk"), motion("punch")),
    "short onto walk": (motion("punch")[60:110], motion("walk")),
    "wave onto walk": (motion("wave"), motion("walk")),
    "punch onto a paused wave": (motion("punch"), paused(motion("wave"), 2.0)),
    "paused punch onto punch": (paused(motion("punch"), 2.0), motion("punch")),
    "paused twice": (paused(paused(motion("clap"), 1.5, 0.3), 1.0, 0.8), paused(motion("clap"), 1.0, 0.7)),
    "30 onto 120": (motion("walk").resampled(30.0), motion("clap").resampled(120.0)),
    "120 onto 30": (motion("clap").resampled(120.0), motion("walk").resampled(30.0)),
    "long onto short": (paused(motion("walk"), 6.0), motion("clap")),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("cost", ["pose", "shape"])
def test_accelerations_stay_in_bounds(name, cost):
    given, onto = PAIRS[name]
    made = without_words(Timewarp(onto, cost=cost), given)
    pace = given.duration / onto.duration
    # Rotations between frames are not quite on straight lines between places: a quarter more.
    assert peak(made) < 1.25 * hardest_allowed(end_paths(given), given.rate, pace)
    assert made.duration == pytest.approx(onto.duration, abs=1.5 / given.rate)
    assert apart(made[:1], given[:1]) < 1e-6
    assert apart(made[-1:], given[-1:]) < 0.02


def test_a_bounded_clock_keeps_both_ends_and_runs_on():
    given, onto = PAIRS["walk onto punch"]
    asked = align(given, onto, "pose")
    kept = bounded_map(asked, given)
    assert kept(np.array([0.0, given.duration])) == pytest.approx(asked(np.array([0.0, given.duration])), abs=1e-9)
    assert (kept.slope(given.times) > 0.0).all()
    paths = end_paths(given)
    assert HARDEST * accelerations(paths, given.rate).max() <= hardest_allowed(paths, given.rate, 1.0)


def test_a_clock_within_bounds_is_left_alone():
    given = motion("wave")
    other, _ = bent(given, 0.1)
    asked = align(given, other, "pose")
    assert bounded_map(asked, given) is asked


def test_a_pace_that_is_not_followed_is_said():
    given, onto = PAIRS["walk onto punch"]
    with pytest.warns(UnmetPace, match=r"pace is not followed by up to 0\.\d+ s") as told:
        made = Timewarp(onto)(given)
    sentence = str(told[0].message).partition(": ")[2]
    assert sentence in made.source.evidence


def test_marks_are_met_and_a_hard_pace_is_said():
    given = motion("punch")
    with pytest.warns(UnmetPace, match=r"reach \d+ m/s² at"):
        made = Timewarp(marks=[(1.0, 1.0), (1.6, 1.12)])(given)
    assert apart(made[round(1.0 * 60) : round(1.0 * 60) + 1], given[60:61]) < 1e-6
    assert any("m/s²" in sentence for sentence in made.source.evidence)


def test_easy_marks_need_no_words():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = Timewarp(marks=[(1.0, 1.3), (2.0, 2.2)])(motion("wave"))
    assert made.source.evidence == motion("wave").source.evidence


# Beats


def test_beats_that_are_not_met_are_named():
    given = paused(motion("wave"), 3.0, 0.6)
    with pytest.warns(UnmetBeats, match=r"nothing arrives on \d+ of \d+ beats: .* ms away") as told:
        made = Timewarp(bpm=100.0)(given)
    sentence = str(told[0].message).partition(": ")[2]
    assert sentence in made.source.evidence
    clock = Timewarp(bpm=100.0).time_map(given)
    arrivals = clock(np.array([one.seconds for one in Timewarp(bpm=100.0)._accents_and_beats(given, _WHOLE)[0]]))
    beats = np.arange(1, int(made.duration / 0.6) + 1) * 0.6
    unmet = [beat for beat in beats if np.abs(arrivals - beat).min() > ON_BEAT]
    assert f"nothing arrives on {len(unmet)} of {len(beats)} beats" in sentence
    assert f"{unmet[0]:.2f} s" in sentence


def test_where_every_beat_is_met_nothing_is_said():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnmetBeats)
        made = Timewarp(bpm=100.0)(motion("walk"))
    assert not [sentence for sentence in made.source.evidence if "nothing arrives" in sentence]
    clock = Timewarp(bpm=100.0).time_map(motion("walk"))
    arrivals = clock(
        np.array([one.seconds for one in Timewarp(bpm=100.0)._accents_and_beats(motion("walk"), _WHOLE)[0]])
    )
    for beat in 0.6 * np.arange(1, int(made.duration / 0.6) + 1):
        assert np.abs(arrivals - beat).min() <= ON_BEAT


@pytest.mark.parametrize("uneven", [0.0, 0.08, 0.15])
def test_weak_accents_come_on_beats_that_nothing_else_comes_on(uneven):
    rng = np.random.default_rng(3)
    seconds = 0.5 * np.arange(1, 13) + uneven * rng.uniform(-1.0, 1.0, 12)
    accents = [Accent(float(at), 1.0 if k % 4 == 0 else 0.15) for k, at in enumerate(seconds)]
    beats = (0.6 * np.arange(1, 13)).tolist()
    pairs = [(accents[k].seconds, beats[k]) for k in (0, 4, 8, 11)]
    filled = fill_beats(pairs, accents, beats)
    assert set(pairs) <= set(filled)
    old, new = np.array(filled).T
    assert (np.diff(old) > 0.0).all()
    assert (np.diff(new) > 0.0).all()
    paces = np.diff(new) / np.diff(old)
    assert paces.max() < 2.5
    assert paces.min() > 1.0 / 2.5
    assert len(filled) == 12 if uneven < 0.1 else len(filled) >= 9
