"""Tremble: hands, arms and head tremble, or any part above the hips."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.humanoid import GROUPS
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import Scope
from kinesphere.performance.property import Family, MovementProperty

PARTS = ("arms", "hands", "head")  # that tremble, as a rule
MOST = 0.055  # radians of a hand, root mean square
# How far each joint trembles, of a hand's size.
SHARES = {"Shoulder": 0.1, "UpperArm": 0.2, "LowerArm": 0.45, "Hand": 1.0}
OTHERS = {"spine": 0.08, "chest": 0.08, "upperChest": 0.08, "neck": 0.2, "head": 0.35, "jaw": 0.4}
FINGERS = 0.5


@phrase_edit("tremble")
@document(frozen=True)
class Tremble(MovementProperty):
    """Let hands, arms and head tremble, or a scope's parts; feet stay planted, and hands keep what they touch.

    It is noise of a narrow band about the rate, told by the phrase's seed, and the same in every cycle of a loop.
    """

    family = Family.TRANSITION

    amount: Annotated[float, dial(0, 1, "How much it trembles.", "not at all", "much")] = 0.0
    rate: Annotated[float, dial(3, 12, "How often a second.", "slowly", "quickly", neutral=7.0)] = 7.0

    @property
    def neutral(self) -> bool:
        """Whether it asks for nothing."""
        return self.amount == 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """How far each joint above the hips trembles."""
        for role in GROUPS["upper_body"]:
            if role in phrase.body.roles and not role.endswith("Eye"):
                yield Claim("tremble", MOST * self.amount * share_of(role), role)
                yield Claim("tremble_rate", self.rate, role)

    def asked(
        self, phrase: Phrase, scope: Scope, source: str, composite: str = "", origin: str = ""
    ) -> tuple[Claim, ...]:
        """Its claims; without parts of hands, arms and head."""
        own = scope if scope.parts is not None else replace(scope, parts=PARTS)
        # Where it comes and goes its rate is the same.
        made = super().asked(phrase, own, source, composite, origin)
        return tuple(replace(claim, weight=1.0) if claim.aspect == "tremble_rate" else claim for claim in made)

    @classmethod
    def examples(cls) -> tuple[Tremble, ...]:
        """A tremor, and a shiver."""
        return cls(amount=0.5), cls(amount=1.0, rate=10.0)


def share_of(role: str) -> float:
    """How far a joint trembles, of a hand's size."""
    if role in OTHERS:
        return OTHERS[role]
    part = role.removeprefix("left").removeprefix("right")
    return SHARES.get(part, FINGERS)
