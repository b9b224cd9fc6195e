"""Which joints an edit is for: by group, by humanoid role, or by a skeleton's own names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from kinesphere.kernels.arrays import Bools, Ints
from kinesphere.motion.gesture import unknown
from kinesphere.motion.humanoid import FINGERS, PARENT_ROLE, ROLES, SIDES
from kinesphere.motion.skeleton import Skeleton


def _groups() -> dict[str, tuple[str, ...]]:
    """Group to its roles. What hangs on a role and has none itself (twist joints, props) goes with it."""
    made: dict[str, tuple[str, ...]] = {
        "hips": ("hips",),
        "torso": ("spine", "chest", "upperChest"),
        "head": ("neck", "head", "jaw", "leftEye", "rightEye"),
    }
    for side in SIDES:
        made[f"{side}_arm"] = tuple(f"{side}{part}" for part in ("Shoulder", "UpperArm", "LowerArm"))
        fingers = (role for role in ROLES if role.startswith(side) and any(finger in role for finger in FINGERS))
        made[f"{side}_hand"] = (f"{side}Hand", *fingers)
        made[f"{side}_leg"] = tuple(f"{side}{part}" for part in ("UpperLeg", "LowerLeg", "Foot", "Toes"))
    for part in ("arm", "hand", "leg"):
        made[f"{part}s"] = tuple(role for side in SIDES for role in made[f"{side}_{part}"])
    made["upper_body"] = tuple(role for name in ("torso", "head", "arms", "hands") for role in made[name])
    made["lower_body"] = ("hips", *made["legs"])
    made["body"] = ROLES
    return made


GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(_groups())


def chosen(skeleton: Skeleton, joints: str | Sequence[str] | None) -> Bools:
    """``(J,)`` which joints are meant: None is all of them. Names that nobody has are refused, with the nearest."""
    mask = np.ones(len(skeleton), dtype=np.bool_)
    if joints is None:
        return mask
    mask[:] = False
    skeleton = skeleton.with_found_roles()
    owners = _owners(skeleton)
    for name in (joints,) if isinstance(joints, str) else joints:
        if name in GROUPS:
            own = np.isin(owners, [skeleton.roles[role] for role in GROUPS[name] if role in skeleton.roles])
            if not own.any():
                roles = ", ".join(GROUPS[name])
                raise ValueError(f"{name!r}: {skeleton!r} has none of the joints of this group ({roles})")
            mask |= own
        elif name in skeleton.names:
            mask |= np.array([other == name for other in skeleton.names])
        elif name in skeleton.roles:
            mask[skeleton.roles[name]] = True
        elif name in PARENT_ROLE:
            raise ValueError(f"{name!r}: {skeleton!r} has no such joint")
        else:
            raise ValueError(unknown("joint or group", name, (*GROUPS, *skeleton.names)))
    return mask


def _owners(skeleton: Skeleton) -> Ints:
    """``(J,)`` the nearest joint upwards that has a role, or the joint itself."""
    with_role = set(skeleton.roles.values())
    owners = np.arange(len(skeleton))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if joint not in with_role and parent >= 0 and owners[parent] in with_role:
            owners[joint] = owners[parent]
    return owners
