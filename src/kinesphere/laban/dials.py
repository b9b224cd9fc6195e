"""Effort and Shape over time: constants or keys in seconds, and several edits combined.

A phrase is a mapping from seconds of the gesture's own time to values; between them a monotone cubic is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from kinesphere.engine.batch import RATE
from kinesphere.engine.channels import sample_rows
from kinesphere.laban.effort import Effort
from kinesphere.laban.shape import Shape
from kinesphere.maths.interpolation import monotone_cubic
from kinesphere.maths.vectors import Floats

EffortDial: TypeAlias = Effort | Mapping[float, Effort]
ShapeDial: TypeAlias = Shape | Mapping[float, Shape]


@dataclass(frozen=True)
class Part:
    """Effort and Shape of one part of the body; None: those of the whole body."""

    effort: EffortDial | None = None
    shape: ShapeDial | None = None


def check_dial(dial: object, kind: type[Effort] | type[Shape]) -> None:
    """Refuse what is neither one value nor a phrase of them."""
    if isinstance(dial, kind):
        return
    name = kind.__name__
    if not isinstance(dial, Mapping):
        raise TypeError(f"{dial!r}: {_with_article(name)}, or a phrase {{seconds: {name}, …}}, is expected")
    if not dial:
        raise ValueError(f"a phrase of {name} needs one moment at least; found none")
    for moment, value in dial.items():
        number = isinstance(moment, int | float | np.number) and not isinstance(moment, bool)
        if not number or not np.isfinite(moment):
            raise ValueError(f"{moment!r} is no moment of a phrase; finite seconds are expected")
        if not isinstance(value, kind):
            raise TypeError(f"{value!r} at {moment:g} s: {_with_article(name)} is expected")


def constant_factors(dial: EffortDial | ShapeDial) -> tuple[float, float, float, float] | None:
    """The factors of a dial that does not change over time, else None."""
    if isinstance(dial, Effort | Shape):
        return dial.numbers
    values: list[Effort | Shape] = list(dial.values())
    return values[0].numbers if len(values) == 1 else None


def dial_curve(dial: EffortDial | ShapeDial, time: Floats) -> Floats:
    """The factors ``(N, 4)`` at these times, or ``(1, 4)`` where they don't change."""
    if isinstance(dial, Effort | Shape):
        return dial.factors[None]
    moments = sorted(dial)
    values = np.array([dial[moment].factors for moment in moments])
    if len(moments) == 1:
        return values
    return np.stack([monotone_cubic(moments, column, time) for column in values.T], axis=1)


def parameter_overrides(dial: EffortDial, time: Floats) -> dict[str, tuple[Floats, Floats]]:
    """Parameters set by hand: each one's value and weight, ``(N,)`` or ``(1,)``."""
    if isinstance(dial, Effort) and not dial.by_hand:
        return {}
    phrase = {0.0: dial} if isinstance(dial, Effort) else dict(dial)
    moments = sorted(phrase)
    found: dict[str, tuple[Floats, Floats]] = {}
    for name in sorted({name for effort in phrase.values() for name in effort.by_hand}):
        given = {m: phrase[m].by_hand[name] for m in moments if name in phrase[m].by_hand}
        if len(moments) == 1:
            found[name] = np.array([given[moments[0]]]), np.ones(1)
        else:
            weights = np.array([float(m in given) for m in moments])
            found[name] = np.interp(time, list(given), list(given.values())), monotone_cubic(moments, weights, time)
    return found


def _with_article(name: str) -> str:
    return f"an {name}" if name[0] in "AEIOU" else f"a {name}"


# Several edits of one part


Values: TypeAlias = Any  # one number, or a curve (N,) over the gesture's own time, ``RATE`` values per second


@dataclass(frozen=True, eq=False)
class Dials:
    """One edit's dials on one part.

    ``strength (N,)`` is the edit's weight over the gesture's own time, ``RATE`` values per second; None: 1.
    """

    effort: EffortDial = field(default_factory=Effort)
    shape: ShapeDial = field(default_factory=Shape)
    intensity: float = 1.0
    tempo: float = 1.0
    strength: Floats | None = None
    hands: bool = False  # whether hands follow the weight: a fist where it is strong, open where it is light


class CombinedDials(NamedTuple):
    """The dials of several edits, added up."""

    factors: Sequence[Values]  # four, from −1 to 1
    gain: Values  # from 1: how far their sum exceeds that range, by which amplitudes are multiplied

    @property
    def steady(self) -> bool:
        """Whether they are the same all the time."""
        return isinstance(self.gain, float)

    @property
    def neutral(self) -> bool:
        """Whether all factors are 0 all the time."""
        return not any(self.factors) if self.steady else not np.any(self.factors)


def combine_dials(dials: Sequence[Dials], which: Literal["effort", "shape"], time: Floats) -> CombinedDials:
    """The Effort or Shape of all edits: they add up, then saturate."""
    constant = [None if dial.strength is not None else constant_factors(getattr(dial, which)) for dial in dials]
    if None not in constant:
        a = b = c = d = 0.0
        for dial, numbers in zip(dials, constant, strict=True):
            size, (e, f, g, h) = dial.intensity, numbers  # type: ignore[misc]
            a, b, c, d = a + size * e, b + size * f, c + size * g, d + size * h
        sums = a, b, c, d
        return CombinedDials([min(max(v, -1.0), 1.0) for v in sums], max(1.0, max(sums), -min(sums)))
    total = np.zeros((1, 4))
    for dial in dials:
        factors = dial_curve(getattr(dial, which), time) * dial.intensity
        total = total + (factors if dial.strength is None else factors * dial.strength[:, None])
    return CombinedDials(list(np.clip(total, -1.0, 1.0).T), np.maximum(np.abs(total).max(axis=-1), 1.0))


def tempo_product(dials: Sequence[Dials]) -> Values:
    """The product of all edits' tempos."""
    total: Values = 1.0
    for dial in dials:
        total = total * (dial.tempo if dial.strength is None else dial.tempo**dial.strength)
    return total


def stroke_means(values: Values, edges: Floats, time: Floats) -> Values:
    """The mean of a curve ``(N, ...)`` over each stroke ``(S, ...)``; a number stays."""
    if isinstance(values, float):
        return values
    curves = values.reshape(len(values), -1)
    area = np.concatenate([np.zeros((1, curves.shape[1])), np.cumsum(0.5 * (curves[1:] + curves[:-1]), axis=0)]) / RATE
    ends = np.clip(edges, 0.0, time[-1])
    areas = np.stack([np.interp(ends, time, column) for column in area.T], axis=1)
    durations = np.diff(ends)
    middle = sample_rows(curves, 0.5 * (ends[:-1] + ends[1:]), False)
    mean = np.where(durations[:, None] > 1e-6, np.diff(areas, axis=0) / np.maximum(durations, 1e-6)[:, None], middle)
    return mean.reshape(len(durations), *values.shape[1:])
