"""Array validation for immutable objects: shape, finiteness, unit quaternions, read-only memory."""

from __future__ import annotations

import numpy as np

from kinesphere.maths.rotations import unit_error
from kinesphere.maths.vectors import ArrayLike, Floats


def check_array(values: ArrayLike, name: str, shape: tuple[int | None, ...]) -> Floats:
    """The values as a read-only float64 array of the given shape (None: any length), finite throughout.

    An array that is already read-only is kept as it is; anything else is copied, so that the caller's later
    changes don't reach the object.
    """
    array = np.asarray(values, dtype=np.float64)
    fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape, strict=True))
    if not fits:
        wanted = ", ".join("any" if n is None else str(n) for n in shape)
        raise ValueError(f"{name}: shape ({wanted}) expected, found {array.shape}")
    with np.errstate(all="ignore"):
        finite_sum = np.isfinite(np.add.reduce(array, axis=None))  # much faster than testing each number
    if not finite_sum and not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name}{list(where)} is {array[where]}; only finite numbers are allowed")
    if array.flags.writeable or not array.flags.c_contiguous:
        array = np.array(array, order="C")
    return freeze(array)


def unit_quaternions(array: Floats, name: str) -> Floats:
    """Check unit quaternions ``(..., 4)``; those that are off by rounding (float32 files) are normalised."""
    error = unit_error(array)
    if error <= 1e-10:
        return array
    squares = np.einsum("...i,...i->...", array, array)
    if error > 1e-3:
        where = tuple(int(i) for i in np.argwhere(np.abs(squares - 1.0) > 1e-3)[0])
        raise ValueError(
            f"{name}{list(where)} has length {np.sqrt(squares[where]):.6g}; unit quaternions are expected "
            "(kinesphere.maths.rotations.normalise makes them)"
        )
    return freeze(array / np.sqrt(squares)[..., None])


def freeze(array: Floats) -> Floats:
    """Make an array read-only and return it: for new arrays that nobody else holds."""
    array.flags.writeable = False
    return array
