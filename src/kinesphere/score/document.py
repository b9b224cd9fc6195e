"""Scores as JSON documents: save and load.

A file is read strictly: unknown fields and wrong values are refused with their place, so that a typing error does not
silently become another motion. Nothing in it is executed; files that it names are opened only when it is rendered.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from kinesphere.files.atomic import atomic_write
from kinesphere.laban.effort_parameters import DEFAULT, EffortModel, effort_model
from kinesphere.motion.document import describe_choices
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.gesture import Gesture, Keypoints
from kinesphere.motion.motion import Motion
from kinesphere.score.rows import (
    EXPRESS_FIELDS,
    SIGNAL_EDITS,
    ScoreFields,
    edit_fields,
    edit_row,
    express_row,
    gesture_rows,
    keypoint_rows,
    read_edit,
    read_express,
    read_gesture,
    read_keypoints,
    show_value,
)
from kinesphere.score.score import VERSION, Express, Layer, Score, SignalEdit, is_name
from kinesphere.signals.blend import Blend
from kinesphere.signals.timewarp import Timewarp

KIND = "kinesphere score"
LARGEST = 10_000_000  # bytes
EDITS = ("express", *SIGNAL_EDITS)
LAYER_FIELDS = ("start", "end", "parts", "strength")


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

Rename = Callable[[Path], Path]


def _rename_files(score: Score, rename: Rename) -> Score:
    """The same score with its files renamed; names of built-in motions stay."""
    layers = tuple(replace(layer, edit=_rename_edit(layer.edit, rename)) for layer in score.layers)
    return replace(score, source=_rename_source(score.source, rename), layers=layers)


def _rename_edit(edit: Express | SignalEdit, rename: Rename) -> Any:
    if isinstance(edit, Timewarp) and edit.onto is not None:
        return replace(edit, onto=_rename_source(edit.onto, rename))
    if isinstance(edit, Blend) and edit.others:
        return replace(edit, others=tuple(_rename_source(other, rename) for other in edit.others))
    return edit


def _rename_source(source: Any, rename: Rename) -> Any:
    return source if not isinstance(source, str | Path) or is_name(source) else rename(Path(source))


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
    edit = layer.edit
    row = {"edit": "express"} | express_row(edit) if isinstance(edit, Express) else edit_row(edit)
    for name in ("start", "end", "parts"):
        value = getattr(layer, name)
        if value is not None:
            row[name] = list(value) if name == "parts" else value
    if layer.strength != 1.0:
        row["strength"] = layer.strength
    return row


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
    kind = given.take("edit", (str,), f"one of {', '.join(EDITS)}")
    if kind not in EDITS:
        raise given.fail("edit", show_value(kind), describe_choices(str(kind), EDITS))
    edit: Express | SignalEdit
    if kind == "express":
        given.only("edit", *EXPRESS_FIELDS, *LAYER_FIELDS)
        edit = read_express(given)
    else:
        given.only("edit", *edit_fields(kind), *LAYER_FIELDS)
        edit = read_edit(kind, given)
    start, end, strength = given.number("start", None), given.number("end", None), given.number("strength", 1.0)
    names = given.take("parts", (list,), "a list of parts")
    parts = names if names is None else tuple(names)
    return given.build("", lambda: Layer(edit, start, end, parts, 1.0 if strength is None else strength))
