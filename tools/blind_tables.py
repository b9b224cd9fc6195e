"""What readers of blind pictures saw, as tables: correct, neutral and opposite as Chi's thesis counts them, and words.

The thesis counts codings: four factors a segment, −1, 0 or 1 each. *Neutral* are an element that was missed and one
that was seen where none was. How many of the elements shown were named is counted too.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kinesphere.analysis.measures import ELEMENTS
from kinesphere.direction.words import find_word
from kinesphere.maths.vectors import Floats, Ints
from observer_experiment import LONG, SHORT, TABLE_1, TABLE_2, by_element, shares

Row = dict[str, str]


class Code(NamedTuple):
    """The factor of an element, and its end of it."""

    factor: int
    sign: int


CODES = {
    name: Code(factor, sign)
    for factor, pair in enumerate(ELEMENTS.values())
    for name, sign in zip(pair, (-1, 1), strict=True)
}


# Files


def read_rows(path: Path) -> list[Row]:
    """The rows of a CSV."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        return [{(k or "").strip(): (v or "").strip() for k, v in row.items()} for row in csv.DictReader(file)]


def read_codes(path: Path, truth: Sequence[Row]) -> Ints:
    """``(N, 4)`` what a reader said of the key's items."""
    return np.array([label_codes(label, f"{path}: {item}") for item, label in _said(path, truth)], dtype=np.intp)


def label_codes(label: str, where: str = "") -> tuple[int, ...]:
    """``"strong sudden"`` as ``(0, 1, 1, 0)``."""
    codes = [0] * len(ELEMENTS)
    for word in label.lower().replace(",", " ").replace("+", " ").split():
        if word == "neutral":
            continue
        if word not in CODES:
            raise ValueError(f"{where}: {word!r} is none of {', '.join(CODES)}, neutral")
        factor, sign = CODES[word]
        if codes[factor] == -sign:
            raise ValueError(f"{where}: {label!r} has both ends of a factor")
        codes[factor] = sign
    return tuple(codes)


def read_words(path: Path, truth: Sequence[Row]) -> list[str]:
    """What a reader said of the key's items: words of the vocabulary, adjectives and adverbs alike."""
    return [find_word(label).name for _, label in _said(path, truth)]


def _said(path: Path, truth: Sequence[Row]) -> list[tuple[str, str]]:
    """Item and label of a reading, in the key's order; all of the key's and no others."""
    said = {row["item"]: row["label"] for row in read_rows(path)}
    items = [row["item"] for row in truth]
    if odd := set(items) ^ set(said):
        raise ValueError(f"{path}: the key and the reading have not the same items: {', '.join(sorted(odd))}")
    return [(item, said[item]) for item in items]


# Elements


def element_tables(truth: Sequence[Row], readings: Mapping[str, Ints]) -> list[str]:
    """All tables of a reading of elements."""
    asked = np.array([label_codes(row["label"], row["item"]) for row in truth], dtype=np.intp)
    lines = [f"{len(asked)} segments, {asked.size} codings, {len(readings)} readers.", ""]
    for table in (_overall, _each_element, _parts, _label_wise):
        lines += [*table(asked, readings, truth), ""]
    lines += ["Performed (rows) and read (columns), codings of all readers:", ""]
    for factor in range(len(ELEMENTS)):
        lines += [*_confusion(asked, readings, factor), ""]
    return [*lines, *_every_item(asked, readings, truth)]


def _overall(asked: Ints, readings: Mapping[str, Ints], truth: Sequence[Row]) -> list[str]:
    """Table 6.1."""
    found = [shares(asked, said) for said in readings.values()]
    silent = shares(asked, np.zeros_like(asked))
    head = ["% of codings", "consultant", "CMA 1", "CMA 2", "CMA 3", *readings, "our mean", "who always says neutral"]
    rows = [
        [
            name,
            *(f"{v:g}" for v in row),
            *(f"{own[name]:.1f}" for own in found),
            _mean(found, name),
            f"{silent[name]:.1f}",
        ]
        for name, row in TABLE_1.items()
    ]
    pairs = [float(np.mean(a == b)) for a, b in combinations(readings.values(), 2)]
    agree = [f"Two readers gave the same coding in {100.0 * np.mean(pairs):.1f} %."] if pairs else []
    return [*_markdown(head, rows), *([""] if agree else []), *agree]


def _mean(found: Sequence[Mapping[str, float]], name: str) -> str:
    return f"**{np.mean([own[name] for own in found]):.1f}**"


def _each_element(asked: Ints, readings: Mapping[str, Ints], truth: Sequence[Row]) -> list[str]:
    """Table 6.2."""
    found = [{name: share for name, (share, _) in by_element(asked, said).items()} for said in readings.values()]
    counts = {name: count for name, (_, count) in by_element(asked, asked).items()}
    head = ["% correct", "segments", "consultant", "mean of 3 CMAs", *readings, "our mean"]
    rows = [
        [name, str(counts[name]), *(f"{v:g}" for v in row), *(f"{own[name]:.1f}" for own in found), _mean(found, name)]
        for name, row in TABLE_2.items()
    ]
    return _markdown(head, rows)


def _parts(asked: Ints, readings: Mapping[str, Ints], truth: Sequence[Row]) -> list[str]:
    """Correct, neutral and opposite in each part of the film, of all readers."""
    segment = np.array([int("".join(letter for letter in row["file"] if letter.isdigit()) or 0) for row in truth])
    edges = {"2 keys, beside neutral": (1, SHORT), "5 keys, beside neutral": (SHORT + 1, SHORT + LONG)}
    rows = []
    for name, (first, last) in (edges | {"5 keys, alone": (SHORT + LONG + 1, 10**9)}).items():
        there = (segment >= first) & (segment <= last)
        if there.any():
            found = [shares(asked[there], said[there]) for said in readings.values()]
            rows.append([name, str(int(there.sum())), *(f"{np.mean([own[k] for own in found]):.1f}" for k in TABLE_1)])
    return _markdown(["part of the film", "segments", *TABLE_1], rows)


def _label_wise(asked: Ints, readings: Mapping[str, Ints], truth: Sequence[Row]) -> list[str]:
    """Of the elements shown: named, missed, taken for their opposites; false alarms; segments without an error."""
    rows = []
    for name, said in readings.items():
        there = asked != 0
        right, opposite = there & (said == asked), there & (said == -asked)
        counts = [float(np.sum(own)) for own in (right, there & (said == 0), opposite)]
        per = [f"{100.0 * count / max(int(there.sum()), 1):.1f}" for count in counts]
        false, whole = int(np.sum(~there & (said != 0))), int(np.sum((asked == said).all(axis=1)))
        rows.append([name, *per, str(false), f"{whole} of {len(asked)}"])
    head = ["reader", "% of elements named", "% missed", "% opposite", "false alarms", "segments wholly right"]
    return _markdown(head, rows)


def _confusion(asked: Ints, readings: Mapping[str, Ints], factor: int) -> list[str]:
    """Three by three codings of a factor."""
    low, high = list(ELEMENTS.values())[factor]
    names = (low, "neutral", high)
    rows = []
    for code, name in zip((-1, 0, 1), names, strict=True):
        there = asked[:, factor] == code
        total = int(there.sum()) * len(readings)
        seen = [sum(int(np.sum(own[there, factor] == other)) for own in readings.values()) for other in (-1, 0, 1)]
        rows.append([name, *(f"{n} ({100.0 * n / total:.0f} %)" if total else "0" for n in seen)])
    return _markdown([list(ELEMENTS)[factor], *names], rows)


def _every_item(asked: Ints, readings: Mapping[str, Ints], truth: Sequence[Row]) -> list[str]:
    order = sorted(range(len(truth)), key=lambda i: truth[i]["file"])
    rows = [
        [Path(truth[i]["file"]).stem, _label(asked[i]), *(_label(said[i]) for said in readings.values())] for i in order
    ]
    return _markdown(["picture", "performed", *readings], rows)


def _label(codes: Ints) -> str:
    return " ".join(name for name, code in CODES.items() if codes[code.factor] == code.sign) or "neutral"


# Words


def word_tables(truth: Sequence[Row], readings: Mapping[str, Sequence[str]], aliases: str = "") -> list[str]:
    """How many words were read, every picture, and what was taken for what."""
    meant = [find_word(row["label"]).name for row in truth]
    leader = _groups(aliases)

    def right(word: str, said: str) -> bool:
        return leader.get(word, word) == leader.get(said, said)

    scores = {name: [right(*pair) for pair in zip(meant, said, strict=True)] for name, said in readings.items()}
    rows = [[name, f"{sum(own)} of {len(own)}", f"{100.0 * np.mean(own):.1f}"] for name, own in scores.items()]
    overall: Floats = np.mean(list(scores.values()), axis=0)
    rows.append(["mean", "", f"**{100.0 * overall.mean():.1f}**"])
    lines = [*_markdown(["reader", "words right, or an alias", "%"], rows), ""]
    order = sorted(range(len(meant)), key=lambda i: truth[i]["file"])
    each = [
        [
            Path(truth[i]["file"]).stem,
            meant[i],
            *(_mark(said[i], right(meant[i], said[i])) for said in readings.values()),
        ]
        for i in order
    ]
    lines += [*_markdown(["picture", "performed", *readings], each), ""]
    taken = Counter(pair for said in readings.values() for pair in zip(meant, said, strict=True) if not right(*pair))
    confused = [[word, said, str(count)] for (word, said), count in taken.most_common()]
    return [*lines, *_markdown(["performed", "read as", "times"], confused)]


def _mark(said: str, right: bool) -> str:
    return said if right else f"*{said}*"


def _groups(aliases: str) -> dict[str, str]:
    """``timidly:shy,calmly:serene`` as one word for each of a group."""
    leader: dict[str, str] = {}
    for pair in filter(None, aliases.split(",")):
        first, second = (find_word(word).name for word in pair.split(":"))
        one, other = leader.get(first, first), leader.get(second, second)
        leader |= {first: one, second: one} | {word: one for word, own in leader.items() if own == other}
    return leader


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
