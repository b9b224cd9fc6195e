"""Scope of an edit: a range of time with a fade, and a strength; one window for every kind of edit.

Layers with the same start begin alike, whether they change Effort, curves or time.
"""

from __future__ import annotations

import numpy as np

from kinesphere.maths.vectors import Floats, smootherstep

FADE = 0.25  # seconds over which an edit fades in and out


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


def check_time_range(start: float | None, end: float | None, fade: float) -> None:
    """Raise an error unless ``start`` and ``end`` are a time range."""
    for name, value in (("start", start), ("end", end), ("fade", fade)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float | np.number)):
            raise TypeError(f"{name} is {value!r}; seconds are expected")
        if value is not None and not np.isfinite(value):
            raise ValueError(f"{name} is {value!r}; finite seconds are expected")
    if fade < 0.0:
        raise ValueError(f"fade is {fade:g} s; 0 or more is expected")
    if start is not None and end is not None and start >= end:
        raise ValueError(f"a stretch from {start:g} to {end:g} s is empty; its end must come after its start")


def check_strength(strength: float) -> None:
    """Refuse a strength that is no number from 0 to 1."""
    if isinstance(strength, bool) or not isinstance(strength, int | float | np.number):
        raise TypeError(f"strength is {strength!r}; a number from 0 to 1 is expected")
    if not 0.0 <= strength <= 1.0:  # NaN too
        raise ValueError(f"strength is {strength!r}; 0 to 1 is allowed")
