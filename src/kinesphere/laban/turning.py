"""How far dials are turned: several edits of a part, added up over a gesture's own time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from kinesphere.figure.channels import sampled
from kinesphere.figure.spans import RATE
from kinesphere.kernels.arrays import Floats
from kinesphere.laban.dials import EffortDial, ShapeDial, curve, steady
from kinesphere.laban.effort import Effort
from kinesphere.laban.shape import Shape

Values: TypeAlias = Any  # one number for all of a gesture, or a curve (N,) over its own time, ``RATE`` values a second


@dataclass(frozen=True, eq=False)
class Dials:
    """One edit's dials on one part.

    ``strength (N,)`` is how much of it holds over the gesture's own time, ``RATE`` values a second; None: all.
    """

    effort: EffortDial = field(default_factory=Effort)
    shape: ShapeDial = field(default_factory=Shape)
    intensity: float = 1.0
    tempo: float = 1.0
    strength: Floats | None = None
    hands: bool = False  # whether their shape goes along: a fist where it is strong, open where it is light


class Turned(NamedTuple):
    """Dials as far as they are turned."""

    factors: Sequence[Values]  # four, saturated
    gain: Values  # what amplitudes are multiplied by, from 1

    @property
    def steady(self) -> bool:
        """Whether they stay as they are."""
        return isinstance(self.gain, float)

    @property
    def neutral(self) -> bool:
        """Whether nothing is asked for."""
        return not any(self.factors) if self.steady else not np.any(self.factors)


def turned(dials: Sequence[Dials], which: Literal["effort", "shape"], time: Floats) -> Turned:
    """All edits' Effort or Shape together, before they saturate."""
    held = [None if dial.strength is not None else steady(getattr(dial, which)) for dial in dials]
    if None not in held:
        a = b = c = d = 0.0
        for dial, numbers in zip(dials, held, strict=True):
            size, (e, f, g, h) = dial.intensity, numbers  # type: ignore[misc]
            a, b, c, d = a + size * e, b + size * f, c + size * g, d + size * h
        sums = a, b, c, d
        return Turned([min(max(v, -1.0), 1.0) for v in sums], max(1.0, max(sums), -min(sums)))
    total = np.zeros((1, 4))
    for dial in dials:
        factors = curve(getattr(dial, which), time) * dial.intensity
        total = total + (factors if dial.strength is None else factors * dial.strength[:, None])
    return Turned(list(np.clip(total, -1.0, 1.0).T), np.maximum(np.abs(total).max(axis=-1), 1.0))


def tempo(dials: Sequence[Dials]) -> Values:
    """How much quicker."""
    total: Values = 1.0
    for dial in dials:
        total = total * (dial.tempo if dial.strength is None else dial.tempo**dial.strength)
    return total


def means(values: Values, edges: Floats, time: Floats) -> Values:
    """The mean of a curve ``(N, ...)`` over each stroke ``(S, ...)``; a number stays."""
    if isinstance(values, float):
        return values
    curves = values.reshape(len(values), -1)
    area = np.concatenate([np.zeros((1, curves.shape[1])), np.cumsum(0.5 * (curves[1:] + curves[:-1]), axis=0)]) / RATE
    held = np.clip(edges, 0.0, time[-1])
    at = np.stack([np.interp(held, time, column) for column in area.T], axis=1)
    lasts = np.diff(held)
    middle = sampled(curves, 0.5 * (held[:-1] + held[1:]), False)
    mean = np.where(lasts[:, None] > 1e-6, np.diff(at, axis=0) / np.maximum(lasts, 1e-6)[:, None], middle)
    return mean.reshape(len(lasts), *values.shape[1:])
