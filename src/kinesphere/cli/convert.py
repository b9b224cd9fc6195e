"""``kinesphere convert``: one format into another, one file or a whole folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinesphere.cli.options import Clip, Rate, Reading, Salvage, Scale, Up
from kinesphere.cli.presets import Program, presets_help
from kinesphere.cli.reporting import reported, say_warning

if TYPE_CHECKING:
    from kinesphere.cli.converting import Orders, Outcome
    from kinesphere.cli.planning import Unplanned

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
    with reported():
        from kinesphere.cli.converting import Orders

        if fps is not None and not 0.0 < fps < float("inf"):
            raise ValueError(f"--fps {fps:g}; a positive number is expected")
        orders = Orders(Reading(clip, scale, up, rate, salvage), fps, program, overwrite)
        if source.is_dir() or out.is_dir() or to is not None:
            failed = _convert_many(source, out, to, orders, jobs)
        else:
            _convert_one(source, out, orders)
            failed = False
    if failed:
        raise typer.Exit(SOME_FAILED)


def _convert_one(source: Path, out: Path, orders: Orders) -> None:
    from kinesphere.cli.converting import convert_file
    from kinesphere.cli.ours import own_motion
    from kinesphere.files.loading import clips
    from kinesphere.files.registry import format_to_write
    from kinesphere.kernels.compiled import patient

    patient()
    format_to_write(out)  # a name that asks for no known format should not wait for the reading
    convert_file(source, out, orders)
    typer.echo(f"wrote {out}")
    names = clips(source) if own_motion(source) is None else ()
    if len(names) > 1 and orders.reading.clip is None:
        typer.echo(
            f"{source} has {len(names)} clips and this is the first, {names[0]!r}; "
            "--clip takes another; --to and a folder as OUT take all",
            err=True,
        )


def _convert_many(source: Path, out: Path, to: str | None, orders: Orders, jobs: int | None) -> bool:
    """Convert into a folder, tell what was done, and return whether anything failed."""
    from kinesphere.cli.converting import run_jobs, with_progress
    from kinesphere.cli.ours import own_motion
    from kinesphere.cli.planning import motion_files, planned, suffix_for
    from kinesphere.files.registry import format_to_read

    suffix = suffix_for(to)
    if out.exists() and not out.is_dir():
        raise ValueError(f"{out}: is a file; the output of a folder is a folder")
    folder = source.is_dir()
    if not folder and own_motion(source) is None:
        format_to_read(source)  # a single file that is not there is an error, not one failure among many
    sources = motion_files(source, out) if folder else [source]
    root = source if folder else source.parent
    plan, unplanned = planned(sources, root, out, suffix, orders.reading)
    total = sum(len(job.outputs) for job in plan)
    processes = jobs or (os.cpu_count() or 1 if len(plan) >= _WORTH_SHARING else 1)
    outcomes = with_progress(run_jobs(plan, orders, processes), total, _say_warnings)
    return _summarise(outcomes, unplanned, source)


def _say_warnings(outcome: Outcome) -> None:
    for text in outcome.warnings:
        say_warning(" ".join(text.splitlines()))


def _summarise(outcomes: list[Outcome], unplanned: list[Unplanned], source: Path) -> bool:
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
