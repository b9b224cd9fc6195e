"""Edits of signals on a motion, one layer after the other.

Layers speak of the source's own time. What retimes, Effort before them and timewarps among them, is followed by a clock
from that time to the present one, so that "from the second knock on" stays where it was meant. Feet are held after
edits of curves have done their work, all at once: constraints come after character.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from kinesphere.engine.batch import RATE
from kinesphere.engine.generation import body_clock, generate
from kinesphere.engine.manner import Manner
from kinesphere.engine.proportions import HEIGHT
from kinesphere.laban.dials import Part, ShapeDial, window
from kinesphere.laban.effort import Effort
from kinesphere.laban.effort_parameters import effort_model
from kinesphere.laban.manners import PARTS, Dials, manner
from kinesphere.laban.shape import Shape, affine_shape
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.errors import warn_caller
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.humanoid import select_joints
from kinesphere.motion.motion import Motion
from kinesphere.motion.timemap import TimeMap
from kinesphere.score import checks
from kinesphere.score.layers import Express, Layer
from kinesphere.score.score import Score, is_motion, resolve_gesture
from kinesphere.signals.blend import Blend
from kinesphere.signals.constraints import hold_feet
from kinesphere.signals.displace import Displace
from kinesphere.signals.displacement import PoseEdit
from kinesphere.signals.edit import Edit
from kinesphere.signals.edit import edit_window as edit_window
from kinesphere.signals.sources import resolve_motion
from kinesphere.signals.timewarp import Timewarp


def apply_layers(motion: Motion, layers: Sequence[Layer], clock: TimeMap | None = None) -> Motion:
    """The motion with its layers' edits of signals; ``clock`` is from the source's time to the motion's."""
    stack = _LayerStack(motion, TimeMap.identity() if clock is None else clock, motion)
    for layer in layers:
        if not isinstance(layer.edit, Express) and layer.strength > 0.0:
            stack = stack.with_layer(layer)
    return stack.standing().motion


@dataclass(frozen=True, eq=False)
class _LayerStack:
    """What there is after some layers.

    Attributes
    ----------
    clock
        From the source's time to the motion's.
    stood
        The motion as it was when its feet last stood as they should.
    moved
        ``(J,)`` joints of edits since then that hold feet; None: none.
    inside
        ``(T,)`` how much of them held when.
    """

    motion: Motion
    clock: TimeMap
    stood: Motion
    moved: Bools | None = None
    inside: Floats | None = None

    def with_layer(self, layer: Layer) -> _LayerStack:
        start, end = (None if at is None else float(self.clock(np.array(at))) for at in (layer.start, layer.end))
        if start is not None and start > self.motion.duration + 1e-9:
            last = float(self.clock.inverse()(np.array(self.motion.duration)))
            raise ValueError(f"a layer from {layer.start:g} s has nothing to act on: the source lasts to {last:g} s")
        edit = layer.edit
        assert not isinstance(edit, Express)
        parts, strength = layer.parts, layer.strength
        if isinstance(edit, Timewarp):
            marks = [(float(self.clock(np.array(old))), new) for old, new in edit.marks]
            amount = strength * edit.amount
            warp = replace(edit, joints=parts, start=start, end=end, amount=amount, marks=marks)
            return self._retimed(*warp.with_clock(self.standing().motion))
        if isinstance(edit, Blend):
            blend = replace(edit, joints=parts, start=start, end=end, strength=strength)
            return self._retimed(*blend.with_clock(self.standing().motion))
        placed = replace(edit, joints=parts, start=start, end=end, strength=strength)
        if isinstance(placed, Displace):
            points = [self._point(point) for point in placed.edits if isinstance(point, PoseEdit)]
            made = replace(placed, edits=points)(self.standing().motion)
            return replace(self, motion=made, stood=made, moved=None, inside=None)
        return self._curves(placed)

    def _curves(self, edit: Edit) -> _LayerStack:
        made = replace(edit, feet=False)(self.motion)
        if not edit.holds_feet or edit.neutral:
            return replace(self, motion=made)
        joints, inside = select_joints(made.skeleton, edit.joints), edit_window(made, edit.start, edit.end, edit.fade)
        if self.moved is not None and self.inside is not None:
            joints, inside = joints | self.moved, np.maximum(inside, self.inside)
        return replace(self, motion=made, moved=joints, inside=inside)

    def _retimed(self, made: Motion, clock: TimeMap) -> _LayerStack:
        return _LayerStack(made, self.clock.then(clock), made)

    def _point(self, point: PoseEdit) -> PoseEdit:
        """A pose edit at the present time. A frame stays itself while clocks agree."""
        rate = self.motion.rate
        at = point.seconds if point.frame is None else point.frame / rate
        assert at is not None
        now = float(self.clock(np.array(at)))
        return point if abs(now - at) < 1e-9 else replace(point, frame=None, seconds=min(now, self.motion.duration))

    def standing(self) -> _LayerStack:
        """With the feet of edits of curves held."""
        if self.moved is None:
            return self
        made = hold_feet(self.stood, self.motion, self.moved, self.inside)
        return replace(self, motion=made, stood=made, moved=None, inside=None)


# ---- ``render``: a score to a motion.


def render(score: Score, *, height: float = HEIGHT) -> Motion:
    """The performance, of a gesture on a figure of this height, 60 frames a second."""
    return render_all([score], height=height)[0]


def render_all(scores: Sequence[Score], *, height: float = HEIGHT) -> list[Motion]:
    """Many performances at once, on several threads: cheaper than one by one."""
    gestures = {i: resolve_gesture(score.source) for i, score in enumerate(scores) if not is_motion(score.source)}
    for gesture in {id(gesture): gesture for gesture in gestures.values()}.values():
        for doubt in checks.check_gesture(gesture):
            warn_caller(*doubt)
    cast = {i: (gesture, _manner(scores[i], gesture)) for i, gesture in gestures.items()}
    acted = dict(zip(cast, generate(list(cast.values()), height), strict=True)) if cast else {}
    made = []
    for i, score in enumerate(scores):
        if i not in cast:
            assert isinstance(score.source, Motion | str | Path)
            made.append(apply_layers(resolve_motion(score.source), score.layers))
        elif any(not isinstance(layer.edit, Express) for layer in score.layers):
            made.append(apply_layers(acted[i], score.layers, body_clock(*cast[i], height)))
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
        for doubt in checks.check_layer(layer, gesture):
            warn_caller(*doubt)
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
        return affine_shape(dial)
    phrase: dict[float, Shape] = {moment: affine_shape(effort) for moment, effort in dial.items()}
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
