"""Hand carriage: where hands are that do nothing: before the belly, at the hips, out from the body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty


@phrase_edit("hand_carriage")
@document(frozen=True)
class HandCarriage(MovementProperty):
    """Carry hands that do nothing somewhere: before the belly, at the hips, out from the body, behind it.

    Hands that act leave from there and come back; in a walk they swing about it. Lengths are shares of an arm's, from
    where the hand hangs. Of one hand alone, name its arm in the scope's parts.
    """

    family = Family.SHAPE

    out: Annotated[float, dial(-0.5, 0.6, "Arm lengths that hands are out.", "across the body", "out")] = 0.0
    up: Annotated[float, dial(0, 0.8, "Arm lengths that hands are up.", "hanging", "up")] = 0.0
    ahead: Annotated[float, dial(-0.4, 0.7, "Arm lengths that hands are ahead.", "behind", "ahead")] = 0.0
    swivel: Annotated[float, dial(-1, 1.4, "Radians that elbows are out.", "in", "out")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Where both hands are."""
        for side in SIDES:
            for own in fields(self):
                value = getattr(self, own.name)
                if value:
                    yield Claim(f"{side}.hung.{own.name}", value)

    @classmethod
    def examples(cls) -> tuple[HandCarriage, ...]:
        """Before the belly, at the hips, on the back, and out from the body."""
        return (
            cls(out=-0.26, up=0.34, ahead=0.34, swivel=0.5),
            cls(out=0.02, up=0.3, ahead=0.06, swivel=1.1),
            cls(out=-0.35, up=0.35, ahead=-0.25, swivel=0.3),
            cls(out=0.55, up=0.4, ahead=-0.1),
            cls(up=0.5, ahead=0.45, swivel=-0.2),
        )
