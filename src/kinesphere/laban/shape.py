"""Shape: how a body opens and closes towards what is around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from kinesphere.laban.effort import Effort, check_dial_value
from kinesphere.maths.vectors import Floats

# Dimension to the words at its two ends, −1 and 1.
DIMENSIONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "horizontal": ("spreading", "enclosing"),
        "vertical": ("rising", "sinking"),
        "sagittal": ("advancing", "retreating"),
        "reach": ("near", "far"),
    }
)


@dataclass(frozen=True)
class Shape:
    """Four dimensions from −1 to 1; 0 is neutral.

    Parameters
    ----------
    horizontal
        Spreading … enclosing.
    vertical
        Rising … sinking.
    sagittal
        Advancing … retreating.
    reach
        Near … far: the arms' reach space.
    """

    horizontal: float = 0.0
    vertical: float = 0.0
    sagittal: float = 0.0
    reach: float = 0.0

    def __post_init__(self) -> None:
        for name, (low, high) in DIMENSIONS.items():
            object.__setattr__(self, name, check_dial_value("Shape", name, getattr(self, name), low, high))

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """Horizontal, vertical, sagittal, reach."""
        return self.horizontal, self.vertical, self.sagittal, self.reach

    @property
    def factors(self) -> Floats:
        """``(4,)`` horizontal, vertical, sagittal, reach."""
        return np.array(self.numbers)

    @property
    def is_neutral(self) -> bool:
        """Whether it changes nothing."""
        return not self.factors.any()


AFFINITY = 0.5  # of an Effort factor that its Shape takes


def affine_shape(effort: Effort) -> Shape:
    """The Shape that goes with an Effort: indirect spreads, light rises, sustained advances, and their opposites."""
    return Shape(AFFINITY * effort.space, AFFINITY * effort.weight, AFFINITY * effort.time)
