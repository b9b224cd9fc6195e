"""``render``: a score to a motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from kinesphere.figure.acting import act, body_clock
from kinesphere.figure.manner import Manner
from kinesphere.figure.proportions import HEIGHT
from kinesphere.figure.spans import RATE
from kinesphere.kernels.arrays import Floats
from kinesphere.laban.dials import Part, ShapeDial, window
from kinesphere.laban.effort import Effort
from kinesphere.laban.effort_model import effort_model
from kinesphere.laban.manners import PARTS, Dials, manner
from kinesphere.laban.shape import Shape, affine
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.motion import Motion
from kinesphere.motion.telling import tell
from kinesphere.score import doubts
from kinesphere.score.layers import Express, Layer
from kinesphere.score.score import Score
from kinesphere.score.sources import gesture_of, is_motion
from kinesphere.score.stacking import stacked
from kinesphere.signals.sources import motion_of


def render(score: Score, *, height: float = HEIGHT) -> Motion:
    """The performance, of a gesture on a figure of this height, 60 frames a second."""
    return render_all([score], height=height)[0]


def render_all(scores: Sequence[Score], *, height: float = HEIGHT) -> list[Motion]:
    """Many performances at once, on several threads: cheaper than one by one."""
    gestures = {i: gesture_of(score.source) for i, score in enumerate(scores) if not is_motion(score.source)}
    for gesture in {id(gesture): gesture for gesture in gestures.values()}.values():
        for doubt in doubts.of_gesture(gesture):
            tell(*doubt)
    cast = {i: (gesture, _manner(scores[i], gesture)) for i, gesture in gestures.items()}
    acted = dict(zip(cast, act(list(cast.values()), height), strict=True)) if cast else {}
    made = []
    for i, score in enumerate(scores):
        if i not in cast:
            assert isinstance(score.source, Motion | str | Path)
            made.append(stacked(motion_of(score.source), score.layers))
        elif any(not isinstance(layer.edit, Express) for layer in score.layers):
            made.append(stacked(acted[i], score.layers, body_clock(*cast[i], height)))
        else:
            made.append(acted[i])
    return made


def _manner(score: Score, gesture: Gesture) -> Manner:
    time = np.arange(round(gesture.duration * RATE) + 1) / RATE
    parts: dict[str, list[Dials]] = {name: [] for name in PARTS}
    stillness = 0.0
    for layer in score.layers:
        if not isinstance(layer.edit, Express):
            continue
        _check_range(layer, gesture)
        _check_loop(layer, gesture)
        for doubt in doubts.of_layer(layer, gesture):
            tell(*doubt)
        strength = _strength(layer, time)
        for name in PARTS if layer.parts is None else layer.parts:
            parts[name] += _dials(layer.edit, name, strength)
        word = layer.edit.word
        still = layer.edit.stillness + (word.stillness if word else 0.0) * layer.edit.intensity
        stillness += layer.strength * still
    return manner(
        gesture,
        parts,
        stillness=float(np.clip(stillness, -1.0, 1.0)),
        model=effort_model(score.model),
        locked=score.lock_times,
        seed=score.seed,
    )


def _dials(edit: Express, name: str, strength: Floats | None) -> list[Dials]:
    """The dials that an edit turns on one part."""
    own = edit.parts.get(name, Part())
    effort = edit.effort if own.effort is None else own.effort
    shape = edit.shape if own.shape is None else own.shape
    made = [Dials(effort, shape, edit.intensity, strength=strength, hands=edit.affinities)]
    word = edit.word
    if word is not None:
        made.append(Dials(word.effort, word.shape, edit.intensity, word.tempo ** min(edit.intensity, 1.0), strength))
    if edit.affinities:
        asked = [effort] if word is None else [effort, word.effort]
        made += [Dials(shape=_affine(dial), intensity=edit.intensity, strength=strength) for dial in asked]
    return made


def _affine(dial: Effort | Mapping[float, Effort]) -> ShapeDial:
    if isinstance(dial, Effort):
        return affine(dial)
    phrase: dict[float, Shape] = {moment: affine(effort) for moment, effort in dial.items()}
    return phrase


def _strength(layer: Layer, time: Floats) -> Floats | None:
    share = window(time, layer.start, layer.end)
    if share is None:
        return None if layer.strength == 1.0 else np.full(len(time), layer.strength)
    return layer.strength * share


def _check_range(layer: Layer, gesture: Gesture) -> None:
    start = 0.0 if layer.start is None else layer.start
    end = gesture.duration if layer.end is None else layer.end
    if start >= gesture.duration or end <= 0.0:
        raise ValueError(
            f"a layer from {start:g} to {end:g} s has nothing to act on: {gesture.name} lasts from 0 to "
            f"{gesture.duration:g} s"
        )


def _check_loop(layer: Layer, gesture: Gesture) -> None:
    """Refuse what would leave a loop's seam open."""
    if not gesture.loop or not isinstance(layer.edit, Express):
        return
    edit = layer.edit
    dials = [edit.effort, edit.shape, *(d for part in edit.parts.values() for d in (part.effort, part.shape))]
    phrased = any(isinstance(dial, Mapping) and len(dial) > 1 for dial in dials)
    if phrased or layer.start is not None or layer.end is not None:
        raise ValueError(
            f"{gesture.name} goes round: dials that change over its time, or a range of it, would leave its seam open. "
            "Give one value for all of it"
        )
