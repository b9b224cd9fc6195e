"""Require humanoid roles of a skeleton: the file's, else detected ones, else an error that names what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kinesphere.motion.humanoid import REQUIRED, SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.roles import RoleMap, find_roles
from kinesphere.motion.roles.rolemap import SURE
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.transform import sample_frames

LEGS = tuple(f"{side}{part}" for side in SIDES for part in ("UpperLeg", "LowerLeg", "Foot"))
_LIMBS = {"legs": LEGS, "arms": tuple(f"{side}{part}" for side in SIDES for part in ("UpperArm", "LowerArm", "Hand"))}
_LEAST_CONFIDENCE = 0.6  # a dog with human bone names comes to 0.54
_ADVICE = (
    "If they are there, say which joints they are: in Skeleton.roles, or in a mapping file (kinesphere mapping FILE "
    "-o MAP.json; then --mapping MAP.json for a motion, --target-mapping for a character, load_mapping in Python)"
)

_EXCHANGED = "In files of left-handed programs left and right are exchanged: exchange them in the mapping file. "


def require_roles(skeleton: Skeleton, needed: Sequence[str] = REQUIRED, what: str = "a humanoid") -> Skeleton:
    """The skeleton with the roles that ``what`` needs: its own, else all that can be found.

    Raises ``ValueError`` where it is no humanoid, and says what is missing.
    """
    if all(role in skeleton.roles for role in needed):
        return skeleton
    found = find_roles(skeleton)
    _refuse_unless_humanoid(found, skeleton, needed, what)
    return replace(skeleton, roles=found.roles)


def require_motion_roles(motion: Motion, needed: Sequence[str] = REQUIRED, what: str = "a humanoid") -> Motion:
    """``require_roles`` of a motion, whose frames may show more than its rest pose."""
    if all(role in motion.skeleton.roles for role in needed):
        return motion
    found = find_roles(motion.skeleton)
    if not found.is_humanoid or found.overall < SURE:
        found = find_roles(motion.skeleton, positions=sample_frames(motion).positions_world())
    _refuse_unless_humanoid(found, motion.skeleton, needed, what, motion.source.path)
    return replace(motion, skeleton=replace(motion.skeleton, roles=found.roles))


def _refuse_unless_humanoid(
    found: RoleMap, skeleton: Skeleton, needed: Sequence[str], what: str, path: str = ""
) -> None:
    if found.is_humanoid and found.overall >= _LEAST_CONFIDENCE:
        return
    lacking = [role for role in needed if role not in skeleton.roles]
    lost = [role for role in lacking if role not in found.roles]
    limbs = " and no ".join(name for name, roles in _LIMBS.items() if set(roles) <= set(lost))
    missing = ", ".join(lost or lacking)
    kind = f"probably no humanoid (confidence {found.overall:.2f})" if found.is_humanoid else "no humanoid"
    why = "; ".join(found.evidence[-3:])
    hints = [
        f"It has no {limbs}: what needs no whole body, such as smooth, trim or convert, takes it. " if limbs else "",
        _EXCHANGED if found.exchanges_sides else "",
    ]
    where = f"{path}: " if path else ""
    raise ValueError(f"{where}{skeleton} is {kind}: {why}. Missing for {what}: {missing}. {''.join(hints)}{_ADVICE}")
