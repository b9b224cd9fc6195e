"""The edits that recordings are performed with: each Effort element, each Shape attitude at both ends, and words."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

from kinesphere import Effort, Shape
from kinesphere.laban.expression import express
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import Scope
from kinesphere.score.performance import score_of

WORDS = (
    *("angry", "sad", "tired", "joyful", "afraid", "proudly", "shy"),
    *("sneakily", "urgently", "menacingly"),
)


class AnyEdit(Protocol):
    """What a performance is asked for."""

    def applied_to(self, phrase: Phrase) -> Phrase:
        """The phrase that is generated with it."""


class Edit(NamedTuple):
    """Effort, Shape or words."""

    effort: Effort | None = None
    shape: Shape | None = None
    words: str | None = None

    def applied_to(self, phrase: Phrase) -> Phrase:
        """The phrase that ``perform`` generates with this."""
        (layer,) = score_of("wave", self.effort, self.shape, words=self.words).layers
        return express(phrase, layer.edit.expression(phrase, Scope()))


EDITS: Mapping[str, Edit] = MappingProxyType(
    {
        "indirect": Edit(Effort(space=-1)),
        "direct": Edit(Effort(space=1)),
        "light": Edit(Effort(weight=-1)),
        "strong": Edit(Effort(weight=1)),
        "sustained": Edit(Effort(time=-1)),
        "sudden": Edit(Effort(time=1)),
        "free": Edit(Effort(flow=-1)),
        "bound": Edit(Effort(flow=1)),
        "spreading": Edit(shape=Shape(horizontal=-1)),
        "enclosing": Edit(shape=Shape(horizontal=1)),
        "rising": Edit(shape=Shape(vertical=-1)),
        "sinking": Edit(shape=Shape(vertical=1)),
        "advancing": Edit(shape=Shape(sagittal=-1)),
        "retreating": Edit(shape=Shape(sagittal=1)),
    }
    | {word: Edit(words=word) for word in WORDS}
)
