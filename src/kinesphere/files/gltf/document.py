"""glTF container: checked JSON fields, GLB chunks, buffers, buffer views and accessors, read and written.

Files may come from anyone. Every index, offset and length is checked before it is used, and every error names its
location, such as ``animations[3].samplers[1]``. Unknown fields stay in the JSON and are written back.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote, unquote_to_bytes

import numpy as np
from numpy.typing import NDArray

from kinesphere.files.atomic import atomic_write
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.errors import MotionFileError


class GltfFields:
    """One JSON object of a file, with its location, such as ``animations[3].samplers[1]``."""

    def __init__(self, path: Path, data: dict[str, Any], where: str = "") -> None:
        self.path, self.data, self.where = path, data, where

    def __contains__(self, name: str) -> bool:
        return name in self.data

    def location(self, name: str) -> str:
        """The location of one of this object's fields."""
        return f"{self.where}.{name}" if self.where else name

    def error(self, name: str, found: str, expected: str) -> MotionFileError:
        """An error about one of this object's fields, or about the object itself when ``name`` is empty."""
        return MotionFileError(self.path, found, expected, where=self.location(name) if name else self.where)

    def integer(self, name: str, *, low: int = 0, high: int | None = None, default: int | None = None) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        if name not in self.data and default is not None:
            return default
        found = as_integer(self.data.get(name))
        if found is None or found < low or (high is not None and found > high):
            allowed = f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"
            raise self.error(name, self._describe(name), allowed)
        return found

    def index(self, name: str, count: int, of: str) -> int:
        """An index into the file's list ``of``, which has ``count`` entries."""
        found = as_integer(self.data.get(name))
        if found is None or not 0 <= found < count:
            allowed = f"one of {of}, 0 to {count - 1}" if count else f"no reference: the file has no {of}"
            raise self.error(name, self._describe(name), allowed)
        return found

    def text(self, name: str, *, default: str | None = None) -> str:
        """A string."""
        if name not in self.data and default is not None:
            return default
        found = self.data.get(name)
        if not isinstance(found, str):
            raise self.error(name, self._describe(name), "text")
        return found.encode("utf-8", "replace").decode()  # lone surrogates could not be written again

    def flag(self, name: str) -> bool:
        """True or false; false where the field is missing."""
        found = self.data.get(name, False)
        if not isinstance(found, bool):
            raise self.error(name, self._describe(name), "true or false")
        return found

    def numbers(self, name: str, count: int) -> tuple[float, ...] | None:
        """A list of ``count`` finite numbers, or None where the field is missing."""
        if name not in self.data:
            return None
        values = finite_numbers(self.data[name], count)
        if values is None:
            raise self.error(name, self._describe(name), f"a list of {count} finite numbers")
        return values

    def child(self, name: str) -> GltfFields:
        """An object in this one; an empty one where the field is missing."""
        found = self.data.get(name, {})
        if not isinstance(found, dict):
            raise self.error(name, self._describe(name), "an object")
        return GltfFields(self.path, found, self.location(name))

    def items(self, name: str) -> list[Any]:
        """A list; an empty one where the field is missing."""
        found = self.data.get(name, [])
        if not isinstance(found, list):
            raise self.error(name, self._describe(name), "a list")
        return found

    def count(self, name: str) -> int:
        """How long a list is."""
        return len(self.items(name))

    def item(self, name: str, index: int) -> GltfFields:
        """One object of a list."""
        found = self.items(name)[index]
        where = f"{self.location(name)}[{index}]"
        if not isinstance(found, dict):
            raise MotionFileError(self.path, describe_value(found), "an object", where=where)
        return GltfFields(self.path, found, where)

    def each(self, name: str) -> Iterator[GltfFields]:
        """All objects of a list."""
        for index in range(self.count(name)):
            yield self.item(name, index)

    def _describe(self, name: str) -> str:
        return describe_value(self.data[name]) if name in self.data else "nothing"


def as_integer(value: Any) -> int | None:
    """A JSON number as an integer, if it is one. JSON has one kind of number, so 5.0 is one as well."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and abs(value) < 2.0**53 and value.is_integer():
        return int(value)
    # No count, offset or index is longer than 62 bits; beyond that even printing a number can fail.
    return value if isinstance(value, int) and value.bit_length() <= 62 else None


def finite_numbers(value: Any, count: int) -> tuple[float, ...] | None:
    """A JSON list as ``count`` finite floats, if it is that."""
    if not isinstance(value, list) or len(value) != count:
        return None
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in value):
        return None
    try:
        found = tuple(float(number) for number in value)
    except OverflowError:  # an integer of hundreds of digits
        return None
    return found if all(math.isfinite(number) for number in found) else None


def describe_value(value: Any) -> str:
    """A JSON value in a few words, however large it is."""
    if value is None:
        return "null"
    if isinstance(value, list):
        return (
            f"a list of {len(value)}"
            if len(value) > 4 or any(isinstance(v, list | dict) for v in value)
            else repr([describe_value(v) for v in value])
        )
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:57] + "…")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 200:
        return "a number of many digits"
    return str(value)


# The container: JSON and buffers

MAGIC = b"glTF"
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942


@dataclass(eq=False)
class Document:
    """A glTF file: its JSON, its binary chunk and any other chunks, unchanged.

    Buffers are read at their first use, so that the motion of a file with missing textures can still be read.
    """

    path: Path
    json: dict[str, Any]
    binary: memoryview | None = None
    other_chunks: tuple[tuple[int, bytes], ...] = ()
    size: int = 0  # bytes read so far, which limit what may be allocated
    salvage: bool = False
    warn: Callable[[str], None] = field(default=lambda sentence: None)
    _buffers: dict[int, memoryview] = field(default_factory=dict)

    @property
    def fields(self) -> GltfFields:
        return GltfFields(self.path, self.json)

    def buffer(self, index: int) -> memoryview:
        """The bytes of one buffer, of its declared length."""
        if index not in self._buffers:
            self._buffers[index] = self._read_buffer(self.fields.item("buffers", index), index)
        return self._buffers[index]

    def view(self, view: GltfFields) -> memoryview:
        """The bytes that a buffer view describes."""
        buffer = self.buffer(view.index("buffer", self.fields.count("buffers"), "buffers"))
        offset = view.integer("byteOffset", default=0)
        length = view.integer("byteLength", low=1)
        if offset + length > len(buffer):
            found = f"{length} bytes from {offset} on"
            raise view.error("byteLength", found, f"a part of the {len(buffer)} bytes of the buffer")
        return buffer[offset : offset + length]

    def __getstate__(self) -> dict[str, Any]:
        """Pickling between processes: memory views become bytes, and ``warn`` is dropped."""
        state = {name: value for name, value in vars(self).items() if name != "warn"}
        state["binary"] = None if self.binary is None else bytes(self.binary)
        state["_buffers"] = {index: bytes(found) for index, found in self._buffers.items()}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        binary, buffers = state["binary"], state["_buffers"]
        views = {index: memoryview(found) for index, found in buffers.items()}
        self.__dict__.update(state, _buffers=views, binary=None if binary is None else memoryview(binary))
        self.warn = lambda sentence: None

    def _read_buffer(self, buffer: GltfFields, index: int) -> memoryview:
        length = buffer.integer("byteLength", low=1)
        if "uri" in buffer:
            found = memoryview(self._from_uri(buffer, length))
            self.size += len(found)
        elif index == 0 and self.binary is not None:
            found = self.binary
        else:
            raise buffer.error("", "no bytes for this buffer", "a uri, or for the first buffer of a .glb its BIN chunk")
        if len(found) < length:
            if not self.salvage:
                raise buffer.error("byteLength", str(length), f"at most the {len(found)} bytes that are there")
            self.warn(f"{buffer.where}: {length} bytes were declared, {len(found)} are there and were used")
        return found[:length]

    def _from_uri(self, buffer: GltfFields, length: int) -> bytes:
        uri = buffer.text("uri")
        if uri[:5].lower() == "data:":
            return from_data_uri(buffer, uri)
        file = self.beside(buffer, uri)
        try:
            # Never more than declared: the file beside may be anything.
            with file.open("rb") as opened:
                return opened.read(min(length, file.stat().st_size))
        except (OSError, ValueError) as error:
            raise buffer.error(
                "uri", f"{describe_value(uri)}, which cannot be read ({error})", "a file beside this one"
            ) from None

    def beside(self, buffer: GltfFields, uri: str) -> Path:
        """The file that a relative URI names; only in this file's own folder or below, for safety."""
        name = unquote(uri)
        parts = re.split(r"[/\\]", name)
        outside = ".." in parts or parts[0] == "" or ":" in name or "\x00" in name
        file, home = self.path.parent / name, self.path.parent.resolve()
        try:
            outside = outside or not file.resolve().is_relative_to(home)
            there = not outside and file.is_file()
        except (OSError, ValueError, RuntimeError):
            outside, there = False, False
        if outside:
            raise buffer.error("uri", describe_value(uri), "a relative path in the file's own folder")
        if not there:
            raise buffer.error("uri", f"{describe_value(uri)}, which is missing", "a file beside this one")
        return file


def read_document(path: Path, *, salvage: bool = False, warn: Callable[[str], None] | None = None) -> Document:
    """Read a ``.glb``, ``.gltf``, ``.vrm`` or ``.vrma`` file."""
    warn = warn or (lambda sentence: None)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MotionFileError(path, f"a file that cannot be read ({error.strerror})", "a glTF file") from None
    if data[:4] == MAGIC:
        text, binary, others = _chunks(path, memoryview(data), salvage, warn)
    else:
        text, binary, others = data, None, ()
    parsed = _parse_json(path, text)
    document = Document(path, parsed, binary, others, len(data), salvage, warn)
    asset = document.fields.child("asset")
    version = asset.text("version", default="2.0" if salvage else None)
    if not version.startswith("2."):
        raise asset.error("version", repr(version[:20]), "2.0")
    return document


def _chunks(
    path: Path, data: memoryview, salvage: bool, warn: Callable[[str], None]
) -> tuple[bytes, memoryview | None, tuple[tuple[int, bytes], ...]]:
    """The JSON text, the binary chunk if there is one, and chunks of other kinds."""
    if len(data) < 12:
        raise MotionFileError(path, f"a file of {len(data)} bytes", "a header of 12 bytes", where="header")
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise MotionFileError(path, f"version {version}", "version 2", where="header.version")
    if length > len(data) and not salvage:
        found = f"a length of {length} in a file of {len(data)} bytes: it is cut off"
        raise MotionFileError(path, found, f"{len(data)}", where="header.length")
    if length != len(data):
        warn(f"the header says {length} bytes, the file has {len(data)}")
        length = min(length, len(data))
    chunks: list[tuple[int, memoryview]] = []
    at = 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", data, at)
        if size > length - at - 8 and not (salvage and chunks):
            found, left = f"a chunk of {size} bytes", length - at - 8
            raise MotionFileError(path, found, f"at most the {left} that are left", where=f"chunk[{len(chunks)}]")
        chunks.append((kind, data[at + 8 : min(at + 8 + size, length)]))
        at += 8 + size
    if not chunks or chunks[0][0] != JSON_CHUNK:
        raise MotionFileError(path, "no JSON at its beginning", "a JSON chunk first", where="chunk[0]")
    binary = chunks[1][1] if len(chunks) > 1 and chunks[1][0] == BINARY_CHUNK else None
    others = chunks[1 if binary is None else 2 :]
    return bytes(chunks[0][1]), binary, tuple((kind, bytes(chunk)) for kind, chunk in others)


def _parse_json(path: Path, text: bytes) -> dict[str, Any]:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not a number in JSON")

    try:
        parsed = json.loads(text.decode("utf-8-sig"), parse_constant=refuse)
    except RecursionError:
        raise MotionFileError(path, "JSON nested too deeply", "a glTF file", where="JSON") from None
    except UnicodeDecodeError as error:
        raise MotionFileError(path, f"bytes that are not UTF-8 at {error.start}", "text", where="JSON") from None
    except json.JSONDecodeError as error:
        found = f"broken JSON ({error.msg})"
        raise MotionFileError(path, found, "a glTF file", line=error.lineno, where="JSON") from None
    except ValueError as error:
        raise MotionFileError(path, str(error)[:100], "plain JSON", where="JSON") from None
    if not isinstance(parsed, dict):
        raise MotionFileError(path, describe_value(parsed), "an object with asset, nodes and animations", where="JSON")
    return parsed


def from_data_uri(buffer: GltfFields, uri: str) -> bytes:
    """The bytes that a ``data:`` URI holds."""
    head, comma, body = uri.partition(",")
    if not comma:
        raise buffer.error("uri", "a data URI without a comma", "data:…;base64,…")
    if not head.lower().endswith(";base64"):
        return unquote_to_bytes(body)
    try:
        return base64.b64decode(unquote(body) if "%" in body else body, validate=True)
    except (binascii.Error, ValueError):
        raise buffer.error("uri", "broken base64", "data:…;base64,…") from None


def write_document(
    path: Path, content: dict[str, Any], binary: bytes, other_chunks: tuple[tuple[int, bytes], ...] = ()
) -> None:
    """Write JSON and its first buffer: as a data URI in a ``.gltf``, else as the BIN chunk of a binary file."""
    content = dict(content)
    given = content.get("buffers") or [{}]
    first: dict[str, Any] = {**given[0], "byteLength": len(binary)}
    first.pop("uri", None)
    if path.suffix.lower() == ".gltf":
        first["uri"] = "data:application/octet-stream;base64," + base64.b64encode(binary).decode("ascii")
    content["buffers"] = [first, *given[1:]]
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8", "replace")
    with atomic_write(path) as file:
        if path.suffix.lower() == ".gltf":
            file.write(text)
            return
        chunks = [(JSON_CHUNK, text + b" " * (-len(text) % 4)), (BINARY_CHUNK, binary), *other_chunks]
        padded = [(kind, chunk + b"\x00" * (-len(chunk) % 4)) for kind, chunk in chunks]
        file.write(struct.pack("<4sII", MAGIC, 2, 12 + sum(8 + len(chunk) for _, chunk in padded)))
        for kind, chunk in padded:
            file.write(struct.pack("<II", len(chunk), kind) + chunk)


# Reading accessors

COMPONENTS: dict[int, np.dtype[Any]] = {
    5120: np.dtype("i1"),
    5121: np.dtype("u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
# Columns and rows of each accessor type; vectors are one column.
SHAPES = {
    "SCALAR": (1, 1),
    "VEC2": (1, 2),
    "VEC3": (1, 3),
    "VEC4": (1, 4),
    "MAT2": (2, 2),
    "MAT3": (3, 3),
    "MAT4": (4, 4),
}
FREE_VALUES = 1_000_000  # numbers that any file may decode; more only if it is large itself


class Accessors:
    """Decodes accessors, each once. Indices, offsets and lengths are checked before anything is allocated."""

    def __init__(self, document: Document) -> None:
        self.document, self.fields = document, document.fields
        self._known: dict[int, Floats] = {}
        self._values = 0

    def read(self, owner: GltfFields, name: str, kinds: tuple[str, ...]) -> Floats:
        """The accessor that ``owner.name`` refers to, as ``(count, width)``; ``kinds``: types it may have."""
        index = owner.index(name, self.fields.count("accessors"), "accessors")
        accessor = self.fields.item("accessors", index)
        kind = accessor.text("type")
        if kind not in kinds:
            raise accessor.error("type", repr(kind[:20]), f"{' or '.join(kinds)} for {owner.location(name)}")
        if index not in self._known:
            self._known[index] = self._decode(accessor, kind)
        return self._known[index]

    def _decode(self, accessor: GltfFields, kind: str) -> Floats:
        component = accessor.integer("componentType")
        if component not in COMPONENTS:
            raise accessor.error("componentType", str(component), f"one of {', '.join(map(str, COMPONENTS))}")
        dtype, (columns, rows) = COMPONENTS[component], SHAPES[kind]
        count = accessor.integer("count", low=1)
        self._afford(accessor, count * columns * rows)
        if "bufferView" in accessor:
            raw = self._read_strided(accessor, count, dtype, columns, rows).reshape(count, columns * rows)
        else:
            raw = np.zeros((count, columns * rows), dtype=dtype)
        if "sparse" in accessor:
            raw = raw.copy()
            self._fill_sparse(accessor.child("sparse"), raw, dtype, columns, rows)
        values = raw.astype(np.float64)
        return _denormalise(values, dtype) if accessor.flag("normalized") else values

    def _afford(self, accessor: GltfFields, values: int) -> None:
        """Refuse to decode far more numbers than the file has bytes, as many accessors over the same bytes would."""
        most = max(FREE_VALUES, 4 * self.document.size)
        self._values += min(values, most + 1)
        if self._values > most:
            count = accessor.data["count"]
            self._values -= min(values, most + 1)
            raise accessor.error(
                "count", describe_value(count), f"no more numbers than a file of {self.document.size} bytes holds"
            )

    def _read_strided(
        self, accessor: GltfFields, count: int, dtype: np.dtype[Any], columns: int, rows: int
    ) -> NDArray[Any]:
        """The elements as a strided array ``(count, columns, rows)``."""
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

    def _view(self, owner: GltfFields) -> tuple[memoryview, GltfFields]:
        """The bytes of the buffer view that ``owner`` refers to."""
        view = self.fields.item(
            "bufferViews", owner.index("bufferView", self.fields.count("bufferViews"), "bufferViews")
        )
        for name in view.child("extensions").data:
            if name.endswith("_meshopt_compression"):
                expected = "numbers that are not compressed: export without it, or run gltf-transform copy"
                raise view.error("extensions", name, expected)
        return self.document.view(view), view

    def _fill_sparse(
        self, sparse: GltfFields, raw: NDArray[Any], dtype: np.dtype[Any], columns: int, rows: int
    ) -> None:
        """Overwrite the elements of a sparse accessor."""
        count = sparse.integer("count", low=1, high=len(raw))
        indices, values = sparse.child("indices"), sparse.child("values")
        component = indices.integer("componentType")
        if component not in (5121, 5123, 5125):
            raise indices.error("componentType", str(component), "5121, 5123 or 5125")
        rows_to_set: Ints = (
            self._read_strided(indices, count, COMPONENTS[component], 1, 1).reshape(count).astype(np.intp)
        )
        if np.any(np.diff(rows_to_set) <= 0) or rows_to_set[-1] >= len(raw):
            raise indices.error("", "indices out of order or out of range", f"increasing numbers below {len(raw)}")
        raw[rows_to_set] = self._read_strided(values, count, dtype, columns, rows).reshape(count, columns * rows)


def _denormalise(values: Floats, dtype: np.dtype[Any]) -> Floats:
    """Normalized integers to floats: from 0 to 1 where unsigned, from -1 to 1 where signed (glTF 3.6.2.2)."""
    if dtype.kind == "f":
        return values
    largest = float(np.iinfo(dtype).max)
    scaled: Floats = values / largest
    return np.maximum(scaled, -1.0) if dtype.kind == "i" else scaled


# Writing accessors and buffer views

VERTICES, INDICES = 34962, 34963  # buffer view targets
_COMPONENTS = {"float32": 5126, "uint8": 5121, "uint16": 5123, "uint32": 5125}
_KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


@dataclass
class BufferBuilder:
    """Appends arrays to buffer 0, each aligned to four bytes, with their accessors and buffer views.

    ``accessors`` and ``views`` may be the lists of an existing file, to which new entries are appended.
    """

    accessors: list[dict[str, Any]] = field(default_factory=list)
    views: list[dict[str, Any]] = field(default_factory=list)
    parts: list[bytes] = field(default_factory=list)
    size: int = 0

    def add(self, array: NDArray[Any], *, target: int | None = None, bounds: bool = False) -> int:
        """Append an array ``(count,)`` or ``(count, width)`` and return the index of its accessor.

        ``bounds`` writes its minimum and maximum, which the format requires for times and positions.
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
        """Append bytes and return the index of their buffer view."""
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self.add_bytes(data), "byteLength": len(data)}
        if target is not None:
            view["target"] = target
        self.views.append(view)
        return len(self.views) - 1

    def add_bytes(self, data: bytes | memoryview, *, like: int = 0) -> int:
        """Append bytes and return their offset, which equals ``like`` modulo four."""
        before = (like - self.size) % 4
        at = self.size + before
        after = -(at + len(data)) % 4
        self.parts.append(b"\x00" * before + bytes(data) + b"\x00" * after)
        self.size = at + len(data) + after
        return at

    @property
    def binary(self) -> bytes:
        return b"".join(self.parts)
