"""Drive: one way in which the whole body takes part in a phrase, apart from what its curves say.

A drive of a kind (a key of ``kinesphere.engine.recruitment.KINDS``) adds to channels in performed time, where it knows
when hands set out and arrive: weight that lands with a stroke, a trunk that goes with the hand, a gaze on its goal, a
posture that comes and goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from kinesphere.maths.vectors import Floats


@dataclass(frozen=True, eq=False)
class Drive:
    """One way in which the body takes part.

    Attributes
    ----------
    kind
        What it goes by: see ``kinesphere.engine.recruitment``.
    amount
        How much: one number, or a curve over the phrase's own time, ``SAMPLES`` values a second.
    channels
        Channel to what is added to it at an amount of 1: radians, shares, leg lengths of hips, metres of arms.
    timing
        When, in seconds and shares; each kind has its own.
    """

    kind: str
    amount: Floats
    channels: Mapping[str, float] = field(default_factory=dict)
    timing: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Drive {self.kind!r}: {len(self.channels)} channels>"

    def __post_init__(self) -> None:
        object.__setattr__(self, "amount", np.asarray(self.amount, dtype=np.float64))
        if not np.isfinite(np.add.reduce(self.amount, axis=None)) and not np.isfinite(self.amount).all():
            raise ValueError(f"amount of the drive {self.kind} has a number that is not finite")
