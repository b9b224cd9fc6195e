"""Two-bone limbs: where the elbow goes when the wrist is told where to be.

The words are an arm's; a leg is the same with hip, knee and ankle. The shoulder is a ball, the elbow a hinge.
A wrist position leaves one freedom, the swivel: ``limb_swivels`` says what it is measured from.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.kernels import compiled, rotations
from kinesphere.kernels.arrays import ArrayLike, Floats, floats
from kinesphere.kernels.limb_swivels import (
    DOWN,
    FORWARD,
    TINY,
    finite,
    frame_across,
    length_and_direction,
    reference_and_home,
    swivel_frame,
    swivel_of,
    vectors,
)

__all__ = [
    "DOWN",
    "FORWARD",
    "LimbSolution",
    "bent_limb",
    "reach",
    "soft_reach",
    "solve_limb",
    "swivel_frame",
    "swivel_of",
]


class LimbSolution(NamedTuple):
    """A solved limb; ``...`` is what the leading axes of all inputs broadcast to."""

    elbow: Floats  # (..., 3)
    wrist: Floats  # (..., 3)
    flexion: Floats  # (...) angle from the upper to the lower bone's direction, 0 = straight, π = folded
    swivel: Floats  # (...) the swivel that was held: the asked one, or the nearest in its range
    hinge: Floats  # (..., 3) unit normal of the bending plane: flexion turns right-handed about it
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
    swivel : (...) the elbow's place on its circle
    reference, home : (..., 3) what swivel is measured from, see ``limb_swivels``; any length but zero
    flexion_range : least and greatest flexion, within [0, π]
    swivel_range : least and greatest swivel; one outside, whole turns aside, goes to the nearer end
    softness : share of the limb's length, in [0, 1), over which it approaches its longest reach as
        ``soft_reach`` does. Targets in that zone are missed a little; the shortfall says by how much
    """
    start, goal = vectors("shoulder", shoulder), vectors("target", target)
    upper, lower = _bone_lengths("upper", upper), _bone_lengths("lower", lower)
    swivel = _held_swivel(swivel, swivel_range)
    towards, square_home = reference_and_home(reference, home)

    # In units of the limb's length, so that no threshold depends on scale.
    length = upper + lower
    asked, axis = length_and_direction((goal - start) / length[..., None])
    axis = np.where(asked[..., None] > TINY, axis, square_home)
    flexion = _flexion(asked, upper / length, lower / length, flexion_range, softness)

    zero, side = frame_across(axis, towards, square_home)
    outward = np.cos(swivel)[..., None] * zero + np.sin(swivel)[..., None] * side
    # Bones are laid end to end at these angles to the axis, so they keep their lengths whatever is asked.
    lean = np.arctan2(lower * np.sin(flexion), upper + lower * np.cos(flexion))[..., None]
    fall = flexion[..., None] - lean
    elbow = start + upper[..., None] * (np.cos(lean) * axis + np.sin(lean) * outward)
    wrist = elbow + lower[..., None] * (np.cos(fall) * axis - np.sin(fall) * outward)
    leading = elbow.shape[:-1]
    return LimbSolution(
        elbow=elbow,
        wrist=wrist,
        flexion=np.broadcast_to(flexion, leading).copy(),
        swivel=np.broadcast_to(swivel, leading).copy(),
        hinge=np.broadcast_to(np.cross(outward, axis), elbow.shape).copy(),
        shortfall=length_and_direction(goal - wrist)[0],
    )


def bent_limb(
    shoulder: Floats, target: Floats, upper: Floats, lower: Floats, hinge: Floats, softness: float = 0.0
) -> tuple[Floats, Floats, Floats]:
    """Elbow, wrist ``(..., 3)`` and shortfall ``(...)`` of limbs that bend about given axes.

    For many limbs at once, of which it is known in which plane they bend: as ``solve_limb`` with the way across the
    hinge as its reference. A hinge along the limb, which has no such way, bends it anyhow.
    """
    kernels = compiled.loaded(target.size)
    if kernels is None:
        return bent_limb_reference(shoulder, target, upper, lower, hinge, softness)
    shape = np.broadcast_shapes(shoulder.shape, target.shape, hinge.shape)
    rows = [np.ascontiguousarray(np.broadcast_to(array, shape)).reshape(-1, 3) for array in (shoulder, target, hinge)]
    bones = [np.ascontiguousarray(np.broadcast_to(array, shape[:-1])).reshape(-1) for array in (upper, lower)]
    elbow, wrist, shortfall = np.empty(shape), np.empty(shape), np.empty(shape[:-1])
    kernels.bend(
        rows[0], rows[1], *bones, rows[2], softness, elbow.reshape(-1, 3), wrist.reshape(-1, 3), shortfall.reshape(-1)
    )
    return elbow, wrist, shortfall


def bent_limb_reference(
    shoulder: Floats, target: Floats, upper: Floats, lower: Floats, hinge: Floats, softness: float
) -> tuple[Floats, Floats, Floats]:
    """The same in plain NumPy."""
    way = np.where(
        np.any(target != shoulder, axis=-1, keepdims=True), target - shoulder, rotations.perpendicular(hinge)
    )
    outward = np.cross(way, hinge)
    size = np.linalg.norm(outward, axis=-1, keepdims=True)
    none = size <= TINY * np.linalg.norm(way, axis=-1, keepdims=True) * np.linalg.norm(hinge, axis=-1, keepdims=True)
    outward = np.where(none, rotations.perpendicular(way), outward)
    solved = solve_limb(shoulder, target, upper, lower, reference=outward, home=way, softness=softness)
    return solved.elbow, solved.wrist, solved.shortfall


def reach(flexion: ArrayLike, upper: ArrayLike, lower: ArrayLike) -> Floats:
    """The distance from shoulder to wrist at each flexion."""
    upper, lower, half = floats(upper), floats(lower), 0.5 * floats(flexion)
    # The law of cosines in half angles: exact at both ends, where the plain form loses half its digits.
    distance: Floats = np.hypot((upper + lower) * np.cos(half), (upper - lower) * np.sin(half))
    return distance


def soft_reach(asked: ArrayLike, longest: ArrayLike, zone: ArrayLike) -> Floats:
    """The distance to reach to when ``asked`` is asked for and ``longest`` is all there is.

    Up to ``longest − zone`` it is the asked one. From there what is left decays exponentially: the slope
    starts at 1 and fades, so a wrist slows down where it would stop dead, and ``longest`` is approached but
    never passed. A zone of 0 does stop dead.
    """
    asked, longest, zone = floats(asked), floats(longest), floats(zone)
    soft = zone > TINY * longest
    past = np.where(soft, np.maximum(asked - (longest - zone), 0.0), 0.0)
    softened = longest - zone * np.exp(-past / np.where(soft, zone, 1.0))
    return np.where(past > 0.0, softened, np.minimum(asked, longest))


def _flexion(
    asked: Floats, u: Floats, v: Floats, flexion_range: tuple[ArrayLike, ArrayLike], softness: ArrayLike
) -> Floats:
    """The flexion, within its range, at which bones of lengths ``u`` + ``v`` = 1 span ``asked``."""
    least, greatest = _ordered("flexion_range", flexion_range)
    if not (np.all(least >= 0.0) and np.all(greatest <= np.pi)):
        found = f"{np.min(least):g} to {np.max(greatest):g}"
        raise ValueError(f"flexion_range must lie within 0 to π; found {found}")
    share = finite("softness", softness)
    if not np.all((share >= 0.0) & (share < 1.0)):
        found = f"{share[(share < 0.0) | (share >= 1.0)][0]:g}"
        raise ValueError(f"softness must be at least 0 and below 1; found {found}")
    longest, shortest = reach(least, u, v), reach(greatest, u, v)
    d = np.maximum(soft_reach(asked, longest, np.minimum(share, longest - shortest)), shortest)
    # tan²(flexion / 2) = (1 − d²) / (d² − (u − v)²): no arccosine, so full precision at both ends.
    above = np.maximum((1.0 - d) * (1.0 + d), 0.0)
    below = np.maximum((d - u + v) * (d + u - v), 0.0)
    return np.clip(2.0 * np.arctan2(np.sqrt(above), np.sqrt(below)), least, greatest)


def _held_swivel(swivel: ArrayLike, swivel_range: tuple[ArrayLike, ArrayLike] | None) -> Floats:
    asked = finite("swivel", swivel)
    if swivel_range is None:
        return asked
    least, greatest = _ordered("swivel_range", swivel_range)
    middle = 0.5 * (least + greatest)
    nearest_turn = middle + np.mod(asked - middle + np.pi, 2.0 * np.pi) - np.pi
    # What is inside already stays as it is, so that a curve of swivels is not cut where turns wrap.
    inside = (least <= asked) & (asked <= greatest)
    return np.where(inside, asked, np.clip(nearest_turn, least, greatest))


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
