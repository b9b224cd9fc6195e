"""Rigid transforms of motions: heading, moving, in-place, plain rest pose, concatenation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import ArrayLike, Floats, as_floats, smootherstep
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton, Tip

UP = np.array([0.0, 1.0, 0.0])


def heading_angles(world_rotations: ArrayLike) -> Floats:
    """Heading: the rotation about the vertical in each world rotation, in radians, unwrapped along the first axis."""
    twist = rotations.swing_twist(world_rotations, UP)[1]
    angles: Floats = 2.0 * np.arctan2(twist[..., 2], twist[..., 0])
    return np.unwrap(angles, axis=0) if angles.ndim else angles


def move_motion(motion: Motion, turn: ArrayLike, shift: ArrayLike) -> Motion:
    """Rotate every root about the world's origin, then shift it; one value for all frames, or one a frame."""
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


def concatenate(first: Motion, second: Motion, *, align: bool = False, blend: float = 0.0) -> Motion:
    """Concatenate two motions, which must have the same joints and rate.

    ``align`` moves the second over the ground and rotates it about the vertical so that it starts where the first
    ended, with the same heading. ``blend`` seconds after the seam are eased from the first one's last pose; nothing
    before the seam changes. Calibration frames at the second one's start are left out: a T-pose would flash there.
    """
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
    if align:
        second = _align(first, second)
    q, t = second.rotations, second.translations
    if blend > 0.0:
        q, t = _blend_seam(first, second, blend)
    scales = None
    if first.scales is not None or second.scales is not None:
        scales = np.concatenate([_scales(first), _scales(second)])
    return replace(
        first,
        rotations=rotations.continuous(np.concatenate([first.rotations, q])),
        translations=np.concatenate([first.translations, t]),
        scales=scales,
        calibration_frames=(*first.calibration_frames, *(len(first) + f for f in second.calibration_frames)),
    )


def _scales(motion: Motion) -> Floats:
    return np.ones(motion.translations.shape) if motion.scales is None else motion.scales


def _align(first: Motion, second: Motion) -> Motion:
    """Move the second motion so that it starts where the first one ends, with the same heading."""
    lead, end = lead_joint(first), _last_frame(first)
    (ended, ended_at), (starts, starts_at) = first[end : end + 1].world(), second[:1].world()
    turn_by = float(heading_angles(ended[0, lead])) - float(heading_angles(starts[0, lead]))
    turn = rotations.from_rotation_vector(turn_by * UP)
    shift = (ended_at[0, lead] - rotations.rotate(turn, starts_at[0, lead])) * [1.0, 0.0, 1.0]
    return move_motion(second, turn, shift)


def _last_frame(motion: Motion) -> int:
    """The last performed frame."""
    performed = motion.performed_frames
    return int(performed[-1]) if performed.size else len(motion) - 1


def _blend_seam(first: Motion, second: Motion, blend: float) -> tuple[Floats, Floats]:
    """Add the difference across the seam to the second motion, and fade it out by a quintic easing."""
    end = _last_frame(first)
    weight = 1.0 - smootherstep(np.arange(len(second)) / (blend * second.rate))
    step = rotations.to_rotation_vector(
        rotations.multiply(first.rotations[end], rotations.conjugate(second.rotations[0]))
    )
    q = rotations.multiply(rotations.from_rotation_vector(step * weight[:, None, None]), second.rotations)
    jump = first.translations[end] - second.translations[0]
    return q, second.translations + jump * weight[:, None, None]
