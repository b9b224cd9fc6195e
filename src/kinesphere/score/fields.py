"""Objects of a document in JSON, checked field by field, each with the place that errors name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from kinesphere.figure.fields import one_of
from kinesphere.files.errors import MotionFileError

Value = TypeVar("Value")


class Fields:
    """One object of the document, with the place that errors name."""

    def __init__(self, path: Path, data: Any, where: str) -> None:
        self.path, self.where = path, where
        if not isinstance(data, dict):
            raise self.fail("", said(data), "an object")
        self.data = data

    def fail(self, name: str, found: str, expected: str) -> MotionFileError:
        """The error for a field, to be raised."""
        return MotionFileError(self.path, found, expected, where=self.place(name) or "the document")

    def place(self, name: str) -> str:
        """Where a field is."""
        return f"{self.where}.{name}" if self.where and name else self.where or name

    def child(self, name: str, rest: Any = None) -> Fields:
        """The object in a field."""
        return Fields(self.path, self.data.get(name, rest), self.place(name))

    def only(self, *names: str) -> None:
        """Refuse fields that nobody knows."""
        for name in self.data:
            if name not in names:
                raise self.fail(str(name), "a field that nobody knows", one_of(str(name), names))

    def take(self, name: str, kinds: tuple[type, ...], expected: str, rest: Any = None) -> Any:
        """A field of one of these kinds, or what stands for it where there is none."""
        if name not in self.data:
            return rest
        value = self.data[name]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise self.fail(name, said(value), expected)
        return value

    def number(self, name: str, rest: float | None) -> float | None:
        """A number."""
        value = self.take(name, (int, float), "a number", rest)
        return value if value is None else float(value)

    def made(self, name: str, make: Callable[[], Value]) -> Value:
        """What is made of this object, its errors given their place."""
        try:
            return make()
        except MotionFileError:
            raise
        except (ValueError, TypeError, OverflowError) as error:
            raise self.fail(name, str(error), "values that are allowed") from None


def said(value: Any) -> str:
    """A value as errors show it."""
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}…"
