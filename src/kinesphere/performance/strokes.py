"""The strokes of a phrase's body, for properties of timing: when they begin, which are rests, how short they may be.

Properties of timing ask for the duration of strokes by a curve over the phrase's own time, so that both arms, trunk and
steps go by it together. ``duration_curve`` makes it of one factor a stroke.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinesphere.engine.clocks import ACCENTED, FASTEST, SHORTEST
from kinesphere.engine.detail import LEGS_LEAD, REST_LEADS
from kinesphere.engine.gait_clock import GaitClock
from kinesphere.engine.phrases import body_rest_times, leading_side
from kinesphere.engine.proportions import ARM
from kinesphere.engine.recording_clock import PACES
from kinesphere.engine.written_claims import CADENCE, stroke_means
from kinesphere.maths.vectors import Bools, Floats, norms
from kinesphere.motion.phrase import SAMPLES, Phrase
from kinesphere.motion.scope import Scope

HOLDS = 0.05  # arm lengths from stop to stop: a hand that goes less rests
LONGER = 1.1  # times the shortest duration of a stroke: hands go on curves
ROUNDS = 8  # of finding a curve whose means are the factors


class PhraseStrokes(NamedTuple):
    """The strokes of a phrase's body in its own time."""

    edges: Floats  # (S + 1,) seconds
    moves: Bools  # (S,) which are no rests
    least: Floats  # (S,) seconds that each takes at least
    whole: Bools  # (S,) which were not cut at the beginning or the end, as a first step

    @property
    def lasts(self) -> Floats:
        """``(S,)`` seconds."""
        return np.diff(self.edges)


def body_strokes(phrase: Phrase) -> PhraseStrokes:
    """Of the hand that leads; of the whole body of a recording; steps of a walk."""
    if phrase.gait is not None:
        clock = GaitClock.of(phrase, SAMPLES)
        steps = np.arange(2 * (clock.strides + 2)) / 2.0 - clock.start
        inside = steps * clock.period
        edges = np.unique([0.0, *inside[(inside > 1e-6) & (inside < phrase.duration - 1e-6)], phrase.duration])
        every: Bools = np.ones(len(edges) - 1, dtype=np.bool_)
        return PhraseStrokes(edges, every, np.diff(edges) / CADENCE[1], _between(every))
    if phrase.detail is not None:
        found = phrase.detail.strokes
        moves = np.array([lead != REST_LEADS for lead in found.leads], dtype=np.bool_)
        walked = np.array([lead == LEGS_LEAD for lead in found.leads], dtype=np.bool_)
        lasts = np.diff(found.edges)
        least = np.maximum(_shortest(phrase.detail.figure_lengths, lasts), lasts / PACES[1])
        return PhraseStrokes(found.edges, moves, least, ~walked | _between(walked))
    side = leading_side(phrase)
    keys = None if side is None else phrase.arm(side).keys
    if keys is None or keys.stops.sum() < 2:
        edges = body_rest_times(phrase.original)
        every = np.ones(len(edges) - 1, dtype=np.bool_)
        return PhraseStrokes(edges, every, np.zeros(len(every)), every)
    stops = np.flatnonzero(keys.stops)
    lengths = np.array(
        [
            float(norms(np.diff(keys.positions[first : last + 1], axis=0)).sum())
            for first, last in zip(stops[:-1], stops[1:], strict=True)
        ]
    )
    edges = keys.times[stops]
    every = np.ones(len(lengths), dtype=np.bool_)
    return PhraseStrokes(edges, lengths > HOLDS, _shortest(ARM * lengths, np.diff(edges)), every)


def _between(rows: Bools) -> Bools:
    """Rows without the first and the last one of all."""
    made = rows.copy()
    made[[0, -1]] = False
    return made


def _shortest(lengths: Floats, lasts: Floats) -> Floats:
    """``(S,)`` seconds that strokes of so many metres take at least: hands go no quicker than they can."""
    return np.minimum(lasts, np.where(lengths > 0.0, np.maximum(LONGER * ACCENTED * lengths / FASTEST, SHORTEST), 0.0))


def strokes_within(strokes: PhraseStrokes, scope: Scope) -> Bools:
    """``(S,)`` which strokes a scope means: those of which the middle is in it."""
    middles = 0.5 * (strokes.edges[1:] + strokes.edges[:-1])
    low, high = (-np.inf if scope.start is None else scope.start), (np.inf if scope.end is None else scope.end)
    return np.asarray((middles >= low) & (middles <= high))


def any_time(scope: Scope) -> Scope:
    """The same scope at all times: of properties that choose whole strokes by themselves."""
    return replace(scope, start=None, end=None)


def duration_curve(phrase: Phrase, strokes: PhraseStrokes, factors: Floats) -> Floats:
    """``(N,)`` over the phrase's own time, whose mean over each stroke is its factor ``(S,)``.

    What is before the first stroke goes with it, and what is after the last one with that.
    """
    stroke = np.clip(np.searchsorted(strokes.edges, phrase.times, side="right") - 1, 0, len(factors) - 1)
    given = factors.copy()
    for _ in range(ROUNDS):
        given *= factors / stroke_means(given[stroke], strokes.edges, phrase.times)
    return np.asarray(given[stroke])


def time_taken(phrase: Phrase, strokes: PhraseStrokes) -> Floats:
    """``(S,)`` seconds that go with each stroke: its own, and what is before the first and after the last."""
    made = strokes.lasts.copy()
    made[0] += strokes.edges[0]
    made[-1] += max(phrase.duration - float(strokes.edges[-1]), 0.0)
    return made
