"""Clips of a file that has several: which are read, and a line that says so where only one is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kinesphere.cli.shared import ReadOptions, builtin_motion, is_builtin_name

if TYPE_CHECKING:
    from kinesphere.motion.motion import Motion

_MOST_NAMED = 12


def clips_of(source: Path, options: ReadOptions) -> tuple[tuple[int, str], ...]:
    """Number and name of each clip of a file that has several, unless one was chosen; else nothing.

    Clips of the same name differ only by number.
    """
    from kinesphere.files.loading import clip_names

    if options.clip is not None or builtin_motion(source) is not None:
        return ()
    names = clip_names(source)
    return () if len(names) < 2 else tuple(enumerate(names))


def tell_clip(source: Path, options: ReadOptions, more: str = "") -> None:
    """Say on standard error which clip of several was taken, where none was asked for, and which others there are."""
    if is_builtin_name(source) or not source.is_file():
        return
    try:
        clips = clips_of(source, options)
    except ValueError:  # no motion file, but a gesture or a score
        return
    if not clips:
        return
    first, *others = (name for _, name in clips)
    named = ", ".join(repr(name) for name in others[:_MOST_NAMED])
    left = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    typer.echo(
        f"{source} has {len(clips)} clips and this is the first, {first!r}; --clip takes another: {named}{left}{more}",
        err=True,
    )


def load_at_rate(source: Path, clip: str | int | None, options: ReadOptions, rate: float) -> Motion:
    """Read a clip at another rate: a file of curves is itself sampled between its keys, others are resampled."""
    from kinesphere.files.registry import format_to_read

    if options.rate is None and not is_builtin_name(source) and format_to_read(source).keyed:
        options = replace(options, rate=rate)
    return options.load(source, clip).resampled(rate)
