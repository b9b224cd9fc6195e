"""Shoulders: raised or dropped, forward or back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty

RAISED, DROPPED = 0.32, 0.16  # radians
AHEAD, BACK = 0.40, 0.30


@phrase_edit("shoulders")
@document(frozen=True)
class Shoulders(MovementProperty):
    """Carry the shoulders raised or dropped, forward or back."""

    family = Family.SHAPE

    height: Annotated[float, dial(-1, 1, "How high the shoulders are.", "dropped", "raised")] = 0.0
    forward: Annotated[float, dial(-1, 1, "How far the shoulders are forward.", "drawn back", "forward")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Turns of both collar bones."""
        for side in SIDES:
            if self.height:
                yield Claim(f"{side}.clavicle.raise", self.height * (RAISED if self.height > 0.0 else DROPPED))
            if self.forward:
                yield Claim(f"{side}.clavicle.forward", self.forward * (AHEAD if self.forward > 0.0 else BACK))
