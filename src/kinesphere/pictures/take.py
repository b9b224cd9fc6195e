"""One panel of a film, a sheet or a still: a performer at a time, with its trails and ghosts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.kernels.arrays import Floats
from kinesphere.motion.character import Character
from kinesphere.motion.motion import Motion
from kinesphere.pictures import colours
from kinesphere.pictures.figure import Side
from kinesphere.pictures.light import FILM, Effort
from kinesphere.pictures.performer import Performer, performer
from kinesphere.pictures.render import Pixels, Ribbon, Stage, render
from kinesphere.pictures.shot import Shot

SIDE_COLOURS = {Side.LEFT: colours.LEFT, Side.RIGHT: colours.RIGHT, Side.MIDDLE: colours.MIDDLE}
_TRAIL_SECONDS, _TRAIL_STEPS = 0.9, 54
_GHOST_SECONDS = 0.3  # from one ghost to the next
_WIDTH = 0.016  # body heights, of a ribbon where it is now


@dataclass(frozen=True)
class Marks:
    """What is drawn besides the body."""

    trails: bool = False
    ghosts: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.ghosts <= 24:
            raise ValueError(f"ghosts={self.ghosts}; allowed: 0 to 24")


def cast_all(
    motions: Motion | Sequence[Motion], characters: Character | Sequence[Character | None] | None
) -> list[Performer]:
    """A performer for each motion: all on one character, or each on its own."""
    listed = [motions] if isinstance(motions, Motion) else list(motions)
    if not listed:
        raise ValueError("no motion to draw; at least one is needed")
    if characters is None or isinstance(characters, Character):
        return [performer(motion, characters) for motion in listed]
    if len(characters) != len(listed):
        raise ValueError(f"{len(characters)} characters for {len(listed)} motions; one for each, or one for all")
    return [performer(motion, character) for motion, character in zip(listed, characters, strict=True)]


def take(one: Performer, shot: Shot, time: float, marks: Marks, finer: int = 2, effort: Effort = FILM) -> Pixels:
    """The performer at a time of its own clock, followed by the camera."""
    followed = shot.towards(one.target(time))
    stage = Stage(one.floor, one.height, finer, effort)
    ghosts = []
    for number, past in reversed(list(enumerate(ghost_times(one, time, marks)))[1:]):
        ghosts.append((one.surface(past), 0.58 * (1.0 - number / (marks.ghosts + 1.0)) + 0.12))
    ribbons = _ribbons(one, time, followed) if marks.trails else []
    return render(one.surface(time), followed, stage, ghosts=ghosts, ribbons=ribbons)


def ghost_times(one: Performer, time: float, marks: Marks) -> list[float]:
    """Now, and the earlier times at which ghosts stand."""
    times = [time - number * _GHOST_SECONDS for number in range(1, marks.ghosts + 1)]
    return [time, *(past for past in times if past >= one.start - 1e-9)]


def trail_points(one: Performer, time: float) -> Floats:
    """``(N, 3)`` where the trails of a moment run."""
    times = _trail_times(one, time)
    return one.trace(times).reshape(-1, 3) if len(times) and one.traced else np.empty((0, 3))


def _trail_times(one: Performer, time: float) -> Floats:
    start = max(time - _TRAIL_SECONDS, one.start)
    return np.linspace(start, time, _TRAIL_STEPS) if time - start > 1e-6 else np.empty(0)


def _ribbons(one: Performer, time: float, shot: Shot) -> list[Ribbon]:
    """The last second of each hand and foot, thick and strong now, thin and pale then."""
    times = _trail_times(one, time)
    if not len(times) or not one.traced:
        return []
    fresh: Floats = np.clip(1.0 - (time - times) / _TRAIL_SECONDS, 0.0, 1.0)
    places = one.trace(times)
    widths = np.maximum(_WIDTH * one.height * (0.15 + 0.85 * fresh), 1.0 / shot.scale)
    found = []
    for number, joint in enumerate(one.traced):
        side = one.figure.sides[joint]
        strong = 0.85 if joint in one.figure.hands else 0.6
        found.append(Ribbon(places[:, number], widths, strong * fresh**1.5, SIDE_COLOURS[side]))
    return [replace(ribbon, points=np.ascontiguousarray(ribbon.points)) for ribbon in found]
