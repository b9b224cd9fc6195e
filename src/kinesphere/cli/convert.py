"""``kinesphere convert``: one format into another, one file or a whole folder, in one process or several.

Presets write files as other programs want to import them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kinesphere.cli.shared import (
    Clip,
    Positions,
    Rate,
    ReadOptions,
    Salvage,
    Scale,
    ToGround,
    Up,
    builtin_motion,
    collect_warnings,
    is_builtin_name,
    one_line,
    print_warning,
    report_errors,
    safe_stem,
    unique_stem,
)

if TYPE_CHECKING:
    from kinesphere.motion.motion import Motion


class Program(StrEnum):
    """A program that the output is meant for."""

    BLENDER = "blender"
    UNITY = "unity"
    UNREAL = "unreal"


@dataclass(frozen=True)
class Preset:
    """How a BVH file should be written. glTF fixes unit and axes itself, so only the names matter there."""

    scale: float  # file units in a metre
    up: Literal["y", "z"]
    plain_names: bool
    about: str


PRESETS = {
    Program.BLENDER: Preset(
        1.0, "y", False, "metres, Y up (Blender's importer turns it), names kept but each only once"
    ),
    Program.UNITY: Preset(1.0, "y", True, "metres, Y up, names of letters, digits and underscores"),
    Program.UNREAL: Preset(100.0, "z", True, "centimetres and Z up in BVH (glTF stays in metres, Y up), plain names"),
}


def presets_help() -> str:
    """One sentence for each program."""
    return "Write for a program. " + " ".join(f"{name}: {preset.about}." for name, preset in PRESETS.items())


def save_for(motion: Motion, path: Path, program: Program | None) -> None:
    """Write a motion as a program wants it."""
    from kinesphere.files.loading import save
    from kinesphere.files.registry import format_to_write

    if program is None:
        save(motion, path)
        return
    preset = PRESETS[program]
    if format_to_write(path).name == "bvh":
        save(motion, path, scale=preset.scale, up=preset.up, plain_names=preset.plain_names)
    else:
        save(motion, path, plain_names=preset.plain_names)


# Which files are read and written


@dataclass(frozen=True)
class Job:
    """One file to read, and a file to write for each clip of it. ``None`` is its only or first clip."""

    source: Path
    outputs: tuple[tuple[str | int | None, Path], ...]


@dataclass(frozen=True)
class UnreadableFile:
    """A file whose clips could not even be listed."""

    source: Path
    error: str


def suffix_for(to: str | None) -> str:
    """The suffix for a value of ``--to``."""
    from kinesphere.files.registry import formats

    known = [suffix for known in formats() if known.load is not None for suffix in known.written_suffixes]
    suffix = f".{(to or '').lower().removeprefix('.')}"
    if suffix not in known:
        found = f"--to {to}" if to else "no --to"
        raise ValueError(f"{found}; for a folder, one of these is needed: {', '.join(s[1:] for s in known)}")
    return suffix


def motion_files(folder: Path, excluded: Path) -> list[Path]:
    """Every file under a folder that some reader of motions knows by its suffix, in order."""
    from kinesphere.files.registry import formats

    known = {suffix for known in formats() if known.load is not None for suffix in known.suffixes}
    without = excluded.resolve()
    found = []
    for parent, folders, files in os.walk(folder):
        # Outputs of an earlier run in a folder inside this one are no inputs.
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and (Path(parent) / name).resolve() != without
        )
        for name in sorted(files):
            if not name.startswith(".") and Path(name).suffix.lower() in known:
                found.append(Path(parent) / name)
    return found


def plan_jobs(
    sources: list[Path], root: Path, out: Path, suffix: str, options: ReadOptions
) -> tuple[list[Job], list[UnreadableFile]]:
    """A job for every source, with its outputs in the same folder under ``out`` as the source is under ``root``."""
    jobs, unreadable = [], []
    used: dict[Path, set[str]] = {}
    for source in sources:
        folder = out / source.parent.relative_to(root)
        names = used.setdefault(folder, set())
        stem = source.stem
        if stem.casefold() in names:
            stem = f"{stem}_{source.suffix[1:]}"  # walk.bvh and walk.glb both become a walk
        try:
            clips = _clips_of(source, options)
        except (ValueError, OSError) as error:
            unreadable.append(UnreadableFile(source, one_line(error)))
            continue
        outputs = []
        for clip in clips:
            plain = stem if clip is None or len(clips) == 1 else f"{stem}_{safe_stem(str(clip[1]))}"
            chosen = None if clip is None else clip[0]
            outputs.append((chosen, folder / f"{unique_stem(plain, names)}{suffix}"))
        jobs.append(Job(source, tuple(outputs)))
    return jobs, unreadable


def _clips_of(source: Path, options: ReadOptions) -> list[tuple[str | int, str] | None]:
    """Number and name of each clip; None for the only one. Clips of the same name differ only by number."""
    from kinesphere.files.loading import clip_names

    if options.clip is not None or builtin_motion(source) is not None:
        return [None]
    names = clip_names(source)
    if len(names) < 2:
        return [None]
    return [(number, name) for number, name in enumerate(names)]


# Conversion, in this process or in several


@dataclass(frozen=True)
class ConvertSettings:
    """How every file is to be converted."""

    reading: ReadOptions
    fps: float | None = None
    program: Program | None = None
    overwrite: bool = False


@dataclass(frozen=True)
class Outcome:
    """What became of one output."""

    source: Path
    output: Path
    kind: Literal["written", "exists", "failed"]
    message: str = ""
    warnings: tuple[str, ...] = ()


def convert_file(
    source: Path, output: Path, settings: ConvertSettings, clip: str | int | None = None, *, make_folders: bool = False
) -> None:
    """Read, resample with ``--fps``, write. Raises all errors."""
    from kinesphere.files.registry import format_to_read

    if output.exists() and not settings.overwrite:
        raise FileExistsError(f"{output}: exists already; --overwrite replaces it")
    reading = settings.reading
    builtin = is_builtin_name(source)
    if settings.fps is not None and reading.rate is None and not builtin and format_to_read(source).keyed:
        reading = replace(reading, rate=settings.fps)  # the file itself is interpolated between its keys
    motion = reading.load(source, clip)
    if settings.fps is not None:
        motion = motion.resampled(settings.fps)
    if make_folders:
        output.parent.mkdir(parents=True, exist_ok=True)
    save_for(motion, output, settings.program)


def run_job(job: Job, settings: ConvertSettings) -> list[Outcome]:
    """Convert all clips of one file. Errors are outcomes: folders hold all kinds of files."""
    from kinesphere.motion.errors import MotionFileError

    outcomes = []
    for clip, output in job.outputs:
        if output.exists() and not settings.overwrite:
            outcomes.append(Outcome(job.source, output, "exists"))
            continue
        with collect_warnings() as warnings:
            try:
                convert_file(job.source, output, settings, clip, make_folders=True)
                kind: Literal["written", "failed"] = "written"
                message = ""
            except MotionFileError as error:
                kind, message = "failed", one_line(error)
            except (ValueError, OSError) as error:
                kind, message = "failed", f"{job.source}: {one_line(error)}"
            except Exception as error:  # no file may end the run, whatever error its reader raises
                kind, message = "failed", f"{job.source}: {type(error).__name__}: {one_line(error)}"
        outcomes.append(Outcome(job.source, output, kind, message, tuple(warnings)))
    return outcomes


def _load_plugins(files: tuple[Path, ...]) -> None:
    """Load the plugins of the process that started this one."""
    from kinesphere.motion.registry import load_plugin

    for file in files:
        load_plugin(file)


def run_jobs(jobs: list[Job], settings: ConvertSettings, processes: int) -> Iterator[list[Outcome]]:
    """The outcomes of all jobs, as they come."""
    if processes == 1:
        for job in jobs:
            yield run_job(job, settings)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    from kinesphere.motion.registry import loaded_plugins

    # Fresh processes: a fork would copy the progress bar's thread in whatever state it is.
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, fresh, _load_plugins, (loaded_plugins(),)) as pool:
        waiting = {pool.submit(run_job, job, settings): job for job in jobs}
        for done in as_completed(waiting):
            try:
                yield done.result()
            except BrokenProcessPool:
                yield _report_lost(waiting[done])


def _report_lost(job: Job) -> list[Outcome]:
    """Failures of a job whose process died, of too little memory perhaps."""
    message = f"{job.source}: the process that was to convert it ended; --jobs 1 may tell why"
    return [Outcome(job.source, output, "failed", message) for _, output in job.outputs]


def with_progress(outcomes: Iterator[list[Outcome]], total: int, report: Callable[[Outcome], None]) -> list[Outcome]:
    """Collect outcomes under a progress bar on stderr, which is silent where that is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("converting"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    collected: list[Outcome] = []
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("", total=total)
        for some in outcomes:
            collected += some
            progress.advance(task, len(some))
            for outcome in some:
                report(outcome)
    return collected


# The command


SOME_FAILED = 1
_MIN_FILES_TO_SHARE = 16  # files from which on starting more processes pays


def convert(
    source: Annotated[Path, typer.Argument(help="A motion file, or a folder of them.", metavar="IN")],
    out: Annotated[Path, typer.Argument(help="The file or folder to write.", metavar="OUT")],
    to: Annotated[
        str | None, typer.Option("--to", help="Write into the folder OUT, in this format: bvh, glb or npz.")
    ] = None,
    fps: Annotated[float | None, typer.Option(help="Frames a second of the output.")] = None,
    program: Annotated[Program | None, typer.Option("--for", help=presets_help())] = None,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Replace outputs that exist. Without this they stay as they are."),
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Processes for a folder. Left out: one, or one a core from 16 files on."),
    ] = None,
    clip: Clip = None,
    scale: Scale = None,
    up: Up = None,
    rate: Rate = None,
    salvage: Salvage = False,
    positions: Positions = None,
    to_ground: ToGround = False,
) -> None:
    """Convert a motion file, or every motion file under a folder.

    A folder's tree is kept, and every clip of a file gets a file of its own.
    """
    with report_errors():
        if fps is not None and not 0.0 < fps < float("inf"):
            raise ValueError(f"--fps {fps:g}; a positive number is expected")
        settings = ConvertSettings(
            ReadOptions(clip, scale, up, rate, salvage, positions, to_ground), fps, program, overwrite
        )
        if source.is_dir() or out.is_dir() or to is not None:
            failed = _convert_many(source, out, to, settings, jobs)
        else:
            _convert_one(source, out, settings)
            failed = False
    if failed:
        raise typer.Exit(SOME_FAILED)


def _convert_one(source: Path, out: Path, settings: ConvertSettings) -> None:
    from kinesphere.files.loading import clip_names
    from kinesphere.files.registry import format_to_write

    format_to_write(out)  # an output of no known format is an error before the reading
    convert_file(source, out, settings)
    typer.echo(f"wrote {out}")
    names = () if is_builtin_name(source) else clip_names(source)
    if len(names) > 1 and settings.reading.clip is None:
        typer.echo(
            f"{source} has {len(names)} clips and this is the first, {names[0]!r}; "
            "--clip takes another; --to and a folder as OUT take all",
            err=True,
        )


def _convert_many(source: Path, out: Path, to: str | None, settings: ConvertSettings, jobs: int | None) -> bool:
    """Convert into a folder, print a summary, and return whether anything failed."""
    from kinesphere.files.registry import format_to_read

    suffix = suffix_for(to)
    if out.exists() and not out.is_dir():
        raise ValueError(f"{out}: is a file; the output of a folder is a folder")
    folder = source.is_dir()
    if not folder and builtin_motion(source) is None:
        format_to_read(source)  # a single file that is not there is an error, not one failure among many
    sources = motion_files(source, out) if folder else [source]
    root = source if folder else source.parent
    plan, unreadable = plan_jobs(sources, root, out, suffix, settings.reading)
    total = sum(len(job.outputs) for job in plan)
    processes = jobs or (os.cpu_count() or 1 if len(plan) >= _MIN_FILES_TO_SHARE else 1)
    outcomes = with_progress(run_jobs(plan, settings, processes), total, _print_warnings)
    return _summarise(outcomes, unreadable, source)


def _print_warnings(outcome: Outcome) -> None:
    for text in outcome.warnings:
        print_warning(" ".join(text.splitlines()))


def _summarise(outcomes: list[Outcome], unreadable: list[UnreadableFile], source: Path) -> bool:
    failures = [entry.error for entry in unreadable]
    failures += [outcome.message for outcome in outcomes if outcome.kind == "failed"]
    written = sum(outcome.kind == "written" for outcome in outcomes)
    left = sum(outcome.kind == "exists" for outcome in outcomes)
    for message in sorted(failures):
        typer.secho(f"failed: {message}", fg=typer.colors.RED, err=True)
    summary = f"converted {written}, failed {len(failures)}"
    if left:
        summary += f", left {left} that existed already (--overwrite replaces them)"
    if not outcomes and not unreadable:
        summary = f"no motion files in {source}"
    typer.echo(summary)
    return bool(failures)
