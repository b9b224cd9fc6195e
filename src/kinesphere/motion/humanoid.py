"""The humanoid roles: VRM 1.0's bone names, and what they hang on.

Models speak roles, never a file's bone names. A skeleton says which joint has which role in ``Skeleton.roles``.
"""

from __future__ import annotations

from types import MappingProxyType

SIDES = ("left", "right")
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")


def _parents() -> dict[str, str]:
    """Role to the role above it. A missing optional bone is skipped: its children hang on the next one up."""
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
# What a body is judged by: everything but fingers, eyes and jaw.
CORE = (
    *REQUIRED,
    "chest",
    "upperChest",
    "neck",
    *(f"{side}{part}" for side in SIDES for part in ("Shoulder", "Toes")),
)


def other_side_role(role: str) -> str:
    """The mirrored role; a role without a side is its own."""
    if role.startswith("left"):
        return "right" + role[4:]
    return "left" + role[5:] if role.startswith("right") else role
