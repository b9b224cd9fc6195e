"""File format registry: which formats there are, how a file is recognised, and the options of ``load`` and ``save``.

A format is a module or package of this folder that calls ``register``. Where module and format are named after the
suffix (``bvh`` for ``.bvh``), a file is recognised without importing all other formats.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from kinesphere.motion.errors import MotionFileError

if TYPE_CHECKING:
    from kinesphere.motion.motion import Motion


MOTION = "a motion file"
Positions = Literal["auto", "replace", "add"]


@dataclass(frozen=True)
class LoadOptions:
    """Everything that ``load`` takes besides the path."""

    clip: str | int | None = None
    scale: float | None = None  # file units × scale = metres
    up: str | None = None  # "y", "z", "-z", …: the axis that is up in the file
    rate: float | None = None
    salvage: bool = False
    positions: Positions = "auto"


@dataclass(frozen=True)
class SaveOptions:
    """Everything that ``save`` takes besides the motion and the path."""

    character: Any = None
    scale: float = 1.0  # metres × scale = file units
    up: Literal["y", "z"] = "y"
    order: str | None = None  # Euler order where the format has one
    plain_names: bool = False  # only letters, digits and underscores, each name once


@dataclass(frozen=True)
class Format:
    """One file format: its name, how it is recognised, and its reader and writer."""

    name: str
    suffixes: tuple[str, ...]
    about: str
    looks_like: Callable[[bytes], bool]  # of the first kilobyte
    load: Callable[[Path, LoadOptions], Motion] | None = None
    save: Callable[[Motion, Path, SaveOptions], None] | None = None
    save_clips: Callable[[Sequence[Motion], Path, SaveOptions], None] | None = None  # of files that hold several
    clips: Callable[[Path], tuple[str, ...]] | None = None
    shared: tuple[str, ...] = ()  # suffixes that other programs have as well: contents must fit
    only_read: tuple[str, ...] = ()  # suffixes that are read but not written
    holds_characters: bool = False
    whole: bool = False  # holds all that a motion has, so that loading infers nothing
    keyed: bool = False  # holds curves, which ``rate`` samples exactly, not frames

    @property
    def written_suffixes(self) -> tuple[str, ...]:
        """The suffixes that ``save`` takes."""
        return () if self.save is None else tuple(s for s in self.suffixes if s not in self.only_read)


_formats: dict[str, Format] = {}


def register(format_: Format) -> None:
    """Add a format."""
    _formats[format_.name] = format_


def formats() -> tuple[Format, ...]:
    """All formats, by name."""
    for module in pkgutil.iter_modules(_package_path()):
        importlib.import_module(f"kinesphere.files.{module.name}")
    return tuple(sorted(_formats.values(), key=lambda known: known.name))


def format_to_read(path: Path, expected: str = MOTION) -> Format:
    """The format of a file: the one that contents and suffix both fit, else by contents, else by suffix.

    ``expected`` is what was asked for, for errors.
    """
    if path.is_dir():
        raise MotionFileError(path, "a folder", expected)
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except FileNotFoundError:
        raise MotionFileError(path, "no such file", expected) from None
    except OSError as error:
        raise MotionFileError(path, f"a file that cannot be opened ({error.strerror})", expected) from None
    if not head:
        raise MotionFileError(path, "an empty file", _list_allowed(expected))
    by_name = _format_named(path.suffix.lower().removeprefix("."))
    if by_name is not None and by_name.looks_like(head):
        return by_name
    known = formats()
    named = [f for f in known if path.suffix.lower() in f.suffixes and path.suffix.lower() not in f.shared]
    alike = [f for f in known if f.looks_like(head)]
    for candidate in (*(f for f in named if f in alike), *alike, *named):
        return candidate
    if any(path.suffix.lower() in f.shared for f in known):
        raise MotionFileError(path, "contents of another program", _list_allowed(expected))
    raise MotionFileError(path, f"the unknown suffix {path.suffix!r}", _list_allowed(expected))


def _list_allowed(expected: str) -> str:
    """What was asked for; of motions their suffixes."""
    return f"one of {_list_suffixes(reading=True)}" if expected == MOTION else expected


def _format_named(name: str) -> Format | None:
    """The format of that name, without importing all others; only if its module has that name, too."""
    if name not in _formats and name in {module.name for module in pkgutil.iter_modules(_package_path())}:
        importlib.import_module(f"kinesphere.files.{name}")
    return _formats.get(name)


def _package_path() -> list[str]:
    import kinesphere.files as package

    return list(package.__path__)


def format_to_write(path: Path) -> Format:
    """The format to write, by the file's suffix."""
    for candidate in formats():
        if path.suffix.lower() in candidate.written_suffixes:
            return candidate
    raise MotionFileError(path, f"the suffix {path.suffix!r}", f"one of {_list_suffixes(reading=False)}")


def _list_suffixes(*, reading: bool) -> str:
    if reading:
        return ", ".join(suffix for f in formats() if f.load is not None for suffix in f.suffixes)
    return ", ".join(suffix for f in formats() for suffix in f.written_suffixes)


def writable_names(names: Sequence[str], *, plain: bool = False) -> tuple[str, ...]:
    """Unique joint names that other programs accept: without spaces and braces, none empty.

    ``plain`` (``SaveOptions.plain_names``) keeps to ASCII letters, digits and underscores, starting with a letter, as
    game engines want it.
    """
    taken: set[str] = set()
    result = []
    for number, name in enumerate(names):
        clean = re.sub(r"[^A-Za-z0-9_]" if plain else r"[\s{}]", "_", name)
        if plain and clean and not clean[0].isalpha():
            clean = f"joint_{clean.lstrip('_')}" if clean.strip("_") else ""
        clean = clean or f"joint_{number}"
        unique, count = clean, 1
        while unique in taken:
            count += 1
            unique = f"{clean}_{count}"
        taken.add(unique)
        result.append(unique)
    return tuple(result)
