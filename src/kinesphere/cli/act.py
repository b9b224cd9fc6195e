"""``kinesphere act``: perform a script, or one action; ``check``: what is wrong with scripts; ``actions``: a list."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinesphere.cli.performing import Overwrite, Performer, Preview, SaveScore, perform_score
from kinesphere.cli.shared import UNREADABLE, is_builtin_name, print_error, report_errors, score_source

if TYPE_CHECKING:
    from kinesphere.body.body import Body
    from kinesphere.scripts.script_file import Script

INDENT = "    "
Given = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of an action, such as target=-0.3,1.2,0.5."),
]


def act(
    source: Annotated[
        Path, typer.Argument(metavar="SCRIPT", help="A script or an action in .toml, or an action of ours by name.")
    ],
    out: Annotated[Path, typer.Option("--output", "-o", help="The file to write, in any format.")],
    sketch: Annotated[
        str | None,
        typer.Option(
            "--sketch", metavar="NAME[:AMOUNT]|FILE", help="In character: old-man, queen:0.5; see kinesphere sketches."
        ),
    ] = None,
    given: Given = None,
    hand: Annotated[str, typer.Option(help="The hand that does a single action: right or left.")] = "right",
    words: Annotated[str | None, typer.Option("--words", help='Such as "gently and proudly".')] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Which individual performs it.")] = None,
    fps: Annotated[float | None, typer.Option(help="Frames a second of the output; else 60.")] = None,
    character: Performer = None,
    preview: Preview = False,
    save_score: SaveScore = None,
    overwrite: Overwrite = False,
) -> None:
    """Perform a script, or one action, in character. What is wrong with it is told before anything is rendered."""
    with report_errors():
        from dataclasses import replace

        from kinesphere.cli.performing_options import parse_sketch
        from kinesphere.direction.express import Express
        from kinesphere.direction.word_text import word_strengths
        from kinesphere.motion.edit import Layer
        from kinesphere.score.score import Score

        script = open_script(source, given, hand)
        _refuse_wrong(script, _body(character))
        layers = () if sketch is None else (Layer(parse_sketch(sketch)),)
        if words is not None:
            layers = (*layers, Layer(Express(words=word_strengths(words))))
        named: Any = source if source.suffix else script
        plain = Score(named, character=None if character is None else score_source(character), rate=fps, seed=seed)
        score = replace(plain, layers=layers)
        perform_score(score, plain, out, preview=preview, save_score=save_score, overwrite=overwrite)


def check(
    sources: Annotated[list[Path], typer.Argument(metavar="SCRIPT…", help="Scripts, actions, sketches, in .toml.")],
    character: Performer = None,
) -> None:
    """Check scripts: every error with its line, conflicts, cycles, and places that hands do not reach."""
    wrong = 0
    with report_errors():
        body = _body(character)
        for source in sources:
            found = _errors_of(source, body)
            for error in found:
                print_error(error)
            wrong += len(found)
            if not found:
                typer.echo(f"{source}: {_describe(source, body)}")
    if wrong:
        typer.echo(f"{wrong} error{'s' * (wrong > 1)}", err=True)
        raise typer.Exit(UNREADABLE)


def actions(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME|FILE]…", help="Which; else all.", show_default=False)
    ] = None,
    brief: Annotated[bool, typer.Option("--brief", help="Names and sentences alone.")] = False,
) -> None:
    """List actions for scripts, with their parameters and sync points; check files of your own."""
    with report_errors():
        from kinesphere.engine.phrases import figure_body
        from kinesphere.scripts.action import parameters_of, read_action
        from kinesphere.scripts.action_file import ACTIONS

        body = figure_body()
        for name in names or ACTIONS.names:
            file = ACTIONS.find(Path(name) if name.endswith(".toml") else name)
            action = read_action(file)
            content = action.content(body)
            parts = ", ".join(sorted(part.replace("_", " ") for part in content.parts))
            typer.echo(f"{file.name}: {action.written.about} ({content.duration:.2g} s; {parts})")
            if brief:
                continue
            for key, own in parameters_of(file).items():
                default = "" if own.default is None else f" Default: {_text(own.default)}."
                typer.echo(f"{INDENT}{key}: {own.about} {own.sentence[0].upper()}{own.sentence[1:]}.{default}")
            points = ", ".join(f"{key} {at:.2f}" for key, at in sorted(content.sync.items(), key=lambda row: row[1]))
            typer.echo(f"{INDENT}sync points: {points}")


def open_script(source: Path, given: list[str] | None = None, hand: str = "right") -> Script:
    """The script of a file, or that of one action, by file or name, with values of its parameters."""
    from kinesphere.motion.toml_text import read_table
    from kinesphere.performance.parameters import HANDS
    from kinesphere.scripts.action_file import ACTIONS
    from kinesphere.scripts.script_file import action_as_script, load_script

    if hand not in HANDS:
        raise ValueError(f"--hand {hand!r}: right or left is expected")
    named = is_builtin_name(source)
    if not named and read_table(source, "a script or an action in TOML").get("kind") != "action":
        if given or hand != "right":
            raise ValueError(f"--set and --hand are for single actions; {source} is a script, whose rows say that")
        return load_script(source)
    if named:
        ACTIONS.check(source.name)
    values = dict(_parse(text) for text in given or ())
    return action_as_script(source.name if named else source, values, hand)


def _parse(text: str) -> tuple[str, Any]:
    """``target=-0.3,1.2,0.5``: three numbers are a place."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not value:
        raise ValueError(f"--set {text!r}: write NAME=VALUE, such as target=-0.3,1.2,0.5 or arrives=1.5")
    try:
        numbers = [float(own) for own in value.split(",")]
    except ValueError:
        return name, value
    return name, numbers[0] if len(numbers) == 1 else numbers


def _body(character: Path | None) -> Body:
    from kinesphere.body.body import body_of
    from kinesphere.engine.phrases import figure_body
    from kinesphere.score.sources import resolve_character

    return figure_body() if character is None else body_of(resolve_character(score_source(character)))


def _refuse_wrong(script: Script, body: Body) -> None:
    """Print everything that is wrong with a script, and stop."""
    from kinesphere.scripts.checks import check_script

    found = check_script(script, body)
    for error in found[:-1]:
        print_error(error)
    if found:
        raise found[-1]


def _errors_of(source: Path, body: Body) -> list[Any]:
    """What is wrong with a file, by its kind."""
    from kinesphere.motion.errors import MotionFileError
    from kinesphere.motion.toml_text import read_table
    from kinesphere.scripts.checks import check_script
    from kinesphere.scripts.script_file import action_as_script
    from kinesphere.scripts.script_phrase import script_phrase

    try:
        kind = read_table(source, "a script, an action, a sketch or a property in TOML").get("kind")
        if kind == "action":
            script_phrase(action_as_script(source), body)
        elif kind == "sketch":
            from kinesphere.performance.sketch import Sketch
            from kinesphere.performance.sketch_file import sketch_content

            sketch_content(Sketch(str(source)).file)
        elif kind == "property":
            from kinesphere.performance.composite import Composite

            Composite(str(source)).rows()
        else:
            return check_script(source, body)
    except MotionFileError as error:
        return [error]
    return []


def _describe(source: Path, body: Body) -> str:
    from kinesphere.motion.toml_text import read_table
    from kinesphere.scripts.scheduling import schedule
    from kinesphere.scripts.script_file import load_script

    if read_table(source, "a file in TOML").get("kind") != "script":
        return "nothing is wrong with it"
    times = schedule(load_script(source), body)
    rows = [f"{len(times.script.actions)} actions, {times.duration:.4g} s"]
    rows += [f"{INDENT}{own.start:7.2f} to {own.end:6.2f} s  {own.action.name}" for own in times.occurrences]
    return "\n".join(rows)


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_text(own) for own in value) + "]"
    return f"{value:g}" if isinstance(value, int | float) else str(value)
