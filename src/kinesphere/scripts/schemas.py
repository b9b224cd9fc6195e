"""JSON Schemas of scripts, actions, sketches and composites, so that an editor completes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from kinesphere.direction.express import Express
from kinesphere.motion.behaviour import BEHAVIOURS
from kinesphere.motion.document import json_schema
from kinesphere.motion.edit import PHRASE_EDITS
from kinesphere.motion.scope import Scope
from kinesphere.performance.composite import COMPOSITES, CompositeFile
from kinesphere.performance.property import MovementProperty
from kinesphere.scripts.action_file import ActionFile
from kinesphere.scripts.script_file import ActionRow, ScriptFile

JsonSchema: TypeAlias = dict[str, Any]
EXPRESSION = {"type": "string", "pattern": r"\$", "description": "A parameter, $name, or arithmetic with parameters."}
KEPT = ("kind", "about", "parameter", "dial")  # of a file, in which nothing stands for a parameter


class _Definitions:
    """Schemas of rows, with the definitions that they need in one place."""

    def __init__(self) -> None:
        self.definitions: JsonSchema = {}

    def of(self, cls: Any) -> JsonSchema:
        """A document's schema, without its definitions."""
        made = json_schema(cls)
        self.definitions |= made.pop("$defs", {})
        return made

    def row(self, cls: Any, key: str, name: str, scoped: bool = True) -> JsonSchema:
        """A row that names an edit or a behaviour, with its fields, and a scope's."""
        made = self.of(cls)
        scope = self.of(Scope)["properties"] if scoped else {}
        named = {key: {"const": name, "description": made.get("description", "").partition("\n")[0]}}
        return {
            "type": "object",
            "properties": named | made["properties"] | scope,
            "required": [key],
            "additionalProperties": False,
        }

    def properties(self) -> list[JsonSchema]:
        """Rows of all movement properties, and of composites by name or file."""
        names = [
            (name, cls)
            for name, cls in PHRASE_EDITS.classes().items()
            if issubclass(cls, MovementProperty) and name != "composite"
        ]
        rows = [self.row(cls, "name", name) for name, cls in sorted(names)]
        composed = {"anyOf": [{"enum": list(COMPOSITES.names)}, {"type": "string", "pattern": r"\.toml$"}]}
        scope = self.of(Scope)["properties"]
        amount = {"amount": {"type": "number", "minimum": 0.0, "maximum": 1.0}}
        return [*rows, {"type": "object", "properties": {"name": composed, **amount, **scope}, "required": ["name"]}]


def action_schema() -> JsonSchema:
    """Of an action's file."""
    own = _Definitions()
    made = own.of(ActionFile)
    made["properties"]["property"]["items"] = {"anyOf": own.properties()}
    made["properties"] = _with_expressions(made["properties"])
    return made | {"$defs": _expressive(own.definitions)}


def script_schema() -> JsonSchema:
    """Of a script's file; an action's parameters are known when the action is."""
    own = _Definitions()
    made, row = own.of(ScriptFile), own.of(ActionRow)
    rows = own.properties()
    fields = {name.rstrip("_"): schema for name, schema in row["properties"].items()}
    fields["track"] = {"anyOf": [fields["track"], {"type": "string"}]}
    fields["property"]["items"] = {"anyOf": rows}
    made["properties"]["action"]["items"] = {"type": "object", "properties": fields, "required": row["required"]}
    others = [
        own.row(cls, "edit", name)
        for name, cls in sorted(PHRASE_EDITS.classes().items())
        if not issubclass(cls, MovementProperty)
    ]
    made["properties"]["edit"]["items"] = {"anyOf": [_with_moments(entry) for entry in (*rows, *others)]}
    return made | {"$defs": own.definitions}


def sketch_schema() -> JsonSchema:
    """Of a sketch's file."""
    own = _Definitions()
    behaviours = [own.row(cls, "name", name, scoped=False) for name, cls in sorted(BEHAVIOURS.classes().items())]
    fields = {
        "kind": {"const": "sketch", "description": "The kind of file."},
        "about": {"type": "string", "description": "Who it is, in a sentence."},
        "express": own.of(Express),
        "property": {"type": "array", "items": {"anyOf": own.properties()}},
        "behaviour": {"type": "array", "items": {"anyOf": behaviours}},
    }
    head = {"type": "object", "description": "A sketch as a file has it.", "required": ["kind", "about"]}
    return head | {"properties": fields, "additionalProperties": False, "$defs": own.definitions}


def composite_schema() -> JsonSchema:
    """Of a composite property's file."""
    own = _Definitions()
    made = own.of(CompositeFile)
    made["properties"]["property"]["items"] = {"anyOf": own.properties()}
    made["properties"] = _with_expressions(made["properties"])
    return made | {"$defs": own.definitions}


def _with_moments(row: JsonSchema) -> JsonSchema:
    """A row of an edit, whose start and end may be sync points."""
    point = {"type": "string", "description": "An action, or a sync point of one, such as wave.arrives."}
    ends = {name: {"anyOf": [row["properties"][name], point]} for name in ("start", "end")}
    return row | {"properties": row["properties"] | ends}


def _expressive(definitions: Mapping[str, Any]) -> JsonSchema:
    """Definitions of tables, whose values may be expressions; a parameter's own is plain."""
    return {
        name: own
        if name.startswith("Parameter")
        else own | {"properties": _with_expressions(own["properties"])}
        if "properties" in own
        else own
        for name, own in definitions.items()
    }


def _with_expressions(fields: Mapping[str, Any]) -> JsonSchema:
    """Fields whose values may be expressions as well."""
    return {name: own if name in KEPT else _or_expression(own) for name, own in fields.items()}


def _or_expression(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    made = dict(schema)
    for key in ("items", "additionalProperties"):
        if isinstance(made.get(key), dict):
            made[key] = _or_expression(made[key])
    if isinstance(made.get("prefixItems"), list):
        made["prefixItems"] = [_or_expression(own) for own in made["prefixItems"]]
    for key in ("anyOf", "oneOf"):
        if isinstance(made.get(key), list):
            made[key] = [_or_expression(own) for own in made[key]]
    if isinstance(made.get("properties"), dict):
        made["properties"] = _with_expressions(made["properties"])
    if made.get("type") in ("number", "integer", "string", "boolean") or "enum" in made or made.get("type") == "array":
        return {"anyOf": [made, EXPRESSION]}
    return made
