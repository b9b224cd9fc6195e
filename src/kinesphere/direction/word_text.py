"""Words in a text: "very angry", "slightly sad and shyly", "not shy" as words with strengths.

A degree ("very", "slightly", "a bit") before a word multiplies its strength. "Not" reverses it, at half strength: who
is not shy is a little the opposite of shy. "Not very" weakens it. Adjectives and adverbs are forms of one word: "proud"
is understood where the vocabulary has "proudly".
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from types import MappingProxyType

LEAST_STRENGTH, MOST_STRENGTH = -1.0, 2.0
DEGREES: Mapping[str, float] = MappingProxyType(
    {
        "hardly": 0.2, "barely": 0.2, "faintly": 0.25, "slightly": 0.4, "mildly": 0.4, "a little": 0.4, "a bit": 0.4,
        "a touch": 0.4, "somewhat": 0.5, "half": 0.5, "less": 0.6, "moderately": 0.7, "fairly": 0.75, "rather": 0.8,
        "quite": 0.85, "pretty": 0.85, "more": 1.25, "so": 1.4, "really": 1.4, "truly": 1.4, "very": 1.5, "highly": 1.5,
        "deeply": 1.5, "too": 1.6, "incredibly": 1.8, "terribly": 1.8, "utterly": 1.9, "extremely": 2.0, "totally": 2.0,
        "completely": 2.0,
    }
)  # fmt: skip
REVERSED, REVERSED_FULLY = -0.5, -1.0  # "not shy", "not at all shy"
NOT_VERY = 0.3  # "not very shy": shy still, but little
_NEGATION = ("not", "at all")
_CONJUNCTIONS = ("and", "but")  # may stand between words
_ALLOWED = (
    "write one, or several such as `gently and proudly`, `very angry`, `slightly sad`, `not shy`; "
    "`kinesphere words` lists them"
)


def word_strengths(given: str | Iterable[str] | Mapping[str, float]) -> dict[str, float]:
    """Words with their strengths, of a text such as ``"gently and very proudly"``, a list of such, or a mapping."""
    if isinstance(given, Mapping):
        return dict(given)
    texts = [given] if isinstance(given, str) else list(given)
    strengths: dict[str, float] = {}
    for text in texts:
        for word, strength in split_words(text) if isinstance(text, str) else [(text, 1.0)]:
            both = strengths.get(word, 0.0) + strength
            strengths[word] = min(max(both, LEAST_STRENGTH), MOST_STRENGTH)
    return strengths


def split_words(text: str) -> list[tuple[str, float]]:
    """The words of a text with their strengths, without conjunctions, each of which must stand between two words."""
    pieces = text.replace(",", " ").split()
    joining = [piece.lower() in _CONJUNCTIONS for piece in pieces]
    if all(joining):
        raise ValueError(f"words={text!r}: found no word; {_ALLOWED}")
    for i, piece in enumerate(pieces):
        if joining[i] and (i == 0 or i == len(pieces) - 1 or joining[i + 1]):
            side = "before" if i == 0 else "after"
            raise ValueError(f"words={text!r}: found {piece!r} with no word {side} it; {_ALLOWED}")
    found, degree = [], list[str]()
    for piece in _group_degrees(pieces):
        if piece.lower() in DEGREES or piece.lower() in _NEGATION:
            degree.append(piece.lower())
        elif piece.lower() not in _CONJUNCTIONS:
            found.append((piece, _strength(degree)))
            degree = []
        elif degree:
            break
    if degree:
        raise ValueError(f"words={text!r}: found {' '.join(degree)!r} with no word after it; {_ALLOWED}")
    return found


def _group_degrees(pieces: list[str]) -> Iterator[str]:
    """Pieces of a text, with degrees of two words as one piece."""
    i = 0
    while i < len(pieces):
        pair = " ".join(pieces[i : i + 2])
        double = pair.lower() in DEGREES or pair.lower() in _NEGATION
        yield pair if double else pieces[i]
        i += 2 if double and " " in pair else 1


def _strength(degree: list[str]) -> float:
    """The strength of a word after these degrees."""
    size = 1.0
    for name in degree:
        size *= DEGREES.get(name, 1.0)
    if "not" in degree:
        if "at all" in degree:
            return REVERSED_FULLY
        size = NOT_VERY if size > 1.0 else REVERSED * size
    return min(size, MOST_STRENGTH)


def known_form(word: str, known: Container[str]) -> str | None:
    """The form of a word that a vocabulary has: itself, or its adjective or adverb; None: it has neither."""
    return next((form for form in _forms(word.strip().lower()) if form in known), None)


def _forms(word: str) -> Iterator[str]:
    """A word, then its adverbs and adjectives as English spells them, likely and unlikely ones."""
    yield word
    for ending, other in (("y", "ily"), ("le", "ly"), ("ic", "ically"), ("ll", "lly"), ("", "ly")):
        if word.endswith(ending):
            yield word.removesuffix(ending) + other
    for ending, other in (("ically", "ic"), ("ily", "y"), ("ly", "le"), ("ly", ""), ("lly", "ll")):
        if word.endswith(ending):
            yield word.removesuffix(ending) + other
