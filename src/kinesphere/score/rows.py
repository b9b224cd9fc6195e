"""JSON serialisation of scores: gestures, key points and dials to plain data and back.

Reading is strict: every field is checked, and errors name its place, such as ``layers[0].effort.weight``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from kinesphere.files.schema import describe_choices
from kinesphere.laban.dials import EffortDial, Part, ShapeDial
from kinesphere.laban.effort import FACTORS, Effort
from kinesphere.laban.shape import DIMENSIONS, Shape
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.gesture import Curve, Gesture, Keypoint, Keypoints, Palm, Space, Step, Stop
from kinesphere.motion.humanoid import SIDES
from kinesphere.score.score import Express

Value = TypeVar("Value")

MOST_KEYS = 100_000  # of a gesture's lists
_KEY = "[frame, x, y, z, swivel, goal or via, local or global]"
_ARMS = {"left": "leftArm", "right": "rightArm"}
EXPRESS_FIELDS = ("effort", "shape", "words", "intensity", "stillness", "affinities", "of_parts")


class ScoreFields:
    """One object of the document, with its place for error messages."""

    def __init__(self, path: Path, data: Any, where: str) -> None:
        self.path, self.where = path, where
        if not isinstance(data, dict):
            raise self.fail("", show_value(data), "an object")
        self.data = data

    def fail(self, name: str, found: str, expected: str) -> MotionFileError:
        """The error for a field, to be raised."""
        return MotionFileError(self.path, found, expected, where=self.place(name) or "the document")

    def place(self, name: str) -> str:
        """The place of a field in the document."""
        return f"{self.where}.{name}" if self.where and name else self.where or name

    def child(self, name: str, default: Any = None) -> ScoreFields:
        """The object in a field."""
        return ScoreFields(self.path, self.data.get(name, default), self.place(name))

    def item(self, name: str, i: int, data: Any) -> ScoreFields:
        """The object at index ``i`` of the list in a field."""
        return ScoreFields(self.path, data, f"{self.place(name)}[{i}]")

    def only(self, *names: str) -> None:
        """Refuse unknown fields."""
        for name in self.data:
            if name not in names:
                raise self.fail(str(name), "a field that nobody knows", describe_choices(str(name), names))

    def take(self, name: str, kinds: tuple[type, ...], expected: str, default: Any = None) -> Any:
        """The value of a field, which must be of one of these kinds."""
        if name not in self.data:
            return default
        value = self.data[name]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise self.fail(name, show_value(value), expected)
        return value

    def number(self, name: str, default: float | None) -> float | None:
        """A number."""
        value = self.take(name, (int, float), "a number", default)
        return value if value is None else self.build(name, lambda: float(value))

    def items(self, name: str, expected: str = "a list", most: int = MOST_KEYS) -> list[Any]:
        """A list of at most ``most`` entries; empty where there is none."""
        values: list[Any] = self.take(name, (list,), expected, [])
        if len(values) > most:
            raise self.fail(name, f"{len(values)} entries", f"at most {most}")
        return values

    def numbers(self, name: str, row: Any, count: int, expected: str = "") -> list[float]:
        """A row of ``count`` numbers; ``name`` is its place."""
        plain = isinstance(row, list) and len(row) == count
        if not plain or not all(isinstance(v, int | float) and not isinstance(v, bool) for v in row):
            raise self.fail(name, show_value(row), expected or f"{count} numbers")
        return self.build(name, lambda: [float(v) for v in row])

    def to_number(self, name: str, value: Any) -> float:
        """A value that must be a number; ``name`` is its place."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.fail(name, show_value(value), "a number")
        return self.build(name, lambda: float(value))

    def build(self, name: str, make: Callable[[], Value]) -> Value:
        """Call ``make``; its errors get the place of this field."""
        try:
            return make()
        except MotionFileError:
            raise
        except (ValueError, TypeError, OverflowError) as error:
            raise self.fail(name, str(error), "values that are allowed") from None


def show_value(value: Any) -> str:
    """A value for an error message, shortened."""
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}…"


# Key points and gestures


def keypoint_rows(keys: Keypoints) -> dict[str, Any]:
    """Key points as JSON."""
    rows = [[k.frame, *k.position, k.swivel, k.stop.value, k.space.value] for k in keys.keys]
    return {"part": keys.part, "rate": keys.rate, "locked": keys.locked, "keys": rows}


def read_keypoints(given: ScoreFields) -> Keypoints:
    """Key points from JSON."""
    given.only("part", "rate", "locked", "keys")
    rows = given.take("keys", (list,), "a list of keys", [])
    if len(rows) > MOST_KEYS:
        raise given.fail("keys", f"{len(rows)} keys", f"at most {MOST_KEYS}")
    keys = tuple(_read_keypoint(given, f"keys[{i}]", row) for i, row in enumerate(rows))
    part = given.take("part", (str,), "leftArm or rightArm", "rightArm")
    if part not in _ARMS.values():
        raise given.fail("part", show_value(part), "leftArm or rightArm")
    rate, locked = given.number("rate", 30.0), given.take("locked", (bool,), "true or false", False)
    return given.build("", lambda: Keypoints(keys, rate or 0.0, part, locked))


def _read_keypoint(given: ScoreFields, name: str, row: Any) -> Keypoint:
    if not isinstance(row, list) or len(row) != 7:
        raise given.fail(name, show_value(row), _KEY)
    frame, x, y, z, swivel = given.numbers(name, row[:5], 5)
    stop, space = row[5:]
    if stop not in list(Stop) or space not in list(Space):
        raise given.fail(name, show_value(row[5:]), "goal or via, local or global")
    return given.build(name, lambda: Keypoint(frame, (x, y, z), swivel, Stop(stop), Space(space)))


def gesture_rows(gesture: Gesture) -> dict[str, Any]:
    """A gesture in full as JSON."""
    rows: dict[str, Any] = {"name": gesture.name, "duration": gesture.duration, "loop": gesture.loop}
    rows["about"] = gesture.about
    for side in SIDES:
        keys = gesture.arm(side)
        if keys is not None:
            rows[side] = keypoint_rows(keys)
    rows["tracks"] = {n: [list(row) for row in zip(t.times, t.values, strict=True)] for n, t in gesture.curves.items()}
    rows["inflections"] = {side: list(values) for side, values in gesture.inflections.items()}
    rows["palms"] = {
        side: [[palm.time, None if palm.direction is None else list(palm.direction)] for palm in palms]
        for side, palms in gesture.palms.items()
    }
    rows["steps"] = {side: [[s.lift, s.land, s.x, s.z, s.turn] for s in steps] for side, steps in gesture.steps.items()}
    return rows


def read_gesture(given: ScoreFields) -> Gesture:
    """A gesture from JSON."""
    given.only("name", "duration", "loop", "about", *SIDES, "tracks", "inflections", "palms", "steps")
    name, about = (given.take(key, (str,), "a text", "") for key in ("name", "about"))
    duration, loop = given.number("duration", 0.0), given.take("loop", (bool,), "true or false", False)
    left, right = (read_keypoints(given.child(side)) if side in given.data else None for side in ("left", "right"))
    table = given.child("tracks", {})
    tracks = {channel: _read_track(table, channel) for channel in table.data}
    inflections = _read_by_side(given.child("inflections", {}), ScoreFields.to_number)
    palms = _read_by_side(given.child("palms", {}), _read_palm)
    steps = _read_by_side(given.child("steps", {}), _read_step)
    return given.build(
        "", lambda: Gesture(name, duration or 0.0, left, right, tracks, inflections, palms, steps, loop, about)
    )


def _read_by_side(given: ScoreFields, read: Callable[[ScoreFields, str, Any], Value]) -> dict[str, tuple[Value, ...]]:
    return {
        side: tuple(read(given, f"{side}[{i}]", row) for i, row in enumerate(given.items(side))) for side in given.data
    }


def _read_track(given: ScoreFields, channel: str) -> Curve:
    keys = [given.numbers(f"{channel}[{i}]", row, 2) for i, row in enumerate(given.items(channel))]
    return given.build(channel, lambda: Curve(tuple(k[0] for k in keys), tuple(k[1] for k in keys)))


def _read_palm(given: ScoreFields, name: str, row: Any) -> Palm:
    if not isinstance(row, list) or len(row) != 2:
        raise given.fail(name, show_value(row), "a time and a direction, or null")
    time = given.to_number(name, row[0])
    if row[1] is None:
        return Palm(time)
    x, y, z = given.numbers(name, row[1], 3)
    return given.build(name, lambda: Palm(time, (x, y, z)))


def _read_step(given: ScoreFields, name: str, row: Any) -> Step:
    lift, land, x, z, turn = given.numbers(name, row, 5)
    return given.build(name, lambda: Step(lift, land, x, z, turn))


# Express


def express_row(edit: Express) -> dict[str, Any]:
    """An Express as JSON, without its neutral values."""
    row: dict[str, Any] = {}
    for name, dial in (("effort", edit.effort), ("shape", edit.shape)):
        if not (isinstance(dial, Effort | Shape) and dial.is_neutral):
            row[name] = _dial_row(dial)
    if edit.words:
        row["words"] = dict(edit.words)
    for name, default in (("intensity", 1.0), ("stillness", 0.0), ("affinities", False)):
        if getattr(edit, name) != default:
            row[name] = getattr(edit, name)
    if edit.parts:
        row["of_parts"] = {name: _part_row(part) for name, part in edit.parts.items()}
    return row


def _part_row(part: Part) -> dict[str, Any]:
    dials = ("effort", part.effort), ("shape", part.shape)
    return {name: _dial_row(dial) for name, dial in dials if dial is not None}


def _dial_row(dial: EffortDial | ShapeDial) -> Any:
    if isinstance(dial, Mapping):
        return [{"at": float(moment)} | _dial_row(dial[moment]) for moment in sorted(dial)]
    names = FACTORS if isinstance(dial, Effort) else DIMENSIONS
    row: dict[str, Any] = {name: getattr(dial, name) for name in names if getattr(dial, name) != 0.0}
    if isinstance(dial, Effort) and dial.by_hand:
        row["by_hand"] = dict(dial.by_hand)
    return row


def read_express(given: ScoreFields) -> Express:
    """An Express from JSON; the layer's own fields are left to it."""
    words = given.take("words", (dict,), 'words with their strengths, {"gently": 1.0}', {})
    table = given.child("of_parts", {})
    parts = {name: _read_part(table.child(name)) for name in table.data}
    effort, shape = _read_dial(given, "effort", Effort), _read_dial(given, "shape", Shape)
    intensity, stillness = given.number("intensity", 1.0), given.number("stillness", 0.0)
    affinities = given.take("affinities", (bool,), "true or false", False)
    return given.build("", lambda: Express(effort, shape, words, intensity, stillness, affinities, parts))  # type: ignore[arg-type]


def _read_part(given: ScoreFields) -> Part:
    given.only("effort", "shape")
    kinds = {"effort": Effort, "shape": Shape}
    return Part(**{name: _read_dial(given, name, kind) for name, kind in kinds.items() if name in given.data})


def _read_dial(given: ScoreFields, name: str, kind: type[Any]) -> Any:
    value = given.take(name, (dict, list), f"{kind.__name__}'s factors, or a list of them with their moments", {})
    if isinstance(value, dict):
        return _read_factors(given.child(name, {}), kind)
    phrase: dict[float, Any] = {}
    for i, row in enumerate(value):
        own = given.item(name, i, row)
        at = own.number("at", None)
        if at is None or at in phrase:
            raise own.fail("at", "nothing" if at is None else f"{at:g} again", "its own moment in seconds")
        factors = {key: v for key, v in row.items() if key != "at"}
        phrase[at] = _read_factors(given.item(name, i, factors), kind)
    if not phrase:
        raise given.fail(name, "an empty list", "one moment at least")
    return phrase


def _read_factors(given: ScoreFields, kind: type[Any]) -> Any:
    names = tuple(FACTORS if kind is Effort else DIMENSIONS)
    given.only(*names, *(("by_hand",) if kind is Effort else ()))
    values: dict[str, Any] = {name: given.number(name, 0.0) for name in names}
    if kind is Effort and "by_hand" in given.data:
        own = given.child("by_hand")
        values["by_hand"] = {name: own.number(name, 0.0) for name in own.data}
    return given.build("", lambda: kind(**values))
