"""``kinesphere motions``: the built-in motions and characters, which other commands take by name."""

from __future__ import annotations

from typing import Annotated

import typer

from kinesphere.cli.shared import report_errors


def motions(
    json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """List the built-in motions and characters: names that stand for files."""
    with report_errors():
        from kinesphere.builtin import library
        from kinesphere.builtin.characters import CHARACTERS

        rows = [
            {"name": name, "kind": str(library.motion_kind(name)), "about": library.motion_about(name)}
            for name in library.motions()
        ]
        rows += [{"name": name, "kind": "character", "about": about} for name, about in CHARACTERS.items()]
        if json:
            from json import dumps

            typer.echo(dumps(rows, indent=2, ensure_ascii=False))
            return
        width = max(len(row["name"]) for row in rows)
        for row in rows:
            typer.echo(f"{row['name']:<{width}}  {row['kind']:<9}  {row['about']}")
        typer.echo(
            "\nAll take Effort, Shape and words: kinesphere perform wave --words shy -o shy.glb"
            "\nWalks too: kinesphere perform walk --words tired -o tired.glb"
            "\nA gesture of your own is a text file: docs/gestures.md"
        )
