"""How an observer's weights and thresholds are fixed on examples: arrays in, numbers out.

Signs come from the literature and never from the examples; only how much each cue counts does, by least squares with
weights that may not be negative. Thresholds are then those that code most examples right. See ``cues`` for the signs.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np

from kinesphere.analysis.measures import ELEMENTS, FACTORS, NOTICEABLE, SIGNS, StrokeMeasures, measure_strokes
from kinesphere.maths.vectors import Bools, Floats, Ints
from kinesphere.motion.motion import Motion

RIDGE = 0.02  # of the number of examples: keeps cues that say the same from cancelling each other
SWEEPS = 2000
STEPS = 71  # thresholds tried for each element
RARE = 0.3  # no element is in more of the examples than the rest of this


def fit_weights(cues: Floats, present: Floats, blur: Floats) -> Floats:
    """Weights of cues ``(N, C)``, none negative, that come closest to whether the element is there ``(N,)``, 0 or 1.

    Cues should be of about equal spread; ``blur (C,)`` is the noise with which they are seen. Expected least squares
    over that noise, which adds its variance to the ridge, by coordinate descent: the problem is convex, so where it
    starts does not matter.
    """
    x = cues - cues.mean(axis=0)
    y = present - present.mean()
    square = x.T @ x + len(x) * np.diag(RIDGE + blur**2)
    aim = x.T @ y
    weights = np.zeros(x.shape[1])
    for _ in range(SWEEPS):
        before = weights.copy()
        for i in range(len(weights)):
            rest = aim[i] - square[i] @ weights + square[i, i] * weights[i]
            weights[i] = max(0.0, rest / square[i, i])
        if np.abs(weights - before).max() < 1e-10:
            break
    return weights


def code_margins(margins: Floats) -> Ints:
    """Codes ``(...)`` of margins ``(..., 2)`` of both elements: the one further beyond its threshold, or 0."""
    low, high = margins[..., 0], margins[..., 1]
    codes: Ints = np.where((low > 0.0) & (low >= high), -1, np.where(high > 0.0, 1, 0))
    return codes


def code_margin(margins: Floats) -> Floats:
    """How far ``(...)`` margins ``(..., 2)`` are from being coded otherwise."""
    best = np.maximum(margins, 0.0)
    clear: Floats = np.where(best.any(axis=-1), np.abs(best[..., 1] - best[..., 0]), -margins.max(axis=-1))
    return clear


def fit_thresholds(scores: Floats, codes: Ints) -> Floats:
    """The two thresholds ``(2,)`` of scores ``(N, 2)`` that code most examples right.

    Among pairs that are equally good, the one nearest to their middle is taken, so that no single example decides.
    """
    tried = np.quantile(scores, np.linspace(RARE, 1.0, STEPS), axis=0)
    pairs = np.stack(np.meshgrid(tried[:, 0], tried[:, 1], indexing="ij"), axis=-1).reshape(-1, 2)
    right = np.array([int(np.sum(code_margins(scores - pair) == codes)) for pair in pairs])
    best = pairs[right == right.max()]
    nearest: Floats = best[int(np.argmin(np.sum((best - best.mean(axis=0)) ** 2, axis=1)))]
    return nearest


def fit_confidence(clear: Floats, right: Bools) -> tuple[float, float]:
    """``a, b`` with which ``1 / (1 + exp(−a − b · clearance))`` is the share of examples coded right, b not negative.

    Logistic regression by Newton's steps, with a slight ridge on b.
    """
    x = np.stack([np.ones(len(clear)), clear], axis=1)
    found = np.zeros(2)
    for _ in range(50):
        share = 1.0 / (1.0 + np.exp(-x @ found))
        slope = x.T @ (right - share) - np.array([0.0, 1e-3]) * found
        bend = (x * (share * (1.0 - share))[:, None]).T @ x + np.diag([1e-9, 1e-3])
        found = found + np.linalg.solve(bend, slope)
    if found[1] >= 0.0:
        return float(found[0]), float(found[1])
    odds = np.clip(np.mean(right), 0.01, 0.99)
    return float(np.log(odds / (1.0 - odds))), 0.0


# ---- What the observer brings along: weights, thresholds, and a neutral population to compare with.


FILE = Path(__file__).with_name("judgement.toml")


@dataclass(frozen=True)
class EffortCalibration:
    """How measures beyond neutral become codes.

    Attributes
    ----------
    weights
        Element to what each of its cues counts, in units of the measure.
    thresholds
        Element to the score beyond which it is said to be there.
    confidences
        Factor to ``a, b``: see ``fit_confidence``.
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
class Calibrations:
    """Both judgements and the population: ``beside`` a neutral of the same, ``alone`` against the population's mean."""

    population: Mapping[str, float]
    beside: EffortCalibration
    alone: EffortCalibration


def fit_calibration(examples: Sequence[Mapping[str, float]], codes: Sequence[Sequence[int]]) -> EffortCalibration:
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
            counts = fit_weights(values[:, at] / spread[at] * signs, present, blur[at]) * signs / spread[at]
            weights[element] = {names[k]: float(count) for k, count in zip(at, counts, strict=True) if count != 0.0}
            scores[:, j] = values[:, at] @ counts
        limits = fit_thresholds(scores, wanted[:, i])
        thresholds |= dict(zip(ELEMENTS[factor], limits.tolist(), strict=True))
        margins = scores - limits
        confidences[factor] = fit_confidence(code_margin(margins), code_margins(margins) == wanted[:, i])
    return EffortCalibration(weights, thresholds, confidences)


def relative_measures(found: StrokeMeasures, neutral: Mapping[str, float]) -> dict[str, float]:
    """Measures less those of a neutral, and both sides of what is left of the speed."""
    more = {name: value - neutral[name] for name, value in found.values.items()}
    return more | {"quickness": max(more["speed"], 0.0), "slowness": max(-more["speed"], 0.0)}


@cache
def load_calibrations() -> Calibrations:
    """What is in ``judgement.toml``; ``tools/observer_experiment.py --fix`` makes it."""
    with FILE.open("rb") as file:
        data = tomllib.load(file)
    return Calibrations(MappingProxyType(data["population"]), _read(data["beside"]), _read(data["alone"]))


def _read(table: Mapping[str, Mapping[str, float]]) -> EffortCalibration:
    rows = {element: dict(table[element]) for pair in ELEMENTS.values() for element in pair}
    thresholds = {element: row.pop("threshold") for element, row in rows.items()}
    sure = {factor: (table[factor]["certain"], table[factor]["clearer"]) for factor in FACTORS}
    return EffortCalibration(MappingProxyType(rows), MappingProxyType(thresholds), MappingProxyType(sure))


def calibrations_toml(learned: Calibrations, about: str) -> str:
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


# ---- ``observe``: which Effort a motion shows, as an observer codes it who sees joints and nothing else.


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
    return code_measures(measure_strokes(motion), None if baseline is None else measure_strokes(baseline))


def code_measures(
    found: StrokeMeasures, baseline: StrokeMeasures | None = None, learned: Calibrations | None = None
) -> Observation:
    """The coding of measures, so that the same ones need not be taken twice."""
    known = load_calibrations() if learned is None else learned
    if not found.strokes:
        nothing = Coding(0.0, 0, 0.0)
        return Observation(nothing, nothing, nothing, nothing, 0)
    neutral: Mapping[str, float] = known.population
    judgement = known.alone
    if baseline is not None and baseline.strokes:
        neutral, judgement = baseline.values, known.beside
    more = relative_measures(found, neutral)
    codings = {}
    for factor in FACTORS:
        margins = judgement.margins(more, factor)
        certain, clearer = judgement.confidences[factor]
        sure = 1.0 / (1.0 + np.exp(-certain - clearer * float(code_margin(margins))))
        codings[factor] = Coding(float(margins[1] - margins[0]), int(code_margins(margins)), float(sure))
    return Observation(**codings, strokes=found.strokes)
