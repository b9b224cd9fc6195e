"""Many performances in a row are each one alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.engine.batch import Batch

seconds = st.just(0.0) | st.floats(1e-4, 0.4)
counts = st.lists(st.tuples(st.integers(2, 40), st.booleans()), min_size=1, max_size=5)


def cast(performances, seed, columns=()):
    """Spans of performances, values for all their frames, and each one's spans and values alone."""
    frames, loops = (tuple(row) for row in zip(*performances, strict=True))
    values = [np.random.default_rng([seed, i]).normal(size=(n, *columns)) for i, n in enumerate(frames)]
    for own, loop in zip(values, loops, strict=True):
        if loop:
            own[-1] = own[0]
    alone = [Batch((n,), (loop,)) for n, loop in zip(frames, loops, strict=True)]
    return Batch(frames, loops), np.concatenate(values), alone, values


def each(made, spans):
    return [made[frames] for frames in spans.slices]


def same(together, alone):
    for a, b in zip(together, alone, strict=True):
        assert a.shape == b.shape
        assert np.abs(a - b).max() < 1e-11


@given(counts, seeds, seconds)
def test_smoothing_knows_where_one_ends(performances, seed, time):
    spans, values, alone, own = cast(performances, seed, (3,))
    same(each(spans.smooth(values, time), spans), [s.smooth(v, time) for s, v in zip(alone, own, strict=True)])


@given(counts, seeds, st.floats(-0.4, 0.4))
def test_delays_know_where_one_ends(performances, seed, time):
    spans, values, alone, own = cast(performances, seed)
    same(each(spans.delay(values, time), spans), [s.delay(v, time) for s, v in zip(alone, own, strict=True)])


def test_a_delay_is_the_straight_line_between_frames_and_holds_the_ends():
    batch, values = Batch((50,), (False,), 10.0), np.random.default_rng(0).normal(size=(50, 2))
    for seconds in (0.0, 0.17, -0.38, 2.0, 9.0):
        expected = np.stack([np.interp(batch.time - seconds, batch.time, column) for column in values.T], axis=1)
        np.testing.assert_allclose(batch.delay(values, seconds), expected, atol=1e-12)
    loop = Batch((50,), (True,), 10.0)
    np.testing.assert_allclose(loop.delay(values, 0.3)[:46], values[[46, 47, 48, *range(43)]], atol=1e-12)


@given(counts, seeds)
def test_velocities_know_where_one_ends(performances, seed):
    spans, values, alone, own = cast(performances, seed, (2, 2))
    same(each(spans.velocity(values), spans), [s.velocity(v) for s, v in zip(alone, own, strict=True)])


@given(counts, seeds, seconds)
def test_the_widest_know_where_one_ends(performances, seed, time):
    spans, values, alone, own = cast(performances, seed)
    same(
        each(spans.running_maximum(values, time), spans),
        [s.running_maximum(v, time) for s, v in zip(alone, own, strict=True)],
    )


def plainly(values, loop, place):
    """The value at a frame that may lie outside."""
    return values[place % (len(values) - 1)] if loop else values[min(max(place, 0), len(values) - 1)]


@pytest.mark.parametrize("loop", [False, True])
def test_alone_they_are_what_their_names_say(loop, rng):
    values = rng.normal(size=20)
    values[-1] = values[0]
    spans = Batch((20,), (loop,))
    frames = range(20)
    weights = np.exp(-0.5 * (np.arange(-7, 8) / 2.0) ** 2)
    expected = [
        sum(w * plainly(values, loop, i + k) for k, w in enumerate(weights, -7)) / weights.sum() for i in frames
    ]
    assert spans.smooth(values, 2.0 / 60.0) == pytest.approx(expected, abs=1e-12)
    expected = [0.75 * plainly(values, loop, i - 3) + 0.25 * plainly(values, loop, i - 2) for i in frames]
    assert spans.delay(values, 2.75 / 60.0) == pytest.approx(expected, abs=1e-12)
    expected = [0.5 * plainly(values, loop, i + 1) + 0.5 * plainly(values, loop, i + 2) for i in frames]
    assert spans.delay(values, -1.5 / 60.0) == pytest.approx(expected, abs=1e-12)
    assert spans.delay(values, 0.0) == pytest.approx(values, abs=1e-15)
    expected = [max(plainly(values, loop, i + k) for k in range(-4, 5)) for i in frames]
    assert spans.running_maximum(values, 4.0 / 60.0) == pytest.approx(expected, abs=0.0)


def test_velocity_is_exact_for_straight_lines_and_halves_no_ends():
    line = np.arange(30.0)[:, None] * [2.0, -1.0] / 60.0
    assert Batch((30,), (False,)).velocity(line) == pytest.approx(np.tile([2.0, -1.0], (30, 1)), abs=1e-12)
    wave = np.sin(2.0 * np.pi * np.arange(61) / 60.0)
    speed = Batch((61,), (True,)).velocity(wave)
    assert speed == pytest.approx(2.0 * np.pi * np.cos(2.0 * np.pi * np.arange(61) / 60.0), abs=0.02)
    assert speed[0] == pytest.approx(speed[-1], abs=1e-12)


def test_time_starts_again_with_every_performance():
    spans = Batch((3, 2), (False, True), 20.0)
    assert spans.time == pytest.approx([0.0, 0.05, 0.1, 0.0, 0.05])
    assert spans.performance.tolist() == [0, 0, 0, 1, 1]
    assert spans.first.tolist() == [0, 0, 0, 3, 3]
    assert len(spans) == 5
    assert spans.slices == [slice(0, 3), slice(3, 5)]
    assert spans.velocity(np.array([0.0, 1.0, 2.0, 5.0, 5.0])) == pytest.approx([20.0, 20.0, 20.0, 0.0, 0.0])
