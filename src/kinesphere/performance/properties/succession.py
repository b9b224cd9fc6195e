"""Succession: a movement passes through the body, from the base of the torso outwards or from the extremities in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import Choice, dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.humanoid import GROUPS, PARENT_ROLE, ROLES
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty

BASE = "spine"
STILL = frozenset((*GROUPS["legs"], "hips", "jaw", "leftEye", "rightEye"))  # which take no part
OUTWARDS = tuple(role for role in ROLES if role not in STILL)


@phrase_edit("succession")
@document(frozen=True)
class Succession(MovementProperty):
    """Let a movement pass through the body: from the base of the torso outwards, or from the extremities in.

    Each joint moves an offset later than the one before it. Branches go in parallel: both collar bones, then both
    shoulders, then both elbows. In a reverse succession hands and head move first, the base of the spine last. Delsarte
    read normal ones as true, reverse ones as false (Shawn 1963).
    """

    family = Family.TIMING

    offset: Annotated[
        float,
        dial(-0.25, 0.25, "Seconds from joint to joint; below zero from the extremities in.", "reverse", "normal"),
    ] = 0.0
    origin: Annotated[
        str, Choice("The joint that begins a normal succession, and ends a reverse one.", choices=OUTWARDS)
    ] = BASE

    @property
    def neutral(self) -> bool:
        """Whether it asks for nothing."""
        return self.offset == 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """A delay for each joint that moves after another."""
        depths = depths_from(self.origin, frozenset(phrase.body.roles))
        longest = {role: max(depths[own] for own in _branch(role, depths)) for role in depths}
        for role, depth in depths.items():
            steps = depth if self.offset > 0.0 else longest[role] - depth
            if steps:
                yield Claim("delay", abs(self.offset) * steps, role)


def depths_from(origin: str, roles: frozenset[str]) -> dict[str, int]:
    """How many joints of a body each role is away from the origin, along the body; fingers count with their hand."""
    links: dict[str, set[str]] = {}
    for role in (role for role in OUTWARDS if role in roles and not _is_finger(role)):
        parent = PARENT_ROLE[role]
        while parent and parent not in roles:
            parent = PARENT_ROLE[parent]
        links.setdefault(role, set())
        if parent in roles and parent not in STILL:
            links[role].add(parent)
            links.setdefault(parent, set()).add(role)
    start = origin if origin in links else BASE
    depths, edge = {start: 0}, [start]
    while edge:
        edge = [own for role in edge for own in sorted(links[role]) if own not in depths]
        depths |= {own: 1 + min(depths[near] for near in links[own] if near in depths) for own in edge}
    for role in OUTWARDS:
        if _is_finger(role) and role in roles:
            side = "left" if role.startswith("left") else "right"
            depths[role] = depths.get(f"{side}Hand", 0)
    return depths


def _is_finger(role: str) -> bool:
    return role in GROUPS["hands"] and not role.endswith("Hand")


def _branch(role: str, depths: dict[str, int]) -> list[str]:
    """Joints on the ways that go through a role, outwards."""
    made = [role]
    for own in depths:
        above = own
        while above and above != role:
            above = PARENT_ROLE[above]
        if above == role:
            made.append(own)
    return made
