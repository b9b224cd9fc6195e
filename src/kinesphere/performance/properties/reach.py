"""Reach: how far hands go from their shoulders."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty

LONGER, SHORTER = 0.30, 0.35  # arm lengths


@phrase_edit("reach")
@document(frozen=True)
class Reach(MovementProperty):
    """Let hands that act go farther from their shoulders, or less far: arms straighter, or more bent."""

    family = Family.SHAPE

    amount: Annotated[float, dial(-1, 1, "How far hands go from their shoulders.", "less far", "farther")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """The reach of both hands."""
        most = LONGER if self.amount > 0.0 else SHORTER
        yield from (Claim(f"{side}.reach", most * self.amount) for side in SIDES)
