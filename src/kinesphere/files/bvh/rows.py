"""BVH MOTION parser: frame count, frame time, and a row of channel values for every frame.

Motion files are mostly digits, so parsing decimals takes most of the time of reading them. Every number is rounded
correctly, as Python's ``float`` does, and counted by line, so that a short row can be named.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kinesphere import _native
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.errors import MotionFileError

_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_TOKEN = re.compile(rb"[^ \t\r\n\x0b\x0c]+")
_MOST_LISTED = 10_000  # tokens that are no numbers; more are NaN but not listed
_TOGETHER = 10_000  # tokens that are read one by one, before going on with the others


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


def parse_numbers(text: bytes) -> ParsedNumbers:
    """All whitespace-separated numbers of a text. Lines end with LF, CR or CRLF."""
    # Two bytes is the least that a number and the space after it take.
    values = np.empty(len(text) // 2 + 1)
    lines = text.count(b"\n") + text.count(b"\r") + 1
    line_ends, line_numbers = np.empty(lines, dtype=np.intp), np.empty(lines, dtype=np.intp)
    unread, progress = np.empty((_TOGETHER, 3), dtype=np.intp), np.zeros(6, dtype=np.intp)
    bad: list[tuple[int, bytes]] = []
    while progress[0] < len(text):
        _native.bvh_rows.parse_numbers(text, progress, values, line_ends, line_numbers, unread)
        for index, start, end in unread[: progress[-1]].tolist():
            values[index] = _parse_token(text[start:end])
            if np.isnan(values[index]) and len(bad) < _MOST_LISTED:
                bad.append((index, text[start:end]))
    count, lines = progress[1:3].tolist()
    # Copies, because the arrays were allocated for the largest possible count.
    return ParsedNumbers(values[:count].copy(), line_ends[:lines].copy(), line_numbers[:lines].copy(), tuple(bad))


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


def _parse_token(token: bytes) -> float:
    """The number that a token spells, or NaN. Python's own reader would take ``1_000`` and ``nan``."""
    value = float(token) if _NUMBER.fullmatch(token) else math.nan
    return value if math.isfinite(value) else math.nan


# The MOTION section


HEADER_BYTES = 20_000  # after MOTION: its two lines, with any blank ones between them, are within these
MOST_STILL_FRAMES = 10_000  # of a file without channels
MOST_FRAMES = 100_000_000  # nine days at 120 frames per second
_FRAMES = re.compile(rb"\s*frames[ \t]*:?[ \t]*(\S*)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*frame[ \t]*time[ \t]*:?[ \t]*(\S*)", re.IGNORECASE)
LARGEST = 1e9  # absolute value of any channel


@dataclass(frozen=True)
class MotionHeader:
    """Frame count and frame time, from the two lines after MOTION; None where they are invalid but may be left out."""

    frames: int | None
    frame_time: float | None
    lines: int  # how many lines were read, MOTION not counted
    bytes_used: int


@dataclass(frozen=True)
class MotionRows:
    """Channel values ``(T, C)``. ``bridged`` are broken frames, to be interpolated from their neighbours."""

    values: Floats
    bridged: tuple[int, ...] = ()


def _line_ends(text: bytes) -> int:
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _reject_absurd(numbers: ParsedNumbers, text: bytes) -> ParsedNumbers:
    """Treat numbers beyond ``LARGEST`` as bad tokens."""
    absurd = np.flatnonzero(np.abs(numbers.values) > LARGEST)
    if not absurd.size:
        return numbers
    named = absurd[:1000]
    bad = sorted([*numbers.bad, *zip(named.tolist(), tokens_at(text, named), strict=True)])
    values = numbers.values.copy()
    values[absurd] = np.nan
    return ParsedNumbers(values, numbers.line_ends, numbers.line_numbers, tuple(bad))


class RowsReader:
    """Reads header and rows. ``warn`` receives what was wrong and how it was handled."""

    def __init__(self, path: Path, salvage: bool, warn: Callable[[str], None]) -> None:
        self.path, self.salvage, self.warn = path, salvage, warn

    def header(self, text: bytes, first_line: int, rate_given: bool) -> MotionHeader:
        """``text`` follows the word MOTION; ``first_line`` is the number of the line that it stands on."""
        found: dict[str, tuple[str, int]] = {}
        used = 0
        while len(found) < 2:
            for name, pattern in (("frame time", _FRAME_TIME), ("frames", _FRAMES)):
                entry = pattern.match(text, used)
                if entry is not None and name not in found:
                    found[name] = entry[1].decode("utf-8", "replace"), first_line + _line_ends(text[: entry.start(1)])
                    used = entry.end()
                    break
            else:
                break
        for name, wanted in (("frames", "'Frames:' and a number"), ("frame time", "'Frame Time:' and seconds")):
            forgiven = self.salvage or (name == "frame time" and rate_given)
            if name not in found and not forgiven:
                rest = text[used : used + 200].lstrip()
                line = first_line + _line_ends(text[:used]) + _line_ends(text[used : used + 200][: -len(rest) or None])
                shown = rest.splitlines()[0][:40].decode("utf-8", "replace") if rest else "the end of the file"
                raise MotionFileError(self.path, repr(shown), wanted, line=line)
        frames = self._frames(*found["frames"]) if "frames" in found else None
        frame_time = self._frame_time(*found["frame time"], rate_given) if "frame time" in found else None
        return MotionHeader(frames, frame_time, _line_ends(text[:used]), used)

    def _frames(self, text: str, line: int) -> int | None:
        try:
            frames = int(text)
        except ValueError:
            frames = -1
        if 0 <= frames <= MOST_FRAMES:
            return frames
        if not self.salvage:
            raise MotionFileError(self.path, f"a frame count of {text[:40]!r}", f"0 to {MOST_FRAMES}", line=line)
        self.warn(f"line {line}: a frame count of {text[:40]!r} was not used")
        return None

    def _frame_time(self, text: str, line: int, rate_given: bool) -> float | None:
        try:
            seconds = float(text)
        except ValueError:
            seconds = float("nan")
        if 1e-6 <= seconds <= 1e6:
            return seconds
        if not (self.salvage or rate_given):
            expected = "a positive number of seconds, 1e-6 to 1e6 (rate=… sets it by hand)"
            raise MotionFileError(self.path, f"a frame time of {text[:40]!r}", expected, line=line)
        self.warn(f"line {line}: a frame time of {text[:40]!r} was not used")
        return None

    def rows(self, text: bytes, first_line: int, channels: int, declared: int | None) -> MotionRows:
        """All frames that are there, whatever number was declared."""
        numbers = parse_numbers(text)
        widths = np.diff(numbers.line_ends, prepend=0)
        if channels == 0:
            return MotionRows(np.empty((self._still_frames(declared, numbers.values.size, first_line), 0)))
        if numbers.values.size == 0:
            if not self.salvage:
                found = "no frames" if declared in (None, 0) else f"no rows where {declared} frames were declared"
                raise MotionFileError(self.path, found, "at least one row of numbers", line=first_line)
            self.warn("no frames: the rest pose was taken for one")
            return MotionRows(np.zeros((1, channels)))
        numbers = _reject_absurd(numbers, text)
        if numbers.bad or not self._rows_complete(numbers, widths, channels, declared):
            if not self.salvage:
                raise self._broken_row(numbers, widths, channels, first_line, text)
            result = self._salvage_rows(numbers, widths, channels, first_line)
        else:
            result = MotionRows(numbers.values.reshape(-1, channels))
        found_frames = len(result.values)
        if declared is not None and declared != found_frames:
            self.warn(f"{declared} frames were declared, {found_frames} are there and were loaded")
        return result

    def _still_frames(self, declared: int | None, values: int, line: int) -> int:
        """Without channels nothing moves, and there are as many frames as declared, within reason."""
        if values:
            if not self.salvage:
                raise MotionFileError(self.path, f"{values} values", "none: no joint has channels", line=line)
            self.warn(f"{values} values belong to no channel: dropped")
        if declared is not None and 1 <= declared <= MOST_STILL_FRAMES:
            return declared
        self.warn(f"{declared} frames were declared, in which nothing moves: one was loaded")
        return 1

    def _rows_complete(self, numbers: ParsedNumbers, widths: Ints, channels: int, declared: int | None) -> bool:
        """Whether there is one frame per line or, where lines are wrapped otherwise, as many numbers as declared."""
        if (widths == channels).all():
            return True
        if int(np.median(widths)) == channels or numbers.values.size % channels:
            return False
        return declared is None or numbers.values.size == declared * channels

    def _broken_row(
        self, numbers: ParsedNumbers, widths: Ints, channels: int, first_line: int, text: bytes
    ) -> MotionFileError:
        lines = first_line + numbers.line_numbers
        bad_line = np.inf
        if numbers.bad:
            index, token = numbers.bad[0]
            bad_line = int(np.searchsorted(numbers.line_ends, index, side="right"))
        usual = int(np.median(widths)) == channels
        if usual:
            row = int(np.flatnonzero(widths != channels)[0]) if (widths != channels).any() else len(widths)
        else:
            frame_ends = np.arange(channels, numbers.values.size + channels, channels)
            missed = frame_ends[~np.isin(frame_ends, numbers.line_ends)]
            first_missed = int(missed[0]) - 1 if missed.size else numbers.values.size - 1
            row = min(int(np.searchsorted(numbers.line_ends, first_missed, side="right")), len(widths) - 1)
        cut = row == len(widths) - 1 and not text.endswith((b"\n", b"\r")) and widths[row] < channels
        if bad_line <= row and not (cut and bad_line == row):
            shown = token[:40].decode("utf-8", "replace")
            expected = f"a finite number within ±{LARGEST:g}"
            return MotionFileError(self.path, repr(shown), expected, line=int(lines[int(bad_line)]))
        found = f"a row of {widths[row]} values" if usual else "numbers that do not add up to whole frames"
        if cut:
            found += ", cut off where the file ends"
        return MotionFileError(self.path, found, f"{channels} for every frame", line=int(lines[row]))

    def _salvage_rows(self, numbers: ParsedNumbers, widths: Ints, channels: int, first_line: int) -> MotionRows:
        """Keep whole rows, mark broken ones between them as bridged, and drop broken ones at either end."""
        if int(np.median(widths)) == channels:
            values = np.full((len(widths), channels), np.nan)
            starts = numbers.line_ends - widths
            whole = np.flatnonzero(widths == channels)
            values[whole] = numbers.values[starts[whole, None] + np.arange(channels)]
            lines = first_line + numbers.line_numbers
        else:
            count = numbers.values.size // channels
            ends = np.arange(1, count + 1) * channels
            if not count or np.isin(ends, numbers.line_ends).mean() < 0.5:
                # Wrapped rows end where lines end. These have another width, and cutting them up makes nonsense.
                found = f"rows of {int(np.median(widths))} values"
                line = first_line + int(numbers.line_numbers[0])
                raise MotionFileError(self.path, found, f"{channels} for every frame", line=line)
            values = numbers.values[: count * channels].reshape(count, channels)
            ends = np.searchsorted(numbers.line_ends, np.arange(1, count + 1) * channels)
            lines = first_line + numbers.line_numbers[np.minimum(ends, len(widths) - 1)]
            if numbers.values.size % channels:
                self.warn(f"{numbers.values.size % channels} values at the end make no whole frame: dropped")
        good = np.flatnonzero(np.isfinite(values).all(axis=1))
        if good.size == 0:
            line = int(lines[0]) if len(lines) else first_line
            raise MotionFileError(self.path, "no whole row at all", f"rows of {channels} numbers", line=line)
        first, last = int(good[0]), int(good[-1])
        for edge in (*lines[:first], *lines[last + 1 :]):
            self.warn(f"line {edge}: a broken row was dropped")
        values = values[first : last + 1]
        bridged = np.flatnonzero(~np.isfinite(values).all(axis=1))
        for frame in bridged:
            self.warn(f"line {lines[first + frame]}: a broken row was bridged from its neighbours")
        filled = np.where(np.isfinite(values).all(axis=1)[:, None], values, 0.0)
        return MotionRows(filled, tuple(bridged.tolist()))
