"""Arrays that objects own and nobody changes."""

from __future__ import annotations

import numpy as np

from kinesphere.maths.rotations import unit_error
from kinesphere.maths.vectors import ArrayLike, Floats


def own_array(values: ArrayLike, name: str, shape: tuple[int | None, ...]) -> Floats:
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
        surely = np.isfinite(np.add.reduce(array, axis=None))  # much quicker than looking at each
    if not surely and not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name}{list(where)} is {array[where]}; only finite numbers are allowed")
    if array.flags.writeable or not array.flags.c_contiguous:
        array = np.array(array, order="C")
    return freeze(array)


def unit_quaternions(array: Floats, name: str) -> Floats:
    """The array if it holds unit quaternions, made exact where it nearly does (float32 files), else an error."""
    off = unit_error(array)
    if off <= 1e-10:
        return array
    squares = np.einsum("...i,...i->...", array, array)
    if off > 1e-3:
        where = tuple(int(i) for i in np.argwhere(np.abs(squares - 1.0) > 1e-3)[0])
        raise ValueError(
            f"{name}{list(where)} has length {np.sqrt(squares[where]):.6g}; unit quaternions are expected "
            "(kernels.rotations.normalise makes them)"
        )
    return freeze(array / np.sqrt(squares)[..., None])


def freeze(array: Floats) -> Floats:
    """The same array, read-only from now on: for arrays just made, that nobody else holds."""
    array.flags.writeable = False
    return array
