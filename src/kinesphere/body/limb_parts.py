"""Arms and legs of a skeleton: which joints they have, and about what they bend."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.body.limits import NEEDED, body_axes
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats, lengths
from kinesphere.motion.skeleton import Skeleton

PARTS = {"Hand": ("UpperArm", "LowerArm", "Hand"), "Foot": ("UpperLeg", "LowerLeg", "Foot")}
ENDS = tuple(side + part for part in PARTS for side in ("left", "right"))
EASY = {"Hand": 0.985, "Foot": 0.9975}  # of its length that a limb reaches with ease
TAUT = {"Hand": 0.9985, "Foot": 0.9995}  # and at most, unless it did
SOFT = {"Hand": 0.03, "Foot": 0.004}  # of its length over which it approaches straight and folded
BACKWARD = {"Hand": 0.3, "Foot": 0.8}  # sine of a flexion the wrong way; beyond, that is how the limb bends
PRIOR = 0.05  # sine of a flexion that counts as much for the usual axis as anatomy does


class Limb(NamedTuple):
    """The joints of an arm or a leg, and how it bends."""

    upper: int
    lower: int
    end: int
    attached: bool  # whether the end hangs on the lower bone: rigs for animation may hang feet on the root
    hinge: Floats  # (3,) the usual axis, as the upper bone sees it
    easy: float  # of its length that it reaches with ease
    longest: float  # and at most, unless it did
    soft: float  # of its length over which it approaches straight and folded
    backward: float  # sine of the flexion up to which it may be bent the wrong way
    outward: float  # 1 or -1: which way round its way its middle joint comes over to the right side


def side_and_part(end: str) -> tuple[str, str]:
    """``("left", "Hand")`` of ``leftHand``."""
    return ("left", end[4:]) if end.startswith("left") else ("right", end[5:])


def limb_of(skeleton: Skeleton, end: str, q: Floats, p: Floats) -> Limb:
    """The limb of a role such as ``leftHand`` in poses with these world rotations and positions.

    Its usual axis is the mean of how it bends in them, and where it hardly does, an elbow's or a knee's. Who stands
    with knees locked backward all the time still bends them forward.
    """
    side, part = side_and_part(end)
    upper, lower, last = (skeleton.roles[side + name] for name in PARTS[part])
    bones = p[:, lower] - p[:, upper], p[:, last] - p[:, lower]
    if min(lengths(bone).min() for bone in bones) <= 1e-6:
        raise ValueError(f"{skeleton!r}: the limb of {end!r} has a bone of no length; it cannot be bent to reach")
    normal = cross(unit(bones[0]), unit(bones[1]))
    seen = rotations.rotate(rotations.conjugate(q[:, upper]), normal)
    anatomical, size = _anatomical(skeleton, part, upper, lower), lengths(normal)
    locked = (seen @ anatomical < 0.0) & (size < BACKWARD[part])
    hinge = np.where(locked, -size, size) @ seen + PRIOR**2 * len(q) * anatomical
    outward = 1.0 if (side == "left") == (part == "Foot") else -1.0
    above = last
    while above not in (lower, -1):
        above = int(skeleton.parents[above])
    return Limb(
        upper, lower, last, above == lower, unit(hinge), EASY[part], TAUT[part], SOFT[part], BACKWARD[part], outward
    )


def spans(limb: Limb, p: Floats) -> tuple[Floats, Floats, Floats]:
    """``(T,)`` how far a limb reaches, and how long its bones are."""
    start, middle, end = p[:, limb.upper], p[:, limb.lower], p[:, limb.end]
    return lengths(end - start), lengths(middle - start), lengths(end - middle)


def cross(a: Floats, b: Floats) -> Floats:
    """The cross product of vectors ``(..., 3)``: a third of the time of ``np.cross``."""
    made = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        made[..., i] = a[..., j] * b[..., k] - a[..., k] * b[..., j]
    return made


def unit(vectors: Floats) -> Floats:
    """Unit vectors ``(..., 3)``; zero stays zero."""
    return np.asarray(vectors / np.maximum(lengths(vectors), 1e-300)[..., None])


def _anatomical(skeleton: Skeleton, part: str, upper: int, lower: int) -> Floats:
    """``(3,)`` as the upper bone sees it: elbows fold forward and knees back."""
    left, ahead = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    if all(role in skeleton.roles for role in NEEDED):
        _, left, ahead = body_axes(skeleton)
    turned, place = skeleton.rest_world()
    axis = left if part == "Foot" else cross(unit(place[lower] - place[upper]), ahead)
    return rotations.rotate(rotations.conjugate(turned[upper]), axis)
