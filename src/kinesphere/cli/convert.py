"""What other programs want of a file that they import."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kinesphere.cli.options import Clip, Rate, Reading, Salvage, Scale, Up, builtin_motion, safe_stem, unique_stem
from kinesphere.cli.reporting import collect_warnings, one_line, report_errors, say_warning
from kinesphere.files.loading import clip_names
from kinesphere.files.registry import format_to_read, formats
from kinesphere.motion.errors import MotionFileError

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


# ---- Which files a conversion reads, and which it writes.


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
    """The suffix that ``--to`` asks for."""
    known = [suffix for known in formats() if known.load is not None for suffix in known.written_suffixes]
    wanted = f".{(to or '').lower().removeprefix('.')}"
    if wanted not in known:
        found = f"--to {to}" if to else "no --to"
        raise ValueError(f"{found}; for a folder, one of these is needed: {', '.join(s[1:] for s in known)}")
    return wanted


def motion_files(folder: Path, apart_from: Path) -> list[Path]:
    """Every file under a folder that some reader of motions knows by its suffix, in order."""
    known = {suffix for known in formats() if known.load is not None for suffix in known.suffixes}
    without = apart_from.resolve()
    found = []
    for place, folders, files in os.walk(folder):
        # What an earlier run wrote into a folder inside this one is no input.
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and (Path(place) / name).resolve() != without
        )
        for name in sorted(files):
            if not name.startswith(".") and Path(name).suffix.lower() in known:
                found.append(Path(place) / name)
    return found


def plan_jobs(
    sources: list[Path], root: Path, out: Path, suffix: str, reading: Reading
) -> tuple[list[Job], list[UnreadableFile]]:
    """A job for every source, its outputs at the same place under ``out`` as it has under ``root``."""
    jobs, unplanned = [], []
    taken: dict[Path, set[str]] = {}
    for source in sources:
        folder = out / source.parent.relative_to(root)
        names = taken.setdefault(folder, set())
        stem = source.stem
        if stem.casefold() in names:
            stem = f"{stem}_{source.suffix[1:]}"  # walk.bvh and walk.glb both become a walk
        try:
            wanted = _wanted(source, reading)
        except (ValueError, OSError) as error:
            unplanned.append(UnreadableFile(source, one_line(error)))
            continue
        outputs = []
        for clip in wanted:
            plain = stem if clip is None or len(wanted) == 1 else f"{stem}_{safe_stem(str(clip[1]))}"
            chosen = None if clip is None else clip[0]
            outputs.append((chosen, folder / f"{unique_stem(plain, names)}{suffix}"))
        jobs.append(Job(source, tuple(outputs)))
    return jobs, unplanned


def _wanted(source: Path, reading: Reading) -> list[tuple[str | int, str] | None]:
    """How to ask for each clip, with its name. Clips of the same name can only be told apart by number."""
    if reading.clip is not None or builtin_motion(source) is not None:
        return [None]
    names = clip_names(source)
    if len(names) < 2:
        return [None]
    return [(number, name) for number, name in enumerate(names)]


# ---- The work of ``kinesphere convert``, in this process or in several.


@dataclass(frozen=True)
class ConvertSettings:
    """How every file is to be converted."""

    reading: Reading
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
    source: Path, output: Path, orders: ConvertSettings, clip: str | int | None = None, *, make_folders: bool = False
) -> None:
    """Read, resample if asked, write. Raises what goes wrong."""
    if output.exists() and not orders.overwrite:
        raise FileExistsError(f"{output}: exists already; --overwrite replaces it")
    reading = orders.reading
    ours = builtin_motion(source) is not None
    if orders.fps is not None and reading.rate is None and not ours and format_to_read(source).keyed:
        reading = replace(reading, rate=orders.fps)  # between its keys the file itself says what happens
    motion = reading.load(source, clip)
    if orders.fps is not None:
        motion = motion.resampled(orders.fps)
    if make_folders:
        output.parent.mkdir(parents=True, exist_ok=True)
    save_for(motion, output, orders.program)


def run_job(job: Job, orders: ConvertSettings) -> list[Outcome]:
    """Convert all clips of one file. Whatever goes wrong is an outcome: folders hold all kinds of files."""
    outcomes = []
    for clip, output in job.outputs:
        if output.exists() and not orders.overwrite:
            outcomes.append(Outcome(job.source, output, "exists"))
            continue
        with collect_warnings() as warned:
            try:
                convert_file(job.source, output, orders, clip, make_folders=True)
                kind: Literal["written", "failed"] = "written"
                message = ""
            except MotionFileError as error:
                kind, message = "failed", one_line(error)
            except (ValueError, OSError) as error:
                kind, message = "failed", f"{job.source}: {one_line(error)}"
            except Exception as error:  # a file must not end the run, whatever it makes a reader do
                kind, message = "failed", f"{job.source}: {type(error).__name__}: {one_line(error)}"
        outcomes.append(Outcome(job.source, output, kind, message, tuple(warned)))
    return outcomes


def run_jobs(jobs: list[Job], orders: ConvertSettings, processes: int) -> Iterator[list[Outcome]]:
    """The outcomes of all jobs, as they come."""
    if processes == 1:
        for job in jobs:
            yield run_job(job, orders)
        return
    # Fresh processes: a fork would copy the progress bar's thread in whatever state it is.
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=fresh) as pool:
        waiting: dict[Future[list[Outcome]], Job] = {pool.submit(run_job, job, orders): job for job in jobs}
        for done in as_completed(waiting):
            try:
                yield done.result()
            except BrokenProcessPool:
                yield _lost(waiting[done])


def _lost(job: Job) -> list[Outcome]:
    """A process died, of too little memory perhaps, and took its job and those that waited with it."""
    message = f"{job.source}: the process that was to convert it ended; --jobs 1 may tell why"
    return [Outcome(job.source, output, "failed", message) for _, output in job.outputs]


def with_progress(outcomes: Iterator[list[Outcome]], total: int, say: Callable[[Outcome], None]) -> list[Outcome]:
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
                say(outcome)
    return collected


# ---- ``kinesphere convert``: one format into another, one file or a whole folder.


SOME_FAILED = 1
_WORTH_SHARING = 16  # files from which on starting more processes pays


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
) -> None:
    """Convert a motion file, or every motion file under a folder.

    A folder's tree is kept, and every clip of a file gets a file of its own.
    """
    with report_errors():
        if fps is not None and not 0.0 < fps < float("inf"):
            raise ValueError(f"--fps {fps:g}; a positive number is expected")
        orders = ConvertSettings(Reading(clip, scale, up, rate, salvage), fps, program, overwrite)
        if source.is_dir() or out.is_dir() or to is not None:
            failed = _convert_many(source, out, to, orders, jobs)
        else:
            _convert_one(source, out, orders)
            failed = False
    if failed:
        raise typer.Exit(SOME_FAILED)


def _convert_one(source: Path, out: Path, orders: ConvertSettings) -> None:
    from kinesphere.cli.options import builtin_motion
    from kinesphere.files.loading import clip_names
    from kinesphere.files.registry import format_to_write
    from kinesphere.maths.compiled import patient

    patient()
    format_to_write(out)  # a name that asks for no known format should not wait for the reading
    convert_file(source, out, orders)
    typer.echo(f"wrote {out}")
    names = clip_names(source) if builtin_motion(source) is None else ()
    if len(names) > 1 and orders.reading.clip is None:
        typer.echo(
            f"{source} has {len(names)} clips and this is the first, {names[0]!r}; "
            "--clip takes another; --to and a folder as OUT take all",
            err=True,
        )


def _convert_many(source: Path, out: Path, to: str | None, orders: ConvertSettings, jobs: int | None) -> bool:
    """Convert into a folder, tell what was done, and return whether anything failed."""
    from kinesphere.cli.options import builtin_motion
    from kinesphere.files.registry import format_to_read

    suffix = suffix_for(to)
    if out.exists() and not out.is_dir():
        raise ValueError(f"{out}: is a file; the output of a folder is a folder")
    folder = source.is_dir()
    if not folder and builtin_motion(source) is None:
        format_to_read(source)  # a single file that is not there is an error, not one failure among many
    sources = motion_files(source, out) if folder else [source]
    root = source if folder else source.parent
    plan, unplanned = plan_jobs(sources, root, out, suffix, orders.reading)
    total = sum(len(job.outputs) for job in plan)
    processes = jobs or (os.cpu_count() or 1 if len(plan) >= _WORTH_SHARING else 1)
    outcomes = with_progress(run_jobs(plan, orders, processes), total, _say_warnings)
    return _summarise(outcomes, unplanned, source)


def _say_warnings(outcome: Outcome) -> None:
    for text in outcome.warnings:
        say_warning(" ".join(text.splitlines()))


def _summarise(outcomes: list[Outcome], unplanned: list[UnreadableFile], source: Path) -> bool:
    failures = [entry.error for entry in unplanned]
    failures += [outcome.message for outcome in outcomes if outcome.kind == "failed"]
    written = sum(outcome.kind == "written" for outcome in outcomes)
    left = sum(outcome.kind == "exists" for outcome in outcomes)
    for message in sorted(failures):
        typer.secho(f"failed: {message}", fg=typer.colors.RED, err=True)
    summary = f"converted {written}, failed {len(failures)}"
    if left:
        summary += f", left {left} that existed already (--overwrite replaces them)"
    if not outcomes and not unplanned:
        summary = f"no motion files in {source}"
    typer.echo(summary)
    return bool(failures)
