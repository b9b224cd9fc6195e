"""Carriage of the head: chin up or down, tilted aside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty

UP, DOWN, ASIDE = 0.42, 0.48, 0.38  # radians


@phrase_edit("head_carriage")
@document(frozen=True)
class HeadCarriage(MovementProperty):
    """Carry the head with the chin up or down, and tilted to a side."""

    family = Family.SHAPE

    chin: Annotated[float, dial(-1, 1, "How high the chin is.", "down", "up")] = 0.0
    tilt: Annotated[float, dial(-1, 1, "To which side the head is tilted.", "right", "left")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Turns of the head."""
        if self.chin:
            yield Claim("head.nod", -self.chin * (UP if self.chin > 0.0 else DOWN))
        if self.tilt:
            yield Claim("head.tilt", ASIDE * self.tilt)
