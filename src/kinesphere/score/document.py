"""Scores as JSON documents: save and load, and their JSON Schema.

A file is read strictly: unknown fields and wrong values are refused with their place, so that a typing error does not
silently become another motion. Nothing in it is executed; files that it names are opened only when it is rendered.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from kinesphere.files.atomic import atomic_write
from kinesphere.motion.behaviour import BEHAVIOURS, Behaviour, Scene
from kinesphere.motion.character import Character
from kinesphere.motion.document import (
    describe_choices,
    field_names,
    json_schema,
    read_document,
    show_value,
    to_plain,
)
from kinesphere.motion.edit import MOTION_EDITS, PHRASE_EDITS, EditBase, Layer, MotionEdit, is_name
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.gait import Gait
from kinesphere.motion.gesture import Gesture, Keypoints
from kinesphere.motion.motion import Motion
from kinesphere.motion.registry import Registry
from kinesphere.motion.scope import Scope
from kinesphere.score.score import MOST_SEED, VERSION, Score, check_layer
from kinesphere.score.sources import Reading, Source, check_no_motion, rename_file, rename_files
from kinesphere.score.version1 import upgrade
from kinesphere.scripts.script_file import Script

KIND = "kinesphere score"
SOURCES: Mapping[str, type[Any]] = {"keypoints": Keypoints, "gesture": Gesture, "walk": Gait}  # written out in a score
LARGEST = 10_000_000  # bytes
FIELDS = ("kind", "version", "about", "source", "character", "scene", "layers", "behaviours", "seed", "rate")


def to_json(score: Score) -> str:
    """The score as text."""
    return json.dumps(score_to_plain(score), indent=2, ensure_ascii=False) + "\n"


def from_json(text: str, path: str | Path = "score") -> Score:
    """The score of a text; ``path`` is what errors call it."""
    file = Path(path)
    if len(text) > LARGEST:
        raise MotionFileError(file, f"more than {LARGEST} characters", "a score in JSON")
    try:
        data = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_refuse_twice)
    except (ValueError, RecursionError) as error:
        raise MotionFileError(file, f"what is no JSON ({error})", "a score in JSON") from None
    return read_score(data, file)


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"the field {next(name for name in names if names.count(name) > 1)!r} is given twice")
    return dict(pairs)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def save_score(score: Score, path: str | Path) -> None:
    """Write a score. Files that it names are written relative to its folder, so that both can be moved together."""
    text = to_json(_rename_files(score, partial(_relative_to, Path(path).absolute().parent)))
    with atomic_write(Path(path)) as file:
        file.write(text.encode())


def load_score(path: str | Path) -> Score:
    """Read a score. Files that it names are looked for in its folder."""
    file = Path(path)
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise MotionFileError(file, f"what cannot be read ({error.strerror})", "a score in JSON") from None
    except UnicodeDecodeError:
        raise MotionFileError(file, "what is no text in UTF-8", "a score in JSON") from None
    return _rename_files(from_json(text, file), partial(_find_in, file.parent))


# Files that a score names: its source, its character, and motions that its edits need


def _rename_files(score: Score, rename: Callable[[Path], Path]) -> Score:
    """The same score with its files renamed; names of built-in motions stay."""
    layers = tuple(Layer(rename_files(layer.edit, rename), layer.scope) for layer in score.layers)
    source, character = (rename_file(own, rename) for own in (score.source, score.character))
    mapping = None if score.reading.mapping is None else str(rename(Path(score.reading.mapping)))
    reading = replace(score.reading, mapping=mapping)
    return replace(score, source=source, character=character, layers=layers, reading=reading)


def _relative_to(folder: Path, file: Path) -> Path:
    """A path from the working directory as a path from ``folder``; absolute paths outside of it stay."""
    if file.is_absolute():
        return file.relative_to(folder) if file.is_relative_to(folder) else file
    return Path(os.path.relpath(file.absolute(), folder))


def _find_in(folder: Path, file: Path) -> Path:
    """A path from ``folder`` as a path from the working directory, unless the file exists only in the latter."""
    found = folder / file
    return file if file.is_absolute() or (file.exists() and not found.exists()) else found


# Writing


def score_to_plain(score: Score) -> dict[str, Any]:
    """The score as JSON has it, without fields that have their default."""
    document: dict[str, Any] = {"kind": KIND, "version": VERSION, "source": _source_row(score.source, score.reading)}
    if score.character is not None:
        if isinstance(score.character, Character):
            raise ValueError(
                f"{score.character.name!r} has no place in a document: give the score the character's name or file"
            )
        document["character"] = str(score.character)
    if score.seed is not None:
        document["seed"] = score.seed
    if score.rate is not None:
        document["rate"] = score.rate
    document["layers"] = [_layer_row(layer) for layer in score.layers]
    if score.behaviours:
        document["behaviours"] = [
            {"behaviour": BEHAVIOURS.name_of(type(own))} | to_plain(own) for own in score.behaviours
        ]
    return document


def _source_row(source: Source, reading: Reading) -> dict[str, Any]:
    if isinstance(source, Motion):
        raise ValueError(
            f"{source} has no place in a document: save it, and give the score its file, "
            'Score("motion.bvh", ...), so that who reads the score finds it'
        )
    if isinstance(source, Script):
        raise ValueError(
            f"{source} has no place in a document: give the score its file, Score({str(source.file.path)!r})"
        )
    if isinstance(source, Gesture | Gait | Keypoints):
        row: dict[str, Any] = {next(name for name, own in SOURCES.items() if isinstance(source, own)): to_plain(source)}
    else:
        row = {"name" if is_name(source) else "file": str(source)}
    return {**row, **to_plain(reading)}


def _layer_row(layer: Layer) -> dict[str, Any]:
    """A layer as JSON: the edit's name, its fields and the scope's."""
    check_no_motion(layer.edit)
    registry: Registry[Any] = MOTION_EDITS if isinstance(layer.edit, MotionEdit) else PHRASE_EDITS
    return {"edit": registry.name_of(type(layer.edit)), **to_plain(layer.edit), **to_plain(layer.scope)}


# Reading


def read_score(data: Any, path: Path) -> Score:
    """A score from plain data of JSON; errors call its file ``path``."""
    if not isinstance(data, Mapping):
        raise MotionFileError(path, show_value(data), "an object with named fields", where="the document")
    if data.get("kind") != KIND:
        raise MotionFileError(path, show_value(data.get("kind")), f'"{KIND}"', where="kind")
    version = data.get("version")
    if version == 1:
        data = upgrade(data, path)
    elif version != VERSION or isinstance(version, bool):
        newer = isinstance(version, int) and version > VERSION
        hint = "; a newer Kinesphere wrote this, and reads it" if newer else ""
        raise MotionFileError(path, show_value(version), f"1 or {VERSION}{hint}", where="version")
    _refuse_unknown(data, FIELDS, path, "")
    if not isinstance(data.get("about", ""), str):
        raise MotionFileError(path, show_value(data["about"]), "a text", where="about")
    if "source" not in data:
        raise MotionFileError(
            path, "nothing", "an object with a name, a file, key points, a gesture or a walk", where="source"
        )
    source, reading = _read_source(data["source"], path)
    character = data.get("character")
    if character is not None and not isinstance(character, str):
        raise MotionFileError(path, show_value(character), "a character's name or file", where="character")
    layers = [_read_layer(row, source, path, f"layers[{i}]") for i, row in enumerate(_rows(data, "layers", path))]
    behaviours = [
        _read_behaviour(row, path, f"behaviours[{i}]") for i, row in enumerate(_rows(data, "behaviours", path))
    ]
    scene = read_document(Scene, data.get("scene", {}), path, "scene")
    seed = data.get("seed")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MOST_SEED):
        raise MotionFileError(path, show_value(seed), "a whole number from 0", where="seed")
    rate = data.get("rate")
    if rate is not None and (isinstance(rate, bool) or not isinstance(rate, int | float) or not 1e-3 <= rate <= 1e6):
        raise MotionFileError(path, show_value(rate), "frames a second, a number above 0", where="rate")
    try:
        return Score(source, tuple(layers), character, tuple(behaviours), scene, seed, reading, rate)
    except (ValueError, TypeError) as error:
        raise MotionFileError(path, str(error), "values that are allowed", where="the document") from None


def _rows(data: Mapping[str, Any], name: str, path: Path) -> list[Any]:
    rows = data.get(name, [])
    if not isinstance(rows, list):
        raise MotionFileError(path, show_value(rows), "a list", where=name)
    return rows


def _refuse_unknown(row: Mapping[str, Any], known: tuple[str, ...], path: Path, where: str) -> None:
    for name in row:
        if name not in known:
            place = f"{where}.{name}" if where else str(name)
            raise MotionFileError(path, "a field that nobody knows", describe_choices(str(name), known), where=place)


def _read_source(row: Any, path: Path) -> tuple[Source, Reading]:
    if not isinstance(row, Mapping):
        raise MotionFileError(path, show_value(row), "an object with named fields", where="source")
    kinds = ("name", "file", *SOURCES)
    options = field_names(Reading)
    _refuse_unknown(row, (*kinds, *options), path, "source")
    given = [name for name in kinds if name in row]
    if len(given) != 1:
        found = ", ".join(given) or "nothing"
        raise MotionFileError(path, found, f"one of {', '.join(kinds)}", where="source")
    (kind,) = given
    reading = read_document(Reading, {name: row[name] for name in options if name in row}, path, "source")
    if kind in ("name", "file"):
        if not isinstance(row[kind], str):
            raise MotionFileError(path, show_value(row[kind]), "a text", where=f"source.{kind}")
        return (row[kind] if kind == "name" else Path(row[kind])), reading
    return read_document(SOURCES[kind], row[kind], path, f"source.{kind}"), reading


def _read_layer(row: Any, source: Source, path: Path, where: str) -> Layer:
    registries: tuple[Registry[Any], ...] = (MOTION_EDITS, PHRASE_EDITS)
    cls, own = _read_registered("edit", row, path, where, registries)
    scope_names = field_names(Scope)
    scope = read_document(Scope, {name: own[name] for name in scope_names if name in own}, path, where)
    edit = read_document(cls, {name: value for name, value in own.items() if name not in scope_names}, path, where)
    layer = Layer(edit, scope)
    try:
        check_layer(layer)
    except ValueError as error:
        raise MotionFileError(path, str(error), "values that are allowed", where=where) from None
    return layer


def _read_behaviour(row: Any, path: Path, where: str) -> Behaviour:
    cls, own = _read_registered("behaviour", row, path, where, (BEHAVIOURS,))
    made: Behaviour = read_document(cls, own, path, where)
    return made


def _read_registered(
    key: str, row: Any, path: Path, where: str, registries: tuple[Registry[Any], ...]
) -> tuple[type[Any], dict[str, Any]]:
    """The class that a row names by ``key``, and the row's other fields."""
    if not isinstance(row, Mapping):
        raise MotionFileError(path, show_value(row), "an object with named fields", where=where)
    name = row.get(key)
    registry = next((own for own in registries if isinstance(name, str) and name in own), None)
    if registry is None:
        names = sorted(known for own in registries for known in own.names())
        expected = f"{describe_choices(str(name), names)} (a plugin's needs its plugin, --plugin FILE)"
        raise MotionFileError(path, show_value(name), expected, where=f"{where}.{key}")
    cls = registry[str(name)]
    known = (key, *field_names(cls), *(field_names(Scope) if issubclass(cls, EditBase) else ()))
    _refuse_unknown(row, known, path, where)
    return cls, {name: value for name, value in row.items() if name != key}


# The JSON Schema


def score_schema() -> dict[str, Any]:
    """The JSON Schema of scores: every registered edit and behaviour, those of plugins too."""
    definitions: dict[str, Any] = {}

    def define(cls: Any, **more: Any) -> dict[str, Any]:
        made = json_schema(cls)
        definitions.update(made.pop("$defs", {}))
        return made | {"properties": {**more, **made.get("properties", {})}, "required": [*more]}

    scope = json_schema(Scope)["properties"]
    reading = json_schema(Reading)["properties"]
    edits = [
        define(cls, edit={"const": name, "description": "Which edit this is."})
        for registry in (PHRASE_EDITS, MOTION_EDITS)
        for name, cls in registry.classes().items()
    ]
    for edit in edits:
        edit["properties"] |= scope
    behaviours = [
        define(cls, behaviour={"const": name, "description": "Which behaviour this is."})
        for name, cls in BEHAVIOURS.classes().items()
    ]
    sources = {
        "name": {"type": "string", "description": "The name of a built-in motion."},
        "file": {
            "type": "string",
            "description": "A gesture, a walk, a script, key points or a motion, from the score's folder.",
        },
    } | {name: define(cls) for name, cls in SOURCES.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Kinesphere score",
        "description": "A performance: what is performed, by whom, with which edits and behaviours.",
        "type": "object",
        "required": ["kind", "version", "source"],
        "additionalProperties": False,
        "properties": {
            "kind": {"const": KIND, "description": "What file this is."},
            "version": {"const": VERSION, "description": "The version of the format."},
            "about": {"type": "string", "description": "What this is, in words."},
            "source": {
                "description": "What is performed, and how its file is read.",
                "type": "object",
                "properties": sources | reading,
                "additionalProperties": False,
                "oneOf": [{"required": [name]} for name in sources],
            },
            "character": {"type": "string", "description": "Who performs it: figure, mo, or a character's file."},
            "scene": define(Scene),
            "layers": {
                "description": "Edits with their scopes, in the source's own time.",
                "type": "array",
                "items": {"oneOf": edits},
            },
            "behaviours": {
                "description": "What goes on by itself on top.",
                "type": "array",
                "items": {"oneOf": behaviours},
            },
            "seed": {"type": "integer", "minimum": 0, "description": "Which individual performs it."},
            "rate": {"type": "number", "exclusiveMinimum": 0, "description": "Frames a second of the result."},
        },
        "$defs": definitions,
    }
