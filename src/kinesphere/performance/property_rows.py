"""Rows of movement properties in files: a property's name, where it holds, and its fields.

[[property]]
name = "succession"
offset = "$languor * 0.09"
parts = ["arms"]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import describe_choices, show_value
from kinesphere.motion.edit import PHRASE_EDITS
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import Scope
from kinesphere.motion.toml_lines import Place
from kinesphere.performance.parameters import ExpressionError, substitute
from kinesphere.performance.performance_files import PerformanceFile, beside, source_of
from kinesphere.performance.property import MovementProperty

MOST_ROWS = 200  # of a file
SCOPE = ("start", "end", "parts", "strength", "fade")


@dataclass(frozen=True, eq=False)
class AskedProperty:
    """A property with its scope."""

    edit: MovementProperty
    scope: Scope

    def claims(
        self, phrase: Phrase, strength: float = 1.0, source: str = "edit", composite: str = "", origin: str = ""
    ) -> tuple[Claim, ...]:
        """What it asks of a phrase, at a strength."""
        if self.edit.neutral or strength * self.scope.strength == 0.0:
            return ()
        scope = self.scope if strength == 1.0 else replace(self.scope, strength=strength * self.scope.strength)
        return self.edit.asked(phrase, scope, source, composite, origin)

    def at_pace(self, pace: float) -> AskedProperty:
        """The same where everything comes so many times later."""
        start, end = (None if own is None else pace * own for own in (self.scope.start, self.scope.end))
        return AskedProperty(self.edit.at_times_of(0.0, pace), replace(self.scope, start=start, end=end))


def property_names() -> tuple[str, ...]:
    """Names that a row may have: registered properties, and composite ones."""
    from kinesphere.performance.composite import COMPOSITES

    own = [name for name, cls in PHRASE_EDITS.classes().items() if issubclass(cls, MovementProperty)]
    return tuple(sorted({*own, *COMPOSITES.names} - {"composite"}))


def read_rows(file: PerformanceFile, dials: Mapping[str, Any], inside: tuple[str, ...]) -> tuple[AskedProperty, ...]:
    """The properties of a file's rows, with numbers for its dials; ``inside`` are composites that are being read."""
    rows = file.table.get("property", [])
    if not isinstance(rows, list) or len(rows) > MOST_ROWS:
        found = f"{len(rows)} rows" if isinstance(rows, list) else show_value(rows)
        raise file.error(("property",), found, f"tables [[property]], {MOST_ROWS} at most")
    return tuple(read_row(file, row, ("property", i), dials, inside) for i, row in enumerate(rows))


def read_row(
    file: PerformanceFile, row: Any, place: Place, dials: Mapping[str, Any], inside: tuple[str, ...] = ()
) -> AskedProperty:
    """One row's property."""
    if not isinstance(row, Mapping) or not isinstance(row.get("name"), str):
        found = row.get("name") if isinstance(row, Mapping) else row
        raise file.error((*place, "name"), show_value(found), "the name of a property")
    try:
        values: Mapping[str, Any] = substitute({key: own for key, own in row.items() if key != "name"}, dials)
    except ExpressionError as error:
        raise file.error((*place, *error.place), f'"{error.found}"', error.expected) from None
    scope = file.document(Scope, {key: values[key] for key in SCOPE if key in values}, place)
    own = {key: value for key, value in values.items() if key not in SCOPE}
    edit = _property(file, row["name"], own, place, inside)
    try:
        edit.check_scope(scope)
    except ValueError as error:
        raise file.error((*place, "parts"), str(error), "parts that a humanoid has") from None
    return AskedProperty(edit, scope)


def _property(
    file: PerformanceFile, name: str, fields: Mapping[str, Any], place: Place, inside: tuple[str, ...]
) -> MovementProperty:
    from kinesphere.performance.composite import COMPOSITES

    if name != "composite" and name in PHRASE_EDITS and issubclass(PHRASE_EDITS[name], MovementProperty):
        made: MovementProperty = file.document(PHRASE_EDITS[name], fields, place)
        return made
    source = beside(file, name) if name.endswith(".toml") else name
    if source is None or not (COMPOSITES.find_path(source).is_file()):
        expected = f"{describe_choices(name, property_names())}; or a composite's .toml file beside this one"
        raise file.error((*place, "name"), show_value(name), expected)
    return _composite(file, source, fields, place, inside)


def _composite(
    file: PerformanceFile, source: str, fields: Mapping[str, Any], place: Place, inside: tuple[str, ...]
) -> MovementProperty:
    from kinesphere.performance.composite import COMPOSITES, Composite

    named = COMPOSITES.find(source_of(source))
    key = str(named.path.resolve())
    if key in inside:
        way = " → ".join(Path(own).stem for own in (*inside[inside.index(key) :], key))
        raise file.error((*place, "name"), f"a composite that is made of itself: {way}", "another property")
    row = {name: value for name, value in fields.items() if name == "amount"}
    dials = {name: value for name, value in fields.items() if name != "amount"}
    composite: Composite = file.document(Composite, {"name": source, **row}, place)
    allowed = named.table.get("dial", {})
    for name, value in dials.items():
        if name not in allowed:
            expected = describe_choices(name, (*allowed, "amount", *SCOPE))
            raise file.error((*place, name), f"a dial that {named.name} has not", expected)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise file.error((*place, name), show_value(value), "a number")
    made = replace(composite, dials=dials)
    try:
        made.rows(inside)
    except MotionFileError:
        raise
    except ValueError as error:
        raise file.error(place, str(error), "values that are allowed") from None
    return made
