"""Measure expression: what Effort and words do to a body, beside real performers, as Markdown.

    python tools/measure_expression.py                      the table, effect sizes, combinations, performers
    python tools/measure_expression.py --words --clean      and all words; and hands in the body, wrists, limits
    python tools/measure_expression.py --quick              one individual, every fourth word: a first impression
    python tools/measure_expression.py --json now.json --against before.json      keep it; print before → after

Everything is measured from joint positions (``expression_measures``), so that captures are measured in the same way.
Captures are read from KINESPHERE_DATA (default ``../shared/data``) where it is.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from expression_measures import clean, combinations, effects, flourishes, performers, summary, words
from expression_measures.catalogue import ELEMENTS
from expression_measures.measuring import MEASURES
from expression_measures.performing import SEEDS, Spec, Values, armed_gestures, measure_each, perform_each
from expression_measures.report import report
from kinesphere.builtin.library import gestures
from kinesphere.direction import vocabulary

QUICK_WORDS = 4  # each fourth word


def measure_elements(seeds: int) -> tuple[dict[str, Any], Mapping[str, effects.Pairs]]:
    """Effects, the matrix and combinations; and the pairs of every element."""
    armed = armed_gestures()
    cases = [(gesture, seed) for gesture in armed for seed in range(seeds)]
    singles = [Spec(gesture, elements, seed=seed) for gesture, seed in cases for elements in _SINGLE]
    values = measure_each([*singles, *combinations.specs_needed(cases)])
    pairs = {
        own: [(values[Spec(gesture, (own,), seed=seed)], values[Spec(gesture, seed=seed)]) for gesture, seed in cases]
        for own in ELEMENTS
    }
    matrix = effects.effect_matrix(pairs)
    deep = [motion.world() for _, motion in perform_each(Spec(gesture, ("indirect",)) for gesture in armed)]
    return {
        "about": {"gestures": list(armed), "seeds": seeds},
        "matrix": matrix,
        "short": effects.judge_matrix(matrix),
        "effects": _all_effects(pairs),
        "combinations": combinations.measure_combinations(values, cases),
        "flourishes": flourishes.flourish_shares(),
        "indirect_depth": 100.0 * max(float(clean.hand_depths(*world).max()) for world in deep),
        "handless": _handless([name for name in gestures() if name not in armed]),
    }, pairs


_SINGLE: tuple[tuple[str, ...], ...] = ((), *((own,) for own in ELEMENTS))


def _all_effects(pairs: Mapping[str, effects.Pairs]) -> dict[str, dict[str, Any]]:
    """Every measure at neutral, and what each element does to it."""
    found: dict[str, dict[str, Any]] = {}
    for name, measure in MEASURES.items():
        neutral = [without[name] for _, without in pairs[ELEMENTS[0]] if name in without]
        if not neutral:
            continue
        row: dict[str, Any] = {"neutral": _plain(float(np.mean(neutral)), measure.ratio)}
        for own in ELEMENTS:
            moved = effects.differences(pairs[own], name)
            if len(moved):
                row[own] = {
                    "change": _plain(float(moved.mean()), measure.ratio),
                    "d": effects.cohens_d(moved, measure.noticeable),
                    "paired_d": effects.cohens_d(moved, 1e-3 * measure.noticeable),
                }
        found[name] = row
    return found


def _plain(value: float, ratio: bool) -> float:
    return float(np.exp(value)) if ratio else value


def _handless(names: list[str]) -> dict[str, dict[str, float]]:
    """Gestures without strokes of hands: how far elements move what is measured of the whole take."""
    values = measure_each(Spec(name, elements) for name in names for elements in _SINGLE)

    def moved(a: Values, b: Values) -> float:
        off = [abs(a[name] - b[name]) / MEASURES[name].noticeable for name in a if name in b]
        return float(np.mean(off)) if off else 0.0

    return {name: {own: moved(values[Spec(name, (own,))], values[Spec(name)]) for own in ELEMENTS} for name in names}


def measure_clean(quick: bool) -> dict[str, Any]:
    """Hands, wrists and limits of neutral, and of all words at two intensities."""
    chosen = list(vocabulary())[:: QUICK_WORDS if quick else 1]
    found = {"neutral": clean.inspect_all(Spec(name, seed=None) for name in gestures())}
    for intensity in (1.0, 2.0):
        specs = (Spec(name, word=word, intensity=intensity, seed=None) for name in gestures() for word in chosen)
        found[f"words × {intensity:g}"] = clean.inspect_all(specs)
    return found


def measure_all(options: argparse.Namespace) -> dict[str, Any]:
    """Everything that was asked for, as it is kept in a file."""
    found, pairs = measure_elements(1 if options.quick else SEEDS)
    found["performers"] = performers.measure_performers(performers.data_folder())
    chosen = list(vocabulary())[::QUICK_WORDS] if options.quick else list(vocabulary())
    found["words"] = words.measure_words(found["about"]["gestures"], chosen)
    rows = summary.table_rows(found, pairs)
    found["table"] = {
        name: {part.name: part._asdict() for part in rows[name]} for name in summary.SHOULD if name in rows
    }
    if options.clean:
        found["clean"] = measure_clean(options.quick)
    return found


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--clean", action="store_true", help="hands in the body, wrists and limits over all words")
    parser.add_argument("--words", action="store_true", help="print every word's duration and the pairs that are one")
    parser.add_argument("--quick", action="store_true", help="one individual, and every fourth word")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep all numbers in a file")
    parser.add_argument("--against", type=Path, metavar="FILE", help="print before → after, beside an earlier file")
    parser.add_argument("--show", type=Path, metavar="FILE", help="measure nothing, print a file that was kept")
    options = parser.parse_args()
    before = json.loads(options.against.read_text("utf-8")) if options.against else None
    started = time.monotonic()
    found = json.loads(options.show.read_text("utf-8")) if options.show else measure_all(options)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    shown = found if options.words or options.show else {key: own for key, own in found.items() if key != "words"}
    print(report(shown, before))
    print(f"measured in {time.monotonic() - started:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
