"""``kinesphere timewarp``: a motion at another's pace, or by marks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinesphere.cli.edits.common import End, Fade, Joints, Out, Overwrite, Preview, Source, Start, edited, names, pairs

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
    cost: Annotated[str, typer.Option("--cost", help="What corresponds: by shape or by pose.")] = "shape",
    matched: Annotated[
        bool, typer.Option("--matched", help="Frame by frame as matched, instead of along a smooth clock.")
    ] = False,
    joints: Joints = None,
    start: Start = None,
    end: End = None,
    fade: Fade = 0.25,
    preview: Preview = False,
    overwrite: Overwrite = False,
) -> None:
    """Perform a motion at another's pace, or so that its moments come at marks: beats of music, words of speech."""

    def prepare() -> Timewarp:
        from kinesphere.cli.options import Reading
        from kinesphere.signals.timewarp import Timewarp

        if onto is None and not mark:
            raise ValueError("nothing to go by: give --onto MOTION, or --mark 0=0 --mark 1.2=1.5 and so on")
        if cost not in ("shape", "pose"):
            raise ValueError(f"--cost {cost}: shape or pose is expected")
        marks = [(float(moment), when) for moment, when in pairs("--mark", mark)]
        return Timewarp(
            None if onto is None else Reading().load(onto),
            amount,
            marks,
            "pose" if cost == "pose" else "shape",
            frames="matched" if matched else "smooth",
            joints=names(joints),
            start=start,
            end=end,
            fade=fade,
        )

    edited([source], out, prepare, preview=preview, overwrite=overwrite)
