"""Joint rotations of a solved two-bone limb.

**Frames.** World rotations here are *turns from rest*: the identity leaves a bone as it is in the rest pose.
Rest directions and rest hinge are given as they are in the world at rest. Where all bones of a skeleton have
identity rotations at rest, turns are simply their world rotations, and the rest directions are the offsets of
elbow and wrist. A bone that has another world rotation at rest gets ``multiply(turn, rest_rotation)``.

**The hinge.** ``rest_hinge`` is the axis, fixed in the upper bone, about which flexing turns the lower bone
right-handed. With Y up, facing +Z and left at +X, arms stretched sideways at rest flex forward about −Y
(left) and +Y (right); legs straight down flex backward about +X (both).

    upper · rest_upper  =  direction from shoulder to elbow
    upper · rest_hinge  =  the solution's hinge
    lower               =  upper · turn(rest_hinge, flexion − flexion at rest)
    lower · rest_lower  =  direction from elbow to wrist

All four hold for a hinge square to both bones, straight or bent at rest. Another hinge is first made square
to the upper bone; a lower bone that still leans out of the hinge's plane at rest is set into it by the
smallest turn, the same in every frame, before it is hinged. So the wrist is met whatever the rest pose, and
the elbow keeps its one freedom.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import ArrayLike, Floats
from kinesphere.kernels.limb_swivels import across, length_and_direction, vectors
from kinesphere.kernels.limbs import LimbSolution

_PARALLEL = 1e-3  # sine of the angle to a bone below which a hinge axis says nothing about bending it


class LimbRotations(NamedTuple):
    """Unit quaternions ``(..., 4)``. Signs are not matched between frames: see ``rotations.continuous``."""

    upper: Floats
    lower: Floats


def limb_rotations_world(
    shoulder: ArrayLike,
    solution: LimbSolution,
    rest_upper: ArrayLike,
    rest_lower: ArrayLike,
    rest_hinge: ArrayLike,
) -> LimbRotations:
    """The turns from rest that put both bones where ``solution``, solved from ``shoulder``, has them.

    Rest directions and hinge are ``(..., 3)``, of any length but zero.
    """
    above, below, hinge = _square_rest(rest_upper, rest_lower, rest_hinge)
    setting = rotations.between(vectors("rest_lower", rest_lower), below)
    sine, cosine = np.sum(hinge * np.cross(above, below), axis=-1), np.sum(above * below, axis=-1)
    bend = rotations.from_axis_angle(hinge, solution.flexion - np.arctan2(sine, cosine))

    above_now = length_and_direction(solution.elbow - vectors("shoulder", shoulder))[1]
    from_rest = np.swapaxes(_frame(above, hinge), -1, -2)
    upper = rotations.from_matrix(_frame(above_now, solution.hinge) @ from_rest)
    return LimbRotations(upper, rotations.multiply(upper, rotations.multiply(bend, setting)))


def limb_rotations_local(world: LimbRotations, parent: ArrayLike) -> LimbRotations:
    """The same rotations relative to the bone above: upper to ``parent`` ``(..., 4)``, lower to upper.

    All three are of one kind, turns from rest or full world rotations, and so is the result.
    """
    return LimbRotations(
        upper=rotations.multiply(rotations.conjugate(parent), world.upper),
        lower=rotations.multiply(rotations.conjugate(world.upper), world.lower),
    )


def _square_rest(rest_upper: ArrayLike, rest_lower: ArrayLike, rest_hinge: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Unit upper direction, lower direction set into the hinge's plane, and hinge square to both."""
    above, below = _direction("rest_upper", rest_upper), _direction("rest_lower", rest_lower)
    share, hinge = across(_direction("rest_hinge", rest_hinge), above)
    if not np.all(share > _PARALLEL):
        raise ValueError("rest_hinge must point across rest_upper; found them parallel")
    share, below = across(below, hinge)
    if not np.all(share > _PARALLEL):
        raise ValueError("rest_hinge must point across rest_lower; found them parallel")
    return above, below, hinge


def _frame(bone: Floats, hinge: Floats) -> Floats:
    """Rotation matrices ``(..., 3, 3)`` with the bone, the hinge and their normal as columns."""
    bone, hinge = np.broadcast_arrays(bone, across(hinge, bone)[1])
    return np.stack([bone, hinge, np.cross(bone, hinge)], axis=-1)


def _direction(name: str, values: ArrayLike) -> Floats:
    length, direction = length_and_direction(vectors(name, values))
    if not np.all(length > 0.0):
        raise ValueError(f"{name} must have a direction; found a vector of length zero")
    return direction
