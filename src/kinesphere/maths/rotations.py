"""Rotations of single joints, number by number, for compiled kernels to build on. Import only through ``compiled``."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.maths import compiled
from kinesphere.maths.compiled import compile_exact, compile_kernel
from kinesphere.maths.vectors import ArrayLike, Floats, as_floats, norms


@compile_kernel
def quaternion_product(aw, ax, ay, az, bw, bx, by, bz):  # type: ignore[no-untyped-def]
    """Turned by b, then by a."""
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@compile_kernel
def rotate_vector(aw, ax, ay, az, x, y, z):  # type: ignore[no-untyped-def]
    """A vector turned by a quaternion."""
    u, v, w = 2.0 * (ay * z - az * y), 2.0 * (az * x - ax * z), 2.0 * (ax * y - ay * x)
    return x + aw * u + ay * w - az * v, y + aw * v + az * u - ax * w, z + aw * w + ax * v - ay * u


@compile_kernel
def cos_and_sinc(square):  # type: ignore[no-untyped-def]
    """The cosine of an angle and its sine over it, from its square: by their series up to half a radian.

    Most joints turn no farther, and a series takes a fifth of the time. What it leaves out is below 1e-15.
    """
    if square > 0.25:
        angle = math.sqrt(square)
        return math.cos(angle), math.sin(angle) / angle
    s = square
    c = 1.0 + s * (-1 / 2 + s * (1 / 24 + s * (-1 / 720 + s * (1 / 40320 + s * (-1 / 3628800 + s / 479001600)))))
    d = 1.0 + s * (-1 / 6 + s * (1 / 120 + s * (-1 / 5040 + s * (1 / 362880 + s * (-1 / 39916800 + s / 6227020800)))))
    return c, d


@compile_kernel
def axis_angle_quaternion(x, y, z, angle):  # type: ignore[no-untyped-def]
    """Turned by an angle about a unit axis."""
    half = 0.5 * angle
    c, s = cos_and_sinc(half * half)
    s *= half
    return c, s * x, s * y, s * z


@compile_kernel
def exponential_quaternion(x, y, z):  # type: ignore[no-untyped-def]
    """The quaternion of a rotation vector."""
    c, s = cos_and_sinc(0.25 * (x * x + y * y + z * z))
    return c, 0.5 * s * x, 0.5 * s * y, 0.5 * s * z


@compile_kernel
def quaternion_between(ax, ay, az, bx, by, bz):  # type: ignore[no-untyped-def]
    """The smallest turn from one direction to another; half a turn about some axis across where they are opposite."""
    size = math.sqrt(ax * ax + ay * ay + az * az)
    x, y, z = ax / size, ay / size, az / size
    size = math.sqrt(bx * bx + by * by + bz * bz)
    u, v, w = x + bx / size, y + by / size, z + bz / size
    size = math.sqrt(u * u + v * v + w * w)
    if size < 1e-9:
        # The world's own axis that is farthest from the direction.
        if abs(x) <= abs(y) and abs(x) <= abs(z):
            u, v, w = 0.0, z, -y
        elif abs(y) <= abs(z):
            u, v, w = -z, 0.0, x
        else:
            u, v, w = y, -x, 0.0
        size = math.sqrt(u * u + v * v + w * w)
    u, v, w = u / size, v / size, w / size
    c, p, q, r = x * u + y * v + z * w, y * w - z * v, z * u - x * w, x * v - y * u
    size = math.sqrt(c * c + p * p + q * q + r * r)
    return c / size, p / size, q / size, r / size


@compile_kernel
def write_quaternion(local, i, j, w, x, y, z):  # type: ignore[no-untyped-def]
    """Write one joint's rotation; assigning a tuple takes seconds to compile."""
    local[i, j, 0], local[i, j, 1], local[i, j, 2], local[i, j, 3] = w, x, y, z


# ---- Compiled products of quaternions. Import this only through ``compiled``.


@compile_kernel
def multiply_kernel(a, b, out):  # type: ignore[no-untyped-def]
    """Products (N, 4) of quaternions; fewer rows of one are gone through again and again."""
    j, k = -1, -1
    for i in range(out.shape[0]):
        j = 0 if j + 1 == a.shape[0] else j + 1
        k = 0 if k + 1 == b.shape[0] else k + 1
        aw, ax, ay, az = a[j, 0], a[j, 1], a[j, 2], a[j, 3]
        bw, bx, by, bz = b[k, 0], b[k, 1], b[k, 2], b[k, 3]
        out[i, 0] = aw * bw - ax * bx - ay * by - az * bz
        out[i, 1] = aw * bx + ax * bw + ay * bz - az * by
        out[i, 2] = aw * by - ax * bz + ay * bw + az * bx
        out[i, 3] = aw * bz + ax * by - ay * bx + az * bw


@compile_kernel
def rotate_kernel(q, vectors, out):  # type: ignore[no-untyped-def]
    """Vectors (N, 3) turned by quaternions (N, 4); fewer rows of one are gone through again and again."""
    j, k = -1, -1
    for i in range(out.shape[0]):
        j = 0 if j + 1 == q.shape[0] else j + 1
        k = 0 if k + 1 == vectors.shape[0] else k + 1
        aw, ax, ay, az = q[j, 0], q[j, 1], q[j, 2], q[j, 3]
        x, y, z = vectors[k, 0], vectors[k, 1], vectors[k, 2]
        u, v, w = 2.0 * (ay * z - az * y), 2.0 * (az * x - ax * z), 2.0 * (ax * y - ay * x)
        out[i, 0] = x + aw * u + ay * w - az * v
        out[i, 1] = y + aw * v + az * u - ax * w
        out[i, 2] = z + aw * w + ax * v - ay * u


@compile_kernel
def exponential_kernel(vectors, out):  # type: ignore[no-untyped-def]
    """Quaternions (N, 4) of rotation vectors (N, 3)."""
    for i in range(vectors.shape[0]):
        x, y, z = vectors[i, 0], vectors[i, 1], vectors[i, 2]
        cosine, share = cos_and_sinc(0.25 * (x * x + y * y + z * z))
        share *= 0.5
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = cosine, share * x, share * y, share * z


@compile_kernel
def rotation_between_kernel(a, b, out):  # type: ignore[no-untyped-def]
    """The smallest turns (N, 4) from directions (N, 3) to others."""
    for i in range(a.shape[0]):
        w, x, y, z = quaternion_between(a[i, 0], a[i, 1], a[i, 2], b[i, 0], b[i, 1], b[i, 2])
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = w, x, y, z


@compile_kernel
def slerp_kernel(a, b, share, out):  # type: ignore[no-untyped-def]
    """From quaternions (N, 4) to others along the shorter arc, by shares (N,)."""
    for i in range(a.shape[0]):
        aw, ax, ay, az = a[i, 0], a[i, 1], a[i, 2], a[i, 3]
        bw, bx, by, bz = b[i, 0], b[i, 1], b[i, 2], b[i, 3]
        w = aw * bw + ax * bx + ay * by + az * bz
        x = aw * bx - ax * bw - ay * bz + az * by
        y = aw * by + ax * bz - ay * bw - az * bx
        z = aw * bz - ax * by + ay * bx - az * bw
        if w < 0.0:
            w, x, y, z = -w, -x, -y, -z
        sine = math.sqrt(x * x + y * y + z * z)
        half = share[i] * math.atan2(sine, w)
        factor = math.sin(half) / sine if sine > 1e-12 else share[i]
        w, x, y, z = math.cos(half), factor * x, factor * y, factor * z
        out[i, 0] = aw * w - ax * x - ay * y - az * z
        out[i, 1] = aw * x + ax * w + ay * z - az * y
        out[i, 2] = aw * y - ax * z + ay * w + az * x
        out[i, 3] = aw * z + ax * y - ay * x + az * w


@compile_exact
def unit_error_kernel(q):  # type: ignore[no-untyped-def]
    """How far the squares of quaternions' (N, 4) lengths are from 1 at most; NaN where one is not a number."""
    most = 0.0
    for i in range(q.shape[0]):
        off = abs(q[i, 0] * q[i, 0] + q[i, 1] * q[i, 1] + q[i, 2] * q[i, 2] + q[i, 3] * q[i, 3] - 1.0)
        if not off <= most:
            most = off
            if math.isnan(off):
                return off
    return most


@compile_exact
def has_sign_flips_kernel(q):  # type: ignore[no-untyped-def]
    """Whether any quaternion of (T, J, 4) lies in the other half of its sphere than in the frame before."""
    for f in range(1, q.shape[0]):
        for j in range(q.shape[1]):
            a, b = q[f, j], q[f - 1, j]
            if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0:
                return True
    return False


# ---- Quaternion and rotation-vector algebra.
#
# Quaternions are ``(..., 4)``, w x y z. ``multiply(a, b)`` turns by ``b`` first and then by ``a``, as matrices
# do. All functions broadcast over leading axes.


_TINY = 1e-12  # below this sine of a half angle, series replace the closed forms


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


def multiply(a: ArrayLike, b: ArrayLike) -> Floats:
    """The Hamilton product ``a b``: turn by ``b``, then by ``a``."""
    a, b = as_floats(a), as_floats(b)
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
    q, v = as_floats(quaternions), as_floats(vectors)
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
    v = as_floats(vectors)
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
    q = as_floats(quaternions)
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    factor = np.where(sine > _TINY, angle / np.maximum(sine, _TINY), 2.0)
    return q[..., 1:] * factor


def from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> Floats:
    """Turns by ``angle`` about ``axis`` (any length but zero)."""
    direction = as_floats(axis)
    length = norms(direction)[..., None]
    if not np.all(length > 0.0):
        raise ValueError("a rotation axis of length zero has no direction")
    return from_rotation_vector(direction / length * as_floats(angle)[..., None])


def angle(quaternions: ArrayLike) -> Floats:
    """How far each rotation turns, in [0, π]."""
    q = as_floats(quaternions)
    turned: Floats = 2.0 * np.arctan2(np.linalg.norm(q[..., 1:], axis=-1), np.abs(q[..., 0]))
    return turned


def angle_between(a: ArrayLike, b: ArrayLike) -> Floats:
    """How far apart two rotations are, in [0, π]."""
    return angle(multiply(conjugate(a), b))


def power(quaternions: ArrayLike, exponents: ArrayLike) -> Floats:
    """Each rotation taken ``exponents`` times along its shorter way round."""
    return from_rotation_vector(to_rotation_vector(quaternions) * as_floats(exponents)[..., None])


def slerp(a: ArrayLike, b: ArrayLike, share: ArrayLike) -> Floats:
    """From ``a`` (share 0) to ``b`` (share 1) along the shorter arc; shares beyond [0, 1] go on turning."""
    a, b, share = as_floats(a), as_floats(b), as_floats(share)
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


def rotation_between(a: ArrayLike, b: ArrayLike) -> Floats:
    """The smallest turn that takes direction ``a`` to direction ``b``.

    Opposite directions have no smallest turn: then it is half a turn about some axis across ``a``.
    """
    start, end = as_floats(a), as_floats(b)
    kernels = compiled.loaded(max(start.size, end.size))
    if kernels is None:
        return rotation_between_reference(start, end)
    shape = np.broadcast_shapes(start.shape, end.shape)
    turn: Floats = np.empty((*shape[:-1], 4))
    kernels.between(_rows(start, shape), _rows(end, shape), turn.reshape(-1, 4))
    if np.isnan(turn[..., 0]).any():
        raise ValueError("a vector of length zero has no direction")
    return turn


def rotation_between_reference(a: Floats, b: Floats) -> Floats:
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
    # A half-turn swing leaves the twist undefined: none is the natural choice.
    twist = np.where(length > _TINY, twist / np.maximum(length, _TINY), identity())
    return multiply(q, conjugate(twist)), twist


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


def has_sign_flips(q: Floats) -> bool:
    """Whether any quaternion lies in the other half of its sphere than its neighbour along the first axis."""
    kernels = compiled.loaded(q.size)
    if kernels is not None and q.ndim == 3:
        return bool(kernels.turns_over(q))
    return bool((np.einsum("...i,...i->...", q[1:], q[:-1]) < 0.0).any())


def unit_error(q: Floats) -> float:
    """How far the squares of quaternions' ``(..., 4)`` lengths are from 1 at most."""
    kernels = compiled.loaded(q.size)
    if kernels is not None and q.flags.c_contiguous:
        return float(kernels.off_unit(q.reshape(-1, 4)))
    return float(np.abs(np.einsum("...i,...i->...", q, q) - 1.0).max(initial=0.0))


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
