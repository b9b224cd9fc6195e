"""Motions that are blended, on one clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinesphere.kernels.arrays import Floats
from kinesphere.motion.frozen import frozen
from kinesphere.motion.motion import Motion
from kinesphere.motion.retiming import at_times
from kinesphere.motion.timemap import TimeMap
from kinesphere.signals.alignment import Cost, Search, align

SLOWEST = 0.1  # of the first one's pace that the common clock keeps, where weights lead beyond the motions


@dataclass(frozen=True, eq=False)
class Taken:
    """A motion on the common clock.

    Attributes
    ----------
    source
        The motion as it was.
    frames : (T,)
        Which of its frames, also between them.
    motion
        It on the common clock, T frames.
    """

    source: Motion
    frames: Floats
    motion: Motion


def together(
    cast: list[Motion], shares: Callable[[Floats], Floats], how: tuple[Cost, Search, float] | None
) -> list[Taken]:
    """Motions of one body and rate on one clock: matched by ``how``, cost, search and radius, or None as they are.

    ``shares(time) (N, T)`` are their weights over the result's time. Its clock runs as all of theirs on the mean.
    """
    first = cast[0]
    if how is None:
        count = min(map(len, cast))
        return [Taken(motion, np.arange(float(count)), _bare(motion[:count], first)) for motion in cast]
    maps = [TimeMap.identity()]
    maps += [align(first, other, how[0], search=how[1], radius=how[2]) for other in cast[1:]]
    time = _common([own(first.times) for own in maps], first, shares)
    at = [own(time) for own in maps]
    made = []
    for motion, own in zip(cast, at, strict=True):
        own = np.clip(own, 0.0, motion.duration)
        q, t, scales = at_times(motion, own)
        taken = Motion(first.skeleton, first.rate, frozen(q), frozen(t), scales=scales, name=first.name)
        made.append(Taken(motion, own * motion.rate, taken))
    return made


def _bare(motion: Motion, first: Motion) -> Motion:
    own = motion.rotations, motion.translations
    return Motion(first.skeleton, first.rate, *own, scales=motion.scales, name=first.name)


def _common(clocks: list[Floats], first: Motion, shares: Callable[[Floats], Floats]) -> Floats:
    """Moments of the first motion at the frames of the result, of each motion's time at the first one's frames."""
    steps = np.diff(np.stack(clocks), axis=1)  # (N, T − 1)
    lasts = np.maximum(steps.max(axis=1).max() * len(first), first.duration)
    fine = shares(np.arange(round(lasts * first.rate) + 2) / first.rate)
    now, passed = 0.0, [0.0]
    for step in steps.T.tolist():
        weights = fine[:, min(round(now * first.rate), fine.shape[1] - 1)]
        ahead = sum(weight * way for weight, way in zip(weights.tolist(), step, strict=True))
        now += max(ahead, SLOWEST / first.rate)
        passed.append(now)
    count = int(np.floor(now * first.rate + 0.5 + 1e-6)) + 1
    return np.asarray(np.interp(np.arange(count) / first.rate, passed, first.times))
