"""Effort and Shape to style parameters: the engine's ``Manner`` for a gesture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinesphere.engine.arm_plan import arm_keys
from kinesphere.engine.batch import RATE
from kinesphere.engine.manner import ArmManner, Manner, body_rest_times
from kinesphere.laban.dials import Dials as Dials
from kinesphere.laban.dials import combine_dials
from kinesphere.laban.effort_parameters import EffortModel, effort_model
from kinesphere.laban.effort_strokes import ParameterCache, strokes_and_flourishes
from kinesphere.laban.key_placement import place_keys
from kinesphere.laban.shape import torso_channels
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.humanoid import SIDES

PARTS = ("left_arm", "right_arm", "torso")
BEYOND_FULL = 0.35  # how much of the excess over full Shape a torso shows


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
        strokes, flourishes = efforts[side]
        if flourishes["displacement"].any():
            flourishes["displacement"] = flourishes["displacement"] * own.flourish_scale_over(time)
        arms[side] = ArmManner(strokes, flourishes, own.positions)
    life, fidget = (1.0 - stillness, 0.0) if stillness >= 0.0 else (1.0 - 0.5 * stillness, -stillness)
    return Manner(arms, ArmManner(*torso), channels, life, fidget, seed, locked)
