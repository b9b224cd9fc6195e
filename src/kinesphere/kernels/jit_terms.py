"""How kernels are compiled."""

from __future__ import annotations

from typing import Any

from numba import njit


def compile_kernel(function: Any) -> Any:
    # Contraction lets a·b + c be one instruction; nothing here depends on the last bit.
    fast = {"contract", "nsz", "reassoc"}
    return njit(cache=True, nogil=True, error_model="numpy", fastmath=fast)(function)


def compile_exact(function: Any) -> Any:
    return njit(cache=True, nogil=True, error_model="numpy")(function)
