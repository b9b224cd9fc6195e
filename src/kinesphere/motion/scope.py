"""Scope of an edit: a range of time with a fade, parts of the body, and a strength; one window for every kind of edit.

Layers with the same start begin alike, whether they change Effort, curves or time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator

from kinesphere.maths.vectors import Floats, smootherstep
from kinesphere.motion.document import Setting, Text, dial, document, number

FADE = 0.25  # seconds over which an edit fades in and out
LATEST = 1e6  # seconds


def _as_names(value: Any) -> Any:
    return (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else value


def split_names(text: str) -> tuple[str, ...]:
    """Names, parted by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


@document(frozen=True)
class Scope:
    """Where an edit holds: from ``start`` to ``end`` in seconds, None for the ends of what is edited; on ``parts``.

    Parts are groups (``arms``, ``left_arm``, ``torso``, …), humanoid roles or a skeleton's own joints; None for all.
    """

    start: Annotated[float, number(-LATEST, LATEST, "Seconds from which it holds.", option="--from")] | None = None
    end: Annotated[float, number(-LATEST, LATEST, "Seconds until which it holds.", option="--to")] | None = None
    parts: Annotated[
        tuple[Text, ...] | None,
        BeforeValidator(_as_names),
        Setting(
            "Which parts: groups such as arms,torso,head,legs, roles or joints' names. Else all.",
            option="--parts --joints",
            parse=split_names,
            metavar="NAME,…",
        ),
    ] = None
    strength: Annotated[float, dial(0.0, 1.0, "How much of it, 0 to 1.", neutral=0.0)] = 1.0
    fade: Annotated[float, number(0.0, LATEST, "Seconds over which it comes and goes.")] = FADE

    def __post_init__(self) -> None:
        if self.start is not None and self.end is not None and self.end <= self.start:
            raise ValueError(
                f"a range from {self.start:g} to {self.end:g} s is empty; its end must come after its start"
            )
        if self.parts is not None and not self.parts:
            raise ValueError("parts is empty; leave it out for all of them, or name one at least")

    @property
    def whole_time(self) -> bool:
        """Whether it holds all the time."""
        return self.start is None and self.end is None

    def window(self, times: Floats) -> Floats:
        """``(T,)`` from 0 outside of the range to 1 inside, at seconds ``(T,)``; without the strength."""
        return time_window(times, self.start, self.end, self.fade)


WHOLE = Scope()


def time_window(times: Floats, start: float | None, end: float | None, fade: float) -> Floats:
    """``(T,)`` from 0 outside of a time range to 1 inside, at seconds ``(T,)``."""
    low, high = -np.inf if start is None else start, np.inf if end is None else end
    edge = max(min(fade, 0.5 * (high - low)), 1e-9)
    window = np.ones(len(times))
    if start is not None:
        window = window * smootherstep((times - low) / edge)
    if end is not None:
        window = window * smootherstep((high - times) / edge)
    return np.asarray(window)
