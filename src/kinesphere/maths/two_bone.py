"""Analytic two-bone inverse kinematics: elbow, swivel and joint rotations of a limb whose wrist is to reach a target.

``solve_limb`` takes a target and gives positions; ``limb_rotations_world`` then gives both joints' rotations, and
``limb_rotations_local`` makes these relative to their parents. ``solve_limb_rotations`` is quicker for many targets on
one body: it gives the upper joint's rotation and the elbow's flexion. ``bend_limb`` keeps a given hinge instead of a
swivel.

The words are an arm's; a leg is the same with hip, knee and ankle. The shoulder is a ball, the elbow a hinge. A wrist
position leaves one freedom.

**The swivel** is the elbow's position on its circle about the axis from shoulder to wrist. At swivel zero the elbow
leaves the axis towards ``reference`` (down suits elbows, forward suits knees); a positive swivel rotates it
right-handed about the axis. An axis parallel to the reference leaves zero open, and no rule is continuous for every
axis (a sphere cannot be combed). Here ``home``, a second direction, settles it: let the limb point home with its elbow
towards the reference, then rotate it within the plane of the two until it is parallel to the reference. The elbow's
direction then is zero there. Within about 11° of parallel one rule fades into the other, so zero varies smoothly over
all axes but two, which lie about 6° from parallel on the side *away* from home. For an arm (reference down, home
forward) these are hanging and raised arms that lean back by 6°, where zero is taken from the parallel next to them.
Near them, neighbouring axes may have very different zeros. By default home is forward, or down where the reference is
within 45° of forward or back.

**Joint rotations** in the world are *rotations from rest*: the identity leaves a bone as it is in the rest pose. Rest
directions and rest hinge are given as they are in the world at rest. A bone that has another world rotation at rest
gets ``multiply(rotation, rest_rotation)``. ``rest_hinge`` is the axis, fixed in the upper bone, about which flexing
rotates the lower bone right-handed. With Y up, facing +Z and left at +X, arms stretched sideways at rest flex forward
about −Y (left) and +Y (right); legs straight down flex backward about +X (both).

    upper · rest_upper  =  direction from shoulder to elbow
    upper · rest_hinge  =  the solution's hinge
    lower               =  upper · rotation(rest_hinge, flexion − flexion at rest)
    lower · rest_lower  =  direction from elbow to wrist

All four hold for a hinge square to both bones, straight or bent at rest. Another hinge is first made square to the
upper bone; a lower bone that still leans out of the hinge's plane at rest is set into it by the smallest rotation, the
same in every frame, before it is hinged. So the wrist reaches its target whatever the rest pose, and the elbow keeps
its one freedom.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.maths import rotations
from kinesphere.maths.vectors import ArrayLike, Floats, as_floats, cross, norms

DOWN = (0.0, -1.0, 0.0)
FORWARD = (0.0, 0.0, 1.0)
TINY = 1e-9  # shares of a limb's length, or of a unit vector, too small to have a direction

_PARALLEL = 1e-3  # sine of the angle to a bone below which a hinge axis says nothing about bending it


# Solving for positions


class LimbSolution(NamedTuple):
    """A solved limb; ``...`` is what the leading axes of all inputs broadcast to."""

    elbow: Floats  # (..., 3)
    wrist: Floats  # (..., 3)
    flexion: Floats  # (...) angle from the upper to the lower bone's direction, 0 = straight, π = folded
    swivel: Floats  # (...) the given one, or the nearest in its range
    hinge: Floats  # (..., 3) unit normal of the bending plane: flexion rotates right-handed about it
    shortfall: Floats  # (...) distance between the target and the wrist


def solve_limb(
    shoulder: ArrayLike,
    target: ArrayLike,
    upper: ArrayLike,
    lower: ArrayLike,
    swivel: ArrayLike = 0.0,
    *,
    reference: ArrayLike = DOWN,
    home: ArrayLike | None = None,
    flexion_range: tuple[ArrayLike, ArrayLike] = (0.0, np.pi),
    swivel_range: tuple[ArrayLike, ArrayLike] | None = None,
    softness: ArrayLike = 0.0,
) -> LimbSolution:
    """The limb whose wrist is at ``target``, or as near to it as lengths and limits allow.

    The wrist always lies on the ray from the shoulder through the target, so an unreachable target is still
    pointed at. A target at the shoulder gives no ray: then it is home's, made square to the reference.

    Parameters
    ----------
    shoulder, target : (..., 3) positions
    upper, lower : (...) bone lengths, which the result keeps
    swivel : (...) the elbow's position on its circle
    reference, home : (..., 3) what swivel is measured from, see the module's text; any length but zero
    flexion_range : least and greatest flexion, within [0, π]
    swivel_range : least and greatest swivel; one outside, whole rounds aside, goes to the nearer end
    softness : share of the limb's length, in [0, 1), over which it approaches its longest reach as
        ``soft_reach`` does. Targets in that zone are missed a little; the shortfall says by how much
    """
    start, goal = vectors("shoulder", shoulder), vectors("target", target)
    upper, lower = _bone_lengths("upper", upper), _bone_lengths("lower", lower)
    swivel = _clamp_swivel(swivel, swivel_range)
    towards, square_home = _reference_and_home(reference, home)
    least, greatest = _flexion_limits(flexion_range)
    softness = _softness(softness)

    # In units of the limb's length, so that no threshold depends on scale.
    length = upper + lower
    distance, axis = length_and_direction((goal - start) / length[..., None])
    axis = np.where(distance[..., None] > TINY, axis, square_home)
    u, v = upper / length, lower / length
    flexion = np.clip(_flexion(distance, u, v, reach(least, u, v), reach(greatest, u, v), softness), least, greatest)

    zero, side = _swivel_axes(axis, towards, square_home)
    outward = np.cos(swivel)[..., None] * zero + np.sin(swivel)[..., None] * side
    elbow, wrist = _place_bones(start, axis, outward, upper, lower, flexion)
    leading = elbow.shape[:-1]
    return LimbSolution(
        elbow=elbow,
        wrist=wrist,
        flexion=np.broadcast_to(flexion, leading).copy(),
        swivel=np.broadcast_to(swivel, leading).copy(),
        hinge=np.broadcast_to(np.cross(outward, axis), elbow.shape).copy(),
        shortfall=length_and_direction(goal - wrist)[0],
    )


def bend_limb(
    shoulder: Floats, target: Floats, upper: Floats, lower: Floats, hinge: Floats, softness: float = 0.0
) -> tuple[Floats, Floats, Floats]:
    """Elbow, wrist ``(..., 3)`` and shortfall ``(...)`` of limbs that bend about given axes ``(..., 3)``.

    For many limbs at once whose bending planes are known: as ``solve_limb`` with axis × hinge as its reference, and
    without checks. A hinge along the limb, which has no such direction, bends it somehow.
    """
    length = np.asarray(upper + lower)
    whole = target - shoulder
    distance = norms(whole)
    axis = whole / np.maximum(distance, 1e-300)[..., None]
    at_shoulder = distance <= TINY * length
    if at_shoulder.any():
        axis = np.where(at_shoulder[..., None], rotations.perpendicular(hinge), axis)
    outward = cross(axis, hinge)
    size = norms(outward)
    outward = outward / np.maximum(size, 1e-300)[..., None]
    along = size <= TINY * norms(hinge)
    if along.any():
        outward = np.where(along[..., None], rotations.perpendicular(axis), outward)
    u, v = upper / length, lower / length
    flexion = _flexion(distance / length, u, v, np.ones_like(length), np.abs(u - v), softness)
    elbow, wrist = _place_bones(shoulder, axis, outward, upper, lower, flexion)
    return elbow, wrist, norms(target - wrist)


def _place_bones(
    start: Floats, axis: Floats, outward: Floats, upper: Floats, lower: Floats, flexion: Floats
) -> tuple[Floats, Floats]:
    """Elbow and wrist: bones end to end at angles to the axis, so that they keep their lengths whatever is asked."""
    lean = np.arctan2(lower * np.sin(flexion), upper + lower * np.cos(flexion))[..., None]
    fall = flexion[..., None] - lean
    elbow = start + upper[..., None] * (np.cos(lean) * axis + np.sin(lean) * outward)
    return elbow, elbow + lower[..., None] * (np.cos(fall) * axis - np.sin(fall) * outward)


def _flexion(distance: Floats, u: Floats, v: Floats, longest: Floats, shortest: Floats, softness: ArrayLike) -> Floats:
    """The flexion at which bones of lengths ``u + v = 1`` span a distance, brought between both reaches."""
    d = np.maximum(soft_reach(distance, longest, np.minimum(softness, longest - shortest)), shortest)
    # tan²(flexion / 2) = (1 − d²) / (d² − (u − v)²): no arccosine, so full precision at both ends.
    above = np.maximum((1.0 - d) * (1.0 + d), 0.0)
    below = np.maximum((d - u + v) * (d + u - v), 0.0)
    return np.asarray(2.0 * np.arctan2(np.sqrt(above), np.sqrt(below)))


def reach(flexion: ArrayLike, upper: ArrayLike, lower: ArrayLike) -> Floats:
    """The distance from shoulder to wrist at each flexion."""
    upper, lower, half = as_floats(upper), as_floats(lower), 0.5 * as_floats(flexion)
    # The law of cosines in half angles: exact at both ends, where the plain form loses half its digits.
    distance: Floats = np.hypot((upper + lower) * np.cos(half), (upper - lower) * np.sin(half))
    return distance


def soft_reach(asked: ArrayLike, longest: ArrayLike, zone: ArrayLike) -> Floats:
    """The distance to reach to when ``asked`` is asked for and ``longest`` is all there is.

    Up to ``longest − zone`` it is the asked one. From there the remainder decays exponentially: the slope starts at 1
    and fades, so a wrist slows down where it would stop dead, and ``longest`` is approached but never passed. A zone
    of 0 does stop dead.
    """
    asked, longest, zone = as_floats(asked), as_floats(longest), as_floats(zone)
    soft = zone > TINY * longest
    past = np.where(soft, np.maximum(asked - (longest - zone), 0.0), 0.0)
    softened = longest - zone * np.exp(-past / np.where(soft, zone, 1.0))
    return np.where(past > 0.0, softened, np.minimum(asked, longest))


# The swivel


def swivel_of(
    shoulder: ArrayLike,
    elbow: ArrayLike,
    wrist: ArrayLike,
    reference: ArrayLike = DOWN,
    home: ArrayLike | None = None,
) -> Floats:
    """The swivel in [−π, π] at which ``solve_limb`` puts the elbow where it is. Positions are ``(..., 3)``.

    A straight limb has none and gets 0. When the wrist is at the shoulder the axis is home's, as in
    ``solve_limb``; an elbow that is not on that axis' circle gets the nearest swivel.
    """
    start = vectors("shoulder", shoulder)
    bone = vectors("elbow", elbow) - start
    whole = vectors("wrist", wrist) - start
    towards, square_home = _reference_and_home(reference, home)
    upper = length_and_direction(bone)[0]
    distance, axis = length_and_direction(whole)
    axis = np.where((distance > TINY * upper)[..., None], axis, square_home)
    zero, side = _swivel_axes(axis, towards, square_home)
    along_zero, along_side = np.sum(bone * zero, axis=-1), np.sum(bone * side, axis=-1)
    straight = np.hypot(along_zero, along_side) <= TINY * upper
    return np.where(straight, 0.0, np.arctan2(along_side, along_zero))


def swivel_frame(axis: ArrayLike, reference: ArrayLike = DOWN, home: ArrayLike | None = None) -> tuple[Floats, Floats]:
    """The unit directions ``zero, side`` in which the elbow leaves ``axis`` at swivels 0 and π/2.

    With the axis' own direction as third they are a right-handed orthonormal frame.
    """
    length, direction = length_and_direction(vectors("axis", axis))
    if not np.all(length > 0.0):
        raise ValueError("axis must have a direction; found a vector of length zero")
    return _swivel_axes(direction, *_reference_and_home(reference, home))


def _reference_and_home(reference: ArrayLike, home: ArrayLike | None) -> tuple[Floats, Floats]:
    """Both as unit vectors, home made square to the reference."""
    length, towards = length_and_direction(vectors("reference", reference))
    if not np.all(length > 0.0):
        raise ValueError("reference must have a direction; found a vector of length zero")
    if home is None:
        # Both lie in the plane that mirrors left into right, so that mirrored limbs are solved alike.
        direction = np.where(np.abs(towards[..., 2:]) > np.sqrt(0.5), DOWN, FORWARD)
    else:
        direction = length_and_direction(vectors("home", home))[1]
    share, square_home = _rejection(direction, towards)
    if not np.all(share > 1e-6):
        raise ValueError("home must have a direction other than the reference's; found it zero or parallel")
    return towards, square_home


def _swivel_axes(axis: Floats, towards: Floats, square_home: Floats) -> tuple[Floats, Floats]:
    """``swivel_frame`` of unit vectors, the last two square to each other."""
    shape = np.broadcast_shapes(axis.shape, towards.shape, square_home.shape)
    rows = (np.ascontiguousarray(np.broadcast_to(v, shape)).reshape(-1, 3) for v in (axis, towards, square_home))
    zero = np.empty(shape)
    _native.two_bone.swivel_zeros(*rows, zero.reshape(-1, 3))
    return zero, np.cross(axis, zero)


def _rejection(directions: Floats, axis: Floats) -> tuple[Floats, Floats]:
    """Length and direction of the part of each vector that is square to a unit axis."""
    rest = directions - np.sum(directions * axis, axis=-1, keepdims=True) * axis
    length, direction = length_and_direction(rest)
    # A short rest is mostly rounding: clean its direction once more, or bones would miss the wrist.
    direction = direction - np.sum(direction * axis, axis=-1, keepdims=True) * axis
    return length, length_and_direction(direction)[1]


def length_and_direction(values: Floats) -> tuple[Floats, Floats]:
    """Lengths ``(...)`` and unit directions ``(..., 3)``; a zero vector has direction zero."""
    # Scaled by the largest component first, so that squares neither vanish nor overflow.
    largest = np.max(np.abs(values), axis=-1, keepdims=True)
    scaled = values / np.where(largest > 0.0, largest, 1.0)
    norm = np.linalg.norm(scaled, axis=-1, keepdims=True)
    return (largest * norm)[..., 0], scaled / np.where(norm > 0.0, norm, 1.0)


# Joint rotations of a solved limb


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
    """The rotations from rest that put both bones where ``solution``, solved from ``shoulder``, has them.

    Rest directions and hinge are ``(..., 3)``, of any length but zero.
    """
    above, below, hinge = _square_rest(rest_upper, rest_lower, rest_hinge)
    setting = rotations.rotation_between(vectors("rest_lower", rest_lower), below)
    sine, cosine = np.sum(hinge * np.cross(above, below), axis=-1), np.sum(above * below, axis=-1)
    bend = rotations.from_axis_angle(hinge, solution.flexion - np.arctan2(sine, cosine))

    above_now = length_and_direction(solution.elbow - vectors("shoulder", shoulder))[1]
    from_rest = np.swapaxes(_frame(above, hinge), -1, -2)
    upper = rotations.from_matrix(_frame(above_now, solution.hinge) @ from_rest)
    return LimbRotations(upper, rotations.multiply(upper, rotations.multiply(bend, setting)))


def limb_rotations_local(world: LimbRotations, parent: ArrayLike) -> LimbRotations:
    """The same rotations relative to the bone above: upper to ``parent`` ``(..., 4)``, lower to upper.

    All three are of one kind, rotations from rest or full world rotations, and so is the result.
    """
    return LimbRotations(
        upper=rotations.multiply(rotations.conjugate(parent), world.upper),
        lower=rotations.multiply(rotations.conjugate(world.upper), world.lower),
    )


def _square_rest(rest_upper: ArrayLike, rest_lower: ArrayLike, rest_hinge: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Unit upper direction, lower direction set into the hinge's plane, and hinge square to both."""
    above, below = _direction("rest_upper", rest_upper), _direction("rest_lower", rest_lower)
    share, hinge = _rejection(_direction("rest_hinge", rest_hinge), above)
    if not np.all(share > _PARALLEL):
        raise ValueError("rest_hinge must point across rest_upper; found them parallel")
    share, below = _rejection(below, hinge)
    if not np.all(share > _PARALLEL):
        raise ValueError("rest_hinge must point across rest_lower; found them parallel")
    return above, below, hinge


def _frame(bone: Floats, hinge: Floats) -> Floats:
    """Rotation matrices ``(..., 3, 3)`` with the bone, the hinge and their normal as columns."""
    bone, hinge = np.broadcast_arrays(bone, _rejection(hinge, bone)[1])
    return np.stack([bone, hinge, np.cross(bone, hinge)], axis=-1)


def _direction(name: str, values: ArrayLike) -> Floats:
    length, direction = length_and_direction(vectors(name, values))
    if not np.all(length > 0.0):
        raise ValueError(f"{name} must have a direction; found a vector of length zero")
    return direction


# Solving straight for joint rotations


def solve_limb_rotations(
    target: Floats,
    swivel: ArrayLike,
    rest_upper: Floats,
    rest_lower: Floats,
    rest_hinge: Floats,
    *,
    reference: Floats,
    home: Floats,
    flexions: tuple[float, float] = (0.0, float(np.pi)),
) -> tuple[Floats, Floats, Floats]:
    """Upper bone's rotations ``(..., 4)``, flexions ``(...)`` and elbows ``(..., 3)`` of limbs that reach a target.

    As ``solve_limb`` and then ``limb_rotations_world``, for targets ``(..., 3)`` from the shoulder, without checks.
    Rest bones and the unit hinge, square to both, are ``(3,)``; ``reference`` and ``home``, ``(3,)`` or one for each
    target, must not be parallel.
    """
    leading = target.shape[:-1]
    rows = np.ascontiguousarray(target, dtype=np.float64).reshape(-1, 3)
    angles = np.array(np.broadcast_to(as_floats(swivel), leading), order="C").reshape(-1)
    towards, second = (np.ascontiguousarray(d, dtype=np.float64).reshape(-1, 3) for d in (reference, home))
    lengths = math.sqrt(rest_upper @ rest_upper), math.sqrt(rest_lower @ rest_lower)
    frame = np.empty((3, 3))
    frame[0], frame[1] = rest_upper / lengths[0], rest_hinge
    frame[2] = cross(frame[0], frame[1])
    made = np.empty((len(rows), 4)), np.empty(len(rows)), np.empty((len(rows), 3))
    limits = np.array(flexions, dtype=np.float64)
    _native.two_bone.solve_limb_rotations(rows, angles, towards, second, *lengths, frame, limits, *made)
    return made[0].reshape(*leading, 4), made[1].reshape(leading), made[2].reshape(*leading, 3)


# Checks


def vectors(name: str, values: ArrayLike) -> Floats:
    """The values as finite ``(..., 3)``, or ``ValueError``."""
    array = finite(name, values)
    if array.ndim == 0 or array.shape[-1] != 3:
        raise ValueError(f"{name} must be vectors (..., 3); found shape {array.shape}")
    return array


def finite(name: str, values: ArrayLike) -> Floats:
    """The values as finite floats, or ``ValueError``."""
    array = as_floats(values)
    bad = array[~np.isfinite(array)]
    if bad.size:
        raise ValueError(f"{name} must be finite; found {bad[0]}")
    return array


def _flexion_limits(flexion_range: tuple[ArrayLike, ArrayLike]) -> tuple[Floats, Floats]:
    least, greatest = _ordered("flexion_range", flexion_range)
    if not (np.all(least >= 0.0) and np.all(greatest <= np.pi)):
        raise ValueError(f"flexion_range must lie within 0 to π; found {np.min(least):g} to {np.max(greatest):g}")
    return least, greatest


def _softness(values: ArrayLike) -> Floats:
    share = finite("softness", values)
    if not np.all((share >= 0.0) & (share < 1.0)):
        found = f"{share[(share < 0.0) | (share >= 1.0)][0]:g}"
        raise ValueError(f"softness must be at least 0 and below 1; found {found}")
    return share


def _clamp_swivel(swivel: ArrayLike, swivel_range: tuple[ArrayLike, ArrayLike] | None) -> Floats:
    given = finite("swivel", swivel)
    if swivel_range is None:
        return given
    least, greatest = _ordered("swivel_range", swivel_range)
    middle = 0.5 * (least + greatest)
    nearest = middle + np.mod(given - middle + np.pi, 2.0 * np.pi) - np.pi
    # A swivel inside stays as it is, so that a curve of swivels is not cut where rounds wrap.
    inside = (least <= given) & (given <= greatest)
    return np.where(inside, given, np.clip(nearest, least, greatest))


def _bone_lengths(name: str, values: ArrayLike) -> Floats:
    lengths = finite(name, values)
    if not np.all(lengths > 0.0):
        raise ValueError(f"{name} must be a bone length above 0; found {np.min(lengths):g}")
    return lengths


def _ordered(name: str, ends: tuple[ArrayLike, ArrayLike]) -> tuple[Floats, Floats]:
    least, greatest = np.broadcast_arrays(finite(name, ends[0]), finite(name, ends[1]))
    wrong = least > greatest
    if np.any(wrong):
        found = f"{least[wrong][0]:g} to {greatest[wrong][0]:g}"
        raise ValueError(f"{name} must go from least to greatest; found {found}")
    return least, greatest
