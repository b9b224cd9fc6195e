"""TOML text, with a limit of its size; ``motion.document`` reads what is in it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from kinesphere.motion.errors import MotionFileError

LARGEST = 1_000_000  # bytes


def read_table(path: Path, expected: str) -> dict[str, Any]:
    """The file's table. ``expected`` is what the error message says the file should be."""
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise MotionFileError(path, "no such file", expected) from None
    except OSError as error:
        raise MotionFileError(path, f"what cannot be read ({error.strerror})", expected) from None
    return parse_toml(path, text, expected)


def parse_toml(path: Path, text: bytes, expected: str) -> dict[str, Any]:
    """The table of a TOML text; ``path`` is what error messages call it."""
    if len(text) > LARGEST:
        raise MotionFileError(path, f"more than {LARGEST} bytes", expected)
    try:
        return tomllib.loads(text.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MotionFileError(path, f"what is no TOML ({error})", expected) from None
