"""The way in for characters: ``load_character``."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

from kinesphere.files.errors import MotionFileError
from kinesphere.files.registry import format_to_read
from kinesphere.motion.character import Character
from kinesphere.motion.soles import sole_depths


def load_character(path: str | PathLike[str]) -> Character:
    """Read a character from a ``.glb``, ``.gltf`` or ``.vrm`` file: its skeleton at rest, and its surface.

    Metres and Y up, facing as in the file; a VRM 0 character, which faces -Z there, is turned to face +Z. What was
    done is in ``character.source.evidence``. ``save(motion, path, character=character)`` writes all that the file
    holds, with the motion as its one clip. A file without any mesh, such as an animation alone, gives a bare skeleton,
    with a warning.

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
    skeleton = character.skeleton.with_found_roles()
    return replace(character, skeleton=replace(skeleton, soles=sole_depths(skeleton, character.meshes)))


def save_character(character: Character, path: str | PathLike[str]) -> None:
    """Write a character of our own, made in memory, to a ``.glb`` or ``.gltf`` file, without any clip.

    One that came from a file is written with a motion: ``save(motion, path, character=character)`` keeps all of that.
    """
    from kinesphere.files.gltf.write import save_character as save_gltf_character

    file = Path(path)
    if file.suffix.lower() not in (".glb", ".gltf"):
        raise MotionFileError(file, f"the suffix {file.suffix!r} for a character", ".glb or .gltf")
    save_gltf_character(character, file)


def is_only_animation(character: Character) -> bool:
    """Whether the character's file has clips but no mesh: a motion's body rather than a character."""
    from kinesphere.files.gltf.characters import CharacterFile

    return isinstance(character.document, CharacterFile) and character.document.is_only_animation
