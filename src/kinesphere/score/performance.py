"""``perform``: a gesture or a recording with Effort, Shape and words, in one call; and the score that it renders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kinesphere.direction.express import Express
from kinesphere.direction.word_text import word_strengths
from kinesphere.direction.words import Vocabulary
from kinesphere.laban.dials import EffortDial, Part, ShapeDial
from kinesphere.laban.effort import Effort
from kinesphere.laban.effort_parameters import DEFAULT, EffortModel
from kinesphere.laban.shape import Shape
from kinesphere.motion.behaviour import Behaviour
from kinesphere.motion.character import Character
from kinesphere.motion.edit import Layer
from kinesphere.motion.gait import Gait
from kinesphere.motion.gesture import Gesture, Keypoints
from kinesphere.motion.motion import Motion
from kinesphere.motion.scope import Scope
from kinesphere.performance.sketch import Sketch
from kinesphere.score.rendering import render
from kinesphere.score.score import Score

Parts = Mapping[str, "Part | Effort | Shape | Mapping[str, object]"] | Iterable[str]
Words = str | Iterable[str] | Mapping[str, float]


def perform(
    source: Gesture | Gait | Keypoints | Motion | str | Path,
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
    keep_path: bool = False,
    vocabulary: Vocabulary | None = None,
    character: Character | str | Path | None = None,
    behaviours: Sequence[Behaviour] = (),
    sketch: str | Sketch | None = None,
    rate: float | None = None,
) -> Motion:
    """Perform a gesture, a walk or a recording with Effort and Shape. Goals stay; timing, paths and posture change.

    Parameters
    ----------
    source
        A gesture, a walk, key points, the name of a built-in one, or a file of any of them; or a motion or its file,
        of any humanoid: what it does is found by ``lift``, and all of its life is kept.
    effort, shape
        One value, or values at seconds of the gesture's own time, ``{0.0: Effort(), 2.0: Effort(time=1)}``.
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
    keep_path
        Let a walk go where it went, its feet where they stood. Else strides are longer or shorter, too.
    vocabulary
        Words to choose from, see ``kinesphere.direction.words.load_words``.
    character
        Who performs it, on its own body: a character, ``"mo"``, or a file. None: the figure, or whom the recording is
        of. A recording is performed on its own body and retargeted then.
    behaviours
        What goes on by itself on top.
    sketch
        Who performs it: ``"nervous-clerk"``, a file of one's own, or a ``Sketch``. All else is asked on top of it.
    rate
        Frames a second; None: 60, or the recording's own.
    """
    score = score_of(
        source,
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
        keep_path=keep_path,
        vocabulary=vocabulary,
        character=character,
        behaviours=behaviours,
        sketch=sketch,
    )
    return render(score, rate=rate)


def score_of(
    source: Gesture | Gait | Keypoints | Motion | str | Path,
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
    keep_path: bool = False,
    vocabulary: Vocabulary | None = None,
    character: Character | str | Path | None = None,
    behaviours: Sequence[Behaviour] = (),
    sketch: str | Sketch | None = None,
) -> Score:
    """The score that ``perform`` renders."""
    own: dict[str, Part] = {}
    chosen: tuple[str, ...] | None = None
    if isinstance(parts, Mapping):
        own = {name: read_part(name, value) for name, value in parts.items()}
    elif parts is not None:
        chosen = (parts,) if isinstance(parts, str) else tuple(parts)
    edit = Express(
        with_model(Effort() if effort is None else effort, model, lock_times),
        Shape() if shape is None else shape,
        {} if words is None else word_strengths(words),
        intensity,
        stillness,
        affinities,
        own,
        keep_path,
        vocabulary,
    )
    layers = (*sketch_layers(sketch), Layer(edit, Scope(start, end, chosen)))
    return Score(source, layers, character, tuple(behaviours), seed=seed)


def sketch_layers(sketch: str | Sketch | None) -> tuple[Layer, ...]:
    """The layer of a sketch, by itself or by its name or file; none without one."""
    own = Sketch(sketch) if isinstance(sketch, str) else sketch
    return () if own is None else (Layer(own),)


def with_model(effort: EffortDial, model: str | Path | EffortModel, lock_times: bool) -> EffortDial:
    """The Effort with another model, or with locked times, where these are not the usual ones."""
    changed: dict[str, Any] = {} if model == DEFAULT else {"model": model}
    if lock_times:
        changed["lock_times"] = True
    if not changed:
        return effort
    if isinstance(effort, Mapping):
        return {moment: _changed(own, changed) for moment, own in effort.items()}
    return _changed(effort, changed)


def _changed(effort: Effort, changed: Mapping[str, Any]) -> Effort:
    """An Effort with other fields; what is none is refused by ``Express``."""
    return replace(effort, **changed) if isinstance(effort, Effort) else effort


def read_part(name: str, value: object) -> Part:
    """A part's Effort and Shape from one of them, from both, or from a mapping of both."""
    if isinstance(value, Part):
        return value
    if isinstance(value, Effort):
        return Part(effort=value)
    if isinstance(value, Shape):
        return Part(shape=value)
    if isinstance(value, Mapping) and value and set(value) <= {"effort", "shape"}:
        return Part(**value)
    raise TypeError(f"{name}: {value!r}; an Effort, a Shape, or a Part of both is expected")
