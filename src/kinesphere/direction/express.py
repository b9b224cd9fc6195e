"""Effort, Shape, words, intensity and stillness in one phrase edit, for the whole body or part by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator

from kinesphere.direction.word_text import LEAST_STRENGTH, MOST_STRENGTH, word_strengths
from kinesphere.direction.words import Vocabulary, Word, Words, combine_words
from kinesphere.laban.dials import Dials, EffortDial, Part, ShapeDial, dial_to_plain
from kinesphere.laban.effort import Effort
from kinesphere.laban.expression import (
    PARTS,
    Expression,
    check_scope,
    model_and_lock,
    scope_parts,
    strength_over,
)
from kinesphere.laban.expressive_edit import ExpressiveEdit
from kinesphere.laban.shape import Shape, affine_shape
from kinesphere.maths.vectors import Floats
from kinesphere.motion.document import Flag, Setting, Unwritten, dial, document, fields_to_plain, number
from kinesphere.motion.drive import Drive
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import WHOLE, Scope

MOST_INTENSITY = 2.0
NO_STEP = (0.0, 0.0)
BEYOND_FULL = 0.35  # of an intensity above 1 that a posture and a rhythm show: bodies have limits


@phrase_edit("express")
@document(frozen=True)
class Express(ExpressiveEdit):
    """Effort and Shape by dial or by word.

    Parameters
    ----------
    effort, shape
        One value, or values at seconds of the source's own time.
    words
        A text such as ``"very angry and shyly"``, or words with their strengths from −1, the opposite, to 2. Their
        dials are added to the ones above.
    intensity
        From 0, nothing, over 1, as dialled, to 2.
    stillness
        From −1, restless, over 0, as it is, to 1, a statue.
    affinities
        Whether Shape and hands follow Effort: indirect spreads, light rises and opens the hand, strong sinks and
        makes a fist, sustained advances.
    of_parts
        Effort and Shape of single parts instead of the whole body's: ``left_arm``, ``right_arm``, ``torso``.
    keep_path
        Whether a walk goes where it went, its feet where they stood; else strides are longer or shorter too.
    """

    effort: Annotated[EffortDial, Setting("Effort: one value, or values at moments.")] = field(default_factory=Effort)
    shape: Annotated[ShapeDial, Setting("Shape: one value, or values at moments.")] = field(default_factory=Shape)
    words: Annotated[
        Mapping[str, Annotated[float, number(LEAST_STRENGTH, MOST_STRENGTH)]],
        BeforeValidator(word_strengths),
        Setting("Words with their strengths from −1, the opposite, to 2, extremely."),
    ] = field(default_factory=dict)
    intensity: Annotated[
        float, dial(0, MOST_INTENSITY, "How much of all this: 1 is as dialled.", "nothing", "twice", neutral=1.0)
    ] = 1.0
    stillness: Annotated[float, dial(-1, 1, "From fidgeting to no breath at all.", "restless", "a statue")] = 0.0
    affinities: Annotated[Flag, Setting("Let Shape and hands go along with Effort.")] = False
    of_parts: Annotated[
        Mapping[str, Part], Setting("Effort and Shape of single parts instead of the whole body's.", hidden=True)
    ] = field(default_factory=dict)
    keep_path: Annotated[Flag, Setting("Let a walk go where it went: strides stay as long as they are.")] = False
    vocabulary: Annotated[Vocabulary | None, Unwritten(), Setting("Words to choose from.", hidden=True)] = field(
        default=None, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        if self.words:
            combine_words(self.words, self.vocabulary)  # refuses unknown words
        for name in self.of_parts:
            if name not in PARTS:
                raise ValueError(unknown_name("part", name, PARTS))
        object.__setattr__(self, "words", MappingProxyType(dict(self.words)))
        object.__setattr__(self, "of_parts", MappingProxyType(dict(self.of_parts)))

    @property
    def word(self) -> Word | None:
        """The dials of all its words together."""
        return combine_words(self.words, self.vocabulary) if self.words else None

    @property
    def dials(self) -> Iterator[tuple[str, EffortDial | ShapeDial]]:
        """All its dials, of the whole and of parts, each with its kind."""
        for effort, shape in ((self.effort, self.shape), *((own.effort, own.shape) for own in self.of_parts.values())):
            if effort is not None:
                yield "Effort", effort
            if shape is not None:
                yield "Shape", shape

    @property
    def neutral(self) -> bool:
        """Whether it changes nothing."""
        return self == Express()

    def expression(self, phrase: Phrase, scope: Scope = WHOLE) -> Expression:
        """What it asks of a phrase."""
        check_scope(phrase, scope, [own for _, own in self.dials])
        strength, word = strength_over(phrase, scope), self.word
        stillness = self.stillness + (word.stillness if word else 0.0) * self.intensity
        efforts = [self.effort, *(part.effort for part in self.of_parts.values())]
        parts = scope_parts(scope)
        drives, step = self._body_language(phrase, strength, word) if "torso" in parts else ((), NO_STEP)
        return Expression(
            {name: self._dials(name, strength, word) for name in parts},
            scope.strength * stillness,
            *model_and_lock(efforts),
            drives,
            step,
            self.keep_path,
        )

    def _body_language(
        self, phrase: Phrase, strength: Floats | None, word: Word | None
    ) -> tuple[tuple[Drive, ...], tuple[float, float]]:
        """Posture, gaze and rhythm of its words, and the step that they take."""
        if word is None or word.body.neutral:
            return (), NO_STEP
        size = min(self.intensity * word.gain, MOST_INTENSITY)
        size = (size if size <= 1.0 else 1.0 + BEYOND_FULL * (size - 1.0)) / word.gain
        amount = np.asarray(size if strength is None else size * strength)
        out, ahead = (min(size, 1.0) * float(np.max(amount) / max(size, 1e-9)) * value for value in word.body.step)
        return tuple(word.body.drives(phrase, amount)), (out, ahead)

    def _dials(self, name: str, strength: Floats | None, word: Word | None) -> list[Dials]:
        """Its dials on one part: its own, its words', and the Shape that follows Effort by affinity."""
        part = self.of_parts.get(name, Part())
        effort = self.effort if part.effort is None else part.effort
        shape = self.shape if part.shape is None else part.shape
        dials = [Dials(effort, shape, self.intensity, strength=strength, hands=self.affinities)]
        if word is not None:
            tempo = word.tempo ** min(self.intensity, 1.0)
            intensity = min(self.intensity * word.gain, MOST_INTENSITY)
            dials.append(Dials(word.effort, word.shape, intensity, tempo, strength))
        if self.affinities:
            efforts = [effort] if word is None else [effort, word.effort]
            dials += [Dials(shape=_affine(own), intensity=self.intensity, strength=strength) for own in efforts]
        return dials

    def to_plain(self) -> dict[str, Any]:
        """As JSON has it, without neutral values."""
        row = fields_to_plain(self)
        for name, own in (("effort", self.effort), ("shape", self.shape)):
            if name in row:
                row[name] = dial_to_plain(own)
        return row


def _affine(dial: EffortDial) -> ShapeDial:
    if isinstance(dial, Effort):
        return affine_shape(dial)
    return {moment: affine_shape(effort) for moment, effort in dial.items()}


def as_express(edit: object) -> Express | None:
    """What an edit of Effort, Shape or words asks for, as an Express; None: it is another edit."""
    if isinstance(edit, Express):
        return edit
    if isinstance(edit, Effort):
        return Express(effort=edit)
    if isinstance(edit, Shape):
        return Express(shape=edit)
    return Express(words=edit.words, intensity=edit.intensity) if isinstance(edit, Words) else None
