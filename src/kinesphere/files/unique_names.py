"""Joint names that other programs accept."""

from __future__ import annotations

import re
from collections.abc import Sequence


def writable_names(names: Sequence[str], *, plain: bool = False) -> tuple[str, ...]:
    """Names without spaces and braces, none empty, each once.

    ``plain`` keeps to ASCII letters, digits and underscores, and starts with a letter, as game engines want it.
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
