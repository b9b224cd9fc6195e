"""Quaternion and rotation-vector algebra.

Quaternions are ``(..., 4)``, w x y z. ``multiply(a, b)`` turns by ``b`` first and then by ``a``, as matrices
do. All functions broadcast over leading axes.
"""

from __future__ import annotations

import numpy as np

from kinesphere.kernels import compiled
from kinesphere.kernels.arrays import ArrayLike, Floats, floats, lengths

_TINY = 1e-12  # below this sine of a half angle, series replace the closed forms


def identity(*shape: int) -> Floats:
    """Identity rotations of the given leading shape."""
    quaternions = np.zeros((*shape, 4))
    quaternions[..., 0] = 1.0
    return quaternions


def normalise(quaternions: ArrayLike) -> Floats:
    """Unit quaternions in the same directions. A zero quaternion has none and raises ``ValueError``."""
    q = floats(quaternions)
    norms = lengths(q)[..., None]
    if not np.all(norms > 0.0):
        raise ValueError("a quaternion of length zero has no direction")
    unit: Floats = q / norms
    return unit


def conjugate(quaternions: ArrayLike) -> Floats:
    """The inverse of unit quaternions."""
    inverse: Floats = floats(quaternions) * np.array([1.0, -1.0, -1.0, -1.0])
    return inverse


def multiply(a: ArrayLike, b: ArrayLike) -> Floats:
    """The Hamilton product ``a b``: turn by ``b``, then by ``a``."""
    a, b = floats(a), floats(b)
    kernels = compiled.loaded(max(a.size, b.size))
    if kernels is None:
        return multiply_reference(a, b)
    shape = np.broadcast_shapes(a.shape, b.shape)
    product: Floats = np.empty(shape)
    kernels.multiply(_cycled(a, shape), _cycled(b, shape), product.reshape(-1, 4))
    return product


def multiply_reference(a: Floats, b: Floats) -> Floats:
    """The same in plain NumPy."""
    aw, ax, ay, az = (a[..., i] for i in range(4))
    bw, bx, by, bz = (b[..., i] for i in range(4))
    product: Floats = np.empty(np.broadcast_shapes(a.shape, b.shape))
    product[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    product[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    product[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    product[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return product


def rotate(quaternions: ArrayLike, vectors: ArrayLike) -> Floats:
    """Vectors ``(..., 3)`` turned by unit quaternions ``(..., 4)``."""
    q, v = floats(quaternions), floats(vectors)
    kernels = compiled.loaded(max(q.size, v.size))
    if kernels is None:
        return rotate_reference(q, v)
    leading = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    turned: Floats = np.empty((*leading, 3))
    kernels.rotate(_cycled(q, (*leading, 4)), _cycled(v, (*leading, 3)), turned.reshape(-1, 3))
    return turned


def rotate_reference(q: Floats, v: Floats) -> Floats:
    """The same in plain NumPy."""
    w, x, y, z = (q[..., i] for i in range(4))
    vx, vy, vz = (v[..., i] for i in range(3))
    # v + 2 w (u × v) + 2 u × (u × v), with t = 2 u × v
    tx, ty, tz = 2.0 * (y * vz - z * vy), 2.0 * (z * vx - x * vz), 2.0 * (x * vy - y * vx)
    turned: Floats = np.empty((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), 3))
    turned[..., 0] = vx + w * tx + y * tz - z * ty
    turned[..., 1] = vy + w * ty + z * tx - x * tz
    turned[..., 2] = vz + w * tz + x * ty - y * tx
    return turned


def _cycled(array: Floats, shape: tuple[int, ...]) -> Floats:
    """As ``_rows``, but only once what would be the same again and again."""
    again = array.shape == shape[len(shape) - array.ndim :]
    return np.ascontiguousarray(array).reshape(-1, shape[-1]) if again else _rows(array, shape)


def _rows(array: Floats, shape: tuple[int, ...]) -> Floats:
    """The array at a shape it broadcasts to, as contiguous rows of its last axis."""
    return np.ascontiguousarray(np.broadcast_to(array, shape)).reshape(-1, shape[-1])


def from_rotation_vector(vectors: ArrayLike) -> Floats:
    """The exponential map: rotation vectors (axis × angle) to unit quaternions."""
    v = floats(vectors)
    kernels = compiled.loaded(v.size)
    if kernels is None:
        return from_rotation_vector_reference(v)
    quaternions: Floats = np.empty((*v.shape[:-1], 4))
    kernels.exponential(np.ascontiguousarray(v).reshape(-1, 3), quaternions.reshape(-1, 4))
    return quaternions


def from_rotation_vector_reference(v: Floats) -> Floats:
    """The same in plain NumPy."""
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    quaternions: Floats = np.empty((*v.shape[:-1], 4))
    quaternions[..., :1] = np.cos(0.5 * angle)
    quaternions[..., 1:] = v * (0.5 * np.sinc(angle / (2.0 * np.pi)))  # numpy's sinc(x) is sin(πx)/(πx)
    return quaternions


def to_rotation_vector(quaternions: ArrayLike) -> Floats:
    """The logarithm: unit quaternions to rotation vectors of the shorter way round (angle ≤ π)."""
    q = floats(quaternions)
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    factor = np.where(sine > _TINY, angle / np.maximum(sine, _TINY), 2.0)
    return q[..., 1:] * factor


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Floats:
    """Turns by ``angle`` about ``axis`` (any length but zero)."""
    direction = floats(axis)
    length = lengths(direction)[..., None]
    if not np.all(length > 0.0):
        raise ValueError("a rotation axis of length zero has no direction")
    return from_rotation_vector(direction / length * floats(angle)[..., None])


def angle(quaternions: ArrayLike) -> Floats:
    """How far each rotation turns, in [0, π]."""
    q = floats(quaternions)
    turned: Floats = 2.0 * np.arctan2(np.linalg.norm(q[..., 1:], axis=-1), np.abs(q[..., 0]))
    return turned


def angle_between(a: ArrayLike, b: ArrayLike) -> Floats:
    """How far apart two rotations are, in [0, π]."""
    return angle(multiply(conjugate(a), b))


def power(quaternions: ArrayLike, exponents: ArrayLike) -> Floats:
    """Each rotation taken ``exponents`` times along its shorter way round."""
    return from_rotation_vector(to_rotation_vector(quaternions) * floats(exponents)[..., None])


def slerp(a: ArrayLike, b: ArrayLike, share: ArrayLike) -> Floats:
    """From ``a`` (share 0) to ``b`` (share 1) along the shorter arc; shares beyond [0, 1] go on turning."""
    a, b, share = floats(a), floats(b), floats(share)
    kernels = compiled.loaded(max(a.size, b.size))
    if kernels is None:
        return slerp_reference(a, b, share)
    leading = np.broadcast_shapes(a.shape[:-1], b.shape[:-1], share.shape)
    turned: Floats = np.empty((*leading, 4))
    shares = np.empty(leading)
    shares[...] = share
    kernels.slerp(_rows(a, turned.shape), _rows(b, turned.shape), shares.reshape(-1), turned.reshape(-1, 4))
    return turned


def slerp_reference(a: Floats, b: Floats, share: Floats) -> Floats:
    """The same in plain NumPy."""
    return multiply(a, power(multiply(conjugate(a), b), share))


def between(a: ArrayLike, b: ArrayLike) -> Floats:
    """The smallest turn that takes direction ``a`` to direction ``b``.

    Opposite directions have no smallest turn: then it is half a turn about some axis across ``a``.
    """
    start, end = floats(a), floats(b)
    kernels = compiled.loaded(max(start.size, end.size))
    if kernels is None:
        return between_reference(start, end)
    shape = np.broadcast_shapes(start.shape, end.shape)
    turn: Floats = np.empty((*shape[:-1], 4))
    kernels.between(_rows(start, shape), _rows(end, shape), turn.reshape(-1, 4))
    if np.isnan(turn[..., 0]).any():
        raise ValueError("a vector of length zero has no direction")
    return turn


def between_reference(a: Floats, b: Floats) -> Floats:
    """The same in plain NumPy."""
    start, end = np.broadcast_arrays(a, b)
    lengths = [np.linalg.norm(vectors, axis=-1, keepdims=True) for vectors in (start, end)]
    if not all(np.all(length > 0.0) for length in lengths):
        raise ValueError("a vector of length zero has no direction")
    start, end = start / lengths[0], end / lengths[1]
    middle = start + end
    length = np.linalg.norm(middle, axis=-1, keepdims=True)
    opposite = length[..., 0] < 1e-9
    middle = np.where(opposite[..., None], perpendicular(start), middle / np.maximum(length, 1e-9))
    turn: Floats = np.empty((*start.shape[:-1], 4))
    turn[..., 0] = np.sum(start * middle, axis=-1)
    turn[..., 1:] = np.cross(start, middle)
    return normalise(turn)


def perpendicular(directions: ArrayLike) -> Floats:
    """For each direction, one unit vector across it."""
    d = floats(directions)
    least = np.argmin(np.abs(d), axis=-1)
    across = np.cross(d, np.eye(3)[least])
    result: Floats = across / np.linalg.norm(across, axis=-1, keepdims=True)
    return result


def swing_twist(quaternions: ArrayLike, axis: ArrayLike) -> tuple[Floats, Floats]:
    """Split each rotation into ``swing · twist``: a twist about ``axis``, then a swing across it."""
    q, direction = floats(quaternions), floats(axis)
    direction = direction / np.linalg.norm(direction, axis=-1, keepdims=True)
    along = np.sum(q[..., 1:] * direction, axis=-1, keepdims=True)
    twist = np.concatenate([q[..., :1], along * direction], axis=-1)
    length = np.linalg.norm(twist, axis=-1, keepdims=True)
    # A half-turn swing leaves the twist undefined: none is the natural choice.
    twist = np.where(length > _TINY, twist / np.maximum(length, _TINY), identity())
    return multiply(q, conjugate(twist)), twist


def continuous(quaternions: ArrayLike) -> Floats:
    """Signs chosen so that neighbours along the first axis lie in the same hemisphere."""
    q = floats(quaternions)
    if not turns_over(q):
        return q.copy()
    flips = np.einsum("...i,...i->...", q[1:], q[:-1]) < 0.0
    odd = np.cumsum(flips, axis=0) % 2 == 1
    result = q.copy()
    result[1:][odd] *= -1.0
    return result


def turns_over(q: Floats) -> bool:
    """Whether any quaternion lies in the other half of its sphere than its neighbour along the first axis."""
    kernels = compiled.loaded(q.size)
    if kernels is not None and q.ndim == 3:
        return bool(kernels.turns_over(q))
    return bool((np.einsum("...i,...i->...", q[1:], q[:-1]) < 0.0).any())


def off_unit(q: Floats) -> float:
    """How far the squares of quaternions' ``(..., 4)`` lengths are from 1 at most."""
    kernels = compiled.loaded(q.size)
    if kernels is not None and q.flags.c_contiguous:
        return float(kernels.off_unit(q.reshape(-1, 4)))
    return float(np.abs(np.einsum("...i,...i->...", q, q) - 1.0).max(initial=0.0))


def to_matrix(quaternions: ArrayLike) -> Floats:
    """Unit quaternions to rotation matrices ``(..., 3, 3)``."""
    q = floats(quaternions)
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
    m = floats(matrices)
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
