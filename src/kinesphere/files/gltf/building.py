"""Arrays into a glTF's buffer, with the accessors and views that describe them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

VERTICES, INDICES = 34962, 34963  # what a graphics card is told a view is for
_COMPONENTS = {"float32": 5126, "uint8": 5121, "uint16": 5123, "uint32": 5125}
_KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


@dataclass
class BufferBuilder:
    """Collects arrays one after the other in buffer 0; each starts on a multiple of four bytes.

    ``accessors`` and ``views`` may be the lists of a file that exists already: what is new comes after what is there.
    """

    accessors: list[dict[str, Any]] = field(default_factory=list)
    views: list[dict[str, Any]] = field(default_factory=list)
    parts: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, array: NDArray[Any], *, target: int | None = None, bounds: bool = False) -> int:
        """Put in an array of ``(count,)`` or ``(count, width)`` and return its accessor.

        ``bounds`` notes the least and greatest values, which the format demands for times and positions.
        """
        width = 1 if array.ndim == 1 else array.shape[1]
        accessor: dict[str, Any] = {
            "bufferView": self.add_view(np.ascontiguousarray(array).tobytes(), target=target),
            "componentType": _COMPONENTS[array.dtype.name],
            "count": len(array),
            "type": _KINDS[width],
        }
        if bounds:
            columns = array.reshape(len(array), width)
            accessor["min"], accessor["max"] = columns.min(axis=0).tolist(), columns.max(axis=0).tolist()
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def add_view(self, data: bytes, *, target: int | None = None) -> int:
        """Put in any bytes and return their view."""
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self.add_bytes(data), "byteLength": len(data)}
        if target is not None:
            view["target"] = target
        self.views.append(view)
        return len(self.views) - 1

    def add_bytes(self, data: bytes | memoryview, *, like: int = 0) -> int:
        """Put in bytes that some view describes, at an offset that is ``like`` another one modulo four."""
        before = (like - self.size) % 4
        at = self.size + before
        after = -(at + len(data)) % 4
        self.parts.append(b"\x00" * before + bytes(data) + b"\x00" * after)
        self.size = at + len(data) + after
        return at

    @property
    def binary(self) -> bytes:
        return b"".join(self.parts)
