"""Provenance of a loaded motion: its file, and the evidence for what the reader inferred or converted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """What a reader found in a file, and what it did.

    ``scale`` and ``up`` are what was applied: file units × scale = metres; the axis that was up in the file.
    ``evidence`` says why, in sentences; ``warnings`` says what was wrong with the file and how it was handled.
    ``euler_orders`` has one entry per joint where the file stored Euler angles (empty for a joint without).
    """

    path: str = ""
    format: str = ""
    clip: str = ""
    scale: float = 1.0
    up: str = "y"
    evidence: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    euler_orders: tuple[str, ...] = ()
