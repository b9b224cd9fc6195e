"""What commands share: names of motions and characters, output files, read options; errors and warnings."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

if TYPE_CHECKING:
    from kinesphere.motion.character import Character
    from kinesphere.motion.motion import Motion
    from kinesphere.score.sources import Reading

UNREADABLE = 2  # exit code of a command that could not do what was asked


# A name or a file


def is_builtin_name(path: Path) -> bool:
    """Whether an argument names one of our motions or characters: no file, and no suffix or folder in it."""
    return len(path.parts) == 1 and not path.suffix and not path.exists()


def builtin_motion(path: Path) -> Motion | None:
    """The built-in motion of that name, unless there is a file called so.

    A bare name that is neither raises an error that lists the names: a typo is likelier than a file without a suffix.
    """
    if not is_builtin_name(path):
        return None
    from kinesphere.builtin.library import motion, motions

    _check_name(path, "motion", motions())
    return motion(path.name)


def open_character(path: Path) -> Character:
    """The figure or Mo by name, unless there is a file called so; else a character's file."""
    if is_builtin_name(path):
        from kinesphere.builtin import characters

        _check_name(path, "character", tuple(characters.CHARACTERS))
        return characters.figure() if path.name == "figure" else characters.mo()
    from kinesphere.files.loading import load_character

    return load_character(path)


def score_source(path: Path) -> Path | str:
    """A source as scores name it: a file, or a built-in motion's name."""
    return path if path.suffix else str(path)


def _check_name(path: Path, kind: str, names: Sequence[str]) -> None:
    """Raise for a name that is not built in, and suggest the nearest."""
    if path.name in names:
        return
    from kinesphere.motion.errors import MotionFileError, nearest_names

    near = nearest_names(path.name, names)
    hint = f"; did you mean {near[0]}?" if near else ""
    expected = f"a {kind} file, or one of ours: {', '.join(names)}{hint}"
    raise MotionFileError(path, f"no such file, and no {kind} of ours of that name", expected)


# Output files


_FORBIDDEN = re.compile(r"[^\w.+-]+")  # letters of any alphabet stay
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)  # device names on Windows


def safe_stem(name: str) -> str:
    """A clip's name as part of a file name: no separators, no spaces, no dots at the ends, not too long."""
    stem = _FORBIDDEN.sub("_", name).strip("._")[:80] or "clip"
    return f"{stem}_" if _RESERVED.fullmatch(stem) else stem


def unique_stem(stem: str, used: set[str]) -> str:
    """The stem, with a number where another has it; capitals don't count, as on Windows and macOS."""
    name, count = stem, 1
    while name.casefold() in used:
        count += 1
        name = f"{stem}_{count}"
    used.add(name.casefold())
    return name


def check_outputs(files: list[Path], overwrite: bool) -> None:
    """Refuse what cannot be written before anything is."""
    for i, file in enumerate(files):
        if not file.parent.is_dir():
            raise FileNotFoundError(f"{file}: the folder {file.parent} does not exist")
        if file.exists() and not overwrite:
            raise FileExistsError(f"{file}: exists already; --overwrite replaces it")
        if file.resolve() in [other.resolve() for other in files[:i]]:
            raise ValueError(f"{file}: two outputs have this name; each needs its own")


# Reading


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


Positions = Annotated[
    str | None,
    typer.Option(
        "--positions",
        metavar="auto|replace|add",
        help="What position channels of a BVH's joints do to their offsets, where the guess is wrong.",
    ),
]


ToGround = Annotated[
    bool, typer.Option("--to-ground", help="Bring the ground that is found to y = 0, and say by how much.")
]


RolesOf = Annotated[
    str | None,
    typer.Option(
        "--mapping",
        "--source-mapping",
        metavar="MAP.json",
        help="Which joint has which humanoid role, by `kinesphere mapping -o`, where the guess is wrong.",
    ),
]


@dataclass(frozen=True)
class ReadOptions:
    """How files are to be read, as the command line says it. Plain commands need no score to read a file."""

    clip: str | None = None
    scale: float | None = None
    up: str | None = None
    rate: float | None = None
    salvage: bool = False
    positions: str | None = None
    to_ground: bool = False
    mapping: str | None = None

    def __post_init__(self) -> None:
        given = (self.scale, self.up, self.rate, self.positions)
        if any(value is not None for value in given):
            from kinesphere.files.loading import check_read_options

            check_read_options("--", self.scale, self.up, self.rate, self.positions or "auto")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> ReadOptions:
        """The options of a command."""
        return cls(*(given[field.name] for field in fields(cls)))

    def load(self, path: Path, clip: str | int | None = None) -> Motion:
        """Read a motion file, or make the built-in motion of that name; ``clip`` overrides the option."""
        from kinesphere.files.loading import find_clip, load
        from kinesphere.files.mapping import with_mapping

        builtin = builtin_motion(path)
        if builtin is not None:
            return builtin if self.rate is None else builtin.resampled(self.rate)
        chosen = clip if clip is not None else find_clip(path, self.clip)
        options: Any = {"scale": self.scale, "up": self.up, "rate": self.rate, "salvage": self.salvage}
        motion = load(path, clip=chosen, **options, positions=self.positions or "auto")  # type: ignore[arg-type]
        motion = with_mapping(motion, self.mapping)
        return bring_to_ground(self.with_own_soles(motion, path)) if self.to_ground else motion

    def with_own_soles(self, motion: Motion, path: Path) -> Motion:
        """The motion with the soles of the surface in its file, if it has one, where a person's would be a guess."""
        from kinesphere.files.loading import with_own_soles

        if self.scale is not None or self.up is not None or is_builtin_name(path):
            return motion
        return with_own_soles(motion, path)

    @property
    def of_others(self) -> ReadOptions:
        """The same for other files than the one that has the clip."""
        return replace(self, clip=None, mapping=None)

    def over(self, reading: Reading) -> Reading:
        """What a score says of reading, with what was given on the command line in its place."""
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            if value is None or value is False:
                continue
            try:
                reading = replace(reading, **{name: value})
            except ValueError as error:
                raise ValueError(f"--{str(error).removeprefix('Reading: ')}") from error
        return reading


def bring_to_ground(motion: Motion, height: float | None = None) -> Motion:
    """The motion with its ground, which is found or at ``height``, brought to y = 0; how far it moved is said."""
    from kinesphere.body.ground import place_on_ground

    placed = place_on_ground(motion, height)
    print_ground(placed)
    return placed


def print_standing(motion: Motion) -> None:
    """Say how far a person stands from y = 0, where pictures have their floor."""
    from kinesphere.body.ground import describe_ground

    if standing := describe_ground(motion):
        print_note(f"{motion.name or 'the motion'} {standing}, where the floor is drawn; --to-ground brings it there")


def print_ground(motion: Motion) -> None:
    """Say by how much a motion was raised or lowered, if it was."""
    for sentence in motion.source.evidence:
        if sentence.startswith("ground: "):
            print_note(f"{motion.name}: {sentence}")


# Errors and warnings: one line on stderr, no traceback


def print_error(error: BaseException) -> None:
    """``error: …`` in red."""
    typer.secho(f"error: {one_line(error)}", fg=typer.colors.RED, err=True)


def print_warning(text: str) -> None:
    """``warning: …`` in yellow."""
    typer.secho(f"warning: {text}", fg=typer.colors.YELLOW, err=True)


def print_note(text: str) -> None:
    """``note: …`` beside the output, so that pipes stay clean."""
    typer.echo(f"note: {text}", err=True)


def one_line(error: BaseException) -> str:
    """An error's message without line breaks, or its kind where it has none."""
    return " ".join(str(error).splitlines()) or type(error).__name__


@contextmanager
def report_errors() -> Iterator[None]:
    """Turn errors of files and options into a line and an exit code; print warnings too."""
    with print_warnings():
        try:
            yield
        except BrokenPipeError:  # the reader has closed the pipe, as head does
            raise typer.Exit(0) from None
        except (ValueError, OSError) as error:
            print_error(error)
            raise typer.Exit(UNREADABLE) from None


@contextmanager
def print_warnings() -> Iterator[None]:
    """Print warnings about files as lines of their own."""
    from kinesphere.motion.errors import MotionFileWarning

    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, MotionFileWarning):
                print_warning(" ".join(str(message).splitlines()))
            else:
                usual(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        warnings.simplefilter("always", MotionFileWarning)
        yield


@contextmanager
def collect_warnings() -> Iterator[list[str]]:
    """Collect warnings about files instead of printing them."""
    from kinesphere.motion.errors import MotionFileWarning

    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MotionFileWarning)
        yield texts
        for entry in caught:
            if issubclass(entry.category, MotionFileWarning):
                texts.append(str(entry.message))
