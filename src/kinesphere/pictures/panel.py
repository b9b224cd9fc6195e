"""One panel of a film, a sheet or a still: a performer at a time, with its trails and ghosts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kinesphere.motion.character import Character
from kinesphere.motion.motion import Motion
from kinesphere.pictures.light import FILM, Quality
from kinesphere.pictures.performer import Performer, make_performer
from kinesphere.pictures.render import Pixels, Shot, Stage, render
from kinesphere.pictures.trails import Trails, trail_ribbons

_GHOST_SECONDS = 0.3  # from one ghost to the next


@dataclass(frozen=True)
class Overlays:
    """What is drawn besides the body."""

    trails: Trails | None = None
    ghosts: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.ghosts <= 24:
            raise ValueError(f"ghosts={self.ghosts}; allowed: 0 to 24")


def make_performers(
    motions: Motion | Sequence[Motion], characters: Character | Sequence[Character | None] | None
) -> list[Performer]:
    """A performer for each motion: all on one character, or each on its own."""
    listed = [motions] if isinstance(motions, Motion) else list(motions)
    if not listed:
        raise ValueError("no motion to draw; at least one is needed")
    if characters is None or isinstance(characters, Character):
        return [make_performer(motion, characters) for motion in listed]
    if len(characters) != len(listed):
        raise ValueError(f"{len(characters)} characters for {len(listed)} motions; one for each, or one for all")
    return [make_performer(motion, character) for motion, character in zip(listed, characters, strict=True)]


def shoot(
    one: Performer,
    shot: Shot,
    time: float,
    marks: Overlays,
    finer: int = 2,
    effort: Quality = FILM,
    since: float | None = None,
) -> Pixels:
    """The performer at a time of its own clock, followed by the camera. ``since``: the time of the picture before."""
    followed = shot.towards(one.target(time))
    stage = Stage(one.floor, one.height, finer, effort)
    ghosts = []
    for number, past in reversed(list(enumerate(ghost_times(one, time, marks)))[1:]):
        ghosts.append((one.surface(past), 0.58 * (1.0 - number / (marks.ghosts + 1.0)) + 0.12))
    ribbons = trail_ribbons(one, followed, time, marks.trails, since) if marks.trails else []
    return render(one.surface(time), followed, stage, ghosts=ghosts, ribbons=ribbons)


def ghost_times(one: Performer, time: float, marks: Overlays) -> list[float]:
    """Now, and the earlier times at which ghosts stand."""
    times = [time - number * _GHOST_SECONDS for number in range(1, marks.ghosts + 1)]
    return [time, *(past for past in times if past >= one.start - 1e-9)]
