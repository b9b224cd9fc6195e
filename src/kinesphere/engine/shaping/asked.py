"""What properties ask of one performance: the integrated claims of its phrase, at performed frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.body.body import Body
from kinesphere.engine.channels import sample_rows
from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.engine.written_claims import integrated
from kinesphere.maths.vectors import Floats
from kinesphere.motion.aspects import aspect
from kinesphere.motion.claim import Claim, Integrated
from kinesphere.motion.humanoid import ROLES, owning_joints
from kinesphere.motion.memo import memoised


@dataclass(frozen=True, eq=False)
class AskedShaping:
    """The claims of shaping of one performance."""

    context: PerformanceContext
    claims: Integrated

    @classmethod
    def of(cls, context: PerformanceContext) -> AskedShaping | None:
        """Of a performance; None: nothing is asked."""
        own = integrated(context.phrase)
        asked = any(aspect(name).shaping for name in own.aspects) or bool(context.phrase.goals)
        return cls(context, own) if asked else None

    def asks(self, *names: str) -> bool:
        """Whether any of these aspects is set."""
        return any(name in self.claims.aspects for name in names)

    def curve(self, name: str, role: str | None = None) -> Floats:
        """``(T,)`` the value of an aspect at performed frames, of a role if joints have values of their own."""
        return self.sampled(self.claims.value(name, role))

    def weight(self, claim: Claim) -> Floats:
        """``(T,)`` how far one claim holds."""
        return self.sampled(np.asarray(claim.weight, dtype=np.float64))

    def sampled(self, value: Floats) -> Floats:
        """``(T,)`` a number or a curve over the phrase's own time, at performed frames."""
        clock = self.context.clock
        if value.ndim == 0:
            return np.full(clock.frames, float(value))
        return sample_rows(value, clock.source, self.context.phrase.loop)

    def by_role(self, name: str) -> dict[str, Floats]:
        """Role to the value ``(T,)`` of an aspect that joints have, of roles that the body has and that are set.

        Roles with the same value have the same array.
        """
        found: dict[tuple[int, ...], Floats] = {}
        made = {}
        for role in ROLES:  # in a fixed order
            ranked = self.claims.ranked(name, role)
            if not ranked or role not in self.context.roles:
                continue
            key = tuple(id(own) for own in ranked)
            if key not in found:
                found[key] = self.curve(name, role)
            made[role] = found[key]
        return made


@memoised
def joints_by_role(body: Body) -> dict[str, list[int]]:
    """Role to its joint and the joints without roles that belong to it, such as twist joints."""
    owners, roles = owning_joints(body.skeleton), {joint: role for role, joint in body.roles.items()}
    made: dict[str, list[int]] = {}
    for joint, owner in enumerate(owners.tolist()):
        if owner in roles:
            made.setdefault(roles[owner], []).append(joint)
    return made
