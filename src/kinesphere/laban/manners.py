"""Effort and Shape to style parameters: the engine's ``Manner`` for a gesture, and its strokes under Effort."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from kinesphere.engine.arm_plan import arm_keys
from kinesphere.engine.batch import RATE
from kinesphere.engine.manner import FLOURISHES, STROKES, ArmManner, Manner, body_rest_times
from kinesphere.laban.dials import (
    CombinedDials,
    Values,
    combine_dials,
    parameter_overrides,
    stroke_means,
    tempo_product,
)
from kinesphere.laban.dials import Dials as Dials
from kinesphere.laban.effort_parameters import (
    RANGES,
    EffortModel,
    effort_model,
    movement_parameters,
    movement_parameters_of,
)
from kinesphere.laban.key_placement import place_keys
from kinesphere.laban.shape import torso_channels
from kinesphere.maths.vectors import Bools, Floats, clip
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.humanoid import SIDES

PARTS = ("left_arm", "right_arm", "torso")
BEYOND_FULL = 0.35  # how much of the excess over full Shape a torso shows
AMPLITUDES = ("squash", "breath", "limb_volume", "wrist_bend", "wrist_twist", "elbow_twist", "displacement")
# Beyond full Effort amplitudes grow, up to what joints bear: radians; displacement is a share of the elbow's angle.
LARGEST: Mapping[str, float] = MappingProxyType({"wrist_bend": 0.7, "displacement": 0.5, "flexed_angle": 1.05})
FREE_DRAG, BOUND_STIFFNESS = 1.6, 0.85  # how much more a free hand drags behind its wrist, and a bound one less
FIST, OPEN = 0.9, 0.75  # how far hands close at full strong, and open at full light
AMPLITUDE_VARIATION, DURATION_VARIATION = 0.08, 0.03  # standard deviations between individuals
HANGING_OVERSHOOT = 0.35  # of its overshoot that is left where an arm comes to hang: thighs are in the way


def manner(
    gesture: Gesture,
    parts: Mapping[str, Sequence[Dials]],
    *,
    stillness: float = 0.0,
    model: EffortModel | None = None,
    locked: bool = False,
    seed: int | None = None,
) -> Manner:
    """The manner in which a gesture is performed. Several edits of a part add up before they saturate."""
    model = effort_model() if model is None else model
    time = np.arange(round(gesture.duration * RATE) + 1) / RATE
    random = None if seed is None else np.random.default_rng([seed, 1])
    shape = combine_dials(parts.get("torso", ()), "shape", time)
    channels = torso_channels(np.stack(shape.factors, axis=-1), np.asarray(1.0 + BEYOND_FULL * (shape.gain - 1.0)))
    shapes = {side: combine_dials(parts.get(f"{side}_arm", ()), "shape", time) for side in SIDES}
    efforts = {}
    cache: ParameterCache = {}
    for side in SIDES:
        keys = arm_keys(gesture, side)
        if keys is not None:
            dials = parts.get(f"{side}_arm", ())
            edges, hangs = keys.times[keys.edges], keys.rests[keys.edges[1:]]
            efforts[side] = strokes_and_flourishes(dials, edges, time, model, random, cache, hangs)
    torso = strokes_and_flourishes(parts.get("torso", ()), body_rest_times(gesture), time, model, random, cache)
    arms = {}
    for side, own in place_keys(gesture, shapes, channels, efforts).items():
        effort = efforts[side]
        displacement = effort.flourishes["displacement"]
        if displacement.any():
            displacement = displacement * own.flourish_scale_over(time)
        flourishes = {**effort.flourishes, "displacement": displacement}
        arms[side] = ArmManner(effort.strokes, flourishes, own.positions)
    life, fidget = (1.0 - stillness, 0.0) if stillness >= 0.0 else (1.0 - 0.5 * stillness, -stillness)
    return Manner(arms, torso, channels, life, fidget, seed, locked)


# Effort on strokes: timing, path and flourishes


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
) -> ArmManner:
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
    return ArmManner(rows, {name: np.asarray(value) for name, value in flourishes.items()})


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
