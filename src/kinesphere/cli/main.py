"""Command-line entry point: ``kinesphere`` and its subcommands.

Commands with a file of their own are imported here. They import NumPy and the library only when they run, so that
``--help`` is quick. Commands of registered edits and behaviours are listed by name and made when they run
(``cli.edit_commands``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from kinesphere.cli.act import act, actions, check
from kinesphere.cli.convert import convert
from kinesphere.cli.explain import explain
from kinesphere.cli.info import info
from kinesphere.cli.mapping import mapping
from kinesphere.cli.motions import motions
from kinesphere.cli.perform import perform, words
from kinesphere.cli.phrase import phrase
from kinesphere.cli.preview import preview
from kinesphere.cli.registered import find_class, registered_classes
from kinesphere.cli.retarget import retarget
from kinesphere.cli.shared import report_errors
from kinesphere.cli.sketches import composites, sketches
from kinesphere.cli.transform_commands import in_place, loop, mirror, resample, trim


class Commands(TyperGroup):
    """Our commands, and one for every registered edit and behaviour.

    Click's types are left open: some Typers have their own copy.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        own = super().list_commands(ctx)
        return [*own, *(name for name in registered_classes() if name not in own)]

    def get_command(self, ctx: Any, name: str) -> Any:
        own = super().get_command(ctx, name)
        if own is not None:
            return own
        with report_errors():
            cls = find_class(name)
            if cls is None:
                return None
            from kinesphere.cli.edit_commands import command_of

            return command_of(name, cls)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands; nothing is imported for that."""
        rows, width = list[tuple[str, str]](), formatter.width
        classes = registered_classes()
        for name in self.list_commands(ctx):
            own = super().get_command(ctx, name)
            rows.append((name, classes[name].sentence if own is None else own.get_short_help_str(width)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


app = typer.Typer(
    name="kinesphere",
    cls=Commands,
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
app.command()(trim)
app.command()(loop)
app.command()(mirror)
app.command("in-place")(in_place)
app.command()(resample)
app.command()(mapping)
app.command()(motions)
app.command()(perform)
app.command()(phrase)
app.command()(words)
app.command()(act)
app.command()(check)
app.command()(actions)
app.command()(explain)
app.command()(sketches)
app.command()(composites)


def _show_version(asked: bool) -> None:
    if asked:
        from kinesphere import __version__

        typer.echo(f"kinesphere {__version__}")
        raise typer.Exit


def _load_plugins(files: list[Path] | None) -> None:
    if not files:
        return
    with report_errors():
        from kinesphere.motion.registry import PluginError

        commands = [command for command in app.registered_commands if command.callback is not None]
        ours = {command.name or getattr(command.callback, "__name__", "") for command in commands}
        for file in files:
            before = registered_classes()
            _load_plugin(file)
            taken = sorted(ours & (registered_classes().keys() - before.keys()))
            if taken:
                raise PluginError(f"plugin {file}: {taken[0]!r} is one of our commands; choose another name")


def _load_plugin(file: Path) -> None:
    """Run a Python file that registers; or add the gesture, walk, words, sketch, action or property of a TOML file."""
    if file.suffix.lower() != ".toml":
        from kinesphere.motion.registry import load_plugin

        load_plugin(file)
        return
    from kinesphere.motion.toml_text import read_table

    table = read_table(file, "a gesture, a walk, words, a sketch, an action or a property in TOML")
    if "words" in table:
        from kinesphere.direction.words import add_words

        add_words(file)
    elif table.get("kind") == "sketch":
        from kinesphere.performance.sketch_file import SKETCHES

        SKETCHES.add(file)
    elif table.get("kind") == "action":
        from kinesphere.scripts.action_file import ACTIONS

        ACTIONS.add(file)
    elif table.get("kind") == "property":
        from kinesphere.performance.composite import COMPOSITES

        COMPOSITES.add(file)
    else:
        from kinesphere.builtin.library import add_gesture

        add_gesture(file)


@app.callback()
def options(
    plugin: Annotated[
        list[Path] | None,
        typer.Option(
            "--plugin",
            callback=_load_plugins,
            is_eager=True,
            metavar="FILE",
            help="A file of your own: .py that registers edits, behaviours or formats; .toml with a gesture, a walk, "
            "words, a sketch, an action or a composite property. Repeatable.",
        ),
    ] = None,
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
