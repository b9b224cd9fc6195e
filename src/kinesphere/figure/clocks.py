"""Clocks: when a gesture's moments come once Effort has stretched its strokes, and which of its moments is now.

Each arm has its own. Within a stroke a clock runs as the hand does: late and fast, or early and slow, so that torso,
fingers and steps go with the stroke. It only ever runs forwards; anticipation and overshoot are the hand's own.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from kinesphere.figure.manner import SHORTEST, ArmManner
from kinesphere.figure.spans import RATE
from kinesphere.kernels import compiled
from kinesphere.kernels.arrays import Floats, Ints, within
from kinesphere.kernels.timing import progress

ACCENTED = 3.4  # mean speeds that a stroke has at its fastest at least, where it is made as short as a hand can go
FASTEST = 8.0  # metres a second that a hand is made to go
_SHARES = np.linspace(0.0, 1.0, 65)
WORTH = 1000  # a stroke's peak is far more work than a number of a product
FOLLOWS = 0.85  # of how far a stroke's timing is from the plain one that everything else goes along with


@dataclass(frozen=True, eq=False)
class Clock:
    """A gesture's stops in its own time and when they come.

    Attributes
    ----------
    source, goals : (S + 1,)
        When each stroke begins and the last one ends, as written and as performed, on whole frames.
    inflection, anticipation, overshoot, time_exponent : (S,)
        Each stroke's timing.
    plain : (S,)
        What its inflection would be without Effort.
    lead, tail
        What the time before the first goal and after the last is multiplied by.
    """

    source: Floats
    goals: Floats
    inflection: Floats
    anticipation: Floats
    overshoot: Floats
    time_exponent: Floats
    plain: Floats
    lead: float
    tail: float

    @property
    def change(self) -> float:
        """How far its strokes are from the plain ones, from 0 to 1."""
        lasts = np.diff(self.goals) / np.maximum(np.diff(self.source), 1e-9)
        away = np.abs(np.log(np.maximum(lasts, 1e-3))) + np.abs(self.time_exponent - 1.0)
        away = away + 2.0 * np.abs(self.inflection - self.plain)
        return float(within(2.0 * away.max() - 0.2, 0.0, 1.0))  # a stroke on whole frames is no change

    def like(self, other: Clock) -> bool:
        """Whether both run alike."""
        return self is other or self._bytes == other._bytes

    @cached_property
    def _bytes(self) -> bytes:
        return b"".join(np.asarray(getattr(self, row.name)).tobytes() for row in fields(self))

    def end(self, duration: float) -> float:
        """When the gesture is over, whose own duration is this."""
        return float(self.goals[-1] + self.tail * max(duration - self.source[-1], 0.0))

    def stroke_at(self, time: Floats) -> tuple[Ints, Floats]:
        """Each moment's stroke and the share of its time that has passed; 0 before the first, 1 after the last."""
        stroke = within(np.searchsorted(self.goals, time + 1e-9, side="right") - 1, 0, len(self.goals) - 2)
        share = (time - self.goals[stroke]) / (self.goals[stroke + 1] - self.goals[stroke])
        return stroke, within(share, 0.0, 1.0)

    def moment(self, time: Floats) -> Floats:
        """Which moment of the gesture's own time it is."""
        stroke, share = self.stroke_at(time)
        shaped = followed(share, self.inflection[stroke], self.time_exponent[stroke], self.plain[stroke])
        length = self.source[stroke + 1] - self.source[stroke]
        early = np.minimum(time - self.goals[0], 0.0) / self.lead
        late = np.maximum(time - self.goals[-1], 0.0) / self.tail
        return np.asarray(self.source[stroke] + shaped * length + early + late)

    def when(self, moment: Floats) -> Floats:
        """When a moment of the gesture's own time comes, strokes taken as even."""
        inside = np.interp(moment, self.source, self.goals)
        early = self.lead * np.minimum(moment - self.source[0], 0.0)
        late = self.tail * np.maximum(moment - self.source[-1], 0.0)
        return np.asarray(inside + early + late)


def clock(source: Floats, ways: Floats, manner: ArmManner, eases: Floats | None, locked: bool) -> Clock:
    """The clock of strokes that begin and end at ``source (S + 1,)`` seconds and go ``ways (S,)`` metres far.

    No stroke is made quicker than a hand can go: it is shortened less, and where that is not enough, its accent is
    less sharp. Strokes that are written quicker than that stay as they are.
    """
    count = len(source) - 1
    given = manner.stroke("inflection", count)
    plain = np.full(count, 0.5) if eases is None else eases
    # A gesture's own accents stay where Effort is neutral, and give way to it.
    inflection = np.where(given < 0.5, plain * given / 0.5, plain + (1.0 - plain) * (given - 0.5) / 0.5)
    lasts = np.diff(source)
    slower = np.ones(count) if locked else manner.stroke("duration", count)
    exponent = manner.stroke("time_exponent", count)
    before, beyond = manner.stroke("anticipation", count), manner.stroke("overshoot", count)
    fastest = peak(inflection, before, beyond, exponent)
    # How short a stroke may be does not depend on its accent: what is more sudden is never longer.
    least = np.minimum(lasts, np.where(ways > 0.0, np.maximum(ACCENTED * ways / FASTEST, SHORTEST), 0.0))
    made = np.maximum(slower * lasts, least)
    sharp = within((FASTEST * made / np.maximum(ways, 1e-9) - 2.0) / np.maximum(fastest - 2.0, 1e-9), 0.0, 1.0)
    inflection, exponent = plain + sharp * (inflection - plain), 1.0 + sharp * (exponent - 1.0)
    start = source[0] * slower[0]
    goals = np.concatenate([[start], start + np.cumsum(made)])
    ends = float(slower[0]), float(slower[-1])
    return Clock(source, _on_frames(goals), inflection, before, beyond, exponent, plain, *ends)


def peak(inflection: Floats, anticipation: Floats, overshoot: Floats, exponent: Floats) -> Floats:
    """The greatest speed of strokes ``(S,)``, in their mean speeds: 2 of a plain one."""
    kernels = compiled.loaded(inflection.size * WORTH)
    if kernels is not None:
        made = np.empty(len(inflection))
        rows = (np.ascontiguousarray(row) for row in (inflection, anticipation, overshoot, exponent))
        kernels.stroke_peaks(*rows, len(_SHARES) - 1, made)
        return made
    return peak_reference(inflection, anticipation, overshoot, exponent)


def peak_reference(inflection: Floats, anticipation: Floats, overshoot: Floats, exponent: Floats) -> Floats:
    """The same in plain NumPy."""
    timing = (row[:, None] for row in (inflection, anticipation, overshoot, exponent))
    return np.asarray(np.abs(np.diff(progress(_SHARES, *timing), axis=1)).max(axis=1) * (len(_SHARES) - 1))


def _on_frames(times: Floats) -> Floats:
    """Whole frames, one at least between them, so that every goal is seen."""
    frames = np.round(times * RATE)
    for i in range(1, len(frames)):
        frames[i] = max(frames[i], frames[i - 1] + 1.0)
    return np.asarray(frames / RATE)


def followed(share: Floats, inflection: Floats, exponent: Floats, plain: Floats) -> Floats:
    """The share of a stroke's own time that everything else has reached: as far along as the hand's plain way."""
    now = share**exponent
    done = np.where(now <= inflection, now**2 / inflection, 1.0 - (1.0 - now) ** 2 / (1.0 - inflection))
    back = np.where(done <= plain, np.sqrt(plain * done), 1.0 - np.sqrt(np.maximum((1.0 - plain) * (1.0 - done), 0.0)))
    return np.asarray(share + FOLLOWS * (back - share))
