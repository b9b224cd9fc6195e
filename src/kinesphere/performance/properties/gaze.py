"""Gaze: what the body looks at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import Choice, Numbers, dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.look import Look, place_of
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty

AS_IT_IS = "as it is"
ON = {"ahead": "ahead", "right hand": "rightHand", "left hand": "leftHand"}


@phrase_edit("gaze")
@document(frozen=True)
class Gaze(MovementProperty):
    """Look at a place in the world, at a hand, or straight ahead: eyes first, then head and neck.

    Far to a side the upper spine turns a little, too. The gaze stays on its target while the trunk moves, and goes no
    farther than heads turn.
    """

    family = Family.SHAPE

    at: Annotated[
        tuple[float, ...], Numbers("The place that is looked at, in metres of the world; else none.", form="x,y,z")
    ] = ()
    on: Annotated[str, Choice("What else is looked at.", choices=(AS_IT_IS, *ON))] = AS_IT_IS
    amount: Annotated[float, dial(0, 1, "How far the look goes there.", "as it is", "all the way", neutral=1.0)] = 1.0

    def __post_init__(self) -> None:
        if self.at:
            place_of(self.at, "gaze at")
            if self.on != AS_IT_IS:
                raise ValueError(f"gaze: at {self.at} and on {self.on!r}; one of them is allowed")

    @property
    def neutral(self) -> bool:
        """Whether it asks for nothing."""
        return self.amount == 0.0 or (not self.at and self.on == AS_IT_IS)

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """What is looked at."""
        target = place_of(self.at, "gaze at") if self.at else ON[self.on]
        yield Claim("gaze", Look(target), weight=self.amount)

    @classmethod
    def examples(cls) -> tuple[Gaze, ...]:
        """Up to the left, down to the right, and the right hand."""
        return cls(at=(2.0, 1.9, 1.5)), cls(at=(-1.2, 0.4, 0.9)), cls(on="right hand")
