"""Names of output files."""

from __future__ import annotations

import re

_FORBIDDEN = re.compile(r"[^\w.+-]+")  # letters of any alphabet stay
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)  # what Windows keeps for devices


def plain_stem(name: str) -> str:
    """A clip's name as part of a file name: no separators, no spaces, no dots at the ends, not too long."""
    stem = _FORBIDDEN.sub("_", name).strip("._")[:80] or "clip"
    return f"{stem}_" if _RESERVED.fullmatch(stem) else stem


def unique(stem: str, taken: set[str]) -> str:
    """The stem, with a number where another has it; capitals don't count, as on Windows and macOS."""
    name, count = stem, 1
    while name.casefold() in taken:
        count += 1
        name = f"{stem}_{count}"
    taken.add(name.casefold())
    return name
