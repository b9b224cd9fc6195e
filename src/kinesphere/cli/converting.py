"""The work of ``kinesphere convert``, in this process or in several."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from kinesphere.cli.options import Reading
from kinesphere.cli.ours import own_motion
from kinesphere.cli.planning import Job
from kinesphere.cli.presets import Program, save_for
from kinesphere.cli.reporting import kept_warnings, one_line
from kinesphere.files.errors import MotionFileError
from kinesphere.files.registry import format_to_read


@dataclass(frozen=True)
class Orders:
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
    source: Path, output: Path, orders: Orders, clip: str | int | None = None, *, make_folders: bool = False
) -> None:
    """Read, resample if asked, write. Raises what goes wrong."""
    if output.exists() and not orders.overwrite:
        raise FileExistsError(f"{output}: exists already; --overwrite replaces it")
    reading = orders.reading
    ours = own_motion(source) is not None
    if orders.fps is not None and reading.rate is None and not ours and format_to_read(source).keyed:
        reading = replace(reading, rate=orders.fps)  # between its keys the file itself says what happens
    motion = reading.load(source, clip)
    if orders.fps is not None:
        motion = motion.resampled(orders.fps)
    if make_folders:
        output.parent.mkdir(parents=True, exist_ok=True)
    save_for(motion, output, orders.program)


def run_job(job: Job, orders: Orders) -> list[Outcome]:
    """Convert all clips of one file. Whatever goes wrong is an outcome: folders hold all kinds of files."""
    outcomes = []
    for clip, output in job.outputs:
        if output.exists() and not orders.overwrite:
            outcomes.append(Outcome(job.source, output, "exists"))
            continue
        with kept_warnings() as warned:
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


def run_jobs(jobs: list[Job], orders: Orders, processes: int) -> Iterator[list[Outcome]]:
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
