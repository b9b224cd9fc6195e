"""What annotations in this package call arrays, and two things done to them that NumPy takes its time for."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
Bools: TypeAlias = NDArray[np.bool_]

__all__ = ["Any", "ArrayLike", "Bools", "Floats", "Ints", "floats", "lengths", "within"]


def floats(values: ArrayLike) -> Floats:
    """The values as float64, without a copy where they already are."""
    return np.asarray(values, dtype=np.float64)


def lengths(vectors: Floats) -> Floats:
    """Lengths ``(...)`` of vectors ``(..., D)``: a fifth of the time of ``np.linalg.norm`` for some hundred of them."""
    squares: Floats = np.einsum("...i,...i->...", vectors, vectors)
    return np.asarray(np.sqrt(squares))


def within(values: Any, least: Any, most: Any) -> Any:
    """``np.clip`` without its overhead."""
    return np.minimum(np.maximum(values, least), most)
