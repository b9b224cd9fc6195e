"""A file's buffers and images into one binary chunk, or to files beside the one that is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from kinesphere.files.atomic import replacing
from kinesphere.files.errors import MotionFileError
from kinesphere.files.gltf.building import BufferBuilder
from kinesphere.files.gltf.container import Document, from_data_uri
from kinesphere.files.gltf.fields import Fields

MESHOPT = "EXT_meshopt_compression"
_SIGNATURES = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"RIFF", "image/webp"),
    (b"\xabKTX 20", "image/ktx2"),
)


@dataclass
class Packed:
    """The buffer that new arrays can be added to, and what must stand beside the file."""

    buffer: BufferBuilder
    beside: dict[str, bytes] = field(default_factory=dict)  # by name relative to the file


def packed(document: Document, content: dict[str, Any], *, inside: bool, warn: Callable[[str], None]) -> Packed:
    """Bring all of a file's bytes together. ``content`` is a copy of the document's JSON, and is changed.

    ``inside`` puts everything into the one buffer; otherwise buffers and images in files of their own stay so.
    """
    fields = Fields(document.path, content)
    used = {owner.data["buffer"] for owner in _owners(fields)}
    outside = [i for i, b in enumerate(fields.each("buffers")) if not inside and i in used and _is_outside(b)]
    for name in ("accessors", "bufferViews"):
        content[name] = fields.items(name)
    buffer = BufferBuilder(content["accessors"], content["bufferViews"])
    result = Packed(buffer)
    first: dict[str, Any] = {}
    if 0 not in outside and fields.count("buffers"):
        first = dict(fields.item("buffers", 0).data)
    _move_views(document, fields, buffer, outside)
    for index in outside:
        result.beside[unquote(fields.item("buffers", index).text("uri"))] = bytes(document.buffer(index))
    content["buffers"] = [first, *(content["buffers"][index] for index in outside)]
    for image in fields.each("images"):
        if "uri" in image:
            _pack_image(document, image, result, inside, warn)
    return result


def _is_outside(owner: Fields) -> bool:
    return "uri" in owner and owner.text("uri")[:5].lower() != "data:"


def _owners(fields: Fields) -> list[Fields]:
    """All objects that describe a part of a buffer: the views, and what their compression says beside them."""
    found = []
    for view in fields.each("bufferViews"):
        found.append(view)
        if MESHOPT in view.child("extensions"):
            found.append(view.child("extensions").child(MESHOPT))
    for owner in found:
        owner.index("buffer", fields.count("buffers"), "buffers")
    return found


def _move_views(document: Document, fields: Fields, buffer: BufferBuilder, outside: list[int]) -> None:
    """Copy what each view describes, or whole buffers where views overlap or are compressed."""
    owners = _owners(fields)
    number = {index: 1 + place for place, index in enumerate(outside)}
    moved = [index for index in range(fields.count("buffers")) if index not in number]
    size = sum(fields.item("buffers", index).integer("byteLength", low=1) for index in moved)
    copied = sum(owner.integer("byteLength", low=1) for owner in owners if owner.data["buffer"] not in number)
    by_view = len(owners) == fields.count("bufferViews") and copied <= size
    starts = {} if by_view else {index: buffer.add_bytes(document.buffer(index)) for index in moved}
    for owner in owners:
        place, at = owner.data, owner.integer("byteOffset", default=0)
        if place["buffer"] in number:
            place["buffer"] = number[place["buffer"]]
            continue
        if by_view:
            place["byteOffset"] = buffer.add_bytes(document.view(owner), like=at)
        else:
            place["byteOffset"] = starts[place["buffer"]] + at
        place["buffer"] = 0


def _pack_image(document: Document, image: Fields, result: Packed, inside: bool, warn: Callable[[str], None]) -> None:
    uri = image.text("uri")
    if not _is_outside(image):
        if inside:
            _to_view(image, from_data_uri(image, uri), result.buffer, uri[5:].split(",")[0].split(";")[0])
        return
    try:
        data = document.beside(image, uri).read_bytes()
    except (MotionFileError, OSError) as error:
        found = error.found if isinstance(error, MotionFileError) else str(error)
        warn(f"{image.where}: {found}; the image was left as it was")
        return
    if inside:
        _to_view(image, data, result.buffer, "")
    else:
        result.beside[unquote(uri)] = data


def _to_view(image: Fields, data: bytes, buffer: BufferBuilder, kind: str) -> None:
    seen = next((mime for start, mime in _SIGNATURES if data.startswith(start)), "")
    image.data["bufferView"] = buffer.add_view(data)
    image.data["mimeType"] = seen or image.data.get("mimeType") or kind or "image/png"
    del image.data["uri"]


@contextmanager
def standing_beside(path: Path, files: dict[str, bytes]) -> Iterator[None]:
    """Put files beside ``path`` while it is written. They go again if that fails."""
    if files and not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist")
    new: list[tuple[Path, bytes]] = []
    for name, data in files.items():
        file = path.parent / name
        if not file.exists():
            new.append((file, data))
        elif not file.is_file() or file.read_bytes() != data:
            expected = "a folder without one, or a .glb file, which holds everything"
            raise MotionFileError(path, f"another file called {name!r} in the same folder", expected)
    try:
        for file, data in new:
            file.parent.mkdir(parents=True, exist_ok=True)
            with replacing(file) as opened:
                opened.write(data)
        yield
    except BaseException:
        for file, _ in new:
            file.unlink(missing_ok=True)
        raise
