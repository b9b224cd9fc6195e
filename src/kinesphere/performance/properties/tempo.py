"""Tempo: how quickly movements follow their course; their rhythm stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty


@phrase_edit("tempo")
@document(frozen=True)
class Tempo(MovementProperty):
    """Do everything quicker or slower: strokes, and the rests between them; their rhythm stays."""

    family = Family.TIMING

    factor: Annotated[float, dial(0.4, 2.5, "Times as quick.", "slow", "quick", neutral=1.0)] = 1.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Strokes of all parts last as long."""
        yield Claim("stroke.duration", 1.0 / self.factor, "body")
