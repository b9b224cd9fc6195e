"""Movement properties: phrase edits that ask for claims of single aspects; what becomes of them is integrated later.

A property is one file: a frozen document with annotated dials, and ``claims``, which says what they ask for.

    @phrase_edit("open_chest")
    @document(frozen=True)
    class OpenChest(MovementProperty):
        \"\"\"Carry the chest open, or sunken.\"\"\"

        family = Family.SHAPE
        amount: Annotated[float, dial(-1, 1, "How far the chest is open.", "sunken", "open")] = 0.0

        def claims(self, phrase: Phrase) -> Iterator[Claim]:
            yield Claim("spine.upper.forward", -0.2 * self.amount)
            yield from (Claim(f"{side}.clavicle.forward", -0.2 * self.amount) for side in SIDES)
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import ClassVar, Self

import numpy as np

from kinesphere.maths.vectors import Floats
from kinesphere.motion.aspects import aspect
from kinesphere.motion.claim import Claim, roles_of
from kinesphere.motion.edit import PHRASE_EDITS, PhraseEdit
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.registry import blame_plugin
from kinesphere.motion.scope import WHOLE, Scope


class Family(StrEnum):
    """What a property is about."""

    SHAPE = "shape"
    TRANSITION = "transition"
    TIMING = "timing"
    COMPOSITE = "composite"  # several properties of any family


class MovementProperty(PhraseEdit):
    """One property of movement. With all fields at their defaults it asks for nothing."""

    family: ClassVar[Family]

    @property
    def neutral(self) -> bool:
        """Whether it asks for nothing."""
        return self == type(self)()

    @abstractmethod
    def claims(self, phrase: Phrase) -> Iterable[Claim]:
        """What it asks for; scope, strength, name and rank are added to it."""

    def at_times_of(self, start: float, pace: float = 1.0) -> Self:
        """The same of an action that begins at ``start`` seconds and takes ``pace`` times as long: its own moments."""
        return self

    def check_scope(self, scope: Scope) -> None:
        """Refuse parts that no humanoid has."""
        for part in scope.parts or ():
            roles_of(part)

    def apply(self, phrase: Phrase, scope: Scope = WHOLE) -> Phrase:
        """The phrase that is asked for all this."""
        return self.ask(phrase, scope)

    def ask(
        self, phrase: Phrase, scope: Scope = WHOLE, source: str = "edit", composite: str = "", origin: str = ""
    ) -> Phrase:
        """The phrase that is asked for all this.

        It is asked by a sketch, an action or an edit, of the name ``origin``, and as part of a composite property.
        """
        if self.neutral or scope.strength == 0.0:
            return phrase
        made = self.asked(phrase, scope, source, composite, origin)
        return replace(phrase, claims=(*phrase.claims, *made)) if made else phrase

    def asked(
        self, phrase: Phrase, scope: Scope, source: str, composite: str = "", origin: str = ""
    ) -> tuple[Claim, ...]:
        """Its claims within a scope."""
        with blame_plugin(self):
            given = tuple(self.claims(phrase))
            for own in given:
                if not isinstance(own, Claim):
                    raise TypeError(f"claims gave {type(own).__name__}; claims are expected")
        return self.scoped(given, phrase, scope, source, composite, origin)

    def scoped(
        self, given: tuple[Claim, ...], phrase: Phrase, scope: Scope, source: str, composite: str, origin: str
    ) -> tuple[Claim, ...]:
        """Claims within a scope, with the property's name and rank."""
        self.check_scope(scope)
        name, weight = PHRASE_EDITS.name_of(type(self)), _weight(phrase, scope)
        made: list[Claim] = []
        for own in given:
            for part in _parts(own, scope):
                made.append(
                    replace(
                        own,
                        part=part,
                        weight=weight * np.asarray(own.weight, dtype=np.float64),
                        by=own.by or name,
                        composite=own.composite or composite,
                        source=source,
                        origin=own.origin or origin,
                    )
                )
        return tuple(made)


def _weight(phrase: Phrase, scope: Scope) -> Floats:
    """Of a scope, ``()`` or over the phrase's own time."""
    if scope.whole_time:
        return np.asarray(scope.strength)
    return np.asarray(scope.strength * scope.window(phrase.times))


def _parts(own: Claim, scope: Scope) -> tuple[str | None, ...]:
    """The parts on which a claim is asked for within a scope."""
    if scope.parts is None:
        return (own.part,)
    inside = frozenset().union(*(roles_of(part) for part in scope.parts))
    if not aspect(own.aspect).by_joint:
        return (own.part,) if own.roles & inside else ()
    if own.roles <= inside:
        return (own.part,)
    if all(roles_of(part) <= own.roles for part in scope.parts):
        return tuple(scope.parts)
    return tuple(sorted(own.roles & inside))
