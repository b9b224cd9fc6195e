"""Options that several commands share: what ``load`` takes, spelt once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from kinesphere.motion.motion import Motion

Clip = Annotated[str | None, typer.Option("--clip", help="Which clip, by name or number, of a file that has several.")]
Scale = Annotated[
    float | None, typer.Option("--scale", help="Metres in one unit of the input, where the guess is wrong.")
]
Up = Annotated[str | None, typer.Option("--up", help="The axis that is up in the input: x, y, z, -x, -y or -z.")]
Rate = Annotated[
    float | None,
    typer.Option("--rate", help="Frames a second of the input, where the file is wrong or says nothing."),
]
Salvage = Annotated[
    bool, typer.Option("--salvage", help="Read what can be read of a broken file, and warn of the rest.")
]


@dataclass(frozen=True)
class Reading:
    """How files are to be read."""

    clip: str | None = None
    scale: float | None = None
    up: str | None = None
    rate: float | None = None
    salvage: bool = False

    def load(self, path: Path, clip: str | int | None = None) -> Motion:
        """Read a motion; ``clip`` goes before the one that was asked for. A default motion's name serves as a file."""
        from kinesphere.cli.ours import own_motion
        from kinesphere.files.loading import load

        ours = own_motion(path)
        if ours is not None:
            return ours if self.rate is None else ours.resampled(self.rate)
        wanted = clip if clip is not None else self.clip_of(path)
        return load(path, clip=wanted, scale=self.scale, up=self.up, rate=self.rate, salvage=self.salvage)

    def clip_of(self, path: Path) -> str | int | None:
        """The clip that was asked for. Digits are a number, unless a clip has just that name."""
        if self.clip is None or not self.clip.isdecimal():
            return self.clip
        from kinesphere.files.loading import clips

        return self.clip if self.clip in clips(path) else int(self.clip)
