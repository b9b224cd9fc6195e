"""Quaternion algebra: products, rotations of vectors, exponential and logarithm, slerp, swing and twist, matrices.

Quaternions are ``(..., 4)``, w x y z. ``multiply(a, b)`` rotates by ``b`` first and then by ``a``, as matrices do. All
functions broadcast over leading axes. Rotations of single joints, for native loops to build on, are in rotations.hpp.
"""

from __future__ import annotations

import numpy as np

from kinesphere import _native
from kinesphere.maths.vectors import ArrayLike, Floats, as_floats, norms

_INVERSE = np.array([1.0, -1.0, -1.0, -1.0])
_TINY = 1e-12  # below this sine of a half angle, series replace the closed forms


# Products and rotated vectors


def multiply(a: ArrayLike, b: ArrayLike) -> Floats:
    """The Hamilton product ``a b``: rotate by ``b``, then by ``a``."""
    a, b = as_floats(a), as_floats(b)
    shape = (*_leading(a, b), 4)
    product: Floats = np.empty(shape)
    _native.rotations.multiply(_cycled_rows(a, shape), _cycled_rows(b, shape), product.reshape(-1, 4))
    return product


def rotate(quaternions: ArrayLike, vectors: ArrayLike) -> Floats:
    """Vectors ``(..., 3)`` rotated by unit quaternions ``(..., 4)``."""
    q, v = as_floats(quaternions), as_floats(vectors)
    leading = _leading(q, v)
    rotated: Floats = np.empty((*leading, 3))
    _native.rotations.rotate(_cycled_rows(q, (*leading, 4)), _cycled_rows(v, rotated.shape), rotated.reshape(-1, 3))
    return rotated


def _leading(a: Floats, b: Floats) -> tuple[int, ...]:
    """What all axes but the last broadcast to."""
    same = a.shape[:-1] == b.shape[:-1]
    return a.shape[:-1] if same else np.broadcast_shapes(a.shape[:-1], b.shape[:-1])


def _cycled_rows(array: Floats, shape: tuple[int, ...]) -> Floats:
    """As ``_rows``, but without the repetitions of an array that only lacks leading axes."""
    cycles = array.shape == shape[len(shape) - array.ndim :]
    return np.ascontiguousarray(array).reshape(-1, shape[-1]) if cycles else _rows(array, shape)


def _rows(array: Floats, shape: tuple[int, ...]) -> Floats:
    """The array at a shape it broadcasts to, as contiguous rows of its last axis."""
    return np.ascontiguousarray(np.broadcast_to(array, shape)).reshape(-1, shape[-1])


def identity(*shape: int) -> Floats:
    """Identity rotations of the given leading shape."""
    quaternions = np.zeros((*shape, 4))
    quaternions[..., 0] = 1.0
    return quaternions


def normalise(quaternions: ArrayLike) -> Floats:
    """Unit quaternions in the same directions. A zero quaternion has none and raises ``ValueError``."""
    q = as_floats(quaternions)
    unit: Floats = np.empty(q.shape)
    rows = (-1, q.shape[-1])
    if not _native.rotations.normalise(np.ascontiguousarray(q).reshape(rows), unit.reshape(rows)):
        raise ValueError("a quaternion of length zero has no direction")
    return unit


def conjugate(quaternions: ArrayLike) -> Floats:
    """The inverse of unit quaternions."""
    inverse: Floats = as_floats(quaternions) * _INVERSE
    return inverse


# Exponential, logarithm, angles


def from_rotation_vector(vectors: ArrayLike) -> Floats:
    """The exponential map: rotation vectors (axis × angle) ``(..., 3)`` to unit quaternions ``(..., 4)``."""
    v = as_floats(vectors)
    quaternions: Floats = np.empty((*v.shape[:-1], 4))
    _native.rotations.exponential(_cycled_rows(v, (*v.shape[:-1], 3)), quaternions.reshape(-1, 4))
    return quaternions


def to_rotation_vector(quaternions: ArrayLike) -> Floats:
    """The logarithm: unit quaternions to rotation vectors along the shorter arc (angle ≤ π)."""
    q = as_floats(quaternions)
    vectors: Floats = np.empty((*q.shape[:-1], 3))
    _native.rotations.logarithm(np.ascontiguousarray(q).reshape(-1, 4), vectors.reshape(-1, 3))
    return vectors


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Floats:
    """Rotations by ``angle`` about ``axis`` (any length but zero)."""
    direction = as_floats(axis)
    length = norms(direction)[..., None]
    if not np.all(length > 0.0):
        raise ValueError("a rotation axis of length zero has no direction")
    return from_rotation_vector(direction / length * as_floats(angle)[..., None])


def angle(quaternions: ArrayLike) -> Floats:
    """The angle of each rotation, in [0, π]."""
    q = as_floats(quaternions)
    angles: Floats = 2.0 * np.arctan2(np.linalg.norm(q[..., 1:], axis=-1), np.abs(q[..., 0]))
    return angles


def angle_between(a: ArrayLike, b: ArrayLike) -> Floats:
    """How far apart two rotations are, in [0, π]."""
    a, b = as_floats(a), as_floats(b)
    leading = _leading(a, b)
    shape, angles = (*leading, 4), np.empty(leading)
    _native.rotations.angle_between(_rows(a, shape), _rows(b, shape), angles.reshape(-1))
    return angles


def power(quaternions: ArrayLike, exponents: ArrayLike) -> Floats:
    """Each rotation taken ``exponents`` times along its shorter arc."""
    return from_rotation_vector(to_rotation_vector(quaternions) * as_floats(exponents)[..., None])


# Interpolation and directions


def slerp(a: ArrayLike, b: ArrayLike, share: ArrayLike) -> Floats:
    """From ``a`` (share 0) to ``b`` (share 1) along the shorter arc; shares beyond [0, 1] go past both."""
    a, b, share = as_floats(a), as_floats(b), as_floats(share)
    leading = np.broadcast_shapes(a.shape[:-1], b.shape[:-1], share.shape)
    between: Floats = np.empty((*leading, 4))
    shares = np.ascontiguousarray(np.broadcast_to(share, leading)).reshape(-1)
    _native.rotations.slerp(_rows(a, between.shape), _rows(b, between.shape), shares, between.reshape(-1, 4))
    return between


def rotation_between(a: ArrayLike, b: ArrayLike) -> Floats:
    """The smallest rotation that takes direction ``a`` to direction ``b``, both ``(..., 3)``.

    Opposite directions have no smallest rotation: then it is by π about some axis across ``a``.
    """
    start, end = as_floats(a), as_floats(b)
    shape = (*_leading(start, end), 3)
    rotation: Floats = np.empty((*shape[:-1], 4))
    _native.rotations.rotation_between(_rows(start, shape), _rows(end, shape), rotation.reshape(-1, 4))
    if np.isnan(rotation[..., 0]).any():
        raise ValueError("a vector of length zero has no direction")
    return rotation


def perpendicular(directions: ArrayLike) -> Floats:
    """For each direction, one unit vector across it."""
    d = as_floats(directions)
    least = np.argmin(np.abs(d), axis=-1)
    across = np.cross(d, np.eye(3)[least])
    result: Floats = across / np.linalg.norm(across, axis=-1, keepdims=True)
    return result


def swing_twist(quaternions: ArrayLike, axis: ArrayLike) -> tuple[Floats, Floats]:
    """Split each rotation into ``swing · twist``: a twist about ``axis``, then a swing across it."""
    q, direction = as_floats(quaternions), as_floats(axis)
    direction = direction / np.linalg.norm(direction, axis=-1, keepdims=True)
    along = np.sum(q[..., 1:] * direction, axis=-1, keepdims=True)
    twist = np.concatenate([q[..., :1], along * direction], axis=-1)
    length = np.linalg.norm(twist, axis=-1, keepdims=True)
    # A swing by π leaves the twist undefined: none is the natural choice.
    twist = np.where(length > _TINY, twist / np.maximum(length, _TINY), identity())
    return multiply(q, conjugate(twist)), twist


# Signs and lengths of quaternions over time


def continuous(quaternions: ArrayLike, *, copy: bool = True) -> Floats:
    """Signs chosen so that neighbours along the first axis lie in the same hemisphere.

    Without ``copy`` an array that has them already is returned itself.
    """
    q = as_floats(quaternions)
    if not has_sign_flips(q):
        return q.copy() if copy else q
    rows = np.ascontiguousarray(q).reshape(len(q), -1, 4)
    made = np.empty_like(rows)
    _native.rotations.continuous_signs(rows, made)
    return made.reshape(q.shape)


def has_sign_flips(q: Floats) -> bool:
    """Whether any quaternion lies in the other hemisphere than its neighbour along the first axis."""
    return len(q) > 1 and bool(_native.rotations.has_sign_flips(np.ascontiguousarray(q).reshape(len(q), -1, 4)))


def unit_error(q: Floats) -> float:
    """The greatest distance of the quaternions' ``(..., 4)`` squared lengths from 1; NaN if one is not a number."""
    return float(_native.rotations.unit_error(np.ascontiguousarray(q).reshape(-1, 4)))


# Matrices


def to_matrix(quaternions: ArrayLike) -> Floats:
    """Unit quaternions to rotation matrices ``(..., 3, 3)``."""
    q = as_floats(quaternions)
    w, x, y, z = (q[..., i] for i in range(4))
    matrix: Floats = np.empty((*q.shape[:-1], 3, 3))
    matrix[..., 0, 0] = 1.0 - 2.0 * (y * y + z * z)
    matrix[..., 0, 1] = 2.0 * (x * y - w * z)
    matrix[..., 0, 2] = 2.0 * (x * z + w * y)
    matrix[..., 1, 0] = 2.0 * (x * y + w * z)
    matrix[..., 1, 1] = 1.0 - 2.0 * (x * x + z * z)
    matrix[..., 1, 2] = 2.0 * (y * z - w * x)
    matrix[..., 2, 0] = 2.0 * (x * z - w * y)
    matrix[..., 2, 1] = 2.0 * (y * z + w * x)
    matrix[..., 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    return matrix


def from_matrix(matrices: ArrayLike) -> Floats:
    """Rotation matrices ``(..., 3, 3)`` to unit quaternions.

    Of the four quaternion components the largest is found first, so that nothing is divided by a small number.
    """
    m = as_floats(matrices)
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    # 4 q qᵀ, read off the matrix; its row with the largest diagonal is the best-conditioned multiple of q.
    outer: Floats = np.empty((*m.shape[:-2], 4, 4))
    outer[..., 0, 0] = 1.0 + xx + yy + zz
    outer[..., 1, 1] = 1.0 + xx - yy - zz
    outer[..., 2, 2] = 1.0 - xx + yy - zz
    outer[..., 3, 3] = 1.0 - xx - yy + zz
    outer[..., 0, 1] = outer[..., 1, 0] = m[..., 2, 1] - m[..., 1, 2]
    outer[..., 0, 2] = outer[..., 2, 0] = m[..., 0, 2] - m[..., 2, 0]
    outer[..., 0, 3] = outer[..., 3, 0] = m[..., 1, 0] - m[..., 0, 1]
    outer[..., 1, 2] = outer[..., 2, 1] = m[..., 0, 1] + m[..., 1, 0]
    outer[..., 1, 3] = outer[..., 3, 1] = m[..., 0, 2] + m[..., 2, 0]
    outer[..., 2, 3] = outer[..., 3, 2] = m[..., 1, 2] + m[..., 2, 1]
    largest = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    return normalise(np.take_along_axis(outer, largest[..., None, None], axis=-2)[..., 0, :])
