"""Laban Effort on strokes: timing, path and flourishes of each stroke."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy as np

from kinesphere.engine.manner import FLOURISHES, STROKES
from kinesphere.laban.dials import (
    CombinedDials,
    Dials,
    Values,
    combine_dials,
    parameter_overrides,
    stroke_means,
    tempo_product,
)
from kinesphere.laban.effort_parameters import RANGES, EffortModel, movement_parameters, movement_parameters_of
from kinesphere.maths.vectors import Bools, Floats, clip

AMPLITUDES = ("squash", "breath", "limb_volume", "wrist_bend", "wrist_twist", "elbow_twist", "displacement")
# Beyond full Effort amplitudes grow, up to what joints bear: radians; displacement is a share of the elbow's angle.
LARGEST: Mapping[str, float] = MappingProxyType({"wrist_bend": 0.7, "displacement": 0.5, "flexed_angle": 1.05})
FREE_DRAG, BOUND_STIFFNESS = 1.6, 0.85  # how much more a free hand drags behind its wrist, and a bound one less
FIST, OPEN = 0.9, 0.75  # how far hands close at full strong, and open at full light
AMPLITUDE_VARIATION, DURATION_VARIATION = 0.08, 0.03  # standard deviations between individuals
HANGING_OVERSHOOT = 0.35  # of its overshoot that is left where an arm comes to hang: thighs are in the way


class EffortStrokes(NamedTuple):
    """Strokes under Effort; see ``engine.manner.ArmManner``."""

    strokes: dict[str, Floats]  # each (S,)
    flourishes: dict[str, Floats]  # each () or (N,) over the gesture's own time


# Combined dials and their parameters over time, by the identity of what they were made from.
ParameterCache: TypeAlias = dict[tuple[tuple[int, float, int], ...], tuple[CombinedDials, dict[str, Values]]]


def strokes_and_flourishes(
    dials: Sequence[Dials],
    edges: Floats,
    time: Floats,
    model: EffortModel,
    random: np.random.Generator | None,
    cache: ParameterCache,
    hangs: Bools | None = None,
) -> EffortStrokes:
    """``STROKES`` of each stroke ``(S,)`` between ``edges (S + 1,)``, and ``FLOURISHES`` over time.

    What may vary within a stroke follows the dials' curve; timing, duration and tension take its mean over the stroke.
    ``cache`` is shared by the parts of one gesture; ``hangs (S,)`` are strokes that end in a hanging arm.
    """
    combined, parameters = _parameters(dials, time, model, cache)
    strokes: dict[str, Values] = {name: parameters[name] for name in STROKES}
    if not combined.steady:
        means = movement_parameters(stroke_means(np.stack(combined.factors, axis=1), edges, time), model)
        strokes = {name: means[name] for name in STROKES}
    gain = stroke_means(combined.gain, edges, time)
    strokes["duration"] = strokes["duration"] ** gain / stroke_means(tempo_product(dials), edges, time)
    flourishes = _flourishes(combined, parameters, any(dial.hands for dial in dials))
    _apply_overrides(dials, edges, time, strokes, flourishes)
    count = len(edges) - 1
    if random is not None:
        strokes["duration"] = strokes["duration"] * np.exp(DURATION_VARIATION * random.standard_normal(count))
        for name in AMPLITUDES:
            deviation = float(np.clip(random.standard_normal(), -2.0, 2.0))
            flourishes[name] = flourishes[name] * (1.0 + AMPLITUDE_VARIATION * deviation)
    table = np.empty((len(strokes), count))
    for row, value in zip(table, strokes.values(), strict=True):
        row[:] = value
    rows = dict(zip(strokes, table, strict=True))
    rows["duration"] = clip(rows["duration"], *RANGES["duration"])
    if hangs is not None:
        rows["overshoot"][hangs] *= HANGING_OVERSHOOT
    return EffortStrokes(rows, {name: np.asarray(value) for name, value in flourishes.items()})


def _parameters(
    dials: Sequence[Dials], time: Floats, model: EffortModel, cache: ParameterCache
) -> tuple[CombinedDials, dict[str, Values]]:
    """The combined dials, and their movement parameters over time; computed once for parts with the same dials."""
    key = tuple((id(dial.effort), dial.intensity, id(dial.strength)) for dial in dials)
    if key not in cache:
        combined = combine_dials(dials, "effort", time)
        parameters = (
            movement_parameters_of(combined.factors, model)
            if combined.steady
            else movement_parameters(np.stack(combined.factors, axis=1), model)
        )
        cache[key] = combined, parameters
    return cache[key]


def _flourishes(combined: CombinedDials, parameters: dict[str, Values], hands: bool) -> dict[str, Values]:
    flourishes = {name: parameters[name] for name in FLOURISHES if name in parameters}
    _, weight, _, flow = combined.factors
    flourishes["loose"] = 1.0 - FREE_DRAG * _minimum(flow, 0.0) - BOUND_STIFFNESS * _maximum(flow, 0.0)
    if hands:
        flourishes |= {"fist": FIST * _maximum(weight, 0.0), "open": -OPEN * _minimum(weight, 0.0)}
    for name in (*AMPLITUDES, "flexed_angle"):
        flourishes[name] = flourishes[name] * combined.gain
    for name, most in LARGEST.items():
        flourishes[name] = _minimum(flourishes[name], most)
    return flourishes


def _apply_overrides(
    dials: Sequence[Dials], edges: Floats, time: Floats, strokes: dict[str, Values], flourishes: dict[str, Values]
) -> None:
    """Blend in parameters that are set by hand, as far as their edits hold."""
    for dial in dials:
        for name, rows in parameter_overrides(dial.effort, time).items():
            value, share = (float(row[0]) if len(row) == 1 else row for row in rows)
            share = share * min(dial.intensity, 1.0)
            share = share if dial.strength is None else share * dial.strength
            if name in strokes:
                value, share = (stroke_means(row, edges, time) for row in (value, share))
                strokes[name] = strokes[name] + share * (value - strokes[name])
            else:
                flourishes[name] = flourishes[name] + share * (value - flourishes[name])


# Of a number or an array; NumPy's functions take long for single numbers.


def _minimum(values: Values, most: float) -> Values:
    return min(values, most) if isinstance(values, float) else np.minimum(values, most)


def _maximum(values: Values, least: float) -> Values:
    return max(values, least) if isinstance(values, float) else np.maximum(values, least)
