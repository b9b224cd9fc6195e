"""Expressive edits: phrase edits whose dials add up before they saturate: Effort, Shape, stillness, words."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from kinesphere.motion.edit import PhraseEdit
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import WHOLE, Scope

if TYPE_CHECKING:
    from kinesphere.laban.expression import Expression


class ExpressiveEdit(PhraseEdit):
    """A phrase edit that asks for an expression; several of them are one expression."""

    @abstractmethod
    def expression(self, phrase: Phrase, scope: Scope = WHOLE) -> Expression:
        """What it asks of a phrase."""

    def check_scope(self, scope: Scope) -> None:
        """Refuse other parts than arms and torso."""
        from kinesphere.laban.expression import scope_parts

        scope_parts(scope)

    def apply(self, phrase: Phrase, scope: Scope = WHOLE) -> Phrase:
        """The phrase with these dials, and with those that it has already."""
        from kinesphere.laban.expression import express

        return express(phrase, self.expression(phrase, scope))
