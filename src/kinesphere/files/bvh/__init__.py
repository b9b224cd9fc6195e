"""BVH (Biovision hierarchy): a skeleton in nested braces, then a row of Euler angles for every frame."""

from __future__ import annotations

from pathlib import Path

from kinesphere.files.bvh.read import load
from kinesphere.files.registry import Format, SaveOptions, register
from kinesphere.motion.motion import Motion


def _save(motion: Motion, path: Path, options: SaveOptions) -> None:
    from kinesphere.files.bvh.write import save  # reading is the more frequent, and should not wait for it

    save(motion, path, options)


def _looks_like(head: bytes) -> bool:
    text = head.removeprefix(b"\xef\xbb\xbf").replace(b"\x00", b"").lstrip(b"\xff\xfe \t\r\n")
    return text[:9].upper() == b"HIERARCHY"


register(
    Format(
        name="bvh",
        suffixes=(".bvh",),
        about="Biovision hierarchy: skeleton and one clip, Euler angles",
        looks_like=_looks_like,
        load=load,
        save=_save,
    )
)
