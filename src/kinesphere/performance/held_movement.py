"""What pauses and stops share: a moment, for some seconds, of the whole body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Self

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

    def at_times_of(self, start: float, pace: float = 1.0) -> Self:
        """The same at the moment of an action that begins later, and takes longer."""
        return self if self.at is None else replace(self, at=start + pace * self.at)  # type: ignore[type-var]

    @property
    def neutral(self) -> bool:
        """Whether it asks for nothing."""
        return self.seconds == 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """One hold, of the whole body."""
        at = 0.5 * phrase.duration if self.at is None else self.at
        yield Claim("hold", Hold((at,), self.seconds, self.energy))

    def asked(
        self, phrase: Phrase, scope: Scope, source: str, composite: str = "", origin: str = ""
    ) -> tuple[Claim, ...]:
        """Its claim, if its moment is within the scope; a strength makes it shorter."""
        at = self.at if self.at is not None or scope.start is None else max(scope.start, 0.0)
        last = phrase.duration if scope.end is None else scope.end
        if at is not None and not (scope.start or 0.0) <= at <= last:
            return ()
        made = super().asked(phrase, replace(scope, start=None, end=None), source, composite, origin)
        return made if at is None else tuple(replace(own, value=replace(own.value, times=(at,))) for own in made)
