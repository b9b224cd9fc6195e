"""Shaping functions: splines through control points, over values from −1 to 1; and the library of them by name.

Points may be added, moved and taken away; only their x must increase. Beyond the first and the last point a function
goes on along its tangent. ``shapes.toml`` is the library of functions by name; a file of one's own has the same form
(``score.shapes``).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import PlainValidator

from kinesphere.maths.splines import Spline, kochanek_bartels
from kinesphere.maths.vectors import ArrayLike, Floats, as_floats
from kinesphere.motion.document import AS_TUPLE, Setting, Text, document, expected_type
from kinesphere.motion.errors import MotionFileError, unknown_name

Ends = Literal["natural", "clamped", "chord"]
FARTHEST = 10.0  # of a point, in half ranges
LARGEST = 10**9  # of a whole number in a file; points have limits of their own
MOST_POINTS = 500
SAME = 1e-12  # a function farther from y = x is no identity
EXPECTED = "shaping functions in TOML"
_TCB = ("tension", "continuity", "bias")
_FIELDS = ("points", *_TCB, "ends", "about")


class ControlPoint(NamedTuple):
    """A control point, with tension, continuity and bias of the spline there."""

    x: float
    y: float
    tension: float = 0.0
    continuity: float = 0.0
    bias: float = 0.0


def _check_point(given: Any) -> ControlPoint:
    try:
        if any(isinstance(value, bool | str) for value in given):
            raise TypeError
        point = ControlPoint(*(float(value) for value in given))
    except (TypeError, ValueError, OverflowError):
        raise expected_type("x and y, then tension, continuity, bias") from None
    if not all(abs(value) <= FARTHEST for value in point[:2]):
        raise ValueError(f"a point is at {point.x:g}, {point.y:g}; −{FARTHEST:g} to {FARTHEST:g} is allowed")
    for field in _TCB:
        if not abs(getattr(point, field)) <= 1.0:
            raise ValueError(f"the {field} of a point is {getattr(point, field):g}; −1 to 1 is allowed")
    return point


@document(frozen=True)
class Shaping:
    """A function through control points: a Kochanek–Bartels spline."""

    points: Annotated[
        tuple[Annotated[ControlPoint, PlainValidator(_check_point, json_schema_input_type=list[float])], ...],
        AS_TUPLE,
        Setting(
            "Two or more, as x and y, or with tension, continuity and bias from −1 to 1. A continuity of −1 between "
            "points that lie evenly makes straight lines with corners."
        ),
    ] = (ControlPoint(-1.0, -1.0), ControlPoint(1.0, 1.0))
    ends: Annotated[
        Ends,
        Setting("How it leaves its ends: natural without bending, chord straight, clamped level, so that it stays."),
    ] = "natural"
    about: Annotated[Text, Setting("What it does, in words.")] = ""

    def __post_init__(self) -> None:
        points = self.points
        if not 2 <= len(points) <= MOST_POINTS:
            raise ValueError(f"{len(points)} points; 2 to {MOST_POINTS} are expected")
        for i, (before, after) in enumerate(zip(points[:-1], points[1:], strict=True)):
            if after.x <= before.x:
                raise ValueError(f"point {i + 1} at x = {after.x:g} follows one at {before.x:g}: x must increase")

    def __call__(self, values: ArrayLike) -> Floats:
        """What values of any shape become."""
        return self.curve.value(as_floats(values))

    @cached_property
    def curve(self) -> Spline:
        """The spline over x."""
        x, y, tension, continuity, bias = np.array(self.points).T
        return kochanek_bartels(y, x, tension=tension, continuity=continuity, bias=bias, ends=self.ends)

    @cached_property
    def identity(self) -> bool:
        """Whether the function leaves every value as it is."""
        curve = self.curve
        slopes = np.concatenate([curve.incoming, curve.outgoing])
        return bool(np.abs(curve.keys - curve.times).max() < SAME and np.abs(slopes - 1.0).max() < SAME)

    def with_point(self, x: float, y: float, *tcb: float) -> Shaping:
        """The function with one more point; a point at the same x is moved instead."""
        added = _check_point((x, y, *tcb))
        kept = [point for point in self.points if point.x != added.x]
        return replace(self, points=tuple(sorted([*kept, added])))

    def moved(self, index: int, x: float, y: float) -> Shaping:
        """The function with one point moved, between its neighbours."""
        points = self._points_with(index)
        points[index] = points[index]._replace(x=x, y=y)
        return replace(self, points=tuple(points))

    def without(self, index: int) -> Shaping:
        """The function without one of its points."""
        points = self._points_with(index)
        del points[index]
        return replace(self, points=tuple(points))

    def _points_with(self, index: int) -> list[ControlPoint]:
        """All points; an index that is none of them is refused."""
        count = len(self.points)
        if not -count <= index < count:
            raise ValueError(f"point {index}: there are {count}, from 0 to {count - 1}")
        return list(self.points)


# The library of shaping functions


Shapes = Mapping[str, Shaping]


@lru_cache
def shapes() -> Shapes:
    """The shaping functions that come with Kinesphere."""
    return parse_shapes((files("kinesphere.signals") / "shapes.toml").read_text(encoding="utf-8"))


def parse_shapes(text: str, path: str | Path = "shapes") -> Shapes:
    """The shaping functions of a text in TOML; ``path`` is what errors call it."""
    file = Path(path)
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise MotionFileError(file, f"what is no TOML ({error})", EXPECTED) from None
    entries = table.get("shapes")
    if not isinstance(entries, dict) or set(table) != {"shapes"}:
        raise MotionFileError(file, f"tables {', '.join(table) or '(none)'}", "one table [shapes]")
    return MappingProxyType(
        {_check_name(file, name): _parse_shaping(file, name, entry) for name, entry in entries.items()}
    )


def format_shapes(given: Mapping[str, Shaping], path: str | Path = "shapes") -> str:
    """Shaping functions as a text that ``parse_shapes`` reads; ``path`` is what errors call it."""
    lines = list[str]()
    for name, shaping in given.items():
        _check_name(Path(path), name)
        lines += [f"[shapes.{_quote(name)}]"]
        lines += [f"about = {_quote(shaping.about)}"] if shaping.about else []
        lines += [f"points = [{', '.join(f'[{p.x!r}, {p.y!r}]' for p in shaping.points)}]"]
        for field in _TCB:
            values = [getattr(point, field) for point in shaping.points]
            if any(values):
                one = len(set(values)) == 1
                lines.append(f"{field} = {values[0]!r}" if one else f"{field} = {values!r}")
        lines += [f'ends = "{shaping.ends}"', ""]
    return "\n".join(lines) if lines else "[shapes]\n"


def find_shaping(name: str) -> Shaping:
    """One of ours by its name, or the error that suggests the nearest."""
    if name not in shapes():
        raise ValueError(
            f"{unknown_name('shape', name, shapes())}. A file of your own can add it, see score.shapes.load_shapes"
        )
    return shapes()[name]


def _parse_shaping(path: Path, name: str, entry: Any) -> Shaping:
    where = f"shapes.{name}"
    if not isinstance(entry, dict):
        raise MotionFileError(path, repr(entry), "a table such as { points = [[-1, -1], [1, 1]] }", where=where)
    for key in entry:
        if key not in _FIELDS:
            raise MotionFileError(path, unknown_name("field", key, _FIELDS), "a field that is known", where=where)
    points = entry.get("points")
    if not isinstance(points, list) or not all(isinstance(p, list) and len(p) == 2 for p in points):
        raise MotionFileError(path, repr(points), "pairs of x and y", where=f"{where}.points")
    about = entry.get("about", "")
    if not isinstance(about, str):
        raise MotionFileError(path, repr(about), "a text", where=f"{where}.about")
    _check_numbers(path, f"{where}.points", (value for point in points for value in point))
    tcb = [_parse_numbers(path, f"{where}.{field}", entry.get(field, 0.0), len(points)) for field in _TCB]
    control = tuple(ControlPoint(float(x), float(y), *own) for (x, y), *own in zip(points, *tcb, strict=True))
    try:
        return Shaping(control, entry.get("ends", "natural"), about)
    except (TypeError, ValueError) as error:
        raise MotionFileError(path, str(error), "points of a function", where=where) from None


def _parse_numbers(path: Path, where: str, value: Any, count: int) -> list[float]:
    """One number for all points, or one for each."""
    values = value if isinstance(value, list) else [value] * count
    if len(values) != count:
        raise MotionFileError(path, f"{len(values)} numbers", f"one, or one for each of {count} points", where=where)
    _check_numbers(path, where, values)
    return [float(number) for number in values]


def _check_numbers(path: Path, where: str, values: Iterable[Any]) -> None:
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise MotionFileError(path, repr(value), "a number", where=where)
        if isinstance(value, int) and abs(value) > LARGEST:  # more than a float can hold
            raise MotionFileError(path, "a number that is far too large", f"−{FARTHEST:g} to {FARTHEST:g}", where=where)


def _check_name(path: Path, name: str) -> str:
    if not name.strip() or name != name.strip() or len(name) > 60 or not name.isprintable():
        raise MotionFileError(path, repr(name), "a name of 1 to 60 printed characters", where="shapes")
    return name


def _quote(text: str) -> str:
    """A TOML string: the JSON string, with the one character escaped that only TOML wants escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
