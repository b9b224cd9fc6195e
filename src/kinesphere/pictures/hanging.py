"""What hangs on what: by the hierarchy, and by roles where a rig has its limbs in pieces."""

from __future__ import annotations

from kinesphere.motion.humanoid import FINGERS, SIDES
from kinesphere.motion.skeleton import Skeleton

_LIMBS = (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot", "Toes"))


def below(skeleton: Skeleton, tops: list[int]) -> set[int]:
    """All joints that hang below one of ``tops``, which are not among them unless below another."""
    found: set[int] = set()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent in tops or parent in found:
            found.add(joint)
    return found


def hung_by_role(skeleton: Skeleton) -> list[int]:
    """For each joint the one that its bone comes from, -1 for none: its parent, but a limb's joint that does not hang
    on its limb, as a foot where animators pull it, comes from the limb's joint above."""
    hung: list[int] = skeleton.parents.tolist()
    for side in SIDES:
        for parts in _LIMBS:
            for above, part in zip(parts[:-1], parts[1:], strict=True):
                upper, lower = (skeleton.roles.get(f"{side}{name}", -1) for name in (above, part))
                if min(upper, lower) >= 0 and upper not in _up(hung, lower) and lower not in _up(hung, upper):
                    hung[lower] = upper
    return hung


def finger_joints(skeleton: Skeleton) -> set[int]:
    """Fingers, and what lies between them and the next joint above that has a role: several palms, perhaps."""
    fingers = {joint for role, joint in skeleton.roles.items() if any(name in role for name in FINGERS)}
    others = set(skeleton.roles.values()) - fingers
    parents: list[int] = skeleton.parents.tolist()
    found = set(fingers)
    for joint in fingers:
        way = _up(parents, joint)
        end = next((place for place, above in enumerate(way) if above in others), 0)
        found |= set(way[:end])
    return found


def _up(hung: list[int], joint: int) -> list[int]:
    """A joint and all above it."""
    way = []
    while joint >= 0:
        way.append(joint)
        joint = hung[joint]
    return way
