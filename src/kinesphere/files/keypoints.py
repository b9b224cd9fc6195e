"""Key point files: the arm keys of a gesture as text, one key per line.

::

    # a reach to the right
    part: rightArm
    rate: 30
    0    0.10 -0.50 0.05   0.0  goal
    12   0.20 -0.20 0.30   0.3  via
    24   0.10  0.10 0.55   0.5  goal global

A key is ``frame x y z swivel goal|via [local|global]``: metres, our axes, radians, relative to the shoulder unless
``global``. Header lines before the first key may say otherwise: ``rate``, ``part`` (leftArm, rightArm), ``units``
(m, cm, mm, inches), ``angles`` (radians, degrees), ``axes`` (where x, y and z point: ``forward outward down``) and
``locked`` (yes, no: whether Effort leaves the key times alone).
"""

from __future__ import annotations

import math
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter, ValidationError

from kinesphere.files.atomic import atomic_write
from kinesphere.files.registry import Format, register
from kinesphere.maths.vectors import Floats
from kinesphere.motion.document import field_error
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.gesture import MOST_KEYS, Keypoint, Keypoints
from kinesphere.motion.source import Source

UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inches": 0.0254}
ANGLES = {"radians": 1.0, "degrees": math.pi / 180.0}
PARTS = ("leftArm", "rightArm")
DIRECTIONS = {
    "left": (1.0, 0.0, 0.0),
    "right": (-1.0, 0.0, 0.0),
    "up": (0.0, 1.0, 0.0),
    "down": (0.0, -1.0, 0.0),
    "forward": (0.0, 0.0, 1.0),
    "back": (0.0, 0.0, -1.0),
}
_KEY = TypeAdapter(Keypoint)
KEY_LINE = "frame x y z swivel goal|via [local|global]"
HEADER = ("rate", "part", "units", "angles", "axes", "locked")
LARGEST = 1e9  # of any number, in the file's units


def load_keypoints(path: str | PathLike[str]) -> Keypoints:
    """Read key points. Bad lines raise ``MotionFileError`` with their number."""
    file = Path(path)
    header: dict[str, str] = {}
    keys: list[Keypoint] = []
    for number, line in enumerate(_lines(file), 1):
        words = line.split("#", 1)[0].replace(":", " ").split()
        if not words:
            continue
        if words[0].lower() in HEADER:
            _header_line(file, number, header, words, bool(keys))
            continue
        key = _key(file, number, words)
        if keys and key.frame <= keys[-1].frame:  # before the rest is read, for the line's number
            found = f"frame {key.frame:g} after frame {keys[-1].frame:g}"
            raise MotionFileError(file, found, "frames that increase", line=number)
        if len(keys) >= MOST_KEYS:
            raise MotionFileError(file, f"more than {MOST_KEYS} keys", "key points", line=number)
        keys.append(key)
    if not keys:
        raise MotionFileError(file, "no keys", f"lines of: {KEY_LINE}")
    return _convert(file, header, keys)


def save_keypoints(keypoints: Keypoints, path: str | PathLike[str]) -> None:
    """Write key points so that ``load_keypoints`` gives the same ones back."""
    lines = [
        f"part: {keypoints.part}",
        f"rate: {keypoints.rate!r}",
        f"locked: {'yes' if keypoints.locked else 'no'}",
    ]
    for key in keypoints.keys:
        numbers = " ".join(repr(float(n)) for n in (key.frame, *key.position, key.swivel))
        lines.append(f"{numbers} {key.stop} {key.space}")
    with atomic_write(Path(path)) as file:
        file.write(("\n".join(lines) + "\n").encode())


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise MotionFileError(path, "no such file", "a text file of key points") from None
    except OSError as error:
        raise MotionFileError(path, f"what cannot be read ({error.strerror})", "a text file of key points") from None
    except UnicodeDecodeError as error:
        raise MotionFileError(path, f"a byte that is not text at {error.start}", "UTF-8 text") from None
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _header_line(path: Path, number: int, header: dict[str, str], words: list[str], after_keys: bool) -> None:
    name, value = words[0].lower(), " ".join(words[1:])
    if after_keys:
        raise MotionFileError(path, f"{name} after a key", "header lines before the first key", line=number)
    allowed = {"part": PARTS, "units": tuple(UNITS), "angles": tuple(ANGLES), "locked": ("yes", "no")}.get(name)
    if allowed is not None and value not in allowed:
        raise MotionFileError(path, f"{name} {value!r}", f"one of {', '.join(allowed)}", line=number)
    if name == "rate" and not 0.0 < _number(value) < 1e6:
        raise MotionFileError(path, f"rate {value!r}", "frames a second, a positive number", line=number)
    if name == "axes" and not _is_basis(words[1:]):
        found = f"axes {value!r}"
        expected = "three different directions, such as: left up forward"
        raise MotionFileError(path, found, expected, line=number)
    header[name] = value


def _is_basis(words: list[str]) -> bool:
    side = DIRECTIONS["right"]
    known = [DIRECTIONS.get(word, side if word in ("outward", "inward") else None) for word in words]
    if len(known) != 3 or any(direction is None for direction in known):
        return False
    return bool(np.abs(np.array(known)).sum(axis=0).min() == 1.0)


def _key(path: Path, number: int, words: list[str]) -> Keypoint:
    if not 6 <= len(words) <= 7:
        raise MotionFileError(path, f"{len(words)} words", KEY_LINE, line=number)
    values = [_number(word) for word in words[:5]]
    for name, word, value in zip(("frame", "x", "y", "z", "swivel"), words, values, strict=False):
        if not abs(value) <= LARGEST:  # NaN too
            raise MotionFileError(path, f"{name} {word[:40]!r}", "a number", line=number)
    try:
        return _KEY.validate_python([*values, words[5].lower(), words[6].lower() if len(words) == 7 else "local"])
    except ValidationError as error:
        _, found, expected = field_error(error)
        raise MotionFileError(path, found, expected, line=number) from None


def _number(word: str) -> float:
    try:
        return float(word) if "_" not in word else math.nan
    except ValueError:
        return math.nan


def _convert(path: Path, header: dict[str, str], keys: list[Keypoint]) -> Keypoints:
    part = header.get("part", "rightArm")
    scale = UNITS[header.get("units", "m")]
    radians = ANGLES[header.get("angles", "radians")]
    basis = _basis(header.get("axes", "left up forward"), part)
    converted = []
    for key in keys:
        x, y, z = (float(v) for v in np.array(key.position) @ basis * scale)
        converted.append(replace(key, position=(x, y, z), swivel=key.swivel * radians))
    evidence = tuple(f"{name}: {value}" for name, value in header.items())
    source = Source(path=str(path), format="keypoints", scale=scale, evidence=evidence)
    rate, locked = float(header.get("rate", 30.0)), header.get("locked") == "yes"
    return Keypoints(tuple(converted), rate, part, locked, source)


def _basis(axes: str, part: str) -> Floats:
    """Rows: where the file's x, y and z point in ours. Outward is left for a left arm."""
    outward = "left" if part == "leftArm" else "right"
    inward = "right" if part == "leftArm" else "left"
    words = [{"outward": outward, "inward": inward}.get(word, word) for word in axes.split()]
    return np.array([DIRECTIONS[word] for word in words])


def looks_like_keypoints(head: bytes) -> bool:
    """Whether some line of a text is a header line or a key."""
    for line in head.decode("utf-8-sig", "replace").splitlines():
        words = line.split("#", 1)[0].replace(":", " ").lower().split()
        if words and words[0] in HEADER and len(words) <= 4:
            return True
        if len(words) in (6, 7) and words[5] in ("goal", "via"):
            return True
    return False


register(
    Format(
        name="keypoints",
        suffixes=(".keys", ".txt"),
        about="key points of a gesture, one a line (load_keypoints reads them)",
        looks_like=looks_like_keypoints,
        shared=(".txt",),
    )
)
