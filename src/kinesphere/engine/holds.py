"""Time that pauses and stops insert into a performance.

Before a moment that is held the pace comes down to nothing, after it the pace comes up again, so that the pose in the
hold is the one of that moment and nothing else of the movement changes but when it comes. A hold lasts whole frames:
all frames before it, and all after it, are those that there are without it.

A body that goes on its feet is held with both of them on the ground: a moment at which a foot swings is moved to the
middle of the next double support; in a run, which has none, to when a foot stands next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere.body.ground import runs
from kinesphere.engine.gait_clock import GaitClock
from kinesphere.engine.stepping import Steps
from kinesphere.engine.written_claims import integrated
from kinesphere.maths.vectors import Bools, Floats, clip
from kinesphere.motion.hold import Energy, Hold
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import SAMPLES, Phrase
from kinesphere.motion.timemap import TimeMap

NODES = 240.0  # nodes a second of what is inserted
COMES = {Energy.KEPT: 0.3, Energy.GONE: 0.45}  # seconds in which the pace comes down
STARTS = {Energy.KEPT: 0.35, Energy.GONE: 0.8}  # seconds in which it comes up again: what starts anew does so slowly
CREEP = 1e-6  # seconds of the movement that pass while it is held: clocks never stand
SWINGS = 0.8  # seconds: a foot that stays in the air for longer takes no step, and the body is held as it is
MIDDLE = 0.5  # of a double support


class AskedHold(NamedTuple):
    """One hold, at one moment."""

    at: float  # seconds of the phrase's own time
    seconds: float
    energy: str


class PerformedHold(NamedTuple):
    """One hold in performed time."""

    energy: str
    start: float  # when the pace begins to come down
    comes: float  # seconds in which it does
    leaves: float  # when it begins to come up
    starts: float  # seconds in which it does

    @property
    def end(self) -> float:
        """When all is as without it."""
        return self.leaves + self.starts


@dataclass(frozen=True, eq=False)
class HeldTime:
    """Performed time with holds, beside the time without them.

    Attributes
    ----------
    performed, plain : (N,)
        Seconds with holds, and without them, both increasing.
    paces : (N,)
        Seconds without holds in a second with them.
    holds
        In order.
    """

    performed: Floats
    plain: Floats
    paces: Floats
    holds: tuple[PerformedHold, ...]

    @classmethod
    def of(cls, moments: Sequence[AskedHold], end: float, rate: float) -> HeldTime | None:
        """Of moments in performed time until ``end``; None: nothing is held for a frame or more."""
        lasting = [own._replace(at=min(max(own.at, 0.0), end)) for own in moments if round(own.seconds * rate) > 0]
        if not lasting:
            return None
        lasting.sort()
        places = np.array([own.at for own in lasting])
        room = np.diff(places, prepend=-places[0], append=2.0 * end - places[-1])
        performed, plain, paces = [np.zeros(1)], [np.zeros(1)], [np.ones(1)]
        holds, later = [], 0.0
        for i, own in enumerate(lasting):
            lasts = round(own.seconds * rate) / rate
            comes, starts = min(COMES[Energy(own.energy)], room[i]), min(STARTS[Energy(own.energy)], room[i + 1])
            share = min(2.0 * lasts / max(comes + starts, 1e-9), 1.0)  # a short one never quite comes to rest
            comes, starts = share * comes, share * starts
            start = own.at + later - 0.5 * comes
            leaves = own.at + later + lasts - 0.5 * starts
            holds.append(PerformedHold(own.energy, start, comes, leaves, starts))
            rows = _inserted(holds[-1], own.at)
            for made, row in zip((performed, plain, paces), rows, strict=True):
                made.append(row)
            later += lasts
        rows = np.concatenate(performed), np.concatenate(plain), np.concatenate(paces)
        kept = np.concatenate([[True], (np.diff(rows[0]) > 1e-12) & (np.diff(rows[1]) > 0.0)])
        performed_row, plain_row, pace_row = (row[kept] for row in rows)
        if end > plain_row[-1] + 1e-9:
            performed_row = np.append(performed_row, end + later)
            plain_row, pace_row = np.append(plain_row, end), np.append(pace_row, 1.0)
        return cls(performed_row, plain_row, pace_row, tuple(holds))

    def to_plain(self, time: Floats) -> Floats:
        """Seconds without holds, at seconds with them."""
        return np.interp(time, self.performed, self.plain)

    def to_performed(self, time: Floats) -> Floats:
        """Seconds with holds, at seconds without them."""
        return np.interp(time, self.plain, self.performed)

    @property
    def time_map(self) -> TimeMap:
        """From seconds without holds to seconds with them."""
        return TimeMap(self.plain, self.performed)


def _inserted(hold: PerformedHold, at: float) -> tuple[Floats, Floats, Floats]:
    """Performed seconds, seconds without the hold, and paces ``(N,)``, from where the pace comes down to its end."""
    count = max(int(np.ceil((hold.end - hold.start) * NODES)), 4)
    edges = [hold.start + hold.comes, hold.leaves]
    time = np.unique(np.concatenate([np.linspace(hold.start, hold.end, count + 1), edges]))
    down = clip((time - hold.start) / max(hold.comes, 1e-9), 0.0, 1.0)
    up = clip((time - hold.leaves) / max(hold.starts, 1e-9), 0.0, 1.0)
    plain = at - 0.5 * hold.comes + hold.comes * (down - _area(down)) + hold.starts * _area(up)
    creep, way = CREEP * (time - hold.start) / max(hold.end - hold.start, 1e-9), 0.5 * (hold.comes + hold.starts)
    if way > 2.0 * CREEP:
        plain = plain[0] + (plain - plain[0]) * (1.0 - CREEP / way) + creep
    else:
        plain = plain + creep
    return time, plain, 1.0 - _eased(down) + _eased(up)


def _eased(share: Floats) -> Floats:
    return np.asarray(share**3 * (10.0 - 15.0 * share + 6.0 * share * share))


def _area(share: Floats) -> Floats:
    """Of the easing, from 0 to a share."""
    return np.asarray(share**4 * (2.5 - 3.0 * share + share * share))


# Which moments


def asks_holds(phrase: Phrase) -> bool:
    """Whether anything is to be held."""
    return "hold" in integrated(phrase).aspects


def asked_holds(phrase: Phrase) -> list[AskedHold]:
    """Moments of the phrase's own time that properties ask to be held, where feet stand."""
    made = []
    for claim in integrated(phrase).ranked("hold"):
        assert isinstance(claim.value, Hold)
        for at in claim.value.times:
            curve = np.atleast_1d(np.asarray(claim.weight, dtype=np.float64))
            weight = float(np.interp(at, np.arange(len(curve)) / SAMPLES, curve))
            place = at if claim.value.settled else settled_moment(phrase, at)
            made.append(AskedHold(place, weight * claim.value.seconds, claim.value.energy))
    return made


def settled_moment(phrase: Phrase, at: float) -> float:
    """The moment at which a body can be held: as it is asked for, or when both feet stand next."""
    if phrase.detail is not None:
        return _standing_moment(phrase.detail.steps, phrase.detail.recording.rate, at)
    if phrase.gait is not None:
        return _double_support(phrase, at)
    for side in SIDES:
        for step in phrase.track(f"{side}_leg").steps:
            if step.lift < at < step.land:
                return float(min(step.land, phrase.duration))
    return at


def _double_support(phrase: Phrase, at: float) -> float:
    """The middle of a double support of a walk, at a moment or next; of a run, of a stance."""
    clock = GaitClock.of(phrase, SAMPLES)
    leaves = float(clock.gait.leaves)
    lasts = leaves - 0.5 if leaves > 0.5 else leaves
    phase = clock.start + at / clock.period
    if np.mod(phase, 0.5) <= lasts:
        return at
    middle = np.ceil(2.0 * phase) / 2.0 + MIDDLE * lasts
    moved = float((middle - clock.start) * clock.period)
    return moved if moved < phrase.duration else at


def _standing_moment(steps: Steps, rate: float, at: float) -> float:
    """The moment at which both feet of a recording stand, at one or next."""
    count = len(steps.walking)
    feet = {side: np.zeros(count, dtype=np.bool_) for side in SIDES}
    for stance in steps.stances:
        feet[stance.side][max(stance.first, 0) : stance.last + 1] = True
    both = feet["left"] & feet["right"]
    frame = min(max(round(at * rate), 0), count - 1)
    if both[frame]:
        return at
    for mask in (both, feet["left"] | feet["right"]):
        found = _next_run(mask, frame, max(round(SWINGS * rate), 1))
        if found is not None:
            return at if mask[frame] else found / rate
    return at


def _next_run(mask: Bools, frame: int, reach: int) -> float | None:
    """The middle of the run of a mask that holds at a frame, or that begins next within reach; None: there is none."""
    for first, last in runs(mask):
        if last >= frame:
            return None if first > frame + reach else first + MIDDLE * min(last - first, reach)
    return None
