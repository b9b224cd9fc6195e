"""Contracts: what every performance of a recording keeps, over many clips and edits.

Each measure is one module: planted feet, pops, joint limits, soundness, what hands keep,
how deep they are in the body, flights. The report has one
row an edit, the worst cases of each measure, and a table of all numbers as CSV.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from recording_measures import clearance, flights, kept, limits, plants, pops, soundness
from recording_measures.clips import performable
from recording_measures.edits import EDITS, AnyEdit
from recording_measures.performances import Found, Performance, Recorded

GROUPS = (plants, pops, limits, soundness, kept, clearance, flights)
# Measure to its unit, what is still well, and what it says.
COLUMNS: dict[str, tuple[str, float, str]] = {
    "ball slip": ("mm", 5.0, "added to a planted ball's, or a whole sole's, own movement"),
    "heel slip": ("mm", 5.0, "the same of heels, over the ground, beyond what rolling over the ball explains"),
    "heel rise": ("mm", float("inf"), "of heels that stood: raised on purpose, or where an ankle is spent"),
    "below ground": ("mm", 5.0, "soles below the recorded floor there"),
    "turn speed": ("°/s", 200.0, "of a joint beyond the recording's fastest, times the pace"),
    "turn bend": ("°/frame²", 0.5, "change of a joint's turning at 120 fps beyond the recording's, times the pace²"),
    "bent frames": ("", 5.0, "frames in which that is more than 0.5"),
    "turn pop": ("°/frame²", 0.5, "the same, where frames around it are calm"),
    "hand bend": ("mm/frame²", 10.0, "change of a wrist's velocity at 60 fps beyond the recording's, times the pace²"),
    "body bend": ("mm/frame²", 5.0, "the same of head, hips and ankles"),
    "limits": ("°", 5.0, "beyond joint limits more than recorded at that moment"),
    "limits of clip": ("°", 5.0, "beyond joint limits more than anywhere in the recording"),
    "bones": ("mm", 0.001, "longer or shorter than ever recorded"),
    "broken": ("", 0.0, "not finite, no unit quaternions, loops that do not close"),
    "not repeated": ("", 0.0, "other bits the second time (one edit of each clip)"),
    "kept touch": ("mm", 5.0, "of a hand, in the frame of what it touches"),
    "kept meet": ("mm", 5.0, "change of the distance between wrists that meet"),
    "kept place": ("mm", 5.0, "of a hand that stays in the world"),
    "kept aim": ("°", 3.0, "off the target, beyond what was recorded"),
    "deeper": ("mm", 20.0, "of hands and forearms in trunk, head, thighs or the other forearm, beyond the recording"),
    "flight pace": ("%", 2.0, "of the clock in the air"),
}
WORST = 20


class Row(NamedTuple):
    """One number of one performance."""

    clip: str
    edit: str
    measure: str
    found: Found


def measure_all(
    data: Path, count: int | None = None, asked: Mapping[str, AnyEdit] = EDITS
) -> tuple[list[Row], list[str]]:
    """The numbers of all performances with each of these edits, and what was refused."""
    rows: list[Row] = []
    refused: list[str] = []
    edits = list(asked)
    for i, (name, motion) in enumerate(performable(data, count)):
        print(f"\r  contracts: {i + 1} clips, {name:40}", end="", file=sys.stderr, flush=True)
        try:
            recorded = Recorded.of(name, motion)
        except ValueError as error:
            refused.append(f"{name}: {error}")
            continue
        for at, edit in enumerate(edits):
            try:
                own = Performance.of(recorded, asked[edit])
                found = {key: value for group in GROUPS for key, value in group.measure(own).items()}
                if at == i % len(edits):
                    found |= soundness.measure_again(own)
            except (ValueError, IndexError, KeyError) as error:  # a performance that fails is a finding
                refused.append(f"{name}, {edit}: {type(error).__name__} {error}")
                continue
            rows += [Row(name, edit, key, value) for key, value in found.items()]
    print(file=sys.stderr)
    return rows, refused


def report(data: Path, count: int | None = None, out: Path | None = None, asked: Mapping[str, AnyEdit] = EDITS) -> str:
    """Tables in Markdown: a row an edit, then the worst cases of each measure."""
    rows, refused = measure_all(data, count, asked)
    if out:
        _write_csv(out / "contracts.csv", rows)
    by_edit: dict[tuple[str, str], list[Row]] = defaultdict(list)
    by_measure: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_edit[row.edit, row.measure].append(row)
        by_measure[row.measure].append(row)
    names = [name for name in COLUMNS if by_measure[name]]
    clips = len({row.clip for row in rows})
    performances = len({(row.clip, row.edit) for row in rows})
    lines = [f"{performances} performances of {clips} clips. Median / 95 % / worst (clip).", ""]
    lines += ["| measure | unit | goal | met by | median | 95 % | worst | |", "|---|---|---|---|---|---|---|---|"]
    lines += [_summary(name, by_measure[name]) for name in names]
    lines += ["", f"| edit | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for edit in asked:
        lines.append(f"| {edit} | {' | '.join(_cell(by_edit[edit, name]) for name in names)} |")
    if refused:
        lines += ["", "Refused:", "", *(f"- {text}" for text in refused)]
    for name in names:
        chosen = sorted(by_measure[name], key=lambda row: -row.found.value)[:WORST]
        chosen = [row for row in chosen if row.found.value > COLUMNS[name][1]]
        if chosen:
            unit, goal, about = COLUMNS[name]
            lines += ["", f"## {name}: {about} ({unit}, goal {goal:g})", ""]
            lines += ["| | clip | edit | where |", "|---|---|---|---|"]
            lines += [f"| {row.found.value:.3g} | {row.clip} | {row.edit} | {row.found.where} |" for row in chosen]
    return "\n".join(lines)


def _summary(name: str, rows: list[Row]) -> str:
    unit, goal, about = COLUMNS[name]
    values = np.array([row.found.value for row in rows])
    worst = rows[int(np.argmax(values))]
    met = 100.0 * float((values <= goal).mean())
    middle, most = np.percentile(values, [50, 95])
    return (
        f"| {name} | {unit} | {goal:g} | {met:.1f} % | {middle:.3g} | {most:.3g} | "
        f"{worst.found.value:.3g} ({worst.clip}, {worst.edit}) | {about} |"
    )


def _cell(rows: list[Row]) -> str:
    if not rows:
        return "–"
    values = np.array([row.found.value for row in rows])
    worst = rows[int(np.argmax(values))]
    middle, most = np.percentile(values, [50, 95])
    if worst.found.value < 1e-9:
        return "0"
    return f"{middle:.2g} / {most:.2g} / {worst.found.value:.3g} ({worst.clip.removeprefix('cmu/')})"


def _write_csv(file: Path, rows: list[Row]) -> None:
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["clip", "edit", "measure", "value", "where"])
        writer.writerows([r.clip, r.edit, r.measure, f"{r.found.value:.6g}", r.found.where] for r in rows)
