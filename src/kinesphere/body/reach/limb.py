"""Limb IK on recorded poses: bend an arm or a leg of a motion to a target. (``maths.two_bone`` has the geometry.)

**Solving.** The words are an arm's. A limb keeps its plane, carried along by the smallest rotation from the old line
between shoulder and wrist to the new one. A nearly straight limb that must bend more bends about its usual hinge axis.
Joints are rotated from where they are, so twists and helper joints between them stay, whatever axes and rest pose a rig
has. A wrist that stays leaves the limb as it is, and one that moves a little moves it a little: flexion comes and goes
smoothly, and limbs that captures bend a little backward come around to the right side as they bend more.

**Reach.** A limb that stays reaches as far as it did. One that moves approaches its ends, straight and folded, over a
zone (``soft_clamp_reach``), instead of stopping there suddenly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.limits import NEEDED, body_axes
from kinesphere.maths import rotations
from kinesphere.maths.two_bone import reach
from kinesphere.maths.vectors import ArrayLike, Floats, as_floats, cross, norms, smoothstep, unit
from kinesphere.motion.skeleton import Skeleton

PARTS = {"Hand": ("UpperArm", "LowerArm", "Hand"), "Foot": ("UpperLeg", "LowerLeg", "Foot")}
ENDS = tuple(side + part for part in PARTS for side in ("left", "right"))
EASY = {"Hand": 0.985, "Foot": 0.9975}  # of its length that a limb reaches with ease
LONGEST = {"Hand": 0.9985, "Foot": 0.9995}  # of its length that it reaches at most, about, unless it already did more
SOFTNESS = {"Hand": 0.03, "Foot": 0.004}  # of its length over which it approaches straight and folded
BACKWARD = {"Hand": 0.3, "Foot": 0.8}  # sine of a backward flexion; beyond, that is how the limb bends
PRIOR = 0.05  # sine of a flexion that counts as much for the usual hinge axis as anatomy does

ALWAYS_FREE = 0.97  # of an arm's length that it may always reach
SPARE, SPARE_LENGTH = 0.1, 0.003  # how much farther than needed: of the extra distance, and of its length
REMAINING = 0.6  # of the gap to straight that a stretched limb keeps when it is stretched more
FULLY_SOFT = 0.12  # of its length: an end that has moved so far has the whole zone
NEAREST = 0.02  # of the zone that remains between a limb and its ends at most
ROUNDS = 12  # most, of inverting the soft reach
FOLDED = float(np.radians(150.0))  # flexion

# The chain


class LimbChain(NamedTuple):
    """The joints of an arm or a leg, and how it bends."""

    upper: int
    lower: int
    end: int
    attached: bool  # whether the end is a descendant of the lower bone: rigs for animation may attach feet to the root
    hinge: Floats  # (3,) the usual hinge axis, in the upper joint's axes
    easy_share: float  # of its length that it reaches with ease
    longest: float  # of its length that it reaches at most, about, unless it already did more
    softness: float  # of its length over which it approaches straight and folded
    backward: float  # sine of the flexion up to which it may be bent backward
    outward_sign: float  # 1 or -1: the sense about the limb's line in which a backward bend comes around


class LimbFrames(NamedTuple):
    """Where a limb's joints are, and what is asked of them."""

    rotations: Floats  # (T, 4) of the upper joint in the world
    joints: Floats  # (T, 3, 3) of all three
    targets: Floats  # (T, 3)
    distances: Floats  # (T,) metres from the limb's start to its end


class LimbRotation(NamedTuple):
    """World rotations that are applied to a limb's bones, and where its end comes to."""

    upper: Floats  # (T, 4)
    lower: Floats  # (T, 4)
    end: Floats  # (T, 3)


def side_and_part(end: str) -> tuple[str, str]:
    """``("left", "Hand")`` of ``leftHand``."""
    return ("left", end[4:]) if end.startswith("left") else ("right", end[5:])


def limb_of(skeleton: Skeleton, end: str, q: Floats, p: Floats) -> LimbChain:
    """The limb of a role such as ``leftHand``, in poses with world rotations ``(T, J, 4)`` and positions ``(T, J, 3)``.

    Its usual hinge axis is the mean of how it bends in them and, where it hardly does, that of anatomy. Knees that are
    locked backward all the time still bend forward.
    """
    side, part = side_and_part(end)
    upper, lower, last = (skeleton.roles[side + name] for name in PARTS[part])
    bones = p[:, lower] - p[:, upper], p[:, last] - p[:, lower]
    if min(norms(bone).min() for bone in bones) <= 1e-6:
        raise ValueError(f"{skeleton}: the limb of {end!r} has a bone of no length; it cannot be bent to reach")
    normal = cross(unit(bones[0]), unit(bones[1]))
    axes = rotations.rotate(rotations.conjugate(q[:, upper]), normal)
    anatomical, sine = _anatomical_hinge(skeleton, part, upper, lower), norms(normal)
    locked = (axes @ anatomical < 0.0) & (sine < BACKWARD[part])
    hinge = np.where(locked, -sine, sine) @ axes + PRIOR**2 * len(q) * anatomical
    above = last
    while above not in (lower, -1):
        above = int(skeleton.parents[above])
    return LimbChain(
        upper,
        lower,
        last,
        attached=above == lower,
        hinge=unit(hinge),
        easy_share=EASY[part],
        longest=LONGEST[part],
        softness=SOFTNESS[part],
        backward=BACKWARD[part],
        outward_sign=1.0 if (side == "left") == (part == "Foot") else -1.0,
    )


def _anatomical_hinge(skeleton: Skeleton, part: str, upper: int, lower: int) -> Floats:
    """``(3,)`` in the upper joint's axes: elbows flex forward and knees backward."""
    left, ahead = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    if all(role in skeleton.roles for role in NEEDED):
        _, left, ahead = body_axes(skeleton)
    q, p = skeleton.rest_world()
    axis = left if part == "Foot" else cross(unit(p[lower] - p[upper]), ahead)
    return rotations.rotate(rotations.conjugate(q[upper]), axis)


def limb_lengths(limb: LimbChain, p: Floats) -> tuple[Floats, Floats, Floats]:
    """``(T,)`` distances from a limb's start to its end, and lengths of its upper and lower bone."""
    start, middle, end = p[:, limb.upper], p[:, limb.lower], p[:, limb.end]
    return norms(end - start), norms(middle - start), norms(end - middle)


# Reach


def comfortable_reach(limb: LimbChain, p: Floats) -> Floats:
    """``(T,)`` metres that the limb reaches with ease: as far as it does, or nearly straight."""
    current, upper, lower = limb_lengths(limb, p)
    return np.asarray(np.maximum(current, limb.easy_share * (upper + lower)))


def full_reach(limb: LimbChain, p: Floats) -> Floats:
    """``(T,)`` the length of the limb."""
    _, upper, lower = limb_lengths(limb, p)
    return upper + lower


def relax_arm(limb: LimbChain, p: Floats, target: Floats) -> LimbChain:
    """The same arm with a ``longest`` reach little beyond what ``target (T, 3)`` needs, so that it stays relaxed."""
    current, upper, lower = limb_lengths(limb, p)
    asked = norms(target - p[:, limb.upper])
    needed = (asked + SPARE * np.maximum(asked - current, 0.0)) / (upper + lower) + SPARE_LENGTH
    return limb._replace(longest=min(max(float(needed.max()), ALWAYS_FREE), limb.longest))


def soft_clamp_reach(
    limb: LimbChain, asked: Floats, moved: Floats, current: Floats, upper: Floats, lower: Floats
) -> Floats:
    """Clamp distances ``(T,)`` from a limb's start to its end softly: they approach the farthest and the nearest reach.

    Near the far end, ``far − z · log(1 + exp((far − asked) / z))`` (a softplus of width z); near the folded end, its
    mirror image. Both are smooth, increasing, and never beyond the end. All arguments are ``(T,)`` metres: the distance
    that is ``asked`` for, how far the end has ``moved``, the ``current`` distance, and the bones' lengths.
    """
    far, near = farthest_and_nearest(limb, current, upper, lower)
    zone = _zone(limb, moved, upper + lower)
    outer = far - zone * np.logaddexp(0.0, (far - asked) / zone)
    inner = near + zone * np.logaddexp(0.0, (asked - near) / zone)
    return np.where(asked > 0.5 * (far + near), outer, inner)


def target_for_end(limb: LimbChain, p: Floats, target: Floats, beyond: float = NEAREST) -> Floats:
    """``(T, 3)`` the target for which ``solve_limb_chain`` ends at ``target``: farther, where reach is soft.

    This inverts ``soft_clamp_reach``. ``beyond`` is the share of the zone that remains to the limb's end for targets
    out of reach.
    """
    current, upper, lower = limb_lengths(limb, p)
    start, line = p[:, limb.upper], target - p[:, limb.upper]
    asked = norms(line)
    far, near = farthest_and_nearest(limb, current, upper, lower)
    outer = asked > 0.5 * (far + near)
    gap = np.where(outer, far - asked, asked - near)
    found = np.array(target)
    for _ in range(ROUNDS):  # the zone depends on how far the end moves
        before = found
        zone = _zone(limb, norms(found - p[:, limb.end]), upper + lower)
        x = np.maximum(gap / zone, np.where(gap > 0.0, NEAREST, beyond))
        # log(1 + exp(y)) = x for y = x + log(1 − exp(−x)), which is x itself where x is large.
        y = np.where(x < 30.0, np.log(np.maximum(-np.expm1(-np.minimum(x, 30.0)), 1e-300)) + x, x)
        distance = np.where(outer, far - zone * y, near + zone * y)
        found = start + line * (distance / np.maximum(asked, 1e-9))[:, None]
        if np.abs(found - before).max() < 1e-6:
            break
    return np.asarray(found)


def farthest_and_nearest(limb: LimbChain, current: Floats, upper: Floats, lower: Floats) -> tuple[Floats, Floats]:
    """``(T,)`` the farthest and the nearest that a limb may reach.

    Its gap to straight may shrink to a b / √(a² + b²), a smooth minimum of the limb's least gap a and a share b of the
    current gap. Folding stops about a flexion of 150°. Neither end excludes the current distance.
    """
    whole = upper + lower
    least, own = (1.0 - limb.longest) * whole, REMAINING * np.maximum(whole - current, 0.0)
    far = whole - least * own / np.maximum(np.hypot(least, own), 1e-12)
    room = current - np.maximum(reach(FOLDED, upper, lower), np.abs(upper - lower))
    shortening = np.minimum(0.5 * (room + np.hypot(room, 0.01 * whole)), 0.9 * current)
    return np.maximum(far, current), current - shortening


def _zone(limb: LimbChain, moved: Floats, whole: Floats) -> Floats:
    """``(T,)`` metres over which a limb approaches its ends, growing with how far its end has ``moved``."""
    return np.asarray(np.maximum(limb.softness * smoothstep(moved / (FULLY_SOFT * whole)), 1e-12) * whole)


# Solving


def solve_limb_chain(
    limb: LimbChain,
    q: Floats,
    p: Floats,
    target: Floats,
    swivel: ArrayLike = 0.0,
    smooth: Callable[[Floats], Floats] | None = None,
) -> LimbRotation:
    """The limb with its end at ``target (T, 3)``, or as near as it goes.

    ``q (T, J, 4)`` and ``p (T, J, 3)`` are the pose's world; ``swivel`` rotates the middle joint about the line from
    the limb's start to the target, in radians, right-handed. ``smooth`` low-passes angles ``(T,)`` in time: those by
    which limbs that were bent backward are still on that side.
    """
    current, upper, lower = limb_lengths(limb, p)
    asked, moved = norms(target - p[:, limb.upper]), norms(target - p[:, limb.end])
    given = LimbFrames(
        np.ascontiguousarray(q[:, limb.upper]),
        np.ascontiguousarray(p[:, [limb.upper, limb.lower, limb.end]]),
        np.ascontiguousarray(target),
        soft_clamp_reach(limb, asked, moved, current, upper, lower),
    )
    backward: Floats = np.empty(len(p))
    _native.limb.backward_angles(limb, given, backward)
    if smooth and backward.any():
        backward = smooth(backward)
    swivels = np.ascontiguousarray(np.broadcast_to(as_floats(swivel), backward.shape))
    solved = LimbRotation(np.empty((len(p), 4)), np.empty((len(p), 4)), np.empty((len(p), 3)))
    _native.limb.bend_limbs(limb, given, swivels, np.ascontiguousarray(backward), *solved)
    return solved


def swivel_limb(limb: LimbChain, p: Floats, solved: LimbRotation, angle: Floats) -> LimbRotation:
    """The limb rotated by angles ``(T,)`` about the line from its start to its end."""
    if not angle.any():
        return solved
    swivel = _rotation_about(unit(solved.end - p[:, limb.upper]), angle)
    return LimbRotation(rotations.multiply(swivel, solved.upper), rotations.multiply(swivel, solved.lower), solved.end)


def _rotation_about(axis: Floats, angle: ArrayLike) -> Floats:
    return rotations.from_rotation_vector(axis * np.broadcast_to(as_floats(angle), axis.shape[:-1])[..., None])
