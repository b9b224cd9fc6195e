"""Touch: hands come to their stops and leave them lightly, or heavily."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.envelope import ENVELOPES
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty

HANDS_LATER = 0.05  # seconds that a heavy hand's wrist and fingers move later; those of a light one lead
TAKEN = 0.8  # of the envelope, at full touch


@phrase_edit("touch")
@document(frozen=True)
class Touch(MovementProperty):
    """Let hands touch lightly or heavily.

    Light hands slow down early, their fingers lead, and they lift off as they leave. Heavy ones arrive with their
    weight, sink on a little, and leave late. Where they touch something, they touch it all the same.
    """

    family = Family.TRANSITION

    amount: Annotated[float, dial(-1, 1, "How heavy the touch is.", "light", "heavy")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Envelopes of arms, when hands turn, and how they sink or lift."""
        own = ENVELOPES["slow_start" if self.amount > 0.0 else "fast_start"]
        for side in SIDES:
            yield Claim(f"{side}.touch", self.amount)
            for part in ("arm", "hand"):
                yield Claim("envelope", own, f"{side}_{part}", weight=TAKEN * abs(self.amount))
            yield Claim("delay", HANDS_LATER * self.amount, f"{side}_hand")
