"""Express in a document: Effort and Shape by dial or by word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kinesphere.laban.dials import EffortDial, Part, ShapeDial
from kinesphere.laban.effort import FACTORS, Effort
from kinesphere.laban.shape import DIMENSIONS, Shape
from kinesphere.score.fields import Fields
from kinesphere.score.layers import Express

EXPRESS = ("effort", "shape", "words", "intensity", "stillness", "affinities", "of_parts")


def express_row(edit: Express) -> dict[str, Any]:
    """What it says, as plain data."""
    row: dict[str, Any] = {}
    if not _neutral(edit.effort):
        row["effort"] = _dial(edit.effort)
    if not _neutral(edit.shape):
        row["shape"] = _dial(edit.shape)
    if edit.words:
        row["words"] = dict(edit.words)
    for name, rest in (("intensity", 1.0), ("stillness", 0.0), ("affinities", False)):
        if getattr(edit, name) != rest:
            row[name] = getattr(edit, name)
    if edit.parts:
        row["of_parts"] = {
            name: {
                key: _dial(dial) for key, dial in (("effort", part.effort), ("shape", part.shape)) if dial is not None
            }
            for name, part in edit.parts.items()
        }
    return row


def _neutral(dial: EffortDial | ShapeDial) -> bool:
    return isinstance(dial, Effort | Shape) and dial.is_neutral


def _dial(dial: EffortDial | ShapeDial) -> Any:
    if isinstance(dial, Mapping):
        return [{"at": float(moment)} | _dial(dial[moment]) for moment in sorted(dial)]
    names = FACTORS if isinstance(dial, Effort) else DIMENSIONS
    row: dict[str, Any] = {name: getattr(dial, name) for name in names if getattr(dial, name) != 0.0}
    if isinstance(dial, Effort) and dial.by_hand:
        row["by_hand"] = dict(dial.by_hand)
    return row


def express_from(fields: Fields) -> Express:
    """What plain data says."""
    words = fields.take("words", (dict,), 'words with their strengths, {"gently": 1.0}', {})
    parts = Fields(fields.path, fields.data.get("of_parts", {}), fields.place("of_parts"))
    own = {}
    for name in parts.data:
        part = Fields(fields.path, parts.data[name], parts.place(name))
        part.only("effort", "shape")
        effort = _read_dial(part, "effort", Effort) if "effort" in part.data else None
        shape = _read_dial(part, "shape", Shape) if "shape" in part.data else None
        own[name] = Part(effort, shape)
    effort, shape = _read_dial(fields, "effort", Effort), _read_dial(fields, "shape", Shape)
    intensity, stillness = fields.number("intensity", 1.0), fields.number("stillness", 0.0)
    affinities = fields.take("affinities", (bool,), "true or false", False)
    return fields.made("", lambda: Express(effort, shape, words, intensity, stillness, affinities, own))  # type: ignore[arg-type]


def _read_dial(fields: Fields, name: str, kind: type[Any]) -> Any:
    value = fields.take(name, (dict, list), f"{kind.__name__}'s factors, or a list of them with their moments", {})
    if isinstance(value, dict):
        return _read_factors(Fields(fields.path, value, fields.place(name)), kind)
    phrase: dict[float, Any] = {}
    for i, row in enumerate(value):
        own = Fields(fields.path, row, f"{fields.place(name)}[{i}]")
        at = own.number("at", None)
        if at is None or at in phrase:
            raise own.fail("at", "nothing" if at is None else f"{at:g} again", "its own moment in seconds")
        rest = {key: v for key, v in row.items() if key != "at"}
        phrase[at] = _read_factors(Fields(fields.path, rest, own.where), kind)
    if not phrase:
        raise fields.fail(name, "an empty list", "one moment at least")
    return phrase


def _read_factors(fields: Fields, kind: type[Any]) -> Any:
    names = tuple(FACTORS if kind is Effort else DIMENSIONS)
    fields.only(*names, *(("by_hand",) if kind is Effort else ()))
    given: dict[str, Any] = {name: fields.number(name, 0.0) for name in names}
    if kind is Effort and "by_hand" in fields.data:
        own = Fields(fields.path, fields.data["by_hand"], fields.place("by_hand"))
        given["by_hand"] = {name: own.number(name, 0.0) for name in own.data}
    return fields.made("", lambda: kind(**given))
