"""Incomplete: strokes go only a share of their way, and return from there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty


@phrase_edit("incomplete")
@document(frozen=True)
class Incomplete(MovementProperty):
    """Let strokes go only a share of their way from where limbs rest, and return from there; a scope's parts choose.

    Limbs rest as they did, and strokes take as long. What hands touch and goals in the world are reached all the same.
    """

    family = Family.TRANSITION

    share: Annotated[float, dial(0, 1, "How much of their way they go.", "nothing", "all of it", neutral=1.0)] = 1.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """The share of all joints above the hips."""
        yield Claim("complete", self.share, "upper_body")

    @classmethod
    def examples(cls) -> tuple[Incomplete, ...]:
        """Little more than half of it."""
        return (cls(share=0.6),)
