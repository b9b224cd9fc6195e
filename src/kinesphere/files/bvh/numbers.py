"""Fast decimal parsing: whitespace-separated numbers of a text, with the lines they stand on.

Motion files are mostly digits, so parsing takes most of the time of reading them. Every number is rounded correctly,
as Python's ``float`` does. Nothing here knows a file format; the reader decides what a bad token means.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from kinesphere.maths.compiled import jit, kernel
from kinesphere.maths.vectors import Floats, Ints

_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_TOKEN = re.compile(rb"[^ \t\r\n\x0b\x0c]+")
_MOST_LISTED = 10_000  # tokens that are no numbers; more are counted but not listed


@dataclass(frozen=True)
class ParsedNumbers:
    """``values`` in reading order, NaN where a token was no finite number.

    ``line_ends[i]`` is how many values stand on the first ``i + 1`` lines that have any, ``line_numbers[i]`` (from 0)
    which line of the text that was. ``bad`` lists (index of the value, the token) of what was no finite number.
    """

    values: Floats
    line_ends: Ints
    line_numbers: Ints
    bad: tuple[tuple[int, bytes], ...]


@kernel
def parse_numbers(text: bytes) -> ParsedNumbers:
    """All whitespace-separated numbers of a text. Lines end with LF, CR or CRLF."""
    lines = text.splitlines()
    numbers = np.array([i for i, line in enumerate(lines) if line.strip()], dtype=np.intp)
    if not numbers.size:
        return ParsedNumbers(np.empty(0), numbers, numbers.copy(), ())
    filled = [lines[i].decode("latin-1") for i in numbers]
    table = _parse_table(filled)
    if table is not None:
        ends = np.arange(1, len(filled) + 1, dtype=np.intp) * table.shape[1]
        return ParsedNumbers(table.ravel(), ends, numbers, ())
    # One token at a time: a list of them all would take many times the memory of the text.
    rows = [np.fromiter((_parse_token(found.group()) for found in _TOKEN.finditer(lines[i])), float) for i in numbers]
    values, ends = np.concatenate(rows), np.cumsum([len(row) for row in rows], dtype=np.intp)
    wrong = np.flatnonzero(np.isnan(values))[:_MOST_LISTED]
    return ParsedNumbers(values, ends, numbers, tuple(zip(wrong.tolist(), tokens_at(text, wrong), strict=True)))


@parse_numbers.compile_with
def _parse_numbers_compiled(text: bytes) -> ParsedNumbers:
    # Two bytes is the least that a number and the space after it take.
    values = np.empty(len(text) // 2 + 1)
    lines = text.count(b"\n") + text.count(b"\r") + 1
    line_ends, line_numbers = np.empty(lines, dtype=np.intp), np.empty(lines, dtype=np.intp)
    unparsed = np.empty((_MOST_LISTED, 3), dtype=np.intp)
    buffer = np.frombuffer(text, dtype=np.uint8)
    count, lines, left = parse_numbers_kernel(buffer, values, line_ends, line_numbers, unparsed)
    values = values[:count]
    bad = []
    for index, start, end in unparsed[: min(left, _MOST_LISTED)].tolist():
        values[index] = _parse_token(text[start:end])
        if not np.isfinite(values[index]):
            bad.append((index, text[start:end]))
    # Copies, because the arrays were allocated for the largest possible count.
    return ParsedNumbers(values.copy(), line_ends[:lines].copy(), line_numbers[:lines].copy(), tuple(bad))


def tokens_at(text: bytes, indices: Ints) -> list[bytes]:
    """The tokens with the given indices, counted from 0, in increasing order."""
    wanted, found = iter(indices.tolist()), []
    index = next(wanted, None)
    for count, token in enumerate(_TOKEN.finditer(text)):
        if index is None:
            break
        if count == index:
            found.append(token.group())
            index = next(wanted, None)
    return found


def _parse_table(lines: list[str]) -> Floats | None:
    """All lines at once, where they are equally long and hold nothing but finite numbers."""
    try:
        table: Floats = np.loadtxt(lines, ndmin=2, comments=None)
    except ValueError:
        return None
    return table if table.shape[0] == len(lines) and np.isfinite(table).all() else None


def _parse_token(token: bytes) -> float:
    """The number that a token spells, or NaN. Python's own reader would take ``1_000`` and ``nan``."""
    value = float(token) if _NUMBER.fullmatch(token) else math.nan
    return value if math.isfinite(value) else math.nan


_POWERS = 10.0 ** np.arange(23)  # the powers of ten that a double holds exactly


@jit
def parse_numbers_kernel(text, values, line_ends, line_numbers, unparsed):  # type: ignore[no-untyped-def]
    """Parse the bytes ``text``; return how many values, lines and unparsed tokens there are.

    A mantissa below 2⁵³ times or over an exact power of ten is rounded once, so correctly (Clinger 1990). Tokens
    beyond that, and tokens that are no numbers, are listed in ``unparsed`` (index, start, end) for the caller.
    """
    count, lines, left = 0, 0, 0
    line, on_line = 0, 0
    i, size = 0, text.size
    while i < size:
        byte = text[i]
        if byte == 32 or byte == 9 or byte == 11 or byte == 12:
            i += 1
            continue
        if byte == 10 or byte == 13:
            if on_line > 0:
                line_ends[lines], line_numbers[lines] = count, line
                lines += 1
                on_line = 0
            i += 1
            if byte == 13 and i < size and text[i] == 10:
                i += 1
            line += 1
            continue
        start = i
        negative = byte == 45
        if byte == 45 or byte == 43:
            i += 1
        mantissa, digits, exponent, has_digit = 0, 0, 0, False
        while i < size and 48 <= text[i] <= 57:
            mantissa, digits, has_digit = _append_digit(mantissa, digits, text[i])
            i += 1
        if i < size and text[i] == 46:
            i += 1
            while i < size and 48 <= text[i] <= 57:
                mantissa, digits, has_digit = _append_digit(mantissa, digits, text[i])
                exponent -= 1
                i += 1
        if has_digit and i < size and (text[i] == 69 or text[i] == 101):
            i, power, has_digit = _parse_exponent(text, i + 1)
            exponent += power
        whole = i == size or text[i] == 32 or text[i] == 10 or text[i] == 13 or 9 <= text[i] <= 12
        if has_digit and whole and digits <= 15 and -22 <= exponent <= 22:
            value = float(mantissa)
            value = value * _POWERS[exponent] if exponent >= 0 else value / _POWERS[-exponent]
            values[count] = -value if negative else value
        else:
            while i < size and not (text[i] == 32 or 9 <= text[i] <= 13):
                i += 1
            values[count] = np.nan
            if left < unparsed.shape[0]:
                unparsed[left, 0], unparsed[left, 1], unparsed[left, 2] = count, start, i
            left += 1
        count += 1
        on_line += 1
    if on_line > 0:
        line_ends[lines], line_numbers[lines] = count, line
        lines += 1
    return count, lines, left


@jit
def _append_digit(mantissa, digits, byte):  # type: ignore[no-untyped-def]
    """One more digit. Beyond 18 the mantissa would overflow; such tokens are left to the caller anyway."""
    if digits < 18:
        mantissa = mantissa * 10 + (byte - 48)
    if mantissa > 0:
        digits += 1
    return mantissa, digits, True


@jit
def _parse_exponent(text, i):  # type: ignore[no-untyped-def]
    """The signed exponent that starts at ``i``: where it ends, its value, and whether it had a digit."""
    negative = i < text.size and text[i] == 45
    if i < text.size and (text[i] == 45 or text[i] == 43):
        i += 1
    power, has_digit = 0, False
    while i < text.size and 48 <= text[i] <= 57:
        power = min(power * 10 + (text[i] - 48), 10000)
        has_digit = True
        i += 1
    return i, -power if negative else power, has_digit
