"""Lines of a TOML file's values, for errors: ``find_lines`` maps places such as ``("action", 2, "do")`` to lines.

``tomllib`` says nothing about lines. The text has been read by it, so only what separates values is looked at here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Place: TypeAlias = tuple[int | str, ...]
_KEY = re.compile(r"""[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*""")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'',
    re.DOTALL,
)
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)+")
_PLAIN = re.compile(r"[^,\]}\n#]*")
DEEPEST = 100  # brackets in brackets that are looked into


def find_lines(text: str) -> Mapping[Place, int]:
    """The line, from 1, at which each value of a TOML text begins, by its place; also of tables."""
    return _Scan(text).run()


def line_of(lines: Mapping[Place, int], place: Sequence[int | str]) -> int | None:
    """The line of a place, or of the nearest around it that has one."""
    for end in range(len(place), 0, -1):
        found = lines.get(tuple(place[:end]))
        if found is not None:
            return found
    return None


class _Scan:
    """One pass over a text."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.seen, self.line = text, 0, 0, 1
        self.lines: dict[Place, int] = {}
        self.counts: dict[Place, int] = {}  # tables of each array of tables

    def run(self) -> Mapping[Place, int]:
        here: Place = ()
        while self._skip_blank():
            if self.text[self.at] == "[":
                here = self._header()
            else:
                before = self.at
                place = (*here, *self._keys())
                self._note(place)
                if self.at < len(self.text) and self.text[self.at] == "=":
                    self.at += 1
                    self._value(place, 0)
                if self.at == before:  # no TOML
                    self.at += 1
        return self.lines

    def _note(self, place: Place) -> None:
        self.line += self.text.count("\n", self.seen, self.at)
        self.seen = self.at
        self.lines.setdefault(place, self.line)

    def _skip_blank(self) -> bool:
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.at < len(self.text)

    def _keys(self) -> Place:
        made: list[str] = []
        while found := _KEY.match(self.text, self.at):
            word = found[1]
            made.append(word[1:-1] if word[0] in "\"'" else word)
            self.at = found.end()
            if not self.text.startswith(".", self.at):
                break
            self.at += 1
        return tuple(made)

    def _header(self) -> Place:
        several = self.text.startswith("[[", self.at)
        self.at += 2 if several else 1
        names = self._keys()
        place: Place = ()
        self.at += 2 if several else 1
        for i, name in enumerate(names):
            place = (*place, name)
            if i == len(names) - 1 and several:
                self.counts[place] = self.counts.get(place, -1) + 1
            if place in self.counts:
                place = (*place, self.counts[place])
        self._note(place)
        return place

    def _value(self, place: Place, depth: int) -> None:
        self._skip_blank()
        start = self.text[self.at : self.at + 1]
        if start in ("[", "{") and depth < DEEPEST:
            self._note(place)
            self._several(place, start, depth)
        elif start and start in "\"'":
            found = _STRING.match(self.text, self.at)
            self.at = found.end() if found else self.at + 1
        else:
            found = _PLAIN.match(self.text, self.at)
            self.at = found.end() if found else self.at + 1

    def _several(self, place: Place, start: str, depth: int) -> None:
        """The entries of a list, or the fields of a table in braces."""
        end, count = {"[": "]", "{": "}"}[start], 0
        self.at += 1
        while self._skip_blank() and self.text[self.at] != end:
            before = self.at
            if self.text[self.at] == ",":
                self.at += 1
                continue
            if start == "{":
                inner = (*place, *self._keys())
                self._note(inner)
                if self.text.startswith("=", self.at):
                    self.at += 1
            else:
                inner = (*place, count)
                self._note(inner)
                count += 1
            self._value(inner, depth + 1)
            if self.at == before:
                self.at += 1
        self.at += 1
