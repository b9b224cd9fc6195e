"""Lean: toward something, or back from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import Numbers, dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.look import GOAL, place_of
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty

SHRINKS = {"forward": 0.26, "raise": 0.10}  # radians of the shoulders of who recoils: the chest is hollow


@phrase_edit("lean")
@document(frozen=True)
class Lean(MovementProperty):
    """Lean toward something, or recoil from it: hips, spine and head; the weight comes over the near or the far foot.

    It is a place, else what a hand goes to in the world, else straight ahead. Feet stay, and hands keep their goals:
    the trunk gives way to them.
    """

    family = Family.SHAPE

    amount: Annotated[float, dial(-1, 1, "How far the body leans to it.", "recoiling from it", "leaning to it")] = 0.0
    to: Annotated[
        tuple[float, ...],
        Numbers("The place, in metres of the world; else a hand's goal, or straight ahead.", form="x,y,z"),
    ] = ()

    def __post_init__(self) -> None:
        if self.to:
            place_of(self.to, "lean to")

    @property
    def neutral(self) -> bool:
        """Whether it asks for nothing."""
        return self.amount == 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """How far the body leans, and to what; shoulders of who recoils."""
        yield Claim("lean", self.amount)
        yield Claim("lean.to", place_of(self.to, "lean to") if self.to else GOAL)
        if self.amount < 0.0:
            for side in SIDES:
                for name, value in SHRINKS.items():
                    yield Claim(f"{side}.clavicle.{name}", -value * self.amount)
