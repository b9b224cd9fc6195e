"""Folders of recordings, performed: every clip of every file, and a report of what was found and kept in each."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from kinesphere.cli.batch import (
    SOME_FAILED,
    ClipChoice,
    Outcome,
    PassedOver,
    Told,
    UnreadableFile,
    Verb,
    run_folder,
    suffix_for,
)
from kinesphere.cli.performing_options import Asked
from kinesphere.cli.previews import check_preview, draw_comparison, preview_path
from kinesphere.cli.shared import check_outputs, open_character
from kinesphere.cli.transform_commands import Transform

if TYPE_CHECKING:
    from kinesphere.motion.character import Character
    from kinesphere.motion.motion import Motion
    from kinesphere.score.score import Score

REPORTS = (".csv", ".json")


@lru_cache(maxsize=1)  # of all files of a folder
def _load_performer(path: Path) -> Character:
    return open_character(path)


@dataclass(frozen=True)
class Performing(Transform):
    """``kinesphere perform`` of recordings."""

    asked: Asked

    def apply(self, motion: Motion) -> Motion:
        return self.perform(motion)[0]

    def perform(self, motion: Motion) -> tuple[Motion, Mapping[str, Any]]:
        """One clip, performed, and its row of the report. It is measured on its own body."""
        from kinesphere.engine.generation import generate
        from kinesphere.score.performance_report import measure_performance
        from kinesphere.score.rendering import edited_phrase, render
        from kinesphere.score.score import Score

        score = replace(self.asked.score(Score(motion)), character=self.performer)
        phrase = edited_phrase(score)
        performed = generate(phrase, motion.rate)
        report = measure_performance(phrase, performed)
        made = render(replace(score, source=performed, layers=()))
        return made, report.to_row() | {"told": str(report)}

    @property
    def performer(self) -> Character | None:
        """Who performs it; None: whom the recordings are of."""
        return None if self.asked.character is None else _load_performer(self.asked.character)

    def run(self, source: Path, clips: tuple[ClipChoice, ...], output: Path) -> list[str]:
        """See ``Work``."""
        from kinesphere.files.loading import save_clips
        from kinesphere.files.registry import format_to_write

        if self.preview:
            check_preview(preview_path(output), self.overwrite)
        own, performer = self._own_surface(source), self.performer
        character = own if performer is None else performer
        motions = [self.load(source, clip) for clip in clips]
        made, rows = zip(*(self.perform(motion) for motion in motions), strict=True)
        held = character if format_to_write(output).holds_characters else None
        output.parent.mkdir(parents=True, exist_ok=True)
        save_clips(made, output, character=held)
        told = Told([f"wrote {output}" + (f", {len(made)} clips" if len(made) > 1 else "")])
        told.rows = rows
        if self.preview:
            draw_comparison(motions[0], made[0], (own, character), preview_path(output))
            told.append(f"wrote {preview_path(output)}")
        return told


def perform_folder(
    source: Path, out: Path, suffix: str | None, work: Performing, jobs: int | None, report: Path | None
) -> None:
    """Perform all clips under a folder; print and write a report."""
    work.asked.score(_nothing())  # what is wrong with the options is an error, not one for every file

    def tell(outcomes: Sequence[Outcome], unreadable: Sequence[UnreadableFile], passed: Sequence[PassedOver]) -> None:
        report_folder(outcomes, unreadable, passed, report)

    verb = Verb("performing", "performed")
    if run_folder(source, out, suffix, work, verb, jobs, together=True, report=tell):
        raise typer.Exit(SOME_FAILED)


def _nothing() -> Score:
    from kinesphere.score.score import Score

    return Score("wave")


# Options that mean one thing for a file and more for a folder


def parse_end(text: str | None) -> float | None:
    """Seconds of ``--to``; None where it is a format."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        suffix_for(text)  # refuses what is neither
        return None


def folder_format(text: str | None) -> str | None:
    """The suffix of ``--to``; None: each file's own, also where it is seconds."""
    return suffix_for(None if parse_end(text) is not None else text, needed=False)


# The report


def check_report(file: Path, overwrite: bool) -> None:
    """Refuse a report that cannot be written, before anything is performed."""
    if file.suffix.lower() not in REPORTS:
        raise ValueError(f"--report {file}: {' or '.join(REPORTS)} is expected, found the suffix {file.suffix!r}")
    check_outputs([file], overwrite)


def report_recording(score: Score, source: Path, output: Path) -> Mapping[str, Any]:
    """The row of one recording; what is none is refused."""
    from kinesphere.score.performance_report import measure_score

    report = measure_score(score)
    return _placed(source, output, "performed") | report.to_row() | {"told": str(report)}


def report_folder(
    outcomes: Sequence[Outcome],
    unreadable: Sequence[UnreadableFile],
    passed: Sequence[PassedOver],
    file: Path | None,
) -> None:
    """Print a line for every clip that was performed, and write all rows.

    Those of what was refused, or passed over for its format, have the reason and name no output: there is none.
    """
    rows: list[Mapping[str, Any]] = []
    for outcome in outcomes:
        if outcome.kind == "written":
            rows += [_placed(outcome.source, outcome.output, "performed") | dict(row) for row in outcome.rows]
        elif outcome.kind == "failed":
            rows.append(_placed(outcome.source, None, "refused") | {"reason": outcome.message})
    rows += [_placed(own.source, None, "refused") | {"reason": own.error} for own in unreadable]
    rows += [_placed(own.source, None, "passed over") | {"reason": own.reason} for own in passed]
    if file is not None:
        save_rows(rows, file)
    else:
        _tell(rows)


def _placed(source: Path, output: Path | None, outcome: str) -> dict[str, Any]:
    return {"file": str(source), "output": None if output is None else str(output), "outcome": outcome}


def save_rows(rows: Sequence[Mapping[str, Any]], file: Path) -> None:
    """Write a report: a table with a head in CSV, or a list of objects in JSON. It appears whole or not at all."""
    from kinesphere.files.atomic import atomic_write

    plain = [{name: value for name, value in row.items() if name != "told"} for row in rows]
    if file.suffix.lower() == ".json":
        text = json.dumps(plain, indent=1) + "\n"
    else:
        columns = list(dict.fromkeys([*(name for row in plain for name in row if name != "reason"), "reason"]))
        table = io.StringIO(newline="")
        writer = csv.DictWriter(table, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(plain)
        text = table.getvalue()
    with atomic_write(file) as target:
        target.write(text.encode())
    _tell(rows)
    typer.echo(f"wrote {file}")


def _tell(rows: Sequence[Mapping[str, Any]]) -> None:
    for row in rows:
        if "told" in row:
            typer.echo(row["told"])
