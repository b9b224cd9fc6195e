"""Stillness: how much a body moves by itself while nothing is asked of it; a phrase edit."""

from __future__ import annotations

from typing import Annotated

from kinesphere.laban.expression import Expression
from kinesphere.laban.expressive_edit import ExpressiveEdit
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import WHOLE, Scope


@phrase_edit("stillness")
@document(frozen=True)
class Stillness(ExpressiveEdit):
    """How still a body is: breath, sway and fidgeting."""

    amount: Annotated[float, dial(-1, 1, "From fidgeting to no breath at all.", "restless", "a statue")] = 0.0

    @property
    def neutral(self) -> bool:
        """Whether it changes nothing."""
        return self.amount == 0.0

    def expression(self, phrase: Phrase, scope: Scope = WHOLE) -> Expression:
        """What it asks of a phrase as a whole: range and parts do not matter."""
        return Expression(stillness=scope.strength * self.amount)
