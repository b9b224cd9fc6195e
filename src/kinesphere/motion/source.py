"""Where a motion came from, and what was done to it on the way in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """What a reader found in a file.

    ``scale`` and ``up`` are what was applied: file units × scale = metres; the axis that was up in the file.
    ``evidence`` says why, in sentences; ``warnings`` says what was wrong with the file and what was done about
    it. ``euler_orders`` has one entry a joint where the file stored Euler angles (empty for a joint without).
    """

    path: str = ""
    format: str = ""
    clip: str = ""
    scale: float = 1.0
    up: str = "y"
    evidence: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    euler_orders: tuple[str, ...] = ()
