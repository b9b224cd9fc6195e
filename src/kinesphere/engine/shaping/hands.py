"""Where hands go: nearer to the body or farther from it (extent), farther from their shoulders (reach)."""

from __future__ import annotations

import numpy as np

from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.engine.shaping.asked import AskedShaping
from kinesphere.maths.vectors import Floats, norms


def displaced_by_properties(context: PerformanceContext, asked: AskedShaping, side: str) -> Floats:
    """``(T, 3)`` arm lengths in the chest's axes by which properties displace a hand."""
    hand = context.hands[side]
    made = np.zeros_like(hand.path)
    acts = (1.0 - hand.hangs)[:, None]
    if asked.asks(f"{side}.reach"):
        away = hand.path / np.maximum(norms(hand.path), 1e-9)[:, None]
        made += acts * asked.curve(f"{side}.reach")[:, None] * away
    return made
