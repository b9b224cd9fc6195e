"""Edits of signals in a document, each by its own fields.

Numbers of bands are written as whole numbers and periods with a decimal point, both as text, since names of fields are
texts in JSON. Motions are named by their files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

from kinesphere.motion.motion import Motion
from kinesphere.score.fields import Fields, said
from kinesphere.score.layers import SignalEdit
from kinesphere.signals.blend import Blend
from kinesphere.signals.displace import Displace
from kinesphere.signals.equalize import Equalize
from kinesphere.signals.shaping import Shaping
from kinesphere.signals.smooth import Smooth
from kinesphere.signals.timewarp import Timewarp
from kinesphere.signals.waveshape import Waveshape

Read = Callable[[Fields, str], Any]
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


def edit_from(name: str, given: Fields) -> SignalEdit:
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


def _number(given: Fields, name: str) -> float:
    value = given.take(name, (int, float), "a number")
    return float(value)


def _maybe(given: Fields, name: str) -> float | None:
    return None if given.data[name] is None else _number(given, name)


def _flag(given: Fields, name: str) -> bool:
    return bool(given.take(name, (bool,), "true or false"))


def _text(given: Fields, name: str) -> str:
    return str(given.take(name, (str,), "a text"))


def _list(given: Fields, name: str, expected: str) -> list[Any]:
    values: list[Any] = given.take(name, (list,), expected)
    if len(values) > MOST:
        raise given.fail(name, f"{len(values)} entries", f"at most {MOST}")
    return values


def _numbers(given: Fields, name: str) -> tuple[float, ...]:
    values = _list(given, name, "a list of numbers")
    for i, value in enumerate(values):
        _check_number(given, f"{name}[{i}]", value)
    return tuple(float(value) for value in values)


def _pairs(given: Fields, name: str) -> tuple[tuple[float, float], ...]:
    rows = _list(given, name, "a list of pairs of seconds")
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != 2:
            raise given.fail(f"{name}[{i}]", said(row), "a pair of seconds")
        for value in row:
            _check_number(given, f"{name}[{i}]", value)
    return tuple((float(a), float(b)) for a, b in rows)


def _by_number(given: Fields, name: str) -> dict[float, float]:
    """Numbers by band, whole, or period, with a point."""
    own = given.child(name)
    return {_key(own, key): _number(own, key) for key in own.data}


def _groups(given: Fields, name: str) -> dict[str, dict[float, float]]:
    own = given.child(name)
    return {group: _by_number(own, group) for group in own.data}


def _bands(given: Fields, name: str) -> Any:
    """Of an equaliser a gain for each band, of a blend weights."""
    own = given.child(name)
    return {
        _key(own, key): _numbers(own, key) if isinstance(own.data[key], list) else _number(own, key) for key in own.data
    }


def _key(given: Fields, key: str) -> float:
    try:
        return float(key) if "." in key or "e" in key else int(key)
    except (ValueError, OverflowError):
        raise given.fail(key, said(key), 'a band such as "2" or a period such as "0.5"') from None


def _weights(given: Fields, name: str) -> list[float | dict[float, float]] | None:
    if given.data[name] is None:
        return None
    made: list[float | dict[float, float]] = []
    for i, value in enumerate(_list(given, name, "a list of weights")):
        if isinstance(value, dict):
            row = Fields(given.path, value, f"{given.place(name)}[{i}]")
            made.append({float(_key(row, key)): _number(row, key) for key in row.data})
        else:
            _check_number(given, f"{name}[{i}]", value)
            made.append(float(value))
    return made


def _shape(given: Fields, name: str) -> str | Shaping:
    value = given.take(name, (str, dict), "a shaping function, or the name of one of ours")
    if isinstance(value, str):
        return value
    own = given.child(name)
    own.only("points", "ends", "about")
    points = [_numbers(Fields(own.path, {"point": row}, own.place(f"points[{i}]")), "point")
              for i, row in enumerate(_list(own, "points", "a list of points"))]  # fmt: skip
    ends, about = (_text(own, key) if key in own.data else rest for key, rest in (("ends", "natural"), ("about", "")))
    return own.made("", lambda: Shaping(tuple(points), ends, about))  # type: ignore[arg-type]


def _gaps(given: Fields, name: str) -> Any:
    value = given.take(name, (str, list), 'frames, pairs of frames, or "find"')
    if isinstance(value, str):
        return value
    for i, row in enumerate(_list(given, name, "a list of frames")):
        for frame in row if isinstance(row, list) else [row]:
            if isinstance(frame, bool) or not isinstance(frame, int):
                raise given.fail(f"{name}[{i}]", said(frame), "a frame or a pair of frames")
    return value


def _points(given: Fields, name: str) -> list[dict[str, Any]]:
    """Pose edits. What they may say is checked where they are made."""
    rows = _list(given, name, "a list of pose edits")
    for i, row in enumerate(rows):
        if not isinstance(row, dict):
            raise given.fail(f"{name}[{i}]", said(row), "an object")
        own = Fields(given.path, row, f"{given.place(name)}[{i}]")
        own.only(*_POINT)
        for key in row:
            _POINT[key](own, key)
    return rows


def _motion(given: Fields, name: str) -> str | None:
    value = given.take(name, (str, type(None)), "a default motion's name, or a file")
    return None if value is None else str(value)


def _motions(given: Fields, name: str) -> list[str]:
    rows = _list(given, name, "a list of motions' names or files")
    for i, row in enumerate(rows):
        if not isinstance(row, str):
            raise given.fail(f"{name}[{i}]", said(row), "a default motion's name, or a file")
    return rows


def _check_number(given: Fields, name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise given.fail(name, said(value), "a number")


def _whole(given: Fields, name: str) -> int:
    return int(given.take(name, (int,), "a whole number"))


_POINT: Mapping[str, Read] = {
    "joint": _text, "part": _text, "axes": _text, "by": _numbers, "to": _numbers, "frame": _whole, "seconds": _number,
    "tension": _number, "continuity": _number, "bias": _number, "swivel": _number,
    "keep_orientation": _flag, "plant": _flag,
}  # fmt: skip
_READ: Mapping[str, Read] = {
    "fade": _number, "feet": _flag, "limits": _flag,
    "bands": _bands, "periods": _by_number, "preset": _text, "groups": _groups, "loop": _flag,
    "shape": _shape, "amount": _number, "by": _text, "root": _flag,
    "noise": _number, "gaps": _gaps,
    "edits": _points, "tension": _number, "continuity": _number, "bias": _number, "overshoot": _maybe, "width": _maybe,
    "onto": _motion, "marks": _pairs, "beats": _numbers, "bpm": _maybe, "cost": _text, "search": _text,
    "radius": _number, "frames": _text, "weights": _weights, "align": _flag, "others": _motions,
}  # fmt: skip
