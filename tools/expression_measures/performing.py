"""Performances to measure: gestures with Effort or words, many in one call, each measured once."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from expression_measures.catalogue import DIALS
from expression_measures.measuring import measure_take
from expression_measures.takes import take_of
from kinesphere import Effort, Motion
from kinesphere.builtin.library import gestures
from kinesphere.score.performance import score_of
from kinesphere.score.rendering import render_all

TOGETHER = 120  # performances of one call: more would only need more memory
SEEDS = 3

Values = dict[str, float]


class Spec(NamedTuple):
    """What is performed. ``elements`` are names of Effort elements at full."""

    gesture: str
    elements: tuple[str, ...] = ()
    word: str = ""
    intensity: float = 1.0
    seed: int | None = 0

    @property
    def neutral(self) -> Spec:
        """The same individual, doing the same without anything."""
        return Spec(self.gesture, seed=self.seed)


def effort_of(elements: Iterable[str]) -> Effort:
    """Elements at full."""
    dials = dict.fromkeys(("space", "weight", "time", "flow"), 0.0) | dict(DIALS[element] for element in elements)
    return Effort(dials["space"], dials["weight"], dials["time"], dials["flow"])


def perform_each(specs: Iterable[Spec]) -> Iterator[tuple[Spec, Motion]]:
    """Perform all of them, in batches."""
    every = list(dict.fromkeys(specs))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # dials that a gesture does not show are among what is measured
        for first in range(0, len(every), TOGETHER):
            some = every[first : first + TOGETHER]
            scores = [
                score_of(
                    own.gesture,
                    effort_of(own.elements),
                    words=own.word or None,
                    intensity=own.intensity,
                    seed=own.seed,
                )
                for own in some
            ]
            yield from zip(some, render_all(scores), strict=True)


def measure_each(specs: Iterable[Spec]) -> dict[Spec, Values]:
    """The measures of all of them."""
    return {own: measure_take(take_of(motion)) for own, motion in perform_each(specs)}


def armed_gestures() -> tuple[str, ...]:
    """Built-in gestures in which a hand goes somewhere; the others have no strokes that could be compared."""
    found = []
    for own, motion in perform_each(Spec(name) for name in gestures()):
        take = take_of(motion)
        if any(take.is_aimed(stroke) for stroke in take.strokes):
            found.append(own.gesture)
    return tuple(found)
