"""Motion trails: paths of joints as lines in space, with dots at equal times (dots close together: slow movement)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from kinesphere.maths.vectors import Floats
from kinesphere.motion.errors import nearest_names
from kinesphere.pictures import canvas
from kinesphere.pictures.bones import Side
from kinesphere.pictures.camera import Shot
from kinesphere.pictures.canvas import mix_colours
from kinesphere.pictures.performer import Performer
from kinesphere.pictures.render import Ribbon

SIDE_COLOURS_ON_SKIN = {Side.LEFT: canvas.LEFT, Side.RIGHT: canvas.RIGHT_ON_SKIN, Side.MIDDLE: canvas.MIDDLE}
FILM_SECONDS = 0.9  # seconds of trail shown in a film
_POINTS_PER_SECOND, _MAX_POINTS = 120.0, 12_000  # points that a line is drawn through
_LINE, _DOT, _OUTLINE = 0.006, 0.0125, 0.004  # body heights: width, diameter, and the outline around both
_MIN_PIXELS = np.array([1.3, 3.4, 0.9])  # smallest line, dot and outline, in pixels
_OLDEST_WIDTH = 0.55  # factor on a line's width at its oldest point
_OLDEST_OPACITY = 0.12  # factor on opacity at its oldest point, of a trail of limited seconds
_FUTURE_FADE = 0.6  # share of the paper's colour in that of the future part
_OPACITY, _OUTLINE_OPACITY = 0.95, 0.75
_HIDDEN_OPACITY = 0.28  # factor on opacity where the body hides it


@dataclass(frozen=True)
class Trails:
    """Which joints' paths are drawn, and which part of them.

    Attributes
    ----------
    joints
        Humanoid roles (``leftHand``), the skeleton's own names, or ``hands`` and ``feet``.
    seconds
        How much of the path is drawn, up to the moment of the picture. Left out: in a still, all of the motion; on a
        sheet, the path since the previous picture; in a film, 0.9 s.
    every
        Seconds from dot to dot, counted from where the motion begins.
    """

    joints: tuple[str, ...] = ("hands",)
    seconds: float | None = None
    every: float = 1.0 / 15.0

    def __post_init__(self) -> None:
        if not self.joints or not all(self.joints):
            raise ValueError(f"joints={self.joints}; names of joints are expected, such as 'leftHand'")
        if self.seconds is not None and not 0.0 < self.seconds < np.inf:
            raise ValueError(f"seconds={self.seconds:g} of a trail; more than 0 are needed")
        if not 0.001 <= self.every < np.inf:
            raise ValueError(f"every={self.every:g} s; at least 0.001 s from dot to dot are needed")

    def default_seconds(self, seconds: float) -> Trails:
        """The same trails, with these ``seconds`` if they have none of their own."""
        return self if self.seconds is not None else replace(self, seconds=seconds)

    def time_range(self, one: Performer, time: float, since: float | None = None) -> tuple[float, float]:
        """First and last motion time of the trail drawn at ``time``."""
        if self.seconds is not None:
            since = time - self.seconds
        return (one.start, one.end) if since is None else (max(since, one.start), time)


TrailsLike: TypeAlias = Trails | Sequence[str] | bool


def parse_trails(given: TrailsLike) -> Trails | None:
    """Trails from an argument: False gives None, True both hands, names (comma-separated too), or Trails unchanged."""
    if isinstance(given, bool):
        return Trails() if given else None
    if isinstance(given, Trails):
        return given
    names = [given] if isinstance(given, str) else given
    return Trails(tuple(part.strip() for name in names for part in name.split(",")))


def describe_dots(trails: Trails | None) -> str:
    """Caption text: how often there is a dot."""
    if trails is None:
        return ""
    many = round(1.0 / trails.every)
    exact = many > 0 and abs(many * trails.every - 1.0) < 1e-6
    return f" · a dot every {f'1/{many}' if exact and many > 1 else f'{trails.every:g}'} s"


def trail_joints(one: Performer, names: Sequence[str]) -> tuple[int, ...]:
    """The joints of those names. The error for an unknown name suggests the nearest."""
    groups = {"hands": one.figure.hands, "feet": one.figure.feet}
    known = {name.lower(): joint for name, joint in one.joints.items()}
    found: list[int] = []
    for name in names:
        if name.lower() in known:
            found.append(known[name.lower()])
        elif groups.get(name.lower()):
            found += groups[name.lower()]
        else:
            names_known = (*one.joints, *(group for group, members in groups.items() if members))
            raise ValueError(f"{one.name}: no joint {name!r} to draw a trail of; {_suggest(name, names_known)}")
    return tuple(dict.fromkeys(found))


def _suggest(name: str, names: Sequence[str]) -> str:
    """Similar names, or the first twelve if none is similar."""
    if similar := nearest_names(name, names, 2):
        return f"did you mean {' or '.join(similar)}?"
    return f"there are {', '.join(names[:12])}{' and more' if len(names) > 12 else ''}"


def trail_points(one: Performer, time: float, trails: Trails, since: float | None = None) -> Floats:
    """``(N, 3)`` points on the trails of a moment."""
    times = _line_times(*trails.time_range(one, time, since))
    return one.trace(trail_joints(one, trails.joints), times).reshape(-1, 3)


def trail_ribbons(one: Performer, shot: Shot, time: float, trails: Trails, since: float | None = None) -> list[Ribbon]:
    """A line for each joint, widening towards the present, with dots; the future part is paler and drawn underneath."""
    first, last = trails.time_range(one, time, since)
    joints = trail_joints(one, trails.joints)
    line, dot, outline = np.maximum(one.height * np.array([_LINE, _DOT, _OUTLINE]), _MIN_PIXELS / shot.scale)
    parts = [(time, last, True)] if last > time + 1e-6 else []
    outlines, marks = [], []
    for start, end, future in (*parts, (first, min(time, last), False)):
        for times, dots in ((_line_times(start, end), False), (dot_times(one, start, end, trails.every), True)):
            growth = _OLDEST_WIDTH + (1.0 - _OLDEST_WIDTH) * (times - first) / max(last - first, 1e-9)
            widths = np.full(times.shape, dot) if dots else np.maximum(line * growth, _MIN_PIXELS[0] / shot.scale)
            fade = 1.0 if trails.seconds is None else 1.0 - (1.0 - _OLDEST_OPACITY) * (time - times) / trails.seconds
            opacity = np.broadcast_to(fade, times.shape)
            for joint, points in zip(joints, one.trace(joints, times).swapaxes(0, 1), strict=True):
                side = SIDE_COLOURS_ON_SKIN[one.figure.sides[joint]]
                colour = mix_colours(side, canvas.PAPER, _FUTURE_FADE) if future else side
                wide = widths + 2.0 * outline
                outlines.append(Ribbon(points, wide, _OUTLINE_OPACITY * opacity, canvas.PAPER, dots=dots))
                marks.append(Ribbon(points, widths, _OPACITY * opacity, colour, _HIDDEN_OPACITY, dots))
    return outlines + marks


def dot_times(one: Performer, first: float, last: float, every: float) -> Floats:
    """Times of dots: multiples of ``every`` after the first performed frame, so dots don't move between pictures."""
    begin = int(np.ceil((first - one.start) / every - 1e-6))
    end = int(np.floor((last - one.start) / every + 1e-6))
    return np.clip(one.start + every * np.arange(begin, end + 1), first, last)


def _line_times(first: float, last: float) -> Floats:
    return np.linspace(first, last, int(np.clip(np.ceil((last - first) * _POINTS_PER_SECOND) + 1, 2, _MAX_POINTS)))
