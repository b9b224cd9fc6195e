"""The palette: quiet paper, dark ink, and a left and a right that the colour-blind tell apart as well."""

from __future__ import annotations

from typing import TypeAlias

Colour: TypeAlias = tuple[int, int, int]

SHEET: Colour = (241, 240, 236)
PAPER: Colour = (252, 252, 250)
INK: Colour = (38, 38, 40)
QUIET_INK: Colour = (112, 110, 105)
GRID: Colour = (212, 210, 203)
GROUND: Colour = (168, 165, 157)
SHADOW: Colour = (150, 147, 140)
LEFT: Colour = (0, 104, 180)
RIGHT: Colour = (222, 103, 8)
MIDDLE: Colour = (62, 62, 66)
RIGHT_ON_SKIN: Colour = (208, 64, 10)  # redder: bodies are nearly as orange as the right


def blend(colour: Colour, towards: Colour, share: float) -> Colour:
    """``colour`` at share 0, ``towards`` at share 1."""
    share = min(max(share, 0.0), 1.0)
    r, g, b = (round(a + (c - a) * share) for a, c in zip(colour, towards, strict=True))
    return (r, g, b)
