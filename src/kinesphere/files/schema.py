"""TOML validation: errors name the file, the field, what was found and what is allowed."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from kinesphere.motion.errors import MotionFileError, nearest_names

LARGEST = 1_000_000  # bytes


def read_text(path: Path, expected: str) -> str:
    """The file's text. ``expected`` is what the error message says the file should be."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise MotionFileError(path, "no such file", expected) from None
    except OSError as error:
        raise MotionFileError(path, f"what cannot be read ({error.strerror})", expected) from None
    return _decode(path, data, expected)


def read_table(path: Path, expected: str) -> dict[str, Any]:
    """The file's table. ``expected`` is what the error message says the file should be."""
    return _parse_toml(path, read_text(path, expected), expected)


def parse_toml(path: Path, text: bytes, expected: str) -> dict[str, Any]:
    """The table of a TOML text; ``path`` is what error messages call it."""
    return _parse_toml(path, _decode(path, text, expected), expected)


def _decode(path: Path, data: bytes, expected: str) -> str:
    if len(data) > LARGEST:
        raise MotionFileError(path, f"more than {LARGEST} bytes", expected)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MotionFileError(path, f"what is no TOML ({error})", expected) from None


def _parse_toml(path: Path, text: str, expected: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise MotionFileError(path, f"what is no TOML ({error})", expected) from None


MOST_KEYS = 10_000  # entries of a list


def read_toml(path: Path) -> TomlFields:
    """The file's fields."""
    return TomlFields(path, read_table(path, "a motion in TOML"))


class TomlFields:
    """One table of a file. Each field is taken once; ``done`` refuses fields that were never taken."""

    def __init__(self, path: Path, table: Mapping[str, Any], where: str = "") -> None:
        self.path, self.where = path, where
        self._table = dict(table)
        self._taken: list[str] = []

    def over(self, other: TomlFields) -> TomlFields:
        """These fields, and the other table's where this one has none."""
        return TomlFields(self.path, other._table | self._table, self.where)

    def fail(self, name: str, found: str, expected: str) -> MotionFileError:
        """The error for a field, to be raised."""
        return MotionFileError(self.path, found, expected, where=self._path_of(name))

    def table(self, name: str) -> TomlFields:
        """A table inside this one; empty where there is none."""
        value = self._take(name, {})
        if not isinstance(value, dict):
            raise self.fail(name, _describe(value), "a table")
        return TomlFields(self.path, value, self._path_of(name))

    def tables(self, name: str) -> list[TomlFields]:
        """A list of tables."""
        rows = self._list(name)
        for i, row in enumerate(rows):
            if not isinstance(row, dict):
                raise self.fail(f"{name}[{i}]", _describe(row), "a table in braces")
        return [TomlFields(self.path, row, self._path_of(f"{name}[{i}]")) for i, row in enumerate(rows)]

    def text(self, name: str, otherwise: str | None = None) -> str:
        """A string."""
        value = self._take(name, otherwise)
        if not isinstance(value, str):
            raise self.fail(name, _describe(value), "text in quotes")
        return value

    def flag(self, name: str) -> bool:
        """true or false; false where it is left out."""
        value = self._take(name, False)
        if not isinstance(value, bool):
            raise self.fail(name, _describe(value), "true or false")
        return value

    def number(self, name: str, otherwise: float | None = None) -> float:
        """A finite number."""
        return self._number(name, self._take(name, otherwise))

    def value(self, name: str) -> Any:
        """The field unchecked, or None."""
        return self._take(name, None)

    def numbers(self, name: str, value: Any, count: int) -> tuple[float, ...]:
        """That many finite numbers in brackets."""
        if not isinstance(value, list) or len(value) != count:
            raise self.fail(name, _describe(value), f"{count} numbers in brackets")
        return tuple(self._number(f"{name}[{i}]", item) for i, item in enumerate(value))

    def rows(self, name: str) -> list[list[Any]]:
        """A list of lists."""
        rows = self._list(name)
        for i, row in enumerate(rows):
            if not isinstance(row, list) or not row:
                raise self.fail(f"{name}[{i}]", _describe(row), "a key in brackets, such as [0.5, 10]")
        return rows

    def names(self) -> list[str]:
        """Fields that have not been taken yet."""
        return [name for name in self._table if name not in self._taken]

    def has(self, name: str) -> bool:
        """Whether the field is there."""
        return name in self._table

    def done(self) -> None:
        """Refuse fields that have not been taken."""
        left = self.names()
        if left:
            raise self.fail(left[0], "a field that means nothing here", describe_choices(left[0], self._taken))

    def _take(self, name: str, otherwise: Any) -> Any:
        self._taken.append(name)
        if name not in self._table and otherwise is None:
            return None
        return self._table.get(name, otherwise)

    def _list(self, name: str) -> list[Any]:
        value = self._take(name, [])
        if not isinstance(value, list):
            raise self.fail(name, _describe(value), "a list in brackets")
        if len(value) > MOST_KEYS:
            raise self.fail(name, f"{len(value)} entries", f"at most {MOST_KEYS}")
        return value

    def _number(self, name: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.fail(name, _describe(value), "a number")
        if abs(value) > 1e6 or not math.isfinite(value):
            raise self.fail(name, _describe(value), "a number of reasonable size")
        return float(value)

    def _path_of(self, name: str) -> str:
        return f"{self.where}.{name}" if self.where else name


def describe_choices(found: str, allowed: Iterable[str]) -> str:
    """For error messages: the allowed names, and the one that ``found`` was probably meant to be."""
    names = list(dict.fromkeys(allowed))
    begun = [name for name in names if len(name) > 1 and found.lower().startswith(name)]  # "inwards" is "in", no other
    near = begun or nearest_names(found, names)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"one of: {', '.join(names)}{hint}" if names else "nothing"


def _describe(value: Any) -> str:
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
