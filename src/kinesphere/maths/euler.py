"""Euler angles: all twelve orders, intrinsic, to and from quaternions, continuous over time.

``order`` names the axes in the order in which they are written and applied intrinsically: ``"ZXY"`` means
``q = z(a) · x(b) · y(c)``, each rotation about the axes as the rotations before it left them. That is how BVH and
most animation packages read a list of channels.
"""

from __future__ import annotations

import numpy as np

from kinesphere.maths import rotations
from kinesphere.maths.vectors import ArrayLike, Bools, Floats, as_floats

TAIT_BRYAN = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
PROPER = ("XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ")
ORDERS = TAIT_BRYAN + PROPER

_AXIS = {"X": 0, "Y": 1, "Z": 2}
_LOCKED = 1e-7  # sine or cosine of half the middle angle below which the outer two angles are one


def from_euler(angles: ArrayLike, order: str) -> Floats:
    """Angles ``(..., n)`` about the ``n`` axes of ``order`` to unit quaternions ``(..., 4)``.

    Any sequence of axes will do here, also shorter or longer than three: a hinge is ``"Z"``.
    """
    angles = as_floats(angles)
    axes = _axes(order)
    if angles.shape[-1] != len(axes):
        raise ValueError(f"{len(axes)} angles expected for order {order!r}, found {angles.shape[-1]}")
    # The four components as arrays of their own, because steps through memory cost more than the arithmetic.
    parts: list[Floats | float] = [1.0, 0.0, 0.0, 0.0]
    for number, axis in enumerate(axes):
        half = 0.5 * angles[..., number]
        cosine, sine = np.cos(half), np.sin(half)
        i, j, k = 1 + axis, 1 + (axis + 1) % 3, 1 + (axis + 2) % 3
        parts[0], parts[i] = parts[0] * cosine - parts[i] * sine, parts[i] * cosine + parts[0] * sine
        if number:
            parts[j], parts[k] = parts[j] * cosine + parts[k] * sine, parts[k] * cosine - parts[j] * sine
    result: Floats = np.empty((*angles.shape[:-1], 4))
    for component, values in enumerate(parts):
        result[..., component] = values
    return result


def to_euler(quaternions: ArrayLike, order: str, *, along_time: bool = False) -> Floats:
    """Unit quaternions ``(..., 4)`` to angles ``(..., 3)`` in one of the twelve ``ORDERS``.

    The middle angle lies in [-π/2, π/2] (Tait–Bryan) or [0, π] (proper), the others in (-π, π]. With
    ``along_time`` the first axis is time and, of the many triples that mean the same rotation, the one nearest
    to the frame before is taken: no jumps by π or 2π, and in gimbal lock the angle that has no meaning of its own
    is held. Angles then leave those ranges: a pirouette runs on to 1,080°.
    """
    if order not in ORDERS:
        raise ValueError(f"unknown Euler order {order!r}; allowed: {', '.join(ORDERS)}")
    q = as_floats(quaternions)
    if along_time:
        q = rotations.continuous(q)
    i, j, last = _axes(order)
    k = 3 - i - j
    parity = 1.0 if (j - i) % 3 == 1 else -1.0
    proper = last == i
    if not proper:
        # z(c) is x(∓c) seen from π/2 about the middle axis, so x·y·z = x·y'·x' · (π/2 about it)⁻¹, and only the
        # proper case remains to be solved.
        quarter = np.full(q.shape[:-1], 0.5 * np.pi)
        q = _multiply_by_axis(q, j, quarter)
    angles = _proper_angles(q, i, j, k, parity, along_time)
    if not proper:
        angles[..., 1] -= 0.5 * np.pi
        angles[..., 2] *= -parity
    if along_time:
        return angles
    outer = angles[..., ::2]
    angles[..., ::2] = outer - 2.0 * np.pi * np.ceil((outer - np.pi) / (2.0 * np.pi))
    return angles


def _axes(order: str) -> list[int]:
    try:
        return [_AXIS[letter] for letter in order.upper()]
    except KeyError:
        raise ValueError(f"unknown axis in Euler order {order!r}; allowed: X, Y, Z") from None


def _multiply_by_axis(q: Floats, axis: int, angle: Floats) -> Floats:
    """``q`` times a rotation about a coordinate axis: a product with half of its terms known to be zero."""
    cosine, sine = np.cos(0.5 * angle), np.sin(0.5 * angle)
    i, j, k = 1 + axis, 1 + (axis + 1) % 3, 1 + (axis + 2) % 3
    result: Floats = np.empty(np.broadcast_shapes(q.shape, (*angle.shape, 4)))
    result[..., 0] = q[..., 0] * cosine - q[..., i] * sine
    result[..., i] = q[..., i] * cosine + q[..., 0] * sine
    result[..., j] = q[..., j] * cosine + q[..., k] * sine
    result[..., k] = q[..., k] * cosine - q[..., j] * sine
    return result


def _proper_angles(q: Floats, i: int, j: int, k: int, parity: float, along_time: bool) -> Floats:
    """Solve ``q = i(a) · j(b) · i(c)``, from its product written out with half angles::

    w = cos(b/2) cos((a+c)/2)     j = sin(b/2) cos((a-c)/2)
    i = cos(b/2) sin((a+c)/2)     k = ± sin(b/2) sin((a-c)/2)
    """
    w, x, y, z = q[..., 0], q[..., 1 + i], q[..., 1 + j], parity * q[..., 1 + k]
    cosine, sine = np.hypot(w, x), np.hypot(y, z)
    half_sum, half_difference = np.arctan2(x, w), np.arctan2(z, y)
    sum_known, difference_known = cosine > _LOCKED, sine > _LOCKED
    if along_time:
        half_sum = _fill_unknown(half_sum, sum_known)
        half_difference = _fill_unknown(half_difference, difference_known)
    # Never known at all: the last angle is free, and zero is the plain choice.
    half_sum = np.where(_any_known(sum_known, along_time), half_sum, half_difference)
    half_difference = np.where(_any_known(difference_known, along_time), half_difference, half_sum)
    angles = np.stack([half_sum + half_difference, 2.0 * np.arctan2(sine, cosine), half_sum - half_difference], axis=-1)
    return _unwrap_triples(angles) if along_time else angles


def _any_known(known: Bools, along_time: bool) -> Bools:
    return np.asarray(known.any(axis=0)) if along_time else known


def _fill_unknown(values: Floats, known: Bools) -> Floats:
    """Unknown values take the last known one before them (or the first one after, at the start)."""
    if known.all():
        return values
    frames = np.arange(len(values)).reshape(-1, *([1] * (values.ndim - 1)))
    last = np.maximum.accumulate(np.where(known, frames, -1), axis=0)
    first = np.argmax(known, axis=0)
    return np.take_along_axis(values, np.where(last < 0, first, last), axis=0)


def _unwrap_triples(angles: Floats) -> Floats:
    """Choose between (a, b, c) and the same rotation's (a+π, -b, c+π), then unwrap.

    The step from frame to frame costs the same within either family, and the same across in either direction, so
    whether to change over at a frame does not depend on the family one is in: the choices are independent and
    the family at a frame is the parity of the changes so far. That makes the whole thing one cumulative sum.
    """
    if len(angles) < 2:
        return angles
    before, after = angles[:-1], angles[1:]
    stay = _wrap(after - before)
    change = _wrap(after * [1.0, -1.0, 1.0] + [np.pi, 0.0, np.pi] - before)
    changes = np.sum(change**2, axis=-1) < np.sum(stay**2, axis=-1)
    other = np.cumsum(changes, axis=0) % 2 == 1
    result = angles.copy()
    result[1:][other] = result[1:][other] * [1.0, -1.0, 1.0] + [np.pi, 0.0, np.pi]
    unwrapped: Floats = np.unwrap(result, axis=0)
    return unwrapped


def _wrap(angles: Floats) -> Floats:
    wrapped: Floats = angles - 2.0 * np.pi * np.round(angles / (2.0 * np.pi))
    return wrapped
