"""Scripts in TOML: who does what, when and where; read strictly, with the line of everything that is wrong.

kind = "script"

[place]
apple = [-0.35, 1.25, 0.45]

[[action]]
do = "touch"
target = "apple"

[[action]]
do = "look"
to = "apple"
with = "touch.arrives"
wait = -0.4

[[action]]
do = "shrug"
  [[action.property]]
  name = "tempo"
  factor = 1.2

[[edit]]
name = "extent"
amount = 0.5
start = "touch"
end = "touch.arrives"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from kinesphere.motion.document import (
    Flag,
    Setting,
    Text,
    Whole,
    describe_choices,
    document,
    field_names,
    number,
    show_value,
)
from kinesphere.motion.edit import PHRASE_EDITS, Layer
from kinesphere.motion.errors import MotionFileError, unknown_name
from kinesphere.motion.gesture import LONGEST
from kinesphere.motion.scope import Scope
from kinesphere.motion.toml_lines import Place
from kinesphere.motion.toml_text import read_table
from kinesphere.performance.parameters import HANDS, Parameter
from kinesphere.performance.performance_files import PerformanceFile, PerformanceFiles, beside, source_of
from kinesphere.performance.property_rows import MOST_ROWS, SCOPE, AskedProperty, read_row
from kinesphere.performance.sketch import Sketch
from kinesphere.performance.sketch_file import SKETCHES, sketch_content
from kinesphere.scripts.action import Action, parameters_of, read_action
from kinesphere.scripts.action_file import ACTIONS, PLACE
from kinesphere.scripts.action_file import Place as Metres

SCRIPTS = PerformanceFiles("script", "script", Path(__file__).parent)
MOST_ACTIONS = 2000
MOST_REPEATS = 100
# Tracks of a script to the parts of a phrase.
TRACKS: Mapping[str, tuple[str, ...]] = {
    "body": ("left_arm", "right_arm", "torso", "head", "gaze", "hips", "left_leg", "right_leg"),
    "upper_body": ("left_arm", "right_arm", "torso", "head", "gaze"),
    "lower_body": ("hips", "left_leg", "right_leg"),
    "arms": ("left_arm", "right_arm"),
    "left_arm": ("left_arm",),
    "right_arm": ("right_arm",),
    "torso": ("torso",),
    "head": ("head",),
    "gaze": ("gaze",),
    "hips": ("hips",),
    "legs": ("left_leg", "right_leg"),
    "left_leg": ("left_leg",),
    "right_leg": ("right_leg",),
}


@document(frozen=True)
class ActionRow:
    """One action of a script. Fields that are not listed here set its parameters."""

    do: Annotated[Text, Setting("The action: one of ours by name, or a .toml file beside the script.")]
    name: Annotated[Text, Setting("What others call it; else the action's own name.")] = ""
    track: Annotated[
        tuple[Text, ...], Setting("The tracks that it is for, such as arms or head; else all that it moves.")
    ] = ()
    start: Annotated[float | None, number(0.0, LONGEST, "When it starts, in seconds of the script.")] = None
    after: Annotated[
        Text, Setting("It starts when that action ends, or at a sync point of it, such as wave.arrives.")
    ] = ""
    with_: Annotated[Text, Setting("It starts together with that action, or at a sync point of it.")] = ""
    wait: Annotated[float, number(-60.0, LONGEST, "Seconds later than that; below zero earlier.")] = 0.0
    sync: Annotated[Text, Setting("The sync point of this action that comes then; else its start.")] = ""
    duration: Annotated[
        float | None, number(0.05, LONGEST, "Seconds that it takes; else what its file says.", inside="least")
    ] = None
    repeat: Annotated[Whole, number(1, MOST_REPEATS, "How many times.", whole=True)] = 1
    pause: Annotated[float, number(0.0, 60.0, "Seconds between times.")] = 0.0
    transition: Annotated[
        float | None, number(0.0, 5.0, "Seconds in which the body comes from wherever it is; else what its file says.")
    ] = None
    interrupt: Annotated[
        Flag, Setting("Whether it takes its parts over from an action that is not at its end; else that is an error.")
    ] = False
    hand: Annotated[str, Setting("The hand that acts: right, or left for its mirror image.")] = "right"
    property: Annotated[tuple[Any, ...], Setting("Movement properties of this action.")] = ()


@document(frozen=True)
class ScriptFile:
    """A script as a file has it."""

    kind: Annotated[Literal["script"], Setting("The kind of file.")]
    about: Annotated[Text, Setting("What happens, in a sentence.")] = ""
    sketch: Annotated[Text, Setting("Who does it: a sketch by name, or a .toml file beside this one.")] = ""
    place: Annotated[
        Mapping[str, Annotated[Metres, PLACE]], Field(max_length=500), Setting("Places by name, [x, y, z] in metres.")
    ] = field(default_factory=dict)
    action: Annotated[tuple[Any, ...], Setting("Actions, each after the one before unless it says when.")] = ()
    edit: Annotated[tuple[Any, ...], Setting("Edits of the script or a stretch of it, which cover its actions'.")] = ()
    end: Annotated[
        float | None, number(0.05, LONGEST, "Seconds that the script lasts; else until its last action.")
    ] = None


@dataclass(frozen=True, eq=False)
class ScriptAction:
    """An action of a script, as its row has it."""

    row: ActionRow
    action: Action
    name: str
    index: int
    properties: tuple[AskedProperty, ...]
    parts: frozenset[str] | None  # that it is for; None: all
    transition: float


@dataclass(frozen=True, eq=False)
class StretchEdit:
    """An edit of a stretch of a script; ``start`` and ``end`` are seconds, or sync points."""

    asked: AskedProperty | Layer
    start: float | str | None
    end: float | str | None
    index: int


@dataclass(frozen=True, eq=False)
class Script:
    """What is done, when and where; ``scheduling.schedule`` says when each action is."""

    file: PerformanceFile
    about: str
    sketch: Sketch | None
    places: Mapping[str, Metres]
    actions: tuple[ScriptAction, ...]
    edits: tuple[StretchEdit, ...]
    end: float | None

    @property
    def name(self) -> str:
        """Its file's name."""
        return self.file.name

    def __repr__(self) -> str:
        return f"<Script {self.name!r}: {len(self.actions)} actions, {len(self.edits)} edits>"

    def error(self, action: ScriptAction, field_name: str, found: str, expected: str) -> MotionFileError:
        """The error of an action's row, with its line."""
        return self.file.error(("action", action.index, field_name), found, expected)


def load_script(path: str | Path) -> Script:
    """Read a script. What is wrong raises ``MotionFileError`` with its line; all of it: ``script_errors``."""
    return read_script(SCRIPTS.find(Path(path)))


def read_script(file: PerformanceFile) -> Script:
    """The script of a file."""
    for error in _errors(file):
        raise error
    return _read(file)


def script_errors(path: str | Path) -> list[MotionFileError]:
    """Everything that is wrong with a script's rows, in the order of its lines."""
    return sorted(_errors(SCRIPTS.find(Path(path))), key=lambda error: error.line or 0)


def action_as_script(name: str | Path, values: Mapping[str, Any] | None = None, hand: str = "right") -> Script:
    """A script of one action, by name or file, with values of its parameters."""
    file = ACTIONS.find(name)
    parameters, given = parameters_of(file), dict(values or {})
    for key, value in given.items():
        if key not in parameters:
            raise ValueError(f"{file.name}: {unknown_name('parameter', key, parameters)}")
        wrong = parameters[key].refusal(value)
        if wrong:
            raise ValueError(f"{file.name}: {key} is {show_value(value)}; {wrong} is expected")
    action = read_action(file, given)
    own = ScriptAction(ActionRow(do=str(name), hand=hand), action, file.name, 0, (), None, action.written.transition)
    return Script(file, action.written.about, None, {}, (own,), (), None)


def load_performed(path: str | Path) -> Script:
    """The script of a file, or that of an action's file alone."""
    file = Path(path)
    if read_table(file, "a script or an action in TOML").get("kind") == "action":
        return action_as_script(file)
    return load_script(file)


def _errors(file: PerformanceFile) -> Iterator[MotionFileError]:
    """What is wrong with each row, one error a row."""
    try:
        written = _written(file)
    except MotionFileError as error:
        yield error
        return
    if not written.action:
        yield file.error((), "no actions", "tables [[action]], one at least")
    try:
        _sketch(file, written)
    except MotionFileError as error:
        yield error
    names: dict[str, int] = {}
    for i in range(len(written.action)):
        try:
            own = _read_action_row(file, written, i)
        except MotionFileError as error:
            yield error
            continue
        if own.row.name and own.name in names:
            found = f"a name that the action of line {_line(file, names[own.name])} has, {own.name!r}"
            yield file.error(("action", i, "name"), found, "another name")
        names.setdefault(own.name, i)
    for i in range(len(written.edit)):
        try:
            _read_edit(file, written, i)
        except MotionFileError as error:
            yield error


def _line(file: PerformanceFile, index: int) -> int:
    return file.lines.get(("action", index), 0)


def _written(file: PerformanceFile) -> ScriptFile:
    written: ScriptFile = file.document(ScriptFile, file.table)
    for name, rows, most in (("action", written.action, MOST_ACTIONS), ("edit", written.edit, MOST_ROWS)):
        if len(rows) > most:
            raise file.error((name,), f"{len(rows)} of them", f"{most} at most")
    return written


def _read(file: PerformanceFile) -> Script:
    written = _written(file)
    actions = tuple(_read_action_row(file, written, i) for i in range(len(written.action)))
    edits = tuple(_read_edit(file, written, i) for i in range(len(written.edit)))
    return Script(
        file, written.about, _sketch(file, written), dict(written.place), _with_numbers(actions), edits, written.end
    )


def _with_numbers(actions: tuple[ScriptAction, ...]) -> tuple[ScriptAction, ...]:
    """Actions with names of their own: the second wave is wave 2."""
    counts: dict[str, int] = {}
    made = []
    for own in actions:
        counts[own.name] = counts.get(own.name, 0) + 1
        name = own.name if counts[own.name] == 1 else f"{own.name} {counts[own.name]}"
        made.append(ScriptAction(own.row, own.action, name, own.index, own.properties, own.parts, own.transition))
    return tuple(made)


def _sketch(file: PerformanceFile, written: ScriptFile) -> Sketch | None:
    if not written.sketch:
        return None
    name = beside(file, written.sketch) if written.sketch.endswith(".toml") else written.sketch
    try:
        made = Sketch(name or written.sketch)
        sketch_content(made.file)
    except MotionFileError:
        raise
    except ValueError:
        expected = f"{describe_choices(written.sketch, SKETCHES.names)}; or a sketch's .toml file beside the script"
        raise file.error(("sketch",), show_value(written.sketch), expected) from None
    return made


# Rows


def _read_action_row(file: PerformanceFile, written: ScriptFile, i: int) -> ScriptAction:
    row, place = written.action[i], ("action", i)
    if not isinstance(row, Mapping) or not isinstance(row.get("do"), str):
        found = row.get("do") if isinstance(row, Mapping) else row
        raise file.error((*place, "do"), show_value(found), "the name of an action, or a .toml file beside the script")
    action_file = _find_action(file, row["do"], (*place, "do"))
    parameters = parameters_of(action_file)
    fields = {name.rstrip("_"): name for name in field_names(ActionRow)}
    for name in row:
        if name not in fields and name not in parameters:
            expected = describe_choices(str(name), (*parameters, *fields))
            raise file.error((*place, name), f"a field that {action_file.name} has not", expected)
    own: ActionRow = file.document(
        ActionRow, {fields[name]: _listed(name, value) for name, value in row.items() if name in fields}, place
    )
    _check_row(file, own, row, place)
    values = {
        name: _value(file, written, parameter, row[name], (*place, name))
        for name, parameter in parameters.items()
        if name in row
    }
    for name, parameter in parameters.items():
        if name not in row and parameter.default is None and parameter.kind not in ("hand", "choice"):
            raise file.error(place, f"{action_file.name} without {name}", f"{name} = …, {parameter.sentence}")
    action = read_action(action_file, values)
    parts = None
    if own.track:
        parts = frozenset(part for track in own.track for part in TRACKS[track])
    properties = tuple(read_row(file, entry, (*place, "property", j), values) for j, entry in enumerate(own.property))
    transition = action.written.transition if own.transition is None else own.transition
    return ScriptAction(own, action, own.name or action.name, i, properties, parts, transition)


def _listed(name: str, value: Any) -> Any:
    return [value] if name == "track" and isinstance(value, str) else value


def _check_row(file: PerformanceFile, own: ActionRow, row: Mapping[str, Any], place: Place) -> None:
    for i, track in enumerate(own.track):
        if track not in TRACKS:
            raise file.error((*place, "track"), show_value(own.track[i]), describe_choices(track, TRACKS))
    if own.hand not in HANDS:
        raise file.error((*place, "hand"), show_value(own.hand), "right or left")
    given = [name for name in ("start", "after", "with") if name in row]
    if len(given) > 1:
        raise file.error((*place, given[1]), " and ".join(given), "one of start, after and with")
    if own.sync and not given:
        raise file.error((*place, "sync"), "a sync point, but not when it comes", "start, after or with beside it")


def _find_action(file: PerformanceFile, name: str, place: Place) -> PerformanceFile:
    source = beside(file, name) if name.endswith(".toml") else name
    if source is None or not ACTIONS.find_path(source_of(source)).is_file():
        expected = f"{describe_choices(name, ACTIONS.names)}; or an action's .toml file beside the script"
        raise file.error(place, show_value(name), expected)
    return ACTIONS.find(source_of(source))


def _value(file: PerformanceFile, written: ScriptFile, own: Parameter, value: Any, place: Place) -> Any:
    """A parameter's value, places by name in metres."""
    if own.kind == "place" and isinstance(value, str):
        if value not in written.place:
            names = describe_choices(value, written.place) if written.place else "a place of the script, [place]"
            raise file.error(place, show_value(value), f"{names}; or [x, y, z] in metres")
        return written.place[value]
    wrong = own.refusal(value)
    if wrong:
        raise file.error(place, show_value(value), wrong)
    return value


def _read_edit(file: PerformanceFile, written: ScriptFile, i: int) -> StretchEdit:
    row, place = written.edit[i], ("edit", i)
    key = "edit" if isinstance(row, Mapping) and "edit" in row else "name"
    if not isinstance(row, Mapping) or not isinstance(row.get(key), str):
        found = row.get(key) if isinstance(row, Mapping) else row
        raise file.error((*place, key), show_value(found), "name = a property, or edit = an edit of phrases")
    ends = {name: row[name] for name in ("start", "end") if isinstance(row.get(name), str)}
    plain = {name: value for name, value in row.items() if name not in ends}
    asked = _layer(file, plain, place) if key == "edit" else read_row(file, plain, place, {})
    start, end = (ends.get(name, row.get(name)) for name in ("start", "end"))
    return StretchEdit(asked, start, end, i)


def _layer(file: PerformanceFile, row: Mapping[str, Any], place: Place) -> Layer:
    """An edit of phrases that is no property, such as effort or words, with its scope."""
    name = row["edit"]
    if name not in PHRASE_EDITS:
        raise file.error((*place, "edit"), show_value(name), describe_choices(name, PHRASE_EDITS.names()))
    scope = file.document(Scope, {key: row[key] for key in SCOPE if key in row}, place)
    edit = file.document(PHRASE_EDITS[name], {k: v for k, v in row.items() if k not in (*SCOPE, "edit")}, place)
    try:
        edit.check_scope(scope)
    except ValueError as error:
        raise file.error((*place, "parts"), str(error), "parts that it can act on") from None
    return Layer(edit, scope)
