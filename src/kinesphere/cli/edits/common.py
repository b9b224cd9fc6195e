"""What commands that edit motions share: their options, and the way from files through an edit to a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinesphere.cli.outputs import check_outputs
from kinesphere.cli.reporting import reported

if TYPE_CHECKING:
    from kinesphere.motion.motion import Motion

Source = Annotated[
    Path, typer.Argument(metavar="IN", help="A motion file, or a default motion's name.", show_default=False)
]
Out = Annotated[Path, typer.Option("--output", "-o", help="The file to write, in any format.")]
Joints = Annotated[
    str | None,
    typer.Option("--joints", help="Which joints: groups such as arms,torso,head,legs, roles or names. Else all."),
]
Start = Annotated[float | None, typer.Option("--from", help="Seconds from which it holds.")]
End = Annotated[float | None, typer.Option("--to", help="Seconds until which it holds.")]
Fade = Annotated[float, typer.Option("--fade", help="Seconds over which it comes and goes.")]
FreeFeet = Annotated[bool, typer.Option("--free-feet", help="Don't hold the feet that stand.")]
Preview = Annotated[bool, typer.Option("--preview", help="Also draw before and after on one sheet, OUT_preview.png.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the output if it exists.")]


def names(joints: str | None) -> tuple[str, ...] | None:
    """Joints and groups, parted by commas."""
    return None if joints is None else tuple(name.strip() for name in joints.split(",") if name.strip())


def edited(
    sources: list[Path],
    out: Path,
    prepare: Callable[[], Callable[..., Motion]],
    *,
    preview: bool = False,
    overwrite: bool = False,
) -> None:
    """Read motions, edit them, write one. ``prepare`` makes the edit, so that its own errors are told kindly too."""
    with reported():
        from kinesphere.cli.options import Reading
        from kinesphere.files.loading import save
        from kinesphere.files.registry import format_to_write
        from kinesphere.kernels.compiled import patient, warm_up

        patient()
        format_to_write(out)
        edit = prepare()
        motions = [Reading().load(source) for source in sources]
        made = edit(*motions)
        sheet = out.with_name(f"{out.stem}_preview.png") if preview else None
        check_outputs([file for file in (out, sheet) if file is not None], overwrite)
        if sheet is not None and warm_up() is None:
            raise ValueError("--preview draws lit surfaces, which need numba; this Python does not have it")
        save(made, out)
        typer.echo(f"wrote {out}")
        if sheet is not None:
            from kinesphere.cli.comparing import before_and_after
            from kinesphere.pictures.contact_sheet import save_picture

            save_picture(before_and_after(motions[0], made, trails=True), sheet)
            typer.echo(f"wrote {sheet}")


def pairs(option: str, texts: list[str] | None) -> list[tuple[str, float]]:
    """``name=number`` of an option that may be repeated, or hold several parted by commas."""
    found = []
    for text in texts or ():
        for piece in text.split(","):
            name, equals, value = (part.strip() for part in piece.partition("="))
            try:
                found.append((name, float(value)))
            except ValueError:
                equals = ""
            if not equals or not name:
                raise ValueError(f"{option} {text!r}: found {piece.strip()!r}; write name=number")
    return found
