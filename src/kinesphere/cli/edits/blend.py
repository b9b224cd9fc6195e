"""``kinesphere blend``: several motions made one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

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
    Start,
    edited,
    names,
)
from kinesphere.cli.options import Clip, Rate, Reading, Salvage, Scale, Up

if TYPE_CHECKING:
    from kinesphere.signals.blend import Blend


def blend(
    sources: Annotated[
        list[Path], typer.Argument(metavar="IN...", help="Two motions or more, files or default motions' names.")
    ],
    out: Out,
    weights: Annotated[
        str | None, typer.Option("--weights", help="One for each motion, such as 0.4,0.6. Else all alike.")
    ] = None,
    band: Annotated[
        list[str] | None,
        typer.Option(
            "--band", help="Other weights of one band, 2=1,0 (0 is the fastest), or at a period, 0.5s=1,0. Repeatable."
        ),
    ] = None,
    unaligned: Annotated[
        bool, typer.Option("--unaligned", help="Blend frame by frame as they are, without a common clock.")
    ] = False,
    cost: Annotated[str, typer.Option("--cost", help="What corresponds: by shape or by pose.")] = "pose",
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
    """Make one motion of several: between them, or the quick movement of one with the slow of another."""

    def prepare() -> Blend:
        from kinesphere.signals.blend import Blend

        if len(sources) < 2:
            raise ValueError("one motion alone is itself; give two at least")
        if cost not in ("shape", "pose"):
            raise ValueError(f"--cost {cost}: shape or pose is expected")
        own = None if weights is None else _numbers("--weights", weights)
        bands: dict[float, list[float]] = {}
        for text in band or ():
            name, equals, values = text.partition("=")
            if not equals:
                raise ValueError(f"--band {text!r}: write a band and its weights, such as 2=1,0 or 0.5s=1,0")
            bands[_key(name.strip())] = _numbers("--band", values)
        chosen: Literal["pose", "shape"] = "pose" if cost == "pose" else "shape"
        return Blend(
            own,
            bands,
            not unaligned,
            chosen,
            feet=not free_feet,
            others=[file if file.suffix else str(file) for file in sources[1:]],
            joints=names(joints),
            start=start,
            end=end,
            fade=fade,
        )

    reading = Reading(clip, scale, up, rate, salvage)
    edited(sources[0], out, prepare, reading, preview=preview, save_score=save_score, overwrite=overwrite)


def _numbers(option: str, text: str) -> list[float]:
    try:
        return [float(piece) for piece in text.split(",")]
    except ValueError:
        raise ValueError(f"{option} {text!r}: numbers parted by commas are expected") from None


def _key(name: str) -> float:
    """A band's number, or the period in seconds of one."""
    if name.isdigit():
        return int(name)
    try:
        return float(name.removesuffix("s"))
    except ValueError:
        raise ValueError(f"--band {name}: a band such as 2, or a period such as 0.5s, is expected") from None
