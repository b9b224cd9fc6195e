"""Arms and legs of a skeleton: which joints they have, and about what they bend."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kinesphere.body.ground import bell_weights, smooth_bell
from kinesphere.body.limits import NEEDED, body_axes
from kinesphere.maths import rotations
from kinesphere.maths.two_bone import reach
from kinesphere.maths.vectors import ArrayLike, Floats, as_floats, norms
from kinesphere.motion.skeleton import Skeleton

PARTS = {"Hand": ("UpperArm", "LowerArm", "Hand"), "Foot": ("UpperLeg", "LowerLeg", "Foot")}
ENDS = tuple(side + part for part in PARTS for side in ("left", "right"))
EASY = {"Hand": 0.985, "Foot": 0.9975}  # of its length that a limb reaches with ease
TAUT = {"Hand": 0.9985, "Foot": 0.9995}  # and at most, unless it did
SOFT = {"Hand": 0.03, "Foot": 0.004}  # of its length over which it approaches straight and folded
BACKWARD = {"Hand": 0.3, "Foot": 0.8}  # sine of a flexion the wrong way; beyond, that is how the limb bends
PRIOR = 0.05  # sine of a flexion that counts as much for the usual axis as anatomy does


class LimbChain(NamedTuple):
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


def limb_of(skeleton: Skeleton, end: str, q: Floats, p: Floats) -> LimbChain:
    """The limb of a role such as ``leftHand`` in poses with these world rotations and positions.

    Its usual axis is the mean of how it bends in them, and where it hardly does, an elbow's or a knee's. Who stands
    with knees locked backward all the time still bends them forward.
    """
    side, part = side_and_part(end)
    upper, lower, last = (skeleton.roles[side + name] for name in PARTS[part])
    bones = p[:, lower] - p[:, upper], p[:, last] - p[:, lower]
    if min(norms(bone).min() for bone in bones) <= 1e-6:
        raise ValueError(f"{skeleton!r}: the limb of {end!r} has a bone of no length; it cannot be bent to reach")
    normal = cross(unit(bones[0]), unit(bones[1]))
    seen = rotations.rotate(rotations.conjugate(q[:, upper]), normal)
    anatomical, size = _anatomical(skeleton, part, upper, lower), norms(normal)
    locked = (seen @ anatomical < 0.0) & (size < BACKWARD[part])
    hinge = np.where(locked, -size, size) @ seen + PRIOR**2 * len(q) * anatomical
    outward = 1.0 if (side == "left") == (part == "Foot") else -1.0
    above = last
    while above not in (lower, -1):
        above = int(skeleton.parents[above])
    return LimbChain(
        upper, lower, last, above == lower, unit(hinge), EASY[part], TAUT[part], SOFT[part], BACKWARD[part], outward
    )


def limb_lengths(limb: LimbChain, p: Floats) -> tuple[Floats, Floats, Floats]:
    """``(T,)`` how far a limb reaches, and how long its bones are."""
    start, middle, end = p[:, limb.upper], p[:, limb.lower], p[:, limb.end]
    return norms(end - start), norms(middle - start), norms(end - middle)


def cross(a: Floats, b: Floats) -> Floats:
    """The cross product of vectors ``(..., 3)``: a third of the time of ``np.cross``."""
    made = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        made[..., i] = a[..., j] * b[..., k] - a[..., k] * b[..., j]
    return made


def unit(vectors: Floats) -> Floats:
    """Unit vectors ``(..., 3)``; zero stays zero."""
    return np.asarray(vectors / np.maximum(norms(vectors), 1e-300)[..., None])


def _anatomical(skeleton: Skeleton, part: str, upper: int, lower: int) -> Floats:
    """``(3,)`` as the upper bone sees it: elbows fold forward and knees back."""
    left, ahead = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    if all(role in skeleton.roles for role in NEEDED):
        _, left, ahead = body_axes(skeleton)
    turned, place = skeleton.rest_world()
    axis = left if part == "Foot" else cross(unit(place[lower] - place[upper]), ahead)
    return rotations.rotate(rotations.conjugate(turned[upper]), axis)


# ---- How far arms and legs reach: freely within their range, and softly towards its ends.
#
# A limb that stays where it is reaches as far as it did. One that moves approaches its ends over a zone: straight, or
# less so where nothing asks for it, and folded.


FREE = 0.97  # of an arm's length that it may always reach
SPARE, TAUT_SPARE = 0.1, 0.003  # how much farther than it must: of the way there, and of its length
LEFT = 0.6  # of what a stretched limb leaves of its length that it still leaves when it is stretched more
MOVED = 0.12  # of its length that its end has moved where it approaches its ends over the whole zone
NEAREST = 0.02  # of the zone that is left between what it reaches at most and its ends
ROUNDS = 12  # most, of finding what to ask for
FOLDED = float(np.radians(150.0))  # flexion


def relax_arm(limb: LimbChain, p: Floats, target: Floats) -> LimbChain:
    """The same arm, that stretches little farther than ``target (T, 3)`` asks for."""
    was, upper, lower = limb_lengths(limb, p)
    asked = norms(target - p[:, limb.upper])
    needed = (asked + SPARE * np.maximum(asked - was, 0.0)) / (upper + lower) + TAUT_SPARE
    return limb._replace(longest=min(max(float(needed.max()), FREE), limb.longest))


def target_for_end(limb: LimbChain, p: Floats, target: Floats, beyond: float = NEAREST) -> Floats:
    """``(T, 3)`` what to ask ``solve_limb_chain`` for so that it ends at ``target``: farther, where reach is soft.

    ``beyond`` is what is left to its ends, of the zone in which it approaches them, for what it cannot reach.
    """
    was, upper, lower = limb_lengths(limb, p)
    start, way = p[:, limb.upper], target - p[:, limb.upper]
    asked = norms(way)
    far, near = _ends(limb, was, upper, lower)
    outward = asked > 0.5 * (far + near)
    left = np.where(outward, far - asked, asked - near)
    made = np.array(target)
    for _ in range(ROUNDS):  # how soft it is depends on how far its end goes
        before = made
        zone = _zone(limb, norms(made - p[:, limb.end]), upper + lower)
        share = np.maximum(left / zone, np.where(left > 0.0, NEAREST, beyond))
        # The way back from held_reach, where it makes any difference.
        short = zone * np.where(
            share < 30.0, np.log(np.maximum(-np.expm1(-np.minimum(share, 30.0)), 1e-300)) + share, share
        )
        farther = np.where(outward, far - short, near + short)
        made = start + way * (farther / np.maximum(asked, 1e-9))[:, None]
        if np.abs(made - before).max() < 1e-6:
            break
    return np.asarray(made)


def easy_reach(limb: LimbChain, p: Floats) -> Floats:
    """``(T,)`` how far the limb reaches with ease: as far as it does, or nearly straight."""
    was, upper, lower = limb_lengths(limb, p)
    return np.asarray(np.maximum(was, limb.easy * (upper + lower)))


def full_reach(limb: LimbChain, p: Floats) -> Floats:
    """``(T,)`` how long the limb is."""
    _, upper, lower = limb_lengths(limb, p)
    return upper + lower


def _ends(limb: LimbChain, was: Floats, upper: Floats, lower: Floats) -> tuple[Floats, Floats]:
    """The farthest and the nearest that a limb reaches which ``was`` so far."""
    whole = upper + lower
    left = np.maximum(whole - was, 0.0)
    least, own = (1.0 - limb.longest) * whole, LEFT * left
    far = whole - least * own / np.maximum(np.hypot(least, own), 1e-12)
    folded = was - np.maximum(reach(FOLDED, upper, lower), np.abs(upper - lower))
    return np.maximum(far, was), was - np.minimum(0.5 * (folded + np.hypot(folded, 0.01 * whole)), 0.9 * was)


def _zone(limb: LimbChain, moved: Floats, whole: Floats) -> Floats:
    """Over what distance a limb approaches its ends whose own end is ``moved`` so far; nothing for nothing."""
    u = np.minimum(moved / (MOVED * whole), 1.0)
    return np.asarray(np.maximum(limb.soft * u * u * (3.0 - 2.0 * u), 1e-12) * whole)


def soft_clamp_reach(
    limb: LimbChain, asked: Floats, moved: Floats, was: Floats, upper: Floats, lower: Floats
) -> Floats:
    """The distances that a limb spans when others are asked for: the same, up to its ends, which it approaches."""
    far, near = _ends(limb, was, upper, lower)
    zone = _zone(limb, moved, upper + lower)
    outer = far - zone * np.logaddexp(0.0, (far - asked) / zone)
    inner = near + zone * np.logaddexp(0.0, (asked - near) / zone)
    return np.where(asked > 0.5 * (far + near), outer, inner)


def flexion_for_reach(distance: Floats, upper: Floats, lower: Floats) -> Floats:
    """The flexion at which bones span a distance; see ``kernels.limbs`` for why so."""
    whole, apart = upper + lower, upper - lower
    above = np.maximum((whole - distance) * (whole + distance), 0.0)
    below = np.maximum((distance - apart) * (distance + apart), 0.0)
    return 2.0 * np.arctan2(np.sqrt(above), np.sqrt(below))


# ---- Needs that come and go smoothly.


def smooth_envelope(values: Floats, seconds: float, rate: float) -> Floats:
    """Values ``(T,)`` from 0 up: the same or more in every frame, beginning and ending so many seconds away."""
    if not values.any():
        return values
    span = max(int(seconds * rate), 1)
    padded, width = np.pad(values, span), 1
    while width < 2 * span + 1:  # the greatest of twice as many neighbours each time
        step = min(width, 2 * span + 1 - width)
        padded, width = np.maximum(padded[:-step], padded[step:]), width + step
    return smooth_bell(padded, bell_weights(seconds, rate))


# ---- Arms and legs whose ends go elsewhere: the smallest turn of the limb's plane, and the bend that the way asks
# for.
#
# The words are an arm's. A limb keeps its plane, taken along by the smallest turn from the old way between shoulder
# and
# wrist to the new one; what a nearly straight limb is bent more than it was, it bends about its usual axis. Joints
# are
# turned as they are, so twists and helper joints between them stay, whatever axes and rest pose a rig has. A wrist
# that
# stays where it is leaves the limb as it is, and one that moves little moves it little: bending comes and goes
# smoothly,
# limbs that captures bend a little the wrong way come round to the right one as they bend more, and the longest
# reach is
# approached instead of hit.


STRAIGHT = 0.12  # sine of a flexion below which the usual axis counts for more than the plane
PASSING = 4.0  # squares of its flexion over which a limb bent the wrong way comes round to the right one


class LimbRotation(NamedTuple):
    """How a limb's bones turn in the world, and where its end comes to."""

    upper: Floats  # (T, 4)
    lower: Floats  # (T, 4)
    end: Floats  # (T, 3)


def solve_limb_chain(
    limb: LimbChain,
    q: Floats,
    p: Floats,
    target: Floats,
    swivel: ArrayLike = 0.0,
    calmed: Callable[[Floats], Floats] | None = None,
) -> LimbRotation:
    """The limb with its end at ``target (T, 3)``, or as near as it goes.

    ``q (T, J, 4)`` and ``p (T, J, 3)`` are the pose's world; ``swivel`` turns the middle joint about the way from the
    limb's start to the target, in radians, right-handed. ``calmed`` makes angles ``(T,)`` smooth in time, by which
    limbs that were bent the wrong way still are.
    """
    start, middle, end = p[:, limb.upper], p[:, limb.lower], p[:, limb.end]
    was, upper, lower = limb_lengths(limb, p)
    asked = norms(target - start)
    way = np.where((asked > 1e-9)[:, None], target - start, end - start)
    way = np.where((norms(way) > 1e-9)[:, None], way, middle - start)
    old = np.where((was > 1e-9)[:, None], end - start, way)
    before, normal, axis = _bent(limb, q[:, limb.upper], middle - start, end - middle)
    spanned = soft_clamp_reach(limb, asked, norms(target - end), was, upper, lower)
    flexion = flexion_for_reach(spanned, upper, lower)
    sign, wrong = np.where(before < 0.0, -1.0, 1.0), _wrong(flexion, before)

    along = unit(way)
    carry = rotations.multiply(_about(along, swivel), rotations.rotation_between(old, way))
    bend = before[:, None] * normal + (sign * flexion - before)[:, None] * axis
    bend = np.where((norms(bend) > 1e-9)[:, None], bend, axis)
    out = unit(cross(along, rotations.rotate(carry, sign[:, None] * bend)))
    if wrong.any():
        out = rotations.rotate(_about(along, -limb.outward * (calmed(wrong) if calmed else wrong)), out)
    lean = np.arctan2(lower * np.sin(flexion), upper + lower * np.cos(flexion))[:, None]
    fall = flexion[:, None] - lean
    above = upper[:, None] * (np.cos(lean) * along + np.sin(lean) * out)
    below = lower[:, None] * (np.cos(fall) * along - np.sin(fall) * out)
    turned = rotations.rotate(carry, axis)
    first = _frame_turn(middle - start, axis, above, turned)
    second = _frame_turn(end - middle, axis, below, turned)
    return LimbRotation(first, second, start + above + below)


def swivel_limb(limb: LimbChain, p: Floats, laid: LimbRotation, angle: Floats) -> LimbRotation:
    """The limb turned by angles ``(T,)`` about the way from its start to its end."""
    if not angle.any():
        return laid
    turn = _about(unit(laid.end - p[:, limb.upper]), angle)
    return LimbRotation(rotations.multiply(turn, laid.upper), rotations.multiply(turn, laid.lower), laid.end)


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.einsum("ti,ti->t", a, b))


def _about(axis: Floats, angle: ArrayLike) -> Floats:
    return rotations.from_rotation_vector(axis * np.broadcast_to(as_floats(angle), axis.shape[:-1])[..., None])


def _frame_turn(bone: Floats, axis: Floats, bone_new: Floats, axis_new: Floats) -> Floats:
    """The turns ``(T, 4)`` that take one bone to the other, and an axis across it along."""
    swing = rotations.rotation_between(bone, bone_new)
    along = unit(bone_new)
    a, b = (v - _dot(v, along)[:, None] * along for v in (rotations.rotate(swing, axis), axis_new))
    return rotations.multiply(_about(along, np.arctan2(_dot(along, cross(a, b)), _dot(a, b))), swing)


def _bent(limb: LimbChain, turned: Floats, above: Floats, below: Floats) -> tuple[Floats, Floats, Floats]:
    """Flexion ``(T,)``, below zero where bent the wrong way, its axis, and about what it would bend more ``(T, 3)``."""
    a, b = unit(above), unit(below)
    normal = cross(a, b)
    sine = norms(normal)
    usual = np.broadcast_to(rotations.rotate(turned, limb.hinge), normal.shape)
    sign = np.where((_dot(normal, usual) < 0.0) & (sine < limb.backward), -1.0, 1.0)
    flexion = sign * np.arctan2(sine, _dot(a, b))
    normal = unit(sign[:, None] * normal)
    share = np.exp(-((sine / STRAIGHT) ** 2))[:, None]
    axis, whole = (1.0 - share) * normal + share * usual, unit(above + below)
    axis = unit(axis - _dot(axis, whole)[:, None] * whole)
    bare = norms(axis) < 0.5  # the usual axis lies along the limb: any other will do
    return flexion, normal, np.where(bare[:, None], rotations.perpendicular(above), axis)


def _wrong(flexion: Floats, before: Floats) -> Floats:
    """``(T,)`` radians from its right side to where a limb bends: half a turn where it was bent the wrong way, and less
    as it bends more."""
    past = np.maximum(flexion**2 - before**2, 0.0) / np.maximum(PASSING * before**2, 1e-12)
    return np.where(before < 0.0, np.pi * np.exp(-past), 0.0)
