"""Decimal text to numbers, quickly, with the lines they stood on.

Motion files are mostly digits, so reading them is mostly this. Nothing here knows a file format; what a bad token
means is for the reader to say.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from kinesphere.kernels import compiled
from kinesphere.kernels.arrays import Floats, Ints

_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_TOKEN = re.compile(rb"[^ \t\r\n\x0b\x0c]+")
_MOST_ODD = 10_000  # tokens that are no numbers, beyond which nobody wants to know


@dataclass(frozen=True)
class Numbers:
    """``values`` in reading order, NaN where a token was no finite number.

    ``line_ends[i]`` is how many values stand on the first ``i + 1`` lines that have any, ``line_numbers[i]`` (from 0)
    which line of the text that was. ``bad`` lists (index of the value, the token) of what was no finite number.
    """

    values: Floats
    line_ends: Ints
    line_numbers: Ints
    bad: tuple[tuple[int, bytes], ...]


def parse(text: bytes) -> Numbers:
    """All whitespace-separated numbers of a text. Lines end with LF, CR or CRLF."""
    kernels = compiled.kernels(work=len(text) // 2)
    if kernels is None:
        with compiled.plain_work():
            return parse_reference(text)
    # Two bytes is the least that a number and the space after it take.
    values = np.empty(len(text) // 2 + 1)
    lines = text.count(b"\n") + text.count(b"\r") + 1
    line_ends, line_numbers = np.empty(lines, dtype=np.intp), np.empty(lines, dtype=np.intp)
    odd = np.empty((_MOST_ODD, 3), dtype=np.intp)
    buffer = np.frombuffer(text, dtype=np.uint8)
    count, lines, oddities = kernels.parse(buffer, values, line_ends, line_numbers, odd)
    values = values[:count]
    bad = []
    for index, start, end in odd[: min(oddities, _MOST_ODD)].tolist():
        values[index] = _number(text[start:end])
        if not np.isfinite(values[index]):
            bad.append((index, text[start:end]))
    # A copy gives back what the guess above took too much.
    return Numbers(values.copy(), line_ends[:lines].copy(), line_numbers[:lines].copy(), tuple(bad))


def parse_reference(text: bytes) -> Numbers:
    """The same in plain NumPy."""
    lines = text.splitlines()
    numbers = np.array([i for i, line in enumerate(lines) if line.strip()], dtype=np.intp)
    if not numbers.size:
        return Numbers(np.empty(0), numbers, numbers.copy(), ())
    filled = [lines[i].decode("latin-1") for i in numbers]
    table = _table(filled)
    if table is not None:
        ends = np.arange(1, len(filled) + 1, dtype=np.intp) * table.shape[1]
        return Numbers(table.ravel(), ends, numbers, ())
    # One token at a time: a list of them all would take many times the memory of the text.
    rows = [np.fromiter((_number(found.group()) for found in _TOKEN.finditer(lines[i])), float) for i in numbers]
    values, ends = np.concatenate(rows), np.cumsum([len(row) for row in rows], dtype=np.intp)
    wrong = np.flatnonzero(np.isnan(values))[:_MOST_ODD]
    return Numbers(values, ends, numbers, tuple(zip(wrong.tolist(), tokens_at(text, wrong), strict=True)))


def tokens_at(text: bytes, indices: Ints) -> list[bytes]:
    """The tokens at some places, counted from 0, in increasing order."""
    wanted, found = iter(indices.tolist()), []
    index = next(wanted, None)
    for count, token in enumerate(_TOKEN.finditer(text)):
        if index is None:
            break
        if count == index:
            found.append(token.group())
            index = next(wanted, None)
    return found


def _table(lines: list[str]) -> Floats | None:
    """All lines at once, where they are equally long and hold nothing but finite numbers."""
    try:
        table: Floats = np.loadtxt(lines, ndmin=2, comments=None)
    except ValueError:
        return None
    return table if table.shape[0] == len(lines) and np.isfinite(table).all() else None


def _number(token: bytes) -> float:
    """The number that a token spells, or NaN. Python's own reader would take ``1_000`` and ``nan``."""
    value = float(token) if _NUMBER.fullmatch(token) else math.nan
    return value if math.isfinite(value) else math.nan
