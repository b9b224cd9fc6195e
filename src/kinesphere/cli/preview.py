"""``kinesphere preview``: a contact sheet of a motion."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from kinesphere.cli.options import Clip, Rate, Reading, Salvage, Scale, Up
from kinesphere.cli.reporting import reported


class View(StrEnum):
    """From where the character is seen, relative to where it faces."""

    THREE_QUARTER = "three-quarter"
    FRONT = "front"
    SIDE = "side"
    TOP = "top"


def preview(
    file: Annotated[Path, typer.Argument(help="A motion file.")],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The PNG to write. Left out: FILE_preview.png here.")
    ] = None,
    frames: Annotated[int, typer.Option(min=1, max=200, help="How many poses to show.")] = 12,
    columns: Annotated[int | None, typer.Option(min=1, help="Poses in a row. Left out: what fits best.")] = None,
    view: Annotated[View, typer.Option(help="From where the character is seen.")] = View.THREE_QUARTER,
    width: Annotated[int, typer.Option(min=200, max=10000, help="Pixels across.")] = 1600,
    height: Annotated[int, typer.Option(min=200, max=10000, help="Pixels down.")] = 1000,
    clip: Clip = None,
    scale: Scale = None,
    up: Up = None,
    rate: Rate = None,
    salvage: Salvage = False,
) -> None:
    """Draw evenly spaced poses of a motion on one page."""
    from kinesphere.kernels.compiled import patient

    patient()
    with reported():
        from kinesphere.cli.names import plain_stem
        from kinesphere.pictures.contact_sheet import contact_sheet, save_picture

        motion = Reading(clip, scale, up, rate, salvage).load(file)
        stem = f"{file.stem}_{plain_stem(clip)}" if clip else file.stem
        target = out or Path(f"{stem}_preview.png")
        sheet = contact_sheet(motion, frames=frames, columns=columns, size=(width, height), view=view.value)
        save_picture(sheet, target)
    typer.echo(f"wrote {target}")
