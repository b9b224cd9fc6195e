"""Role detection results: role to joint, with confidence, evidence and runners-up; and roles given by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from kinesphere.motion.errors import nearest_names
from kinesphere.motion.humanoid import REQUIRED, ROLES
from kinesphere.motion.skeleton import Skeleton

SURE = 0.8  # from this confidence on, names and proportions agree
CLEAR = 0.7  # from this on, what proportions alone say is right, where posed frames were looked at

AGAINST_FRONT = "named left and right against where the front seems to be"


@dataclass(frozen=True)
class RoleMap:
    """The humanoid roles of a skeleton.

    Parameters
    ----------
    roles
        VRM 1.0 role to joint index.
    confidence
        For each role, 0 to 1. From 0.8 on, names and proportions agree, or the role was given.
    evidence
        Sentences: what was found, what is odd.
    runners_up
        Role to the second candidate, where there was one, and its confidence: the winner's times its share of the
        winner's votes.
    names
        The skeleton's joint names, for messages.
    """

    roles: Mapping[str, int]
    confidence: Mapping[str, float]
    evidence: tuple[str, ...] = ()
    runners_up: Mapping[str, tuple[int, float]] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("roles", "confidence", "runners_up"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __reduce__(self) -> tuple[object, ...]:
        parts = (dict(self.roles), dict(self.confidence), self.evidence, dict(self.runners_up), self.names)
        return (RoleMap, parts)

    @property
    def missing(self) -> tuple[str, ...]:
        """Required roles that no joint has."""
        return tuple(role for role in REQUIRED if role not in self.roles)

    @property
    def overall(self) -> float:
        """The mean confidence of the required roles; a missing one counts as 0."""
        return sum(self.confidence.get(role, 0.0) for role in REQUIRED) / len(REQUIRED)

    @property
    def is_humanoid(self) -> bool:
        """Whether every required role has a joint."""
        return not self.missing

    @property
    def exchanges_sides(self) -> bool:
        """Whether limbs are named left that seem to be right ones, and the other way round."""
        return any(line.endswith(AGAINST_FRONT) for line in self.evidence)

    @property
    def message(self) -> str:
        """Why this is no humanoid and what can be done; empty where it is one."""
        if self.is_humanoid:
            return ""
        found = [role for role in REQUIRED if role in self.roles]
        kind = f"no humanoid: {', '.join(self.missing)} not found"
        if found:
            kind += f" ({len(found)} of {len(REQUIRED)} required roles were)"
        why = "; ".join(self.evidence[-2:])
        given = "overrides={'leftHand': 'name of a joint', …} or a mapping file (kinesphere mapping FILE -o MAP.json)"
        return f"{kind}. {why + '. ' if why else ''}If it is one, say which joints they are: {given}"

    def joint_name(self, role: str) -> str:
        """The name of the joint that plays a role; empty where none does."""
        return self.names[self.roles[role]] if role in self.roles else ""


# Roles given by hand


def check_overrides(skeleton: Skeleton, overrides: Mapping[str, int | str | None]) -> dict[str, int | None]:
    """Check overrides: role to joint index, or None for a role that is to stay empty."""
    given: dict[str, int | None] = {}
    for role, joint in overrides.items():
        if role not in ROLES:
            raise ValueError(f"overrides: unknown role {role!r}; {suggest(role, ROLES)}")
        given[role] = None if joint is None else _joint(skeleton, role, joint)
    joints = [joint for joint in given.values() if joint is not None]
    for joint in joints:
        if joints.count(joint) > 1:
            others = ", ".join(role for role, own in given.items() if own == joint)
            raise ValueError(f"overrides: joint {skeleton.names[joint]!r} is given for {others}; one role a joint")
    return given


def _joint(skeleton: Skeleton, role: str, joint: int | str) -> int:
    if isinstance(joint, str):
        found = [i for i, name in enumerate(skeleton.names) if name == joint]
        if len(found) == 1:
            return found[0]
        if found:
            raise ValueError(f"overrides[{role!r}]: {len(found)} joints are called {joint!r}: {found}; give an index")
        raise ValueError(f"overrides[{role!r}]: no joint is called {joint!r}; {suggest(joint, skeleton.names)}")
    index = int(joint)
    if isinstance(joint, bool) or index != joint or not 0 <= index < len(skeleton):
        raise ValueError(f"overrides[{role!r}]: joint {joint!r}; allowed: 0 to {len(skeleton) - 1} or a name")
    return index


def suggest(word: str, known: tuple[str, ...]) -> str:
    """For error messages: the names nearest to a word, or all names."""
    close = nearest_names(word, known, 4)
    if close:
        return f"near it: {', '.join(close)}"
    return f"there are: {', '.join(known[:60])}" + (" …" if len(known) > 60 else "")
