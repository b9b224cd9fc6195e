"""Left for right: which joints are each other's mirror image, and the mirrored motion."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from kinesphere.kernels import kinematics, rotations
from kinesphere.kernels.arrays import Floats, Ints
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

_FLIP = np.array([-1.0, 1.0, 1.0])  # a mirror on the YZ plane
_TWISTED = np.array([1.0, 1.0, -1.0, -1.0])  # what that mirror does to a quaternion

# A side in a name: the word, or a lone L or R set off by a capital, a separator or the end.
_SIDE = re.compile(r"(?i:left|right)|(?<![A-Za-z])[lrLR](?=[A-Z_.\-: ]|$)|(?<=[_.\-: ])[lrLR](?![A-Za-z])")
_OTHER = {"left": "right", "right": "left", "l": "r", "r": "l"}


def mirrored(motion: Motion, pairs: Sequence[tuple[int, int]] | None = None) -> Motion:
    """See ``Motion.mirrored``. Rotations are mirrored as departures from the rest pose, so that the two sides may
    have different axes, and each side keeps its own bone lengths."""
    skeleton = motion.skeleton
    partner = partners(skeleton) if pairs is None else _from_pairs(len(skeleton), pairs)
    rest, _ = skeleton.rest_world()
    world, _ = motion.world()
    # How each joint has turned from rest, seen in the world; mirrored; given to its partner.
    turned = rotations.multiply(world, rotations.conjugate(rest))
    world_new = rotations.multiply((turned * _TWISTED)[:, partner], rest)
    local, _ = kinematics.inverse(world_new, np.zeros((*world_new.shape[:2], 3)), skeleton.parents)
    # Translations likewise: what they add to the rest offset, seen in the rest pose's world.
    parent_rest = np.where(skeleton.parents[:, None] < 0, rotations.identity(), rest[skeleton.parents])
    extra = rotations.rotate(parent_rest, motion.translations - skeleton.offsets)
    extra_new = (extra * _FLIP)[:, partner]
    translations = skeleton.offsets + rotations.rotate(rotations.conjugate(parent_rest), extra_new)
    for root in skeleton.roots:
        translations[:, root] = motion.translations[:, partner[root]] * _FLIP
    result = motion.with_pose(local, translations)
    return result if motion.scales is None else _with_scales(result, motion.scales[:, partner])


def _with_scales(motion: Motion, scales: Floats) -> Motion:
    from dataclasses import replace

    return replace(motion, scales=scales)


def partners(skeleton: Skeleton) -> Ints:
    """``(J,)`` each joint's mirror image, itself for those in the middle: by role, else by name, else by place."""
    partner = np.arange(len(skeleton))
    open_joints = set(range(len(skeleton)))
    for a, b in (*_by_role(skeleton), *_by_name(skeleton), *_by_place(skeleton)):
        if a in open_joints and b in open_joints and a != b:
            partner[a], partner[b] = b, a
            open_joints -= {a, b}
    return partner


def other_side(name: str) -> str | None:
    """The name with its side exchanged, in the same capitals; None for a name without a side."""
    found = _SIDE.search(name)
    if found is None:
        return None
    word = found.group()
    other = _OTHER[word.lower()]
    other = other.upper() if word.isupper() else other.capitalize() if word[0].isupper() else other
    return name[: found.start()] + other + name[found.end() :]


def _by_role(skeleton: Skeleton) -> list[tuple[int, int]]:
    roles = skeleton.roles
    return [
        (joint, roles[other])
        for role, joint in roles.items()
        if role.startswith("left") and (other := "right" + role[4:]) in roles
    ]


def _by_name(skeleton: Skeleton) -> list[tuple[int, int]]:
    where: dict[str, list[int]] = {}
    for joint, name in enumerate(skeleton.names):
        where.setdefault(name, []).append(joint)
    pairs = []
    for joint, name in enumerate(skeleton.names):
        found = where.get(other_side(name) or "", [])
        if len(found) == 1 and found[0] > joint:
            pairs.append((joint, found[0]))
    return pairs


def _by_place(skeleton: Skeleton) -> list[tuple[int, int]]:
    """Joints at mirrored places of the rest pose, at the same depth, whose parents are partners as well."""
    _, place = skeleton.rest_world()
    depth = np.zeros(len(skeleton), dtype=np.intp)
    for level, joints in enumerate(kinematics.generations(skeleton.parents)):
        depth[joints] = level
    size = float(np.ptp(place, axis=0).max())
    middle = place[skeleton.roots[0], 0]
    flipped = place * _FLIP + [2.0 * middle, 0.0, 0.0]
    pairs = []
    for joint in np.flatnonzero(place[:, 0] > middle + 0.01 * size).tolist():
        distance = np.linalg.norm(flipped - place[joint], axis=1)
        distance[depth != depth[joint]] = np.inf
        nearest = int(np.argmin(distance))
        if distance[nearest] < 0.02 * size and nearest != joint:
            pairs.append((joint, nearest))
    return pairs


def _from_pairs(count: int, pairs: Sequence[tuple[int, int]]) -> Ints:
    partner = np.arange(count)
    for a, b in pairs:
        if not (0 <= a < count and 0 <= b < count):
            raise ValueError(f"pair ({a}, {b}): joints 0 to {count - 1} are allowed")
        partner[a], partner[b] = b, a
    return partner
