"""Effort recognition: code a motion's Laban Effort (Space, Weight, Time, Flow) from joint positions.

``observe`` measures a motion's strokes, subtracts a neutral's measures, and adds up cues for each Effort element. An
element is coded where its score is above its threshold. The calibration, weights, thresholds and confidences, is in
``calibration.toml`` and is fitted to examples: signs come from the literature (``measures.SIGNS``) and never from the
examples; only how much each cue counts does, by least squares with weights that may not be negative. Thresholds are
then those that code most examples right.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np

from kinesphere.analysis.comparison import Comparison
from kinesphere.analysis.comparison_cues import seen
from kinesphere.analysis.measures import ELEMENTS, FACTORS, NOTICEABLE, SIGNS, StrokeMeasures, measure_strokes
from kinesphere.maths.vectors import Bools, Floats, Ints
from kinesphere.motion.motion import Motion

FILE = Path(__file__).with_name("calibration.toml")
RECORDED_FILE = Path(__file__).with_name("recorded_calibration.toml")
RIDGE = 0.02  # of the number of examples: keeps cues that say the same from cancelling each other
SWEEPS = 2000
STEPS = 71  # thresholds tried for each element
LEAST_QUANTILE = 0.3  # of scores, the lowest threshold tried: no element is in more than 70 % of the examples


@dataclass(frozen=True)
class Coding:
    """The coding of one factor.

    Attributes
    ----------
    score
        The fighting element's margin (+) less the indulging one's (−). It orders motions; 0 is no threshold.
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
    """The coding of each factor; ``strokes`` is the number of strokes, and without any all codes are 0."""

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
        """The names of the elements that are coded."""
        rows = zip(ELEMENTS.values(), self.codes, strict=True)
        return tuple(pair[(code + 1) // 2] for pair, code in rows if code)


def observe(motion: Motion, baseline: Motion | None = None) -> Observation:
    """Code a motion's Effort from joint positions.

    Parameters
    ----------
    motion
        With strokes of the hands; anything else has nothing to code.
    baseline
        The same movement by the same performer without any Effort, if there is one. Otherwise the motion is compared
        with the mean of a population of neutral gestures, and the movement's own character is easily coded as Effort.
    """
    return code_measures(measure_strokes(motion), None if baseline is None else measure_strokes(baseline))


def code_measures(
    found: StrokeMeasures, baseline: StrokeMeasures | None = None, calibrations: Calibrations | None = None
) -> Observation:
    """The coding of measures, so that the same ones need not be taken twice."""
    known = load_calibrations() if calibrations is None else calibrations
    if not found.strokes:
        nothing = Coding(0.0, 0, 0.0)
        return Observation(nothing, nothing, nothing, nothing, 0)
    neutral: Mapping[str, float] = known.population
    calibration = known.alone
    if baseline is not None and baseline.strokes:
        neutral, calibration = baseline.values, known.beside
    beyond = relative_measures(found, neutral)
    return Observation(**{factor: _code(calibration, beyond, factor) for factor in FACTORS}, strokes=found.strokes)


def observe_recorded(motion: Motion, recording: Motion) -> Observation:
    """Code how differently a recording is performed, beside the recording itself, moment by moment.

    Captured strokes seldom rest, so ``observe``, which measures strokes from rest to rest, sees little of them. Where
    the same movement is at hand as it was recorded, both are aligned and compared (``comparison``).
    """
    pair = Comparison.of(motion, recording)
    return code_comparison(pair.measures, pair.strokes)


def code_comparison(
    measures: Mapping[str, float], strokes: int, calibration: EffortCalibration | None = None
) -> Observation:
    """The coding of a comparison's measures."""
    known = load_recorded_calibration() if calibration is None else calibration
    beyond = seen(measures)
    return Observation(**{factor: _code(known, beyond, factor) for factor in FACTORS}, strokes=strokes)


def _code(calibration: EffortCalibration, beyond: Mapping[str, float], factor: str) -> Coding:
    margins = calibration.margins(beyond, factor)
    a, b = calibration.confidences[factor]
    confidence = 1.0 / (1.0 + np.exp(-a - b * float(code_distance(margins))))
    return Coding(float(margins[1] - margins[0]), int(code_margins(margins)), float(confidence))


def relative_measures(found: StrokeMeasures, neutral: Mapping[str, float]) -> dict[str, float]:
    """Measures minus those of a neutral motion, and the positive and the negative part of the speed's difference."""
    beyond = {name: value - neutral[name] for name, value in found.values.items()}
    return beyond | {"quickness": max(beyond["speed"], 0.0), "slowness": max(-beyond["speed"], 0.0)}


def code_margins(margins: Floats) -> Ints:
    """Codes ``(...)`` of margins ``(..., 2)`` of both elements: the one further above its threshold, or 0."""
    low, high = margins[..., 0], margins[..., 1]
    codes: Ints = np.where((low > 0.0) & (low >= high), -1, np.where(high > 0.0, 1, 0))
    return codes


def code_distance(margins: Floats) -> Floats:
    """The distance ``(...)`` of margins ``(..., 2)`` from another code."""
    above = np.maximum(margins, 0.0)
    distance: Floats = np.where(above.any(axis=-1), np.abs(above[..., 1] - above[..., 0]), -margins.max(axis=-1))
    return distance


# Calibration


@dataclass(frozen=True)
class EffortCalibration:
    """How measures beyond neutral become codes.

    Attributes
    ----------
    weights
        Element to the weight of each of its cues, in units of the measure.
    thresholds
        Element to the score above which it is coded.
    confidences
        Factor to ``a, b``: see ``fit_confidence``.
    """

    weights: Mapping[str, Mapping[str, float]]
    thresholds: Mapping[str, float]
    confidences: Mapping[str, tuple[float, float]]

    def margins(self, beyond: Mapping[str, float], factor: str) -> Floats:
        """``(2,)`` how far both elements of a factor are above their thresholds, for measures beyond neutral."""
        scores = [sum(w * beyond[cue] for cue, w in self.weights[element].items()) for element in ELEMENTS[factor]]
        return np.array(scores) - [self.thresholds[element] for element in ELEMENTS[factor]]


@dataclass(frozen=True)
class Calibrations:
    """The observer's two calibrations.

    Attributes
    ----------
    population
        The mean measures of neutral gestures.
    beside
        For measures beyond those of a neutral take of the same movement.
    alone
        For measures beyond the population's, where there is no neutral take.
    """

    population: Mapping[str, float]
    beside: EffortCalibration
    alone: EffortCalibration


@cache
def load_calibrations() -> Calibrations:
    """The calibrations in ``calibration.toml``; ``tools/observer_experiment.py --fix`` makes it."""
    with FILE.open("rb") as file:
        data = tomllib.load(file)
    population, beside, alone = data["population"], data["beside"], data["alone"]
    return Calibrations(MappingProxyType(population), _parse_calibration(beside), _parse_calibration(alone))


@cache
def load_recorded_calibration() -> EffortCalibration:
    """That in ``recorded_calibration.toml``; ``tools/observer_recordings.py --fix`` makes it."""
    with RECORDED_FILE.open("rb") as file:
        return _parse_calibration(tomllib.load(file)["recorded"])


def _parse_calibration(table: Mapping[str, Mapping[str, float]]) -> EffortCalibration:
    rows = {element: dict(table[element]) for pair in ELEMENTS.values() for element in pair}
    thresholds = {element: row.pop("threshold") for element, row in rows.items()}
    confidences = {factor: (table[factor]["certain"], table[factor]["clearer"]) for factor in FACTORS}
    return EffortCalibration(MappingProxyType(rows), MappingProxyType(thresholds), MappingProxyType(confidences))


def calibrations_toml(calibrations: Calibrations, about: str) -> str:
    """The calibrations as TOML, with a comment ``about`` them first."""
    lines = ["[population]", *(f"{name} = {value:.4f}" for name, value in calibrations.population.items()), ""]
    return calibration_toml({"beside": calibrations.beside, "alone": calibrations.alone}, about, lines)


def calibration_toml(calibrations: Mapping[str, EffortCalibration], about: str, before: Sequence[str] = ()) -> str:
    """Calibrations by name as TOML, with a comment ``about`` them first, and other lines ``before`` them."""
    lines = [*(f"# {line}".rstrip() for line in about.splitlines()), "", *before]
    for name, calibration in calibrations.items():
        for factor, elements in ELEMENTS.items():
            a, b = calibration.confidences[factor]
            lines += [f"[{name}.{factor}]", f"certain = {a:.4f}", f"clearer = {b:.4f}"]
            for element in elements:
                lines += ["", f"[{name}.{element}]", f"threshold = {calibration.thresholds[element]:.4f}"]
                lines += [f"{cue} = {weight:.5g}" for cue, weight in calibration.weights[element].items()]
            lines.append("")
    return "\n".join(lines)


# Fitting a calibration to examples


def fit_calibration(
    examples: Sequence[Mapping[str, float]],
    codes: Sequence[Sequence[int]],
    cues: Mapping[str, Mapping[str, int]] = SIGNS,
    noticeable: Mapping[str, float] = NOTICEABLE,
) -> EffortCalibration:
    """The calibration for examples: measures beyond neutral, and the four codes that were performed.

    ``cues`` are the signs of each element's cues, ``noticeable`` just noticeable differences of the measures.
    """
    names = list(examples[0])
    values = np.array([[row[name] for name in names] for row in examples])
    spread = np.maximum(values.std(axis=0), 1e-9)
    noise = np.array([noticeable[name] for name in names]) / spread
    performed = np.array(codes)
    weights: dict[str, dict[str, float]] = {}
    thresholds: dict[str, float] = {}
    confidences = {}
    for i, factor in enumerate(FACTORS):
        scores = np.zeros((len(values), 2))
        for j, element in enumerate(ELEMENTS[factor]):
            at = [names.index(cue) for cue in cues[element]]
            signs = np.array(list(cues[element].values()), dtype=np.float64)
            present = (performed[:, i] == 2 * j - 1).astype(np.float64)
            fitted = fit_weights(values[:, at] / spread[at] * signs, present, noise[at]) * signs / spread[at]
            weights[element] = {names[k]: float(weight) for k, weight in zip(at, fitted, strict=True) if weight != 0.0}
            scores[:, j] = values[:, at] @ fitted
        own = fit_thresholds(scores, performed[:, i])
        thresholds |= dict(zip(ELEMENTS[factor], own.tolist(), strict=True))
        margins = scores - own
        confidences[factor] = fit_confidence(code_distance(margins), code_margins(margins) == performed[:, i])
    return EffortCalibration(weights, thresholds, confidences)


def fit_weights(cues: Floats, present: Floats, noise: Floats) -> Floats:
    """Weights of cues ``(N, C)``, none negative, that come closest to whether the element is there ``(N,)``, 0 or 1.

    Cues should be of about equal spread; ``noise (C,)`` is the standard deviation with which they are perceived.
    Expected least squares over that noise, which adds its variance to the ridge, by coordinate descent: the problem is
    convex, so where it starts does not matter.
    """
    x = cues - cues.mean(axis=0)
    y = present - present.mean()
    square = x.T @ x + len(x) * np.diag(RIDGE + noise**2)
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


def fit_thresholds(scores: Floats, codes: Ints) -> Floats:
    """The two thresholds ``(2,)`` of scores ``(N, 2)`` that code most examples right.

    Among pairs that are equally good, the one nearest to their mean is taken, so that no single example decides.
    """
    tried = np.quantile(scores, np.linspace(LEAST_QUANTILE, 1.0, STEPS), axis=0)
    pairs = np.stack(np.meshgrid(tried[:, 0], tried[:, 1], indexing="ij"), axis=-1).reshape(-1, 2)
    right = np.array([int(np.sum(code_margins(scores - pair) == codes)) for pair in pairs])
    best = pairs[right == right.max()]
    nearest: Floats = best[int(np.argmin(np.sum((best - best.mean(axis=0)) ** 2, axis=1)))]
    return nearest


def fit_confidence(distance: Floats, right: Bools) -> tuple[float, float]:
    """``a, b`` with which ``1 / (1 + exp(−a − b · distance))`` is the share of examples coded right, b not negative.

    Logistic regression by Newton's steps, with a slight ridge on b; ``distance (N,)`` is from another code.
    """
    x = np.stack([np.ones(len(distance)), distance], axis=1)
    found = np.zeros(2)
    for _ in range(50):
        share = 1.0 / (1.0 + np.exp(-x @ found))
        gradient = x.T @ (right - share) - np.array([0.0, 1e-3]) * found
        hessian = (x * (share * (1.0 - share))[:, None]).T @ x + np.diag([1e-9, 1e-3])
        found = found + np.linalg.solve(hessian, gradient)
    if found[1] >= 0.0:
        return float(found[0]), float(found[1])
    mean = np.clip(np.mean(right), 0.01, 0.99)
    return float(np.log(mean / (1.0 - mean))), 0.0
