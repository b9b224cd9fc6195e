"""The way in for characters: ``load_character``."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

from kinesphere.files.errors import MotionFileError
from kinesphere.files.registry import format_to_read
from kinesphere.motion.character import Character


def load_character(path: str | PathLike[str]) -> Character:
    """Read a character from a ``.glb``, ``.gltf`` or ``.vrm`` file: its skeleton at rest, and its surface.

    Metres and Y up, facing as in the file; a VRM 0 character, which faces -Z there, is turned to face +Z. What was
    done is in ``character.source.evidence``. ``save(motion, path, character=character)`` writes all that the file
    holds, with the motion as its one clip.

    Raises
    ------
    MotionFileError
        With the file, the place in it, what was found and what was expected.
    """
    from kinesphere.files.gltf.characters import load_character as load_gltf_character

    file = Path(path)
    known = format_to_read(file)
    if known.name != "gltf":
        found = f"a file of {known.about}"
        raise MotionFileError(file, found, "a .glb, .gltf or .vrm character; a motion is opened with load")
    character = load_gltf_character(file)
    return replace(character, skeleton=character.skeleton.with_found_roles())
