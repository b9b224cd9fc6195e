"""Command-line entry point: ``kinesphere`` and its subcommands.

All subcommands are imported here. They import NumPy and the library only when they run, so that ``--help`` is quick.
"""

from __future__ import annotations

from typing import Annotated

import typer

from kinesphere.cli.convert import convert
from kinesphere.cli.edits import blend, displace, equalize, smooth, timewarp, waveshape
from kinesphere.cli.info import info
from kinesphere.cli.mapping import mapping
from kinesphere.cli.perform import perform, words
from kinesphere.cli.preview import preview
from kinesphere.cli.retarget import retarget

app = typer.Typer(
    name="kinesphere",
    help="An open expressive-motion engine: look at motions, convert them, see them, perform them.",
    no_args_is_help=True,
    rich_markup_mode=None,  # panels around the help would take twice as long
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(info)
app.command()(convert)
app.command()(preview)
app.command()(retarget)
app.command()(mapping)
app.command()(perform)
app.command()(words)
for edit in (equalize, blend, timewarp, displace, waveshape, smooth):
    app.command()(edit)


def _show_version(asked: bool) -> None:
    if asked:
        from kinesphere import __version__

        typer.echo(f"kinesphere {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options before the command."""


def main() -> None:
    """The entry point of the ``kinesphere`` script."""
    app()


if __name__ == "__main__":
    main()
