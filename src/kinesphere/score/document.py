"""Scores as JSON documents: save and load.

A file is read strictly: unknown fields and wrong values are refused with their place, so that a typing error does not
silently become another motion. Nothing in it is executed; files that it names are opened only when it is rendered.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from kinesphere.files.atomic import atomic_write
from kinesphere.laban.effort_parameters import DEFAULT, EffortModel, effort_model
from kinesphere.motion.document import describe_choices, fields_to_plain, read_document
from kinesphere.motion.edit import MOTION_EDITS, PHRASE_EDITS, EditBase, Layer, MotionEdit
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.gesture import Gesture, Keypoints
from kinesphere.motion.motion import Motion
from kinesphere.motion.registry import Registry
from kinesphere.motion.scope import Scope
from kinesphere.score.rows import (
    EXPRESS_FIELDS,
    ScoreFields,
    express_row,
    gesture_rows,
    keypoint_rows,
    read_express,
    read_gesture,
    read_keypoints,
    show_value,
)
from kinesphere.score.score import VERSION, Express, Score, check_layer
from kinesphere.score.sources import check_no_motion, is_name, rename_file, rename_files

KIND = "kinesphere score"
LARGEST = 10_000_000  # bytes
LAYER_FIELDS = tuple(field.name for field in fields(Scope))


def to_json(score: Score) -> str:
    """The score as text."""
    return json.dumps(_document(score), indent=2, ensure_ascii=False) + "\n"


def from_json(text: str, path: str | Path = "score") -> Score:
    """The score of a text; ``path`` is what errors call it."""
    file = Path(path)
    if len(text) > LARGEST:
        raise MotionFileError(file, f"more than {LARGEST} characters", "a score in JSON")
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise MotionFileError(file, f"what is no JSON ({error})", "a score in JSON") from None
    return _read_score(ScoreFields(file, data, ""))


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


# Files that a score names: its source, and motions that its edits need


def _rename_files(score: Score, rename: Callable[[Path], Path]) -> Score:
    """The same score with its files renamed; names of built-in motions stay."""
    layers = tuple(Layer(rename_files(layer.edit, rename), layer.scope) for layer in score.layers)
    return replace(score, source=rename_file(score.source, rename), layers=layers)


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


def _document(score: Score) -> dict[str, Any]:
    document: dict[str, Any] = {"kind": KIND, "version": VERSION, "source": _source_row(score.source)}
    if isinstance(score.model, EffortModel):
        document["model"] = {"name": score.model.name, "coefficients": dict(score.model.coefficients)}
    elif score.model != DEFAULT:
        document["model"] = str(score.model)
    if score.lock_times:
        document["lock_times"] = True
    if score.seed is not None:
        document["seed"] = score.seed
    document["layers"] = [_layer_row(layer) for layer in score.layers]
    return document


def _source_row(source: Gesture | Keypoints | Motion | str | Path) -> dict[str, Any]:
    if isinstance(source, Motion):
        raise ValueError(
            f"{source!r} has no place in a document: save it, and give the score its file, "
            'Score("motion.bvh", ...), so that who reads the score finds it'
        )
    if isinstance(source, Keypoints):
        return {"keypoints": keypoint_rows(source)}
    if isinstance(source, Gesture):
        return {"gesture": gesture_rows(source)}
    return {"name" if is_name(source) else "file": str(source)}


def _layer_row(layer: Layer) -> dict[str, Any]:
    """A layer as JSON: the edit's name, its fields and the scope's, without those that have their defaults."""
    edit = layer.edit
    if isinstance(edit, Express):
        row = {"edit": "express"} | express_row(edit)
    else:
        check_no_motion(edit)
        row = {"edit": _registry_of(edit).name_of(type(edit))} | fields_to_plain(edit)
    return row | fields_to_plain(layer.scope)


def _registry_of(edit: EditBase) -> Registry[Any]:
    return MOTION_EDITS if isinstance(edit, MotionEdit) else PHRASE_EDITS


# Reading


def _read_score(given: ScoreFields) -> Score:
    given.only("kind", "version", "source", "model", "lock_times", "seed", "layers", "about")
    kind = given.take("kind", (str,), f'"{KIND}"')
    if kind != KIND:
        raise given.fail("kind", show_value(kind), f'"{KIND}"')
    version = given.take("version", (int,), "a whole number")
    if version != VERSION:
        raise given.fail("version", show_value(version), f"{VERSION}; a newer Kinesphere may have written this")
    given.take("about", (str,), "a text")
    if "source" not in given.data:
        raise given.fail("source", "nothing", "an object with a name, a file, key points or a gesture")
    source = _read_source(given.child("source"))
    rows = given.take("layers", (list,), "a list", [])
    layers = tuple(_read_layer(given.item("layers", i, row)) for i, row in enumerate(rows))
    model = _read_model(given)
    lock_times = given.take("lock_times", (bool,), "true or false", False)
    seed = given.take("seed", (int,), "a whole number")
    return given.build("", lambda: Score(source, layers, model, lock_times, seed))


def _read_model(given: ScoreFields) -> str | EffortModel:
    model = given.take("model", (str, dict), "the name of an Effort model, a file, or its coefficients", DEFAULT)
    if isinstance(model, str):
        return model
    own = given.child("model")
    own.only("name", "coefficients")
    name = own.take("name", (str,), "a text", "custom")
    changed = {key.replace(".", "__"): value for key, value in own.child("coefficients").data.items()}
    base = given.build("model.coefficients", lambda: effort_model(DEFAULT).with_coefficients(**changed))
    return EffortModel(name, base.coefficients)


def _read_source(given: ScoreFields) -> Gesture | Keypoints | str | Path:
    given.only("name", "file", "keypoints", "gesture")
    if len(given.data) != 1:
        raise given.fail("", ", ".join(given.data) or "nothing", "one of name, file, keypoints or gesture")
    name = given.take("name", (str,), "the name of a gesture")
    if name is not None:
        return str(name)
    file = given.take("file", (str,), "the path of a gesture or of key points")
    if file is not None:
        return Path(file)
    if "keypoints" in given.data:
        return read_keypoints(given.child("keypoints"))
    return read_gesture(given.child("gesture"))


def _read_layer(given: ScoreFields) -> Layer:
    name = given.take("edit", (str,), "the name of an edit")
    kind = None if name is None else _find_edit(name)
    known = EXPRESS_FIELDS if name == "express" else _field_names(kind)
    if not known and kind is None:
        names = ("express", *MOTION_EDITS.names(), *PHRASE_EDITS.names())
        expected = f"{describe_choices(str(name), names)} (a plugin's edit needs its plugin, --plugin FILE)"
        raise given.fail("edit", show_value(name), expected)
    given.only("edit", *known, *LAYER_FIELDS)
    own = {key: value for key, value in given.data.items() if key in known}
    edit = read_express(given) if kind is None else read_document(kind, own, given.path, given.where)
    scope = {key: value for key, value in given.data.items() if key in LAYER_FIELDS}
    layer = Layer(edit, read_document(Scope, scope, given.path, given.where))
    given.build("", lambda: check_layer(layer))
    return layer


def _find_edit(name: str) -> type[EditBase] | None:
    """The class of a registered edit; None: there is none of that name."""
    registries: tuple[Registry[Any], ...] = (MOTION_EDITS, PHRASE_EDITS)
    return next((own[name] for own in registries if name in own), None)


def _field_names(kind: Any) -> tuple[str, ...]:
    return () if kind is None else tuple(field.name for field in fields(kind))
