"""Posture: how much a body holds itself up, from slumped to erect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty

# Of a slumped body, and of an erect one: radians, and of the hips leg lengths.
SLUMPED = {
    "hips.lean": -0.08,
    "spine.lower.forward": 0.14,
    "spine.middle.forward": 0.20,
    "spine.upper.forward": 0.24,
    "neck.forward": 0.24,
    "head.nod": -0.36,
    "hips.y": -0.03,
}
# An erect back lengthens: it opens above and stays over the hips below. Bent back as a whole, it would be lower.
ERECT = {
    "hips.lean": 0.02,
    "spine.lower.forward": 0.02,
    "spine.middle.forward": -0.05,
    "spine.upper.forward": -0.11,
    "neck.forward": -0.06,
    "head.nod": 0.12,
    "hips.y": 0.02,
}
SHOULDERS = {"slumped": {"forward": 0.34, "raise": -0.10}, "erect": {"forward": -0.20, "raise": 0.03}}


@phrase_edit("posture")
@document(frozen=True)
class Posture(MovementProperty):
    """Hold the body up, or let it sink into itself: spine, neck, chest and shoulders, and knees a little.

    The face looks where it looked, nearly: what the spine bends, neck and head take back.
    """

    family = Family.SHAPE

    amount: Annotated[float, dial(-1, 1, "How much the body holds itself up.", "slumped", "erect")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Bends of the spine, and what goes with them."""
        size, kind = abs(self.amount), "erect" if self.amount > 0.0 else "slumped"
        for name, value in (ERECT if self.amount > 0.0 else SLUMPED).items():
            yield Claim(name, size * value)
        for side in SIDES:
            for name, value in SHOULDERS[kind].items():
                yield Claim(f"{side}.clavicle.{name}", size * value)
