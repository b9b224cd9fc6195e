"""``kinesphere retarget``: a motion on another body."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from kinesphere.cli.shared import (
    Clip,
    Positions,
    Rate,
    ReadOptions,
    Salvage,
    Scale,
    Up,
    bring_to_ground,
    is_builtin_name,
    open_character,
    report_errors,
)

if TYPE_CHECKING:
    from kinesphere.motion.character import Character
    from kinesphere.motion.motion import Motion


Body = TypeVar("Body", "Motion", "Character")


def _with_mapping(body: Body, mapping: Path | None) -> Body:
    """With the roles of a mapping file."""
    if mapping is None:
        return body
    from kinesphere.files.mapping import load_mapping

    return replace(body, skeleton=replace(body.skeleton, roles=load_mapping(mapping, body.skeleton)))


def _load_target(onto: Path, mapping: Path | None, options: ReadOptions) -> Motion | Character:
    """A character; or the body of a motion file, such as a clip without a surface, read as the options say."""
    from kinesphere.files.loading import is_only_animation, load_character
    from kinesphere.files.registry import format_to_read

    if is_builtin_name(onto):
        return _with_mapping(open_character(onto), mapping)
    if format_to_read(onto, "a character (.glb, .gltf or .vrm) or a motion file").holds_characters:
        character = load_character(onto)
        if not is_only_animation(character):
            return _with_mapping(character, mapping)
    return _with_mapping(replace(options.of_others, rate=None, to_ground=False).load(onto), mapping)


def retarget(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="A motion file, or a default motion's name.", show_default=False)
    ],
    onto: Annotated[
        Path, typer.Option("--onto", help="A character (.glb, .gltf, .vrm), another motion file, or figure or mo.")
    ],
    out: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    lock: Annotated[bool, typer.Option("--lock-feet", help="Hold feet in place while they are in contact.")] = False,
    ground: Annotated[
        float | None, typer.Option("--ground", help="Height of the ground in the motion, in metres. Else found.")
    ] = None,
    to_ground: Annotated[
        bool,
        typer.Option("--to-ground/--keep-height", help="Bring the motion's ground to y = 0, or leave it where it is."),
    ] = True,
    source_mapping: Annotated[
        Path | None,
        typer.Option("--source-mapping", help="Roles of the motion's joints, by `kinesphere mapping -o`."),
    ] = None,
    target_mapping: Annotated[
        Path | None, typer.Option("--target-mapping", help="Roles of the character's joints, likewise.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output if it exists.")] = False,
    clip: Clip = None,
    scale: Scale = None,
    up: Up = None,
    rate: Rate = None,
    salvage: Salvage = False,
    positions: Positions = None,
) -> None:
    """Put a motion on another body: a character's, or that of another file.

    A .glb, .gltf or .vrm output has the character's own surface. It stands on y = 0: the motion's ground is found, or
    given with --ground, and brought there. What was matched, and what could not be reached, is said.
    """
    with report_errors():
        from kinesphere.body.require_roles import require_motion_roles
        from kinesphere.body.retargeting.pipeline import retarget as retarget_motion
        from kinesphere.files.loading import save
        from kinesphere.files.registry import format_to_write
        from kinesphere.motion.character import Character

        if out.exists() and not overwrite:
            raise FileExistsError(f"{out}: exists already; --overwrite replaces it")
        writer = format_to_write(out)
        options = ReadOptions(clip, scale, up, rate, salvage, positions)
        motion = _with_mapping(options.load(source), source_mapping)
        target = _load_target(onto, target_mapping, options)
        if to_ground and not is_builtin_name(source):  # our own stand on y = 0
            motion, ground = bring_to_ground(require_motion_roles(motion), ground), 0.0
        result = retarget_motion(motion, target, ground=ground)
        if lock:
            from kinesphere.body.foot_lock.lock import lock_feet

            result = lock_feet(result)
        if isinstance(target, Character) and writer.holds_characters:
            save(result, out, character=target)
        else:
            save(result, out)
        for sentence in result.source.evidence[len(motion.source.evidence) :]:
            typer.echo(sentence)
        typer.echo(f"wrote {out}")
