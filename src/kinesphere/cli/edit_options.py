"""Options of commands that edit motions, and ``run_edit``: read a motion or a score, edit it, write the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinesphere.cli.options import ReadOptions, check_outputs, score_source
from kinesphere.cli.reporting import collect_warnings, report_errors

if TYPE_CHECKING:
    from kinesphere.motion.motion import Motion
    from kinesphere.score.layers import Express, SignalEdit
    from kinesphere.score.score import Score


Source = Annotated[
    Path,
    typer.Argument(
        metavar="IN", help="A motion file, a default motion's name, or a score in .json.", show_default=False
    ),
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
GESTURES = (".toml", ".keys", ".txt")  # suffixes of gestures and of key points
SaveScore = Annotated[
    Path | None,
    typer.Option("--save-score", help="Also write the score, in .json: the source and this edit, to go on from."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the output if it exists.")]


def split_names(joints: str | None) -> tuple[str, ...] | None:
    """Joints and groups, parted by commas."""
    return None if joints is None else tuple(name.strip() for name in joints.split(",") if name.strip())


def run_edit(
    source: Path,
    out: Path,
    prepare: Callable[[], Express | SignalEdit],
    reading: ReadOptions,
    *,
    preview: bool = False,
    save_score: Path | None = None,
    overwrite: bool = False,
) -> None:
    """Read a motion or a score, edit it, write a motion. A score's edit becomes its last layer.

    ``prepare`` makes the edit here, so that its errors are reported too.
    """
    with report_errors():
        from kinesphere.files.loading import save
        from kinesphere.files.registry import format_to_write
        from kinesphere.score.layers import Layer
        from kinesphere.score.rendering import render

        format_to_write(out)
        edit = prepare()
        before, score = _open_source(source, reading)
        if save_score is not None and reading != ReadOptions():
            raise ValueError(
                "--save-score: a score names a file and not how it is to be read; convert it first, and go on from that"
            )
        last = (*score.layers, Layer(edit))
        made = render(replace(score, source=score.source if before is None else before, layers=last))
        sheet = out.with_name(f"{out.stem}_preview.png") if preview else None
        check_outputs([file for file in (out, sheet, save_score) if file is not None], overwrite)
        save(made, out)
        typer.echo(f"wrote {out}")
        if save_score is not None:
            from kinesphere.score.document import save_score as write

            write(replace(score, layers=last), save_score)
            typer.echo(f"wrote {save_score}")
        if sheet is not None:
            from kinesphere.pictures.contact_sheet import save_picture
            from kinesphere.pictures.sheets import compare_sheet

            with collect_warnings():  # of the source itself: they have been printed
                first = render(score) if before is None else before
            save_picture(compare_sheet(first, made, trails=True), sheet)
            typer.echo(f"wrote {sheet}")


def _open_source(source: Path, reading: ReadOptions) -> tuple[Motion | None, Score]:
    """A file's motion and its score without layers; of a gesture and of a score in JSON the score alone."""
    from kinesphere.score.document import load_score
    from kinesphere.score.score import Score

    if source.suffix.lower() == ".json":
        return None, load_score(source)
    if source.suffix.lower() in GESTURES:
        return None, Score(source)
    motion = reading.load(source)
    return motion, Score(score_source(source))


def parse_pairs(option: str, texts: list[str] | None) -> list[tuple[str, float]]:
    """``name=number`` of an option that may be repeated, or hold several with commas between."""
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
