"""Loops unrolled: a recording that goes round is performed over several cycles, of which a middle one is kept.

What lands, swings on or is smoothed then meets itself at the seam, because it comes from the cycle before and goes on
into the next one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinesphere.engine.detail import BodyStrokes, Detail
from kinesphere.engine.loops import UnrolledLoop
from kinesphere.maths.vectors import Floats
from kinesphere.motion.claim import Claim
from kinesphere.motion.drive import Drive
from kinesphere.motion.gesture import Curve, Step
from kinesphere.motion.hold import Hold
from kinesphere.motion.memo import memoised
from kinesphere.motion.phrase import SAMPLES, Keys, Phrase, Track
from kinesphere.motion.referent import Referent


def unroll(phrase: Phrase) -> Phrase:
    """A loop's phrase over several cycles, no loop itself."""
    assert phrase.detail is not None
    detail = unroll_detail(phrase.detail)
    assert detail.period is not None
    repeat = Repeat(detail.cycles, detail.period, phrase.detail.strokes.wraps)
    lifted, cut = phrase.detail.tracks, phrase.detail.cut
    tracks = {
        part: repeat.track(own, part in cut and _same_ends(own.keys, lifted[part].keys))
        for part, own in phrase.tracks.items()
    }
    drives = tuple(repeat.drive(drive) for drive in phrase.drives)
    return replace(
        phrase,
        duration=repeat.duration,
        tracks=tracks,
        drives=drives,
        claims=tuple(repeat.claim(own) for own in phrase.claims),
        goals=tuple(
            replace(own, start=own.start + k * repeat.period, end=own.end + k * repeat.period)
            for own in phrase.goals
            for k in range(repeat.count)
        ),
        referents=_referents(phrase, repeat),
        detail=detail,
        loop=False,
        applied=None,
    )


@memoised
def unroll_detail(detail: Detail) -> Detail:
    """What was found in a loop, over several cycles of it."""
    loop = detail.unrolled if detail.unrolled is not None else UnrolledLoop.of(detail.recording)
    strokes, period = detail.strokes, detail.recording.duration
    repeat = Repeat(loop.cycles.count, period, strokes.wraps)
    inside = strokes.edges[1:-1] if strokes.wraps else strokes.edges[1:]
    edges = np.concatenate([[0.0], *(inside + k * period for k in range(repeat.count)), [repeat.duration]])
    leads = strokes.leads[:-1] * repeat.count + strokes.leads[-1:] if strokes.wraps else strokes.leads * repeat.count
    body = BodyStrokes(
        edges if strokes.wraps else edges[:-1],
        leads,
        repeat.rows(strokes.lengths, strokes.wraps),
        repeat.rows(strokes.inflections, strokes.wraps),
    )
    return Detail(
        replace(loop.poses.motion, skeleton=detail.recording.skeleton),
        loop.poses,
        {part: repeat.track(own, part in detail.cut) for part, own in detail.tracks.items()},
        body,
        loop.steps,
        detail.hangs,
        period,
    )


def _referents(phrase: Phrase, repeat: Repeat) -> tuple[Referent, ...]:
    """What hands keep in each cycle; what they keep all the time, throughout."""
    assert phrase.detail is not None
    loop, made = phrase.detail.unrolled, []
    way = np.zeros(3) if loop is None else loop.way
    for own in phrase.referents:
        if own.start <= 0.0 and own.end >= repeat.period and own.target is None:
            made.append(replace(own, end=repeat.duration))
            continue
        for k in range(repeat.count):
            x, y, z = np.zeros(3) if own.target is None else (np.array(own.target) + k * way).tolist()
            times = own.start + k * repeat.period, own.end + k * repeat.period
            target = None if own.target is None else (x, y, z)
            made.append(replace(own, start=times[0], end=times[1], target=target))
    return tuple(made)


def _same_ends(keys: Keys | None, lifted: Keys | None) -> bool:
    """Whether the first key of a loop is where it was lifted."""
    if keys is None or lifted is None:
        return False
    same = np.array_equal(keys.positions[0], lifted.positions[0]) and keys.swivels[0] == lifted.swivels[0]
    return bool(same and keys.times[0] == lifted.times[0] and not keys.goals[0])


@dataclass(frozen=True)
class Repeat:
    """How what a phrase of a loop says is repeated."""

    count: int  # cycles
    period: float  # seconds of one
    wraps: bool  # whether a stroke of the body's clock goes over the seam

    @property
    def duration(self) -> float:
        """Seconds of all cycles."""
        return self.count * self.period

    def rows(self, values: Any, wraps: bool) -> Any:
        """A value for each stroke ``(S,)``, of all cycles: a stroke over the seam is as the first one."""
        if not np.ndim(values):
            return values
        return np.concatenate([np.tile(values[:-1], self.count), values[-1:]]) if wraps else np.tile(values, self.count)

    def track(self, track: Track, cut: bool) -> Track:
        """A part's track over several cycles; where it is ``cut`` between them, there is no key."""
        keys, placed = track.keys, track.placed
        wraps = self.wraps if keys is None else not keys.goals[0]
        strokes: Mapping[str, Any] = {name: self.rows(values, wraps) for name, values in track.strokes.items()}
        if keys is not None:
            if placed is not None:
                placed = self._tile(placed, cut)
            keys = self._keys(keys, cut)
        return Track(
            keys,
            {name: self._curve(own) for name, own in track.curves.items()},
            strokes,
            {name: self._values(values) for name, values in track.overlays.items()},
            placed,
            track.palms,
            tuple(
                Step(own.lift + k * self.period, own.land + k * self.period, own.x, own.z, own.turn)
                for k in range(self.count)
                for own in track.steps
            ),
        )

    def _tile(self, values: Any, cut: bool, on: float = 0.0) -> Any:
        """Values of keys ``(K, ...)`` in all cycles, each higher by ``on``; the last of one begins the next."""
        inside = values[1:-1] if cut else values[1:]
        later = [inside + k * on if on else inside for k in range(self.count)]
        ends = [values[-1:] + (self.count - 1) * on if on else values[-1:]] if cut else []
        return np.concatenate([values[:1], *later, *ends])

    def _keys(self, keys: Keys, cut: bool) -> Keys:
        """Keys of all cycles."""
        positions, swivels, goals = (self._tile(row, cut) for row in (keys.positions, keys.swivels, keys.goals))
        first, *rest = keys.spaces
        spaces = (first, *(rest[:-1] if cut else rest) * self.count, *(rest[-1:] if cut else ()))
        times, inflections = self._tile(keys.times, cut, self.period), self._tile(keys.inflections, cut)
        return Keys(times, positions, swivels, goals, spaces, inflections, locked=keys.locked)

    def _curve(self, curve: Curve) -> Curve:
        times = [t + k * self.period for k in range(self.count) for t in curve.times[:-1]] + [self.duration]
        return Curve(tuple(times), (*curve.values[:-1] * self.count, curve.values[-1]))

    def _values(self, values: Floats) -> Floats:
        """A number, or a curve over the phrase's own time."""
        if np.ndim(values) == 0:
            return values
        own = np.arange(len(values)) / SAMPLES
        time = np.arange(round(self.duration * SAMPLES) + 1) / SAMPLES
        return np.interp(np.mod(time, self.period), own, values)

    def claim(self, claim: Claim) -> Claim:
        """What a property asks for over several cycles."""
        weight = self._values(np.asarray(claim.weight))
        value = claim.value
        if isinstance(value, np.ndarray):
            value = self._values(value)
        elif isinstance(value, Hold):
            value = value.repeated(self.count, self.period)
        return replace(claim, weight=weight, value=value)

    def drive(self, drive: Drive) -> Drive:
        """A drive over several cycles."""
        return drive if drive.amount.ndim == 0 else replace(drive, amount=self._values(drive.amount))
