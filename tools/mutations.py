"""Ways to break a file: bytes, lines, numbers, and the JSON inside a GLB."""

from __future__ import annotations

import copy
import json
import random
import re
import struct
from typing import Any

NUMBERS = [
    "nan",
    "inf",
    "-inf",
    "1e999",
    "-1",
    "0",
    "99999999999999999999",
    "1e-320",
    "0x10",
    "",
    ".",
    "-",
    "1.2.3",
]
WORDS = [
    "HIERARCHY",
    "ROOT",
    "JOINT x",
    "End Site",
    "{",
    "}",
    "OFFSET 0 0 0",
    "OFFSET",
    "CHANNELS 3 Xrotation",
    "CHANNELS 99999",
    "CHANNELS 0",
    "MOTION",
    "Frames: 999999999",
    "Frames: -1",
    "Frame Time: 0",
    "Frame Time: -1",
    "\x00",
    "\ufeff",
    "\r",
    "é",
]
VALUES: list[Any] = [
    -1,
    0,
    1,
    2**31,
    2**63,
    10**30,
    0.5,
    1e308,
    None,
    True,
    "",
    "x",
    [],
    {},
    [0, 0],
    [[]],
    float("nan"),
    float("inf"),
    "../x",
]


def mutated_text(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """A text file with one to four things wrong; in every third, only numbers, so that more than the door is tried."""
    if rng.random() < 0.33:
        for _ in range(rng.randint(1, 6)):
            data = _number(data, other, rng)
        return data
    for _ in range(rng.randint(1, 4)):
        data = rng.choice([_bytes, _line, _number, _word, _cut, _splice])(data, other, rng)
    return data


def mutated_glb(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """A GLB with something wrong in its JSON (mostly), its container or its bytes."""
    kind = rng.random()
    if kind < 0.7 and (parts := _glb_parts(data)) is not None:
        document, rest = parts
        for _ in range(rng.randint(1, 3)):
            _break_json(document, rng)
        return _glb(document, rest)
    mutate = rng.choice([_bytes, _cut, _splice])
    return mutate(data, other, rng)


def _bytes(data: bytes, other: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _line(data: bytes, other: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    action = rng.randrange(4)
    if action == 0:
        del lines[i]
    elif action == 1:
        lines.insert(i, lines[j])
    elif action == 2:
        lines[i], lines[j] = lines[j], lines[i]
    else:
        lines[i : i + 1] = lines[i : i + 1] * rng.randint(2, 300)
    return b"\n".join(lines)


def _number(data: bytes, other: bytes, rng: random.Random) -> bytes:
    found = list(re.finditer(rb"-?\d+\.?\d*", data[:200_000]))
    if not found:
        return data
    chosen = rng.choice(found)
    return data[: chosen.start()] + rng.choice(NUMBERS).encode() + data[chosen.end() :]


def _word(data: bytes, other: bytes, rng: random.Random) -> bytes:
    at = rng.randint(0, len(data))
    space = rng.choice([b" ", b"\n", b""])
    return data[:at] + space + rng.choice(WORDS).encode() + space + data[at:]


def _cut(data: bytes, other: bytes, rng: random.Random) -> bytes:
    return data[: rng.randint(0, len(data))]


def _splice(data: bytes, other: bytes, rng: random.Random) -> bytes:
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]


def _glb_parts(data: bytes) -> tuple[dict[str, Any], bytes] | None:
    if len(data) < 20 or data[:4] != b"glTF":
        return None
    (length,) = struct.unpack_from("<I", data, 12)
    try:
        document = json.loads(data[20 : 20 + length])
    except ValueError:
        return None
    return (document, data[20 + length :]) if isinstance(document, dict) else None


def _glb(document: dict[str, Any], rest: bytes) -> bytes:
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    total = 20 + len(text) + len(rest)
    return struct.pack("<4sIII4s", b"glTF", 2, total, len(text), b"JSON") + text + rest


def _break_json(document: dict[str, Any], rng: random.Random) -> None:
    """Walk to a random place and put something else there, or take it away."""
    place: Any = document
    for _ in range(rng.randint(1, 8)):
        inner = _children(place)
        if not inner:
            break
        key = rng.choice(inner)
        if rng.random() < 0.25 or not isinstance(place[key], dict | list) or not place[key]:
            if rng.random() < 0.3:
                del place[key]
            elif rng.random() < 0.3 and isinstance(place[key], int):
                place[key] = place[key] + rng.choice([-1, 1, 7, 1000, -1000])
            else:
                place[key] = copy.deepcopy(rng.choice(VALUES))
            return
        place = place[key]


def _children(place: Any) -> list[Any]:
    if isinstance(place, dict):
        return list(place)
    return list(range(len(place))) if isinstance(place, list) else []
