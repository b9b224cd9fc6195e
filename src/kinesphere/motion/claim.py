"""Claims: what movement properties ask of single aspects, and the integrator that makes one value of all of them.

Properties come from a character's sketch, from the actions of a script, and from a user's edits. They are ranked:

    sketch < action < edit,    composite < direct,    earlier < later.

Within one property the higher rank covers the lower, by its window in time: v = v (1 − w) + value w. Different
properties that set the same aspect then add up, multiply, or the one of the highest rank holds (``aspects.Combine``).
The same claims always give the same values, and ``Integrated.contributions`` says who set what and who lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from kinesphere.maths.vectors import Floats
from kinesphere.motion.aspects import Aspect, Combine, aspect, part_of_aspect
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.humanoid import GROUPS, ROLES

SOURCES = ("sketch", "action", "edit")  # who asks, in rising rank
EYES = ("leftEye", "rightEye")
WHOLE_BODY = "body"
TINY = 1e-6  # of a weight: less is nothing


@dataclass(frozen=True, eq=False)
class Claim:
    """What one property asks of one aspect.

    Attributes
    ----------
    aspect
        Its name; see ``motion.aspects``.
    value
        A number, a curve over the phrase's own time (``phrase.SAMPLES`` values a second), or what the aspect takes.
    part
        A joint group or a role, of an aspect that joints have; None: the whole body.
    weight
        From 0 to 1, a number or a curve likewise: where it holds, and how far.
    by, composite
        The name of the property; and of the composite property or the sketch that it is a part of, if it is.
    source, origin
        One of ``SOURCES``, and which of them: a sketch's name, an action's.
    """

    aspect: str
    value: Any
    part: str | None = None
    weight: float | Floats = 1.0
    by: str = ""
    composite: str = ""
    source: str = "edit"
    origin: str = ""

    def __post_init__(self) -> None:
        own = aspect(self.aspect)
        if self.source not in SOURCES:
            raise ValueError(unknown_name("source", self.source, SOURCES))
        if self.part is not None:
            roles_of(self.part)
        if own.values:
            values = np.asarray(self.value, dtype=np.float64)
            wrong = ~((values >= own.least) & (values <= own.most))  # NaN too
            if wrong.any():
                found = float(values[wrong][0]) if values.ndim else float(values)
                who = f"{self.by}: " if self.by else ""
                raise ValueError(
                    f"{who}{self.aspect} is {found:.4g}; {own.least:.4g} to {own.most:.4g} {own.unit}".rstrip()
                    + " is allowed"
                )
            object.__setattr__(self, "value", values)

    def __repr__(self) -> str:
        part = f" of {self.part}" if self.part else ""
        return f"<Claim of {self.source} {self.by or '?'}: {self.aspect}{part}>"

    @property
    def rank(self) -> tuple[int, bool]:
        """What covers what: the greater the later."""
        return SOURCES.index(self.source), not self.composite

    @property
    def roles(self) -> frozenset[str]:
        """The roles that it is for."""
        return roles_of(self.part or (WHOLE_BODY if aspect(self.aspect).by_joint else part_of_aspect(self.aspect)))

    @property
    def holds(self) -> bool:
        """Whether it holds at any time."""
        return bool(np.max(self.weight) > TINY)


@lru_cache(maxsize=256)
def roles_of(part: str) -> frozenset[str]:
    """The roles of a joint group, of a phrase's part, or a role itself; unknown names are refused."""
    if part in GROUPS:
        return frozenset(GROUPS[part])
    if part == "gaze":
        return frozenset((*EYES, "head", "neck"))
    if part in ROLES:
        return frozenset((part,))
    raise ValueError(unknown_name("part", part, (*GROUPS, "gaze", *ROLES)))


class Contribution(NamedTuple):
    """What one claim has in a value at one moment."""

    claim: Claim
    weight: float  # of it there
    value: Any  # what it asks for
    share: float  # that is left of it after what covers it, 0 to 1
    covered_by: Claim | None  # the one of the highest rank that covers it


@dataclass(frozen=True, eq=False)
class Integrated:
    """All claims of a phrase, made one value each."""

    claims: tuple[Claim, ...]

    @cached_property
    def aspects(self) -> tuple[str, ...]:
        """Names of the aspects that are set."""
        return tuple(dict.fromkeys(own.aspect for own in self.claims if own.holds))

    @cached_property
    def _by_aspect(self) -> dict[str, list[Claim]]:
        made: dict[str, list[Claim]] = {}
        for own in sorted(self.claims, key=lambda own: own.rank):  # stable: later ones of a rank cover earlier ones
            if own.holds:
                made.setdefault(own.aspect, []).append(own)
        return made

    def ranked(self, name: str, role: str | None = None) -> list[Claim]:
        """Claims of an aspect, of a role if it is given, the lowest rank first."""
        found = self._by_aspect.get(name, [])
        return found if role is None else [own for own in found if role in own.roles]

    def value(self, name: str, role: str | None = None) -> Floats:
        """The value of an aspect, ``()`` or a curve; neutral where nobody sets it."""
        return combine(aspect(name), self.ranked(name, role))

    def roles(self, name: str) -> frozenset[str]:
        """The roles for which an aspect is set."""
        return frozenset().union(*(own.roles for own in self.ranked(name)))

    def contributions(self, name: str, role: str | None, sample: Any) -> list[Contribution]:
        """Who sets an aspect, the lowest rank first; ``sample`` gives a number of a curve, at the moment asked for."""
        ranked = self.ranked(name, role)
        own = aspect(name)
        made: list[Contribution] = []
        for i, claim in enumerate(ranked):
            weight = float(sample(claim.weight))
            share, covered = weight, None
            for later in ranked[i + 1 :]:
                if own.combine == Combine.COLLECT or not (own.combine == Combine.OVERRIDE or _same(later, claim)):
                    continue
                over = float(sample(later.weight))
                share *= 1.0 - over
                covered = later if over > TINY else covered
            value = float(sample(claim.value)) if own.values else claim.value
            made.append(Contribution(claim, weight, value, share, covered))
        return made


def integrate(claims: Iterable[Claim]) -> Integrated:
    """Make one value of all that is asked of each aspect."""
    return Integrated(tuple(claims))


def _same(one: Claim, other: Claim) -> bool:
    return one.by == other.by


def combine(own: Aspect, ranked: Sequence[Claim]) -> Floats:
    """One value ``()``, or a curve, of claims of an aspect, the lowest rank first."""
    if not ranked:
        return np.asarray(own.neutral)
    groups: dict[str, Floats] = {}
    for claim in ranked:
        name = "" if own.combine == Combine.OVERRIDE else claim.by
        before = groups.get(name, np.asarray(own.neutral))
        weight = np.asarray(claim.weight, dtype=np.float64)
        groups[name] = before + weight * (claim.value - before)
    made = np.asarray(own.neutral)
    for value in groups.values():
        made = made * value if own.combine == Combine.MULTIPLY else made + (value - own.neutral)
    return np.asarray(np.clip(made, own.least, own.most))
