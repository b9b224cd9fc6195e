"""Beauty line: the S of a body that stands on one leg, seen from the front."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty

SHIFTS = 0.62  # of half the support: the centre of mass goes over the leg that carries the body
# Radians to the left, of a body that stands on its left leg.
BENDS = {
    "hips.tilt": -0.17,
    "hips.turn": -0.08,
    "spine.lower.side": 0.10,
    "spine.middle.side": 0.10,
    "spine.upper.side": 0.08,
    "head.tilt": -0.10,
}


@phrase_edit("beauty_line")
@document(frozen=True)
class BeautyLine(MovementProperty):
    """Stand in an S: weight on one leg, its hip pushed out and up, the spine curved back, shoulders tilted against it.

    The hip of the free leg drops, and its knee bends. Sculptors call it contrapposto; it reads as at ease, or sensual.
    """

    family = Family.SHAPE

    amount: Annotated[
        float, dial(-1, 1, "How much of an S, and on which leg the weight is.", "on the right leg", "on the left leg")
    ] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Where the weight is, and how pelvis, spine and head are bent."""
        yield Claim("balance.x", SHIFTS * self.amount)
        for name, value in BENDS.items():
            yield Claim(name, value * self.amount)
        for side, sign in (("left", -1.0), ("right", 1.0)):
            yield Claim(f"{side}.clavicle.raise", 0.10 * sign * self.amount)
