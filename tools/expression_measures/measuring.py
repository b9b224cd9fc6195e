"""All measures of a take: the mean over its strokes, longer ones counting more, and those of the whole take."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from expression_measures import flow, space, timing, weight, whole
from expression_measures.catalogue import Measure
from expression_measures.takes import Take

GROUPS = MappingProxyType({"Weight": weight, "Time": timing, "Space": space, "Flow": flow})
MEASURES: Mapping[str, Measure] = MappingProxyType(
    {own.name: own for group in (*GROUPS.values(), whole) for own in group.MEASURES}
    | {own.name: own for own in weight.MAIN}
)
AIMED = frozenset(own.name for own in weight.MEASURES)  # what an arm does that is only let down says nothing of these


def measure_take(take: Take) -> dict[str, float]:
    """The measures of a take; those that it does not show are missing."""
    sums: dict[str, float] = {}
    weights: dict[str, float] = {}
    for stroke in take.strokes:
        length = float(np.linalg.norm(take.chord(stroke)))
        aimed = take.is_aimed(stroke)
        for group in GROUPS.values():
            for name, value in group.measure(take, stroke).items():
                if aimed or name not in AIMED:
                    sums[name] = sums.get(name, 0.0) + length * value
                    weights[name] = weights.get(name, 0.0) + length
    means = {name: sums[name] / weights[name] for name in sums if weights[name] > 0.0}
    return means | whole.measure(take) | weight.measure_main(take)
