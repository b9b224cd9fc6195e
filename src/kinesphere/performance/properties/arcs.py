"""Arcs: hands go rounder, or straighter, from stop to stop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty


@phrase_edit("arcs")
@document(frozen=True)
class Arcs(MovementProperty):
    """Let hands go in rounder arcs from stop to stop, or straighter; where they stop stays.

    A way is bowed to where it is bowed already, else outwards, up and ahead, by a share of its length.
    """

    family = Family.TRANSITION

    amount: Annotated[float, dial(-1, 1, "How round the ways are.", "straight", "round")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """The ways of both hands."""
        for side in SIDES:
            yield Claim(f"{side}.arc", self.amount)
