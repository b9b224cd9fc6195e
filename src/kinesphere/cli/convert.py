"""``kinesphere convert``: one format into another, one file or a whole folder, in one process or several.

Presets write files as other programs want to import them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kinesphere.cli.batch import (
    SOME_FAILED,
    ClipChoice,
    Overwrite,
    Processes,
    Verb,
    check_output,
    run_folder,
    suffix_for,
)
from kinesphere.cli.clips import load_at_rate, tell_clip
from kinesphere.cli.previews import own_surface
from kinesphere.cli.shared import Clip, Positions, Rate, ReadOptions, Salvage, Scale, ToGround, Up, report_errors

if TYPE_CHECKING:
    from kinesphere.motion.character import Character
    from kinesphere.motion.motion import Motion


class Program(StrEnum):
    """A program that the output is meant for."""

    BLENDER = "blender"
    UNITY = "unity"
    UNREAL = "unreal"


@dataclass(frozen=True)
class Preset:
    """How a BVH file should be written. glTF fixes unit and axes itself, so only the names matter there."""

    scale: float  # file units in a metre
    up: Literal["y", "z"]
    plain_names: bool
    about: str


PRESETS = {
    Program.BLENDER: Preset(
        1.0, "y", False, "metres, Y up (Blender's importer turns it), names kept but each only once"
    ),
    Program.UNITY: Preset(1.0, "y", True, "metres, Y up, names of letters, digits and underscores"),
    Program.UNREAL: Preset(100.0, "z", True, "centimetres and Z up in BVH (glTF stays in metres, Y up), plain names"),
}


def presets_help() -> str:
    """One sentence for each program."""
    return "Write for a program. " + " ".join(f"{name}: {preset.about}." for name, preset in PRESETS.items())


def save_for(motion: Motion, path: Path, program: Program | None, character: Character | None = None) -> None:
    """Write a motion as a program wants it; for none in particular, with its character where the format holds one."""
    from kinesphere.files.loading import save
    from kinesphere.files.registry import format_to_write

    if program is None:
        save(motion, path, character=character if format_to_write(path).holds_characters else None)
        return
    preset = PRESETS[program]
    if format_to_write(path).name == "bvh":
        save(motion, path, scale=preset.scale, up=preset.up, plain_names=preset.plain_names)
    else:
        save(motion, path, plain_names=preset.plain_names)


@dataclass(frozen=True)
class Conversion:
    """How every file is to be converted."""

    reading: ReadOptions
    fps: float | None = None
    program: Program | None = None
    overwrite: bool = False

    def run(self, source: Path, clips: tuple[ClipChoice, ...], output: Path) -> list[str]:
        """Read a clip, resample with ``--fps``, write."""
        if self.fps is None:
            motion = self.reading.load(source, clips[0])
        else:
            motion = load_at_rate(source, clips[0], self.reading, self.fps)
        output.parent.mkdir(parents=True, exist_ok=True)
        resized = self.reading.scale is not None or self.reading.up is not None
        save_for(motion, output, self.program, own_surface(source, motion, resized=resized))
        return [f"wrote {output}"]


# The command


def convert(
    source: Annotated[Path, typer.Argument(help="A motion file, or a folder of them.", metavar="IN")],
    out: Annotated[Path, typer.Argument(help="The file or folder to write.", metavar="OUT")],
    to: Annotated[
        str | None, typer.Option("--to", help="Write into the folder OUT, in this format: bvh, glb or npz.")
    ] = None,
    fps: Annotated[float | None, typer.Option(help="Frames a second of the output.")] = None,
    program: Annotated[Program | None, typer.Option("--for", help=presets_help())] = None,
    overwrite: Overwrite = False,
    jobs: Processes = None,
    clip: Clip = None,
    scale: Scale = None,
    up: Up = None,
    rate: Rate = None,
    salvage: Salvage = False,
    positions: Positions = None,
    to_ground: ToGround = False,
) -> None:
    """Convert a motion file, or every motion file under a folder.

    A folder's tree is kept, and every clip of a file gets a file of its own.
    """
    with report_errors():
        if fps is not None and not 0.0 < fps < float("inf"):
            raise ValueError(f"--fps {fps:g}; a positive number is expected")
        work = Conversion(ReadOptions(clip, scale, up, rate, salvage, positions, to_ground), fps, program, overwrite)
        if source.is_dir() or out.is_dir() or to is not None:
            verb = Verb("converting", "converted")
            failed = run_folder(source, out, suffix_for(to), work, verb, jobs)
        else:
            _convert_one(source, out, work)
            failed = False
    if failed:
        raise typer.Exit(SOME_FAILED)


def _convert_one(source: Path, out: Path, work: Conversion) -> None:
    check_output(out, work.overwrite)
    for sentence in work.run(source, (None,), out):
        typer.echo(sentence)
    tell_clip(source, work.reading, "; --to and a folder as OUT take all")
