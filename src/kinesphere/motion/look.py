"""What a body looks at or leans to: a place in the world, a part of its own, what a hand goes to, or straight ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kinesphere.motion.errors import unknown_name
from kinesphere.motion.humanoid import ROLES

AHEAD = "ahead"
GOAL = "goal"  # what a hand goes to in the world, the nearest in time; where it goes nowhere, ahead
Place: TypeAlias = tuple[float, float, float]  # metres of the world


@dataclass(frozen=True)
class Look:
    """What is looked at.

    Attributes
    ----------
    target
        A place in metres of the world; a role, such as ``rightHand``; or ``ahead``: ahead of the trunk, and level.
    head
        The share of the way that the head turns, from 0 to 1; eyes do the rest, as far as they go. Who has no eyes that
        turn turns the head all the way.
    """

    target: Place | str = AHEAD
    head: float = 1.0

    def __post_init__(self) -> None:
        if isinstance(self.target, str):
            if self.target != AHEAD and self.target not in ROLES:
                raise ValueError(f"look: {unknown_name('role', self.target, (AHEAD, *ROLES))}")
        else:
            object.__setattr__(self, "target", place_of(self.target, "look"))
        if not 0.0 <= self.head <= 1.0:
            raise ValueError(f"look: the head's share is {self.head!r}; 0 to 1 is allowed")

    def __str__(self) -> str:
        if isinstance(self.target, str):
            return self.target
        return "({:.2f}, {:.2f}, {:.2f})".format(*self.target)


def place_of(numbers: tuple[float, ...], who: str) -> Place:
    """Three finite numbers as a place; ``who`` asks for it."""
    found = np.asarray(numbers, dtype=np.float64)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise ValueError(f"{who}: the place is {numbers!r}; three finite numbers, x, y and z in metres, are expected")
    x, y, z = found.tolist()
    return x, y, z
