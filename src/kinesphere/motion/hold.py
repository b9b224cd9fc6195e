"""Holds: moments at which a movement is held for a time, and goes on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from kinesphere.motion.errors import unknown_name


class Energy(StrEnum):
    """What becomes of a movement's energy while it is held."""

    KEPT = "kept"  # a pause: the body stays ready to go on
    GONE = "gone"  # a stop: the body relaxes, and starts anew


@dataclass(frozen=True)
class Hold:
    """A movement is held for some seconds, at a moment or at several.

    Attributes
    ----------
    times
        Seconds of the phrase's own time; more than one in a loop that was unrolled.
    seconds
        How long it is held; whatever comes after comes later by that.
    energy
        Kept, or gone.
    settled
        Whether it is held just there; else, where a foot is in the air, when both feet stand next.
    """

    times: tuple[float, ...]
    seconds: float
    energy: str = Energy.KEPT
    settled: bool = False

    def __post_init__(self) -> None:
        if self.energy not in tuple(Energy):
            raise ValueError(unknown_name("energy", self.energy, tuple(Energy)))
        if not np.isfinite([*self.times, self.seconds]).all() or self.seconds < 0.0:
            raise ValueError(f"hold at {self.times} s for {self.seconds:g} s: finite times, and none below 0 to last")

    def repeated(self, count: int, period: float) -> Hold:
        """The same in each cycle of a loop."""
        return replace(self, times=tuple(own + k * period for k in range(count) for own in self.times))
