"""Runs over files and folders: which files are read and written, in one process or several, with progress and a report.

A command gives a ``Work``: what to do with one file. Broken files are outcomes of a run, not its end.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

import typer

from kinesphere.cli.clips import clips_of
from kinesphere.cli.shared import (
    ReadOptions,
    builtin_motion,
    collect_warnings,
    one_line,
    print_note,
    print_warning,
    safe_stem,
    unique_stem,
)

SOME_FAILED = 1  # exit code of a run in which a file failed
_MOST_NAMED = 5  # files that were passed over
_MIN_FILES_TO_SHARE = 16  # files from which on starting more processes pays

ClipChoice = str | int | None  # by name, by number, or the only or first one

Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace outputs that exist. Without this they stay as they are.")
]
Processes = Annotated[
    int | None,
    typer.Option("--jobs", min=1, help="Processes for a folder. Left out: one, or one a core from 16 files on."),
]


class Told(list[str]):
    """What is said about an output, with rows of data about its clips for a report."""

    rows: tuple[Mapping[str, Any], ...] = ()


class Work(Protocol):
    """What a command does with a file. It is sent to other processes, so it is plain data."""

    @property
    def reading(self) -> ReadOptions: ...

    @property
    def overwrite(self) -> bool: ...

    def run(self, source: Path, clips: tuple[ClipChoice, ...], output: Path) -> list[str]:
        """Read some clips of a file, do the work and write them to one output; return what to say.

        It may be ``Told``, with data for a report. Raises all errors. Where the output's folder is missing, it is made
        when everything else is done.
        """
        ...


@dataclass(frozen=True)
class Job:
    """One file to read, and the files to write: each with the clips that go into it."""

    source: Path
    outputs: tuple[tuple[tuple[ClipChoice, ...], Path], ...]


@dataclass(frozen=True)
class UnreadableFile:
    """A file whose clips could not even be listed."""

    source: Path
    error: str


@dataclass(frozen=True)
class PassedOver:
    """A file of a folder that is of no format that is read."""

    source: Path
    reason: str


@dataclass(frozen=True)
class Outcome:
    """What became of one output."""

    source: Path
    output: Path
    kind: Literal["written", "exists", "failed"]
    message: str = ""
    warnings: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()  # of data about its clips


# Which files are read and written


def suffix_for(to: str | None, *, needed: bool = True) -> str | None:
    """The suffix for a value of ``--to``; None for each file's own where it is not ``needed``."""
    from kinesphere.files.registry import formats

    if to is None and not needed:
        return None
    known = [suffix for known in formats() if known.load is not None for suffix in known.written_suffixes]
    suffix = f".{(to or '').lower().removeprefix('.')}"
    if suffix not in known:
        found = f"--to {to}" if to else "no --to"
        raise ValueError(f"{found}; for a folder, one of these is needed: {', '.join(s[1:] for s in known)}")
    return suffix


def own_suffix(source: Path) -> str:
    """The suffix to write a file in its own format, or .glb where that is only read."""
    from kinesphere.files.registry import formats

    suffix = source.suffix.lower()
    writable = {s for known in formats() if known.load is not None for s in known.written_suffixes}
    return suffix if suffix in writable else ".glb"


def motion_suffixes() -> list[str]:
    """The suffixes of files that some reader of motions knows, in order."""
    from kinesphere.files.registry import formats

    return sorted({suffix for known in formats() if known.load is not None for suffix in known.suffixes})


def motion_files(folder: Path, excluded: Path) -> tuple[list[Path], list[Path]]:
    """Every file under a folder that some reader of motions knows by its suffix, and all others, each in order."""
    known = motion_suffixes()
    without = excluded.resolve()
    found: list[Path] = []
    others: list[Path] = []
    for parent, folders, files in os.walk(folder):
        # Outputs of an earlier run in a folder inside this one are no inputs.
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and (Path(parent) / name).resolve() != without
        )
        for name in sorted(files):
            if not name.startswith("."):
                (found if Path(name).suffix.lower() in known else others).append(Path(parent) / name)
    return found, others


def plan_outputs(
    source: Path, stem: str, folder: Path, suffix: str, options: ReadOptions, names: set[str], *, together: bool
) -> tuple[tuple[tuple[ClipChoice, ...], Path], ...]:
    """The outputs of one file: a file for each clip, or one for all where they may be ``together`` and fit into one."""
    clips = clips_of(source, options)
    if not clips or (together and _holds_clips(suffix)):
        numbers: tuple[ClipChoice, ...] = tuple(number for number, _ in clips) or (None,)
        return ((numbers, folder / f"{unique_stem(stem, names)}{suffix}"),)
    return tuple(
        ((number,), folder / f"{unique_stem(f'{stem}_{safe_stem(name)}', names)}{suffix}") for number, name in clips
    )


def _holds_clips(suffix: str) -> bool:
    from kinesphere.files.registry import format_to_write

    return format_to_write(Path(f"x{suffix}")).save_clips is not None


def plan_jobs(
    sources: list[Path], root: Path, out: Path, suffix: str | None, options: ReadOptions, *, together: bool = False
) -> tuple[list[Job], list[UnreadableFile]]:
    """A job for every source, with its outputs in the same folder under ``out`` as the source is under ``root``."""
    jobs, unreadable = [], []
    used: dict[tuple[Path, str], set[str]] = {}
    for source in sources:
        folder, written = out / source.parent.relative_to(root), suffix or own_suffix(source)
        names = used.setdefault((folder, written), set())
        stem = source.stem
        if stem.casefold() in names:
            stem = f"{stem}_{source.suffix[1:]}"  # walk.bvh and walk.glb both become a walk
        try:
            outputs = plan_outputs(source, stem, folder, written, options, names, together=together)
        except (ValueError, OSError) as error:
            unreadable.append(UnreadableFile(source, one_line(error)))
            continue
        jobs.append(Job(source, outputs))
    return jobs, unreadable


# Running, in this process or in several


def check_output(output: Path, overwrite: bool) -> None:
    """Raise for a single output of no known format, without a folder, or that exists and may not be replaced."""
    from kinesphere.files.registry import format_to_write

    format_to_write(output)
    if not output.parent.is_dir():
        raise FileNotFoundError(f"{output}: the folder {output.parent} does not exist")
    if output.exists() and not overwrite:
        raise FileExistsError(f"{output}: exists already; --overwrite replaces it")


def run_job(job: Job, work: Work) -> list[Outcome]:
    """Write all outputs of one file. Errors are outcomes: folders hold all kinds of files."""
    from kinesphere.motion.errors import MotionFileError

    outcomes = []
    for clips, output in job.outputs:
        if output.exists() and not work.overwrite:
            outcomes.append(Outcome(job.source, output, "exists"))
            continue
        rows: tuple[Mapping[str, Any], ...] = ()
        with collect_warnings() as warnings:
            try:
                told = work.run(job.source, clips, output)
                rows = told.rows if isinstance(told, Told) else ()
                kind: Literal["written", "failed"] = "written"
                message = ""
            except MotionFileError as error:
                kind, message = "failed", one_line(error)
            except (ValueError, OSError) as error:
                said = one_line(error)  # some name the file themselves
                kind, message = "failed", said if said.startswith(f"{job.source}: ") else f"{job.source}: {said}"
            except Exception as error:  # no file may end the run, whatever error its reader raises
                kind, message = "failed", f"{job.source}: {type(error).__name__}: {one_line(error)}"
        outcomes.append(Outcome(job.source, output, kind, message, tuple(warnings), rows))
    return outcomes


def _load_plugins(files: tuple[Path, ...]) -> None:
    """Load the plugins of the process that started this one."""
    from kinesphere.motion.registry import load_plugin

    for file in files:
        load_plugin(file)


def run_jobs(jobs: list[Job], work: Work, processes: int) -> Iterator[list[Outcome]]:
    """The outcomes of all jobs, as they come."""
    if processes == 1:
        for job in jobs:
            yield run_job(job, work)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    from kinesphere.motion.registry import loaded_plugins

    # Fresh processes: a fork would copy the progress bar's thread in whatever state it is.
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, fresh, _load_plugins, (loaded_plugins(),)) as pool:
        waiting = {pool.submit(run_job, job, work): job for job in jobs}
        for done in as_completed(waiting):
            try:
                yield done.result()
            except BrokenProcessPool:
                yield _report_lost(waiting[done])


def _report_lost(job: Job) -> list[Outcome]:
    """Failures of a job whose process died, of too little memory perhaps."""
    message = f"{job.source}: the process that was to read it ended; --jobs 1 may tell why"
    return [Outcome(job.source, output, "failed", message) for _, output in job.outputs]


def with_progress(
    outcomes: Iterator[list[Outcome]], total: int, doing: str, report: Callable[[Outcome], None]
) -> list[Outcome]:
    """Collect outcomes under a progress bar on stderr, which is silent where that is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn(doing), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    collected: list[Outcome] = []
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("", total=total)
        for some in outcomes:
            collected += some
            progress.advance(task, len(some))
            for outcome in some:
                report(outcome)
    return collected


# A whole run


@dataclass(frozen=True)
class Verb:
    """What a command does, for its progress bar and its report."""

    doing: str
    done: str


def run_folder(
    source: Path,
    out: Path,
    suffix: str | None,
    work: Work,
    verb: Verb,
    jobs: int | None,
    *,
    together: bool = False,
    report: Callable[[list[Outcome], list[UnreadableFile], list[PassedOver]], None] | None = None,
) -> bool:
    """Work on a folder, or on one file, into the folder ``out``; print a summary; return whether anything failed.

    ``report`` is given all outcomes before the summary.
    """
    from kinesphere.files.registry import format_to_read

    if out.exists() and not out.is_dir():
        raise ValueError(f"{out}: is a file; the output of a folder is a folder")
    folder = source.is_dir()
    if not folder and builtin_motion(source) is None:
        format_to_read(source)  # a single file that is not there is an error, not one failure among many
    sources, others = motion_files(source, out) if folder else ([source], [])
    root = source if folder else source.parent
    plan, unreadable = plan_jobs(sources, root, out, suffix, work.reading, together=together)
    total = sum(len(job.outputs) for job in plan)
    processes = jobs or (os.cpu_count() or 1 if len(plan) >= _MIN_FILES_TO_SHARE else 1)
    outcomes = with_progress(run_jobs(plan, work, processes), total, verb.doing, _print_warnings)
    reason = f"of no format that is read; read are {', '.join(motion_suffixes())}"
    passed = [PassedOver(file, reason) for file in others]
    if report is not None:
        report(sorted(outcomes, key=lambda own: own.output), unreadable, passed)
    return _summarise(outcomes, unreadable, passed, source, verb)


def run_file(source: Path, out: Path, work: Work) -> None:
    """Work on one file: all its clips in one output, or where that holds only one, a file for each beside ``out``.

    Outputs are checked before anything is written; errors are raised.
    """
    check_output(out, overwrite=True)  # wrong names are errors before the reading
    outputs = plan_outputs(source, out.stem, out.parent, out.suffix, work.reading, set(), together=True)
    for _, output in outputs:
        check_output(output, work.overwrite)
    for clips, output in outputs:
        for sentence in work.run(source, clips, output):
            typer.echo(sentence)


def _print_warnings(outcome: Outcome) -> None:
    for text in outcome.warnings:
        print_warning(" ".join(text.splitlines()))


def _tell_passed(passed: list[PassedOver], folder: Path) -> None:
    """Name files that were passed over, and say what is read."""
    if passed:
        named = ", ".join(str(own.source.relative_to(folder)) for own in passed[:_MOST_NAMED])
        more = f" and {len(passed) - _MOST_NAMED} more" if len(passed) > _MOST_NAMED else ""
        print_note(f"passed over {named}{more}, {passed[0].reason}")


def _summarise(
    outcomes: list[Outcome], unreadable: list[UnreadableFile], passed: list[PassedOver], source: Path, verb: Verb
) -> bool:
    failures = [entry.error for entry in unreadable]
    failures += [outcome.message for outcome in outcomes if outcome.kind == "failed"]
    written = sum(outcome.kind == "written" for outcome in outcomes)
    left = sum(outcome.kind == "exists" for outcome in outcomes)
    for message in sorted(failures):
        typer.secho(f"failed: {message}", fg=typer.colors.RED, err=True)
    _tell_passed(passed, source)
    summary = f"{verb.done} {written}, failed {len(failures)}"
    if left:
        summary += f", left {left} that existed already (--overwrite replaces them)"
    if not outcomes and not unreadable:
        summary = f"no motion files in {source}"
    if passed:
        summary += f", passed over {len(passed)}"
    typer.echo(summary)
    return bool(failures)
