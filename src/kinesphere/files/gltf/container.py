"""The outside of a glTF file: a JSON text and the bytes it refers to."""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote, unquote_to_bytes

from kinesphere.files.atomic import replacing
from kinesphere.files.errors import MotionFileError
from kinesphere.files.gltf.fields import Fields, described

MAGIC = b"glTF"
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942


@dataclass(eq=False)
class Document:
    """A glTF file taken apart, with nothing changed and nothing left out.

    ``json`` is the file's own text as Python objects; fields that nobody here knows stay in it. Buffers are
    fetched when first asked for, so that a file whose textures are missing can still be read for its motion.
    """

    path: Path
    json: dict[str, Any]
    binary: memoryview | None = None
    other_chunks: tuple[tuple[int, bytes], ...] = ()
    size: int = 0  # bytes read so far: what may be allocated is measured by it
    salvage: bool = False
    warn: Callable[[str], None] = field(default=lambda sentence: None)
    _buffers: dict[int, memoryview] = field(default_factory=dict)

    @property
    def fields(self) -> Fields:
        return Fields(self.path, self.json)

    def buffer(self, index: int) -> memoryview:
        """The bytes of one buffer, of its declared length."""
        if index not in self._buffers:
            self._buffers[index] = self._fetched(self.fields.item("buffers", index), index)
        return self._buffers[index]

    def view(self, view: Fields) -> memoryview:
        """The bytes that a buffer view describes."""
        buffer = self.buffer(view.index("buffer", self.fields.count("buffers"), "buffers"))
        offset = view.integer("byteOffset", default=0)
        length = view.integer("byteLength", low=1)
        if offset + length > len(buffer):
            found = f"{length} bytes from {offset} on"
            raise view.error("byteLength", found, f"a part of the {len(buffer)} bytes of the buffer")
        return buffer[offset : offset + length]

    def __getstate__(self) -> dict[str, Any]:
        """Batches send characters between processes: views of memory become bytes, and nobody listens there."""
        state = {name: value for name, value in vars(self).items() if name != "warn"}
        state["binary"] = None if self.binary is None else bytes(self.binary)
        state["_buffers"] = {index: bytes(found) for index, found in self._buffers.items()}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        binary, buffers = state["binary"], state["_buffers"]
        views = {index: memoryview(found) for index, found in buffers.items()}
        self.__dict__.update(state, _buffers=views, binary=None if binary is None else memoryview(binary))
        self.warn = lambda sentence: None

    def _fetched(self, buffer: Fields, index: int) -> memoryview:
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

    def _from_uri(self, buffer: Fields, length: int) -> bytes:
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
                "uri", f"{described(uri)}, which cannot be read ({error})", "a file beside this one"
            ) from None

    def beside(self, buffer: Fields, uri: str) -> Path:
        """The file that a URI names, in this one's own folder or below: it could come from anyone."""
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
            raise buffer.error("uri", described(uri), "a relative path in the file's own folder")
        if not there:
            raise buffer.error("uri", f"{described(uri)}, which is missing", "a file beside this one")
        return file


def read_document(path: Path, *, salvage: bool = False, warn: Callable[[str], None] | None = None) -> Document:
    """Take a ``.glb``, ``.gltf``, ``.vrm`` or ``.vrma`` file apart."""
    tell = warn or (lambda sentence: None)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MotionFileError(path, f"a file that cannot be read ({error.strerror})", "a glTF file") from None
    if data[:4] == MAGIC:
        text, binary, others = _chunks(path, memoryview(data), salvage, tell)
    else:
        text, binary, others = data, None, ()
    parsed = _parsed(path, text)
    document = Document(path, parsed, binary, others, len(data), salvage, tell)
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


def _parsed(path: Path, text: bytes) -> dict[str, Any]:
    def refused(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not a number in JSON")

    try:
        parsed = json.loads(text.decode("utf-8-sig"), parse_constant=refused)
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
        raise MotionFileError(path, described(parsed), "an object with asset, nodes and animations", where="JSON")
    return parsed


def from_data_uri(buffer: Fields, uri: str) -> bytes:
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
    """Write JSON and its first buffer: into the text of a ``.gltf``, else into a binary container."""
    content = dict(content)
    given = content.get("buffers") or [{}]
    first: dict[str, Any] = {**given[0], "byteLength": len(binary)}
    first.pop("uri", None)
    if path.suffix.lower() == ".gltf":
        first["uri"] = "data:application/octet-stream;base64," + base64.b64encode(binary).decode("ascii")
    content["buffers"] = [first, *given[1:]]
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8", "replace")
    with replacing(path) as file:
        if path.suffix.lower() == ".gltf":
            file.write(text)
            return
        chunks = [(JSON_CHUNK, text + b" " * (-len(text) % 4)), (BINARY_CHUNK, binary), *other_chunks]
        padded = [(kind, chunk + b"\x00" * (-len(chunk) % 4)) for kind, chunk in chunks]
        file.write(struct.pack("<4sII", MAGIC, 2, 12 + sum(8 + len(chunk) for _, chunk in padded)))
        for kind, chunk in padded:
            file.write(struct.pack("<II", len(chunk), kind) + chunk)
