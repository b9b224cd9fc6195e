"""Dials over time: an Effort or a Shape, or several at moments of a gesture, with what is between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kinesphere.figure.curves import keyed
from kinesphere.kernels.arrays import Floats
from kinesphere.laban.effort import Effort
from kinesphere.laban.shape import Shape

# One value for all of a gesture, or values at seconds of its own time: a phrase.
EffortDial: TypeAlias = Effort | Mapping[float, Effort]
ShapeDial: TypeAlias = Shape | Mapping[float, Shape]
FADE = 0.15  # seconds over which a range's edits come and go


@dataclass(frozen=True)
class Part:
    """What one part of the body is asked for; None: what the whole is."""

    effort: EffortDial | None = None
    shape: ShapeDial | None = None


def checked_dial(dial: object, kind: type[Effort] | type[Shape]) -> None:
    """Refuse what is neither one value nor a phrase of them."""
    if isinstance(dial, kind):
        return
    name = kind.__name__
    if not isinstance(dial, Mapping):
        raise TypeError(f"{dial!r}: {_an(name)}, or a phrase {{seconds: {name}, …}}, is expected")
    if not dial:
        raise ValueError(f"a phrase of {name} needs one moment at least; found none")
    for moment, value in dial.items():
        number = isinstance(moment, int | float | np.number) and not isinstance(moment, bool)
        if not number or not np.isfinite(moment):
            raise ValueError(f"{moment!r} is no moment of a phrase; finite seconds are expected")
        if not isinstance(value, kind):
            raise TypeError(f"{value!r} at {moment:g} s: {_an(name)} is expected")


def steady(dial: EffortDial | ShapeDial) -> tuple[float, float, float, float] | None:
    """The factors that hold all the time, or None where they change."""
    if isinstance(dial, Effort | Shape):
        return dial.numbers
    values: list[Effort | Shape] = list(dial.values())
    return values[0].numbers if len(values) == 1 else None


def curve(dial: EffortDial | ShapeDial, time: Floats) -> Floats:
    """The factors ``(N, 4)`` at the times, or ``(1, 4)`` where they don't change."""
    if isinstance(dial, Effort | Shape):
        return dial.factors[None]
    moments = sorted(dial)
    values = np.array([dial[moment].factors for moment in moments])
    if len(moments) == 1:
        return values
    return np.stack([keyed(moments, column, time) for column in values.T], axis=1)


def by_hand(dial: EffortDial, time: Floats) -> dict[str, tuple[Floats, Floats]]:
    """Parameters set by hand: for each its value and how much of it holds, ``(N,)`` or ``(1,)``."""
    if isinstance(dial, Effort) and not dial.by_hand:
        return {}
    phrase = {0.0: dial} if isinstance(dial, Effort) else dict(dial)
    moments = sorted(phrase)
    found: dict[str, tuple[Floats, Floats]] = {}
    for name in sorted({name for effort in phrase.values() for name in effort.by_hand}):
        held = np.array([float(name in phrase[m].by_hand) for m in moments])
        said = {m: phrase[m].by_hand[name] for m in moments if name in phrase[m].by_hand}
        if len(moments) == 1:
            found[name] = np.array([said[moments[0]]]), np.ones(1)
        else:
            found[name] = np.interp(time, sorted(said), [said[m] for m in sorted(said)]), keyed(moments, held, time)
    return found


def window(time: Floats, start: float | None, end: float | None) -> Floats | None:
    """How much of an edit holds ``(N,)`` that goes from ``start`` to ``end`` seconds; None: all of it always."""
    if start is None and end is None:
        return None
    low = -np.inf if start is None else start
    high = np.inf if end is None else end
    edge = min(FADE, 0.25 * (high - low))
    return np.asarray(_ease((time - low) / edge) * _ease((high - time) / edge))


def _ease(x: Floats) -> Floats:
    u = np.clip(x, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))


def _an(name: str) -> str:
    return f"an {name}" if name[0] in "AEIOU" else f"a {name}"
