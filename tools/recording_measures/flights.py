"""Flights: in the air time passes as it was recorded, so that a jump keeps gravity."""

from __future__ import annotations

import numpy as np

from recording_measures.performances import Found, Performance


def measure(own: Performance) -> dict[str, Found]:
    """Per cent by which the pace is off in the air; nothing where the body never is."""
    flying = own.shown(own.recorded.detail.steps.flying) > 0.999
    inside = flying[1:] & flying[:-1]
    if not inside.any():
        return {}
    paces = np.diff(own.frames)
    off = np.where(inside, np.abs(paces - 1.0), 0.0)
    at = int(np.argmax(off))
    return {"flight pace": Found(100.0 * float(off[at]), own.at(at))}
