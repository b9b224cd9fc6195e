"""Vocabulary of mood words and adverbs ("shy", "gently"): each as Effort, Shape, body language, tempo and stillness.

The vocabulary is a TOML file with one entry per word under ``[words]``. A file of one's own adds to it: for one
performance by ``load_words``, for the process by ``add_words``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, InstanceOf

from kinesphere.direction.body_language import BodyLanguage, add_body_language
from kinesphere.direction.word_text import LEAST_STRENGTH, MOST_STRENGTH, known_form, word_strengths
from kinesphere.laban.effort import Effort
from kinesphere.laban.expression import Expression
from kinesphere.laban.expressive_edit import ExpressiveEdit
from kinesphere.laban.shape import Shape
from kinesphere.motion.document import (
    Numbers,
    Real,
    Setting,
    Text,
    dial,
    document,
    expected_type,
    number,
    read_document,
)
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.errors import MotionFileError, unknown_name
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import WHOLE, Scope
from kinesphere.motion.toml_text import parse_toml, read_table

_EXPECTED = "words in TOML"
TEMPOS = (0.2, 5.0)
MOST_WORDS = 10_000  # of a file


@document(frozen=True)
class Word:
    """The dials of one word, or of several combined.

    ``gain`` is above 1 where a word is meant more than fully ("very angry"): what multiplies Effort and Shape.
    """

    name: Annotated[Text, Setting("The word, or several.")]
    effort: Annotated[InstanceOf[Effort], Setting("Its Effort.")] = field(default_factory=Effort)
    shape: Annotated[InstanceOf[Shape], Setting("Its Shape.")] = field(default_factory=Shape)
    tempo: Annotated[float, number(*TEMPOS, "What multiplies the speed of everything.")] = 1.0
    stillness: Annotated[float, dial(-1.0, 1.0, "How still everything else is.", "restless", "a statue")] = 0.0
    kind: Annotated[Text, Setting("What sorts it in lists: action, element, adverb, mood.")] = ""
    gain: Annotated[float, number(1.0, MOST_STRENGTH, "What multiplies its Effort and Shape.")] = 1.0
    body: Annotated[BodyLanguage, Setting("Its posture, gaze, rhythm and steps.")] = field(default_factory=BodyLanguage)
    alias: Annotated[Text, Setting("The word that it is another name of; empty: none.")] = ""


Vocabulary = Mapping[str, Word]
Four = tuple[float, float, float, float]


def _check_word(name: str) -> str:
    if not name.replace("-", "").replace("_", "").isalnum():
        raise expected_type("one word of letters and digits")
    return name


@document(frozen=True)
class WordEntry:
    """A word as a file has it. What is left out is neutral."""

    kind: Annotated[Text, Setting("What sorts it in lists: action, element, adverb, mood.")] = ""
    effort: Annotated[
        Four,
        Numbers(
            "Space (indirect to direct), weight (light to strong), time (sustained to sudden), flow (free to bound).",
            least=-1.0,
            most=1.0,
            count=4,
            form="four numbers from −1 to 1: space, weight, time, flow",
        ),
    ] = (0.0, 0.0, 0.0, 0.0)
    shape: Annotated[
        Four,
        Numbers(
            "Horizontal (spreading to enclosing), vertical (rising to sinking), sagittal (advancing to retreating), "
            "reach (near to far).",
            least=-1.0,
            most=1.0,
            count=4,
            form="four numbers from −1 to 1: horizontal, vertical, sagittal, reach",
        ),
    ] = (0.0, 0.0, 0.0, 0.0)
    tempo: Annotated[float, number(*TEMPOS, "What multiplies the speed of everything.")] = 1.0
    stillness: Annotated[float, dial(-1.0, 1.0, "How still everything else is.", "restless", "a statue")] = 0.0
    strokes: Annotated[
        Mapping[str, Real], Setting("Movement parameters that replace the Effort's, such as hesitation = 0.6.")
    ] = field(default_factory=dict)
    body: Annotated[BodyLanguage, Setting("Its posture, gaze, rhythm and steps.")] = field(default_factory=BodyLanguage)
    alias: Annotated[Text, Setting("The word that it is another name of; nothing else is given then.")] = ""
    about: Annotated[Text, Setting("What it means, in a line.")] = ""

    def word(self, name: str) -> Word:
        """The word of this name."""
        effort = Effort(*self.effort, by_hand=self.strokes)
        dials = effort, Shape(*self.shape), self.tempo, self.stillness, self.kind
        return Word(name, *dials, body=self.body, alias=self.alias)


@document(frozen=True)
class WordsFile:
    """A file of words."""

    words: Annotated[
        dict[Annotated[Text, AfterValidator(_check_word)], WordEntry],
        Field(max_length=MOST_WORDS),
        Setting("Words by name, such as regally = { effort = [0.5, 0.2, -0.5, 0.3] }."),
    ]

    def vocabulary(self) -> Vocabulary:
        """The words by name, in lower case."""
        return MappingProxyType({name.lower(): entry.word(name.lower()) for name, entry in self.words.items()})


_ADDED: dict[str, tuple[Path, Word]] = {}  # words of the user's files, and these


def vocabulary() -> Vocabulary:
    """The words that come with Kinesphere, and those that were added in this process."""
    if not _ADDED:
        return _builtin_words()
    return MappingProxyType(dict(_builtin_words()) | {name: word for name, (_, word) in _ADDED.items()})


class _OwnWords(Mapping[str, Word]):
    """Our own words, each read when it is asked for: a performance needs one or two of them."""

    def __init__(self, path: Path, entries: Mapping[str, Any]) -> None:
        self._path, self._entries, self._read = path, entries, dict[str, Word]()

    def __getitem__(self, name: str) -> Word:
        if name not in self._read:
            entry = read_document(WordEntry, self._entries[name], self._path, f"words.{name}")
            self._read[name] = entry.word(name)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


@lru_cache
def _builtin_words() -> Vocabulary:
    builtin = files("kinesphere.direction") / "words.toml"
    path = Path(builtin.name)
    return _OwnWords(path, parse_toml(path, builtin.read_bytes(), _EXPECTED)["words"])


def load_words(path: str | Path) -> Vocabulary:
    """The words of ``vocabulary`` and those of a TOML file, which take precedence."""
    file = Path(path)
    return MappingProxyType(dict(vocabulary()) | dict(_read_words(file, read_table(file, _EXPECTED))))


def add_words(path: str | Path) -> tuple[str, ...]:
    """Add the words of a TOML file to the vocabulary of this process; returns their names.

    A word that Kinesphere or another file has is refused. Adding a file once more reads it anew.
    """
    file = Path(path).resolve()
    found = _read_words(Path(path), read_table(Path(path), _EXPECTED))
    for name in found:
        owner = _ADDED[name][0] if name in _ADDED else None
        if name in _builtin_words() or owner not in (None, file):
            taken = "Kinesphere" if owner is None else str(owner)
            raise MotionFileError(path, f"a word that {taken} has", "a name that is free", where=f"words.{name}")
    for name in [name for name, (owner, _) in _ADDED.items() if owner == file]:
        del _ADDED[name]
    _ADDED.update({name: (file, word) for name, word in found.items()})
    return tuple(found)


def find_word(name: str, words: Vocabulary | None = None) -> Word:
    """One word's dials: of an adjective those of its adverb where only that is known, and vice versa.

    An unknown word is an error that suggests the nearest.
    """
    known = vocabulary() if words is None else words
    if not isinstance(name, str):
        raise TypeError(f"{name!r} is no word; a text is expected")
    form = known_form(name, known)
    if form is None:
        raise ValueError(
            f"{unknown_name('word', name.strip().lower(), known)}. A file of your own can add it, see load_words"
        )
    found = known[form]
    return replace(known[found.alias], alias=found.alias) if found.alias in known else found


def combine_words(given: str | Iterable[str] | Mapping[str, float], words: Vocabulary | None = None) -> Word:
    """The dials of several words together: factors and stillness add, tempos multiply, all within their ranges.

    A strength from -1 to 0 reverses a word, one from 1 to 2 exaggerates it: all dials are then those of a smaller sum,
    and ``gain`` says by how much they are exaggerated.
    """
    strengths = word_strengths(given)
    effort, shape, tempo, stillness = np.zeros(4), np.zeros(4), 0.0, 0.0
    by_hand, body = dict[str, float](), dict[str, Any]()
    for name, strength in strengths.items():
        found = find_word(name, words)
        if not LEAST_STRENGTH <= strength <= MOST_STRENGTH:
            allowed = f"{LEAST_STRENGTH:g} (its opposite) to {MOST_STRENGTH:g} (extremely)"
            raise ValueError(f"strength of {name} is {strength:g}; {allowed} is allowed")
        effort = effort + strength * found.effort.factors
        shape = shape + strength * found.shape.factors
        tempo += strength * float(np.log(found.tempo))
        stillness += strength * found.stillness
        by_hand |= dict(found.effort.by_hand) if strength > 0.0 else {}
        body = add_body_language(body, found.body, strength)
    gain = max(1.0, *strengths.values()) if strengths else 1.0
    factors = [np.clip(row / gain, -1.0, 1.0).tolist() for row in (effort, shape)]
    return Word(
        " ".join(strengths),
        Effort(*factors[0], by_hand=by_hand),
        Shape(*factors[1]),
        float(np.clip(np.exp(tempo), *TEMPOS)),
        float(np.clip(stillness, -1.0, 1.0)),
        gain=gain,
        body=BodyLanguage(**body) if body else BodyLanguage(),
    )


def _read_words(path: Path, table: Mapping[str, Any]) -> Vocabulary:
    if "words" not in table:
        raise MotionFileError(path, f"tables {', '.join(table) or '(none)'}", "one table [words]")
    return read_document(WordsFile, table, path).vocabulary()


# Words as an edit


@phrase_edit("words")
@document(frozen=True)
class Words(ExpressiveEdit):
    """Mood words and adverbs: "shy", "gently and proudly", "very angry", "not shy"."""

    words: Annotated[
        Mapping[str, Annotated[float, number(LEAST_STRENGTH, MOST_STRENGTH)]],
        BeforeValidator(lambda given: word_strengths(given) if isinstance(given, str | list | tuple) else given),
        Setting("The words, with strengths from −1, the opposite, to 2, extremely.", metavar="TEXT", parse=str),
    ] = field(default_factory=dict)
    intensity: Annotated[
        float, dial(0.0, 2.0, "How much of them: 1 is as the words say.", "nothing", "twice", neutral=1.0)
    ] = 1.0

    def __post_init__(self) -> None:
        if self.words:
            combine_words(self.words)  # refuses unknown words
        object.__setattr__(self, "words", MappingProxyType(dict(self.words)))

    @property
    def neutral(self) -> bool:
        """Whether it changes nothing."""
        return not self.words or self.intensity == 0.0

    def expression(self, phrase: Phrase, scope: Scope = WHOLE) -> Expression:
        """What the words ask of a phrase."""
        from kinesphere.direction.express import Express

        return Express(words=self.words, intensity=self.intensity).expression(phrase, scope)

    @classmethod
    def examples(cls) -> tuple[Words, ...]:
        """Words that show what it does."""
        return cls({"shy": 1.0}), cls({"joyful": 1.0, "proudly": 0.5}), cls({"angry": 1.0}, 2.0)
