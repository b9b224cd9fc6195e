"""Stick figure of a skeleton: bones to draw, left and right sides, heads, hands and feet, and the body's height.

They are found by role, by name and by the hierarchy. In some rigs for animation a foot is not a descendant of its shin:
it is connected to the shin by role.
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
from kinesphere.motion.transform import mirror_joints, mirror_name

_LIMBS = (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot", "Toes"))


def joints_below(skeleton: Skeleton, tops: list[int]) -> set[int]:
    """All descendants of ``tops``, without ``tops`` themselves unless one is a descendant of another."""
    found: set[int] = set()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent in tops or parent in found:
            found.add(joint)
    return found


def bone_parents(skeleton: Skeleton) -> list[int]:
    """The joint ``[J]`` that the bone to each joint is drawn from, -1 for none.

    Usually it is the parent. Where a rig attaches a part of a limb elsewhere, it is the limb's joint above: for a foot,
    the shin.
    """
    drawn_parents: list[int] = skeleton.parents.tolist()
    for side in SIDES:
        for parts in _LIMBS:
            for above, part in zip(parts[:-1], parts[1:], strict=True):
                upper, lower = (skeleton.roles.get(f"{side}{name}", -1) for name in (above, part))
                if (
                    min(upper, lower) >= 0
                    and upper not in _ancestors(drawn_parents, lower)
                    and lower not in _ancestors(drawn_parents, upper)
                ):
                    drawn_parents[lower] = upper
    return drawn_parents


def finger_joints(skeleton: Skeleton) -> set[int]:
    """Finger joints, and joints without a role between them and the hand, such as palm bones."""
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
    """A joint and all its ancestors, upwards."""
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
    """A line between two points, given by their indices in ``bone_points``: joints first, then tips."""

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
class StickFigure:
    """A skeleton with all that is needed to draw it."""

    base: int  # the hips, or the first joint at which the hierarchy branches
    bones: tuple[Bone, ...]
    heads: tuple[Head, ...]
    sides: tuple[Side, ...]  # one per joint
    hands: tuple[int, ...]
    feet: tuple[int, ...]
    facing_pairs: tuple[tuple[int, int], ...]  # left and right hips and shoulders: they show where the body faces
    height: float


def stick_figure(skeleton: Skeleton) -> StickFigure:
    """Find the body in a skeleton: by role, by name, and by the hierarchy."""
    skeleton = _with_roles(skeleton)
    drawn_parents = bone_parents(skeleton)
    base = _find_hips(skeleton)
    sides = _sides(skeleton)
    heads = tuple(_find_head_top(skeleton, joint) for joint in _joints_by_role_or_name(skeleton, "head", ("head",)))
    hands = _joints_by_role_or_name(skeleton, "hand", ("hand", "wrist")) or _palms(skeleton)
    feet = _joints_by_role_or_name(skeleton, "foot", ("foot", "ankle"))
    in_head = joints_below(skeleton, [head.joint for head in heads])
    in_hand = joints_below(skeleton, list(hands)) | finger_joints(skeleton)
    body_joints = joints_below(skeleton, [base])
    # Feet may be attached to control joints outside the body: such feet are drawn, without a bone to the control.
    detached = {joint for joint in (*hands, *feet) if joint not in body_joints}
    body = {base, *body_joints, *detached, *joints_below(skeleton, sorted(detached))}
    if len(skeleton.roots) > 1:
        body = set(range(len(skeleton)))
    bones = []
    for joint, parent in enumerate(drawn_parents):
        if parent in body and joint in body and joint not in in_head:
            bones.append(Bone(parent, joint, sides[joint], joint in in_hand))
    loose = [joint for joint in sorted(detached) if drawn_parents[joint] not in body]
    bones += [Bone(joint, joint, sides[joint], False) for joint in loose]  # at least a dot
    head_joints = {head.joint for head in heads}
    for number, tip in enumerate(skeleton.tips):
        if tip.joint in body and tip.joint not in in_head | head_joints:
            thin = tip.joint in in_hand or tip.joint in hands
            bones.append(Bone(tip.joint, len(skeleton) + number, sides[tip.joint], thin))
    height = _height(skeleton, drawn_parents, heads, feet)
    facing_pairs = tuple(pair for pair in _find_facing_pairs(skeleton, sides, height) if pair[0] in body_joints)
    return StickFigure(base, tuple(bones), heads, sides, hands, feet, facing_pairs, height)


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
    """The skeleton with likely roles if it has none; as it is where none are found."""
    if skeleton.roles:
        return skeleton
    try:
        return require_roles(skeleton)
    except ValueError:
        return skeleton


def _find_hips(skeleton: Skeleton) -> int:
    """The joint where the body starts: the hips, not ancestors such as a root on the floor."""
    if "hips" in skeleton.roles:
        return skeleton.roles["hips"]
    joint = max(skeleton.roots, key=lambda root: len(joints_below(skeleton, [root])))
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
        elif mirror_name(name) == skeleton.names[other]:
            changed = next(i for i, (a, b) in enumerate(zip(name, skeleton.names[other], strict=False)) if a != b)
            sides.append(Side.LEFT if name[changed] in "lL" else Side.RIGHT)
        else:
            sides.append(Side.LEFT if positions[joint, 0] > positions[other, 0] else Side.RIGHT)
    return tuple(sides)


def _joints_by_role_or_name(skeleton: Skeleton, role: str, words: tuple[str, ...]) -> tuple[int, ...]:
    """Joints of that role; without any, joints with one of the words in their name and no such ancestor."""
    ending = role.capitalize()
    by_role = [joint for name, joint in skeleton.roles.items() if name == role or name.endswith(ending)]
    if by_role:
        return tuple(sorted(by_role))
    named = [i for i, name in enumerate(skeleton.names) if any(word in name.lower() for word in words)]
    under = joints_below(skeleton, named)
    return tuple(joint for joint in named if joint not in under)


def _palms(skeleton: Skeleton) -> tuple[int, ...]:
    """Where no joint is called a hand, the first palm bone of each arm."""
    arms: dict[int, int] = {}
    for joint in _joints_by_role_or_name(skeleton, "palm", ("palm",)):
        arms.setdefault(int(skeleton.parents[joint]), joint)
    return tuple(arms.values())


def _find_head_top(skeleton: Skeleton, joint: int) -> Head:
    """A head with its top: the point below the head joint that is farthest along the neck's direction."""
    positions = rest_bone_points(skeleton)
    parent = int(skeleton.parents[joint])
    neck = positions[joint] - positions[parent] if parent >= 0 else np.array([0.0, 1.0, 0.0])
    within = joints_below(skeleton, [joint])
    ends = [len(skeleton) + i for i, tip in enumerate(skeleton.tips) if tip.joint in within | {joint}]
    points = [*sorted(within), *ends]
    if not points or not neck.any():
        return Head(joint, None)
    reach = (positions[points] - positions[joint]) @ (neck / np.linalg.norm(neck))
    best = int(np.argmax(reach))
    size = float(np.ptp(positions, axis=0).max())
    return Head(joint, points[best] if reach[best] > 0.03 * size else None)


def _height(skeleton: Skeleton, drawn_parents: list[int], heads: tuple[Head, ...], feet: tuple[int, ...]) -> float:
    """Stature at rest: from the lowest point of the legs to the top of the head, along the body."""
    positions = rest_bone_points(skeleton)
    if heads and feet:
        top = heads[0].joint if heads[0].top is None else heads[0].top
        upright = positions[top] - positions[list(feet)].mean(axis=0)
        upright /= max(float(np.linalg.norm(upright)), 1e-9)
        toes = joints_below(skeleton, list(feet)) | set(feet)
        ends = [len(skeleton) + i for i, tip in enumerate(skeleton.tips) if tip.joint in toes]
        standing = float(positions[top] @ upright - (positions[[*sorted(toes), *ends]] @ upright).min())
        # Some rest poses are no standing body; then the sum of bone lengths is the better measure.
        straight = _chain_length(skeleton, drawn_parents, heads[0].joint) + _chain_length(
            skeleton, drawn_parents, feet[0]
        )
        straight += float(np.linalg.norm(positions[top] - positions[heads[0].joint]))
        hip = skeleton.roles.get("leftUpperLeg", _find_hips(skeleton))
        # The bone from the hips to a hip joint goes sideways: it is no part of the height.
        aside = float(np.linalg.norm(positions[hip] - positions[_find_hips(skeleton)]))
        return standing if standing > 0.8 * (straight - aside) else straight
    extent = float(np.ptp(positions[:, 1]))
    return extent if extent > 0.0 else float(np.ptp(positions, axis=0).max()) or 1.0


def _chain_length(skeleton: Skeleton, drawn_parents: list[int], joint: int) -> float:
    """The sum of the lengths of all bones between a joint and the hips."""
    base, positions, length = _find_hips(skeleton), rest_bone_points(skeleton), 0.0
    while joint != base and drawn_parents[joint] >= 0:
        length += float(np.linalg.norm(positions[joint] - positions[drawn_parents[joint]]))
        joint = drawn_parents[joint]
    return length


def _find_facing_pairs(skeleton: Skeleton, sides: tuple[Side, ...], height: float) -> tuple[tuple[int, int], ...]:
    """Left and right joints where limbs leave the trunk; their children where both are at one position."""
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
