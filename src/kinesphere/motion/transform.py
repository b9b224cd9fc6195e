"""Transforms of motions: heading, moving, in-place, plain rest pose, concatenation, mirroring.

Mirroring takes a joint's world rotation ``W`` to ``M W Bᵀ`` on its partner: ``M`` is the mirror in the world, ``B`` the
mirror between the two joints' own axes. Where both sides of a rig have mirrored axes, ``B`` is diagonal; in general it
is the improper rotation that takes the bones of one side to those of the other. So the rest pose need not be symmetric.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import ArrayLike, Floats, Ints, as_floats, smootherstep
from kinesphere.motion.motion import Motion
from kinesphere.motion.seam import fade_jump
from kinesphere.motion.skeleton import Skeleton, Tip

UP = np.array([0.0, 1.0, 0.0])


def heading_angles(world_rotations: ArrayLike) -> Floats:
    """Heading: the rotation about the vertical in each world rotation, in radians, unwrapped along the first axis."""
    twist = rotations.swing_twist(world_rotations, UP)[1]
    angles: Floats = 2.0 * np.arctan2(twist[..., 2], twist[..., 0])
    return np.unwrap(angles, axis=0) if angles.ndim else angles


def move_motion(motion: Motion, turn: ArrayLike, shift: ArrayLike) -> Motion:
    """Rotate every root about the world's origin, then shift it; one value for all frames, or one per frame."""
    turn, shift = (
        np.broadcast_to(as_floats(turn), (len(motion), 4)),
        np.broadcast_to(as_floats(shift), (len(motion), 3)),
    )
    q, t = motion.rotations.copy(), motion.translations.copy()
    for root in motion.skeleton.roots:
        q[:, root] = rotations.multiply(turn, q[:, root])
        t[:, root] = rotations.rotate(turn, t[:, root]) + shift
    return motion.with_pose(q, t)


def lead_joint(motion: Motion) -> int:
    """The joint that carries the body's travel: the hips, or the topmost joint that travels.

    Rigs often put the hips under a root that never moves.
    """
    if "hips" in motion.skeleton.roles:
        return motion.skeleton.roles["hips"]
    travel = np.ptp(motion.translations[motion.performed_frames][..., [0, 2]], axis=0).max(axis=-1)
    if travel.max() < 1e-6:
        return motion.skeleton.roots[0]
    return int(np.flatnonzero(travel > 0.5 * travel.max())[0])


def in_place(motion: Motion, *, heading: bool = False) -> Motion:
    """See ``Motion.in_place``. Other roots keep their position relative to the hips."""
    lead = lead_joint(motion)
    performed = motion.performed_frames
    first = int(performed[0]) if performed.size else 0
    world, positions = motion.world()
    position = positions[:, lead]
    turn = rotations.identity(len(motion))
    if heading:
        angles = _heading(world[:, lead])
        turn = rotations.from_rotation_vector(-(angles - angles[first])[:, None] * UP)
    shift = (position[first] - rotations.rotate(turn, position)) * [1.0, 0.0, 1.0]
    return move_motion(motion, turn, shift)


_heading = heading_angles  # the keyword of in_place hides the function


def sample_frames(motion: Motion, most: int = 8) -> Motion:
    """A few evenly spaced frames, copied: enough to see how a body is built."""
    frames = np.unique(np.linspace(0, len(motion) - 1, most).astype(np.intp))
    return Motion(motion.skeleton, motion.rate, motion.rotations[frames], motion.translations[frames])


def with_plain_rest(motion: Motion) -> Motion:
    """The same motion on a skeleton without rest rotations: all joints have the world's axes at rest.

    Formats without rest rotations, such as BVH, need this. World positions and the rest pose stay the same; only each
    joint's own axes change.
    """
    skeleton = motion.skeleton
    if skeleton.rest_is_plain():
        return motion
    rest, _ = skeleton.rest_world()
    world, _ = motion.world()
    local, _ = kinematics.inverse(
        rotations.multiply(world, rotations.conjugate(rest)),
        np.zeros((*world.shape[:2], 3)),
        skeleton.parents,
    )
    parent_rest = np.where(skeleton.parents[:, None] < 0, rotations.identity(), rest[skeleton.parents])
    tips = tuple(Tip(tip.joint, _triple(rotations.rotate(rest[tip.joint], tip.offset))) for tip in skeleton.tips)
    plain = Skeleton(
        skeleton.names,
        skeleton.parents,
        rotations.rotate(parent_rest, skeleton.offsets),
        roles=skeleton.roles,
        tips=tips,
        soles=skeleton.soles,
    )
    return replace(
        motion,
        skeleton=plain,
        rotations=rotations.continuous(local),
        translations=rotations.rotate(parent_rest, motion.translations),
    )


def _triple(vector: Floats) -> tuple[float, float, float]:
    return (float(vector[0]), float(vector[1]), float(vector[2]))


# Concatenation

SAME_BODY = 1e-3  # metres by which offsets of one body may differ between files
BLEND = 0.5  # seconds after the seam in which the jump across it fades
FAR, TURNED = 0.5, float(np.radians(45.0))  # metres and radians that no blend bridges without gliding or spinning
STANDING = 0.1  # metres a second of an ankle that stands


def concatenate(first: Motion, second: Motion, *, align: bool | None = None, blend: float = BLEND) -> Motion:
    """Concatenate two motions, which must have the same joints and rate.

    The jump across the seam fades out within ``blend`` seconds after it, in pose and in velocity, and feet that stand
    stay where they are; nothing before the seam changes. With ``blend=0`` it is a plain cut. ``align`` moves the second
    over the ground and rotates it about the vertical so that it starts where the first ended, with the same heading. It
    does so where the two are blended and the second starts more than 0.5 m or 45° away, which would be a glide or a
    spin; ``align=True`` always does, ``align=False`` never. Calibration frames at the second one's start are left out:
    a T-pose would flash there.
    """
    if not np.isfinite(blend) or blend < 0.0:
        raise ValueError(f"blend is {blend!r}; seconds from 0 on are expected")
    if not first.skeleton.same_tree(second.skeleton):
        raise ValueError(
            f"the motions have different joints ({len(first.skeleton)} and {len(second.skeleton)}): retarget one first"
        )
    if abs(first.rate - second.rate) > 1e-9 * first.rate:
        raise ValueError(f"rates differ ({first.rate:g} and {second.rate:g} fps): resample one first")
    if np.abs(first.skeleton.offsets - second.skeleton.offsets).max() > SAME_BODY:
        raise ValueError("the motions are of bodies with other bone lengths: retarget one first")
    performed = second.performed_frames
    second = second[int(performed[0]) :] if performed.size else second
    end = _last_frame(first)
    if align or (align is None and blend > 0.0):
        second = _align(first[: end + 1], second, always=bool(align))
    q, t = second.rotations, second.translations
    if blend > 0.0:
        q, t = fade_jump(first, end, second, blend)
    scales = None
    if first.scales is not None or second.scales is not None:
        scales = np.concatenate([_scales(first), _scales(second)])
        if blend > 0.0:
            fade = 1.0 - smootherstep(np.arange(len(second)) / (blend * second.rate))
            scales[len(first) :] += (scales[end] - scales[len(first)]) * fade[:, None, None]
    return replace(
        first,
        rotations=rotations.continuous(np.concatenate([first.rotations, q])),
        translations=np.concatenate([first.translations, t]),
        scales=scales,
        calibration_frames=(*first.calibration_frames, *(len(first) + f for f in second.calibration_frames)),
    )


def _scales(motion: Motion) -> Floats:
    return np.ones(motion.translations.shape) if motion.scales is None else motion.scales


def _align(first: Motion, second: Motion, *, always: bool) -> Motion:
    """Move the second motion so that it starts where the first one ends, with the same heading.

    A body that stands before and after the seam is placed by its feet, so that they need not slide; else by its hips.
    """
    lead, feet = lead_joint(first), _feet(first)
    (ended, ended_at), (starts, starts_at) = first[-2:].world(), second[:2].world()
    if feet:
        turn_by = float(heading_angles(rotations.multiply(ended[-1, lead], rotations.conjugate(starts[0, lead]))))
    else:
        turn_by = float(heading_angles(ended[-1, lead])) - float(heading_angles(starts[0, lead]))
    away = float(np.hypot(*(ended_at[-1, lead] - starts_at[0, lead])[[0, 2]]))
    if not always and away <= FAR and abs((turn_by + np.pi) % (2.0 * np.pi) - np.pi) <= TURNED:
        return second
    turn = rotations.from_rotation_vector(turn_by * UP)
    moved = [np.abs(np.diff(at[:, feet], axis=0)).max(initial=0.0) for at in (ended_at, starts_at)]
    points = feet if feet and max(moved) * first.rate < STANDING else [lead]
    shift = ended_at[-1, points].mean(axis=0) - rotations.rotate(turn, starts_at[0, points].mean(axis=0))
    return move_motion(second, turn, shift * [1.0, 0.0, 1.0])


def _feet(motion: Motion) -> list[int]:
    roles = motion.skeleton.with_found_roles().roles
    return [roles[role] for role in ("leftFoot", "rightFoot") if role in roles]


def _last_frame(motion: Motion) -> int:
    """The last performed frame."""
    performed = motion.performed_frames
    return int(performed[-1]) if performed.size else len(motion) - 1


# Mirroring: joints are paired by role, name or position


_FLIP = np.array([-1.0, 1.0, 1.0])  # a mirror on the YZ plane
_FLIP_QUATERNION = np.array([1.0, 1.0, -1.0, -1.0])  # the same mirror on a quaternion
_AXES_WEIGHT = 1e-6  # weight of the joints' axes beside that of the directions of their bones
_SAMPLES = 64  # frames over which axes are averaged

# A side in a name: the word, or a lone L or R set off by a capital, a separator or the end.
_SIDE = re.compile(r"(?i:left|right)|(?<![A-Za-z])[lrLR](?=[A-Z_.\-: ]|$)|(?<=[_.\-: ])[lrLR](?![A-Za-z])")
Matcher = Callable[[int, list[int]], int | None]  # a joint and the free candidates: its partner among them
_OTHER = {"left": "right", "right": "left", "l": "r", "r": "l"}


def mirror_motion(motion: Motion, pairs: Sequence[tuple[int, int]] | None = None) -> Motion:
    """See ``Motion.mirrored``. Each side keeps its own bone lengths; mirroring twice gives the motion back."""
    skeleton = motion.skeleton
    partner = mirror_joints(skeleton) if pairs is None else _from_pairs(len(skeleton), pairs)
    world, _ = motion.world()
    mirrors = axis_mirrors(motion, partner, world)  # (J, 3, 3): from each joint's axes to its partner's
    between = rotations.from_matrix(_FLIP[:, None] * mirrors.swapaxes(-1, -2))  # M Bᵀ, a proper rotation
    world_new = np.empty_like(world)
    world_new[:, partner] = rotations.multiply(world * _FLIP_QUATERNION, between)
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
    """For each joint the improper rotation that takes vectors in its axes to their images in its partner's.

    Returns ``(J, 3, 3)``.
    """
    skeleton = motion.skeleton
    averages = _average_mirrors(motion, partner, world)
    mirrors = np.empty((len(skeleton), 3, 3))
    for joint, other in enumerate(partner.tolist()):
        if other < joint:
            continue
        fit = _AXES_WEIGHT * averages[joint]
        if other == joint:
            fit = fit + _AXES_WEIGHT * averages[joint].T
        for here, there in _bones(skeleton, joint, partner):
            size = float(np.linalg.norm(here) * np.linalg.norm(there))
            if size > 1e-12:
                fit = fit + np.outer(there, here) / size
                if other == joint:  # its own mirror, so in both directions
                    fit = fit + np.outer(here, there) / size
        mirrors[joint] = _nearest_mirror(fit, own=other == joint)
        mirrors[other] = mirrors[joint].T
    return mirrors


def _average_mirrors(motion: Motion, partner: Ints, world: Floats) -> Floats:
    """The mean mirror between joints' axes ``(J, 3, 3)``, if the pose is symmetric on average.

    In the rest pose, where that is symmetric; else over the frames, in the body's own mirror plane, which lies between
    the hips or the shoulders.
    """
    rest_q, rest_p = motion.skeleton.rest_world()
    if _is_symmetric(rest_p, partner):
        q, left = rest_q[None], np.array([[1.0, 0.0, 0.0]])
    else:
        frames = np.unique(np.linspace(0, len(motion) - 1, _SAMPLES).astype(np.intp))
        q = world[frames]
        left = _across(motion.positions_world()[frames], motion.skeleton, partner)
    planes = np.eye(3) - 2.0 * left[:, :, None] * left[:, None, :]  # (F, 3, 3): the body's own mirror
    matrices = rotations.to_matrix(q)
    means: Floats = np.einsum("fjba,fbc,fjcd->jad", matrices[:, partner], planes, matrices) / len(q)
    return means


def _across(positions: Floats, skeleton: Skeleton, partner: Ints) -> Floats:
    """The direction across the body in each frame ``(F, 3)``: between the first pairs of joints below the midline."""
    across = np.zeros((len(positions), 3))
    for joint, other in enumerate(partner.tolist()):
        parent = int(skeleton.parents[joint])
        if other > joint and parent >= 0 and partner[parent] == parent:
            apart = positions[:, joint] - positions[:, other]
            if across.any() and float(np.sum(apart * across)) < 0.0:
                apart = -apart
            across += apart
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


def _nearest_mirror(fit: Floats, *, own: bool) -> Floats:
    """The improper rotation nearest to a matrix; for a joint that is its own partner, the nearest reflection."""
    if own:
        # A reflection is I − 2 n nᵀ: n is the eigenvector of the least eigenvalue.
        values, vectors = np.linalg.eigh(0.5 * (fit + fit.T))
        normal = vectors[:, int(np.argmin(values))]
        return np.eye(3) - 2.0 * np.outer(normal, normal)
    u, _, v = np.linalg.svd(fit)
    sign = -1.0 if np.linalg.det(u @ v) > 0.0 else 1.0
    nearest: Floats = (u * [1.0, 1.0, sign]) @ v
    return nearest


def mirror_joints(skeleton: Skeleton) -> Ints:
    """Each joint's mirror partner ``(J,)``; joints on the midline are their own.

    From the roots down, so that a partner's parent is the parent's partner: by role, else by name, else by position, or
    below a pair by bone length.
    """
    partner = np.arange(len(skeleton))
    by_role = _by_role(skeleton)
    rest = skeleton.rest_world()[1]
    done: set[int] = set()
    for parent in (-1, *range(len(skeleton))):
        other = parent if parent < 0 else int(partner[parent])
        if parent > other:
            continue
        ours = list(skeleton.roots if parent < 0 else skeleton.children[parent])
        theirs = ours if parent == other else list(skeleton.children[other])
        for match_joint in (_match_by_name(skeleton, by_role), _match_by_position(skeleton, rest, parent == other)):
            for joint in ours:
                free = [j for j in theirs if j not in done and j != joint]
                match = None if joint in done else match_joint(joint, free)
                if match is not None:
                    partner[joint], partner[match] = match, joint
                    done |= {joint, match}
    return partner


def mirror_name(name: str) -> str | None:
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


def _match_by_name(skeleton: Skeleton, by_role: dict[int, int]) -> Matcher:
    def match_joint(joint: int, free: list[int]) -> int | None:
        if by_role.get(joint) in free:
            return by_role[joint]
        wanted = mirror_name(skeleton.names[joint])
        found = [j for j in free if skeleton.names[j] == wanted]
        return found[0] if len(found) == 1 else None

    return match_joint


def _match_by_position(skeleton: Skeleton, rest: Floats, across: bool) -> Matcher:
    """Below a midline joint, the candidate at the mirrored position; below a pair, the one of the same bone length."""
    size = max(float(np.ptp(rest, axis=0).max()), 1e-12)
    middle = rest[skeleton.roots[0], 0]

    def match_joint(joint: int, free: list[int]) -> int | None:
        if not free:
            return None
        if across:
            image = rest[joint] * _FLIP + [2.0 * middle, 0.0, 0.0]
            gaps = [float(np.linalg.norm(rest[j] - image)) for j in free]
            sided = abs(rest[joint, 0] - middle) > 0.01 * size
        else:
            gaps = [abs(float(skeleton.bone_lengths[j] - skeleton.bone_lengths[joint])) for j in free]
            sided = True
        nearest = int(np.argmin(gaps))
        return free[nearest] if sided and gaps[nearest] < 0.03 * size else None

    return match_joint


def _from_pairs(count: int, pairs: Sequence[tuple[int, int]]) -> Ints:
    partner = np.arange(count)
    for a, b in pairs:
        if not (0 <= a < count and 0 <= b < count):
            raise ValueError(f"pair ({a}, {b}): joints 0 to {count - 1} are allowed")
        partner[a], partner[b] = b, a
    return partner
