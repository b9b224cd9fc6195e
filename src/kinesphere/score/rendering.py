"""Render a score: apply its layers in order and return a motion. (Pictures are in ``pictures``.)

Express layers become a manner, in which the engine performs the gesture. Signal edits follow, one layer after the
other. Layers are given in the source's own time. Effort, timewarps and blends change timing. So a time map from the
source's time to the motion's is kept and updated by each of them, and the times of a layer pass through it: "from the
second knock on" stays at the second knock. Feet are locked once after several edits of curves, not after each: before
an edit that retimes or displaces, and at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from kinesphere.body.body import Body
from kinesphere.builtin.library import resolve_motion
from kinesphere.direction.words import Vocabulary, word_strengths
from kinesphere.engine.generation import body_clock, generate
from kinesphere.engine.phrases import figure_body, phrase_of
from kinesphere.engine.proportions import HEIGHT
from kinesphere.laban.dials import EffortDial, Part, ShapeDial
from kinesphere.laban.effort import Effort
from kinesphere.laban.effort_parameters import DEFAULT, EffortModel, effort_model
from kinesphere.laban.expression import Expression, express
from kinesphere.laban.shape import Shape
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.errors import warn_caller
from kinesphere.motion.gesture import Gesture, Keypoints
from kinesphere.motion.humanoid import select_joints
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import Scope
from kinesphere.motion.timemap import TimeMap
from kinesphere.score import checks
from kinesphere.score.score import Express, Layer, Score, SignalEdit, check_body_part, is_motion, resolve_gesture
from kinesphere.signals.blend import Blend
from kinesphere.signals.constraints import hold_feet
from kinesphere.signals.displace import Displace
from kinesphere.signals.edit import Edit, edit_window
from kinesphere.signals.pose_edits import PoseEdit
from kinesphere.signals.timewarp import Timewarp


def render(score: Score, *, height: float = HEIGHT) -> Motion:
    """Perform a score: a gesture on a figure of this height at 60 frames per second, or an edited motion."""
    return render_all([score], height=height)[0]


def render_all(scores: Sequence[Score], *, height: float = HEIGHT) -> list[Motion]:
    """Perform many scores in one batch, on several threads: cheaper than one by one."""
    gestures = {i: resolve_gesture(score.source) for i, score in enumerate(scores) if not is_motion(score.source)}
    for gesture in {id(gesture): gesture for gesture in gestures.values()}.values():
        for finding in checks.check_gesture(gesture):
            warn_caller(*finding)
    body = figure_body(height)
    performances = {i: _phrase(scores[i], gesture, body) for i, gesture in gestures.items()}
    generated = generate(list(performances.values())) if performances else []
    performed = dict(zip(performances, generated, strict=True))
    motions = []
    for i, score in enumerate(scores):
        if i not in performances:
            assert isinstance(score.source, Motion | str | Path)
            motions.append(apply_layers(resolve_motion(score.source), score.layers))
        elif any(not isinstance(layer.edit, Express) for layer in score.layers):
            motions.append(apply_layers(performed[i], score.layers, body_clock(performances[i])))
        else:
            motions.append(performed[i])
    return motions


# Signal edits


def apply_layers(motion: Motion, layers: Sequence[Layer], clock: TimeMap | None = None) -> Motion:
    """The motion with the signal edits of its layers; ``clock`` maps the source's time to the motion's."""
    stack = _LayerStack(motion, TimeMap.identity() if clock is None else clock, motion)
    for layer in layers:
        if not isinstance(layer.edit, Express) and layer.strength > 0.0:
            stack = stack.with_layer(layer, layer.edit)
    return stack.with_locked_feet().motion


@dataclass(frozen=True, eq=False)
class _LayerStack:
    """A motion after some layers.

    Attributes
    ----------
    clock
        From the source's time to the motion's.
    locked
        The motion when its feet were last locked: what later edits are compared with.
    joints
        ``(J,)`` joints of later edits that ask for locked feet; None: there are none.
    weight
        ``(T,)`` the weight of those edits in each frame.
    """

    motion: Motion
    clock: TimeMap
    locked: Motion
    joints: Bools | None = None
    weight: Floats | None = None

    def with_layer(self, layer: Layer, edit: SignalEdit) -> _LayerStack:
        """The stack after one more layer. The layer's range is mapped from the source's time to the motion's."""
        start, end = (None if at is None else float(self.clock(np.array(at))) for at in (layer.start, layer.end))
        if start is not None and start > self.motion.duration + 1e-9:
            last = float(self.clock.inverse()(np.array(self.motion.duration)))
            raise ValueError(f"a layer from {layer.start:g} s has nothing to act on: the source lasts to {last:g} s")
        parts, strength = layer.parts, layer.strength
        if isinstance(edit, Timewarp):
            marks = [(float(self.clock(np.array(old))), new) for old, new in edit.marks]
            amount = strength * edit.amount
            warp = replace(edit, joints=parts, start=start, end=end, amount=amount, marks=marks)
            return self._after_retiming(*warp.with_clock(self.with_locked_feet().motion))
        if isinstance(edit, Blend):
            blend = replace(edit, joints=parts, start=start, end=end, strength=strength)
            return self._after_retiming(*blend.with_clock(self.with_locked_feet().motion))
        scoped = replace(edit, joints=parts, start=start, end=end, strength=strength)
        if isinstance(scoped, Displace):
            points = [self._to_present(point) for point in scoped.edits if isinstance(point, PoseEdit)]
            motion = replace(scoped, edits=points)(self.with_locked_feet().motion)
            return _LayerStack(motion, self.clock, motion)
        return self._after_curve_edit(scoped)

    def with_locked_feet(self) -> _LayerStack:
        """The stack with the feet locked as its edits of curves ask for."""
        if self.joints is None:
            return self
        motion = hold_feet(self.locked, self.motion, self.joints, self.weight)
        return _LayerStack(motion, self.clock, motion)

    def _after_curve_edit(self, edit: Edit) -> _LayerStack:
        motion = replace(edit, feet=False)(self.motion)
        if not edit.holds_feet or edit.neutral:
            return replace(self, motion=motion)
        joints = select_joints(motion.skeleton, edit.joints)
        weight = edit_window(motion, edit.start, edit.end, edit.fade)
        if self.joints is not None and self.weight is not None:
            joints, weight = joints | self.joints, np.maximum(weight, self.weight)
        return replace(self, motion=motion, joints=joints, weight=weight)

    def _after_retiming(self, motion: Motion, clock: TimeMap) -> _LayerStack:
        return _LayerStack(motion, self.clock.then(clock), motion)

    def _to_present(self, point: PoseEdit) -> PoseEdit:
        """A pose edit at the motion's time. A frame stays itself where both times are the same."""
        rate = self.motion.rate
        at = point.seconds if point.frame is None else point.frame / rate
        assert at is not None
        now = float(self.clock(np.array(at)))
        return point if abs(now - at) < 1e-9 else replace(point, frame=None, seconds=min(now, self.motion.duration))


# Effort, Shape and words


def _phrase(score: Score, gesture: Gesture, body: Body) -> Phrase:
    """The gesture as a phrase, with all phrase edits of a score."""
    phrase = phrase_of(gesture, body, score.seed)
    own = effort_model(score.model)
    asked = [Expression(model=None if own is effort_model() else own, locked=score.lock_times)]
    for layer in score.layers:
        if isinstance(layer.edit, Express):
            for finding in checks.check_layer(layer, phrase):
                warn_caller(*finding)
            scope = Scope(layer.start, layer.end, layer.parts, layer.strength)
            asked.append(layer.edit.expression(phrase, scope))
    return express(phrase, *asked)


# ``perform``: a gesture with Effort, Shape and words, in one call


Parts = Mapping[str, "Part | Effort | Shape | Mapping[str, object]"] | Iterable[str]
Words = str | Iterable[str] | Mapping[str, float]


def perform(
    gesture: Gesture | Keypoints | str | Path,
    effort: EffortDial | None = None,
    shape: ShapeDial | None = None,
    *,
    parts: Parts | None = None,
    words: Words | None = None,
    intensity: float = 1.0,
    stillness: float = 0.0,
    start: float | None = None,
    end: float | None = None,
    model: str | Path | EffortModel = DEFAULT,
    lock_times: bool = False,
    seed: int | None = None,
    affinities: bool = False,
    vocabulary: Vocabulary | None = None,
) -> Motion:
    """Perform a gesture with Effort and Shape. Its goals stay; timing, paths and posture change.

    Parameters
    ----------
    gesture
        A gesture, key points, the name of a built-in gesture, or a file of either.
    effort, shape
        One value, or a phrase: values at seconds of the gesture's own time, ``{0.0: Effort(), 2.0: Effort(time=1)}``.
    parts
        Names of the parts that all this is for; or for each part its own Effort and Shape instead of the whole's:
        ``{"right_arm": Effort(weight=1), "torso": Shape(vertical=-1)}``. Parts: ``left_arm, right_arm, torso``.
    words
        ``"gently"``, ``"gently and proudly"``, a list, or words with their strengths from 0 to 1.
    intensity
        0 to 2: multiplies the factors. Beyond ±1 flourishes grow and durations change further.
    stillness
        −1, restless, to 1, a statue.
    start, end
        The stretch of the gesture's own time that this is for, in seconds.
    model
        ``"default"``, ``"chi1999"``, ``"emote2000"``, or a character's own TOML file.
    lock_times
        Keep the key times whatever the Effort.
    seed
        Which individual performs: each differs a little in flourishes, pace and sway. None: always the same.
    affinities
        Let Shape and hands follow Effort: indirect spreads, light rises, strong makes fists.
    vocabulary
        Words to choose from, see ``kinesphere.direction.words.load_words``.
    """
    return render(
        score_of(
            gesture,
            effort,
            shape,
            parts=parts,
            words=words,
            intensity=intensity,
            stillness=stillness,
            start=start,
            end=end,
            model=model,
            lock_times=lock_times,
            seed=seed,
            affinities=affinities,
            vocabulary=vocabulary,
        )
    )


def score_of(
    gesture: Gesture | Keypoints | str | Path,
    effort: EffortDial | None = None,
    shape: ShapeDial | None = None,
    *,
    parts: Parts | None = None,
    words: Words | None = None,
    intensity: float = 1.0,
    stillness: float = 0.0,
    start: float | None = None,
    end: float | None = None,
    model: str | Path | EffortModel = DEFAULT,
    lock_times: bool = False,
    seed: int | None = None,
    affinities: bool = False,
    vocabulary: Vocabulary | None = None,
) -> Score:
    """The score that ``perform`` renders."""
    own: dict[str, Part] = {}
    chosen: tuple[str, ...] | None = None
    if isinstance(parts, Mapping):
        own = {name: read_part(name, value) for name, value in parts.items()}
    elif parts is not None:
        chosen = (parts,) if isinstance(parts, str) else tuple(parts)
    edit = Express(
        Effort() if effort is None else effort,
        Shape() if shape is None else shape,
        {} if words is None else word_strengths(words),
        intensity,
        stillness,
        affinities,
        own,
        vocabulary,
    )
    return Score(gesture, (Layer(edit, start, end, chosen),), model, lock_times, seed)


def read_part(name: str, value: object) -> Part:
    """A part's Effort and Shape from one of them, from both, or from a mapping of both."""
    check_body_part(name)
    if isinstance(value, Part):
        return value
    if isinstance(value, Effort):
        return Part(effort=value)
    if isinstance(value, Shape):
        return Part(shape=value)
    if isinstance(value, Mapping) and value and set(value) <= {"effort", "shape"}:
        return Part(**value)
    raise TypeError(f"{name}: {value!r}; an Effort, a Shape, or a Part of both is expected")
