"""Elbows: carried out from the body or in at its sides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty

OUT, IN = 0.85, 0.55  # radians that elbows of acting arms turn about the line to their hands
HANGS_OUT, HANGS_IN = 0.60, 0.35  # and of hanging ones
ASIDE = 0.10  # metres that hanging hands go out


@phrase_edit("elbows")
@document(frozen=True)
class Elbows(MovementProperty):
    """Carry the elbows out from the body or in at its sides; hands that act stay where they are."""

    family = Family.SHAPE

    amount: Annotated[float, dial(-1, 1, "How far the elbows are out.", "in at the sides", "out")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Turns of acting and of hanging arms."""
        acting, hanging = (OUT, HANGS_OUT) if self.amount > 0.0 else (IN, HANGS_IN)
        for side in SIDES:
            yield Claim("overlay.elbow_out", acting * self.amount, f"{side}_arm")
            yield Claim(f"{side}.arm.swivel", hanging * self.amount)
            if self.amount > 0.0:
                yield Claim(f"{side}.arm.out", ASIDE * self.amount)
