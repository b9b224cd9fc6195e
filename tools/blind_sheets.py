"""Blind readings: pictures of performances for readers who know nothing of the engine, and tables of what they read.

    python tools/blind_sheets.py elements OUT              the thesis' film of 62 segments, each with what was asked for
    python tools/blind_sheets.py elements OUT --segments 1-3 --seed 7
    python tools/blind_sheets.py words OUT                 24 random words on random gestures
    python tools/blind_sheets.py table KEY.csv READING.csv ...     what was performed and what was read, as Markdown

``OUT`` gets a PNG for each segment, one of the neutral performance where that is shown beside it, and ``LABELS.csv``
(file, label, beside). Whoever runs the experiment shuffles them under neutral names and gives readers the shuffled
folder and ``blind_guide.md`` alone, for words ``OUT/WORDS.txt`` as well. Each reader writes a CSV of ``item,label``.
``KEY.csv`` says which item is which: ``item,label,file``.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from blind_pictures import Performance, draw_sheet, still_step
from blind_tables import CODES, element_tables, read_codes, read_rows, read_words, word_tables
from kinesphere import Effort, perform
from kinesphere.direction.words import vocabulary
from kinesphere.pictures import save_picture
from observer_experiment import SEED, Segment, film

WORDS, WORDS_SEED = 24, 2016
GESTURES = ("wave", "point", "knock", "beckon", "emphasise", "drink", "reach", "clap")
# Seconds between stills at least: those with which a neutral gesture of five, or two, goals fills its row.
LEAST_STEPS = {5: 0.4, 2: 0.15}
LEAST_WORD_STEP = 0.1


@dataclass(frozen=True, eq=False)
class Item:
    """A picture that is to be read, and what is right."""

    name: str
    label: str
    shown: Performance
    neutral: Performance | None
    step: float


def element_items(seed: int, numbers: Sequence[int]) -> Iterable[Item]:
    """Segments of the film by their numbers, which begin with 1."""
    segments = film(seed)
    for number in numbers:
        yield element_item(number, segments[number - 1])


def element_item(number: int, segment: Segment) -> Item:
    """One segment of the film."""
    gesture, codes = segment.gesture, segment.codes
    goals = {side: keys for side, keys in (("left", gesture.left), ("right", gesture.right)) if keys is not None}
    count = max(len(keys.keys) for keys in goals.values())
    what = f"{count} goals, {'both hands' if len(goals) == 2 else 'right hand'}"
    shown = Performance(perform(gesture, Effort(*codes)), f"TO BE READ · {what}", goals)
    neutral = Performance(perform(gesture), f"NEUTRAL, the same {what}", goals) if segment.beside_neutral else None
    longest = max(own.duration for own in (shown, neutral) if own is not None)
    label = " ".join(word for word, code in CODES.items() if codes[code.factor] == code.sign)
    return Item(f"segment-{number:02d}", label or "neutral", shown, neutral, still_step(longest, LEAST_STEPS[count]))


def word_items(seed: int) -> Iterable[Item]:
    """Random words, each on a random gesture."""
    rng = np.random.default_rng(seed)
    for number, word in enumerate(rng.choice(sorted(vocabulary()), WORDS, replace=False).tolist(), 1):
        gesture = str(rng.choice(GESTURES))
        shown = Performance(perform(gesture, words=word), f"TO BE READ · gesture: {gesture}", {})
        neutral = Performance(perform(gesture), f"NEUTRAL, the same gesture: {gesture}", {})
        step = still_step(max(shown.duration, neutral.duration), LEAST_WORD_STEP)
        yield Item(f"word-{number:02d}-{gesture}", word, shown, neutral, step)


def write_items(items: Iterable[Item], out: Path) -> int:
    """Write pictures and their labels."""
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for item in items:
        beside = [] if item.neutral is None else [item.neutral]
        save_picture(draw_sheet(item.shown, item.step, beside), out / f"{item.name}.png")
        name = f"{item.name}-neutral.png" if item.neutral else ""
        if item.neutral is not None:
            save_picture(draw_sheet(item.neutral, item.step, [item.shown]), out / name)
        rows.append([f"{item.name}.png", item.label, name])
        print(f"{item.name}: {item.shown.duration:.2f} s", flush=True)
    with (out / "LABELS.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["file", "label", "beside"], *rows])
    return len(rows)


def print_tables(key: Path, readings: Sequence[Path], aliases: str) -> None:
    """Tables of elements, or of words, whichever the key has."""
    truth = read_rows(key)
    labels = {word for row in truth for word in row["label"].split()}
    named = [path.stem for path in readings]
    if len(set(named)) < len(named):
        named = [f"{path.parent.name}/{path.stem}" for path in readings]
    if labels <= {*CODES, "neutral"}:
        lines = element_tables(truth, dict(zip(named, (read_codes(path, truth) for path in readings), strict=True)))
    else:
        lines = word_tables(
            truth, dict(zip(named, (read_words(path, truth) for path in readings), strict=True)), aliases
        )
    print("\n".join(lines))


def numbers(text: str) -> list[int]:
    """``3-7`` or ``5`` as numbers."""
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    elements = verbs.add_parser("elements", help="pictures of the thesis' film")
    elements.add_argument("out", type=Path)
    elements.add_argument("--seed", type=int, default=SEED)
    elements.add_argument("--segments", type=numbers, default=numbers("1-62"), metavar="A-B")
    words = verbs.add_parser("words", help="pictures of random words")
    words.add_argument("out", type=Path)
    words.add_argument("--seed", type=int, default=WORDS_SEED)
    table = verbs.add_parser("table", help="what was performed and what was read")
    table.add_argument("key", type=Path)
    table.add_argument("readings", type=Path, nargs="+")
    table.add_argument("--aliases", default="", help="words that count as one, as in timidly:shy,calmly:serene")
    asked = parser.parse_args()
    if asked.verb == "elements":
        write_items(element_items(asked.seed, asked.segments), asked.out)
    elif asked.verb == "words":
        write_items(word_items(asked.seed), asked.out)
        (asked.out / "WORDS.txt").write_text("\n".join(sorted(vocabulary())) + "\n", encoding="utf-8")
    else:
        print_tables(asked.key, asked.readings, asked.aliases)


if __name__ == "__main__":
    main()
