"""Effect sizes: how far elements move measures from neutral, paired over gestures and individuals.

Cohen's d of pairs is the mean of the differences over their standard deviation. A generated performance repeats itself
so exactly that a difference which nobody sees would have a large d: the just noticeable difference counts as one more
standard deviation, ``d = mean / √(variance + noticeable²)``. It is never larger than the d without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from expression_measures.catalogue import ELEMENTS, SATURATION, SIGNS
from expression_measures.measuring import MEASURES
from expression_measures.performing import Values
from kinesphere.maths.vectors import Floats

ENOUGH = 1.2  # the least d of an element on its own measure
SMALL = 0.5  # a d that is no objection, however small the own one is

Pairs = Sequence[tuple[Values, Values]]  # with the element, and without


def differences(pairs: Pairs, name: str) -> Floats:
    """``(N,)`` how much larger a measure, or its logarithm, is with than without, where both show it."""
    found = [with_it[name] - without[name] for with_it, without in pairs if name in with_it and name in without]
    return np.array(found, dtype=np.float64)


def cohens_d(given: Floats, noise: float = 0.0) -> float:
    """Cohen's d of paired differences, with a noise added to their standard deviation; 0 of fewer than two."""
    if len(given) < 2:
        return 0.0
    spread = float(np.sqrt(given.var(ddof=1) + noise**2))
    return float(given.mean() / max(spread, 1e-12))


def element_scores(pairs: Pairs, element: str, *, saturated: bool = True) -> Floats:
    """``(N,)`` an element's own measure: the mean over its cues of signed differences in noticeable ones."""
    rows = []
    for with_it, without in pairs:
        cues = []
        for name, sign in SIGNS[element].items():
            if name in with_it and name in without:
                moved = sign * (with_it[name] - without[name]) / MEASURES[name].noticeable
                cues.append(SATURATION * np.tanh(moved / SATURATION) if saturated else moved)
        rows.append(float(np.mean(cues)) if cues else 0.0)
    return np.array(rows)


def score_noise(element: str) -> float:
    """What one noticeable difference in every cue, each by itself, makes of their mean."""
    return 1.0 / float(np.sqrt(len(SIGNS[element])))


def element_d(pairs: Pairs, element: str) -> float:
    """The d of a change on an element's own measure."""
    return cohens_d(element_scores(pairs, element), score_noise(element))


def effect_matrix(pairs: Mapping[str, Pairs]) -> dict[str, dict[str, float]]:
    """For each element that is performed, its d on the own measure of every element."""
    return {own: {other: element_d(pairs[own], other) for other in ELEMENTS} for own in ELEMENTS}


def judge_matrix(matrix: Mapping[str, Mapping[str, float]]) -> dict[str, list[str]]:
    """What each element falls short of: too small a d, more on another's measure, or less than another on its own."""
    short: dict[str, list[str]] = {}
    for element in ELEMENTS:
        own = matrix[element][element]
        most = max(own, SMALL)
        rest = [name for name in ELEMENTS if name != element]
        found = [] if own >= ENOUGH else [f"d {own:.1f} < {ENOUGH}"]
        found += [f"moves {name}'s by {matrix[element][name]:.1f}" for name in rest if matrix[element][name] > most]
        found += [f"{name} moves it by {matrix[name][element]:.1f}" for name in rest if matrix[name][element] > most]
        short[element] = found
    return short
