"""Waveshaping: pass every curve's values through a shaping function (Bruderlin and Williams 1995).

A shaping function is a spline through control points, over values from −1 to 1 of a range: of what a curve does in the
clip, or of what the joint can do. Points may be added, moved and taken away; only their x must increase. Beyond the
first and the last point a function goes on along its tangent. ``shapes.toml`` is the library of functions by name; a
file of one's own has the same form.
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

from kinesphere.body.limits import NEEDED, LimitedJoint, find_limited_joints
from kinesphere.body.require_roles import require_motion_roles
from kinesphere.files.atomic import atomic_write
from kinesphere.files.schema import parse_toml, read_table
from kinesphere.maths import rotation_curves, rotations, waveshaping
from kinesphere.maths.hinges import Hinge, shape_hinge
from kinesphere.maths.splines import Spline, kochanek_bartels
from kinesphere.maths.threads import share_work
from kinesphere.maths.vectors import ArrayLike, Bools, Floats, Ints, as_floats
from kinesphere.motion.errors import MotionFileError, MotionFileWarning, unknown_name, warn_caller
from kinesphere.motion.memo import memoised
from kinesphere.motion.skeleton import Skeleton
from kinesphere.signals.curves import Curves
from kinesphere.signals.edit import Edit

Ends = Literal["natural", "clamped", "chord"]
By = Literal["clip", "joint"]
FARTHEST = 10.0  # of a point, in half ranges
LARGEST = 10**9  # of a whole number in a file; points have limits of their own
MOST_POINTS = 500
SAME = 1e-12  # a function farther from y = x is no identity
NARROW = 1e-9  # radians or metres: curves that move by less are constant
MOST_EXCESS = float(np.radians(60.0))  # that a joint goes past its limits; farther, and they are not this body's
_EXPECTED = "shaping functions in TOML"
_TCB = ("tension", "continuity", "bias")
_FIELDS = ("points", *_TCB, "ends", "about")


class ControlPoint(NamedTuple):
    """A control point, with tension, continuity and bias of the spline there."""

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

    points: tuple[ControlPoint, ...] = (ControlPoint(-1.0, -1.0), ControlPoint(1.0, 1.0))
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
            raise ValueError(unknown_name("end", str(self.ends), get_args(Ends)))
        object.__setattr__(self, "points", points)

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
        added = _point(len(self.points), (x, y, *tcb))
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
    ours = files("kinesphere.signals") / "shapes.toml"
    return _parse_shapes(Path(ours.name), parse_toml(Path(ours.name), ours.read_bytes(), _EXPECTED))


def load_shapes(path: str | Path) -> Shapes:
    """Our shaping functions and those of a TOML file, which take precedence."""
    return MappingProxyType(dict(shapes()) | dict(read_shapes(path)))


def read_shapes(path: str | Path) -> Shapes:
    """The shaping functions of a TOML file alone."""
    file = Path(path)
    return _parse_shapes(file, read_table(file, _EXPECTED))


def save_shapes(given: Mapping[str, Shaping], path: str | Path) -> None:
    """Write shaping functions so that ``load_shapes`` gives them back."""
    file, lines = Path(path), list[str]()
    for name, shaping in given.items():
        _check_name(file, name)
        lines += [f"[shapes.{_quote(name)}]"]
        lines += [f"about = {_quote(shaping.about)}"] if shaping.about else []
        lines += [f"points = [{', '.join(f'[{p.x!r}, {p.y!r}]' for p in shaping.points)}]"]
        for field in _TCB:
            values = [getattr(point, field) for point in shaping.points]
            if any(values):
                one = len(set(values)) == 1
                lines.append(f"{field} = {values[0]!r}" if one else f"{field} = {values!r}")
        lines += [f'ends = "{shaping.ends}"', ""]
    text = "\n".join(lines) if lines else "[shapes]\n"
    with atomic_write(file) as out:
        out.write(text.encode("utf-8"))


def find_shaping(name: str) -> Shaping:
    """One of ours by its name, or the error that suggests the nearest."""
    if name not in shapes():
        raise ValueError(f"{unknown_name('shape', name, shapes())}. A file of your own can add it, see load_shapes")
    return shapes()[name]


def _point(index: int, given: Sequence[float]) -> ControlPoint:
    try:
        point = ControlPoint(*(float(value) for value in given))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"point {index} is {reprlib.repr(given)}; x and y are expected, then tension, continuity, bias"
        ) from None
    if not all(abs(value) <= FARTHEST for value in point[:2]):
        raise ValueError(f"point {index} is at {point.x:g}, {point.y:g}; −{FARTHEST:g} to {FARTHEST:g} is allowed")
    for field in _TCB:
        if not abs(getattr(point, field)) <= 1.0:
            raise ValueError(f"the {field} of point {index} is {getattr(point, field):g}; −1 to 1 is allowed")
    return point


def _parse_shapes(path: Path, table: Mapping[str, Any]) -> Shapes:
    entries = table.get("shapes")
    if not isinstance(entries, dict) or set(table) != {"shapes"}:
        raise MotionFileError(path, f"tables {', '.join(table) or '(none)'}", "one table [shapes]")
    return MappingProxyType(
        {_check_name(path, name): _parse_shaping(path, name, entry) for name, entry in entries.items()}
    )


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
    except ValueError as error:
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


# The edit


class LimitsDontFit(MotionFileWarning):
    """Limits of some joints are not known well enough on this body; these joints stay as they are."""


@dataclass(frozen=True)
class Waveshape(Edit):
    """Values of curves passed through a shaping function, frame by frame.

    Parameters
    ----------
    shape
        A shaping function, or the name of one in the library (see ``shapes``).
    amount
        From 0, nothing, to 1, all of it.
    by
        What −1 and 1 mean to the function. "clip": the least and the greatest value of each curve in this clip.
        "joint": what the joint can do, as flexion, side and twist from limit to limit. Joints whose limits are not
        known (fingers, the hips) stay as they are, and so, with a warning, do those that limits don't fit: joints that
        are at or past them in most frames, or past them by more than 60° in any.
        ``Waveshape("limits", by="joint")`` brings joints softly to their limits and leaves what is well inside alone.
    root
        Whether heading and path are shaped, too. They have no limits, hence only by clip.
    """

    shape: str | Shaping = "identity"
    amount: float = 1.0
    by: By = "clip"
    root: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.shape, str | Shaping):
            raise TypeError(f"shape is {self.shape!r}; a Shaping or a name is expected")
        if isinstance(self.shape, str):
            find_shaping(self.shape)
        if not 0.0 <= self.amount <= 1.0:
            raise ValueError(f"amount is {self.amount!r}; 0 to 1 is allowed")
        if self.by not in get_args(By):
            raise ValueError(unknown_name("range", str(self.by), get_args(By)))
        if self.root and self.by == "joint":
            raise ValueError("root=True with by='joint': heading and path have no limits to be shaped by")

    @property
    def shaping(self) -> Shaping:
        """The shaping function."""
        return find_shaping(self.shape) if isinstance(self.shape, str) else self.shape

    @property
    def neutral(self) -> bool:
        return self.amount == 0.0 or self.shaping.identity

    def edit_table(self, curves: Curves, joints: Bools) -> Floats:
        if self.by == "joint":
            return self._shape_by_joint(curves, joints)
        centre, half = waveshaping.column_ranges(curves.table)
        half[half < NARROW] = 0.0
        half[~joints[curves.owners]] = 0.0
        if not self.root:
            half[curves.heading_column :] = 0.0
        table = waveshaping.waveshape(curves.table, centre, half, self.shaping.curve, self.amount)
        if not self.root and joints[curves.root]:
            _keep_heading(curves, table)
        return table

    def _shape_by_joint(self, curves: Curves, joints: Bools) -> Floats:
        motion = require_motion_roles(curves.motion, NEEDED, "shaping by what joints can do")
        known, table = _find_limited_hinges(motion.skeleton), curves.table.copy()
        local, soft_limits = np.ascontiguousarray(motion.rotations[:, known.joints]), find_shaping("limits")
        limiting = self.shaping == soft_limits

        def shape(hinge: Hinge) -> bool:
            """Whether limits fit the joint, by what they would do to it; it stays as it is if they don't."""
            row, joint = int(hinge.path[-1]), int(known.joints[hinge.path[-1]])
            before, reference = motion.rotations[:, joint], curves.reference[joint]
            columns = table[:, 3 * joint : 3 * joint + 3]
            amount = self.amount if limiting else 1.0
            shape_hinge(local, columns, reference, hinge, soft_limits.curve, amount)
            fits = _limits_fit(before, local[:, row], amount)
            if not (fits and limiting):
                local[:, row], columns[:] = before, curves.table[:, 3 * joint : 3 * joint + 3]
                if fits:
                    shape_hinge(local, columns, reference, hinge, self.shaping.curve, self.amount)
            return fits

        unfit: list[int] = []
        for level in known.levels:
            chosen = [hinge for hinge in level if joints[known.joints[hinge.path[-1]]]]
            fits = share_work(shape, chosen)
            unfit += [int(known.joints[one.path[-1]]) for one, fit in zip(chosen, fits, strict=True) if not fit]
        if unfit:
            name = f"{motion.name}: " if motion.name else ""
            names = ", ".join(motion.skeleton.names[joint] for joint in sorted(unfit))
            kept = f"{'it stays' if len(unfit) == 1 else 'they stay'} as before"
            warn_caller(f"{name}the limits that are known don't fit {names} on this body; {kept}", LimitsDontFit)
        return table


def _limits_fit(before: Floats, limited: Floats, amount: float) -> bool:
    """Whether limits fit a joint ``(T, 4)``: an ``amount`` of them changes it in few frames, and not by much."""
    changed = (before[:, 0] != limited[:, 0]) | (before[:, 1] != limited[:, 1])  # the others keep their bits
    count = np.count_nonzero(changed)
    if count == 0:
        return True
    cosines = np.abs(np.einsum("ti,ti->t", before, limited))
    return bool(2 * count <= len(before) and cosines.min() >= np.cos(0.5 * amount * MOST_EXCESS))


class _LimitedHinges(NamedTuple):
    """The joints of a skeleton whose limits are known, and those that they are measured along."""

    joints: Ints
    levels: tuple[list[Hinge], list[Hinge]]  # by number in ``joints``; the second is measured along the first


@memoised
def _find_limited_hinges(skeleton: Skeleton) -> _LimitedHinges:
    limited = find_limited_joints(skeleton)
    joints = np.unique([joint for hinge in limited for joint in hinge.path])
    # Upper arms, which have a cone, are measured past the shoulders: those are shaped before them.
    plain = [_hinge(one, joints) for one in limited if one.limit.cone is None]
    cones = [_hinge(one, joints) for one in limited if one.limit.cone is not None]
    return _LimitedHinges(joints, (plain, cones))


def _hinge(given: LimitedJoint, joints: Ints) -> Hinge:
    limit = given.limit
    axes = np.stack([given.bone, given.neutral, given.forward, given.side])
    ranges = np.array([limit.flexion, limit.side, limit.twist])
    return Hinge(np.searchsorted(joints, given.path), given.before, given.after, axes, ranges, limit.cone or 0.0)


def _keep_heading(curves: Curves, table: Floats) -> None:
    """Take out of the heading, in place, the rotation about the vertical that the shaped tilt now has."""
    if curves.up is None:
        return
    root = curves.root
    vectors = table[:, None, 3 * root : 3 * root + 3]
    tilt = rotation_curves.from_rotation_curves(vectors, curves.reference[root : root + 1])[:, 0]
    rest = curves.motion.skeleton.rest_rotations[root]
    from_rest = rotations.multiply(tilt, rotations.conjugate(rest))
    table[:, curves.heading_column] -= rotation_curves.heading(from_rest, curves.up)[0]
