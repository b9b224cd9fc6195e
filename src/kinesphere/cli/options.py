"""Our own motions and bodies by name, where a command expects a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from kinesphere.motion.character import Character
    from kinesphere.motion.motion import Motion


BODIES = ("figure", "mo")


def builtin_motion(file: Path) -> Motion | None:
    """The default motion of that name, unless there is a file called so.

    A bare name that is neither raises an error that says which names there are: a slip of the pen is likelier than a
    file without a suffix.
    """
    if not _could_be_ours(file):
        return None
    from kinesphere.builtin.library import motion, motions

    if file.name not in motions():
        raise _unknown(file, "motion", motions())
    return motion(file.name)


def builtin_character(file: Path) -> Character | None:
    """The figure or Mo, unless there is a file called so; bare names are treated as those of motions are."""
    if not _could_be_ours(file):
        return None
    if file.name not in BODIES:
        raise _unknown(file, "character", BODIES)
    from kinesphere.builtin import characters

    return characters.figure() if file.name == "figure" else characters.mo()


def _could_be_ours(file: Path) -> bool:
    """No file, and a name without a suffix or a folder."""
    return len(file.parts) == 1 and not file.suffix and not file.exists()


def _unknown(file: Path, what: str, ours: Sequence[str]) -> ValueError:
    from kinesphere.motion.errors import MotionFileError

    near = get_close_matches(file.name.lower(), ours, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else ""
    expected = f"a {what} file, or one of ours: {', '.join(ours)}{hint}"
    return MotionFileError(file, f"no such file, and no {what} of ours of that name", expected)


# ---- Names of output files.


_FORBIDDEN = re.compile(r"[^\w.+-]+")  # letters of any alphabet stay
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)  # what Windows keeps for devices


def safe_stem(name: str) -> str:
    """A clip's name as part of a file name: no separators, no spaces, no dots at the ends, not too long."""
    stem = _FORBIDDEN.sub("_", name).strip("._")[:80] or "clip"
    return f"{stem}_" if _RESERVED.fullmatch(stem) else stem


def unique_stem(stem: str, taken: set[str]) -> str:
    """The stem, with a number where another has it; capitals don't count, as on Windows and macOS."""
    name, count = stem, 1
    while name.casefold() in taken:
        count += 1
        name = f"{stem}_{count}"
    taken.add(name.casefold())
    return name


# ---- Outputs that are looked at before anything is written.


def check_outputs(files: list[Path], overwrite: bool) -> None:
    """Refuse what cannot be written before anything is."""
    for i, file in enumerate(files):
        if not file.parent.is_dir():
            raise FileNotFoundError(f"{file}: the folder {file.parent} does not exist")
        if file.exists() and not overwrite:
            raise FileExistsError(f"{file}: exists already; --overwrite replaces it")
        if file.resolve() in [other.resolve() for other in files[:i]]:
            raise ValueError(f"{file}: two outputs have this name; each needs its own")


# ---- Options that several commands share: what ``load`` takes, spelt once.


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
        from kinesphere.files.loading import load

        ours = builtin_motion(path)
        if ours is not None:
            return ours if self.rate is None else ours.resampled(self.rate)
        wanted = clip if clip is not None else self.clip_of(path)
        return load(path, clip=wanted, scale=self.scale, up=self.up, rate=self.rate, salvage=self.salvage)

    def clip_of(self, path: Path) -> str | int | None:
        """The clip that was asked for. Digits are a number, unless a clip has just that name."""
        if self.clip is None or not self.clip.isdecimal():
            return self.clip
        from kinesphere.files.loading import clip_names

        return self.clip if self.clip in clip_names(path) else int(self.clip)
