"""What pauses and stops share: a moment, for some seconds, of the whole body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kinesphere.motion.claim import Claim
from kinesphere.motion.hold import Energy, Hold
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import Scope
from kinesphere.performance.property import Family, MovementProperty


class HeldMovement(MovementProperty):
    """A movement that is held at a moment. Without one it is held where the scope starts, else half-way."""

    family = Family.TRANSITION
    energy: Energy

    at: float | None
    seconds: float

    @property
    def neutral(self) -> bool:
        """Whether it asks for nothing."""
        return self.seconds == 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """One hold, of the whole body."""
        at = 0.5 * phrase.duration if self.at is None else min(self.at, phrase.duration)
        yield Claim("hold", Hold((at,), self.seconds, self.energy))

    def asked(
        self, phrase: Phrase, scope: Scope, source: str, composite: str = "", origin: str = ""
    ) -> tuple[Claim, ...]:
        """Its claim, if its moment is within the scope; a strength makes it shorter."""
        at = scope.start if self.at is None else self.at
        start, end = (-1.0 if scope.start is None else scope.start), (phrase.duration if scope.end is None else scope.end)
        if at is not None and not start <= at <= max(end, start):
            return ()
        own = self if at is None else replace(self, at=max(at, 0.0))  # type: ignore[type-var]
        whole = replace(scope, start=None, end=None)
        return super(HeldMovement, own).asked(phrase, whole, source, composite, origin)
