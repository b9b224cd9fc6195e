"""Effort and Shape on a walk: overlays of its gait and of the body that walks, under the dials of all edits so far.

The torso's dials are those of hips, legs, trunk and head; each arm swings by its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from kinesphere.laban.dials import CombinedDials, Dials, combine_dials, tempo_product
from kinesphere.laban.gait_model import EFFORT_ENDS, SHAPE_ENDS, GaitModel, Values, gait_model
from kinesphere.maths.vectors import Floats
from kinesphere.motion.gait import FACTOR, GAIT_OVERLAYS
from kinesphere.motion.gesture import CHANNELS, MOST
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import Phrase, Track, part_of_channel

PATH = ("gait.stride", "gait.weave", "gait.width")  # overlays that change where feet stand
# Standard deviations between individuals: of the logarithms of factors.
VARIATIONS = {"gait.cadence": 0.03, "gait.stride": 0.03, "gait.bounce": 0.08, "gait.swing": 0.10, "gait.sway": 0.10}


def walk_tracks(
    written: Phrase,
    parts: Mapping[str, Sequence[Dials]],
    channels: Mapping[str, Floats],
    random: np.random.Generator | None = None,
) -> dict[str, Track]:
    """The tracks of a walk under the dials of its parts.

    ``channels`` is what Shape adds to a body that stands, and how words hold it.
    """
    model, time = gait_model(), written.times
    added: dict[str, dict[str, Values]] = {}

    def add(part: str, name: str, value: Values) -> None:
        own = added.setdefault(part, {})
        own[name] = own[name] + value if name in own else value

    limited = {row.name for row in model.rows}
    for name, values in channels.items():
        if name not in limited:
            add(part_of_channel(name), name, values)
    body = amounts_of(parts["torso"], model, time)
    tempo = tempo_product(parts["torso"])
    for row in (row for row in model.rows if not row.arm):
        part = part_of_channel(row.name) if row.name in CHANNELS else GAIT_OVERLAYS[row.name].part
        add(part, row.name, row.value(body, tempo, channels.get(row.name, 0.0)))
    _keep_walking(added["hips"], model)
    for side in SIDES:
        part = f"{side}_arm"
        amounts = amounts_of(parts[part], model, time)
        for row in (row for row in model.rows if row.arm):
            add(part, row.name, row.value(amounts))
    if random is not None:
        _vary(added, random)
    return {part: _on_track(written.track(part), overlays, len(time)) for part, overlays in added.items()}


def keep_path(tracks: Mapping[str, Track]) -> dict[str, Track]:
    """The tracks of a walk that goes where it went: strides as long, a way as straight, feet as far apart."""
    return {
        part: replace(own, overlays={name: v for name, v in own.overlays.items() if name not in PATH})
        for part, own in tracks.items()
    }


def amounts_of(dials: Sequence[Dials], model: GaitModel, time: Floats) -> dict[str, Values]:
    """Each element's and attitude's amount from 0: one number, or a curve ``(N,)``."""
    effort, shape = (combine_dials(dials, which, time) for which in ("effort", "shape"))
    return _ends(effort, EFFORT_ENDS, model.beyond) | _ends(shape, SHAPE_ENDS, model.beyond)


def _ends(combined: CombinedDials, names: Sequence[tuple[str, str]], beyond: float) -> dict[str, Values]:
    scale = 1.0 + beyond * (combined.gain - 1.0)
    made: dict[str, Values] = {}
    for (low, high), factor in zip(names, combined.factors, strict=True):
        if isinstance(factor, float):
            made[low], made[high] = max(-factor, 0.0) * scale, max(factor, 0.0) * scale
        else:
            made[low], made[high] = np.maximum(-factor, 0.0) * scale, np.maximum(factor, 0.0) * scale
    return made


def _keep_walking(hips: dict[str, Values], model: GaitModel) -> None:
    """Shorten strides where steps so quick and long would be a run."""
    speed = np.log(hips["gait.cadence"] * hips["gait.stride"])
    room = np.log(model.quickest)
    over = np.maximum(speed - 0.6 * room, 0.0) / (0.4 * room)
    hips["gait.stride"] = hips["gait.stride"] * np.exp(0.4 * room * (np.tanh(over) - over))


def _vary(added: dict[str, dict[str, Values]], random: np.random.Generator) -> None:
    """One individual's walk."""
    for name, deviation in VARIATIONS.items():
        factor = np.exp(deviation * float(np.clip(random.standard_normal(), -2.0, 2.0)))
        for overlays in added.values():
            if name in overlays:
                overlays[name] = overlays[name] * factor


def _on_track(written: Track, overlays: Mapping[str, Values], count: int) -> Track:
    """A track with overlays on those that it has already: factors multiply, all else is added."""
    made: dict[str, Floats] = dict(written.overlays)
    for name, value in overlays.items():
        least, most = _range(name)
        if isinstance(value, float) and name not in written.overlays:
            made[name] = np.asarray(min(max(value, least), most))
            continue
        more = np.asarray(value, dtype=np.float64)
        if name in written.overlays:
            before = np.asarray(written.overlays[name], dtype=np.float64)
            if before.ndim:  # a curve that is shorter than the phrase holds its last value
                before = np.pad(before, (0, count - len(before)), mode="edge")
            more = before * more if _is_factor(name) else before + more
        made[name] = np.clip(more, least, most)
    return replace(written, overlays=made)


def _is_factor(name: str) -> bool:
    return name in GAIT_OVERLAYS and GAIT_OVERLAYS[name].unit == FACTOR


@lru_cache(maxsize=256)
def _range(name: str) -> tuple[float, float]:
    if name in GAIT_OVERLAYS:
        return GAIT_OVERLAYS[name].least, GAIT_OVERLAYS[name].most
    most = MOST[CHANNELS[name]]
    return -most, most
