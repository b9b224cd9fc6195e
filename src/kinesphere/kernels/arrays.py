"""The two names that annotations in this package use for arrays."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
Bools: TypeAlias = NDArray[np.bool_]

__all__ = ["Any", "ArrayLike", "Bools", "Floats", "Ints", "floats"]


def floats(values: ArrayLike) -> Floats:
    """The values as float64, without a copy where they already are."""
    return np.asarray(values, dtype=np.float64)
