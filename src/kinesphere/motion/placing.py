"""Where a motion stands and where it faces."""

from __future__ import annotations

import numpy as np

from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import ArrayLike, Floats, floats
from kinesphere.motion.motion import Motion

UP = np.array([0.0, 1.0, 0.0])


def heading(world_rotations: ArrayLike) -> Floats:
    """The turn about the vertical in each rotation, in radians, unwrapped along the first axis."""
    twist = rotations.swing_twist(world_rotations, UP)[1]
    turned: Floats = 2.0 * np.arctan2(twist[..., 2], twist[..., 0])
    return np.unwrap(turned, axis=0) if turned.ndim else turned


def moved(motion: Motion, turn: ArrayLike, shift: ArrayLike) -> Motion:
    """Every root turned about the world's origin and then shifted, by one value or one a frame."""
    turn, shift = (
        np.broadcast_to(floats(turn), (len(motion), 4)),
        np.broadcast_to(floats(shift), (len(motion), 3)),
    )
    q, t = motion.rotations.copy(), motion.translations.copy()
    for root in motion.skeleton.roots:
        q[:, root] = rotations.multiply(turn, q[:, root])
        t[:, root] = rotations.rotate(turn, t[:, root]) + shift
    return motion.with_pose(q, t)


def lead_joint(motion: Motion) -> int:
    """The joint that carries the body about: the hips, or the topmost joint that travels.

    Rigs often hang the hips under a root that stays where it is.
    """
    if "hips" in motion.skeleton.roles:
        return motion.skeleton.roles["hips"]
    travel = np.ptp(motion.translations[motion.performed_frames][..., [0, 2]], axis=0).max(axis=-1)
    if travel.max() < 1e-6:
        return motion.skeleton.roots[0]
    return int(np.flatnonzero(travel > 0.5 * travel.max())[0])


def in_place(motion: Motion, *, heading: bool = False) -> Motion:
    """See ``Motion.in_place``. Everything keeps its place by the hips, other roots too."""
    lead = lead_joint(motion)
    performed = motion.performed_frames
    first = int(performed[0]) if performed.size else 0
    world, places = motion.world()
    place = places[:, lead]
    turn = rotations.identity(len(motion))
    if heading:
        angles = _heading(world[:, lead])
        turn = rotations.from_rotation_vector(-(angles - angles[first])[:, None] * UP)
    shift = (place[first] - rotations.rotate(turn, place)) * [1.0, 0.0, 1.0]
    return moved(motion, turn, shift)


_heading = heading  # the keyword of in_place hides the function
