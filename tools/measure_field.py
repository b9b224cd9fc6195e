"""Field trial: measure what retargeting and edits do to every clip of a folder, and print one line a measure.

``make field DATA=folder`` runs it over ``folder``: every BVH file below it is a clip, and every GLB, glTF or VRM file
below it is a character. Files that cannot be read, and bodies that are no humanoids, are counted and named. ``--csv``
keeps the numbers of every clip; ``--only`` chooses measures; ``--every 4`` takes each fourth clip.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import os
import pkgutil
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

import field_measures
import kinesphere
from kinesphere import Character, Motion

LONGEST = 60.0  # seconds of a clip that are measured
Rows = dict[str, dict[str, float]]


class Measure(NamedTuple):
    """One module of ``field_measures``."""

    name: str
    order: int
    about: str
    measure: Callable[[Motion, dict[str, Character]], dict[str, float]]
    summarise: Callable[[Rows], str]


@cache
def measures() -> dict[str, Measure]:
    """All measures by name, in their order."""
    found = []
    for module in pkgutil.iter_modules(field_measures.__path__):
        own = importlib.import_module(f"field_measures.{module.name}")
        if hasattr(own, "measure"):
            about = (own.__doc__ or "").strip().splitlines()[0]
            found.append(Measure(module.name, own.ORDER, about, own.measure, own.summarise))
    return {measure.name: measure for measure in sorted(found, key=lambda measure: measure.order)}


@cache
def characters(folder: Path) -> dict[str, Character]:
    """The humanoid characters below a folder, by their paths in it."""
    found = {}
    for file in sorted(path for suffix in ("glb", "gltf", "vrm") for path in folder.rglob(f"*.{suffix}")):
        try:
            character = kinesphere.load_character(file)
        except (ValueError, OSError):
            continue
        if character.meshes and kinesphere.find_roles(character.skeleton).is_humanoid:
            found[str(file.relative_to(folder))] = character
    return found


def measure_clip(folder: Path, file: Path, names: tuple[str, ...]) -> tuple[str, Rows, str]:
    """One clip's name, its numbers by measure, and what went wrong."""
    warnings.simplefilter("ignore")
    name = str(file.relative_to(folder))
    try:
        motion = kinesphere.load(file)
    except (ValueError, OSError) as error:
        return name, {}, f"not read: {error}"
    if len(motion) < 2 or not kinesphere.find_roles(motion.skeleton).is_humanoid:
        return name, {}, "no humanoid, or a single frame"
    motion = motion[: round(LONGEST * motion.rate)]
    rows, failed = {}, []
    for key in names:
        try:
            numbers = measures()[key].measure(motion, characters(folder))
        except (ValueError, KeyError) as error:  # a clip that is refused is a finding, not the end of the run
            failed.append(f"{key}: {error or type(error).__name__}")
            continue
        if numbers:
            rows[key] = numbers
    return name, rows, "; ".join(failed)


def main() -> None:
    """Run the measures and print their lines."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    default = os.environ.get("KINESPHERE_DATA") or Path(__file__).parents[2] / "shared" / "data"
    parser.add_argument("folder", type=Path, nargs="?", default=Path(default))
    parser.add_argument("--only", nargs="+", choices=tuple(measures()), help="these measures alone")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th clip alone")
    parser.add_argument("--csv", type=Path, help="a file for the numbers of every clip")
    options = parser.parse_args()
    folder = options.folder
    clips = sorted(folder.rglob("*.bvh"))[:: options.every]
    if not clips:
        sys.exit(f"{folder}: found no .bvh files below this folder; give a folder of clips: make field DATA=folder")
    names = tuple(options.only or measures())
    print(f"{len(clips)} clips and {len(characters(folder))} characters below {folder}", flush=True)
    results: dict[str, Rows] = {name: {} for name in names}
    started = time.monotonic()
    with ProcessPoolExecutor(max_workers=2) as pool:
        waiting = [pool.submit(measure_clip, folder, file, names) for file in clips]
        for count, job in enumerate(waiting, 1):
            clip, rows, trouble = job.result()
            for name, numbers in rows.items():
                results[name][clip] = numbers
            if trouble:
                print(f"  {clip}: {trouble}", file=sys.stderr)
            if sys.stderr.isatty():
                print(f"\r  {count} of {len(clips)} clips", end="", file=sys.stderr, flush=True)
    print(f"  measured in {time.monotonic() - started:.0f} s", file=sys.stderr)
    for name in names:
        line = measures()[name].summarise(results[name]) if results[name] else "nothing to measure"
        print(f"{name}: {line}")
    if options.csv:
        _write_csv(options.csv, results)


def _write_csv(file: Path, results: dict[str, Rows]) -> None:
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["measure", "clip", "number", "value"])
        for measure, rows in results.items():
            for clip, numbers in rows.items():
                writer.writerows([measure, clip, number, f"{value:.6g}"] for number, value in numbers.items())


if __name__ == "__main__":
    main()
