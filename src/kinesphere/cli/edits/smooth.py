"""``kinesphere smooth``: jitter taken out, missing frames filled."""

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
)
from kinesphere.cli.options import Clip, Rate, Reading, Salvage, Scale, Up

if TYPE_CHECKING:
    from kinesphere.signals.smooth import Smooth


def smooth(
    source: Source,
    out: Out,
    strength: Annotated[
        float, typer.Option("--strength", help="How much of the noise that is found is taken out, 0 to 1.")
    ] = 1.0,
    noise: Annotated[
        float,
        typer.Option(
            "--noise", help="Take curves to be so many times noisier than they look: 2 smooths slower jitter."
        ),
    ] = 1.0,
    gaps: Annotated[
        str,
        typer.Option(
            "--gaps",
            help="Missing frames to fill: none; find, where joints freeze or jump away for a moment; or frames and "
            "stretches of them, such as 12,40-52 (the first is 0).",
        ),
    ] = "none",
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
    """Take jitter out and leave strikes and contacts sharp; fill missing frames."""

    def prepare() -> Smooth:
        from kinesphere.signals.smooth import Smooth

        if not 0.0 <= strength <= 1.0:  # NaN too
            raise ValueError(f"--strength {strength:g}: 0 to 1 is allowed")
        return Smooth(
            strength, noise, _gaps(gaps), joints=names(joints), start=start, end=end, fade=fade, feet=not free_feet
        )

    reading = Reading(clip, scale, up, rate, salvage)
    edited(source, out, prepare, reading, preview=preview, save_score=save_score, overwrite=overwrite)


def _gaps(text: str) -> str | tuple[tuple[int, int], ...] | None:
    """What --gaps says: nothing, "find", or the first and the last frame of each."""
    word = text.strip().lower()
    if word in ("none", "find"):
        return None if word == "none" else word
    found = []
    for piece in text.split(","):
        first, dash, last = (part.strip() for part in piece.partition("-"))
        if not (first.isdecimal() and (last.isdecimal() if dash else not last)):
            raise ValueError(
                f"--gaps {text!r}: found {piece.strip()!r}; none, find, or frames such as 12,40-52 are expected"
            )
        found.append((int(first), int(last or first)))
    return tuple(found)
