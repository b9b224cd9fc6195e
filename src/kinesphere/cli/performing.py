"""Render a score and write the motion, and what goes with it: for ``perform`` and commands of edits and behaviours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinesphere.cli.previews import Preview as Preview
from kinesphere.cli.previews import check_preview, draw_comparison, own_surface, preview_path
from kinesphere.cli.shared import check_outputs, collect_warnings, print_ground, print_standing

if TYPE_CHECKING:
    from kinesphere.motion.character import Character
    from kinesphere.motion.motion import Motion
    from kinesphere.score.score import Score

Performer = Annotated[
    Path | None, typer.Option("--character", help="Who performs it: a .glb, .gltf or .vrm, figure or mo.")
]
SaveScore = Annotated[
    Path | None, typer.Option("--save-score", help="Also write the score, in .json, to go on from it.")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the output if it exists.")]


def perform_score(
    score: Score,
    before: Score,
    out: Path,
    *,
    preview: bool = False,
    save_score: Path | None = None,
    overwrite: bool = False,
) -> None:
    """Render a score and write it; ``before`` is what a preview compares it with."""
    from kinesphere.body.body import body_of
    from kinesphere.files.loading import save
    from kinesphere.files.registry import format_to_write
    from kinesphere.score.document import score_to_plain
    from kinesphere.score.rendering import render
    from kinesphere.score.sources import resolve_character

    writer = format_to_write(out)
    made = render(score)
    body = _own_surface(score, made) if score.character is None else resolve_character(score.character)
    if save_score is not None:
        score_to_plain(score)  # refuses what no file can hold, before anything is written
    # Options are checked before outputs, so that an existing file does not hide a typo.
    check_outputs([file for file in (out, save_score) if file is not None], overwrite)
    if preview:
        check_preview(preview_path(out), overwrite)
    if body is not None and writer.holds_characters:
        save(made, out, character=body)
    else:
        save(made, out)
    typer.echo(f"wrote {out}")
    print_ground(made)
    lacking = "" if body is None else body_of(body).lacking
    if lacking and lacking in made.source.evidence:
        typer.echo(f"note: {lacking}")
    if save_score is not None:
        from kinesphere.score.document import save_score as write

        write(score, save_score)
        typer.echo(f"wrote {save_score}")
    if preview:
        with collect_warnings():  # of the source itself: they have been printed
            first = render(before)
        print_standing(made)
        draw_comparison(first, made, body, preview_path(out))
        typer.echo(f"wrote {preview_path(out)}")


def _own_surface(score: Score, made: Motion) -> Character | None:
    """The character in the source's own file, where the motion was read in its size and is still on its joints."""
    if not isinstance(score.source, str | Path):
        return None
    resized = bool(score.reading.scale or score.reading.up)
    return own_surface(Path(score.source), made, resized=resized)
