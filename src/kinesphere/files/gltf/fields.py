"""Looking into JSON that may hold anything: each look says what it wants, and where it was not found."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kinesphere.files.errors import MotionFileError


class Fields:
    """One JSON object of a file, and the path to it, such as ``animations[3].samplers[1]``."""

    def __init__(self, path: Path, data: dict[str, Any], where: str = "") -> None:
        self.path, self.data, self.where = path, data, where

    def __contains__(self, name: str) -> bool:
        return name in self.data

    def place(self, name: str) -> str:
        """The path of one of this object's fields."""
        return f"{self.where}.{name}" if self.where else name

    def error(self, name: str, found: str, expected: str) -> MotionFileError:
        """An error about one of this object's fields, or about the object itself when ``name`` is empty."""
        return MotionFileError(self.path, found, expected, where=self.place(name) if name else self.where)

    def integer(self, name: str, *, low: int = 0, high: int | None = None, default: int | None = None) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        if name not in self.data and default is not None:
            return default
        found = whole(self.data.get(name))
        if found is None or found < low or (high is not None and found > high):
            allowed = f"a whole number of at least {low}" if high is None else f"a whole number from {low} to {high}"
            raise self.error(name, self._described(name), allowed)
        return found

    def index(self, name: str, count: int, of: str) -> int:
        """The number of one of ``count`` things that the file holds under ``of``."""
        found = whole(self.data.get(name))
        if found is None or not 0 <= found < count:
            allowed = f"one of {of}, 0 to {count - 1}" if count else f"no reference: the file has no {of}"
            raise self.error(name, self._described(name), allowed)
        return found

    def text(self, name: str, *, default: str | None = None) -> str:
        """A string."""
        if name not in self.data and default is not None:
            return default
        found = self.data.get(name)
        if not isinstance(found, str):
            raise self.error(name, self._described(name), "text")
        return found.encode("utf-8", "replace").decode()  # halves of characters could not be written again

    def flag(self, name: str) -> bool:
        """True or false; false where nothing is said."""
        found = self.data.get(name, False)
        if not isinstance(found, bool):
            raise self.error(name, self._described(name), "true or false")
        return found

    def numbers(self, name: str, count: int) -> tuple[float, ...] | None:
        """A list of ``count`` finite numbers, or None where nothing is said."""
        if name not in self.data:
            return None
        values = finite_numbers(self.data[name], count)
        if values is None:
            raise self.error(name, self._described(name), f"a list of {count} finite numbers")
        return values

    def child(self, name: str) -> Fields:
        """An object in this one; an empty one where nothing is said."""
        found = self.data.get(name, {})
        if not isinstance(found, dict):
            raise self.error(name, self._described(name), "an object")
        return Fields(self.path, found, self.place(name))

    def items(self, name: str) -> list[Any]:
        """A list; an empty one where nothing is said."""
        found = self.data.get(name, [])
        if not isinstance(found, list):
            raise self.error(name, self._described(name), "a list")
        return found

    def count(self, name: str) -> int:
        """How long a list is."""
        return len(self.items(name))

    def item(self, name: str, index: int) -> Fields:
        """One object of a list."""
        found = self.items(name)[index]
        where = f"{self.place(name)}[{index}]"
        if not isinstance(found, dict):
            raise MotionFileError(self.path, described(found), "an object", where=where)
        return Fields(self.path, found, where)

    def each(self, name: str) -> Iterator[Fields]:
        """All objects of a list."""
        for index in range(self.count(name)):
            yield self.item(name, index)

    def _described(self, name: str) -> str:
        return described(self.data[name]) if name in self.data else "nothing"


def whole(value: Any) -> int | None:
    """A JSON number as an integer, if it is one. JSON has one kind of number, so 5.0 is one as well."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and abs(value) < 2.0**53 and value.is_integer():
        return int(value)
    # No count, offset or index is longer than 62 bits; beyond that even printing a number can fail.
    return value if isinstance(value, int) and value.bit_length() <= 62 else None


def finite_numbers(value: Any, count: int) -> tuple[float, ...] | None:
    """A JSON list as ``count`` finite floats, if it is that."""
    if not isinstance(value, list) or len(value) != count:
        return None
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in value):
        return None
    try:
        found = tuple(float(number) for number in value)
    except OverflowError:  # an integer of hundreds of digits
        return None
    return found if all(math.isfinite(number) for number in found) else None


def described(value: Any) -> str:
    """A JSON value in a few words, however large it is."""
    if value is None:
        return "null"
    if isinstance(value, list):
        return (
            f"a list of {len(value)}"
            if len(value) > 4 or any(isinstance(v, list | dict) for v in value)
            else repr([described(v) for v in value])
        )
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:57] + "…")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 200:
        return "a number of many digits"
    return str(value)
