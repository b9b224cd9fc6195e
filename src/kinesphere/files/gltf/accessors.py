"""Arrays out of a glTF's buffers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinesphere.files.gltf.container import Document
from kinesphere.files.gltf.fields import Fields, described
from kinesphere.kernels.arrays import Floats, Ints

COMPONENTS: dict[int, np.dtype[Any]] = {
    5120: np.dtype("i1"),
    5121: np.dtype("u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
# Columns and rows; vectors are one column.
SHAPES = {
    "SCALAR": (1, 1),
    "VEC2": (1, 2),
    "VEC3": (1, 3),
    "VEC4": (1, 4),
    "MAT2": (2, 2),
    "MAT3": (3, 3),
    "MAT4": (4, 4),
}
FREE_VALUES = 1_000_000  # any file may ask for this many numbers; more only if it is itself large


class Accessors:
    """Decodes accessors, each once. Indices, offsets and lengths are checked before anything is allocated."""

    def __init__(self, document: Document) -> None:
        self.document, self.fields = document, document.fields
        self._known: dict[int, Floats] = {}
        self._values = 0

    def read(self, owner: Fields, name: str, kinds: tuple[str, ...]) -> Floats:
        """The accessor that ``owner.name`` refers to, as ``(count, width)``; ``kinds``: types it may have."""
        index = owner.index(name, self.fields.count("accessors"), "accessors")
        accessor = self.fields.item("accessors", index)
        kind = accessor.text("type")
        if kind not in kinds:
            raise accessor.error("type", repr(kind[:20]), f"{' or '.join(kinds)} for {owner.place(name)}")
        if index not in self._known:
            self._known[index] = self._decoded(accessor, kind)
        return self._known[index]

    def _decoded(self, accessor: Fields, kind: str) -> Floats:
        component = accessor.integer("componentType")
        if component not in COMPONENTS:
            raise accessor.error("componentType", str(component), f"one of {', '.join(map(str, COMPONENTS))}")
        dtype, (columns, rows) = COMPONENTS[component], SHAPES[kind]
        count = accessor.integer("count", low=1)
        self._afford(accessor, count * columns * rows)
        if "bufferView" in accessor:
            raw = self._strided(accessor, count, dtype, columns, rows).reshape(count, columns * rows)
        else:
            raw = np.zeros((count, columns * rows), dtype=dtype)
        if "sparse" in accessor:
            raw = raw.copy()
            self._fill_sparse(accessor.child("sparse"), raw, dtype, columns, rows)
        values = raw.astype(np.float64)
        return _normalised(values, dtype) if accessor.flag("normalized") else values

    def _afford(self, accessor: Fields, values: int) -> None:
        """Many accessors over the same bytes, or over none, must not add up to more than a file can mean."""
        most = max(FREE_VALUES, 4 * self.document.size)
        self._values += min(values, most + 1)
        if self._values > most:
            count = accessor.data["count"]
            self._values -= min(values, most + 1)
            raise accessor.error(
                "count", described(count), f"no more numbers than a file of {self.document.size} bytes holds"
            )

    def _strided(self, accessor: Fields, count: int, dtype: np.dtype[Any], columns: int, rows: int) -> NDArray[Any]:
        """The elements as ``(count, columns, rows)``, wherever they lie among others."""
        data, view = self._view(accessor)
        column_bytes = rows * dtype.itemsize
        if columns > 1:
            column_bytes += -column_bytes % 4  # each column of a matrix starts on a multiple of four
        element = column_bytes * columns
        stride = view.integer("byteStride", low=4, high=252, default=element)
        if stride < element or stride % dtype.itemsize:
            raise view.error("byteStride", str(stride), f"a multiple of {dtype.itemsize}, {element} or more")
        offset = accessor.integer("byteOffset", default=0)
        needed = offset + (count - 1) * stride + element
        if needed > len(data):
            found = f"{count}, which takes {needed} bytes"
            raise accessor.error("count", found, f"what fits into the {len(data)} bytes of {view.where}")
        return np.ndarray((count, columns, rows), dtype, data, offset, (stride, column_bytes, dtype.itemsize))

    def _view(self, owner: Fields) -> tuple[memoryview, Fields]:
        """The bytes of the buffer view that ``owner`` refers to."""
        view = self.fields.item(
            "bufferViews", owner.index("bufferView", self.fields.count("bufferViews"), "bufferViews")
        )
        if "EXT_meshopt_compression" in view.child("extensions"):
            raise view.error("extensions", "EXT_meshopt_compression", "numbers that are not compressed")
        return self.document.view(view), view

    def _fill_sparse(self, sparse: Fields, raw: NDArray[Any], dtype: np.dtype[Any], columns: int, rows: int) -> None:
        """Put the few given elements in their places."""
        count = sparse.integer("count", low=1, high=len(raw))
        indices, values = sparse.child("indices"), sparse.child("values")
        component = indices.integer("componentType")
        if component not in (5121, 5123, 5125):
            raise indices.error("componentType", str(component), "5121, 5123 or 5125")
        places: Ints = self._strided(indices, count, COMPONENTS[component], 1, 1).reshape(count).astype(np.intp)
        if np.any(np.diff(places) <= 0) or places[-1] >= len(raw):
            raise indices.error("", "indices out of order or out of range", f"increasing numbers below {len(raw)}")
        raw[places] = self._strided(values, count, dtype, columns, rows).reshape(count, columns * rows)


def _normalised(values: Floats, dtype: np.dtype[Any]) -> Floats:
    """Integers that stand for numbers from 0 to 1, or from -1 to 1 where they have a sign."""
    if dtype.kind == "f":
        return values
    largest = float(np.iinfo(dtype).max)
    scaled: Floats = values / largest
    return np.maximum(scaled, -1.0) if dtype.kind == "i" else scaled
