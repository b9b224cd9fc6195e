"""Duration: how long a stretch takes, beside what it took or in seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from kinesphere.maths.vectors import Floats
from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document, number
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import Scope
from kinesphere.performance.property import Family, MovementProperty
from kinesphere.performance.strokes import any_time, body_strokes, strokes_within

LONGEST = 600.0  # seconds


@phrase_edit("duration")
@document(frozen=True)
class Duration(MovementProperty):
    """Let a stretch take so many times as long, or so many seconds: the strokes of which the middle is in its scope.

    Times multiply with tempo, speed and rhythm. Seconds are met whatever these ask for; the highest rank's are. No
    stroke is quicker than a hand can go, no jump quicker than it falls.
    """

    family = Family.TIMING

    times: Annotated[float, dial(0.4, 2.5, "Times as long.", "short", "long", neutral=1.0)] = 1.0
    seconds: Annotated[float, number(0.0, LONGEST, "Seconds that it takes in all; 0: as many as it does.")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """How long everything takes."""
        yield from self._claims(1.0)

    def asked(
        self, phrase: Phrase, scope: Scope, source: str, composite: str = "", origin: str = ""
    ) -> tuple[Claim, ...]:
        """Its claims on the whole strokes of a scope."""
        if scope.whole_time:
            return super().asked(phrase, scope, source, composite, origin)
        strokes = body_strokes(phrase)
        rows = np.flatnonzero(strokes_within(strokes, scope))
        if not len(rows):
            return ()
        first = -np.inf if rows[0] == 0 else strokes.edges[rows[0]]
        last = np.inf if rows[-1] == len(strokes.moves) - 1 else strokes.edges[rows[-1] + 1]
        inside = ((phrase.times >= first) & (phrase.times <= last)).astype(np.float64)
        return self.scoped(tuple(self._claims(inside)), phrase, any_time(scope), source, composite, origin)

    def _claims(self, weight: float | Floats) -> Iterator[Claim]:
        if self.times != 1.0:
            yield Claim("stroke.duration", self.times, "body", weight)
        if self.seconds:
            yield Claim("lasts", self.seconds, weight=weight)

    @classmethod
    def examples(cls) -> tuple[Duration, ...]:
        """Shorter, longer, and in seconds."""
        return cls(times=0.6), cls(times=1.8), cls(seconds=4.0)
