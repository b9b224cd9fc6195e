"""Footing: where the feet of who makes gestures stand: apart or together, one ahead, turned out or in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.engine.proportions import LEG
from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty


@phrase_edit("footing")
@document(frozen=True)
class Footing(MovementProperty):
    """Stand with feet apart or together, one ahead of the other, turned out or in, from beginning to end.

    It is for gestures and scripts. In a recording feet stay where they are; of a walk, see gait.
    """

    family = Family.SHAPE

    apart: Annotated[
        float, dial(-0.1, 0.4, "Metres of the figure by which feet are farther apart.", "together", "apart")
    ] = 0.0
    ahead: Annotated[
        float, dial(-0.3, 0.3, "Metres by which the left foot is ahead of the right.", "right ahead", "left ahead")
    ] = 0.0
    out: Annotated[float, dial(-0.5, 0.7, "Radians by which feet are turned out more.", "pigeon-toed", "out")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Where feet stand."""
        for name, value in (("apart", self.apart / LEG), ("ahead", self.ahead / LEG), ("out", self.out)):
            if value:
                yield Claim(f"footing.{name}", value)
