"""Scores as JSON: what a person saves, and what others may have changed.

A file is read strictly: every field is checked, and what is not known is refused by its place, so that a slip of the
pen is not silently another motion. Nothing in it is executed; files that it names are opened only when it is rendered.
"""

from __future__ import annotations

import json
import os
from functools import partial
from pathlib import Path
from typing import Any

from kinesphere.figure.fields import one_of
from kinesphere.files.atomic import replacing
from kinesphere.files.errors import MotionFileError
from kinesphere.laban.effort_model import DEFAULT, EffortModel, effort_model
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.keypoints import Keypoints
from kinesphere.motion.motion import Motion
from kinesphere.score.edit_rows import NAMES, edit_fields, edit_from, edit_row
from kinesphere.score.express_rows import EXPRESS, express_from, express_row
from kinesphere.score.fields import Fields, said
from kinesphere.score.gestures import gesture_from, gesture_rows, keypoint_rows, keypoints_from
from kinesphere.score.layers import Express, Layer, SignalEdit
from kinesphere.score.naming import with_files
from kinesphere.score.score import VERSION, Score

KIND = "kinesphere score"
LARGEST = 10_000_000  # bytes
EDITS = ("express", *NAMES)
PLACED = ("start", "end", "parts", "strength")


def to_json(score: Score) -> str:
    """The score as text."""
    return json.dumps(_document(score), indent=2, ensure_ascii=False) + "\n"


def from_json(text: str, path: str | Path = "score") -> Score:
    """The score of a text; ``path`` is what errors call it."""
    file = Path(path)
    if len(text) > LARGEST:
        raise MotionFileError(file, f"more than {LARGEST} characters", "a score in JSON")
    try:
        data = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise MotionFileError(file, f"what is no JSON ({error})", "a score in JSON") from None
    return _score(Fields(file, data, ""))


def save_score(score: Score, path: str | Path) -> None:
    """Write a score. Files that it names are written as seen from its own folder, so that both may be moved."""
    text = to_json(with_files(score, partial(_from, Path(path).absolute().parent)))
    with replacing(Path(path)) as file:
        file.write(text.encode())


def load_score(path: str | Path) -> Score:
    """Read a score. Files that it names are looked for from its own folder."""
    file = Path(path)
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise MotionFileError(file, f"what cannot be read ({error.strerror})", "a score in JSON") from None
    except UnicodeDecodeError:
        raise MotionFileError(file, "what is no text in UTF-8", "a score in JSON") from None
    return with_files(from_json(text, file), partial(_in, file.parent))


def _from(folder: Path, file: Path) -> Path:
    """A file that is named from here, as it is named from a folder."""
    if file.is_absolute():
        return file.relative_to(folder) if file.is_relative_to(folder) else file
    return Path(os.path.relpath(file.absolute(), folder))


def _in(folder: Path, file: Path) -> Path:
    """A file that is named from a folder, as it is named from here; one that is only here is meant, too."""
    found = folder / file
    return file if file.is_absolute() or (file.exists() and not found.exists()) else found


def _document(score: Score) -> dict[str, Any]:
    document: dict[str, Any] = {"kind": KIND, "version": VERSION, "source": _source(score.source)}
    if isinstance(score.model, EffortModel):
        document["model"] = {"name": score.model.name, "coefficients": dict(score.model.coefficients)}
    elif score.model != DEFAULT:
        document["model"] = str(score.model)
    if score.lock_times:
        document["lock_times"] = True
    if score.seed is not None:
        document["seed"] = score.seed
    document["layers"] = [_layer(layer) for layer in score.layers]
    return document


def _source(source: Gesture | Keypoints | Motion | str | Path) -> dict[str, Any]:
    if isinstance(source, Motion):
        raise ValueError(
            f"{source!r} has no place in a document: save it, and give the score its file, "
            'Score("motion.bvh", ...), so that who reads the score finds it'
        )
    if isinstance(source, Keypoints):
        return {"keypoints": keypoint_rows(source)}
    if isinstance(source, Gesture):
        return {"gesture": gesture_rows(source)}
    path = Path(source)
    named = isinstance(source, str) and len(path.parts) <= 1 and not path.suffix
    return {"name": str(source)} if named else {"file": str(source)}


def _layer(layer: Layer) -> dict[str, Any]:
    edit = layer.edit
    row = {"edit": "express"} | express_row(edit) if isinstance(edit, Express) else edit_row(edit)
    for name in ("start", "end", "parts"):
        value = getattr(layer, name)
        if value is not None:
            row[name] = list(value) if name == "parts" else value
    if layer.strength != 1.0:
        row["strength"] = layer.strength
    return row


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _score(fields: Fields) -> Score:
    fields.only("kind", "version", "source", "model", "lock_times", "seed", "layers", "about")
    kind = fields.take("kind", (str,), f'"{KIND}"')
    if kind != KIND:
        raise fields.fail("kind", said(kind), f'"{KIND}"')
    version = fields.take("version", (int,), "a whole number")
    if version != VERSION:
        raise fields.fail("version", said(version), f"{VERSION}; a newer Kinesphere may have written this")
    fields.take("about", (str,), "a text")
    if "source" not in fields.data:
        raise fields.fail("source", "nothing", "an object with a name, a file, key points or a gesture")
    source = _read_source(Fields(fields.path, fields.data["source"], "source"))
    rows = fields.take("layers", (list,), "a list", [])
    layers = tuple(_read_layer(Fields(fields.path, row, f"layers[{i}]")) for i, row in enumerate(rows))
    model = _read_model(fields)
    locked = fields.take("lock_times", (bool,), "true or false", False)
    seed = fields.take("seed", (int,), "a whole number")
    return fields.made("", lambda: Score(source, layers, model, locked, seed))


def _read_model(fields: Fields) -> str | EffortModel:
    model = fields.take("model", (str, dict), "the name of an Effort model, a file, or its coefficients", DEFAULT)
    if isinstance(model, str):
        return model
    own = Fields(fields.path, model, "model")
    own.only("name", "coefficients")
    name = own.take("name", (str,), "a text", "custom")
    given = Fields(fields.path, own.data.get("coefficients"), "model.coefficients")
    changed = {key.replace(".", "__"): value for key, value in given.data.items()}
    base = fields.made("model.coefficients", lambda: effort_model(DEFAULT).with_coefficients(**changed))
    return EffortModel(name, base.coefficients)


def _read_source(fields: Fields) -> Gesture | Keypoints | str | Path:
    fields.only("name", "file", "keypoints", "gesture")
    if len(fields.data) != 1:
        raise fields.fail("", ", ".join(fields.data) or "nothing", "one of name, file, keypoints or gesture")
    name = fields.take("name", (str,), "the name of a gesture")
    if name is not None:
        return str(name)
    file = fields.take("file", (str,), "the path of a gesture or of key points")
    if file is not None:
        return Path(file)
    if "keypoints" in fields.data:
        return keypoints_from(fields.child("keypoints"))
    return gesture_from(fields.child("gesture"))


def _read_layer(fields: Fields) -> Layer:
    kind = fields.take("edit", (str,), f"one of {', '.join(EDITS)}")
    if kind not in EDITS:
        raise fields.fail("edit", said(kind), one_of(str(kind), EDITS))
    edit: Express | SignalEdit
    if kind == "express":
        fields.only("edit", *EXPRESS, *PLACED)
        edit = express_from(fields)
    else:
        fields.only("edit", *edit_fields(kind), *PLACED)
        edit = edit_from(kind, fields)
    start, end, strength = fields.number("start", None), fields.number("end", None), fields.number("strength", 1.0)
    only = fields.take("parts", (list,), "a list of parts")
    parts = only if only is None else tuple(only)
    return fields.made("", lambda: Layer(edit, start, end, parts, 1.0 if strength is None else strength))
