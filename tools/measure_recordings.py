"""Measure performances of recordings: what is kept, what follows the dials, and how they compare with actors.

    python tools/measure_recordings.py DATA                      everything
    python tools/measure_recordings.py DATA --only contracts     one of them
    python tools/measure_recordings.py DATA --clips 12 --out reports

DATA is a folder of clips, KINESPHERE_DATA if left out. Each report is Markdown; ``--out`` writes them into a folder,
with the numbers of every performance as CSV.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from pathlib import Path

from recording_measures import actors, contracts, identity, monotone, principal, strokes

NAMES = ("identity", "contracts", "monotone", "principal", "actors", "strokes")


def main() -> None:
    """Run the measures and print their reports."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    default = os.environ.get("KINESPHERE_DATA") or Path(__file__).parents[2] / "shared" / "data"
    parser.add_argument("data", type=Path, nargs="?", default=Path(default), help="a folder of clips")
    parser.add_argument("--only", nargs="+", choices=NAMES, help="these alone")
    parser.add_argument("--clips", type=int, metavar="N", help="so many clips, spread over all")
    parser.add_argument("--out", type=Path, help="a folder for reports and tables")
    options = parser.parse_args()
    if not options.data.is_dir():
        sys.exit(f"{options.data}: no such folder; give a folder of clips")
    warnings.simplefilter("ignore")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
    for name in options.only or NAMES:
        started = time.monotonic()
        text = _report(name, options)
        print(f"\n# {name}\n\n{text}\n\n({time.monotonic() - started:.0f} s)", flush=True)
        if options.out:
            (options.out / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")


def _report(name: str, options: argparse.Namespace) -> str:
    data, count = options.data, options.clips
    if name == "identity":
        return identity.report(data, count)
    if name == "contracts":
        return contracts.report(data, count, options.out)
    if name == "monotone":
        return monotone.report(data, count, options.out)
    if name == "principal":
        return principal.report(data, count)
    if name == "actors":
        return actors.report(data)
    return strokes.report(data)


if __name__ == "__main__":
    main()
