"""``kinesphere phrase``: what is found in a recording before it is performed, as a chart or as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinesphere.cli.clips import tell_clip
from kinesphere.cli.shared import ReadOptions, check_outputs, is_builtin_name, report_errors, score_source
from kinesphere.cli.transform_commands import with_reading

if TYPE_CHECKING:
    from kinesphere.motion.motion import Motion

GESTURES = (".toml", ".keys", ".txt")  # suffixes of gestures and of key points; other files are motions


@with_reading
def phrase(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN", help="A motion file, a gesture's file, or a default motion's name.", show_default=False
        ),
    ],
    reading: ReadOptions,
    out: Annotated[Path | None, typer.Option("--output", "-o", help="The .png to write.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the phrase as JSON, for programs.")] = False,
    start: Annotated[float | None, typer.Option("--from", help="Seconds from which the chart shows it.")] = None,
    end: Annotated[float | None, typer.Option("--to", help="Seconds until which the chart shows it.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the picture if it exists.")] = False,
) -> None:
    """Show the phrase of a recording: strokes, goals and vias of the hands, the body's clock, steps and contacts.

    The chart has the speed of both hands over time, and the speed that the keys alone would give. A gesture is
    performed plainly first.
    """
    with report_errors():
        if out is None and not as_json:
            raise ValueError("nothing to do: give -o phrase.png, or --json; kinesphere phrase --help says more")
        if out is not None and out.suffix.lower() != ".png":
            raise ValueError(f"{out}: pictures are written as .png, found the suffix {out.suffix!r}")
        motion = _open(source, reading)
        from kinesphere.engine.inserted_poses import tell_inserted
        from kinesphere.engine.lifting import lift
        from kinesphere.engine.loops import OPEN_CYCLE

        lifted = lift(motion)
        if lifted.detail is not None and lifted.detail.inserted_frames:
            typer.echo(tell_inserted(lifted.detail.inserted_frames), err=as_json)
        if lifted.detail is not None and lifted.detail.open_cycle:
            typer.echo(OPEN_CYCLE, err=as_json)
        if out is not None:
            from kinesphere.pictures.canvas import save_picture
            from kinesphere.pictures.phrase_chart import phrase_chart

            picture = phrase_chart(lifted, start, end, source.name)
            check_outputs([out], overwrite)
            save_picture(picture, out)
            typer.echo(f"wrote {out}", err=as_json)
        if as_json:
            from kinesphere.engine.phrase_data import phrase_to_plain

            typer.echo(json.dumps(phrase_to_plain(lifted), indent=1))


def _open(source: Path, reading: ReadOptions) -> Motion:
    """The motion of a file or a name; of a gesture's file, as it is performed plainly."""
    if not is_builtin_name(source) and source.suffix.lower() in GESTURES:
        from kinesphere.score.rendering import render
        from kinesphere.score.score import Score

        return render(Score(score_source(source)))
    tell_clip(source, reading)
    return reading.load(source)
