"""Humanoid roles (VRM 1.0 bone names), their hierarchy, and joint groups such as ``left_arm``.

Models use roles, never a file's bone names. ``Skeleton.roles`` says which joint has which role.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from kinesphere.maths.vectors import Bools, Ints
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.skeleton import Skeleton

SIDES = ("left", "right")
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")


def _parents() -> dict[str, str]:
    """Role to its parent role. Where an optional bone is missing, its children follow the next one up."""
    parents = {
        "hips": "",
        "spine": "hips",
        "chest": "spine",
        "upperChest": "chest",
        "neck": "upperChest",
        "head": "neck",
        "jaw": "head",
    }
    for side in SIDES:
        parents |= {
            f"{side}Eye": "head",
            f"{side}Shoulder": "upperChest",
            f"{side}UpperArm": f"{side}Shoulder",
            f"{side}LowerArm": f"{side}UpperArm",
            f"{side}Hand": f"{side}LowerArm",
            f"{side}UpperLeg": "hips",
            f"{side}LowerLeg": f"{side}UpperLeg",
            f"{side}Foot": f"{side}LowerLeg",
            f"{side}Toes": f"{side}Foot",
        }
        for finger in FINGERS:
            first, second = ("Metacarpal", "Proximal") if finger == "Thumb" else ("Proximal", "Intermediate")
            parents[f"{side}{finger}{first}"] = f"{side}Hand"
            parents[f"{side}{finger}{second}"] = f"{side}{finger}{first}"
            parents[f"{side}{finger}Distal"] = f"{side}{finger}{second}"
    return parents


PARENT_ROLE = MappingProxyType(_parents())
ROLES = tuple(PARENT_ROLE)

# Without these there is no humanoid. VRM 1.0 requires the same ones.
REQUIRED = (
    "hips",
    "spine",
    "head",
    *(f"{side}{part}" for side in SIDES for part in ("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot")),
)
# Everything but fingers, eyes and jaw.
CORE = (
    *REQUIRED,
    "chest",
    "upperChest",
    "neck",
    *(f"{side}{part}" for side in SIDES for part in ("Shoulder", "Toes")),
)


def mirror_role(role: str) -> str:
    """The mirrored role; a role without a side is its own."""
    if role.startswith("left"):
        return "right" + role[4:]
    return "left" + role[5:] if role.startswith("right") else role


# Joint groups


def _groups() -> dict[str, tuple[str, ...]]:
    """Group to its roles. Joints without a role (twist joints, props) belong to the nearest role above them."""
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


def select_joints(skeleton: Skeleton, joints: str | Sequence[str] | None) -> Bools:
    """Mask ``(J,)`` of joints by group, role or the skeleton's own names; None is all of them.

    Unknown names raise ``ValueError`` with the nearest one.
    """
    mask = np.ones(len(skeleton), dtype=np.bool_)
    if joints is None:
        return mask
    mask[:] = False
    skeleton = skeleton.with_found_roles()
    owners = owning_joints(skeleton)
    for name in (joints,) if isinstance(joints, str) else joints:
        if name in GROUPS:
            own = np.isin(owners, [skeleton.roles[role] for role in GROUPS[name] if role in skeleton.roles])
            if not own.any():
                roles = ", ".join(GROUPS[name])
                raise ValueError(f"{name!r}: {skeleton} has none of the joints of this group ({roles})")
            mask |= own
        elif name in skeleton.names:
            mask |= np.array([other == name for other in skeleton.names])
        elif name in skeleton.roles:
            mask[skeleton.roles[name]] = True
        elif name in PARENT_ROLE:
            raise ValueError(f"{name!r}: {skeleton} has no such joint")
        else:
            raise ValueError(unknown_name("joint or group", name, (*GROUPS, *skeleton.names)))
    return mask


def owning_joints(skeleton: Skeleton) -> Ints:
    """``(J,)`` the nearest joint upwards that has a role, or the joint itself."""
    with_role = set(skeleton.roles.values())
    owners = np.arange(len(skeleton))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if joint not in with_role and parent >= 0 and owners[parent] in with_role:
            owners[joint] = owners[parent]
    return owners
