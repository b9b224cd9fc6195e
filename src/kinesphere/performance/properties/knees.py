"""Knees: bent or straight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty

BENT, STRAIGHT = 0.16, 0.04  # leg lengths that hips sink, and rise as far as legs are long


@phrase_edit("knees")
@document(frozen=True)
class Knees(MovementProperty):
    """Stand and go with knees bent, or straight."""

    family = Family.SHAPE

    amount: Annotated[float, dial(-1, 1, "How straight the knees are.", "bent", "straight")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """How high the hips are."""
        yield Claim("hips.y", self.amount * (STRAIGHT if self.amount > 0.0 else BENT))
