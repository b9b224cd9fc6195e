"""Motions along other clocks."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given as given_any
from hypothesis import settings

from generated import seeds
from kinesphere.analysis.strokes import Accent, find_accents
from kinesphere.builtin import motion
from kinesphere.signals.blend import Blend
from kinesphere.signals.curves import Curves
from kinesphere.signals.timewarp import (
    LEFT_OUT,
    PACE,
    QUICKEST,
    NoAccents,
    Timewarp,
    b_spline,
    match_beats,
    resample_path_values,
)
from signals.clips import apart, pirouette, short, with_calibration
from signals.test_align import bent


def test_neutral_is_the_motion_itself():
    given = motion("wave")
    assert Timewarp()(given) is given
    assert Timewarp(motion("point"), amount=0.0)(given) is given


@pytest.mark.parametrize("cost", ["shape", "pose"])
def test_the_pace_of_another(cost):
    given = motion("wave")
    other, _ = bent(given, 0.12)
    made = Timewarp(other, cost=cost)(given)
    assert len(made) == len(other)
    assert apart(made, other) < 0.35 * apart(given, other)
    back = Timewarp(given, cost=cost)(made)
    assert apart(back, given) < 0.35 * apart(given, other)


def test_anything_between():
    given = motion("wave")
    slow = Timewarp(marks=[(given.duration, 2.0 * given.duration)])(given)
    lengths = [len(Timewarp(slow, amount=share)(given)) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert lengths[0] == len(given)
    assert lengths[-1] == len(slow)
    assert np.ptp(np.diff(lengths)) <= 2
    assert min(np.diff(lengths)) > 0
    half = Timewarp(slow, amount=0.5).time_map(given)
    full = Timewarp(slow).time_map(given)
    assert half(given.times) == pytest.approx(0.5 * (given.times + full(given.times)), abs=1e-9)


def test_marks_come_when_they_are_to_come():
    given = motion("wave")
    made = Timewarp(marks=[(1.0, 1.5), (2.0, 2.2)])(given)
    for old, new in ((1.0, 1.5), (2.0, 2.2)):
        there, here = made[round(new * 60) : round(new * 60) + 1], given[round(old * 60) : round(old * 60) + 1]
        assert apart(there, here) < 1e-6
    assert apart(made[:1], given[:1]) < 1e-9
    after = given.duration - 2.0
    assert made.duration == pytest.approx(2.2 + after, abs=0.02)
    assert apart(made[-20:], given[-20:]) < 0.01


def test_one_mark_is_enough_and_may_cut():
    given = motion("wave")
    assert apart(Timewarp(marks=[(1.0, 1.4)])(given)[84:85], given[60:61]) < 1e-6
    cut = Timewarp(marks=[(1.0, 0.0)])(given)
    assert apart(cut[:1], given[60:61]) < 1e-6
    assert len(cut) == len(given) - 60


def test_accents_come_on_beats():
    given = motion("walk")
    beat = 0.6

    def off(seconds):
        return abs((seconds / beat + 0.5) % 1.0 - 0.5) * beat

    steps = [accent.seconds for accent in find_accents(given, least=0.45)]
    made = Timewarp(beats=np.arange(1, 20) * beat)(given)
    on = [accent.seconds for accent in find_accents(made, least=0.45)]
    assert len(on) >= 7
    assert np.mean([off(at) for at in on[1:7]]) < 0.03
    assert np.mean([off(at) for at in steps[1:7]]) > 0.08
    by_minute = Timewarp(bpm=100.0)(given)
    assert apart(by_minute[: len(made)][:200], made[:200]) < 1e-6


def test_who_has_no_accents_stays_and_it_is_said():
    given = motion("wave")
    still = replace(
        given,
        rotations=np.repeat(given.rotations[:1], 90, axis=0),
        translations=np.repeat(given.translations[:1], 90, axis=0),
        scales=None,
    )
    with pytest.warns(NoAccents, match="could come on a beat"):
        made = Timewarp(bpm=120.0)(still)
    assert apart(made, still) < 1e-12


def test_a_stretch_alone_runs_at_another_pace():
    given = motion("wave")
    twice = Timewarp(marks=[(given.duration, 2.0 * given.duration)])(given)
    made = Timewarp(twice)(given, start=1.0, end=2.0, fade=0.2)
    assert apart(made[:60], given[:60]) < 1e-6
    assert len(given) + 40 < len(made) < len(given) + 60
    assert apart(made[-80:], given[-80:]) < 1e-2


def test_marks_in_a_stretch_are_met_and_the_rest_keeps_its_pace():
    given = motion("wave")
    made = Timewarp(marks=[(1.5, 1.8)])(given, start=1.0, end=2.0)
    assert apart(made[:61], given[:61]) < 0.01
    assert apart(made[108:109], given[90:91]) < 1e-6
    assert apart(made[140:], given[122 : 122 + len(made) - 140]) < 0.01
    half = Timewarp(marks=[(1.5, 1.8)], amount=0.5)(given)
    assert apart(half[99:100], given[90:91]) < 1e-6
    with pytest.raises(ValueError, match="outside of the stretch"):
        Timewarp(marks=[(2.5, 2.8)])(given, start=1.0, end=2.0)


def test_calibration_frames_stay_marked():
    made = Timewarp(marks=[(1.0, 1.5)])(with_calibration(motion("wave")))
    assert made.calibration_frames == (0,)


def test_some_joints_alone():
    given = motion("wave")
    other, _ = bent(given)
    made = Timewarp(other)(given, parts="right_arm")
    arm = [given.skeleton.index(f"right{part}") for part in ("Shoulder", "UpperArm", "LowerArm")]
    rest = np.setdiff1d(np.arange(len(given.skeleton)), arm)
    assert len(made) == len(given)
    assert np.array_equal(made.rotations[:, rest], given.rotations[:, rest])
    assert np.abs(made.rotations[:, arm] - given.rotations[:, arm]).max() > 0.05


def test_matched_frames():
    values = np.arange(6.0)[:, None] ** 2
    path = np.array([[0, 0], [1, 1], [1, 2], [1, 3], [2, 4], [3, 4], [4, 4], [5, 5]])
    made = resample_path_values(values, path)[:, 0]
    assert made[0] == 0.0
    assert made[1] == pytest.approx((1.0 + 4.0 + 9.0) / 3.0)  # several for one: their mean
    assert made[5] == 25.0
    assert (np.diff(made[2:5]) > 1.0).all()  # one for several: no plateau
    line = np.arange(9.0)[:, None]
    assert b_spline(line, np.array([2.3, 4.0]))[:, 0] == pytest.approx([2.3, 4.0])
    assert b_spline(np.full((5, 2), 3.0), np.array([0.0, 1.7, 4.4])) == pytest.approx(np.full((3, 2), 3.0))


def test_matched_frames_of_a_motion():
    given = motion("wave")
    other, _ = bent(given, 0.12)
    made = Timewarp(other, frames="matched")(given)
    assert len(made) == len(other)
    assert apart(made, other) < 0.35 * apart(given, other)
    assert apart(Timewarp(given, frames="matched")(given), given) < 1e-6


def test_a_pirouette_stays_three_turns():
    given = pirouette()
    other, _ = bent(motion("wave"), 0.12)
    for how in (Timewarp(other), Timewarp(other, frames="matched"), Timewarp(marks=[(1.0, 2.0)]), Timewarp(bpm=80)):
        heading = Curves.of(how(given)).heading
        assert heading[-1] - heading[0] == pytest.approx(6.0 * np.pi, abs=0.1)
        assert np.abs(np.diff(heading)).max() < 0.6


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
def test_the_shortest(frames):
    given = short(frames)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoAccents)
        for how in (Timewarp(marks=[(given.duration, 1.0)] if frames > 1 else [(0.0, 0.0)]), Timewarp(bpm=100.0)):
            made = how(given)
            assert np.isfinite(made.rotations).all()
    if frames > 1:
        assert len(Timewarp(motion("wave"))(given)) == len(motion("wave"))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"amount": 2.0}, r"to 1 \(the other's\) is allowed"),
        ({"marks": [(1.0, 2.0), (0.5, 3.0)]}, "both must rise"),
        ({"marks": [(1.0, -2.0)]}, r"marks\[0\]\[1\] is -2"),
        ({"beats": [1.0, 0.5]}, "must rise"),
        ({"beats": [np.nan]}, r"beats\[0\] is nan"),
        ({"bpm": 0.0}, "1 to 1000"),
        ({"bpm": 100.0, "beats": [1.0]}, "beats and bpm were given"),
        ({"frames": "some"}, "one of: smooth, matched"),
        ({"frames": "matched"}, "they need onto="),
    ],
)
def test_what_cannot_be_is_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        Timewarp(**wrong)


@pytest.mark.parametrize("edit", [Timewarp("bow"), Timewarp("bow.bvh", frames="matched"), Blend(others=["bow"])])
def test_names_and_files_are_for_scores(edit):
    with pytest.raises(ValueError, match=r"an edit opens no files.*put the edit in a Score"):
        edit(motion("wave"))


def test_marks_beyond_the_motion_are_refused():
    with pytest.raises(ValueError, match="the motion lasts from 0 to"):
        Timewarp(marks=[(100.0, 101.0)])(motion("wave"))


def test_b_splines_are_scipys(rng):
    from scipy.interpolate import BSpline

    values, at = rng.normal(size=(12, 3)), np.linspace(1.0, 9.9, 40)
    oracle = BSpline(np.arange(-2.0, 14.0), values, 3)  # uniform knots, control point k above k
    assert b_spline(values, at) == pytest.approx(oracle(at), abs=1e-12)


def assignment_cost(accents, beats, pairs):
    """What ``match_beats`` minimises, written out for one assignment of numbers, from 1, to numbers."""
    mean = np.mean([accent.strength for accent in accents])
    strengths = [0.0, *(min(accent.strength / mean, 2.0) for accent in accents)]
    at, when = [0.0, *(accent.seconds for accent in accents)], [0.0, *beats]
    total, (i, j) = 0.0, (0, 0)
    for k, m in pairs:
        pace = abs(np.log((when[m] - when[j]) / (at[k] - at[i])))
        if pace > np.log(QUICKEST):
            return np.inf
        total += PACE * pace**2 + sum(strengths[i + 1 : k]) + LEFT_OUT * (m - j - 1)
        i, j = k, m
    over = j == len(beats)
    return total + (0.0 if over else sum(strengths[i + 1 :])) + (0.0 if pairs else sum(strengths))


@settings(max_examples=40)
@given_any(seeds)
def test_beats_are_assigned_at_the_least_cost(seed):
    rng = np.random.default_rng(seed)
    accents = [
        Accent(float(s), float(w))
        for s, w in zip(np.cumsum(rng.uniform(0.2, 1.0, 4)), rng.uniform(0.1, 2.0, 4), strict=True)
    ]
    beats = np.cumsum(rng.uniform(0.2, 1.0, 4)).tolist()
    every = [
        list(zip(rows, columns, strict=True))
        for count in range(5)
        for rows in itertools.combinations(range(1, 5), count)
        for columns in itertools.combinations(range(1, 5), count)
    ]
    found = match_beats(accents, beats)
    numbers = [([a.seconds for a in accents].index(old) + 1, beats.index(new) + 1) for old, new in found]
    least = min(assignment_cost(accents, beats, pairs) for pairs in every)
    assert assignment_cost(accents, beats, numbers) == pytest.approx(least, abs=1e-9)
