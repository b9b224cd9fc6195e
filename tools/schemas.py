"""JSON Schemas of our file formats, for editors: ``python tools/schemas.py`` writes docs/schema/ from the documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kinesphere.direction.words import WordsFile
from kinesphere.files.gait_toml import GaitFile
from kinesphere.files.gesture_toml import GestureFile
from kinesphere.laban.effort_parameters import effort_model_file
from kinesphere.motion.document import json_schema
from kinesphere.score.document import score_schema
from kinesphere.scripts.schemas import action_schema, composite_schema, script_schema, sketch_schema

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "schema"
# A file's name to the document it describes.
TOML: Mapping[str, Callable[[], Any]] = {
    "gesture": lambda: GestureFile,
    "walk": lambda: GaitFile,
    "words": lambda: WordsFile,
    "effort-model": effort_model_file,
}
JSON: Mapping[str, Callable[[], Any]] = {  # a file's name to its schema
    "score": score_schema,
    "action": action_schema,
    "script": script_schema,
    "sketch": sketch_schema,
    "composite": composite_schema,
}
SCHEMAS = (*TOML, *JSON)
NAMED = ("properties", "$defs")  # of a schema: schemas by names of ours


def schema_text(name: str) -> str:
    """The JSON Schema of a format, as its file has it."""
    made = JSON[name]() if name in JSON else json_schema(TOML[name]())
    if "like" in made["properties"] and "required" in made:  # what a file does not give, the one it is like has
        made["anyOf"] = [{"required": ["like"]}, {"required": made.pop("required")}]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"{name}.schema.json"}
    return json.dumps(head | _plain(made, nulls=name == "score"), indent=1, ensure_ascii=False) + "\n"


def _plain(schema: Any, nulls: bool) -> Any:
    """The schema without defaults of tables, with docstrings in one line, and without nulls, which TOML has none of."""
    if isinstance(schema, list):
        return [_plain(entry, nulls) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    options = schema.get("anyOf")
    if not nulls and isinstance(options, list) and {"type": "null"} in options and len(options) == 2:
        own = next(option for option in options if option != {"type": "null"})
        schema = own | {name: value for name, value in schema.items() if name != "anyOf"}
    made = {
        name: _plain_fields(value, nulls) if name in NAMED else _plain(value, nulls) for name, value in schema.items()
    }
    if isinstance(made.get("default"), dict | list) or ("default" in made and made["default"] is None):
        del made["default"]
    if isinstance(made.get("description"), str):
        made["description"] = " ".join(made["description"].split())
    return made


def _plain_fields(fields: Any, nulls: bool) -> Any:
    """The schemas of fields or definitions by name, whatever these are called."""
    return {name: _plain(value, nulls) for name, value in fields.items()} if isinstance(fields, dict) else fields


def main() -> None:
    """Write all schemas."""
    FOLDER.mkdir(exist_ok=True)
    for name in SCHEMAS:
        (FOLDER / f"{name}.schema.json").write_text(schema_text(name), encoding="utf-8")
        print(FOLDER / f"{name}.schema.json")


if __name__ == "__main__":
    main()
