"""Built-in motions: one TOML file each in ``motion_files/``, generated on demand.

``add_gesture`` adds a file of the user's, which then has a name like the built-in ones.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from kinesphere.builtin.characters import check_range
from kinesphere.engine.generation import generate
from kinesphere.engine.phrases import figure_body, phrase_of
from kinesphere.engine.proportions import HEIGHT
from kinesphere.files.gait_toml import gait_from_table
from kinesphere.files.gesture_toml import gesture_from_table
from kinesphere.motion.document import describe_choices, show_value
from kinesphere.motion.errors import MotionFileError, unknown_name
from kinesphere.motion.gait import Movement
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.motion import Motion
from kinesphere.motion.toml_text import read_table

KINDS = ("gesture", "walk")
_EXPECTED = "a motion in TOML"
_ADDED: dict[str, Path] = {}  # files of the user's by name
HEIGHTS = (0.1, 10.0)  # metres
FOLDER = Path(__file__).parent / "motion_files"  # another name than the function's: a folder may be taken for a module


def motions() -> tuple[str, ...]:
    """The names of the figure's motions."""
    return tuple(sorted(_files()))


def gesture(name: str) -> Gesture:
    """The gesture of a motion that is made of key points."""
    path, table = _table(_check_name(name))
    if table.get("kind", "gesture") != "gesture":
        raise ValueError(f"{name!r} is not made of key points; these are: {', '.join(gestures())}")
    return gesture_from_table(table, path, name)


def movement(name: str) -> Movement:
    """The gesture or the walk of a motion."""
    return _read(name, *_table(_check_name(name)))


def load_movement(path: str | Path) -> Movement:
    """The gesture or the walk of a file; a walk may be ``like`` one of those that have names."""
    file = Path(path)
    return _read(_name_of(file), *_merged(file, read_table(file, _EXPECTED)))


def gestures() -> tuple[str, ...]:
    """The names of motions that are made of key points."""
    return tuple(name for name in motions() if _kind(_files()[name]) == "gesture")


def motion_kind(name: str) -> str | None:
    """``"gesture"`` or ``"walk"``; None: no motion has this name."""
    file = _files().get(name)
    return None if file is None else _kind(file)


def motion_about(name: str) -> str:
    """What a motion shows, in a line."""
    return str(_table(_check_name(name))[1].get("about", ""))


def add_gesture(path: str | Path) -> str:
    """Add a gesture or a walk of the user's, by its file's name with spaces for underscores; returns that name.

    A name that another file has is refused. Adding a file once more changes nothing.
    """
    file = Path(path).resolve()
    name = _name_of(file)
    taken = _files().get(name)
    if taken == file:
        return name
    if taken is not None:
        raise MotionFileError(path, f"a motion called {name!r}, which {taken} is", "a name that is free")
    _read(name, *_merged(file, read_table(file, _EXPECTED)))
    _ADDED[name] = file
    return name


def motion(name: str, height: float = HEIGHT) -> Motion:
    """One of the figure's motions, 60 frames per second, on the figure's skeleton at this height in metres."""
    return _motion(_check_name(name), check_range("height", height, HEIGHTS))


@lru_cache(maxsize=64)
def _motion(name: str, height: float) -> Motion:
    return generate(phrase_of(movement(name), figure_body(height)))


def _read(name: str, path: Path, table: dict[str, Any]) -> Movement:
    """The gesture or the walk of a table."""
    kind = table.get("kind", "gesture")
    if kind not in KINDS:
        raise MotionFileError(path, show_value(kind), describe_choices(str(kind), KINDS), where="kind")
    return gait_from_table(table, path, name) if kind == "walk" else gesture_from_table(table, path, name)


def _name_of(file: Path) -> str:
    return file.stem.replace("_", " ")


def _files() -> dict[str, Path]:
    return {**_own_files(), **_ADDED}


@lru_cache(maxsize=1)
def _own_files() -> dict[str, Path]:
    return {_name_of(path): path for path in FOLDER.glob("*.toml")}


def _check_name(name: object) -> str:
    if not isinstance(name, str):
        raise ValueError(f"motion {name!r}: a name is expected. There are: {', '.join(motions())}")
    if name not in _files():
        raise ValueError(unknown_name("motion", name, motions()))
    return name


@lru_cache
def _kind(path: Path) -> str:
    return str(_merged(path, read_table(path, _EXPECTED))[1].get("kind", "gesture"))


def _table(name: str) -> tuple[Path, dict[str, Any]]:
    """A motion's file and its table."""
    path = _files()[name]
    return _merged(path, read_table(path, _EXPECTED))


def _merged(path: Path, table: dict[str, Any]) -> tuple[Path, dict[str, Any]]:
    """The table, with fields of the motion that it is ``like`` where it has none itself."""
    if "like" not in table:
        return path, table
    others = {name: file for name, file in _files().items() if file != path}
    like = table["like"]
    if not isinstance(like, str) or like not in others:
        expected = describe_choices(str(like), sorted(others))
        raise MotionFileError(path, show_value(like), f"another motion, {expected}", where="like")
    return path, read_table(others[like], _EXPECTED) | table
