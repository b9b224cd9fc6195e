"""Commands of registered edits and behaviours: ``kinesphere equalize``, ``effort``, ``breath``, also those of plugins.

Options are derived from the annotations of a class's fields, of its ``from_options`` and of ``Scope``. One function
runs all of them: it reads a motion or a score, adds the edit as the last layer, or the behaviour, renders and writes.
"""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer

from kinesphere.cli.clips import tell_clip
from kinesphere.cli.performing import Overwrite, Performer, Preview, SaveScore, perform_score
from kinesphere.cli.shared import (
    Clip,
    Positions,
    Rate,
    ReadOptions,
    RolesOf,
    Salvage,
    Scale,
    ToGround,
    Up,
    report_errors,
    score_source,
)

if TYPE_CHECKING:
    from kinesphere.motion.behaviour import Behaviour
    from kinesphere.motion.document import Setting
    from kinesphere.motion.edit import Layer
    from kinesphere.motion.registry import RegisteredDocument
    from kinesphere.score.score import Score

GESTURES = (".toml", ".keys", ".txt")  # suffixes of gestures and of key points; other files are motions
LARGEST = 1_000_000  # bytes of a text file in place of an option's text

# What every command has besides the options of its edit and of the scope.
BEFORE = {
    "source": Annotated[
        Path,
        typer.Argument(
            metavar="IN",
            help="A motion or gesture file, a default motion's name, or a score in .json.",
            show_default=False,
        ),
    ],
    "out": Annotated[Path, typer.Option("--output", "-o", help="The file to write, in any format.")],
}
READING = {
    "clip": Clip,
    "scale": Scale,
    "up": Up,
    "positions": Positions,
    "rate": Rate,
    "salvage": Salvage,
    "to_ground": ToGround,
    "mapping": RolesOf,
}
AFTER = READING | {"character": Performer, "preview": Preview, "save_score": SaveScore, "overwrite": Overwrite}


# Options of an edit


@dataclass(frozen=True)
class EditOption:
    """An option of a command: what it sets, its annotation, its type and its default."""

    name: str
    setting: Setting
    hint: Any
    default: Any

    @property
    def declarations(self) -> tuple[str, ...]:
        """Its names on the command line."""
        return tuple(self.setting.option.split()) or (f"--{self.name.replace('_', '-')}",)

    @property
    def is_argument(self) -> bool:
        """Whether it is given by its place, without a name."""
        return not self.declarations[0].startswith("-")

    @property
    def is_flag(self) -> bool:
        """Whether it takes no text: it turns the default into its opposite."""
        return isinstance(self.default, bool)

    def parse(self, given: Any) -> Any:
        """The field's value of what was given on the command line."""
        if self.is_flag:
            return not self.default
        parser = self._parser
        if parser is None:
            return given
        if not self.setting.repeated:
            return self._parse_text(parser, given)
        return _join([self._parse_text(parser, text) for text in given])

    def read(self, text: str) -> Any:
        """The field's value of a text alone, where there is no command to read numbers and flags."""
        if self.is_flag:
            if text not in ("true", "false"):
                raise ValueError("true or false is expected")
            return text == "true"
        kind = get_args(_text_type(self))[0]
        if kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                raise ValueError(f"a {'whole number' if kind is int else 'number'} is expected") from None
        return self.parse([text] if self.setting.repeated else text)

    @property
    def _parser(self) -> Callable[[str], Any] | None:
        """What makes the value of a text; None: the text itself, or the number that it is."""
        if self.setting.parse is not None or self.setting.repeated:
            return self.setting.parse
        return partial(_parse_list_or_object, self.hint) if _is_compound(self.hint) else None

    def _parse_text(self, parser: Callable[[str], Any], text: str) -> Any:
        try:
            return parser(_read_text(text) if self.setting.file else text)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"{self.declarations[0]} {text!r}: {error}") from None


def options_of(cls: Any) -> list[EditOption]:
    """The options of a class's command: of its ``from_options``, then of its fields."""
    from kinesphere.motion.document import default_of, hints_of, setting_of

    made = dict[str, EditOption]()
    method = getattr(cls, "from_options", None)
    if method is not None:
        hints = get_type_hints(method.__func__, include_extras=True)
        for parameter in inspect.signature(method).parameters.values():
            setting = setting_of(hints.get(parameter.name))
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY and setting is not None:
                made[parameter.name] = EditOption(parameter.name, setting, hints[parameter.name], parameter.default)
    for field in sorted(fields(cls), key=lambda field: bool(field.kw_only)):
        setting = setting_of(hints_of(cls)[field.name])
        if setting is not None and not setting.hidden and field.name not in made:
            made[field.name] = EditOption(field.name, setting, hints_of(cls)[field.name], default_of(field))
    return list(made.values())


def _read_text(text: str) -> str:
    """The text, or that of the file that it names."""
    file = Path(text)
    try:
        found = file.is_file()
    except OSError:  # too long for a file's name
        found = False
    if not found:
        if any(letter.isalpha() for letter in file.suffix):
            raise ValueError("no such file")
        return text
    if file.stat().st_size > LARGEST:
        raise ValueError(f"more than {LARGEST} bytes; a short text is expected")
    return file.read_text(encoding="utf-8-sig", errors="replace")


def _join(values: list[Any]) -> Any:
    """What several texts of one option became, as one: mappings and lists joined, others in a list."""
    if all(isinstance(value, Mapping) for value in values):
        return {key: entry for value in values for key, entry in value.items()}
    if all(isinstance(value, list) for value in values):
        return [entry for value in values for entry in value]
    return values


# The command


def command_of(name: str, cls: type[RegisteredDocument]) -> Any:
    """The command of an edit or a behaviour, as Click has it. A behaviour has no scope: it goes on all the time."""
    from kinesphere.motion.edit import EditBase
    from kinesphere.motion.scope import Scope

    own, scope = options_of(cls), options_of(Scope) if issubclass(cls, EditBase) else []
    parameters = [_parameter(BEFORE, key) for key in BEFORE]
    parameters += [_option_parameter(option) for option in (*own, *scope)]
    parameters += [_parameter(AFTER, key) for key in AFTER]
    _check_taken(name, own, scope)

    def run(**given: Any) -> None:
        with report_errors():
            added = _make(cls, name, _given(own, given), _given(scope, given))
            before = open_score(given["source"], ReadOptions.of(given), given["character"])
            tell_clip(given["source"], ReadOptions.of(given))
            perform_score(
                _add(before, added),
                before,
                given["out"],
                preview=given["preview"],
                save_score=given["save_score"],
                overwrite=given["overwrite"],
            )

    run.__signature__ = inspect.Signature(sorted(parameters, key=_has_default))  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    prose = (inspect.getdoc(cls) or "").partition("\n\nParameters\n")[0]
    app.command(name=name, help=prose.replace("``", ""))(run)
    return typer.main.get_command(app)


def _parameter(table: Mapping[str, Any], name: str) -> inspect.Parameter:
    hint = table[name]
    kind = get_args(hint)[0]
    default: Any = inspect.Parameter.empty if table is BEFORE else False if kind is bool else None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _has_default(parameter: inspect.Parameter) -> bool:
    return parameter.default is not inspect.Parameter.empty


def _option_parameter(option: EditOption) -> inspect.Parameter:
    from kinesphere.motion.document import choices_of

    setting = option.setting
    metavar = setting.metavar or "|".join(str(choice) for choice in choices_of(option.hint)) or None
    text = _help_text(option)
    default: Any = False if option.is_flag else None
    kind: Any = bool if option.is_flag else _text_type(option)
    info: Any
    if option.is_argument:
        info = typer.Argument(metavar=option.declarations[0], help=text, show_default=False)
    else:
        shown = False if option.is_flag else _shown_default(option.default)
        info = typer.Option(
            *option.declarations, help=text, metavar=None if option.is_flag else metavar, show_default=shown
        )
    annotation = Annotated[kind, info]
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _help_text(option: EditOption) -> str:
    from kinesphere.motion.document import Dial

    setting = option.setting
    text = setting.help or setting.about
    if isinstance(setting, Dial) and setting.low:
        text += f" {setting.range_text}."
    return f"{text} Repeatable." if setting.repeated and not option.is_argument else text


def _text_type(option: EditOption) -> Any:
    """The type that the command line has for an option that takes a text."""
    if option.setting.repeated:
        return list[str] | None
    if option.setting.parse is not None or _is_compound(option.hint):
        return str | None
    known = [kind for kind in (int, float) if kind in _plain_types(option.hint)]
    return (known[0] if known else str) | None


def _plain_types(hint: Any) -> set[Any]:
    if get_origin(hint) is Annotated:
        return _plain_types(get_args(hint)[0])
    return {own for member in get_args(hint) for own in _plain_types(member)} if get_args(hint) else {hint}


def _is_compound(hint: Any) -> bool:
    """Whether a field's values are lists or objects, which no single word of the command line is."""
    origin, members = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _is_compound(members[0])
    if origin in (Union, types.UnionType):
        return all(_is_compound(member) for member in members if member is not type(None))
    return is_dataclass(hint) or (isinstance(origin, type) and issubclass(origin, Sequence | Mapping))


def _parse_list_or_object(hint: Any, text: str) -> Any:
    """A list or an object in JSON; also values, or ``name=value``, with commas between."""
    if text.lstrip().startswith(("[", "{")):
        return json.loads(text)
    pieces = [piece.strip() for piece in text.split(",") if piece.strip()]
    read = float if float in _plain_types(hint) else str
    if not _is_mapping(hint):
        return [read(piece) for piece in pieces]
    pairs = [piece.partition("=") for piece in pieces]
    if not all(equals for _, equals, _ in pairs):
        raise ValueError("name=value is expected, with commas between several")
    return {name.strip(): read(value) for name, _, value in pairs}


def _is_mapping(hint: Any) -> bool:
    origin = get_origin(hint)
    if origin is Annotated:
        return _is_mapping(get_args(hint)[0])
    if origin in (Union, types.UnionType):
        return any(_is_mapping(member) for member in get_args(hint))
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _shown_default(default: Any) -> str | bool:
    if isinstance(default, int | float):
        return f"{default:g}"
    return default if isinstance(default, str) and default else False


def _check_taken(name: str, own: Iterable[EditOption], scope: Iterable[EditOption]) -> None:
    """Refuse an edit whose options are those that every command has."""
    taken = {"--help", "--output", "-o", *BEFORE, *AFTER, *(f"--{key.replace('_', '-')}" for key in AFTER)}
    taken |= {declaration for option in scope for declaration in option.declarations}
    for option in own:
        for declaration in (option.name, *option.declarations):
            if declaration in taken:
                raise ValueError(
                    f"{name}: the option {declaration} of {option.name} is taken; give the field another name or option"
                )
            taken.add(declaration)


def _given(options: Iterable[EditOption], values: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, as fields' values."""
    return {
        option.name: option.parse(values[option.name])
        for option in options
        if values[option.name] is not None and values[option.name] is not False and values[option.name] != []
    }


def _make(cls: type[RegisteredDocument], name: str, own: dict[str, Any], scope: dict[str, Any]) -> Layer | Behaviour:
    """The layer or the behaviour of a command's options."""
    from kinesphere.motion.edit import EditBase

    made: Any
    try:
        made = cls.from_options(**own)
        if made.neutral and not own:
            needed = [option.declarations[0] for option in options_of(cls) if not option.is_flag]
            raise ValueError(f"nothing to do: give {' or '.join(needed)}; kinesphere {name} --help says more")
        return made.over(**scope) if isinstance(made, EditBase) else made
    except TypeError as error:  # of a document: a value of the wrong kind
        raise ValueError(str(error)) from None


def _add(score: Score, added: Layer | Behaviour) -> Score:
    """The score with one more layer or behaviour, which comes last."""
    from kinesphere.motion.edit import Layer

    if isinstance(added, Layer):
        return replace(score, layers=(*score.layers, added))
    return replace(score, behaviours=(*score.behaviours, added))


def open_score(source: Path, options: ReadOptions, character: Path | None) -> Score:
    """The score in a file in JSON, or that of a motion or a gesture alone; read and performed as the options say."""
    from kinesphere.score.document import load_score
    from kinesphere.score.score import Score
    from kinesphere.score.sources import is_motion

    if source.suffix.lower() == ".json":
        score = load_score(source)
    else:
        named = score_source(source)
        known = is_motion(named) or source.suffix.lower() in GESTURES or not source.exists()
        score = Score(named if known else options.load(source))  # a file of another suffix: contents decide
    return replace(
        score,
        reading=options.over(score.reading),
        character=score.character if character is None else score_source(character),
    )
