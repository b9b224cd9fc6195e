"""``kinesphere timewarp``: a motion at another's pace, or by marks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinesphere.cli.edits.common import (
    End,
    Fade,
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

LARGEST = 1_000_000  # bytes of a file of beats

if TYPE_CHECKING:
    from kinesphere.signals.timewarp import Timewarp


def timewarp(
    source: Source,
    out: Out,
    onto: Annotated[Path | None, typer.Option("--onto", help="The motion whose pace is taken.")] = None,
    amount: Annotated[float, typer.Option("--amount", help="0, its own pace, to 1, the other's.")] = 1.0,
    mark: Annotated[
        list[str] | None,
        typer.Option("--mark", help="When a moment is to come: 1.2=1.5 puts 1.2 s at 1.5 s. Repeatable."),
    ] = None,
    beats: Annotated[
        str | None,
        typer.Option(
            "--beats", help="Seconds of beats, 0.5,1.1,1.6, or a text file of them: accents are found and come on them."
        ),
    ] = None,
    bpm: Annotated[float | None, typer.Option("--bpm", help="Beats a minute instead, the first at 0.")] = None,
    cost: Annotated[str, typer.Option("--cost", help="What corresponds: by shape or by pose.")] = "pose",
    search: Annotated[
        str, typer.Option("--search", help="auto, full, banded or coarse: how frames are matched.")
    ] = "auto",
    radius: Annotated[float, typer.Option("--radius", help="Seconds that other searches look around.")] = 1.0,
    matched: Annotated[
        bool, typer.Option("--matched", help="Frame by frame as matched, instead of along a smooth clock.")
    ] = False,
    joints: Joints = None,
    start: Start = None,
    end: End = None,
    fade: Fade = 0.25,
    clip: Clip = None,
    scale: Scale = None,
    up: Up = None,
    rate: Rate = None,
    salvage: Salvage = False,
    preview: Preview = False,
    save_score: SaveScore = None,
    overwrite: Overwrite = False,
) -> None:
    """Perform a motion at another's pace, or so that its moments come at marks: beats of music, words of speech."""

    def prepare() -> Timewarp:
        from kinesphere.signals.timewarp import Timewarp

        if onto is None and not mark and beats is None and bpm is None:
            raise ValueError("nothing to go by: give --onto MOTION, --mark 1.2=1.5, --beats 0.5,1.1,1.6 or --bpm 100")
        if cost not in ("shape", "pose"):
            raise ValueError(f"--cost {cost}: shape or pose is expected")
        marks = [(_number("--mark", moment), when) for moment, when in pairs("--mark", mark)]
        return Timewarp(
            onto if onto is None or onto.suffix else str(onto),
            amount,
            marks,
            () if beats is None else _seconds(beats),
            bpm,
            "pose" if cost == "pose" else "shape",
            search,  # type: ignore[arg-type]
            radius,
            frames="matched" if matched else "smooth",
            joints=names(joints),
            start=start,
            end=end,
            fade=fade,
        )

    reading = Reading(clip, scale, up, rate, salvage)
    edited(source, out, prepare, reading, preview=preview, save_score=save_score, overwrite=overwrite)


def _seconds(text: str) -> list[float]:
    """Seconds parted by commas or blanks, themselves or in a text file."""
    file = Path(text)
    if any(piece.isalpha() for piece in text):
        if not file.is_file():
            raise ValueError(f"--beats {text}: neither seconds such as 0.5,1.1,1.6 nor a text file of them")
        if file.stat().st_size > LARGEST:
            raise ValueError(f"--beats {text}: more than {LARGEST} bytes; a short text of seconds is expected")
        text = file.read_text(encoding="utf-8", errors="replace")
    return [_number("--beats", piece) for piece in text.replace(",", " ").split()]


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{option}: found {text!r}; a number of seconds is expected") from None
