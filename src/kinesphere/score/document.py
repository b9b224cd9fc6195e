"""Scores as JSON: what a person saves, and what others may have changed.

A file is read strictly: every field is checked, and what is not known is refused by its place, so that a slip of the
pen is not silently another motion. Nothing in it is executed; files that it names are opened only when it is rendered.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kinesphere.files.atomic import replacing
from kinesphere.files.errors import MotionFileError
from kinesphere.laban.dials import EffortDial, Part, ShapeDial
from kinesphere.laban.effort import FACTORS, Effort
from kinesphere.laban.effort_model import DEFAULT, EffortModel, effort_model
from kinesphere.laban.shape import DIMENSIONS, Shape
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.keypoints import Keypoints
from kinesphere.score.fields import Fields, said
from kinesphere.score.gestures import gesture_from, gesture_rows, keypoint_rows, keypoints_from
from kinesphere.score.layers import Express, Layer
from kinesphere.score.score import VERSION, Score

KIND = "kinesphere score"
LARGEST = 10_000_000  # bytes


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
    """Write a score."""
    text = to_json(score)
    with replacing(Path(path)) as file:
        file.write(text.encode())


def load_score(path: str | Path) -> Score:
    """Read a score."""
    file = Path(path)
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise MotionFileError(file, f"what cannot be read ({error.strerror})", "a score in JSON") from None
    except UnicodeDecodeError:
        raise MotionFileError(file, "what is no text in UTF-8", "a score in JSON") from None
    return from_json(text, file)


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


def _source(source: Gesture | Keypoints | str | Path) -> dict[str, Any]:
    if isinstance(source, Keypoints):
        return {"keypoints": keypoint_rows(source)}
    if isinstance(source, Gesture):
        return {"gesture": gesture_rows(source)}
    path = Path(source)
    named = isinstance(source, str) and len(path.parts) <= 1 and not path.suffix
    return {"name": str(source)} if named else {"file": str(source)}


def _layer(layer: Layer) -> dict[str, Any]:
    row: dict[str, Any] = {"edit": "express"}
    edit = layer.edit
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
    for name in ("start", "end", "parts"):
        value = getattr(layer, name)
        if value is not None:
            row[name] = list(value) if name == "parts" else value
    if layer.strength != 1.0:
        row["strength"] = layer.strength
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
    fields.only(
        "edit", "effort", "shape", "words", "intensity", "stillness", "affinities", "of_parts",
        "start", "end", "parts", "strength",
    )  # fmt: skip
    kind = fields.take("edit", (str,), '"express"')
    if kind != "express":
        raise fields.fail("edit", said(kind), '"express"')
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
    edit = fields.made("", lambda: Express(effort, shape, words, intensity, stillness, affinities, own))  # type: ignore[arg-type]
    start, end, strength = fields.number("start", None), fields.number("end", None), fields.number("strength", 1.0)
    only = fields.take("parts", (list,), "a list of parts")
    return fields.made("", lambda: Layer(edit, start, end, only if only is None else tuple(only), strength))  # type: ignore[arg-type]


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
