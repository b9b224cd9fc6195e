"""Envelope: how strokes go from start to end: eased, even, fast at either end, with anticipation or overshoot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import Choice, Numbers, dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.envelope import ENVELOPES
from kinesphere.motion.envelope import Envelope as Curve
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty

AS_IT_IS = "as it is"


@phrase_edit("envelope")
@document(frozen=True)
class Envelope(MovementProperty):
    """Choose how strokes go from start to end: a cubic Hermite curve in time and space.

    Named ones are ease, linear, fast_start, slow_start, anticipation and overshoot. Points and tangents make one of
    your own, from (0, 0) to (1, 1); a scope's parts choose joints, joint groups or the whole movement.
    """

    family = Family.TRANSITION

    kind: Annotated[str, Choice("Which envelope.", choices=(AS_IT_IS, *ENVELOPES, "custom"))] = AS_IT_IS
    amount: Annotated[float, dial(0, 1, "How far it is taken.", "not at all", "fully", neutral=1.0)] = 1.0
    points: Annotated[
        tuple[float, ...], Numbers("Of a custom one: time and space of each point, in turn.", form="t s t s …")
    ] = ()
    tangents: Annotated[
        tuple[float, ...], Numbers("Of a custom one: how fast time and space go at each point.", form="dt ds dt ds …")
    ] = ()

    @property
    def neutral(self) -> bool:
        """Whether it asks for nothing."""
        return self.kind == AS_IT_IS or self.amount == 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """The envelope, of all joints but legs."""
        own = ENVELOPES.get(self.kind) or _custom(self.points, self.tangents)
        yield Claim("envelope", own, "upper_body", weight=self.amount)

    @classmethod
    def examples(cls) -> tuple[Envelope, ...]:
        """One of each kind."""
        return tuple(cls(kind=name) for name in ENVELOPES)


def _custom(points: tuple[float, ...], tangents: tuple[float, ...]) -> Curve:
    import numpy as np

    if len(points) % 2 or len(points) < 4 or len(points) != len(tangents):
        raise ValueError(
            f"a custom envelope of {len(points)} and {len(tangents)} numbers; as many of both, two for each point and "
            "two points at least, are expected"
        )
    return Curve(np.reshape(points, (-1, 2)), np.reshape(tangents, (-1, 2)))
