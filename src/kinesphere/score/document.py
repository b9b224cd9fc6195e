"""Objects of a document in JSON, checked field by field, each with the place that errors name."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from kinesphere.files.atomic import atomic_write
from kinesphere.files.schema import describe_choices
from kinesphere.laban.dials import EffortDial, Part, ShapeDial
from kinesphere.laban.effort import FACTORS, Effort
from kinesphere.laban.effort_parameters import DEFAULT, EffortModel, effort_model
from kinesphere.laban.shape import DIMENSIONS, Shape
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.gesture import Gesture, Keypoint, Keypoints, Palm, Space, Step, Stop, Track
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.score.layers import Express, Layer, SignalEdit
from kinesphere.score.score import VERSION, Score
from kinesphere.signals.blend import Blend
from kinesphere.signals.displace import Displace
from kinesphere.signals.equalize import Equalize
from kinesphere.signals.smooth import Smooth
from kinesphere.signals.timewarp import Timewarp
from kinesphere.signals.waveshape import Shaping, Waveshape

Value = TypeVar("Value")


class ScoreFields:
    """One object of the document, with the place that errors name."""

    def __init__(self, path: Path, data: Any, where: str) -> None:
        self.path, self.where = path, where
        if not isinstance(data, dict):
            raise self.fail("", show_value(data), "an object")
        self.data = data

    def fail(self, name: str, found: str, expected: str) -> MotionFileError:
        """The error for a field, to be raised."""
        return MotionFileError(self.path, found, expected, where=self.place(name) or "the document")

    def place(self, name: str) -> str:
        """Where a field is."""
        return f"{self.where}.{name}" if self.where and name else self.where or name

    def child(self, name: str, rest: Any = None) -> ScoreFields:
        """The object in a field."""
        return ScoreFields(self.path, self.data.get(name, rest), self.place(name))

    def only(self, *names: str) -> None:
        """Refuse fields that nobody knows."""
        for name in self.data:
            if name not in names:
                raise self.fail(str(name), "a field that nobody knows", describe_choices(str(name), names))

    def take(self, name: str, kinds: tuple[type, ...], expected: str, rest: Any = None) -> Any:
        """A field of one of these kinds, or what stands for it where there is none."""
        if name not in self.data:
            return rest
        value = self.data[name]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise self.fail(name, show_value(value), expected)
        return value

    def number(self, name: str, rest: float | None) -> float | None:
        """A number."""
        value = self.take(name, (int, float), "a number", rest)
        return value if value is None else float(value)

    def made(self, name: str, make: Callable[[], Value]) -> Value:
        """What is made of this object, its errors given their place."""
        try:
            return make()
        except MotionFileError:
            raise
        except (ValueError, TypeError, OverflowError) as error:
            raise self.fail(name, str(error), "values that are allowed") from None


def show_value(value: Any) -> str:
    """A value as errors show it."""
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}…"


# ---- The files that a score names: its source, and motions that its edits need.


Rename = Callable[[Path], Path]


def rename_files(score: Score, rename: Rename) -> Score:
    """The same score with its files named otherwise; what is no file stays."""
    layers = tuple(replace(layer, edit=_edit(layer, rename)) for layer in score.layers)
    return replace(score, source=_named(score.source, rename), layers=layers)


def _edit(layer: Layer, rename: Rename) -> Any:
    edit = layer.edit
    if isinstance(edit, Timewarp) and edit.onto is not None:
        return replace(edit, onto=_named(edit.onto, rename))
    if isinstance(edit, Blend) and edit.others:
        return replace(edit, others=tuple(_named(other, rename) for other in edit.others))
    return edit


def _named(source: Any, rename: Rename) -> Any:
    """A name without a folder and a suffix is one of ours."""
    if not isinstance(source, str | Path):
        return source
    path = Path(source)
    return source if isinstance(source, str) and len(path.parts) <= 1 and not path.suffix else rename(path)


# ---- Gestures and key points as a score's JSON holds them.


MOST_KEYS = 100_000
_KEY = "[frame, x, y, z, swivel, goal or via, local or global]"
_ARMS = {"left": "leftArm", "right": "rightArm"}


def keypoint_rows(keys: Keypoints) -> dict[str, Any]:
    """Key points as JSON."""
    rows = [[k.frame, *k.position, k.swivel, k.stop.value, k.space.value] for k in keys.keys]
    return {"part": keys.part, "rate": keys.rate, "locked": keys.locked, "keys": rows}


def keypoints_from(fields: ScoreFields) -> Keypoints:
    """Key points of JSON."""
    fields.only("part", "rate", "locked", "keys")
    rows = fields.take("keys", (list,), "a list of keys", [])
    if len(rows) > MOST_KEYS:
        raise fields.fail("keys", f"{len(rows)} keys", f"at most {MOST_KEYS}")
    keys = tuple(_key(fields, i, row) for i, row in enumerate(rows))
    part = fields.take("part", (str,), "leftArm or rightArm", "rightArm")
    if part not in _ARMS.values():
        raise fields.fail("part", show_value(part), "leftArm or rightArm")
    rate, locked = fields.number("rate", 30.0), fields.take("locked", (bool,), "true or false", False)
    return fields.made("", lambda: Keypoints(keys, rate or 0.0, part, locked))


def _key(fields: ScoreFields, i: int, row: Any) -> Keypoint:
    name = f"keys[{i}]"
    if not isinstance(row, list) or len(row) != 7:
        raise fields.fail(name, show_value(row), _KEY)
    frame, x, y, z, swivel = _numbers(fields, name, row[:5], 5)
    stop, space = row[5:]
    if stop not in list(Stop) or space not in list(Space):
        raise fields.fail(name, show_value(row[5:]), "goal or via, local or global")
    return fields.made(name, lambda: Keypoint(frame, (x, y, z), swivel, Stop(stop), Space(space)))


def gesture_rows(gesture: Gesture) -> dict[str, Any]:
    """A gesture in full as JSON."""
    rows: dict[str, Any] = {"name": gesture.name, "duration": gesture.duration, "loop": gesture.loop}
    rows["about"] = gesture.about
    for side in SIDES:
        keys = gesture.arm(side)
        if keys is not None:
            rows[side] = keypoint_rows(keys)
    rows["tracks"] = {n: [list(row) for row in zip(t.times, t.values, strict=True)] for n, t in gesture.tracks.items()}
    rows["inflections"] = {side: list(values) for side, values in gesture.inflections.items()}
    rows["palms"] = {
        side: [[palm.time, None if palm.direction is None else list(palm.direction)] for palm in palms]
        for side, palms in gesture.palms.items()
    }
    rows["steps"] = {side: [[s.lift, s.land, s.x, s.z, s.turn] for s in steps] for side, steps in gesture.steps.items()}
    return rows


def gesture_from(fields: ScoreFields) -> Gesture:
    """A gesture of JSON."""
    fields.only("name", "duration", "loop", "about", *SIDES, "tracks", "inflections", "palms", "steps")
    name, about = (fields.take(key, (str,), "a text", "") for key in ("name", "about"))
    duration, loop = fields.number("duration", 0.0), fields.take("loop", (bool,), "true or false", False)
    arms = {side: keypoints_from(fields.child(side)) for side in SIDES if side in fields.data}
    tracks = {}
    own = fields.child("tracks", {})
    for channel in own.data:
        keys = [_numbers(own, f"{channel}[{i}]", row, 2) for i, row in enumerate(_list(own, channel))]
        times, values = tuple(k[0] for k in keys), tuple(k[1] for k in keys)
        tracks[channel] = own.made(channel, lambda times=times, values=values: Track(times, values))  # type: ignore[misc]
    sided: dict[str, dict[str, tuple[Any, ...]]] = {}
    for key, make in (("inflections", _inflection), ("palms", _palm), ("steps", _step)):
        table = fields.child(key, {})
        sided[key] = {
            side: tuple(make(table, f"{side}[{i}]", row) for i, row in enumerate(_list(table, side)))
            for side in table.data
        }
    left, right = arms.get("left"), arms.get("right")
    inflections, palms, steps = (sided[key] for key in ("inflections", "palms", "steps"))
    return fields.made(
        "",
        lambda: Gesture(name, duration or 0.0, left, right, tracks, inflections, palms, steps, loop, about),
    )


def _inflection(fields: ScoreFields, name: str, value: Any) -> float:
    return _numbers(fields, name, [value], 1)[0]


def _palm(fields: ScoreFields, name: str, row: Any) -> Palm:
    if not isinstance(row, list) or len(row) != 2:
        raise fields.fail(name, show_value(row), "a time and a direction, or null")
    time = _numbers(fields, name, row[:1], 1)[0]
    if row[1] is None:
        return Palm(time)
    x, y, z = _numbers(fields, name, row[1], 3)
    return fields.made(name, lambda: Palm(time, (x, y, z)))


def _step(fields: ScoreFields, name: str, row: Any) -> Step:
    lift, land, x, z, turn = _numbers(fields, name, row, 5)
    return fields.made(name, lambda: Step(lift, land, x, z, turn))


def _list(fields: ScoreFields, name: str) -> list[Any]:
    rows: list[Any] = fields.take(name, (list,), "a list", [])
    if len(rows) > MOST_KEYS:
        raise fields.fail(name, f"{len(rows)} entries", f"at most {MOST_KEYS}")
    return rows


def _numbers(fields: ScoreFields, name: str, row: Any, count: int) -> list[float]:
    plain = isinstance(row, list) and len(row) == count
    if not plain or not all(isinstance(v, int | float) and not isinstance(v, bool) for v in row):
        raise fields.fail(name, show_value(row), f"{count} numbers" if count > 1 else "a number")
    return fields.made(name, lambda: [float(v) for v in row])


# ---- Express in a document: Effort and Shape by dial or by word.


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


def express_from(fields: ScoreFields) -> Express:
    """What plain data says."""
    words = fields.take("words", (dict,), 'words with their strengths, {"gently": 1.0}', {})
    parts = ScoreFields(fields.path, fields.data.get("of_parts", {}), fields.place("of_parts"))
    own = {}
    for name in parts.data:
        part = ScoreFields(fields.path, parts.data[name], parts.place(name))
        part.only("effort", "shape")
        effort = _read_dial(part, "effort", Effort) if "effort" in part.data else None
        shape = _read_dial(part, "shape", Shape) if "shape" in part.data else None
        own[name] = Part(effort, shape)
    effort, shape = _read_dial(fields, "effort", Effort), _read_dial(fields, "shape", Shape)
    intensity, stillness = fields.number("intensity", 1.0), fields.number("stillness", 0.0)
    affinities = fields.take("affinities", (bool,), "true or false", False)
    return fields.made("", lambda: Express(effort, shape, words, intensity, stillness, affinities, own))  # type: ignore[arg-type]


def _read_dial(fields: ScoreFields, name: str, kind: type[Any]) -> Any:
    value = fields.take(name, (dict, list), f"{kind.__name__}'s factors, or a list of them with their moments", {})
    if isinstance(value, dict):
        return _read_factors(ScoreFields(fields.path, value, fields.place(name)), kind)
    phrase: dict[float, Any] = {}
    for i, row in enumerate(value):
        own = ScoreFields(fields.path, row, f"{fields.place(name)}[{i}]")
        at = own.number("at", None)
        if at is None or at in phrase:
            raise own.fail("at", "nothing" if at is None else f"{at:g} again", "its own moment in seconds")
        rest = {key: v for key, v in row.items() if key != "at"}
        phrase[at] = _read_factors(ScoreFields(fields.path, rest, own.where), kind)
    if not phrase:
        raise fields.fail(name, "an empty list", "one moment at least")
    return phrase


def _read_factors(fields: ScoreFields, kind: type[Any]) -> Any:
    names = tuple(FACTORS if kind is Effort else DIMENSIONS)
    fields.only(*names, *(("by_hand",) if kind is Effort else ()))
    given: dict[str, Any] = {name: fields.number(name, 0.0) for name in names}
    if kind is Effort and "by_hand" in fields.data:
        own = ScoreFields(fields.path, fields.data["by_hand"], fields.place("by_hand"))
        given["by_hand"] = {name: own.number(name, 0.0) for name in own.data}
    return fields.made("", lambda: kind(**given))


# ---- Edits of signals in a document, each by its own fields.
#
# Numbers of bands are written as whole numbers and periods with a decimal point, both as text, since names of fields
# are
# texts in JSON. Motions are named by their files.


Read = Callable[[ScoreFields, str], Any]
KINDS: Mapping[str, type[SignalEdit]] = {
    kind.__name__.lower(): kind for kind in (Equalize, Waveshape, Smooth, Displace, Timewarp, Blend)
}
NAMES = tuple(KINDS)
_PLACED = ("joints", "start", "end", "strength")  # the layer says these
MOST = 10_000  # entries of a list or an object


def edit_fields(name: str) -> tuple[str, ...]:
    """The fields that an edit may have in a document."""
    return tuple(field.name for field in fields(KINDS[name]) if field.name not in _PLACED)


def edit_row(edit: SignalEdit) -> dict[str, Any]:
    """What an edit says beyond its neutral values, as plain data."""
    name = type(edit).__name__.lower()
    if name not in KINDS:
        raise ValueError(f"{edit!r} is no edit that a document knows; {', '.join(NAMES)} are")
    return {"edit": name} | {key: value for key, value in _row(edit).items() if key not in _PLACED}


def edit_from(name: str, given: ScoreFields) -> SignalEdit:
    """What plain data says; the layer's own fields are left to it."""
    wanted = {key: _READ[key](given, key) for key in given.data if key in edit_fields(name)}
    return given.made("", lambda: KINDS[name](**wanted))


def _row(value: Any) -> dict[str, Any]:
    row = {}
    for field in fields(value):
        own = getattr(value, field.name)
        usual = field.default if field.default_factory is MISSING else field.default_factory()
        if own is not usual and own != usual:
            row[field.name] = _plain(own)
    return row


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Motion):
        raise ValueError(f"{value!r} has no place in a document: save it, and name its file instead")
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Shaping):
        return _row(value) | {"points": [list(point) for point in value.points]}
    if is_dataclass(value):
        return _row(value)
    if isinstance(value, Mapping):
        return {str(key) if isinstance(key, str | int) else repr(float(key)): _plain(v) for key, v in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(own) for own in value]
    return value if value is None or isinstance(value, bool | int | str) else float(value)


def _number(given: ScoreFields, name: str) -> float:
    value = given.take(name, (int, float), "a number")
    return float(value)


def _maybe(given: ScoreFields, name: str) -> float | None:
    return None if given.data[name] is None else _number(given, name)


def _flag(given: ScoreFields, name: str) -> bool:
    return bool(given.take(name, (bool,), "true or false"))


def _text(given: ScoreFields, name: str) -> str:
    return str(given.take(name, (str,), "a text"))


def _list_edit_rows(given: ScoreFields, name: str, expected: str) -> list[Any]:
    values: list[Any] = given.take(name, (list,), expected)
    if len(values) > MOST:
        raise given.fail(name, f"{len(values)} entries", f"at most {MOST}")
    return values


def _numbers_edit_rows(given: ScoreFields, name: str) -> tuple[float, ...]:
    values = _list_edit_rows(given, name, "a list of numbers")
    for i, value in enumerate(values):
        _check_number(given, f"{name}[{i}]", value)
    return tuple(float(value) for value in values)


def _pairs(given: ScoreFields, name: str) -> tuple[tuple[float, float], ...]:
    rows = _list_edit_rows(given, name, "a list of pairs of seconds")
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != 2:
            raise given.fail(f"{name}[{i}]", show_value(row), "a pair of seconds")
        for value in row:
            _check_number(given, f"{name}[{i}]", value)
    return tuple((float(a), float(b)) for a, b in rows)


def _by_number(given: ScoreFields, name: str) -> dict[float, float]:
    """Numbers by band, whole, or period, with a point."""
    own = given.child(name)
    return {_key_edit_rows(own, key): _number(own, key) for key in own.data}


def _groups(given: ScoreFields, name: str) -> dict[str, dict[float, float]]:
    own = given.child(name)
    return {group: _by_number(own, group) for group in own.data}


def _bands(given: ScoreFields, name: str) -> Any:
    """Of an equaliser a gain for each band, of a blend weights."""
    own = given.child(name)
    return {
        _key_edit_rows(own, key): _numbers_edit_rows(own, key) if isinstance(own.data[key], list) else _number(own, key)
        for key in own.data
    }


def _key_edit_rows(given: ScoreFields, key: str) -> float:
    try:
        return float(key) if "." in key or "e" in key else int(key)
    except (ValueError, OverflowError):
        raise given.fail(key, show_value(key), 'a band such as "2" or a period such as "0.5"') from None


def _weights(given: ScoreFields, name: str) -> list[float | dict[float, float]] | None:
    if given.data[name] is None:
        return None
    made: list[float | dict[float, float]] = []
    for i, value in enumerate(_list_edit_rows(given, name, "a list of weights")):
        if isinstance(value, dict):
            row = ScoreFields(given.path, value, f"{given.place(name)}[{i}]")
            made.append({float(_key_edit_rows(row, key)): _number(row, key) for key in row.data})
        else:
            _check_number(given, f"{name}[{i}]", value)
            made.append(float(value))
    return made


def _shape(given: ScoreFields, name: str) -> str | Shaping:
    value = given.take(name, (str, dict), "a shaping function, or the name of one of ours")
    if isinstance(value, str):
        return value
    own = given.child(name)
    own.only("points", "ends", "about")
    points = [_numbers_edit_rows(ScoreFields(own.path, {"point": row}, own.place(f"points[{i}]")), "point")
              for i, row in enumerate(_list_edit_rows(own, "points", "a list of points"))]  # fmt: skip
    ends, about = (_text(own, key) if key in own.data else rest for key, rest in (("ends", "natural"), ("about", "")))
    return own.made("", lambda: Shaping(tuple(points), ends, about))  # type: ignore[arg-type]


def _gaps(given: ScoreFields, name: str) -> Any:
    value = given.take(name, (str, list), 'frames, pairs of frames, or "find"')
    if isinstance(value, str):
        return value
    for i, row in enumerate(_list_edit_rows(given, name, "a list of frames")):
        for frame in row if isinstance(row, list) else [row]:
            if isinstance(frame, bool) or not isinstance(frame, int):
                raise given.fail(f"{name}[{i}]", show_value(frame), "a frame or a pair of frames")
    return value


def _points(given: ScoreFields, name: str) -> list[dict[str, Any]]:
    """Pose edits. What they may say is checked where they are made."""
    rows = _list_edit_rows(given, name, "a list of pose edits")
    for i, row in enumerate(rows):
        if not isinstance(row, dict):
            raise given.fail(f"{name}[{i}]", show_value(row), "an object")
        own = ScoreFields(given.path, row, f"{given.place(name)}[{i}]")
        own.only(*_POINT)
        for key in row:
            _POINT[key](own, key)
    return rows


def _motion(given: ScoreFields, name: str) -> str | None:
    value = given.take(name, (str, type(None)), "a default motion's name, or a file")
    return None if value is None else str(value)


def _motions(given: ScoreFields, name: str) -> list[str]:
    rows = _list_edit_rows(given, name, "a list of motions' names or files")
    for i, row in enumerate(rows):
        if not isinstance(row, str):
            raise given.fail(f"{name}[{i}]", show_value(row), "a default motion's name, or a file")
    return rows


def _check_number(given: ScoreFields, name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise given.fail(name, show_value(value), "a number")


def _whole(given: ScoreFields, name: str) -> int:
    return int(given.take(name, (int,), "a whole number"))


_POINT: Mapping[str, Read] = {
    "joint": _text, "part": _text, "axes": _text, "by": _numbers_edit_rows, "to": _numbers_edit_rows,
    "frame": _whole, "seconds": _number,
    "tension": _number, "continuity": _number, "bias": _number, "swivel": _number,
    "keep_orientation": _flag, "plant": _flag,
}  # fmt: skip
_READ: Mapping[str, Read] = {
    "fade": _number, "feet": _flag, "limits": _flag,
    "bands": _bands, "periods": _by_number, "preset": _text, "groups": _groups, "loop": _flag,
    "shape": _shape, "amount": _number, "by": _text, "root": _flag,
    "noise": _number, "gaps": _gaps,
    "edits": _points, "tension": _number, "continuity": _number, "bias": _number, "overshoot": _maybe, "width": _maybe,
    "onto": _motion, "marks": _pairs, "beats": _numbers_edit_rows, "bpm": _maybe, "cost": _text, "search": _text,
    "radius": _number, "frames": _text, "weights": _weights, "align": _flag, "others": _motions,
}  # fmt: skip


# ---- Scores as JSON: what a person saves, and what others may have changed.
#
# A file is read strictly: every field is checked, and what is not known is refused by its place, so that a slip of
# the
# pen is not silently another motion. Nothing in it is executed; files that it names are opened only when it is
# rendered.


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
    return _score(ScoreFields(file, data, ""))


def save_score(score: Score, path: str | Path) -> None:
    """Write a score. Files that it names are written as seen from its own folder, so that both may be moved."""
    text = to_json(rename_files(score, partial(_from, Path(path).absolute().parent)))
    with atomic_write(Path(path)) as file:
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
    return rename_files(from_json(text, file), partial(_in, file.parent))


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


def _score(fields: ScoreFields) -> Score:
    fields.only("kind", "version", "source", "model", "lock_times", "seed", "layers", "about")
    kind = fields.take("kind", (str,), f'"{KIND}"')
    if kind != KIND:
        raise fields.fail("kind", show_value(kind), f'"{KIND}"')
    version = fields.take("version", (int,), "a whole number")
    if version != VERSION:
        raise fields.fail("version", show_value(version), f"{VERSION}; a newer Kinesphere may have written this")
    fields.take("about", (str,), "a text")
    if "source" not in fields.data:
        raise fields.fail("source", "nothing", "an object with a name, a file, key points or a gesture")
    source = _read_source(ScoreFields(fields.path, fields.data["source"], "source"))
    rows = fields.take("layers", (list,), "a list", [])
    layers = tuple(_read_layer(ScoreFields(fields.path, row, f"layers[{i}]")) for i, row in enumerate(rows))
    model = _read_model(fields)
    locked = fields.take("lock_times", (bool,), "true or false", False)
    seed = fields.take("seed", (int,), "a whole number")
    return fields.made("", lambda: Score(source, layers, model, locked, seed))


def _read_model(fields: ScoreFields) -> str | EffortModel:
    model = fields.take("model", (str, dict), "the name of an Effort model, a file, or its coefficients", DEFAULT)
    if isinstance(model, str):
        return model
    own = ScoreFields(fields.path, model, "model")
    own.only("name", "coefficients")
    name = own.take("name", (str,), "a text", "custom")
    given = ScoreFields(fields.path, own.data.get("coefficients"), "model.coefficients")
    changed = {key.replace(".", "__"): value for key, value in given.data.items()}
    base = fields.made("model.coefficients", lambda: effort_model(DEFAULT).with_coefficients(**changed))
    return EffortModel(name, base.coefficients)


def _read_source(fields: ScoreFields) -> Gesture | Keypoints | str | Path:
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


def _read_layer(fields: ScoreFields) -> Layer:
    kind = fields.take("edit", (str,), f"one of {', '.join(EDITS)}")
    if kind not in EDITS:
        raise fields.fail("edit", show_value(kind), describe_choices(str(kind), EDITS))
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
