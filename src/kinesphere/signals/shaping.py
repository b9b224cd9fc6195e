"""Shaping functions: what a curve's values become, as a spline through control points; a library of them by name.

Values are measured from −1 to 1 over a range, and the points say what they turn into. Points may be added, moved and
taken away; only their x must increase. Beyond the first and the last point a function goes on along its tangent.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from kinesphere.files.atomic import replacing
from kinesphere.files.errors import MotionFileError
from kinesphere.files.toml_text import parsed_table, read_table
from kinesphere.kernels.arrays import ArrayLike, Floats, floats
from kinesphere.kernels.splines import Spline, kochanek_bartels
from kinesphere.motion.gesture import unknown

Ends = Literal["natural", "clamped", "chord"]
FARTHEST = 10.0  # of a point, in half ranges
LARGEST = 10**9  # of a whole number in a file; points have limits of their own
MOST_POINTS = 500
SAME = 1e-12  # farther from y = x, it is no identity
_EXPECTED = "shaping functions in TOML"
_TUNED = ("tension", "continuity", "bias")
_FIELDS = ("points", *_TUNED, "ends", "about")


class Point(NamedTuple):
    """A control point, with the tension, continuity and bias of the spline there."""

    x: float
    y: float
    tension: float = 0.0
    continuity: float = 0.0
    bias: float = 0.0


@dataclass(frozen=True)
class Shaping:
    """A function through control points: a Kochanek–Bartels spline.

    Parameters
    ----------
    points
        Two or more, as ``(x, y)`` or with tension, continuity and bias from −1 to 1. A continuity of −1 between
        points that lie evenly makes straight lines with corners.
    ends
        How it leaves its ends: "natural" without bending, "chord" straight, "clamped" level, so that it stays there.
    about
        What it does, in words.
    """

    points: tuple[Point, ...] = (Point(-1.0, -1.0), Point(1.0, 1.0))
    ends: Ends = "natural"
    about: str = ""

    def __post_init__(self) -> None:
        points = tuple(_point(i, given) for i, given in enumerate(self.points))
        if not 2 <= len(points) <= MOST_POINTS:
            raise ValueError(f"{len(points)} points; 2 to {MOST_POINTS} are expected")
        for i, (before, after) in enumerate(zip(points[:-1], points[1:], strict=True)):
            if after.x <= before.x:
                raise ValueError(f"point {i + 1} at x = {after.x:g} follows one at {before.x:g}: x must increase")
        if self.ends not in get_args(Ends):
            raise ValueError(unknown("end", str(self.ends), get_args(Ends)))
        object.__setattr__(self, "points", points)

    def __call__(self, values: ArrayLike) -> Floats:
        """What values of any shape become."""
        return self.curve.value(floats(values))

    @cached_property
    def curve(self) -> Spline:
        """The spline over x."""
        x, y, tension, continuity, bias = np.array(self.points).T
        return kochanek_bartels(y, x, tension=tension, continuity=continuity, bias=bias, ends=self.ends)

    @cached_property
    def identity(self) -> bool:
        """Whether everything stays what it is."""
        curve = self.curve
        slopes = np.concatenate([curve.incoming, curve.outgoing])
        return bool(np.abs(curve.keys - curve.times).max() < SAME and np.abs(slopes - 1.0).max() < SAME)

    def with_point(self, x: float, y: float, *tuning: float) -> Shaping:
        """With one more point; one that is at the same x already is moved."""
        added = _point(len(self.points), (x, y, *tuning))
        kept = [point for point in self.points if point.x != added.x]
        return replace(self, points=tuple(sorted([*kept, added])))

    def moved(self, index: int, x: float, y: float) -> Shaping:
        """With a point elsewhere, between its neighbours."""
        points = self._with(index)
        points[index] = points[index]._replace(x=x, y=y)
        return replace(self, points=tuple(points))

    def without(self, index: int) -> Shaping:
        """With one point less."""
        points = self._with(index)
        del points[index]
        return replace(self, points=tuple(points))

    def _with(self, index: int) -> list[Point]:
        """All points, if that is one of them."""
        count = len(self.points)
        if not -count <= index < count:
            raise ValueError(f"point {index}: there are {count}, from 0 to {count - 1}")
        return list(self.points)


Shapes = Mapping[str, Shaping]


@lru_cache
def shapes() -> Shapes:
    """The shaping functions that come with Kinesphere."""
    ours = files("kinesphere.signals") / "shapes.toml"
    return _parsed(Path(ours.name), parsed_table(Path(ours.name), ours.read_bytes(), _EXPECTED))


def load_shapes(path: str | Path) -> Shapes:
    """Our shaping functions and those of a TOML file, which take precedence."""
    return MappingProxyType(dict(shapes()) | dict(read_shapes(path)))


def read_shapes(path: str | Path) -> Shapes:
    """The shaping functions of a TOML file alone."""
    file = Path(path)
    return _parsed(file, read_table(file, _EXPECTED))


def save_shapes(given: Mapping[str, Shaping], path: str | Path) -> None:
    """Write shaping functions so that ``load_shapes`` gives them back."""
    file, lines = Path(path), list[str]()
    for name, shaping in given.items():
        _checked_name(file, name)
        lines += [f"[shapes.{_quoted(name)}]"]
        lines += [f"about = {_quoted(shaping.about)}"] if shaping.about else []
        lines += [f"points = [{', '.join(f'[{p.x!r}, {p.y!r}]' for p in shaping.points)}]"]
        for field in _TUNED:
            values = [getattr(point, field) for point in shaping.points]
            if any(values):
                one = len(set(values)) == 1
                lines.append(f"{field} = {values[0]!r}" if one else f"{field} = {values!r}")
        lines += [f'ends = "{shaping.ends}"', ""]
    text = "\n".join(lines) if lines else "[shapes]\n"
    with replacing(file) as out:
        out.write(text.encode("utf-8"))


def shaping_called(name: str) -> Shaping:
    """One of ours by its name, or the error that suggests the nearest."""
    if name not in shapes():
        raise ValueError(f"{unknown('shape', name, shapes())}. A file of your own can add it, see load_shapes")
    return shapes()[name]


def _point(index: int, given: Sequence[float]) -> Point:
    try:
        point = Point(*(float(value) for value in given))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"point {index} is {reprlib.repr(given)}; x and y are expected, then tension, continuity, bias"
        ) from None
    if not all(abs(value) <= FARTHEST for value in point[:2]):
        raise ValueError(f"point {index} is at {point.x:g}, {point.y:g}; −{FARTHEST:g} to {FARTHEST:g} is allowed")
    for field in _TUNED:
        if not abs(getattr(point, field)) <= 1.0:
            raise ValueError(f"the {field} of point {index} is {getattr(point, field):g}; −1 to 1 is allowed")
    return point


def _parsed(path: Path, table: Mapping[str, Any]) -> Shapes:
    entries = table.get("shapes")
    if not isinstance(entries, dict) or set(table) != {"shapes"}:
        raise MotionFileError(path, f"tables {', '.join(table) or '(none)'}", "one table [shapes]")
    return MappingProxyType({_checked_name(path, name): _shaping(path, name, entry) for name, entry in entries.items()})


def _shaping(path: Path, name: str, entry: Any) -> Shaping:
    where = f"shapes.{name}"
    if not isinstance(entry, dict):
        raise MotionFileError(path, repr(entry), "a table such as { points = [[-1, -1], [1, 1]] }", where=where)
    for key in entry:
        if key not in _FIELDS:
            raise MotionFileError(path, unknown("field", key, _FIELDS), "a field that is known", where=where)
    points = entry.get("points")
    if not isinstance(points, list) or not all(isinstance(p, list) and len(p) == 2 for p in points):
        raise MotionFileError(path, repr(points), "pairs of x and y", where=f"{where}.points")
    about = entry.get("about", "")
    if not isinstance(about, str):
        raise MotionFileError(path, repr(about), "a text", where=f"{where}.about")
    _check_numbers(path, f"{where}.points", (value for point in points for value in point))
    tuned = [_tuned(path, f"{where}.{field}", entry.get(field, 0.0), len(points)) for field in _TUNED]
    made = tuple(Point(float(x), float(y), *tuning) for (x, y), *tuning in zip(points, *tuned, strict=True))
    try:
        return Shaping(made, entry.get("ends", "natural"), about)
    except ValueError as error:
        raise MotionFileError(path, str(error), "points of a function", where=where) from None


def _tuned(path: Path, where: str, value: Any, count: int) -> list[float]:
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


def _checked_name(path: Path, name: str) -> str:
    if not name.strip() or name != name.strip() or len(name) > 60 or not name.isprintable():
        raise MotionFileError(path, repr(name), "a name of 1 to 60 printed characters", where="shapes")
    return name


def _quoted(text: str) -> str:
    """A TOML string: JSON's are, but for a character that TOML wants escaped."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
