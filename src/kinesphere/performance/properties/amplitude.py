"""Amplitude: how far joints depart from their mean pose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty


@phrase_edit("amplitude")
@document(frozen=True)
class Amplitude(MovementProperty):
    """Make movements larger or smaller about their mean pose, joint by joint; a scope's parts choose joints.

    Legs and hips stay, so that feet do. Hands keep what they touch and goals in the world.
    """

    family = Family.SHAPE

    factor: Annotated[
        float, dial(0, 2, "Times as far as joints depart from their mean.", "none", "twice", neutral=1.0)
    ] = 1.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """The amplitude of all joints above the hips."""
        yield Claim("amplitude", self.factor, "upper_body")
