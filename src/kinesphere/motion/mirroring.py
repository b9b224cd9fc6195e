"""Left for right: which joints are each other's mirror image, and the mirrored motion.

A mirror takes a joint's orientation ``W`` to ``M W Bᵀ`` on its partner: ``M`` is the mirror in the world, ``B``
the one between the two joints' own axes. Where a rig's sides have the same axes turned over, ``B`` is plain; in
general it is whatever takes the bones of one side to those of the other. So nothing is asked of the rest pose: it
need not be symmetric, nor even a body's pose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

_FLIP = np.array([-1.0, 1.0, 1.0])  # a mirror on the YZ plane
_TWISTED = np.array([1.0, 1.0, -1.0, -1.0])  # what that mirror does to a quaternion
_HINT = 1e-6  # weight of how joints are turned against that of where their bones go
_SAMPLES = 64  # frames that show how a body holds itself on average

# A side in a name: the word, or a lone L or R set off by a capital, a separator or the end.
_SIDE = re.compile(r"(?i:left|right)|(?<![A-Za-z])[lrLR](?=[A-Z_.\-: ]|$)|(?<=[_.\-: ])[lrLR](?![A-Za-z])")
Chooser = Callable[[int, list[int]], int | None]  # a joint and who is free: its partner among them
_OTHER = {"left": "right", "right": "left", "l": "r", "r": "l"}


def mirror_motion(motion: Motion, pairs: Sequence[tuple[int, int]] | None = None) -> Motion:
    """See ``Motion.mirrored``. Each side keeps its own bone lengths; mirrored twice, a motion is itself again."""
    skeleton = motion.skeleton
    partner = mirror_joints(skeleton) if pairs is None else _from_pairs(len(skeleton), pairs)
    world, _ = motion.world()
    mirrors = axis_mirrors(motion, partner, world)  # (J, 3, 3): from each joint's axes to its partner's
    turns = rotations.from_matrix(_FLIP[:, None] * mirrors.swapaxes(-1, -2))  # M Bᵀ, a proper rotation
    world_new = np.empty_like(world)
    world_new[:, partner] = rotations.multiply(world * _TWISTED, turns)
    local, _ = kinematics.inverse(world_new, np.zeros((*world.shape[:2], 3)), skeleton.parents)
    # What translations add to the rest offsets is mirrored in the parent's axes.
    extra = motion.translations - skeleton.offsets
    above = np.where(skeleton.parents[:, None, None] < 0, np.diag(_FLIP), mirrors[skeleton.parents])
    translations = np.empty_like(extra)
    translations[:, partner] = np.einsum("jab,tjb->tja", above, extra) + skeleton.offsets[partner]
    for root in skeleton.roots:
        translations[:, partner[root]] = motion.translations[:, root] * _FLIP
    scales = None
    if motion.scales is not None:
        scales = np.empty_like(motion.scales)
        scales[:, partner] = np.einsum("jab,tjb->tja", mirrors**2, motion.scales)
    return replace(motion.with_pose(rotations.normalise(local), translations), scales=scales)


def axis_mirrors(motion: Motion, partner: Ints, world: Floats) -> Floats:
    """For each joint the improper rotation ``(3, 3)`` that takes vectors in its axes to their images in its
    partner's."""
    skeleton = motion.skeleton
    hints = _held_mirrors(motion, partner, world)
    mirrors = np.empty((len(skeleton), 3, 3))
    for joint, other in enumerate(partner.tolist()):
        if other < joint:
            continue
        pull = _HINT * hints[joint]
        if other == joint:
            pull = pull + _HINT * hints[joint].T
        for here, there in _bones(skeleton, joint, partner):
            size = float(np.linalg.norm(here) * np.linalg.norm(there))
            if size > 1e-12:
                pull = pull + np.outer(there, here) / size
                if other == joint:  # its own mirror, so the other way round as well
                    pull = pull + np.outer(here, there) / size
        mirrors[joint] = _nearest_mirror(pull, own=other == joint)
        mirrors[other] = mirrors[joint].T
    return mirrors


def _held_mirrors(motion: Motion, partner: Ints, world: Floats) -> Floats:
    """How joints' axes correspond if people hold themselves evenly on average ``(J, 3, 3)``.

    At rest, where the rest pose is symmetric; else over the frames, seen in the mirror that stands between hips or
    shoulders.
    """
    rest_q, rest_p = motion.skeleton.rest_world()
    if _is_symmetric(rest_p, partner):
        q, left = rest_q[None], np.array([[1.0, 0.0, 0.0]])
    else:
        frames = np.unique(np.linspace(0, len(motion) - 1, _SAMPLES).astype(np.intp))
        q = world[frames]
        left = _left(motion.positions_world()[frames], motion.skeleton, partner)
    planes = np.eye(3) - 2.0 * left[:, :, None] * left[:, None, :]  # (F, 3, 3): the body's own mirror
    matrices = rotations.to_matrix(q)
    held: Floats = np.einsum("fjba,fbc,fjcd->jad", matrices[:, partner], planes, matrices) / len(q)
    return held


def _left(positions: Floats, skeleton: Skeleton, partner: Ints) -> Floats:
    """The direction across the body in each frame ``(F, 3)``: between the first pairs of joints below the middle."""
    across = np.zeros((len(positions), 3))
    for joint, other in enumerate(partner.tolist()):
        parent = int(skeleton.parents[joint])
        if other > joint and parent >= 0 and partner[parent] == parent:
            way = positions[:, joint] - positions[:, other]
            if across.any() and float(np.sum(way * across)) < 0.0:
                way = -way
            across += way
    length = np.linalg.norm(across, axis=1, keepdims=True)
    directions: Floats = np.where(length > 1e-9, across / np.maximum(length, 1e-9), np.array([1.0, 0.0, 0.0]))
    return directions


def _is_symmetric(rest: Floats, partner: Ints) -> bool:
    size = float(np.ptp(rest, axis=0).max())
    middle = (
        rest[:, 0].mean() if (partner == np.arange(len(partner))).all() else 0.5 * (rest + rest[partner])[:, 0].mean()
    )
    image = (rest - [middle, 0.0, 0.0]) * _FLIP + [middle, 0.0, 0.0]
    return bool(np.linalg.norm(image[partner] - rest, axis=1).max() < 0.1 * max(size, 1e-12))


def _bones(skeleton: Skeleton, joint: int, partner: Ints) -> list[tuple[Floats, Floats]]:
    """Vectors in a joint's axes, and their images in its partner's: to children and tips."""
    other = int(partner[joint])
    pairs = [
        (skeleton.offsets[child], skeleton.offsets[partner[child]])
        for child in skeleton.children[joint]
        if skeleton.parents[partner[child]] == other
    ]
    tips = [[np.array(tip.offset) for tip in skeleton.tips if tip.joint == j] for j in (joint, other)]
    if len(tips[0]) == len(tips[1]) == 1:
        pairs.append((tips[0][0], tips[1][0]))
    return pairs


def _nearest_mirror(pull: Floats, *, own: bool) -> Floats:
    """The improper rotation nearest to a matrix; for a joint that is its own partner, the nearest plane's mirror."""
    if own:
        # A mirror that undoes itself is I − 2 n nᵀ: n is where the pull is most turned over.
        values, vectors = np.linalg.eigh(0.5 * (pull + pull.T))
        normal = vectors[:, int(np.argmin(values))]
        return np.eye(3) - 2.0 * np.outer(normal, normal)
    u, _, v = np.linalg.svd(pull)
    sign = -1.0 if np.linalg.det(u @ v) > 0.0 else 1.0
    nearest: Floats = (u * [1.0, 1.0, sign]) @ v
    return nearest


def mirror_joints(skeleton: Skeleton) -> Ints:
    """``(J,)`` each joint's mirror image, itself for those in the middle.

    From the roots down, so that a joint's partner hangs on its parent's: by role, else by name, else by place;
    below a pair, what is left over and alike goes together.
    """
    partner = np.arange(len(skeleton))
    by_role = _by_role(skeleton)
    place = skeleton.rest_world()[1]
    done: set[int] = set()
    for parent in (-1, *range(len(skeleton))):
        other = parent if parent < 0 else int(partner[parent])
        if parent > other:
            continue
        ours = list(skeleton.roots if parent < 0 else skeleton.children[parent])
        theirs = ours if parent == other else list(skeleton.children[other])
        for choose in (_named(skeleton, by_role), _placed(skeleton, place, parent == other)):
            for joint in ours:
                free = [j for j in theirs if j not in done and j != joint]
                match = None if joint in done else choose(joint, free)
                if match is not None:
                    partner[joint], partner[match] = match, joint
                    done |= {joint, match}
    return partner


def mirrored_name(name: str) -> str | None:
    """The name with its side exchanged, in the same capitals; None for a name without a side."""
    found = _SIDE.search(name)
    if found is None:
        return None
    word = found.group()
    other = _OTHER[word.lower()]
    other = other.upper() if word.isupper() else other.capitalize() if word[0].isupper() else other
    return name[: found.start()] + other + name[found.end() :]


def _by_role(skeleton: Skeleton) -> dict[int, int]:
    roles = skeleton.roles
    pairs = {
        roles[role]: roles["right" + role[4:]] for role in roles if role[:4] == "left" and "right" + role[4:] in roles
    }
    return pairs | {right: left for left, right in pairs.items()}


def _named(skeleton: Skeleton, by_role: dict[int, int]) -> Chooser:
    def choose(joint: int, free: list[int]) -> int | None:
        if by_role.get(joint) in free:
            return by_role[joint]
        wanted = mirrored_name(skeleton.names[joint])
        found = [j for j in free if skeleton.names[j] == wanted]
        return found[0] if len(found) == 1 else None

    return choose


def _placed(skeleton: Skeleton, place: Floats, across: bool) -> Chooser:
    """Below a joint in the middle, what lies at the mirrored place; below a pair, what has a bone of the same
    length."""
    size = max(float(np.ptp(place, axis=0).max()), 1e-12)
    middle = place[skeleton.roots[0], 0]

    def choose(joint: int, free: list[int]) -> int | None:
        if not free:
            return None
        if across:
            image = place[joint] * _FLIP + [2.0 * middle, 0.0, 0.0]
            gaps = [float(np.linalg.norm(place[j] - image)) for j in free]
            sided = abs(place[joint, 0] - middle) > 0.01 * size
        else:
            gaps = [abs(float(skeleton.bone_lengths[j] - skeleton.bone_lengths[joint])) for j in free]
            sided = True
        nearest = int(np.argmin(gaps))
        return free[nearest] if sided and gaps[nearest] < 0.03 * size else None

    return choose


def _from_pairs(count: int, pairs: Sequence[tuple[int, int]]) -> Ints:
    partner = np.arange(count)
    for a, b in pairs:
        if not (0 <= a < count and 0 <= b < count):
            raise ValueError(f"pair ({a}, {b}): joints 0 to {count - 1} are allowed")
        partner[a], partner[b] = b, a
    return partner
