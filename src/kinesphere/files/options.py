"""What a caller may ask of a reader or a writer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Positions = Literal["auto", "replace", "add"]


@dataclass(frozen=True)
class LoadOptions:
    """Everything that ``load`` takes besides the path."""

    clip: str | int | None = None
    scale: float | None = None  # file units × scale = metres
    up: str | None = None  # "y", "z", "-z", …: the axis that is up in the file
    rate: float | None = None
    salvage: bool = False
    positions: Positions = "auto"


@dataclass(frozen=True)
class SaveOptions:
    """Everything that ``save`` takes besides the motion and the path."""

    character: Any = None
    scale: float = 1.0  # metres × scale = file units
    up: Literal["y", "z"] = "y"
    order: str | None = None  # Euler order where the format has one
    plain_names: bool = False  # only letters, digits and underscores, each name once
