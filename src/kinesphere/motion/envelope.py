"""Transition envelopes: how a joint goes from the start to the end of a stroke, as a curve in time and space.

A chain of cubic Hermite segments through points (time, space), both as shares of the stroke, with a tangent at each
point: (dt, ds). Time may be warped as well as space, which makes what is difficult for a function of time alone easy:
backing away before going, going beyond and returning. Time is monotone; space need not be.
After Neff and Fiume, "Modeling tension and relaxation" and "Aesthetic edits for character animation" (2003).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np

from kinesphere.maths.vectors import Floats
from kinesphere.motion.errors import unknown_name

SAMPLES_OF_SEGMENT = 64
FARTHEST = 2.0  # shares of a stroke beyond its ends
FEWEST = 2


@dataclass(frozen=True, eq=False)
class Envelope:
    """A curve from (0, 0) to (1, 1).

    Attributes
    ----------
    points : (N, 2)
        Shares of time and space.
    tangents : (N, 2)
        How fast both go there, along the curve's own parameter; each segment's parameter goes from 0 to 1.
    """

    points: Floats
    tangents: Floats
    name: str = field(default="custom")

    def __post_init__(self) -> None:
        for name in ("points", "tangents"):
            rows = np.array(getattr(self, name), dtype=np.float64)
            rows.flags.writeable = False
            object.__setattr__(self, name, rows)
        points, tangents = self.points, self.tangents
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < FEWEST or tangents.shape != points.shape:
            raise ValueError(
                f"envelope: points {points.shape} and tangents {tangents.shape}; (N, 2) each is expected, N from 2"
            )
        if not (np.isfinite(points).all() and np.isfinite(tangents).all()):
            raise ValueError("envelope: a number is not finite")
        if np.any(points[0] != 0.0) or np.any(points[-1] != 1.0):
            first, last = (tuple(row.tolist()) for row in points[[0, -1]])
            raise ValueError(f"envelope: goes from {first} to {last}; from (0, 0) to (1, 1) is expected")
        if np.abs(points[:, 1]).max() > FARTHEST:
            raise ValueError(f"envelope: space goes to {np.abs(points[:, 1]).max():g}; at most {FARTHEST:g} is allowed")
        time = self._curve[:, 0]
        back = np.flatnonzero(np.diff(time) < -1e-9)
        if len(back):
            raise ValueError(
                f"envelope: time runs backwards at {time[back[0]]:.3g} of the stroke; points in order of time, and "
                "tangents whose first number is not negative and at most three times the way to the next point, keep it"
            )

    @cached_property
    def _curve(self) -> Floats:
        """``(K, 2)`` points along it."""
        u = np.linspace(0.0, 1.0, SAMPLES_OF_SEGMENT + 1)[:, None]
        h00, h10, h01, h11 = (1 + 2 * u) * (1 - u) ** 2, u * (1 - u) ** 2, u * u * (3 - 2 * u), u * u * (u - 1)
        rows = [
            h00 * self.points[i] + h10 * self.tangents[i] + h01 * self.points[i + 1] + h11 * self.tangents[i + 1]
            for i in range(len(self.points) - 1)
        ]
        return np.concatenate([rows[0], *(row[1:] for row in rows[1:])])

    def __call__(self, time: Floats) -> Floats:
        """Shares of space at shares of time, both of any shape."""
        curve = self._curve
        return np.interp(time, np.maximum.accumulate(curve[:, 0]), curve[:, 1])


def envelope(name: str) -> Envelope:
    """One of the six named envelopes."""
    if name not in ENVELOPES:
        raise ValueError(unknown_name("envelope", name, ENVELOPES))
    return ENVELOPES[name]


def _made(name: str, points: Sequence[tuple[float, float]], tangents: Sequence[tuple[float, float]]) -> Envelope:
    return Envelope(np.array(points), np.array(tangents), name)


ENDS = ((0.0, 0.0), (1.0, 1.0))
ENVELOPES: Mapping[str, Envelope] = MappingProxyType(
    {
        own.name: own
        for own in (
            _made("ease", ENDS, ((1.0, 0.0), (1.0, 0.0))),
            _made("linear", ENDS, ((1.0, 1.0), (1.0, 1.0))),
            _made("fast_start", ENDS, ((0.25, 1.6), (1.8, 0.0))),
            _made("slow_start", ENDS, ((1.8, 0.0), (0.25, 1.6))),
            _made(
                "anticipation", ((0.0, 0.0), (0.28, -0.12), (1.0, 1.0)), ((0.3, 0.0), (0.3, 0.0), (0.9, 0.0))
            ),
            _made("overshoot", ((0.0, 0.0), (0.72, 1.12), (1.0, 1.0)), ((0.9, 0.0), (0.3, 0.0), (0.3, 0.0))),
        )
    }
)  # fmt: skip
