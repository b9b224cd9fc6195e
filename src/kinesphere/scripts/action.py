"""Actions: an action's file with what a script sets of it, and what it then does on a body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from kinesphere.body.body import Body
from kinesphere.builtin.library import gesture as builtin_gesture
from kinesphere.builtin.library import gestures
from kinesphere.files.gesture_toml import GestureFile, load_gesture
from kinesphere.motion.document import describe_choices, show_value
from kinesphere.motion.edit import is_name
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.gesture import LONGEST, Gesture
from kinesphere.motion.source import Source
from kinesphere.performance.parameters import ExpressionError, Parameter, substitute
from kinesphere.performance.performance_files import PerformanceFile, beside
from kinesphere.performance.property_rows import AskedProperty, read_rows
from kinesphere.scripts.action_file import ActionFile
from kinesphere.scripts.content import ActionContent, action_content

TABLES = ("torso", "head", "eyes", "hips", "both", "left", "right")  # of a gesture
NOWHERE = (0.0, 1.0, 0.5)  # metres: a place that stands for one that a script gives
KEPT = 256  # contents of actions that are kept


@dataclass(frozen=True, eq=False)
class Action:
    """An action with numbers, places and hands in place of its parameters."""

    file: PerformanceFile
    written: ActionFile
    gesture: Gesture | None
    properties: tuple[AskedProperty, ...]
    contents: dict[int, tuple[Body, ActionContent]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its file's name."""
        return self.file.name

    def content(self, body: Body) -> ActionContent:
        """All that it does on a body, by its right hand as it is written."""
        found = self.contents.get(id(body))
        if found is None:
            if len(self.contents) >= KEPT:
                self.contents.clear()
            found = body, action_content(self.written, self.gesture, self.properties, body)
            self.contents[id(body)] = found
        return found[1]


def parameters_of(file: PerformanceFile) -> dict[str, Parameter]:
    """The parameters of an action's file."""
    rows = file.table.get("parameter", {})
    if not isinstance(rows, Mapping):
        raise file.error(("parameter",), show_value(rows), "tables [parameter.NAME]")
    return {name: file.document(Parameter, row, ("parameter", name)) for name, row in rows.items()}


def read_action(file: PerformanceFile, values: Mapping[str, Any] | None = None) -> Action:
    """An action with values of its parameters; those that are left out have their defaults.

    Places are three numbers. One that has no default, and no value, is somewhere before the body: so an action can be
    checked by itself.
    """
    parameters = parameters_of(file)
    given = dict(values or {})
    made = {name: given.get(name, _default(own)) for name, own in parameters.items()}
    made |= {name: int(made[name]) for name, own in parameters.items() if own.kind == "whole"}
    frozen = tuple((name, tuple(own) if isinstance(own, list | tuple) else own) for name, own in made.items())
    return _read_action(file, frozen)


def _default(own: Parameter) -> Any:
    if own.default is not None:
        return own.default
    if own.kind == "place":
        return NOWHERE
    if own.kind == "hand":
        return "right"
    return own.choices[0] if own.kind == "choice" else own.least or 0.0


@lru_cache(maxsize=KEPT)
def _read_action(file: PerformanceFile, values: tuple[tuple[str, Any], ...]) -> Action:
    table = {name: own for name, own in file.table.items() if name != "parameter"}
    numbers = {name: list(own) if isinstance(own, tuple) else own for name, own in values}
    try:
        plain = substitute(table, numbers)
    except ExpressionError as error:
        raise file.error(error.place, f'"{error.found}"', error.expected) from None
    parameters = {"parameter": file.table["parameter"]} if "parameter" in file.table else {}
    written: ActionFile = file.document(ActionFile, plain | parameters)
    return Action(file, written, _gesture(file, written), read_rows(file, numbers, ()))


def _gesture(file: PerformanceFile, written: ActionFile) -> Gesture | None:
    """The gesture that an action does: of a name, a file, or its own tables."""
    if written.gesture:
        return _named_gesture(file, written.gesture)
    if all(name not in file.table for name in TABLES):
        return None
    tables = {name: getattr(written, name) for name in TABLES}
    duration = LONGEST if written.duration is None else written.duration
    try:
        own = GestureFile(duration=duration, **tables)
        return own.gesture(file.name, Source(path=str(file.path), format="action"))
    except ValueError as error:
        raise file.error((), str(error), "tables of a gesture that fit together") from None


def _named_gesture(file: PerformanceFile, name: str) -> Gesture:
    if is_name(name):
        if name not in gestures():
            raise file.error(("gesture",), show_value(name), describe_choices(name, gestures()))
        return builtin_gesture(name)
    path = beside(file, name)
    if path is None or not Path(path).is_file():
        raise file.error(("gesture",), show_value(name), "a gesture of ours by name, or a .toml file beside this one")
    try:
        return load_gesture(path)
    except MotionFileError as error:
        raise file.error(("gesture",), f"a gesture with an error: {error}", "one that can be read") from None
