"""Render a score: apply its layers in order and return a motion. (Pictures are in ``pictures``.)

Express layers become a manner, in which the engine performs the gesture. Motion edits follow, one layer after the
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

from kinesphere.direction.words import Vocabulary, word_strengths
from kinesphere.engine.batch import RATE
from kinesphere.engine.generation import body_clock, generate
from kinesphere.engine.manner import Manner
from kinesphere.engine.proportions import HEIGHT
from kinesphere.laban.dials import EffortDial, Part, ShapeDial
from kinesphere.laban.effort import Effort
from kinesphere.laban.effort_parameters import DEFAULT, EffortModel, effort_model
from kinesphere.laban.manners import PARTS, Dials, manner
from kinesphere.laban.shape import Shape, affine_shape
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.edit import Layer, MotionEdit
from kinesphere.motion.errors import warn_caller
from kinesphere.motion.gesture import Gesture, Keypoints
from kinesphere.motion.humanoid import select_joints
from kinesphere.motion.motion import Motion
from kinesphere.motion.scope import Scope
from kinesphere.motion.timemap import TimeMap
from kinesphere.score import checks
from kinesphere.score.score import Express, Score, check_body_part, is_motion, resolve_gesture
from kinesphere.score.sources import resolve_motion, resolve_sources
from kinesphere.signals.constraints import hold_feet


def render(score: Score, *, height: float = HEIGHT) -> Motion:
    """Perform a score: a gesture on a figure of this height at 60 frames per second, or an edited motion."""
    return render_all([score], height=height)[0]


def render_all(scores: Sequence[Score], *, height: float = HEIGHT) -> list[Motion]:
    """Perform many scores in one batch, on several threads: cheaper than one by one."""
    gestures = {i: resolve_gesture(score.source) for i, score in enumerate(scores) if not is_motion(score.source)}
    for gesture in {id(gesture): gesture for gesture in gestures.values()}.values():
        for finding in checks.check_gesture(gesture):
            warn_caller(*finding)
    performances = {i: (gesture, _manner(scores[i], gesture)) for i, gesture in gestures.items()}
    generated = generate(list(performances.values()), height) if performances else []
    performed = dict(zip(performances, generated, strict=True))
    motions = []
    for i, score in enumerate(scores):
        if i not in performances:
            assert isinstance(score.source, Motion | str | Path)
            motions.append(apply_layers(resolve_motion(score.source), score.layers))
        elif any(isinstance(layer.edit, MotionEdit) for layer in score.layers):
            motions.append(apply_layers(performed[i], score.layers, body_clock(*performances[i], height)))
        else:
            motions.append(performed[i])
    return motions


# Motion edits


def apply_layers(motion: Motion, layers: Sequence[Layer], clock: TimeMap | None = None) -> Motion:
    """The motion with the motion edits of its layers; ``clock`` maps the source's time to the motion's."""
    stack = _LayerStack(motion, TimeMap.identity() if clock is None else clock, motion)
    for layer in layers:
        if isinstance(layer.edit, MotionEdit) and layer.scope.strength > 0.0:
            stack = stack.with_layer(layer.edit, layer.scope)
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

    def with_layer(self, given: MotionEdit, source_scope: Scope) -> _LayerStack:
        """The stack after one more layer, whose times are the source's."""
        edit = resolve_sources(given).at_times_of(self.clock, self.motion)
        scope = self._to_present(source_scope)
        if edit.needs_locked_feet or edit.retimes:
            motion, clock = edit.apply(self.with_locked_feet().motion, scope)
            return _LayerStack(motion, self.clock.then(clock), motion)
        motion, _ = edit.with_free_feet().apply(self.motion, scope)
        if not edit.locks_feet or edit.neutral:
            return replace(self, motion=motion)
        joints, weight = select_joints(motion.skeleton, scope.parts), scope.window(motion.times)
        if self.joints is not None and self.weight is not None:
            joints, weight = joints | self.joints, np.maximum(weight, self.weight)
        return replace(self, motion=motion, joints=joints, weight=weight)

    def with_locked_feet(self) -> _LayerStack:
        """The stack with the feet locked as its edits of curves ask for."""
        if self.joints is None:
            return self
        motion = hold_feet(self.locked, self.motion, self.joints, self.weight)
        return _LayerStack(motion, self.clock, motion)

    def _to_present(self, scope: Scope) -> Scope:
        """The scope with its range mapped from the source's time to the motion's."""
        if scope.whole_time:
            return scope
        start, end = (None if at is None else float(self.clock(np.array(at))) for at in (scope.start, scope.end))
        if start is not None and start > self.motion.duration + 1e-9:
            last = float(self.clock.inverse()(np.array(self.motion.duration)))
            raise ValueError(f"a layer from {scope.start:g} s has nothing to act on: the source lasts to {last:g} s")
        return replace(scope, start=start, end=end)


# Effort, Shape and words


def _manner(score: Score, gesture: Gesture) -> Manner:
    """The manner in which the Express layers of a score have its gesture performed."""
    time = np.arange(round(gesture.duration * RATE) + 1) / RATE
    parts: dict[str, list[Dials]] = {name: [] for name in PARTS}
    stillness = 0.0
    for layer in score.layers:
        if not isinstance(layer.edit, Express):
            continue
        _check_range(layer, gesture)
        _check_loop(layer, gesture)
        for finding in checks.check_layer(layer, gesture):
            warn_caller(*finding)
        strength = _strength_over(layer, time)
        for name in PARTS if layer.scope.parts is None else layer.scope.parts:
            parts[name] += _dials(layer.edit, name, strength)
        word = layer.edit.word
        own = layer.edit.stillness + (word.stillness if word else 0.0) * layer.edit.intensity
        stillness += layer.scope.strength * own
    return manner(
        gesture,
        parts,
        stillness=float(np.clip(stillness, -1.0, 1.0)),
        model=effort_model(score.model),
        locked=score.lock_times,
        seed=score.seed,
    )


def _dials(edit: Express, name: str, strength: Floats | None) -> list[Dials]:
    """An edit's dials on one part: its own, its words', and the Shape that follows Effort by affinity."""
    part = edit.parts.get(name, Part())
    effort = edit.effort if part.effort is None else part.effort
    shape = edit.shape if part.shape is None else part.shape
    dials = [Dials(effort, shape, edit.intensity, strength=strength, hands=edit.affinities)]
    word = edit.word
    if word is not None:
        dials.append(Dials(word.effort, word.shape, edit.intensity, word.tempo ** min(edit.intensity, 1.0), strength))
    if edit.affinities:
        efforts = [effort] if word is None else [effort, word.effort]
        dials += [Dials(shape=_affine(own), intensity=edit.intensity, strength=strength) for own in efforts]
    return dials


def _affine(dial: Effort | Mapping[float, Effort]) -> ShapeDial:
    if isinstance(dial, Effort):
        return affine_shape(dial)
    phrase: dict[float, Shape] = {moment: affine_shape(effort) for moment, effort in dial.items()}
    return phrase


def _strength_over(layer: Layer, time: Floats) -> Floats | None:
    """The layer's strength ``(N,)`` over its range; None: 1 throughout."""
    if layer.scope.whole_time and layer.scope.strength == 1.0:
        return None
    return layer.scope.strength * layer.scope.window(time)


def _check_range(layer: Layer, gesture: Gesture) -> None:
    start = 0.0 if layer.scope.start is None else layer.scope.start
    end = gesture.duration if layer.scope.end is None else layer.scope.end
    if start >= gesture.duration or end <= 0.0:
        raise ValueError(
            f"a layer from {start:g} to {end:g} s has nothing to act on: {gesture.name} lasts from 0 to "
            f"{gesture.duration:g} s"
        )


def _check_loop(layer: Layer, gesture: Gesture) -> None:
    """Refuse dials that change over a loop: its end would not meet its start."""
    if not gesture.loop or not isinstance(layer.edit, Express):
        return
    edit = layer.edit
    dials = [edit.effort, edit.shape, *(d for part in edit.parts.values() for d in (part.effort, part.shape))]
    phrased = any(isinstance(dial, Mapping) and len(dial) > 1 for dial in dials)
    if phrased or layer.scope.start is not None or layer.scope.end is not None:
        raise ValueError(
            f"{gesture.name} goes round: dials that change over its time, or a range of it, would leave its seam open. "
            "Give one value for all of it"
        )


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
    return Score(gesture, (edit.over(start=start, end=end, parts=chosen),), model, lock_times, seed)


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
