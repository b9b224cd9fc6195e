"""``kinesphere trim``, ``loop``, ``mirror``, ``in-place`` and ``resample``: files or folders, all clips of a file.

Where a file brings its own surface and the output can hold it, it stays.
"""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from kinesphere.cli.batch import (
    SOME_FAILED,
    ClipChoice,
    Overwrite,
    Processes,
    Verb,
    run_file,
    run_folder,
    suffix_for,
)
from kinesphere.cli.clips import load_at_rate
from kinesphere.cli.edit_commands import READING
from kinesphere.cli.previews import Preview, check_preview, draw_comparison, own_character, preview_path
from kinesphere.cli.shared import ReadOptions, report_errors

if TYPE_CHECKING:
    from kinesphere.motion.character import Character
    from kinesphere.motion.motion import Motion

Source = Annotated[
    Path,
    typer.Argument(
        metavar="IN", help="A motion file, a folder of them, or a default motion's name.", show_default=False
    ),
]
Out = Annotated[Path, typer.Option("--output", "-o", help="The file to write, or the folder if IN is one.")]
To = Annotated[
    str | None,
    typer.Option("--to", help="Write into the folder OUT, in this format: bvh, glb or npz. Left out: the input's."),
]


def with_reading(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameter ``reading`` has become the options of ``ReadOptions``, as all commands have them."""
    hints = get_type_hints(command, include_extras=True)
    names = [field.name for field in fields(ReadOptions)]
    given = [p for p in inspect.signature(command).parameters.values() if p.name != "reading"]
    options = [_keyword(name, READING[name]) for name in names]
    parameters = [p.replace(annotation=hints[p.name], kind=inspect.Parameter.KEYWORD_ONLY) for p in given] + options

    @wraps(command)
    def run(**values: Any) -> None:
        with report_errors():
            reading = ReadOptions.of(values)
        command(**{name: value for name, value in values.items() if name not in names}, reading=reading)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _keyword(name: str, hint: Any) -> inspect.Parameter:
    default = False if hint.__origin__ is bool else None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


# What is done with a file


@dataclass(frozen=True)
class Transform(ABC):
    """One of the commands: how files are read and written, and what is done with each motion."""

    reading: ReadOptions
    overwrite: bool
    preview: bool

    @abstractmethod
    def apply(self, motion: Motion) -> Motion:
        """The transformed motion."""

    def load(self, source: Path, clip: ClipChoice) -> Motion:
        """Read one clip."""
        return self.reading.load(source, clip)

    def run(self, source: Path, clips: tuple[ClipChoice, ...], output: Path) -> list[str]:
        """See ``Work``."""
        character = self._own_surface(source)
        return self.write(source, clips, output, character, before_on=character)

    def write(
        self,
        source: Path,
        clips: tuple[ClipChoice, ...],
        output: Path,
        character: Character | None,
        before_on: Character | None = None,
    ) -> list[str]:
        """Read, transform and write; ``character`` is the body of the result, ``before_on`` that of the input."""
        from kinesphere.files.loading import save_clips
        from kinesphere.files.registry import format_to_write

        if self.preview:
            check_preview(preview_path(output), self.overwrite)
        motions = [self.load(source, clip) for clip in clips]
        made = [self.apply(motion) for motion in motions]
        held = character if format_to_write(output).holds_characters else None
        output.parent.mkdir(parents=True, exist_ok=True)
        save_clips(made, output, character=held)
        told = [
            after.source.evidence[len(before.source.evidence) :] for before, after in zip(motions, made, strict=True)
        ]
        said = [*_tell(made, told), f"wrote {output}" + (f", {len(made)} clips" if len(made) > 1 else "")]
        if self.preview:
            draw_comparison(motions[0], made[0], (before_on, character), preview_path(output))
            said.append(f"wrote {preview_path(output)}")
        return said

    def _own_surface(self, source: Path) -> Character | None:
        """The character in the input; none where the motion was read in another size or direction than it has."""
        if self.reading.scale is not None or self.reading.up is not None:
            return None
        try:
            return own_character(source)
        except ValueError:  # the motion could be read, which is enough
            return None


def _tell(motions: list[Motion], told: list[tuple[str, ...]]) -> list[str]:
    """What was said of each motion: once where it holds for all, else with the clip's name."""
    common = [sentence for sentence in told[0] if all(sentence in own for own in told)]
    special = [
        f"{motion.name}: {sentence}"
        for motion, own in zip(motions, told, strict=True)
        for sentence in own
        if sentence not in common
    ]
    return [*common, *special]


def run_transform(source: Path, out: Path, to: str | None, work: Transform, verb: Verb, jobs: int | None) -> None:
    """Run a command on a file or a folder."""
    failed = False
    if source.is_dir() or out.is_dir() or to is not None:
        failed = run_folder(source, out, suffix_for(to, needed=False), work, verb, jobs, together=True)
    else:
        run_file(source, out, work)
    if failed:
        raise typer.Exit(SOME_FAILED)


def parse_time(option: str, text: str, rate: float) -> float:
    """Seconds of ``1.5`` or ``1.5s``, or of a frame such as ``45f``."""
    plain = text.strip().lower()
    try:
        if plain.endswith("f"):
            return int(plain[:-1]) / rate
        seconds = float(plain.removesuffix("s"))
    except ValueError:
        seconds = math.nan
    if not math.isfinite(seconds) or seconds < 0.0:
        raise ValueError(f"{option} {text!r}; seconds such as 1.5, or a frame such as 45f, are expected")
    return seconds


def parse_ends(start: str | None, end: str | None, rate: float) -> tuple[float | None, float | None]:
    """Seconds of --start and --end, where they are given."""
    return (
        None if start is None else parse_time("--start", start, rate),
        None if end is None else parse_time("--end", end, rate),
    )


# The commands


Start = Annotated[
    str | None, typer.Option("--start", metavar="TIME", help="Seconds such as 1.5, or a frame such as 45f.")
]
End = Annotated[str | None, typer.Option("--end", metavar="TIME", help="Likewise; included.")]


@dataclass(frozen=True)
class Trim(Transform):
    """``kinesphere trim``."""

    start: str | None = None
    end: str | None = None

    def apply(self, motion: Motion) -> Motion:
        start, end = parse_ends(self.start, self.end, motion.rate)
        return motion.between(0.0 if start is None else start, motion.duration if end is None else end)


@with_reading
def trim(
    source: Source,
    out: Out,
    reading: ReadOptions,
    start: Start = None,
    end: End = None,
    to: To = None,
    preview: Preview = False,
    overwrite: Overwrite = False,
    jobs: Processes = None,
) -> None:
    """Cut a motion to the frames from --start to --end."""
    with report_errors():
        if start is None and end is None:
            raise ValueError("nothing to do: give --start or --end; kinesphere trim --help says more")
        work = Trim(reading, overwrite, preview, start, end)
        run_transform(source, out, to, work, Verb("trimming", "trimmed"), jobs)


@dataclass(frozen=True)
class Loop(Transform):
    """``kinesphere loop``."""

    start: str | None = None
    end: str | None = None
    search: bool = False
    shortest: float | None = None
    blend: float | None = None

    def apply(self, motion: Motion) -> Motion:
        from kinesphere.body import looping

        start, end = parse_ends(self.start, self.end, motion.rate)
        return looping.loop(
            motion,
            start=start or 0.0,
            end=end,
            search=self.search,
            shortest=looping.SHORTEST if self.shortest is None else self.shortest,
            blend=looping.BLEND if self.blend is None else self.blend,
        )


@with_reading
def loop(
    source: Source,
    out: Out,
    reading: ReadOptions,
    search: Annotated[
        bool, typer.Option("--search", help="Find the period whose ends are most alike, such as one cycle of a walk.")
    ] = False,
    shortest: Annotated[
        float | None, typer.Option("--shortest", help="Seconds of the shortest period for --search. Left out: 0.4.")
    ] = None,
    blend: Annotated[
        float | None, typer.Option("--blend", help="Seconds beside the seam in which poses change. Left out: 0.3.")
    ] = None,
    start: Start = None,
    end: End = None,
    to: To = None,
    preview: Preview = False,
    overwrite: Overwrite = False,
    jobs: Processes = None,
) -> None:
    """Close a motion, so that it can be played again and again.

    The last frame is the first again, moved on by what a cycle travels; pose, speed and feet run on over the seam.
    """
    with report_errors():
        work = Loop(reading, overwrite, preview, start, end, search or shortest is not None, shortest, blend)
        run_transform(source, out, to, work, Verb("looping", "looped"), jobs)


@dataclass(frozen=True)
class Mirror(Transform):
    """``kinesphere mirror``."""

    def apply(self, motion: Motion) -> Motion:
        return motion.mirrored()


@with_reading
def mirror(
    source: Source,
    out: Out,
    reading: ReadOptions,
    to: To = None,
    preview: Preview = False,
    overwrite: Overwrite = False,
    jobs: Processes = None,
) -> None:
    """Exchange left and right."""
    with report_errors():
        work = Mirror(reading, overwrite, preview)
        run_transform(source, out, to, work, Verb("mirroring", "mirrored"), jobs)


@dataclass(frozen=True)
class InPlace(Transform):
    """``kinesphere in-place``."""

    heading: bool = False

    def apply(self, motion: Motion) -> Motion:
        return motion.in_place(heading=self.heading)


@with_reading
def in_place(
    source: Source,
    out: Out,
    reading: ReadOptions,
    heading: Annotated[bool, typer.Option("--heading", help="Also keep the heading of the first frame.")] = False,
    to: To = None,
    preview: Preview = False,
    overwrite: Overwrite = False,
    jobs: Processes = None,
) -> None:
    """Take out the travel over the ground; height stays."""
    with report_errors():
        work = InPlace(reading, overwrite, preview, heading)
        run_transform(source, out, to, work, Verb("taking travel out", "in place:"), jobs)


@dataclass(frozen=True)
class Resample(Transform):
    """``kinesphere resample``."""

    fps: float = 30.0

    def load(self, source: Path, clip: ClipChoice) -> Motion:
        return load_at_rate(source, clip, self.reading, self.fps)

    def apply(self, motion: Motion) -> Motion:
        return motion


@with_reading
def resample(
    source: Source,
    out: Out,
    fps: Annotated[float, typer.Option("--fps", help="Frames a second of the output.")],
    reading: ReadOptions,
    to: To = None,
    preview: Preview = False,
    overwrite: Overwrite = False,
    jobs: Processes = None,
) -> None:
    """Give a motion another frame rate, at the same speed."""
    with report_errors():
        if not 0.0 < fps < math.inf:
            raise ValueError(f"--fps {fps:g}; a positive number is expected")
        work = Resample(reading, overwrite, preview, fps)
        run_transform(source, out, to, work, Verb("resampling", "resampled"), jobs)
