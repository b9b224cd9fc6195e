"""How strokes run under Effort: what holds for each of them, and the flourishes that go along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

import numpy as np

from kinesphere.engine.manner import FLOURISHES, STROKES
from kinesphere.laban.dials import CombinedDials, Dials, Values, combine_dials, parameter_overrides, stroke_means, tempo
from kinesphere.laban.effort_parameters import RANGES, EffortModel, movement_parameters, movement_parameters_of
from kinesphere.maths.vectors import Bools, Floats, clip

AMPLITUDES = ("squash", "breath", "limb_volume", "wrist_bend", "wrist_twist", "elbow_twist", "displacement")
# Beyond full Effort amplitudes grow, up to what joints bear: radians, and displacement of the elbow's own angle.
FARTHEST: Mapping[str, float] = MappingProxyType({"wrist_bend": 0.7, "displacement": 0.5, "flexed_angle": 1.05})
TRAILS, STIFF = 1.6, 0.85  # how much more a free hand drags behind its wrist, and a bound one less
FIST, OPEN = 0.9, 0.75  # of those shapes at full weight
VARIES, PACES = 0.08, 0.03  # how far an individual's flourishes and durations are from everybody's
HANGS = 0.35  # of its overshoot that an arm has that comes to hang: thighs are in the way


class EffortStrokes(NamedTuple):
    """What Effort makes of strokes; see ``ArmManner``."""

    strokes: dict[str, Floats]
    flourishes: dict[str, Floats]


Known: TypeAlias = dict[tuple[tuple[int, float, int], ...], tuple[CombinedDials, dict[str, Values]]]


def strokes_and_flourishes(
    dials: Sequence[Dials],
    edges: Floats,
    time: Floats,
    model: EffortModel,
    chance: np.random.Generator | None,
    known: Known,
    hangs: Bools | None = None,
) -> EffortStrokes:
    """What ``STROKES`` are in each stroke ``(S,)`` between ``edges (S + 1,)``, and ``FLOURISHES`` over time.

    ``known`` is what has been worked out for other parts; ``hangs (S,)`` are strokes that end in a hanging arm.
    """
    asked, along = _asked(dials, time, model, known)
    strokes: dict[str, Values] = {name: along[name] for name in STROKES}
    if not asked.steady:
        mean = movement_parameters(stroke_means(np.stack(asked.factors, axis=1), edges, time), model)
        strokes = {name: mean[name] for name in STROKES}
    louder = stroke_means(asked.gain, edges, time)
    strokes["duration"] = strokes["duration"] ** louder / stroke_means(tempo(dials), edges, time)
    flourishes = _flourishes(asked, along, any(dial.hands for dial in dials))
    _set_by_hand(dials, edges, time, strokes, flourishes)
    count = len(edges) - 1
    if chance is not None:
        strokes["duration"] = strokes["duration"] * np.exp(PACES * chance.standard_normal(count))
        for name in AMPLITUDES:
            flourishes[name] = flourishes[name] * (1.0 + VARIES * float(np.clip(chance.standard_normal(), -2.0, 2.0)))
    table = np.empty((len(strokes), count))
    for row, value in zip(table, strokes.values(), strict=True):
        row[:] = value
    made = dict(zip(strokes, table, strict=True))
    made["duration"] = clip(made["duration"], *RANGES["duration"])
    if hangs is not None:
        made["overshoot"][hangs] *= HANGS
    return EffortStrokes(made, {name: np.asarray(value) for name, value in flourishes.items()})


def _asked(
    dials: Sequence[Dials], time: Floats, model: EffortModel, known: Known
) -> tuple[CombinedDials, dict[str, Values]]:
    """The dials as they are turned, and their parameters over time; once only for parts that are asked for the same."""
    key = tuple((id(dial.effort), dial.intensity, id(dial.strength)) for dial in dials)
    if key not in known:
        asked = combine_dials(dials, "effort", time)
        along = (
            movement_parameters_of(asked.factors, model)
            if asked.steady
            else movement_parameters(np.stack(asked.factors, axis=1), model)
        )
        known[key] = asked, along
    return known[key]


def _flourishes(asked: CombinedDials, along: dict[str, Values], hands: bool) -> dict[str, Values]:
    made = {name: along[name] for name in FLOURISHES if name in along}
    _, weight, _, flow = asked.factors
    made["loose"] = 1.0 - TRAILS * _least(flow, 0.0) - STIFF * _most(flow, 0.0)
    if hands:
        made |= {"fist": FIST * _most(weight, 0.0), "open": -OPEN * _least(weight, 0.0)}
    for name in (*AMPLITUDES, "flexed_angle"):
        made[name] = made[name] * asked.gain
    for name, most in FARTHEST.items():
        made[name] = _least(made[name], most)
    return made


def _set_by_hand(
    dials: Sequence[Dials], edges: Floats, time: Floats, strokes: dict[str, Values], flourishes: dict[str, Values]
) -> None:
    """What is set by hand overrules the model as far as it holds."""
    for dial in dials:
        for name, rows in parameter_overrides(dial.effort, time).items():
            value, share = (float(row[0]) if len(row) == 1 else row for row in rows)
            share = share * min(dial.intensity, 1.0)
            share = share if dial.strength is None else share * dial.strength
            if name in strokes:
                asked, held = (stroke_means(row, edges, time) for row in (value, share))
                strokes[name] = strokes[name] + held * (asked - strokes[name])
            else:
                flourishes[name] = flourishes[name] + share * (value - flourishes[name])


def _least(values: Values, most: float) -> Values:
    return min(values, most) if isinstance(values, float) else np.minimum(values, most)


def _most(values: Values, least: float) -> Values:
    return max(values, least) if isinstance(values, float) else np.maximum(values, least)
