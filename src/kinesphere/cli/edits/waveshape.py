"""``kinesphere waveshape``: values of curves turned into others, by a function with control points."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinesphere.cli.edits.common import (
    End,
    Fade,
    FreeFeet,
    Joints,
    Out,
    Overwrite,
    Preview,
    SaveScore,
    Source,
    Start,
    edited,
    names,
)
from kinesphere.cli.options import Clip, Rate, Reading, Salvage, Scale, Up
from kinesphere.cli.reporting import reported

if TYPE_CHECKING:
    from kinesphere.signals.shaping import Shaping
    from kinesphere.signals.waveshape import Waveshape


def waveshape(
    source: Source,
    out: Out,
    shape: Annotated[
        str | None,
        typer.Option(
            "--shape",
            help="What becomes of values: soft-cap, hard-cap, limits, cosine, undulation, quantise, snap, reserved, "
            "stiff, grand, or one of --shapes.",
        ),
    ] = None,
    points: Annotated[
        str | None,
        typer.Option(
            "--points",
            help='A curve of your own in place of --shape: x,y pairs such as "-1,-1 0,0.3 1,1", from the least (-1) to '
            "the greatest (1). After y: tension, continuity and bias, if you like.",
        ),
    ] = None,
    ends: Annotated[
        str,
        typer.Option("--ends", help="How a curve of --points leaves its ends: natural, clamped (level) or chord."),
    ] = "natural",
    by: Annotated[
        str,
        typer.Option("--by", help="What -1 and 1 are: the range of this clip (clip) or what the joint can do (joint)."),
    ] = "clip",
    amount: Annotated[float, typer.Option("--amount", help="How much of it, 0 to 1.")] = 1.0,
    root: Annotated[bool, typer.Option("--root", help="Shape the body's heading and path, too.")] = False,
    shapes: Annotated[Path | None, typer.Option("--shapes", help="A file of your own curves, in TOML.")] = None,
    save_shape: Annotated[
        Path | None, typer.Option("--save-shape", help="Also put the curve into this file, for --shapes; see --name.")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="The name that --save-shape gives it.")] = None,
    joints: Joints = None,
    start: Start = None,
    end: End = None,
    fade: Fade = 0.25,
    free_feet: FreeFeet = False,
    clip: Clip = None,
    scale: Scale = None,
    up: Up = None,
    rate: Rate = None,
    salvage: Salvage = False,
    preview: Preview = False,
    save_score: SaveScore = None,
    overwrite: Overwrite = False,
) -> None:
    """Cap, exaggerate, wave or quantise what joints do, frame by frame."""
    kept: dict[str, Shaping] = {}

    def prepare() -> Waveshape:
        from kinesphere.signals.shaping import read_shapes
        from kinesphere.signals.waveshape import Waveshape

        wanted = _wanted(shape, points, ends, shapes)
        made = Waveshape(
            wanted,
            amount,
            by,  # type: ignore[arg-type]  # it is checked there
            root,
            joints=names(joints),
            start=start,
            end=end,
            fade=fade,
            feet=not free_feet,
        )
        if save_shape is not None:
            if name is None:
                raise ValueError("--save-shape: a name for the curve is missing; add --name, such as --name swagger")
            known = dict(read_shapes(save_shape)) if save_shape.exists() else {}
            if name in known and not overwrite:
                raise ValueError(
                    f"{save_shape} has a curve {name!r} already; choose another --name, or replace it with --overwrite"
                )
            kept.update(known)
            kept[name] = made.shaping
        elif name is not None:
            raise ValueError(f"--name {name}: it names what --save-shape writes, which is not there")
        return made

    reading = Reading(clip, scale, up, rate, salvage)
    edited(source, out, prepare, reading, preview=preview, save_score=save_score, overwrite=overwrite)
    if save_shape is not None:
        with reported():
            from kinesphere.signals.shaping import save_shapes

            save_shapes(kept, save_shape)
            typer.echo(f"wrote {save_shape}")


def _wanted(shape: str | None, points: str | None, ends: str, file: Path | None) -> str | Shaping:
    """The function: one of ours by its name, one of a file, or one through points."""
    from kinesphere.motion.gesture import unknown
    from kinesphere.signals.shaping import Shaping, load_shapes
    from kinesphere.signals.shaping import shapes as ours

    if (shape is None) == (points is None):
        raise ValueError("one of --shape and --points is expected: a name, or a curve of your own")
    if points is not None:
        if file is not None:
            raise ValueError("--shapes goes with --shape, the name of a curve in it, not with --points")
        return Shaping(_points(points), ends)  # type: ignore[arg-type]  # it is checked there
    known = ours() if file is None else load_shapes(file)
    by_name = {_plain(one): one for one in known}
    called = shape if shape in known else by_name.get(_plain(shape or ""))
    if called is None:
        raise ValueError(f"--shape: {unknown('shape', shape or '', sorted(known))}")
    return called if known[called] == ours().get(called) else known[called]


def _plain(name: str) -> str:
    return name.lower().replace("-", " ").replace("_", " ")


def _points(text: str) -> tuple[tuple[float, ...], ...]:
    """Control points, parted by blanks; their numbers, parted by commas."""
    found = []
    for piece in text.split():
        try:
            numbers = tuple(float(number) for number in piece.split(","))
        except ValueError:
            numbers = ()
        if not 2 <= len(numbers) <= 5:
            raise ValueError(f'--points {text!r}: found {piece!r}; write x,y pairs such as "-1,-1 0,0.3 1,1"')
        found.append(numbers)
    return tuple(found)
