"""``kinesphere sketches`` and ``composites``: what there is of each, with its sentence and what it sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinesphere.cli.shared import report_errors

if TYPE_CHECKING:
    from kinesphere.performance.property_rows import AskedProperty

Names = Annotated[list[str] | None, typer.Argument(metavar="[NAME|FILE]…", help="Which; else all.", show_default=False)]
Brief = Annotated[bool, typer.Option("--brief", help="Names and sentences alone.")]
INDENT = "    "


def sketches(names: Names = None, brief: Brief = False) -> None:
    """List sketches of characters for `kinesphere perform --sketch`, with what they set; check files of your own."""
    with report_errors():
        from kinesphere.motion.behaviour import BEHAVIOURS
        from kinesphere.motion.document import to_plain
        from kinesphere.performance.sketch import Sketch
        from kinesphere.performance.sketch_file import SKETCHES

        for name in names or SKETCHES.names:
            content = Sketch(name).content
            typer.echo(f"{content.name}: {content.about}")
            if brief:
                continue
            for key, value in to_plain(content.express).items():
                typer.echo(f"{INDENT}{key}: {_text(value)}")
            _tell_properties(content.properties)
            for own in content.behaviours:
                fields = " ".join(f"{key}={_text(value)}" for key, value in to_plain(own).items())
                typer.echo(f"{INDENT}{BEHAVIOURS.name_of(type(own))} (on top) {fields}".rstrip())


def composites(names: Names = None, brief: Brief = False) -> None:
    """List composite properties, with their dials and what they are composed of; check files of your own."""
    with report_errors():
        from kinesphere.performance.composite import COMPOSITES, Composite, composite_file

        for name in names or COMPOSITES.names:
            own = Composite(name)
            written = composite_file(own.file)
            typer.echo(f"{Path(name).stem}: {written.about}")
            if brief:
                continue
            for key, dial in written.dial.items():
                words = f" ({dial.low})", f" ({dial.high})"
                low, high = (word if len(word) > 3 else "" for word in words)
                typer.echo(f"{INDENT}--dial {key}={dial.least:g}{low}…{dial.most:g}{high}: {dial.about}")
            _tell_properties(own.rows())


def _tell_properties(rows: tuple[AskedProperty, ...]) -> None:
    from kinesphere.motion.document import to_plain
    from kinesphere.motion.edit import PHRASE_EDITS

    for own in rows:
        row = {**to_plain(own.edit), **to_plain(own.scope)}
        name = PHRASE_EDITS.name_of(type(own.edit))
        name = row.pop("name") if name == "composite" else name
        typer.echo(f"{INDENT}{Path(name).stem} {' '.join(f'{key}={_text(value)}' for key, value in row.items())}")


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(own)}" for key, own in value.items())
    if isinstance(value, list):
        return "[" + ", ".join(_text(own) for own in value) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)
