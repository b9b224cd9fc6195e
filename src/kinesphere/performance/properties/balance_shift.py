"""Balance shift: where the centre of mass is between the feet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import Flag, Setting, dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty


@phrase_edit("balance_shift")
@document(frozen=True)
class BalanceShift(MovementProperty):
    """Shift the centre of mass over the feet: to a side, ahead or back, by ankles, knees and hips; feet stay.

    Shares are of half the support, from where the centre of mass is; up to 1 it stays over the feet. Beyond that a foot
    steps out in time below it, and back when that is over; without a step, or where it is too far for one, a body would
    fall: that is told.
    """

    family = Family.SHAPE

    aside: Annotated[
        float, dial(-2, 2, "How far to a side, in half supports; beyond 1 off the feet.", "right", "left")
    ] = 0.0
    ahead: Annotated[float, dial(-2, 2, "How far ahead, in half supports; beyond 1 off the feet.", "back", "ahead")] = (
        0.0
    )
    step: Annotated[Flag, Setting("Whether a foot may step out where the feet do not support that.")] = True

    @property
    def neutral(self) -> bool:
        """Whether it asks for nothing."""
        return self.aside == 0.0 and self.ahead == 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Where the centre of mass goes, and whether a foot may go along."""
        for axis, amount in (("x", self.aside), ("z", self.ahead)):
            if amount:
                yield Claim(f"balance.{axis}", amount)
        if self.step:
            yield Claim("balance.step", 1.0)

    @classmethod
    def examples(cls) -> tuple[BalanceShift, ...]:
        """To all sides, on planted feet."""
        ways = {"aside": 1.2}, {"aside": -1.2}, {"ahead": 1.2}, {"ahead": -1.2}
        return tuple(cls(**way, step=False) for way in ways)
