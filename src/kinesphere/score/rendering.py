"""Render a score: one way from what is performed to a motion, or to a stream of poses. (Pictures are in ``pictures``.)

    gesture, walk ─▶ phrase ─┐
                             ├─▶ phrase edits ─▶ generate ─▶ motion edits ─▶ retarget ─▶ behaviours
    motion ─▶ lift ─▶ phrase ─┘

Gestures are generated on the character's own body; motions are retargeted to it. A motion is lifted only where a phrase
edit asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from kinesphere.body.body import Body, body_of
from kinesphere.body.clear_hands import clear_motion
from kinesphere.body.collision import find_volumes
from kinesphere.body.retargeting.pipeline import retarget
from kinesphere.direction.express import as_express
from kinesphere.engine.batch import RATE
from kinesphere.engine.generation import body_clock, generate_edited
from kinesphere.engine.lifting import lift
from kinesphere.engine.performed_recording import performed_clock
from kinesphere.engine.phrases import figure_body
from kinesphere.engine.proportions import HEIGHT
from kinesphere.engine.retargeted_contacts import keep_contacts
from kinesphere.files.loading import with_own_soles
from kinesphere.laban.expression import Expression, express
from kinesphere.laban.expressive_edit import ExpressiveEdit
from kinesphere.motion.behaviour import Behaviour, Pose, fold_behaviours, stream_behaviours
from kinesphere.motion.character import Character
from kinesphere.motion.edit import Layer, MotionEdit, PhraseEdit
from kinesphere.motion.errors import warn_caller
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.registry import blame_plugin
from kinesphere.motion.skeleton import Skeleton
from kinesphere.performance.property import MovementProperty
from kinesphere.score import checks
from kinesphere.score.layers import apply_layers
from kinesphere.score.score import Score
from kinesphere.score.sources import (
    Source,
    is_motion,
    performed_phrase,
    resolve_character,
    resolve_motion,
    resolve_movement,
)


def render(score: Score, *, height: float = HEIGHT, rate: float | None = None) -> Motion:
    """Perform a score.

    Parameters
    ----------
    height
        Metres of the figure, which performs gestures of a score without a character.
    rate
        Frames a second; None: the score's, else 60 of a gesture, a motion's own.
    """
    return render_all([score], height=height, rate=rate)[0]


def render_all(scores: Sequence[Score], *, height: float = HEIGHT, rate: float | None = None) -> list[Motion]:
    """Perform many scores in one batch, on several threads: cheaper than one by one."""
    motions = _render(scores, height, rate)
    return [_fold(score, motion) for score, motion in zip(scores, motions, strict=True)]


def stream(score: Score, rate: float | None = None, *, height: float = HEIGHT) -> Iterator[Pose]:
    """Perform a score pose by pose: behaviours go on step by step. The poses are those of ``render``, to the bit."""
    (motion,) = _render([score], height, rate)
    active = _behaviours(score)
    yield from stream_behaviours(motion, active, body_of(motion) if active else None, score.scene)


def _behaviours(score: Score) -> list[Behaviour]:
    """What goes on by itself on top: of the score's sketches, and of the score."""
    own = [more for layer in score.layers for more in layer.edit.behaviours(layer.scope.strength)]
    return [more for more in (*own, *score.behaviours) if not more.neutral]


def _fold(score: Score, motion: Motion) -> Motion:
    active = _behaviours(score)
    return fold_behaviours(motion, active, body_of(motion), score.scene) if active else motion


def _render(scores: Sequence[Score], height: float, rate: float | None) -> list[Motion]:
    """The motions of scores, without behaviours."""
    characters = [None if score.character is None else resolve_character(score.character) for score in scores]
    moved = {i: resolve_movement(score.source) for i, score in enumerate(scores) if not is_motion(score.source)}
    for gesture in {id(own): own for own in moved.values() if isinstance(own, Gesture)}.values():
        for finding in checks.check_gesture(gesture):
            warn_caller(*finding)
    plain = {i: performed_phrase(own, _body(characters[i], height), scores[i].seed) for i, own in moved.items()}
    recorded = {i: _recording(own) for i, own in enumerate(scores) if is_motion(own.source)}
    asked = [score.rate if rate is None else rate for score in scores]
    rates = {i: asked[i] or scores[i].reading.rate or RATE for i in plain}
    for i, motion in recorded.items():
        if any(_changes_phrase(layer) for layer in scores[i].layers):
            plain[i] = _with_seed(lift(motion), scores[i].seed)
            rates[i] = motion.rate
    for i, phrase in plain.items():
        _check_layers(scores[i], phrase)
    phrases: dict[int, tuple[Phrase, Motion]] = {}
    for own_rate in dict.fromkeys(rates.values()):
        chosen = [i for i in plain if rates[i] == own_rate]
        edits = [partial(_edit_phrase, scores[i].layers) for i in chosen]
        phrases |= dict(zip(chosen, generate_edited([plain[i] for i in chosen], edits, own_rate), strict=True))
    motions = []
    for i, score in enumerate(scores):
        if i in phrases:
            phrase, motion = phrases[i]
            if any(isinstance(layer.edit, MotionEdit) for layer in score.layers):
                motion = apply_layers(motion, score.layers, body_clock(phrase, rates[i]), score.reading)
        else:
            motion = apply_layers(recorded[i], score.layers, reading=score.reading)
        if i in recorded:
            wanted = asked[i] or motion.rate
            motion = motion if wanted == motion.rate else motion.resampled(wanted)
            character = characters[i]
            if character is not None:
                motion = _retargeted(motion, character, phrases[i][0] if i in phrases else recorded[i])
        motions.append(motion)
    return motions


def _recording(score: Score) -> Motion:
    """The motion of a score; for another character with the soles of the surface in its file, on which it stands."""
    motion, reading = resolve_motion(score.source, score.reading), score.reading
    known = isinstance(score.source, Motion) or score.character is None
    if known or reading.scale is not None or reading.up is not None or not Path(score.source).is_file():
        return motion
    return with_own_soles(motion, score.source)


def _retargeted(motion: Motion, character: Character, recording: Phrase | Motion) -> Motion:
    """A performance of a recording on a character's body, where hands touch what they touched."""
    made = retarget(motion, character)
    if isinstance(recording, Phrase):
        phrase, shown = recording, performed_clock(recording, motion.rate).source
    else:
        try:
            phrase, shown = lift(recording), motion.times
        except ValueError:  # no whole humanoid: nobody knows what its hands touch
            return made
    kept = keep_contacts(phrase, motion, made, shown)
    if kept is made:
        return made
    anatomy = body_of(character).anatomy
    volumes = find_volumes(character, anatomy)
    return clear_motion(volumes, anatomy, kept) if volumes.is_thick else kept


def _body(character: Character | None, height: float) -> Body:
    return figure_body(height) if character is None else body_of(character)


# Phrases


def phrase_of(source: Source, body: Body | Character | Skeleton | None = None, seed: int | None = None) -> Phrase:
    """A gesture or a walk on a body, by itself, by name or by file: what it does, nothing about how. See ``generate``.

    A character or a skeleton stands for its body. Of a recording it is the phrase that ``lift`` finds, on its own body.
    """
    if isinstance(source, Motion | str | Path) and is_motion(source):
        if body is not None:
            raise ValueError(f"{source} is a recording, which has its own body; retarget it to put it on another")
        return _with_seed(lift(resolve_motion(source)), seed)
    own = body if body is None or isinstance(body, Body) else body_of(body)
    return performed_phrase(resolve_movement(source), own, seed)


def edited_phrase(score: Score) -> Phrase:
    """The phrase of a score with all its phrase edits; of a recording it is lifted, on its own body."""
    source = score.source
    if is_motion(source):
        plain = _with_seed(lift(resolve_motion(source, score.reading)), score.seed)
    else:
        character = None if score.character is None else resolve_character(score.character)
        plain = performed_phrase(resolve_movement(source), _body(character, HEIGHT), score.seed)
    _check_layers(score, plain)
    return _edit_phrase(score.layers, plain)


def _with_seed(phrase: Phrase, seed: int | None) -> Phrase:
    return phrase if phrase.seed == seed else replace(phrase, seed=seed)


def _changes_phrase(layer: Layer) -> bool:
    """Whether a layer asks for a phrase: a neutral edit does not."""
    return isinstance(layer.edit, PhraseEdit) and not layer.edit.neutral and layer.scope.strength > 0.0


def _check_layers(score: Score, phrase: Phrase) -> None:
    """Warn about what of a score's layers does not show in this phrase."""
    for layer in score.layers:
        asked = as_express(layer.edit)
        if asked is not None:
            for finding in checks.check_layer(asked, layer.scope, phrase):
                warn_caller(*finding)


def _edit_phrase(layers: Sequence[Layer], phrase: Phrase) -> Phrase:
    """The phrase with all phrase edits of these layers. Expressive ones that follow each other are one."""
    asked: list[Expression] = []
    for number, layer in enumerate(layers, 1):
        if isinstance(layer.edit, ExpressiveEdit):
            asked.append(layer.edit.expression(phrase, layer.scope))
        elif isinstance(layer.edit, PhraseEdit):
            so_far, asked = express(phrase, *asked) if asked else phrase, []
            with blame_plugin(layer.edit):
                if isinstance(layer.edit, MovementProperty):
                    phrase = layer.edit.ask(so_far, layer.scope, origin=f"layer {number}")
                else:
                    phrase = layer.edit.apply(so_far, layer.scope)
                if not isinstance(phrase, Phrase):
                    raise TypeError(f"apply gave {type(phrase).__name__}; a Phrase is expected")
    return express(phrase, *asked) if asked or phrase.seed is not None else phrase
