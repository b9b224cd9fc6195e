"""Warnings that point at the line that asked, not at one of ours."""

from __future__ import annotations

import sys
import warnings


def tell(text: str, category: type[Warning]) -> None:
    """Warn at the first line outside of this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "kinesphere":
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)
