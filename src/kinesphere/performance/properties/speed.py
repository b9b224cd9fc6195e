"""Speed: how fast strokes are; rests between them last as they did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty
from kinesphere.performance.strokes import body_strokes, duration_curve


@phrase_edit("speed")
@document(frozen=True)
class Speed(MovementProperty):
    """Make strokes faster or slower, and leave the rests between them as they are; tempo changes both.

    No stroke is quicker than a hand can go. Of a walk all steps are strokes.
    """

    family = Family.TIMING

    factor: Annotated[float, dial(0.4, 2.5, "Times as fast.", "slow", "fast", neutral=1.0)] = 1.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Strokes take so much less time, rests as much."""
        strokes = body_strokes(phrase)
        if strokes.moves.all() or len(phrase.times) < 3:  # one moment has no strokes to tell apart
            yield Claim("stroke.duration", 1.0 / self.factor, "body")
        else:
            factors = np.where(strokes.moves, 1.0 / self.factor, 1.0)
            yield Claim("stroke.duration", duration_curve(phrase, strokes, factors), "body")
