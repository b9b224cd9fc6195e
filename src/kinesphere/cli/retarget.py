"""``kinesphere retarget``: a motion on another body."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kinesphere.cli.options import Clip, Rate, Reading, Salvage, Scale, Up
from kinesphere.cli.reporting import reported


def retarget(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A motion file.", show_default=False)],
    onto: Annotated[Path, typer.Option("--onto", help="A character (.glb, .gltf, .vrm) or another motion file.")],
    out: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    lock: Annotated[bool, typer.Option("--lock-feet", help="Hold planted feet in place afterwards.")] = False,
    ground: Annotated[float | None, typer.Option("--ground", help="Height of the floor in metres. Else found.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output if it exists.")] = False,
    clip: Clip = None,
    scale: Scale = None,
    up: Up = None,
    rate: Rate = None,
    salvage: Salvage = False,
) -> None:
    """Put a motion on another body: a character's, or that of another file.

    A .glb, .gltf or .vrm output has the character's own surface. What was matched, and what could not be reached,
    is said.
    """
    with reported():
        from kinesphere.body.retargeting import retarget as put
        from kinesphere.files.characters import load_character
        from kinesphere.files.loading import load, save
        from kinesphere.files.registry import format_to_read, format_to_write
        from kinesphere.kernels.compiled import patient

        patient()
        if out.exists() and not overwrite:
            raise FileExistsError(f"{out}: exists already; --overwrite replaces it")
        writer = format_to_write(out)
        motion = Reading(clip, scale, up, rate, salvage).load(source)
        character = load_character(onto) if format_to_read(onto).holds_characters else None
        result = put(motion, character if character is not None else load(onto), ground=ground)
        if lock:
            from kinesphere.body.foot_lock import lock_feet

            result = lock_feet(result)
        if character is not None and writer.holds_characters:
            save(result, out, character=character)
        else:
            save(result, out)
        for sentence in result.source.evidence[len(motion.source.evidence) :]:
            typer.echo(sentence)
        typer.echo(f"wrote {out}")
