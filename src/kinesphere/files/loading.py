"""Load and save motions and characters, whatever their format."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from kinesphere.files.orientation import AXES
from kinesphere.files.registry import LoadOptions, Positions, SaveOptions, format_to_read, format_to_write
from kinesphere.maths.vectors import Floats
from kinesphere.motion.character import Character, sole_depths
from kinesphere.motion.errors import MotionFileError, MotionFileWarning, warn_caller
from kinesphere.motion.motion import Motion
from kinesphere.motion.transform import sample_frames

FAR = 1e5  # metres: nobody captures that far away
Read = TypeVar("Read", Motion, Character)


def load(
    path: str | PathLike[str],
    *,
    clip: str | int | None = None,
    scale: float | None = None,
    up: str | None = None,
    rate: float | None = None,
    salvage: bool = False,
    positions: Positions = "auto",
) -> Motion:
    """Read a motion from a file, in metres and Y up.

    Parameters
    ----------
    path
        A ``.bvh``, ``.glb``, ``.gltf``, ``.vrm``, ``.vrma`` or ``.npz`` file. Contents decide if the suffix is wrong.
    clip
        Which clip, by name or number, of a file that has several. Left out: the only one, or the first.
    scale
        Metres in one unit of the file, where the inferred one (see ``motion.source.evidence``) is wrong.
    up
        The axis that is up in the file (``"y"``, ``"z"``, ``"-z"``, …), likewise.
    rate
        Frames a second: what a BVH's frames really are, or at which rate a glTF's keys are sampled.
    salvage
        Recover what can be recovered of a broken file, and warn of what was dropped, instead of raising.
    positions
        Whether position channels of a BVH joint ``replace`` its offset or ``add`` to it; ``auto`` looks at them.

    Raises
    ------
    MotionFileError
        With the file, the location in it, what was found and what was expected.
    """
    file = Path(path)
    check_read_options(f"{file}: ", scale, up, rate, positions)
    known = format_to_read(file)
    if known.load is None:
        raise MotionFileError(file, f"a file of {known.about}", f"a motion; {known.name} files have their own loader")
    if known.clips is None and clip not in (None, 0, file.stem):
        raise MotionFileError(file, f"no clip {clip!r}", f"{file.stem!r}, the only one")
    motion = known.load(file, LoadOptions(clip, scale, up, rate, salvage, positions))
    motion = _with_far_places_noted(motion, motion.translations, motion.skeleton.offsets)
    if known.whole:
        return motion
    return replace(motion, skeleton=motion.skeleton.with_found_roles(sample_frames(motion).positions_world))


def _with_far_places_noted(read: Read, *places: Floats) -> Read:
    """What was read, with a warning where places are so far away that a wrong unit or a broken file is likely."""
    farthest = max(float(np.abs(values).max(initial=0.0)) for values in places)
    if not farthest > FAR:
        return read
    far = f"places up to {farthest:.3g} m from the origin or from the joint above; is the unit right?"
    warn_caller(f"{read.source.path}: {far}", MotionFileWarning)
    return replace(read, source=replace(read.source, warnings=(*read.source.warnings, far)))


def clip_names(path: str | PathLike[str]) -> tuple[str, ...]:
    """The names of the clips in a file, in its order. A file of one unnamed clip has the clip of its own name."""
    file = Path(path)
    known = format_to_read(file)
    return known.clips(file) if known.clips is not None else (file.stem,)


def find_clip(path: str | PathLike[str], text: str | int | None) -> str | int | None:
    """The clip that a text names. Digits are a number, unless a clip has just that name."""
    if not isinstance(text, str) or not text.isdecimal():
        return text
    return text if text in clip_names(path) else int(text)


def save(
    motion: Motion,
    path: str | PathLike[str],
    *,
    character: Any = None,
    scale: float = 1.0,
    up: Literal["y", "z"] = "y",
    order: str | None = None,
    plain_names: bool = False,
) -> None:
    """Write a motion in the format that the file's suffix names. The file appears whole or not at all.

    ``scale``, ``up`` and ``order`` (units per metre, the vertical axis, the Euler order) are for formats that leave
    them open, such as BVH. ``plain_names`` keeps to letters, digits and underscores, each name once.
    """
    file = Path(path)
    if not (math.isfinite(scale) and scale > 0.0):
        raise ValueError(f"{file}: scale={scale}; a positive number is expected")
    if up not in ("y", "z"):
        raise ValueError(f"{file}: up={up!r}; allowed: y, z")
    known = format_to_write(file)
    if character is not None and not known.holds_characters:
        raise ValueError(f"{file}: a {known.name} file holds no character; leave it out, or write .glb")
    assert known.save is not None
    known.save(motion, file, SaveOptions(character, scale, up, order, plain_names))


def save_clips(
    motions: Sequence[Motion], path: str | PathLike[str], *, character: Any = None, plain_names: bool = False
) -> None:
    """Write several motions of one skeleton as the clips of one file, such as a ``.glb``; see ``save``.

    A clip has its motion's name. Rates and lengths may differ.
    """
    file, listed = Path(path), tuple(motions)
    known = format_to_write(file)
    if len(listed) == 1:
        save(listed[0], file, character=character, plain_names=plain_names)
        return
    if not listed:
        raise ValueError(f"{file}: no motion to write; at least one is needed")
    if known.save_clips is None:
        raise ValueError(f"{file}: a {known.name} file holds one clip, {len(listed)} were given; write .glb")
    first = listed[0].skeleton
    for motion in listed[1:]:
        if not (first.same_tree(motion.skeleton) and np.allclose(first.offsets, motion.skeleton.offsets, atol=1e-6)):
            raise ValueError(f"{file}: {motion!r} is of another skeleton than {listed[0]!r}; retarget one first")
    known.save_clips(listed, file, SaveOptions(character, plain_names=plain_names))


def check_read_options(
    before: str, scale: float | None, up: str | None, rate: float | None, positions: str = "auto"
) -> None:
    """Raise ``ValueError`` where an option of ``load`` cannot be; ``before`` precedes its name in the message."""
    for name, value in (("scale", scale), ("rate", rate)):
        if value is not None and not (math.isfinite(value) and value > 0.0):
            raise ValueError(f"{before}{name}={value}; a positive number is expected")
    if up is not None and up not in AXES:
        raise ValueError(f"{before}up={up!r}; allowed: {', '.join(AXES)}")
    if positions not in ("auto", "replace", "add"):
        raise ValueError(f"{before}positions={positions!r}; allowed: auto, replace, add")


def load_character(path: str | PathLike[str]) -> Character:
    """Read a character from a ``.glb``, ``.gltf`` or ``.vrm`` file: its skeleton at rest, and its surface.

    Metres and Y up, facing as in the file; a VRM 0 character, which faces -Z there, is rotated to face +Z. What was
    done is in ``character.source.evidence``. ``save(motion, path, character=character)`` writes all that the file
    holds, with the motion as its one clip. A file without any mesh, such as an animation alone, gives a bare skeleton,
    with a warning.

    Raises
    ------
    MotionFileError
        With the file, the location in it, what was found and what was expected.
    """
    from kinesphere.files.gltf.character import load_character as load_gltf_character

    file = Path(path)
    known = format_to_read(file, "a character: a .glb, .gltf or .vrm file")
    if known.name != "gltf":
        found = f"a file of {known.about}"
        raise MotionFileError(file, found, "a .glb, .gltf or .vrm character; a motion is opened with load")
    character = load_gltf_character(file)
    character = _with_far_places_noted(character, character.skeleton.offsets)
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
    from kinesphere.files.gltf.character import GltfCharacterFile

    return isinstance(character.document, GltfCharacterFile) and character.document.is_only_animation


def has_bone_mesh(character: Character) -> bool:
    """Whether all of the character's surface is the bones that we draw into files of motions alone."""
    from kinesphere.files.gltf.character import GltfCharacterFile

    return isinstance(character.document, GltfCharacterFile) and character.document.has_bone_mesh


def load_surface(path: str | PathLike[str]) -> Character | None:
    """Read the character in a motion file; None where it has no surface of its own, but an animation or our bones."""
    if not format_to_read(Path(path)).holds_characters:
        return None
    with warnings.catch_warnings():  # those about a missing surface don't matter here
        warnings.simplefilter("ignore")
        character = load_character(path)
    bare = is_only_animation(character) or not character.meshes or has_bone_mesh(character)
    return None if bare else character


def with_own_soles(motion: Motion, path: str | PathLike[str]) -> Motion:
    """The motion with the soles of the surface in its file, if it has one, where a person's would be a guess."""
    try:
        character = load_surface(path)
    except ValueError:  # the motion could be read, which is enough
        return motion
    if character is None or not character.skeleton.same_tree(motion.skeleton):
        return motion
    return replace(motion, skeleton=replace(motion.skeleton, soles=character.skeleton.soles))
