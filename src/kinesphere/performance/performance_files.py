"""Files of sketches and composite properties in TOML: ours by name, a user's by file, or added by name to a process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from kinesphere.motion.document import describe_choices, read_document, show_value
from kinesphere.motion.edit import is_name
from kinesphere.motion.errors import MotionFileError, unknown_name
from kinesphere.motion.toml_lines import Place, find_lines, line_of
from kinesphere.motion.toml_text import parse_toml, read_text


@dataclass(frozen=True, eq=False)
class PerformanceFile:
    """A file's table, and the lines of what is in it."""

    name: str
    path: Path
    table: Mapping[str, Any]
    lines: Mapping[Place, int]

    def error(self, place: Place, found: str, expected: str) -> MotionFileError:
        """The error of something at a place of the file, with its line."""
        return MotionFileError(self.path, found, expected, line=line_of(self.lines, place), where=place_text(place))

    def document(self, cls: type[Any], table: Mapping[str, Any], place: Place = ()) -> Any:
        """A document of a part of the file; errors have its line."""
        try:
            return read_document(cls, table, self.path, place_text(place))
        except MotionFileError as error:
            line = line_of(self.lines, parse_place(error.where) or place)
            raise MotionFileError(self.path, error.found, error.expected, line=line, where=error.where) from None


@dataclass(eq=False)
class PerformanceFiles:
    """All files of one kind: ours in a folder, and those that were added to the process."""

    kind: str
    what: str  # what messages call one
    folder: Path
    added: dict[str, Path] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names that are known."""
        return tuple(sorted({*(path.stem for path in self.folder.glob("*.toml")), *self.added}))

    def add(self, path: str | Path) -> str:
        """Add a user's file to this process, by its stem; returns its name. One of ours is not replaced."""
        file = Path(path).resolve()
        if (self.folder / f"{file.stem}.toml").is_file() or self.added.get(file.stem, file) != file:
            raise MotionFileError(path, f"the name of another {self.what}, {file.stem}", "a file of another name")
        self.find(file)
        self.added[file.stem] = file
        return file.stem

    def check(self, name: str | Path) -> None:
        """Refuse an unknown name; files are opened when they are needed."""
        if is_name(name) and str(name) not in self.added and not (self.folder / f"{name}.toml").is_file():
            raise ValueError(f"{unknown_name(self.what, str(name), self.names)}; or a file such as own.toml")

    def find_path(self, name: str | Path) -> Path:
        """Where the file of a name is, if there is one."""
        return self.added.get(str(name), self.folder / f"{name}.toml") if is_name(name) else Path(name)

    def find(self, name: str | Path) -> PerformanceFile:
        """The file of a name, or that file."""
        self.check(name)
        path = self.find_path(name)
        changed = path.stat().st_mtime_ns if path.is_file() else 0
        return _read(path, self.kind, f"a {self.what} in TOML", changed)


@lru_cache(maxsize=256)
def _read(path: Path, kind: str, expected: str, changed: int) -> PerformanceFile:
    text = read_text(path, expected)
    made = PerformanceFile(path.stem, path, parse_toml(path, text.encode(), expected), find_lines(text))
    found = made.table.get("kind")
    if found != kind:
        raise made.error(("kind",), show_value(found), describe_choices(str(found), (kind,)))
    return made


def source_of(name: str) -> str | Path:
    """A name, or the file that it says."""
    return name if is_name(name) else Path(name)


def beside(file: PerformanceFile, name: str) -> str | None:
    """A file in the folder of another one, or below it; None: it would be elsewhere."""
    pure = PurePosixPath(name)
    outside = pure.is_absolute() or ".." in pure.parts or "\\" in name or ":" in name or "\0" in name
    return None if outside else str(file.path.parent / Path(*pure.parts))


def place_text(place: Place) -> str:
    """``property[2].offset``."""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text


def parse_place(text: str) -> Place:
    """The place that ``place_text`` wrote."""
    parts = text.replace("[", ".[").split(".")
    return tuple(int(own[1:-1]) if own.startswith("[") and own[1:-1].isdigit() else own for own in parts if own)
