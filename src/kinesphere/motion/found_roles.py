"""Roles that nobody has asked for yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinesphere.motion.skeleton import Skeleton


class FoundRoles(Mapping[str, int]):
    """A skeleton's humanoid roles, found when they are first looked at; none where they are not sure.

    Most motions are read, looked at and written without them, and finding takes longer than reading a short file.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self._skeleton = skeleton  # one that has no roles of its own

    @cached_property
    def _roles(self) -> dict[str, int]:
        from kinesphere.motion.roles import find_roles
        from kinesphere.motion.roles.rolemap import SURE

        found = find_roles(self._skeleton)
        return dict(found.roles) if found.is_humanoid and found.overall >= SURE else {}

    def __getitem__(self, role: str) -> int:
        return self._roles[role]

    def __iter__(self) -> Iterator[str]:
        return iter(self._roles)

    def __len__(self) -> int:
        return len(self._roles)

    def __repr__(self) -> str:
        return repr(self._roles)
