"""Extent: how near to the body the hands are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty


@phrase_edit("extent")
@document(frozen=True)
class Extent(MovementProperty):
    """Move the hands nearer to the body or farther from it; gestures keep their form.

    Near is about 25 cm from the middle of the trunk, far is full reach. Hands keep what they touch and goals in the
    world; trunk, head and feet, and all timing, stay as they are.
    """

    family = Family.SHAPE

    amount: Annotated[float, dial(-1, 1, "How far from the body the hands are.", "near", "far")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """The extent of both hands."""
        yield from (Claim(f"{side}.extent", self.amount) for side in SIDES)
