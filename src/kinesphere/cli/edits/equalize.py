"""``kinesphere equalize``: bands of movement, louder or softer."""

from __future__ import annotations

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
    pairs,
)
from kinesphere.cli.options import Clip, Rate, Reading, Salvage, Scale, Up

if TYPE_CHECKING:
    from kinesphere.signals.equalize import Equalize


def equalize(
    source: Source,
    out: Out,
    preset: Annotated[
        str | None, typer.Option("--preset", help="exaggerate, soften, twitch, constrain, anticipate or denoise.")
    ] = None,
    band: Annotated[
        list[str] | None, typer.Option("--band", help="A band's gain, such as 2=1.5; 0 is the fastest. Repeatable.")
    ] = None,
    period: Annotated[
        list[str] | None, typer.Option("--period", help="The gain at a period in seconds, such as 0.5=2. Repeatable.")
    ] = None,
    joints: Joints = None,
    start: Start = None,
    end: End = None,
    fade: Fade = 0.25,
    strength: Annotated[float, typer.Option("--strength", help="How much of it, 0 to 1.")] = 1.0,
    loop: Annotated[bool, typer.Option("--loop", help="It goes round and round: keep its seam closed.")] = False,
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
    """Make slow or quick movement larger or smaller, as on a sound engineer's desk."""

    def prepare() -> Equalize:
        from kinesphere.signals.equalize import Equalize

        bands = {}
        for name, gain in pairs("--band", band):
            if not name.isdigit():
                raise ValueError(f"--band {name}={gain:g}: {name!r} is no band; whole numbers from 0 are expected")
            bands[int(name)] = gain
        if preset is None and not band and not period:
            raise ValueError("nothing to do: give --preset exaggerate, --band 2=1.5 or --period 0.5=2")
        periods = {_seconds(name): gain for name, gain in pairs("--period", period)}
        return Equalize(
            bands,
            periods,
            preset,
            loop=loop,
            joints=names(joints),
            start=start,
            end=end,
            fade=fade,
            feet=not free_feet,
            strength=strength,
        )

    reading = Reading(clip, scale, up, rate, salvage)
    edited(source, out, prepare, reading, preview=preview, save_score=save_score, overwrite=overwrite)


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"--period {text}: {text!r} is no number of seconds") from None
