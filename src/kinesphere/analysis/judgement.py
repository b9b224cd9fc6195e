"""What the observer brings along: weights, thresholds, and a neutral population to compare with."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np

from kinesphere.analysis.cues import ELEMENTS, FACTORS, NOTICEABLE, SIGNS
from kinesphere.analysis.fixing import clearance, coded, fixed_confidence, fixed_thresholds, fixed_weights
from kinesphere.analysis.measuring import Features
from kinesphere.kernels.arrays import Floats

FILE = Path(__file__).with_name("judgement.toml")


@dataclass(frozen=True)
class Judgement:
    """How measures beyond neutral become codes.

    Attributes
    ----------
    weights
        Element to what each of its cues counts, in units of the measure.
    thresholds
        Element to the score beyond which it is said to be there.
    confidences
        Factor to ``a, b``: see ``fixed_confidence``.
    """

    weights: Mapping[str, Mapping[str, float]]
    thresholds: Mapping[str, float]
    confidences: Mapping[str, tuple[float, float]]

    def margins(self, beyond: Mapping[str, float], factor: str) -> Floats:
        """``(2,)`` how far both elements of a factor are above their thresholds, for measures beyond neutral."""
        score = [
            sum(weight * beyond[cue] for cue, weight in self.weights[element].items()) - self.thresholds[element]
            for element in ELEMENTS[factor]
        ]
        return np.array(score)


@dataclass(frozen=True)
class Experience:
    """Both judgements and the population: ``beside`` a neutral of the same, ``alone`` against the population's mean."""

    population: Mapping[str, float]
    beside: Judgement
    alone: Judgement


def fixed(examples: Sequence[Mapping[str, float]], codes: Sequence[Sequence[int]]) -> Judgement:
    """A judgement fixed on examples: measures beyond neutral, and the four codes that were performed."""
    names = list(examples[0])
    values = np.array([[row[name] for name in names] for row in examples])
    spread = np.maximum(values.std(axis=0), 1e-9)
    blur = np.array([NOTICEABLE[name] for name in names]) / spread
    wanted = np.array(codes)
    weights: dict[str, dict[str, float]] = {}
    thresholds: dict[str, float] = {}
    confidences = {}
    for i, factor in enumerate(FACTORS):
        scores = np.zeros((len(values), 2))
        for j, element in enumerate(ELEMENTS[factor]):
            at = [names.index(cue) for cue in SIGNS[element]]
            signs = np.array(list(SIGNS[element].values()), dtype=np.float64)
            present = (wanted[:, i] == 2 * j - 1).astype(np.float64)
            counts = fixed_weights(values[:, at] / spread[at] * signs, present, blur[at]) * signs / spread[at]
            weights[element] = {names[k]: float(count) for k, count in zip(at, counts, strict=True) if count != 0.0}
            scores[:, j] = values[:, at] @ counts
        limits = fixed_thresholds(scores, wanted[:, i])
        thresholds |= dict(zip(ELEMENTS[factor], limits.tolist(), strict=True))
        margins = scores - limits
        confidences[factor] = fixed_confidence(clearance(margins), coded(margins) == wanted[:, i])
    return Judgement(weights, thresholds, confidences)


def beyond(found: Features, neutral: Mapping[str, float]) -> dict[str, float]:
    """Measures less those of a neutral, and both sides of what is left of the speed."""
    more = {name: value - neutral[name] for name, value in found.values.items()}
    return more | {"quickness": max(more["speed"], 0.0), "slowness": max(-more["speed"], 0.0)}


@cache
def experience() -> Experience:
    """What is in ``judgement.toml``; ``tools/observer_experiment.py --fix`` makes it."""
    with FILE.open("rb") as file:
        data = tomllib.load(file)
    return Experience(MappingProxyType(data["population"]), _read(data["beside"]), _read(data["alone"]))


def _read(table: Mapping[str, Mapping[str, float]]) -> Judgement:
    rows = {element: dict(table[element]) for pair in ELEMENTS.values() for element in pair}
    thresholds = {element: row.pop("threshold") for element, row in rows.items()}
    sure = {factor: (table[factor]["certain"], table[factor]["clearer"]) for factor in FACTORS}
    return Judgement(MappingProxyType(rows), MappingProxyType(thresholds), MappingProxyType(sure))


def written(learned: Experience, about: str) -> str:
    """As TOML."""
    lines = [f"# {line}".rstrip() for line in about.splitlines()]
    lines += ["", "[population]", *(f"{name} = {value:.4f}" for name, value in learned.population.items())]
    for name, judgement in (("beside", learned.beside), ("alone", learned.alone)):
        for factor, elements in ELEMENTS.items():
            certain, clearer = judgement.confidences[factor]
            lines += ["", f"[{name}.{factor}]", f"certain = {certain:.4f}", f"clearer = {clearer:.4f}"]
            for element in elements:
                lines += ["", f"[{name}.{element}]", f"threshold = {judgement.thresholds[element]:.4f}"]
                lines += [f"{cue} = {weight:.5g}" for cue, weight in judgement.weights[element].items()]
    return "\n".join(lines) + "\n"
