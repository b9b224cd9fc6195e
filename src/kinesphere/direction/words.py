"""Vocabulary of mood words and adverbs ("shy", "gently"): each as Effort, Shape, tempo and stillness.

The vocabulary is a TOML file with one entry per word under ``[words]``; a file of one's own adds to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from kinesphere.files.schema import parse_toml, read_table
from kinesphere.laban.effort import Effort
from kinesphere.laban.shape import Shape
from kinesphere.motion.errors import MotionFileError, unknown_name

_EXPECTED = "words in TOML"
_FIELDS = ("kind", "effort", "shape", "tempo", "stillness", "about")
TEMPOS = (0.2, 5.0)
_CONJUNCTIONS = ("and", "but")  # may stand between words
_ALLOWED = "write one, or several such as `gently and proudly`; `kinesphere words` lists them"


@dataclass(frozen=True)
class Word:
    """The dials of one word, or of several combined."""

    name: str
    effort: Effort = field(default_factory=Effort)
    shape: Shape = field(default_factory=Shape)
    tempo: float = 1.0
    stillness: float = 0.0
    kind: str = ""


Vocabulary = Mapping[str, Word]


@lru_cache
def vocabulary() -> Vocabulary:
    """The words that come with Kinesphere."""
    builtin = files("kinesphere.direction") / "words.toml"
    return _parse_vocabulary(Path(builtin.name), parse_toml(Path(builtin.name), builtin.read_bytes(), _EXPECTED))


def load_words(path: str | Path) -> Vocabulary:
    """The words that come with Kinesphere and those of a TOML file, which take precedence."""
    file = Path(path)
    return MappingProxyType(dict(vocabulary()) | dict(_parse_vocabulary(file, read_table(file, _EXPECTED))))


def find_word(name: str, words: Vocabulary | None = None) -> Word:
    """One word's dials. An unknown word is an error that suggests the nearest."""
    known = vocabulary() if words is None else words
    if not isinstance(name, str):
        raise TypeError(f"{name!r} is no word; a text is expected")
    found = known.get(name.strip().lower())
    if found is None:
        raise ValueError(
            f"{unknown_name('word', name.strip().lower(), known)}. A file of your own can add it, see load_words"
        )
    return found


def combine_words(given: str | Iterable[str] | Mapping[str, float], words: Vocabulary | None = None) -> Word:
    """The dials of several words together: factors and stillness add, tempos multiply, all within their ranges."""
    strengths = word_strengths(given)
    effort, shape, tempo, stillness = np.zeros(4), np.zeros(4), 0.0, 0.0
    for name, strength in strengths.items():
        found = find_word(name, words)
        if not 0.0 <= strength <= 1.0:
            raise ValueError(f"strength of {name!r} is {strength!r}; 0 to 1 is allowed, intensity goes beyond")
        effort = effort + strength * found.effort.factors
        shape = shape + strength * found.shape.factors
        tempo += strength * float(np.log(found.tempo))
        stillness += strength * found.stillness
    factors = [np.clip(row, -1.0, 1.0).tolist() for row in (effort, shape)]
    return Word(
        " ".join(strengths),
        Effort(*factors[0]),
        Shape(*factors[1]),
        float(np.clip(np.exp(tempo), *TEMPOS)),
        float(np.clip(stillness, -1.0, 1.0)),
    )


def word_strengths(given: str | Iterable[str] | Mapping[str, float]) -> dict[str, float]:
    """Words with their strengths, of a text such as ``"gently and proudly"``, a list of words, or such a mapping."""
    if isinstance(given, str):
        return dict.fromkeys(split_words(given), 1.0)
    return dict(given) if isinstance(given, Mapping) else dict.fromkeys(given, 1.0)


def split_words(text: str) -> list[str]:
    """The words of a text, without conjunctions, each of which must stand between two words."""
    pieces = text.replace(",", " ").split()
    conjunctions = [piece.lower() in _CONJUNCTIONS for piece in pieces]
    if all(conjunctions):
        raise ValueError(f"words={text!r}: found no word; {_ALLOWED}")
    for i, piece in enumerate(pieces):
        if conjunctions[i] and (i == 0 or i == len(pieces) - 1 or conjunctions[i + 1]):
            side = "before" if i == 0 else "after"
            raise ValueError(f"words={text!r}: found {piece!r} with no word {side} it; {_ALLOWED}")
    return [piece for piece, conjunction in zip(pieces, conjunctions, strict=True) if not conjunction]


def _parse_vocabulary(path: Path, table: Mapping[str, Any]) -> Vocabulary:
    entries = table.get("words")
    if not isinstance(entries, dict) or set(table) != {"words"}:
        raise MotionFileError(path, f"tables {', '.join(table) or '(none)'}", "one table [words]")
    return MappingProxyType({name.lower(): _parse_word(path, name.lower(), entry) for name, entry in entries.items()})


def _parse_word(path: Path, name: str, entry: Any) -> Word:
    where = f"words.{name}"
    if not isinstance(entry, dict):
        raise MotionFileError(path, repr(entry), "a table such as { effort = [0, -1, 0, 0] }", where=where)
    if not name.replace("-", "").replace("_", "").isalnum():
        raise MotionFileError(path, repr(name), "one word of letters and digits", where=where)
    for key in entry:
        if key not in _FIELDS:
            raise MotionFileError(path, unknown_name("field", key, _FIELDS), "a field that is known", where=where)
    numbers = {key: _numbers(path, f"{where}.{key}", entry.get(key, [0, 0, 0, 0])) for key in ("effort", "shape")}
    tempo, stillness = (
        _number(path, f"{where}.{key}", entry.get(key, rest), *allowed)
        for key, rest, allowed in (("tempo", 1.0, TEMPOS), ("stillness", 0.0, (-1.0, 1.0)))
    )
    try:
        space, weight, time, flow = numbers["effort"]
        effort = Effort(space, weight, time, flow)
        shape = Shape(*numbers["shape"])
    except ValueError as error:
        raise MotionFileError(path, str(error), "factors from −1 to 1", where=where) from None
    return Word(name, effort, shape, tempo, stillness, str(entry.get("kind", "")))


def _numbers(path: Path, where: str, values: Any) -> list[float]:
    plain = isinstance(values, list) and len(values) == 4
    if not plain or not all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        raise MotionFileError(path, repr(values), "four numbers from −1 to 1", where=where)
    return [float(v) for v in values]


def _number(path: Path, where: str, value: Any, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise MotionFileError(path, repr(value), f"a number from {least:g} to {most:g}", where=where)
    return float(value)
