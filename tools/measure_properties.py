"""Measure movement properties: what each keeps on recordings, and what each changes beside its own thing.

    python tools/measure_properties.py contracts DATA --clips 12     every registered property, on recordings
    python tools/measure_properties.py matrix                        what each changes, on built-in gestures and a walk
    python tools/measure_properties.py matrix --only extent,tempo
    python tools/measure_properties.py page                          docs/property-matrix.md: one typical value each

DATA is a folder of clips, KINESPHERE_DATA if left out. Reports are Markdown.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

from kinesphere.motion.edit import PHRASE_EDITS
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import MovementProperty
from property_measures import matrix
from recording_measures import contracts


class PropertyEdit(NamedTuple):
    """One example of a property."""

    asked: MovementProperty

    def applied_to(self, phrase: Phrase) -> Phrase:
        """The phrase that is asked for it."""
        return self.asked.ask(phrase)


def examples(only: str | None = None) -> dict[str, MovementProperty]:
    """Examples of all registered properties, by name and values."""
    made: dict[str, MovementProperty] = {}
    for name, cls in PHRASE_EDITS.classes().items():
        if issubclass(cls, MovementProperty) and (only is None or name in only.split(",")):
            for own in cls.examples():
                made[f"{name} {matrix.describe(own)}"] = own
    return made


def examples_by_name() -> dict[str, list[MovementProperty]]:
    """Examples of each registered property."""
    classes = PHRASE_EDITS.classes()
    return {name: list(cls.examples()) for name, cls in classes.items() if issubclass(cls, MovementProperty)}


def write_page() -> None:
    """Write docs/property-matrix.md; fail where a change has no reason."""
    found = matrix.rows({name: own[:2][-1] for name, own in examples_by_name().items()})
    if missing := matrix.unexplained(found):
        sys.exit("say in property_measures/matrix.py why these change:\n  " + "\n  ".join(missing))
    path = Path(__file__).parents[1] / "docs" / "property-matrix.md"
    path.write_text(matrix.page(found), encoding="utf-8")
    print(path)


def main() -> None:
    """Print a report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("report", choices=("contracts", "matrix", "page"))
    default = os.environ.get("KINESPHERE_DATA") or Path(__file__).parents[2] / "shared" / "data"
    parser.add_argument("data", type=Path, nargs="?", default=Path(default), help="a folder of clips")
    parser.add_argument("--clips", type=int, default=12, metavar="N", help="so many clips, spread over all")
    parser.add_argument("--only", help="names of properties, parted by commas")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.report == "page":
        write_page()
        return
    asked = examples(options.only)
    if options.report == "matrix":
        print(matrix.report(asked))
        return
    if not options.data.is_dir():
        sys.exit(f"{options.data}: no such folder; give a folder of clips")
    print(contracts.report(options.data, options.clips, asked={name: PropertyEdit(own) for name, own in asked.items()}))


if __name__ == "__main__":
    main()
