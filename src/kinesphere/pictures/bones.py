"""Stick figures: which bones of a skeleton are drawn, with their sides, heads, hands, feet and the body's height.

They are found by role, by name and by the hierarchy. A limb's joint that is not below its limb, as a foot where
animators pull it, is connected by its role.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from kinesphere.body.require_roles import require_roles
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.humanoid import FINGERS, SIDES
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.transform import mirror_joints, mirrored_name

_LIMBS = (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot", "Toes"))


def descendants(skeleton: Skeleton, tops: list[int]) -> set[int]:
    """All joints below one of ``tops``, which are not among them unless below another."""
    found: set[int] = set()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent in tops or parent in found:
            found.add(joint)
    return found


def bone_parents(skeleton: Skeleton) -> list[int]:
    """For each joint the one that its bone starts from, -1 for none.

    That is its parent, or the limb's joint above where a limb's joint is not below its limb.
    """
    bones_from: list[int] = skeleton.parents.tolist()
    for side in SIDES:
        for parts in _LIMBS:
            for above, part in zip(parts[:-1], parts[1:], strict=True):
                upper, lower = (skeleton.roles.get(f"{side}{name}", -1) for name in (above, part))
                if (
                    min(upper, lower) >= 0
                    and upper not in _ancestors(bones_from, lower)
                    and lower not in _ancestors(bones_from, upper)
                ):
                    bones_from[lower] = upper
    return bones_from


def finger_joints(skeleton: Skeleton) -> set[int]:
    """Fingers, and what lies between them and the next joint above that has a role: several palms, perhaps."""
    fingers = {joint for role, joint in skeleton.roles.items() if any(name in role for name in FINGERS)}
    others = set(skeleton.roles.values()) - fingers
    parents: list[int] = skeleton.parents.tolist()
    found = set(fingers)
    for joint in fingers:
        above = _ancestors(parents, joint)
        end = next((i for i, other in enumerate(above) if other in others), 0)
        found |= set(above[:end])
    return found


def _ancestors(parents: list[int], joint: int) -> list[int]:
    """A joint and all above it."""
    found = []
    while joint >= 0:
        found.append(joint)
        joint = parents[joint]
    return found


class Side(IntEnum):
    """Which side of the body something belongs to."""

    MIDDLE = 0
    LEFT = 1
    RIGHT = 2


@dataclass(frozen=True)
class Bone:
    """A line between two points. Points are the joints, then the tips."""

    start: int
    end: int
    side: Side
    thin: bool  # a finger


@dataclass(frozen=True)
class Head:
    """A head joint and the point at the top of the skull, where there is one."""

    joint: int
    top: int | None


@dataclass(frozen=True)
class BoneFigure:
    """A skeleton made ready for drawing."""

    base: int  # the joint that carries the body: the hips
    bones: tuple[Bone, ...]
    heads: tuple[Head, ...]
    sides: tuple[Side, ...]  # one a joint
    hands: tuple[int, ...]
    feet: tuple[int, ...]
    across: tuple[tuple[int, int], ...]  # pairs of left and right joints of the trunk, which give the facing
    height: float


def bone_figure(skeleton: Skeleton) -> BoneFigure:
    """Find the body in a skeleton: by role, by name, and by the hierarchy."""
    skeleton = _with_roles(skeleton)
    bones_from = bone_parents(skeleton)
    base = _base(skeleton)
    sides = _sides(skeleton)
    heads = tuple(_with_top(skeleton, joint) for joint in _topmost(skeleton, "head", ("head",)))
    hands = _topmost(skeleton, "hand", ("hand", "wrist")) or _palms(skeleton)
    feet = _topmost(skeleton, "foot", ("foot", "ankle"))
    in_head = descendants(skeleton, [head.joint for head in heads])
    in_hand = descendants(skeleton, list(hands)) | finger_joints(skeleton)
    carried = descendants(skeleton, [base])
    # Rigs may have control joints beside the body for the feet: the feet count, the bone to them does not.
    detached = {joint for joint in (*hands, *feet) if joint not in carried}
    body = {base, *carried, *detached, *descendants(skeleton, sorted(detached))}
    if len(skeleton.roots) > 1:
        body = set(range(len(skeleton)))
    bones = []
    for joint, parent in enumerate(bones_from):
        if parent in body and joint in body and joint not in in_head:
            bones.append(Bone(parent, joint, sides[joint], joint in in_hand))
    loose = [joint for joint in sorted(detached) if bones_from[joint] not in body]
    bones += [Bone(joint, joint, sides[joint], False) for joint in loose]  # at least a dot
    head_joints = {head.joint for head in heads}
    for number, tip in enumerate(skeleton.tips):
        if tip.joint in body and tip.joint not in in_head | head_joints:
            thin = tip.joint in in_hand or tip.joint in hands
            bones.append(Bone(tip.joint, len(skeleton) + number, sides[tip.joint], thin))
    height = _height(skeleton, bones_from, heads, feet)
    across = tuple(pair for pair in _across(skeleton, sides, height) if pair[0] in carried)
    return BoneFigure(base, tuple(bones), heads, sides, hands, feet, across, height)


def rest_bone_points(skeleton: Skeleton) -> Floats:
    """``(J + E, 3)`` world positions of the joints and the tips at rest."""
    return bone_points(skeleton, *skeleton.rest_world())


def bone_points(skeleton: Skeleton, world_rotations: Floats, world_positions: Floats) -> Floats:
    """``(…, J + E, 3)`` world positions of the joints and the tips."""
    joints = [tip.joint for tip in skeleton.tips]
    offsets = np.array([tip.offset for tip in skeleton.tips]).reshape(-1, 3)
    ends = world_positions[..., joints, :] + rotations.rotate(world_rotations[..., joints, :], offsets)
    return np.concatenate([world_positions, ends], axis=-2)


def _with_roles(skeleton: Skeleton) -> Skeleton:
    """With likely roles where none are certain: a picture may guess more than a file."""
    if skeleton.roles:
        return skeleton
    try:
        return require_roles(skeleton)
    except ValueError:
        return skeleton


def _base(skeleton: Skeleton) -> int:
    """Where the body starts: files often put a joint on the floor above the hips, and helpers beside them."""
    if "hips" in skeleton.roles:
        return skeleton.roles["hips"]
    joint = max(skeleton.roots, key=lambda root: len(descendants(skeleton, [root])))
    while True:
        limbs = [child for child in skeleton.children[joint] if skeleton.children[child]]
        if len(limbs) != 1:
            break
        joint = limbs[0]
    # A body that never forks is a chain, and all of it counts.
    return joint if len(limbs) > 1 else skeleton.roots[0]


def _sides(skeleton: Skeleton) -> tuple[Side, ...]:
    partner = mirror_joints(skeleton)
    roles = {joint: role for role, joint in skeleton.roles.items()}
    positions = rest_bone_points(skeleton)
    sides: list[Side] = []
    for joint, name in enumerate(skeleton.names):
        other = int(partner[joint])
        parent = int(skeleton.parents[joint])
        role = roles.get(joint, "")
        if role.startswith(("left", "right")):
            sides.append(Side.LEFT if role.startswith("left") else Side.RIGHT)
        elif other == joint:
            sides.append(sides[parent] if parent >= 0 else Side.MIDDLE)
        elif mirrored_name(name) == skeleton.names[other]:
            changed = next(i for i, (a, b) in enumerate(zip(name, skeleton.names[other], strict=False)) if a != b)
            sides.append(Side.LEFT if name[changed] in "lL" else Side.RIGHT)
        else:
            sides.append(Side.LEFT if positions[joint, 0] > positions[other, 0] else Side.RIGHT)
    return tuple(sides)


def _topmost(skeleton: Skeleton, role: str, words: tuple[str, ...]) -> tuple[int, ...]:
    """Joints of that role, else those with one of the words in their name and none above them that has it."""
    ending = role.capitalize()
    by_role = [joint for name, joint in skeleton.roles.items() if name == role or name.endswith(ending)]
    if by_role:
        return tuple(sorted(by_role))
    named = [i for i, name in enumerate(skeleton.names) if any(word in name.lower() for word in words)]
    under = descendants(skeleton, named)
    return tuple(joint for joint in named if joint not in under)


def _palms(skeleton: Skeleton) -> tuple[int, ...]:
    """Where no joint is called a hand, the first palm bone of each arm."""
    arms: dict[int, int] = {}
    for joint in _topmost(skeleton, "palm", ("palm",)):
        arms.setdefault(int(skeleton.parents[joint]), joint)
    return tuple(arms.values())


def _with_top(skeleton: Skeleton, joint: int) -> Head:
    """The point of the head that is furthest along the direction of the neck."""
    positions = rest_bone_points(skeleton)
    parent = int(skeleton.parents[joint])
    neck = positions[joint] - positions[parent] if parent >= 0 else np.array([0.0, 1.0, 0.0])
    within = descendants(skeleton, [joint])
    ends = [len(skeleton) + i for i, tip in enumerate(skeleton.tips) if tip.joint in within | {joint}]
    points = [*sorted(within), *ends]
    if not points or not neck.any():
        return Head(joint, None)
    reach = (positions[points] - positions[joint]) @ (neck / np.linalg.norm(neck))
    best = int(np.argmax(reach))
    size = float(np.ptp(positions, axis=0).max())
    return Head(joint, points[best] if reach[best] > 0.03 * size else None)


def _height(skeleton: Skeleton, bones_from: list[int], heads: tuple[Head, ...], feet: tuple[int, ...]) -> float:
    """Stature at rest: from the lowest point of the legs to the top of the head, along the body."""
    positions = rest_bone_points(skeleton)
    if heads and feet:
        top = heads[0].joint if heads[0].top is None else heads[0].top
        upright = positions[top] - positions[list(feet)].mean(axis=0)
        upright /= max(float(np.linalg.norm(upright)), 1e-9)
        toes = descendants(skeleton, list(feet)) | set(feet)
        ends = [len(skeleton) + i for i, tip in enumerate(skeleton.tips) if tip.joint in toes]
        standing = float(positions[top] @ upright - (positions[[*sorted(toes), *ends]] @ upright).min())
        # Some files have a rest pose that no body can take; then the sum of bone lengths is the better measure.
        straight = _chain_length(skeleton, bones_from, heads[0].joint) + _chain_length(skeleton, bones_from, feet[0])
        straight += float(np.linalg.norm(positions[top] - positions[heads[0].joint]))
        hip = skeleton.roles.get("leftUpperLeg", _base(skeleton))
        aside = float(np.linalg.norm(positions[hip] - positions[_base(skeleton)]))  # wide hips make nobody taller
        return standing if standing > 0.8 * (straight - aside) else straight
    extent = float(np.ptp(positions[:, 1]))
    return extent if extent > 0.0 else float(np.ptp(positions, axis=0).max()) or 1.0


def _chain_length(skeleton: Skeleton, bones_from: list[int], joint: int) -> float:
    """The lengths of the bones from a joint up to the one that carries the body."""
    base, positions, length = _base(skeleton), rest_bone_points(skeleton), 0.0
    while joint != base and bones_from[joint] >= 0:
        length += float(np.linalg.norm(positions[joint] - positions[bones_from[joint]]))
        joint = bones_from[joint]
    return length


def _across(skeleton: Skeleton, sides: tuple[Side, ...], height: float) -> tuple[tuple[int, int], ...]:
    """Left and right joints where limbs leave the trunk, or the next ones where a pair sits on one spot."""
    partner: Ints = mirror_joints(skeleton)
    positions = rest_bone_points(skeleton)
    pairs = []
    parents = skeleton.parents
    for joint in range(len(skeleton)):
        other, parent = int(partner[joint]), int(parents[joint])
        if other == joint or sides[joint] is not Side.LEFT or parent < 0:
            continue
        above = int(partner[parent])
        apart = float(np.linalg.norm(positions[joint] - positions[other])) > 0.02 * height
        together = float(np.linalg.norm(positions[parent] - positions[above])) <= 0.02 * height
        if apart and together:
            pairs.append((joint, other))
    return tuple(pairs)
