"""Errors and warnings of commands: one line on stderr, no traceback."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import typer

UNREADABLE = 2  # exit code of a command that could not do what was asked


def print_error(error: BaseException) -> None:
    """``error: …`` in red."""
    typer.secho(f"error: {one_line(error)}", fg=typer.colors.RED, err=True)


def print_warning(text: str) -> None:
    """``warning: …`` in yellow."""
    typer.secho(f"warning: {text}", fg=typer.colors.YELLOW, err=True)


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
