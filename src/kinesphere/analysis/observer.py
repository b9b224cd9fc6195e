"""``observe``: which Effort a motion shows, as an observer codes it who sees joints and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kinesphere.analysis.cues import ELEMENTS, FACTORS
from kinesphere.analysis.fixing import clearance, coded
from kinesphere.analysis.judgement import Experience, beyond, experience
from kinesphere.analysis.measuring import Features, features
from kinesphere.motion.motion import Motion


@dataclass(frozen=True)
class Coding:
    """What is said of one factor.

    Attributes
    ----------
    score
        How much more the fighting element (+) shows than the indulging one (−). It orders motions; 0 is no threshold.
    code
        −1, 0 or +1.
    confidence
        The share of practice codings, as clear as this one, that were right.
    """

    score: float
    code: int
    confidence: float


@dataclass(frozen=True)
class Observation:
    """The coding of each factor; ``strokes`` is how many there were to see, and without any all is 0."""

    space: Coding
    weight: Coding
    time: Coding
    flow: Coding
    strokes: int

    @property
    def codes(self) -> tuple[int, int, int, int]:
        """The four codes."""
        return self.space.code, self.weight.code, self.time.code, self.flow.code

    @property
    def elements(self) -> tuple[str, ...]:
        """The elements that are said to be there, by name."""
        rows = zip(ELEMENTS.values(), self.codes, strict=True)
        return tuple(pair[(code + 1) // 2] for pair, code in rows if code)


def observe(motion: Motion, baseline: Motion | None = None) -> Observation:
    """Code a motion's Effort from where its joints are.

    Parameters
    ----------
    motion
        With strokes of the hands; anything else has nothing to code.
    baseline
        The same movement by the same performer without any Effort, if there is one. Otherwise the motion is compared
        with a population of neutral gestures, and what is the movement's own is easily taken for Effort.
    """
    return judged(features(motion), None if baseline is None else features(baseline))


def judged(found: Features, baseline: Features | None = None, learned: Experience | None = None) -> Observation:
    """The coding of measures, so that the same ones need not be taken twice."""
    known = experience() if learned is None else learned
    if not found.strokes:
        nothing = Coding(0.0, 0, 0.0)
        return Observation(nothing, nothing, nothing, nothing, 0)
    neutral: Mapping[str, float] = known.population
    judgement = known.alone
    if baseline is not None and baseline.strokes:
        neutral, judgement = baseline.values, known.beside
    more = beyond(found, neutral)
    codings = {}
    for factor in FACTORS:
        margins = judgement.margins(more, factor)
        certain, clearer = judgement.confidences[factor]
        sure = 1.0 / (1.0 + np.exp(-certain - clearer * float(clearance(margins))))
        codings[factor] = Coding(float(margins[1] - margins[0]), int(coded(margins)), float(sure))
    return Observation(**codings, strokes=found.strokes)
