"""Arms and legs whose ends go elsewhere: the smallest turn of the limb's plane, and the bend that the way asks for.

The words are an arm's. A limb keeps its plane, taken along by the smallest turn from the old way between shoulder and
wrist to the new one; what a nearly straight limb is bent more than it was, it bends about its usual axis. Joints are
turned as they are, so twists and helper joints between them stay, whatever axes and rest pose a rig has. A wrist that
stays where it is leaves the limb as it is, and one that moves little moves it little: bending comes and goes smoothly,
limbs that captures bend a little the wrong way come round to the right one as they bend more, and the longest reach is
approached instead of hit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kinesphere.body.limb_parts import Limb, cross, spans, unit
from kinesphere.body.limb_reach import flexion_at, held_reach
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import ArrayLike, Floats, floats, lengths

STRAIGHT = 0.12  # sine of a flexion below which the usual axis counts for more than the plane
PASSING = 4.0  # squares of its flexion over which a limb bent the wrong way comes round to the right one


class Laid(NamedTuple):
    """How a limb's bones turn in the world, and where its end comes to."""

    upper: Floats  # (T, 4)
    lower: Floats  # (T, 4)
    end: Floats  # (T, 3)


def lay_limb(
    limb: Limb,
    q: Floats,
    p: Floats,
    target: Floats,
    swivel: ArrayLike = 0.0,
    calmed: Callable[[Floats], Floats] | None = None,
) -> Laid:
    """The limb with its end at ``target (T, 3)``, or as near as it goes.

    ``q (T, J, 4)`` and ``p (T, J, 3)`` are the pose's world; ``swivel`` turns the middle joint about the way from the
    limb's start to the target, in radians, right-handed. ``calmed`` makes angles ``(T,)`` smooth in time, by which
    limbs that were bent the wrong way still are.
    """
    start, middle, end = p[:, limb.upper], p[:, limb.lower], p[:, limb.end]
    was, upper, lower = spans(limb, p)
    asked = lengths(target - start)
    way = np.where((asked > 1e-9)[:, None], target - start, end - start)
    way = np.where((lengths(way) > 1e-9)[:, None], way, middle - start)
    old = np.where((was > 1e-9)[:, None], end - start, way)
    before, normal, axis = _bent(limb, q[:, limb.upper], middle - start, end - middle)
    spanned = held_reach(limb, asked, lengths(target - end), was, upper, lower)
    flexion = flexion_at(spanned, upper, lower)
    sign, wrong = np.where(before < 0.0, -1.0, 1.0), _wrong(flexion, before)

    along = unit(way)
    carry = rotations.multiply(_about(along, swivel), rotations.between(old, way))
    bend = before[:, None] * normal + (sign * flexion - before)[:, None] * axis
    bend = np.where((lengths(bend) > 1e-9)[:, None], bend, axis)
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
    return Laid(first, second, start + above + below)


def swivelled(limb: Limb, p: Floats, laid: Laid, angle: Floats) -> Laid:
    """The limb turned by angles ``(T,)`` about the way from its start to its end."""
    if not angle.any():
        return laid
    turn = _about(unit(laid.end - p[:, limb.upper]), angle)
    return Laid(rotations.multiply(turn, laid.upper), rotations.multiply(turn, laid.lower), laid.end)


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.einsum("ti,ti->t", a, b))


def _about(axis: Floats, angle: ArrayLike) -> Floats:
    return rotations.from_rotation_vector(axis * np.broadcast_to(floats(angle), axis.shape[:-1])[..., None])


def _frame_turn(bone: Floats, axis: Floats, bone_new: Floats, axis_new: Floats) -> Floats:
    """The turns ``(T, 4)`` that take one bone to the other, and an axis across it along."""
    swing = rotations.between(bone, bone_new)
    along = unit(bone_new)
    a, b = (v - _dot(v, along)[:, None] * along for v in (rotations.rotate(swing, axis), axis_new))
    return rotations.multiply(_about(along, np.arctan2(_dot(along, cross(a, b)), _dot(a, b))), swing)


def _bent(limb: Limb, turned: Floats, above: Floats, below: Floats) -> tuple[Floats, Floats, Floats]:
    """Flexion ``(T,)``, below zero where bent the wrong way, its axis, and about what it would bend more ``(T, 3)``."""
    a, b = unit(above), unit(below)
    normal = cross(a, b)
    sine = lengths(normal)
    usual = np.broadcast_to(rotations.rotate(turned, limb.hinge), normal.shape)
    sign = np.where((_dot(normal, usual) < 0.0) & (sine < limb.backward), -1.0, 1.0)
    flexion = sign * np.arctan2(sine, _dot(a, b))
    normal = unit(sign[:, None] * normal)
    share = np.exp(-((sine / STRAIGHT) ** 2))[:, None]
    axis, whole = (1.0 - share) * normal + share * usual, unit(above + below)
    axis = unit(axis - _dot(axis, whole)[:, None] * whole)
    bare = lengths(axis) < 0.5  # the usual axis lies along the limb: any other will do
    return flexion, normal, np.where(bare[:, None], rotations.perpendicular(above), axis)


def _wrong(flexion: Floats, before: Floats) -> Floats:
    """``(T,)`` radians from its right side to where a limb bends: half a turn where it was bent the wrong way, and less
    as it bends more."""
    past = np.maximum(flexion**2 - before**2, 0.0) / np.maximum(PASSING * before**2, 1e-12)
    return np.where(before < 0.0, np.pi * np.exp(-past), 0.0)
