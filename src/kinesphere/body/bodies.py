"""Skeletons with their humanoid roles, found where a file did not say them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.motion.humanoid import REQUIRED
from kinesphere.motion.motion import Motion
from kinesphere.motion.roles import RoleMap, find_roles
from kinesphere.motion.skeleton import Skeleton

DOUBTFUL = 0.6  # a dog with human bone names comes to 0.54
_SHOWN = 8  # frames that tell left from right where names and rest pose do not


def with_roles(skeleton: Skeleton) -> Skeleton:
    """The skeleton with all roles that can be found. Raises ``ValueError`` where it is no humanoid, saying what is
    missing."""
    if all(role in skeleton.roles for role in REQUIRED):
        return skeleton
    found = find_roles(skeleton)
    _refuse_unless_humanoid(found)
    return replace(skeleton, roles=found.roles)


def _refuse_unless_humanoid(found: RoleMap) -> None:
    if not found.is_humanoid:
        raise ValueError(found.message)
    if found.overall < DOUBTFUL:
        why = "; ".join(found.evidence[-3:])
        raise ValueError(
            f"probably no humanoid (confidence {found.overall:.2f}): {why}. If it is one, say which joints are which: "
            "Skeleton.roles, or a mapping file (kinesphere mapping FILE -o MAP.json)"
        )


def motion_with_roles(motion: Motion) -> Motion:
    """The same for a motion, whose frames may tell more than its rest pose."""
    if all(role in motion.skeleton.roles for role in REQUIRED):
        return motion
    found = find_roles(motion.skeleton)
    if not found.is_humanoid or found.overall < 0.8:
        frames = np.unique(np.linspace(0, len(motion) - 1, _SHOWN).astype(np.intp))
        posed = Motion(motion.skeleton, motion.rate, motion.rotations[frames], motion.translations[frames])
        found = find_roles(motion.skeleton, positions=posed.positions_world())
    _refuse_unless_humanoid(found)
    return replace(motion, skeleton=replace(motion.skeleton, roles=found.roles))
