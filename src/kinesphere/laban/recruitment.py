"""Effort on the whole body: which drives of trunk, head, gaze, free arm, hips and knees an Effort asks for.

How much, when and in which channels stands in the Effort model's file; ``engine.recruitment`` says what each kind does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from kinesphere.engine.recruitment import channels_of
from kinesphere.laban.dials import CombinedDials, Values
from kinesphere.laban.effort_parameters import ELEMENTS, GROUPS, POSTURE, EffortModel
from kinesphere.motion.drive import Drive
from kinesphere.motion.memo import memoised

MOST_GAIN = 1.35  # that intensity multiplies what the body does by
WAVE_LAG = 0.9  # radians by which a wave's channels follow each other
_BY_HAND = ("ahead", "out", "up")  # what a thrust's channels go by


def recruit_body(combined: CombinedDials, parameters: Mapping[str, Values], model: EffortModel) -> tuple[Drive, ...]:
    """The drives of the whole body under an Effort: ``parameters`` are its movement parameters."""
    return tuple(_drives(combined, parameters, model))


def _drives(combined: CombinedDials, parameters: Mapping[str, Values], model: EffortModel) -> Iterator[Drive]:
    gain = np.minimum(combined.gain, MOST_GAIN)
    layout = _layout(model)
    for kind in ("thrust", "press", "lift", "swing"):
        if _any(parameters[kind]):
            yield Drive(kind, parameters[kind] * gain, layout[kind], layout[f"{kind}_timing"])
    if _any(parameters["spiral"]):
        timing = {**layout["spiral_timing"], "lag": WAVE_LAG}
        yield Drive("wave", parameters["spiral"] * gain, layout["spiral"], timing)
    if _any(parameters["block"]):
        yield Drive("block", parameters["block"])
    if _any(parameters["attention"]):
        yield Drive("attention", parameters["attention"], {}, layout["attention_timing"])
    if _any(parameters["glance"]):
        yield Drive("glance", parameters["glance"] * gain, {}, layout["glance_timing"])
    for i, element in enumerate(ELEMENTS):
        channels = layout[f"posture_{element}"]
        factor = combined.factors[i % 4]
        share = _positive(-factor if i < 4 else factor)
        if channels and _any(share):
            yield Drive("hold", share * gain, channels)


def _any(values: Values) -> bool:
    """``np.any`` without its overhead for a number."""
    return bool(values) if isinstance(values, float) else bool(np.any(values))


def _positive(values: Values) -> Any:
    return max(values, 0.0) if isinstance(values, float) else np.maximum(values, 0.0)


@memoised
def _layout(model: EffortModel) -> dict[str, dict[str, float]]:
    """Channels and timing of each kind of drive, by the model's coefficients."""
    values = model.coefficients
    made: dict[str, dict[str, float]] = {}
    for group in ("press", "lift", "thrust", "spiral", "swing"):
        made[group] = {}
        for name in GROUPS[f"{group}_channels"][1].split():
            share = values[f"{group}_channels.{name}"]
            if not share:
                continue
            channel, _, by = name.rpartition("_") if group == "thrust" else (name, "", "")
            names = (f"{channel.replace('_', '.', 1)}.{by}",) if group == "thrust" else channels_of(channel)
            made[group] |= dict.fromkeys(names, share)
    for group in ("press", "lift", "thrust", "attention", "glance", "spiral", "swing"):
        timing = f"{group}_timing"
        made[timing] = {name: values[f"{timing}.{name}"] for name in GROUPS[timing][1].split()}
    made["thrust_timing"] |= made["press_timing"]  # both land together
    for element in ELEMENTS:
        rows = {name: values[f"posture_{element}.{name}"] for name in POSTURE.split()}
        made[f"posture_{element}"] = {own: v for name, v in rows.items() if v for own in channels_of(name)}
    return made
