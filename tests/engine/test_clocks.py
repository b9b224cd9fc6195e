"""Clocks: plain ones change nothing, others stretch strokes, and all of them run forwards."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.engine.clocks import FASTEST, SHORTEST, StrokeClock, stroke_clock, stroke_phases
from kinesphere.motion.phrase import Track

FRAME = 1.0 / 60.0


def written(rng, count=4):
    """Moments on whole frames at which strokes begin and end."""
    return (rng.integers(0, 60) + np.concatenate([[0], np.cumsum(rng.integers(1, 90, count))])) / 60.0


def anyhow(rng, count=4):
    """Strokes with everything anywhere."""
    low, high = np.array([[0.02, 0.0, 0.0, 0.6, 0.05], [0.98, 0.1, 0.2, 3.2, 9.0]])
    names = ("inflection", "anticipation", "overshoot", "time_exponent", "duration")
    values = rng.uniform(low[:, None], high[:, None], (5, count))
    return Track(strokes=dict(zip(names, values, strict=True)))


@given(seeds)
def test_a_plain_clock_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    source, eases = written(rng), rng.uniform(0.2, 0.8, 4)
    ran = stroke_clock(source, rng.uniform(0.0, 1.0, 4), Track(), eases, False)
    time = np.linspace(0.0, source[-1] + 1.0, 500)
    assert ran.goals == pytest.approx(source, abs=1e-12)
    assert ran.to_source(time) == pytest.approx(time, abs=1e-7)
    assert ran.to_output(time) == pytest.approx(time, abs=1e-12)
    assert ran.end(source[-1] + 0.7) == pytest.approx(source[-1] + 0.7)
    assert ran.timing_change == 0.0
    assert np.array_equal(ran.inflection, eases)


@given(seeds)
def test_every_clock_runs_forwards_and_meets_every_goal(seed):
    rng = np.random.default_rng(seed)
    source = written(rng)
    ran = stroke_clock(source, rng.uniform(0.0, 1.0, 4), anyhow(rng), rng.uniform(0.05, 0.95, 4), False)
    time = np.linspace(0.0, ran.goals[-1] + 1.0, 4000)
    made = ran.to_source(time)
    assert np.isfinite(made).all()
    assert np.diff(made).min() > 0.0
    assert ran.to_source(ran.goals) == pytest.approx(source, abs=1e-9)
    assert ran.to_output(source) == pytest.approx(ran.goals, abs=1e-9)
    just = ran.to_source(ran.goals - 1e-7), ran.to_source(ran.goals + 1e-7)
    assert just[0] == pytest.approx(just[1], abs=1e-2)  # no leap where strokes meet
    frames = ran.goals / FRAME
    assert frames == pytest.approx(np.round(frames), abs=1e-9)
    assert np.diff(frames).min() > 1.0 - 1e-9


@given(seeds, st.floats(0.3, 6.0))
def test_durations_are_multiplied(seed, longer):
    rng = np.random.default_rng(seed)
    source = written(rng)
    ran = stroke_clock(source, np.zeros(4), Track(strokes={"duration": np.full(4, longer)}), None, False)
    wanted = longer * source
    assert (np.abs(ran.goals - wanted) < 4.0 * FRAME).all()  # as near as whole frames, one at least a stroke, allow
    long = np.diff(source) * longer > FRAME
    if long.all():
        assert np.abs(ran.goals - wanted).max() <= 0.5 * FRAME + 1e-9
    assert ran.end(source[-1] + 2.0) == pytest.approx(ran.goals[-1] + 2.0 * longer)
    early = np.linspace(0.0, ran.goals[0], 5)
    assert np.diff(ran.to_source(early)) * longer == pytest.approx(np.diff(early), abs=1e-9)


def test_each_stroke_has_its_own_duration():
    source = np.array([0.5, 1.0, 2.0, 2.5])
    ran = stroke_clock(source, np.full(3, 0.2), Track(strokes={"duration": np.array([1.0, 3.0, 2.0])}), None, False)
    assert ran.goals == pytest.approx([0.5, 1.0, 4.0, 5.0])
    assert (ran.lead, ran.tail) == (1.0, 2.0)
    assert ran.to_output(np.array([0.0, 1.5, 2.5, 3.0])) == pytest.approx([0.0, 2.5, 5.0, 6.0])
    assert ran.to_source(np.array([0.2, 6.0])) == pytest.approx([0.2, 3.0])


def test_locked_keys_keep_their_times_and_no_more():
    source = np.array([0.5, 1.0, 2.0])
    track = Track(strokes={"duration": np.array([3.0, 0.4]), "inflection": np.array(0.8)})
    ran = stroke_clock(source, np.full(2, 0.2), track, None, True)
    assert ran.goals == pytest.approx(source)
    assert ran.end(2.5) == pytest.approx(2.5)
    assert ran.inflection == pytest.approx(0.8)


@given(seeds, st.floats(0.5, 0.98), st.floats(1.0, 3.2), st.floats(0.05, 1.0))
def test_no_stroke_is_made_quicker_than_a_hand_can_go(seed, inflection, exponent, shorter):
    rng = np.random.default_rng(seed)
    source, ways = np.array([0.0, rng.uniform(0.1, 1.0)]), rng.uniform(0.1, 1.2, 1)
    lasts = source[1]
    track = Track(strokes={name: np.array([v]) for name, v in
                        (("inflection", inflection), ("time_exponent", exponent), ("duration", shorter))})  # fmt: skip
    ran = stroke_clock(source, ways, track, None, False)
    made = stroke_phases(ran, round(ran.goals[-1] * 60.0) + 1)
    fast = np.diff(made.path_share).max() * ways[0] * 60.0
    whole = round(lasts * 60.0) / 60.0
    assert fast <= 1.25 * max(FASTEST, 2.0 * ways[0] / whole)
    assert ran.goals[-1] >= min(lasts, SHORTEST) - 0.5 * FRAME - 1e-9
    assert ran.goals[-1] <= lasts + FRAME


def test_only_what_would_be_too_quick_is_held_back():
    hurried = Track(strokes={"duration": np.array(0.2), "time_exponent": np.array(3.0), "inflection": np.array(0.9)})
    source = np.array([0.0, 1.0, 2.0])
    ran = stroke_clock(source, np.array([0.05, 1.0]), hurried, None, False)
    made = np.diff(ran.goals)
    assert made[0] == pytest.approx(0.2)
    assert made[1] == pytest.approx(26.0 / 60.0)  # 3.4 m/s on the mean for each of 8 m/s, on whole frames
    assert ran.time_exponent[0] == pytest.approx(3.0)


def test_a_gestures_own_accents_give_way_to_effort():
    eases, source = np.array([0.3]), np.array([0.0, 1.0])
    made = [
        stroke_clock(source, np.array([0.1]), Track(strokes={"inflection": np.array([v])}), eases, False).inflection[0]
        for v in (0.02, 0.25, 0.5, 0.75, 0.98)
    ]
    assert made[1:4] == pytest.approx([0.15, 0.3, 0.65])  # half way to either end
    assert (np.diff(made) > 0.0).all()
    assert made[0] < 0.05
    assert made[-1] > 0.95


@given(st.floats(0.05, 0.95), st.floats(0.05, 0.95), st.floats(0.6, 3.0))
def test_everything_else_is_as_far_along_as_the_hand_is(inflection, plain, exponent):
    """Of a stroke whose plain way was s(t), a follower at f is where s(f) is the hand's way, 85 % of it."""
    share = np.linspace(0.0, 1.0, 201)
    none, ends = np.zeros(1), np.array([0.0, 1.0])
    timing = np.array([inflection]), none, none, np.array([exponent]), none, none, np.ones(1), none
    made = StrokeClock(ends, ends, *timing, np.array([plain]), 1.0, 1.0).to_source(share)
    assert made[[0, -1]] == pytest.approx([0.0, 1.0], abs=1e-12)
    assert np.diff(made).min() > 0.0

    def triangle(x, peak):
        return np.where(x <= peak, x * x / peak, 1.0 - (1.0 - x) ** 2 / (1.0 - peak))

    full = share + (made - share) / 0.85
    assert triangle(full, plain) == pytest.approx(triangle(share**exponent, inflection), abs=1e-6)


def test_a_plain_clock_gives_the_same_time_and_a_slower_one_goes_on_as_slowly():
    times = np.array([0.0, 0.5, 0.75, 1.0, 1.5, 2.0, 9.0])
    source = np.array([0.5, 1.0, 2.0])
    assert stroke_clock(source, np.zeros(2), Track(), None, False).to_source(times) == pytest.approx(times)
    slower = stroke_clock(source, np.zeros(2), Track(strokes={"duration": np.full(2, 2.0)}), None, False)
    assert slower.to_source(2.0 * times) == pytest.approx(times)


@given(st.floats(0.0, 0.9), st.integers(1, 5), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_hesitations_and_evenness_keep_the_ends_and_go_forwards(hesitation, pauses, irregular, evenness):
    ends, one = np.array([0.0, 1.0]), np.ones(1)
    timing = 0.5 * one, 0.0 * one, 0.0 * one, one, evenness * one, hesitation * one, float(pauses) * one
    made = StrokeClock(ends, ends, *timing, irregular * one, 0.5 * one, 1.0, 1.0).to_source(np.linspace(0.0, 1.0, 301))
    assert made[[0, -1]] == pytest.approx([0.0, 1.0], abs=1e-12)
    assert np.diff(made).min() >= -1e-12


def test_change_grows_with_what_is_changed():
    source = np.array([0.0, 1.0])

    def change(**strokes):
        track = Track(strokes={name: np.array([value]) for name, value in strokes.items()})
        return stroke_clock(source, np.array([0.2]), track, None, False).timing_change

    assert change() == 0.0
    assert 0.0 < change(duration=1.3) < change(duration=1.6) <= 1.0
    assert change(time_exponent=3.0) == 1.0
    assert change(inflection=0.9) > 0.5
