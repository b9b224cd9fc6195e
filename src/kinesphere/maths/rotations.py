"""Quaternion algebra: products, rotations of vectors, exponential and logarithm, slerp, swing and twist, matrices.

Quaternions are ``(..., 4)``, w x y z. ``multiply(a, b)`` rotates by ``b`` first and then by ``a``, as matrices do. All
functions broadcast over leading axes. Those that every command needs have a NumPy and a compiled implementation (see
``compiled.kernel``). At the top are rotations of single joints as numbers, for compiled loops anywhere to build on.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from kinesphere.maths.compiled import jit, kernel
from kinesphere.maths.vectors import ArrayLike, Floats, as_floats, norms

Number = TypeVar("Number", bound=np.generic)

_TINY = 1e-12  # below this sine of a half angle, series replace the closed forms


# Single rotations, for compiled loops


@jit
def quaternion_product(aw, ax, ay, az, bw, bx, by, bz):  # type: ignore[no-untyped-def]
    """The Hamilton product ``a b``: rotate by ``b``, then by ``a``."""
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@jit
def rotate_vector(aw, ax, ay, az, x, y, z):  # type: ignore[no-untyped-def]
    """A vector rotated by a quaternion: v + w t + u × t, with t = 2 u × v."""
    u, v, w = 2.0 * (ay * z - az * y), 2.0 * (az * x - ax * z), 2.0 * (ax * y - ay * x)
    return x + aw * u + ay * w - az * v, y + aw * v + az * u - ax * w, z + aw * w + ax * v - ay * u


@jit
def cos_and_sinc(square):  # type: ignore[no-untyped-def]
    """The cosine of an angle and its sine over it, from its square: by their series up to half a radian.

    Most joints rotate no farther, and a series takes a fifth of the time. The terms left out are below 1e-15.
    """
    if square > 0.25:
        angle = math.sqrt(square)
        return math.cos(angle), math.sin(angle) / angle
    s = square
    c = s * (1.0 / 40320.0 + s * (-1.0 / 3628800.0 + s / 479001600.0))
    c = 1.0 + s * (-1.0 / 2.0 + s * (1.0 / 24.0 + s * (-1.0 / 720.0 + c)))
    d = s * (1.0 / 362880.0 + s * (-1.0 / 39916800.0 + s / 6227020800.0))
    d = 1.0 + s * (-1.0 / 6.0 + s * (1.0 / 120.0 + s * (-1.0 / 5040.0 + d)))
    return c, d


@jit
def axis_angle_quaternion(x, y, z, angle):  # type: ignore[no-untyped-def]
    """The quaternion of an angle about a unit axis."""
    half = 0.5 * angle
    c, s = cos_and_sinc(half * half)
    s *= half
    return c, s * x, s * y, s * z


@jit
def exponential_quaternion(x, y, z):  # type: ignore[no-untyped-def]
    """The quaternion of a rotation vector."""
    c, s = cos_and_sinc(0.25 * (x * x + y * y + z * z))
    s *= 0.5
    return c, s * x, s * y, s * z


@jit
def perpendicular_vector(x, y, z):  # type: ignore[no-untyped-def]
    """One unit vector across another vector: square to the world axis that is farthest from it."""
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        x, y, z = 0.0, z, -y
    elif abs(y) <= abs(z):
        x, y, z = -z, 0.0, x
    else:
        x, y, z = y, -x, 0.0
    size = math.sqrt(x * x + y * y + z * z)
    return x / size, y / size, z / size


@jit
def quaternion_between(ax, ay, az, bx, by, bz):  # type: ignore[no-untyped-def]
    """The smallest rotation from one direction to another; half a circle about some axis across if opposite."""
    size = math.sqrt(ax * ax + ay * ay + az * az)
    x, y, z = ax / size, ay / size, az / size
    size = math.sqrt(bx * bx + by * by + bz * bz)
    u, v, w = x + bx / size, y + by / size, z + bz / size
    size = math.sqrt(u * u + v * v + w * w)
    if size < 1e-9:
        u, v, w = perpendicular_vector(x, y, z)
    else:
        u, v, w = u / size, v / size, w / size
    c, p, q, r = x * u + y * v + z * w, y * w - z * v, z * u - x * w, x * v - y * u
    size = math.sqrt(c * c + p * p + q * q + r * r)
    return c / size, p / size, q / size, r / size


@jit
def write_quaternion(local, i, j, w, x, y, z):  # type: ignore[no-untyped-def]
    """Write one joint's rotation; assigning a tuple takes seconds to compile."""
    local[i, j, 0], local[i, j, 1], local[i, j, 2], local[i, j, 3] = w, x, y, z


# Products and rotated vectors


@kernel
def multiply(a: ArrayLike, b: ArrayLike) -> Floats:
    """The Hamilton product ``a b``: rotate by ``b``, then by ``a``."""
    a, b = as_floats(a), as_floats(b)
    aw, ax, ay, az = (a[..., i] for i in range(4))
    bw, bx, by, bz = (b[..., i] for i in range(4))
    product: Floats = np.empty(np.broadcast_shapes(a.shape, b.shape))
    product[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    product[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    product[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    product[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return product


@multiply.compile_with
def _multiply(a: ArrayLike, b: ArrayLike) -> Floats:
    a, b = as_floats(a), as_floats(b)
    shape = a.shape if a.shape == b.shape else np.broadcast_shapes(a.shape, b.shape)
    product: Floats = np.empty(shape)
    multiply_kernel(_cycled_rows(a, shape), _cycled_rows(b, shape), product.reshape(-1, 4))
    return product


@jit
def multiply_kernel(a, b, out):  # type: ignore[no-untyped-def]
    """Products ``(N, 4)`` of quaternions; an operand with fewer rows is repeated from its first."""
    j, k = -1, -1
    for i in range(out.shape[0]):
        j = 0 if j + 1 == a.shape[0] else j + 1
        k = 0 if k + 1 == b.shape[0] else k + 1
        w, x, y, z = quaternion_product(a[j, 0], a[j, 1], a[j, 2], a[j, 3], b[k, 0], b[k, 1], b[k, 2], b[k, 3])
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = w, x, y, z


@kernel
def rotate(quaternions: ArrayLike, vectors: ArrayLike) -> Floats:
    """Vectors ``(..., 3)`` rotated by unit quaternions ``(..., 4)``."""
    q, v = as_floats(quaternions), as_floats(vectors)
    w, x, y, z = (q[..., i] for i in range(4))
    vx, vy, vz = (v[..., i] for i in range(3))
    tx, ty, tz = 2.0 * (y * vz - z * vy), 2.0 * (z * vx - x * vz), 2.0 * (x * vy - y * vx)
    rotated: Floats = np.empty((*np.broadcast_shapes(q.shape[:-1], v.shape[:-1]), 3))
    rotated[..., 0] = vx + w * tx + y * tz - z * ty
    rotated[..., 1] = vy + w * ty + z * tx - x * tz
    rotated[..., 2] = vz + w * tz + x * ty - y * tx
    return rotated


@rotate.compile_with
def _rotate(quaternions: ArrayLike, vectors: ArrayLike) -> Floats:
    q, v = as_floats(quaternions), as_floats(vectors)
    same = q.shape[:-1] == v.shape[:-1]
    leading = q.shape[:-1] if same else np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    rotated: Floats = np.empty((*leading, 3))
    rotate_kernel(_cycled_rows(q, (*leading, 4)), _cycled_rows(v, (*leading, 3)), rotated.reshape(-1, 3))
    return rotated


@jit
def rotate_kernel(q, vectors, out):  # type: ignore[no-untyped-def]
    """Vectors ``(N, 3)`` rotated by quaternions ``(N, 4)``; an operand with fewer rows is repeated from its first."""
    j, k = -1, -1
    for i in range(out.shape[0]):
        j = 0 if j + 1 == q.shape[0] else j + 1
        k = 0 if k + 1 == vectors.shape[0] else k + 1
        x, y, z = vectors[k, 0], vectors[k, 1], vectors[k, 2]
        x, y, z = rotate_vector(q[j, 0], q[j, 1], q[j, 2], q[j, 3], x, y, z)
        out[i, 0], out[i, 1], out[i, 2] = x, y, z


def _cycled_rows(array: Floats, shape: tuple[int, ...]) -> Floats:
    """As ``_rows``, but without the repetitions of an array that only lacks leading axes."""
    cycles = array.shape == shape[len(shape) - array.ndim :]
    return np.ascontiguousarray(array).reshape(-1, shape[-1]) if cycles else _rows(array, shape)


def _rows(array: Floats, shape: tuple[int, ...]) -> Floats:
    """The array at a shape it broadcasts to, as contiguous rows of its last axis."""
    return read_only(np.broadcast_to(array, shape), -1, shape[-1])


def read_only(array: NDArray[Number], *shape: int) -> NDArray[Number]:
    """The array, contiguous, at a shape, and not for writing: numba compiles a loop once more for arrays that are."""
    view = np.ascontiguousarray(array).reshape(shape)
    view.flags.writeable = False
    return view


def identity(*shape: int) -> Floats:
    """Identity rotations of the given leading shape."""
    quaternions = np.zeros((*shape, 4))
    quaternions[..., 0] = 1.0
    return quaternions


def normalise(quaternions: ArrayLike) -> Floats:
    """Unit quaternions in the same directions. A zero quaternion has none and raises ``ValueError``."""
    q = as_floats(quaternions)
    length = norms(q)[..., None]
    if not np.all(length > 0.0):
        raise ValueError("a quaternion of length zero has no direction")
    unit: Floats = q / length
    return unit


def conjugate(quaternions: ArrayLike) -> Floats:
    """The inverse of unit quaternions."""
    inverse: Floats = as_floats(quaternions) * np.array([1.0, -1.0, -1.0, -1.0])
    return inverse


# Exponential, logarithm, angles


@kernel
def from_rotation_vector(vectors: ArrayLike) -> Floats:
    """The exponential map: rotation vectors (axis × angle) ``(..., 3)`` to unit quaternions ``(..., 4)``."""
    v = as_floats(vectors)
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    quaternions: Floats = np.empty((*v.shape[:-1], 4))
    quaternions[..., :1] = np.cos(0.5 * angle)
    quaternions[..., 1:] = v * (0.5 * np.sinc(angle / (2.0 * np.pi)))  # numpy's sinc(x) is sin(πx)/(πx)
    return quaternions


@from_rotation_vector.compile_with
def _from_rotation_vector(vectors: ArrayLike) -> Floats:
    v = as_floats(vectors)
    quaternions: Floats = np.empty((*v.shape[:-1], 4))
    exponential_kernel(read_only(v, -1, 3), quaternions.reshape(-1, 4))
    return quaternions


@jit
def exponential_kernel(vectors, out):  # type: ignore[no-untyped-def]
    """Quaternions ``(N, 4)`` of rotation vectors ``(N, 3)``."""
    for i in range(vectors.shape[0]):
        w, x, y, z = exponential_quaternion(vectors[i, 0], vectors[i, 1], vectors[i, 2])
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = w, x, y, z


def to_rotation_vector(quaternions: ArrayLike) -> Floats:
    """The logarithm: unit quaternions to rotation vectors along the shorter arc (angle ≤ π)."""
    q = as_floats(quaternions)
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    factor = np.where(sine > _TINY, angle / np.maximum(sine, _TINY), 2.0)
    return q[..., 1:] * factor


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
    return angle(multiply(conjugate(a), b))


def power(quaternions: ArrayLike, exponents: ArrayLike) -> Floats:
    """Each rotation taken ``exponents`` times along its shorter arc."""
    return from_rotation_vector(to_rotation_vector(quaternions) * as_floats(exponents)[..., None])


# Interpolation and directions


@kernel
def slerp(a: ArrayLike, b: ArrayLike, share: ArrayLike) -> Floats:
    """From ``a`` (share 0) to ``b`` (share 1) along the shorter arc; shares beyond [0, 1] go past both."""
    return multiply(a, power(multiply(conjugate(a), b), share))


@slerp.compile_with
def _slerp(a: ArrayLike, b: ArrayLike, share: ArrayLike) -> Floats:
    a, b, share = as_floats(a), as_floats(b), as_floats(share)
    leading = np.broadcast_shapes(a.shape[:-1], b.shape[:-1], share.shape)
    between: Floats = np.empty((*leading, 4))
    shares = np.empty(leading)
    shares[...] = share
    slerp_kernel(_rows(a, between.shape), _rows(b, between.shape), shares.reshape(-1), between.reshape(-1, 4))
    return between


@jit
def slerp_kernel(a, b, share, out):  # type: ignore[no-untyped-def]
    """From quaternions ``(N, 4)`` to others along the shorter arc, by shares ``(N,)``."""
    for i in range(a.shape[0]):
        aw, ax, ay, az = a[i, 0], a[i, 1], a[i, 2], a[i, 3]
        w, x, y, z = quaternion_product(aw, -ax, -ay, -az, b[i, 0], b[i, 1], b[i, 2], b[i, 3])
        if w < 0.0:
            w, x, y, z = -w, -x, -y, -z
        sine = math.sqrt(x * x + y * y + z * z)
        half = share[i] * math.atan2(sine, w)
        factor = math.sin(half) / sine if sine > 1e-12 else share[i]
        w, x, y, z = quaternion_product(aw, ax, ay, az, math.cos(half), factor * x, factor * y, factor * z)
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = w, x, y, z


@kernel
def rotation_between(a: ArrayLike, b: ArrayLike) -> Floats:
    """The smallest rotation that takes direction ``a`` to direction ``b``, both ``(..., 3)``.

    Opposite directions have no smallest rotation: then it is by π about some axis across ``a``.
    """
    start, end = np.broadcast_arrays(as_floats(a), as_floats(b))
    lengths = [np.linalg.norm(vectors, axis=-1, keepdims=True) for vectors in (start, end)]
    if not all(np.all(length > 0.0) for length in lengths):
        raise ValueError("a vector of length zero has no direction")
    start, end = start / lengths[0], end / lengths[1]
    middle = start + end
    length = np.linalg.norm(middle, axis=-1, keepdims=True)
    opposite = length[..., 0] < 1e-9
    middle = np.where(opposite[..., None], perpendicular(start), middle / np.maximum(length, 1e-9))
    rotation: Floats = np.empty((*start.shape[:-1], 4))
    rotation[..., 0] = np.sum(start * middle, axis=-1)
    rotation[..., 1:] = np.cross(start, middle)
    return normalise(rotation)


@rotation_between.compile_with
def _rotation_between(a: ArrayLike, b: ArrayLike) -> Floats:
    start, end = as_floats(a), as_floats(b)
    shape = np.broadcast_shapes(start.shape, end.shape)
    rotation: Floats = np.empty((*shape[:-1], 4))
    rotation_between_kernel(_rows(start, shape), _rows(end, shape), rotation.reshape(-1, 4))
    if np.isnan(rotation[..., 0]).any():
        raise ValueError("a vector of length zero has no direction")
    return rotation


@jit
def rotation_between_kernel(a, b, out):  # type: ignore[no-untyped-def]
    """The smallest rotations ``(N, 4)`` from directions ``(N, 3)`` to others; NaN where one has length zero."""
    for i in range(a.shape[0]):
        w, x, y, z = quaternion_between(a[i, 0], a[i, 1], a[i, 2], b[i, 0], b[i, 1], b[i, 2])
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = w, x, y, z


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


def continuous(quaternions: ArrayLike) -> Floats:
    """Signs chosen so that neighbours along the first axis lie in the same hemisphere."""
    q = as_floats(quaternions)
    if not has_sign_flips(q):
        return q.copy()
    flips = np.einsum("...i,...i->...", q[1:], q[:-1]) < 0.0
    odd = np.cumsum(flips, axis=0) % 2 == 1
    result = q.copy()
    result[1:][odd] *= -1.0
    return result


@kernel
def has_sign_flips(q: Floats) -> bool:
    """Whether any quaternion lies in the other hemisphere than its neighbour along the first axis."""
    return bool((np.einsum("...i,...i->...", q[1:], q[:-1]) < 0.0).any())


@has_sign_flips.compile_with
def _has_sign_flips(q: Floats) -> bool:
    return len(q) > 1 and bool(has_sign_flips_kernel(read_only(q, len(q), -1, 4)))


@jit
def has_sign_flips_kernel(q):  # type: ignore[no-untyped-def]
    """Whether any quaternion of ``(T, J, 4)`` lies in the other hemisphere than in the frame before."""
    for f in range(1, q.shape[0]):
        for j in range(q.shape[1]):
            a, b = q[f, j], q[f - 1, j]
            if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0:
                return True
    return False


@kernel
def unit_error(q: Floats) -> float:
    """The greatest distance of the quaternions' ``(..., 4)`` squared lengths from 1; NaN if one is not a number."""
    return float(np.abs(np.einsum("...i,...i->...", q, q) - 1.0).max(initial=0.0))


@unit_error.compile_with
def _unit_error(q: Floats) -> float:
    return float(unit_error_kernel(read_only(q, -1, 4)))


@jit
def unit_error_kernel(q):  # type: ignore[no-untyped-def]
    """``unit_error`` of ``(N, 4)``."""
    greatest = 0.0
    for i in range(q.shape[0]):
        error = abs(q[i, 0] * q[i, 0] + q[i, 1] * q[i, 1] + q[i, 2] * q[i, 2] + q[i, 3] * q[i, 3] - 1.0)
        if not error <= greatest:
            greatest = error
            if math.isnan(error):
                return error
    return greatest


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
