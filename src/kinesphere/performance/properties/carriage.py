"""Carriage: the zone of the body that is carried forward: head, chest or abdomen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty

# Zone to radians, and of the hips leg lengths, of a body that carries it all the way forward.
HEAD = {"neck.forward": 0.42, "spine.upper.forward": 0.12, "head.nod": -0.14}
CHEST = {
    "spine.lower.forward": 0.05,
    "spine.middle.forward": -0.16,
    "spine.upper.forward": -0.16,
    "neck.forward": -0.06,
    "head.nod": 0.20,
}
ABDOMEN = {
    "hips.z": 0.055,
    "hips.lean": 0.10,
    "spine.lower.forward": -0.26,
    "spine.middle.forward": 0.06,
    "spine.upper.forward": 0.17,
    "head.nod": -0.02,
}
OPEN = {"forward": -0.20, "raise": 0.05}  # radians of the shoulders of who carries the chest forward


@phrase_edit("carriage")
@document(frozen=True)
class Carriage(MovementProperty):
    """Carry one zone of the body forward: the head (mental), the chest (pride), the abdomen (animal).

    With all three at zero a body is balanced, as it was.
    """

    family = Family.SHAPE

    head: Annotated[float, dial(-1, 1, "How the head is carried.", "drawn in", "ahead")] = 0.0
    chest: Annotated[float, dial(-1, 1, "How the chest is carried.", "drawn in", "ahead")] = 0.0
    abdomen: Annotated[float, dial(-1, 1, "How the abdomen is carried.", "drawn in", "ahead")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Bends of spine and neck, and where the hips are."""
        made: dict[str, float] = {}
        for amount, zone in ((self.head, HEAD), (self.chest, CHEST), (self.abdomen, ABDOMEN)):
            for name, value in zone.items():
                made[name] = made.get(name, 0.0) + amount * value
        for side in SIDES:
            for name, value in OPEN.items():
                made[f"{side}.clavicle.{name}"] = value * self.chest
        yield from (Claim(name, value) for name, value in made.items() if value)
