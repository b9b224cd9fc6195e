"""``kinesphere explain``: which movement property set a value at a moment, as text, as JSON, or as a timeline."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from kinesphere.cli.edit_commands import open_score
from kinesphere.cli.performing import Performer
from kinesphere.cli.shared import ReadOptions, check_outputs, report_errors
from kinesphere.cli.transform_commands import with_reading


@with_reading
def explain(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN", help="A script, or a score in .json; or anything that is performed."),
    ],
    reading: ReadOptions,
    time: Annotated[
        list[float] | None, typer.Option("--time", "-t", help="Seconds of the performance. Repeatable.")
    ] = None,
    part: Annotated[
        str | None, typer.Option("--part", help="A joint group or a role, such as right_arm or head. Else all.")
    ] = None,
    sketch: Annotated[str | None, typer.Option("--sketch", help="A character's sketch, by name or file.")] = None,
    out: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a timeline of all properties, as .png.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON, for programs.")] = False,
    character: Performer = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the picture if it exists.")] = False,
) -> None:
    """Say which property set what, what it covered, and what it was covered by: at moments, or as a timeline."""
    with report_errors():
        if not time and out is None:
            raise ValueError("nothing to do: give --time 1.5, -o timeline.png, or both")
        if out is not None and out.suffix.lower() != ".png":
            raise ValueError(f"{out}: pictures are written as .png, found the suffix {out.suffix!r}")
        if out is not None:
            check_outputs([out], overwrite)
        score = open_score(source, reading, character)
        if sketch is not None:
            from kinesphere.cli.performing_options import parse_sketch
            from kinesphere.motion.edit import Layer

            score = replace(score, layers=(Layer(parse_sketch(sketch)), *score.layers))
        from kinesphere.score.explaining import explain as explain_score
        from kinesphere.score.explaining import explain_timeline

        found = [explain_score(score, moment, part) for moment in time or ()]
        if as_json:
            typer.echo(json.dumps([own.to_plain() for own in found], indent=1))
        else:
            typer.echo("\n\n".join(str(own) for own in found))
        if out is not None:
            from kinesphere.pictures.canvas import save_picture

            marks = [(moment, f"{moment:g} s") for moment in time or ()]
            save_picture(explain_timeline(score, marks, source.name), out)
            typer.echo(f"wrote {out}", err=as_json)
