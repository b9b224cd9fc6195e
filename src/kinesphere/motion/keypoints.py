"""Key points of a gesture: where a hand is to be, when, and whether it stops there."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from kinesphere.motion.source import Source


class Stop(StrEnum):
    """Whether the hand comes to rest at a key or passes through."""

    GOAL = "goal"
    VIA = "via"


class Space(StrEnum):
    """Relative to the shoulder in the chest's frame, or fixed in the world."""

    LOCAL = "local"
    GLOBAL = "global"


@dataclass(frozen=True)
class Keypoint:
    """One key: metres, Y up, facing +Z, left +X; swivel in radians."""

    frame: float
    position: tuple[float, float, float]
    swivel: float = 0.0
    stop: Stop = Stop.GOAL
    space: Space = Space.LOCAL

    def __post_init__(self) -> None:
        if not np.isfinite([self.frame, *self.position, self.swivel]).all():
            raise ValueError(f"{self} has a number that is not finite")


@dataclass(frozen=True)
class Keypoints:
    """The keys of one limb, in time.

    ``rate`` is how many of the keys' frames make a second. ``locked`` keys keep their times whatever the Effort.
    """

    keys: tuple[Keypoint, ...]
    rate: float = 30.0
    part: str = "rightArm"
    locked: bool = False
    source: Source = field(default_factory=Source)

    def __post_init__(self) -> None:
        if not self.keys:
            raise ValueError("at least one key is needed")
        if not np.isfinite(self.rate) or self.rate <= 0.0:
            raise ValueError(f"rate {self.rate}: a positive number of frames a second is expected")
        for before, after in zip(self.keys[:-1], self.keys[1:], strict=True):
            if after.frame <= before.frame:
                raise ValueError(f"key at frame {after.frame:g} follows {before.frame:g}: frames must increase")

    @property
    def duration(self) -> float:
        """Seconds from the first key to the last."""
        return (self.keys[-1].frame - self.keys[0].frame) / self.rate
