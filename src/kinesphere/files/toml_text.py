"""Small text files in TOML, from whoever wrote them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from kinesphere.files.errors import MotionFileError

LARGEST = 1_000_000  # bytes


def read_table(path: Path, expected: str) -> dict[str, Any]:
    """The file's table, or ``MotionFileError`` that says what it is not; ``expected`` is what it should be."""
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise MotionFileError(path, "no such file", expected) from None
    except OSError as error:
        raise MotionFileError(path, f"what cannot be read ({error.strerror})", expected) from None
    return parsed_table(path, text, expected)


def parsed_table(path: Path, text: bytes, expected: str) -> dict[str, Any]:
    """The table of a text that is at hand already; ``path`` is what errors call it."""
    if len(text) > LARGEST:
        raise MotionFileError(path, f"more than {LARGEST} bytes", expected)
    try:
        return tomllib.loads(text.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MotionFileError(path, f"what is no TOML ({error})", expected) from None
