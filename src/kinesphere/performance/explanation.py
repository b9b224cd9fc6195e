"""Explanations: which property set a value at a moment, what it covered, and what it was covered by, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from kinesphere.laban.dials import combine_dials
from kinesphere.laban.effort import FACTORS
from kinesphere.laban.expression import PARTS, Expression
from kinesphere.laban.shape import DIMENSIONS
from kinesphere.maths.vectors import Floats
from kinesphere.motion.aspects import Aspect, Combine, aspect
from kinesphere.motion.claim import Claim, Contribution, Integrated, integrate, roles_of
from kinesphere.motion.humanoid import GROUPS
from kinesphere.motion.phrase import SAMPLES, Phrase

TINY = 1e-6  # of a weight: less is nothing
SHOWN = 5e-3  # of a dial of Effort or Shape: less is not told
WIDEST_NAME, WIDEST_SOURCE = 22, 28  # characters of a column


@dataclass(frozen=True)
class Reason:
    """What one property asks of a value.

    Attributes
    ----------
    property, source, origin, composite
        Its name, who asks (sketch, action, edit) and which of them, and the composite property that it is a part of.
    asked
        What it asks for.
    weight
        How far it holds at that moment, 0 to 1: its window in time and its strength.
    share
        What is left of that after what covers it.
    covered_by
        The property of the highest rank that covers it, with its source; empty: none does.
    """

    property: str
    source: str
    origin: str
    composite: str
    asked: float | str
    weight: float
    share: float
    covered_by: str = ""


@dataclass(frozen=True)
class ExplainedAspect:
    """One value of one part, and why it is that: reasons in rising rank, the last one decides."""

    aspect: str
    parts: tuple[str, ...]
    value: float | str
    neutral: float
    unit: str
    about: str
    combine: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class ExpressedPart:
    """Effort and Shape of a part at a moment: what sketches, words and edits ask for, added up."""

    part: str
    dials: tuple[tuple[str, float], ...]  # such as ("effort.weight", 0.4), those that are not neutral


@dataclass(frozen=True)
class Explanation:
    """Why a body does what it does at one moment: movement properties by rank, Effort and Shape as they add up.

    ``time`` is of the phrase's own time, ``performed`` of what is performed.
    """

    time: float
    performed: float
    part: str
    aspects: tuple[ExplainedAspect, ...]
    expression: tuple[ExpressedPart, ...] = ()

    def to_plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def explain(phrase: Phrase, time: float, part: str | None = None, performed: float | None = None) -> Explanation:
    """Say which properties set what at a moment of a phrase, on a part of the body, and which of them lost.

    ``part`` is a joint group or a role, such as right_arm or head; None: the whole body. ``performed`` is when the
    moment comes in what is performed.
    """
    if not 0.0 <= time <= phrase.duration:
        raise ValueError(f"time {time:g} s: {phrase.name} lasts from 0 to {phrase.duration:g} s of its own time")
    wanted = None if part is None else roles_of(part)
    whole = integrate(phrase.claims)
    made = [own for name in whole.aspects for own in _explained(whole, aspect(name), wanted, time)]
    expressed = tuple(_expressed(phrase, wanted, time))
    return Explanation(time, time if performed is None else performed, part or "body", tuple(made), expressed)


def _expressed(phrase: Phrase, wanted: frozenset[str] | None, time: float) -> Iterator[ExpressedPart]:
    """Effort and Shape of the parts that have any."""
    edits = [own for own in phrase.applied_edits if isinstance(own, Expression)]
    for part in PARTS:
        dials = [own for edit in edits for own in edit.parts.get(part, ())]
        if not dials or (wanted is not None and not wanted & roles_of(part)):
            continue
        found = []
        for which, names in (("effort", FACTORS), ("shape", DIMENSIONS)):
            factors = combine_dials(dials, which, phrase.times).factors  # type: ignore[arg-type]
            for name, factor in zip(names, factors, strict=True):
                row = np.asarray(factor, dtype=np.float64)
                value = float(row) if row.ndim == 0 else float(np.interp(time, phrase.times[: len(row)], row))
                if abs(value) > SHOWN:
                    found.append((f"{which}.{name}", value))
        tempo = float(np.prod([own.tempo for own in dials]))
        if abs(tempo - 1.0) > SHOWN:
            found.append(("words' tempo", tempo))
        if found:
            yield ExpressedPart(part, tuple(found))


def _explained(whole: Integrated, own: Aspect, wanted: frozenset[str] | None, time: float) -> Iterator[ExplainedAspect]:
    """The values of one aspect: of each part that has another one."""
    if not own.by_joint:
        ranked = whole.ranked(own.name)
        if wanted is not None and not any(claim.roles & wanted for claim in ranked):
            return
        made = _one(whole, own, None, (), time)
        if made is not None:
            yield made
        return
    groups: dict[tuple[int, ...], list[str]] = {}
    for role in sorted(whole.roles(own.name)):
        if wanted is None or role in wanted:
            groups.setdefault(tuple(id(claim) for claim in whole.ranked(own.name, role)), []).append(role)
    found: dict[tuple[Any, ...], list[str]] = {}
    for roles in groups.values():
        made = _one(whole, own, roles[0], (), time)
        if made is not None:
            found.setdefault((made.value, made.reasons), []).extend(roles)
    for (value, reasons), roles in found.items():
        yield ExplainedAspect(
            own.name, _named(roles), value, own.neutral, own.unit, own.about, str(own.combine), reasons
        )


def _named(roles: Sequence[str]) -> tuple[str, ...]:
    """Roles, by the names of groups where all of a group are among them."""
    left, made = set(roles), []
    for name, group in sorted(GROUPS.items(), key=lambda row: -len(row[1])):
        if len(group) > 1 and set(group) <= left:
            made.append(name)
            left -= set(group)
    return (*made, *sorted(left))


def _one(
    whole: Integrated, own: Aspect, role: str | None, parts: tuple[str, ...], time: float
) -> ExplainedAspect | None:
    def sample(value: Any) -> float:
        values = np.asarray(value, dtype=np.float64)
        return float(values) if values.ndim == 0 else float(np.interp(time * SAMPLES, np.arange(len(values)), values))

    found = [row for row in whole.contributions(own.name, role, sample) if row.weight > TINY]
    if not found:
        return None
    value: float | str = sample(whole.value(own.name, role)) if own.values else _shown(own, found)
    reasons = tuple(_reason(row) for row in found)
    return ExplainedAspect(own.name, parts, value, own.neutral, own.unit, own.about, str(own.combine), reasons)


def _shown(own: Aspect, found: Sequence[Contribution]) -> str:
    """What is asked for by the claims that hold, of an aspect whose values are no numbers."""
    if own.combine == Combine.COLLECT:
        return ", ".join(describe_value(row.value) for row in found)
    return describe_value(found[-1].value)


def _reason(row: Contribution) -> Reason:
    claim = row.claim
    covered = "" if row.covered_by is None else f"{row.covered_by.by} of {source_of(row.covered_by)}"
    asked = row.value if isinstance(row.value, float) else describe_value(row.value)
    return Reason(claim.by, claim.source, claim.origin, claim.composite, asked, row.weight, row.share, covered)


def describe_value(value: Any) -> str:
    """A value that is no number, by its name where it has one."""
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else str(value)


def source_of(claim: Claim) -> str:
    """Who asks: ``sketch nervous-clerk``, ``action reach``, ``edit``."""
    return f"{claim.source} {claim.origin}".strip()


# As text


def _lines(own: Explanation) -> Iterator[str]:
    later = "" if abs(own.performed - own.time) < 5e-4 else f", {own.time:.2f} s of its own time"
    yield f"{own.performed:.2f} s{later}: {own.part}"
    if not own.aspects and not own.expression:
        yield "  no property asks anything of it"
    for expressed in own.expression:
        dials = ", ".join(f"{name} {value:+.2f}" for name, value in expressed.dials)
        yield f"  Effort and Shape of {expressed.part}, all edits and words together: {dials}"
    for row in own.aspects:
        parts = f" of {', '.join(row.parts)}" if row.parts else ""
        yield f"  {row.aspect}{parts}: {_number(row.value, row)} {row.unit}".rstrip()
        for i, reason in enumerate(reversed(row.reasons)):
            who = f"{reason.source} {reason.origin}".strip()
            composite = f" in {reason.composite}" if reason.composite and reason.composite != reason.origin else ""
            asks = f"{_number(reason.asked, row)} × {reason.weight:.2f}"
            lost = f", covered by {reason.covered_by}: {reason.share:.2f} left" if reason.covered_by else ""
            mark = "→" if i == 0 else " "
            yield f"  {mark} {reason.property + composite:<{WIDEST_NAME}} {who:<{WIDEST_SOURCE}} {asks}{lost}"


def _number(value: float | str, row: ExplainedAspect) -> str:
    """A number with its sign where it is added to others."""
    sign = "+" if row.combine == Combine.ADD else ""
    return value if isinstance(value, str) else f"{value:{sign}.3f}"


# Over time


@dataclass(frozen=True, eq=False)
class PropertySpan:
    """Where one property holds over a phrase's own time, and how much of it is covered there."""

    property: str
    source: str
    origin: str
    composite: str
    parts: tuple[str, ...]
    weight: Floats  # (N,) ``SAMPLES`` a second
    share: Floats  # (N,) that is left of it


def property_spans(phrase: Phrase) -> list[PropertySpan]:
    """All properties of a phrase over time, in rising rank; each of an origin and a window once."""
    whole, groups = integrate(phrase.claims), dict[tuple[Any, ...], list[Claim]]()
    for claim in sorted(phrase.claims, key=lambda own: own.rank):
        window = np.asarray(claim.weight, dtype=np.float64).tobytes()
        if claim.holds:
            groups.setdefault((claim.by, claim.source, claim.origin, claim.composite, window), []).append(claim)
    return [_span(whole, phrase, claims) for claims in groups.values()]


def _span(whole: Integrated, phrase: Phrase, claims: Sequence[Claim]) -> PropertySpan:
    first, count = claims[0], len(phrase.times)
    weight, share = _over(first.weight, count), np.zeros(count)
    for claim in claims:
        left = weight.copy()
        ranked = whole.ranked(claim.aspect)
        combine = aspect(claim.aspect).combine
        for later in ranked[next(i for i, own in enumerate(ranked) if own is claim) + 1 :]:
            same = combine == Combine.OVERRIDE or (later.by == claim.by and combine != Combine.COLLECT)
            if same and later.roles & claim.roles:
                left *= 1.0 - _over(later.weight, count)
        share = np.maximum(share, left)
    roles = sorted(frozenset().union(*(own.roles for own in claims)))
    return PropertySpan(first.by, first.source, first.origin, first.composite, _named(roles), weight, share)


def _over(value: Any, count: int) -> Floats:
    values = np.asarray(value, dtype=np.float64)
    return np.full(count, float(values)) if values.ndim == 0 else np.resize(values, count)
