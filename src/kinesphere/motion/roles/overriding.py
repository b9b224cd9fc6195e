"""Roles given by hand: checked before anything is looked for."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from kinesphere.motion.humanoid import ROLES
from kinesphere.motion.skeleton import Skeleton


def checked_overrides(skeleton: Skeleton, overrides: Mapping[str, int | str | None]) -> dict[str, int | None]:
    """Role to joint index, or None for a role that is to stay empty. What is wrong raises ``ValueError``."""
    given: dict[str, int | None] = {}
    for role, joint in overrides.items():
        if role not in ROLES:
            raise ValueError(f"overrides: unknown role {role!r}; {near(role, ROLES)}")
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
        raise ValueError(f"overrides[{role!r}]: no joint is called {joint!r}; {near(joint, skeleton.names)}")
    index = int(joint)
    if isinstance(joint, bool) or index != joint or not 0 <= index < len(skeleton):
        raise ValueError(f"overrides[{role!r}]: joint {joint!r}; allowed: 0 to {len(skeleton) - 1} or a name")
    return index


def near(word: str, known: tuple[str, ...]) -> str:
    """What was perhaps meant, or what there is."""
    folded = {name.casefold(): name for name in known}
    close = [folded[name] for name in get_close_matches(word.casefold(), list(folded), n=4, cutoff=0.5)]
    if close:
        return f"near it: {', '.join(close)}"
    return f"there are: {', '.join(known[:60])}" + (" …" if len(known) > 60 else "")
