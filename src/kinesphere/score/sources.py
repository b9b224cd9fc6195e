"""Names and files that become gestures, motions and characters: what a score says is performed, by whom, and with what.

A field of an edit whose type is annotated as ``MotionSource`` may hold a motion, or the name or file of one.
``resolve_sources`` replaces names and files by motions, ``rename_files`` renames files.

What gestures and built-in motions need is imported where they are asked for: edits of files start sooner without.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

from kinesphere.body.body import Body
from kinesphere.body.ground import place_on_ground
from kinesphere.files.keypoints import KEY_LINE, load_keypoints, looks_like_keypoints
from kinesphere.files.loading import find_clip, load, load_character
from kinesphere.files.mapping import with_mapping
from kinesphere.files.registry import formats
from kinesphere.motion.character import Character
from kinesphere.motion.document import Flag, Setting, Text, Whole, document, hints_of, number
from kinesphere.motion.edit import EditBase, NameOrFile, SourceOfMotion, is_name
from kinesphere.motion.errors import MotionFileError, nearest_names, unknown_name
from kinesphere.motion.gait import Gait, Movement
from kinesphere.motion.gesture import Gesture, Keypoint, Keypoints
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.toml_text import read_table

if TYPE_CHECKING:
    from kinesphere.scripts.script_file import Script

AnyEdit = TypeVar("AnyEdit", bound=EditBase)
Source: TypeAlias = "Gesture | Gait | Script | Keypoints | Motion | str | Path"
Performed: TypeAlias = "Movement | Script"  # what becomes a phrase
HOLD_AFTER = 0.5  # seconds that a gesture of key points alone lasts after the last one
GESTURE_FILES = (".toml",)
KEY_FILES = (".keys", ".txt")  # the second has other contents, too
AFTER_LOADING = ("to_ground", "mapping")  # what is done with a motion that has been read


@document(frozen=True)
class Reading:
    """How motion files are read, where what a file says or what is inferred is wrong.

    The rate is also that of gestures and of built-in motions.
    """

    clip: Annotated[Text | Whole | None, Setting("Which clip, by name or number, of a file that has several.")] = None
    scale: Annotated[float, number(1e-9, 1e9, "Metres in one unit of the file.")] | None = None
    up: Annotated[Literal["x", "y", "z", "-x", "-y", "-z"] | None, Setting("The axis that is up in the file.")] = None
    rate: Annotated[float, number(1e-3, 1e6, "Frames a second of the file.")] | None = None
    salvage: Annotated[Flag, Setting("Read what can be read of a broken file.")] = False
    positions: Annotated[
        Literal["auto", "replace", "add"], Setting("What position channels do to a joint's offset.")
    ] = "auto"
    to_ground: Annotated[Flag, Setting("Bring the ground of a motion to y = 0.")] = False
    mapping: Annotated[Text | None, Setting("A file that says which joint has which humanoid role.")] = None

    def load(self, path: Path) -> Motion:
        """Read a motion file."""
        options = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in AFTER_LOADING}
        motion = with_mapping(load(path, **options | {"clip": find_clip(path, self.clip)}), self.mapping)
        return place_on_ground(motion) if self.to_ground else motion

    @property
    def of_others(self) -> Reading:
        """The same for other files than the one that has the clip."""
        return self if self.clip is None and self.mapping is None else replace(self, clip=None, mapping=None)


AS_FOUND = Reading()


# Gestures and motions


def is_motion(source: Source) -> bool:
    """Whether a source is a motion, or a motion's file, rather than a gesture or a walk."""
    if isinstance(source, Motion):
        return True
    if not isinstance(source, str | Path):
        return False
    suffix = Path(source).suffix.lower()
    return bool(suffix) and suffix in _motion_suffixes()


def _motion_suffixes() -> frozenset[str]:
    return frozenset(suffix for known in formats() if known.name != "keypoints" for suffix in known.suffixes)


def resolve_motion(source: Motion | str | Path, reading: Reading = AS_FOUND) -> Motion:
    """The motion itself, the built-in one of that name, or the one in the file; the latter two as ``reading`` says."""
    if isinstance(source, Motion):
        return source
    file = Path(source)
    if len(file.parts) == 1 and not file.suffix and not file.exists():
        from kinesphere.builtin.library import motion, motions

        if str(source) not in motions():
            raise ValueError(f"{unknown_name('motion', str(source), motions())}. Files have a suffix")
        made = motion(str(source))
    elif file.suffix.lower() in GESTURE_FILES:
        from kinesphere.engine.generation import generate

        made = generate(performed_phrase(_load_movement(file)))
    else:
        return reading.load(file)
    return made if reading.rate is None else made.resampled(reading.rate)


def resolve_movement(source: Source) -> Performed:
    """The gesture, walk or script of a source: itself, one of key points, one by its name, or one from a file."""
    if isinstance(source, Motion):
        raise TypeError(f"{source} is a motion; a gesture, a walk or a script is expected")
    if isinstance(source, Gesture | Gait):
        return source
    if isinstance(source, Keypoints):
        return _gesture_of_keys(source)
    if not isinstance(source, str | Path):
        return source
    path = Path(source)
    if is_name(source) and not path.is_file():
        return _builtin_movement(str(source))
    if path.suffix.lower() in GESTURE_FILES:
        return _load_movement(path)
    return _gesture_of_keys(_load_keypoints(path), path.stem)


def _load_keypoints(path: Path) -> Keypoints:
    """Key points of a file; what is there instead of them is no broken line of key points."""
    expected = f"a motion, a gesture ({', '.join(GESTURE_FILES)}) or key points ({', '.join(KEY_FILES)})"
    suffix = path.suffix.lower()
    if not path.is_file():
        found = "a folder" if path.is_dir() else "no such file"
        raise MotionFileError(path, found, "a text file of key points" if suffix in KEY_FILES else expected)
    if suffix != KEY_FILES[0]:
        with path.open("rb") as file:
            if not looks_like_keypoints(file.read(4096)):
                raise MotionFileError(path, "contents of another program", f"{expected}, one a line: {KEY_LINE}")
    return load_keypoints(path)


SCRIPTS = ("script", "action")  # kinds of files of which a script is made


def _load_movement(path: Path) -> Performed:
    if read_table(path, "a gesture, a walk, a script or an action in TOML").get("kind") in SCRIPTS:
        from kinesphere.scripts.script_file import load_performed

        return load_performed(path)
    from kinesphere.builtin.library import load_movement

    return load_movement(path)


def performed_phrase(performed: Performed, body: Body | None = None, seed: int | None = None) -> Phrase:
    """The phrase of a gesture, a walk or a script on a body, the figure unless given."""
    from kinesphere.engine.phrases import figure_body, phrase_of

    if isinstance(performed, Gesture | Gait):
        return phrase_of(performed, body, seed)
    from kinesphere.scripts.script_phrase import script_phrase

    return script_phrase(performed, figure_body() if body is None else body, seed)


@lru_cache(maxsize=64)
def _builtin_movement(name: str) -> Movement:
    from kinesphere.builtin.library import movement

    return movement(name)


def _gesture_of_keys(keys: Keypoints, name: str = "key points") -> Gesture:
    """A gesture of one arm's keys. Keys before time 0 are delayed so that the first is at 0."""
    first = keys.keys[0].frame
    shifted = tuple(
        Keypoint(key.frame - min(first, 0.0), key.position, key.swivel, key.stop, key.space) for key in keys.keys
    )
    own = Keypoints(shifted, keys.rate, keys.part, keys.locked, keys.source)
    side = "left" if keys.part.lower().startswith("left") else "right"
    duration = shifted[-1].frame / keys.rate + HOLD_AFTER
    left, right = (own, None) if side == "left" else (None, own)
    return Gesture(name, duration, left, right, source=keys.source)


# Characters


def resolve_character(character: Character | str | Path) -> Character:
    """The character itself, the figure or Mo by name, or the one in the file."""
    if isinstance(character, Character):
        return character
    if not is_name(character) or Path(character).is_file():
        return _load_character(Path(character))
    from kinesphere.builtin import characters

    if character not in characters.CHARACTERS:
        near = nearest_names(str(character), tuple(characters.CHARACTERS))
        hint = f"; did you mean {near[0]}?" if near else ""
        expected = f"a character file, or one of ours: {', '.join(characters.CHARACTERS)}{hint}"
        raise MotionFileError(str(character), "no such file, and no character of ours of that name", expected)
    return characters.figure() if character == "figure" else characters.mo()


def _load_character(path: Path) -> Character:
    """A character's file, kept until it changes: loading one takes longer than performing."""
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        return load_character(path)  # which says what is wrong
    return _load_unchanged(path.absolute(), changed)


@lru_cache(maxsize=4)
def _load_unchanged(path: Path, changed: int) -> Character:
    return load_character(path)


# Motions that edits need


def resolve_sources(edit: AnyEdit, reading: Reading = AS_FOUND) -> AnyEdit:
    """The edit with motions in place of their names and files."""
    return _replace_sources(edit, lambda source: resolve_motion(source, reading.of_others))


def rename_files(edit: AnyEdit, rename: Callable[[Path], Path]) -> AnyEdit:
    """The edit with the files of its motions renamed; names of built-in motions stay."""
    renamed = {
        name: str(rename(Path(getattr(edit, name))))
        for name in _file_fields(type(edit))
        if not is_name(getattr(edit, name))
    }
    moved = replace(edit, **renamed) if renamed else edit  # type: ignore[type-var]
    return _replace_sources(moved, lambda source: rename_file(source, rename))


def rename_file(source: Any, rename: Callable[[Path], Path]) -> Any:
    """A source, renamed if it is a file."""
    return source if not isinstance(source, str | Path) or is_name(source) else rename(Path(source))


def check_no_motion(edit: EditBase) -> None:
    """Refuse motions themselves, which have no place in a document."""

    def check(source: Any) -> Any:
        if isinstance(source, Motion):
            raise ValueError(f"{source} has no place in a document: save it, and name its file instead")
        return source

    _replace_sources(edit, check)


def _replace_sources(edit: AnyEdit, change: Callable[[Any], Any]) -> AnyEdit:
    changed = {}
    for name in _source_fields(type(edit)):
        value = getattr(edit, name)
        new = _change_each(value, change)
        if new is not value:
            changed[name] = new
    return replace(edit, **changed) if changed else edit  # type: ignore[type-var]


def _change_each(value: Any, change: Callable[[Any], Any]) -> Any:
    """A source, or each of several, changed; the same object where nothing changes."""
    if isinstance(value, Motion | str | Path):
        return change(value)
    if isinstance(value, tuple | list):
        entries: Any = [_change_each(entry, change) for entry in value]
        return value if all(new is old for new, old in zip(entries, value, strict=True)) else type(value)(entries)
    if isinstance(value, Mapping):
        table = {key: _change_each(entry, change) for key, entry in value.items()}
        return value if all(table[key] is value[key] for key in value) else table
    return value


@cache
def _source_fields(cls: type) -> tuple[str, ...]:
    """Names of the fields whose types are annotated as sources of motions."""
    hints = hints_of(cls) if hasattr(cls, "__dataclass_fields__") else {}
    return tuple(field.name for field in fields(cls) if _has_source(hints[field.name])) if hints else ()


@cache
def _file_fields(cls: type) -> tuple[str, ...]:
    """Names of the fields that are a name or a file."""
    hints = hints_of(cls) if hasattr(cls, "__dataclass_fields__") else {}
    annotated = {name: get_args(hint)[1:] for name, hint in hints.items() if get_origin(hint) is Annotated}
    return tuple(name for name, entries in annotated.items() if any(isinstance(own, NameOrFile) for own in entries))


def _has_source(hint: Any) -> bool:
    if get_origin(hint) is Annotated and any(isinstance(entry, SourceOfMotion) for entry in get_args(hint)[1:]):
        return True
    return any(_has_source(own) for own in get_args(hint))
