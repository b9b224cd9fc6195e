"""TOML text, with a limit of its size; ``motion.document`` reads what is in it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from kinesphere.motion.errors import MotionFileError

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
