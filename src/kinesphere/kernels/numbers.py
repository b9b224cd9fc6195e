"""Decimal text to numbers, quickly, with the lines they stood on.

Motion files are mostly digits, so reading them is mostly this. Nothing here knows a file format; what a bad token
means is for the reader to say.
"""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass

import numpy as np

from kinesphere.kernels import compiled
from kinesphere.kernels.arrays import Floats, Ints

_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
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
    """The same in plain NumPy, a line at a time."""
    rows: list[Floats] = []
    numbers: list[int] = []
    bad: list[tuple[int, bytes]] = []
    plain = _is_plain(text)
    count = 0
    for number, line in enumerate(text.splitlines()):
        row = _plain_row(line) if plain else None
        if row is None:
            tokens = line.split()
            row = np.array([_number(token) for token in tokens])
            bad += [(count + i, tokens[i]) for i in np.flatnonzero(~np.isfinite(row)).tolist()]
        if row.size:
            rows.append(row)
            numbers.append(number)
            count += row.size
    values = np.concatenate(rows) if rows else np.empty(0)
    values[~np.isfinite(values)] = np.nan
    ends = np.cumsum([row.size for row in rows], dtype=np.intp)
    return Numbers(values, ends, np.array(numbers, dtype=np.intp), tuple(bad[:_MOST_ODD]))


def _is_plain(text: bytes) -> bool:
    """Whether NumPy's lenient reader can be trusted: it reads ``1.2.3`` as two numbers and ``1.0-2.0`` too."""
    if any(text.count(sign) != _signs_that_begin(text, sign) for sign in (b"-", b"+")):
        return False
    rest = text.translate(None, b"0123456789")
    return b".." not in rest and not rest.translate(None, b" \t\r\n.-+eE")


def _signs_that_begin(text: bytes, sign: bytes) -> int:
    """How many signs stand where a number or an exponent begins."""
    before = (b" ", b"\t", b"\n", b"\r", b"e", b"E")
    return sum(text.count(byte + sign) for byte in before) + text.startswith(sign)


def _plain_row(line: bytes) -> Floats | None:
    if not line.strip():
        return np.empty(0)  # of which NumPy's reader makes a number
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            row = np.fromstring(line.decode("ascii"), sep=" ")
        except (DeprecationWarning, ValueError):
            return None
    return row if np.isfinite(row).all() else None


def _number(token: bytes) -> float:
    """The number that a token spells, or NaN. Python's own reader would take ``1_000`` and ``nan``."""
    value = float(token) if _NUMBER.fullmatch(token) else math.nan
    return value if math.isfinite(value) else math.nan
