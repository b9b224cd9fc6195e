"""Errors and warnings: what is wrong with a file, did-you-mean messages, warnings at the caller's line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from os import PathLike, fspath


class MotionFileError(ValueError):
    """A motion file that cannot be read or written.

    The message names the file, the location in it, what was found and what was expected; the same parts are
    attributes for programs.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        found: str,
        expected: str,
        *,
        line: int | None = None,
        where: str = "",
    ) -> None:
        self.path, self.line, self.where = fspath(path), line, where
        self.found, self.expected = found, expected
        location = self.path
        if line is not None:
            location += f", line {line}"
        if where:
            location += f", {where}"
        super().__init__(f"{location}: found {found}; expected {expected}")

    def __reduce__(self) -> tuple[object, ...]:
        """Exceptions with keyword arguments don't pickle by themselves, and batches send them between processes."""
        return (_rebuild, (self.path, self.found, self.expected, self.line, self.where))


def _rebuild(path: str, found: str, expected: str, line: int | None, where: str) -> MotionFileError:
    return MotionFileError(path, found, expected, line=line, where=where)


class MotionFileWarning(UserWarning):
    """Something in a file was wrong, and was corrected or left out."""


def nearest_names(found: str, allowed: Iterable[str], count: int = 1) -> list[str]:
    """Did you mean: the allowed names most like ``found``, capitals aside; none where nothing is like it."""
    folded = {name.casefold(): name for name in allowed}
    return [folded[name] for name in get_close_matches(found.casefold(), list(folded), n=count, cutoff=0.5)]


def unknown_name(what: str, found: str, allowed: Sequence[str] | Mapping[str, object]) -> str:
    """Error message for an unknown name: the nearest allowed one, then all of them."""
    near = nearest_names(found, allowed)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return f"no {what} is called {found!r}{hint} There are: {', '.join(allowed)}"


def warn_caller(text: str, category: type[Warning]) -> None:
    """Warn with a stack level outside of this package, so that the warning points at the user's line."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "kinesphere":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
